//! A log file that is written to by one way, one durable write after another.

use std::fs::File;
use std::io;
use std::io::Write as _;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use narrows_engine::now_ns;
use narrows_facts::file;
use narrows_files::Access;
use narrows_model::{Conditions, condition};
use rustix::fs::FallocateFlags;
use serde_json::json;

use super::linked::LinkedRing;
use super::step::LadderStep;
use super::write_variant::{Layout, Method, WriteVariant};
use crate::LogError;
use crate::page::Pages;
use crate::segment::Segment;

/// Direct writes need memory at such a boundary.
const ALIGNMENT: usize = 4096;

/// One cell of the ladder.
pub struct DurableWrites<'a> {
    cell: WriteVariant,
    pages: &'a Pages,
    path: PathBuf,
    file: File,
    ring: Option<LinkedRing>,
    /// Bytes until the file ends, or the writes begin again at its start.
    capacity: u64,
    /// Whether the file is ours alone and goes with us.
    own: bool,
    position: u64,
    /// Where the current window began.
    began: u64,
    buffer: Vec<u8>,
    start: usize,
    /// Time in which bytes were made up, ns.
    making_ns: u64,
    above: Option<String>,
    /// Whether its pages were read since they were last dropped from the cache.
    cached: bool,
    name: String,
    /// Writers at once, this one with them.
    writers: u32,
}

impl<'a> DurableWrites<'a> {
    /// Opens the recycled segment, or makes a file of its own in `dir`; writes once, so that what this file system refuses is
    /// known now.
    pub fn open(
        cell: WriteVariant,
        segment: &Segment,
        dir: &Path,
        pages: &'a Pages,
        above: Option<String>,
    ) -> io::Result<Self> {
        let own = cell.layout != Layout::Overwrite;
        let path = if own {
            dir.join(format!("log-{}", cell.name()))
        } else {
            segment.path().to_path_buf()
        };
        let mut flags = match cell.method {
            Method::Dsync | Method::DsyncDirect => libc::O_DSYNC,
            _ => 0,
        };
        if cell.method.direct() {
            flags |= libc::O_DIRECT;
        }
        let access = Access::WriteWith(flags);
        let file = if own {
            narrows_files::create_new(&path, access, 0o600)?
        } else {
            narrows_files::reopen(segment.file(), &path, access)?
        };
        let bytes = cell.bytes as usize;
        let buffer = vec![0; bytes + ALIGNMENT];
        let start = buffer.as_ptr().align_offset(ALIGNMENT);
        let capacity = segment.bytes();
        let mut this = DurableWrites {
            cell,
            pages,
            path,
            file,
            ring: None,
            capacity,
            own,
            position: 0,
            began: 0,
            buffer,
            start,
            making_ns: 0,
            above,
            cached: false,
            name: cell.name(),
            writers: 1,
        };
        if cell.method == Method::Uring {
            this.ring = Some(LinkedRing::new()?);
        }
        this.fresh()?;
        this.make();
        this.write()?;
        Ok(this)
    }

    /// The same by another name.
    #[must_use]
    pub fn called(mut self, name: String) -> Self {
        self.name = name;
        self
    }

    /// The same as one of so many writers.
    #[must_use]
    pub fn among(mut self, writers: u32) -> Self {
        self.writers = writers;
        self
    }

    /// Makes the file what its layout says.
    fn fresh(&mut self) -> io::Result<()> {
        if self.own {
            self.file.set_len(0)?;
            if self.cell.layout == Layout::Fallocated {
                rustix::fs::fallocate(&self.file, FallocateFlags::empty(), 0, self.capacity)?;
            }
            self.file.sync_all()?;
            self.position = self.position.next_multiple_of(self.capacity);
        }
        self.began = self.position;
        Ok(())
    }

    /// What the next write carries; a database has made it up before it asks for a durable write.
    fn make(&mut self) {
        let began_ns = now_ns();
        let left = self.capacity - self.position % self.capacity;
        if left < self.cell.bytes {
            self.position += left;
        }
        let end = self.start + self.cell.bytes as usize;
        self.pages.fill_sectors(self.position, &mut self.buffer[self.start..end]);
        self.making_ns += now_ns() - began_ns;
    }

    /// One durable write of what was made.
    fn write(&mut self) -> io::Result<()> {
        let offset = self.position % self.capacity;
        let end = self.start + self.cell.bytes as usize;
        let bytes = &self.buffer[self.start..end];
        match self.cell.method {
            Method::Fdatasync => {
                self.file.write_all_at(bytes, offset)?;
                self.file.sync_data()?;
            }
            Method::Fsync => {
                self.file.write_all_at(bytes, offset)?;
                self.file.sync_all()?;
            }
            Method::Dsync | Method::DsyncDirect => self.file.write_all_at(bytes, offset)?,
            Method::RwfDsync => write_dsync(&self.file, bytes, offset)?,
            Method::Uring => match &mut self.ring {
                Some(ring) => ring.write(&self.file, bytes, offset)?,
                None => return Err(io::Error::other("no ring")),
            },
        }
        self.position += self.cell.bytes;
        Ok(())
    }

