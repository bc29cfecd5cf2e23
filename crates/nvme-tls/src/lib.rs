//! TLS 1.3 with a pre-shared key, as NVMe/TCP has it: bytes in, bytes out, for host and target.
//!
//! A [`Session`] takes what came from the other side and gives what was in it; takes what is to be said and gives what goes over the
//! network. It knows no socket, no file and no clock: who has it ends a handshake that takes too long.
//!
//! Nobody is asked for a certificate and nobody shows one: both sides have the same key, or there is no connection. What a target does
//! before a host has proved that is kept small: it reads the host's first message by itself ([`hello`]), asks for the key of a name that
//! stands there ([`KeyRing`]), and only with a key does the library begin.
//!
//! Cryptography and protocol are s2n-tls' and AWS-LC's. rustls, which the rest of this project uses, takes no keys from outside.
//! Where it comes from: RFC 8446; NVMe over TCP Transport Specification 1.1, "Transport Layer Security": TLS_AES_128_GCM_SHA256 and
//! TLS_AES_256_GCM_SHA384, key exchange always (psk_dhe_ke).

mod error;
mod hello;
mod pipes;
mod session;

pub use error::TlsError;
pub use session::{KeyRing, NoKeys, RECORD_BYTES, Session, prepare};

/// Whether what comes first on a connection begins TLS: a record with a handshake in it. NVMe/TCP itself begins with a zero.
pub fn is_begun_by(first: u8) -> bool {
    first == hello::HANDSHAKE
}
