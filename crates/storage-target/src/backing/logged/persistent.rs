//! Persistent memory as a medium of a log: a file of a file system that is mounted with DAX, mapped, and written by stores.
//!
//! `MAP_SYNC` is granted only where the mapped bytes are the medium itself, and where the file system makes durable what leads to them
//! before the first store to a page (mmap(2), since Linux 4.15). A write is three steps, none of them a system call:
//!
//! 1. **Copy.** Whole cache lines by non-temporal stores, which don't read the line first; parts of a line by ordinary ones.
//! 2. **Flush** each line that was touched: CLWB, or CLFLUSHOPT or CLFLUSH where the CPU lacks it. For a line that was stored past the caches
//!    there is nothing to write back, unless the CPU updated a copy that it had (Intel's manual, volume 1, "Caching of Temporal vs. Non-Temporal
//!    Data", allows that).
//! 3. **Fence** (SFENCE). What came before it has been accepted by the memory controller then, and is durable *if* the platform writes out
//!    what its memory controllers have accepted when the power goes (ADR). That is the platform's promise: [`persistence_domain`] asks what it
//!    says, and nothing here tries it.
//!
//! Until the fence any aligned eight bytes may be there or not, in any order: the log's records and superblocks are held by checksums.
//!
//! Nothing is read through the mapping. Recovery reads by read(2), which answers a line that lost its data ("poison") by an error; a load
//! would be answered by SIGBUS. A page that the kernel has taken out of use for that gives SIGBUS to stores as well: such
//! pages are found at the start, where every page is touched, and then the file is written as any other, by system calls.
//!
//! All that is unsafe about it is in this file. On CPUs other than x86-64 no file is mapped.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, Ordering};

use narrows_facts::{Live, Source};

/// Size of a cache line on x86-64, bytes.
const LINE: usize = 64;
/// Linux, include/uapi/linux/mman.h and asm-generic/mman-common.h. Not in every C library.
const MAP_SHARED_VALIDATE: libc::c_int = 0x03;
const MAP_SYNC: libc::c_int = 0x08_0000;
const MADV_POPULATE_WRITE: libc::c_int = 23;

/// How a cache line is sent to memory.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineFlush {
    /// The line stays in the cache.
    WriteBack,
    /// It leaves.
    Optimized,
    /// It leaves, one after the other.
    Plain,
}

/// A file of persistent memory, mapped to be written.
#[derive(Debug)]
pub(super) struct PersistentMap {
    base: NonNull<u8>,
    size: usize,
    flush: LineFlush,
}

// SAFETY: the mapping belongs to this value alone until it is dropped, on whichever thread.
unsafe impl Send for PersistentMap {}
// SAFETY: through a shared reference bytes are only stored, by instructions or atomics that the compiler holds for no access of its own, and no
// reference into the mapping is ever made. Two who store to the same bytes leave a mixture, as two writes to a file would.
unsafe impl Sync for PersistentMap {}

