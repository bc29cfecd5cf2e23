//! Namespaces: what is served, under which number, with which identity.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use narrows_initiator::Address;
use narrows_nvme::Nqn;
use narrows_nvme::identify::{IdentifyNamespace, NamespaceIds};
use narrows_nvme::log::StorageBehind;

use crate::backing::{
    Backing, CacheIndex, CacheWrite, DeviceCache, DeviceWrite, MemoryCache, Opened, Shards,
};
use crate::key_maker;
use crate::reservation::Reservations;

/// What somebody wants served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamespaceSpec {
    /// Where its blocks are.
    pub medium: Medium,
    /// Size of a block, bytes: 512 or 4096.
    pub block_bytes: u32,
    /// Hosts may only read.
    pub read_only: bool,
    /// The serial of the device that is meant.
    pub serial: Option<String>,
    /// What is on the device was written through this target.
    pub keep_contents: bool,
    /// Its number; the next free one where none is said.
    pub number: Option<u32>,
    /// Memory for pages that were read.
    pub cache: Option<CacheSpec>,
    /// Another file or device for them; not beside memory.
    pub device_cache: Option<DeviceCacheSpec>,
    /// Media of the log in front of it; none where it has no log.
    pub log: Vec<LogMediumSpec>,
}

/// Memory in front of a file or block device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheSpec {
    /// Its size, bytes.
    pub bytes: u64,
    /// Ranges that are treated by themselves.
    pub ranges: Vec<CacheRange>,
    /// File that keeps which pages it had, for the next start.
    pub index: Option<PathBuf>,
}

/// A file or block device in front of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceCacheSpec {
    /// What was made a cache.
    pub disk: DiskSpec,
    /// Ranges that are treated by themselves.
    pub ranges: Vec<CacheRange>,
    /// Where to keep which pages it has, from an end in order to the next start.
    pub index: Option<PathBuf>,
}

impl NamespaceSpec {
    /// Where the index of its cache is.
    pub(crate) fn cache_index(&self) -> Option<&Path> {
        let of_memory = self.cache.as_ref().and_then(|cache| cache.index.as_deref());
        of_memory.or(self.device_cache.as_ref().and_then(|cache| cache.index.as_deref()))
    }

    /// All files and devices of it: its own, media of its log on this machine, its cache and the index of that.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        let own = match &self.medium {
            Medium::Path(path) => Some(path.as_path()),
            Medium::Null { .. } | Medium::Ram { .. } => None,
        };
        let media = self.log.iter().filter_map(LogMediumSpec::path);
        let cache = self.device_cache.iter().map(|cache| cache.disk.path.as_path());
        own.into_iter().chain(media).chain(self.cache_index()).chain(cache)
    }
}

/// A range of a namespace in its cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheRange {
    /// Where it begins, bytes.
    pub offset: u64,
    /// How long it is, bytes.
    pub bytes: u64,
    /// It is kept, rather than recycled.
    pub keep: bool,
    /// Most of the cache that it has, bytes; where none is said, all of a range that is kept, and a 64th of the cache for one that is not.
    pub quota_bytes: Option<u64>,
}

/// A file or block device that is to be written, or a file that is only read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskSpec {
    /// Where it is.
    pub path: PathBuf,
    /// The serial of the device that is meant.
    pub serial: Option<String>,
    /// What is on the device was written through this target.
    pub keep_contents: bool,
    /// The smallest piece that it will be asked for, bytes.
    pub block_bytes: u32,
    /// A file is only read, which asks for no right to write it. A device is held for writing in any case.
    pub only_read: bool,
}

/// Where a medium of a log is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogMediumSpec {
    /// On this machine.
    Disk(DiskSpec),
    /// A namespace of another, over NVMe/TCP.
    Peer(Box<Address>),
}

impl LogMediumSpec {
    /// Its path, where it is on this machine.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            LogMediumSpec::Disk(spec) => Some(&spec.path),
            LogMediumSpec::Peer(_) => None,
        }
    }
}

/// Where blocks are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Medium {
    /// Nowhere.
    Null {
        /// Size that it pretends, bytes.
        bytes: u64,
    },
    /// In memory.
    Ram {
        /// Size, bytes.
        bytes: u64,
    },
    /// In a file or on a block device.
    Path(PathBuf),
}

