//! The value of a measurement as it forms, in the words that progress shows it by.
//!
//! Made between windows from what has been counted: nothing here is called while a window runs.

use std::fmt;

use narrows_units::{BytesPerSecond, Nanos, si, significant};

/// Operations of so many bytes and more are told by what they move.
const LARGE_BYTES: f64 = (128 << 10) as f64;

/// What the windows so far gave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LiveValue {
    /// Transactions per second.
    Tps(f64),
    /// Reads, writes or both per second.
    Iops(f64),
    /// Commits per second.
    Commits(f64),
    /// Other operations per second.
    PerSecond(f64),
    /// Bytes per second.
    BytesPerSecond(f64),
    /// A length of time, ns.
    Nanos(f64),
}

impl LiveValue {
    /// Of so many reads or writes per second that together move so many bytes: large ones count by their bytes.
    pub fn of_requests(per_s: f64, bytes_per_s: f64) -> LiveValue {
        if bytes_per_s >= per_s * LARGE_BYTES && bytes_per_s > 0.0 {
            LiveValue::BytesPerSecond(bytes_per_s)
        } else {
            LiveValue::Iops(per_s)
        }
    }
}

impl fmt::Display for LiveValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rate = |value: f64, unit: &str| {
            let (number, prefix) = si(value);
            format!("{number}{prefix}{unit}")
        };
        f.pad(&match *self {
            LiveValue::Tps(value) => rate(value, " tps"),
            LiveValue::Iops(value) => rate(value, " IOPS"),
            LiveValue::Commits(value) => rate(value, " commits/s"),
            LiveValue::PerSecond(value) => rate(value, "/s"),
            LiveValue::BytesPerSecond(value) => BytesPerSecond(value).to_string(),
            LiveValue::Nanos(ns) if ns < 999.5 => format!("{} ns", significant(ns, 3)),
            LiveValue::Nanos(ns) => Nanos(ns as u64).to_string(),
        })
    }
}

/// What is measured, and what its windows so far gave: `database.update, 12.1k tps so far`.
pub fn with_value(what: &str, so_far: Option<LiveValue>) -> String {
    match so_far {
        Some(value) => format!("{what}, {value} so far"),
        None => what.to_string(),
    }
}

/// The same with the number of the window that begins, counted from 0: `database.update, repeat 3 of 6, 12.1k tps so far`.
pub fn repeat_of(what: &str, repeat: u32, repeats: u32, so_far: Option<LiveValue>) -> String {
    with_value(&format!("{what}, repeat {} of {repeats}", repeat + 1), so_far)
}

/// What a search tries next, and what its last window gave: `closed loop, QD8, last window 41.2k IOPS`.
pub fn after_window(what: &str, last: Option<LiveValue>) -> String {
    match last {
        Some(value) => format!("{what}, last window {value}"),
        None => what.to_string(),
    }
}

/// The share of its windows that were over when [`repeat_of`] told this, 0 to 1; `None` of another detail.
pub fn share_done(detail: &str) -> Option<f64> {
    let (_, rest) = detail.split_once(", repeat ")?;
    let (repeat, rest) = rest.split_once(" of ")?;
    let repeats = rest.split_once(|c: char| !c.is_ascii_digit()).map_or(rest, |(number, _)| number);
    let (repeat, repeats): (u32, u32) = (repeat.parse().ok()?, repeats.parse().ok()?);
    (1..=repeats).contains(&repeat).then(|| f64::from(repeat - 1) / f64::from(repeats))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_told_as_its_field_counts_it() {
        let told = [
            (LiveValue::Tps(12_110.0), "12.1k tps"),
            (LiveValue::Iops(41_234.0), "41.2k IOPS"),
            (LiveValue::Commits(829.4), "829 commits/s"),
            (LiveValue::PerSecond(2.31e6), "2.31M/s"),
            (LiveValue::BytesPerSecond(18.4e9), "18.4 GB/s"),
            (LiveValue::Nanos(92.44), "92.4 ns"),
            (LiveValue::Nanos(512_300.0), "512 µs"),
        ];
        for (value, text) in told {
            assert_eq!(value.to_string(), text);
        }
    }

    #[test]
    fn large_requests_are_told_by_their_bytes() {
        assert_eq!(LiveValue::of_requests(1000.0, 8.192e6), LiveValue::Iops(1000.0));
        let large = LiveValue::of_requests(1000.0, 1000.0 * f64::from(1 << 20));
        assert_eq!(large, LiveValue::BytesPerSecond(1_048_576_000.0));
        assert_eq!(LiveValue::of_requests(0.0, 0.0), LiveValue::Iops(0.0));
    }

    #[test]
    fn the_first_window_has_no_value_and_the_others_what_is_there() {
        let value = Some(LiveValue::Tps(12_110.0));
        assert_eq!(repeat_of("database.update", 0, 6, None), "database.update, repeat 1 of 6");
        assert_eq!(
            repeat_of("database.update", 2, 6, value),
            "database.update, repeat 3 of 6, 12.1k tps so far"
        );
        let last = Some(LiveValue::Iops(41_234.0));
        assert_eq!(
            after_window("closed loop, QD8", last),
            "closed loop, QD8, last window 41.2k IOPS"
        );
        assert_eq!(after_window("closed loop, QD1", None), "closed loop, QD1");
    }

    #[test]
    fn how_much_is_done_is_read_where_it_was_written() {
        let value = Some(LiveValue::Tps(12_110.0));
        assert_eq!(share_done(&repeat_of("database.update", 0, 6, None)), Some(0.0));
        assert_eq!(share_done(&repeat_of("database.update", 3, 6, value)), Some(0.5));
        for other in ["a checkpoint", "x, repeat 7 of 6", "x, repeat 0 of 6", "x, repeat of 6"] {
            assert_eq!(share_done(other), None, "{other}");
        }
    }
}
