//! The one error type of this crate: what was attempted, on which file, where in it, and what the kernel said.

use std::io;
use std::path::{Path, PathBuf};

use narrows_units::Bytes;

/// Why a file or an I/O path could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The caller asked to stop; nothing was left behind.
    #[error("stopped on request")]
    Stopped,
    /// A system call failed.
    #[error("cannot {action} {}{}: {source}{}", path.display(), at(*offset), hint_line(source))]
    System {
        /// What was attempted, as it follows "cannot": `write`, `open for direct I/O`.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Byte offset in the file, where the attempt had one.
        offset: Option<u64>,
        /// What the kernel said.
        source: io::Error,
    },
    /// The file system has too little room for the file and the reserve that stays free.
    #[error(
        "cannot create a file of {} in {}: {} are free and {} must stay free\n\
         hint: free some space, ask for a smaller file, or name a folder on another file system",
        Bytes(*wanted), dir.display(), Bytes(*available), Bytes(*reserve)
    )]
    NoSpace {
        /// The folder.
        dir: PathBuf,
        /// Size of the file, bytes.
        wanted: u64,
        /// Free for this user, bytes.
        available: u64,
        /// What must stay free, bytes.
        reserve: u64,
    },
    /// The file system can make too few files.
    #[error(
        "cannot make {wanted} files in {}: {available} more can be made there (df -i), and half of them are left to others\n\
         hint: ask for fewer files, or name a folder on another file system",
        dir.display()
    )]
    NoFiles {
        /// The folder.
        dir: PathBuf,
        /// How many.
        wanted: u64,
        /// Files that can still be made.
        available: u64,
    },
    /// There is no memory for the buffers.
    #[error(
        "cannot allocate {} of buffers for {}: {source}{}\n\
         hint: free memory, raise what limits this process (ulimit -v, its control group), or use less depth or smaller blocks",
        Bytes(*wanted), path.display(), of_limit(*limit)
    )]
    Buffers {
        /// For what.
        path: PathBuf,
        /// Bytes.
        wanted: u64,
        /// Bytes that this process may map (`RLIMIT_AS`), where that is limited.
        limit: Option<u64>,
        /// What the kernel said.
        source: io::Error,
    },
    /// The process may not write files of that size.
    #[error(
        "cannot create a file of {} in {}: this process may write files up to {} (ulimit -f)\n\
         hint: raise the limit with `ulimit -f unlimited`, or ask for a smaller file",
        Bytes(*wanted), dir.display(), Bytes(*limit)
    )]
    FileSizeLimit {
        /// The folder.
        dir: PathBuf,
        /// Size of the file, bytes.
        wanted: u64,
        /// The limit, bytes.
        limit: u64,
    },
    /// The file system keeps its files in memory.
    #[error(
        "cannot measure storage in {}: {kind} keeps files in memory\n\
         hint: name a folder on a disk's file system",
        dir.display()
    )]
    InMemory {
        /// The folder.
        dir: PathBuf,
        /// The file system.
        kind: String,
    },
    /// It is neither a file nor a block device.
    #[error("cannot measure {}: it is a {what}\nhint: name a file, a block device or a folder for a test file", path.display())]
    NotATarget {
        /// On what.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// Fewer bytes moved than asked where that cannot be carried on.
    #[error("{} moved {moved} of {asked} bytes of {} at offset {offset}", action, path.display())]
    Short {
        /// `read` or `write`.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Byte offset in the file.
        offset: u64,
        /// Bytes asked.
        asked: u64,
        /// Bytes moved.
        moved: u64,
    },
}

impl Error {
    /// A failed system call without a place in the file.
    pub fn system(action: &'static str, path: &Path, source: io::Error) -> Self {
        Error::System { action, path: path.to_path_buf(), offset: None, source }
    }

    /// A failed system call at `offset`.
    pub fn system_at(action: &'static str, path: &Path, offset: u64, source: io::Error) -> Self {
        Error::System { action, path: path.to_path_buf(), offset: Some(offset), source }
    }

    /// There is no memory for `wanted` bytes of buffers.
    pub fn buffers(wanted: u64, path: &Path, source: io::Error) -> Self {
        let limit = rustix::process::getrlimit(rustix::process::Resource::As).current;
        Error::Buffers { path: path.to_path_buf(), wanted, limit, source }
    }

    /// The kernel's error number, where there is one.
    pub fn errno(&self) -> Option<i32> {
        match self {
            Error::System { source, .. } | Error::Buffers { source, .. } => source.raw_os_error(),
            _ => None,
        }
    }
}

fn at(offset: Option<u64>) -> String {
    offset.map_or(String::new(), |offset| format!(" at offset {offset}"))
}

fn of_limit(limit: Option<u64>) -> String {
    limit.map_or(String::new(), |limit| {
        format!("; this process may map {} (RLIMIT_AS)", Bytes(limit))
    })
}

fn hint_line(source: &io::Error) -> String {
    hint(source).map_or(String::new(), |hint| format!("\nhint: {hint}"))
}

/// What can be done about an error number, where something can.
fn hint(source: &io::Error) -> Option<&'static str> {
    match source.raw_os_error()? {
        libc::ENOSPC => {
            Some("the file system filled up meanwhile; free some space or ask for a smaller file")
        }
        libc::EDQUOT => {
            Some("the user's or project's quota is used up; raise it or name another folder")
        }
        libc::EROFS => Some("the file system is mounted read-only; name a folder on another one"),
        libc::EACCES | libc::EPERM => Some("name a folder this user may write to"),
        libc::ENOENT => Some("create the folder first, or name another one"),
        libc::EMFILE | libc::ENFILE => Some("raise the limit of open files (ulimit -n)"),
        libc::ENOMEM => {
            Some("free memory, or raise what limits this process (ulimit -v, its control group)")
        }
        libc::EFBIG => Some("the file system or `ulimit -f` does not allow files of this size"),
        libc::EIO => Some("the device reported an error; see the kernel log (dmesg)"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_what_where_why_and_what_to_do() {
        let full = io::Error::from_raw_os_error(libc::ENOSPC);
        let error = Error::system_at("write", Path::new("/data/f"), 4096, full);
        let text = error.to_string();
        assert!(text.starts_with("cannot write /data/f at offset 4096: "), "{text}");
        assert!(text.contains("\nhint: "), "{text}");
        assert_eq!(error.errno(), Some(libc::ENOSPC));
    }

    #[test]
    fn buffers_that_find_no_room_say_how_much_they_wanted_and_what_limits_it() {
        let source = || io::Error::from_raw_os_error(libc::ENOMEM);
        let limited = Error::Buffers {
            path: "/data/f".into(),
            wanted: 64 << 20,
            limit: Some(600 << 20),
            source: source(),
        };
        let text = limited.to_string();
        assert!(text.starts_with("cannot allocate 67.1 MB of buffers for /data/f: "), "{text}");
        assert!(text.contains("may map 629 MB (RLIMIT_AS)\nhint: "), "{text}");
        assert_eq!(limited.errno(), Some(libc::ENOMEM));
        let Error::Buffers { path, wanted, .. } = limited else { unreachable!() };
        let text = Error::Buffers { path, wanted, limit: None, source: source() }.to_string();
        assert!(!text.contains("RLIMIT_AS") && text.contains("\nhint: "), "{text}");
    }
}
