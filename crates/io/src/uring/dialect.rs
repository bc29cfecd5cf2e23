//! How an operation is put to the kernel: as a read or write of a file, or as a command of the drive's own.

use std::fs::File;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use io_uring::types::{Fd, Fixed, FsyncFlags};
use io_uring::{cqueue, opcode, squeue};

use crate::{Method, Op, discard};

/// One operation, as a dialect needs it.
#[derive(Debug, Clone, Copy)]
pub struct Wish {
    pub(super) op: Op,
    pub(super) pointer: *mut u8,
    pub(super) offset: u64,
    pub(super) bytes: u32,
    pub(super) fd: RawFd,
    /// The file is number 0 of the registered ones.
    pub(super) fixed_file: bool,
    /// The buffer lies in number 0 of the registered ones.
    pub(super) fixed_buffer: bool,
}

/// What a ring's entries say.
pub trait Dialect {
    /// What is submitted.
    type Submission: squeue::EntryMarker + 'static;
    /// What comes back.
    type Completion: cqueue::EntryMarker + 'static;

    /// The way's name.
    fn method(&self) -> Method;

    /// The entry for a wish; or the result, where it must be, or could only be, executed without the ring. A `polled`
    /// ring takes only what can be polled for.
    fn entry(&self, wish: &Wish, file: &File, polled: bool) -> Result<Self::Submission, i32>;

    /// Bytes moved or negative error number of an operation that was to move `bytes` and came back with `result`.
    fn outcome(&self, result: i32, bytes: u32) -> i32;

    /// Why completions of this file's operations can't be polled for, as far as can be told without trying.
    fn cannot_poll(&self, file: &File) -> Option<String>;
}

/// Reads and writes of a file or block device; or, as a no-op, of nothing.
#[derive(Debug, Clone, Copy)]
pub struct Files {
    block_device: bool,
    nop: bool,
}

impl Files {
    pub(super) fn on(file: &File) -> Files {
        Files { block_device: discard::is_block_device(file), nop: false }
    }

    pub(super) fn nop() -> Files {
        Files { block_device: false, nop: true }
    }
}

impl Dialect for Files {
    type Submission = squeue::Entry;
    type Completion = cqueue::Entry;

    fn method(&self) -> Method {
        if self.nop { Method::Nop } else { Method::IoUring }
    }

    #[inline]
    fn entry(&self, wish: &Wish, file: &File, polled: bool) -> Result<squeue::Entry, i32> {
        let Wish { op, pointer, offset, bytes, .. } = *wish;
        macro_rules! on {
            ($fd:expr) => {
                match (op, wish.fixed_buffer) {
                    (Op::Read, true) => {
                        opcode::ReadFixed::new($fd, pointer, bytes, 0).offset(offset).build()
                    }
                    (Op::Read, false) => {
                        opcode::Read::new($fd, pointer, bytes).offset(offset).build()
                    }
                    (Op::Write, true) => {
                        opcode::WriteFixed::new($fd, pointer, bytes, 0).offset(offset).build()
                    }
                    (Op::Write, false) => {
                        opcode::Write::new($fd, pointer, bytes).offset(offset).build()
                    }
                    (Op::Trim, _) => opcode::Fallocate::new($fd, u64::from(bytes))
                        .offset(offset)
                        .mode(discard::PUNCH)
                        .build(),
                    (Op::Sync, _) => opcode::Fsync::new($fd).flags(FsyncFlags::DATASYNC).build(),
                }
            };
        }
        if self.nop {
            return Ok(opcode::Nop::new().build());
        }
        match op {
            Op::Trim if self.block_device || polled => {
                return Err(discard::discard(file, self.block_device, offset, bytes));
            }
            Op::Sync if polled => return Err(discard::sync(file)),
            _ => {}
        }
        Ok(if wish.fixed_file { on!(Fixed(0)) } else { on!(Fd(wish.fd)) })
    }

    #[inline]
    fn outcome(&self, result: i32, bytes: u32) -> i32 {
        if self.nop && result == 0 { bytes as i32 } else { result }
    }

    fn cannot_poll(&self, file: &File) -> Option<String> {
        // SAFETY: asks for the descriptor's flags only.
        let flags = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETFL) };
        if flags < 0 || flags & libc::O_DIRECT == 0 {
            return Some("the file is not open for direct I/O".to_string());
        }
        let found = file.metadata().ok()?;
        let device = if found.file_type().is_block_device() { found.rdev() } else { found.dev() };
        let base = format!("/sys/dev/block/{}:{}", libc::major(device), libc::minor(device));
        // A partition has its disk's queue.
        super::polled::queue_cannot_poll(&[format!("{base}/queue"), format!("{base}/../queue")])
    }
}
