//! Loop devices that go away with their last user (Linux `include/uapi/linux/loop.h`, loop(4)).

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

const LOOP_CTL_GET_FREE: libc::c_ulong = 0x4C82;
const LOOP_CONFIGURE: libc::c_ulong = 0x4C0A;
const LO_FLAGS_AUTOCLEAR: u32 = 4;
const LO_FLAGS_DIRECT_IO: u32 = 16;

/// `struct loop_info64`.
#[repr(C)]
struct LoopInfo {
    device: u64,
    inode: u64,
    rdevice: u64,
    offset: u64,
    size_limit: u64,
    number: u32,
    encrypt_type: u32,
    encrypt_key_size: u32,
    flags: u32,
    file_name: [u8; 64],
    crypt_name: [u8; 64],
    encrypt_key: [u8; 32],
    init: [u64; 2],
}

/// `struct loop_config`.
#[repr(C)]
struct LoopConfig {
    fd: u32,
    block_size: u32,
    info: LoopInfo,
    reserved: [u64; 8],
}

/// A loop device; it goes when this is dropped and nothing is mounted from it.
#[derive(Debug)]
pub(crate) struct Loop {
    path: PathBuf,
    _open: File,
}

impl Loop {
    /// Attaches a file, with direct I/O in blocks of that size.
    pub(crate) fn attach(file: &Path, block_bytes: u32) -> io::Result<Loop> {
        let backing = OpenOptions::new().read(true).write(true).open(file)?;
        let control = OpenOptions::new().read(true).write(true).open("/dev/loop-control")?;
        let mut last = io::Error::from_raw_os_error(libc::EBUSY);
        // Others take loop devices too: between asking for a free one and taking it.
        for _ in 0..100 {
            match take_free(&control, &backing, block_bytes) {
                Err(error) if error.raw_os_error() == Some(libc::EBUSY) => last = error,
                done => return done,
            }
        }
        Err(last)
    }

    /// The block device.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

fn take_free(control: &File, backing: &File, block_bytes: u32) -> io::Result<Loop> {
    // SAFETY: this request takes no argument and touches no memory of ours.
    let number = unsafe { libc::ioctl(control.as_raw_fd(), LOOP_CTL_GET_FREE as _) };
    if number < 0 {
        return Err(io::Error::last_os_error());
    }
    let path = PathBuf::from(format!("/dev/loop{number}"));
    let open = OpenOptions::new().read(true).write(true).open(&path)?;
    let config = LoopConfig {
        fd: backing.as_raw_fd() as u32,
        block_size: block_bytes,
        info: LoopInfo {
            device: 0,
            inode: 0,
            rdevice: 0,
            offset: 0,
            size_limit: 0,
            number: 0,
            encrypt_type: 0,
            encrypt_key_size: 0,
            flags: LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO,
            file_name: [0; 64],
            crypt_name: [0; 64],
            encrypt_key: [0; 32],
            init: [0; 2],
        },
        reserved: [0; 8],
    };
    // SAFETY: the request reads one `loop_config`, which has the kernel's layout and lives through the call.
    if unsafe { libc::ioctl(open.as_raw_fd(), LOOP_CONFIGURE as _, &config) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(Loop { path, _open: open })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structures_have_the_kernels_size() {
        assert_eq!(size_of::<LoopInfo>(), 232);
        assert_eq!(size_of::<LoopConfig>(), 304);
    }
}