impl PersistentMap {
    /// Maps the first `bytes` of a file; `None` where it is no persistent memory that can be written so: the file system or its device doesn't
    /// grant `MAP_SYNC`, or the CPU is none of those known here.
    ///
    /// # Errors
    /// What the system said of a file that is.
    pub(super) fn of(file: &File, bytes: u64) -> io::Result<Option<PersistentMap>> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let map = match PersistentMap::map(file, bytes, protection, MAP_SHARED_VALIDATE | MAP_SYNC)
        {
            Err(error) if is_refusal(&error) => return Ok(None),
            other => other?,
        };
        if let Some(map) = &map {
            map.touch()?;
        }
        Ok(map)
    }

    /// Maps it as any file can be, for tests: what is stored then is in the page cache.
    pub(super) fn pretended(file: &File, bytes: u64) -> io::Result<Option<PersistentMap>> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        PersistentMap::map(file, bytes, protection, libc::MAP_SHARED)
    }

    fn map(
        file: &File,
        bytes: u64,
        protection: libc::c_int,
        flags: libc::c_int,
    ) -> io::Result<Option<PersistentMap>> {
        let Some(flush) = LineFlush::of_this_cpu() else { return Ok(None) };
        let size = usize::try_from(bytes).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let fd = file.as_raw_fd();
        // SAFETY: a fresh mapping at an address of the kernel's choice touches nothing that exists.
        let address = unsafe { libc::mmap(std::ptr::null_mut(), size, protection, flags, fd, 0) };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let base = NonNull::new(address.cast::<u8>()).expect("a successful mmap is not null");
        Ok(Some(PersistentMap { base, size, flush }))
    }

    /// Has the kernel map every page for writing now, so that no write of the log waits for that, and a page that can't be had is known.
    fn touch(&self) -> io::Result<()> {
        // SAFETY: the whole of our own mapping; it changes no content.
        let done =
            unsafe { libc::madvise(self.base.as_ptr().cast(), self.size, MADV_POPULATE_WRITE) };
        let error = io::Error::last_os_error();
        match done {
            0 => Ok(()),
            // A kernel before 5.14, which does it at the first store.
            _ if error.raw_os_error() == Some(libc::EINVAL) => Ok(()),
            _ => Err(error),
        }
    }

    /// Puts bytes at their places, durably, in no order among them.
    ///
    /// # Panics
    /// Where they don't lie within.
    pub(super) fn persist(&self, parts: &[(u64, &[u8])]) {
        self.persist_by(parts, &mut |line| self.flush_line(line), &mut || self.fence());
    }

    /// The same with the caller's flush of the line that begins at an offset, and the caller's fence.
    fn persist_by(
        &self,
        parts: &[(u64, &[u8])],
        flush: &mut dyn FnMut(usize),
        fence: &mut dyn FnMut(),
    ) {
        for (at, bytes) in parts {
            let at = self.checked(*at, bytes.len());
            self.store(at, bytes);
            lines(at, bytes.len()).for_each(&mut *flush);
        }
        fence();
    }

    fn checked(&self, at: u64, bytes: usize) -> usize {
        let at = usize::try_from(at).expect("an offset within a mapping");
        let end = at.checked_add(bytes).expect("no end beyond the address space");
        assert!(end <= self.size, "a write lies within the log");
        at
    }

    /// Where a byte of the mapping lies.
    fn pointer(&self, at: usize) -> *mut u8 {
        assert!(at < self.size, "a byte of the mapping");
        // SAFETY: within the mapping, as was just checked.
        unsafe { self.base.as_ptr().add(at) }
    }

    fn store(&self, at: usize, bytes: &[u8]) {
        let mut done = 0;
        while done < bytes.len() {
            let to = at + done;
            let some = (LINE - to % LINE).min(bytes.len() - done);
            let part = &bytes[done..done + some];
            match <&[u8; LINE]>::try_from(part) {
                Ok(line) => self.store_line(to, line),
                Err(_) => part.iter().enumerate().for_each(|(index, byte)| {
                    let to = self.pointer(to + index);
                    // SAFETY: a byte of the mapping, which lives as long as `self` and to which no reference exists but such ones.
                    unsafe { AtomicU8::from_ptr(to) }.store(*byte, Ordering::Relaxed);
                }),
            }
            done += some;
        }
    }
}

/// Offsets at which the lines begin that have one of these bytes. Mappings begin at a line.
fn lines(at: usize, bytes: usize) -> impl Iterator<Item = usize> {
    let first = if bytes == 0 { at } else { at - at % LINE };
    (first..at + bytes).step_by(LINE)
}

/// Whether a file was refused because it is no persistent memory: no DAX, or DAX on something that needs a flush by system call (virtio-pmem);
/// a file system or kernel that doesn't know the question.
fn is_refusal(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::EINVAL | libc::ENODEV))
}

#[cfg(target_arch = "x86_64")]
impl LineFlush {
    /// The best that this CPU has (CPUID leaf 7, EBX bits 24 and 23). CLFLUSH came with SSE2, which every x86-64 has.
    fn of_this_cpu() -> Option<LineFlush> {
        use std::arch::x86_64::{__cpuid, __cpuid_count};
        let features = if __cpuid(0).eax >= 7 { __cpuid_count(7, 0).ebx } else { 0 };
        Some(match (features >> 24 & 1, features >> 23 & 1) {
            (1, _) => LineFlush::WriteBack,
            (_, 1) => LineFlush::Optimized,
            _ => LineFlush::Plain,
        })
    }
}

