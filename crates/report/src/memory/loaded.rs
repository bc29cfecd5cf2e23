//! What others' reads do to a load's latency.

use narrows_model::{Measurement, Run, Unit, Validity, condition};
use narrows_units::significant;

use super::significant_ns;
use crate::live::{Grid, GridRow};
use crate::print::{Units, percent};
use crate::sweep::SweepView;
use crate::words::counted;

/// The prefix of the ids.
pub(crate) const PREFIX: &str = "memory.loaded.read.";

/// The table.
pub(super) fn view(run: &Run, units: Units) -> Option<SweepView> {
    let m = run.measurements.iter().find(|m| m.id.starts_with(PREFIX))?;
    if m.validity == Validity::Invalid {
        return None;
    }
    let curve = medians(m);
    let idle = curve.first()?.2;
    let most = curve.last()?.1;
    let quantity = |value: f64| units.quantity(value, Unit::BytesPerS);
    let rows = curve.iter().map(|(share, bytes_per_s, ns)| {
        let name = match *share {
            0.0 => "idle".to_string(),
            1.0 => "as fast as they can".to_string(),
            share => format!("{} of that", percent(share)),
        };
        GridRow {
            name,
            cells: vec![
                if *share == 0.0 { "-".to_string() } else { quantity(*bytes_per_s) },
                significant_ns(*ns),
                format!("× {}", significant(ns / idle, 3)),
            ],
            remark: String::new(),
        }
    });
    // The most says most, so it comes first.
    let mut rows: Vec<GridRow> = rows.collect();
    rows.reverse();
    let threads = m.number(condition::THREADS).unwrap_or(1.0) as usize;
    let grid = Grid {
        title: format!("A LOAD BESIDE READS  by {}", counted(threads, "other CPU")),
        columns: ["others read", "latency", "to idle"].map(String::from).to_vec(),
        remark: String::new(),
        rows,
    };
    let knee = m.number("knee_share").and_then(|at| curve.iter().find(|point| point.0 == at));
    let knee = knee.map(|(_, bytes, ns)| (*bytes, *ns)).map(|(bytes, ns)| {
        format!(
            "The knee, where bandwidth over latency is greatest: {} ({} of the most), {} a load.",
            quantity(bytes),
            percent(bytes / most),
            significant_ns(ns)
        )
    });
    Some(SweepView { grid, sentences: knee.into_iter().collect() })
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
