//! The windows of one cell on their way to measurements.

use narrows_model::Measurement;
use serde_json::json;

use super::background_load::BackgroundLoad;
use crate::outcome::StreamOutcome;
use crate::record::Record;
use crate::scenario::Stream;
use crate::steady::with_role_and_state;

/// Where operations are due faster than they are done by more than this share, or the queue grew by that many of them, the
/// rate is beyond what can be kept: those of the rules `overload` and `backlog-grows`.
const BEYOND: f64 = 0.01;

/// One rate of reads beside one background load.
pub(super) struct InterferencePoint {
    pub company: BackgroundLoad,
    /// Of the reads' ceiling, as in ids: 10 for a tenth.
    pub percent: u32,
    pub read_per_s: f64,
    pub beside_per_s: f64,
    streams: Vec<Stream>,
    records: Vec<Record>,
    together: Record,
    /// By stream, by window: whether the rate was beyond.
    beyond: Vec<Vec<bool>>,
}

impl InterferencePoint {
    pub(super) fn new(
        company: BackgroundLoad,
        percent: u32,
        read_per_s: f64,
        beside_per_s: f64,
    ) -> Self {
        InterferencePoint {
            company,
            percent,
            read_per_s,
            beside_per_s,
            streams: Vec::new(),
            records: Vec::new(),
            together: Record::new(),
            beyond: Vec::new(),
        }
    }

    /// One window more.
    pub(super) fn add(&mut self, streams: Vec<Stream>, outcomes: &[StreamOutcome]) {
        if self.streams.is_empty() {
            self.records = vec![Record::new(); outcomes.len()];
            self.beyond = vec![Vec::new(); outcomes.len()];
            self.streams = streams;
        }
        for (i, outcome) in outcomes.iter().enumerate() {
            self.records[i].add(outcome);
            self.beyond[i].push(beyond(outcome));
        }
        if outcomes.len() > 1 {
            self.together.add_together(outcomes);
        }
    }

    /// The reads, and with company that and both together. `beyond` in an id says that the queue grew in most windows.
    pub(super) fn into_measurements(self, id: &str, block_bytes: u32) -> Vec<Measurement> {
        let (word, percent) = (self.company.word, self.percent);
        let beside = self.company.words(block_bytes, self.beside_per_s);
        let mut measurements = Vec::new();
        let several = self.streams.len() > 1;
        let together = format!("{id}.{word}.p{percent:02}.together");
        for (i, (record, stream)) in self.records.into_iter().zip(&self.streams).enumerate() {
            let grew = self.beyond[i].iter().filter(|beyond| **beyond).count();
            let place = if 2 * grew > self.beyond[i].len() { "beyond." } else { "" };
            let end = if i == 0 { "" } else { ".beside" };
            let mut m =
                record.into_measurement(format!("{id}.{word}.{place}p{percent:02}{end}"), stream);
            m.workload.insert(narrows_model::condition::COMPANY, json!(word));
            m.workload.insert(narrows_model::condition::BESIDE, json!(beside));
            if several {
                m.workload.insert(narrows_model::condition::PART_OF, json!(together));
            }
            measurements.push(with_role_and_state(m, stream.mix.writes()));
        }
        if several {
            let all = self.together.into_together(together, &self.streams);
            measurements.push(with_role_and_state(all, true));
        }
        measurements
    }
}

/// Whether the window showed a rate that can't be kept.
fn beyond(outcome: &StreamOutcome) -> bool {
    let Some(open) = &outcome.open else { return false };
    let done = outcome.operations() as f64;
    let growth = outcome.backlog_growth().unwrap_or(0.0);
    growth > BEYOND * done || done < (1.0 - BEYOND) * open.due as f64
}
