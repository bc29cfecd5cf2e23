//! Secrets that were found where they stand alone, and what names hosts and users beside them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use narrows_facts::Recording;
use regex::{Captures, Regex, RegexBuilder};

use super::rules::{self, Rule};
use super::tokens::{TokenKind, Tokens};

/// Shorter ones are too likely to be a part of something else.
const SHORTEST_SERIAL: usize = 6;
const SHORTEST_HOST: usize = 3;
/// What makers write where a number should be.
const PLACEHOLDERS: &[&str] = &[
    "not specified",
    "default string",
    "to be filled by o.e.m.",
    "system serial number",
    "unknown",
    "not available",
    "no asset tag",
    "not provided",
    "invalid",
];
/// File systems whose source is another machine.
const ELSEWHERE: &[&str] =
    &["nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs", "lustre", "afs", "9p", "beegfs", "ocfs2"];
/// Names of hosts that name nobody, and words that paths and tables are made of.
const WORDS: &[&str] = &[
    "localhost",
    "localdomain",
    "linux",
    "none",
    "debian",
    "ubuntu",
    "fedora",
    "proc",
    "sys",
    "dev",
    "run",
    "etc",
    "usr",
    "var",
    "tmp",
    "mnt",
    "srv",
    "home",
    "data",
    "root",
    "system",
    "slice",
    "user",
    "cgroup",
    "cgroup2",
    "memory",
    "cpu",
    "cpuset",
    "cpuacct",
    "blkio",
    "ext4",
    "xfs",
    "btrfs",
    "tmpfs",
    "nfs",
    "relatime",
    "postgres",
    "postgresql",
    "mysql",
    "wal",
    "log",
];

/// Whether a key's value is secret, and as what.
pub(super) fn secret_key(key: &str) -> Option<TokenKind> {
    let has = |words: &[&str]| words.iter().any(|word| key.contains(word));
    if has(&["SERIAL", "ASSET"]) {
        Some(TokenKind::Serial)
    } else if has(&["UUID", "GUID", "WWN", "EUI", "WWID", "NQN", "_ID_PATH"]) {
        Some(TokenKind::Id)
    } else if has(&["HOSTNAME"]) {
        Some(TokenKind::Host)
    } else if has(&["_MAC", "HW_ADDR", "ADDRESS"]) {
        Some(TokenKind::Mac)
    } else {
        None
    }
}

/// Values that are replaced wherever they stand by themselves.
pub(super) struct Known {
    kinds: BTreeMap<String, TokenKind>,
    any: Option<Regex>,
}

impl Known {
    /// All values of files that are secret, and of keys.
    pub(super) fn collect(recording: &Recording) -> Known {
        let mut known = Known { kinds: BTreeMap::new(), any: None };
        for (path, answer) in &recording.files {
            let Ok(contents) = answer else { continue };
            let text = String::from_utf8_lossy(&contents.bytes);
            match rules::of(path) {
                Rule::Secret(kind) => known.add(kind, &text),
                Rule::OwnId => known.add(TokenKind::Id, &text),
                Rule::Pairs => {
                    for (key, value) in text.lines().filter_map(|line| line.split_once('=')) {
                        if let Some(kind) = secret_key(key) {
                            known.add(kind, value);
                        }
                    }
                }
                _ => {}
            }
        }
        // A drive's serial number may be the name that its owner, or the kernel, gave it.
        known.kinds.retain(|value, _| {
            !recording.present.keys().chain(recording.files.keys()).any(|path| {
                path.starts_with("/sys/")
                    && path.split('/').any(|part| part.eq_ignore_ascii_case(value))
            })
        });
        known.any = known.expression();
        known
    }

    fn add(&mut self, kind: TokenKind, value: &str) {
        let value =
            value.trim_matches(|c: char| c.is_whitespace() || c == '\0').to_ascii_lowercase();
        let mut values = vec![value.clone()];
        if kind == TokenKind::Host {
            // The first part of a full name stands alone elsewhere.
            values.extend(value.split(['.', ' ']).next().map(str::to_string));
        }
        for value in values {
            let shortest = if kind == TokenKind::Host { SHORTEST_HOST } else { SHORTEST_SERIAL };
            let one_digit = value.bytes().all(|byte| Some(&byte) == value.as_bytes().first());
            let plain = PLACEHOLDERS.contains(&value.as_str()) || WORDS.contains(&value.as_str());
            if value.len() >= shortest && !one_digit && !plain {
                self.kinds.entry(value).or_insert(kind);
            }
        }
    }

