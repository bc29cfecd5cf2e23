//! Patterns: `verify_pattern` and `buffer_pattern`.

use std::ops::Range;

/// A part of a pattern, as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternPart {
    /// These bytes.
    Bytes(Vec<u8>),
    /// What a file holds: whoever runs the job reads it.
    File(String),
    /// The place, 8 bytes, little-endian.
    Offset,
}

/// Bytes of the place in a pattern.
const OFFSET_BYTES: usize = 8;
/// The longest pattern, bytes.
const LONGEST: usize = 1 << 20;

/// A pattern whose files were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    bytes: Vec<u8>,
    /// Where in it the place stands.
    offsets: Vec<usize>,
    /// It starts anew after so many bytes of a block; 0: never.
    interval_bytes: usize,
}

impl Pattern {
    /// From its parts, with the files that `read` finds.
    ///
    /// # Errors
    /// A file that can't be read, and a pattern that is empty or longer than 1 MiB.
    pub fn of(
        parts: &[PatternPart],
        interval_bytes: u32,
        read: impl Fn(&str) -> Result<Vec<u8>, String>,
    ) -> Result<Pattern, String> {
        let (mut bytes, mut offsets) = (Vec::new(), Vec::new());
        for part in parts {
            match part {
                PatternPart::Bytes(more) => bytes.extend_from_slice(more),
                PatternPart::File(name) => bytes.extend(read(name)?),
                PatternPart::Offset => {
                    offsets.push(bytes.len());
                    bytes.extend_from_slice(&[0; OFFSET_BYTES]);
                }
            }
        }
        match bytes.len() {
            0 => Err("the pattern is empty".to_string()),
            1..=LONGEST => Ok(Pattern { bytes, offsets, interval_bytes: interval_bytes as usize }),
            long => Err(format!("the pattern has {long} bytes, and at most {LONGEST} are done")),
        }
    }

    /// Fills a block that is written at byte `offset` of the file.
    pub fn fill(&self, block: &mut [u8], offset: u64) {
        let interval = self.interval(block.len());
        for (at, part) in (offset..).step_by(interval).zip(block.chunks_mut(interval)) {
            let pattern = self.at(at);
            for repeat in part.chunks_mut(pattern.len()) {
                repeat.copy_from_slice(&pattern[..repeat.len()]);
            }
        }
    }

    /// The first byte in `range` of a block read from byte `offset` that differs, and what it had to be.
    pub(super) fn first_difference(
        &self,
        block: &[u8],
        range: Range<usize>,
        offset: u64,
    ) -> Option<(usize, u8)> {
        let interval = self.interval(block.len());
        let (mut from, end) = (range.start, range.end.min(block.len()));
        while from < end {
            let begin = from / interval * interval;
            let until = (begin + interval).min(end);
            let pattern = self.at(offset + begin as u64);
            let expected = pattern.iter().cycle().skip((from - begin) % pattern.len());
            let found = (from..until).zip(&block[from..until]).zip(expected);
            for ((at, found), expected) in found {
                if found != expected {
                    return Some((at, *expected));
                }
            }
            from = until;
        }
        None
    }

    fn interval(&self, block_bytes: usize) -> usize {
        let all = block_bytes.max(1);
        if self.interval_bytes == 0 { all } else { self.interval_bytes.min(all) }
    }

    /// With the place put in.
    fn at(&self, offset: u64) -> std::borrow::Cow<'_, [u8]> {
        if self.offsets.is_empty() {
            return self.bytes.as_slice().into();
        }
        let mut bytes = self.bytes.clone();
        for at in &self.offsets {
            bytes[*at..*at + OFFSET_BYTES].copy_from_slice(&offset.to_le_bytes());
        }
        bytes.into()
    }
}

/// Takes a pattern apart: `"text"`, `'file'`, `0x…`, a number, and where `with_offset` says so `%o`, one after the other.
///
/// # Errors
/// What is none of these.
pub fn parse(text: &str, with_offset: bool) -> Result<Vec<PatternPart>, String> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (part, after) = next(rest, with_offset)?;
        parts.push(part);
        rest = after;
    }
    if parts.is_empty() { Err("a pattern is missing".to_string()) } else { Ok(parts) }
}

fn next(text: &str, with_offset: bool) -> Result<(PatternPart, &str), String> {
    if let Some(after) = text.strip_prefix('"') {
        let (inside, rest) =
            after.split_once('"').ok_or_else(|| format!("`{text}` has no closing `\"`"))?;
        return Ok((PatternPart::Bytes(inside.as_bytes().to_vec()), rest));
    }
    if let Some(after) = text.strip_prefix('\'') {
        let (inside, rest) =
            after.split_once('\'').ok_or_else(|| format!("`{text}` has no closing `'`"))?;
        return Ok((PatternPart::File(inside.to_string()), rest));
    }
    if let Some(rest) = text.strip_prefix("%o").filter(|_| with_offset) {
        return Ok((PatternPart::Offset, rest));
    }
    if let Some(after) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        let end = after.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(after.len());
        // Of 0xff0x14 the second 0 belongs to the second number.
        let next_follows = after[end..].starts_with(['x', 'X']) && after[..end].ends_with('0');
        let end = end - usize::from(next_follows);
        let (digits, rest) = after.split_at(end);
        return Ok((PatternPart::Bytes(hexadecimal(digits)?), rest));
    }
    let sign = usize::from(text.starts_with(['-', '+']));
    let digits = text[sign..].find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len() - sign);
    // The 0 before an x belongs to what follows.
    let hexadecimal_follows = text[sign + digits..].starts_with(['x', 'X']);
    let digits = digits.saturating_sub(usize::from(hexadecimal_follows));
    if digits == 0 {
        return Err(format!("`{text}` is neither \"text\", 'file', 0x and digits, nor a number"));
    }
    let (number, rest) = text.split_at(sign + digits);
    Ok((PatternPart::Bytes(decimal(number)?), rest))
}

/// Bytes as they are written; of an odd number of digits the first stands alone.
fn hexadecimal(digits: &str) -> Result<Vec<u8>, String> {
    if digits.is_empty() {
        return Err("0x without digits is no pattern".to_string());
    }
    let (first, pairs) = digits.split_at(digits.len() % 2);
    let first = (!first.is_empty()).then_some(first);
    let pairs = (0..pairs.len()).step_by(2).map(|at| &pairs[at..at + 2]);
    let byte = |text: &str| u8::from_str_radix(text, 16).map_err(|error| error.to_string());
    first.into_iter().chain(pairs).map(byte).collect()
}

/// As few bytes as it takes, the lowest first; below zero always four.
fn decimal(text: &str) -> Result<Vec<u8>, String> {
    let number: i32 =
        text.parse().map_err(|_| format!("`{text}` is no number of 32 bits; write it as 0x…"))?;
    let bytes = number.to_le_bytes();
    let used = if number < 0 { 4 } else { (4 - number.leading_zeros() as usize / 8).max(1) };
    Ok(bytes[..used].to_vec())
}
