//! How long it takes to touch a pool of shared memory for the first time, by one process and by several: what a server's start waits
//! for, and what its sessions wait for where nobody touched the pool before them.
//!
//! Each page costs a fault: the kernel finds a page, clears it, and enters it in the process's tables. The pool is a file in memory,
//! as a server's is; each process touches a part of its own, one store a page, all beginning at the same moment. Every repeat has a
//! fresh pool. Pages of the explicit pool are reserved as a whole before anybody touches them, so that none is missing in the middle,
//! which would be a SIGBUS. Measured over a part of the memory; the time for a terabyte is that rate carried on, which holds as long
//! as free pages are as easily found.

use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::ptr::NonNull;

use narrows_engine::{Stop, Stopped};
use narrows_facts::affinity;
use narrows_facts::process::since_boot_ns as now_ns;
use serde::{Deserialize, Serialize};

use crate::mapping::{BASE, HUGE, base_page_bytes};
use crate::smaps;

/// Pages touched between two looks at the stop token.
const PIECE: u64 = 1 << 14;

/// What the pool is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PageKind {
    /// 4 KiB pages.
    Base,
    /// 2 MiB pages of the explicit pool.
    Pool,
    /// 2 MiB pages where the kernel gives them to shared memory that asks for them.
    Transparent,
}

/// All of them.
pub const KINDS: [PageKind; 3] = [PageKind::Base, PageKind::Pool, PageKind::Transparent];

impl PageKind {
    /// The word in the id.
    pub fn word(self) -> &'static str {
        match self {
            PageKind::Base => "4k",
            PageKind::Pool => "2m",
            PageKind::Transparent => "2m_transparent",
        }
    }

    /// Bytes that one fault brings.
    pub fn page_bytes(self) -> u64 {
        match self {
            PageKind::Base => BASE,
            PageKind::Pool | PageKind::Transparent => HUGE,
        }
    }
}

/// Why a pool can't be touched as wanted.
#[derive(Debug, thiserror::Error)]
pub enum TouchError {
    /// Asked to end.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The CPU.
    #[error("cannot bind to CPU {cpu}: {reason}")]
    Pin {
        /// Which.
        cpu: u32,
        /// What the system said.
        reason: io::Error,
    },
    /// No such memory.
    #[error("{bytes} bytes of shared memory on {} pages: {reason}", kind.word())]
    Map {
        /// How much.
        bytes: u64,
        /// Of which kind.
        kind: PageKind,
        /// What the system said.
        reason: io::Error,
    },
    /// Other pages than wanted.
    #[error("of shared memory on {} pages only {share:.2} is on such pages", kind.word())]
    Other {
        /// Which were wanted.
        kind: PageKind,
        /// The share that is.
        share: f64,
    },
}

/// A pool that nobody has touched yet.
#[derive(Debug)]
pub struct FreshPool {
    file: OwnedFd,
    /// Keeps what is reserved.
    _whole: Mapped,
}

impl FreshPool {
    /// `bytes` of it, a multiple of 2 MiB.
    ///
    /// # Errors
    /// The kernel has no such memory, or too little.
    pub fn new(bytes: u64, kind: PageKind) -> Result<FreshPool, TouchError> {
        let failed = |reason| TouchError::Map { bytes, kind, reason };
        if kind == PageKind::Base && base_page_bytes() != BASE {
            return Err(failed(io::Error::other("the kernel's base page is another")));
        }
        let flags = match kind {
            PageKind::Pool => libc::MFD_CLOEXEC | libc::MFD_HUGETLB | libc::MFD_HUGE_2MB,
            PageKind::Base | PageKind::Transparent => libc::MFD_CLOEXEC,
        };
        // SAFETY: the name is a C string; the result is checked.
        let raw = unsafe { libc::memfd_create(c"narrows-pool".as_ptr(), flags) };
        if raw < 0 {
            return Err(failed(io::Error::last_os_error()));
        }
        // SAFETY: a descriptor that was just made and belongs to nobody else.
        let file = unsafe { OwnedFd::from_raw_fd(raw) };
        // SAFETY: an open descriptor of ours.
        if unsafe { libc::ftruncate(file.as_raw_fd(), bytes as libc::off_t) } != 0 {
            return Err(failed(io::Error::last_os_error()));
        }
        let whole = Mapped::new(file.as_raw_fd(), 0, bytes).map_err(failed)?;
        Ok(FreshPool { file, _whole: whole })
    }

    /// Where another process of the same user finds it.
    pub fn path(&self) -> String {
        format!("/proc/{}/fd/{}", std::process::id(), self.file.as_raw_fd())
    }
}

/// A range of the pool in a process's addresses, unmapped when dropped.
#[derive(Debug)]
struct Mapped {
    at: NonNull<u8>,
    len: usize,
}

impl Mapped {
    fn new(file: libc::c_int, from: u64, bytes: u64) -> io::Result<Mapped> {
        let len = bytes as usize;
        // SAFETY: a new mapping at an address of the kernel's choice; the result is checked.
        let at = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                len,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file,
                from as libc::off_t,
            )
        };
        if at == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let at = NonNull::new(at.cast()).ok_or_else(|| io::Error::other("mapped at zero"))?;
        Ok(Mapped { at, len })
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: this very mapping, which nobody else knows.
        unsafe { libc::munmap(self.at.as_ptr().cast(), self.len) };
    }
}

