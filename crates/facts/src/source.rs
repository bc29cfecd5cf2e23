//! The trait through which the machine's files are read.

use std::fs::File;
use std::io::{self, Read};

use crate::{Call, call};

/// The machine's files, live or copied. Paths are absolute, as on the machine itself.
pub trait Source: Send + Sync {
    /// A file's bytes.
    ///
    /// # Errors
    /// What opening or reading gave; many files of `/sys` exist and still refuse to be read.
    fn read(&self, path: &str) -> io::Result<Vec<u8>>;

    /// At most `limit` bytes from a file's start. `/proc/cpuinfo` is made while it is read, some microseconds per
    /// processor, so whoever needs only its head says so.
    ///
    /// # Errors
    /// As [`Source::read`].
    fn read_head(&self, path: &str, limit: usize) -> io::Result<Vec<u8>> {
        let mut bytes = self.read(path)?;
        bytes.truncate(limit);
        Ok(bytes)
    }

    /// The names in a folder, sorted; `.` and `..` left out.
    ///
    /// # Errors
    /// What opening the folder gave.
    fn list(&self, path: &str) -> io::Result<Vec<String>>;

    /// The text of a symbolic link, unresolved.
    ///
    /// # Errors
    /// What reading the link gave; not a link is an error too.
    fn link(&self, path: &str) -> io::Result<String>;

    /// The path with every symbolic link in it resolved, as seen by this source.
    ///
    /// # Errors
    /// If some part does not exist, or links go round in a circle.
    fn real_path(&self, path: &str) -> io::Result<String>;

    /// Whether the path leads to something.
    fn exists(&self, path: &str) -> bool;

    /// What no file tells. Sources that are only files can't say.
    ///
    /// # Errors
    /// What the call gave; `Unsupported` where there is nobody to ask.
    fn call(&self, _call: Call, _of: &str) -> io::Result<String> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// What was met so far that a machine's own files never are: too large, links in a circle, a pipe; or that the
    /// reader has no right to. Sources that can't tell have none.
    fn troubles(&self) -> Vec<Trouble> {
        Vec::new()
    }

    /// Whether this is the running machine, so that system calls tell about the same one.
    fn is_live(&self) -> bool;
}

/// A file or folder that is there and could not be read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Trouble {
    /// Where, as on the machine itself.
    pub path: String,
    /// Why.
    pub reason: String,
}

impl dyn Source + '_ {
    /// A file's text without the white space around it. `None` where it can't be read or is empty: what is
    /// absent, refused, or not stated is unknown alike.
    pub fn text(&self, path: &str) -> Option<String> {
        let bytes = self.read(path).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        // Device-tree strings end in NUL.
        let text = text.trim_end_matches('\0').trim();
        (!text.is_empty()).then(|| text.to_string())
    }

    /// A file that holds one number.
    pub fn number<T: std::str::FromStr>(&self, path: &str) -> Option<T> {
        self.text(path)?.parse().ok()
    }
}

/// The machine this process runs on.
#[derive(Debug, Clone, Copy, Default)]
pub struct Live;

impl Source for Live {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        // Not `std::fs::read`: it asks for the size first, which is a lie in /proc and /sys (0 or 4096) and costs
        // a system call for each of the thousands of files of a large machine.
        let mut bytes = Vec::new();
        let mut buffer = [0u8; 4096];
        let mut file = File::open(path)?;
        loop {
            match file.read(&mut buffer) {
                Ok(0) => return Ok(bytes),
                Ok(count) => bytes.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn read_head(&self, path: &str, limit: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; limit];
        let mut filled = 0;
        let mut file = File::open(path)?;
        while filled < limit {
            match file.read(&mut bytes[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        bytes.truncate(filled);
        Ok(bytes)
    }

    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        let mut names: Vec<String> = std::fs::read_dir(path)?
            .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
            .collect();
        names.sort_unstable();
        Ok(names)
    }

    fn link(&self, path: &str) -> io::Result<String> {
        Ok(std::fs::read_link(path)?.to_string_lossy().into_owned())
    }

    fn real_path(&self, path: &str) -> io::Result<String> {
        Ok(std::fs::canonicalize(path)?.to_string_lossy().into_owned())
    }

    fn exists(&self, path: &str) -> bool {
        std::path::Path::new(path).exists()
    }

    fn call(&self, call: Call, of: &str) -> io::Result<String> {
        call::live(call, of)
    }

    fn is_live(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_files_whose_size_is_said_to_be_zero() {
        let status = Live.read("/proc/self/status").unwrap();
        assert_eq!(std::fs::metadata("/proc/self/status").unwrap().len(), 0);
        assert!(String::from_utf8_lossy(&status).contains("Cpus_allowed_list"));
        assert_eq!(Live.read_head("/proc/self/status", 5).unwrap(), b"Name:");
    }

    #[test]
    fn absent_and_empty_are_both_unknown() {
        let source: &dyn Source = &Live;
        assert_eq!(source.text("/proc/no-such-file"), None);
        assert_eq!(source.number::<u32>("/proc/version"), None);
        assert!(source.number::<u64>("/proc/sys/kernel/pid_max").unwrap() > 1);
        let empty = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(source.text(empty.path().to_str().unwrap()), None);
    }

    #[test]
    fn lists_are_sorted_and_links_are_read() {
        let names = Live.list("/proc/self").unwrap();
        assert!(names.is_sorted() && names.iter().any(|name| name == "stat"));
        assert_eq!(Live.link("/proc/self").unwrap(), std::process::id().to_string());
        assert_eq!(Live.real_path("/proc/self").unwrap(), format!("/proc/{}", std::process::id()));
    }
}
