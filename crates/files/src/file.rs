//! One file: made new, or the very one that is open already.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, openat, unlinkat};

use crate::walk;

/// For what a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reading.
    Read,
    /// Reading and writing.
    Write,
    /// Reading, and writing at its end whatever else writes to it.
    Append,
    /// Reading and writing with more of `open(2)`'s flags (`O_DIRECT`, `O_DSYNC`).
    WriteWith(i32),
    /// Reading with more of `open(2)`'s flags.
    ReadWith(i32),
}

impl Access {
    pub(crate) fn flags(self) -> OFlags {
        match self {
            Access::Read => OFlags::RDONLY,
            Access::Write => OFlags::RDWR,
            Access::Append => OFlags::RDWR | OFlags::APPEND,
            Access::WriteWith(more) => OFlags::RDWR | OFlags::from_bits_retain(more as u32),
            Access::ReadWith(more) => OFlags::RDONLY | OFlags::from_bits_retain(more as u32),
        }
    }
}

impl Access {
    fn writes(self) -> bool {
        !matches!(self, Access::Read | Access::ReadWith(_))
    }
}

/// Opens a plain file below a folder. `O_NONBLOCK` so that a pipe in its place doesn't make us wait; it has no effect on files.
pub(crate) fn open_at(
    above: impl AsFd,
    name: &OsStr,
    flags: OFlags,
    mode: u32,
) -> io::Result<File> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = openat(above, name, flags, Mode::from_raw_mode(mode))?;
    match FileType::from_raw_mode(fstat(&file)?.st_mode) {
        FileType::RegularFile => Ok(File::from(file)),
        kind => Err(io::Error::new(io::ErrorKind::InvalidInput, not_plain(kind))),
    }
}

pub(crate) fn not_plain(kind: FileType) -> String {
    let what = match kind {
        FileType::Directory => "a folder",
        FileType::Symlink => "a symbolic link",
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        FileType::CharacterDevice => "a character device",
        FileType::BlockDevice => "a block device",
        _ => "of a kind of its own",
    };
    format!("it is {what}, not a regular file")
}

/// Makes a new file.
///
/// # Errors
/// `AlreadyExists` for whatever is there, a link too; `PermissionDenied` with a sentence for somebody else's link on the way; else what
/// the system said.
pub fn create_new(path: &Path, access: Access, mode: u32) -> io::Result<File> {
    let (above, name) = walk::above(path)?;
    open_at(above, name, access.flags() | OFlags::CREATE | OFlags::EXCL, mode)
}

/// Opens a plain file that exists; a link in its place is an error, and for writing also a file with another name: it may be one that
/// somebody else has put a name of ours to.
///
/// # Errors
/// As [`create_new`].
pub fn open_existing(path: &Path, access: Access) -> io::Result<File> {
    let file = open_again(path, access)?;
    let links = fstat(&file)?.st_nlink;
    if access.writes() && links > 1 {
        let why = format!("it has {links} names (hard links), of which we know one");
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    Ok(file)
}

fn open_again(path: &Path, access: Access) -> io::Result<File> {
    let (above, name) = walk::above(path)?;
    open_at(above, name, access.flags(), 0)
}

/// Opens the file that is open already once more, in another way.
///
/// # Errors
/// As [`create_new`]; `StaleNetworkFileHandle` with a sentence where the path has come to lead to another file.
pub fn reopen(file: &File, path: &Path, access: Access) -> io::Result<File> {
    let again = open_again(path, access)?;
    if same_file(file, &again)? {
        return Ok(again);
    }
    let why = "the path leads to another file than it did before";
    Err(io::Error::new(io::ErrorKind::StaleNetworkFileHandle, why))
}

/// Whether two descriptors are of one file.
///
/// # Errors
/// What the system said.
pub fn same_file(one: impl AsFd, other: impl AsFd) -> io::Result<bool> {
    let (one, other) = (fstat(one)?, fstat(other)?);
    Ok((one.st_dev, one.st_ino) == (other.st_dev, other.st_ino))
}

/// Removes a file or link; a link is not followed.
///
/// # Errors
/// What the system said.
pub fn remove_file(path: &Path) -> io::Result<()> {
    let (above, name) = walk::above(path)?;
    Ok(unlinkat(above, name, AtFlags::empty())?)
}
