//! In-band authentication, DH-HMAC-CHAP: that a host, and on demand a controller, has the secret that the other side knows.
//!
//! Five messages pass in Authentication Send and Authentication Receive ([`Message`]): the host offers hashes and groups
//! (Negotiate), the controller picks one of each and challenges (Challenge), the host answers and may challenge in turn (Reply),
//! the controller accepts and answers (Success1), the host accepts (Success2). Either side ends it by a failure. What is answered
//! to a challenge is a [`Proof`]; the key that makes a recorded exchange useless for guessing a weak secret comes from a
//! [`KeyPair`] of each side.
//!
//! It proves who speaks at that moment. It encrypts nothing, and nothing that follows on the connection is bound to it.
//!
//! Neither randomness nor files are taken here: callers give both. Where it comes from: NVM Express Base Specification 2.0,
//! "NVMe In-band Authentication"; RFC 7919 for the groups; offsets and codes were held against `include/linux/nvme.h` of Linux 6.12,
//! and recorded exchanges of its host and its target hold the whole.

mod group;
mod hash;
mod message;
mod primes;
mod proof;
mod secret;

pub use group::{ExponentBytes, Group, KeyPair, SharedKey, UnusablePublicValue};
pub use hash::Hash;
pub use message::{
    Challenge, Explanation, Failure, MOST_MESSAGE_BYTES, Message, Negotiate, Offer, Reply, Success1,
};
pub use proof::{Proof, Prover};
pub use secret::{InvalidSecret, Secret};

/// SPSP1, SPSP0 and SECP of the commands that carry messages: NVMe's protocol.
pub const PROTOCOL: [u8; 3] = [0x01, 0x01, 0xE9];

/// What the result of a Connect says of authentication (AUTHREQ, bits 31:16).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Requirement {
    /// ATR: the queue does nothing else before the host has authenticated.
    pub authentication: bool,
    /// ASCR: a secure channel (TLS) has to be derived from it.
    pub secure_channel: bool,
}

const ATR: u64 = 1 << 17;
const ASCR: u64 = 1 << 18;

impl Requirement {
    /// Of the result of a Connect that succeeded.
    pub fn of_result(result: u64) -> Requirement {
        Requirement { authentication: result & ATR != 0, secure_channel: result & ASCR != 0 }
    }

    /// Its bits of the result.
    pub fn to_result(self) -> u64 {
        let bit = |set: bool, bit: u64| if set { bit } else { 0 };
        bit(self.authentication, ATR) | bit(self.secure_channel, ASCR)
    }
}
