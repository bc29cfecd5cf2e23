//! An open folder: what is done below it is done there, whatever its path has come to mean since.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, FileType, Gid, Mode, OFlags, RawDir, Stat, StatxFlags, Uid, fchown, fstat, mkdirat,
    openat, renameat, statat, statx, unlinkat,
};

use crate::file::{Access, open_at};
use crate::read::{Refused, whole};
use crate::{tree, walk};

impl Entry {
    pub fn is_dir(&self) -> bool {
        self.kind == FileType::Directory
    }
}

/// An open folder; it need not be one that may be listed (`O_PATH`, `open(2)`).
#[derive(Debug)]
pub struct Dir {
    fd: OwnedFd,
    path: PathBuf,
}

/// New entries get the folder's group (inode(7)).
const SET_GROUP: u32 = 0o2000;

/// What an entry of a folder is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub name: OsString,
    pub kind: FileType,
}

/// Of a folder until it has the mode that was asked for.
const NEW: u32 = 0o700;
/// How often and how long somebody else's new folder is waited for: a moment, since one who was killed there leaves it so.
const MOST_LOOKS: u32 = 40;
const LOOK_AGAIN: std::time::Duration = std::time::Duration::from_millis(5);

impl Dir {
    /// Opens a folder that exists, by a walk that follows no link of others.
    ///
    /// # Errors
    /// What the system said; `PermissionDenied` with a sentence for somebody else's link.
    pub fn open(path: &Path) -> io::Result<Dir> {
        Ok(Dir { fd: walk::folder(path)?, path: path.to_path_buf() })
    }

    /// Makes one new folder, also where the umask would take bits of `mode`.
    ///
    /// # Errors
    /// `AlreadyExists` for whatever is there, a link too; else what the system said.
    pub fn create(path: &Path, mode: u32) -> io::Result<Dir> {
        let (above, name) = walk::above(path)?;
        Dir::make(&above, name, path.to_path_buf(), mode)
    }

