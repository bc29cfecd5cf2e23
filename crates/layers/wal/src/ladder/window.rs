//! One window of one step: one operation after another, and what they took.

use std::time::Duration;

use narrows_engine::{Context, LiveValue, Samples, held_quantile, now_ns, record_latency};
use narrows_facts::process;
use narrows_model::{Histogram, Layer, Measurement, Metric, Role, Unit, condition, metric};
use narrows_observe::Watch;
use narrows_stats::Recorder;
use serde_json::json;

use super::step::LadderStep;
use crate::LogError;
use crate::busy::BusyWriter;
use crate::reads::Reader;

/// A window, its warm-up and what lies between windows, over the window itself.
pub const TAKES: f64 = 1.3;

/// The load beside the log.
pub struct Load<'scope> {
    pub writer: BusyWriter<'scope>,
    pub reader: Reader<'scope>,
}

/// What the load beside did in one window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BackgroundRates {
    /// Writes per second.
    pub writes_per_s: f64,
    /// Reads per second.
    pub reads_per_s: f64,
    /// Flushes of its file.
    pub flushes: f64,
}

/// Percentiles of single windows.
const OF_A_WINDOW: [Metric; 3] = [metric::LATENCY_P50, metric::LATENCY_P99, metric::LATENCY_P999];

/// What the windows of one step in one state gave.
#[derive(Debug, Default)]
pub struct Gathered {
    samples: Samples,
    histograms: Vec<Histogram>,
    all: Recorder,
    busy: Vec<BackgroundRates>,
    read: u64,
    wrong: u64,
}

/// Runs it and adds what it gave.
pub fn one_window(
    ctx: &Context,
    step: &mut dyn LadderStep,
    load: Option<&Load<'_>>,
    watch: &Watch,
    gathered: &mut Gathered,
) -> Result<(), LogError> {
    ctx.stop.check()?;
    step.prepare()?;
    let mut latency = Recorder::new();
    let warm_end = now_ns() + (ctx.window / 10).min(Duration::from_millis(100)).as_nanos() as u64;
    while now_ns() < warm_end {
        ctx.stop.check()?;
        if step.operation()?.is_none() {
            step.prepare()?;
        }
    }
    // A layout that wears out begins the window as it should be.
    step.prepare()?;
    step.making_ns();
    let sentinel_before = narrows_observe::sentinel();
    let done = |load: &Load<'_>| (load.writer.done(), load.reader.done());
    let busy_before = load.map(done);
    let before = watch.snapshot();
    let cpu_before = process::thread_cpu_ns();
    let start = now_ns();
    let end = start + ctx.window.as_nanos() as u64;
    let most_bytes = crate::most_bytes(ctx) as f64;
    let mut ended;
    loop {
        let took = step.operation()?;
        ended = now_ns();
        let Some(took) = took else { break };
        latency.record(took);
        let written = latency.count() as f64 * step.bytes() as f64;
        if ended >= end || written >= most_bytes {
            break;
        }
        ctx.stop.check()?;
    }
    let making_ns = step.making_ns();
    let cpu_ns = (process::thread_cpu_ns() - cpu_before).saturating_sub(making_ns);
    let seen = watch.since(&before);
    let busy = load.map(done).zip(busy_before);
    let sentinel_after = narrows_observe::sentinel();
    let (read, wrong) = step.verify()?;

    let window_ns = (ended - start).max(1) as f64;
    // Without the time in which bytes were made up.
    let net_ns = (window_ns - making_ns as f64).max(1.0);
    let operations = latency.count() as f64;
    let samples = &mut gathered.samples;
    if step.back_to_back() {
        let rate = operations * 1e9 / net_ns;
        samples.add(metric::THROUGHPUT, rate);
        samples.add(metric::CPU_PER_OP, cpu_ns as f64 / operations);
    }
    samples.add(metric::WINDOW, net_ns);
    samples.add(metric::OPERATIONS, operations);
    if step.bytes() > 0 {
        let issued = operations * step.bytes() as f64;
        samples.add(metric::ISSUED_WRITE_BYTES, issued);
    }
    samples.add(metric::ERRORS, wrong as f64);
    samples.extend(seen.metrics());
    let drift = sentinel_after.0 as f64 / sentinel_before.0 as f64 - 1.0;
    samples.add(metric::SENTINEL_DRIFT, drift);
    if let Some(((writes, reads), (writes_before, reads_before))) = busy {
        let per_s = |count: u64| count as f64 * 1e9 / window_ns;
        let done = writes.since(&writes_before);
        gathered.busy.push(BackgroundRates {
            writes_per_s: per_s(done.writes),
            reads_per_s: per_s(reads - reads_before),
            flushes: done.flushes as f64,
        });
    }
    gathered.latency(&latency);
    gathered.read_back((read, wrong));
    Ok(())
}

