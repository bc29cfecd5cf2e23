//! The system calls of Linux AIO and their structures (`linux/aio_abi.h`). No library stands between: there is none
//! to link that does more than this.

use std::ffi::{c_long, c_ulong};
use std::io;
use std::time::Duration;

/// Opcodes of [`Iocb`].
pub(super) const PREAD: u16 = 0;
pub(super) const PWRITE: u16 = 1;
pub(super) const FDSYNC: u16 = 3;
/// `IOCB_FLAG_IOPRIO` of `linux/aio_abi.h`: [`Iocb::priority`] counts (4.18).
pub(super) const WITH_PRIORITY: u32 = 1 << 1;

/// `struct iocb`: one operation, as the kernel reads it during `io_submit`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Iocb {
    /// Comes back in the event.
    pub data: u64,
    /// `aio_key`, which is the kernel's, and `aio_rw_flags`, in an order that depends on the machine: [`with_flags`].
    pub key_and_flags: [u32; 2],
    pub opcode: u16,
    pub priority: i16,
    pub fd: u32,
    pub buffer: u64,
    pub bytes: u64,
    pub offset: i64,
    pub reserved: u64,
    pub flags: u32,
    pub event_fd: u32,
}

/// [`Iocb::key_and_flags`] for these `RWF_` flags.
pub(super) const fn with_flags(flags: u32) -> [u32; 2] {
    if cfg!(target_endian = "little") { [0, flags] } else { [flags, 0] }
}

/// `struct io_event`: one operation that ended.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Event {
    pub data: u64,
    object: u64,
    pub result: i64,
    result2: i64,
}

const _: () = assert!(size_of::<Iocb>() == 64 && size_of::<Event>() == 32);

/// A completion context; ended by [`Context::destroy`], else by the end of the process.
#[derive(Debug)]
pub(super) struct Context(c_ulong);

impl Context {
    /// Room for `events` operations in flight; the system has `fs.aio-max-nr` of them in all.
    pub(super) fn setup(events: u32) -> io::Result<Context> {
        let mut id: c_ulong = 0;
        // SAFETY: the kernel writes one word to `id`, which must be and is zero before.
        let result =
            unsafe { libc::syscall(libc::SYS_io_setup, c_long::from(events.max(1)), &raw mut id) };
        if result == 0 { Ok(Context(id)) } else { Err(io::Error::last_os_error()) }
    }

    /// Hands over operations from the front of `iocbs`; how many were taken.
    ///
    /// # Safety
    /// Each pointer refers to an `Iocb` that nobody else touches during the call, and each buffer in it stays valid
    /// until the operation's event was taken or the context was destroyed.
    pub(super) unsafe fn submit(&self, iocbs: &mut [*mut Iocb]) -> io::Result<usize> {
        // SAFETY: the array is as long as said; the rest is the caller's promise.
        let taken = unsafe {
            libc::syscall(libc::SYS_io_submit, self.0, iocbs.len() as c_long, iocbs.as_mut_ptr())
        };
        usize::try_from(taken).map_err(|_| io::Error::last_os_error())
    }

    /// Waits for `min` events, no longer than `limit`, and takes all that fit into `events`.
    pub(super) fn wait(
        &self,
        min: usize,
        events: &mut [Event],
        limit: Duration,
    ) -> io::Result<usize> {
        let mut limit = libc::timespec {
            tv_sec: limit.as_secs() as libc::time_t,
            tv_nsec: limit.subsec_nanos() as _,
        };
        // SAFETY: the kernel writes at most `events.len()` events; `limit` lives for the whole call.
        let taken = unsafe {
            libc::syscall(
                libc::SYS_io_getevents,
                self.0,
                min as c_long,
                events.len() as c_long,
                events.as_mut_ptr(),
                &raw mut limit,
            )
        };
        usize::try_from(taken).map_err(|_| io::Error::last_os_error())
    }

    /// Ends the context. Waits for everything in flight, however long that takes.
    pub(super) fn destroy(&self) {
        // SAFETY: afterwards the kernel knows no such context; every later call with it fails with EINVAL.
        unsafe { libc::syscall(libc::SYS_io_destroy, self.0) };
    }
}
