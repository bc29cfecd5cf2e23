//! What the null server says: the messages of a session of the load and no others (PostgreSQL documentation,
//! "Message Formats"), each answered with bytes that are always the same.

use std::ops::ControlFlow;

use crate::wire::guard;

/// The longest message that is taken, bytes: a statement and its name have some hundred.
pub(super) const LONGEST_MESSAGE: usize = 4096;

const PROTOCOL_3: u32 = 3;
const SSL_REQUEST: u32 = 80_877_103;
const GSS_REQUEST: u32 = 80_877_104;

/// No password is asked for.
const WELCOME: &[u8] = b"R\0\0\0\x08\0\0\0\0";
/// No transaction is open.
const READY: &[u8] = b"Z\0\0\0\x05I";
const SET: &[u8] = b"C\0\0\0\x08SET\0";
const PARSED: &[u8] = b"1\0\0\0\x04";
const BOUND: &[u8] = b"2\0\0\0\x04";
/// One row with one `bigint` in binary, zero, and the end of its statement.
const ROW: &[u8] = b"D\0\0\0\x12\0\x01\0\0\0\x08\0\0\0\0\0\0\0\0C\0\0\0\x0dSELECT 1\0";

/// Bytes of the answer to Bind, Execute and Sync: the same as of a server that finds one `bigint`.
pub(super) const ANSWER_BYTES: usize = BOUND.len() + ROW.len() + READY.len();

/// One connection's talk.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    welcomed: bool,
    user: String,
}

impl Conversation {
    /// Answers the complete messages at the head of `input` and says how many bytes they were; `Break` where it is over:
    /// the client took its leave, or says what this server doesn't know (which the answer then tells it).
    pub(super) fn answer(&mut self, input: &[u8], output: &mut Vec<u8>) -> ControlFlow<(), usize> {
        let mut at = 0;
        loop {
            let rest = &input[at..];
            let head = if self.welcomed { 1 } else { 0 };
            let Some(length) = rest.get(head..head + 4) else { return ControlFlow::Continue(at) };
            let length = u32::from_be_bytes([length[0], length[1], length[2], length[3]]) as usize;
            if !(4..=LONGEST_MESSAGE).contains(&length) {
                refuse("08P01", "a message of a length that no load has", output);
                return ControlFlow::Break(());
            }
            let Some(body) = rest.get(head + 4..head + length) else {
                return ControlFlow::Continue(at);
            };
            if self.welcomed {
                self.message(rest[0], body, output)?;
            } else {
                self.welcome(body, output)?;
            }
            at += head + length;
        }
    }

