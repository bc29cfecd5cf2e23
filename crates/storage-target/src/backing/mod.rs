//! What a namespace's blocks are kept in.

mod cache_index;
pub(crate) mod device_cache;
mod file;
pub(crate) mod logged;
mod memory_cache;
pub(crate) mod open;
mod ram;
mod shards;

use std::sync::Arc;

pub(crate) use cache_index::{CacheIndex, WarmUp, check_tells};
pub(crate) use device_cache::{DeviceCache, DeviceHit, DeviceWrite};
pub(crate) use file::FileDisk;
pub(crate) use logged::LoggedDisk;
pub(crate) use memory_cache::{CacheWrite, MemoryCache, numbered};
pub use open::{OpenError, Opened, open};
pub(crate) use ram::RamDisk;
pub(crate) use shards::{CACHE_PAGE, CacheError, CacheFigures, CacheRead, LEAST_BYTES, Shards};

/// Where blocks are.
#[derive(Debug)]
pub(crate) enum Backing {
    /// Nowhere: reads are zeros, writes are dropped. Shows what the fabric costs without storage.
    Null,
    /// In memory, lost with the process.
    Ram(RamDisk),
    /// In a file or on a block device.
    File(Box<FileDisk>),
    /// There, with a log in front that acknowledges.
    Logged(Arc<LoggedDisk>),
}

impl Backing {
    /// The word for it.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Backing::Null => "null",
            Backing::Ram(_) => "ram",
            Backing::File(disk) if disk.is_device() => "block device",
            Backing::File(_) => "file",
            Backing::Logged(disk) if disk.backing.is_device() => "block device with a log",
            Backing::Logged(_) => "file with a log",
        }
    }

    /// The file or device that its blocks are in.
    pub(crate) fn file(&self) -> Option<&FileDisk> {
        match self {
            Backing::File(disk) => Some(disk),
            Backing::Logged(disk) => Some(&disk.backing),
            Backing::Null | Backing::Ram(_) => None,
        }
    }

    /// Whether what was written and answered is on media that keep it, without a flush.
    pub(crate) fn keeps_each_write(&self) -> bool {
        match self {
            Backing::File(disk) => disk.keeps_each_write(),
            Backing::Logged(disk) => disk.keeps_each_write(),
            Backing::Null | Backing::Ram(_) => false,
        }
    }
}
