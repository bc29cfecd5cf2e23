//! What others' traffic does to a load's latency.

use narrows_model::{Measurement, Run, Unit, Validity, condition};
use narrows_units::significant;

use super::{marked, significant_ns};
use crate::document::{AnnotatedTable, Row, Table};
use crate::print::{Units, percent};
use crate::words::counted;

/// The prefix of the ids; what the others do; what a table of it is called, and its column.
const LOADS: [(&str, &str, &str, &str); 2] = [
    ("memory.loaded.read.", "reads", "LATENCY BESIDE READS", "others read"),
    (
        "memory.loaded.mix_1_1.",
        "reads and writes",
        "LATENCY BESIDE READS AND WRITES",
        "others move",
    ),
];

/// What the others did, and the measurement.
pub(crate) fn usable(run: &Run) -> impl Iterator<Item = (&'static str, &Measurement)> {
    LOADS.iter().filter_map(|(prefix, what, ..)| Some((*what, of(run, prefix)?)))
}

fn of<'a>(run: &'a Run, prefix: &str) -> Option<&'a Measurement> {
    let m = run.measurements.iter().find(|m| m.id.starts_with(prefix))?;
    (m.validity != Validity::Invalid).then_some(m)
}

/// The tables.
pub(super) fn views(run: &Run, units: Units) -> impl Iterator<Item = AnnotatedTable> {
    LOADS.iter().filter_map(move |load| view(run, load, units))
}

fn view(
    run: &Run,
    (prefix, _, title, moved): &(&str, &str, &str, &str),
    units: Units,
) -> Option<AnnotatedTable> {
    let m = of(run, prefix)?;
    let mut curve = medians(m);
    let idle = curve.first()?.2;
    let most = curve.last()?.1;
    curve.sort_by(|a, b| a.1.total_cmp(&b.1));
    let quantity = |value: f64| units.quantity(value, Unit::BytesPerS);
    let rows = curve.iter().map(|(share, bytes_per_s, ns)| {
        // What was reached, and not what was asked for: a pace costs something too.
        let name = match *share {
            0.0 => "idle".to_string(),
            1.0 => "as fast as they can".to_string(),
            _ => format!("{} of that", percent(bytes_per_s / most)),
        };
        Row::figures(
            name,
            [
                if *share == 0.0 { "-".to_string() } else { quantity(*bytes_per_s) },
                marked(significant_ns(*ns), [m]),
                format!("× {}", significant(ns / idle, 3)),
            ],
            "",
        )
    });
    // The most says most, so it comes first.
    let mut rows: Vec<Row> = rows.collect();
    rows.reverse();
    let threads = m.number(condition::THREADS).unwrap_or(1.0) as usize;
    let table = Table::figures(
        format!("{title}  by {}", counted(threads, "other CPU")),
        [moved, "latency", "to idle"],
        rows,
    );
    let knee =
        m.number(condition::KNEE_SHARE).and_then(|at| curve.iter().find(|point| point.0 == at));
    let knee = knee.map(|(_, bytes, ns)| (*bytes, *ns)).map(|(bytes, ns)| {
        if bytes >= most {
            return format!(
                "Bandwidth over latency is greatest at the others' full speed: {} cannot saturate this memory.",
                match threads {
                    1 => "one CPU".to_string(),
                    n => format!("{n} CPUs"),
                }
            );
        }
        format!(
            "The knee, where bandwidth over latency is greatest: {} ({} of the most), {} per load.",
            quantity(bytes),
            percent(bytes / most),
            significant_ns(ns)
        )
    });
    Some(AnnotatedTable { table, sentences: knee.into_iter().collect() })
}

/// Share, bytes/s and ns of each point, each the median of the repeats.
pub(crate) fn medians(m: &Measurement) -> Vec<(f64, f64, f64)> {
    let of = |name: &str, at: usize| {
        let series = m.series.iter().filter(|series| series.name == name);
        let values: Vec<f64> = series.filter_map(|series| series.values.get(at).copied()).collect();
        narrows_stats::median(&values)
    };
    let Some(first) = m.series.iter().find(|series| series.name == "curve.latency") else {
        return Vec::new();
    };
    let points = first.x.iter().enumerate();
    points
        .filter_map(|(at, share)| {
            Some((*share, of("curve.bandwidth", at)?, of("curve.latency", at)?))
        })
        .collect()
}
