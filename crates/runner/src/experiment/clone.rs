//! A data set that each run of an experiment begins with: the same bytes, cloned in an instant.
//!
//! The clone of `/u1/pg` for the experiment `wal` is `/u1/pg.narrows-wal/data`. The folder around it is ours and has a mark, so that nothing
//! else is ever removed: the data first, then the mark, then the folder, all of it below one open folder. Each run gets a new clone; it is
//! removed after the run, and what a killed experiment left, by its next start.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use narrows_engine::Stop;
use narrows_files::{CloneError, Dir, clone_tree, euid};

use crate::failure::Failure;

/// In options of a measurement it stands for the clone's path.
pub const PLACEHOLDER: &str = "{clone}";
/// Where commands find it.
pub const VARIABLE: &str = "NARROWS_CLONE";
const MARK: &str = "narrows-clone";
const DATA: &str = "data";
/// Of a PostgreSQL server that runs on the folder, or ended without a shutdown; its first line is the process.
const PID_FILE: &str = "postmaster.pid";
/// Bytes.
const LONGEST_PID_FILE: u64 = 4096;

/// Clones of one folder.
#[derive(Debug)]
pub(super) struct Clones {
    original: Dir,
    above: Dir,
    /// The folder around a clone.
    name: String,
}

impl Clones {
    /// Of that folder, whose path is absolute, for an experiment. What an earlier start of it left is removed.
    ///
    /// # Errors
    /// The folder can't be opened or written beside, is a mount, or something else has the clone's name.
    pub(super) fn of(original: &Path, experiment: &str) -> Result<Clones> {
        let shown = original.display();
        let refused = |error: std::io::Error| {
            Failure::hinted(
                format!("--clone {shown}: {error}"),
                "name a folder that you may read, in one that you may write to",
            )
        };
        let (Some(parent), Some(last)) = (original.parent(), original.file_name()) else {
            return Err(Failure::hinted(
                format!("--clone {shown}: no folder of its own"),
                "name a folder within a file system",
            ));
        };
        let name = format!("{}.narrows-{experiment}", last.to_string_lossy());
        let above = Dir::open(parent).map_err(refused)?;
        let original = Dir::open(original).map_err(refused)?;
        let owner = above.owner().map_err(refused)?;
        if owner != 0 && owner != euid() {
            return Err(Failure::hinted(
                format!("--clone {shown}: the folder that it is in belongs to user {owner}"),
                "run narrows ab as that user: whoever may rename there could lead root elsewhere",
            ));
        }
        if !original.is_on_mount_of(&above).map_err(refused)? {
            return Err(Failure::hinted(
                format!(
                    "--clone {shown}: a file system is mounted there, and a clone beside it would be on another"
                ),
                "name a folder within it",
            ));
        }
        let clones = Clones { original, above, name };
        clones.remove()?;
        Ok(clones)
    }

    /// Where a clone is, while there is one.
    pub(super) fn path(&self) -> PathBuf {
        self.above.path().join(&self.name).join(DATA)
    }

    /// A new clone of what is in the folder now; `None` where it was stopped.
    ///
    /// # Errors
    /// A server works there, or the folder can't be cloned; nothing of the clone is left then.
    pub(super) fn fresh(&self, stop: &Stop) -> Result<Option<PathBuf>> {
        self.remove()?;
        match self.make(stop) {
            Ok(true) => Ok(Some(self.path())),
            Ok(false) => self.remove().map(|()| None),
            Err(error) => {
                // The first error is the one that is told.
                let _ = self.remove();
                Err(error)
            }
        }
    }

