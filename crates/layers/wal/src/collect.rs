//! What the repeats of one measurement gave, and how it becomes a [`Measurement`].

use narrows_engine::{LiveValue, Samples};
use narrows_model::{Histogram, Layer, Measurement, Role, Unit, condition, metric};
use narrows_observe::HostWindow;
use narrows_stats::Recorder;
use narrows_units::Nanos;
use serde_json::json;

use crate::medium::LogMedium;
use crate::page::PAGE;

/// Samples, histograms and side counts over the repeats.
#[derive(Debug, Default)]
pub struct Collected {
    /// The metrics in the making.
    pub samples: Samples,
    /// Writes per second of the load beside, per repeat.
    pub busy_writes_per_s: Vec<f64>,
    /// Flushes of the load beside, per repeat.
    pub busy_flushes: Vec<f64>,
    histograms: Vec<Histogram>,
}

impl Collected {
    /// Adds what the machine's counters saw, and the sentinel before and after.
    pub fn seen(&mut self, seen: &HostWindow, before: Nanos, after: Nanos) {
        self.samples.extend(seen.metrics());
        let drift = after.0 as f64 / before.0 as f64 - 1.0;
        self.samples.add(metric::SENTINEL_DRIFT, drift);
    }

    /// Adds what is in flight by Little's law beside what should be.
    pub fn little(&mut self, rate_per_s: f64, latency: &Recorder, depth: u32) {
        if let Some(mean_ns) = latency.mean() {
            let in_flight = rate_per_s * mean_ns / 1e9;
            self.samples.add(metric::IN_FLIGHT, in_flight);
        }
        self.samples.add(metric::DEPTH, f64::from(depth));
    }

    /// Keeps this repeat's distribution.
    pub fn histogram(&mut self, latency: &Recorder) {
        self.histograms.push(Histogram {
            name: "latency".to_string(),
            unit: Unit::Ns,
            repeat: self.histograms.len() as u32,
            hdr_v2: latency.to_hdr_v2(),
        });
    }

    /// Windows so far.
    pub fn repeats(&self) -> u32 {
        self.histograms.len() as u32
    }

    /// What a durable append took so far.
    pub fn append_so_far(&self) -> Option<LiveValue> {
        self.samples.so_far(metric::LATENCY_MEAN).map(LiveValue::Nanos)
    }

    /// What sessions that share flushes got so far.
    pub fn commits_so_far(&self) -> Option<LiveValue> {
        self.samples.so_far(metric::THROUGHPUT).map(LiveValue::Commits)
    }

    /// The measurement so far; workload and conditions common to the layer are filled in.
    pub(crate) fn into_measurement(
        self,
        id: String,
        segment: &dyn LogMedium,
        verified: (u64, u64),
    ) -> Measurement {
        let (records, wrong) = verified;
        let mut measurement = Measurement::new(id, Layer::Log);
        measurement.repeats = self.histograms.len() as u32;
        let mut samples = self.samples;
        for repeat in 0..measurement.repeats {
            // The end of the log is read back once, after the last repeat.
            let errors = if repeat + 1 == measurement.repeats { wrong as f64 } else { 0.0 };
            samples.add(metric::ERRORS, errors);
        }
        measurement.metrics = samples.into_metrics();
        // The median would hide an error in one repeat.
        if let Some(errors) = measurement.metrics.iter_mut().find(|m| m.name == metric::ERRORS) {
            errors.value = wrong as f64;
        }
        measurement.histograms = self.histograms;
        let workload = &mut measurement.workload;
        workload.insert(condition::LOOP, json!("closed"));
        workload.insert(condition::ROLE, json!(Role::Wal.word()));
        workload.insert(condition::DIRECTION, json!("write"));
        workload.insert(condition::PATTERN, json!("sequential"));
        workload.insert(condition::BLOCK_BYTES, json!(PAGE));
        workload.insert(condition::SEGMENT_BYTES, json!(segment.bytes()));
        measurement.conditions.insert(condition::PAGES_READ_BACK, json!(records));
        measurement
    }
}
