//! A data set that each run of an experiment begins with: the same bytes, cloned in an instant.
//!
//! The clone of `/u1/pg` for the experiment `wal` is `/u1/pg.narrows-wal/data`. The folder around it is ours and has a mark, so that nothing
//! else is ever removed. Each run gets a new one; it is removed after the run, and what a killed experiment left, by its next start.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use narrows_files::{CloneError, Dir, clone_tree, euid};

use crate::failure::Failure;

/// In commands and options of a measurement it stands for the clone's path.
pub const PLACEHOLDER: &str = "{clone}";
/// Where commands find it.
pub const VARIABLE: &str = "NARROWS_CLONE";
const MARK: &str = "narrows-clone";
const DATA: &str = "data";
/// Of a PostgreSQL server that runs on the folder, or ended without a shutdown.
const RUNS: &str = "postmaster.pid";

/// Clones of one folder.
#[derive(Debug)]
pub(super) struct Clones {
    original: PathBuf,
    above: Dir,
    /// The folder around a clone.
    name: String,
}

impl Clones {
    /// Of that folder, for an experiment. What an earlier start of it left is removed.
    ///
    /// # Errors
    /// The folder can't be opened or written beside, or something else has the clone's name.
    pub(super) fn of(original: &Path, experiment: &str) -> Result<Clones> {
        let refused = |error: std::io::Error| {
            Failure::hinted(
                format!("--clone {}: {error}", original.display()),
                "name a folder that you may read, in one that you may write to",
            )
        };
        let original = std::fs::canonicalize(original).map_err(refused)?;
        let (Some(parent), Some(last)) = (original.parent(), original.file_name()) else {
            return Err(Failure::hinted(
                format!("--clone {}: no folder of its own", original.display()),
                "name a folder within a file system",
            ));
        };
        let name = format!("{}.narrows-{experiment}", last.to_string_lossy());
        let clones = Clones { above: Dir::open(parent).map_err(refused)?, name, original };
        clones.remove()?;
        Ok(clones)
    }

    /// A new clone of what is in the folder now.
    ///
    /// # Errors
    /// A server works there, or the folder can't be cloned; nothing of the clone is left then.
    pub(super) fn fresh(&self) -> Result<PathBuf> {
        self.remove()?;
        let made = self.make();
        if made.is_err() {
            // The first error is the one that is told.
            let _ = self.remove();
        }
        made
    }

    fn make(&self) -> Result<PathBuf> {
        let original = Dir::open(&self.original)
            .with_context(|| format!("opening {}", self.original.display()))?;
        if original.has(RUNS)? {
            return Err(Failure::hinted(
                format!(
                    "--clone {}: a server runs on it ({RUNS} is there)",
                    self.original.display()
                ),
                "shut it down first: files that are written meanwhile are not the same for both sides",
            ));
        }
        let around = self
            .above
            .create_dir(&self.name, 0o755)
            .with_context(|| format!("making {}", self.above.path().join(&self.name).display()))?;
        around.create_new(MARK, 0o600)?;
        let data = around.create_dir(DATA, original.mode()? & 0o7777)?;
        clone_tree(&original, &data).map_err(|error| match &error {
            CloneError::Unsupported(_) => Failure::hinted(
                format!("--clone: {error}"),
                "Btrfs and XFS can; elsewhere let --a and --b restore a snapshot of LVM or ZFS",
            ),
            CloneError::Entry { .. } => Failure::hinted(
                format!("--clone: {error}"),
                "clone a folder that holds all of its data itself, without tablespaces or WAL elsewhere",
            ),
            CloneError::System { .. } => Failure::hinted(
                format!("--clone: {error}"),
                "the folder has to be readable, and there has to be room beside it",
            ),
        })?;
        let (uid, gid) = original.owner_and_group()?;
        if euid() == 0 && uid != 0 {
            data.give(uid, gid)?;
        }
        Ok(data.path().to_path_buf())
    }

    /// Removes a clone of ours; without one it does nothing.
    ///
    /// # Errors
    /// Something else has its name, or it can't be removed.
    pub(super) fn remove(&self) -> Result<()> {
        if !self.above.has(&self.name)? {
            return Ok(());
        }
        let path = self.above.path().join(&self.name);
        let ours = self.above.open_dir(&self.name).is_ok_and(|around| {
            around.owner().is_ok_and(|owner| owner == euid()) && around.has(MARK).unwrap_or(false)
        });
        if !ours {
            return Err(Failure::hinted(
                format!("{} is no clone of narrows, and is left alone", path.display()),
                "move it away, or give the experiment another name",
            ));
        }
        self.above.remove_tree(&self.name).map_err(|error| {
            Failure::hinted(
                format!("cannot remove {}: {error}", path.display()),
                "end what works in it: --after runs a command after each run",
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::render;

    fn original(top: &Path) -> PathBuf {
        let original = top.join("pg");
        std::fs::create_dir(&original).unwrap();
        std::fs::write(original.join("PG_VERSION"), "17\n").unwrap();
        original
    }

    #[test]
    fn a_clone_is_ours_alone_and_leaves_nothing() {
        let top = match std::env::var_os("NARROWS_REFLINK_DIR") {
            Some(folder) => tempfile::tempdir_in(folder).unwrap(),
            None => tempfile::tempdir().unwrap(),
        };
        let original = original(top.path());
        let clones = Clones::of(&original, "wal").unwrap();
        match clones.fresh() {
            Ok(clone) => {
                std::fs::write(clone.join("PG_VERSION"), "18\n").unwrap();
                let again = clones.fresh().unwrap();
                assert_eq!(std::fs::read_to_string(again.join("PG_VERSION")).unwrap(), "17\n");
                clones.remove().unwrap();
            }
            Err(error) => {
                let error = render(&error);
                assert!(std::env::var_os("NARROWS_REFLINK_DIR").is_none(), "{error}");
                println!("SKIPPED: cloning itself: {error}");
                assert!(error.contains("cannot clone files") && error.contains("LVM"), "{error}");
            }
        }
        let left: Vec<_> = std::fs::read_dir(top.path()).unwrap().flatten().collect();
        assert_eq!(left.len(), 1, "{left:?}");
    }

    #[test]
    fn a_running_server_and_somebodys_folder_are_left_alone() {
        let top = tempfile::tempdir().unwrap();
        let original = original(top.path());
        let clones = Clones::of(&original, "wal").unwrap();
        std::fs::write(original.join(RUNS), "1\n").unwrap();
        let error = render(&clones.fresh().unwrap_err());
        assert!(error.contains("a server runs on it") && error.contains("hint: "), "{error}");
        let theirs = top.path().join("pg.narrows-wal");
        assert!(!theirs.exists());
        std::fs::create_dir(&theirs).unwrap();
        std::fs::write(theirs.join("precious"), "1").unwrap();
        let error = render(&clones.fresh().unwrap_err());
        assert!(error.contains("is left alone"), "{error}");
        assert!(theirs.join("precious").exists());
        let error = render(&Clones::of(&top.path().join("gone"), "wal").unwrap_err());
        assert!(error.contains("--clone ") && error.contains("gone"), "{error}");
    }
}
