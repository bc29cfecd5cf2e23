//! Making a ring with as many of the newer features as the kernel knows.
//!
//! Asked for, newest first, each left out where it is refused: DEFER_TASKRUN with SINGLE_ISSUER (6.1: completions
//! run when we ask, without interrupts between threads), COOP_TASKRUN and TASKRUN_FLAG (5.19), SUBMIT_ALL (5.18), a
//! registered ring descriptor (5.18), registered file and buffers (5.1; buffers count against RLIMIT_MEMLOCK, so an
//! ordinary user often gets them only for small pools). See io_uring_setup(2).

use std::io;

use io_uring::{IoUring, Probe, cqueue, opcode, squeue};

/// A ring for `entries` submissions at once; and whether completions are deferred until we ask. With `polled` it
/// takes reads and writes on files for direct I/O only.
pub(super) fn build<S: squeue::EntryMarker, C: cqueue::EntryMarker>(
    entries: u32,
    polled: bool,
) -> io::Result<(IoUring<S, C>, bool)> {
    let entries = entries.next_power_of_two().max(8);
    let mut refused = None;
    for generation in (0..4).rev() {
        let mut builder = IoUring::<S, C>::builder();
        if generation >= 3 {
            builder.setup_single_issuer().setup_defer_taskrun();
        }
        if generation >= 2 {
            builder.setup_coop_taskrun().setup_taskrun_flag();
        }
        if generation >= 1 {
            builder.setup_submit_all();
        }
        if polled {
            builder.setup_iopoll();
        }
        match builder.build(entries) {
            Ok(ring) => return Ok((ring, generation >= 3)),
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => refused = Some(error),
            Err(error) => return Err(error),
        }
    }
    Err(refused.unwrap_or_else(|| io::Error::from_raw_os_error(libc::EINVAL)))
}

/// A ring of plain entries for `entries` submissions at once, for other work than a path's: sockets and files of a server. Only the thread
/// that makes it may use it.
///
/// # Errors
/// What the kernel says; [`available`] has words for it.
pub fn build_ring(entries: u32) -> io::Result<IoUring> {
    build(entries, false).map(|(ring, _)| ring)
}

/// Whether plain READ and WRITE exist (5.6, as does the question).
pub(super) fn reads_into_any_buffer<S: squeue::EntryMarker, C: cqueue::EntryMarker>(
    ring: &IoUring<S, C>,
) -> bool {
    let mut probe = Probe::new();
    ring.submitter().register_probe(&mut probe).is_ok() && probe.is_supported(opcode::Read::CODE)
}

/// Whether rings can be made at all, and if not, what stands in the way.
pub fn available() -> Result<(), String> {
    let error = match build::<squeue::Entry, cqueue::Entry>(2, false) {
        Ok(_) => return Ok(()),
        Err(error) => error,
    };
    let setting = std::fs::read_to_string("/proc/sys/kernel/io_uring_disabled").unwrap_or_default();
    Err(match (error.raw_os_error(), setting.trim()) {
        (Some(libc::ENOSYS), _) => "this kernel has no io_uring".to_string(),
        (Some(libc::EPERM), "2") => "kernel.io_uring_disabled = 2".to_string(),
        (Some(libc::EPERM), "1") => {
            "kernel.io_uring_disabled = 1 and this user is not in kernel.io_uring_group".to_string()
        }
        (Some(libc::EPERM), _) => "refused by a seccomp profile or security module".to_string(),
        (Some(libc::ENOMEM), _) => "not enough locked memory (ulimit -l)".to_string(),
        _ => error.to_string(),
    })
}
