//! Whole trees: removed and copied below descriptors.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::fs::PermissionsExt;

use crate::{Access, Dir};

/// What a removal stays in: one mount of one file system, and folders of whoever removes or of the owner of the folder above. Inside
/// somebody else's folder that user decides what lies where, so only with that user's rights is anything removed there.
struct Bounds {
    device: u64,
    mount: Option<u64>,
    /// `None`: whoever.
    owners: Option<[u32; 2]>,
}

impl Bounds {
    fn of(above: &Dir) -> io::Result<Bounds> {
        let owners = Some([acting_as(), above.owner()?]);
        Ok(Bounds { device: above.identity()?.0, mount: above.mount(), owners })
    }

    fn hold(&self, dir: &Dir) -> io::Result<()> {
        if dir.identity()?.0 != self.device || dir.mount() != self.mount {
            let why = format!("something is mounted at {}", dir.path().display());
            return Err(io::Error::new(io::ErrorKind::CrossesDevices, why));
        }
        let owner = dir.owner()?;
        if self.owners.is_some_and(|owners| !owners.contains(&owner)) {
            let why = format!("{} belongs to user {owner}", dir.path().display());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        Ok(())
    }
}

/// As whom this thread touches files (`setfsuid(2)`: a number that nobody has changes nothing and tells what is so).
fn acting_as() -> u32 {
    // SAFETY: no memory is involved.
    unsafe { libc::setfsuid(libc::uid_t::MAX) as u32 }
}

/// Removes an entry with everything below it.
pub(crate) fn remove(above: &Dir, name: &OsStr) -> io::Result<()> {
    match above.remove_file(name) {
        Ok(()) => Ok(()),
        // EISDIR on Linux, EPERM by POSIX; a file that may not be removed gives the latter too, and then isn't a folder.
        Err(error) if matches!(error.raw_os_error(), Some(libc::EISDIR | libc::EPERM)) => {
            match above.open_dir(name) {
                Ok(dir) => remove_dir(above, name, || clear_all(&dir, &Bounds::of(above)?)),
                Err(not_a_folder) if not_a_folder.raw_os_error() == Some(libc::ENOTDIR) => {
                    Err(error)
                }
                Err(other) => Err(other),
            }
        }
        Err(error) => Err(error),
    }
}

/// Removes a folder, cleared first if anything is in it. An empty one may be anybody's.
fn remove_dir(above: &Dir, name: &OsStr, clear: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    match above.remove_empty_dir(name) {
        Err(error)
            if matches!(
                error.raw_os_error(),
                Some(libc::ENOTEMPTY | libc::EEXIST | libc::EBUSY)
            ) =>
        {
            clear()?;
            above.remove_empty_dir(name)
        }
        removed => removed,
    }
}

/// Folders within folders that are held open at once; what lies deeper is moved up first, so that no depth exhausts descriptors or stack.
const DEEPEST: u32 = 64;
/// Entries that others make meanwhile are met by a second look at most; then it is an error of the folder's removal.
const LOOKS: u32 = 2;

/// Removes a folder whose folders were given to others, with everything in it.
pub(crate) fn remove_given(above: &Dir, name: &OsStr) -> io::Result<()> {
    let dir = above.open_dir(name)?;
    remove_dir(above, name, || clear_all(&dir, &Bounds { owners: None, ..Bounds::of(above)? }))
}

/// Removes what is in a folder, for whoever owns it.
pub(crate) fn empty(dir: &Dir) -> io::Result<()> {
    clear_all(dir, &Bounds::of(dir)?)
}

fn clear_all(top: &Dir, bounds: &Bounds) -> io::Result<()> {
    let mut moved = 0;
    let mut looks = 0;
    while looks < LOOKS {
        let before = moved;
        if clear(top, top, bounds, 0, &mut moved)? {
            return Ok(());
        }
        // What was moved up is work of its own, and no second look at the same.
        looks += u32::from(moved == before);
    }
    Ok(())
}

/// Removes what is in `dir`, which lies `depth` folders below `top`; whether it had nothing in it.
fn clear(top: &Dir, dir: &Dir, bounds: &Bounds, depth: u32, moved: &mut u64) -> io::Result<bool> {
    bounds.hold(dir)?;
    let entries = dir.entries()?;
    let nothing = entries.is_empty();
    for entry in entries {
        let gone = if !entry.is_dir() {
            dir.remove_file(&entry.name)
        } else if depth == DEEPEST {
            *moved += 1;
            dir.rename_into(&entry.name, top, format!(".narrows-deep-{moved}"))
        } else {
            remove_dir(dir, &entry.name, || {
                clear(top, &dir.open_dir(&entry.name)?, bounds, depth + 1, moved).map(drop)
            })
        };
        match gone {
            // Somebody else removed it, or put something of another kind there: the next look will tell.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            gone => gone?,
        }
    }
    Ok(nothing)
}

/// Makes `to` hold what `from` holds: plain files and folders with their permissions, owned by whoever runs this. Names in `except`
/// are left alone on both sides. A link, pipe or socket in `from` is an error.
///
/// # Errors
/// What the system said.
pub fn copy_tree(from: &Dir, to: &Dir, except: &[&str]) -> io::Result<()> {
    let kept = |name: &OsStr| except.iter().any(|except| name == *except);
    for entry in to.entries()?.into_iter().filter(|entry| !kept(&entry.name)) {
        remove(to, &entry.name)?;
    }
    for entry in from.entries()?.into_iter().filter(|entry| !kept(&entry.name)) {
        if entry.is_dir() {
            let inner = from.open_dir(&entry.name)?;
            let copy = to.create_dir(&entry.name, inner.mode()?)?;
            copy_tree(&inner, &copy, &[])?;
        } else {
            copy_file(from, to, &entry.name)?;
        }
    }
    Ok(())
}

fn copy_file(from: &Dir, to: &Dir, name: &OsStr) -> io::Result<()> {
    let mut source: File = from.open_file(name, Access::Read)?;
    let mode = source.metadata()?.permissions().mode() & 0o777;
    let mut target = to.create_new(name, mode)?;
    io::copy(&mut source, &mut target)?;
    Ok(())
}
