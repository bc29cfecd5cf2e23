//! Whether a file fits, asked before the first byte is written, so that a measurement never fills a disk that a
//! database lives on.

use std::io;
use std::path::Path;

use rustix::fs::{Access, AtFlags, CWD};
use rustix::process::{Resource, getrlimit};

use crate::Error;

/// At least this much stays free.
const RESERVE_BYTES: u64 = 1 << 30;
/// At least this share of the file system stays free.
const RESERVE_SHARE: f64 = 0.05;

/// Room on a file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// Size of the file system, bytes.
    pub total_bytes: u64,
    /// Free for this user, bytes.
    pub available_bytes: u64,
    /// Files that this user can still make; `None` where the file system has no limit of its own.
    pub available_files: Option<u64>,
}

impl Space {
    /// Of the file system that holds `dir`.
    pub fn of(dir: &Path) -> Result<Space, Error> {
        let fail = |source| Error::system("ask for the free space of", dir, source);
        let stat = rustix::fs::statvfs(dir).map_err(|errno| fail(errno.into()))?;
        Ok(Space {
            total_bytes: stat.f_blocks.saturating_mul(stat.f_frsize),
            available_bytes: stat.f_bavail.saturating_mul(stat.f_frsize),
            available_files: (stat.f_files > 0).then_some(stat.f_favail),
        })
    }

    /// What must stay free: 1 GiB or 5 % of the file system, whichever is more.
    pub fn reserve_bytes(&self) -> u64 {
        RESERVE_BYTES.max((self.total_bytes as f64 * RESERVE_SHARE) as u64)
    }

    /// What one file may have at most, less a part of 64 for what others write until it is made, bytes.
    pub fn room_bytes(&self) -> u64 {
        let room = self.available_bytes.saturating_sub(self.reserve_bytes());
        room - room / 64
    }

    /// Refuses so many files where they would take more than half of what is left, so that others can still make theirs.
    pub fn check_files(&self, dir: &Path, wanted: u64) -> Result<(), Error> {
        match self.available_files {
            Some(available) if wanted > available / 2 => {
                Err(Error::NoFiles { dir: dir.to_path_buf(), wanted, available })
            }
            _ => Ok(()),
        }
    }

    /// Refuses a file that would eat into the reserve.
    pub fn check(&self, dir: &Path, wanted: u64) -> Result<(), Error> {
        let (available, reserve) = (self.available_bytes, self.reserve_bytes());
        if wanted.saturating_add(reserve) > available {
            return Err(Error::NoSpace { dir: dir.to_path_buf(), wanted, available, reserve });
        }
        Ok(())
    }
}

/// Whether this user may make files in a folder, asked of the kernel without making one (`faccessat(2)`): a mount that is read-only,
/// permissions, a folder that is none.
///
/// # Errors
/// What the kernel said.
pub fn check_writable(dir: &Path) -> io::Result<()> {
    let rights = Access::WRITE_OK | Access::EXEC_OK;
    Ok(rustix::fs::accessat(CWD, dir, rights, AtFlags::EACCESS)?)
}

/// Refuses a file larger than this process may write: the kernel would end the process with a signal.
pub(crate) fn check_file_size_limit(dir: &Path, wanted: u64) -> Result<(), Error> {
    if let Some(limit) = getrlimit(Resource::Fsize).current
        && wanted > limit
    {
        return Err(Error::FileSizeLimit { dir: dir.to_path_buf(), wanted, limit });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reserve_is_never_touched() {
        let gib = 1 << 30;
        let small =
            Space { total_bytes: 10 * gib, available_bytes: 3 * gib, available_files: None };
        assert_eq!(small.reserve_bytes(), gib);
        assert!(small.check(Path::new("/d"), 2 * gib).is_ok());
        assert!(small.check(Path::new("/d"), 2 * gib + 1).is_err());
        assert_eq!(small.room_bytes(), 2 * gib - gib / 32);
        let large =
            Space { total_bytes: 100 * gib, available_bytes: 6 * gib, available_files: None };
        assert_eq!(large.reserve_bytes(), 5 * gib);
        let error = large.check(Path::new("/d"), 2 * gib).unwrap_err().to_string();
        assert!(error.contains("/d") && error.contains("hint: free some space"), "{error}");
        assert!(large.check(Path::new("/d"), u64::MAX).is_err());
        let full = Space { available_bytes: gib / 2, ..small };
        assert_eq!(full.room_bytes(), 0);
    }

    #[test]
    fn half_of_the_files_that_can_be_made_are_left_to_others() {
        let space = |available_files| Space { total_bytes: 0, available_bytes: 0, available_files };
        assert!(space(Some(100)).check_files(Path::new("/d"), 50).is_ok());
        let error = space(Some(100)).check_files(Path::new("/d"), 51).unwrap_err().to_string();
        assert!(
            error.contains("/d") && error.contains("51") && error.contains("hint: "),
            "{error}"
        );
        assert!(space(None).check_files(Path::new("/d"), u64::MAX).is_ok(), "it has no limit");
    }

    #[test]
    fn a_folder_of_ours_takes_files_and_one_that_is_not_there_takes_none() {
        let dir = tempfile::tempdir().unwrap();
        check_writable(dir.path()).unwrap();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "nothing is made");
        let gone = check_writable(&dir.path().join("gone")).unwrap_err();
        assert_eq!(gone.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let error = Space::of(Path::new("/nonexistent/x")).unwrap_err().to_string();
        assert!(error.contains("/nonexistent/x") && error.contains("hint: "), "{error}");
    }
}
