//! A file that was fully written and made durable before anything is measured on it, and that is gone afterwards.
//!
//! A server recycles its log segments: appends overwrite blocks that are allocated and written. A new or a merely
//! allocated file would make every flush commit the file system's journal too, and measure that.

use std::fs::File;
use std::io;
use std::io::Write as _;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use narrows_engine::{Rng, Stop};
use narrows_facts::file;
use narrows_files::Access;

use crate::LogError;

/// Written at a time while filling.
const PIECE: usize = 1 << 20;

/// A pre-written file, removed when dropped.
#[derive(Debug)]
pub struct Segment {
    path: PathBuf,
    file: File,
    bytes: u64,
}

/// Refuses a folder in memory, before anything is written.
///
/// # Errors
/// It lies in memory.
pub fn check_dir(dir: &Path) -> Result<(), LogError> {
    // Where the kind can't be told, the flushes themselves will tell.
    if file::volatile(dir).unwrap_or(false) {
        let kind = file::fs_kind(dir).unwrap_or_else(|_| "a file system".to_string());
        return Err(LogError::Volatile { dir: dir.to_path_buf(), kind });
    }
    Ok(())
}

impl Segment {
    /// Writes `bytes` (a multiple of 8 KiB) of incompressible data to `dir/name` and makes them durable.
    pub fn create(
        dir: &Path,
        name: &str,
        bytes: u64,
        seed: u64,
        stop: &Stop,
    ) -> Result<Segment, LogError> {
        check_dir(dir)?;
        Segment::create_anywhere(dir, name, bytes, seed, stop)
    }

    /// The same, in memory too: what stands for a fast medium there is durable nowhere.
    pub fn create_anywhere(
        dir: &Path,
        name: &str,
        bytes: u64,
        seed: u64,
        stop: &Stop,
    ) -> Result<Segment, LogError> {
        if !dir.is_dir() {
            return Err(LogError::Missing { dir: dir.to_path_buf() });
        }
        let path = dir.join(name);
        let file = narrows_files::create_new(&path, Access::Write, 0o600)
            .map_err(|reason| LogError::of("creating", &path, bytes, reason))?;
        // From here on the file is removed whatever happens.
        let segment = Segment { path, file, bytes };
        let mut rng = Rng::new(seed);
        let mut piece = vec![0; PIECE];
        let mut written = 0;
        while written < bytes {
            stop.check()?;
            rng.fill(&mut piece);
            let length = (bytes - written).min(PIECE as u64) as usize;
            segment
                .file
                .write_all_at(&piece[..length], written)
                .map_err(|reason| LogError::of("writing", &segment.path, bytes, reason))?;
            written += length as u64;
            // In steps, so that a stop need not wait for all of it.
            if written.is_multiple_of(32 * PIECE as u64) {
                segment.sync(bytes)?;
            }
        }
        segment.sync(bytes)?;
        Ok(segment)
    }

    fn sync(&self, bytes: u64) -> Result<(), LogError> {
        self.file.sync_all().map_err(|reason| LogError::of("flushing", &self.path, bytes, reason))
    }

    /// The file, for writes that are flushed by a call of their own.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its size.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Opens it again for writes that are durable when they return.
    pub fn open_dsync(&self) -> Result<File, LogError> {
        narrows_files::reopen(&self.file, &self.path, Access::WriteWith(libc::O_DSYNC))
            .map_err(|reason| LogError::Dsync { file: self.path.clone(), reason })
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        if let Err(error) = narrows_files::remove_file(&self.path)
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
    use crate::medium::LogMedium;
    use crate::page::{PAGE, Pages};

    const MIB: u64 = 1 << 20;

    fn folder() -> Option<tempfile::TempDir> {
        crate::tests::folder()
    }

    #[test]
    fn fully_written_and_gone_after_drop() {
        let Some(dir) = folder() else { return };
        let segment = Segment::create(dir.path(), "s", 3 * MIB, 1, &Stop::new()).unwrap();
        if let Ok(Some(extents)) = file::extents(segment.file()) {
            assert_eq!((extents.holes_bytes, extents.unwritten_bytes), (0, 0));
        }
        assert_eq!(segment.file().metadata().unwrap().len(), 3 * MIB);
        drop(segment);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn writes_go_around_the_end_and_read_back() {
        let Some(dir) = folder() else { return };
        let segment = Segment::create(dir.path(), "s", MIB, 1, &Stop::new()).unwrap();
        let pages = Pages::new(9);
        let mut buffer = vec![0; 4 * PAGE];
        let position = 5 * MIB - 2 * PAGE as u64;
        pages.fill(position, &mut buffer);
        segment.write_around(position, &buffer).unwrap();
        let end = position + buffer.len() as u64;
        assert_eq!(segment.verify(&pages, end, 4).unwrap(), (4, 0));
        // The page before was never appended, and a changed byte is seen.
        assert_eq!(segment.verify(&pages, end, 5).unwrap(), (5, 1));
        segment.file().write_all_at(&[1, 2, 3], 700).unwrap();
        assert_eq!(segment.verify(&pages, end, 4).unwrap(), (4, 1));
    }

    #[test]
    fn a_stop_while_filling_leaves_nothing() {
        let Some(dir) = folder() else { return };
        let stop = Stop::new();
        stop.set();
        let error = Segment::create(dir.path(), "s", MIB, 1, &stop).unwrap_err();
        assert!(matches!(error, LogError::Stopped(_)));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
