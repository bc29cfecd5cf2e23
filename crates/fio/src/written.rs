//! Numbers as they are written, and what to do where fio takes them for something else.
//!
//! The decision, in one place. `4kib`, which fio takes as 4000 bytes: files count on it and fio's manual says it, so the
//! same with a warning. A blank after `=`, which makes fio drop the unit: nobody can mean that, so as written with a
//! warning. Everything else (a fraction cut at its dot, a unit fio doesn't know, hexadecimal with a unit, arithmetic
//! that binds otherwise): fio ran something that nobody asked for, so the file stops and says what fio makes of it.

use crate::arithmetic;
use crate::grammar::is_space;
use crate::number::{KbBase, bytes_as_fio, time_as_fio};
use crate::problem::{SettingTreatment, Wrong};

/// A number, and what is to be said about it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Read<T> {
    pub value: T,
    pub remark: Option<(SettingTreatment, String)>,
}

/// A size: bytes, or a share of the file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Size {
    Count(u64),
    Percent(u64),
}

impl Size {
    /// In fio's own coding.
    fn coded(self) -> i128 {
        match self {
            Size::Count(count) => i128::from(count),
            Size::Percent(percent) => -1 - i128::from(percent),
        }
    }
}

/// What a number counts; only for what is said about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counts {
    Bytes,
    Things,
}

/// A count or a size.
pub(crate) fn size(raw: &str, base: KbBase, counts: Counts) -> Result<Read<Size>, Wrong> {
    let text = raw.trim_matches(is_space);
    let fio = bytes_as_fio(raw, base);
    let meant = strict_size(text, base);
    let told = |value: i64| match value {
        percent if (-101..=-1).contains(&percent) && raw.contains('%') => {
            format!("{} %", -1 - percent)
        }
        1 if counts == Counts::Bytes => "1 byte".into(),
        value if counts == Counts::Bytes => format!("{value} bytes"),
        value => value.to_string(),
    };
    match (fio, meant) {
        (Some(fio), Some(meant)) if i128::from(fio) == meant.coded() => {
            Ok(Read { value: meant, remark: None })
        }
        (Some(fio), Some(Size::Count(meant)))
            if is_kib(text) && bytes_as_fio(text, base) == Some(fio) =>
        {
            let value = u64::try_from(fio).map_err(|_| too_large(raw))?;
            let sentence = format!(
                "fio takes `{text}` as {}, not {meant}: with kb_base={} it has `k` and `kib` the \
                 wrong way around",
                told(fio),
                base.k()
            );
            Ok(Read {
                value: Size::Count(value),
                remark: Some((SettingTreatment::AsFio, sentence)),
            })
        }
        (Some(fio), Some(value))
            if bytes_as_fio(text, base).map(i128::from) == Some(value.coded()) =>
        {
            let sentence = format!("fio takes `= {text}` as {}, because of the blank", told(fio));
            Ok(Read { value, remark: Some((SettingTreatment::AsWritten, sentence)) })
        }
        (Some(fio), meant) => {
            let wrong = Wrong::misread(format!("fio takes `{raw}` as {}", told(fio)));
            Err(match meant {
                Some(Size::Count(count)) => wrong.hint(format!("write {count}")),
                Some(Size::Percent(percent)) => wrong.hint(format!("write {percent}%")),
                None => wrong.hint("write a whole number, with k, m, g, t or p where it needs one"),
            })
        }
        (None, _) => Err(no_number(raw)),
    }
}

/// A time in microseconds.
pub(crate) fn time_us(raw: &str, bare_seconds: bool) -> Result<Read<u64>, Wrong> {
    let text = raw.trim_matches(is_space);
    let fio = time_as_fio(raw, bare_seconds);
    let meant = strict_time_us(text, bare_seconds);
    match (fio, meant) {
        (Some(fio), Some(meant)) if fio >= 0 && fio as f64 == meant => {
            Ok(Read { value: fio as u64, remark: None })
        }
        (Some(fio), Some(meant))
            if time_as_fio(text, bare_seconds) == Some(meant as i64) && meant.fract() == 0.0 =>
        {
            let sentence =
                format!("fio takes `= {text}` as {}, because of the blank", told_us(fio));
            Ok(Read { value: meant as u64, remark: Some((SettingTreatment::AsWritten, sentence)) })
        }
        (Some(fio), meant) => {
            let wrong = Wrong::misread(format!("fio takes `{raw}` as {}", told_us(fio)));
            Err(match meant {
                Some(us) if us >= 1.0 => wrong.hint(format!("write {}", shortest(us as u64))),
                _ => wrong.hint("write a whole number with d, h, m, s, ms or us"),
            })
        }
        (None, _) => Err(no_number(raw)),
    }
}

