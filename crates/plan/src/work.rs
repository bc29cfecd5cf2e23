//! Units of work whose rate is asked for.

use serde::{Deserialize, Serialize};

/// Bytes of one request of sequential work; what databases and drives use is within a factor of four of it.
pub const SEQUENTIAL_BYTES: u64 = 1 << 20;

/// A kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// One block read at random, past every cache.
    RandomRead,
    /// One block written at random and durable.
    RandomWrite,
    /// Reading in order.
    SequentialRead,
    /// Writing in order, in full stripes.
    SequentialWrite,
    /// Reading in order, each byte looked at by a processor.
    Scan,
    /// Memory read by the database's machine itself.
    MemoryStream,
}

impl Work {
    /// In the order in which they are shown.
    pub const ALL: [Work; 6] = [
        Work::RandomRead,
        Work::RandomWrite,
        Work::SequentialRead,
        Work::SequentialWrite,
        Work::Scan,
        Work::MemoryStream,
    ];

    /// For people.
    pub fn title(self) -> &'static str {
        match self {
            Work::RandomRead => "random read",
            Work::RandomWrite => "random write",
            Work::SequentialRead => "sequential read",
            Work::SequentialWrite => "sequential write",
            Work::Scan => "scan",
            Work::MemoryStream => "memory",
        }
    }

    /// Whether its rate is told in operations.
    pub fn is_random(self) -> bool {
        matches!(self, Work::RandomRead | Work::RandomWrite)
    }

    pub(crate) fn writes(self) -> bool {
        matches!(self, Work::RandomWrite | Work::SequentialWrite)
    }

    /// Bytes of one unit.
    pub fn bytes(self, block_bytes: u64) -> u64 {
        if self.is_random() { block_bytes } else { SEQUENTIAL_BYTES }
    }
}
