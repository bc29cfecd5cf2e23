//! Addresses as many as a pool has, of a small file that is mapped again and again: what is large is their page tables.

use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::ptr::NonNull;

use narrows_engine::Stop;

use super::lines::WORD;
use crate::mapping::{BASE, HUGE, MapError, Pages, base_page_bytes, map};

/// The file that is mapped again and again: so large that a terabyte takes half of the mappings that a process may have
/// (`vm.max_map_count`, 65,530 by default).
pub(super) const FILE_BYTES: u64 = 32 << 20;

/// Addresses of a pool that show one small file again and again.
pub(super) struct AliasedPool {
    file: OwnedFd,
    at: NonNull<u8>,
    reserved: usize,
    pub(super) populated: u64,
    pub(super) page_bytes: u64,
    /// This process's page tables before, bytes; `None` where the kernel doesn't say.
    tables_before: Option<u64>,
}

impl AliasedPool {
    /// Addresses for `most` bytes; nothing of them can be read before [`AliasedPool::grow`].
    pub(super) fn new(pages: Pages, most: u64) -> Result<AliasedPool, MapError> {
        let bytes = usize::try_from(most).unwrap_or(usize::MAX);
        let failed = |reason| MapError::Map { bytes, reason };
        if base_page_bytes() != BASE {
            return Err(MapError::OtherBase { page_bytes: base_page_bytes() });
        }
        let (file, page_bytes) = match pages {
            Pages::Base => (filled_file(0).map_err(failed)?, BASE),
            _ => (huge_file()?, HUGE),
        };
        let reserved = bytes.saturating_add(HUGE as usize);
        // SAFETY: a new private mapping at an address of the kernel's choice, that nobody can read yet; the result is checked.
        let whole = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                reserved,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if whole == libc::MAP_FAILED {
            return Err(failed(io::Error::last_os_error()));
        }
        let at =
            NonNull::new(whole.cast()).ok_or_else(|| failed(io::Error::other("mapped at zero")))?;
        let tables_before = table_bytes();
        Ok(AliasedPool { file, at, reserved, populated: 0, page_bytes, tables_before })
    }

    /// Maps the file over and over until the first `bytes` can be read, and lets the kernel enter every page.
    pub(super) fn grow(&mut self, bytes: u64, stop: &Stop) -> Result<(), MapError> {
        while self.populated < bytes {
            stop.check()?;
            let step = FILE_BYTES as usize;
            // The reservation has a huge page more than the pool: the pool begins at its first aligned address.
            let address = self.first().wrapping_add(self.populated as usize);
            // SAFETY: the range lies inside our own reservation, of which nothing was handed out that is replaced here.
            let mapped = unsafe {
                libc::mmap(
                    address.cast(),
                    step,
                    libc::PROT_READ,
                    libc::MAP_SHARED | libc::MAP_FIXED | libc::MAP_POPULATE,
                    self.file.as_raw_fd(),
                    0,
                )
            };
            if mapped == libc::MAP_FAILED {
                return Err(MapError::Map { bytes: step, reason: io::Error::last_os_error() });
            }
            self.populated += FILE_BYTES;
        }
        Ok(())
    }

    pub(super) fn first(&self) -> *mut u8 {
        let at = self.at.as_ptr();
        at.wrapping_add(at.align_offset(HUGE as usize))
    }

    /// Whether the tables grew as they do for pages of the size that was wanted.
    pub(super) fn verify(&self) -> Result<(), MapError> {
        let Some((before, now)) = self.tables_before.zip(table_bytes()) else {
            let reason = io::Error::other("the kernel does not say how large page tables are");
            return Err(MapError::Map { bytes: self.reserved, reason });
        };
        let grown = now.saturating_sub(before);
        let of_small = self.populated / BASE * 8;
        let as_wanted = match self.page_bytes {
            BASE => grown as f64 >= 0.95 * of_small as f64,
            _ => grown <= of_small / 16,
        };
        if as_wanted {
            return Ok(());
        }
        let what =
            format!("page tables of {grown} bytes for {} bytes of addresses", self.populated);
        Err(MapError::Map { bytes: self.reserved, reason: io::Error::other(what) })
    }
}

