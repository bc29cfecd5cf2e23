//! What is mounted where, from `/proc/self/mountinfo` (proc(5)).

use crate::Source;

/// One mounted file system, as this process sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// The mount's id, unique while it is mounted.
    pub id: u32,
    /// `major:minor` of its device; major 0 is no device (tmpfs, nfs, overlay, and btrfs and ZFS, which number
    /// their own).
    pub number: String,
    /// Which folder of the file system is mounted: `/` unless it is a bind mount or a subvolume.
    pub root: String,
    /// Where.
    pub mount_point: String,
    /// Options of the mount and of the file system, in that order, each once.
    pub options: Vec<String>,
    /// `ext4`, `nfs4`, `fuse.sshfs`.
    pub kind: String,
    /// What is mounted.
    pub source: String,
}

/// All mounts, in the order in which they were made; empty if the file can't be read.
pub fn mounts(source: &dyn Source) -> Vec<Mount> {
    source.text("/proc/self/mountinfo").map(|text| parse_mounts(&text)).unwrap_or_default()
}

/// The text of a `mountinfo` file; lines that are not in its form are left out.
pub fn parse_mounts(text: &str) -> Vec<Mount> {
    text.lines().filter_map(parse_line).collect()
}

/// The mount a path without symbolic links lies on: the longest mount point above it, and of several mounts at
/// one place the last, which hides the others.
pub fn mount_of<'a>(mounts: &'a [Mount], path: &str) -> Option<&'a Mount> {
    // `max_by_key` gives the last of equals, as wanted.
    mounts
        .iter()
        .filter(|mount| is_at_or_below(path, &mount.mount_point))
        .max_by_key(|mount| mount.mount_point.len())
}

fn is_at_or_below(path: &str, folder: &str) -> bool {
    folder == "/"
        || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn parse_line(line: &str) -> Option<Mount> {
    // A variable number of optional fields ends with a lone dash.
    let (left, right) = line.split_once(" - ")?;
    let mut left = left.split(' ');
    let id = left.next()?.parse().ok()?;
    let _parent = left.next()?;
    let number = left.next()?.to_string();
    let root = unescape(left.next()?);
    let mount_point = unescape(left.next()?);
    let mount_options = left.next()?;
    let mut right = right.split(' ');
    let kind = right.next()?.to_string();
    let source = unescape(right.next().unwrap_or_default());
    let mut options: Vec<String> = Vec::new();
    for option in mount_options.split(',').chain(right.next().unwrap_or_default().split(',')) {
        let option = unescape(option);
        if !option.is_empty() && !options.contains(&option) {
            options.push(option);
        }
    }
    Some(Mount { id, number, root, mount_point, options, kind, source })
}

/// A path as `mountinfo` and `/proc/swaps` write it: space, tab, newline and backslash as three octal digits.
pub fn unescape(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while index < bytes.len() {
        let code = (bytes[index] == b'\\')
            .then(|| bytes.get(index + 1..index + 4))
            .flatten()
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match code {
            Some(code) => {
                out.push(code);
                index += 4;
            }
            None => {
                out.push(bytes[index]);
                index += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
25 1 259:2 / / rw,relatime shared:1 - ext4 /dev/root rw,discard
30 25 0:30 / /srv rw - tmpfs tmpfs rw,size=4k
31 25 8:1 /sub /srv/my\\040data ro,nosuid shared:2 master:1 - xfs /dev/sda1 rw,noquota
32 25 8:17 / /srv/my\\040data rw - xfs /dev/sdb1 rw
33 25 0:31 / /srv/myth rw - nfs4 host:/x\\134y rw
not a mount line
";

    #[test]
    fn the_longest_mount_point_wins_and_the_last_of_equals() {
        let mounts = parse_mounts(TEXT);
        assert_eq!(mounts.len(), 5);
        let at = |path| mount_of(&mounts, path).unwrap().id;
        assert_eq!(at("/home"), 25);
        assert_eq!(at("/srv/my"), 30);
        assert_eq!(at("/srv/my data/base/1"), 32);
        assert_eq!(at("/srv/my data"), 32);
        assert_eq!(at("/srv/mythology"), 30);
        assert_eq!(at("/"), 25);
    }

    #[test]
    fn escapes_options_and_optional_fields() {
        let mounts = parse_mounts(TEXT);
        assert_eq!(mounts[2].root, "/sub");
        assert_eq!(mounts[2].options, ["ro", "nosuid", "rw", "noquota"]);
        assert_eq!(mounts[4].source, "host:/x\\y");
        assert_eq!(unescape("a\\04"), "a\\04");
    }
}
