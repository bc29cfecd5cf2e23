//! As whom the server runs: as we do, or, under root, as `postgres` or `nobody`.
//!
//! PostgreSQL refuses to run as root. Children get the user's id and primary group and no supplementary group; the
//! standard library clears those when it changes the user. Their environment is built from nothing, so no `PG*`
//! variable and no secret of ours gets in.

use std::ffi::{CStr, CString, OsStr};
use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use libc::{gid_t, uid_t};
use narrows_files::Dir;

use crate::error::UserError;

/// The user the server and `initdb` run as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerUser {
    name: String,
    switch_to: Option<(u32, u32)>,
}

impl ServerUser {
    /// Ourselves, or under root the first of `postgres` and `nobody` that exists.
    ///
    /// # Errors
    /// There is neither.
    pub fn choose() -> Result<ServerUser, UserError> {
        ServerUser::choose_of(&["postgres", "nobody"])
    }

    /// Ourselves, or under root the first of these that exists.
    ///
    /// # Errors
    /// There is none of them.
    pub fn choose_of(names: &[&str]) -> Result<ServerUser, UserError> {
        let euid = narrows_files::euid();
        if euid != 0 {
            return Ok(ServerUser { name: format!("number {euid}"), switch_to: None });
        }
        names
            .iter()
            .find_map(|name| {
                // A user database may map any name to root.
                let ids = look_up(name).filter(|(uid, _)| *uid != 0)?;
                Some(ServerUser { name: (*name).to_owned(), switch_to: Some(ids) })
            })
            .ok_or_else(|| UserError::NoUser { names: names.join(" or ") })
    }

    /// Whoever owns that folder, if under root it is another one than we are.
    pub fn owner_of(dir: &Dir) -> Option<ServerUser> {
        let euid = narrows_files::euid();
        let (owner, group) = dir.owner_and_group().ok()?;
        (euid == 0 && owner != 0).then(|| ServerUser {
            name: format!("number {owner}"),
            switch_to: Some((owner, group)),
        })
    }

    /// Its name, or number where it is our own.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is another user than we are.
    pub fn is_other(&self) -> bool {
        self.switch_to.is_some()
    }

    /// A command that runs as this user: a group of its own, `/` as its folder, umask 077, English messages, and of
    /// our environment only `PATH`, `TZ` and `LD_LIBRARY_PATH` (servers loaded as a module need it).
    pub fn command(&self, program: &Path, home: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("LC_ALL", "C").env("HOME", home);
        for name in ["PATH", "TZ", "LD_LIBRARY_PATH"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.current_dir("/").process_group(0).stdin(Stdio::null());
        if let Some((uid, gid)) = self.switch_to {
            command.gid(gid).uid(uid);
        }
        // SAFETY: umask is async-signal-safe, cannot fail and allocates nothing.
        unsafe {
            command.pre_exec(|| {
                libc::umask(0o077);
                Ok(())
            })
        };
        command
    }

    /// Hands a folder of ours to the user.
    pub fn own(&self, dir: &Dir) -> Result<(), UserError> {
        let Some((uid, gid)) = self.switch_to else { return Ok(()) };
        dir.give(uid, gid).map_err(|reason| UserError::GiveAway {
            path: dir.path().to_path_buf(),
            user: self.name.clone(),
            reason,
        })
    }

    /// Whether the user can pass every folder above `path` and, if it is a file, read it. The kernel is asked, so
    /// access lists and security modules count.
    pub fn reaches(&self, path: &Path) -> Result<(), UserError> {
        let blocking = self.acting(|| {
            for folder in path.ancestors().skip(1).collect::<Vec<_>>().into_iter().rev() {
                // Looking at "." needs the right to pass the folder; looking at the folder itself would not.
                if let Err(error) = fs::metadata(folder.join("."))
                    && error.kind() == io::ErrorKind::PermissionDenied
                {
                    return Some(folder.to_path_buf());
                }
            }
            let denied = path.is_file()
                && File::open(path)
                    .is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied);
            denied.then(|| path.to_path_buf())
        });
        match blocking {
            None => Ok(()),
            Some(blocking) => Err(UserError::Blocked {
                user: self.name.clone(),
                blocking,
                path: path.to_path_buf(),
            }),
        }
    }

