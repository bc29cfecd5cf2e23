//! Messages of an exchange, as they stand in the data of Authentication Send and Authentication Receive.
//!
//! Behind a message anything may follow: a controller fills up what a host had room for.

use std::fmt;

use super::{Group, Hash};
use crate::bytes::{put_u16, put_u32, u16_at, u32_at};

/// The longest message that is read, bytes: a Reply with SHA-512 and ffdhe8192 takes 1168.
pub const MOST_MESSAGE_BYTES: usize = 4096;

/// AUTH_TYPE: messages of every protocol.
const COMMON: u8 = 0x00;
/// AUTH_TYPE: messages of DH-HMAC-CHAP.
const DHCHAP: u8 = 0x01;
/// AUTH_ID of each message, with its AUTH_TYPE.
const NEGOTIATE: (u8, u8) = (COMMON, 0x00);
const CHALLENGE: (u8, u8) = (DHCHAP, 0x01);
const REPLY: (u8, u8) = (DHCHAP, 0x02);
const SUCCESS1: (u8, u8) = (DHCHAP, 0x03);
const SUCCESS2: (u8, u8) = (DHCHAP, 0x04);
const FAILURE2: (u8, u8) = (COMMON, 0xF0);
const FAILURE1: (u8, u8) = (COMMON, 0xF1);
/// Bytes before what differs: AUTH_TYPE, AUTH_ID, reserved, T_ID.
const HEADER: usize = 6;
/// Bytes before the values of Challenge, Reply and Success1, and of Success2.
const FIXED: usize = 16;
/// A protocol descriptor of Negotiate.
const OFFER_BYTES: usize = 64;
/// Identifiers of hashes, and of groups, that it has room for.
const MOST_IDS: usize = 30;
/// AuthID of DH-HMAC-CHAP in it.
const DHCHAP_PROTOCOL: u8 = 0x01;
/// Reason code of a failure, the only one.
const AUTHENTICATION_FAILURE: u8 = 0x01;

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// From the host: what it can do.
    Negotiate(Negotiate),
    /// From the controller.
    Challenge(Challenge),
    /// From the host.
    Reply(Reply),
    /// From the controller: the host has the secret.
    Success1(Success1),
    /// From the host, where it challenged the controller: the controller has its secret.
    Success2 {
        /// T_ID.
        transaction: u16,
    },
    /// From the controller: it ends here.
    Failure1(Failure),
    /// From the host: it ends here.
    Failure2(Failure),
}

/// AUTH_Negotiate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Negotiate {
    /// T_ID, which all messages of the exchange have.
    pub transaction: u16,
    /// SC_C: the secure channel that is to follow; 0 for none.
    pub secure_channel: u8,
    /// What the host offers for DH-HMAC-CHAP; `None` where it offers other protocols alone.
    pub offer: Option<Offer>,
}

/// Hashes and groups by their identifiers, those that nobody knows too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// HashIDs, 30 at most.
    pub hashes: Vec<u8>,
    /// DHgIDs, 30 at most.
    pub groups: Vec<u8>,
}

impl Offer {
    /// All that there is here.
    pub fn all() -> Offer {
        Offer {
            hashes: Hash::ALL.map(Hash::id).to_vec(),
            groups: Group::ALL.map(Group::id).to_vec(),
        }
    }
}

/// DH-HMAC-CHAP_Challenge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Challenge {
    /// T_ID.
    pub transaction: u16,
    /// The hash that the controller picked.
    pub hash: Hash,
    /// The group that it picked.
    pub group: Group,
    /// SEQNUM.
    pub sequence: u32,
    /// C1, as long as the hash's values.
    pub challenge: Vec<u8>,
    /// The controller's public value, as long as the group's; empty without a group.
    pub public: Vec<u8>,
}

/// DH-HMAC-CHAP_Reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// T_ID.
    pub transaction: u16,
    /// SEQNUM of the host's challenge.
    pub sequence: u32,
    /// R1; by its length one knows the hash.
    pub response: Vec<u8>,
    /// C2, as long as the response, where the host wants the controller to prove itself.
    pub challenge: Option<Vec<u8>>,
    /// The host's public value, 1024 bytes at most.
    pub public: Vec<u8>,
}

/// DH-HMAC-CHAP_Success1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Success1 {
    /// T_ID.
    pub transaction: u16,
    /// The hash of the exchange.
    pub hash: Hash,
    /// R2, where the host challenged the controller.
    pub response: Option<Vec<u8>>,
}

/// A failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failure {
    /// T_ID.
    pub transaction: u16,
    /// Why.
    pub explanation: Explanation,
}

/// Reason code explanation of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Explanation(pub u8);

