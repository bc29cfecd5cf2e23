//! Packets, and the numbers and texts inside them ("0-packet", "Protocol data types").

use crate::error::MariaError;

/// Length of three bytes and a number of the packet's place in its exchange.
pub(crate) const HEAD: usize = 4;
/// A packet of this length goes on in the next one. Nothing that is asked for is so long.
const GOES_ON: usize = 0xff_ffff;
/// Of a text so much is kept, bytes: what an error says is short, and what a server may say is not.
const LONGEST_TEXT: usize = 4000;

/// Bytes of a packet's body, by its head.
///
/// # Errors
/// It is longer than what is taken.
#[inline]
pub(crate) fn body_length(head: [u8; HEAD], most: usize) -> Result<usize, MariaError> {
    let bytes = usize::from(head[0]) | usize::from(head[1]) << 8 | usize::from(head[2]) << 16;
    if bytes > most || bytes == GOES_ON { Err(MariaError::Long { bytes }) } else { Ok(bytes) }
}

/// Begins a packet; its length is written by [`end`].
pub(crate) fn begin(out: &mut Vec<u8>, sequence: u8) -> usize {
    out.extend_from_slice(&[0, 0, 0, sequence]);
    out.len()
}

/// Ends the packet whose body began there.
pub(crate) fn end(out: &mut [u8], body: usize) {
    let length = (out.len() - body) as u32;
    out[body - HEAD..body - 1].copy_from_slice(&length.to_le_bytes()[..3]);
}

/// What is left of a packet's body, read from its front; `None` where it is over.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Body<'a>(pub(crate) &'a [u8]);

impl<'a> Body<'a> {
    pub(crate) fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.take(2)?.try_into().ok()?))
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    /// A number in as many bytes as it needs. The mark of NULL is none.
    pub(crate) fn number(&mut self) -> Option<u64> {
        let wide = |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, b| sum << 8 | u64::from(*b));
        match self.u8()? {
            0xfb | 0xff => None,
            0xfc => self.take(2).map(wide),
            0xfd => self.take(3).map(wide),
            0xfe => self.take(8).map(wide),
            small => Some(u64::from(small)),
        }
    }

    /// A text with its length before it.
    pub(crate) fn text(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        self.take(length)
    }

    /// A text up to a zero.
    pub(crate) fn text_to_zero(&mut self) -> Option<&'a [u8]> {
        let end = self.0.iter().position(|byte| *byte == 0)?;
        let text = self.take(end)?;
        self.take(1)?;
        Some(text)
    }
}

/// Writes a text with its length before it.
pub(crate) fn put_text(out: &mut Vec<u8>, text: &[u8]) {
    match text.len() {
        short @ 0..=250 => out.push(short as u8),
        long @ 251..=0xffff => {
            out.push(0xfc);
            out.extend_from_slice(&(long as u16).to_le_bytes());
        }
        longer => {
            out.push(0xfe);
            out.extend_from_slice(&(longer as u64).to_le_bytes());
        }
    }
    out.extend_from_slice(text);
}

/// What an answer begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum First {
    /// Done: rows that were changed, and the session's state.
    Done { affected: u64, status: u16 },
    /// Refused: number, SQLSTATE, text.
    Refused { code: u16, state: String, message: String },
    /// Rows follow, of so many columns.
    Columns(u64),
}

impl First {
    /// Of the first packet of an answer.
    pub(crate) fn read(bytes: &[u8]) -> Result<First, MariaError> {
        let mut body = Body(bytes);
        let short = MariaError::Unexpected("a packet that is too short");
        match bytes.first() {
            None => Err(short),
            Some(0x00) => {
                body.u8();
                let read = (|| {
                    let affected = body.number()?;
                    body.number()?;
                    Some(First::Done { affected, status: body.u16()? })
                })();
                read.ok_or(short)
            }
            Some(0xff) => Ok(refusal(bytes)),
            Some(0xfb) => Err(MariaError::Unexpected("a request for a file of ours")),
            Some(_) => body.number().map(First::Columns).ok_or(short),
        }
    }
}

