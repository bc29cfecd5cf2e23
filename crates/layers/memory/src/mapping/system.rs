//! What is asked of the kernel.

use std::io;
use std::ptr::NonNull;

use super::{BASE, MapError};

/// A new private mapping without a file, at an address of the kernel's choice.
pub fn map(
    len: usize,
    protection: libc::c_int,
    flags: libc::c_int,
) -> Result<NonNull<u8>, MapError> {
    // SAFETY: a new private anonymous mapping at an address of the kernel's choice touches nothing of ours.
    let address = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            len,
            protection,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | flags,
            -1,
            0,
        )
    };
    if address == libc::MAP_FAILED {
        return Err(MapError::Map { bytes: len, reason: io::Error::last_os_error() });
    }
    Ok(NonNull::new(address.cast()).expect("mmap without a fixed address never gives zero"))
}

/// `madvise` for a range of a mapping of ours.
pub fn advise((address, len): (*mut u8, usize), advice: libc::c_int) -> Result<(), MapError> {
    // SAFETY: the range belongs to a mapping of ours; none of the advices used discards its content.
    let result = unsafe { libc::madvise(address.cast(), len, advice) };
    if result == 0 {
        Ok(())
    } else {
        Err(MapError::Map { bytes: len, reason: io::Error::last_os_error() })
    }
}

/// The kernel's base page, bytes.
pub fn base_page_bytes() -> u64 {
    // SAFETY: no memory is touched.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(bytes).unwrap_or(BASE)
}

/// A file of one number.
pub fn read_number(path: &str) -> Option<u64> {
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
}
