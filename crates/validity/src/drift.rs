//! Had the figure settled? Trend tests within windows and from repeat to repeat.
//!
//! Two conditions together, because each alone misleads: the Mann-Kendall test says that the order of the values is
//! not chance (and finds harmless drifts when slices are many), and the change along the fitted line relative to
//! the mean says that it matters; 10 % is what the SNIA Solid State Storage Performance Test Specification
//! (2.0.2, 2.1.24) allows for its steady state.

use narrows_model::{Measurement, Series};
use narrows_stats::trend;
use narrows_units::Ratio;

use crate::quantity::headline;

/// Fewer slices say nothing about a trend inside a window.
const SLICES: usize = 10;
/// Fewer repeats say nothing about a trend over repeats: with five, only a strictly ordered sequence reaches
/// p < 0.05, and with six p < 0.01.
const REPEATS: usize = 5;

pub(crate) fn evidence(
    m: &Measurement,
    p_within: f64,
    p_between: f64,
    share: f64,
) -> Option<String> {
    let metric = headline(m)?;
    let name = metric.name.replace('_', " ");
    if metric.samples.len() >= REPEATS
        && let Some(drift) = drift(&metric.samples, p_between)
        && drift.abs() > share
    {
        let n = metric.samples.len();
        return Some(format!("{name} {} over {n} repeats, p < {p_between}", signed(drift)));
    }
    let windows: Vec<&Series> = m
        .series
        .iter()
        .filter(|s| s.name == metric.name && s.interval_ns > 0 && s.values.len() >= SLICES)
        .collect();
    let drifts: Vec<f64> = windows
        .iter()
        .filter_map(|series| drift(&series.values, p_within))
        .filter(|drift| drift.abs() > share)
        .collect();
    // One window may drift by chance or because of a neighbour; most of them, in the same direction, don't.
    let up = drifts.iter().filter(|drift| **drift > 0.0).count();
    let most = up.max(drifts.len() - up);
    if drifts.is_empty() || 2 * most <= windows.len() {
        return None;
    }
    let typical = narrows_stats::median(&drifts)?;
    Some(format!(
        "{name} {} within the window in {most} of {} repeats, p < {p_within}",
        signed(typical),
        windows.len()
    ))
}

/// Change from the first to the last value along the Theil-Sen line, relative to the mean, where the trend is
/// significant.
fn drift(values: &[f64], p: f64) -> Option<f64> {
    // Slices of one window resemble their neighbours; where there are enough of them the test can allow for that.
    let trend = match trend::drift(values) {
        Some(trend) => trend,
        None => trend::mann_kendall(values)?,
    };
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (trend.p_value < p && mean != 0.0).then(|| trend.slope * (values.len() - 1) as f64 / mean)
}

fn signed(drift: f64) -> String {
    let direction = if drift > 0.0 { "rises by" } else { "falls by" };
    format!("{direction} {}", Ratio(drift.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_all_orders_of_six_values_two_are_a_drift() {
        let mut values = [100.0, 104.0, 108.0, 112.0, 116.0, 120.0];
        let (mut at, mut counts) = (0, [0usize; 6]);
        let found = |values: &[f64]| usize::from(drift(values, 0.01).is_some());
        let (mut drifts, mut orders) = (found(&values), 1);
        // Heap's way through all of them.
        while at < values.len() {
            if counts[at] < at {
                values.swap(if at % 2 == 0 { 0 } else { counts[at] }, at);
                (drifts, orders) = (drifts + found(&values), orders + 1);
                counts[at] += 1;
                at = 0;
            } else {
                counts[at] = 0;
                at += 1;
            }
        }
        assert_eq!((drifts, orders), (2, 720), "up and down");
    }
}
