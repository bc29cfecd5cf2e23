//! How much of the written data a storage could save, where that is wanted.
//!
//! Nothing by default. Arrays and file systems that compress or deduplicate are measured with data like the
//! database's own, whose shares its owner knows.

/// Shares of the data that can be saved; both 0 by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Entropy {
    compress_percent: u8,
    dedupe_percent: u8,
}

/// What deduplication compares: blocks of this size, aligned.
pub const DEDUPE_BYTES: u64 = 4096;
/// Distinct blocks that the repeated ones are taken from.
pub(crate) const POOL: u64 = 64;

impl Entropy {
    /// Data of which compression saves about `compress_percent` in each sector (up to 94: the tag stays), and
    /// deduplication of 4 KiB blocks about `dedupe_percent`. Above 100 counts as 100.
    pub fn new(compress_percent: u8, dedupe_percent: u8) -> Entropy {
        Entropy {
            compress_percent: compress_percent.min(100),
            dedupe_percent: dedupe_percent.min(100),
        }
    }

    /// What compression saves, percent.
    pub fn compress_percent(self) -> u8 {
        self.compress_percent
    }

    /// What deduplication saves, percent.
    pub fn dedupe_percent(self) -> u8 {
        self.dedupe_percent
    }

    /// Bytes of a piece of `bytes` that are drawn; the rest is zeros. They stand together, because a run is what
    /// every compressor shortens.
    #[inline]
    pub(crate) fn drawn(self, bytes: usize) -> usize {
        bytes * usize::from(100 - self.compress_percent) / 100
    }

    /// Whether a block with this draw is one of the repeated, and which.
    #[inline]
    pub(crate) fn repeated(self, draw: u64) -> Option<u64> {
        (draw % 100 < u64::from(self.dedupe_percent)).then_some((draw >> 32) % POOL)
    }
}
