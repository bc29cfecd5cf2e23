//! What a step of an operation sends: one or several prepared statements with their values, in binary, straight into
//! the session's send buffer (PostgreSQL documentation, "Message Formats"; binary forms as in the server's `send`
//! and `recv` functions of each type).

use narrows_layer_database::{Encode, Value};

/// Object identifier of `bigint` (`pg_type.dat`).
const INT8_OID: i32 = 20;
/// Execute of the unnamed portal, all rows.
const EXECUTE: &[u8] = b"E\0\0\0\x09\0\0\0\0\0";
const SYNC: &[u8] = b"S\0\0\0\x04";
/// One code for all columns of the answer: binary.
const RESULTS: &[u8] = &[0, 1, 0, 1];
const BINARY: i16 = 1;

impl Encode for Outbox {
    #[inline]
    fn run(&mut self, statement: usize, values: &[Value<'_>]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&self.heads[statement]);
        self.formats(values);
        self.int2(values.len() as i16);
        for value in values {
            self.value(value);
        }
        self.bytes.extend_from_slice(RESULTS);
        let length = (self.bytes.len() - start - 1) as u32;
        self.bytes[start + 1..start + 5].copy_from_slice(&length.to_be_bytes());
        self.bytes.extend_from_slice(EXECUTE);
    }
}

impl Outbox {
    fn int2(&mut self, value: i16) {
        self.bytes.extend_from_slice(&value.to_be_bytes());
    }

    fn int4(&mut self, value: i32) {
        self.bytes.extend_from_slice(&value.to_be_bytes());
    }

    #[inline]
    fn formats(&mut self, values: &[Value<'_>]) {
        if values.iter().any(|value| matches!(value, Value::Written(_))) {
            self.int2(values.len() as i16);
            for value in values {
                self.int2(if matches!(value, Value::Written(_)) { 0 } else { BINARY });
            }
        } else {
            // One code stands for all.
            self.int2(1);
            self.int2(BINARY);
        }
    }

    #[inline]
    fn value(&mut self, value: &Value<'_>) {
        match *value {
            Value::Int2(v) => self.sized(&v.to_be_bytes()),
            Value::Int4(v) => self.sized(&v.to_be_bytes()),
            Value::Int8(v) => self.sized(&v.to_be_bytes()),
            Value::Float8(v) => self.sized(&v.to_be_bytes()),
            Value::Text(v) | Value::Written(v) => self.sized(v.as_bytes()),
            Value::Int8s(v) => self.array(v),
            Value::Null => self.int4(-1),
        }
    }

    #[inline]
    fn sized(&mut self, bytes: &[u8]) {
        self.int4(bytes.len() as i32);
        self.bytes.extend_from_slice(bytes);
    }

    /// One dimension from 1 on, no NULL among the elements; an empty one has no dimension.
    fn array(&mut self, values: &[i64]) {
        if values.is_empty() {
            return [12, 0, 0, INT8_OID].into_iter().for_each(|word| self.int4(word));
        }
        let count = values.len() as i32;
        for word in [20 + 12 * count, 1, 0, INT8_OID, count, 1] {
            self.int4(word);
        }
        for value in values {
            self.sized(&value.to_be_bytes());
        }
    }
}

/// The prepared statements of a session, and the buffer their requests are written into.
pub(super) struct Outbox {
    heads: Box<[Box<[u8]>]>,
    bytes: Vec<u8>,
}

impl Outbox {
    /// For as many statements, named by [`name`].
    pub(super) fn new(statements: usize) -> Outbox {
        Outbox { heads: (0..statements).map(head).collect(), bytes: Vec::with_capacity(512) }
    }

    /// A step anew. Nothing written is nothing to send.
    #[inline]
    pub(super) fn anew(&mut self) -> &mut Outbox {
        self.bytes.clear();
        self
    }

    /// The step, complete. What was complete stays as it is.
    #[inline]
    pub(super) fn complete(&mut self) -> &[u8] {
        if !self.bytes.is_empty() && !self.bytes.ends_with(SYNC) {
            self.bytes.extend_from_slice(SYNC);
        }
        &self.bytes
    }

    /// Whether nothing was written.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

/// Name of a session's prepared statement.
pub(super) fn name(statement: usize) -> String {
    format!("n{statement}")
}

/// Bind with room for its length, the unnamed portal, the statement's name.
fn head(statement: usize) -> Box<[u8]> {
    [b"B\0\0\0\0\0", name(statement).as_bytes(), b"\0"].concat().into()
}

#[cfg(test)]
mod tests {
    use bytes::BytesMut;
    use postgres_protocol::IsNull;
    use postgres_protocol::message::frontend;

    use super::*;

    /// Bind, Execute and Sync by another's hand.
    fn by_the_library(formats: &[i16], values: &[Option<&[u8]>]) -> Vec<u8> {
        let mut bytes = BytesMut::new();
        let write = |value: &Option<&[u8]>, out: &mut BytesMut| match value {
            Some(value) => {
                out.extend_from_slice(value);
                Ok(IsNull::No)
            }
            None => Ok(IsNull::Yes),
        };
        frontend::bind("", "n0", formats.iter().copied(), values, write, [1], &mut bytes)
            .ok()
            .unwrap();
        frontend::execute("", 0, &mut bytes).unwrap();
        frontend::sync(&mut bytes);
        bytes.to_vec()
    }

    fn ours(values: &[Value<'_>]) -> Vec<u8> {
        let mut outbox = Outbox::new(1);
        outbox.anew().run(0, values);
        outbox.complete().to_vec()
    }

    #[test]
    fn a_step_has_the_bytes_that_the_library_writes() {
        let key = Value::Int8(-7);
        assert_eq!(ours(&[key]), by_the_library(&[1], &[Some(&(-7i64).to_be_bytes())]));
        let mixed = [Value::Int2(-2), Value::Text("é"), Value::Null, Value::Int4(9)];
        let bytes: [Option<&[u8]>; 4] =
            [Some(&[0xff, 0xfe]), Some("é".as_bytes()), None, Some(&[0, 0, 0, 9])];
        assert_eq!(ours(&mixed), by_the_library(&[1], &bytes));
        let written = [Value::Float8(1.5), Value::Written("12.50")];
        let bytes: [Option<&[u8]>; 2] = [Some(&1.5f64.to_be_bytes()), Some(b"12.50")];
        assert_eq!(ours(&written), by_the_library(&[1, 0], &bytes));
    }

    #[test]
    fn an_array_has_the_bytes_that_the_library_writes() {
        for keys in [&[][..], &[1, -1, i64::MAX]] {
            let mut array = BytesMut::new();
            postgres_protocol::types::array_to_sql(
                (!keys.is_empty()).then_some(postgres_protocol::types::ArrayDimension {
                    len: keys.len() as i32,
                    lower_bound: 1,
                }),
                20,
                keys.iter(),
                |key: &i64, out| {
                    out.extend_from_slice(&key.to_be_bytes());
                    Ok(IsNull::No)
                },
                &mut array,
            )
            .unwrap();
            assert_eq!(ours(&[Value::Int8s(keys)]), by_the_library(&[1], &[Some(&array)]));
        }
    }

    #[test]
    fn a_step_without_statements_is_nothing_to_send() {
        let mut outbox = Outbox::new(1);
        outbox.anew().run(0, &[]);
        assert_eq!(outbox.complete().len(), outbox.complete().len());
        assert!(!outbox.is_empty());
        outbox.anew();
        assert!(outbox.complete().is_empty() && outbox.is_empty());
    }
}
