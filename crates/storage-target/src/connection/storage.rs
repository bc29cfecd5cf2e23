//! What a connection asks of files and devices; its thread has it done.

use std::os::fd::RawFd;

/// An operation for a command in a slot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StorageRequest {
    /// The slot, which keeps the buffer and the file until the answer.
    pub(crate) slot: u16,
    /// Which of the operations that a command has at once.
    pub(crate) part: u8,
    pub(crate) fd: RawFd,
    pub(crate) operation: StorageOperation,
}

/// What is to be done.
#[derive(Debug, Clone, Copy)]
pub(crate) enum StorageOperation {
    /// Reads into memory.
    Read { memory: *mut u8, bytes: u32, offset: u64 },
    /// Writes from memory; with `durable` it is done when the data are on media that keep them.
    Write { memory: *const u8, bytes: u32, offset: u64, durable: bool },
    /// Makes durable what was written.
    Sync,
    /// Zeros, or gives up the space of, a range (fallocate(2)).
    Allocate { mode: i32, offset: u64, bytes: u64 },
}
