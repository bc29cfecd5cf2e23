//! Marks that owners leave on a device: which bytes, where, and whose they are.
//!
//! A mark is a row of a table ([`table`]), so that a test can walk it: every row is planted and must be found, and moved
//! or changed by one byte must not. The positions and bytes are facts of the formats; each row names where they are
//! written down. libblkid of util-linux knows nearly all of them and is the oracle of the tests.
//!
//! A mark is enough. libblkid also compares checksums, because it must say what to mount; here a damaged super block
//! is a reason to be careful, so it counts. The price: ten marks are two bytes
//! long, so one of some 6500 devices full of random data carries one by chance, and somebody has to wipe it.
//!
//! Not here: reading a device ([`crate::contents()`]), judging what was found ([`crate::refusals()`]).

mod filesystems;
mod other;
mod scan;
mod volumes;

use std::fmt;

pub use scan::{FoundSignature, scan};

/// What kind of owner leaves a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Owner {
    /// A table of partitions.
    PartitionTable,
    /// A file system.
    FileSystem,
    /// A member of a RAID or of a replicated device.
    Raid,
    /// A member of a volume manager, a pool or a cache.
    Volume,
    /// An encrypted or integrity-protected container.
    Encryption,
    /// Swap space or a suspended system.
    Swap,
    /// A database's or object store's own format.
    Database,
}

impl Owner {
    /// The word that stands before it in a sentence.
    pub(crate) fn article(self) -> &'static str {
        if self == Owner::Encryption { "an" } else { "a" }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Owner::PartitionTable => "partition table",
            Owner::FileSystem => "file system",
            Owner::Raid => "RAID or replication member",
            Owner::Volume => "volume, pool or cache member",
            Owner::Encryption => "encrypted or protected container",
            Owner::Swap => "swap space",
            Owner::Database => "storage of a database or object store",
        })
    }
}

/// One row: a mark and the places where it may stand.
#[derive(Debug, Clone, Copy)]
pub struct Signature {
    /// The format's name.
    pub name: &'static str,
    /// Whose it is.
    pub owner: Owner,
    /// The bytes.
    pub magic: &'static [u8],
    /// Where their first byte stands.
    pub places: &'static [SignaturePosition],
    /// Further bytes, relative to the first, without which the mark doesn't count.
    pub also: Option<(i64, &'static [u8])>,
    /// Where the format is described.
    pub source: &'static str,
}

/// A place, counted from the start or from the end of a device.
#[derive(Debug, Clone, Copy)]
pub struct SignaturePosition {
    from: From,
    offset_bytes: i64,
    step_bytes: u64,
    count: u64,
}

#[derive(Debug, Clone, Copy)]
enum From {
    Start,
    /// From the end, rounded down to a multiple of so many bytes.
    End(u64),
    /// From the start of this block of the device's logical size; the last for `u64::MAX`.
    Block(u64),
}

impl SignaturePosition {
    /// So many bytes after the start.
    pub const fn start(offset_bytes: i64) -> Self {
        SignaturePosition { from: From::Start, offset_bytes, step_bytes: 0, count: 1 }
    }

    /// So many bytes after the end (negative: before it), the end rounded down to a multiple of `align_bytes`.
    pub const fn end(align_bytes: u64, offset_bytes: i64) -> Self {
        SignaturePosition { from: From::End(align_bytes), offset_bytes, step_bytes: 0, count: 1 }
    }

    /// At the start of a logical block, of either usual size; `u64::MAX` is the last block.
    pub const fn block(number: u64) -> Self {
        SignaturePosition { from: From::Block(number), offset_bytes: 0, step_bytes: 0, count: 1 }
    }

    /// The same place again, `count` times in all, every `step_bytes`.
    pub const fn every(self, step_bytes: u64, count: u64) -> Self {
        SignaturePosition { step_bytes, count, ..self }
    }

    /// The places on a device of this size, bytes from its start.
    pub fn offsets(&self, size_bytes: u64) -> impl Iterator<Item = u64> + use<> {
        let bases = match self.from {
            From::Start => [Some(0), None],
            From::End(align) => [Some(size_bytes / align * align), None],
            // What the drive was formatted with is not what it now says, behind an adapter for instance.
            From::Block(number) => [512, 4096].map(|block| match number {
                u64::MAX => (size_bytes / block).checked_sub(1).map(|last| last * block),
                _ => number.checked_mul(block),
            }),
        };
        let place = *self;
        bases.into_iter().flatten().flat_map(move |base| {
            let first = base.checked_add_signed(place.offset_bytes);
            let all = first.into_iter().flat_map(move |first| {
                (0..place.count).map(move |index| first + index * place.step_bytes)
            });
            all.filter(move |offset| *offset < size_bytes)
        })
    }
}

/// All rows.
pub fn table() -> impl Iterator<Item = &'static Signature> {
    other::TABLES
        .iter()
        .chain(filesystems::FILE_SYSTEMS)
        .chain(volumes::VOLUMES)
        .chain(other::OTHER)
}

/// A row without the rare parts.
const fn row(
    name: &'static str,
    owner: Owner,
    magic: &'static [u8],
    places: &'static [SignaturePosition],
    source: &'static str,
) -> Signature {
    Signature { name, owner, magic, places, also: None, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_from_the_end_are_rounded_down() {
        let at = |place: SignaturePosition, size| place.offsets(size).collect::<Vec<_>>();
        // md 0.90: 64 KiB below the last multiple of 64 KiB.
        assert_eq!(at(SignaturePosition::end(65536, -65536), 200_000), [131_072]);
        assert_eq!(at(SignaturePosition::end(65536, -65536), 65_536), [0]);
        assert_eq!(at(SignaturePosition::end(65536, -65536), 65_535), Vec::<u64>::new());
        assert_eq!(at(SignaturePosition::start(8).every(512, 3), 1033), [8, 520, 1032]);
        assert_eq!(at(SignaturePosition::start(8).every(512, 3), 1032), [8, 520]);
    }

    #[test]
    fn blocks_of_both_sizes() {
        let at = |place: SignaturePosition, size| place.offsets(size).collect::<Vec<_>>();
        assert_eq!(at(SignaturePosition::block(1), 1 << 20), [512, 4096]);
        assert_eq!(
            at(SignaturePosition::block(u64::MAX), 1 << 20),
            [(1 << 20) - 512, (1 << 20) - 4096]
        );
        assert_eq!(at(SignaturePosition::block(u64::MAX), 100), Vec::<u64>::new());
    }
}
