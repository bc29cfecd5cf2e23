//! The file that storage is measured on: fully written, incompressible, unlike any other, and proven so.
//!
//! A sparse or merely allocated file is answered by the file system without asking the device (1 of 1.7 million
//! reads reached it in the trial of the references, `storage.md` fact 8), so every block is written, synced, and
//! then looked at twice: by the file system's map of extents and by reading a sample of blocks back past the page
//! cache.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::fill::{self, FillStep};
use crate::space::{self, Space};
use crate::{Arena, Error, Pattern, SECTOR, Tag};

/// Sizes are rounded up to a multiple of this.
pub const FILE_UNIT: u64 = 1 << 20;

/// How the file may be reached past the page cache.
#[derive(Debug, Clone)]
pub struct Direct {
    pub(crate) file: Arc<File>,
    /// Alignment of buffers, bytes.
    pub memory_alignment: usize,
    /// Alignment of offsets and lengths, bytes.
    pub offset_alignment: u64,
}

/// What a sample of blocks held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Contents {
    /// Sectors looked at.
    pub sampled: u32,
    /// Of these, nothing but zeros.
    pub zeros: u32,
    /// Of these, not what was written there.
    pub wrong: u32,
}

/// What file to make.
#[derive(Debug, Clone, Copy)]
pub struct Blueprint<'a> {
    /// The scratch folder.
    pub dir: &'a Path,
    /// Size, bytes; rounded up to [`FILE_UNIT`].
    pub bytes: u64,
    /// Makes the contents unlike any other file's.
    pub seed: u64,
    /// The room to assume instead of asking the file system; for tests.
    pub space: Option<Space>,
}

/// A file to measure on. One that was created here is removed on drop.
#[derive(Debug)]
pub struct TestFile {
    path: PathBuf,
    bytes: u64,
    pattern: Option<Pattern>,
    direct: Result<Direct, String>,
    buffered: Arc<File>,
    ours: bool,
    generation: AtomicU64,
}

