//! What a server says instead of an answer.

use std::collections::BTreeMap;

use narrows_layer_database::Refusal;

use crate::wire::one_line;

/// Of a text so much is kept, bytes: what an error says is short, and what a server may say is not.
const LONGEST_TEXT: usize = 4000;

/// From an error message's fields: a type byte and a zero-terminated text each.
pub(super) fn refusal(body: &[u8]) -> Refusal {
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
