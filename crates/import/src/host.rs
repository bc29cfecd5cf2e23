//! What the reports of vmstat and sysstat on a host have in common.

use narrows_model::{Measurement, Metric, MetricValue};

/// What a single report is of.
pub(crate) const SINCE_START: &str =
    "its only report is of the time since the machine started, unless it was made with an interval";

/// A number that something can have counted.
pub(crate) fn counted(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0)
}

/// The share of time in which the CPUs worked, of each report: what is neither idle, nor waiting for I/O, nor given to other guests.
pub(crate) fn busy(
    idle: &[f64],
    waiting: Option<Vec<f64>>,
    steal: Option<Vec<f64>>,
) -> Option<Vec<f64>> {
    let rest = |at: usize| -> Option<f64> {
        let of =
            |column: &Option<Vec<f64>>| column.as_ref().map_or(Some(0.0), |c| c.get(at).copied());
        Some(idle[at] + of(&waiting)? + of(&steal)?)
    };
    (0..idle.len()).map(|at| Some((1.0 - rest(at)? / 100.0).max(0.0))).collect()
}

/// A metric with one value per report, where there are any.
pub(crate) fn add(to: &mut Measurement, metric: Metric, values: Option<Vec<f64>>) {
    let Some(values) = values.filter(|values| !values.is_empty()) else { return };
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    to.metrics.push(MetricValue::new(metric, mean, None, values));
}
