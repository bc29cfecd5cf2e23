//! Reads with many in flight, over several queues: what the fabric carries.

use std::sync::Arc;
use std::time::{Duration, Instant};

use narrows_engine::{Context, Phase, Rng, Samples, repeat_of};
use narrows_facts::process::thread_cpu_ns;
use narrows_initiator::{Association, PathOptions};
use narrows_io::{Arena, DevicePath, Op};
use narrows_model::{Layer, Measurement, condition, metric};
use serde_json::json;

use crate::FabricError;

/// A window is so many times as long as one with one operation in flight.
const LONGER: u32 = 4;
/// Bytes of a read, where the target takes so much.
const READ_BYTES: u32 = 128 << 10;
/// Reads in flight of each queue.
const DEPTH: u32 = 32;
/// Queues, where the target grants and this machine has CPUs for so many, and the address names no other number.
const MOST_QUEUES: u32 = 4;
const ALIGNMENT: usize = 4096;
/// No answer for so long ends it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// Length of a window.
pub(crate) fn length(window: Duration) -> Duration {
    window * LONGER
}

struct QueueReads {
    operations: u64,
    cpu_ns: u64,
}

/// Reads of 128 KiB at random places, 32 in flight on each of up to four queues, or of as many as the address names.
pub(crate) fn throughput(
    ctx: &Context<'_>,
    association: &Arc<Association>,
    region_bytes: u64,
) -> Result<Measurement, FabricError> {
    let reached = association.reached();
    let most = u64::from(reached.max_data).min(region_bytes);
    let bytes = u32::try_from(most).unwrap_or(u32::MAX).min(READ_BYTES);
    let bytes = bytes - bytes % reached.block_bytes;
    let cpus = std::thread::available_parallelism().map_or(1, |cpus| cpus.get() as u32);
    let usual = || reached.queues.min(cpus).clamp(1, MOST_QUEUES);
    let queues = association.address().queues.map_or_else(usual, u32::from);
    let mut samples = Samples::new();
    for repeat in 0..ctx.repeats {
        let detail = repeat_of("reads, many in flight", repeat, ctx.repeats, None);
        ctx.progress.phase(Layer::Fabric, Phase::Measure, &detail);
        let begun = Instant::now();
        let read = |queue: u32| {
            let seed = ctx.seed ^ u64::from(repeat) << 32 ^ u64::from(queue);
            reads(ctx, association, (bytes, region_bytes / u64::from(bytes)), &mut Rng::new(seed))
        };
        let all: Vec<QueueReads> = std::thread::scope(|threads| {
            let threads: Vec<_> =
                (0..queues).map(|queue| threads.spawn(move || read(queue))).collect();
            let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().map(join).collect::<Result<_, FabricError>>()
        })?;
        let seconds = begun.elapsed().as_secs_f64();
        let operations: u64 = all.iter().map(|queue| queue.operations).sum();
        let cpu_ns: u64 = all.iter().map(|queue| queue.cpu_ns).sum();
        samples.add(metric::THROUGHPUT, operations as f64 / seconds);
        samples.add(metric::BANDWIDTH, operations as f64 * f64::from(bytes) / seconds);
        samples.add(metric::CPU_PER_OP, cpu_ns as f64 / operations as f64);
        samples.add(metric::OPERATIONS, operations as f64);
    }
    let id = format!("fabric.throughput.read.{}k", f64::from(bytes) / 1024.0);
    let mut measurement = Measurement::new(id.as_str(), Layer::Fabric);
    measurement.repeats = ctx.repeats;
    measurement.metrics = samples.into_metrics();
    measurement.workload.insert(condition::DIRECTION, json!("read"));
    measurement.workload.insert(condition::BLOCK_BYTES, json!(bytes));
    measurement.workload.insert(condition::DEPTH, json!(queues * DEPTH));
    measurement.workload.insert(condition::QUEUES, json!(queues));
    Ok(measurement)
}

fn reads(
    ctx: &Context<'_>,
    association: &Arc<Association>,
    (bytes, places): (u32, u64),
    rng: &mut Rng,
) -> Result<QueueReads, FabricError> {
    let arena = Arena::new(DEPTH, bytes, ALIGNMENT)
        .map_err(|source| FabricError::System { action: "allocate memory for a queue", source })?;
    let mut path = association.path(arena, PathOptions::default())?;
    let mut submit = |path: &mut dyn DevicePath, slot: u32| {
        path.submit(Op::Read, slot, rng.below(places) * u64::from(bytes), bytes);
    };
    for slot in 0..DEPTH {
        submit(&mut path, slot);
    }
    let (mut operations, mut done) = (0, Vec::with_capacity(DEPTH as usize));
    let cpu_before = thread_cpu_ns();
    let begun = Instant::now();
    let mut answered = begun;
    while path.in_flight() > 0 {
        ctx.stop.check()?;
        path.reap(1, &mut done)?;
        if done.is_empty() && answered.elapsed() > PATIENCE {
            return Err(FabricError::Nothing {
                operation: "read".to_string(),
                seconds: PATIENCE.as_secs_f64(),
            });
        }
        let goes_on = begun.elapsed() < length(ctx.window);
        for completion in done.drain(..) {
            answered = Instant::now();
            completion.bytes().map_err(|source| FabricError::Operation {
                operation: "read".to_string(),
                source,
            })?;
            operations += 1;
            if goes_on {
                submit(&mut path, completion.slot);
            }
        }
    }
    Ok(QueueReads { operations, cpu_ns: thread_cpu_ns() - cpu_before })
}
