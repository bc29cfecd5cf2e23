//! One window of one workload: threads, counters around the window, and what came out together.

use std::sync::Arc;
use std::time::Duration;

use narrows_engine::{Context, now_ns};
use narrows_facts::process;
use narrows_io::{Access, Method, Op, TestFile};
use narrows_observe::{Seen, Watch, sentinel};
use narrows_stats::Recorder;

use crate::BlockError;
use crate::cell::{Order, Route};
use crate::offsets::Offsets;
use crate::worker::{self, FAILURES, Job, SLICE_NS, Shared, Tally};

/// How often the coordinator looks whether the window was closed early: by plan, or because a thread failed.
const LOOK_PLANNED: Duration = Duration::from_millis(5);
const LOOK_FAILED: Duration = Duration::from_millis(50);

/// A workload with everything decided.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load<'a> {
    pub id: &'a str,
    pub op: Op,
    pub order: Order,
    pub block_bytes: u32,
    pub route: Route,
    /// Requests in flight, all threads together.
    pub depth: u32,
    /// Threads; with blocking calls, one per request.
    pub threads: u32,
    pub seed: u64,
    /// How far each thread of earlier windows got.
    pub cursor: u64,
    /// Operations, all threads together, after which the window closes early.
    pub most: Option<u64>,
    pub cpus: &'a [u32],
}

/// What one window gave.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub window_ns: u64,
    pub operations: u64,
    pub bytes: u64,
    pub short: u64,
    pub failed: u64,
    pub looked_at: u64,
    pub zeros: u64,
    pub wrong: u64,
    pub latency: Recorder,
    /// Operations completed in each full slice of the window.
    pub slices: Vec<u64>,
    /// Processor time of this process per operation, ns.
    pub cpu_per_op_ns: f64,
    /// Processor time of the busiest thread over the window.
    pub busiest: f64,
    pub seen: Seen,
    /// Relative change of the sentinel's time.
    pub sentinel_drift: f64,
    /// Where the next window's threads go on.
    pub cursor: u64,
    /// Operations submitted by all threads, warm-up included.
    pub issued: u64,
    /// Whether the kernel granted pinned buffers to all threads, where there is such a thing.
    pub registered_buffers: Option<bool>,
}

impl Outcome {
    /// Operations per second.
    pub(crate) fn throughput(&self) -> f64 {
        self.operations as f64 / (self.window_ns as f64 / 1e9)
    }
}

/// Runs `load` on `file`: `warm_up` unmeasured, then a window of `length`.
pub(crate) fn run(
    ctx: &Context<'_>,
    file: &TestFile,
    watch: &Watch,
    access: &Access,
    load: &Load<'_>,
    (warm_up, length): (Duration, Duration),
) -> Result<Outcome, BlockError> {
    let blocks = file.bytes() / u64::from(load.block_bytes);
    if blocks < u64::from(load.threads) {
        return Err(BlockError::TooSmall {
            file_bytes: file.bytes(),
            block_bytes: load.block_bytes,
        });
    }
    let blocking = Access::blocking();
    let access = if load.route == Route::Best { access } else { &blocking };
    let slices = (length.as_nanos() as u64 / SLICE_NS) as usize;
    let shared = Shared::new(load.threads, ctx.stop);
    let sentinel_before = sentinel();

    let (measured, tallies) = std::thread::scope(|scope| {
        let mut handles = Vec::with_capacity(load.threads as usize);
        let mut refused = None;
        for thread in 0..load.threads {
            let job = match job(file, access, load, thread, blocks, slices) {
                Ok(job) => job,
                Err(error) => {
                    refused = Some(error);
                    break;
                }
            };
            let shared = &shared;
            let spawned = std::thread::Builder::new()
                .name(format!("block-{thread}"))
                .spawn_scoped(scope, move || worker::work(job, shared));
            match spawned {
                Ok(handle) => handles.push(handle),
                Err(source) => {
                    refused = Some(BlockError::Thread {
                        action: format!("start thread {} of {}", thread + 1, load.threads),
                        source,
                        hint: "raise the limits of processes (ulimit -u, pids cgroup), or use fewer sessions",
                    });
                    break;
                }
            }
        }
        if refused.is_some() {
            shared.gate.fail();
        }
        let look = if load.most.is_some() { LOOK_PLANNED } else { LOOK_FAILED };
        let measured = coordinate(ctx, watch, &shared, (warm_up, length), look);
        if measured.is_none() {
            shared.close(0);
        }
        let mut tallies = Vec::with_capacity(handles.len());
        let mut error = refused;
        for handle in handles {
            match handle.join() {
                Ok(Ok(tally)) => tallies.push(tally),
                // The first error that is not merely the echo of another's.
                Ok(Err(other)) => match error {
                    None | Some(BlockError::Stopped(_)) => error = Some(other),
                    Some(_) => {}
                },
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        let error = error.or_else(|| failing(load, &mut tallies));
        match (error, measured) {
            (Some(error), _) => Err(error),
            (None, Some(measured)) => Ok((measured, tallies)),
            (None, None) => Err(narrows_engine::Stopped.into()),
        }
    })?;
    Ok(gather(load, measured, tallies, sentinel_before.0))
}

/// The error, if a thread gave up because operations failed.
fn failing(load: &Load<'_>, tallies: &mut [Tally]) -> Option<BlockError> {
    let failed: u64 = tallies.iter().map(|tally| tally.failed).sum();
    if tallies.iter().all(|tally| tally.failed < FAILURES) {
        return None;
    }
    let (offset, first) = tallies.iter_mut().find_map(|tally| tally.first_failure.take())?;
    Some(BlockError::Failing { id: load.id.to_string(), failed, offset, first })
}

fn job<'a>(
    file: &'a TestFile,
    access: &'a Access,
    load: &Load<'a>,
    thread: u32,
    blocks: u64,
    slices: usize,
) -> Result<Job<'a>, BlockError> {
    let target = match load.route {
        Route::Buffered => file.reopen()?,
        Route::Best | Route::Direct => match file.direct_file() {
            Ok(direct) => direct,
            Err(_) => Arc::clone(file.buffered_file()),
        },
    };
    let share = |total: u64| {
        let (thread, threads) = (u64::from(thread), u64::from(load.threads));
        total * (thread + 1) / threads - total * thread / threads
    };
    Ok(Job {
        file,
        target,
        access,
        op: load.op,
        block_bytes: load.block_bytes,
        depth: share(u64::from(load.depth)).max(1) as u32,
        threads: load.threads,
        offsets: Offsets::new(
            load.order,
            (thread, load.threads),
            (blocks, load.block_bytes),
            load.cursor,
            load.seed,
        ),
        most: load.most.map(|most| share(most).max(1)),
        cpus: load.cpus,
        slices,
    })
}