    fn welcome(&mut self, body: &[u8], output: &mut Vec<u8>) -> ControlFlow<()> {
        let code = body.first_chunk().map_or(0, |code| u32::from_be_bytes(*code));
        match code {
            SSL_REQUEST | GSS_REQUEST => output.push(b'N'),
            _ if code >> 16 == PROTOCOL_3 => {
                self.welcomed = true;
                self.user = user(body);
                output.extend_from_slice(WELCOME);
                output.extend_from_slice(b"K\0\0\0\x0c");
                output.extend_from_slice(&std::process::id().to_be_bytes());
                output.extend_from_slice(&[0; 4]);
                output.extend_from_slice(READY);
            }
            // A cancel request, or another protocol.
            _ => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn message(&self, tag: u8, body: &[u8], output: &mut Vec<u8>) -> ControlFlow<()> {
        match tag {
            b'B' => output.extend_from_slice(BOUND),
            b'E' => output.extend_from_slice(ROW),
            b'S' => output.extend_from_slice(READY),
            b'P' => output.extend_from_slice(PARSED),
            b'Q' if body.get(..4).is_some_and(|word| word.eq_ignore_ascii_case(b"set ")) => {
                output.extend_from_slice(SET);
                output.extend_from_slice(READY);
            }
            b'Q' if body.strip_suffix(b"\0") == Some(guard::question().as_bytes()) => {
                self.fixed(output);
                output.extend_from_slice(READY);
            }
            b'Q' => {
                refuse("0A000", "the null server knows SET and prepared statements only", output);
                output.extend_from_slice(READY);
            }
            b'X' => return ControlFlow::Break(()),
            _ => {
                refuse("08P01", "the null server does not know this message", output);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// Its session is as it was asked for: there is nothing in it that could be otherwise.
    fn fixed(&self, output: &mut Vec<u8>) {
        let row = guard::expected(std::process::id(), &self.user);
        let mut cells = (row.len() as u16).to_be_bytes().to_vec();
        for cell in row.into_iter().flatten() {
            cells.extend_from_slice(&(cell.len() as u32).to_be_bytes());
            cells.extend_from_slice(cell.as_bytes());
        }
        output.push(b'D');
        output.extend_from_slice(&(cells.len() as u32 + 4).to_be_bytes());
        output.extend_from_slice(&cells);
        output.extend_from_slice(b"C\0\0\0\x0dSELECT 1\0");
    }
}

/// Who asks to be let in; the packet has the version, then names and values in turn.
fn user(start: &[u8]) -> String {
    let mut words = start.get(4..).unwrap_or_default().split(|byte| *byte == 0);
    while let (Some(name), Some(value)) = (words.next(), words.next()) {
        if name == b"user" {
            return String::from_utf8_lossy(value).into_owned();
        }
    }
    String::new()
}

/// An error message with what a client looks at.
fn refuse(code: &str, text: &str, output: &mut Vec<u8>) {
    let fields = format!("SERROR\0C{code}\0M{text}\0\0");
    output.push(b'E');
    output.extend_from_slice(&(fields.len() as u32 + 4).to_be_bytes());
    output.extend_from_slice(fields.as_bytes());
}

#[cfg(test)]
mod tests {
    use bytes::BytesMut;
    use postgres_protocol::IsNull;
    use postgres_protocol::message::backend::Message;
    use postgres_protocol::message::frontend;

    use super::*;

    fn start() -> Vec<u8> {
        let mut bytes = BytesMut::new();
        frontend::startup_message([("user", "narrows")], &mut bytes).unwrap();
        bytes.to_vec()
    }

    fn prepared() -> Vec<u8> {
        let mut bytes = BytesMut::new();
        frontend::query("SET jit = off", &mut bytes).unwrap();
        frontend::parse("s", "SELECT v FROM t WHERE k = $1", std::iter::empty(), &mut bytes)
            .unwrap();
        frontend::sync(&mut bytes);
        bytes.to_vec()
    }

    fn operation() -> Vec<u8> {
        let mut bytes = BytesMut::new();
        let key = |key: i64, out: &mut BytesMut| {
            out.extend_from_slice(&key.to_be_bytes());
            Ok(IsNull::No)
        };
        frontend::bind("", "s", [1], [7i64], key, [1], &mut bytes).ok().unwrap();
        frontend::execute("", 0, &mut bytes).unwrap();
        frontend::sync(&mut bytes);
        bytes.to_vec()
    }

    /// The tags of an answer, as a client's parser sees them.
    fn tags(answer: &[u8]) -> String {
        let mut bytes = BytesMut::from(answer);
        let mut tags = String::new();
        while let Some(message) = Message::parse(&mut bytes).unwrap() {
            tags.push(match message {
                Message::AuthenticationOk => 'R',
                Message::BackendKeyData(_) => 'K',
                Message::ReadyForQuery(_) => 'Z',
                Message::CommandComplete(_) => 'C',
                Message::ParseComplete => '1',
                Message::BindComplete => '2',
                Message::DataRow(_) => 'D',
                Message::ErrorResponse(_) => 'E',
                _ => '?',
            });
        }
        assert!(bytes.is_empty(), "the answer ends in the middle of a message");
        tags
    }

    #[test]
    fn a_session_of_the_load_gets_what_a_server_would_say() {
        let mut talk = Conversation::default();
        let mut say = |bytes: Vec<u8>| {
            let mut out = Vec::new();
            assert_eq!(talk.answer(&bytes, &mut out), ControlFlow::Continue(bytes.len()));
            out
        };
        assert_eq!(tags(&say(start())), "RKZ");
        assert_eq!(tags(&say(prepared())), "CZ1Z");
        let answer = say(operation());
        assert_eq!(tags(&answer), "2DCZ");
        assert_eq!(answer.len(), ANSWER_BYTES);
    }

    #[test]
    fn bytes_that_come_one_by_one_get_the_same_answer() {
        let mut said = start();
        said.extend(prepared());
        said.extend(operation());
        let mut whole = Vec::new();
        assert!(Conversation::default().answer(&said, &mut whole).is_continue());
        let (mut talk, mut held, mut bits) = (Conversation::default(), Vec::new(), Vec::new());
        for byte in said {
            held.push(byte);
            let ControlFlow::Continue(taken) = talk.answer(&held, &mut bits) else { panic!() };
            held.drain(..taken);
        }
        assert!(held.is_empty());
        assert_eq!(bits, whole);
    }

    #[test]
    fn what_is_no_load_is_told_so_and_let_go() {
        for (said, answer) in [
            (&b"?\0\0\0\x04"[..], "E"),
            (b"B\xff\xff\xff\xff", "E"),
            (b"B\0\0\0\0", "E"),
            (b"X\0\0\0\x04", ""),
        ] {
            let mut talk = Conversation { welcomed: true, ..Conversation::default() };
            let mut out = Vec::new();
            assert_eq!(talk.answer(said, &mut out), ControlFlow::Break(()), "{said:?}");
            assert_eq!(tags(&out), answer, "{said:?}");
        }
        let mut out = Vec::new();
        let http = b"GET / HTTP/1.1\r\n\r\n";
        assert!(Conversation::default().answer(http, &mut out).is_break());
    }

    #[test]
    fn a_question_is_refused_and_the_session_goes_on() {
        let mut talk = Conversation { welcomed: true, ..Conversation::default() };
        let mut question = BytesMut::new();
        frontend::query("SELECT 1", &mut question).unwrap();
        let mut out = Vec::new();
        assert!(talk.answer(&question, &mut out).is_continue());
        assert_eq!(tags(&out), "EZ");
    }
}
