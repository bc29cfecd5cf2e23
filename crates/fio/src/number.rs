//! Integers and times exactly as fio's parser takes them, mistakes included.
//!
//! A number is the digits at the front, everything after the first character that is no unit is dropped, and a unit
//! that isn't known multiplies by one: one byte, or one microsecond. [`crate::written`] reads the same text strictly.

use crate::arithmetic;
use crate::grammar::is_space;

/// What `k` stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KbBase {
    /// `k` is 1024 and, turned around, `kib` is 1000. fio's default.
    #[default]
    Binary,
    /// `k` is 1000 and `kib` is 1024.
    Decimal,
}

impl KbBase {
    /// What `k` multiplies by.
    pub fn k(self) -> u64 {
        match self {
            KbBase::Binary => 1024,
            KbBase::Decimal => 1000,
        }
    }

    /// What fio multiplies `kib` by.
    pub(crate) fn kib_as_fio(self) -> u64 {
        match self {
            KbBase::Binary => 1000,
            KbBase::Decimal => 1024,
        }
    }
}

/// The integer fio makes of a number with a size's unit; a percentage `p` is `-1 - p`, as in fio. `None`: rejected.
pub fn bytes_as_fio(text: &str, base: KbBase) -> Option<i64> {
    if let Some(worth) = in_parentheses(text, false, 1.0) {
        return Some(worth);
    }
    let value = leading_integer(text)?;
    match size_unit(text) {
        Unit::Percent => Some((-1i64).wrapping_sub(value)),
        Unit::Power { power, swapped } => {
            let k = if swapped { base.kib_as_fio() } else { base.k() };
            Some(value.wrapping_mul(k.pow(power) as i64))
        }
    }
}

/// The microseconds fio makes of a time; `bare_seconds` says whether a number without unit is seconds.
pub fn time_as_fio(text: &str, bare_seconds: bool) -> Option<i64> {
    let bare = if bare_seconds { 1_000_000 } else { 1 };
    if let Some(worth) = in_parentheses(text, true, bare as f64) {
        // Seconds go through whole seconds on the way.
        return Some(if bare_seconds { (worth / bare).wrapping_mul(bare) } else { worth });
    }
    let value = leading_integer(text)?;
    let after = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '+' || c == '-');
    if !after.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return Some(value.wrapping_mul(bare));
    }
    let unit = after.to_ascii_lowercase();
    let factor: i64 = match unit.as_str() {
        "s" => 1_000_000,
        "m" => 60_000_000,
        "h" => 3_600_000_000,
        "d" => 86_400_000_000,
        _ if unit.starts_with("ms") => 1000,
        _ => 1,
    };
    Some(value.wrapping_mul(factor))
}

fn in_parentheses(text: &str, is_time: bool, implied: f64) -> Option<i64> {
    if !text.starts_with('(') {
        return None;
    }
    arithmetic::as_fio(text, is_time, implied).map(|worth| worth.integer)
}

/// C's `strtoll` on the front of the text, hexadecimal if `0x` stands anywhere in it.
pub(crate) fn leading_integer(text: &str) -> Option<i64> {
    let radix = if text.contains("0x") || text.contains("0X") { 16 } else { 10 };
    let text = text.trim_start_matches(is_space);
    let (negative, text) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let prefixed = text.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("0x"))
        && text[2..].starts_with(|c: char| c.is_ascii_hexdigit());
    let text = if radix == 16 && prefixed { &text[2..] } else { text };
    let end = text.find(|c: char| !c.is_digit(radix)).unwrap_or(text.len());
    if end == 0 {
        return None;
    }
    let magnitude = i128::from_str_radix(&text[..end], radix).unwrap_or(i128::MAX);
    let value = if negative { -magnitude } else { magnitude };
    if value > i128::from(i64::MAX) {
        return None;
    }
    Some(i64::try_from(value).unwrap_or(i64::MIN))
}

enum Unit {
    Percent,
    Power { power: u32, swapped: bool },
}

const NO_UNIT: Unit = Unit::Power { power: 0, swapped: false };

fn size_unit(text: &str) -> Unit {
    let mut rest = text;
    if text.len() >= 2 {
        let mut digit_seen = false;
        rest = text.trim_start_matches(|c: char| {
            let belongs = c.is_ascii_digit() || (matches!(c, '+' | '-') && !digit_seen);
            digit_seen |= c.is_ascii_digit();
            belongs
        });
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '%') {
            return NO_UNIT;
        }
    }
    let end = rest.find([':', '-', ',', '/']).unwrap_or(rest.len());
    let unit = rest[..end].to_ascii_lowercase();
    let Some(first) = unit.chars().next() else { return NO_UNIT };
    if first == '%' {
        return Unit::Percent;
    }
    match "kmgtp".find(first) {
        Some(at) => Unit::Power { power: at as u32 + 1, swapped: unit[1..].starts_with("ib") },
        None => NO_UNIT,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_as_fio_takes_them() {
        for (text, value) in [
            ("4k", 4096),
            ("4K", 4096),
            ("4kb", 4096),
            ("4ki", 4096),
            ("4kib", 4000),
            ("1.5m", 1),
            ("0x10", 16),
            ("0x10k", 16),
            ("2*8k", 2),
            (" 2k", 2),
            ("1 m", 1),
            ("16x", 16),
            ("10x", 16),
            ("5e", 5),
            ("50%", -51),
            ("-1", -1),
            ("4k-16k", 4096),
            ("(2*4)k", 8192),
            ("+7", 7),
            ("4klingons", 4096),
        ] {
            assert_eq!(bytes_as_fio(text, KbBase::Binary), Some(value), "{text}");
        }
        for text in ["", "k", "x1", "()", "9223372036854775808", "é"] {
            assert_eq!(bytes_as_fio(text, KbBase::Binary), None, "{text}");
        }
    }

    #[test]
    fn the_other_base_turns_both_around() {
        assert_eq!(bytes_as_fio("4k", KbBase::Decimal), Some(4000));
        assert_eq!(bytes_as_fio("4kib", KbBase::Decimal), Some(4096));
        assert_eq!(bytes_as_fio("4ki", KbBase::Decimal), Some(4000));
    }

    #[test]
    fn times_as_fio_takes_them() {
        for (text, value_us) in [
            ("30", 30_000_000),
            ("2s", 2_000_000),
            ("2S", 2_000_000),
            ("2sec", 2),
            ("1min", 1),
            ("5ms", 5000),
            ("5msec", 5000),
            ("5us", 5),
            ("1m", 60_000_000),
            ("1h", 3_600_000_000),
            ("1d", 86_400_000_000),
            ("1m30s", 1),
            ("1.5", 1_000_000),
            ("1.5s", 1_000_000),
            (" 1m", 1_000_000),
            ("0x10", 16),
            ("(1)", 1_000_000),
            ("(500ms)", 0),
            ("(2m)", 120_000_000),
        ] {
            assert_eq!(time_as_fio(text, true), Some(value_us), "{text}");
        }
        assert_eq!(time_as_fio("10", false), Some(10));
        assert_eq!(time_as_fio("(10ms)", false), Some(10_000));
    }
}