impl Gathered {
    /// Windows so far.
    pub fn repeats(&self) -> u32 {
        self.histograms.len() as u32
    }

    /// What an operation took so far.
    pub fn so_far(&self) -> Option<LiveValue> {
        self.samples.so_far(metric::LATENCY_MEAN).map(LiveValue::Nanos)
    }

    /// Adds what else was read back of a window, and how much of it was not what was written.
    pub fn read_back(&mut self, (read, wrong): (u64, u64)) {
        self.read += read;
        self.wrong += wrong;
    }

    /// Adds one window's distribution.
    fn latency(&mut self, latency: &Recorder) {
        record_latency(&mut self.samples, latency);
        self.histograms.push(Histogram {
            name: "latency".to_string(),
            unit: Unit::Ns,
            repeat: self.histograms.len() as u32,
            hdr_v2: latency.to_hdr_v2(),
        });
        self.all.merge(latency);
    }

    /// What the load beside did in a window, medians; `None` without one.
    pub fn load(&self) -> Option<BackgroundRates> {
        let median = |of: fn(&BackgroundRates) -> f64| {
            narrows_stats::median(&self.busy.iter().map(of).collect::<Vec<f64>>())
        };
        Some(BackgroundRates {
            writes_per_s: median(|beside| beside.writes_per_s)?,
            reads_per_s: median(|beside| beside.reads_per_s)?,
            flushes: median(|beside| beside.flushes)?,
        })
    }

    /// The measurement, without what the step knows of itself.
    pub fn into_measurement(self, id: String) -> Measurement {
        let mut measurement = Measurement::new(id, Layer::Log);
        measurement.repeats = self.repeats();
        let mut samples = self.samples;
        // Single windows may be too short; a tail of all repeats together needs ten operations beyond it as well.
        for (name, quantile) in [(metric::LATENCY_P99_ALL, 0.99), (metric::LATENCY_P999_ALL, 0.999)]
        {
            if let Some(ns) = held_quantile(&self.all, quantile) {
                samples.add(name, ns);
            }
        }
        measurement.metrics = samples.into_metrics();
        // A window with few operations has no percentile. Those of the other windows are its fast ones, and no longer pair by
        // their place with another step's.
        let whole = self.histograms.len();
        measurement
            .metrics
            .retain(|m| !OF_A_WINDOW.iter().any(|of| m.name == *of) || m.samples.len() == whole);
        // The median would hide an error in one repeat.
        if let Some(errors) = measurement.metrics.iter_mut().find(|m| m.name == metric::ERRORS) {
            errors.value = self.wrong as f64;
        }
        measurement.histograms = self.histograms;
        let workload = &mut measurement.workload;
        workload.insert(condition::LOOP, json!("closed"));
        workload.insert(condition::ROLE, json!(Role::Wal.word()));
        workload.insert(condition::DIRECTION, json!("write"));
        workload.insert(condition::PATTERN, json!("sequential"));
        measurement.conditions.insert(condition::PAGES_READ_BACK, json!(self.read));
        measurement
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Windows of 2000 operations but for one, which is ten times as slow and has 200.
    fn with_a_slow_window(step: &str, slow: usize, ns: u64) -> Measurement {
        let mut gathered = Gathered::default();
        for repeat in 0..6 {
            let (count, ns) = if repeat == slow { (200, ns * 10) } else { (2000, ns) };
            let mut latency = Recorder::new();
            (0..count).for_each(|_| latency.record(ns));
            gathered.latency(&latency);
        }
        gathered.into_measurement(format!("log.ladder.{step}.alone"))
    }

    #[test]
    fn a_percentile_that_some_window_lacks_is_that_of_all_together() {
        let mut both =
            [with_a_slow_window("flush", 1, 100_000), with_a_slow_window("leader", 3, 150_000)];
        for m in &both {
            assert!(
                m.metric(metric::LATENCY_P99).is_none(),
                "it would be that of the fast windows"
            );
            assert_eq!(m.metric(metric::LATENCY_P50).unwrap().samples.len(), 6);
        }
        super::super::added::add(&mut both, &|name| {
            (name == "leader").then(|| "flush".to_string())
        });
        // 200 of 10200 operations are the slow window's: p99 is theirs in both.
        let p99 = both[1].value(metric::LATENCY_P99_ALL).unwrap();
        assert!((p99 / 1_500_000.0 - 1.0).abs() < 0.01, "{p99}");
        let added = both[1].metric(metric::ADDED_P99).unwrap();
        assert_eq!(added.samples.len(), 1);
        assert!((added.value / 500_000.0 - 1.0).abs() < 0.02, "{}", added.value);
    }
}