    /// As [`reaches`](Self::reaches), after letting others pass (not list) those folders above `path` that are
    /// scratch folders of ours.
    pub fn open_way(&self, path: &Path) -> Result<(), UserError> {
        let euid = narrows_files::euid();
        for folder in path.ancestors().skip(1).filter(|_| self.is_other()) {
            let ours = folder
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("narrows-scratch-"));
            if ours
                && let Ok(dir) = Dir::open(folder)
                && dir.owner().is_ok_and(|owner| owner == euid)
                && let Ok(mode) = dir.mode()
                && mode & 0o011 != 0o011
            {
                // Where this fails the check below names the folder.
                let _ = dir.set_mode(mode | 0o011);
            }
        }
        self.reaches(path)
    }

    /// Runs `act` with the user's rights on files, in a thread of its own: the kernel keeps the identity for file
    /// access per thread (`setfsuid(2)`), and dropping it from root drops the right to override permissions.
    pub fn acting<T: Send>(&self, act: impl FnOnce() -> T + Send) -> T {
        let Some((uid, gid)) = self.switch_to else { return act() };
        std::thread::scope(|scope| {
            let thread = scope.spawn(move || {
                // SAFETY: plain system calls on the calling thread only; the raw call for groups is used because the C
                // library's would change every thread. The list is empty, so no memory is read. The thread ends here.
                unsafe {
                    libc::syscall(libc::SYS_setgroups, 0usize, std::ptr::null::<libc::gid_t>());
                    libc::setfsgid(gid);
                    libc::setfsuid(uid);
                    // The calls report no failure: asked with a number that nobody has, they say what is so. Where the process is set to
                    // keep its capabilities on such a change, the user's rights would not be all that it has.
                    const KEEPS_CAPABILITIES: libc::c_int = 1 << 2;
                    let securebits = libc::prctl(libc::PR_GET_SECUREBITS);
                    assert!(
                        libc::setfsgid(gid_t::MAX) as gid_t == gid
                            && libc::setfsuid(uid_t::MAX) as uid_t == uid
                            && (securebits < 0 || securebits & KEEPS_CAPABILITIES == 0),
                        "this process can't act on files as user {uid}"
                    );
                }
                act()
            });
            thread.join().expect("work on files does not panic")
        })
    }
}

/// (user id, primary group) by name, through the machine's user database.
pub fn look_up(name: &str) -> Option<(u32, u32)> {
    let name = CString::new(name).ok()?;
    let mut buffer = vec![0 as libc::c_char; 16 << 10];
    let mut entry = std::mem::MaybeUninit::<libc::passwd>::uninit();
    let mut found = std::ptr::null_mut();
    // SAFETY: all pointers are valid for their lengths for the whole call; `entry` is only read if `found` says that it
    // was written.
    let entry = unsafe {
        let status = libc::getpwnam_r(
            CStr::as_ptr(&name),
            entry.as_mut_ptr(),
            buffer.as_mut_ptr(),
            buffer.len(),
            &mut found,
        );
        if status != 0 || found.is_null() {
            return None;
        }
        entry.assume_init()
    };
    Some((entry.pw_uid, entry.pw_gid))
}

/// The files named in `folders` (a `PATH`), those that exist.
pub fn in_path(folders: &OsStr, program: &str) -> Vec<PathBuf> {
    std::env::split_paths(folders)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(program))
        .filter(|path| path.is_file())
        .collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::*;

    #[test]
    fn never_root() {
        let user = ServerUser::choose().unwrap();
        let output = user.command(Path::new("/usr/bin/id"), Path::new("/")).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(!text.contains("uid=0("), "{text}");
        // One group only: the primary one.
        if user.is_other() {
            assert!(!text.contains("(root)"), "{text}");
        }
    }

    #[test]
    fn the_environment_is_built_from_nothing() {
        let user = ServerUser::choose().unwrap();
        let output = user.command(Path::new("/usr/bin/env"), Path::new("/x")).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let mut names: Vec<_> = text.lines().filter_map(|line| line.split('=').next()).collect();
        names.retain(|name| *name != "TZ" && *name != "LD_LIBRARY_PATH");
        names.sort_unstable();
        assert_eq!(names, ["HOME", "LC_ALL", "PATH"]);
    }

    #[test]
    fn a_closed_folder_on_the_way_is_named() {
        let user = ServerUser::choose().unwrap();
        let dir = tempfile::tempdir_in("/tmp").unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let closed = dir.path().join("closed");
        fs::create_dir_all(closed.join("inner")).unwrap();
        let target = closed.join("inner/data");
        user.reaches(&target).unwrap();

        fs::set_permissions(&closed, fs::Permissions::from_mode(0o600)).unwrap();
        let error = user.reaches(&target);
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
        let Err(UserError::Blocked { blocking, .. }) = error else { panic!("{error:?}") };
        assert_eq!(blocking, closed);
        // The switch stayed in its thread.
        assert!(fs::metadata("/").is_ok());
    }

    #[test]
    fn a_scratch_folder_of_ours_is_opened_and_no_other() {
        let user = ServerUser::choose().unwrap();
        if !user.is_other() {
            return eprintln!("SKIPPED: only under root is the server's user another one");
        }
        let dir = tempfile::tempdir_in("/tmp").unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let ours = dir.path().join("narrows-scratch-x");
        let other = dir.path().join("other");
        for folder in [&ours, &other] {
            fs::create_dir(folder).unwrap();
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
        }
        user.open_way(&ours.join("data")).unwrap();
        assert_eq!(fs::metadata(&ours).unwrap().mode() & 0o777, 0o711);
        assert!(user.open_way(&other.join("data")).is_err());
        assert_eq!(fs::metadata(&other).unwrap().mode() & 0o777, 0o700);
    }
}