/// This process's page tables, bytes: `VmPTE` of `/proc/self/status`.
fn table_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmPTE:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10)
}

/// A file in memory of that word.
fn filled_file(flags: libc::c_uint) -> io::Result<OwnedFd> {
    // SAFETY: the name is a C string; the result is checked.
    let raw =
        unsafe { libc::memfd_create(c"narrows-translation".as_ptr(), libc::MFD_CLOEXEC | flags) };
    if raw < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a descriptor that was just made and belongs to nobody else.
    let file = unsafe { OwnedFd::from_raw_fd(raw) };
    // SAFETY: an open descriptor of ours.
    if unsafe { libc::ftruncate(file.as_raw_fd(), FILE_BYTES as libc::off_t) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let whole = Whole::map(&file)?;
    // Where shared memory gets large pages unasked, these are to be small. Refused where there are none, and for the explicit pool.
    let _ = whole.advise(libc::MADV_NOHUGEPAGE);
    // Never by touching: a page that the pool can't give would be a SIGBUS.
    whole.advise(libc::MADV_POPULATE_WRITE)?;
    whole.fill();
    Ok(file)
}

/// The same on 2 MiB pages: of the explicit pool, or joined afterwards (`MADV_COLLAPSE`, Linux 6.1), whatever the settings for new pages.
fn huge_file() -> Result<OwnedFd, MapError> {
    let pool = match filled_file(libc::MFD_HUGETLB | libc::MFD_HUGE_2MB) {
        Ok(file) => return Ok(file),
        Err(reason) => reason.to_string(),
    };
    let joined = filled_file(0).and_then(|file| {
        Whole::map(&file)?.advise(MADV_COLLAPSE)?;
        Ok(file)
    });
    joined.map_err(|reason| MapError::NotHuge { pool, transparent: reason.to_string() })
}

/// `MADV_COLLAPSE` of `linux/mman.h`.
const MADV_COLLAPSE: libc::c_int = 25;

/// The whole file, to be written to; aligned to 2 MiB.
struct Whole {
    reserved: NonNull<u8>,
    at: *mut u8,
}

impl Whole {
    fn map(file: &OwnedFd) -> io::Result<Whole> {
        let len = (FILE_BYTES + HUGE) as usize;
        let reserved = map(len, libc::PROT_NONE, 0)
            .map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
        let at = reserved.as_ptr();
        let at = at.wrapping_add(at.align_offset(HUGE as usize));
        let whole = Whole { reserved, at };
        // SAFETY: the range lies inside our own reservation; the result is checked.
        let mapped = unsafe {
            libc::mmap(
                at.cast(),
                FILE_BYTES as usize,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_FIXED,
                file.as_raw_fd(),
                0,
            )
        };
        if mapped == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(whole) }
    }

    fn advise(&self, advice: libc::c_int) -> io::Result<()> {
        // SAFETY: our own mapping; neither advice discards what is in it.
        let result = unsafe { libc::madvise(self.at.cast(), FILE_BYTES as usize, advice) };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    fn fill(&self) {
        // SAFETY: mapped, writable, populated, aligned, and known to nobody else.
        let words = unsafe {
            std::slice::from_raw_parts_mut(self.at.cast::<u64>(), FILE_BYTES as usize / 8)
        };
        words.fill(WORD);
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        // SAFETY: this very reservation with what was mapped into it.
        unsafe { libc::munmap(self.reserved.as_ptr().cast(), (FILE_BYTES + HUGE) as usize) };
    }
}

impl Drop for AliasedPool {
    fn drop(&mut self) {
        // SAFETY: this very reservation, with all that was mapped into it; nobody else knows it.
        unsafe { libc::munmap(self.at.as_ptr().cast(), self.reserved) };
    }
}

#[cfg(test)]
mod tests {
    use super::super::LEAST;
    use super::*;

    #[test]
    fn tables_that_were_never_entered_are_refused() {
        let Ok(mut pool) = AliasedPool::new(Pages::Base, LEAST) else { return };
        pool.populated = 1 << 38;
        assert!(pool.verify().is_err());
    }
}
