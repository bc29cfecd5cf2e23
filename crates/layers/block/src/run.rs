//! One window of a scenario: threads, counters around the window, and what came out together.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use narrows_engine::{Context, Schedule, now_ns};
use narrows_facts::{AddressSpace, affinity, process};
use narrows_observe::{Watch, begun_too_late, sentinel_on};
use narrows_units::Nanos;

use crate::BlockError;
use crate::between::Between;
use crate::contents::Contents;
use crate::cpu_load::CpuLoads;
use crate::gather::{self, Measured};
use crate::outcome::StreamOutcome;
use crate::read_back::read_back;
use crate::scenario::{AccessPattern, Judge, Load, Route, Scenario, Stream};
use crate::seed::seed_of;
use crate::worker::{self, FAILURES, Job, Queue, Shared, Source, Tally};

/// How often the coordinator looks whether the window was closed early: by plan, or because a thread failed.
const LOOK_PLANNED: Duration = Duration::from_millis(5);
const LOOK_FAILED: Duration = Duration::from_millis(50);
/// Beside open loops it wakes up that often: a stop of the whole machine makes it late as well.
const LOOK_OPEN: Duration = Duration::from_millis(2);
/// From the moment all are ready to the first operation: so long may waking all threads take.
const LEAD: Duration = Duration::from_millis(1);

/// Runs a scenario once: all its streams under one common window. One outcome per stream, in their order.
///
/// # Errors
/// [`BlockError::Scenario`] where it can't be run as described, [`BlockError::Failing`] when a hundred operations of
/// a thread have failed, [`BlockError::Stopped`] within a fraction of a second of being asked; or what failed.
pub fn run_scenario(
    ctx: &Context<'_>,
    scenario: &Scenario,
    watch: &Watch,
) -> Result<Vec<StreamOutcome>, BlockError> {
    scenario.check()?;
    scenario.check_addresses(AddressSpace::own())?;
    let slice_ns = scenario.slice.as_nanos() as u64;
    let slices = (scenario.length.as_nanos() as u64 / slice_ns) as usize;
    let queues: Vec<Option<Mutex<Queue>>> = scenario
        .streams
        .iter()
        .zip(1..)
        .map(|(stream, number)| shared_queue(stream, seed_of(scenario.seed, number, 0)))
        .collect();
    let threads: u32 = scenario.streams.iter().map(|stream| stream.threads).sum();
    let shared = Shared::new(threads, ctx.stop);
    let contents: Vec<Contents> = scenario.streams.iter().map(Contents::of).collect();
    // A CPU of the threads, or this one: before and after the window the same.
    let cpu = scenario.streams.iter().find_map(|stream| stream.cpus.first().copied());
    let cpu = cpu.or_else(affinity::current_cpu);
    let sentinel_before = sentinel_on(cpu);

    let mut parts = Vec::with_capacity(threads as usize);
    for ((stream, queue), number) in scenario.streams.iter().zip(&queues).zip(1..) {
        let written = scenario
            .streams
            .iter()
            .any(|other| other.mix.writes() && other.region.overlaps(&stream.region));
        for thread in 0..stream.threads {
            let file = match stream.route {
                Route::Direct => stream.region.direct_file(),
                // The kernel's read-ahead keeps its state per descriptor, and sessions have their own.
                Route::Buffered => stream.region.target().reopen()?,
            };
            parts.push(Job {
                stream,
                thread,
                file,
                order_seed: stream.order_seed.unwrap_or(seed_of(scenario.seed, number, 0)),
                seed: seed_of(scenario.seed, number, u64::from(thread) + 1),
                source: source(stream, queue.as_ref(), thread, seed_of(scenario.seed, number, 0)),
                written,
                warm_up: scenario.warm_up,
                slice_ns,
                slices,
            });
        }
    }
    let (measured, tallies) = execute(ctx, scenario, watch, &shared, parts)?;
    let drift = sentinel_on(cpu).0 as f64 / sentinel_before.0.max(1) as f64 - 1.0;
    let read_back = read_back(scenario, &tallies);
    let contents: Vec<_> = contents.into_iter().zip(read_back).collect();
    Ok(gather::outcomes(scenario, measured, tallies, &contents, drift))
}

