//! Parsing of sizes and durations as people type them. Whatever could be read two ways is refused.

use std::str::FromStr;

use crate::{Bytes, Nanos};

/// Why a quantity could not be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ParseQuantityError {
    /// Below zero.
    #[error("`{0}` is below 0")]
    Negative(String),
    /// No digits at the start.
    #[error("`{0}` does not start with a number")]
    NoNumber(String),
    /// A time without a unit.
    #[error("`{0}` needs a unit: {0}s or {0}min (one of {TIME_UNITS})")]
    NoUnit(String),
    /// A unit nobody defined.
    #[error("`{unit}` in `{input}` is not a unit known here (one of {known})")]
    UnknownUnit {
        /// What was typed.
        input: String,
        /// The part after the number.
        unit: String,
        /// What would have been understood.
        known: &'static str,
    },
    /// A unit that others use for two things.
    #[error("`{input}` may be minutes or months: write {number}min for minutes")]
    MinutesOrMonths {
        /// What was typed.
        input: String,
        /// The part before the unit.
        number: f64,
    },
    /// More than fits.
    #[error("`{0}` is too large")]
    TooLarge(String),
}

const BYTE_UNITS: &str = "B, k, kB, KiB, M, MB, MiB, G, GB, GiB, T, TB, TiB";
const TIME_UNITS: &str = "ns, us, µs, ms, s, min, h, d";

/// The number that `text`, which is `input` or its end, begins with, and what is behind it.
fn split<'a>(input: &str, text: &'a str) -> Result<(f64, &'a str), ParseQuantityError> {
    let text = text.trim();
    if text.starts_with('-') {
        return Err(ParseQuantityError::Negative(input.to_string()));
    }
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number =
        text[..end].parse().map_err(|_| ParseQuantityError::NoNumber(input.to_string()))?;
    Ok((number, text[end..].trim()))
}

fn whole(input: &str, value: f64) -> Result<u64, ParseQuantityError> {
    if value < u64::MAX as f64 {
        Ok(value.round() as u64)
    } else {
        Err(ParseQuantityError::TooLarge(input.to_string()))
    }
}

impl FromStr for Bytes {
    type Err = ParseQuantityError;

    /// `k`, `M`, `G`, `T` are powers of 1000, with `i` powers of 1024; case of the `B` matters to nobody.
    fn from_str(input: &str) -> Result<Self, Self::Err> {
        let (number, unit) = split(input, input)?;
        let scale: f64 = match unit.to_ascii_lowercase().trim_end_matches('b') {
            "" => 1.0,
            "k" => 1e3,
            "m" => 1e6,
            "g" => 1e9,
            "t" => 1e12,
            "ki" => 1024.0,
            "mi" => 1024f64.powi(2),
            "gi" => 1024f64.powi(3),
            "ti" => 1024f64.powi(4),
            _ => {
                return Err(ParseQuantityError::UnknownUnit {
                    input: input.to_string(),
                    unit: unit.to_string(),
                    known: BYTE_UNITS,
                });
            }
        };
        whole(input, number * scale).map(Bytes)
    }
}

impl FromStr for Nanos {
    type Err = ParseQuantityError;

    /// A number with a unit, `m` as `min`, or several of them, `1h30m`; a bare number is refused because seconds and milliseconds
    /// are both customary.
    fn from_str(input: &str) -> Result<Self, Self::Err> {
        let (mut sum, mut rest) = (0.0, input.trim());
        loop {
            let (number, behind) = split(input, rest)?;
            let end = behind.find(|c: char| c.is_ascii_digit()).unwrap_or(behind.len());
            sum += number * nanos_of(input, number, behind[..end].trim())?;
            rest = &behind[end..];
            if rest.is_empty() {
                return whole(input, sum).map(Nanos);
            }
        }
    }
}

/// Nanoseconds of a unit, as `number` has it in `input`.
fn nanos_of(input: &str, number: f64, unit: &str) -> Result<f64, ParseQuantityError> {
    Ok(match unit {
        "ns" => 1.0,
        "us" | "µs" | "μs" => 1e3,
        "ms" => 1e6,
        "s" | "sec" | "secs" | "second" | "seconds" => 1e9,
        "min" | "m" | "mins" | "minute" | "minutes" => 60e9,
        "h" | "hr" | "hrs" | "hour" | "hours" => 3600e9,
        "d" | "day" | "days" => 86_400e9,
        "M" => {
            return Err(ParseQuantityError::MinutesOrMonths { input: input.to_string(), number });
        }
        "" => return Err(ParseQuantityError::NoUnit(input.trim().to_string())),
        _ => {
            return Err(ParseQuantityError::UnknownUnit {
                input: input.to_string(),
                unit: unit.to_string(),
                known: TIME_UNITS,
            });
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_and_binary_prefixes_differ() {
        assert_eq!("4k".parse(), Ok(Bytes(4000)));
        assert_eq!("4KiB".parse(), Ok(Bytes(4096)));
        assert_eq!("1.5 MiB".parse(), Ok(Bytes(1_572_864)));
        assert_eq!("8192".parse(), Ok(Bytes(8192)));
    }

    #[test]
    fn what_could_mean_two_things_is_refused() {
        assert!("4x".parse::<Bytes>().is_err());
        assert!("".parse::<Bytes>().is_err());
        assert!("-4k".parse::<Bytes>().is_err());
        assert!("30".parse::<Nanos>().unwrap_err().to_string().contains("min"));
        assert!("99999999999999T".parse::<Bytes>().is_err());
        assert!("30".parse::<Nanos>().unwrap_err().to_string().contains("30s or 30min"));
        assert_eq!("2min".parse(), Ok(Nanos(120_000_000_000)));
        assert_eq!("10m".parse(), Ok(Nanos(600_000_000_000)));
    }

    #[test]
    fn times_are_taken_as_people_write_them() {
        let seconds = |text: &str| text.parse::<Nanos>().map(|time| time.0 as f64 / 1e9);
        for (text, wanted) in [
            ("1h30m", 5400.0),
            ("1h 30min", 5400.0),
            ("1min30s", 90.0),
            ("5minutes", 300.0),
            ("90sec", 90.0),
            ("90 seconds", 90.0),
            ("2hours", 7200.0),
            ("1d", 86_400.0),
            ("1.5h", 5400.0),
            ("500μs", 0.0005),
        ] {
            assert_eq!(seconds(text), Ok(wanted), "{text}");
        }
        let refused = |text: &str| text.parse::<Nanos>().unwrap_err().to_string();
        assert_eq!(refused("5M"), "`5M` may be minutes or months: write 5min for minutes");
        assert_eq!(refused("-5s"), "`-5s` is below 0");
        assert!(refused("1h30").contains("`1h30` needs a unit"), "{}", refused("1h30"));
        for text in ["1w", "5months", "1h-30m", "h", "1,5h", "1h30.5.5m"] {
            assert!(text.parse::<Nanos>().is_err(), "{text}");
        }
    }
}
