//! Why the block layer gave no result.

use std::io;

use narrows_engine::Stopped;
use narrows_facts::AddressSpace;
use narrows_units::Bytes;

/// Why the block layer gave no result. Nothing is left behind in any case.
#[derive(Debug, thiserror::Error)]
pub enum BlockError {
    /// Asked to end.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The file, or the way to it, failed.
    #[error("block layer: {0}")]
    Io(narrows_io::Error),
    /// So many operations failed that the rest would mean nothing.
    #[error(
        "block layer: {failed} operations of `{id}` failed, the first at offset {offset}: {first}\n\
         hint: see the kernel log (dmesg) for what the device reported; of an nvme-tcp:// address, the target's journal"
    )]
    Failing {
        /// The workload.
        id: String,
        /// Operations that failed.
        failed: u64,
        /// Where the first one was, bytes.
        offset: u64,
        /// What the kernel said of it.
        first: io::Error,
    },
    /// Threads and buffers don't fit in what this process may map.
    #[error(
        "block layer: cannot start {} with buffers: {} of addresses are needed, and of the {} that this process may map \
         (RLIMIT_AS) {} are left\n\
         hint: raise the limit (ulimit -v unlimited, LimitAS= of a systemd unit), or use fewer jobs, less depth or smaller blocks",
        if *threads == 1 { "1 thread".to_string() } else { format!("{threads} threads") }, Bytes(*wanted_bytes), Bytes(space.limit_bytes), Bytes(space.free_bytes())
    )]
    Addresses {
        /// Threads of all streams.
        threads: u32,
        /// What they take, bytes.
        wanted_bytes: u64,
        /// What there is.
        space: AddressSpace,
    },
    /// A thread could not be started or bound.
    #[error("block layer: cannot {action}: {source}\nhint: {hint}")]
    Thread {
        /// What was attempted.
        action: String,
        /// What the kernel said.
        source: io::Error,
        /// What to do.
        hint: &'static str,
    },
    /// A stream of a scenario can't be run as described.
    #[error("block layer: stream `{stream}` cannot be run: {reason}\nhint: {hint}")]
    Scenario {
        /// The stream's name.
        stream: String,
        /// What is wrong.
        reason: String,
        /// What to do.
        hint: &'static str,
    },
    /// What was just written isn't there.
    #[error(
        "block layer: {}: of {sampled} sectors that were written and read back {zeros} are zeros and {wrong} are not what was written\n\
         hint: the device or file system drops or changes data; see the kernel log (dmesg), and test it with fio --verify",
        .path.display()
    )]
    NotThere {
        /// The file.
        path: std::path::PathBuf,
        /// Sectors read back.
        sampled: u32,
        /// Of these, nothing but zeros.
        zeros: u32,
        /// Of these, not what was written there.
        wrong: u32,
    },
    /// A block that is verified isn't what was written.
    #[error(
        "block layer: {} does not hold what was written, {mismatch}\n\
         hint: the device or file system changes or drops data, or something else wrote there; see the kernel log (dmesg)",
        .path.display()
    )]
    Mismatch {
        /// The file or device.
        path: std::path::PathBuf,
        /// Where, and what differs.
        mismatch: crate::BlockMismatch,
    },
    /// The file is smaller than one operation.
    #[error(
        "block layer: a file of {file_bytes} bytes has no room for blocks of {block_bytes}\n\
         hint: use a larger file"
    )]
    TooSmall {
        /// Size of the file.
        file_bytes: u64,
        /// Size of an operation.
        block_bytes: u32,
    },
}

impl From<narrows_io::Error> for BlockError {
    fn from(error: narrows_io::Error) -> Self {
        match error {
            narrows_io::Error::Stopped => BlockError::Stopped(Stopped),
            error => BlockError::Io(error),
        }
    }
}
