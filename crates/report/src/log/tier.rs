//! The log tier: the database with its log on the first place and on another one, as a feature that is off and on.

use narrows_model::{Comparison, PlacedDatabase, Placement, Validity};
use narrows_units::significant;

use crate::document::{Cell, Column, Row, Table};
use crate::print::{rate, time};

/// One for each other place on which the database itself ran; none where the first is invalid or was not measured.
pub(crate) fn tiers(comparison: &Comparison) -> Vec<Table> {
    let Some((first, others)) = comparison.placements.split_first() else { return Vec::new() };
    let Some(off) = measured(first) else { return Vec::new() };
    others.iter().filter_map(|place| Some(tier((first, off), (place, measured(place)?)))).collect()
}

fn measured(place: &Placement) -> Option<&PlacedDatabase> {
    place.measured.as_ref().filter(|_| place.validity != Validity::Invalid)
}

fn tier(
    (first, off): (&Placement, &PlacedDatabase),
    (place, on): (&Placement, &PlacedDatabase),
) -> Table {
    let (a, b) = (off.commits.rate_per_s, on.commits.rate_per_s);
    let more = if a > 0.0 { format!("× {}", significant(b / a, 3)) } else { "-".to_string() };
    let row = |cells: [String; 4]| Row::Cells(cells.map(Cell::from).to_vec(), Vec::new());
    let mut rows = vec![row(["commits/s".to_string(), rate(a), rate(b), more])];
    for (name, from, to) in [
        ("log file sync", off.log_file_sync_ns, on.log_file_sync_ns),
        ("WAL flush", off.flush_ns, on.flush_ns),
        ("p99 of an operation", off.latency_p99_ns, on.latency_p99_ns),
    ] {
        let cell = |ns: Option<f64>| ns.map_or_else(|| "-".to_string(), time);
        rows.push(row([name.to_string(), cell(from), cell(to), change(from, to)]));
    }
    let columns = vec![
        Column::name("", 0),
        Column::figure(first.name.as_str(), 38),
        Column::figure(place.name.as_str(), 54),
        Column::figure("by the figures", 72),
    ];
    Table { rows, ..Table::new(columns).titled("LOG TIER") }
}

/// `× 5.54 faster`.
fn change(from: Option<f64>, to: Option<f64>) -> String {
    match (from, to) {
        (Some(from), Some(to)) if from > 0.0 && to > from => {
            format!("× {} slower", significant(to / from, 3))
        }
        (Some(from), Some(to)) if from > 0.0 && to > 0.0 => {
            format!("× {} faster", significant(from / to, 3))
        }
        _ => "-".to_string(),
    }
}
