//! Parsing of sizes and durations as people type them. Whatever could be read two ways is refused.

use std::str::FromStr;

use crate::{Bytes, Nanos};

/// Why a quantity could not be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ParseQuantityError {
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
    /// More than fits.
    #[error("`{0}` is too large")]
    TooLarge(String),
}

const BYTE_UNITS: &str = "B, k, kB, KiB, M, MB, MiB, G, GB, GiB, T, TB, TiB";
const TIME_UNITS: &str = "ns, us, µs, ms, s, min, h";

fn split(input: &str) -> Result<(f64, &str), ParseQuantityError> {
    let text = input.trim();
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
        let (number, unit) = split(input)?;
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

    /// A number with a unit, `m` as `min`; a bare number is refused because seconds and milliseconds are both customary.
    fn from_str(input: &str) -> Result<Self, Self::Err> {
        let (number, unit) = split(input)?;
        let scale = match unit {
            "ns" => 1.0,
            "us" | "µs" => 1e3,
            "ms" => 1e6,
            "s" => 1e9,
            "min" | "m" => 60e9,
            "h" => 3600e9,
            "" => return Err(ParseQuantityError::NoUnit(input.trim().to_string())),
            _ => {
                return Err(ParseQuantityError::UnknownUnit {
                    input: input.to_string(),
                    unit: unit.to_string(),
                    known: TIME_UNITS,
                });
            }
        };
        whole(input, number * scale).map(Nanos)
    }
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
}
