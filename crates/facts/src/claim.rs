//! Memory that the hypervisor took back, made ours again before it matters.
//!
//! Where a virtual machine reports its free pages (virtio balloon, Hyper-V), the host takes them, and the next use
//! of each costs a fault there, which the guest sees as processor time of whoever touches the page first. After an
//! eviction the whole cache is free, so a buffered scan that follows pays for it: here, a 512 MB file read again
//! two seconds after it was evicted took 0.5 to 0.7 s of processor time, at once 0.03 s. In production the cache is
//! full and pages go from one use to the next without being free for long; [`claim`] puts a measurement in that
//! state.
//!
//! Method: hold anonymous memory of the size wanted, touch every page of it, give it back to the kernel. The kernel
//! hands out what became free last, and reports pages only some seconds after they became free (Linux
//! `mm/page_reporting.c`), so what is claimed has to be used at once.

use std::io;

/// Base pages of all supported machines are at least this long.
const PAGE: usize = 4096;
/// Between two looks at whether to go on.
const STEP: usize = 64 << 20;
/// This part of the free memory stays free, so that nothing else has to make room.
const SPARE_PART: u64 = 4;

/// Claims up to `bytes` (at most three quarters of what is free) while `go_on` says so; returns the bytes claimed.
///
/// Counts against the control group of the caller, which must have room for it.
///
/// # Errors
/// The kernel gave no address space.
pub fn claim(bytes: u64, go_on: &dyn Fn() -> bool) -> io::Result<u64> {
    let meminfo = std::fs::read_to_string("/proc/meminfo")?;
    let free = free_bytes(&meminfo).unwrap_or(0);
    let length = bytes.min(free - free / SPARE_PART) as usize / PAGE * PAGE;
    if length == 0 {
        return Ok(0);
    }
    // SAFETY: a fresh private anonymous mapping of `length` bytes; nobody else knows it.
    let start = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            length,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    if start == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // Whole huge pages are what the host takes and what large reads ask for; a refusal only makes this slower.
    // SAFETY: the range is our own mapping.
    unsafe { libc::madvise(start, length, libc::MADV_HUGEPAGE) };
    let mut done = 0;
    while done < length && go_on() {
        let end = (done + STEP).min(length);
        for at in (done..end).step_by(PAGE) {
            // SAFETY: `at` is inside of the mapping, which is writable; volatile, so that the write is not left out.
            unsafe { start.cast::<u8>().add(at).write_volatile(1) };
        }
        done = end;
    }
    // SAFETY: exactly the mapping made above, which nothing refers to any more.
    unsafe { libc::munmap(start, length) };
    Ok(done as u64)
}

fn free_bytes(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find(|line| line.starts_with("MemFree:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_is_touched_page_by_page_and_given_back() {
        let faults = || {
            // SAFETY: `usage` is plain old data that the call fills.
            let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
            // SAFETY: the pointer is valid for the call.
            assert_eq!(unsafe { libc::getrusage(libc::RUSAGE_THREAD, &mut usage) }, 0);
            usage.ru_minflt
        };
        let before = faults();
        assert_eq!(claim(8 << 20, &|| true).unwrap(), 8 << 20);
        assert!(faults() - before >= 4, "huge pages fault once each, small ones more often");
    }

    #[test]
    fn it_stops_when_told_and_never_takes_more_than_is_free() {
        assert_eq!(claim(u64::MAX / 2, &|| false).unwrap(), 0);
        assert_eq!(claim(0, &|| true).unwrap(), 0);
    }

    #[test]
    fn free_memory_is_read_from_its_line() {
        assert_eq!(free_bytes("MemTotal: 9 kB\nMemFree:   2 kB\n"), Some(2048));
        assert_eq!(free_bytes("MemTotal: 9 kB\n"), None);
    }
}