/// The schedule that threads which block take turns at.
fn shared_queue(stream: &Stream, seed: u64) -> Option<Mutex<Queue>> {
    let Load::Open { rate_per_s, arrivals, .. } = stream.load else { return None };
    stream.access.depth_per_thread()?;
    if matches!(stream.place, AccessPattern::Recorded(_)) {
        return None;
    }
    Some(Mutex::new(Queue::new(Schedule::new(arrivals, rate_per_s, (0, 1), seed))))
}

fn source<'a>(
    stream: &Stream,
    queue: Option<&'a Mutex<Queue>>,
    thread: u32,
    seed: u64,
) -> Option<Source<'a>> {
    let Load::Open { rate_per_s, arrivals, .. } = stream.load else { return None };
    if let AccessPattern::Recorded(record) = &stream.place {
        return Some(Source::Own(Queue::recorded(Arc::clone(record))));
    }
    Some(match queue {
        Some(queue) => Source::Shared(queue),
        None => {
            let part = (thread, stream.threads);
            Source::Own(Queue::new(Schedule::new(arrivals, rate_per_s, part, seed)))
        }
    })
}

/// Runs the jobs, one thread each; their tallies in the same order.
fn execute<'a>(
    ctx: &Context<'_>,
    scenario: &'a Scenario,
    watch: &Watch,
    shared: &Shared<'_>,
    jobs: Vec<Job<'a>>,
) -> Result<(Measured, Vec<Tally>), BlockError> {
    let busy = CpuLoads::of(&scenario.cpu_loads);
    let ends = || shared.end_ns();
    std::thread::scope(|scope| {
        let (mut handles, wanted) = (Vec::with_capacity(jobs.len()), jobs.len());
        let mut error = busy.start(scope, &ends, ctx.stop).err();
        if error.is_some() {
            shared.gate.fail();
        }
        for job in jobs {
            let name = format!("block-{}", job.thread);
            let spawned = std::thread::Builder::new()
                .name(name)
                .spawn_scoped(scope, move || worker::work(job, shared));
            match spawned {
                Ok(handle) => handles.push(handle),
                Err(source) => {
                    error = Some(BlockError::Thread {
                        action: format!("start thread {} of {wanted}", handles.len() + 1),
                        source,
                        hint: "raise the limits of processes (ulimit -u, pids cgroup) and of addresses (ulimit -v), or use fewer sessions",
                    });
                    shared.gate.fail();
                    break;
                }
            }
        }
        let measured = coordinate(ctx, scenario, watch, shared, &busy);
        if measured.is_none() {
            shared.close(0);
        }
        let mut tallies = Vec::with_capacity(handles.len());
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
        let error = error.or_else(|| failing(scenario, &mut tallies));
        match (error, measured) {
            (Some(error), _) => Err(error),
            (None, Some(measured)) => Ok((measured, tallies)),
            (None, None) if ctx.stop.is_set() => Err(narrows_engine::Stopped.into()),
            (None, None) => Err(BlockError::Scenario {
                stream: scenario.streams[0].name.clone(),
                reason: "all was done before the window began".to_string(),
                hint: "warm up for a shorter time, or give it more to do",
            }),
        }
    })
}

/// The error, if a thread gave up because operations failed.
fn failing(scenario: &Scenario, tallies: &mut [Tally]) -> Option<BlockError> {
    let mut rest = tallies;
    for stream in &scenario.streams {
        let (own, others) = rest.split_at_mut((stream.threads as usize).min(rest.len()));
        rest = others;
        if own.iter().any(|tally| tally.failures >= FAILURES) {
            let failed = own.iter().map(|tally| tally.failures).sum();
            let (offset, first) = own.iter_mut().find_map(|tally| tally.first_failure.take())?;
            return Some(BlockError::Failing { id: stream.name.clone(), failed, offset, first });
        }
    }
    None
}

