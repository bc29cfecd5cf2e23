//! The folder in which everything is written, and which is gone afterwards.
//!
//! `DIR/narrows-scratch-ID` holds a marker file that is locked for as long as its process lives (`flock`, so the
//! kernel releases it however the process ends). It is removed on drop, the marker last, so that a removal that was cut short is
//! taken up again; a folder whose marker nobody holds is the rest of a crashed run and is removed by the next start. Folders without
//! our marker, of other owners, or behind symbolic links are never touched. Programs that we start inherit a lock of their own
//! ([`Hold`]): what they left goes only when the last of them has ended.
//!
//! The folder above may be anybody's. What is removed is what was made, by its descriptor, and not what its path has come to mean.

use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use narrows_files::{Access, Dir, euid};

const PREFIX: &str = "narrows-scratch-";
/// How long the programs of a run that died may take to end: they are asked to by the kernel when it dies.
const LAST_PROGRAM_ENDS: Duration = Duration::from_secs(10);
/// Of making a folder that others who start at the same moment take for a rest.
const MOST_ATTEMPTS: usize = 10;
const LOOK_EVERY: Duration = Duration::from_millis(20);

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
    /// Folders of crashed runs of which something could not be removed, with the reason.
    pub kept: Vec<(PathBuf, String)>,
}

impl Swept {
    /// What there is to be told, one sentence each.
    pub fn sentences(&self) -> Vec<String> {
        let removed = self
            .removed
            .iter()
            .map(|path| format!("removed {}, left by an interrupted run", path.display()));
        let kept = self.kept.iter().map(|(path, reason)| {
            let path = path.display();
            format!(
                "warning: {path} was left by an interrupted run and cannot be removed: {reason}"
            )
        });
        removed.chain(kept).collect()
    }
}

/// A scratch folder; removed when dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    above: Dir,
    dir: Dir,
    _lock: File,
}

impl Scratch {
    /// The file by which a folder is known for ours.
    pub const MARKER: &str = ".narrows";

