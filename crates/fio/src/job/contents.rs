//! What is written, and how it is verified.

use crate::verify::{Method, PatternPart};

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BufferContents {
    /// Zeros only.
    pub zeros: bool,
    /// New data for every operation; else one buffer with a few words changed, which narrows does as new data too.
    pub refill: bool,
    /// The share that compresses away.
    pub compress_percent: u8,
    /// The share of blocks that repeat others.
    pub dedupe_percent: u8,
}

/// What stands in blocks so that they can be verified, and when they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verify {
    /// The sum of each unit.
    pub method: Method,
    /// Bytes of a unit.
    pub unit_bytes: u32,
    /// Where in it header and sum stand, bytes, if not at its beginning.
    pub header_at: Option<u32>,
    /// The data; empty: random.
    pub pattern: Vec<PatternPart>,
    /// The pattern starts anew after so many bytes; 0: with each block.
    pub pattern_interval_bytes: u32,
    /// What was written is read back when all of it is.
    pub reads_back: bool,
    /// Nothing is written: what would be is read.
    pub only: bool,
    /// What was written is read back meanwhile, too.
    pub backlog: Option<Backlog>,
    /// The first wrong block ends the run.
    pub fatal: bool,
    /// The number of the write is compared, where it is known.
    pub compares_number: bool,
    /// The seed is compared, where the number of the write is known.
    pub compares_seed: bool,
    /// What was written is kept in a file for a job to come.
    pub saves_state: bool,
    /// Such a file says what is read and compared.
    pub loads_state: bool,
}

/// Reading back while writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backlog {
    /// After so many writes that were not read back; at least 1.
    pub every: u64,
    /// So many of them; at least 1.
    pub batch: u64,
}