/// Those who end streams by what they do, once each.
fn judges(scenario: &Scenario) -> Vec<Arc<Judge>> {
    let mut judges: Vec<Arc<Judge>> = Vec::new();
    for judged in scenario.streams.iter().flat_map(|stream| &stream.judged) {
        if !judges.iter().any(|known| Arc::ptr_eq(known, &judged.judge)) {
            judges.push(Arc::clone(&judged.judge));
        }
    }
    judges
}

/// Opens the window and looks at the counters on both of its sides; `None` when a thread failed or all were stopped.
fn coordinate(
    ctx: &Context<'_>,
    scenario: &Scenario,
    watch: &Watch,
    shared: &Shared<'_>,
    busy: &CpuLoads<'_>,
) -> Option<Measured> {
    let limited = scenario.streams.iter().any(|stream| stream.limit.is_some());
    // Only a search for a rate asks whose doing a stop was.
    let judged = |stream: &Stream| stream.load.is_open() && stream.over_ns.is_some();
    let look = match (scenario.streams.iter().any(judged), limited) {
        (true, _) => LOOK_OPEN,
        (false, true) => LOOK_PLANNED,
        (false, false) => LOOK_FAILED,
    };
    let judges = judges(scenario);
    let look = judges.iter().map(|judge| judge.every()).fold(look, Duration::min);
    // The first operation comes after the lead: threads take `warm_up` off the start.
    let window = shared.gate.open(scenario.warm_up + LEAD, scenario.length).ok()?;
    shared.close(window.end_ns);
    window.wait_start(ctx.stop).ok()?;
    // Before the counters of the drives, so that what these missed is all that both did.
    let own_reads = process::drive_bytes(std::process::id());
    let before = watch.snapshot();
    let (cpu_from_ns, from_ns) = (process::self_cpu_ns(), now_ns());
    let busy_from_ns = busy.used_ns();
    let late_ns = now_ns().saturating_sub(before.age().0).saturating_sub(window.start_ns);
    let mut between = Between::default();
    loop {
        let (now, end) = (now_ns(), shared.end_ns());
        if now >= end {
            break;
        }
        let asked = Duration::from_nanos(end - now).min(look);
        ctx.stop.sleep(asked).ok()?;
        between.woke(now_ns(), now + asked.as_nanos() as u64);
        between.look(watch, &before);
        judges.iter().for_each(|judge| judge.look(now_ns()));
    }
    let (cpu_to_ns, to_ns) = (process::self_cpu_ns(), now_ns());
    let busy_ns = busy.used_ns().saturating_sub(busy_from_ns);
    let own_reads_after = process::drive_bytes(std::process::id());
    let seen = watch.since(&before);
    let end_ns = shared.end_ns();
    if end_ns <= window.start_ns {
        return None;
    }
    let window_ns = end_ns - window.start_ns;
    let process_read_bytes = own_reads
        .zip(own_reads_after)
        .filter(|_| !begun_too_late(Nanos(late_ns), Nanos(window_ns)))
        .and_then(|((before, _), (after, _))| after.checked_sub(before));
    let seen = between.limits(seen.begun_late(Nanos(late_ns), Nanos(window_ns)));
    // A window that closed early is over a moment before this thread notices: nothing ran meanwhile, so the time
    // is not scaled then.
    let early = end_ns < window.end_ns;
    // What keeps processors busy beside them is no cost of operations.
    let cpu_ns = (cpu_to_ns - cpu_from_ns).saturating_sub(busy_ns) as f64;
    let scale = if early { 1.0 } else { window_ns as f64 / (to_ns - from_ns).max(1) as f64 };
    Some(Measured {
        start_ns: window.start_ns,
        window_ns,
        cpu_ns: cpu_ns * scale,
        stood_still: between.stood_still_ns as f64 / window_ns as f64,
        process_read_bytes,
        seen,
        still: between.still,
    })
}