/// What was done with a namespace.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) reads: AtomicU64,
    pub(crate) read_bytes: AtomicU64,
    pub(crate) writes: AtomicU64,
    pub(crate) written_bytes: AtomicU64,
    pub(crate) flushes: AtomicU64,
    pub(crate) errors: AtomicU64,
}

impl Counters {
    pub(crate) fn read(&self, bytes: u64) {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.read_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn wrote(&self, bytes: u64) {
        self.writes.fetch_add(1, Ordering::Relaxed);
        self.written_bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// A write that a cache was told of. When it is dropped its pages leave: only after the backing has ended.
#[derive(Debug)]
pub(crate) enum CachedWrite {
    Memory(CacheWrite),
    Device(DeviceWrite),
}

impl CachedWrite {
    /// The backing has these bytes from `offset` on: pages that are in memory take them, and pages on a device leave.
    pub(crate) fn written(self, offset: u64, data: &[u8]) {
        if let CachedWrite::Memory(write) = self {
            write.written(offset, data);
        }
    }

    /// The backing was not asked after all: pages that are here are hits again, as they were.
    pub(crate) fn withdraw(self) {
        match self {
            CachedWrite::Memory(write) => write.withdraw(),
            CachedWrite::Device(write) => write.withdraw(),
        }
    }
}

/// A namespace.
#[derive(Debug)]
pub(crate) struct Namespace {
    /// NSID.
    pub(crate) number: u32,
    pub(crate) backing: Backing,
    /// Memory in front of it.
    pub(crate) cache: Option<Arc<MemoryCache>>,
    /// Another file or device in front of it, in place of memory.
    pub(crate) device_cache: Option<Arc<DeviceCache>>,
    /// What names the pages that it had before, and will at the next start.
    pub(crate) cache_index: Option<CacheIndex>,
    pub(crate) read_only: bool,
    pub(crate) counters: Counters,
    pub(crate) reservations: Reservations,
    /// A flush failed: what was written before may be lost, and no later flush can make that good.
    pub(crate) lost_writes: AtomicBool,
    block_shift: u8,
    blocks: AtomicU64,
    uuid: [u8; 16],
}

impl Namespace {
    pub(crate) fn new(
        number: u32,
        subsystem: &Nqn,
        spec: &NamespaceSpec,
        opened: Opened,
    ) -> Namespace {
        let block_shift = spec.block_bytes.trailing_zeros() as u8;
        let uuid = match &spec.medium {
            Medium::Ram { .. } => random_uuid(),
            Medium::Null { .. } => uuid_of(subsystem, number, "null"),
            Medium::Path(path) => {
                uuid_of(subsystem, number, &stored_at(path, spec.serial.as_deref()))
            }
        };
        let index = opened.index.map(|index| {
            CacheIndex::new(index, uuid, opened.bytes, opened.device_cache.as_deref())
        });
        Namespace {
            number,
            uuid,
            cache_index: index,
            backing: opened.backing,
            cache: opened.cache,
            device_cache: opened.device_cache,
            read_only: spec.read_only,
            counters: Counters::default(),
            reservations: Reservations::default(),
            lost_writes: AtomicBool::new(false),
            block_shift,
            blocks: AtomicU64::new(opened.bytes >> block_shift),
        }
    }

    /// Size of a block, bytes.
    pub(crate) fn block_bytes(&self) -> u32 {
        1 << self.block_shift
    }

    /// Size, blocks.
    pub(crate) fn blocks(&self) -> u64 {
        self.blocks.load(Ordering::Relaxed)
    }

    /// Tells the cache, if there is one, that these ranges of bytes are about to change.
    pub(crate) fn begins(
        &self,
        ranges: impl IntoIterator<Item = (u64, u64)>,
    ) -> Option<CachedWrite> {
        let ranges = ranges.into_iter();
        match (&self.cache, &self.device_cache) {
            (Some(cache), _) => Some(CachedWrite::Memory(cache.begin_write(ranges))),
            (None, Some(cache)) => Some(CachedWrite::Device(cache.begin_write(ranges))),
            (None, None) => None,
        }
    }

    /// What its cache has, wherever that is, and what was asked of it.
    pub(crate) fn cache_shards(&self) -> Option<&Shards> {
        let memory = self.cache.as_deref().map(MemoryCache::shards);
        memory.or_else(|| self.device_cache.as_deref().map(DeviceCache::shards))
    }

    /// Somebody else may have changed its file or device: nothing that was read from it before is read from a cache any more.
    pub(crate) fn clear_caches(&self) {
        self.cache.iter().for_each(|cache| cache.clear());
        self.device_cache.iter().for_each(|cache| cache.clear());
    }

    /// Looks at the size of its file or device again; whether it changed.
    pub(crate) fn look_again(&self) -> bool {
        // What is logged is of the size that its log knows until it is served anew.
        let Backing::File(disk) = &self.backing else { return false };
        let Ok(bytes) = disk.size() else { return false };
        let blocks = bytes >> self.block_shift;
        let changed = self.blocks.swap(blocks, Ordering::Relaxed) != blocks;
        if changed {
            // Whoever cut it or made it larger may have changed more.
            self.clear_caches();
        }
        changed
    }

    /// What Identify says of it.
    pub(crate) fn identify(&self) -> IdentifyNamespace {
        let blocks = self.blocks();
        IdentifyNamespace {
            blocks,
            capacity: blocks,
            used: blocks,
            shared: true,
            reservations: Reservations::CAPABILITIES,
            // Deallocated blocks read as zeros (1h), and Write Zeroes may deallocate (bit 3).
            deallocate_features: 0b1001,
            ana_group: 1,
            write_protected: self.read_only,
            nguid: self.uuid,
            block_shift: self.block_shift,
            ..IdentifyNamespace::default()
        }
    }

    /// What answers its reads, as hosts are told that ask.
    pub(crate) fn storage_behind(&self) -> StorageBehind {
        match self.backing.file() {
            None => StorageBehind::Memory,
            Some(_) if self.cache_shards().is_some() => StorageBehind::Cached,
            Some(disk) if disk.is_direct() => StorageBehind::Direct,
            Some(_) => StorageBehind::PageCache,
        }
    }

    /// Its identifiers.
    pub(crate) fn ids(&self) -> NamespaceIds {
        NamespaceIds {
            eui64: None,
            nguid: Some(self.uuid),
            uuid: Some(self.uuid),
            command_set: Some(0),
        }
    }
}

/// An identity that is the same whenever the same thing is served under the same name, so that hosts know it again after a
/// restart, and another one for anything else. Version 8 of RFC 9562: of a hash that the maker chose.
fn uuid_of(subsystem: &Nqn, number: u32, what: &str) -> [u8; 16] {
    let text = format!("narrows-target namespace\n{subsystem}\n{number}\n{what}");
    let hash = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
    of_version(8, std::array::from_fn(|index| hash.as_ref()[index]))
}

/// What is at a path, for its identity: a device by its serial, a file by where it is.
fn stored_at(path: &Path, serial: Option<&str>) -> String {
    match serial {
        Some(serial) => format!("device {serial}"),
        None => {
            let whole = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
            format!("file {}", whole.display())
        }
    }
}

/// An identity that no other has: memory is empty after a restart, and a host that had written to it must not take what is there
/// then for what it had written.
fn random_uuid() -> [u8; 16] {
    let mut random = [0; 16];
    key_maker::fill_random(&mut random).expect("the kernel has random bytes");
    of_version(4, random)
}

/// With version and variant of RFC 9562.
fn of_version(version: u8, mut uuid: [u8; 16]) -> [u8; 16] {
    uuid[6] = uuid[6] & 0x0F | version << 4;
    uuid[8] = uuid[8] & 0x3F | 0x80;
    uuid
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_is_of_subsystem_number_and_what_is_served() {
        let nqn = |name: &str| name.parse::<Nqn>().unwrap();
        let (a, b) = (nqn("nqn.2026-11.org.example:a"), nqn("nqn.2026-11.org.example:b"));
        let first = uuid_of(&a, 1, "null");
        assert_eq!(first, uuid_of(&a, 1, "null"));
        assert_ne!(first, uuid_of(&b, 1, "null"));
        assert_ne!(first, uuid_of(&a, 2, "null"));
        let at = |path: &str, serial| uuid_of(&a, 1, &stored_at(Path::new(path), serial));
        assert_eq!(at("/dev/sdx", Some("S1")), at("/dev/sdy", Some("S1")));
        assert_ne!(at("/dev/sdx", None), at("/dev/sdy", None));
        assert_eq!((first[6] >> 4, first[8] >> 6), (8, 2));
        let random = random_uuid();
        assert_ne!(random, random_uuid());
        assert_eq!((random[6] >> 4, random[8] >> 6), (4, 2));
    }
}
