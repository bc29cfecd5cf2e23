//! The file that storage is measured on: fully written, unlike any other, and proven so.
//!
//! A sparse or merely allocated file is answered by the file system without asking the device (1 of 1.7 million
//! reads reached it in the trial of the references, `storage.md` fact 8), so every block is written, synced, and
//! then looked at twice: by the file system's map of extents and by reading a sample of blocks back past the page
//! cache.

use std::io;
use std::io::Write as _;
use std::ops::Deref;
use std::path::Path;

use narrows_files::Access;
use rustix::fs::FallocateFlags;
use rustix::io::Errno;

use crate::direct::open_direct;
use crate::fill::{self, FILE_UNIT, FillStep};
use crate::space::{self, Space};
use crate::{Entropy, Error, Pattern, Target, TargetKind};

/// What file to make.
#[derive(Debug, Clone, Copy)]
pub struct Blueprint<'a> {
    /// The scratch folder.
    pub dir: &'a Path,
    /// Size, bytes; rounded up to [`FILE_UNIT`].
    pub bytes: u64,
    /// Makes the contents unlike any other file's.
    pub seed: u64,
    /// What compression and deduplication shall find.
    pub entropy: Entropy,
    /// The room to assume instead of asking the file system; for tests.
    pub space: Option<Space>,
}

/// A file to measure on: a [`Target`] that is removed on drop if it was created here.
#[derive(Debug)]
pub struct TestFile {
    target: Target,
    ours: bool,
}

impl Deref for TestFile {
    type Target = Target;

    fn deref(&self) -> &Target {
        &self.target
    }
}

impl TestFile {
    /// Creates and fills a file. `watch` is told of every step and ends the work by returning an error, which leaves
    /// nothing behind, as does every other failure.
    pub fn create(
        blueprint: Blueprint<'_>,
        watch: &mut dyn FnMut(FillStep) -> Result<(), Error>,
    ) -> Result<TestFile, Error> {
        let dir = blueprint.dir;
        TestFile::check(dir, blueprint.bytes, blueprint.space)?;
        let bytes = blueprint.bytes.max(1).next_multiple_of(FILE_UNIT);

        let path = dir.join(format!("block-{:016x}.data", blueprint.seed));
        let buffered = narrows_files::create_new(&path, Access::Write, 0o600)
            .map_err(|source| Error::system("create", &path, source))?;
        let pattern = Pattern::with_entropy(blueprint.seed, blueprint.entropy);
        let target = Target::of(&path, TargetKind::File, buffered, true)?.with_pattern(pattern);
        // From here on the value owns the file, and dropping it on any error removes the file.
        let mut file = TestFile { target, ours: true };
        file.target.set_bytes(bytes);
        file.allocate()?;
        file.target.direct = open_direct(file.buffered_file(), || {
            narrows_files::reopen(file.buffered_file(), &path, Access::WriteWith(libc::O_DIRECT))
        });
        fill::fill(&file.target, pattern, watch)?;
        watch(FillStep::Syncing)?;
        file.buffered_file().sync_all().map_err(|source| file.fail("sync", source))?;
        watch(FillStep::Verifying)?;
        Ok(file)
    }

    /// Refuses a file of so many bytes below `dir` as [`TestFile::create`] does, before anything is written. `space` is that of the
    /// file system; `None` asks for it.
    ///
    /// # Errors
    /// The file system keeps files in memory or has too little room, or this process may not write a file of that size.
    pub fn check(dir: &Path, bytes: u64, space: Option<Space>) -> Result<(), Error> {
        let bytes = bytes.max(1).next_multiple_of(FILE_UNIT);
        if let Some(kind) = in_memory(dir) {
            return Err(Error::InMemory { dir: dir.to_path_buf(), kind });
        }
        space.map_or_else(|| Space::of(dir), Ok)?.check(dir, bytes)?;
        space::check_file_size_limit(dir, bytes)
    }

    /// A file that exists already, to be read only; it stays. `seed` is that of its contents, if they are known.
    pub fn existing(path: &Path, seed: Option<u64>) -> Result<TestFile, Error> {
        let mut target = Target::open_read(path, true)?;
        target.pattern = seed.map(Pattern::new);
        Ok(TestFile { target, ours: false })
    }

    /// The same file as on a file system without direct I/O, for `reason`.
    #[must_use]
    pub fn without_direct(mut self, reason: &str) -> TestFile {
        self.target.direct = Err(reason.to_string());
        self
    }

    /// Gives a file of ours a place where it stays, with a length of `bytes`. Whatever is there already is left alone.
    ///
    /// # Errors
    /// What the system said; then it goes with this value.
    pub fn stay(mut self, to: &Path, bytes: u64) -> Result<(), Error> {
        if !self.ours {
            return Ok(());
        }
        self.buffered_file()
            .set_len(bytes)
            .map_err(|source| self.fail("set the size of", source))?;
        narrows_files::move_new(self.path(), to)
            .map_err(|source| Error::system("keep", to, source))?;
        self.ours = false;
        Ok(())
    }

    /// The handles alone; whoever has them must not outlive the file.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Gives the file its size and asks for its blocks at once: a full disk shows now, and blocks lie together.
    fn allocate(&self) -> Result<(), Error> {
        loop {
            let whole = FallocateFlags::empty();
            match rustix::fs::fallocate(self.buffered_file(), whole, 0, self.bytes()) {
                Ok(()) => return Ok(()),
                Err(Errno::INTR) => {}
                // File systems without preallocation (NFS before 4.2, ZFS, some FUSE) get the size alone.
                Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => {
                    return self
                        .buffered_file()
                        .set_len(self.bytes())
                        .map_err(|source| self.fail("set the size of", source));
                }
                Err(error) => return Err(self.fail("allocate blocks for", error.into())),
            }
        }
    }
}

impl Drop for TestFile {
    fn drop(&mut self) {
        if self.ours
            && let Err(error) = narrows_files::remove_file(self.path())
            && error.kind() != io::ErrorKind::NotFound
        {
            let warning = format!("warning: could not remove {}: {error}", self.path().display());
            // Nobody to tell is no reason to fail.
            let _ = writeln!(std::io::stderr(), "{}", narrows_units::shown(&warning));
        }
    }
}

/// The file system's name where it keeps files in memory.
fn in_memory(dir: &Path) -> Option<String> {
    let kind = narrows_facts::file::fs_kind(dir).ok()?;
    narrows_facts::file::volatile_kind(&kind).then_some(kind)
}
