//! Trim and sync as plain calls, for the ways that cannot do them otherwise.
//!
//! Trim tells a device, or the file system, that a range's contents are no longer needed: on a block device
//! `BLKDISCARD` (it waits until the device has taken the command), on a file a hole (`fallocate(2)`,
//! FALLOC_FL_PUNCH_HOLE), which reaches the device only where the file system is mounted with `discard`, or later by
//! `fstrim`.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileTypeExt;

use rustix::fs::FallocateFlags;

/// `_IO(0x12, 119)` of `linux/fs.h`; takes start and length, bytes.
const BLKDISCARD: u32 = 0x1277;
/// A hole that leaves the size as it is.
pub(crate) const PUNCH: i32 = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;

/// Whether `file` is a block device; `false` where it cannot be asked.
pub(crate) fn is_block_device(file: &File) -> bool {
    file.metadata().is_ok_and(|found| found.file_type().is_block_device())
}

/// Discards the range and waits; 0 or the negative error number, as a completion has it.
pub(crate) fn discard(file: &File, block_device: bool, offset: u64, bytes: u32) -> i32 {
    loop {
        let done = if block_device {
            let range = [offset, u64::from(bytes)];
            // SAFETY: the request reads two 64-bit words, which `range` holds for the whole call.
            match unsafe { libc::ioctl(file.as_raw_fd(), BLKDISCARD as _, range.as_ptr()) } {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)),
            }
        } else {
            let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
            rustix::fs::fallocate(file, hole, offset, u64::from(bytes))
                .map_err(|errno| errno.raw_os_error())
        };
        match done {
            Ok(()) => return 0,
            Err(libc::EINTR) => {}
            Err(errno) => return -errno,
        }
    }
}

/// Makes what was written durable and waits; 0 or the negative error number. By the C library's call, in whose place tests put a slow one.
pub(crate) fn sync(file: &File) -> i32 {
    loop {
        // SAFETY: the descriptor is open; the call touches no memory of ours.
        if unsafe { libc::fdatasync(file.as_raw_fd()) } == 0 {
            return 0;
        }
        match io::Error::last_os_error().raw_os_error() {
            Some(libc::EINTR) => {}
            errno => return -errno.unwrap_or(libc::EIO),
        }
    }
}