    /// Reads the segment into the cache before buffered writes of less than a page: reading back dropped it, and such a write
    /// would wait for the rest of its page.
    fn cache(&mut self) -> io::Result<()> {
        let whole = self.cell.bytes.is_multiple_of(ALIGNMENT as u64);
        if self.own || whole || self.cell.method.direct() || self.cached {
            return Ok(());
        }
        let mut piece = vec![0; 1 << 20];
        let mut at = 0;
        while at < self.capacity {
            let length = (self.capacity - at).min(piece.len() as u64);
            self.file.read_exact_at(&mut piece[..length as usize], at)?;
            at += length;
        }
        self.cached = true;
        Ok(())
    }

    /// Where the write before the one at `at` began; what was left at a lap's end was skipped.
    fn before(&self, at: u64) -> u64 {
        let skipped =
            if at.is_multiple_of(self.capacity) { self.capacity % self.cell.bytes } else { 0 };
        at.saturating_sub(skipped + self.cell.bytes)
    }

    /// Whether another write fits before the layout would become another one.
    fn fits(&self) -> bool {
        !self.own || self.position + self.cell.bytes <= self.began + self.capacity
    }

    fn failed(&self, what: &'static str, reason: io::Error) -> LogError {
        LogError::of(what, &self.path, self.capacity, reason)
    }
}

fn write_dsync(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    let vector = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    let offset = libc::off_t::try_from(offset).map_err(io::Error::other)?;
    // SAFETY: one vector over memory that lives through the call and is only read.
    let wrote = unsafe { libc::pwritev2(file.as_raw_fd(), &vector, 1, offset, libc::RWF_DSYNC) };
    match wrote {
        -1 => Err(io::Error::last_os_error()),
        wrote if wrote as usize == bytes.len() => Ok(()),
        _ => Err(io::Error::new(io::ErrorKind::WriteZero, "a short write")),
    }
}

impl LadderStep for DurableWrites<'_> {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn above(&self) -> Option<String> {
        self.above.clone()
    }

    fn prepare(&mut self) -> Result<(), LogError> {
        self.fresh().map_err(|reason| self.failed("preparing", reason))?;
        self.cache().map_err(|reason| self.failed("reading", reason))
    }

    fn operation(&mut self) -> Result<Option<u64>, LogError> {
        if !self.fits() {
            return Ok(None);
        }
        self.make();
        let began_ns = now_ns();
        self.write().map_err(|reason| self.failed("writing", reason))?;
        Ok(Some(now_ns() - began_ns))
    }

    fn making_ns(&mut self) -> u64 {
        std::mem::take(&mut self.making_ns)
    }

    fn bytes(&self) -> u64 {
        self.cell.bytes
    }

    /// Of several writers the window holds those of the others too.
    fn back_to_back(&self) -> bool {
        self.writers == 1
    }

    /// Reads back what the window wrote last, from the medium where the cache can be dropped.
    fn verify(&mut self) -> Result<(u64, u64), LogError> {
        let path = self.path.clone();
        let failed = move |reason| LogError::of("reading back", &path, 0, reason);
        let plain = narrows_files::reopen(&self.file, &self.path, Access::Read).map_err(&failed)?;
        file::evict(&plain).map_err(&failed)?;
        self.cached = false;
        let (mut read, mut wrong) = (0, 0);
        let mut found = vec![0; self.cell.bytes as usize];
        let mut expected = found.clone();
        let mut at = self.position;
        let lap = self.capacity / self.cell.bytes;
        while read < crate::READ_BACK.min(lap) && at > self.began {
            at = self.before(at);
            if at < self.began {
                break;
            }
            let offset = at % self.capacity;
            plain.read_exact_at(&mut found, offset).map_err(&failed)?;
            self.pages.fill_sectors(at, &mut expected);
            read += 1;
            wrong += u64::from(found != expected);
        }
        Ok((read, wrong))
    }

    fn describe(&self, workload: &mut Conditions) {
        workload.insert(condition::SYNC_METHOD, json!(self.cell.method.word()));
        workload.insert(condition::LAYOUT, json!(self.cell.layout.word()));
        workload.insert(condition::BLOCK_BYTES, json!(self.cell.bytes));
        workload.insert(condition::DIRECT, json!(self.cell.method.direct()));
        workload.insert(condition::SEGMENT_BYTES, json!(self.capacity));
        workload.insert(condition::THREADS, json!(self.writers));
    }
}

