//! Places for the log: what was predicted of each, under `log.compare.<place>`. What was measured there has rows of its own.

use narrows_model::{Comparison, Unit};

use super::{line, unit_word};
use crate::words;

/// A row for each prediction; a figure that is not known has none.
pub(super) fn rows(out: &mut String, comparison: &Comparison) {
    for place in &comparison.placements {
        let Some(predicted) = place.predicted.filter(|p| p.rate_per_s.is_finite()) else {
            continue;
        };
        let ends = predicted.interval_95.as_ref();
        let end = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        line(
            out,
            &[
                format!("log.compare.{}", place.name),
                "log".to_string(),
                words::validity(place.validity).to_string(),
                "predicted_throughput".to_string(),
                unit_word(Unit::OpsPerS),
                predicted.rate_per_s.to_string(),
                end(ends.map(|i| i.low)),
                end(ends.map(|i| i.high)),
                "1".to_string(),
                String::new(),
            ],
        );
    }
}
