//! A secret as people keep it: `DHHC-1:01:BASE64:`, what `nvme gen-dhchap-key` prints.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use crc_fast::CrcAlgorithm;
use ring::hmac;
use zeroize::Zeroizing;

use super::Hash;
use crate::Nqn;

const BEGINNING: &str = "DHHC-1:";
/// Lengths of a key, bytes.
const KEY_BYTES: [usize; 3] = [32, 48, 64];
/// What is hashed behind the name.
const PURPOSE: &[u8] = b"NVMe-over-Fabrics";
/// Longest text that can be one: 68 bytes in base64 take 92 characters.
const LONGEST: usize = 128;

/// A secret. Its text is told by [`to_text`](Secret::to_text) alone, so that it is in no message by chance. Its memory is wiped
/// when it is dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    /// By which it is bound to a name; `None` for a key that is used as it is.
    hash: Option<Hash>,
    key: Zeroizing<Vec<u8>>,
}

/// Why a text is no secret. It has nothing of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSecret {
    /// It begins or ends otherwise.
    #[error("a secret is DHHC-1:00:BASE64: with 00, 01, 02 or 03, and a colon at its end")]
    Form,
    /// What should be base64 isn't.
    #[error("the key of the secret is no base64")]
    Base64,
    /// The key has another length.
    #[error("the key of a secret has 32, 48 or 64 bytes, and this one {0}")]
    Length(usize),
    /// The checksum is that of another key.
    #[error("the secret's checksum doesn't match: a character of it was changed")]
    Checksum,
}

impl Secret {
    /// A secret of a key, which is bound to a name by `hash`.
    ///
    /// # Errors
    /// A length that no key has.
    pub fn new(hash: Option<Hash>, key: &[u8]) -> Result<Secret, InvalidSecret> {
        if !KEY_BYTES.contains(&key.len()) {
            return Err(InvalidSecret::Length(key.len()));
        }
        Ok(Secret { hash, key: Zeroizing::new(key.to_vec()) })
    }

    /// The text, which is as secret as the key.
    pub fn to_text(&self) -> String {
        let bytes = Zeroizing::new([&self.key[..], &checksum(&self.key)].concat());
        let id = self.hash.map_or(0, Hash::id);
        format!("{BEGINNING}{id:02}:{}:", STANDARD.encode(&*bytes))
    }

    /// The key by which responses of `nqn` are made.
    pub(super) fn key_of(&self, nqn: &Nqn, response: Hash) -> hmac::Key {
        let Some(hash) = self.hash else { return hmac::Key::new(response.hmac(), &self.key) };
        let mut context = hmac::Context::with_key(&hmac::Key::new(hash.hmac(), &self.key));
        context.update(nqn.as_str().as_bytes());
        context.update(PURPOSE);
        hmac::Key::new(response.hmac(), context.sign().as_ref())
    }
}

/// CRC-32 of the key, in its byte order.
fn checksum(key: &[u8]) -> [u8; 4] {
    // Of 32 bits, in the low half.
    (crc_fast::checksum(CrcAlgorithm::Crc32IsoHdlc, key) as u32).to_le_bytes()
}

impl FromStr for Secret {
    type Err = InvalidSecret;

    fn from_str(text: &str) -> Result<Secret, InvalidSecret> {
        let rest = text.strip_prefix(BEGINNING).filter(|_| text.len() <= LONGEST);
        let (id, key) = rest.and_then(|rest| rest.split_once(':')).ok_or(InvalidSecret::Form)?;
        let hash = match id {
            "00" => None,
            "01" => Some(Hash::Sha256),
            "02" => Some(Hash::Sha384),
            "03" => Some(Hash::Sha512),
            _ => return Err(InvalidSecret::Form),
        };
        let key = key.strip_suffix(':').ok_or(InvalidSecret::Form)?;
        let bytes = Zeroizing::new(STANDARD.decode(key).map_err(|_| InvalidSecret::Base64)?);
        let (key, sum) = bytes.split_last_chunk::<4>().ok_or(InvalidSecret::Length(0))?;
        let secret = Secret::new(hash, key)?;
        if *sum != checksum(key) {
            return Err(InvalidSecret::Checksum);
        }
        Ok(secret)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_and_written() {
        for hash in [None, Some(Hash::Sha256), Some(Hash::Sha384), Some(Hash::Sha512)] {
            for length in KEY_BYTES {
                let key: Vec<u8> = (0..length as u8).collect();
                let secret = Secret::new(hash, &key).unwrap();
                assert_eq!(secret.to_text().parse(), Ok(secret));
            }
        }
    }

    #[test]
    fn what_is_wrong_with_a_text_is_told_without_it() {
        let key: Vec<u8> = (0..32).collect();
        let text = Secret::new(None, &key).unwrap().to_text();
        let why = |text: &str| text.parse::<Secret>().unwrap_err();
        assert_eq!(why(&text[1..]), InvalidSecret::Form);
        assert_eq!(why(&text[..text.len() - 1]), InvalidSecret::Form);
        assert_eq!(why(&text.replace("-1:00", "-1:04")), InvalidSecret::Form);
        assert_eq!(why(&text.replace("AAEC", "AA*C")), InvalidSecret::Base64);
        assert_eq!(why(&text.replace("AAEC", "AAED")), InvalidSecret::Checksum);
        assert_eq!(why("DHHC-1:00:AAECAwQFBgc=:"), InvalidSecret::Length(4));
        assert_eq!(why("DHHC-1:00:AAE=:"), InvalidSecret::Length(0));
        assert_eq!(why(&format!("DHHC-1:00:{}:", "A".repeat(200))), InvalidSecret::Form);
        let secret: Secret = text.parse().unwrap();
        assert_eq!(format!("{secret:?}"), "Secret");
    }
}