    fn make(&self, stop: &Stop) -> Result<bool> {
        let shown = self.original.path().display();
        if self.original.has(PID_FILE)? {
            return Err(Failure::hinted(
                format!("--clone {shown}: a server works on it ({PID_FILE} is there)"),
                "shut it down first: files that are written meanwhile are not the same for both sides",
            ));
        }
        let making = || format!("making {}", self.path().display());
        let around = self.above.create_dir(&self.name, 0o755).with_context(making)?;
        around.create_new(MARK, 0o600).with_context(making)?;
        let mode = self.original.mode()? & 0o7777;
        let data = around.create_dir(DATA, mode).with_context(making)?;
        match clone_tree(&self.original, &data, &|| stop.is_set()) {
            Ok(()) => {}
            Err(CloneError::Stopped) => return Ok(false),
            Err(error) => {
                let hint = match &error {
                    CloneError::Unsupported(_) => {
                        "Btrfs and XFS can; elsewhere let --a and --b restore a snapshot of LVM or ZFS"
                    }
                    CloneError::Entry { .. } => {
                        "clone a folder that holds all of its data itself, without tablespaces or WAL elsewhere"
                    }
                    _ => "the folder has to be readable, and there has to be room beside it",
                };
                return Err(Failure::hinted(format!("--clone: {error}"), hint));
            }
        }
        let (uid, gid) = self.original.owner_and_group()?;
        if euid() == 0 && uid != 0 {
            data.give(uid, gid)?;
        }
        Ok(true)
    }

    /// Removes a clone of ours; without one it does nothing.
    ///
    /// # Errors
    /// Something else has its name, a server works on it, or it can't be removed.
    pub(super) fn remove(&self) -> Result<()> {
        if !self.above.has(&self.name)? {
            return Ok(());
        }
        let shown = self.above.path().join(&self.name);
        let around = self.ours()?;
        if let Some(process) = running(&around) {
            return Err(Failure::hinted(
                format!(
                    "{}: a server still works on the clone (process {process})",
                    shown.display()
                ),
                "stop it, by --after as well",
            ));
        }
        self.cleared(&around).map_err(|error| {
            Failure::hinted(
                format!("cannot remove {}: {error}", shown.display()),
                "end what works in it: --after runs a command after each run",
            )
        })
    }

    /// The folder around a clone, which we made: by its owner and its mark, or empty, as one who was killed left it.
    fn ours(&self) -> Result<Dir> {
        let around = self.above.open_dir(&self.name).ok().filter(|around| {
            let owner = around.owner().is_ok_and(|owner| owner == euid());
            let marked = around.has(MARK).unwrap_or(false);
            owner && (marked || around.names().is_ok_and(|names| names.is_empty()))
        });
        around.ok_or_else(|| {
            let shown = self.above.path().join(&self.name);
            Failure::hinted(
                format!("{} is no clone of narrows, and is left alone", shown.display()),
                "move it away, or give the experiment another name",
            )
        })
    }

    fn cleared(&self, around: &Dir) -> std::io::Result<()> {
        if around.has(DATA)? {
            around.remove_given(DATA)?;
        }
        if around.has(MARK)? {
            around.remove_file(MARK)?;
        }
        if !self.above.leads_to(&self.name, around) {
            return Err(std::io::Error::other("another folder was put in its place"));
        }
        self.above.remove_empty_dir(&self.name)
    }
}