    fn expression(&self) -> Option<Regex> {
        let mut values: Vec<&String> = self.kinds.keys().collect();
        // Of two that begin alike the longer one.
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        let any: Vec<String> = values.into_iter().map(|value| regex::escape(value)).collect();
        let expression = format!("(?i-u){}", any.join("|"));
        let built = RegexBuilder::new(&expression).size_limit(1 << 28).build();
        (!any.is_empty()).then(|| built.expect("escaped texts are an expression"))
    }

    pub(super) fn replace(&self, text: &str, tokens: &mut Tokens) -> String {
        let Some(any) = &self.any else { return text.to_string() };
        let mut out = String::new();
        let mut done = 0;
        for found in any.find_iter(text) {
            let inside = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
            let value = found.as_str().to_ascii_lowercase();
            if inside(text[..found.start()].chars().next_back())
                || inside(text[found.end()..].chars().next())
            {
                continue;
            }
            out += &text[done..found.start()];
            out += &tokens.token(self.kinds[&value], &value);
            done = found.end();
        }
        out + &text[done..]
    }
}

/// `builder@host` in a kernel's version.
pub(super) fn builders(text: &str, tokens: &mut Tokens) -> String {
    static BUILDER: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?-u)([\w.+-]+)@([\w.-]+)").expect("an expression"));
    let replaced = BUILDER.replace_all(text, |found: &Captures| {
        let user = tokens.token(TokenKind::User, &found[1]);
        format!("{user}@{}", tokens.token(TokenKind::Host, &found[2]))
    });
    replaced.into_owned()
}

/// A line of a table of mounts without other hosts' names and folders, users and credentials.
pub(super) fn mount(line: &str, tokens: &mut Tokens) -> String {
    static PARTS: LazyLock<Regex> = LazyLock::new(|| {
        let parts = [
            // sshfs, NFS: alice@filer:/export
            r"(?:(?<user>[\w.+-]+)@)?(?<host>[A-Za-z0-9][\w.-]*|\[[0-9a-fA-F:]+\]):/(?<export>(?u-i:[^ \t\n])*)",
            // SMB: //server/share
            r"(?<slashes>//)(?<server>[\w.-]+)/(?<share>(?u-i:[^ \t\n])*)",
            r"(?<key>\b(?:username|user|password|pass|domain|credentials|cred|addr|mountaddr|clientaddr|srvaddr|name|secret)=)(?<value>(?u-i:[^, \t\n])+)",
        ];
        Regex::new(&format!("(?-u){}", parts.join("|"))).expect("an expression")
    });
    let line = odd_source(line, tokens);
    let replaced = PARTS.replace_all(&line, |found: &Captures| {
        if let Some(host) = found.name("host") {
            let user =
                found.name("user").map(|user| tokens.token(TokenKind::User, user.as_str()) + "@");
            let host = tokens.token(TokenKind::Host, host.as_str());
            let export = tokens.token(TokenKind::Id, &found["export"]);
            return format!("{}{host}:/{export}", user.unwrap_or_default());
        }
        if let Some(server) = found.name("server") {
            let server = tokens.token(TokenKind::Host, server.as_str());
            return format!("//{server}/{}", tokens.token(TokenKind::Id, &found["share"]));
        }
        format!("{}-", &found["key"])
    });
    replaced.into_owned()
}

/// The line with the whole source of a file system from elsewhere as one token where it isn't one host and its folder: several
/// monitors, a volume's name, a login without a folder.
fn odd_source<'a>(line: &'a str, tokens: &mut Tokens) -> Cow<'a, str> {
    static USUAL: LazyLock<Regex> = LazyLock::new(|| {
        let host = r"(?:[\w.+-]+@)?(?:[A-Za-z0-9][\w.-]*|\[[0-9a-fA-F:]+\]):/";
        Regex::new(&format!("(?-u)^(?:{host}|//[\\w.-]+/)")).expect("an expression")
    });
    let Some((start, kind, source)) = source(line) else { return Cow::Borrowed(line) };
    let elsewhere = ELSEWHERE.contains(&kind) || kind.starts_with("fuse");
    let says_something = !["none", kind].contains(&source) && !source.starts_with("/dev/");
    if !elsewhere || !says_something || USUAL.is_match(source) {
        return Cow::Borrowed(line);
    }
    let token = tokens.token(TokenKind::Id, source);
    Cow::Owned(format!("{}{token}{}", &line[..start], &line[start + source.len()..]))
}

/// Where the source of a line begins, the file system's kind, and the source; of `mountinfo` and of `mounts`.
fn source(line: &str) -> Option<(usize, &str, &str)> {
    if let Some((before, after)) = line.split_once(" - ") {
        let (kind, rest) = after.split_once(' ')?;
        let source = rest.split(' ').next()?;
        return Some((before.len() + 3 + kind.len() + 1, kind, source));
    }
    let mut words = line.split(' ');
    let source = words.next()?;
    Some((0, words.nth(1)?, source))
}