#[cfg(target_arch = "x86_64")]
impl PersistentMap {
    fn store_line(&self, to: usize, line: &[u8; LINE]) {
        debug_assert!(to.is_multiple_of(LINE), "a whole line");
        let to = self.pointer(to + LINE - 1).wrapping_sub(LINE - 1);
        // SAFETY: `line` is 64 bytes that may be read; `to` begins a line, so is aligned to 16, and its last byte was checked to lie within
        // the mapping. Every x86-64 has SSE2. The stores are weakly ordered; whoever needs an order calls `fence`.
        unsafe {
            std::arch::asm!(
                "movdqu {a}, [{from}]",
                "movdqu {b}, [{from} + 16]",
                "movdqu {c}, [{from} + 32]",
                "movdqu {d}, [{from} + 48]",
                "movntdq [{to}], {a}",
                "movntdq [{to} + 16], {b}",
                "movntdq [{to} + 32], {c}",
                "movntdq [{to} + 48], {d}",
                from = in(reg) line.as_ptr(),
                to = in(reg) to,
                a = out(xmm_reg) _,
                b = out(xmm_reg) _,
                c = out(xmm_reg) _,
                d = out(xmm_reg) _,
                options(nostack, preserves_flags),
            );
        }
    }

    fn flush_line(&self, at: usize) {
        let line = self.pointer(at);
        // SAFETY: an address within the mapping; the instruction exists, as CPUID said, and changes no content.
        unsafe {
            match self.flush {
                LineFlush::WriteBack => {
                    std::arch::asm!("clwb [{}]", in(reg) line, options(nostack, preserves_flags));
                }
                LineFlush::Optimized => {
                    std::arch::asm!("clflushopt [{}]", in(reg) line, options(nostack, preserves_flags));
                }
                LineFlush::Plain => {
                    std::arch::asm!("clflush [{}]", in(reg) line, options(nostack, preserves_flags));
                }
            }
        }
    }

