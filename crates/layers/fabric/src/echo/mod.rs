//! An echo: two programs that send each other messages of the sizes of a command and its answer, and do nothing with them.
//! What it takes is what the network and both sides' network stacks take, and where the echo sleeps, its wake-up.

mod client;
mod server;

pub use client::check_echo;
pub(crate) use client::{EchoTimes, echo_window};
pub use server::{EchoEvent, serve};

use narrows_nvme::digest::{DIGEST_BYTES, Digests};
use narrows_nvme::pdu::PduType;

use crate::operation::SplitOperation;

/// What an echo is asked for first.
const HELLO_BYTES: usize = 24;
/// What that begins with; the last byte is the protocol's version.
const SIGNATURE: [u8; 8] = *b"nrwecho1";
/// What it answers when it is ready.
const READY: u8 = 1;
/// Longest message in either direction, bytes.
const MOST_BYTES: u32 = 2 << 20;

/// Messages of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct EchoShape {
    /// From the client, bytes.
    pub(crate) question_bytes: u32,
    /// Back to it, bytes.
    pub(crate) answer_bytes: u32,
}

impl EchoShape {
    /// Of an operation whose data need no R2T; the answer to a read is its data and a response, because our own target says in
    /// the response how long it took.
    pub(crate) fn of(operation: SplitOperation, digests: Digests) -> EchoShape {
        let digest = |used| if used { DIGEST_BYTES as u32 } else { 0 };
        let header = |pdu_type: PduType| pdu_type.header_bytes() as u32 + digest(digests.header);
        let data = operation.bytes + digest(digests.data);
        let command = header(PduType::CapsuleCmd);
        let response = header(PduType::CapsuleResp);
        if operation.writes {
            EchoShape { question_bytes: command + data, answer_bytes: response }
        } else {
            let answer_bytes = header(PduType::C2hData) + data + response;
            EchoShape { question_bytes: command, answer_bytes }
        }
    }
}

/// What an echo is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Hello {
    shape: EchoShape,
    /// Whether the echo polls, else it sleeps.
    polled: bool,
}

impl Hello {
    fn to_bytes(self) -> [u8; HELLO_BYTES] {
        let mut bytes = [0; HELLO_BYTES];
        bytes[..8].copy_from_slice(&SIGNATURE);
        bytes[8..12].copy_from_slice(&self.shape.question_bytes.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.shape.answer_bytes.to_le_bytes());
        bytes[16] = u8::from(self.polled);
        bytes
    }

    /// `None` for what is no such request, or asks for too much.
    fn from_bytes(bytes: [u8; HELLO_BYTES]) -> Option<Hello> {
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        let (question_bytes, answer_bytes) = (number(8), number(12));
        let sizes = [question_bytes, answer_bytes];
        let fits = sizes.iter().all(|size| (1..=MOST_BYTES).contains(size));
        (bytes[..8] == SIGNATURE && fits && bytes[16] <= 1).then_some(Hello {
            shape: EchoShape { question_bytes, answer_bytes },
            polled: bytes[16] == 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_read_as_it_was_written_and_bounded() {
        let shape = EchoShape { question_bytes: 72, answer_bytes: 8240 };
        let hello = Hello { shape, polled: true };
        assert_eq!(Hello::from_bytes(hello.to_bytes()), Some(hello));
        let with = |shape| Hello::from_bytes(Hello { shape, polled: false }.to_bytes());
        assert_eq!(with(EchoShape { question_bytes: 0, ..shape }), None);
        assert_eq!(with(EchoShape { answer_bytes: MOST_BYTES + 1, ..shape }), None);
        assert_eq!(Hello::from_bytes([0; HELLO_BYTES]), None);
    }

    #[test]
    fn messages_are_as_long_as_the_protocol_s() {
        let read = SplitOperation { writes: false, bytes: 8192 };
        let write = SplitOperation { writes: true, bytes: 8192 };
        let of = |operation| EchoShape::of(operation, Digests::NONE);
        assert_eq!(of(read), EchoShape { question_bytes: 72, answer_bytes: 24 + 8192 + 24 });
        assert_eq!(of(write), EchoShape { question_bytes: 72 + 8192, answer_bytes: 24 });
        let digests = Digests { header: true, data: true };
        let guarded = EchoShape::of(write, digests);
        assert_eq!(guarded, EchoShape { question_bytes: 76 + 8196, answer_bytes: 28 });
    }
}