impl Drop for DurableWrites<'_> {
    fn drop(&mut self) {
        if self.own
            && let Err(error) = narrows_files::remove_file(&self.path)
            && error.kind() != io::ErrorKind::NotFound
        {
            let warning = format!("warning: could not remove {}: {error}", self.path.display());
            // Nobody to tell is no reason to fail.
            let _ = writeln!(std::io::stderr(), "{}", narrows_units::shown(&warning));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_engine::Stop;

    #[test]
    fn every_way_writes_what_is_read_back() {
        let Some(dir) = crate::tests::folder() else { return };
        let segment = Segment::create(dir.path(), "s", 1 << 20, 1, &Stop::new()).unwrap();
        let pages = Pages::new(4);
        let mut refused = Vec::new();
        for cell in WriteVariant::all(&Method::ALL, &Layout::ALL, &[4096, 24 << 10]) {
            let mut writes = match DurableWrites::open(cell, &segment, dir.path(), &pages, None) {
                Ok(writes) => writes,
                Err(reason) => {
                    refused.push(format!("{}: {reason}", cell.name()));
                    continue;
                }
            };
            writes.prepare().unwrap();
            for _ in 0..5 {
                assert!(writes.operation().unwrap().is_some(), "{}", cell.name());
            }
            assert_eq!(writes.verify().unwrap(), (5, 0), "{}", cell.name());
            // A byte that was not written so is seen.
            let at = writes.position % writes.capacity - cell.bytes;
            let other = std::fs::OpenOptions::new().write(true).open(&writes.path).unwrap();
            other.write_all_at(b"x", at + 100).unwrap();
            assert_eq!(writes.verify().unwrap(), (5, 1), "{}", cell.name());
        }
        // A file system may refuse direct writes, a kernel io_uring; the others are everywhere.
        let only = |text: &String| text.contains("direct") || text.contains("uring");
        assert!(refused.iter().all(only), "{refused:?}");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "only the segment is left");
    }

    #[test]
    fn a_file_that_is_no_longer_fresh_ends_the_window() {
        let Some(dir) = crate::tests::folder() else { return };
        let segment = Segment::create(dir.path(), "s", 64 << 10, 1, &Stop::new()).unwrap();
        let pages = Pages::new(4);
        let cell =
            WriteVariant { layout: Layout::Fallocated, bytes: 24 << 10, ..WriteVariant::POSTGRES };
        let mut writes = DurableWrites::open(cell, &segment, dir.path(), &pages, None).unwrap();
        for _ in 0..2 {
            writes.prepare().unwrap();
            let mut windows = 0;
            while writes.operation().unwrap().is_some() {
                windows += 1;
            }
            assert_eq!(windows, 2, "of 64 KiB two writes of 24 KiB fit");
        }
        let mut around = DurableWrites::open(
            WriteVariant { layout: Layout::Overwrite, ..cell },
            &segment,
            dir.path(),
            &pages,
            None,
        )
        .unwrap();
        around.prepare().unwrap();
        assert!((0..9).all(|_| around.operation().unwrap().is_some()));
    }

    #[test]
    fn what_was_skipped_at_the_end_is_not_read_back() {
        let Some(dir) = crate::tests::folder() else { return };
        // Of 24 KiB two fit, with 16 KiB left; of 8 KiB eight, with nothing left.
        for (bytes, lap) in [(24 << 10, 2), (8 << 10, 8)] {
            let segment = Segment::create(dir.path(), "s", 64 << 10, 1, &Stop::new()).unwrap();
            let pages = Pages::new(4);
            let cell = WriteVariant { bytes, ..WriteVariant::POSTGRES };
            let mut writes = DurableWrites::open(cell, &segment, dir.path(), &pages, None).unwrap();
            for count in 1..=2 * lap + 1 {
                writes.prepare().unwrap();
                for _ in 0..count {
                    writes.operation().unwrap();
                }
                assert_eq!(writes.verify().unwrap(), (count.min(lap), 0), "{bytes}, {count}");
            }
        }
    }

    #[test]
    fn a_write_of_less_than_a_page_finds_its_page_in_the_cache() {
        let Some(dir) = crate::tests::folder() else { return };
        let segment = Segment::create(dir.path(), "s", 1 << 20, 1, &Stop::new()).unwrap();
        let pages = Pages::new(4);
        let cell = WriteVariant { bytes: 512, ..WriteVariant::POSTGRES };
        let mut writes = DurableWrites::open(cell, &segment, dir.path(), &pages, None).unwrap();
        for _ in 0..2 {
            writes.prepare().unwrap();
            match file::resident_share(segment.file()) {
                Ok(share) => assert_eq!(share, 1.0),
                Err(reason) => {
                    eprintln!("SKIPPED: the kernel doesn't tell what is cached: {reason}")
                }
            }
            writes.operation().unwrap();
            assert_eq!(writes.verify().unwrap(), (1, 0));
        }
    }
}
