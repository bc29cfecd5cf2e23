//! Figures as they are typed, alone or as a range: `14us`, `10..20us`, `26,566/s`, `25k..28k/s`.

use narrows_cost::Range;
use narrows_units::{Bytes, Nanos};

/// Nanoseconds of a microsecond, in which all times are reckoned here.
const US_NS: f64 = 1e3;
/// More than any of these figures is.
const MOST: f64 = 1e15;

/// A figure with the text that gave it.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantity {
    /// Its value and both ends.
    pub range: Range,
    /// As it was typed.
    pub text: String,
}

/// A time, µs.
///
/// # Errors
/// A sentence that says what is wrong with it.
pub fn time_us(text: &str) -> Result<Quantity, String> {
    let one = |text: &str| {
        let ns: Nanos = text.parse().map_err(|error| format!("{error}"))?;
        Ok(ns.0 as f64 / US_NS)
    };
    ranged(text, one, "is no time, like 14us or 10..20us")
}

/// Operations per second.
///
/// # Errors
/// A sentence that says what is wrong with it.
pub fn per_s(text: &str) -> Result<Quantity, String> {
    let one = |text: &str| {
        let text = text.strip_suffix("/s").unwrap_or(text).trim();
        // Of nothing there is nothing to forecast.
        let rate = scaled(text).filter(|rate| *rate > 0.0);
        rate.ok_or("is no rate above 0, like 26566/s or 25k..28k/s".to_string())
    };
    ranged(text, one, "is no rate above 0, like 26566/s or 25k..28k/s")
}

/// A plain number.
///
/// # Errors
/// A sentence that says what is wrong with it.
pub fn number(text: &str) -> Result<Quantity, String> {
    let one = |text: &str| scaled(text).ok_or("is no number, like 16 or 8..12".to_string());
    ranged(text, one, "is no number, like 16 or 8..12")
}

/// Bytes: a letter alone (`64g`) is a power of two, as in every option of a size; `960MB` is decimal, as write-ups print it.
///
/// # Errors
/// A sentence that says what is wrong with it.
pub fn bytes(text: &str) -> Result<Quantity, String> {
    let one = |text: &str| {
        let is_letter = |unit: &str| matches!(unit, "k" | "K" | "m" | "M" | "g" | "G" | "t" | "T");
        let unit = text.trim_start_matches(is_of_a_number).trim();
        let binary = is_letter(unit).then(|| format!("{text}i"));
        let bytes: Result<Bytes, _> = binary.as_deref().unwrap_or(text).parse();
        bytes.map(|bytes| bytes.0 as f64).map_err(|error| format!("{error}"))
    };
    ranged(text, one, "is no size, like 64g or 960MB")
}

/// Bytes per second.
///
/// # Errors
/// A sentence that says what is wrong with it.
pub fn bytes_per_s(text: &str) -> Result<Quantity, String> {
    let one = |text: &str| {
        let text = text.strip_suffix("/s").unwrap_or(text);
        text.parse().map(|bytes: Bytes| bytes.0 as f64).map_err(|error| format!("{error}"))
    };
    ranged(text, one, "is no rate of bytes, like 500MB/s")
}

/// A share: `80%`, `0.8`, `70..90%`.
///
/// # Errors
/// A sentence that says what is wrong with it.
pub fn share(text: &str) -> Result<Quantity, String> {
    const WHY: &str = "is no share, like 80% or 0.8";
    let one = |text: &str| {
        let (digits, scale) = match text.strip_suffix('%') {
            Some(digits) => (digits.trim(), 100.0),
            None => (text, 1.0),
        };
        scaled(digits).map(|number| number / scale).ok_or(WHY.to_string())
    };
    let found = ranged(text, one, WHY)?;
    if found.range.high > 1.0 { Err("is more than all of it".to_string()) } else { Ok(found) }
}

