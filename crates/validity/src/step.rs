//! Did the figure step down to a level line? That is how it looks when credits are spent, a cache is full, or somebody
//! sets a limit: fast, then slower, and then the same all the time.
//!
//! A trend test misses it where most windows lie on one side of the step. Three conditions together: Pettitt's test says
//! that the change is not chance, its size says that it matters, and how level the figure is behind it tells a limit from
//! a disturbance, which leaves a ragged line. What was done before the step tells credits and caches from other limits: they are used up by
//! operations or bytes, and not by time. Warm-ups and what came between windows are not in it.

use narrows_model::{Measurement, Series, Unit, condition};
use narrows_stats::change;
use narrows_units::{Bytes, Ratio, significant};

use crate::quantity::headline;

/// A level line has at least this many slices: two are level by chance.
const LEVEL_SLICES: usize = 5;

pub(crate) fn evidence(m: &Measurement, p: f64, share: f64, level: f64) -> Option<String> {
    let metric = headline(m)?;
    let name = metric.name.replace('_', " ");
    let mut windows: Vec<&Series> =
        m.series.iter().filter(|s| s.name == metric.name && s.interval_ns > 0).collect();
    windows.sort_by_key(|series| series.repeat);
    let show = |found: Fall, place: String, before: &[(&Series, usize)]| {
        format!(
            "{name} falls by {} in one step {place}{}, from {} to {} per second, and stays level within ±{}, p < {p}",
            Ratio(found.share),
            after(m, metric.unit, before),
            significant(found.before, 3),
            significant(found.after, 3),
            Ratio(found.level),
        )
    };
    for (number, series) in windows.iter().enumerate() {
        if let Some(found) = fall(&series.values, p, share, level) {
            let after_s = found.at as f64 * series.interval_ns as f64 / 1e9;
            let place = format!("{} s into window {}", significant(after_s, 2), series.repeat + 1);
            let mut before = whole(&windows[..number]);
            before.push((*series, found.at));
            return Some(show(found, place, &before));
        }
    }
    // Windows one after the other, in the order in which they were measured: the step may lie between two of them, and
    // a short window alone has too few slices to say.
    let all: Vec<f64> = windows.iter().flat_map(|series| series.values.iter().copied()).collect();
    let found = fall(&all, p, share, level)?;
    let mut passed = 0;
    let window = windows.iter().position(|series| {
        passed += series.values.len();
        found.at < passed
    })?;
    let place = format!("in or before window {} of {}", window + 1, windows.len());
    let mut before = whole(&windows[..window]);
    let rest = found.at + windows[window].values.len() - passed;
    before.push((windows[window], rest));
    Some(show(found, place, &before))
}

/// Windows with all of their slices.
fn whole<'a>(windows: &[&'a Series]) -> Vec<(&'a Series, usize)> {
    windows.iter().map(|series| (*series, series.values.len())).collect()
}

/// `, after 1.20M operations (9.83 GB)`: what these slices of windows did.
fn after(m: &Measurement, unit: Unit, before: &[(&Series, usize)]) -> String {
    let each = before.iter().map(|(series, slices)| {
        let sum: f64 = series.values.iter().take(*slices).sum();
        sum * series.interval_ns as f64 / 1e9
    });
    let done: f64 = each.sum();
    match unit {
        Unit::OpsPerS => {
            let of_block = m.number(condition::BLOCK_BYTES).map(|bytes| done * bytes);
            let bytes = of_block.map(|bytes| format!(" ({})", Bytes(bytes as u64)));
            format!(", after {} operations{}", significant(done, 3), bytes.unwrap_or_default())
        }
        Unit::BytesPerS => format!(", after {}", Bytes(done as u64)),
        _ => String::new(),
    }
}

/// A step that counts.
struct Fall {
    at: usize,
    before: f64,
    after: f64,
    share: f64,
    level: f64,
}

fn fall(values: &[f64], p: f64, share: f64, level: f64) -> Option<Fall> {
    let step = change::step(values)?;
    let fell = 1.0 - step.after / step.before;
    let counts = step.p_value < p
        && fell > share
        && step.spread_after <= level
        && values.len() - step.at >= LEVEL_SLICES;
    counts.then_some(Fall {
        at: step.at,
        before: step.before,
        after: step.after,
        share: fell,
        level: step.spread_after,
    })
}

#[cfg(test)]
mod tests {
    use narrows_model::{Layer, MetricValue, metric};
    use serde_json::json;

    use super::*;

    fn windows(of: &[&[f64]]) -> Measurement {
        let mut m = Measurement::new("block.job.a", Layer::Block);
        m.metrics.push(MetricValue::new(metric::THROUGHPUT, 1.0, None, vec![]));
        m.workload.insert(condition::BLOCK_BYTES, json!(8192));
        m.series = (0..)
            .zip(of)
            .map(|(repeat, values)| Series {
                name: metric::THROUGHPUT.name.to_string(),
                unit: Unit::OpsPerS,
                repeat,
                t0_ns: 0,
                interval_ns: 100_000_000,
                x: Vec::new(),
                values: values.to_vec(),
            })
            .collect();
        m
    }

    fn said(m: &Measurement) -> Option<String> {
        evidence(m, 0.001, 0.2, 0.1)
    }

    #[test]
    fn both_levels_and_what_was_done_before_are_named() {
        let fast = vec![3000.0; 30];
        let falls: Vec<f64> = (0..30).map(|at| if at < 10 { 3000.0 } else { 500.0 }).collect();
        let said_of = said(&windows(&[&fast, &falls])).unwrap();
        // 30 and 10 slices of a tenth of a second.
        assert!(
            said_of.contains(
                "1.0 s into window 2, after 12000 operations (98.3 MB), from 3000 to 500"
            ),
            "{said_of}"
        );
        // Windows that are level each: the step lies between two of them.
        let slow = vec![500.0; 12];
        let between = said(&windows(&[&fast[..12], &fast[..12], &slow])).unwrap();
        assert!(between.contains("window 3 of 3, after 7200 operations (59.0 MB)"), "{between}");
        assert_eq!(said(&windows(&[&fast, &fast])), None);
    }
}
