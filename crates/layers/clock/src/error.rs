//! Why the clock layer gave nothing.

use std::io;

use narrows_engine::Stopped;

/// Why the clock could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum ClockError {
    /// Asked to end.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The affinity mask could not be read or is empty.
    #[error(
        "cannot measure the clock: the list of CPUs this process may use is empty\n\
         hint: check the cpuset of this process (`taskset -p PID`)"
    )]
    NoProcessor,
    /// A thread could not be kept on its processor.
    #[error(
        "cannot measure the clock: pinning a thread to CPU {cpu} failed: {reason}\n\
         hint: the CPU may have gone offline or left the cpuset; run again"
    )]
    Pin {
        /// The processor.
        cpu: u32,
        /// What the system said.
        reason: io::Error,
    },
}