impl TestFile {
    /// Creates and fills a file. `watch` is told of every step and ends the work by returning an error, which leaves
    /// nothing behind, as does every other failure.
    pub fn create(
        blueprint: Blueprint<'_>,
        watch: &mut dyn FnMut(FillStep) -> Result<(), Error>,
    ) -> Result<TestFile, Error> {
        let dir = blueprint.dir;
        let bytes = blueprint.bytes.max(1).next_multiple_of(FILE_UNIT);
        if let Some(kind) = in_memory(dir) {
            return Err(Error::InMemory { dir: dir.to_path_buf(), kind });
        }
        blueprint.space.map_or_else(|| Space::of(dir), Ok)?.check(dir, bytes)?;
        space::check_file_size_limit(dir, bytes)?;

        let path = dir.join(format!("block-{:016x}.data", blueprint.seed));
        let buffered = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)
            .map_err(|source| Error::system("create", &path, source))?;
        let pattern = Pattern::new(blueprint.seed);
        // From here on the value owns the file, and dropping it on any error removes the file.
        let mut file = TestFile {
            path,
            bytes,
            pattern: Some(pattern),
            direct: Err(String::new()),
            buffered: Arc::new(buffered),
            ours: true,
            generation: AtomicU64::new(1),
        };
        file.allocate()?;
        file.direct = open_direct(&file.path, &file.buffered, true);
        fill::fill(&file, pattern, watch)?;
        watch(FillStep::Syncing)?;
        file.buffered.sync_all().map_err(|source| Error::system("sync", &file.path, source))?;
        watch(FillStep::Verifying)?;
        Ok(file)
    }

    /// A file that exists already, to be read only; it stays. `seed` is that of its contents, if they are known.
    pub fn existing(path: &Path, seed: Option<u64>) -> Result<TestFile, Error> {
        let fail = |source| Error::system("open", path, source);
        let buffered = File::open(path).map_err(fail)?;
        let bytes = buffered.metadata().map_err(fail)?.len();
        let direct = open_direct(path, &buffered, false);
        Ok(TestFile {
            path: path.to_path_buf(),
            bytes,
            pattern: seed.map(Pattern::new),
            direct,
            buffered: Arc::new(buffered),
            ours: false,
            generation: AtomicU64::new(1),
        })
    }

    /// The same file as on a file system without direct I/O, for `reason`.
    #[must_use]
    pub fn without_direct(mut self, reason: &str) -> TestFile {
        self.direct = Err(reason.to_string());
        self
    }

    /// Gives the file its size and asks for its blocks at once: a full disk shows now, and blocks lie together.
    fn allocate(&self) -> Result<(), Error> {
        let fail = |action, source| Error::system(action, &self.path, source);
        let length = libc::off_t::try_from(self.bytes)
            .map_err(|_| fail("allocate", io::Error::from_raw_os_error(libc::EFBIG)))?;
        loop {
            // SAFETY: the descriptor is open; the call touches no memory of ours.
            if unsafe { libc::fallocate(self.buffered.as_raw_fd(), 0, 0, length) } == 0 {
                return Ok(());
            }
            let error = io::Error::last_os_error();
            match error.raw_os_error() {
                Some(libc::EINTR) => {}
                // File systems without preallocation (NFS before 4.2, ZFS, some FUSE) get the size alone.
                Some(libc::EOPNOTSUPP | libc::ENOSYS | libc::EINVAL) => {
                    return self
                        .buffered
                        .set_len(self.bytes)
                        .map_err(|source| fail("set the size of", source));
                }
                _ => return Err(fail("allocate blocks for", error)),
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its size, bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether it may be written.
    pub fn writable(&self) -> bool {
        self.ours
    }

    /// What it was filled with, where that is known.
    pub fn pattern(&self) -> Option<Pattern> {
        self.pattern
    }

    /// Access past the page cache, or why there is none.
    pub fn direct(&self) -> Result<&Direct, &str> {
        self.direct.as_ref().map_err(String::as_str)
    }

    /// A descriptor for direct I/O, or why there is none.
    pub fn direct_file(&self) -> Result<Arc<File>, &str> {
        self.direct().map(|direct| Arc::clone(&direct.file))
    }

    /// The descriptor through the page cache.
    pub fn buffered_file(&self) -> &Arc<File> {
        &self.buffered
    }

    /// A descriptor of its own through the page cache, as each session of a server has one: the kernel's read-ahead
    /// keeps its state per descriptor.
    pub fn reopen(&self) -> Result<Arc<File>, Error> {
        OpenOptions::new()
            .read(true)
            .write(self.ours)
            .open(&self.path)
            .map(Arc::new)
            .map_err(|source| Error::system("open", &self.path, source))
    }

    /// Alignment that buffers need, bytes.
    pub fn memory_alignment(&self) -> usize {
        self.direct.as_ref().map_or(SECTOR, |direct| direct.memory_alignment)
    }

    /// A generation nobody has written with, for the tags of one worker in one window; up to 2^32 writes may count
    /// on from it.
    pub fn next_generation(&self) -> u64 {
        self.generation.fetch_add(1, Ordering::Relaxed) << 32
    }

    /// Share of the file that is a hole or allocated without having been written; `None` where the file system does
    /// not tell. The file must be synced.
    pub fn unwritten_share(&self) -> Option<f64> {
        Some(narrows_facts::file::extents(&self.buffered).ok()??.unwritten_share())
    }

    /// Reads sectors at places spread over the file (drawn from `seed`), past the page cache where possible, and looks
    /// at what they hold.
    pub fn sample_contents(&self, count: u32, seed: u64) -> Result<Contents, Error> {
        let step = self.direct.as_ref().map_or(4096, |direct| direct.offset_alignment.max(4096));
        let file = self.direct.as_ref().map_or(&self.buffered, |direct| &direct.file);
        let places = self.bytes / step;
        let mut contents = Contents::default();
        if places == 0 {
            return Ok(contents);
        }
        let length = u32::try_from(step).expect("alignments are small");
        let mut arena = Arena::new(1, length, self.memory_alignment())
            .map_err(|source| Error::system("allocate a buffer for", &self.path, source))?;
        let mut state = seed;
        for i in 0..u64::from(count) {
            // One place in each of `count` equal parts, so that a hole of any size above a part is met.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let part = |i: u64| (u128::from(i) * u128::from(places) / u128::from(count)) as u64;
            let (from, to) = (part(i), part(i + 1).max(part(i) + 1).min(places));
            let offset = (from + (state >> 33) % (to - from).max(1)).min(places - 1) * step;
            file.read_exact_at(arena.slot_mut(0), offset)
                .map_err(|source| Error::system_at("read", &self.path, offset, source))?;
            contents.sampled += 1;
            // Zeros can be told without knowing what was written, anything else can't.
            match self.pattern.unwrap_or(Pattern::new(0)).tag(arena.slot(0), offset) {
                Tag::Ours { .. } => {}
                Tag::Zeros => contents.zeros += 1,
                Tag::Displaced { .. } | Tag::Foreign => {
                    contents.wrong += u32::from(self.pattern.is_some());
                }
            }
        }
        Ok(contents)
    }
}

impl Drop for TestFile {
    fn drop(&mut self) {
        if self.ours
            && let Err(error) = fs::remove_file(&self.path)
            && error.kind() != io::ErrorKind::NotFound
        {
            eprintln!("warning: could not remove {}: {error}", self.path.display());
        }
    }
}

/// The file system's name where it keeps files in memory.
fn in_memory(dir: &Path) -> Option<String> {
    let kind = narrows_facts::file::fs_kind(dir).ok()?;
    narrows_facts::file::volatile_kind(&kind).then_some(kind)
}

/// Opens for direct I/O and tries it: some file systems accept the flag and refuse the first read.
fn open_direct(path: &Path, buffered: &File, write: bool) -> Result<Direct, String> {
    let file = OpenOptions::new()
        .read(true)
        .write(write)
        .custom_flags(libc::O_DIRECT)
        .open(path)
        .map_err(|error| format!("O_DIRECT refused: {error}"))?;
    let (memory, offset) = narrows_facts::file::dio_alignment(buffered)
        .map_or((4096, 4096), |(memory, offset)| (memory as usize, u64::from(offset)));
    let memory_alignment = memory.next_power_of_two().max(4096);
    let offset_alignment = offset.max(SECTOR as u64);
    let length = u32::try_from(offset_alignment.max(4096)).map_err(|error| error.to_string())?;
    let mut probe =
        Arena::new(1, length, memory_alignment).map_err(|error| format!("no buffer: {error}"))?;
    file.read_at(probe.slot_mut(0), 0)
        .map_err(|error| format!("the first direct read failed: {error}"))?;
    Ok(Direct { file: Arc::new(file), memory_alignment, offset_alignment })
}