/// An error's packet. What is missing of it is said to be so.
fn refusal(bytes: &[u8]) -> First {
    let mut body = Body(bytes.get(1..).unwrap_or_default());
    let code = body.u16().unwrap_or(0);
    let state = match body.0 {
        [b'#', state @ ..] if state.len() >= 5 => {
            let state = &state[..5];
            body.take(6);
            String::from_utf8_lossy(state).into_owned()
        }
        _ => "?????".to_string(),
    };
    let good = state.len() == 5 && state.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let text = String::from_utf8_lossy(&body.0[..body.0.len().min(LONGEST_TEXT)]).into_owned();
    let message = narrows_units::shown(&text.replace(['\n', '\r'], " ")).into_owned();
    First::Refused { code, state: if good { state } else { "?????".into() }, message }
}

/// The state of the session where a packet ends columns or rows.
pub(crate) fn end_status(bytes: &[u8]) -> Option<u16> {
    match bytes {
        [0xfe, _, _, low, high] => Some(u16::from_le_bytes([*low, *high])),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_length_are_read_and_null_and_what_is_cut_off_are_none() {
        for (bytes, number) in [
            (&[250u8][..], Some(250)),
            (&[0xfc, 1, 2], Some(0x0201)),
            (&[0xfd, 1, 2, 3], Some(0x03_0201)),
            (&[0xfe, 1, 0, 0, 0, 0, 0, 0, 0x80], Some(0x8000_0000_0000_0001)),
            (&[0xfb], None),
            (&[0xff], None),
            (&[0xfc, 1], None),
            (&[0xfe, 1, 2], None),
            (&[], None),
        ] {
            assert_eq!(Body(bytes).number(), number, "{bytes:?}");
        }
        let mut out = Vec::new();
        for length in [0usize, 250, 251, 65535, 65536] {
            out.clear();
            put_text(&mut out, &vec![7; length]);
            assert_eq!(Body(&out).text().map(<[u8]>::len), Some(length));
        }
        // A length that nobody could have room for makes none.
        assert_eq!(Body(&[0xfe, 255, 255, 255, 255, 255, 255, 255, 255, 1]).text(), None);
    }

    #[test]
    fn a_packet_has_its_length_and_none_is_longer_than_what_is_taken() {
        let mut out = vec![9; 3];
        let body = begin(&mut out, 5);
        out.extend_from_slice(b"hello");
        end(&mut out, body);
        assert_eq!(out[3..8], [5, 0, 0, 5, b'h']);
        let head = [5, 0, 0, 5];
        assert_eq!(body_length(head, 5).unwrap(), 5);
        assert!(matches!(body_length(head, 4), Err(MariaError::Long { bytes: 5 })));
        assert!(body_length([255, 255, 255, 0], usize::MAX).is_err());
    }

    #[test]
    fn answers_begin_as_they_should_or_not_at_all() {
        let done = First::Done { affected: 3, status: 2 };
        assert_eq!(First::read(&[0, 3, 0, 2, 0, 0, 0]).unwrap(), done);
        assert_eq!(First::read(&[2]).unwrap(), First::Columns(2));
        let refused = First::read(b"\xff\xbd\x04#40001Deadlock\nfound").unwrap();
        let (state, message) = ("40001".to_string(), "Deadlock found".to_string());
        assert_eq!(refused, First::Refused { code: 1213, state, message });
        for bytes in [&b"\xff"[..], b"\xff\x01", b"\xff\x01\x02#4\x1b", b"\xff\x01\x02#4000\x1bx"] {
            let First::Refused { state, .. } = First::read(bytes).unwrap() else { panic!() };
            assert_eq!(state, "?????");
        }
        for bytes in [&b""[..], b"\x00", b"\x00\x03\x00\x02", b"\xfb/etc/passwd", b"\xfe"] {
            assert!(First::read(bytes).is_err(), "{bytes:?}");
        }
    }
}
