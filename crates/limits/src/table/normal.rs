//! "Is this normal?": what was measured on a class of processor, link or drive, so that a figure can be held beside
//! it. Times of one operation stand in the class itself.

use serde::{Deserialize, Serialize};

use super::figure::Figure;
use super::quantity::Dimension;

/// What was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measured {
    /// A load that depends on the one before, from the socket's own memory, nanoseconds.
    MemoryLatencyLocal,
    /// The same from another node of the same socket, nanoseconds.
    MemoryLatencySameSocket,
    /// The same from another socket, nanoseconds.
    MemoryLatencyOtherSocket,
    /// All cores of a socket reading its own memory, bytes per second.
    MemoryReadSocket,
    /// All cores of a node reading its own memory where a socket has several, bytes per second.
    MemoryReadNode,
    /// All cores of a socket reading another socket's memory, bytes per second.
    MemoryReadOtherSocket,
    /// Random reads of 4 KiB at depth, operations per second.
    #[serde(rename = "random_read_4k")]
    RandomRead4k,
    /// Long reads, bytes per second.
    SequentialRead,
    /// Long writes, bytes per second.
    SequentialWrite,
    /// Random reads that one core issues when it does nothing else, operations per second.
    ReadsPerCore,
}

impl Measured {
    /// Every one, in the order in which tables show them.
    pub const ALL: [Measured; 10] = [
        Measured::MemoryLatencyLocal,
        Measured::MemoryLatencySameSocket,
        Measured::MemoryLatencyOtherSocket,
        Measured::MemoryReadSocket,
        Measured::MemoryReadNode,
        Measured::MemoryReadOtherSocket,
        Measured::RandomRead4k,
        Measured::SequentialRead,
        Measured::SequentialWrite,
        Measured::ReadsPerCore,
    ];

    /// For people.
    pub fn title(self) -> &'static str {
        match self {
            Measured::MemoryLatencyLocal => "memory latency, own",
            Measured::MemoryLatencySameSocket => "memory latency, own socket's other node",
            Measured::MemoryLatencyOtherSocket => "memory latency, other socket",
            Measured::MemoryReadSocket => "memory read, socket",
            Measured::MemoryReadNode => "memory read, node",
            Measured::MemoryReadOtherSocket => "memory read, other socket's",
            Measured::RandomRead4k => "random reads, 4 KiB",
            Measured::SequentialRead => "sequential read",
            Measured::SequentialWrite => "sequential write",
            Measured::ReadsPerCore => "reads issued by one core",
        }
    }

    /// What its figures count.
    pub fn dimension(self) -> Dimension {
        match self {
            Measured::MemoryLatencyLocal
            | Measured::MemoryLatencySameSocket
            | Measured::MemoryLatencyOtherSocket => Dimension::Time,
            Measured::MemoryReadSocket
            | Measured::MemoryReadNode
            | Measured::MemoryReadOtherSocket
            | Measured::SequentialRead
            | Measured::SequentialWrite => Dimension::Bandwidth,
            Measured::RandomRead4k | Measured::ReadsPerCore => Dimension::Operations,
        }
    }
}

/// One published measurement, or several that agree on a range.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Normal {
    /// The class it was measured on.
    pub of: String,
    /// What was measured.
    pub what: Measured,
    /// Nanoseconds, bytes per second or operations per second, as [`Measured::dimension`] says.
    pub figure: Figure,
}
