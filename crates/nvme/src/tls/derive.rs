//! From a key and two names to what a handshake takes.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::{hkdf, hmac};
use zeroize::Zeroizing;

use super::{ConfiguredKey, PskHash, PskIdentity, Version};
use crate::Nqn;

/// What is hashed behind the names for a digest.
const PURPOSE: &[u8] = b"NVMe-over-Fabrics";
/// Longest context of HKDF-Expand-Label, bytes.
const LONGEST_CONTEXT: usize = 255;

/// A PSK as a handshake takes it: by what name, and what.
#[derive(Clone, PartialEq, Eq)]
pub struct TlsPsk {
    /// By what name.
    pub identity: PskIdentity,
    /// What, as long as the values of the identity's hash; wiped from memory when it is dropped.
    pub key: Zeroizing<Vec<u8>>,
}

impl fmt::Debug for TlsPsk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsPsk").field("identity", &self.identity).finish_non_exhaustive()
    }
}

impl ConfiguredKey {
    /// What `host` offers at `subsystem`, the best first: with a digest, then without. Names that are so long that their identity fits no
    /// derivation have the first alone.
    pub fn psks(&self, host: &Nqn, subsystem: &Nqn) -> Vec<TlsPsk> {
        let (hash, retained) = (self.hash(), self.retained(host));
        let digest = digest_of(hash, &retained, host, subsystem);
        [Version::One { digest }, Version::Zero]
            .into_iter()
            .filter_map(|version| {
                let (host, subsystem) = (host.clone(), subsystem.clone());
                let identity = PskIdentity { version, hash, host, subsystem };
                let context = match &identity.version {
                    Version::One { digest } => format!("{:02} {digest}", hash.id()),
                    Version::Zero => identity.to_string(),
                };
                let key = expand_label(hash, &retained, "nvme-tls-psk", context.as_bytes())?;
                Some(TlsPsk { identity, key })
            })
            .collect()
    }

    /// What is asked for by an identity, if this key is the one that is meant.
    pub fn psk_of(&self, identity: &PskIdentity) -> Option<TlsPsk> {
        let all = self.psks(&identity.host, &identity.subsystem);
        all.into_iter().find(|psk| psk.identity == *identity)
    }

    /// The retained PSK: the key, bound to a host.
    fn retained(&self, host: &Nqn) -> Zeroizing<Vec<u8>> {
        let bound = self
            .transform
            .and_then(|hash| expand_label(hash, &self.key, "HostNQN", host.as_str().as_bytes()));
        // A name fits always, so there is no hash.
        bound.unwrap_or_else(|| self.key.clone())
    }
}

/// The digest of an identity, in base64.
fn digest_of(hash: PskHash, retained: &[u8], host: &Nqn, subsystem: &Nqn) -> String {
    let algorithm = match hash {
        PskHash::Sha256 => hmac::HMAC_SHA256,
        PskHash::Sha384 => hmac::HMAC_SHA384,
    };
    let mut context = hmac::Context::with_key(&hmac::Key::new(algorithm, retained));
    for part in [host.as_str().as_bytes(), b" ", subsystem.as_str().as_bytes(), b" ", PURPOSE] {
        context.update(part);
    }
    STANDARD.encode(context.sign())
}

/// A length that HKDF is to give, bytes.
struct Bytes(usize);

impl hkdf::KeyType for Bytes {
    fn len(&self) -> usize {
        self.0
    }
}

