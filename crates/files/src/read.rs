//! Reading what others wrote: plain files alone, up to a limit.
//!
//! `/dev/zero` has no end, a pipe may have no writer, and a link in a folder of runs may lead to either. A reader that asks for the whole
//! of it fills the memory or waits for ever.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat};

use crate::file::not_plain;

/// Why a file was not read.
#[derive(Debug)]
pub enum Refused {
    /// What the system said.
    System(io::Error),
    /// A folder, pipe, socket or device: what it is, in words.
    NotPlain(String),
    /// It is longer than anything of its kind.
    Long {
        /// The longest that is read, bytes.
        most_bytes: u64,
    },
    /// It is no text.
    NotText,
    /// Others than its owner may read or write it.
    Others {
        /// Its mode.
        mode: u32,
    },
    /// It is another user's.
    NotOurs {
        /// Whose: user id.
        owner: u32,
    },
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::System(error) => error.fmt(f),
            Refused::NotPlain(what) => f.write_str(what),
            Refused::Long { most_bytes } => {
                write!(
                    f,
                    "it is longer than {} MiB, which no file of its kind is",
                    most_bytes >> 20
                )
            }
            Refused::NotText => f.write_str("it is no text (not UTF-8)"),
            Refused::Others { mode } => {
                write!(
                    f,
                    "others than its owner may use it (mode {mode:04o}); chmod 600 mends that"
                )
            }
            Refused::NotOurs { owner } => {
                write!(f, "it belongs to user {owner}, not to the one who runs this")
            }
        }
    }
}

impl std::error::Error for Refused {}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Refused {
        Refused::System(error)
    }
}

impl From<Refused> for io::Error {
    fn from(refused: Refused) -> io::Error {
        match refused {
            Refused::System(error) => error,
            other => io::Error::new(io::ErrorKind::InvalidData, other.to_string()),
        }
    }
}

/// Opens a plain file for reading. Links are followed: what is read is looked at before anything of it is shown.
///
/// # Errors
/// What the system said, or that it is no regular file.
pub fn open_plain(path: &Path) -> Result<File, Refused> {
    // Looked at before it is opened for reading too: opening alone has effects on some (a tape rewinds, a watchdog starts).
    let found = openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())
        .map_err(io::Error::from)?;
    plain(&found)?;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = openat(CWD, path, flags, Mode::empty()).map_err(io::Error::from)?;
    plain(&file)?;
    Ok(File::from(file))
}

/// The whole of a plain file of at most `most_bytes`.
///
/// # Errors
/// Why it wasn't read; nothing waits and nothing grows beyond the limit.
pub fn read(path: &Path, most_bytes: u64) -> Result<Vec<u8>, Refused> {
    whole(open_plain(path)?, most_bytes)
}

/// The whole of an open file.
pub(crate) fn whole(file: File, most_bytes: u64) -> Result<Vec<u8>, Refused> {
    let length = file.metadata()?.len();
    if length > most_bytes {
        return Err(Refused::Long { most_bytes });
    }
    let mut bytes = Vec::with_capacity(length as usize);
    // The kernel's own files say that they have no length, and others may grow.
    file.take(most_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most_bytes { Err(Refused::Long { most_bytes }) } else { Ok(bytes) }
}

/// The same as text.
///
/// # Errors
/// As [`read`], and [`Refused::NotText`].
pub fn read_text(path: &Path, most_bytes: u64) -> Result<String, Refused> {
    String::from_utf8(read(path, most_bytes)?).map_err(|_| Refused::NotText)
}

/// The text of a plain file of at most `most_bytes` that holds a secret: it belongs to this process's user, and nobody else may
/// read or write it.
///
/// # Errors
/// As [`read_text`], and who else it is open to.
pub fn read_private_text(path: &Path, most_bytes: u64) -> Result<String, Refused> {
    let file = open_plain(path)?;
    // Of what is open, so that it cannot be another file by then.
    let found = fstat(&file).map_err(io::Error::from)?;
    if found.st_uid != crate::euid() {
        return Err(Refused::NotOurs { owner: found.st_uid });
    }
    let mode = found.st_mode & 0o7777;
    if mode & 0o077 != 0 {
        return Err(Refused::Others { mode });
    }
    String::from_utf8(whole(file, most_bytes)?).map_err(|_| Refused::NotText)
}

fn plain(file: impl std::os::fd::AsFd) -> Result<(), Refused> {
    match FileType::from_raw_mode(fstat(file).map_err(io::Error::from)?.st_mode) {
        FileType::RegularFile => Ok(()),
        kind => Err(Refused::NotPlain(not_plain(kind))),
    }
}
