//! Whether polled completion can be had for a file, found out before it is relied on.
//!
//! The kernel has answered differently over time where a device has no poll queues: an error per operation, or
//! interrupts without a word (a polled ring over a queue without `io_poll`). So both are asked: the queue's
//! setting, and one read.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use io_uring::opcode;
use io_uring::types::Fd;

use super::ring::Ring;
use super::setup;
use crate::Arena;

/// Why polled completion cannot be had for `file`, where it can't.
pub(super) fn try_out(file: &File, arena: &Arena) -> Result<(), String> {
    // SAFETY: asks for the descriptor's flags only.
    let flags = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETFL) };
    if flags < 0 || flags & libc::O_DIRECT == 0 {
        return Err("the file is not open for direct I/O".to_string());
    }
    if queue_polls(file) == Some(false) {
        return Err("the device has no poll queues (queue/io_poll is 0)".to_string());
    }
    let (ring, _) = setup::build(1, true).map_err(|error| format!("no polled ring: {error}"))?;
    let mut ring = Ring::new(ring);
    let read =
        opcode::Read::new(Fd(file.as_raw_fd()), arena.pointer(0), arena.slot_bytes()).build();
    // SAFETY: the arena outlives the ring's last operation: its completion is awaited below.
    if !unsafe { ring.push(&read) } {
        return Err("the kernel took no operation".to_string());
    }
    let mut result = None;
    while result.is_none() {
        match ring.enter(1) {
            Ok(()) => {}
            Err(error) if matches!(error.raw_os_error(), Some(libc::EINTR | libc::EAGAIN)) => {}
            Err(error) => return Err(format!("no polled read: {error}")),
        }
        ring.completions(|_, ended| result = Some(ended));
    }
    match result {
        Some(error) if error < 0 => {
            let error = std::io::Error::from_raw_os_error(-error);
            Err(format!("the first polled read failed: {error}"))
        }
        _ => Ok(()),
    }
}

/// What the queue below the file says; `None` where there is no such queue to ask (network file systems, pools of
/// several devices) or no sysfs.
fn queue_polls(file: &File) -> Option<bool> {
    let found = file.metadata().ok()?;
    let device = if found.file_type().is_block_device() { found.rdev() } else { found.dev() };
    let base = format!("/sys/dev/block/{}:{}", libc::major(device), libc::minor(device));
    // A partition has its disk's queue.
    let setting = std::fs::read_to_string(format!("{base}/queue/io_poll"))
        .or_else(|_| std::fs::read_to_string(format!("{base}/../queue/io_poll")))
        .ok()?;
    Some(setting.trim() != "0")
}
