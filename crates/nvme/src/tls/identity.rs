//! By what name a host offers a key: `NVMe0R01 HOSTNQN SUBNQN`, or with a digest of the key behind.

use std::fmt;
use std::str::FromStr;

use super::PskHash;
use crate::Nqn;

/// Longest identity, bytes: two names and a digest of 64 characters.
const LONGEST: usize = 9 + 223 + 1 + 223 + 1 + 64;

/// Which of the two forms it has.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Version {
    /// Names alone: NVMe0.
    Zero,
    /// A digest of the retained PSK behind the names, in base64: NVMe1. By it both sides know the keys of one pair of names apart.
    One {
        /// The digest.
        digest: String,
    },
}

/// The identity of a retained PSK.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PskIdentity {
    /// Its form.
    pub version: Version,
    /// The hash of the TLS PSK.
    pub hash: PskHash,
    /// NQN of the host.
    pub host: Nqn,
    /// NQN of the subsystem.
    pub subsystem: Nqn,
}

/// Why a text is no identity of a retained PSK.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is no PSK identity of NVMe/TCP (NVMe0R01 HOSTNQN SUBNQN, or NVMe1R01 with a digest)")]
pub struct InvalidIdentity;

impl PskIdentity {
    /// Reads what came in a handshake.
    ///
    /// # Errors
    /// It is of another form.
    pub fn from_bytes(bytes: &[u8]) -> Result<PskIdentity, InvalidIdentity> {
        std::str::from_utf8(bytes).map_err(|_| InvalidIdentity)?.parse()
    }
}

impl FromStr for PskIdentity {
    type Err = InvalidIdentity;

    fn from_str(text: &str) -> Result<PskIdentity, InvalidIdentity> {
        let mut words = text.split(' ');
        let mut next = || words.next().filter(|_| text.len() <= LONGEST).ok_or(InvalidIdentity);
        let (kind, host, subsystem) = (next()?, next()?, next()?);
        let digest = words.next();
        if words.next().is_some() {
            return Err(InvalidIdentity);
        }
        let is_digest = |digest: &str| {
            let base64 = |c: u8| c.is_ascii_alphanumeric() || [b'+', b'/', b'='].contains(&c);
            !digest.is_empty() && digest.bytes().all(base64)
        };
        let (hash, version) =
            match (kind.strip_prefix("NVMe0R"), kind.strip_prefix("NVMe1R"), digest) {
                (Some(hash), _, None) => (hash, Version::Zero),
                (_, Some(hash), Some(digest)) if is_digest(digest) => {
                    (hash, Version::One { digest: digest.to_string() })
                }
                _ => return Err(InvalidIdentity),
            };
        Ok(PskIdentity {
            version,
            hash: PskHash::of_text(hash).ok_or(InvalidIdentity)?,
            host: host.parse().map_err(|_| InvalidIdentity)?,
            subsystem: subsystem.parse().map_err(|_| InvalidIdentity)?,
        })
    }
}

impl fmt::Display for PskIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (id, host, subsystem) = (self.hash.id(), &self.host, &self.subsystem);
        match &self.version {
            Version::Zero => write!(f, "NVMe0R{id:02} {host} {subsystem}"),
            Version::One { digest } => write!(f, "NVMe1R{id:02} {host} {subsystem} {digest}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_identity_is_read_and_written() {
        for text in [
            "NVMe0R01 nqn.2026-11.org.example:h nqn.2026-11.org.example:s",
            "NVMe0R02 nqn.x:h nqn.x:s",
            "NVMe1R01 nqn.x:h nqn.x:s ZGlnZXN0+/8=",
        ] {
            assert_eq!(text.parse::<PskIdentity>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_none_is_refused() {
        let long = "a".repeat(220);
        for text in [
            "",
            "NVMe0R01",
            "NVMe0R01 nqn.x:h",
            "NVMe0R01 nqn.x:h nqn.x:s digest",
            "NVMe0R03 nqn.x:h nqn.x:s",
            "NVMe0G01 nqn.x:h nqn.x:s",
            "NVMe1R01 nqn.x:h nqn.x:s",
            "NVMe1R01 nqn.x:h nqn.x:s ",
            "NVMe1R01 nqn.x:h nqn.x:s a b",
            "NVMe1R01 nqn.x:h nqn.x:s a\u{7}",
            "NVMe2R01 nqn.x:h nqn.x:s a",
            "NVMe0R01 iqn.x:h nqn.x:s",
            "NVMe0R01  nqn.x:h nqn.x:s",
            &format!("NVMe1R01 nqn.x:{long} nqn.x:{long} {long}"),
        ] {
            assert_eq!(text.parse::<PskIdentity>(), Err(InvalidIdentity), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            if let Ok(identity) = PskIdentity::from_bytes(&bytes) {
                prop_assert_eq!(identity.to_string().into_bytes(), bytes);
            }
        }
    }
}
