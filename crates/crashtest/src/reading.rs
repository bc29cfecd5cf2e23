//! Reading what is on the medium, and not what the kernel remembers of it.
//!
//! Where the kernel that wrote still runs, its page cache holds the records whatever the drive kept. So reads go past
//! it (`O_DIRECT`, open(2)); where a file system refuses that, the file's pages are dropped first, and whether any stayed is
//! asked.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use narrows_facts::file::{evict, resident_share, volatile};

use crate::sync::{ALIGNMENT, Aligned};

/// A file or device that is being checked.
pub(crate) struct Reading {
    file: File,
    buffer: Aligned,
    direct: bool,
    past_cache: bool,
}

impl Reading {
    /// Opens it for reads of up to `longest` bytes.
    pub(crate) fn open(path: &Path, longest: usize) -> io::Result<Reading> {
        // A read from the middle of one block to the middle of another has both.
        let buffer = Aligned::new(longest.next_multiple_of(ALIGNMENT) + ALIGNMENT);
        let mut direct = OpenOptions::new();
        direct.read(true).custom_flags(libc::O_DIRECT | libc::O_CLOEXEC);
        match direct.open(path) {
            Ok(file) => {
                // A device's node lies in memory, and the device doesn't.
                let regular = file.metadata().is_ok_and(|metadata| metadata.is_file());
                let past_cache = !(regular && volatile(path).unwrap_or(false));
                Ok(Reading { file, buffer, direct: true, past_cache })
            }
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
                let file = File::open(path)?;
                let past_cache = forgotten(&file);
                Ok(Reading { file, buffer, direct: false, past_cache })
            }
            Err(error) => Err(error),
        }
    }

    /// Whether what is read comes from beneath the page cache, as far as can be seen.
    pub(crate) fn past_cache(&self) -> bool {
        self.past_cache
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
        self.past_cache = forgotten(&self.file);
        Ok(())
    }
}

/// Drops the file's pages from memory; `false` if some stay, or that can't be told.
fn forgotten(file: &File) -> bool {
    let regular = file.metadata().is_ok_and(|metadata| metadata.is_file());
    regular && evict(file).is_ok() && resident_share(file).is_ok_and(|share| share <= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir_in("/var/tmp").unwrap()
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
        let path = folder.path().join("file");
        std::fs::write(&path, vec![7; 64 << 10]).unwrap();
        let file = File::open(&path).unwrap();
        let mut reading = Reading::open(&path, 4096).unwrap();
        if !reading.past_cache() {
            eprintln!("SKIPPED: no way past the page cache on the file system of /var/tmp");
            return;
        }
        evict(&file).unwrap();
        reading.read(0, 4096).unwrap();
        if reading.direct {
            assert_eq!(resident_share(&file).ok(), Some(0.0), "the read went through the cache");
        }
    }

    #[test]
    fn a_file_in_memory_is_never_past_it() {
        if !volatile(Path::new("/dev/shm")).unwrap_or(false) {
            eprintln!("SKIPPED: no file system in memory");
            return;
        }
        let file = tempfile::NamedTempFile::new_in("/dev/shm").unwrap();
        std::fs::write(file.path(), [1; 4096]).unwrap();
        let mut reading = Reading::open(file.path(), 4096).unwrap();
        assert_eq!(reading.read(0, 4096).unwrap(), [1; 4096]);
        assert!(!reading.past_cache());
    }
}
