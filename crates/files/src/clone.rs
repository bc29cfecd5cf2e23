//! Folders copied without copying their bytes: each file shares its blocks with the original until one of both is written (reflink,
//! `ioctl_ficlone(2)`). Btrfs can, XFS where it was made with `reflink=1`, bcachefs and OCFS2; ext4 can't.

use std::fs::File;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{
    FileType, Gid, IFlags, Mode, Uid, fchmod, fchown, ioctl_ficlone, ioctl_getflags, ioctl_setflags,
};

use crate::dir::Dir;
use crate::euid;
use crate::file::Access;

/// Folders within folders of which more are no data set's.
const DEEPEST: u32 = 64;

/// Why a folder can't be cloned. What was made of the clone so far is there.
#[derive(Debug, thiserror::Error)]
pub enum CloneError {
    /// The file system shares no blocks between files, or not between these two folders.
    #[error("{}: its file system cannot clone files (reflink)", .0.display())]
    Unsupported(PathBuf),
    /// Something that leads out of the folder, or is no file.
    #[error("{}: {why}", .path.display())]
    Entry {
        /// What.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Asked to end.
    #[error("stopped")]
    Stopped,
    /// The system refused.
    #[error("{}: {reason}", .path.display())]
    System {
        /// What was read or made.
        path: PathBuf,
        /// What it said.
        reason: io::Error,
    },
}

/// Makes the empty folder `to` a clone of `from`: plain files and folders with their permissions, and for root with their owners. A symbolic
/// link, a socket, a pipe, a device and a mount within `from` are errors: a clone would share what they lead to.
///
/// # Errors
/// See [`CloneError`]; `stopped` is asked at each file.
pub fn clone_tree(from: &Dir, to: &Dir, stopped: &dyn Fn() -> bool) -> Result<(), CloneError> {
    level(from, to, &Walk { mount: from.mount(), stopped }, 0)
}

/// What is the same for a whole tree.
struct Walk<'a> {
    mount: Option<u64>,
    stopped: &'a dyn Fn() -> bool,
}

fn level(from: &Dir, to: &Dir, walk: &Walk<'_>, depth: u32) -> Result<(), CloneError> {
    let entry = |path: &Path, why| CloneError::Entry { path: path.to_path_buf(), why };
    if from.mount() != walk.mount {
        return Err(entry(from.path(), "another file system is mounted there"));
    }
    if depth > DEEPEST {
        return Err(entry(from.path(), "more than 64 folders within each other"));
    }
    let system = |path: &Path| {
        let path = path.to_path_buf();
        move |reason: io::Error| CloneError::System { path, reason }
    };
    for found in from.entries().map_err(system(from.path()))? {
        if (walk.stopped)() {
            return Err(CloneError::Stopped);
        }
        let path = from.path().join(&found.name);
        match found.kind {
            FileType::Directory => {
                let inner = from.open_dir(&found.name).map_err(system(&path))?;
                let mode = inner.mode().map_err(system(&path))?;
                let clone = to.create_dir(&found.name, mode).map_err(system(&path))?;
                level(&inner, &clone, walk, depth + 1)?;
                let owners = inner.owner_and_group().map_err(system(&path))?;
                if euid() == 0 && owners != (0, 0) {
                    clone.give(owners.0, owners.1).map_err(system(&path))?;
                }
            }
            FileType::RegularFile => {
                let source = from.open_file(&found.name, Access::Read).map_err(system(&path))?;
                let clone = to.create_new(&found.name, 0o600).map_err(system(&path))?;
                file(&source, &clone).map_err(|reason| match reason.raw_os_error() {
                    Some(libc::EOPNOTSUPP | libc::ENOTTY | libc::EXDEV) => {
                        CloneError::Unsupported(from.path().to_path_buf())
                    }
                    _ => CloneError::System { path, reason },
                })?;
            }
            FileType::Symlink => {
                return Err(entry(&path, "a symbolic link: what it leads to would not be cloned"));
            }
            _ => return Err(entry(&path, "neither a file nor a folder")),
        }
    }
    Ok(())
}

fn file(source: &File, clone: &File) -> io::Result<()> {
    // Btrfs clones a file without checksums only into another one without (`chattr +C`), and only an empty file becomes one.
    if ioctl_getflags(source).is_ok_and(|flags| flags.contains(IFlags::NOCOW)) {
        ioctl_setflags(clone, ioctl_getflags(clone)? | IFlags::NOCOW)?;
    }
    ioctl_ficlone(clone, source)?;
    let found = source.metadata()?;
    if euid() == 0 {
        let (uid, gid) = (Uid::from_raw(found.uid()), Gid::from_raw(found.gid()));
        fchown(clone, Some(uid), Some(gid))?;
    }
    // After the owner, whose change takes bits away.
    Ok(fchmod(clone, Mode::from_raw_mode(found.permissions().mode() & 0o777))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of a file system that can, where the environment names one: `NARROWS_REFLINK_DIR`.
    fn folder() -> tempfile::TempDir {
        match std::env::var_os("NARROWS_REFLINK_DIR") {
            Some(folder) => tempfile::tempdir_in(folder).unwrap(),
            None => tempfile::tempdir().unwrap(),
        }
    }

    fn two(top: &tempfile::TempDir) -> (Dir, Dir) {
        let dir = Dir::open(top.path()).unwrap();
        (dir.create_dir("from", 0o700).unwrap(), dir.create_dir("to", 0o700).unwrap())
    }

    #[test]
    fn files_and_folders_are_cloned_or_the_file_system_is_named() {
        let top = folder();
        let (from, to) = two(&top);
        let inner = from.create_dir("base", 0o750).unwrap();
        std::fs::write(inner.path().join("1"), vec![7u8; 100_000]).unwrap();
        std::fs::write(from.path().join("PG_VERSION"), "17\n").unwrap();
        match clone_tree(&from, &to, &|| false) {
            Ok(()) => {
                let clone = to.path().join("base/1");
                assert_eq!(std::fs::read(&clone).unwrap(), vec![7u8; 100_000]);
                assert_eq!(to.open_dir("base").unwrap().mode().unwrap() & 0o777, 0o750);
                std::fs::write(&clone, "other").unwrap();
                assert_eq!(std::fs::read(inner.path().join("1")).unwrap(), vec![7u8; 100_000]);
            }
            Err(error) => {
                assert!(std::env::var_os("NARROWS_REFLINK_DIR").is_none(), "{error}");
                println!(
                    "SKIPPED: cloning itself: {error}; NARROWS_REFLINK_DIR names a folder of one that can"
                );
                assert!(matches!(error, CloneError::Unsupported(_)), "{error}");
            }
        }
    }

    #[test]
    fn what_leads_out_of_the_folder_is_refused_by_name() {
        let top = folder();
        let (from, to) = two(&top);
        std::os::unix::fs::symlink("/etc", from.path().join("pg_wal")).unwrap();
        let error = clone_tree(&from, &to, &|| false).unwrap_err().to_string();
        assert!(error.contains("pg_wal: a symbolic link"), "{error}");
        let stopped = clone_tree(&from, &to, &|| true).unwrap_err();
        assert!(matches!(stopped, CloneError::Stopped), "{stopped}");
        std::fs::remove_file(from.path().join("pg_wal")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(from.path().join("s")).unwrap();
        let error = clone_tree(&from, &to, &|| false).unwrap_err().to_string();
        assert!(error.contains("neither a file nor a folder"), "{error}");
        assert!(to.names().unwrap().is_empty());
    }
}
