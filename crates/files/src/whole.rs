//! Files that are there whole or not at all, also after a kill, and also where others may write to the folder.
//!
//! What is written has no name until it is whole (`O_TMPFILE`, `open(2)`): whoever kills the writer leaves nothing. A file that is to be
//! replaced, and a file system without unnamed files (NFS, some overlays), need a name for a moment. That name can't be foretold, so that
//! nobody plants a link there; the file under it is locked (`flock(2)`) for as long as its writer lives; and whoever writes to the folder
//! next removes those whose lock is free. Signals that end a process of one thread wait for that moment.
//!
//! Not here: making it last through a power cut. A run is worth a flush to nobody while a drive is being measured.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, FlockOperation, Mode, OFlags, flock, linkat, openat};
use rustix::rand::GetRandomFlags;

use crate::{Access, Dir, euid};

/// What a name for a moment ends with.
const ENDING: &str = ".narrows-part";
/// Of the real name, so much stands in it; the kernel allows 255 bytes in all.
const NAME_BYTES: usize = 200;

/// Writes a file whole or not at all. What has its name already is replaced, a link too, which is not followed. `mode` is subject to the
/// umask.
///
/// # Errors
/// What the system said; nothing is left then.
pub fn write_whole(path: &Path, contents: &[u8], mode: u32) -> io::Result<()> {
    let name = path.file_name().ok_or_else(|| {
        io::Error::new(io::ErrorKind::InvalidInput, "the path ends in no name of a file")
    })?;
    let dir = Dir::open(path.parent().unwrap_or(Path::new("")))?;
    sweep(&dir);
    if let Some(file) = unnamed(&dir, mode)? {
        (&file).write_all(contents)?;
        match name_it(&file, &dir, name) {
            Err(error) if cannot_be_named(&error) => {}
            done => return done,
        }
    }
    by_name(&dir, name, contents, mode)
}

/// Whether a file can be written to a folder, by writing one that goes at once.
///
/// # Errors
/// What the system said.
pub fn probe(folder: &Path) -> io::Result<()> {
    let dir = Dir::open(folder)?;
    sweep(&dir);
    if let Some(file) = unnamed(&dir, 0o600)? {
        return (&file).write_all(b"narrows");
    }
    let _held = Held::signals();
    let (name, file) = part(&dir, OsStr::new("probe"), 0o600)?;
    let written = (&file).write_all(b"narrows");
    written.and(dir.remove_file(name))
}

/// Removes what writers that died have left in a folder: files of ours with such a name that nobody has locked.
pub fn sweep(dir: &Dir) {
    for name in dir.names().unwrap_or_default() {
        if !name.as_bytes().starts_with(b".") || !name.as_bytes().ends_with(ENDING.as_bytes()) {
            continue;
        }
        // For writing, because some file systems lock no other way.
        let Ok(file) = dir.open_file(&name, Access::Write) else { continue };
        let ours = file.metadata().is_ok_and(|found| found.uid() == euid());
        if ours && flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
            // Who can't remove it now leaves it to the next.
            let _ = dir.remove_file(&name);
        }
    }
}

/// A locked file without a name; `None` where the file system has none.
fn unnamed(dir: &Dir, mode: u32) -> io::Result<Option<File>> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    match openat(dir, ".", flags, Mode::from_raw_mode(mode)).map_err(io::Error::from) {
        Ok(fd) => {
            let file = File::from(fd);
            flock(&file, FlockOperation::NonBlockingLockExclusive)?;
            Ok(Some(file))
        }
        // What file systems and kernels without it say.
        Err(error)
            if matches!(
                error.raw_os_error(),
                Some(libc::EOPNOTSUPP | libc::EISDIR | libc::EINVAL | libc::ENOENT)
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Gives an unnamed file its name.
fn name_it(file: &File, dir: &Dir, name: &OsStr) -> io::Result<()> {
    match link(file, dir, name) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        done => return done,
    }
    let _held = Held::signals();
    for _ in 0..ATTEMPTS {
        let part = part_name(name)?;
        match link(file, dir, &part) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(()) => return into_place(dir, &part, name),
        }
    }
    Err(no_name())
}

/// Without a `/proc`, or where the file system can't do it.
fn cannot_be_named(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(libc::ENOENT | libc::EXDEV | libc::EOPNOTSUPP | libc::EINVAL | libc::EPERM)
    )
}

fn link(file: &File, dir: &Dir, name: &OsStr) -> io::Result<()> {
    let open = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, open, dir, name, AtFlags::SYMLINK_FOLLOW)?)
}

/// Writes under a name for a moment.
fn by_name(dir: &Dir, name: &OsStr, contents: &[u8], mode: u32) -> io::Result<()> {
    let _held = Held::signals();
    let (part, file) = part(dir, name, mode)?;
    match (&file).write_all(contents) {
        Ok(()) => into_place(dir, &part, name),
        Err(error) => {
            let _ = dir.remove_file(&part);
            Err(error)
        }
    }
}

fn into_place(dir: &Dir, part: &OsStr, name: &OsStr) -> io::Result<()> {
    let placed = dir.rename(part, name);
    if placed.is_err() {
        let _ = dir.remove_file(part);
    }
    placed
}

/// As often as one may meet a name that is taken, or a sweep that came between making and locking.
const ATTEMPTS: u32 = 16;

