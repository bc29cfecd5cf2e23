//! Did the figure step down to a level line? That is how it looks when credits are spent, a cache is full, or somebody
//! sets a limit: fast, then slower, and then the same all the time.
//!
//! A trend test misses it where most windows lie on one side of the step. Three conditions together: Pettitt's test says
//! that the change is not chance, its size says that it matters, and how level the figure is behind it tells a limit from
//! a disturbance, which leaves a ragged line.

use narrows_model::{Measurement, Series};
use narrows_stats::change;
use narrows_units::{Ratio, significant};

use crate::quantity::headline;

/// A level line has at least this many slices: two are level by chance.
const LEVEL_SLICES: usize = 5;

pub(crate) fn evidence(m: &Measurement, p: f64, share: f64, level: f64) -> Option<String> {
    let metric = headline(m)?;
    let name = metric.name.replace('_', " ");
    let mut windows: Vec<&Series> =
        m.series.iter().filter(|s| s.name == metric.name && s.interval_ns > 0).collect();
    windows.sort_by_key(|series| series.repeat);
    let show = |found: Fall, place: String| {
        format!(
            "{name} falls by {} in one step {place}, from {} to {} per second, and stays level within ±{}, p < {p}",
            Ratio(found.share),
            significant(found.before, 3),
            significant(found.after, 3),
            Ratio(found.level),
        )
    };
    for series in &windows {
        if let Some(found) = fall(&series.values, p, share, level) {
            let after_s = found.at as f64 * series.interval_ns as f64 / 1e9;
            let place = format!("{} s into window {}", significant(after_s, 2), series.repeat + 1);
            return Some(show(found, place));
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
    Some(show(found, format!("in or before window {} of {}", window + 1, windows.len())))
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
