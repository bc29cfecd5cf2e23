//! Keys of NVMe/TCP with TLS 1.3: from the text that people keep in a file to what a handshake takes.
//!
//! A [`ConfiguredKey`] is the text `NVMeTLSkey-1:01:BASE64:`. Bound to the name of a host it is a retained PSK; of that and of a
//! [`PskIdentity`], which names host and subsystem, comes the [`TlsPsk`] that both sides of a handshake have. Who has the text has all of
//! them, so the text is what is to be kept secret.
//!
//! Only retained PSKs are here. Generated ones, which come of an authentication (secure channel concatenation), are not.
//!
//! Where it comes from: NVMe over TCP Transport Specification 1.1 (with TP 8018: the second version of the identity), "TLS PSK and PSK
//! identity derivation", "PSK interchange format"; RFC 5869 and RFC 8446 section 7.1 for HKDF. Held against values that OpenSSL computed.

mod derive;
mod identity;
mod key;

pub use derive::TlsPsk;
pub use identity::{InvalidIdentity, PskIdentity, Version};
pub use key::{ConfiguredKey, InvalidKey};

/// The hash of a key and of the cipher suite that goes with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PskHash {
    /// SHA-256, with TLS_AES_128_GCM_SHA256.
    Sha256,
    /// SHA-384, with TLS_AES_256_GCM_SHA384.
    Sha384,
}

impl PskHash {
    /// As texts have it: 01, 02.
    pub fn id(self) -> u8 {
        match self {
            PskHash::Sha256 => 1,
            PskHash::Sha384 => 2,
        }
    }

    /// Length of its values and of keys for it, bytes.
    pub fn bytes(self) -> usize {
        match self {
            PskHash::Sha256 => 32,
            PskHash::Sha384 => 48,
        }
    }

    fn of_text(text: &str) -> Option<PskHash> {
        match text {
            "01" => Some(PskHash::Sha256),
            "02" => Some(PskHash::Sha384),
            _ => None,
        }
    }

    fn of_length(bytes: usize) -> Option<PskHash> {
        [PskHash::Sha256, PskHash::Sha384].into_iter().find(|hash| hash.bytes() == bytes)
    }
}
