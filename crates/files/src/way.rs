//! The way to a folder of programs that we start: who could put others in their place.
//!
//! Whoever may rename an entry of any folder on the way can put a folder of their own in the place of ours. So each folder from
//! the root on belongs to root or to us, and only those may write to it; a folder like `/tmp` may be shared where the kernel
//! keeps others from renaming what isn't theirs (`S_ISVTX`, inode(7)). Each link on the way is root's or ours, and its target
//! is looked at in the same way.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::walk::{MOST_LINKS, names};

const STICKY: u32 = 0o1000;

/// Why the way is not to be trusted, and at which place; or that it can't be looked at.
#[derive(Debug)]
pub enum Doubt {
    /// The place, and who could.
    Untrusted(PathBuf, String),
    /// The place, and what the system said.
    System(PathBuf, io::Error),
}

impl std::fmt::Display for Doubt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Doubt::Untrusted(place, why) => write!(f, "{}: {why}", place.display()),
            Doubt::System(place, reason) => write!(f, "{}: {reason}", place.display()),
        }
    }
}

/// Looks at every folder and link on the way to `path`, and at `path` itself, as far as they exist.
///
/// # Errors
/// The first place of doubt.
pub fn trusted_way(path: &Path) -> Result<(), Doubt> {
    let path = std::path::absolute(path).map_err(|error| Doubt::System(path.into(), error))?;
    let mut ahead = names(&path);
    let mut at = PathBuf::from("/");
    folder(&at, ahead.is_empty())?;
    let mut links = 0;
    while let Some(name) = ahead.pop_front() {
        if name == ".." {
            at.pop();
            continue;
        }
        let next = at.join(&name);
        let found = match fs::symlink_metadata(&next) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(Doubt::System(next, error)),
        };
        if found.is_symlink() {
            owner(&next, found.uid(), "the link")?;
            links += 1;
            if links > MOST_LINKS {
                return Err(Doubt::System(next, io::Error::from_raw_os_error(libc::ELOOP)));
            }
            let target = fs::read_link(&next).map_err(|error| Doubt::System(next, error))?;
            if target.is_absolute() {
                at = PathBuf::from("/");
            }
            let mut through = names(&target);
            through.extend(ahead);
            ahead = through;
        } else {
            folder(&next, ahead.is_empty())?;
            at = next;
        }
    }
    Ok(())
}

/// The last one, which holds what is run, is shared with nobody.
fn folder(path: &Path, last: bool) -> Result<(), Doubt> {
    let found = fs::symlink_metadata(path).map_err(|error| Doubt::System(path.into(), error))?;
    owner(path, found.uid(), "it")?;
    let mode = found.mode() & 0o7777;
    if mode & 0o022 != 0 && (last || mode & STICKY == 0) {
        let why = format!("others may write to it (mode {mode:o})");
        return Err(Doubt::Untrusted(path.into(), why));
    }
    Ok(())
}

fn owner(path: &Path, uid: u32, what: &str) -> Result<(), Doubt> {
    let euid = crate::euid();
    if uid == euid || uid == 0 {
        return Ok(());
    }
    let why = format!("{what} belongs to user {uid}, we are {euid}");
    Err(Doubt::Untrusted(path.into(), why))
}