/// What the coordinator saw around the window.
struct Measured {
    window_ns: u64,
    cpu_ns: f64,
    seen: Seen,
}

/// Opens the window and looks at the counters on both of its sides; `None` when a thread failed or all were stopped.
fn coordinate(
    ctx: &Context<'_>,
    watch: &Watch,
    shared: &Shared<'_>,
    (warm_up, length): (Duration, Duration),
    look: Duration,
) -> Option<Measured> {
    let window = shared.gate.open(warm_up, length).ok()?;
    shared.close(window.end_ns);
    window.wait_start(ctx.stop).ok()?;
    let before = watch.snapshot();
    let (cpu_from_ns, from_ns) = (process::self_cpu_ns(), now_ns());
    loop {
        let (now, end) = (now_ns(), shared.end_ns());
        if now >= end {
            break;
        }
        let left = Duration::from_nanos(end - now).min(look);
        ctx.stop.sleep(left).ok()?;
    }
    let (cpu_to_ns, to_ns) = (process::self_cpu_ns(), now_ns());
    let after = watch.snapshot();
    let end_ns = shared.end_ns();
    if end_ns <= window.start_ns {
        return None;
    }
    let window_ns = end_ns - window.start_ns;
    // A window that closed early is over a moment before this thread notices: nothing ran meanwhile, so the time
    // is not scaled then.
    let early = end_ns < window.end_ns;
    let cpu_ns = (cpu_to_ns - cpu_from_ns) as f64;
    let scale = if early { 1.0 } else { window_ns as f64 / (to_ns - from_ns).max(1) as f64 };
    Some(Measured { window_ns, cpu_ns: cpu_ns * scale, seen: after.since(&before) })
}

fn gather(
    load: &Load<'_>,
    measured: Measured,
    tallies: Vec<Tally>,
    sentinel_before_ns: u64,
) -> Outcome {
    let full_slices = (measured.window_ns / SLICE_NS) as usize;
    let mut outcome = Outcome {
        window_ns: measured.window_ns,
        operations: 0,
        bytes: 0,
        short: 0,
        failed: 0,
        looked_at: 0,
        zeros: 0,
        wrong: 0,
        latency: Recorder::new(),
        slices: vec![0; full_slices],
        cpu_per_op_ns: 0.0,
        busiest: 0.0,
        seen: measured.seen,
        sentinel_drift: 0.0,
        cursor: load.cursor,
        issued: 0,
        registered_buffers: None,
    };
    let mut furthest = 0;
    for tally in tallies {
        outcome.operations += tally.operations;
        outcome.bytes += tally.bytes;
        outcome.short += tally.short;
        outcome.failed += tally.failed;
        outcome.looked_at += tally.looked_at;
        outcome.zeros += tally.zeros;
        outcome.wrong += tally.wrong;
        outcome.latency.merge(&tally.latency);
        for (sum, slice) in outcome.slices.iter_mut().zip(&tally.slices) {
            *sum += slice;
        }
        outcome.busiest = outcome.busiest.max(tally.cpu_ns as f64 / measured.window_ns as f64);
        outcome.issued += tally.issued;
        outcome.registered_buffers = match (outcome.registered_buffers, tally.registered_buffers) {
            (Some(all), Some(this)) => Some(all && this),
            (one, other) => one.or(other),
        };
        furthest = furthest.max(tally.issued);
    }
    outcome.cursor += furthest;
    outcome.cpu_per_op_ns = measured.cpu_ns / outcome.operations as f64;
    let after_ns = sentinel().0;
    outcome.sentinel_drift = after_ns as f64 / sentinel_before_ns.max(1) as f64 - 1.0;
    outcome
}

/// Threads and depth that `depth` requests by `route` take: blocking calls need a thread for each.
pub(crate) fn threads_for(access: &Access, route: Route, depth: u32, generators: u32) -> u32 {
    match (route, access.method()) {
        (Route::Best, Method::Blocking) | (Route::Buffered | Route::Direct, _) => depth,
        (Route::Best, _) => generators.clamp(1, depth),
    }
}