    /// Makes what is missing of a path; folders that exist stay as they are.
    ///
    /// # Errors
    /// As [`open`](Dir::open).
    pub fn create_all(path: &Path, mode: u32) -> io::Result<Dir> {
        match Dir::made(path, mode) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            there => return there,
        }
        if let Some(above) = path.parent().filter(|above| !above.as_os_str().is_empty()) {
            Dir::create_all(above, mode)?;
        }
        match Dir::create(path, mode) {
            // Somebody else was faster; that it is a folder of an honest way is looked at.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Dir::made(path, mode),
            made => made,
        }
    }

    /// A folder that is there, perhaps one that somebody else is just making: until it has its mode nothing is to be put into it, because who makes it looks whether
    /// it is empty.
    fn made(path: &Path, mode: u32) -> io::Result<Dir> {
        for _ in 0..MOST_LOOKS {
            let dir = Dir::open(path)?;
            let about = fstat(&dir.fd)?;
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            let age_s = now.map_or(0, |now| now.as_secs() as i64) - about.st_ctime as i64;
            if mode == NEW || about.st_mode & 0o777 != NEW || age_s > 1 {
                return Ok(dir);
            }
            std::thread::sleep(LOOK_AGAIN);
        }
        Dir::open(path)
    }

    fn make(above: impl AsFd, name: &OsStr, path: PathBuf, mode: u32) -> io::Result<Dir> {
        mkdirat(&above, name, Mode::from_raw_mode(NEW))?;
        let dir = Dir::below(above, name, path)?;
        // Whoever may rename in the folder above may have put another folder there since: what was made is nobody else's, and where it gets
        // another mode, empty.
        let found = fstat(&dir.fd)?.st_mode & 0o7777;
        let changes = mode & 0o777 != NEW;
        if found & !SET_GROUP != NEW || changes && !dir.entries()?.is_empty() {
            let why = "another folder was put in the place of the new one";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        // A folder for a team hands its group on.
        let wanted = mode | found & SET_GROUP;
        if wanted != found {
            dir.set_mode(wanted)?;
        }
        Ok(dir)
    }

    fn below(above: impl AsFd, name: &OsStr, path: PathBuf) -> io::Result<Dir> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = openat(above, name, flags, Mode::empty())?;
        Ok(Dir { fd, path })
    }

    /// The folder opened for what its path alone doesn't allow: to be listed, and to have its owner and mode changed.
    fn readable(&self) -> io::Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(openat(&self.fd, ".", flags, Mode::empty())?)
    }

    /// The same folder by another descriptor.
    ///
    /// # Errors
    /// What the system said.
    pub fn try_clone(&self) -> io::Result<Dir> {
        Ok(Dir { fd: self.fd.try_clone()?, path: self.path.clone() })
    }

    /// The path by which it was opened, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A folder in it.
    ///
    /// # Errors
    /// What the system said; a link is an error.
    pub fn open_dir(&self, name: impl AsRef<OsStr>) -> io::Result<Dir> {
        let name = one_name(name.as_ref())?;
        Dir::below(&self.fd, name, self.path.join(name))
    }

    /// A new folder in it, with exactly this mode.
    ///
    /// # Errors
    /// As [`create`](Dir::create).
    pub fn create_dir(&self, name: impl AsRef<OsStr>, mode: u32) -> io::Result<Dir> {
        let name = one_name(name.as_ref())?;
        Dir::make(&self.fd, name, self.path.join(name), mode)
    }

    /// A new file in it, for reading and writing.
    ///
    /// # Errors
    /// `AlreadyExists` for whatever is there, a link too; else what the system said.
    pub fn create_new(&self, name: impl AsRef<OsStr>, mode: u32) -> io::Result<File> {
        self.create_new_as(name, Access::Write, mode)
    }

    /// A new file in it, opened as `access` says.
    ///
    /// # Errors
    /// As [`create_new`](Dir::create_new).
    pub fn create_new_as(
        &self,
        name: impl AsRef<OsStr>,
        access: Access,
        mode: u32,
    ) -> io::Result<File> {
        let flags = access.flags() | OFlags::CREATE | OFlags::EXCL;
        open_at(&self.fd, one_name(name.as_ref())?, flags, mode)
    }

    /// A plain file in it.
    ///
    /// # Errors
    /// What the system said; links, pipes and devices are errors.
    pub fn open_file(&self, name: impl AsRef<OsStr>, access: Access) -> io::Result<File> {
        open_at(&self.fd, one_name(name.as_ref())?, access.flags(), 0)
    }

    /// Whether there is anything by that name, a link to nowhere too.
    ///
    /// # Errors
    /// What the system said.
    pub fn has(&self, name: impl AsRef<OsStr>) -> io::Result<bool> {
        match self.stat(name.as_ref()) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn stat(&self, name: &OsStr) -> io::Result<Stat> {
        Ok(statat(&self.fd, one_name(name)?, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// Its owner.
    ///
    /// # Errors
    /// What the system said.
    pub fn owner(&self) -> io::Result<u32> {
        Ok(self.owner_and_group()?.0)
    }

    /// Its owner and its group.
    ///
    /// # Errors
    /// What the system said.
    pub fn owner_and_group(&self) -> io::Result<(u32, u32)> {
        let found = fstat(&self.fd)?;
        Ok((found.st_uid, found.st_gid))
    }

    /// Its permissions.
    ///
    /// # Errors
    /// What the system said.
    pub fn mode(&self) -> io::Result<u32> {
        Ok(fstat(&self.fd)?.st_mode & 0o7777)
    }

    /// Gives it these permissions.
    ///
    /// # Errors
    /// What the system said.
    pub fn set_mode(&self, mode: u32) -> io::Result<()> {
        Ok(rustix::fs::fchmod(self.readable()?, Mode::from_raw_mode(mode))?)
    }

    /// Hands it to another user and group.
    ///
    /// # Errors
    /// What the system said.
    pub fn give(&self, uid: u32, gid: u32) -> io::Result<()> {
        Ok(fchown(self.readable()?, Some(Uid::from_raw(uid)), Some(Gid::from_raw(gid)))?)
    }

    /// Whether the entry `name` is the folder `other`.
    pub fn leads_to(&self, name: impl AsRef<OsStr>, other: &Dir) -> bool {
        match (self.stat(name.as_ref()), fstat(&other.fd)) {
            (Ok(here), Ok(there)) => (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino),
            _ => false,
        }
    }

    /// The text of a plain file in it, of at most `most_bytes`.
    ///
    /// # Errors
    /// Why it wasn't read.
    pub fn read_text(&self, name: impl AsRef<OsStr>, most_bytes: u64) -> Result<String, Refused> {
        let bytes = whole(self.open_file(name, Access::Read)?, most_bytes)?;
        String::from_utf8(bytes).map_err(|_| Refused::NotText)
    }

    /// Device and inode, by which the kernel knows it.
    ///
    /// # Errors
    /// What the system said.
    pub fn identity(&self) -> io::Result<(u64, u64)> {
        let found = fstat(&self.fd)?;
        Ok((found.st_dev, found.st_ino))
    }

    /// Whether its path still leads to it.
    pub fn is_where_it_was(&self) -> bool {
        let there = Dir::open(&self.path).and_then(|dir| dir.identity());
        matches!((there, self.identity()), (Ok(there), Ok(here)) if there == here)
    }

    /// Gives an entry another name in this folder, in place of what has that name.
    ///
    /// # Errors
    /// What the system said.
    pub fn rename(&self, from: impl AsRef<OsStr>, to: impl AsRef<OsStr>) -> io::Result<()> {
        Ok(renameat(&self.fd, one_name(from.as_ref())?, &self.fd, one_name(to.as_ref())?)?)
    }

    /// Moves an entry into another folder.
    pub(crate) fn rename_into(
        &self,
        from: impl AsRef<OsStr>,
        into: &Dir,
        to: impl AsRef<OsStr>,
    ) -> io::Result<()> {
        Ok(renameat(&self.fd, one_name(from.as_ref())?, &into.fd, one_name(to.as_ref())?)?)
    }

    /// Removes a file or link.
    ///
    /// # Errors
    /// What the system said.
    pub fn remove_file(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        Ok(unlinkat(&self.fd, one_name(name.as_ref())?, AtFlags::empty())?)
    }

    /// Removes an empty folder.
    ///
    /// # Errors
    /// What the system said.
    pub fn remove_empty_dir(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        Ok(unlinkat(&self.fd, one_name(name.as_ref())?, AtFlags::REMOVEDIR)?)
    }

    /// Removes a file, a link, or a folder with everything in it. Links are removed and not followed; where something is mounted, or a
    /// folder belongs neither to the owner of this one nor to whoever removes, its contents stay and it is an error.
    ///
    /// # Errors
    /// What the system said; the rest stays.
    pub fn remove_tree(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        tree::remove(self, one_name(name.as_ref())?)
    }

    /// Removes a folder within one that whoever removes made, with everything in it, whomever its folders were given to. Links are not
    /// followed, and no other mount is entered.
    ///
    /// # Errors
    /// What the system said; the rest stays.
    pub fn remove_given(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        tree::remove_given(self, one_name(name.as_ref())?)
    }

    /// Whether both are seen through one mount; by their devices where the kernel doesn't say.
    ///
    /// # Errors
    /// What the system said.
    pub fn is_on_mount_of(&self, other: &Dir) -> io::Result<bool> {
        // Subvolumes of one mount have devices of their own.
        match (self.mount(), other.mount()) {
            (Some(own), Some(theirs)) => Ok(own == theirs),
            _ => Ok(self.identity()?.0 == other.identity()?.0),
        }
    }

    /// Removes everything in it, with the bounds of [`remove_tree`](Dir::remove_tree).
    ///
    /// # Errors
    /// What the system said; the rest stays.
    pub fn empty(&self) -> io::Result<()> {
        tree::empty(self)
    }

    /// The names in it.
    ///
    /// # Errors
    /// What the system said.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        Ok(self.entries()?.into_iter().map(|entry| entry.name).collect())
    }

    /// The names of the plain files in it.
    ///
    /// # Errors
    /// What the system said.
    pub fn plain_files(&self) -> io::Result<Vec<OsString>> {
        let files = self.entries()?.into_iter().filter(|entry| entry.kind == FileType::RegularFile);
        Ok(files.map(|entry| entry.name).collect())
    }

    pub(crate) fn entries(&self) -> io::Result<Vec<Entry>> {
        // A descriptor of its own: the place in the list belongs to the open file.
        let list = self.readable()?;
        let mut buffer = Vec::with_capacity(16 << 10);
        let mut raw = RawDir::new(&list, buffer.spare_capacity_mut());
        let mut entries = Vec::new();
        while let Some(entry) = raw.next() {
            let entry = entry?;
            let name = OsString::from_vec(entry.file_name().to_bytes().to_vec());
            if name == "." || name == ".." {
                continue;
            }
            let kind = match entry.file_type() {
                // Some file systems don't say.
                FileType::Unknown => match self.stat(&name) {
                    Ok(found) => FileType::from_raw_mode(found.st_mode),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    Err(error) => return Err(error),
                },
                kind => kind,
            };
            entries.push(Entry { name, kind });
        }
        Ok(entries)
    }

    /// The mount that it is seen through, which differs also where a folder of the same file system is mounted; `None` where the kernel
    /// doesn't say (before Linux 5.8).
    pub(crate) fn mount(&self) -> Option<u64> {
        let found = statx(&self.fd, "", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID).ok()?;
        (found.stx_mask & StatxFlags::MNT_ID.bits() != 0).then_some(found.stx_mnt_id)
    }
}

impl AsFd for Dir {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// One name and no path: `a/b` would be walked by the kernel, which follows every link.
pub(crate) fn one_name(name: &OsStr) -> io::Result<&OsStr> {
    let mut parts = Path::new(name).components();
    match (parts.next(), parts.next()) {
        (Some(std::path::Component::Normal(only)), None) if only == name => Ok(name),
        _ => {
            let why = format!("`{}` is no name of one file", name.to_string_lossy());
            Err(io::Error::new(io::ErrorKind::InvalidInput, why))
        }
    }
}
