//! What a namespace's blocks are kept in.

mod file;
mod open;
mod ram;

pub(crate) use file::FileDisk;
pub use open::{OpenError, Opened, open};
pub(crate) use ram::RamDisk;

/// Where blocks are.
#[derive(Debug)]
pub(crate) enum Backing {
    /// Nowhere: reads are zeros, writes are dropped. Shows what the fabric costs without storage.
    Null,
    /// In memory, lost with the process.
    Ram(RamDisk),
    /// In a file or on a block device.
    File(Box<FileDisk>),
}

impl Backing {
    /// The word for it.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Backing::Null => "null",
            Backing::Ram(_) => "ram",
            Backing::File(disk) if disk.is_device() => "block device",
            Backing::File(_) => "file",
        }
    }

    /// Whether what was written and answered is on media that keep it, without a flush.
    pub(crate) fn keeps_each_write(&self) -> bool {
        matches!(self, Backing::File(disk) if disk.keeps_each_write())
    }
}
