//! The repeats of a figure that was measured in one window only: parts of it, one after the other.
//!
//! They resemble their neighbours more than repeats do, so they give no interval. But where even they differ by half, no figure of the
//! whole is repeated by anybody.

use narrows_model::Measurement;
use narrows_units::Ratio;

use crate::quantity::headline;

const PARTS: usize = 5;
/// Of each, so that a slow device's part holds some operations.
const SHORTEST_NS: u64 = 400_000_000;

pub(crate) fn evidence(m: &Measurement, half_width: f64) -> Option<String> {
    let metric = headline(m)?;
    let mut windows = m.series.iter().filter(|s| s.name == metric.name && s.interval_ns > 0);
    let (Some(series), None) = (windows.next(), windows.next()) else { return None };
    let each = series.values.len() / PARTS;
    if each as u64 * series.interval_ns < SHORTEST_NS {
        return None;
    }
    let parts: Vec<f64> = series
        .values
        .chunks(each)
        .take(PARTS)
        .map(|slices| slices.iter().sum::<f64>() / slices.len() as f64)
        .collect();
    let low = parts.iter().copied().reduce(f64::min)?;
    let high = parts.iter().copied().reduce(f64::max)?;
    let middle = narrows_stats::median(&parts).filter(|middle| *middle > 0.0)?;
    let width = (high - low) / 2.0 / middle;
    (width > half_width).then(|| {
        let name = metric.name.replace('_', " ");
        let (width, limit) = (Ratio(width), Ratio(half_width));
        format!("{name}: range ±{width} over {PARTS} parts of the window, limit ±{limit}")
    })
}
