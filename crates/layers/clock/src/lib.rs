//! The clock layer: what one reading of the time costs by each way a program can take, and whether time goes
//! back.
//!
//! A database reads the clock twice per row and plan node under `EXPLAIN ANALYZE`, at every wait and around
//! every timed read or flush, so a clock source that user space cannot read (`xen`, `hpet`, `acpi_pm`) makes
//! every such reading a system call. The layer gives the figures of all ways; judging them is left to the
//! validity rules.
//!
//! Not here: choosing a clock source, or comparing clocks of several machines.
//!
//! Method: batches of dependent readings between two stamps, the median batch of a repeat (an interrupted
//! batch does not count), on one pinned processor; then pairs of processors under one lock, as the kernel's own
//! warp test does (`arch/x86/kernel/tsc_sync.c`).

mod cost;
mod error;
mod reader;
mod warp;

pub use error::ClockError;
pub use reader::Reader;

use std::time::Duration;

use narrows_engine::{Context, LiveValue, Phase, Samples, repeat_of};
use narrows_facts::{Live, Source, affinity};
use narrows_model::{Layer, Measurement, PlannedStep, Replication, condition, metric};
use serde_json::json;

/// Longest time one repeat reads one clock; more would only repeat itself.
const LONGEST_REPEAT: Duration = Duration::from_millis(100);
/// How long one pair of processors compares clocks.
const PAIR: Duration = Duration::from_millis(2);
/// Pairs per repeat; later repeats take the next ones.
const PAIRS_PER_REPEAT: usize = 16;

const SOURCE_NOW: &str = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
const SOURCES: &str = "/sys/devices/system/clocksource/clocksource0/available_clocksource";

/// Measures every way that exists on this processor: `clock.vdso`, `clock.syscall`, `clock.tsc`.
///
/// Metrics: cost of a reading in ns (one sample per repeat) and, as `errors`, the backward steps seen by one
/// thread and between processors. The way that doesn't exist here is absent.
pub fn measure(ctx: &Context) -> Result<Vec<Measurement>, ClockError> {
    let allowed = affinity::current();
    let mut measurements = Vec::new();
    for reader in Reader::available() {
        measurements.push(measure_reader(ctx, reader, &allowed)?);
    }
    Ok(measurements)
}

/// What [`measure`] will do, and for how long.
pub fn planned(ctx: &Context) -> Vec<PlannedStep> {
    let readers = Reader::available().len() as f64;
    let repeat_s = repeat_length(ctx).as_secs_f64() + PAIR.as_secs_f64() * PAIRS_PER_REPEAT as f64;
    vec![PlannedStep {
        layer: Layer::Clock,
        what: "cost of reading the time".to_string(),
        expected_s: readers * f64::from(ctx.repeats) * repeat_s,
        writes_bytes: 0,
    }]
}

fn repeat_length(ctx: &Context) -> Duration {
    ctx.window.min(LONGEST_REPEAT)
}

fn measure_reader(
    ctx: &Context,
    reader: Reader,
    allowed: &[u32],
) -> Result<Measurement, ClockError> {
    let mut measurement = Measurement::new(format!("clock.{}", reader.word()), Layer::Clock);
    let mut samples = Samples::new();
    let mut pairs = warp::Pairs::of(allowed);
    let source_before = read_text(SOURCE_NOW);
    let cpu = *allowed.last().ok_or(ClockError::NoProcessor)?;
    let mut smallest_step = None;
    let mut largest_back = 0;

    let what = format!("{} on {} CPUs", reader.word(), allowed.len());
    let repeats = ctx.repeats.max(1);
    for repeat in 0..repeats {
        let so_far = samples.so_far(metric::COST).map(LiveValue::Nanos);
        let detail = repeat_of(&what, repeat, repeats, so_far);
        ctx.progress.phase(Layer::Clock, Phase::Measure, &detail);
        let cost = cost::cost_on(cpu, reader, repeat_length(ctx), ctx.stop)?;
        let warps = pairs.check(reader, PAIRS_PER_REPEAT, PAIR, ctx.stop)?;
        samples.add(metric::COST, cost.ns_per_read);
        samples.add(metric::OPERATIONS, cost.reads as f64);
        samples.add(metric::ERRORS, (cost.backward_steps + warps.backward_steps) as f64);
        smallest_step = smallest_step.into_iter().chain(cost.smallest_step).min();
        largest_back = largest_back.max(cost.largest_back).max(warps.largest_back);
    }

    measurement.replication = Replication::PerWindow;
    measurement.repeats = repeats;
    measurement.metrics = samples.into_metrics();
    let workload = &mut measurement.workload;
    workload.insert(condition::METHOD, json!(reader.word()));
    workload.insert(condition::READS_PER_BATCH, json!(cost::BATCH));
    workload.insert(condition::CPU, json!(cpu));
    let conditions = &mut measurement.conditions;
    conditions.insert(condition::CPUS_COMPARED, json!(pairs.compared()));
    if allowed.len() < 2 {
        conditions.insert(condition::CPUS_NOT_COMPARED, json!("only one CPU is allowed"));
    }
    let in_ticks = match reader {
        Reader::Vdso | Reader::Syscall => {
            (condition::SMALLEST_STEP_NS, condition::LARGEST_STEP_BACK_NS)
        }
        Reader::Tsc => (condition::SMALLEST_STEP_TICKS, condition::LARGEST_STEP_BACK_TICKS),
    };
    if let Some(step) = smallest_step {
        conditions.insert(in_ticks.0, json!(step));
    }
    if largest_back > 0 {
        conditions.insert(in_ticks.1, json!(largest_back));
    }
    if let Some(hz) = cost::tick_hz(reader, ctx.stop)? {
        conditions.insert(condition::TICKS_HZ, json!(hz));
    }
    if let Some(source) = &source_before {
        conditions.insert(condition::CLOCK_SOURCE, json!(source));
    }
    if let Some(available) = read_text(SOURCES) {
        conditions.insert(condition::CLOCK_SOURCES_AVAILABLE, json!(available));
    }
    // The kernel drops a source it finds unstable; figures from before and after are not one clock's.
    let source_after = read_text(SOURCE_NOW);
    if source_after != source_before {
        conditions.insert(condition::CLOCK_SOURCE_AFTER, json!(source_after));
    }
    Ok(measurement)
}

fn read_text(path: &str) -> Option<String> {
    let bytes = Live.read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes).trim().to_string();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests;