impl Explanation {
    /// Authentication failed: the secret is another one.
    pub const FAILED: Explanation = Explanation(0x01);
    /// The authentication protocol is not usable.
    pub const PROTOCOL: Explanation = Explanation(0x02);
    /// Secure channel concatenation mismatch.
    pub const SECURE_CHANNEL: Explanation = Explanation(0x03);
    /// The hash is not usable.
    pub const HASH: Explanation = Explanation(0x04);
    /// The Diffie-Hellman group is not usable.
    pub const GROUP: Explanation = Explanation(0x05);
    /// Incorrect payload.
    pub const PAYLOAD: Explanation = Explanation(0x06);
    /// Incorrect protocol message.
    pub const MESSAGE: Explanation = Explanation(0x07);
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match *self {
            Explanation::FAILED => "authentication failed",
            Explanation::PROTOCOL => "authentication protocol not usable",
            Explanation::SECURE_CHANNEL => "secure channel concatenation mismatch",
            Explanation::HASH => "hash function not usable",
            Explanation::GROUP => "Diffie-Hellman group not usable",
            Explanation::PAYLOAD => "incorrect payload",
            Explanation::MESSAGE => "incorrect protocol message",
            Explanation(other) => return write!(f, "explanation {other:#04x}"),
        };
        write!(f, "{words} ({:#04x})", self.0)
    }
}

impl Message {
    /// Reads a message; what follows it is not looked at.
    ///
    /// # Errors
    /// What to tell the other side of it.
    pub fn parse(bytes: &[u8]) -> Result<Message, Explanation> {
        if bytes.len() < HEADER {
            return Err(Explanation::PAYLOAD);
        }
        let transaction = u16_at(bytes, 4);
        let fixed = bytes.len() >= FIXED;
        match (bytes[0], bytes[1]) {
            NEGOTIATE => negotiate(transaction, bytes).map(Message::Negotiate),
            CHALLENGE if fixed => challenge(transaction, bytes).map(Message::Challenge),
            REPLY if fixed => reply(transaction, bytes).map(Message::Reply),
            SUCCESS1 if fixed => success1(transaction, bytes).map(Message::Success1),
            SUCCESS2 if fixed => Ok(Message::Success2 { transaction }),
            FAILURE1 => failure(transaction, bytes).map(Message::Failure1),
            FAILURE2 => failure(transaction, bytes).map(Message::Failure2),
            CHALLENGE | REPLY | SUCCESS1 | SUCCESS2 => Err(Explanation::PAYLOAD),
            _ => Err(Explanation::MESSAGE),
        }
    }

    /// T_ID.
    pub fn transaction(&self) -> u16 {
        match self {
            Message::Negotiate(Negotiate { transaction, .. })
            | Message::Challenge(Challenge { transaction, .. })
            | Message::Reply(Reply { transaction, .. })
            | Message::Success1(Success1 { transaction, .. })
            | Message::Success2 { transaction }
            | Message::Failure1(Failure { transaction, .. })
            | Message::Failure2(Failure { transaction, .. }) => *transaction,
        }
    }

    /// Its bytes.
    ///
    /// # Panics
    /// Where a value has a length that none has, or an offer has more identifiers than there is room for.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Message::Negotiate(message) => {
                let mut bytes = begun(NEGOTIATE, message.transaction, 8);
                bytes[6] = message.secure_channel;
                if let Some(offer) = &message.offer {
                    bytes[7] = 1;
                    bytes.extend_from_slice(&offer_bytes(offer));
                }
                bytes
            }
            Message::Challenge(message) => {
                let mut bytes = begun(CHALLENGE, message.transaction, FIXED);
                bytes[6] = message.hash.bytes() as u8;
                bytes[8] = message.hash.id();
                bytes[9] = message.group.id();
                put_u16(&mut bytes, 10, message.group.bytes() as u16);
                put_u32(&mut bytes, 12, message.sequence);
                assert_eq!(message.challenge.len(), message.hash.bytes(), "a challenge");
                assert_eq!(message.public.len(), message.group.bytes(), "a public value");
                bytes.extend_from_slice(&message.challenge);
                bytes.extend_from_slice(&message.public);
                bytes
            }
            Message::Reply(message) => {
                let mut bytes = begun(REPLY, message.transaction, FIXED);
                let hash = message.response.len();
                bytes[6] = u8::try_from(hash).expect("a response");
                bytes[8] = u8::from(message.challenge.is_some());
                put_u16(&mut bytes, 10, u16::try_from(message.public.len()).expect("a value"));
                put_u32(&mut bytes, 12, message.sequence);
                bytes.extend_from_slice(&message.response);
                match &message.challenge {
                    Some(challenge) => bytes.extend_from_slice(challenge),
                    None => bytes.resize(FIXED + 2 * hash, 0),
                }
                assert_eq!(bytes.len(), FIXED + 2 * hash, "a challenge as long as the response");
                bytes.extend_from_slice(&message.public);
                bytes
            }
            Message::Success1(message) => {
                let mut bytes = begun(SUCCESS1, message.transaction, FIXED);
                bytes[6] = message.hash.bytes() as u8;
                if let Some(response) = &message.response {
                    assert_eq!(response.len(), message.hash.bytes(), "a response");
                    bytes[8] = 1;
                    bytes.extend_from_slice(response);
                }
                bytes
            }
            Message::Success2 { transaction } => begun(SUCCESS2, *transaction, FIXED),
            Message::Failure1(message) => failed(FAILURE1, message),
            Message::Failure2(message) => failed(FAILURE2, message),
        }
    }
}