fn no_number(raw: &str) -> Wrong {
    Wrong::value(format!("`{raw}` is not a number that fio accepts"))
}

fn too_large(raw: &str) -> Wrong {
    Wrong::value(format!("`{raw}` is out of range"))
}

fn told_us(us: i64) -> String {
    if us >= 0 { shortest(us as u64) } else { format!("{us} us") }
}

/// In the largest unit that divides it.
fn shortest(us: u64) -> String {
    let units = [(86_400_000_000, "d"), (3_600_000_000, "h"), (60_000_000, "m"), (1_000_000, "s")];
    let units = units.into_iter().chain([(1000, "ms"), (1, "us")]);
    let fitting = units.into_iter().find(|(factor, _)| us > 0 && us.is_multiple_of(*factor));
    match fitting {
        Some((factor, unit)) => format!("{}{unit}", us / factor),
        None => "0".into(),
    }
}

fn is_kib(text: &str) -> bool {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit()).to_ascii_lowercase();
    let mut letters = unit.chars();
    letters.next().is_some_and(|c| "kmgtp".contains(c)) && matches!(letters.as_str(), "ib" | "i")
}

/// Digits, perhaps with a fraction, then perhaps a unit; or hexadecimal; or an expression in parentheses.
fn strict_size(text: &str, base: KbBase) -> Option<Size> {
    if text.starts_with('(') {
        return whole(arithmetic::as_written(text, false, 1.0)?).map(Size::Count);
    }
    let (number, unit) = split_unit(text)?;
    if unit == "%" {
        return whole(number.value()?).map(Size::Percent);
    }
    let mut letters = unit.chars();
    let power = match letters.next() {
        None => 0,
        Some(first) => "kmgtp".find(first)? as u32 + 1,
    };
    let factor = match letters.as_str() {
        "" | "b" => base.k(),
        "i" | "ib" => 1024,
        _ => return None,
    }
    .pow(power);
    let count = match number {
        // Exact beyond a float's 53 bits; seeds are that long.
        Number::Whole(number) => number.checked_mul(factor)?,
        Number::Fraction(number) => whole(number * factor as f64)?,
    };
    Some(Size::Count(count))
}

fn strict_time_us(text: &str, bare_seconds: bool) -> Option<f64> {
    if text.starts_with('(') {
        return arithmetic::as_written(text, true, if bare_seconds { 1e6 } else { 1.0 });
    }
    let (number, unit) = split_unit(text)?;
    let factor = match unit.as_str() {
        "" if bare_seconds => 1e6,
        "" | "us" | "usec" | "usecs" => 1.0,
        "ms" | "msec" | "msecs" => 1e3,
        "s" | "sec" | "secs" | "second" | "seconds" => 1e6,
        "m" | "min" | "mins" | "minute" | "minutes" => 60e6,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3_600e6,
        "d" | "day" | "days" => 86_400e6,
        _ => return None,
    };
    Some(number.value()? * factor)
}

/// Digits, with or without a fraction.
enum Number {
    Whole(u64),
    Fraction(f64),
}

impl Number {
    fn value(&self) -> Option<f64> {
        match self {
            Number::Whole(number) if *number < 1 << 53 => Some(*number as f64),
            Number::Whole(_) => None,
            Number::Fraction(number) => Some(*number),
        }
    }
}

/// The number and the unit in lower case, a blank between them allowed.
fn split_unit(text: &str) -> Option<(Number, String)> {
    let unsigned = text.strip_prefix('+').unwrap_or(text);
    let lower = unsigned.to_ascii_lowercase();
    if let Some(digits) = lower.strip_prefix("0x") {
        let end = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
        let number = Number::Whole(u64::from_str_radix(&digits[..end], 16).ok()?);
        return Some((number, digits[end..].trim_start_matches(is_space).to_string()));
    }
    let end = lower.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(lower.len());
    let digits = &lower[..end];
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let number = match digits.contains('.') {
        true => Number::Fraction(digits.parse().ok()?),
        false => Number::Whole(digits.parse().ok()?),
    };
    Some((number, lower[end..].trim_start_matches(is_space).to_string()))
}

/// Exact in a float's 53 bits; nobody's size is larger.
fn whole(value: f64) -> Option<u64> {
    (value >= 0.0 && value.fract() == 0.0 && value < 9.1e15).then_some(value as u64)
}
