//! The log with and without whole pages, checkpoints, who wrote the data files, and every counter.

use narrows_model::Observation;
use narrows_units::significant;
use serde_json::{Value, to_value};

use super::super::escape::text;
use super::super::fills::swatch;
use super::super::svg::Picture;
use super::super::table;
use crate::observed::{Share, log_parts, written_by};
use crate::print::{Units, count, percent, time};

const FILLS: [&str; 3] = ["f0", "f1", "f2"];

/// Bars and counters; empty where nothing was counted.
pub(super) fn body(seen: &Observation, units: Units) -> String {
    let mut out = String::new();
    if let Some(parts) = log_parts(seen) {
        let value = |bytes: f64| match seen.per_s(Some(bytes)) {
            Some(per_s) => format!("{} ({})", units.bytes(bytes), units.bytes_per_s(per_s)),
            None => units.bytes(bytes),
        };
        out += &bar("what the log consisted of", &parts, value);
    }
    let begun = [
        ("their time had come", seen.counted.checkpoints_timed),
        ("the log was full, or somebody asked", seen.counted.checkpoints_requested),
    ];
    let begun: Vec<String> = begun
        .into_iter()
        .filter_map(|(why, n)| n.map(|n| format!("{} because {why}", count(n))))
        .collect();
    if !begun.is_empty() {
        out += &format!("<p>Checkpoints begun: {}.</p>", text(&begun.join(", ")));
    }
    let writers = written_by(seen);
    if !writers.is_empty() {
        out += &bar("who wrote the blocks of data files", &writers, count);
    }
    out + &counters(seen, units)
}

/// A bar of parts with what each is.
fn bar(caption: &str, parts: &[Share], value: impl Fn(f64) -> String) -> String {
    const WIDTH: f64 = 1000.0;
    let said: Vec<String> =
        parts.iter().map(|part| format!("{} {}", part.name, percent(part.share))).collect();
    let mut picture = Picture::new(WIDTH, 20.0, &format!("{caption}: {}", said.join(", ")));
    let mut x = 0.0;
    let mut legend = String::new();
    for (part, fill) in parts.iter().zip(FILLS) {
        let width = part.share * WIDTH;
        picture.bar(fill, x, 0.0, (width - 2.0).max(0.5), 20.0);
        x += width;
        legend += &format!(
            "<li>{}{} {} · {}</li>",
            swatch(fill),
            text(part.name),
            text(&value(part.value)),
            percent(part.share)
        );
    }
    format!(
        "<figure><figcaption>{}</figcaption>{}<ul class=\"legend\">{legend}</ul></figure>",
        text(caption),
        picture.finish("partbar", true)
    )
}

/// Every counter as the run file names it.
fn counters(seen: &Observation, units: Units) -> String {
    let Ok(Value::Object(counts)) = to_value(seen.counted) else { return String::new() };
    let rows: Vec<Vec<String>> = counts
        .iter()
        .filter_map(|(name, value)| Some((name, value.as_f64()?)))
        .map(|(name, total)| {
            let show = |value: f64| match name.rsplit('_').next() {
                Some("ns") => time(value),
                Some("bytes") => units.bytes(value),
                _ if value.fract() == 0.0 => count(value),
                _ => significant(value, 3),
            };
            let each = |value: Option<f64>| value.map_or_else(|| "-".to_string(), show);
            vec![
                text(&name.trim_end_matches("_ns").trim_end_matches("_bytes").replace('_', " ")),
                text(&show(total)),
                text(&each(seen.per_s(Some(total)))),
                text(&each(seen.per_transaction(Some(total)))),
            ]
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let table = table(&["counter", "in all>", "per second>", "per transaction>"], &rows);
    format!("<details><summary>All counters of the look</summary>{table}</details>")
}
