//! Hashes that an exchange may use.

use std::fmt;
use std::str::FromStr;

use ring::{digest, hmac};

/// A hash: of an exchange, or of the transformation of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Hash {
    /// SHA-256.
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
}

impl Hash {
    /// All of them, in the order of their identifiers.
    pub const ALL: [Hash; 3] = [Hash::Sha256, Hash::Sha384, Hash::Sha512];

    /// The hash of an identifier (HashID).
    pub fn from_id(id: u8) -> Option<Hash> {
        Hash::ALL.into_iter().find(|hash| hash.id() == id)
    }

    /// Its identifier.
    pub fn id(self) -> u8 {
        match self {
            Hash::Sha256 => 1,
            Hash::Sha384 => 2,
            Hash::Sha512 => 3,
        }
    }

    /// The hash whose values have this length.
    pub(super) fn of_length(bytes: usize) -> Option<Hash> {
        Hash::ALL.into_iter().find(|hash| hash.bytes() == bytes)
    }

    /// Length of its values, of challenges and of responses, bytes.
    pub fn bytes(self) -> usize {
        match self {
            Hash::Sha256 => 32,
            Hash::Sha384 => 48,
            Hash::Sha512 => 64,
        }
    }

    pub(super) fn hmac(self) -> hmac::Algorithm {
        match self {
            Hash::Sha256 => hmac::HMAC_SHA256,
            Hash::Sha384 => hmac::HMAC_SHA384,
            Hash::Sha512 => hmac::HMAC_SHA512,
        }
    }

    pub(super) fn digest(self) -> &'static digest::Algorithm {
        match self {
            Hash::Sha256 => &digest::SHA256,
            Hash::Sha384 => &digest::SHA384,
            Hash::Sha512 => &digest::SHA512,
        }
    }
}

impl fmt::Display for Hash {
    /// As nvme-cli and the kernel name it: `sha256`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha{}", self.bytes() * 8)
    }
}

impl FromStr for Hash {
    type Err = String;

    fn from_str(text: &str) -> Result<Hash, String> {
        let known = Hash::ALL.into_iter().find(|hash| hash.to_string() == text);
        known.ok_or_else(|| format!("`{text}` is none of sha256, sha384, sha512"))
    }
}