/// HKDF-Expand-Label (RFC 8446, section 7.1) of HKDF-Extract without salt, as long as the hash's values; nothing where the context is too
/// long.
fn expand_label(
    hash: PskHash,
    input: &[u8],
    label: &str,
    context: &[u8],
) -> Option<Zeroizing<Vec<u8>>> {
    let algorithm = match hash {
        PskHash::Sha256 => hkdf::HKDF_SHA256,
        PskHash::Sha384 => hkdf::HKDF_SHA384,
    };
    let context_bytes =
        u8::try_from(context.len()).ok().filter(|_| context.len() <= LONGEST_CONTEXT)?;
    let label = format!("tls13 {label}");
    let label_bytes = u8::try_from(label.len()).ok()?;
    let length = u16::try_from(hash.bytes()).ok()?.to_be_bytes();
    let info = [&length[..], &[label_bytes], label.as_bytes(), &[context_bytes], context];
    let secret = hkdf::Salt::new(algorithm, &[]).extract(input);
    let mut key = Zeroizing::new(vec![0; hash.bytes()]);
    secret.expand(&info, Bytes(hash.bytes())).ok()?.fill(&mut key).ok()?;
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: &str = "nqn.2014-08.org.nvmexpress:uuid:2cd2c43b-a90a-45c1-a8cd-86b33ab273b5";
    const SUBSYSTEM: &str = "nqn.2026-11.org.example:disk";

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn names() -> (Nqn, Nqn) {
        (HOST.parse().unwrap(), SUBSYSTEM.parse().unwrap())
    }

    #[test]
    fn keys_are_those_that_openssl_computes() {
        let (host, subsystem) = names();
        for (text, digest, keys) in OPENSSL {
            let key: ConfiguredKey = text.parse().unwrap();
            let psks = key.psks(&host, &subsystem);
            let id = key.hash().id();
            let identities: Vec<String> = psks.iter().map(|psk| psk.identity.to_string()).collect();
            let told = [
                format!("NVMe1R{id:02} {HOST} {SUBSYSTEM} {digest}"),
                format!("NVMe0R{id:02} {HOST} {SUBSYSTEM}"),
            ];
            assert_eq!(identities, told);
            let found: Vec<String> = psks.iter().map(|psk| hex(&psk.key)).collect();
            assert_eq!(found, keys, "{text}");
            for psk in psks {
                assert_eq!(key.psk_of(&psk.identity), Some(psk));
            }
        }
    }

    #[test]
    fn another_key_or_name_is_not_what_an_identity_asks_for() {
        let (host, subsystem) = names();
        let key = ConfiguredKey::new(Some(PskHash::Sha256), &[1; 32]).unwrap();
        let other = ConfiguredKey::new(Some(PskHash::Sha256), &[2; 32]).unwrap();
        let [one, zero] = &key.psks(&host, &subsystem)[..] else { panic!("two") };
        assert_eq!(other.psk_of(&one.identity), None, "the digest is another key's");
        assert_ne!(other.psk_of(&zero.identity).unwrap().key, zero.key);
        let longer = ConfiguredKey::new(None, &[1; 48]).unwrap();
        assert_eq!(longer.psk_of(&zero.identity), None, "the hash is another's");
        // Bound to a host, or not.
        let plain = ConfiguredKey::new(None, &[1; 32]).unwrap();
        assert_ne!(plain.psks(&host, &subsystem)[1].key, zero.key);
        assert!(!format!("{one:?}").contains("key:"), "{one:?}");
    }

    #[test]
    fn names_that_are_too_long_for_one_form_have_the_other() {
        let long = |c: &str| -> Nqn { format!("nqn.x:{}", c.repeat(200)).parse().unwrap() };
        let key = ConfiguredKey::new(Some(PskHash::Sha384), &[1; 48]).unwrap();
        let psks = key.psks(&long("h"), &long("s"));
        assert_eq!(psks.len(), 1);
        assert!(matches!(psks[0].identity.version, Version::One { .. }));
        assert_eq!(psks[0].identity.to_string().parse(), Ok(psks[0].identity.clone()));
    }

    /// Text of a key that nvme-cli 2.3 made (two of them without the hash), digest, and the keys of both identities: by `openssl kdf` and
    /// `openssl dgst` of OpenSSL 3.0.19 (`tests/tls-keys.sh`).
    const OPENSSL: [(&str, &str, [&str; 2]); 4] = [
        (
            "NVMeTLSkey-1:01:UhZ6SLptUHTyEPox01kuF+Ch4OCGisaMWR+wwyGbyUNHUpf7:",
            "edU1pEKAf+3hEYIvZKYyDTBBplFOx7njFvNSelk7iwg=",
            [
                "992396e515b302c85429f5b1d6a5a23caba6e303ca2ee900ac0e89893f522854",
                "3d37aceba1286f52db9d5b638ce7db16e17f36645f1e3cc86ff880a00f48fcba",
            ],
        ),
        (
            "NVMeTLSkey-1:02:DdSvVnFxVyHEU3vflsyLuN+4hg538DeV0j3bLOsL5p+0Ys6YftLmQw2q2/HpqbzXaLWvnA==:",
            "uW599hWx/VS5xZqmHK+1QF9I4jWkfTCkvA72BgMlzcAWveWTPK/XFimL1888i8ET",
            [
                "c9c8dddc0eec5c75df5cc3e10c139d4ad7a99964512028315d96a87a3a6a8db8f68e77954492325c58ac3cb56d281e0e",
                "30a64e87922093cf56596a7f64c22b86a80fffb6a92a074fdb030c3de8436e070382e820dd46e6ff17cf5a8876078ec2",
            ],
        ),
        (
            "NVMeTLSkey-1:00:UhZ6SLptUHTyEPox01kuF+Ch4OCGisaMWR+wwyGbyUNHUpf7:",
            "XkO72sT+bj5dCOqpJxIM3ekzt1jvfjXPmKMYqOk2fp4=",
            [
                "e11de4a42af65f0f2216dbf5b7c34440b81a9442342e66d187894feb23aaac64",
                "dfa5d16d396624d3dd714a84106a45623b1d0e718fb1ef52e15c7b9e27e668bf",
            ],
        ),
        (
            "NVMeTLSkey-1:00:DdSvVnFxVyHEU3vflsyLuN+4hg538DeV0j3bLOsL5p+0Ys6YftLmQw2q2/HpqbzXaLWvnA==:",
            "ioefpHsJrMG0WfF0qf1X97rIDxsxa5F+2Fr1TTZZyXlBgY+mJLzdYffWl3S/QQUH",
            [
                "c2ef7b1c4b9a4733856d0cc652b24e79e9ee7f25ebda85504c4ed08abfbea0a870f82f2c9d7ff2ef33661b02546bd128",
                "6b8af7ac6687171fac8e45442ad9e5596607b939302a8910c026ac5e779b1db061a7d625e3e5747fa20ab3373604fd24",
            ],
        ),
    ];
}
