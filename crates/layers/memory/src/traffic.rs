//! The kinds of traffic, and how many bytes each is.
//!
//! **Convention.** Bytes are those that the program reads and writes, each once. What the processor moves besides is not
//! counted: before a plain store most of them fetch the line, so that a written byte is two on the way to memory and a copied one
//! three halves; a streaming store doesn't. STREAM counts likewise (J. McCalpin, "STREAM: Sustainable Memory Bandwidth in
//! High Performance Computers", *Counting Bytes and FLOPS*).

use crate::kernel::Kernel;

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Traffic {
    /// Reads alone.
    Read,
    /// Plain stores alone.
    Write,
    /// Stores past the caches alone.
    Stream,
    /// A read and a plain store for each byte.
    Copy,
    /// A read and a store past the caches for each byte.
    StreamCopy,
    /// Two reads and a plain store for each three bytes: STREAM's triad.
    Triad,
    /// The same with a store past the caches.
    StreamTriad,
    /// Pieces of 4 KiB in turn: so many read, so many written by plain stores.
    Mix {
        /// Pieces read of each turn.
        reads: u32,
        /// Pieces written of each turn.
        writes: u32,
    },
}

impl Traffic {
    /// All that are measured, in the order they are shown; those past the caches where the kernel has such stores.
    pub fn all(kernel: Kernel) -> Vec<Traffic> {
        let mix = |reads, writes| Traffic::Mix { reads, writes };
        let every = [
            Traffic::Read,
            mix(3, 1),
            Traffic::Triad,
            mix(1, 1),
            Traffic::Write,
            Traffic::Stream,
            Traffic::Copy,
            Traffic::StreamCopy,
            Traffic::StreamTriad,
        ];
        let possible = |traffic: &Traffic| !traffic.streams() || kernel.streams();
        every.into_iter().filter(possible).collect()
    }

    fn streams(self) -> bool {
        matches!(self, Traffic::Stream | Traffic::StreamCopy | Traffic::StreamTriad)
    }

    /// The word in the id and in the workload.
    pub fn word(self) -> String {
        match self {
            Traffic::Read => "read".to_string(),
            Traffic::Write => "write".to_string(),
            Traffic::Stream => "stream".to_string(),
            Traffic::Copy => "copy".to_string(),
            Traffic::StreamCopy => "stream_copy".to_string(),
            Traffic::Triad => "triad".to_string(),
            Traffic::StreamTriad => "stream_triad".to_string(),
            Traffic::Mix { reads, writes } => format!("mix_{reads}_{writes}"),
        }
    }

    /// What is counted, for the conditions.
    pub fn convention(self) -> &'static str {
        match self {
            Traffic::Read => "bytes read, each once",
            Traffic::Write => {
                "bytes written, each once; that most processors fetch a line before a plain store is not counted"
            }
            Traffic::Stream => "bytes written, each once",
            Traffic::StreamCopy | Traffic::StreamTriad => "bytes read and bytes written, each once",
            Traffic::Copy | Traffic::Triad | Traffic::Mix { .. } => {
                "bytes read and bytes written, each once; that most processors fetch a line before a plain store is not \
                 counted"
            }
        }
    }
}

/// How fast a thread goes; as fast as it can by default.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Pace {
    /// Time a byte is given, ns.
    pub ns_per_byte: f64,
    /// When the first step is over at the earliest, ns from the begin; `None` is without a pace. Threads that begin together should
    /// have different ones, or they crowd the memory in step.
    pub first_due_ns: Option<u64>,
}
