//! A key as people keep it: `NVMeTLSkey-1:01:BASE64:`, what `nvme gen-tls-key` prints.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use crc_fast::CrcAlgorithm;
use zeroize::Zeroizing;

use super::PskHash;

const BEGINNING: &str = "NVMeTLSkey-1:";
/// Longest text that can be one: 52 bytes in base64 take 72 characters.
const LONGEST: usize = 96;

/// A configured PSK. Its text is told by [`to_text`](ConfiguredKey::to_text) alone, so that it is in no message by chance. Its memory is
/// wiped when it is dropped.
#[derive(Clone, PartialEq, Eq)]
pub struct ConfiguredKey {
    /// By which it is bound to a host; `None` for a key that is used as it is.
    pub(super) transform: Option<PskHash>,
    pub(super) key: Zeroizing<Vec<u8>>,
}

/// Why a text is no key. It has nothing of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidKey {
    /// It begins or ends otherwise.
    #[error("a key is NVMeTLSkey-1:01:BASE64: with 00, 01 or 02, and a colon at its end")]
    Form,
    /// What should be base64 isn't.
    #[error("the key is no base64")]
    Base64,
    /// The key has another length.
    #[error(
        "a key has 32 bytes with 01, 48 with 02 and one of the two with 00, and this one has {0}"
    )]
    Length(usize),
    /// The checksum is that of another key.
    #[error("the key's checksum doesn't match: a character of it was changed")]
    Checksum,
}

impl ConfiguredKey {
    /// A key, which is bound to the name of a host by `transform`.
    ///
    /// # Errors
    /// A length that is none of that hash's, or of no hash's.
    pub fn new(transform: Option<PskHash>, key: &[u8]) -> Result<ConfiguredKey, InvalidKey> {
        let wrong = InvalidKey::Length(key.len());
        let hash = PskHash::of_length(key.len()).ok_or(wrong)?;
        if transform.is_some_and(|transform| transform != hash) {
            return Err(wrong);
        }
        Ok(ConfiguredKey { transform, key: Zeroizing::new(key.to_vec()) })
    }

    /// The hash that goes with it: of the cipher suite, too.
    pub fn hash(&self) -> PskHash {
        // `new` took no other length.
        PskHash::of_length(self.key.len()).unwrap_or(PskHash::Sha256)
    }

    /// The text, which is as secret as the key.
    pub fn to_text(&self) -> String {
        let bytes = Zeroizing::new([&self.key[..], &checksum(&self.key)].concat());
        let id = self.transform.map_or(0, PskHash::id);
        format!("{BEGINNING}{id:02}:{}:", STANDARD.encode(&*bytes))
    }
}

/// CRC-32 of the key, in its byte order.
fn checksum(key: &[u8]) -> [u8; 4] {
    // Of 32 bits, in the low half.
    (crc_fast::checksum(CrcAlgorithm::Crc32IsoHdlc, key) as u32).to_le_bytes()
}

impl FromStr for ConfiguredKey {
    type Err = InvalidKey;

    fn from_str(text: &str) -> Result<ConfiguredKey, InvalidKey> {
        let rest = text.strip_prefix(BEGINNING).filter(|_| text.len() <= LONGEST);
        let (id, key) = rest.and_then(|rest| rest.split_once(':')).ok_or(InvalidKey::Form)?;
        let transform = match id {
            "00" => None,
            other => Some(PskHash::of_text(other).ok_or(InvalidKey::Form)?),
        };
        let key = key.strip_suffix(':').ok_or(InvalidKey::Form)?;
        let bytes = Zeroizing::new(STANDARD.decode(key).map_err(|_| InvalidKey::Base64)?);
        let (key, sum) = bytes.split_last_chunk::<4>().ok_or(InvalidKey::Length(0))?;
        let key = ConfiguredKey::new(transform, key)?;
        if *sum != checksum(&key.key) {
            return Err(InvalidKey::Checksum);
        }
        Ok(key)
    }
}

impl fmt::Debug for ConfiguredKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ConfiguredKey")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_and_written() {
        for (transform, length) in
            [(None, 32), (None, 48), (Some(PskHash::Sha256), 32), (Some(PskHash::Sha384), 48)]
        {
            let bytes: Vec<u8> = (0..length).collect();
            let key = ConfiguredKey::new(transform, &bytes).unwrap();
            assert_eq!(key.hash().bytes(), bytes.len());
            assert_eq!(key.to_text().parse(), Ok(key));
        }
    }

    #[test]
    fn what_is_wrong_with_a_text_is_told_without_it() {
        let bytes: Vec<u8> = (0..32).collect();
        let text = ConfiguredKey::new(Some(PskHash::Sha256), &bytes).unwrap().to_text();
        let why = |text: &str| text.parse::<ConfiguredKey>().unwrap_err();
        assert_eq!(why(&text[1..]), InvalidKey::Form);
        assert_eq!(why(&text[..text.len() - 1]), InvalidKey::Form);
        for other in ["-1:03", "-2:01", "-1:1"] {
            assert_eq!(why(&text.replace("-1:01", other)), InvalidKey::Form, "{other}");
        }
        assert_eq!(why(&text.replace("-1:01", "-1:02")), InvalidKey::Length(32));
        assert_eq!(why(&text.replace("AAEC", "AA*C")), InvalidKey::Base64);
        assert_eq!(why(&text.replace("AAEC", "AAED")), InvalidKey::Checksum);
        assert_eq!(why("NVMeTLSkey-1:00:AAE=:"), InvalidKey::Length(0));
        assert_eq!(why("NVMeTLSkey-1:00:AAECAwQFBgc=:"), InvalidKey::Length(4));
        assert_eq!(why(&format!("NVMeTLSkey-1:00:{}:", "A".repeat(200))), InvalidKey::Form);
        let key: ConfiguredKey = text.parse().unwrap();
        assert_eq!(format!("{key:?}"), "ConfiguredKey");
    }

    #[test]
    fn what_nvme_cli_printed_is_read() {
        // By `nvme gen-tls-key` of nvme-cli 2.3; the bytes by Python.
        for (text, bytes) in NVME_CLI {
            let key: ConfiguredKey = text.parse().unwrap();
            let read: String = key.key.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(read, bytes, "{text}");
            assert_eq!(key.to_text(), text);
        }
    }

    const NVME_CLI: [(&str, &str); 2] = [
        (
            "NVMeTLSkey-1:01:UhZ6SLptUHTyEPox01kuF+Ch4OCGisaMWR+wwyGbyUNHUpf7:",
            "52167a48ba6d5074f210fa31d3592e17e0a1e0e0868ac68c591fb0c3219bc943",
        ),
        (
            "NVMeTLSkey-1:02:DdSvVnFxVyHEU3vflsyLuN+4hg538DeV0j3bLOsL5p+0Ys6YftLmQw2q2/HpqbzXaLWvnA==:",
            "0dd4af5671715721c4537bdf96cc8bb8dfb8860e77f03795d23ddb2ceb0be69fb462ce987ed2e6430daadbf1e9a9bcd7",
        ),
    ];
}
