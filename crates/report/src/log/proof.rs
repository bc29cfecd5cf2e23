//! What the database said about the prediction for a place, in a word and as the ratio of both.

use narrows_model::{Placement, Validity};
use narrows_units::significant;

/// `holds`, `fails`, or `open` where it agrees and would have done so with no change too; empty where nothing was proved.
pub(crate) fn held(place: &Placement) -> &'static str {
    match (place.agrees, place.confirms) {
        (None, _) => "",
        (Some(false), _) => "fails",
        (Some(true), Some(false)) => "open",
        (Some(true), _) => "holds",
    }
}

/// `0.94 (95 %: 0.81 to 1.09)`; of the first place there is no prediction, and an invalid one says nothing.
pub(crate) fn measured_over_predicted(place: &Placement) -> Option<String> {
    let told = place.name != "wal_1" && place.validity != Validity::Invalid;
    let ratio = significant(place.measured_over_predicted.filter(|_| told)?, 3);
    Some(match &place.measured_over_predicted_95 {
        None => ratio,
        Some(interval) => format!(
            "{ratio} (95 %: {} to {})",
            significant(interval.low, 3),
            significant(interval.high, 3)
        ),
    })
}