#[cfg(test)]
mod tests {
    use narrows_facts::Contents;

    use super::*;

    /// The command is built without Unicode's tables, and an expression that wants them panics there; tests, whose own tools
    /// bring the tables, would never see it.
    #[test]
    fn no_expression_wants_tables_that_the_command_lacks() {
        for source in [include_str!("known.rs"), include_str!("patterns.rs")] {
            let code = source.split("#[cfg(test)]").next().unwrap_or_default();
            let made: Vec<&str> =
                code.lines().filter(|line| line.contains("Regex::new(")).collect();
            assert!(!made.is_empty());
            for line in made {
                assert!(line.contains("(?-u)") || line.contains("(?i-u)"), "{line}");
            }
        }
    }

    fn recording(files: &[(&str, &str)]) -> Recording {
        let file = |(path, text): &(&str, &str)| {
            let contents = Contents { bytes: text.as_bytes().to_vec(), whole: true };
            (path.to_string(), Ok(contents))
        };
        Recording { files: files.iter().map(file).collect(), ..Recording::default() }
    }

    #[test]
    fn what_stands_alone_somewhere_is_found_elsewhere() {
        let recording = recording(&[
            ("/proc/sys/kernel/hostname", "db7.example.com\n"),
            ("/sys/block/sda/serial", "S4X9NF0M\n"),
            ("/run/udev/data/b8:0", "E:ID_SERIAL_SHORT=WD-ABC123\n"),
        ]);
        let known = Known::collect(&recording);
        let mut tokens = Tokens::default();
        let text = "db7-vg on DB7.example.com: s4x9nf0m, WD-ABC123; db77, XS4X9NF0M";
        let replaced = known.replace(text, &mut tokens);
        assert_eq!(replaced, "host-1-vg on host-2: serial-1, serial-2; db77, XS4X9NF0M");
    }

    #[test]
    fn words_placeholders_and_the_kernels_own_names_stay() {
        let recording = recording(&[
            ("/proc/sys/kernel/hostname", "memory\n"),
            ("/sys/block/sda/serial", "00000000\n"),
            ("/sys/block/nvme0n1/serial", "nvme0n1\n"),
            ("/sys/class/dmi/id/product_serial", "Not Specified\n"),
        ]);
        let known = Known::collect(&recording);
        let text = "memory of 00000000 on nvme0n1 is Not Specified";
        assert_eq!(known.replace(text, &mut Tokens::default()), text);
    }

    #[test]
    fn mounts_of_other_hosts() {
        let mut tokens = Tokens::default();
        for (line, expected) in [
            (
                "- nfs4 filer1.corp:/vol rw,addr=10.1.2.3,clientaddr=x",
                "- nfs4 host-1:/id-1 rw,addr=-,clientaddr=-",
            ),
            ("- fuse.sshfs alice@filer1.corp:/x rw", "- fuse.sshfs user-1@host-1:/id-2 rw"),
            (
                "- cifs //filer2/share rw,username=bob,password=x y",
                "- cifs //host-2/id-3 rw,username=-,password=- y",
            ),
            (
                "25 1 259:2 / / rw - ext4 /dev/root rw,discard",
                "25 1 259:2 / / rw - ext4 /dev/root rw,discard",
            ),
        ] {
            assert_eq!(mount(line, &mut tokens), expected);
        }
    }

    #[test]
    fn sources_of_other_forms_name_nobody_either() {
        for source in [
            "alice@filer:",
            "alice@filer:data",
            "mon1,mon2:/",
            "mon1:6789,mon2:6789:/",
            "gfs1:vol0",
        ] {
            for kind in ["fuse.sshfs", "ceph", "glusterfs"] {
                let mut tokens = Tokens::default();
                let lines = [
                    format!("40 25 0:50 / /mnt rw - {kind} {source} rw"),
                    format!("{source} /mnt {kind} rw 0 0"),
                ];
                for line in lines {
                    let replaced = mount(&line, &mut tokens);
                    for secret in ["alice", "filer", "data", "mon1", "mon2", "gfs1", "vol0"] {
                        assert!(!replaced.contains(secret), "{replaced}");
                    }
                    assert!(replaced.contains(&format!("{kind} ")), "{replaced}");
                }
            }
        }
        let own = "31 25 0:27 / /sys/fs/fuse/connections rw - fusectl fusectl rw";
        assert_eq!(mount(own, &mut Tokens::default()), own);
    }

    #[test]
    fn who_built_the_kernel() {
        let text = "Linux version 6.1.0 (buildd@lcy02-amd64) (gcc 12.2.0) #1";
        let replaced = builders(text, &mut Tokens::default());
        assert_eq!(replaced, "Linux version 6.1.0 (user-1@host-1) (gcc 12.2.0) #1");
    }
}
