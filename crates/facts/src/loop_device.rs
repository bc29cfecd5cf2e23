//! What a loop device serves (loop(4), Linux `include/uapi/linux/loop.h`), asked without changing anything.
//!
//! The name in `/sys/block/loopN/loop/backing_file` may be gone, be another file's by now, or belong to another mount
//! namespace; device and inode stay those of the file that is served.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// `struct loop_info64`.
#[repr(C)]
struct Status {
    device: u64,
    inode: u64,
    block_device: u64,
    offset: u64,
    size_limit: u64,
    number: u32,
    encryption: u32,
    key_length: u32,
    flags: u32,
    file_name: [u8; 64],
    cipher_name: [u8; 64],
    key: [u8; 32],
    init: [u64; 2],
}

const LOOP_GET_STATUS64: u32 = 0x4C05;

/// A file or block device, and which part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Served {
    /// Device number of the file system that the file is on, as stat(2) gives it.
    pub device: u64,
    /// The file's inode.
    pub inode: u64,
    /// The block device's number, where it is one.
    pub block_device: Option<u64>,
    /// Where the part begins, bytes.
    pub offset_bytes: u64,
    /// How long it is at most, bytes; `None` to the end.
    pub limit_bytes: Option<u64>,
}

/// What an open loop device serves.
///
/// # Errors
/// What `ioctl(2)` gave: `ENXIO` for a loop device without a file, `ENOTTY` for what is none.
pub fn served(device: &File) -> io::Result<Served> {
    let mut status = std::mem::MaybeUninit::<Status>::zeroed();
    // SAFETY: the request writes one `struct loop_info64`, which is what `status` has room for.
    let result =
        unsafe { libc::ioctl(device.as_raw_fd(), LOOP_GET_STATUS64 as _, status.as_mut_ptr()) };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: plain numbers, for which all-zero bytes were valid before the call filled them.
    let status = unsafe { status.assume_init() };
    let limit = Some(status.size_limit).filter(|limit| *limit > 0);
    let block_device = Some(status.block_device).filter(|number| *number > 0).map(decoded);
    Ok(Served {
        device: decoded(status.device),
        inode: status.inode,
        block_device,
        offset_bytes: status.offset,
        limit_bytes: limit,
    })
}

/// From the kernel's packing (`huge_encode_dev`) to that of the C library.
fn decoded(packed: u64) -> u64 {
    let major = (packed >> 8) & 0xfff;
    let minor = (packed & 0xff) | ((packed >> 12) & 0xfff00);
    libc::makedev(major as u32, minor as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_structure_is_that_long() {
        assert_eq!(size_of::<Status>(), 232);
    }

    #[test]
    fn numbers_of_devices() {
        assert_eq!(decoded(0xfd00), libc::makedev(253, 0));
        assert_eq!(decoded(0x10_0000 | 0xfd00 | 0x2c), libc::makedev(253, 300));
    }

    #[test]
    fn what_is_no_loop_device_serves_nothing() {
        assert!(served(&File::open("/dev/null").unwrap()).is_err());
    }
}
