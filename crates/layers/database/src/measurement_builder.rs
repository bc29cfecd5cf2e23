//! A measurement being filled: what each repeat saw becomes samples, histograms and series.

use std::collections::BTreeMap;

use narrows_engine::{LiveValue, Samples};
use narrows_model::{Histogram, Measurement, Metric, Series, Unit, condition, metric};
use serde_json::json;

use crate::repeat_sample::{Cpus, RepeatSample};
use crate::sampling::{self, Sampled, Wait};

/// Length of a slice of the throughput series, ns; as the load counts.
const SLICE_NS: u64 = 100_000_000;
/// Classes of processes that use less are not worth a word.
const LEAST_CPUS: f64 = 0.0005;
/// Fewer slices are no history.
const FEWEST_SLICES: usize = 2;

/// A measurement being filled, repeat by repeat.
pub struct MeasurementBuilder {
    /// What it becomes.
    pub measurement: Measurement,
    /// A sample a repeat of every metric.
    pub samples: Samples,
    /// What sessions were found waiting for, over the repeats.
    pub sampled: Sampled,
    /// The busiest of the server's processes, by its name.
    pub hot: Option<String>,
    /// Bytes that a scan reads; `None` for what is none.
    pub scan_bytes: Option<u64>,
    /// Processes that a scan asked for.
    pub workers: u32,
    /// CPUs that each class of the server's processes used, summed over the repeats.
    pub classes: BTreeMap<String, f64>,
}

impl MeasurementBuilder {
    /// Of a workload that is no scan.
    pub fn of(measurement: Measurement) -> MeasurementBuilder {
        MeasurementBuilder {
            measurement,
            samples: Samples::new(),
            sampled: Sampled::default(),
            hot: None,
            scan_bytes: None,
            workers: 1,
            classes: BTreeMap::new(),
        }
    }

    /// Adds a repeat.
    pub fn take(
        &mut self,
        repeat: u32,
        once: &RepeatSample,
        cpus: &Cpus,
        hot: Option<String>,
        resident: Option<f64>,
        drift: f64,
    ) {
        once.add_to(&mut self.samples, cpus);
        if let Some(share) = resident {
            self.samples.add(metric::RESIDENT_BEFORE, share);
        }
        self.samples.add(metric::SENTINEL_DRIFT, drift);
        if let Some(bytes) = self.scan_bytes {
            let rate = bytes as f64 * once.load.operations as f64 / (once.window_ns / 1e9);
            self.samples.add(metric::BANDWIDTH, rate);
            let workers = once.sampled.most_workers + 1;
            self.samples.add(metric::WORKERS, workers as f64);
        }
        self.sampled.merge(&once.sampled);
        self.hot = hot.or(self.hot.take());
        let name = if once.offered_per_s.is_some() { "latency_intended" } else { "latency" };
        self.measurement.histograms.push(Histogram {
            name: name.into(),
            unit: Unit::Ns,
            repeat,
            hdr_v2: once.load.latency.to_hdr_v2(),
        });
        if !once.load.slices.is_empty() {
            let per_s = 1e9 / SLICE_NS as f64;
            self.measurement.series.push(Series {
                name: metric::THROUGHPUT.into(),
                unit: Unit::OpsPerS,
                repeat,
                t0_ns: 0,
                interval_ns: SLICE_NS,
                x: Vec::new(),
                values: once.load.slices.iter().map(|&n| n as f64 * per_s).collect(),
            });
        }
        self.measurement.series.extend(sessions_over_time(&once.sampled, repeat));
        for (class, cpus) in once.used.iter().flat_map(|used| used.by_class(once.window_ns)) {
            *self.classes.entry(class).or_default() += cpus;
        }
        if let Some(error) = &once.load.first_error {
            self.measurement.conditions.insert(condition::FIRST_ERROR, json!(error));
        }
        self.measurement.repeats = repeat + 1;
    }

    /// What its repeats gave so far: a scan by what it reads.
    pub fn so_far(&self) -> Option<LiveValue> {
        match self.scan_bytes {
            Some(_) => self.samples.so_far(metric::BANDWIDTH).map(LiveValue::BytesPerSecond),
            None => self.samples.so_far(metric::THROUGHPUT).map(LiveValue::Tps),
        }
    }

    /// The measurement, complete.
    pub fn finish(mut self) -> Measurement {
        self.measurement.metrics = self.samples.into_metrics();
        if let Some(hot) = self.hot {
            self.measurement.conditions.insert(condition::HOT_THREAD_NAME, json!(hot));
        }
        let shares = json!(self.sampled.blocked_shares());
        self.measurement.conditions.insert(condition::SAMPLED_BLOCKED_SHARES, shares);
        let repeats = f64::from(self.measurement.repeats.max(1));
        let classes = self.classes.into_iter().map(|(class, cpus)| (class, cpus / repeats));
        let classes: BTreeMap<_, _> = classes.filter(|(_, cpus)| *cpus >= LEAST_CPUS).collect();
        if !classes.is_empty() {
            self.measurement.conditions.insert(condition::CPUS_BY_CLASS, json!(classes));
        }
        let events: BTreeMap<_, _> = self.sampled.events;
        self.measurement.conditions.insert(condition::WAIT_EVENTS, json!(events));
        if self.scan_bytes.is_some() {
            self.measurement.workload.insert(condition::WORKERS_ASKED, json!(self.workers));
        }
        self.measurement
    }
}

/// Sessions by what they wait for, slice by slice; nothing where a slice has no answer.
fn sessions_over_time(sampled: &Sampled, repeat: u32) -> Vec<Series> {
    if sampled.history.len() < FEWEST_SLICES {
        return Vec::new();
    }
    let kinds = [
        (metric::SESSIONS_RUNNING, Wait::None),
        (metric::SESSIONS_READING, Wait::Read),
        (metric::SESSIONS_FLUSHING, Wait::Flush),
        (metric::SESSIONS_LOCKED, Wait::Lock),
        (metric::SESSIONS_FOR_CLIENT, Wait::Client),
        (metric::SESSIONS_OTHER, Wait::Other),
    ];
    let series = |(metric, wait): (Metric, Wait)| {
        Some(Series {
            name: metric.into(),
            unit: metric.unit,
            repeat,
            t0_ns: 0,
            interval_ns: sampling::SLICE_NS,
            x: Vec::new(),
            values: sampled.over_time(wait)?,
        })
    };
    kinds.into_iter().filter_map(series).collect()
}

#[cfg(test)]
mod tests {
    use narrows_model::Layer;

    use super::*;

    #[test]
    fn the_value_as_it_forms_is_the_median_so_far_and_of_a_scan_what_it_reads() {
        let of = |id: &str| MeasurementBuilder::of(Measurement::new(id, Layer::Database));
        let mut update = of("database.update");
        assert_eq!(update.so_far(), None, "before the first repeat");
        for tps in [11_000.0, 13_000.0] {
            update.samples.add(metric::THROUGHPUT, tps);
        }
        assert_eq!(update.so_far(), Some(LiveValue::Tps(12_000.0)));
        let mut scan = MeasurementBuilder { scan_bytes: Some(1 << 30), ..of("database.scan_1") };
        scan.samples.add(metric::BANDWIDTH, 2.1e9);
        scan.samples.add(metric::THROUGHPUT, 1.9);
        assert_eq!(scan.so_far(), Some(LiveValue::BytesPerSecond(2.1e9)));
    }
}
