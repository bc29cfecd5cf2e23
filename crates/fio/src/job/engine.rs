//! How operations reach the kernel: engine, caches and file preparation, flushes.

use crate::calls::CallEngine;

/// How operations reach the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// pread and pwrite in a thread.
    Psync,
    /// io_uring.
    IoUring {
        /// Files registered.
        registered_files: bool,
        /// Buffers registered.
        registered_buffers: bool,
        /// Completions polled.
        polled: bool,
    },
    /// Commands of an NVMe drive's own, by io_uring.
    Passthrough {
        /// Files registered.
        registered_files: bool,
        /// Buffers registered.
        registered_buffers: bool,
        /// Completions polled.
        polled: bool,
    },
    /// Linux AIO.
    Libaio,
    /// Nothing: every operation is done at once.
    Null,
    /// No operations: threads that keep processors busy.
    Cpu(CpuBurn),
    /// Calls that move no data.
    Calls(CallEngine),
}

impl Engine {
    /// The calls that move no data, where it is such an engine.
    pub fn calls(self) -> Option<CallEngine> {
        match self {
            Engine::Calls(calls) => Some(calls),
            _ => None,
        }
    }
}

/// Threads that keep processors busy for a share of the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuBurn {
    /// How long a thread is busy at a time, µs.
    pub busy_us: u64,
    /// How long it sleeps then, µs.
    pub idle_us: u64,
    /// Numbers are sorted meanwhile; else nothing is done.
    pub sorts: bool,
    /// They end when the jobs beside them that do operations have ended.
    pub ends_with_others: bool,
}

/// Caches and file preparation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Files {
    /// O_DIRECT.
    pub direct: bool,
    /// Cached pages dropped at the start.
    pub invalidate: bool,
    /// Files written whole before the job; always so where it reads.
    pub overwrite: bool,
    /// How space is reserved.
    pub fallocate: Fallocate,
    /// Files removed at the end.
    pub unlink: bool,
    /// Files made when they are opened, and not before.
    pub create_on_open: bool,
    /// Nothing may be written.
    pub read_only: bool,
}

/// How space is reserved before a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallocate {
    /// Not.
    None,
    /// `fallocate`, and nothing where the file system has none.
    Native,
    /// `posix_fallocate`.
    Posix,
    /// `fallocate` with the size kept.
    Keep,
    /// `ftruncate`.
    Truncate,
}

/// Flushes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flushes {
    /// The flag files are opened with.
    pub open: OpenFlag,
    /// `fsync` after so many writes; 0 for never.
    pub fsync_every: u32,
    /// `fdatasync` after so many writes; 0 for never.
    pub fdatasync_every: u32,
    /// `fsync` at the end.
    pub fsync_at_end: bool,
    /// `fsync` when a file is closed, which it is at the end.
    pub fsync_on_close: bool,
}

/// O_SYNC or O_DSYNC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OpenFlag {
    /// Neither.
    #[default]
    None,
    /// O_SYNC.
    Sync,
    /// O_DSYNC.
    Dsync,
}
