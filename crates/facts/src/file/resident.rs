//! How much of a file is in the page cache, and how to get it out.
//!
//! Method: `mincore(2)` over a mapping. Since Linux 5.2 `mincore` tells about file pages only to those who own the file
//! or may write to it (commit 134fca9063ad); to all others it claims that every page is resident, so that answer
//! is refused here instead of believed.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};

use crate::process;

/// Mapped at a time: small enough for any address-space limit, large enough that the calls don't count.
const STEP_BYTES: u64 = 1 << 30;

/// Share of the file's pages that are in the page cache, 0 to 1; 0 for an empty file. Does not bring anything in.
///
/// # Errors
/// [`io::ErrorKind::PermissionDenied`] if the kernel would not tell the truth to this user about this file; what
/// `mmap(2)` and `mincore(2)` gave otherwise.
pub fn resident_share(file: &File) -> io::Result<f64> {
    resident_share_within(file, 0..u64::MAX)
}

/// As [`resident_share`], of the pages that `range`, bytes, touches.
///
/// # Errors
/// As [`resident_share`].
pub fn resident_share_within(file: &File, range: Range<u64>) -> io::Result<f64> {
    let page = page_bytes();
    let end = length_bytes(file)?.min(range.end);
    let start = range.start / page as u64 * page as u64;
    if start >= end {
        return Ok(0.0);
    }
    if !may_ask(file)? {
        let message = "mincore tells only a file's owner, or who may write to it, what is cached";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    let mut resident = 0u64;
    let mut flags = Vec::new();
    let mut offset = start;
    while offset < end {
        let length = STEP_BYTES.min(end - offset) as usize;
        flags.resize(length.div_ceil(page), 0u8);
        let mapping = Mapping::new(file, offset, length)?;
        // SAFETY: the range is the mapping made above, and `flags` has one byte for each of its pages.
        let result = unsafe { libc::mincore(mapping.start, length, flags.as_mut_ptr().cast()) };
        if result != 0 {
            return Err(io::Error::last_os_error());
        }
        // Only the lowest bit is defined.
        resident += flags.iter().map(|flag| u64::from(flag & 1)).sum::<u64>();
        offset += length as u64;
    }
    Ok(resident as f64 / (end - start).div_ceil(page as u64) as f64)
}

/// Writes the file's dirty pages out and drops its pages from the cache. Pages that others have mapped or locked
/// stay, so ask [`resident_share`] afterwards instead of believing in it.
///
/// # Errors
/// What `fdatasync(2)` or `posix_fadvise(2)` gave.
pub fn evict(file: &File) -> io::Result<()> {
    // Dirty pages can't be dropped.
    file.sync_data()?;
    drop_clean(file)
}

/// Drops the file's clean pages from the cache.
///
/// # Errors
/// What `posix_fadvise(2)` gave.
pub fn drop_clean(file: &File) -> io::Result<()> {
    Ok(rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed)?)
}

/// Length of a file or of a block device, which itself says 0.
fn length_bytes(mut file: &File) -> io::Result<u64> {
    let metadata = file.metadata()?;
    if metadata.file_type().is_block_device() {
        return file.seek(SeekFrom::End(0));
    }
    Ok(metadata.len())
}

/// The kernel's own rule for telling the truth, as far as it can be seen from outside.
fn may_ask(file: &File) -> io::Result<bool> {
    let user = process::euid();
    if process::is_root() || file.metadata()?.uid() == user {
        return Ok(true);
    }
    let path = std::ffi::CString::new(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
    // SAFETY: the path is NUL-terminated.
    let result =
        unsafe { libc::faccessat(libc::AT_FDCWD, path.as_ptr(), libc::W_OK, libc::AT_EACCESS) };
    Ok(result == 0)
}

fn page_bytes() -> usize {
    rustix::param::page_size()
}

struct Mapping {
    start: *mut libc::c_void,
    length: usize,
}

impl Mapping {
    fn new(file: &File, offset: u64, length: usize) -> io::Result<Self> {
        // SAFETY: a fresh mapping at an address of the kernel's choice; it is never read through, so a file that
        // shrinks meanwhile can't fault.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                length,
                libc::PROT_READ,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                offset as libc::off_t,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Mapping { start, length })
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: exactly the range that was mapped, unmapped once.
        unsafe { libc::munmap(self.start, self.length) };
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::fs::FileExt;

    use super::*;

    /// In the crate's folder, because `/tmp` is often a tmpfs, from which nothing can be evicted.
    fn file_of(bytes: usize) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        file.write_all(&vec![7u8; bytes]).unwrap();
        file.flush().unwrap();
        file
    }

    #[test]
    fn eviction_shows_and_reading_half_brings_about_half_back() {
        let file = file_of(8 << 20);
        if crate::file::volatile(file.path()).unwrap() {
            eprintln!("SKIPPED: the sources lie in memory, nothing can be evicted");
            return;
        }
        assert_eq!(resident_share(file.as_file()).unwrap(), 1.0);
        evict(file.as_file()).unwrap();
        let evicted = resident_share(file.as_file()).unwrap();
        assert!(evicted < 0.05, "{evicted} still resident after eviction");
        // Scattered reads, so that read-ahead can't fill the rest.
        rustix::fs::fadvise(file.as_file(), 0, None, rustix::fs::Advice::Random).unwrap();
        let mut page = [0; 4096];
        for index in 0..1024 {
            file.as_file().read_exact_at(&mut page, index * 4096).unwrap();
        }
        let half = resident_share(file.as_file()).unwrap();
        assert!((0.45..0.75).contains(&half), "{half}");
    }

    #[test]
    fn a_part_is_asked_about_alone() {
        let file = file_of(2 << 20);
        if crate::file::volatile(file.path()).unwrap() {
            eprintln!("SKIPPED: the sources lie in memory, nothing can be evicted");
            return;
        }
        let all = file.as_file();
        assert_eq!(resident_share_within(all, 5000..(1 << 20)).unwrap(), 1.0);
        evict(all).unwrap();
        rustix::fs::fadvise(all, 0, None, rustix::fs::Advice::Random).unwrap();
        all.read_exact_at(&mut [0; 8192], 1 << 20).unwrap();
        assert_eq!(resident_share_within(all, (1 << 20)..(1 << 20) + 8192).unwrap(), 1.0);
        assert!(resident_share_within(all, 0..(1 << 19)).unwrap() < 0.05);
        assert_eq!(
            resident_share_within(all, (4 << 20)..(5 << 20)).unwrap(),
            0.0,
            "beyond its end"
        );
    }

    #[test]
    fn empty_and_odd_sizes() {
        assert_eq!(resident_share(file_of(0).as_file()).unwrap(), 0.0);
        assert_eq!(resident_share(file_of(5000).as_file()).unwrap(), 1.0);
    }

    #[test]
    fn a_file_of_others_is_not_believed() {
        let own = file_of(1);
        assert!(
            may_ask(&File::open(own.path()).unwrap()).unwrap(),
            "the owner, opened for reading"
        );
        if process::is_root() {
            eprintln!("SKIPPED: root may ask about every file");
            return;
        }
        let Ok(foreign) = File::open("/bin/sh") else { return };
        let error = resident_share(&foreign).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
    }
}
