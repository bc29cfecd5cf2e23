//! Why the log layer gave nothing.

use std::io;
use std::path::{Path, PathBuf};

use narrows_engine::Stopped;

/// Why the log could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// Asked to end.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The folder isn't there.
    #[error(
        "cannot measure WAL: the folder {dir} does not exist or is no folder\nhint: create it, or name another one with --wal (for WAL) or --data (for data files)"
    )]
    Missing {
        /// The folder.
        dir: PathBuf,
    },
    /// The file system may not be written to.
    #[error(
        "cannot measure WAL: the file system of {dir} is mounted read-only\nhint: name a folder on another file system with --wal or --data"
    )]
    ReadOnly {
        /// The folder.
        dir: PathBuf,
    },
    /// No right to write.
    #[error(
        "cannot measure WAL: no right to write in {dir}\nhint: name a folder you own with --wal or --data, or run as its owner"
    )]
    Denied {
        /// The folder.
        dir: PathBuf,
    },
    /// No room.
    #[error(
        "cannot measure WAL: {dir} is full; {what} needs {needed_mib} MiB\nhint: free some space, or name a folder on another file system with --wal or --data"
    )]
    Full {
        /// The folder.
        dir: PathBuf,
        /// What was being written.
        what: &'static str,
        /// Its size, MiB.
        needed_mib: u64,
    },
    /// A limit on the size of files.
    #[error(
        "cannot measure WAL: {what} {file} failed: it needs {needed_mib} MiB, and files may not grow that large (File too large)\nhint: raise the limit with `ulimit -f unlimited`, or name a folder on another file system with --wal or --data"
    )]
    Large {
        /// The file.
        file: PathBuf,
        /// What was being done.
        what: &'static str,
        /// Its size, MiB.
        needed_mib: u64,
    },
    /// Durability means nothing here.
    #[error(
        "cannot measure WAL: {dir} is on {kind}, which is in memory; nothing written there is durable\nhint: name a folder on a drive with --wal or --data"
    )]
    Volatile {
        /// The folder.
        dir: PathBuf,
        /// The file system.
        kind: String,
    },
    /// Not one commit became durable in a window.
    #[error(
        "cannot measure WAL: not one commit to {dir} became durable in any window\nhint: check the kernel log (dmesg) for what the drive does, or name another folder with --wal"
    )]
    NoCommit {
        /// The folder.
        dir: PathBuf,
    },
    /// A step that the log layer doesn't own failed.
    #[error(
        "cannot measure the ladder's step {step}: {reason}\nhint: leave the database out with --no-database, or check its log and run again"
    )]
    Foreign {
        /// Which.
        step: String,
        /// What its owner said.
        reason: String,
    },
    /// The file system takes no synchronous writes.
    #[error(
        "cannot measure WAL: opening {file} with O_DSYNC was refused: {reason}\nhint: {}",
        ours(reason).unwrap_or(
            "this file system has no synchronous writes; name a folder on another one with --wal"
        )
    )]
    Dsync {
        /// The file.
        file: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
    /// The threads could not be kept on the processors asked for.
    #[error(
        "cannot measure WAL: binding threads to CPUs {cpus:?} failed: {reason}\nhint: a CPU may have gone offline or left the cpuset; run again"
    )]
    Pin {
        /// The processors.
        cpus: Vec<u32>,
        /// What the system said.
        reason: io::Error,
    },
    /// A namespace of a storage target.
    #[error("cannot measure WAL: {what} {name} failed: {reason}\nhint: the target's log says why")]
    Namespace {
        /// What was attempted.
        what: &'static str,
        /// Its address.
        name: String,
        /// What the target or the connection said.
        reason: String,
    },
    /// Anything else the system refused.
    #[error(
        "cannot measure WAL: {what} {path} failed: {reason}\nhint: {}",
        ours(reason).unwrap_or(
            "check the kernel log (dmesg) for what the drive reports, or name another folder with --wal or --data"
        )
    )]
    Io {
        /// What was attempted.
        what: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
}

/// What to do about a limit of this process, which is no fault of drive or file system.
fn ours(reason: &io::Error) -> Option<&'static str> {
    match reason.raw_os_error()? {
        libc::EMFILE => Some("raise the limit of open files (ulimit -n)"),
        libc::ENFILE => Some("the machine's limit of open files is reached (sysctl fs.file-max)"),
        libc::ENOMEM => Some("free memory, or raise what limits this process (ulimit -v)"),
        libc::EAGAIN => Some("raise the limit of processes and threads (ulimit -u)"),
        _ => None,
    }
}

impl LogError {
    /// The error of doing `what` (an ing-form) to the file `path`, which needs `bytes` of room.
    pub(crate) fn of(what: &'static str, path: &Path, bytes: u64, reason: io::Error) -> Self {
        if let Some(name) = path.to_str().filter(|name| name.starts_with("nvme-tcp://")) {
            return LogError::Namespace {
                what,
                name: name.to_string(),
                reason: reason.to_string(),
            };
        }
        let dir = path.parent().unwrap_or(path).to_path_buf();
        match reason.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => LogError::Missing { dir },
            io::ErrorKind::ReadOnlyFilesystem => LogError::ReadOnly { dir },
            io::ErrorKind::PermissionDenied => LogError::Denied { dir },
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                LogError::Full { dir, what, needed_mib: bytes.div_ceil(1 << 20) }
            }
            io::ErrorKind::FileTooLarge => LogError::Large {
                file: path.to_path_buf(),
                what,
                needed_mib: bytes.div_ceil(1 << 20),
            },
            _ => LogError::Io { what, path: path.to_path_buf(), reason },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_of_this_process_is_not_blamed_on_the_file_system_or_the_drive() {
        let reason = io::Error::from_raw_os_error;
        let dsync = |code| LogError::Dsync { file: "/x".into(), reason: reason(code) }.to_string();
        assert!(dsync(libc::EMFILE).ends_with("hint: raise the limit of open files (ulimit -n)"));
        assert!(dsync(libc::EINVAL).contains("has no synchronous writes"));
        let other = |code| LogError::of("opening", Path::new("/x/y"), 0, reason(code)).to_string();
        assert!(
            other(libc::EMFILE).contains("ulimit -n") && !other(libc::EMFILE).contains("dmesg")
        );
        assert!(other(libc::EIO).contains("dmesg"));
    }
}
