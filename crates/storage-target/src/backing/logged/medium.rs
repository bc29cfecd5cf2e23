//! What a log lies on, and how it is written there.

use std::fs::File;
use std::io;
use std::os::fd::RawFd;
use std::os::unix::fs::FileTypeExt;
use std::sync::OnceLock;

use narrows_log_tier::{SLOT_BYTES, Superblock};

use super::peer::PeerMedium;
use super::persistent::{PersistentMap, persistence_domain, persistent_word, power_sentence};
use crate::backing::FileDisk;
use crate::buffer::Buffer;
use crate::journal;

/// What a peer is, in words.
pub(crate) const PEER_WORD: &str = "peer over NVMe/TCP";

/// A medium of a log that is served.
#[derive(Debug)]
pub(crate) enum LogMedium {
    /// A file or device of this machine.
    Disk(Box<DiskMedium>),
    /// A namespace of another machine.
    Peer(Box<PeerMedium>),
}

impl LogMedium {
    /// What it is called, as it was named.
    pub(crate) fn name(&self) -> String {
        match self {
            LogMedium::Disk(disk) => disk.disk.path().display().to_string(),
            LogMedium::Peer(peer) => peer.address().to_string(),
        }
    }

    /// The descriptor by which the kernel writes records, for as long as this lives; `None` where they are written otherwise.
    pub(crate) fn fd(&self) -> Option<RawFd> {
        match self {
            LogMedium::Disk(disk) if !disk.is_mapped() => Some(disk.disk.fd()),
            _ => None,
        }
    }

    /// Whether records are written by [`DiskMedium::persist`], and not by operations of the kernel.
    pub(crate) fn is_mapped(&self) -> bool {
        matches!(self, LogMedium::Disk(disk) if disk.is_mapped())
    }

    /// The file or device, if it is one of this machine.
    pub(super) fn disk(&self) -> Option<&FileDisk> {
        match self {
            LogMedium::Disk(medium) => Some(&medium.disk),
            LogMedium::Peer(_) => None,
        }
    }

    /// The peer, if it is one.
    pub(crate) fn peer(&self) -> Option<&PeerMedium> {
        match self {
            LogMedium::Peer(peer) => Some(peer),
            LogMedium::Disk(_) => None,
        }
    }

    /// What it is, in words.
    pub(crate) fn word(&self) -> String {
        match self {
            LogMedium::Disk(disk) => disk.word(),
            LogMedium::Peer(_) => PEER_WORD.to_string(),
        }
    }

    /// What the platform says of a loss of power, where it is persistent memory.
    pub(crate) fn power(&self) -> Option<String> {
        match self {
            LogMedium::Disk(disk) => disk.power(),
            LogMedium::Peer(_) => None,
        }
    }

    /// Takes it for persistent memory whatever it is, for tests.
    pub(super) fn pretend_persistent(&self) -> io::Result<()> {
        match self {
            LogMedium::Disk(disk) => disk.pretend_persistent(),
            LogMedium::Peer(_) => Ok(()),
        }
    }

    /// Puts bytes at their places, durably; `false` where it isn't mapped.
    pub(super) fn persist(&self, parts: &[(u64, &[u8])]) -> bool {
        matches!(self, LogMedium::Disk(disk) if disk.persist(parts))
    }

    /// Writes a superblock to its place, durably.
    ///
    /// # Errors
    /// What the medium said.
    pub(super) fn write_superblock(&self, superblock: &Superblock) -> io::Result<()> {
        match self {
            LogMedium::Disk(disk) => disk.write_superblock(superblock),
            LogMedium::Peer(peer) => peer.write_superblock(superblock),
        }
    }
}

/// A medium of this machine.
#[derive(Debug)]
pub(crate) struct DiskMedium {
    disk: FileDisk,
    /// Where it is persistent memory.
    mapped: OnceLock<PersistentMap>,
    /// Of the log that it was opened with, bytes.
    bytes: u64,
}

impl DiskMedium {
    /// A medium with a log of so many bytes, superblocks with it.
    pub(super) fn new(disk: FileDisk, bytes: u64) -> DiskMedium {
        let mapped = OnceLock::new();
        match PersistentMap::of(&disk.file, bytes) {
            Ok(Some(map)) => {
                let _ = mapped.set(map);
            }
            Ok(None) => {}
            // It is a file all the same.
            Err(error) => journal::line(
                "log-not-mapped",
                &[("log", &disk.path().display()), ("reason", &error)],
            ),
        }
        DiskMedium { disk, mapped, bytes }
    }

