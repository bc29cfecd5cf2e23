//! What stored runs say of their metrics against the table: name, unit and orientation.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;

use flate2::read::GzDecoder;
use narrows_model::{Metric, Run, metric};

use super::reports::stored_runs;

/// Earlier versions wrote these with one orientation here and another there; the run files keep what was written.
const TWO_ORIENTATIONS: [Metric; 3] =
    [metric::CLIENT_BUSY, metric::FLUSHES_PER_OP, metric::SENTINEL_DRIFT];

#[test]
fn metrics_of_stored_runs_agree_with_the_table() {
    let (mut known, mut wrong) = (BTreeSet::new(), BTreeSet::new());
    for (name, packed) in stored_runs() {
        let mut json = String::new();
        GzDecoder::new(fs::File::open(packed).unwrap()).read_to_string(&mut json).unwrap();
        let run = Run::from_json(&json).unwrap();
        for stored in run.measurements.iter().flat_map(|m| &m.metrics) {
            let Some(metric) = Metric::named(&stored.name) else {
                wrong.insert(format!("{name}: {} is in no table", stored.name));
                continue;
            };
            known.insert(metric.name);
            let two = TWO_ORIENTATIONS.contains(&metric);
            if stored.unit != metric.unit || (stored.better != metric.better && !two) {
                wrong.insert(format!(
                    "{name}: {metric} is {:?}, {:?} there",
                    stored.unit, stored.better
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(known.len() > 120, "{} metrics", known.len());
}
