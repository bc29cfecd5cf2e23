//! From the windows of a stream to a [`Measurement`].

use narrows_engine::{LiveValue, Samples, held_quantile, record_latency};
use narrows_io::{Op, Outages, Refusal};
use narrows_model::{
    Histogram, Layer, LoadedLink, Measurement, MeasurementId, Metric, Replication, Series, Unit,
    condition, metric,
};
use narrows_observe::HostWindow;
use narrows_stats::Recorder;
use serde_json::json;

use crate::describe;
use crate::gather;
use crate::outcome::{OpenOutcome, StreamOutcome};
use crate::scenario::{Load, Stream};

/// Names of the figures of one kind of operation, where a stream has several.
type Names = (Metric, Metric, Metric, Metric, Metric);
const READ: Names = (
    metric::READ_THROUGHPUT,
    metric::READ_LATENCY_MEAN,
    metric::READ_LATENCY_P50,
    metric::READ_LATENCY_P99,
    metric::READ_LATENCY_P999,
);
const WRITE: Names = (
    metric::WRITE_THROUGHPUT,
    metric::WRITE_LATENCY_MEAN,
    metric::WRITE_LATENCY_P50,
    metric::WRITE_LATENCY_P99,
    metric::WRITE_LATENCY_P999,
);
const SYNC: Names = (
    metric::SYNC_THROUGHPUT,
    metric::SYNC_LATENCY_MEAN,
    metric::SYNC_LATENCY_P50,
    metric::SYNC_LATENCY_P99,
    metric::SYNC_LATENCY_P999,
);

/// A stream's results in the making: one window after the other, then a measurement.
#[derive(Debug, Clone, Default)]
pub struct Record {
    samples: Samples,
    histograms: Vec<Histogram>,
    series: Vec<Series>,
    repeats: u32,
    written_bytes: u64,
    registered_buffers: Option<bool>,
    refusals: Vec<Refusal>,
    workers: Option<u32>,
    /// Of the last window.
    links: Vec<LoadedLink>,
    /// Of the windows so far.
    sequences: Vec<(u64, u64)>,
    /// Of each window so far, bytes asked for by reads and by writes.
    asked: Vec<[u64; 2]>,
}

/// What a window asks for, and the figure that has it.
const ASKED: [(Op, Metric); 2] =
    [(Op::Read, metric::ISSUED_READ_BYTES), (Op::Write, metric::ISSUED_WRITE_BYTES)];

impl Record {
    /// Nothing yet.
    pub fn new() -> Self {
        Record::default()
    }

    /// What the windows so far gave.
    pub fn so_far(&self) -> Option<LiveValue> {
        let bytes_per_s = self.samples.so_far(metric::BANDWIDTH)?;
        Some(LiveValue::of_requests(self.samples.so_far(metric::THROUGHPUT)?, bytes_per_s))
    }

