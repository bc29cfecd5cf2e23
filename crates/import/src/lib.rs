//! Results of other tools as measurements: what they measured, in the units and under the names of the run file; what they don't say stays
//! missing.
//!
//! A module for each tool or kind of tool. Nothing is computed that the tool did not count: a rate is the tool's rate, and where a tool
//! rounds a mean away, it is its total over its count.
//!
//! Pure: text in, measurements out.

#![forbid(unsafe_code)]

mod awr;
mod figures;
mod fio;
mod flushes;
mod hammerdb;
mod host;
mod iostat;
mod memory;
mod oracle_io;
mod pgbench;
mod pgbench_log;
mod sysbench;
mod sysstat;
mod vmstat;

use narrows_model::{Layer, Measurement, Metric, MetricValue, Observation};

/// What a file held.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Imported {
    /// The tool and its version, as the file says it.
    pub tool: String,
    /// When it ran, seconds since 1970, where the file says it.
    pub at_unix_s: Option<i64>,
    /// What it measured.
    pub measurements: Vec<Measurement>,
    /// What the file says of a running server, beside the first measurement.
    pub observation: Option<Observation>,
    /// What of the file was left out, in sentences.
    pub left_out: Vec<String>,
}

/// Why a text could not be imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// No tool's output that is known.
    #[error("it is no result of a tool that is known")]
    Unknown,
    /// A known tool's, and damaged or without a result.
    #[error("{tool}: {why}")]
    Nothing {
        /// Whose it seems to be.
        tool: &'static str,
        /// What is wrong.
        why: String,
    },
}

/// Reads a tool's output, whichever it is.
///
/// # Errors
/// It is none that is known, or has no result.
pub fn import(text: &str) -> Result<Imported, ImportError> {
    let known = READERS.iter().find(|(is, _)| is(text));
    known.map_or(Err(ImportError::Unknown), |(_, read)| read(text))
}

/// Whether a text is a tool's, and its reader.
type Reader = (fn(&str) -> bool, fn(&str) -> Result<Imported, ImportError>);

/// In the order in which they are asked: what has words of its own comes before what is known by its columns.
const READERS: [Reader; 13] = [
    (awr::is, awr::read),
    (figures::is, figures::read),
    (fio::is, fio::read),
    (pgbench::is, pgbench::read),
    (sysbench::is, sysbench::read),
    (hammerdb::is, hammerdb::read),
    (oracle_io::is, oracle_io::read),
    (flushes::is, flushes::read),
    (memory::is, memory::read),
    (iostat::is, iostat::read),
    (sysstat::is, sysstat::read),
    (vmstat::is, vmstat::read),
    (pgbench_log::is, pgbench_log::read),
];

fn nothing(tool: &'static str, why: impl Into<String>) -> ImportError {
    ImportError::Nothing { tool, why: why.into() }
}

/// A measurement with these values, each of one repeat; what is not finite is missing.
fn measurement(id: String, layer: Layer, values: &[(Metric, Option<f64>)]) -> Measurement {
    let mut measurement = Measurement::new(id, layer);
    measurement.repeats = 1;
    for (metric, value) in values {
        if let Some(value) = value.filter(|value| value.is_finite()) {
            measurement.metrics.push(MetricValue::new(*metric, value, None, vec![value]));
        }
    }
    measurement
}

/// A name as a part of an id: letters and digits in small, all else a `_`.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.to_lowercase().chars() {
        if c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.ends_with('_') && !slug.is_empty() {
            slug.push('_');
        }
    }
    let slug = slug.trim_end_matches('_');
    if slug.is_empty() { "unnamed".to_string() } else { slug.chars().take(60).collect() }
}

/// The number at the beginning of a text.
fn number(text: &str) -> Option<f64> {
    let text = text.trim_start();
    let ends = text
        .char_indices()
        .find(|(at, c)| !(c.is_ascii_digit() || *c == '.' || (*at == 0 && *c == '-')))
        .map_or(text.len(), |(at, _)| at);
    text[..ends].parse().ok().filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_parts_of_ids() {
        assert_eq!(slug("<builtin: TPC-B (sort of)>"), "builtin_tpc_b_sort_of");
        assert_eq!((slug("Read 8k"), slug("***")), ("read_8k".into(), "unnamed".into()));
    }

    #[test]
    fn numbers_are_read_and_nothing_else() {
        assert_eq!(
            (number("12.5 ms"), number(" 7/s"), number("-3")),
            (Some(12.5), Some(7.0), Some(-3.0))
        );
        assert_eq!((number("x"), number(""), number("1.2.3")), (None, None, None));
    }

    #[test]
    fn what_is_no_tools_output_is_refused_whatever_it_is() {
        for text in [
            "",
            "{",
            "{}",
            "[1,2]",
            "hello",
            "\u{0}\u{1}",
            "{\"jobs\": 1}",
            "tps",
            "latency average = x",
        ] {
            assert!(import(text).is_err(), "{text}");
        }
    }
}