/// `1.5k`, `26,566`, `3M`.
fn scaled(text: &str) -> Option<f64> {
    let text = text.trim();
    let (digits, scale) = match text.chars().last()? {
        'k' => (&text[..text.len() - 1], 1e3),
        'M' => (&text[..text.len() - 1], 1e6),
        'G' => (&text[..text.len() - 1], 1e9),
        _ => (text, 1.0),
    };
    let digits = without_commas(digits)?;
    if digits.is_empty() || !digits.chars().all(|c| c.is_ascii_digit() || c == '.') {
        return None;
    }
    digits.parse::<f64>().ok().map(|number| number * scale)
}

/// Thousands may stand apart as write-ups print them; a comma anywhere else could be a decimal one, and is refused.
fn without_commas(text: &str) -> Option<String> {
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    if whole.contains(',') {
        let right = (1..=3).contains(&first.len()) && groups.all(|group| group.len() == 3);
        if !right {
            return None;
        }
    }
    Some(whole.replace(',', "") + rest)
}

fn ranged(
    text: &str,
    one: impl Fn(&str) -> Result<f64, String>,
    why: &str,
) -> Result<Quantity, String> {
    let typed = text.trim();
    let ends = typed.split_once("..").or_else(|| typed.split_once(" to "));
    let range = match ends {
        None => Range::exact(one(typed)?),
        Some((low, high)) => {
            let (low, high) = (low.trim(), high.trim());
            // The unit stands once, behind the second.
            let unit = &high[high.find(|c: char| !is_of_a_number(c)).unwrap_or(high.len())..];
            let bare = !low.is_empty() && low.chars().all(is_of_a_number);
            let low = if bare { one(&format!("{low}{unit}"))? } else { one(low)? };
            Range::between(low, one(high)?)
        }
    };
    let known = |value: f64| value.is_finite() && (0.0..=MOST).contains(&value);
    if !known(range.low) || !known(range.high) {
        return Err(why.to_string());
    }
    if range.low > range.high {
        return Err("ends below where it begins".to_string());
    }
    Ok(Quantity { range, text: typed.to_string() })
}

fn is_of_a_number(c: char) -> bool {
    c.is_ascii_digit() || c == '.' || c == ','
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(found: Result<Quantity, String>) -> (f64, f64) {
        let range = found.unwrap_or_else(|error| panic!("{error}")).range;
        (range.low, range.high)
    }

    #[test]
    fn figures_and_ranges_are_read_with_their_units() {
        assert_eq!(ends(time_us("14us")), (14.0, 14.0));
        assert_eq!(ends(time_us("10..20us")), (10.0, 20.0));
        assert_eq!(ends(time_us("10us..1ms")), (10.0, 1000.0));
        assert_eq!(ends(time_us("10 to 20 us")), (10.0, 20.0));
        assert_eq!(ends(per_s("26,566/s")), (26_566.0, 26_566.0));
        assert_eq!(ends(per_s("25k..28k/s")), (25_000.0, 28_000.0));
        assert_eq!(ends(per_s("1.5M")), (1.5e6, 1.5e6));
        assert!(per_s("0/s").unwrap_err().contains("above 0"));
        assert_eq!(ends(number("8..12")), (8.0, 12.0));
        assert_eq!(ends(bytes("960MB")), (960e6, 960e6));
        for gib in ["64g", "64 G", "64GiB", "65536m"] {
            assert_eq!(ends(bytes(gib)).0, (64u64 << 30) as f64, "{gib}");
        }
        assert_eq!(ends(bytes("1..2k")), (1024.0, 2048.0));
        assert_eq!(ends(bytes_per_s("500MB/s")), (500e6, 500e6));
        assert_eq!(ends(share("70..90%")), (0.7, 0.9));
        assert_eq!(ends(share("0.8")), (0.8, 0.8));
    }

    #[test]
    fn what_could_mean_two_things_or_nothing_is_refused() {
        for wrong in ["14", "us", "-1us", "20..10us", "..20us", "1e9us", ""] {
            assert!(time_us(wrong).is_err(), "{wrong}");
        }
        for wrong in ["26,56/s", "x/s", "1,5k/s", "inf", "nan", "-3", "1..", ""] {
            assert!(per_s(wrong).is_err(), "{wrong}");
        }
        assert!(share("120%").unwrap_err().contains("more than all"));
        assert!(number("0x10").is_err() && bytes("12 parsecs").is_err());
    }
}
