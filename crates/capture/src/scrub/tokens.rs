//! Pseudonyms: the same value has the same one throughout an archive, and nothing of the value is in it.
//!
//! They are numbered, not digests: serial numbers and addresses are few enough to try them all. Addresses keep their
//! form, in ranges that documents and tests may use (RFC 2544, 3849), so that whoever reads them finds what they expect.

use std::collections::BTreeMap;

/// What is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TokenKind {
    /// Serial numbers and asset tags.
    Serial,
    /// Names of hosts.
    Host,
    /// Names of users.
    User,
    /// World-wide names, GUIDs, long hexadecimal ids.
    Id,
    /// UUIDs, in their own form.
    Uuid,
    /// Hardware addresses.
    Mac,
    /// IPv4 addresses.
    Ip4,
    /// IPv6 addresses.
    Ip6,
}

impl TokenKind {
    /// The word of the header and of tokens without a form of their own.
    pub(super) fn word(self) -> &'static str {
        match self {
            TokenKind::Serial => "serial",
            TokenKind::Host => "host",
            TokenKind::User => "user",
            TokenKind::Id => "id",
            TokenKind::Uuid => "uuid",
            TokenKind::Mac => "mac",
            TokenKind::Ip4 | TokenKind::Ip6 => "address",
        }
    }
}

/// Values seen so far and what stands for them.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    known: BTreeMap<(TokenKind, String), usize>,
    counts: BTreeMap<TokenKind, usize>,
}

impl Tokens {
    /// What stands for `value`; capitals don't matter.
    pub(super) fn token(&mut self, kind: TokenKind, value: &str) -> String {
        let count = self.counts.entry(kind).or_default();
        let mut value = value.to_ascii_lowercase();
        match kind {
            // Written with colons, with dashes, or joined to an interface's name.
            TokenKind::Mac => value.retain(|c| c.is_ascii_alphanumeric()),
            // With dashes or with what systemd has for them.
            TokenKind::Uuid => value = value.replace("\\x2d", "-").replace('_', "-"),
            _ => {}
        }
        let number = *self.known.entry((kind, value)).or_insert_with(|| {
            *count += 1;
            *count
        });
        let [.., c, b, a] = (number as u64).to_be_bytes();
        match kind {
            TokenKind::Uuid => format!("00000000-0000-4000-8000-{number:012x}"),
            TokenKind::Mac => format!("02:00:00:{c:02x}:{b:02x}:{a:02x}"),
            TokenKind::Ip4 => format!("198.18.{b}.{a}"),
            TokenKind::Ip6 => format!("2001:db8::{number:x}"),
            _ => format!("{}-{number}", kind.word()),
        }
    }

    /// How many values of each kind there were.
    pub(super) fn counted(&self) -> BTreeMap<String, u64> {
        let mut counted = BTreeMap::new();
        for (kind, count) in &self.counts {
            *counted.entry(kind.word().to_string()).or_default() += *count as u64;
        }
        counted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_value_has_the_same_token_and_others_have_others() {
        let mut tokens = Tokens::default();
        assert_eq!(tokens.token(TokenKind::Serial, "S4X"), "serial-1");
        assert_eq!(tokens.token(TokenKind::Serial, "S5Y"), "serial-2");
        assert_eq!(tokens.token(TokenKind::Serial, "s4x"), "serial-1");
        assert_eq!(tokens.token(TokenKind::Mac, "a0:36"), "02:00:00:00:00:01");
        assert_eq!(tokens.token(TokenKind::Mac, "A036"), "02:00:00:00:00:01");
        assert_eq!(
            tokens.token(TokenKind::Uuid, "ab-cd"),
            tokens.token(TokenKind::Uuid, r"AB\x2dcd")
        );
        assert_eq!(tokens.token(TokenKind::Uuid, "ab-cd"), tokens.token(TokenKind::Uuid, "ab_cd"));
        assert_eq!(tokens.token(TokenKind::Ip4, "10.0.0.1"), "198.18.0.1");
        assert_eq!(tokens.token(TokenKind::Ip6, "fe80::1"), "2001:db8::1");
        assert_eq!(tokens.counted()["address"], 2);
        assert_eq!(tokens.counted()["serial"], 2);
    }
}
