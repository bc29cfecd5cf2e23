//! Why the memory layer gave nothing.

use std::io;

use narrows_engine::Stopped;

use crate::sizing::TooLittle;

/// Why memory could not be measured at all. What concerns one measurement only is in [`crate::Measured`].
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// Asked to end.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// Not enough memory for any measurement.
    #[error(
        "cannot measure memory: {limited_by} leaves {free} MiB, and at least {least} MiB are needed\nhint: free some memory or raise the limit; `narrows run --layers` can leave the layer out",
        limited_by = .0.limited_by, free = .0.free_bytes >> 20, least = .0.least_bytes >> 20
    )]
    TooLittle(TooLittle),
    /// No node has both memory and processors for us.
    #[error(
        "cannot measure memory: none of the CPUs {allowed:?} that this process may use belongs to a node\n\
         hint: check the cpuset of this process (`taskset -p PID`)"
    )]
    NoProcessor {
        /// What the affinity mask allows.
        allowed: Vec<u32>,
    },
    /// The memory could not be had as wanted.
    #[error("cannot measure memory: {why}")]
    Refused {
        /// Why.
        why: String,
    },
    /// A thread could not be kept on its processor.
    #[error(
        "cannot measure memory: pinning a thread to CPU {cpu} failed: {reason}\n\
         hint: the CPU may have gone offline or left the cpuset; run again"
    )]
    Pin {
        /// The processor.
        cpu: u32,
        /// What the system said.
        reason: io::Error,
    },
}
