//! One window of one rung: one operation after another, and what they took.

use std::time::Duration;

use narrows_engine::{Context, Samples, now_ns, record_latency};
use narrows_facts::process;
use narrows_model::{Better, Histogram, Layer, Measurement, Role, Unit, condition, metric};
use narrows_observe::Watch;
use narrows_stats::Recorder;
use serde_json::json;

use super::rung::Rung;
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

/// What the windows of one rung in one state gave.
#[derive(Debug, Default)]
pub struct Gathered {
    samples: Samples,
    histograms: Vec<Histogram>,
    all: Recorder,
    busy: Vec<(f64, f64)>,
    read: u64,
    wrong: u64,
}

/// Runs it and adds what it gave.
pub fn one_window(
    ctx: &Context,
    rung: &mut dyn Rung,
    load: Option<&Load<'_>>,
    watch: &Watch,
    gathered: &mut Gathered,
) -> Result<(), LogError> {
    ctx.stop.check()?;
    rung.prepare()?;
    let mut latency = Recorder::new();
    let warm_end = now_ns() + (ctx.window / 10).min(Duration::from_millis(100)).as_nanos() as u64;
    while now_ns() < warm_end {
        ctx.stop.check()?;
        if rung.operation()?.is_none() {
            rung.prepare()?;
        }
    }
    // A layout that wears out begins the window as it should be.
    rung.prepare()?;
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
        let took = rung.operation()?;
        ended = now_ns();
        let Some(took) = took else { break };
        latency.record(took);
        let written = latency.count() as f64 * rung.bytes() as f64;
        if ended >= end || written >= most_bytes {
            break;
        }
        ctx.stop.check()?;
    }
    let cpu_ns = process::thread_cpu_ns() - cpu_before;
    let seen = watch.snapshot().since(&before);
    let busy = load.map(done).zip(busy_before);
    let sentinel_after = narrows_observe::sentinel();
    let (read, wrong) = rung.verify()?;

    let window_ns = (ended - start).max(1) as f64;
    let operations = latency.count() as f64;
    let samples = &mut gathered.samples;
    let rate = operations * 1e9 / window_ns;
    samples.add(metric::THROUGHPUT, Unit::OpsPerS, Better::More, rate);
    record_latency(samples, &latency);
    samples.add(metric::CPU_PER_OP, Unit::NsPerOp, Better::Less, cpu_ns as f64 / operations);
    samples.add(metric::WINDOW, Unit::Ns, Better::Neither, window_ns);
    samples.add(metric::OPERATIONS, Unit::Count, Better::Neither, operations);
    if rung.bytes() > 0 {
        let issued = operations * rung.bytes() as f64;
        samples.add(metric::ISSUED_WRITE_BYTES, Unit::Bytes, Better::Neither, issued);
    }
    samples.add(metric::ERRORS, Unit::Count, Better::Less, wrong as f64);
    samples.extend(seen.metrics());
    let drift = sentinel_after.0 as f64 / sentinel_before.0 as f64 - 1.0;
    samples.add(metric::SENTINEL_DRIFT, Unit::Ratio, Better::Neither, drift);
    if let Some(((writes, reads), (writes_before, reads_before))) = busy {
        let per_s = |count: u64| count as f64 * 1e9 / window_ns;
        let writes = writes.since(&writes_before).writes;
        gathered.busy.push((per_s(writes), per_s(reads - reads_before)));
    }
    gathered.histograms.push(Histogram {
        name: "latency".to_string(),
        unit: Unit::Ns,
        repeat: gathered.histograms.len() as u32,
        hdr_v2: latency.to_hdr_v2(),
    });
    gathered.all.merge(&latency);
    gathered.read += read;
    gathered.wrong += wrong;
    Ok(())
}

impl Gathered {
    /// Windows so far.
    pub fn repeats(&self) -> u32 {
        self.histograms.len() as u32
    }

    /// Writes and reads per second of the load beside, medians; `None` without one.
    pub fn load(&self) -> Option<(f64, f64)> {
        let writes: Vec<f64> = self.busy.iter().map(|(writes, _)| *writes).collect();
        let reads: Vec<f64> = self.busy.iter().map(|(_, reads)| *reads).collect();
        narrows_stats::median(&writes).zip(narrows_stats::median(&reads))
    }

    /// The measurement, without what the rung knows of itself.
    pub fn into_measurement(self, id: String) -> Measurement {
        let mut measurement = Measurement::new(id, Layer::Log);
        measurement.repeats = self.repeats();
        let mut samples = self.samples;
        // Single windows may be too short; a tail of all repeats together needs ten operations beyond it as well.
        for (name, quantile) in [(metric::LATENCY_P99_ALL, 0.99), (metric::LATENCY_P999_ALL, 0.999)]
        {
            let beyond = self.all.count() as f64 * (1.0 - quantile);
            if beyond >= 10.0
                && let Some(ns) = self.all.quantile(quantile)
            {
                samples.add(name, Unit::Ns, Better::Less, ns as f64);
            }
        }
        measurement.metrics = samples.into_metrics();
        // The median would hide an error in one repeat.
        if let Some(errors) = measurement.metrics.iter_mut().find(|m| m.name == metric::ERRORS) {
            errors.value = self.wrong as f64;
        }
        measurement.histograms = self.histograms;
        let workload = &mut measurement.workload;
        workload.insert(condition::LOOP.into(), json!("closed"));
        workload.insert(condition::ROLE.into(), json!(Role::Wal.word()));
        workload.insert(condition::DIRECTION.into(), json!("write"));
        workload.insert(condition::PATTERN.into(), json!("sequential"));
        measurement.conditions.insert("pages_read_back".into(), json!(self.read));
        measurement
    }
}