    fn fence(&self) {
        // SAFETY: it orders stores and does nothing else. As every assembly that may touch memory, the compiler moves no access over it.
        unsafe { std::arch::asm!("sfence", options(nostack, preserves_flags)) };
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl LineFlush {
    /// None that is known here.
    fn of_this_cpu() -> Option<LineFlush> {
        None
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl PersistentMap {
    fn store_line(&self, _: usize, _: &[u8; LINE]) {
        unreachable!("no file is mapped on this CPU");
    }

    fn flush_line(&self, _: usize) {
        unreachable!("no file is mapped on this CPU");
    }

    fn fence(&self) {
        unreachable!("no file is mapped on this CPU");
    }
}

impl Drop for PersistentMap {
    fn drop(&mut self) {
        // SAFETY: the mapping of `map`, unmapped once; no pointer to it outlives `self`.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.size) };
    }
}

/// What a file is as a medium, in words; `None` where it is no persistent memory. Nothing is written.
pub(crate) fn persistent_word(file: &File) -> Option<String> {
    let flags = MAP_SHARED_VALIDATE | MAP_SYNC;
    let probe = PersistentMap::map(file, 1, libc::PROT_READ, flags).ok()??;
    Some(probe.flush.word().to_string())
}

impl LineFlush {
    fn word(self) -> &'static str {
        match self {
            LineFlush::WriteBack => "persistent memory (MAP_SYNC, CLWB)",
            LineFlush::Optimized => "persistent memory (MAP_SYNC, CLFLUSHOPT)",
            LineFlush::Plain => "persistent memory (MAP_SYNC, CLFLUSH)",
        }
    }
}

/// What the platform says that it writes out when the power goes, of the persistent memory under a file: `memory_controller`,
/// `cpu_cache`, or nothing (Linux, drivers/nvdimm/region_devs.c).
pub(crate) fn persistence_domain(file: &File) -> Option<String> {
    let device = file.metadata().ok()?.dev();
    let here = format!("/sys/dev/block/{}:{}", libc::major(device), libc::minor(device));
    // Of a partition its disk's.
    let places = ["device/../persistence_domain", "../device/../persistence_domain"];
    let said = places.iter().find_map(|place| Live.read(&format!("{here}/{place}")).ok())?;
    let said = String::from_utf8_lossy(said.trim_ascii()).into_owned();
    (!said.is_empty()).then_some(said)
}

/// What that means, in a sentence.
pub(crate) fn power_sentence(domain: Option<&str>) -> String {
    match domain {
        Some("memory_controller") => {
            "the platform says that it writes out what its memory controllers have accepted when the power goes (ADR); nothing here tried that".to_string()
        }
        Some("cpu_cache") => {
            "the platform says that it writes out even its CPUs' caches when the power goes (eADR); nothing here tried that".to_string()
        }
        Some(other) => format!("what the platform writes out when the power goes: {other}"),
        None => "the platform does not say what it writes out when the power goes: without ADR the log is lost with the power".to_string(),
    }
}

#[cfg(target_arch = "x86_64")]
#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeSet;
    use std::os::unix::fs::FileExt;

    use super::*;

    const BYTES: u64 = 16 << 10;

    fn file() -> File {
        let file = tempfile::tempfile().unwrap();
        file.set_len(BYTES).unwrap();
        file
    }

    fn content(file: &File) -> Vec<u8> {
        let mut content = vec![0; BYTES as usize];
        file.read_exact_at(&mut content, 0).unwrap();
        content
    }

    #[test]
    fn every_line_that_has_a_byte_of_a_range_is_flushed_and_no_other() {
        for at in [0, 1, 8, 63, 64, 65, 127, 4095, 4096] {
            for bytes in [0, 1, 7, 8, 63, 64, 65, 127, 128, 129, 512, 4097] {
                let found: Vec<usize> = lines(at, bytes).collect();
                let expected: BTreeSet<usize> =
                    (at..at + bytes).map(|byte| byte / LINE * LINE).collect();
                assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{at} + {bytes}");
            }
        }
    }

    #[test]
    fn bytes_are_where_they_belong_and_the_fence_comes_after_the_last_flush() {
        let file = file();
        let map = PersistentMap::pretended(&file, BYTES).unwrap().unwrap();
        let data: Vec<u8> = (0..1000_u32).map(|index| (index % 251) as u8 + 1).collect();
        for (at, bytes) in [(0, 512), (4096, 1000), (8191, 1), (9000, 129), (BYTES as usize - 3, 3)]
        {
            let steps = RefCell::new(Vec::new());
            map.persist_by(
                &[(at as u64, &data[..bytes]), (12 << 10, &data[..64])],
                &mut |line| steps.borrow_mut().push(Some(line)),
                &mut || steps.borrow_mut().push(None),
            );
            let steps = steps.into_inner();
            let expected = lines(at, bytes).chain(lines(12 << 10, 64)).map(Some).chain([None]);
            assert_eq!(steps, expected.collect::<Vec<_>>());
            let content = content(&file);
            assert_eq!(content[at..at + bytes], data[..bytes]);
            // Nothing before and behind it was touched.
            assert!(at == 0 || content[at - 1] == 0);
            assert!(content.get(at + bytes).is_none_or(|byte| *byte == 0));
            map.persist(&[(0, &[0; BYTES as usize])]);
        }
        assert_eq!(content(&file), [0; BYTES as usize]);
    }

    #[test]
    fn every_way_of_flushing_that_this_cpu_has_keeps_the_content() {
        let file = file();
        let best = LineFlush::of_this_cpu().unwrap();
        let all = [LineFlush::WriteBack, LineFlush::Optimized, LineFlush::Plain];
        let its = all.into_iter().skip_while(|flush| *flush != best);
        for (value, flush) in (1..).zip(its) {
            let mut map = PersistentMap::pretended(&file, BYTES).unwrap().unwrap();
            map.flush = flush;
            map.persist(&[(100, &[value; 300])]);
            assert_eq!(content(&file)[100..400], [value; 300], "{flush:?}");
        }
    }

    #[test]
    #[should_panic(expected = "within the log")]
    fn nothing_is_stored_beyond_the_end() {
        let map = PersistentMap::pretended(&file(), BYTES).unwrap().unwrap();
        map.persist(&[(BYTES - 1, &[1, 2])]);
    }

    #[test]
    fn a_file_without_dax_is_refused_and_so_an_ordinary_one() {
        // Memory of a kind that is never granted MAP_SYNC.
        let memory = rustix::fs::memfd_create("log", rustix::fs::MemfdFlags::CLOEXEC).unwrap();
        let file = File::from(memory);
        file.set_len(BYTES).unwrap();
        assert!(PersistentMap::of(&file, BYTES).unwrap().is_none());
        assert_eq!(persistent_word(&file), None);
        // What is wrong otherwise is no refusal: one that may only be written can't be mapped at all.
        let named = tempfile::NamedTempFile::new().unwrap();
        let written = File::options().write(true).open(named.path()).unwrap();
        let error = PersistentMap::pretended(&written, BYTES).unwrap_err();
        assert!(!is_refusal(&error), "{error}");
    }

    #[test]
    fn what_the_platform_says_of_a_loss_of_power_is_a_sentence() {
        assert!(power_sentence(Some("memory_controller")).contains("(ADR)"));
        assert!(power_sentence(Some("cpu_cache")).contains("(eADR)"));
        assert!(power_sentence(Some("other")).ends_with(": other"));
        assert!(power_sentence(None).contains("does not say"));
        assert_eq!(persistence_domain(&File::open("/proc/self/stat").unwrap()), None);
    }
}