/// What one process is to touch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touch {
    /// The pool.
    pub path: String,
    /// Where its part begins, bytes.
    pub from: u64,
    /// Its part, bytes.
    pub bytes: u64,
    /// What it is made of.
    pub kind: PageKind,
    /// The CPU it stays on.
    pub cpu: u32,
}

/// What one process did.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Touched {
    /// Pages.
    pub pages: u64,
    /// The begin, ns since the machine started, which all processes count alike.
    pub from_ns: u64,
    /// The end.
    pub to_ns: u64,
    /// Share of the bytes on 2 MiB pages.
    pub huge_share: f64,
}

impl Touch {
    /// Maps its part, calls `wait`, which returns when all may start, and touches.
    ///
    /// # Errors
    /// Neither CPU nor memory can be had as wanted, or when asked to stop.
    pub fn run(&self, stop: &Stop, wait: impl FnOnce()) -> Result<Touched, TouchError> {
        affinity::pin(&[self.cpu]).map_err(|reason| TouchError::Pin { cpu: self.cpu, reason })?;
        let failed = |reason| TouchError::Map { bytes: self.bytes, kind: self.kind, reason };
        let file = std::fs::File::options().read(true).write(true).open(&self.path);
        let file = file.map_err(failed)?;
        let mapped = Mapped::new(file.as_raw_fd(), self.from, self.bytes).map_err(failed)?;
        let advice = match self.kind {
            PageKind::Base => Some(libc::MADV_NOHUGEPAGE),
            PageKind::Transparent => Some(libc::MADV_HUGEPAGE),
            PageKind::Pool => None,
        };
        if let Some(advice) = advice {
            // SAFETY: our own mapping. A kernel without transparent huge pages refuses; what was obtained is looked at later.
            unsafe { libc::madvise(mapped.at.as_ptr().cast(), mapped.len, advice) };
        }
        wait();
        let from_ns = now_ns();
        let (page, pages) = (self.kind.page_bytes(), self.bytes / self.kind.page_bytes());
        for number in 0..pages {
            if number.is_multiple_of(PIECE) {
                stop.check()?;
            }
            // SAFETY: number < pages, so the byte lies in the mapping. Volatile, so that each store is made.
            unsafe { mapped.at.add((number * page) as usize).write_volatile(1) };
        }
        let to_ns = now_ns();
        let huge_share = self.huge_share(&mapped);
        let wanted = if self.kind == PageKind::Base { 0.0 } else { 1.0 };
        if (huge_share - wanted).abs() > 1.0 - crate::mapping::OBTAINED {
            return Err(TouchError::Other {
                kind: self.kind,
                share: (1.0 - wanted - huge_share).abs(),
            });
        }
        Ok(Touched { pages, from_ns, to_ns, huge_share })
    }

    fn huge_share(&self, mapped: &Mapped) -> f64 {
        let from = mapped.at.as_ptr().addr() as u64;
        let text = std::fs::read_to_string("/proc/self/smaps").unwrap_or_default();
        let Some(found) = smaps::in_range(&text, from, from + mapped.len as u64) else {
            return f64::NAN;
        };
        (found.transparent_bytes + found.hugetlb_bytes) as f64 / mapped.len as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(pool: &FreshPool, from: u64, bytes: u64) -> Touch {
        let cpu = affinity::current()[0];
        Touch { path: pool.path(), from, bytes, kind: PageKind::Base, cpu }
    }

    /// On a thread of its own, because it pins the one it runs on.
    fn run(touch: &Touch, stop: &Stop) -> Result<Touched, TouchError> {
        std::thread::scope(|scope| scope.spawn(|| touch.run(stop, || ())).join().unwrap())
    }

    #[test]
    fn every_page_of_a_part_is_touched_and_of_the_others_none() {
        let pool = FreshPool::new(4 * HUGE, PageKind::Base).unwrap();
        let done = run(&touch(&pool, HUGE, 2 * HUGE), &Stop::new()).unwrap();
        assert_eq!((done.pages, done.huge_share), (2 * HUGE / BASE, 0.0));
        assert!(done.to_ns > done.from_ns);
        let bytes = std::fs::read(pool.path()).unwrap();
        let touched = bytes.iter().enumerate().filter(|(_, byte)| **byte != 0);
        let places: Vec<u64> = touched.map(|(at, _)| at as u64).collect();
        assert_eq!(places.len() as u64, done.pages);
        assert_eq!((places[0], places[1]), (HUGE, HUGE + BASE));
        assert_eq!(*places.last().unwrap(), 3 * HUGE - BASE);
    }

    #[test]
    fn a_stop_and_a_missing_pool_are_errors() {
        let pool = FreshPool::new(HUGE, PageKind::Base).unwrap();
        let stop = Stop::new();
        stop.set();
        let stopped = run(&touch(&pool, 0, HUGE), &stop);
        assert!(matches!(stopped, Err(TouchError::Stopped(_))), "{stopped:?}");
        let nowhere = Touch { path: "/proc/self/fd/999".into(), ..touch(&pool, 0, HUGE) };
        let error = run(&nowhere, &Stop::new()).unwrap_err().to_string();
        assert!(error.starts_with("2097152 bytes of shared memory on 4k pages: "), "{error}");
    }

    #[test]
    fn more_huge_pages_than_the_pool_has_are_refused_before_anybody_touches_them() {
        // A petabyte.
        let refused = FreshPool::new(1 << 50, PageKind::Pool).unwrap_err();
        assert!(matches!(refused, TouchError::Map { kind: PageKind::Pool, .. }), "{refused:?}");
    }
}