    /// Adds one repeat. Where other streams ran beside it, the devices' counters are left out, because they cover all
    /// of them: [`Record::add_together`] has them.
    pub fn add(&mut self, outcome: &StreamOutcome) {
        let repeat = self.repeats;
        self.repeats += 1;
        self.registered_buffers = outcome.registered_buffers;
        self.refusals.clone_from(&outcome.refusals);
        self.workers = self.workers.max(outcome.workers);
        self.links.clone_from(&outcome.seen.links);
        self.written_bytes += outcome.written_bytes;
        let samples = &mut self.samples;
        samples.add(metric::THROUGHPUT, outcome.throughput_per_s());
        // Where nothing moves, the drives' counters are of what the calls cause (a journal, say), and no check of them.
        let moves = outcome.method.moves_data();
        if moves {
            samples.add(metric::BANDWIDTH, outcome.bandwidth_bytes_per_s());
        }
        let latency = outcome.latency_with_stragglers();
        record_latency(samples, &latency);
        if let Some(max_ns) = latency.max() {
            samples.add(metric::LATENCY_MAX, max_ns as f64);
        }
        samples.add(metric::CPU_PER_OP, outcome.cpu_per_op_ns);
        samples.add(metric::GENERATOR_BUSY, outcome.busiest);
        if let Some(busy) = outcome.cpu_busy {
            samples.add(metric::GENERATOR_CPU_BUSY, busy);
        }
        samples.add(metric::WINDOW, outcome.window_ns as f64);
        let operations = outcome.operations() as f64;
        samples.add(metric::OPERATIONS, operations);
        let failed = (outcome.failed() + outcome.wrong) as f64;
        samples.add(metric::ERRORS, failed);
        samples.add(metric::SHORT_IOS, outcome.short() as f64);
        if let Load::Closed { depth } = outcome.load {
            samples.add(metric::DEPTH, f64::from(depth));
        }
        if let Some(in_flight) = outcome.in_flight() {
            samples.add(metric::IN_FLIGHT, in_flight);
        }
        if !outcome.beside_others && !outcome.did_more {
            self.issued(&[outcome]);
            self.own_reads(&[outcome]);
            if let Some(cpus) = outcome.seen.kernel_cpus.filter(|_| operations > 0.0) {
                let kernel_ns = cpus * outcome.seen.window.0 as f64;
                self.samples.add(metric::KERNEL_CPU_PER_OP, kernel_ns / operations);
            }
        }
        self.samples.extend(
            [
                (metric::GENERATOR_WAIT, outcome.kept_waiting),
                (metric::GENERATOR_STEAL, outcome.stolen()),
                (metric::STOOD_STILL, Some(outcome.stood_still)),
            ]
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?))),
        );
        self.missing(&outcome.seen);
        let shared = outcome.beside_others || outcome.did_more || !moves;
        let seen = outcome.seen.metrics();
        let own = seen.into_iter().filter(|(metric, _)| !(shared && metric.is_of_device()));
        self.samples.extend(own);
        let drift = outcome.sentinel_drift;
        self.samples.add(metric::SENTINEL_DRIFT, drift);
        self.contents(outcome);
        let back = outcome.read_back;
        if back.looked_at > 0 {
            let lost = back.lost as f64 / back.looked_at as f64;
            self.samples.add(metric::WRITTEN_LOST, lost);
        }
        for (name, share) in [
            (metric::UNWRITTEN, outcome.contents.unwritten),
            (metric::RESIDENT_BEFORE, outcome.contents.resident),
        ] {
            if let Some(share) = share {
                self.samples.add(name, share);
            }
        }
        self.outages(outcome.outages);
        self.places(outcome);
        if let Some(submit_ns) = outcome.submit_ns {
            let each_ns = submit_ns as f64 / outcome.issued as f64;
            self.samples.add(metric::SUBMIT_PER_OP, each_ns);
        }
        self.histogram("latency", repeat, &outcome.latency());
        self.kinds(outcome, repeat);
        if let Some(open) = &outcome.open {
            self.open(outcome, open, repeat);
        }
        self.series(outcome, repeat);
    }

    /// What the blocks held that were looked at.
    fn contents(&mut self, outcome: &StreamOutcome) {
        if outcome.looked_at > 0 {
            // Ours hold none, so that one says it. Of others' some may be zeros: as many as are sure by the few looked at.
            let zeros = if outcome.contents.foreign {
                narrows_stats::share_interval_95(outcome.zeros, outcome.looked_at).0
            } else {
                outcome.zeros as f64 / outcome.looked_at as f64
            };
            self.samples.add(metric::ZERO_BLOCKS, zeros);
            if outcome.contents.foreign {
                let foreign = &outcome.foreign;
                for (name, blocks) in [
                    (metric::CONSTANT_BLOCKS, foreign.constant),
                    (metric::REPEATED_BLOCKS, foreign.repeated),
                    (metric::COMPRESSIBLE_BLOCKS, foreign.compressible),
                ] {
                    let (sure, _) = narrows_stats::share_interval_95(blocks, outcome.looked_at);
                    self.samples.add(name, sure);
                }
            }
        }
    }

    /// Adds one repeat of all streams of a scenario together: their sums, and what the devices counted.
    pub fn add_together(&mut self, outcomes: &[StreamOutcome]) {
        let Some(first) = outcomes.first() else { return };
        self.repeats += 1;
        self.links.clone_from(&first.seen.links);
        self.written_bytes += outcomes.iter().map(|outcome| outcome.written_bytes).sum::<u64>();
        // From the first that began to the last that ended.
        let begins_ns = outcomes.iter().map(|outcome| outcome.begins_ns).min().unwrap_or(0);
        let ends = outcomes.iter().map(|outcome| outcome.begins_ns + outcome.window_ns);
        let window_ns = ends.max().unwrap_or(0) - begins_ns;
        let seconds = window_ns as f64 / 1e9;
        let sum = |of: fn(&StreamOutcome) -> u64| outcomes.iter().map(of).sum::<u64>() as f64;
        let operations = sum(StreamOutcome::operations);
        let samples = &mut self.samples;
        samples.add(metric::THROUGHPUT, operations / seconds);
        let moving = || outcomes.iter().filter(|outcome| outcome.method.moves_data());
        if moving().count() > 0 {
            let bytes = moving().map(StreamOutcome::bytes).sum::<u64>();
            samples.add(metric::BANDWIDTH, bytes as f64 / seconds);
        }
        let all_move = moving().count() == outcomes.len();
        samples.add(metric::WINDOW, window_ns as f64);
        samples.add(metric::OPERATIONS, operations);
        let failed = sum(|outcome| outcome.failed() + outcome.wrong);
        samples.add(metric::ERRORS, failed);
        samples.add(metric::SHORT_IOS, sum(StreamOutcome::short));
        let all: Vec<&StreamOutcome> = outcomes.iter().collect();
        let did_more = outcomes.iter().any(|outcome| outcome.did_more);
        if !did_more {
            self.issued(&all);
            self.own_reads(&all);
        }
        self.samples.add(metric::STOOD_STILL, first.stood_still);
        self.missing(&first.seen);
        let seen = first.seen.metrics().into_iter();
        self.samples
            .extend(seen.filter(|(metric, _)| all_move && !did_more || !metric.is_of_device()));
        self.samples.add(metric::SENTINEL_DRIFT, first.sentinel_drift);
        self.outages(
            outcomes.iter().fold(None, |all, outcome| gather::worse(all, outcome.outages)),
        );
    }

    /// What tells a guest that was paused from a program that was stopped.
    fn missing(&mut self, seen: &HostWindow) {
        let missing = seen.cpu_time_missing.map(|share| (metric::CPU_TIME_MISSING, share));
        self.samples.extend(missing);
    }

    /// What was seen of lost connections by ways that make them again.
    fn outages(&mut self, outages: Option<Outages>) {
        let Some(outages) = outages else { return };
        for (name, value) in [
            (metric::RECONNECTS, f64::from(outages.reconnects)),
            (metric::DISCONNECTED, outages.disconnected_ns as f64),
            (metric::LONGEST_STALL, outages.longest_stall_ns as f64),
        ] {
            self.samples.add(name, value);
        }
    }

    /// Adds one repeat of reads that no stream made.
    pub fn add_reads(&mut self, latency: &Recorder, window_ns: u64) {
        let repeat = self.repeats;
        self.repeats += 1;
        let operations = latency.count() as f64;
        self.samples.add(metric::THROUGHPUT, operations * 1e9 / window_ns as f64);
        self.samples.add(metric::WINDOW, window_ns as f64);
        self.samples.add(metric::OPERATIONS, operations);
        self.samples.add(metric::ERRORS, 0.0);
        record_latency(&mut self.samples, latency);
        self.histogram("latency", repeat, latency);
    }

    /// Adds one more figure of the last repeat.
    pub fn note(&mut self, metric: Metric, value: f64) {
        self.samples.add(metric, value);
    }

    fn issued(&mut self, outcomes: &[&StreamOutcome]) {
        self.asked.push(
            ASKED.map(|(op, _)| {
                outcomes.iter().map(|outcome| outcome.of(op).asked_bytes).sum::<u64>()
            }),
        );
    }

    /// What the kernel read for this process, where it was asked to.
    fn own_reads(&mut self, outcomes: &[&StreamOutcome]) {
        let reads = outcomes.iter().any(|outcome| outcome.of(Op::Read).asked_bytes > 0);
        let bytes = outcomes.first().and_then(|first| first.process_read_bytes);
        if let Some(bytes) = bytes.filter(|_| reads) {
            self.samples.add(metric::PROCESS_READ_BYTES, bytes as f64);
        }
    }

    /// Adds what was asked for, in every window or in none: a window of a drive that stood still asked for nothing, and stays in its
    /// place, because rules compare windows by their place.
    fn add_issued(&mut self) {
        for (kind, (_, name)) in ASKED.into_iter().enumerate() {
            if self.asked.iter().any(|asked| asked[kind] > 0) {
                for asked in &self.asked {
                    self.samples.add(name, asked[kind] as f64);
                }
            }
        }
    }

    /// Leaves the drives' counts out where looks missed more than one window in ten: which windows the others belong to is not known
    /// then, and no counts are better than another window's. One in ten moves no median by more than a rank or two, and rules compare medians
    /// where the numbers differ.
    fn drop_unpaired_counts(&mut self) {
        let counted = self.samples.get(metric::DEVICE_READ_BYTES).len();
        if counted * 10 < self.repeats as usize * 9 {
            self.samples.remove(Metric::is_of_device);
        }
        let own = self.samples.get(metric::PROCESS_READ_BYTES).len();
        if own < self.repeats as usize {
            self.samples.remove(|of| of == metric::PROCESS_READ_BYTES);
        }
    }

    /// Which blocks were read, as far as it bears on who may have answered.
    fn places(&mut self, outcome: &StreamOutcome) {
        if outcome.of(Op::Read).asked_bytes == 0 {
            return;
        }
        if let Some(bytes) = outcome.unique_read_bytes {
            self.samples.add(metric::UNIQUE_BYTES, bytes);
        }
        let before = self.sequences.iter().filter(|other| **other == outcome.sequence).count();
        self.sequences.push(outcome.sequence);
        self.samples.add(metric::SEQUENCE_REPEATED, before as f64);
    }

    /// Reads and writes of a mix apart, and syncs always.
    fn kinds(&mut self, outcome: &StreamOutcome, repeat: u32) {
        let mixed = outcome.of(Op::Read).operations > 0 && outcome.of(Op::Write).operations > 0;
        for (op, names, word) in [
            (Op::Read, READ, "latency_read"),
            (Op::Write, WRITE, "latency_write"),
            (Op::Sync, SYNC, "latency_sync"),
        ] {
            let kind = outcome.of(op);
            if kind.operations == 0 || !(mixed || op == Op::Sync) {
                continue;
            }
            let (rate, mean, p50, p99, p999) = names;
            let per_s = kind.operations as f64 * 1e9 / outcome.window_ns as f64;
            self.samples.add(rate, per_s);
            if let Some(mean_ns) = kind.latency.mean() {
                self.samples.add(mean, mean_ns);
            }
            for (name, quantile) in [(p50, 0.5), (p99, 0.99), (p999, 0.999)] {
                self.quantile(name, &kind.latency, quantile);
            }
            self.histogram(word, repeat, &kind.latency);
        }
    }

    fn quantile(&mut self, name: Metric, latency: &Recorder, quantile: f64) {
        if let Some(value) = held_quantile(latency, quantile) {
            self.samples.add(name, value);
        }
    }

    fn open(&mut self, outcome: &StreamOutcome, open: &OpenOutcome, repeat: u32) {
        let per_s = |count: u64| count as f64 * 1e9 / outcome.window_ns as f64;
        for (name, rate) in [
            (metric::ASKED_RATE, open.rate_per_s),
            (metric::OFFERED, per_s(open.due)),
            (metric::SENT_RATE, per_s(open.sent)),
        ] {
            self.samples.add(name, rate);
        }
        let (lateness, on_time) = open.of_generator();
        self.quantile(metric::LATENESS_P99, lateness, 0.99);
        self.quantile(metric::ON_TIME_LATENCY_P99, on_time, 0.99);
        for (name, count) in [
            (metric::SKIPPED, open.unsent),
            (metric::HELD, open.held),
            (metric::BACKLOG, open.backlog_after),
        ] {
            self.samples.add(name, count as f64);
        }
        if let Some(growth) = outcome.backlog_growth() {
            self.samples.add(metric::BACKLOG_GROWTH, growth);
        }
        self.histogram("lateness", repeat, &open.lateness);
        if open.stragglers.count() > 0 {
            self.histogram("latency_stragglers", repeat, &open.stragglers);
        }
    }

    fn histogram(&mut self, name: &str, repeat: u32, latency: &Recorder) {
        self.histograms.push(Histogram {
            name: name.to_string(),
            unit: Unit::Ns,
            repeat,
            hdr_v2: latency.to_hdr_v2(),
        });
    }

    fn series(&mut self, outcome: &StreamOutcome, repeat: u32) {
        let interval_ns = outcome.slice_ns;
        let mut add = |metric: Metric, values| {
            let (name, unit, x) = (metric.name.to_string(), metric.unit, Vec::new());
            self.series.push(Series { name, unit, repeat, t0_ns: 0, interval_ns, x, values });
        };
        let slices = &outcome.slices;
        let per_s = |count: u64| count as f64 * 1e9 / interval_ns as f64;
        let rates = slices.iter().map(|slice| per_s(slice.operations)).collect();
        add(metric::THROUGHPUT, rates);
        // A slice in which nothing completed has no latency, and a series no holes.
        if slices.iter().all(|slice| slice.operations > 0) {
            let mean = |sum: u64, count: u64| sum as f64 / count as f64;
            let means =
                slices.iter().map(|slice| mean(slice.latency_sum_ns, slice.operations)).collect();
            add(metric::LATENCY_MEAN, means);
            let longest = slices.iter().map(|slice| slice.latency_max_ns as f64).collect();
            add(metric::LATENCY_MAX, longest);
        }
        if outcome.open.is_some() {
            let waiting = outcome.waiting_by_slice().into_iter().map(|n| n as f64).collect();
            add(metric::BACKLOG, waiting);
        }
    }

    /// The measurement of `stream` under `id`; the caller adds what only it knows.
    pub fn into_measurement(self, id: impl Into<MeasurementId>, stream: &Stream) -> Measurement {
        let (registered, workers) = (self.registered_buffers, self.workers);
        let refusals = self.refusals.clone();
        let mut measurement = self.into_bare(id);
        describe::stream(&mut measurement, stream);
        let conditions = &mut measurement.conditions;
        if let Some(registered) = registered {
            conditions.insert(condition::REGISTERED_BUFFERS, json!(registered));
        }
        // None is what one hopes for, and no news.
        if let Some(workers @ 1..) = workers {
            conditions.insert(condition::KERNEL_WORKERS, json!(workers));
        }
        for refusal in refusals {
            conditions.add_refusal(refusal.what, &refusal.why);
        }
        measurement
    }

    /// The measurement of several streams together under `id`.
    pub fn into_together(self, id: impl Into<MeasurementId>, streams: &[Stream]) -> Measurement {
        let mut measurement = self.into_bare(id);
        let names: Vec<&str> = streams.iter().map(|stream| stream.name.as_str()).collect();
        measurement.workload.insert(condition::STREAM_NAMES, json!(names));
        measurement
    }

    fn into_bare(mut self, id: impl Into<MeasurementId>) -> Measurement {
        self.add_issued();
        self.drop_unpaired_counts();
        let mut measurement = Measurement::new(id, Layer::Block);
        measurement.replication = Replication::PerWindow;
        measurement.repeats = self.repeats;
        measurement.metrics = self.samples.into_metrics();
        measurement.histograms = self.histograms;
        measurement.series = self.series;
        if !self.links.is_empty() {
            measurement.conditions.insert(condition::LINKS_UNDER_LOAD, json!(self.links));
        }
        if self.written_bytes > 0 {
            measurement.conditions.insert(condition::WRITTEN_BYTES, json!(self.written_bytes));
        }
        measurement
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_some_windows_alone_are_no_counts() {
        let counts = |counted: &[bool]| {
            let mut record = Record::new();
            for counted in counted {
                record.repeats += 1;
                record.samples.add(metric::OPERATIONS, 10.0);
                for metric in [metric::DEVICE_READ_BYTES, metric::DEVICE_BUSY] {
                    if *counted {
                        record.samples.add(metric, 1.0);
                    }
                }
            }
            let measured = record.into_bare("block.test");
            assert_eq!(measured.value(metric::OPERATIONS), Some(10.0));
            [metric::DEVICE_READ_BYTES, metric::DEVICE_BUSY].map(|metric| measured.value(metric))
        };
        assert_eq!(counts(&[true, true]), [Some(1.0); 2]);
        assert_eq!(counts(&[true, false, true]), [None; 2]);
        assert_eq!(counts(&[false]), [None; 2]);
        let of_ten = |missed: usize| counts(&std::array::from_fn::<_, 10, _>(|at| at >= missed));
        assert_eq!((of_ten(1), of_ten(2)), ([Some(1.0); 2], [None; 2]));
    }
}