    /// Makes `dir/narrows-scratch-ID`, reachable (but not listable) by others, because a database server of ours
    /// may run as another user.
    pub fn create(dir: &Path, id: &str) -> Result<Scratch, ScratchError> {
        let fail = |reason: io::Error| {
            let hint = hint(&reason);
            ScratchError::Create { dir: dir.to_path_buf(), reason, hint }
        };
        let above = Dir::open(dir).map_err(fail)?;
        let name = format!("{PREFIX}{id}");
        let path = dir.join(&name);
        let mut attempts = 0;
        loop {
            let made = above.create_dir(&name, 0o711).map_err(fail)?;
            attempts += 1;
            match locked(&made) {
                Ok(lock) => return Ok(Scratch { path, above, dir: made, _lock: lock }),
                // Another start took the empty folder for one that a killed start had left.
                Err(error)
                    if error.kind() == io::ErrorKind::NotFound && attempts < MOST_ATTEMPTS => {}
                Err(error) => {
                    // Our own, perhaps half-made, marker, and the folder if nothing else is in it.
                    let _ = made.remove_file(Scratch::MARKER);
                    let _ = above.remove_empty_dir(&name);
                    return Err(fail(error));
                }
            }
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder, open.
    pub fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Removes what crashed runs of this user left in `dir`. A folder that can't be read is passed over. `before` is shown each folder
    /// that is about to go, for what belongs to it elsewhere.
    pub fn sweep(dir: &Path, before: &mut dyn FnMut(&Dir)) -> Swept {
        let mut swept = Swept::default();
        let Ok(above) = Dir::open(dir) else { return swept };
        for name in above.names().unwrap_or_default() {
            if !name.as_bytes().starts_with(PREFIX.as_bytes()) {
                continue;
            }
            // A link is no folder here.
            let Ok(found) = above.open_dir(&name) else { continue };
            if found.owner().ok() != Some(euid()) {
                continue;
            }
            match held(&found) {
                Held::Nobody => {
                    before(&found);
                    match remove(&above, &found, &name) {
                        Ok(()) => swept.removed.push(dir.join(&name)),
                        // Another start was faster.
                        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                        Err(error) => swept.kept.push((dir.join(&name), error.to_string())),
                    }
                }
                Held::Alive => swept.alive.push(dir.join(&name)),
                Held::Foreign => {}
                // A run was killed before it put its marker there, or after it removed it. Only an empty folder goes.
                Held::NoMarker => {
                    if above.remove_empty_dir(&name).is_ok() {
                        swept.removed.push(dir.join(&name));
                    }
                }
            }
        }
        swept
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let name = self.path.file_name().unwrap_or_default();
        if let Err(error) = remove(&self.above, &self.dir, name)
            && error.kind() != io::ErrorKind::NotFound
        {
            let warning = format!("warning: could not remove {}: {error}", self.path.display());
            // Nobody to tell is no reason to fail.
            let _ = writeln!(std::io::stderr(), "{}", narrows_units::shown(&warning));
        }
    }
}

/// A lock that programs inherit: while one of them lives their folders are not taken for those of a run that is over.
#[derive(Debug)]
pub struct Hold {
    /// Until programs are waited for.
    lock: Option<File>,
    name: OsString,
}

impl Hold {
    /// Locks a new file beside the folder `of`, in the folder `above`. The file is opened for reading, so that who inherits it can't
    /// write to it; the lock is a shared one, because file servers give no other to who only reads (`flock(2)`, "NFS details").
    ///
    /// # Errors
    /// What the system said.
    pub fn beside(above: &Dir, of: &OsStr) -> io::Result<Hold> {
        let mut name = OsString::from(Scratch::MARKER);
        name.push("-");
        name.push(of);
        let lock = above.create_new_as(&name, Access::Read, 0o600)?;
        lock.lock_shared()?;
        Ok(Hold { lock: Some(lock), name })
    }

    /// The file's name.
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// Gives up our own part of the lock, and waits for all programs that inherited it to end, so long at most. Whether they have;
    /// where that can't be told, it is taken for so.
    pub fn wait_for_programs(&mut self, above: &Dir, limit: Duration) -> bool {
        // Programs share the lock with the description that they inherited, so the question takes another one, and ours must be closed.
        let Ok(other) = above.open_file(&self.name, Access::Write) else { return true };
        self.lock = None;
        let end = Instant::now() + limit;
        loop {
            match other.try_lock() {
                Err(TryLockError::WouldBlock) if Instant::now() < end => {
                    std::thread::sleep(LOOK_EVERY);
                }
                Err(TryLockError::WouldBlock) => return false,
                _ => return true,
            }
        }
    }

    /// The descriptor to be inherited; its flag for closing at `execve` is set.
    ///
    /// # Panics
    /// Programs were waited for: nobody is to inherit it any more.
    pub fn file(&self) -> &File {
        self.lock.as_ref().expect("who starts a program has not waited for its end")
    }
}

/// Puts a locked marker into a new folder, with the process that it belongs to.
fn locked(dir: &Dir) -> io::Result<File> {
    let mut marker = dir.create_new(Scratch::MARKER, 0o600)?;
    marker.lock()?;
    let owner = format!("{} {}\n", std::process::id(), began(std::process::id()).unwrap_or(0));
    marker.write_all(owner.as_bytes())?;
    Ok(marker)
}

/// When a process started, in the kernel's ticks; with its number it names one process for good.
fn began(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is a name in parentheses that may hold anything; the 22nd is the third but nineteenth after it (proc(5)).
    stat.rsplit_once(") ")?.1.split(' ').nth(19)?.parse().ok()
}

enum Held {
    Nobody,
    Alive,
    NoMarker,
    Foreign,
}

/// Whether a run, or a program that it started, still lives. The programs of a dead run are waited for.
fn held(dir: &Dir) -> Held {
    let Ok(mode) = dir.mode() else { return Held::Foreign };
    if !dir.has(Scratch::MARKER).unwrap_or(true) {
        let half_made = [0o700, 0o711].contains(&(mode & 0o777));
        return if half_made { Held::NoMarker } else { Held::Foreign };
    }
    // A marker that somebody else has put there makes no folder ours.
    let marker = dir.open_file(Scratch::MARKER, Access::Read).and_then(|marker| marker.metadata());
    let ours = marker.is_ok_and(|found| found.uid() == euid() && found.nlink() == 1);
    if !ours || mode & 0o022 != 0 {
        return Held::Foreign;
    }
    let end = Instant::now() + LAST_PROGRAM_ENDS;
    let all_free = || -> io::Result<bool> {
        for name in dir.names()? {
            if !name.as_bytes().starts_with(Scratch::MARKER.as_bytes()) {
                continue;
            }
            match dir.open_file(&name, Access::Write)?.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(false),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        Ok(true)
    };
    loop {
        match all_free() {
            Ok(true) => return Held::Nobody,
            Ok(false) if !owner_is_gone(dir) || Instant::now() >= end => return Held::Alive,
            Ok(false) => std::thread::sleep(LOOK_EVERY),
            // What can't be looked into is left alone.
            Err(_) => return Held::Alive,
        }
    }
}

/// Whether the process that made the folder has ended; `false` where that can't be told.
fn owner_is_gone(dir: &Dir) -> bool {
    let Ok(text) = dir.read_text(Scratch::MARKER, 64) else { return false };
    let mut words = text.split_whitespace().map(str::parse::<u64>);
    let (Some(Ok(pid)), Some(Ok(start))) = (words.next(), words.next()) else { return false };
    let Ok(pid) = u32::try_from(pid) else { return false };
    start != 0 && began(std::process::id()).is_some() && began(pid) != Some(start)
}

/// Removes the folder `dir`, which lies in `above` under `name`: first everything but the marker, so that whoever finds the rest of a
/// removal that was cut short knows it for what it is.
fn remove(above: &Dir, dir: &Dir, name: &OsStr) -> io::Result<()> {
    let mut last = Ok(());
    for inner in dir.names()?.into_iter().filter(|inner| inner != Scratch::MARKER) {
        last = dir.remove_tree(&inner).and(last);
    }
    last?;
    match dir.remove_file(Scratch::MARKER) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    if above.leads_to(name, dir) { above.remove_empty_dir(name) } else { Ok(()) }
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
    use std::fs;
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};

    use super::*;

    fn sweep(dir: &Path) -> Swept {
        Scratch::sweep(dir, &mut |_| {})
    }

    /// What a killed process leaves: the folder with its marker, unlocked. Gives its path.
    fn dead(parent: &Path, id: &str) -> PathBuf {
        let scratch = Scratch::create(parent, id).unwrap();
        let path = scratch.path().to_path_buf();
        scratch._lock.unlock().unwrap();
        std::mem::forget(scratch);
        path
    }

    #[test]
    fn a_removal_that_was_cut_short_at_any_entry_is_taken_up_again() {
        for cut in 0..6 {
            let parent = tempfile::tempdir().unwrap();
            let path = dead(parent.path(), "x");
            for n in 0..5 {
                fs::write(path.join(format!("{n}")), "x").unwrap();
            }
            let dir = Dir::open(&path).unwrap();
            for name in
                dir.names().unwrap().iter().filter(|name| *name != Scratch::MARKER).take(cut)
            {
                dir.remove_file(name).unwrap();
            }
            assert_eq!(sweep(parent.path()).removed, [path]);
            assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
        }
    }

    /// Something mounted in the folder stops its removal, wherever in the list it comes.
    #[test]
    fn the_marker_is_the_last_to_go() {
        let parent = tempfile::tempdir().unwrap();
        let path = dead(parent.path(), "x");
        let kept = path.join("kept");
        fs::create_dir(&kept).unwrap();
        let run = |program: &str, arguments: &[&str]| {
            let status = std::process::Command::new(program).args(arguments).arg(&kept).status();
            status.is_ok_and(|status| status.success())
        };
        if !run("mount", &["-t", "tmpfs", "none"]) {
            return eprintln!("SKIPPED: nothing can be mounted here");
        }
        let swept = sweep(parent.path());
        let marker = path.join(Scratch::MARKER).exists();
        assert!(run("umount", &[]));
        assert!(swept.removed.is_empty() && marker);
        let told = swept.sentences();
        assert!(
            told.len() == 1 && told[0].contains("cannot be removed: something is mounted"),
            "{told:?}"
        );
        assert_eq!(sweep(parent.path()).removed, [path]);
    }

    #[test]
    fn a_folder_that_a_killed_start_left_empty_goes_and_one_with_something_in_it_stays() {
        let parent = tempfile::tempdir().unwrap();
        let (empty, full) = (
            parent.path().join("narrows-scratch-empty"),
            parent.path().join("narrows-scratch-full"),
        );
        fs::DirBuilder::new().mode(0o711).create(&empty).unwrap();
        fs::DirBuilder::new().mode(0o711).create(&full).unwrap();
        fs::create_dir(parent.path().join("narrows-scratch-open")).unwrap();
        fs::write(full.join("theirs"), "x").unwrap();
        assert_eq!(sweep(parent.path()).removed, [empty]);
        assert!(
            full.join("theirs").exists() && parent.path().join("narrows-scratch-open").exists()
        );
    }

    /// A folder of ours into which others may write, renamed to look like one of ours.
    #[test]
    fn a_marker_that_somebody_else_may_have_made_is_not_believed() {
        let parent = tempfile::tempdir().unwrap();
        let path = dead(parent.path(), "x");
        fs::write(path.join("theirs"), "PRECIOUS").unwrap();
        let mode = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        mode(0o1777);
        assert_eq!(sweep(parent.path()), Swept::default());
        mode(0o711);
        fs::hard_link(path.join(Scratch::MARKER), path.join("another name")).unwrap();
        assert_eq!(sweep(parent.path()), Swept::default());
        fs::remove_file(path.join("another name")).unwrap();
        assert_eq!(sweep(parent.path()).removed, [path]);
    }

    #[test]
    fn another_folder_under_the_name_is_not_removed() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::create(parent.path(), "x").unwrap();
        let path = scratch.path().to_path_buf();
        fs::write(path.join("ours"), "x").unwrap();
        let away = parent.path().join("away");
        fs::rename(&path, &away).unwrap();
        fs::create_dir(&path).unwrap();
        fs::write(path.join("ours"), "PRECIOUS").unwrap();
        drop(scratch);
        assert_eq!(fs::read_to_string(path.join("ours")).unwrap(), "PRECIOUS");
        assert_eq!(fs::read_dir(&away).unwrap().count(), 0, "what was made is emptied where it is");
    }

    #[test]
    fn a_program_that_outlives_its_run_is_waited_for() {
        let parent = tempfile::tempdir().unwrap();
        let path = dead(parent.path(), "x");
        // As if another process had made it, which has ended.
        fs::write(path.join(Scratch::MARKER), format!("{} 1\n", std::process::id())).unwrap();
        let hold = Hold::beside(&Dir::open(&path).unwrap(), OsStr::new("data")).unwrap();
        assert_eq!(hold.name(), ".narrows-data");
        let seen = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(200));
                seen.store(true, std::sync::atomic::Ordering::SeqCst);
                drop(hold);
            });
            assert_eq!(sweep(parent.path()).removed, [path]);
            assert!(
                seen.load(std::sync::atomic::Ordering::SeqCst),
                "removed under a living program"
            );
        });
    }

    #[test]
    fn programs_that_inherited_a_lock_are_waited_for() {
        use std::os::fd::AsRawFd;
        use std::os::unix::process::CommandExt;

        let parent = tempfile::tempdir().unwrap();
        let above = Dir::open(parent.path()).unwrap();
        let mut hold = Hold::beside(&above, OsStr::new("data")).unwrap();
        let descriptor = hold.file().as_raw_fd();
        let mut program = std::process::Command::new("sleep");
        program.arg("60");
        // SAFETY: fcntl is async-signal-safe; the descriptor is the child's copy.
        unsafe {
            program.pre_exec(move || {
                libc::fcntl(descriptor, libc::F_SETFD, 0);
                Ok(())
            })
        };
        let mut program = program.spawn().unwrap();
        assert!(!hold.wait_for_programs(&above, Duration::from_millis(50)), "it lives");
        program.kill().unwrap();
        program.wait().unwrap();
        assert!(hold.wait_for_programs(&above, Duration::from_secs(60)));
    }

    #[test]
    fn a_program_of_a_living_run_is_not_waited_for() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::create(parent.path(), "x").unwrap();
        let _hold = Hold::beside(scratch.dir(), OsStr::new("data")).unwrap();
        let began = Instant::now();
        assert_eq!(sweep(parent.path()).alive, [scratch.path().to_path_buf()]);
        assert!(began.elapsed() < LAST_PROGRAM_ENDS);
    }

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
        dead._lock.unlock().unwrap();
        std::mem::forget(dead);
        let foreign = parent.path().join("narrows-scratch-foreign");
        fs::create_dir(&foreign).unwrap();
        fs::write(foreign.join("theirs"), "x").unwrap();
        let target = parent.path().join("target");
        fs::create_dir(&target).unwrap();
        std::os::unix::fs::symlink(&target, parent.path().join("narrows-scratch-link")).unwrap();

        let swept = sweep(parent.path());
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
