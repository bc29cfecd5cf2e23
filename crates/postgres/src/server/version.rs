//! PostgreSQL's version numbers, as `postgres --version` prints them.

use std::fmt;

/// A release. Before version 10 the major version had two numbers; those are refused anyway and only compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    /// 18 in 18.6.
    pub major: u32,
    /// 6 in 18.6; 0 for a beta.
    pub minor: u32,
    /// A beta, release candidate or development snapshot.
    pub preview: bool,
}

impl Version {
    /// Reads `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`, or the number alone.
    pub fn parse(text: &str) -> Option<Version> {
        let after = text.split_once("(PostgreSQL)").map_or(text, |(_, rest)| rest);
        let word = after.split_whitespace().next()?;
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let end = digits(word);
        let major = word[..end].parse().ok()?;
        let rest = &word[end..];
        let (minor, rest) = match rest.strip_prefix('.') {
            Some(rest) => {
                let end = digits(rest);
                (rest[..end].parse().ok()?, &rest[end..])
            }
            None => (0, rest),
        };
        let preview = ["alpha", "beta", "rc", "devel"].iter().any(|mark| rest.starts_with(mark));
        Some(Version { major, minor, preview })
    }

    /// Order of preference: releases before previews, then the newer.
    pub(super) fn rank(self) -> (bool, u32, u32) {
        (!self.preview, self.major, self.minor)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.preview {
            write!(f, "{} preview", self.major)
        } else {
            write!(f, "{}.{}", self.major, self.minor)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_servers_print() {
        let version = |major, minor, preview| Some(Version { major, minor, preview });
        for (text, expected) in [
            ("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)", version(15, 18, false)),
            ("15.18 (Debian 15.18-0+deb12u1)", version(15, 18, false)),
            ("18.1", version(18, 1, false)),
            ("postgres (PostgreSQL) 17beta2", version(17, 0, true)),
            ("17rc1", version(17, 0, true)),
            ("19devel", version(19, 0, true)),
            ("initdb (PostgreSQL) 9.6.24\n", version(9, 6, false)),
            ("postgres (PostgreSQL) 16.4 (Homebrew)", version(16, 4, false)),
            ("postgres", None),
            ("", None),
            ("99999999999", None),
        ] {
            assert_eq!(Version::parse(text), expected, "{text}");
        }
    }

    #[test]
    fn a_release_is_preferred_to_a_newer_preview() {
        let rank = |text| Version::parse(text).unwrap().rank();
        assert!(rank("18.0") > rank("19beta1"));
        assert!(rank("18.0") > rank("17.9"));
        assert!(rank("17.10") > rank("17.9"));
    }
}