/// The process of a server that works on the clone. Another one may have its number by now: a server works in its data folder.
fn running(around: &Dir) -> Option<u64> {
    let data = around.open_dir(DATA).ok()?;
    let text = data.read_text(PID_FILE, LONGEST_PID_FILE).ok()?;
    // Of a backend without a postmaster it is negative.
    let process = text.lines().next()?.trim().parse::<i64>().ok()?.unsigned_abs();
    let of_process = Path::new("/proc").join(process.to_string());
    let elsewhere =
        std::fs::read_link(of_process.join("cwd")).is_ok_and(|works_in| works_in != data.path());
    (of_process.exists() && !elsewhere).then_some(process)
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

    fn names(top: &Path) -> Vec<std::ffi::OsString> {
        std::fs::read_dir(top).unwrap().flatten().map(|entry| entry.file_name()).collect()
    }

    #[test]
    fn a_clone_is_ours_alone_and_leaves_nothing() {
        let top = match std::env::var_os("NARROWS_REFLINK_DIR") {
            Some(folder) => tempfile::tempdir_in(folder).unwrap(),
            None => tempfile::tempdir().unwrap(),
        };
        let original = original(top.path());
        let clones = Clones::of(&original, "wal").unwrap();
        match clones.fresh(&Stop::new()) {
            Ok(clone) => {
                let clone = clone.expect("nobody stopped it");
                std::fs::write(clone.join("PG_VERSION"), "18\n").unwrap();
                let again = clones.fresh(&Stop::new()).unwrap().expect("nobody stopped it");
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
        assert_eq!(names(top.path()), ["pg"]);
        let stop = Stop::new();
        stop.set();
        assert!(clones.fresh(&stop).unwrap().is_none());
        assert_eq!(names(top.path()), ["pg"], "stopped, and nothing is left");
    }

    /// A clone as `make` leaves it, without the file system's help.
    fn made(clones: &Clones) -> Dir {
        let around = clones.above.create_dir(&clones.name, 0o755).unwrap();
        around.create_new(MARK, 0o600).unwrap();
        around.create_dir(DATA, 0o700).unwrap();
        around
    }

    #[test]
    fn what_a_killed_experiment_left_is_removed_in_whatever_state() {
        let top = tempfile::tempdir().unwrap();
        let original = original(top.path());
        let clones = Clones::of(&original, "wal").unwrap();
        let around = clones.above.create_dir(&clones.name, 0o755).unwrap();
        Clones::of(&original, "wal").unwrap();
        assert!(!around.is_where_it_was(), "killed before the mark was there");
        let around = made(&clones);
        let data = around.open_dir(DATA).unwrap();
        data.create_dir("base", 0o700).unwrap();
        if euid() == 0 {
            // As of a server's folder, which root clones: the data are its user's.
            data.open_dir("base").unwrap().give(65_534, 65_534).unwrap();
            data.give(65_534, 65_534).unwrap();
            clones.original.give(65_534, 65_534).unwrap();
        }
        Clones::of(&original, "wal").unwrap();
        assert_eq!(names(top.path()), ["pg"]);
    }

    #[test]
    fn a_running_server_and_somebodys_folder_are_left_alone() {
        let top = tempfile::tempdir().unwrap();
        let original = original(top.path());
        let clones = Clones::of(&original, "wal").unwrap();
        let mut around = made(&clones);
        let pid_file = clones.path().join(PID_FILE);
        let mut server = std::process::Command::new("sleep")
            .arg("600")
            .current_dir(clones.path())
            .spawn()
            .unwrap();
        std::fs::write(&pid_file, format!("-{}\n", server.id())).unwrap();
        let error = render(&clones.remove().unwrap_err());
        server.kill().unwrap();
        server.wait().unwrap();
        assert!(error.contains("still works on the clone") && error.contains("--after"), "{error}");
        assert!(around.is_where_it_was());
        // Somebody else has the number.
        std::fs::write(&pid_file, format!("{}\n", std::process::id())).unwrap();
        clones.remove().unwrap();
        std::fs::write(original.join(PID_FILE), "1\n").unwrap();
        let error = render(&clones.fresh(&Stop::new()).unwrap_err());
        assert!(error.contains("a server works on it") && error.contains("hint: "), "{error}");
        assert_eq!(names(top.path()), ["pg"]);
        around = clones.above.create_dir(&clones.name, 0o755).unwrap();
        std::fs::write(around.path().join("precious"), "1").unwrap();
        let error = render(&clones.fresh(&Stop::new()).unwrap_err());
        assert!(error.contains("is left alone"), "{error}");
        assert!(around.has("precious").unwrap());
        let error = render(&Clones::of(&top.path().join("gone"), "wal").unwrap_err());
        assert!(error.contains("--clone ") && error.contains("gone"), "{error}");
        let error = render(&Clones::of(Path::new("/proc"), "wal").unwrap_err());
        assert!(error.contains("name a folder within it"), "{error}");
    }
}