/// A new, locked file under a name for a moment.
fn part(dir: &Dir, name: &OsStr, mode: u32) -> io::Result<(OsString, File)> {
    for _ in 0..ATTEMPTS {
        let part = part_name(name)?;
        let file = match dir.create_new(&part, mode) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error),
        };
        let locked = flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok();
        if locked && file.metadata()?.nlink() > 0 {
            return Ok((part, file));
        }
        let _ = dir.remove_file(&part);
    }
    Err(no_name())
}

fn no_name() -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, "every name for its parts is taken")
}

fn part_name(name: &OsStr) -> io::Result<OsString> {
    let mut random = [0u8; 8];
    // So few bytes come whole, or not at all.
    rustix::rand::getrandom(&mut random, GetRandomFlags::empty())?;
    let mut part = OsString::from(".");
    part.push(OsStr::from_bytes(&name.as_bytes()[..name.len().min(NAME_BYTES)]));
    part.push(format!(".{:016x}{ENDING}", u64::from_ne_bytes(random)));
    Ok(part)
}

/// Signals that would end the process wait while this lives.
struct Held(libc::sigset_t);

impl Held {
    fn signals() -> Held {
        let mut before = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: both sets are ours and are written before they are read; the signals' numbers exist, so no call can fail.
        unsafe {
            let mut held = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
            libc::sigemptyset(held.as_mut_ptr());
            for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT] {
                libc::sigaddset(held.as_mut_ptr(), signal);
            }
            libc::pthread_sigmask(libc::SIG_BLOCK, held.as_ptr(), before.as_mut_ptr());
            Held(before.assume_init())
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: the set is the one that the kernel gave.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.0, std::ptr::null_mut())
        };
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// As where the file system has no unnamed files.
    fn without_unnamed(path: &Path, contents: &[u8]) -> io::Result<()> {
        let dir = Dir::open(path.parent().unwrap())?;
        sweep(&dir);
        by_name(&dir, path.file_name().unwrap(), contents, 0o644)
    }

    type WriteFunction = fn(&Path, &[u8]) -> io::Result<()>;

    const WAYS: [WriteFunction; 2] =
        [|path, contents| write_whole(path, contents, 0o644), without_unnamed];

    #[test]
    fn new_and_replaced_and_nothing_beside() {
        for way in WAYS {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("x".repeat(255));
            for text in ["one", "two", "three"] {
                way(&path, text.as_bytes()).unwrap();
                assert_eq!(fs::read_to_string(&path).unwrap(), text);
                assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
            }
            probe(dir.path()).unwrap();
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        }
    }

    #[test]
    fn a_planted_link_is_replaced_and_never_written_through() {
        for way in WAYS {
            let dir = tempfile::tempdir().unwrap();
            let (victim, path) = (dir.path().join("victim"), dir.path().join("x"));
            fs::write(&victim, "PRECIOUS").unwrap();
            symlink(&victim, &path).unwrap();
            way(&path, b"one").unwrap();
            assert_eq!(fs::read_to_string(&victim).unwrap(), "PRECIOUS");
            assert!(fs::symlink_metadata(&path).unwrap().is_file());
        }
    }

    #[test]
    fn what_a_killed_writer_left_goes_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let open = Dir::open(dir.path()).unwrap();
        let (_, dead) = part(&open, OsStr::new("dead"), 0o600).unwrap();
        drop(dead);
        let (alive, _writer) = part(&open, OsStr::new("alive"), 0o600).unwrap();
        let victim = at("victim");
        fs::write(&victim, "PRECIOUS").unwrap();
        symlink(&victim, at(".link.0.narrows-part")).unwrap();
        fs::create_dir(at(".folder.0.narrows-part")).unwrap();
        fs::write(at("x.1234.part"), "somebody's").unwrap();
        let pipe = std::process::Command::new("mkfifo").arg(at(".pipe.0.narrows-part")).status();
        assert!(pipe.unwrap().success());
        write_whole(&at("x"), b"one", 0o600).unwrap();
        let mut left: Vec<String> =
            open.names().unwrap().into_iter().map(|n| n.into_string().unwrap()).collect();
        left.sort();
        let mut expected = vec![
            ".folder.0.narrows-part".to_string(),
            ".link.0.narrows-part".to_string(),
            ".pipe.0.narrows-part".to_string(),
            alive.into_string().unwrap(),
            "victim".to_string(),
            "x".to_string(),
            "x.1234.part".to_string(),
        ];
        expected.sort();
        assert_eq!(left, expected);
    }

    #[test]
    fn of_many_writers_each_is_whole_or_not_there() {
        for way in WAYS {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("x");
            std::thread::scope(|scope| {
                for letter in b'a'..=b'd' {
                    let path = &path;
                    scope.spawn(move || (0..50).for_each(|_| way(path, &[letter; 9000]).unwrap()));
                }
            });
            let text = fs::read(&path).unwrap();
            assert!(text.len() == 9000 && text.iter().all(|byte| *byte == text[0]));
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        }
    }

    #[test]
    fn what_does_not_fit_leaves_what_was_there_and_nothing_beside() {
        for way in WAYS {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("folder");
            fs::create_dir(&path).unwrap();
            assert!(way(&path, b"one").is_err());
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
            assert!(way(&dir.path().join("gone/x"), b"one").is_err());
        }
    }
}
