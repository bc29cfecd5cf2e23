//! What the server answered to a step: rows and numbers of rows, read from the bytes as they came, where a program
//! asks for them.

use narrows_layer_database::Format;

/// PostgreSQL's messages, values in binary.
pub struct Messages;

impl Format for Messages {
    #[inline]
    fn affected(&self, answer: &[u8]) -> u64 {
        let last = messages(answer).filter(|(tag, _)| *tag == b'C').last();
        last.map_or(0, |(_, body)| number_at_end(body))
    }

    fn statement<'a>(&self, answer: &'a [u8], number: usize) -> Option<(&'a [u8], u32)> {
        let (mut begin, mut end, mut passed, mut rows) = (0, 0, 0, 0);
        for (tag, body) in messages(answer) {
            end += HEAD + body.len();
            match tag {
                b'D' => rows += 1,
                // Complete, or an empty statement.
                b'C' | b'I' if passed == number => return Some((&answer[begin..end], rows)),
                b'C' | b'I' => (begin, passed, rows) = (end, passed + 1, 0),
                _ => {}
            }
        }
        None
    }

    #[inline]
    fn next_row<'a>(&self, answer: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        let mut end = 0;
        for (tag, body) in messages(answer) {
            end += HEAD + body.len();
            if tag == b'D' {
                return Some((body, &answer[end..]));
            }
        }
        None
    }

    #[inline]
    fn column<'a>(&self, row: &'a [u8], column: usize) -> Option<&'a [u8]> {
        let (count, mut rest) = row.split_first_chunk()?;
        if column >= usize::from(u16::from_be_bytes(*count)) {
            return None;
        }
        for _ in 0..column {
            let (length, behind) = rest.split_first_chunk()?;
            rest = behind.get(i32::from_be_bytes(*length).max(0) as usize..)?;
        }
        let (length, value) = rest.split_first_chunk()?;
        value.get(..usize::try_from(i32::from_be_bytes(*length)).ok()?)
    }

    #[inline]
    fn int(&self, bytes: &[u8]) -> Option<i64> {
        match bytes.len() {
            2 => Some(i64::from(i16::from_be_bytes(bytes.try_into().ok()?))),
            4 => Some(i64::from(i32::from_be_bytes(bytes.try_into().ok()?))),
            8 => Some(i64::from_be_bytes(bytes.try_into().ok()?)),
            _ => None,
        }
    }

    fn float8(&self, bytes: &[u8]) -> Option<f64> {
        Some(f64::from_be_bytes(bytes.try_into().ok()?))
    }
}

/// Tag and length.
pub(super) const HEAD: usize = 5;

/// Tag and body of each complete message.
#[inline]
pub(super) fn messages(mut bytes: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    std::iter::from_fn(move || {
        let head: &[u8; HEAD] = bytes.first_chunk()?;
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        let body = bytes.get(HEAD..1 + length)?;
        bytes = &bytes[1 + length..];
        Some((head[0], body))
    })
}

/// The number that a command's tag ends with (`UPDATE 3`, `INSERT 0 1`, `SELECT 5`); 0 where it has none.
fn number_at_end(tag: &[u8]) -> u64 {
    let mut number = 0;
    let mut scale = 1;
    for &byte in tag.iter().rev().skip_while(|byte| **byte == 0) {
        if !byte.is_ascii_digit() {
            break;
        }
        number += u64::from(byte - b'0') * scale;
        scale = scale.saturating_mul(10);
    }
    number
}

#[cfg(test)]
mod tests {
    use super::super::tests::message;
    use narrows_layer_database::Answer;

    use super::*;

    fn row(columns: &[Option<&[u8]>]) -> Vec<u8> {
        let mut body = (columns.len() as u16).to_be_bytes().to_vec();
        for column in columns {
            body.extend(column.map_or(-1, |bytes| bytes.len() as i32).to_be_bytes());
            body.extend(column.unwrap_or_default());
        }
        message(b'D', &body)
    }

    #[test]
    fn columns_are_read_by_their_types_and_null_is_none() {
        let bytes = row(&[
            Some(&[0xff, 0xff]),
            None,
            Some(&7i32.to_be_bytes()),
            Some(&i64::MIN.to_be_bytes()),
            Some(&0.25f64.to_be_bytes()),
            Some("né".as_bytes()),
        ]);
        let row = Answer::new(&bytes, 1, &Messages).row(0).unwrap();
        assert_eq!([0, 1, 2, 3].map(|n| row.int(n)), [Some(-1), None, Some(7), Some(i64::MIN)]);
        assert_eq!((row.float8(4), row.text(5)), (Some(0.25), Some("né")));
        assert_eq!((row.bytes(1), row.bytes(6), row.int(5)), (None, None, None));
        assert!(Answer::new(&bytes, 1, &Messages).row(1).is_none());
    }

    #[test]
    fn a_step_of_several_statements_has_the_answer_of_each() {
        let bytes = [
            message(b'2', b""),
            message(b'C', b"BEGIN\0"),
            message(b'N', b"SNOTICE\0\0"),
            message(b'2', b""),
            row(&[Some(&[0, 1])]),
            row(&[Some(&[0, 2])]),
            message(b'C', b"SELECT 2\0"),
            message(b'2', b""),
            message(b'C', b"INSERT 0 1203\0"),
            message(b'Z', b"T"),
        ]
        .concat();
        let answer = Answer::new(&bytes, 2, &Messages);
        let parts: Vec<(u32, u64)> = (0..3)
            .map(|n| answer.statement(n).unwrap())
            .map(|a| (a.rows(), a.affected()))
            .collect();
        assert_eq!(parts, [(0, 0), (2, 2), (0, 1203)]);
        assert!(answer.statement(3).is_none());
        let second = answer.statement(1).unwrap();
        assert_eq!(second.row(1).unwrap().int(0), Some(2));
        assert_eq!(answer.affected(), 1203);
    }

    #[test]
    fn rows_that_say_to_be_longer_than_they_are_have_no_columns() {
        for body in
            [&[][..], &[0], &[0, 1], &[0, 1, 0, 0, 0, 9, 1], &[0, 2, 0x7f, 0xff, 0xff, 0xff]]
        {
            let bytes = message(b'D', body);
            let row = Answer::new(&bytes, 1, &Messages).row(0).unwrap();
            assert_eq!((row.bytes(0), row.bytes(1)), (None, None), "{body:?}");
        }
    }
}
