//! Blocks that can be told from all others: what writes make, what reads check, and what is remembered to be read back.
//!
//! What stands in a block is whoever's who asks for it ([`BlockFormat`]); the loop only knows when it is made and when it is checked.

use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// What blocks hold.
pub trait BlockFormat: fmt::Debug + Send + Sync {
    /// Makes the block that will be written at byte `offset` of the file, as the write of that number.
    fn make(&self, block: &mut [u8], offset: u64, number: u64);

    /// Whether a block that was read from there is what was written: as the write of that `number`, where one is known. The block may be
    /// changed.
    ///
    /// # Errors
    /// The first place that is not.
    fn check(
        &self,
        block: &mut [u8],
        offset: u64,
        number: Option<u64>,
    ) -> Result<(), BlockMismatch>;
}

/// A place that does not hold what was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockMismatch {
    /// Byte of the file.
    pub offset: u64,
    /// What was compared.
    pub what: String,
    /// What it had to be.
    pub expected: String,
    /// What was read.
    pub found: String,
}

impl fmt::Display for BlockMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BlockMismatch { offset, what, expected, found } = self;
        write!(f, "at byte {offset}: {what}: expected {expected}, found {found}")
    }
}

/// A block that was written, to be read back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenBlock {
    /// Byte of the file.
    pub offset: u64,
    /// Its length, bytes.
    pub bytes: u32,
    /// The write's number; `None` where two that were under way together left open which of them is there.
    pub number: Option<u64>,
}

/// Reading back while writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backlog {
    /// After so many writes that were not read back.
    pub every: u64,
    /// So many of them, the oldest first.
    pub batch: u64,
}

/// How a stream's blocks are made and checked.
#[derive(Debug, Clone)]
pub struct Verify {
    /// What they hold.
    pub format: Arc<dyn BlockFormat>,
    /// Whether every read of the stream is checked.
    pub checks_reads: bool,
    /// Whether writes are remembered: [`crate::StreamOutcome::written`].
    pub remembers: bool,
    /// Whether places may be written again before they are read back; else none is.
    pub overwrites: bool,
    /// Reading back meanwhile.
    pub backlog: Option<Backlog>,
    /// Whether the first mismatch ends the run.
    pub fatal: bool,
    /// Where what was written is left when the stream ends, though it be stopped; none: nowhere.
    pub left: Option<Arc<Mutex<Vec<WrittenBlock>>>>,
    /// What is read, instead of what the stream's places say.
    pub list: Option<Arc<ReadList>>,
    /// Numbers of writes, over all threads.
    pub numbers: Arc<AtomicU64>,
}

impl Verify {
    /// Blocks of that format, made and not looked at.
    pub fn of(format: Arc<dyn BlockFormat>) -> Verify {
        Verify {
            format,
            checks_reads: false,
            remembers: false,
            overwrites: false,
            backlog: None,
            fatal: false,
            left: None,
            list: None,
            numbers: Arc::default(),
        }
    }

    /// Number of the next write.
    pub(crate) fn next_number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    /// Whether blocks written are kept in mind at all.
    pub(crate) fn keeps(&self) -> bool {
        self.remembers || self.backlog.is_some() || self.left.is_some()
    }
}

/// Blocks that are read once each, by whichever thread comes first.
#[derive(Debug)]
pub struct ReadList {
    blocks: Box<[WrittenBlock]>,
    next: AtomicUsize,
}

impl ReadList {
    /// In this order.
    pub fn new(blocks: Vec<WrittenBlock>) -> ReadList {
        ReadList { blocks: blocks.into_boxed_slice(), next: AtomicUsize::new(0) }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    pub(crate) fn take(&self) -> Option<WrittenBlock> {
        self.blocks.get(self.next.fetch_add(1, Ordering::Relaxed)).copied()
    }
}

#[cfg(test)]
mod stopped_test;
#[cfg(test)]
mod tests;
