//! Which operations a job does, where, in which order, and how long they are.

use super::PerDirection;
use crate::distribution::Distribution;
use crate::operation_rules::StridedZones;
use crate::split::Share;

/// Bytes, or a share of the file or device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Bytes.
    Bytes(u64),
    /// Per cent.
    Percent(u8),
}

/// Which part of the files, and how much of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// Where it starts.
    pub offset: Amount,
    /// What each further clone adds to the start.
    pub offset_increment: Amount,
    /// The region over all files, and the bytes to move unless `io_size` says so; `None`: the whole file.
    pub size: Option<Amount>,
    /// The size of each file.
    pub file_size_bytes: Option<u64>,
    /// The bytes to move.
    pub io_size: Option<Amount>,
}

/// The operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Trims.
    Trim,
    /// Trims, and behind each a write of the same place and length.
    TrimThenWrite,
    /// A coin flip per operation.
    Mixed {
        /// The share of reads.
        read_percent: u8,
    },
}

/// The operations and their order.
#[derive(Debug, Clone, PartialEq)]
pub struct Access {
    /// Reads, writes, trims.
    pub direction: Direction,
    /// One after the other, or at random.
    pub order: Order,
    /// Where in the region random ones fall.
    pub distribution: Distribution,
    /// Whether each block comes once per pass.
    pub once_each: bool,
    /// Where randomness starts.
    pub seed: Seed,
    /// Alignment of random offsets in bytes; `None`: the smallest block size.
    pub align_bytes: Option<PerDirection<u64>>,
    /// Zones that they keep to, one after the other.
    pub zones: Option<StridedZones>,
}

/// One after the other, or at random.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// In order, with a gap after each operation.
    Sequential {
        /// Bytes left out; below zero it goes back over what it did, and backwards from minus two blocks on.
        gap_bytes: i64,
    },
    /// At random.
    Random {
        /// How many operations follow each other before the next jump.
        run: u32,
        /// The share of jumps.
        random_percent: PerDirection<u8>,
    },
}

/// Where randomness starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seed {
    /// The same in every run: fio's default.
    Repeated,
    /// Another in every run.
    Fresh,
    /// This one.
    Given(u64),
}

/// The sizes of operations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blocks {
    /// One size in bytes.
    Fixed(u64),
    /// Any multiple of the smallest up to the largest.
    Range {
        /// Bytes.
        smallest_bytes: u64,
        /// Bytes.
        largest_bytes: u64,
    },
    /// Several sizes with their shares, which add up to 100 %.
    Split(Vec<Share>),
}

impl Blocks {
    /// The smallest size in bytes.
    pub fn smallest_bytes(&self) -> u64 {
        match self {
            Blocks::Fixed(bytes) => *bytes,
            Blocks::Range { smallest_bytes, .. } => *smallest_bytes,
            Blocks::Split(shares) => shares.iter().map(|s| s.bytes).min().unwrap_or_default(),
        }
    }

    /// The largest size in bytes.
    pub fn largest_bytes(&self) -> u64 {
        match self {
            Blocks::Fixed(bytes) => *bytes,
            Blocks::Range { largest_bytes, .. } => *largest_bytes,
            Blocks::Split(shares) => shares.iter().map(|s| s.bytes).max().unwrap_or_default(),
        }
    }
}
