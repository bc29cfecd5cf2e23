//! Reading what is on the medium, and not what the kernel remembers of it.
//!
//! Where the kernel that wrote still runs, its page cache holds the records whatever the drive kept. So the file's pages are
//! dropped, reads go past the cache (`O_DIRECT`, open(2)), and afterwards it is asked whether they brought pages in
//! (mincore(2)): some file systems take `O_DIRECT` and read through memory all the same. A memory of another kind, that of a
//! file system or of the file under a loop device, is known by its name.

use std::fs::{File, Metadata};
use std::io;
use std::ops::Range;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt};
use std::path::Path;

use narrows_facts::file::{evict, fs_kind, network_kind, resident_share_within, volatile_kind};
use narrows_facts::{Live, Source};
use narrows_model::DeviceKind;

use crate::open::for_reading;
use crate::server::number;
use crate::sync::{ALIGNMENT, Aligned};

/// A file or device that is being checked.
pub(crate) struct Reading {
    file: File,
    buffer: Aligned,
    direct: bool,
    /// Why what is read comes from a memory, where that was seen before the first read.
    memory: Option<String>,
    /// From the first to the last byte that was read.
    touched: Option<Range<u64>>,
}

impl Reading {
    /// Opens it for reads of up to `longest` bytes.
    pub(crate) fn open(path: &Path, longest: usize) -> io::Result<Reading> {
        // A read from the middle of one block to the middle of another has both.
        let buffer = Aligned::new(longest.next_multiple_of(ALIGNMENT) + ALIGNMENT);
        let (file, direct) = match for_reading(path, libc::O_DIRECT) {
            Ok(file) => (file, true),
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
                (for_reading(path, 0)?, false)
            }
            Err(error) => return Err(error),
        };
        let memory = memory_of(path, &file.metadata()?);
        let mut reading = Reading { file, buffer, direct, memory, touched: None };
        reading.forget();
        Ok(reading)
    }

    /// Why what was read may come from a memory and not from the medium, as far as can be seen; `None` where it was read past
    /// all that are known.
    pub(crate) fn cached(&self) -> Option<String> {
        if self.memory.is_some() || !self.direct {
            return self.memory.clone();
        }
        match resident_share_within(&self.file, self.touched.clone()?) {
            Ok(share) if share <= 0.0 => None,
            Ok(_) => Some("direct reads left pages in memory, or others read it too".to_string()),
            Err(error) => Some(format!("whether it is in memory can't be asked: {error}")),
        }
    }

    /// The `length` bytes from `offset` on.
    pub(crate) fn read(&mut self, offset: u64, length: usize) -> io::Result<&[u8]> {
        let skip = (offset % ALIGNMENT as u64) as usize;
        let (start, needed) = (offset - skip as u64, skip + length);
        let span = needed.next_multiple_of(ALIGNMENT);
        let mut got = self.fill(start, span);
        if self.direct && got.as_ref().is_err_and(|e| e.raw_os_error() == Some(libc::EINVAL)) {
            self.go_through_the_cache()?;
            got = self.fill(start, span);
        }
        let end = start + span as u64;
        self.touched = Some(match &self.touched {
            Some(known) => known.start.min(start)..known.end.max(end),
            None => start..end,
        });
        if got? < needed {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(&self.buffer.bytes()[skip..needed])
    }

    /// Reads whole blocks up to the end of the file; returns how many bytes there were.
    fn fill(&mut self, start: u64, span: usize) -> io::Result<usize> {
        let bytes = &mut self.buffer.bytes()[..span];
        let mut got = 0;
        // Direct reads go on from whole blocks only; a shorter one was the end.
        while got < span && (!self.direct || got.is_multiple_of(ALIGNMENT)) {
            match self.file.read_at(&mut bytes[got..], start + got as u64) {
                Ok(0) => break,
                Ok(count) => got += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(got)
    }

    /// The same file again, for a file system that took `O_DIRECT` and then no direct read.
    fn go_through_the_cache(&mut self) -> io::Result<()> {
        use std::os::fd::AsRawFd;
        self.file = File::open(format!("/proc/self/fd/{}", self.file.as_raw_fd()))?;
        self.direct = false;
        self.forget();
        Ok(())
    }

    /// Drops the file's pages from memory. Where reads go through it, all must be gone before the first.
    fn forget(&mut self) {
        let dropped = evict(&self.file);
        if self.direct || self.memory.is_some() {
            return;
        }
        self.memory = match dropped.and_then(|()| resident_share_within(&self.file, 0..u64::MAX)) {
            Ok(share) if share <= 0.0 => None,
            Ok(_) => Some("some of its pages stay in memory".to_string()),
            Err(error) => Some(format!("its pages can't be dropped from memory: {error}")),
        };
    }
}

/// A memory beneath the page cache or beside it, which no direct read goes past.
fn memory_of(path: &Path, metadata: &Metadata) -> Option<String> {
    let device = metadata.file_type().is_block_device();
    // A device's node lies in memory, and the device doesn't.
    if !device {
        let kind = fs_kind(path).unwrap_or_default();
        if volatile_kind(&kind) || network_kind(&kind) || kind == "zfs" {
            return Some(format!("{kind} keeps a memory of its own"));
        }
    }
    let holder = if device { metadata.rdev() } else { metadata.dev() };
    let stack = narrows_platform::block_stack(&Live, &number(holder));
    let looped = stack.iter().filter(|device| device.kind == DeviceKind::Loop);
    let through = looped.map(|device| device.name.as_str()).find(|name| !reads_directly(name));
    through.map(|name| format!("{name} reads its file through memory (losetup --direct-io=on)"))
}

fn reads_directly(name: &str) -> bool {
    let source: &dyn Source = &Live;
    source.number::<u32>(&format!("/sys/block/{name}/loop/dio")) == Some(1)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;
    use std::path::PathBuf;

    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir_in("/var/tmp").unwrap()
    }

    /// A file of 64 KiB that no file system compresses.
    fn file(folder: &tempfile::TempDir) -> PathBuf {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        let bytes: Vec<u8> = (0..64 << 10).map(|_| next()).collect();
        let path = folder.path().join("file");
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Whether the file system there is of a kind of which no file is read past memory, or drops no pages; says so.
    fn skipped(path: &Path) -> bool {
        const OTHERS: [&str; 3] = ["zfs", "overlay", "fuse.fuse-overlayfs"];
        let kind = fs_kind(path).unwrap();
        let skip = volatile_kind(&kind) || network_kind(&kind) || OTHERS.contains(&kind.as_str());
        if skip {
            eprintln!("SKIPPED: /var/tmp is on {kind}");
        }
        skip
    }

    /// Pages of a file that can't be dropped, because they are mapped.
    struct Held {
        start: *mut libc::c_void,
        length: usize,
    }

    impl Held {
        fn of(path: &Path) -> Held {
            let file = File::open(path).unwrap();
            let length = file.metadata().unwrap().len() as usize;
            let flags = libc::MAP_SHARED | libc::MAP_POPULATE;
            let (anywhere, protection) = (std::ptr::null_mut(), libc::PROT_READ);
            // SAFETY: a fresh mapping at an address of the kernel's choice, which is never read through.
            let start =
                unsafe { libc::mmap(anywhere, length, protection, flags, file.as_raw_fd(), 0) };
            assert_ne!(start, libc::MAP_FAILED, "{}", io::Error::last_os_error());
            Held { start, length }
        }
    }

    impl Drop for Held {
        fn drop(&mut self) {
            // SAFETY: exactly the range that was mapped, unmapped once.
            unsafe { libc::munmap(self.start, self.length) };
        }
    }

    #[test]
    fn any_part_is_read_and_the_end_is_noticed() {
        let folder = folder();
        let path = folder.path().join("file");
        let bytes: Vec<u8> = (0..20_000_u32).map(|n| (n % 251) as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        let mut reading = Reading::open(&path, 3000).unwrap();
        for way in ["as it was opened", "through the cache"] {
            for offset in [0, 512, 4096, 4000, 8191, 17_000] {
                let read = reading.read(offset as u64, 3000).unwrap();
                assert_eq!(read, &bytes[offset..offset + 3000], "{way}, {offset}");
            }
            for offset in [17_001, 20_000, 90_000] {
                let error = reading.read(offset, 3000).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{way}, {offset}");
            }
            reading.go_through_the_cache().unwrap();
        }
    }

    #[test]
    fn what_is_read_is_not_the_page_cache() {
        let folder = folder();
        let path = file(&folder);
        if skipped(&path) {
            return;
        }
        let mut reading = Reading::open(&path, 4096).unwrap();
        reading.read(0, 4096).unwrap();
        assert!(reading.direct);
        assert_eq!(reading.cached(), None);
        // Somebody else brings back what is looked at, and then something else of the file.
        File::open(&path).unwrap().read_at(&mut [0; 512], 0).unwrap();
        assert!(reading.cached().unwrap().contains("pages in memory"));
        let mut again = Reading::open(&path, 4096).unwrap();
        again.read(0, 4096).unwrap();
        assert_eq!(again.cached(), None);
    }

    #[test]
    fn pages_that_stay_are_told_where_reads_go_through_them() {
        let folder = folder();
        let path = file(&folder);
        if skipped(&path) {
            return;
        }
        let through_the_cache = || {
            let mut reading = Reading::open(&path, 4096).unwrap();
            reading.go_through_the_cache().unwrap();
            reading.read(0, 4096).unwrap();
            reading.cached()
        };
        // What is read after they were dropped comes from the medium.
        assert_eq!(through_the_cache(), None);
        let held = Held::of(&path);
        assert!(through_the_cache().unwrap().contains("pages stay in memory"));
        drop(held);
        assert_eq!(through_the_cache(), None);
    }

    #[test]
    fn a_file_in_memory_is_never_past_it() {
        if !volatile_kind(&fs_kind(Path::new("/dev/shm")).unwrap_or_default()) {
            eprintln!("SKIPPED: no file system in memory");
            return;
        }
        let file = tempfile::NamedTempFile::new_in("/dev/shm").unwrap();
        std::fs::write(file.path(), [1; 4096]).unwrap();
        let mut reading = Reading::open(file.path(), 4096).unwrap();
        assert_eq!(reading.read(0, 4096).unwrap(), [1; 4096]);
        assert!(reading.cached().unwrap().contains("tmpfs"));
    }
}
