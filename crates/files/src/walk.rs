//! From a path to an open folder, one folder at a time.
//!
//! The kernel's own walk follows every link, also one that was put there a moment ago. Here each name is opened below the folder before
//! it without following (`O_PATH | O_NOFOLLOW`); what turns out to be a link is followed by its text, and only if root or we made it:
//! anybody else's may lead to where we have rights that they have not.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat, readlinkat};

/// As many as the kernel follows (`path_resolution(7)`).
pub(crate) const MOST_LINKS: usize = 40;

/// The folder's descriptor (`O_PATH`).
///
/// # Errors
/// What the system said; `PermissionDenied` with a sentence for somebody else's link.
pub(crate) fn folder(path: &Path) -> io::Result<OwnedFd> {
    let mut at = start(path)?;
    let mut ahead: VecDeque<OsString> = names(path);
    let mut links = 0;
    while let Some(name) = ahead.pop_front() {
        let next =
            openat(&at, &*name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
        let found = fstat(&next)?;
        match FileType::from_raw_mode(found.st_mode) {
            FileType::Directory => at = next,
            FileType::Symlink => {
                links += 1;
                if links > MOST_LINKS {
                    return Err(io::Error::from_raw_os_error(libc::ELOOP));
                }
                let target = readlinkat(&next, "", Vec::new())?;
                let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
                trusted(&name, found.st_uid, &target)?;
                if target.is_absolute() {
                    at = start(&target)?;
                }
                let mut through = names(&target);
                through.extend(ahead);
                ahead = through;
            }
            _ => return Err(io::Error::from_raw_os_error(libc::ENOTDIR)),
        }
    }
    Ok(at)
}

/// The folder above a file, and the file's name.
///
/// # Errors
/// As [`folder`]; `InvalidInput` where the path ends in no name.
pub(crate) fn above(path: &Path) -> io::Result<(OwnedFd, &OsStr)> {
    let name = path.file_name().ok_or_else(|| {
        io::Error::new(io::ErrorKind::InvalidInput, "the path ends in no name of a file")
    })?;
    // `file_name` passes over a slash at the end, which says that a folder is meant.
    if path.as_os_str().as_bytes().ends_with(b"/") {
        return Err(io::Error::from_raw_os_error(libc::EISDIR));
    }
    Ok((folder(path.parent().unwrap_or(Path::new("")))?, name))
}

fn start(path: &Path) -> io::Result<OwnedFd> {
    let place = if path.is_absolute() { "/" } else { "." };
    Ok(openat(CWD, place, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?)
}

pub(crate) fn names(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_os_string()),
            Component::ParentDir => Some(OsString::from("..")),
            Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
        })
        .collect()
}

fn trusted(name: &OsStr, owner: u32, target: &Path) -> io::Result<()> {
    if owner == 0 || owner == crate::euid() {
        return Ok(());
    }
    let why = format!(
        "`{}` on the way is a symbolic link of user {owner} and is not followed; name the folder itself, {}",
        name.to_string_lossy(),
        target.display()
    );
    Err(io::Error::new(io::ErrorKind::PermissionDenied, why))
}
