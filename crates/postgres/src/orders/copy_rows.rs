//! Rows in the binary format of COPY (PostgreSQL documentation, "COPY", "Binary Format"; the wire form of `numeric` is
//! that of `numeric_send`: digits of base 10000).

/// Signature, flags and length of the extension area.
pub const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
/// The end of all rows.
pub const TRAILER: [u8; 2] = (-1i16).to_be_bytes();

/// Appends the fields of rows to a buffer.
pub struct Rows<'a>(pub &'a mut Vec<u8>);

impl Rows<'_> {
    /// Begins a row of that many fields.
    #[inline]
    pub fn row(&mut self, fields: u16) -> &mut Self {
        self.0.extend_from_slice(&fields.to_be_bytes());
        self
    }

    #[inline]
    fn field(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
        self.0.extend_from_slice(bytes);
        self
    }

    /// A `smallint`.
    #[inline]
    pub fn int2(&mut self, value: i16) -> &mut Self {
        self.field(&value.to_be_bytes())
    }

    /// An `int`.
    #[inline]
    pub fn int4(&mut self, value: i32) -> &mut Self {
        self.field(&value.to_be_bytes())
    }

    /// A `timestamptz`, microseconds since 2000-01-01 UTC.
    #[inline]
    pub fn time(&mut self, microseconds: i64) -> &mut Self {
        self.field(&microseconds.to_be_bytes())
    }

    /// NULL.
    #[inline]
    pub fn null(&mut self) -> &mut Self {
        self.0.extend_from_slice(&(-1i32).to_be_bytes());
        self
    }

    /// A text that `write` appends.
    #[inline]
    pub fn text(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> &mut Self {
        let at = self.0.len();
        self.0.extend_from_slice(&[0; 4]);
        write(self.0);
        let length = (self.0.len() - at - 4) as u32;
        self.0[at..at + 4].copy_from_slice(&length.to_be_bytes());
        self
    }

    /// A `numeric` with `scale` digits behind the point, at most four: 12.34 is 1234 with scale 2.
    #[inline]
    pub fn numeric(&mut self, value: i64, scale: u32) -> &mut Self {
        let unit = 10i64.pow(scale);
        let whole = value.unsigned_abs() / unit as u64;
        let fraction = value.unsigned_abs() % unit as u64 * 10u64.pow(4 - scale);
        // Up to 10^12 before the point.
        let digits = [whole / 100_000_000, whole / 10_000 % 10_000, whole % 10_000, fraction];
        let first = digits.iter().position(|digit| *digit != 0).unwrap_or(4);
        let last = digits.iter().rposition(|digit| *digit != 0).map_or(first, |at| at + 1);
        let count = last - first;
        let weight = if count == 0 { 0 } else { 2 - first as i16 };
        let sign: u16 = if value < 0 { 0x4000 } else { 0 };
        self.0.extend_from_slice(&(8 + 2 * count as u32).to_be_bytes());
        self.0.extend_from_slice(&(count as u16).to_be_bytes());
        self.0.extend_from_slice(&weight.to_be_bytes());
        self.0.extend_from_slice(&sign.to_be_bytes());
        self.0.extend_from_slice(&(scale as u16).to_be_bytes());
        for digit in &digits[first..last] {
            self.0.extend_from_slice(&(*digit as u16).to_be_bytes());
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Digits, weight, sign and scale of a field.
    fn parts(value: i64, scale: u32) -> (Vec<u16>, i16, u16, u16) {
        let mut out = Vec::new();
        Rows(&mut out).numeric(value, scale);
        let words: Vec<u16> =
            out[4..].chunks(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
        assert_eq!(out.len() - 4, u32::from_be_bytes([out[0], out[1], out[2], out[3]]) as usize);
        assert_eq!(words[0] as usize, words.len() - 4);
        (words[4..].to_vec(), words[1] as i16, words[2], words[3])
    }

    #[test]
    fn numbers_are_digits_of_base_ten_thousand() {
        assert_eq!(parts(0, 2), (vec![], 0, 0, 2));
        assert_eq!(parts(-1000, 2), (vec![10], 0, 0x4000, 2));
        assert_eq!(parts(30_000_000, 2), (vec![30], 1, 0, 2));
        assert_eq!(parts(1, 2), (vec![100], -1, 0, 2));
        assert_eq!(parts(1234, 4), (vec![1234], -1, 0, 4));
        assert_eq!(parts(123_456_789_012, 2), (vec![12, 3456, 7890, 1200], 2, 0, 2));
        assert_eq!(parts(5_000_000, 2), (vec![5], 1, 0, 2));
    }
}
