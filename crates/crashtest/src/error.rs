//! What can go wrong in a crash test: what was attempted, on what, why, and what to do.

use std::io;
use std::path::PathBuf;

use narrows_postgres::WireError;

/// An error of a crash test. None of them says anything about durability.
#[derive(Debug, thiserror::Error)]
pub enum CrashTestError {
    /// A file or device.
    #[error("{attempt} {}: {source}{}", path.display(), hint_of(source))]
    File {
        /// `creating`, `reading`.
        attempt: &'static str,
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Something is there already.
    #[error(
        "{} exists already, and a crash test doesn't write over files\nhint: give another name, or remove it", .0.display()
    )]
    Exists(PathBuf),
    /// A device that is too small.
    #[error(
        "{path} has {have} bytes and the records need {need}\nhint: fewer --streams or a smaller --size",
        path = path.display()
    )]
    Small {
        /// The device.
        path: PathBuf,
        /// Its size.
        have: u64,
        /// What was asked for.
        need: u64,
    },
    /// The second host.
    #[error(
        "cannot reach the second host at {address}: {source}\n\
         hint: start `narrows log crashtest listen` there first, and let its port through the firewall"
    )]
    Unreached {
        /// Where.
        address: String,
        /// What the system said.
        source: io::Error,
    },
    /// The connection to the second host ended.
    #[error(
        "the second host is no longer heard: {0}\n\
         hint: nothing was cut and nothing shown; begin again with a new list"
    )]
    Lost(String),
    /// Somebody asked for that, before the first record.
    #[error("stopped before the first record; what was made for it is removed")]
    Stopped,
    /// The other side speaks something else.
    #[error(
        "the other side said something unexpected: {0}\nhint: use the same version of narrows on both hosts"
    )]
    Protocol(String),
    /// The other side refused.
    #[error("the second host refused: {0}")]
    Refused(String),
    /// Nobody came.
    #[error(
        "no writer came within {0} s\nhint: narrows log crashtest write FILE --to THIS-HOST:PORT, on the machine whose power is cut"
    )]
    Nobody(u64),
    /// Settings that can't be.
    #[error("{0}")]
    Settings(String),
    /// A list that can't be read.
    #[error(
        "{} is not a list of acknowledged records: {reason}\nhint: it is the file that `narrows log crashtest listen` wrote on the second host",
        path.display()
    )]
    List {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A file of something else, or an empty one.
    #[error(
        "{target} does not begin as test {run} left it: {found}\n\
         hint: is the right file system mounted, and is this the file? if so its beginning was lost: --gone then \
         counts what is missing"
    )]
    NotOurs {
        /// What was to be checked.
        target: String,
        /// Short id of the test.
        run: String,
        /// What it begins with.
        found: String,
    },
    /// Nothing is there.
    #[error(
        "{target} is not there\n\
         hint: is the file system mounted (or the right database named)? if so it was lost: --gone then counts all \
         acknowledged records as missing"
    )]
    Gone {
        /// What was to be checked.
        target: String,
    },
    /// The list is about a file, and a table was named, or the other way round.
    #[error("{list} is about {kind} {target}\nhint: {hint}", list = list.display())]
    Other {
        /// The list.
        list: PathBuf,
        /// `the file`, `a table in`.
        kind: &'static str,
        /// What it names.
        target: String,
        /// What to type.
        hint: &'static str,
    },
    /// The database.
    #[error("{attempt} in {address}")]
    Database {
        /// What was attempted.
        attempt: &'static str,
        /// Where, without a password.
        address: String,
        /// What the server said.
        source: Box<WireError>,
    },
}

impl CrashTestError {
    pub(crate) fn file(
        attempt: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> CrashTestError {
        let path = path.into();
        move |source| CrashTestError::File { attempt, path, source }
    }
}

/// What helps against the system's commonest refusals.
fn hint_of(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => "\nhint: as a user who may write there",
        Some(libc::ENOENT) => "\nhint: the folder must be there; is the file system mounted?",
        Some(libc::ENOSPC | libc::EDQUOT) => {
            "\nhint: free space, or fewer --streams, a smaller --size"
        }
        Some(libc::EINVAL) => {
            "\nhint: the file system may not take direct or synchronous writes: without --direct, or another --sync"
        }
        Some(libc::EOPNOTSUPP) => "\nhint: another --sync; this one is not known there",
        Some(libc::EROFS) => {
            "\nhint: it is mounted read-only; the kernel's log says whether an error did that"
        }
        _ => "",
    }
}
