//! Values of `narrows db`'s options.

use narrows_runner::request::database::WorkingSet;
use narrows_units::{Nanos, ParseQuantityError};

use crate::args::block::binary_size;

/// How keys are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KeysArg {
    /// All alike.
    Uniform,
    /// By Zipf's law with this exponent.
    Zipf(f64),
    /// A share of the calls on a share of the keys.
    Hot(f64, f64),
}

/// # Errors
/// A sentence, where it is neither a size nor a percentage from 1 to 10000.
pub fn working_set(text: &str) -> Result<WorkingSet, String> {
    let Some(percent) = text.strip_suffix('%') else {
        return binary_size(text).map(WorkingSet::Bytes);
    };
    match percent.parse::<f64>() {
        Ok(percent) if (1.0..=10_000.0).contains(&percent) => {
            Ok(WorkingSet::OfPool(percent / 100.0))
        }
        _ => Err("write a size, as 64m, or a percentage of the pool from 1% to 10000%".into()),
    }
}

/// # Errors
/// A sentence, where it is no law, or its figures are out of range.
pub fn keys(text: &str) -> Result<KeysArg, String> {
    let wrong =
        || "write uniform, zipf:0.99 (0 to 5), or hot:80/20 (percent of calls/of keys)".to_string();
    if text == "uniform" {
        return Ok(KeysArg::Uniform);
    }
    if let Some(theta) = text.strip_prefix("zipf:") {
        let theta: f64 = theta.parse().map_err(|_| wrong())?;
        return (0.0..=5.0).contains(&theta).then_some(KeysArg::Zipf(theta)).ok_or_else(wrong);
    }
    let (calls, keys) =
        text.strip_prefix("hot:").and_then(|t| t.split_once('/')).ok_or_else(wrong)?;
    let share =
        |text: &str| text.parse::<f64>().map(|percent| percent / 100.0).map_err(|_| wrong());
    let (calls, keys) = (share(calls)?, share(keys)?);
    let fits = (0.0..=1.0).contains(&calls) && keys > 0.0 && keys < 1.0;
    fits.then_some(KeysArg::Hot(calls, keys)).ok_or_else(wrong)
}

/// A time a session thinks.
///
/// # Errors
/// A sentence, where it is no time, or not from 1 µs to 1 min.
pub fn think(text: &str) -> Result<Nanos, String> {
    between(text, 1_000, 60_000_000_000, "think times are from 1us to 1min")
}

/// Length of a window.
///
/// # Errors
/// A sentence, where it is no time, or not from 1 s to 10 min.
pub fn window(text: &str) -> Result<Nanos, String> {
    between(text, 1_000_000_000, 600_000_000_000, "windows are from 1s to 10min")
}

fn between(text: &str, low: u64, high: u64, otherwise: &str) -> Result<Nanos, String> {
    let time: Nanos = text.parse().map_err(|error: ParseQuantityError| error.to_string())?;
    if (low..=high).contains(&time.0) { Ok(time) } else { Err(otherwise.to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws_of_keys_are_read_and_others_refused() {
        assert_eq!(keys("uniform"), Ok(KeysArg::Uniform));
        assert_eq!(keys("zipf:0.99"), Ok(KeysArg::Zipf(0.99)));
        assert_eq!(keys("hot:80/20"), Ok(KeysArg::Hot(0.8, 0.2)));
        for text in
            ["zipf", "zipf:-1", "zipf:nan", "hot:80", "hot:101/1", "hot:50/0", "hot:5/100", ""]
        {
            assert!(keys(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_working_set_is_a_size_or_a_share_of_the_pool() {
        assert_eq!(working_set("64m"), Ok(WorkingSet::Bytes(64 << 20)));
        assert_eq!(working_set("1.5m"), Ok(WorkingSet::Bytes(3 << 19)));
        assert_eq!(working_set("50%"), Ok(WorkingSet::OfPool(0.5)));
        for text in ["0%", "x%", "1.5MB", "nan%"] {
            assert!(working_set(text).is_err(), "{text}");
        }
    }
}