    /// Takes it for persistent memory whatever it is, for tests.
    fn pretend_persistent(&self) -> io::Result<()> {
        if let Some(map) = PersistentMap::pretended(&self.disk.file, self.bytes)? {
            let _ = self.mapped.set(map);
        }
        Ok(())
    }

    fn is_mapped(&self) -> bool {
        self.mapped.get().is_some()
    }

    fn word(&self) -> String {
        // What could not be mapped is written as a file, whatever it is.
        if self.is_mapped() { medium_word(&self.disk.file) } else { plain_word(&self.disk.file) }
    }

    fn power(&self) -> Option<String> {
        self.is_mapped().then(|| power_of(&self.disk.file)).flatten()
    }

    fn persist(&self, parts: &[(u64, &[u8])]) -> bool {
        let Some(map) = self.mapped.get() else { return false };
        map.persist(parts);
        true
    }

    fn write_superblock(&self, superblock: &Superblock) -> io::Result<()> {
        // The rest of its place is zeros, and nobody reads it.
        if self.persist(&[(superblock.at(), &superblock.to_bytes())]) {
            return Ok(());
        }
        write_superblock(&self.disk, superblock)
    }
}

/// Writes a superblock to its place on a file or device, durably.
///
/// # Errors
/// What that said.
pub(crate) fn write_superblock(medium: &FileDisk, superblock: &Superblock) -> io::Result<()> {
    let mut slot = Buffer::largest();
    let bytes = slot.bytes_mut(SLOT_BYTES as usize);
    bytes.fill(0);
    let sector = superblock.to_bytes();
    bytes[..sector.len()].copy_from_slice(&sector);
    medium.write_all_at(slot.bytes(SLOT_BYTES as usize), superblock.at())?;
    medium.sync()
}

/// What a medium is, in words.
pub(crate) fn medium_word(file: &File) -> String {
    persistent_word(file).unwrap_or_else(|| plain_word(file))
}

fn plain_word(file: &File) -> String {
    let is_device = file.metadata().is_ok_and(|metadata| metadata.file_type().is_block_device());
    if is_device { "block device" } else { "file" }.to_string()
}

/// What the platform says of a loss of power, of persistent memory; `None` of anything else.
pub(crate) fn power_of(file: &File) -> Option<String> {
    persistent_word(file)?;
    Some(power_sentence(persistence_domain(file).as_deref()))
}

#[cfg(target_arch = "x86_64")]
#[cfg(test)]
mod tests {
    use narrows_log_tier::{Acknowledge, Geometry, HEAD_BYTES, LogId};

    use super::*;
    use crate::backing::logged::newest_of;
    use crate::backing::open::open_file_or_device;
    use crate::spec::made_at;

    fn superblock(generation: u64) -> Superblock {
        Superblock {
            id: LogId([7; 16]),
            backing: [9; 16],
            backing_bytes: 1 << 20,
            geometry: Geometry { unit: 4096, capacity: 4 << 20 },
            media: 1,
            medium: 0,
            acknowledge: Acknowledge::All,
            members: 1,
            generation,
            epoch: 1,
            before: 0,
            tail: 0,
            tail_seq: 0,
            clean: true,
            time_ms: 0,
        }
    }

    #[test]
    fn superblocks_are_where_they_belong_by_system_calls_and_by_stores() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let bytes = HEAD_BYTES + (4 << 20);
        std::fs::write(&path, vec![0; bytes as usize]).unwrap();
        let spec = made_at(path.to_str().unwrap());
        let medium = DiskMedium::new(open_file_or_device(&spec).unwrap(), bytes);
        // No DAX: an ordinary file, to which nothing can be stored.
        assert!(!medium.is_mapped() && !medium.persist(&[(0, &[1])]));
        assert_eq!((medium.word(), medium.power()), ("file".to_string(), None));
        medium.write_superblock(&superblock(4)).unwrap();
        assert_eq!(newest_of(&medium.disk), Some(superblock(4)));
        medium.pretend_persistent().unwrap();
        assert!(medium.is_mapped());
        medium.write_superblock(&superblock(5)).unwrap();
        assert_eq!(newest_of(&medium.disk), Some(superblock(5)));
        // The one before is left in its place.
        medium.persist(&[(superblock(5).at(), &[0; 8])]);
        assert_eq!(newest_of(&medium.disk), Some(superblock(4)));
    }
}
