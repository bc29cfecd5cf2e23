//! Which bytes a device stands for in the end: a range of a block device or of a file, whatever names lead there.
//!
//! Two loop devices on one image are one storage, also where one of them was given a hard link, a name behind a bind mount,
//! or a file that is deleted by now. A file is therefore known by device and inode (inode(7)). In a copied machine, which
//! has neither, by its path without links. Not seen through: a file of an overlay and the same file below the overlay, and
//! one file of a file server mounted twice: they have different numbers.

use std::ops::Range;

use narrows_facts::Source;
use rustix::fs::{AtFlags, CWD, StatxFlags};

use crate::NodeKind;
use crate::node;

/// A regular file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FileId {
    /// On the live machine.
    Inode { device: u64, inode: u64 },
    /// In a copied one.
    Path(String),
}

/// What holds bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Storage {
    /// A block device, by `major:minor`.
    Device(String),
    /// A regular file.
    File(FileId),
    /// A file that can't be looked at from here: of another mount namespace, or without the right to ask.
    Unknown,
}

/// A range of it, bytes, with the name that is shown for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) storage: Storage,
    pub(crate) bytes: Range<u64>,
    pub(crate) shown: String,
}

impl Extent {
    /// All of a file.
    pub(crate) fn of_file(file: FileId, shown: &str) -> Extent {
        Extent { storage: Storage::File(file), bytes: 0..u64::MAX, shown: shown.to_string() }
    }

    /// Whether both have bytes in common. A file that can't be looked at may be any.
    pub(crate) fn overlaps(&self, other: &Extent) -> bool {
        let same = match (&self.storage, &other.storage) {
            (Storage::Unknown, Storage::File(_) | Storage::Unknown)
            | (Storage::File(_), Storage::Unknown) => true,
            (one, other) => one == other,
        };
        same && self.bytes.start < other.bytes.end && other.bytes.start < self.bytes.end
    }

    /// The part of `self` that `part`, a range of what lies on it, stands for.
    pub(crate) fn part(&self, part: &Range<u64>) -> Extent {
        Extent { bytes: inside(&self.bytes, part), ..self.clone() }
    }
}

/// Where `part`, counted from the start of `whole`, lies.
pub(crate) fn inside(whole: &Range<u64>, part: &Range<u64>) -> Range<u64> {
    let at = |bytes: u64| whole.start.saturating_add(bytes).min(whole.end);
    at(part.start)..at(part.end)
}

/// What a path leads to: a block device or a file.
pub(crate) fn at(source: &dyn Source, path: &str) -> Option<Storage> {
    if source.is_live() {
        return at_live(path);
    }
    let real = source.real_path(path).ok()?;
    match node::kind(source, &real).ok()? {
        (NodeKind::Block, number) => number.map(Storage::Device),
        (NodeKind::File, _) => Some(Storage::File(FileId::Path(real))),
        _ => None,
    }
}

/// What a path leads to here and now.
pub(crate) fn at_live(path: &str) -> Option<Storage> {
    match look(path)? {
        (StatxType::Block(number), _) => Some(Storage::Device(number)),
        (StatxType::File, id) => Some(Storage::File(id)),
        (StatxType::Other, _) => None,
    }
}

/// What statx(2) tells apart.
enum StatxType {
    Block(String),
    File,
    Other,
}

/// Doesn't ask a file server, which might never answer.
fn look(path: &str) -> Option<(StatxType, FileId)> {
    let wanted = StatxFlags::TYPE | StatxFlags::INO;
    let stat = rustix::fs::statx(CWD, path, AtFlags::STATX_DONT_SYNC, wanted).ok()?;
    let id = FileId::Inode {
        device: libc::makedev(stat.stx_dev_major, stat.stx_dev_minor),
        inode: stat.stx_ino,
    };
    let kind = match u32::from(stat.stx_mode) & libc::S_IFMT {
        libc::S_IFBLK => {
            StatxType::Block(node::number(libc::makedev(stat.stx_rdev_major, stat.stx_rdev_minor)))
        }
        libc::S_IFREG => StatxType::File,
        _ => StatxType::Other,
    };
    Some((kind, id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(storage: Storage, bytes: Range<u64>) -> Extent {
        Extent { storage, bytes, shown: String::new() }
    }

    fn file(inode: u64) -> Storage {
        Storage::File(FileId::Inode { device: 1, inode })
    }

    #[test]
    fn ranges_of_one_file_overlap_by_a_byte_or_not_at_all() {
        let first = extent(file(7), 0..100);
        for (bytes, expected) in [(99..200, true), (100..200, false), (0..1, true), (50..51, true)]
        {
            assert_eq!(first.overlaps(&extent(file(7), bytes.clone())), expected, "{bytes:?}");
            assert!(!first.overlaps(&extent(file(8), bytes)));
        }
        assert!(!first.overlaps(&extent(Storage::Device("7:0".into()), 0..100)));
    }

    #[test]
    fn what_cannot_be_looked_at_may_be_any_file_and_is_no_device() {
        let unknown = extent(Storage::Unknown, 50..u64::MAX);
        assert!(unknown.overlaps(&extent(file(7), 0..100)));
        assert!(extent(file(7), 0..100).overlaps(&unknown));
        assert!(!unknown.overlaps(&extent(file(7), 0..50)));
        assert!(!unknown.overlaps(&extent(Storage::Device("8:0".into()), 0..100)));
    }

    #[test]
    fn a_part_stays_inside() {
        let whole = extent(file(7), 100..200);
        assert_eq!(whole.part(&(10..20)).bytes, 110..120);
        assert_eq!(whole.part(&(10..u64::MAX)).bytes, 110..200);
        assert_eq!(whole.part(&(500..600)).bytes, 200..200);
    }
}
