//! Windows of one load on their way to measurements: the load's, and with a log beside it the log's and both together's.

use narrows_model::{Measurement, condition};
use serde_json::json;

use super::bench::BenchWindow;
use crate::record::Record;
use crate::scenario::Stream;
use crate::steady::with_role_and_state;

/// Windows of the same load.
#[derive(Debug, Clone, Default)]
pub(super) struct CalibrationWindows {
    streams: Vec<Stream>,
    records: Vec<Record>,
    together: Record,
}

impl CalibrationWindows {
    /// One window more.
    pub(super) fn add(&mut self, shown: &BenchWindow) {
        if self.streams.is_empty() {
            self.streams.clone_from(&shown.streams);
            self.records = vec![Record::new(); shown.streams.len()];
        }
        for (record, outcome) in self.records.iter_mut().zip(&shown.outcomes) {
            record.add(outcome);
        }
        if shown.outcomes.len() > 1 {
            self.together.add_together(&shown.outcomes);
        }
    }

    /// The measurements: `id`, and with a log `id.log` and `id.together`. None where there was no window.
    pub(super) fn into_measurements(self, id: &str) -> Vec<Measurement> {
        let mut measurements = Vec::new();
        let several = self.streams.len() > 1;
        for (record, stream) in self.records.into_iter().zip(&self.streams) {
            let own = if measurements.is_empty() { id.to_string() } else { format!("{id}.log") };
            let mut measurement = record.into_measurement(own, stream);
            if several {
                measurement.workload.insert(condition::PART_OF, json!(format!("{id}.together")));
            }
            measurements.push(with_role_and_state(measurement, stream.mix.writes()));
        }
        if several {
            let together = self.together.into_together(format!("{id}.together"), &self.streams);
            measurements.push(with_role_and_state(together, true));
        }
        measurements
    }
}
