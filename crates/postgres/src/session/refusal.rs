//! What a server says instead of an answer.

use std::collections::BTreeMap;

use crate::wire::one_line;

/// Of a text so much is kept, bytes: what an error says is short, and what a server may say is not.
const LONGEST_TEXT: usize = 4000;

/// An error that the server reported to a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// `ERROR`, or `FATAL` where it was the session's last answer.
    pub severity: String,
    /// SQLSTATE.
    pub code: String,
    /// The server's text.
    pub message: String,
}

impl Refusal {
    /// Two transactions that can't both be: of `repeatable read` and `serializable`.
    pub const SERIALIZATION_FAILURE: &'static str = "40001";
    /// A ring of transactions that waited for each other, of which this one was ended.
    pub const DEADLOCK: &'static str = "40P01";

    /// Whether another transaction was in the way, so that the same operation may well succeed when done again.
    pub fn is_conflict(&self) -> bool {
        [Self::SERIALIZATION_FAILURE, Self::DEADLOCK].contains(&self.code.as_str())
    }

    /// From an error message's fields: a type byte and a zero-terminated text each.
    pub(super) fn read(body: &[u8]) -> Refusal {
        let text = |bytes: &[u8]| {
            let bytes = &bytes[..bytes.len().min(LONGEST_TEXT)];
            one_line(&String::from_utf8_lossy(bytes))
        };
        let mut fields: BTreeMap<u8, String> = body
            .split(|&byte| byte == 0)
            .filter_map(|field| field.split_first())
            .map(|(kind, bytes)| (*kind, text(bytes)))
            .collect();
        let mut take = |kind| fields.remove(&kind).unwrap_or_default();
        let message = match take(b'M') {
            message if message.is_empty() => "no message".to_string(),
            message => message,
        };
        let code = match take(b'C') {
            code if code.len() == 5 && code.bytes().all(|b| b.is_ascii_alphanumeric()) => code,
            _ => "?????".to_string(),
        };
        Refusal { severity: take(b'S'), code, message }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}: {}", self.severity, self.code, self.message)
    }
}
