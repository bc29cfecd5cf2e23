//! What a block device says of itself (`ioctl(2)` requests of `linux/fs.h`).

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// `_IOR(0x12, 114, size_t)`: the only one of the three that the C library does not name.
#[cfg(not(any(target_arch = "mips", target_arch = "mips64", target_arch = "sparc64")))]
const BLKGETSIZE64: u32 = 0x8008_1272_u32 & !0xF_0000 | (size_of::<usize>() as u32) << 16;
#[cfg(any(target_arch = "mips", target_arch = "mips64", target_arch = "sparc64"))]
const BLKGETSIZE64: u32 = 0x4000_1272 | (size_of::<usize>() as u32) << 16;

/// Size, bytes.
pub(crate) fn size_bytes(device: &File) -> io::Result<u64> {
    let mut bytes: u64 = 0;
    // SAFETY: the request writes one 64-bit word.
    let result = unsafe { libc::ioctl(device.as_raw_fd(), BLKGETSIZE64 as _, &raw mut bytes) };
    if result == 0 { Ok(bytes) } else { Err(io::Error::last_os_error()) }
}

/// The smallest piece that can be read or written, bytes.
pub(crate) fn logical_block_bytes(device: &File) -> io::Result<u32> {
    let mut bytes: libc::c_int = 0;
    // SAFETY: the request writes one int.
    let result = unsafe { libc::ioctl(device.as_raw_fd(), libc::BLKSSZGET as _, &raw mut bytes) };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    u32::try_from(bytes).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))
}
