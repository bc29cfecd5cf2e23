//! The folder in which everything is written, and which is gone afterwards.
//!
//! `DIR/narrows-scratch-ID` holds a marker file that is locked for as long as its process lives (`flock`, so the
//! kernel releases it however the process ends). It is removed on drop; a folder whose marker nobody holds is the
//! rest of a crashed run and is removed by the next start. Folders without our marker, of other owners, or behind
//! symbolic links are never touched.

use std::fs::{self, File, TryLockError};
use std::io;
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

const PREFIX: &str = "narrows-scratch-";
const MARKER: &str = ".narrows";

/// Why there is no scratch folder.
#[derive(Debug, thiserror::Error)]
pub enum ScratchError {
    /// The folder the user named can't hold one.
    #[error("cannot create a scratch folder in {dir}: {reason}\nhint: {hint}")]
    Create {
        /// The parent folder.
        dir: PathBuf,
        /// What the system said.
        reason: io::Error,
        /// What to do.
        hint: &'static str,
    },
}

/// What the sweep for leftovers found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Folders of crashed runs that were removed.
    pub removed: Vec<PathBuf>,
    /// Folders of runs that are alive.
    pub alive: Vec<PathBuf>,
}

/// A scratch folder; removed when dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    _lock: File,
}

impl Scratch {
    /// Makes `dir/narrows-scratch-ID`, reachable (but not listable) by others, because a database server of ours
    /// may run as another user.
    pub fn create(dir: &Path, id: &str) -> Result<Scratch, ScratchError> {
        let fail = |reason: io::Error| {
            let hint = hint(&reason);
            ScratchError::Create { dir: dir.to_path_buf(), reason, hint }
        };
        let path = dir.join(format!("{PREFIX}{id}"));
        fs::DirBuilder::new().mode(0o711).create(&path).map_err(fail)?;
        let locked = || -> io::Result<File> {
            let marker = File::create_new(path.join(MARKER))?;
            marker.lock()?;
            Ok(marker)
        };
        match locked() {
            Ok(lock) => Ok(Scratch { path, _lock: lock }),
            Err(error) => {
                // Nothing but our own, perhaps half-made, marker can be in it.
                let _ = fs::remove_dir_all(&path);
                Err(fail(error))
            }
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes what crashed runs of this user left in `dir`. A folder that can't be read is passed over.
    pub fn sweep(dir: &Path) -> Swept {
        let mut swept = Swept::default();
        let Ok(entries) = fs::read_dir(dir) else { return swept };
        // SAFETY: geteuid has no preconditions and cannot fail.
        let euid = unsafe { libc::geteuid() };
        for entry in entries.flatten() {
            if !entry.file_name().to_string_lossy().starts_with(PREFIX) {
                continue;
            }
            let path = entry.path();
            let ours = fs::symlink_metadata(&path)
                .is_ok_and(|metadata| metadata.is_dir() && metadata.uid() == euid);
            if !ours {
                continue;
            }
            let Ok(marker) = File::open(path.join(MARKER)) else { continue };
            match marker.try_lock() {
                Ok(()) => {
                    if fs::remove_dir_all(&path).is_ok() {
                        swept.removed.push(path);
                    }
                }
                Err(TryLockError::WouldBlock) => swept.alive.push(path),
                Err(TryLockError::Error(_)) => {}
            }
        }
        swept
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.path)
            && error.kind() != io::ErrorKind::NotFound
        {
            let warning = format!("warning: could not remove {}: {error}", self.path.display());
            // Nobody to tell is no reason to fail.
            let _ = writeln!(std::io::stderr(), "{}", narrows_units::shown(&warning));
        }
    }
}

fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "create the folder, or name another one with --data and --wal",
        io::ErrorKind::PermissionDenied => {
            "name a folder you may write to with --data and --wal, or run as its owner"
        }
        io::ErrorKind::ReadOnlyFilesystem => {
            "the file system is mounted read-only; name a folder on another one with --data and --wal"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space, or name a folder on another file system with --data and --wal"
        }
        io::ErrorKind::NotADirectory => "name a folder, not a file",
        _ => "name another folder with --data and --wal",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gone_after_drop_with_everything_in_it() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::create(parent.path(), "a1").unwrap();
        fs::create_dir(scratch.path().join("sub")).unwrap();
        fs::write(scratch.path().join("sub/file"), b"x").unwrap();
        drop(scratch);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn the_sweep_takes_dead_folders_and_leaves_the_living_and_the_foreign() {
        let parent = tempfile::tempdir().unwrap();
        let alive = Scratch::create(parent.path(), "alive").unwrap();
        let dead = Scratch::create(parent.path(), "dead").unwrap();
        let dead_path = dead.path().to_path_buf();
        // What a killed process leaves: the folder and its marker, unlocked.
        let Scratch { _lock, .. } = &dead;
        _lock.unlock().unwrap();
        std::mem::forget(dead);
        let foreign = parent.path().join("narrows-scratch-foreign");
        fs::create_dir(&foreign).unwrap();
        let target = parent.path().join("target");
        fs::create_dir(&target).unwrap();
        std::os::unix::fs::symlink(&target, parent.path().join("narrows-scratch-link")).unwrap();

        let swept = Scratch::sweep(parent.path());
        assert_eq!(swept.removed, vec![dead_path.clone()]);
        assert_eq!(swept.alive, vec![alive.path().to_path_buf()]);
        assert!(!dead_path.exists() && foreign.exists() && target.exists());
    }

    #[test]
    fn errors_name_the_folder_and_a_way_out() {
        let error = Scratch::create(Path::new("/nonexistent/place"), "x").unwrap_err().to_string();
        assert!(error.contains("/nonexistent/place") && error.contains("hint: create the folder"));
    }
}
