//! Many entries of one folder, by number: what calls on whole files are measured with.
//!
//! Names are checked once, before, so that a call here is little more than the kernel's own. What is made is made new, and what makes or
//! removes follows no link. Only the last part of a path is looked up by each call: the folder is open.

use std::ffi::{CStr, CString, OsStr};
use std::fs::File;
use std::io::{self, Write};

use rustix::fs::{AtFlags, Mode, OFlags, StatxFlags, mkdirat, openat, statat, statx, unlinkat};

use crate::Dir;
use crate::dir::one_name;

/// By which call the kernel is asked about an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StatCall {
    /// `stat(2)`: a link is followed.
    Stat,
    /// `lstat(2)`: it isn't.
    Lstat,
    /// `statx(2)`, for all that it tells.
    Statx,
}

/// Names in a folder; whether there is anything by them is not looked at.
#[derive(Debug)]
pub struct Names {
    dir: Dir,
    names: Vec<CString>,
}

impl Names {
    /// Those names in `dir`.
    ///
    /// # Errors
    /// `InvalidInput` for what is no name of one entry.
    pub fn new<'n>(dir: Dir, names: impl IntoIterator<Item = &'n str>) -> io::Result<Names> {
        let checked = |name: &str| -> io::Result<CString> {
            one_name(OsStr::new(name))?;
            Ok(CString::new(name)?)
        };
        let names = names.into_iter().map(checked).collect::<io::Result<Vec<CString>>>()?;
        Ok(Names { dir, names })
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    fn name(&self, number: usize) -> io::Result<&CStr> {
        let name = self.names.get(number).map(CString::as_c_str);
        name.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))
    }

    /// Makes an empty file and closes it.
    ///
    /// # Errors
    /// `AlreadyExists` for whatever is there, a link too; else what the system said.
    pub fn create_file(&self, number: usize) -> io::Result<()> {
        self.created(number).map(drop)
    }

    /// With `O_EXCL` it is a plain file that nobody else had.
    fn created(&self, number: usize) -> io::Result<File> {
        let flags = OFlags::RDWR
            | OFlags::CREATE
            | OFlags::EXCL
            | OFlags::NOFOLLOW
            | OFlags::NOCTTY
            | OFlags::CLOEXEC;
        Ok(openat(&self.dir, self.name(number)?, flags, Mode::from_raw_mode(0o600))?.into())
    }

    /// Makes a file with these contents, durable.
    ///
    /// # Errors
    /// As [`create_file`](Names::create_file).
    pub fn write_file(&self, number: usize, contents: &[u8]) -> io::Result<()> {
        let mut file = self.created(number)?;
        file.write_all(contents)?;
        file.sync_all()
    }

    /// Asks the kernel about an entry.
    ///
    /// # Errors
    /// What the system said.
    pub fn stat(&self, number: usize, call: StatCall) -> io::Result<()> {
        let name = self.name(number)?;
        match call {
            StatCall::Stat => statat(&self.dir, name, AtFlags::empty()).map(drop),
            StatCall::Lstat => statat(&self.dir, name, AtFlags::SYMLINK_NOFOLLOW).map(drop),
            StatCall::Statx => statx(&self.dir, name, AtFlags::empty(), StatxFlags::ALL).map(drop),
        }
        .map_err(io::Error::from)
    }

    /// Removes a file or link.
    ///
    /// # Errors
    /// What the system said.
    pub fn remove_file(&self, number: usize) -> io::Result<()> {
        Ok(unlinkat(&self.dir, self.name(number)?, AtFlags::empty())?)
    }

    /// Makes a folder.
    ///
    /// # Errors
    /// As [`create_file`](Names::create_file).
    pub fn create_dir(&self, number: usize) -> io::Result<()> {
        Ok(mkdirat(&self.dir, self.name(number)?, Mode::from_raw_mode(0o700))?)
    }

    /// Removes an empty folder.
    ///
    /// # Errors
    /// What the system said.
    pub fn remove_dir(&self, number: usize) -> io::Result<()> {
        Ok(unlinkat(&self.dir, self.name(number)?, AtFlags::REMOVEDIR)?)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_is_there_is_never_taken_for_ours_and_links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        std::fs::write(at.join("theirs"), "x").unwrap();
        symlink("theirs", at.join("link")).unwrap();
        symlink("nowhere", at.join("dangling")).unwrap();
        let all = ["theirs", "link", "dangling", "new"];
        let names = Names::new(Dir::open(at).unwrap(), all).unwrap();
        for number in 0..3 {
            for made in [names.create_file(number), names.write_file(number, b"y")] {
                assert_eq!(made.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
            }
            let made = names.create_dir(number).unwrap_err();
            assert_eq!(made.kind(), io::ErrorKind::AlreadyExists);
        }
        assert!(!at.join("nowhere").exists());
        assert_eq!(names.stat(2, StatCall::Stat).unwrap_err().kind(), io::ErrorKind::NotFound);
        names.stat(2, StatCall::Lstat).unwrap();
        names.remove_file(1).unwrap();
        assert_eq!(std::fs::read(at.join("theirs")).unwrap(), b"x", "the link went, not the file");

        names.write_file(3, b"abc").unwrap();
        assert_eq!(std::fs::read(at.join("new")).unwrap(), b"abc");
        names.stat(3, StatCall::Statx).unwrap();
        assert!(names.remove_dir(3).is_err(), "a file is no folder");
        names.remove_file(3).unwrap();
        names.create_dir(3).unwrap();
        assert!(names.remove_file(3).is_err(), "a folder is no file");
        names.remove_dir(3).unwrap();
        assert!(!names.dir.has("new").unwrap());
        assert!(names.create_file(4).is_err(), "there are four");
    }

    #[test]
    fn a_name_is_of_one_entry() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a/b", "..", ".", "", "/x", "a\0b"] {
            assert!(Names::new(Dir::open(folder.path()).unwrap(), [name]).is_err(), "{name:?}");
        }
    }
}
