//! Files that a process has mapped into its memory so that what it writes reaches them (proc(5), `maps` and `smaps`).
//!
//! The file may have been closed long ago, so that no descriptor tells of it.

use narrows_facts::Source;

/// A shared mapping of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mapping {
    /// As in `map_files`: `7f00-7f10`.
    pub(crate) addresses: String,
    /// The file's name.
    pub(crate) path: String,
    writable: bool,
}

/// All of a process, each file once; of several mappings of a file one that is written to.
pub(crate) fn shared_mappings(source: &dyn Source, pid: u32) -> Vec<Mapping> {
    let Ok(text) = source.read(&format!("/proc/{pid}/maps")) else { return Vec::new() };
    let mut found: Vec<Mapping> = Vec::new();
    let text = String::from_utf8_lossy(&text);
    for (inode, mapping) in text.lines().filter_map(parse) {
        match found.iter_mut().find(|other| other.path == mapping.path) {
            Some(other) if !other.writable => *other = mapping,
            Some(_) => {}
            None if inode != "0" => found.push(mapping),
            None => {}
        }
    }
    found
}

/// `7f00-7f10 rw-s 00000000 07:00 12  /dev/loop0`, and the inode's column of it.
fn parse(line: &str) -> Option<(&str, Mapping)> {
    let mut rest = line;
    let mut word = || {
        let (word, after) = rest.trim_start().split_once(' ')?;
        rest = after;
        Some(word)
    };
    let (addresses, rights, _, _, inode) = (word()?, word()?, word()?, word()?, word()?);
    let path = rest.trim_start();
    let shared = rights.ends_with('s') && path.starts_with('/');
    shared.then(|| {
        let writable = rights.contains('w');
        (inode, Mapping { addresses: addresses.to_string(), path: path.to_string(), writable })
    })
}

/// Whether the process could write through the mapping, now or after asking for it (mprotect(2)); taken for granted where
/// the kernel doesn't tell.
pub(crate) fn may_write(source: &dyn Source, pid: u32, mapping: &Mapping) -> bool {
    if mapping.writable {
        return true;
    }
    let Ok(text) = source.read(&format!("/proc/{pid}/smaps")) else { return true };
    let text = String::from_utf8_lossy(&text);
    let mut lines = text.lines().skip_while(|line| !line.starts_with(&mapping.addresses));
    let flags = lines.find_map(|line| line.strip_prefix("VmFlags:"));
    flags.is_none_or(|flags| flags.split_whitespace().any(|flag| flag == "mw"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_shared_mappings_of_files() {
        let line =
            "7f00-7f10 rw-s 00000000 07:00 12                         /srv/my image (deleted)";
        let (inode, mapping) = parse(line).unwrap();
        assert_eq!((inode, mapping.path.as_str()), ("12", "/srv/my image (deleted)"));
        assert!(mapping.writable && mapping.addresses == "7f00-7f10");
        assert!(!parse(&line.replace("rw-s", "r--s")).unwrap().1.writable);
        for other in [
            "7f00-7f10 rw-p 00000000 07:00 12 /srv/image",
            "7f00-7f10 rw-s 00000000 00:01 12 anon_inode:[io_uring]",
            "7f00-7f10 rw-p 00000000 00:00 0",
            "",
        ] {
            assert_eq!(parse(other), None, "{other}");
        }
    }
}