fn begun(kind: (u8, u8), transaction: u16, bytes: usize) -> Vec<u8> {
    let mut message = vec![0; bytes];
    (message[0], message[1]) = kind;
    put_u16(&mut message, 4, transaction);
    message
}

fn failed(kind: (u8, u8), failure: &Failure) -> Vec<u8> {
    let mut bytes = begun(kind, failure.transaction, 8);
    bytes[6] = AUTHENTICATION_FAILURE;
    bytes[7] = failure.explanation.0;
    bytes
}

fn offer_bytes(offer: &Offer) -> [u8; OFFER_BYTES] {
    let mut bytes = [0; OFFER_BYTES];
    bytes[0] = DHCHAP_PROTOCOL;
    bytes[2] = offer.hashes.len() as u8;
    bytes[3] = offer.groups.len() as u8;
    let (hashes, groups) = bytes[4..].split_at_mut(MOST_IDS);
    hashes[..offer.hashes.len()].copy_from_slice(&offer.hashes);
    groups[..offer.groups.len()].copy_from_slice(&offer.groups);
    bytes
}

fn negotiate(transaction: u16, bytes: &[u8]) -> Result<Negotiate, Explanation> {
    let (fixed, rest) = bytes.split_at_checked(8).ok_or(Explanation::PAYLOAD)?;
    let descriptors =
        rest.get(..usize::from(fixed[7]) * OFFER_BYTES).ok_or(Explanation::PAYLOAD)?;
    let ours = |descriptor: &&[u8]| descriptor[0] == DHCHAP_PROTOCOL;
    let ours = descriptors.chunks_exact(OFFER_BYTES).find(ours);
    let offer = ours.map(|descriptor| {
        let (hashes, groups) = descriptor[4..].split_at(MOST_IDS);
        let of = |ids: &[u8], count: u8| ids.get(..usize::from(count)).map(<[u8]>::to_vec);
        let lists = of(hashes, descriptor[2]).zip(of(groups, descriptor[3]));
        let (hashes, groups) = lists.ok_or(Explanation::PAYLOAD)?;
        Ok(Offer { hashes, groups })
    });
    Ok(Negotiate { transaction, secure_channel: fixed[6], offer: offer.transpose()? })
}

/// So many bytes from an offset on.
fn piece(bytes: &[u8], at: usize, length: usize) -> Result<Vec<u8>, Explanation> {
    let end = at.checked_add(length).ok_or(Explanation::PAYLOAD)?;
    bytes.get(at..end).map(<[u8]>::to_vec).ok_or(Explanation::PAYLOAD)
}

fn challenge(transaction: u16, bytes: &[u8]) -> Result<Challenge, Explanation> {
    let hash = Hash::from_id(bytes[8]).ok_or(Explanation::HASH)?;
    let group = Group::from_id(bytes[9]).ok_or(Explanation::GROUP)?;
    if usize::from(bytes[6]) != hash.bytes() {
        return Err(Explanation::HASH);
    }
    if usize::from(u16_at(bytes, 10)) != group.bytes() {
        return Err(Explanation::GROUP);
    }
    Ok(Challenge {
        transaction,
        hash,
        group,
        sequence: u32_at(bytes, 12),
        challenge: piece(bytes, FIXED, hash.bytes())?,
        public: piece(bytes, FIXED + hash.bytes(), group.bytes())?,
    })
}

fn reply(transaction: u16, bytes: &[u8]) -> Result<Reply, Explanation> {
    let hash = Hash::of_length(usize::from(bytes[6])).ok_or(Explanation::PAYLOAD)?.bytes();
    let public = usize::from(u16_at(bytes, 10));
    if public > Group::Ffdhe8192.bytes() {
        return Err(Explanation::PAYLOAD);
    }
    let challenge = piece(bytes, FIXED + hash, hash)?;
    Ok(Reply {
        transaction,
        sequence: u32_at(bytes, 12),
        response: piece(bytes, FIXED, hash)?,
        challenge: (bytes[8] & 1 != 0).then_some(challenge),
        public: piece(bytes, FIXED + 2 * hash, public)?,
    })
}

fn success1(transaction: u16, bytes: &[u8]) -> Result<Success1, Explanation> {
    let hash = Hash::of_length(usize::from(bytes[6])).ok_or(Explanation::HASH)?;
    let response = (bytes[8] & 1 != 0).then(|| piece(bytes, FIXED, hash.bytes())).transpose()?;
    Ok(Success1 { transaction, hash, response })
}

fn failure(transaction: u16, bytes: &[u8]) -> Result<Failure, Explanation> {
    let explanation = bytes.get(7).ok_or(Explanation::PAYLOAD)?;
    Ok(Failure { transaction, explanation: Explanation(*explanation) })
}
