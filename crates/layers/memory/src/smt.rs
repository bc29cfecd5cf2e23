//! SMT yield: what the CPUs of one core do together, over what one of them does alone.
//!
//! Two CPUs of a core share its execution units and caches, so each is slower while the other works: CPU time per
//! operation grows under load without any memory, coherence or lock being to blame. The verdict takes that out of the
//! sharing factor, and for it needs the yield of these very cores for work like a database's ([`crate::lookup`]).
//!
//! Alone and together take turns within each repeat (alone, together, together, alone), so that a drift of the
//! clock frequency falls on both; a repeat's yield is the ratio of its own windows. Alone is each of the core's CPUs
//! in turn, because the sibling that takes the interrupts is slower. One core stands for all of the server's.
//!
//! Not here: other instruction mixes, frequency effects of loading *all* cores, hybrid machines whose cores differ.

use std::sync::mpsc;
use std::time::Duration;

use narrows_engine::{Context, Gate, Phase, Samples, Window, now_ns};
use narrows_facts::affinity;
use narrows_model::{Better, Layer, Measurement, Platform, Unit, condition, metric};
use narrows_observe::Watch;
use serde_json::json;

use crate::MemoryError;
use crate::lookup::{BATCH, Lookups};

/// The measurement's id.
pub const ID: &str = "memory.smt_yield";
const WARM_UP: Duration = Duration::from_millis(20);
/// Longest single window; a repeat has four.
const LONGEST_WINDOW: Duration = Duration::from_millis(250);
/// Windows of a repeat: whether all CPUs work.
const TURNS: [bool; 4] = [false, true, true, false];

/// Length of one window.
fn window_length(ctx: &Context) -> Duration {
    ctx.window.min(LONGEST_WINDOW)
}

/// Expected length of the whole measurement, s.
pub fn expected_s(ctx: &Context) -> f64 {
    let window = (window_length(ctx) + WARM_UP).as_secs_f64();
    f64::from(ctx.repeats.max(1)) * TURNS.len() as f64 * window
}

/// The yield of these CPUs. They need not be siblings: of two whole cores it is near 2.
///
/// # Errors
/// When asked to stop, or when a thread can't be kept on its CPU.
pub fn measure(
    ctx: &Context,
    platform: &Platform,
    cpus: &[u32],
    watch: &Watch,
) -> Result<Measurement, MemoryError> {
    let repeats = ctx.repeats.max(1);
    let turns: Vec<Turn> = (0..repeats as usize)
        .flat_map(|repeat| {
            TURNS.iter().enumerate().map(move |(at, together)| {
                let workers = if *together { cpus.len() } else { 1 };
                // The first and the last window of a repeat are two different CPUs' where there are two.
                let lone = (!together).then_some((repeat + at.min(1)) % cpus.len());
                Turn { lone, workers, gate: Gate::new(workers) }
            })
        })
        .collect();
    let (counts_to, counts) = mpsc::channel();
    ctx.progress.phase(Layer::Memory, Phase::Prepare, ID);
    let samples = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..cpus.len())
            .map(|worker| {
                let (counts_to, turns) = (counts_to.clone(), &turns);
                scope.spawn(move || work(ctx, cpus[worker], worker, turns, &counts_to))
            })
            .collect();
        drop(counts_to);
        let measured = take_turns(ctx, &turns, &counts, watch);
        // Whoever still waits is released: after a stop, or when a sibling could not prepare.
        turns.iter().for_each(|turn| turn.gate.fail());
        for worker in workers {
            worker.join().expect("the working threads do not panic")?;
        }
        measured
    })?;
    let mut measurement = Measurement::new(ID, Layer::Memory);
    measurement.repeats = repeats;
    measurement.metrics = samples.into_metrics();
    measurement.workload.insert("cpus".into(), json!(cpus));
    measurement.workload.insert(condition::THREADS.into(), json!(cpus.len()));
    measurement.workload.insert("bytes_per_thread".into(), json!(Lookups::BYTES));
    measurement.workload.insert("seed".into(), json!(ctx.seed));
    if let Some(hypervisor) = &platform.hypervisor {
        // Which CPUs are siblings is then what the hypervisor says; see the book.
        measurement.conditions.insert("topology_told_by".into(), json!(hypervisor));
    }
    Ok(measurement)
}

/// One window.
struct Turn {
    /// The worker that is alone; `None` when all work.
    lone: Option<usize>,
    workers: usize,
    gate: Gate,
}

/// What one worker did in one window.
struct Count {
    lookups: u64,
    errors: u64,
    moved: bool,
}

fn work(
    ctx: &Context,
    cpu: u32,
    worker: usize,
    turns: &[Turn],
    counts_to: &mpsc::Sender<Count>,
) -> Result<(), MemoryError> {
    let prepared = affinity::pin(&[cpu])
        .map_err(|reason| MemoryError::Pin { cpu, reason })
        .and_then(|()| Ok(Lookups::new(ctx.seed ^ u64::from(cpu), ctx.stop)?));
    if prepared.is_err() {
        turns.iter().for_each(|turn| turn.gate.fail());
    }
    let lookups = prepared?;
    let mut batch = 0;
    for turn in turns.iter().filter(|turn| turn.lone.is_none_or(|lone| lone == worker)) {
        let Ok(window) = turn.gate.ready() else { break };
        let _ = counts_to.send(count(ctx, cpu, &lookups, &mut batch, window));
    }
    Ok(())
}

/// Works until the window ends; counts the batches that were completed inside it.
fn count(ctx: &Context, cpu: u32, lookups: &Lookups, batch: &mut u64, window: Window) -> Count {
    let mut count = Count { lookups: 0, errors: 0, moved: affinity::current_cpu() != Some(cpu) };
    loop {
        let right = lookups.batch(*batch);
        *batch += 1;
        count.errors += u64::from(!right);
        let at = now_ns();
        if at >= window.end_ns || ctx.stop.is_set() {
            count.moved |= affinity::current_cpu() != Some(cpu);
            return count;
        }
        if window.contains(at) {
            count.lookups += BATCH;
        }
    }
}

fn take_turns(
    ctx: &Context,
    turns: &[Turn],
    counts: &mpsc::Receiver<Count>,
    watch: &Watch,
) -> Result<Samples, MemoryError> {
    let mut samples = Samples::new();
    for repeat in turns.chunks(TURNS.len()) {
        let sentinel_before = narrows_observe::sentinel();
        ctx.progress.phase(Layer::Memory, Phase::Measure, ID);
        let before = watch.snapshot();
        let (mut alone, mut together) = (Rate::default(), Rate::default());
        let (mut errors, mut moved) = (0, 0u64);
        for turn in repeat {
            // A failed gate is explained by the worker that failed it, whose error comes before this result.
            let Ok(window) = turn.gate.open(WARM_UP, window_length(ctx)) else {
                return Ok(samples);
            };
            window.wait_end(ctx.stop)?;
            let rate = if turn.lone.is_some() { &mut alone } else { &mut together };
            rate.window_ns += window.length_ns();
            for count in counts.iter().take(turn.workers) {
                rate.lookups += count.lookups;
                errors += count.errors;
                moved += u64::from(count.moved);
            }
            ctx.stop.check()?;
        }
        let seen = watch.since(&before);
        let sentinel_after = narrows_observe::sentinel();
        let smt_yield = together.per_s() / alone.per_s();
        samples.add(metric::SMT_YIELD, Unit::Ratio, Better::More, smt_yield);
        samples.add(metric::THROUGHPUT, Unit::OpsPerS, Better::More, together.per_s());
        samples.add(metric::THROUGHPUT_ALONE, Unit::OpsPerS, Better::More, alone.per_s());
        samples.add(metric::ERRORS, Unit::Count, Better::Less, (errors + moved) as f64);
        samples.extend(seen.metrics());
        crate::add_sentinel(&mut samples, sentinel_before, sentinel_after);
    }
    Ok(samples)
}

#[derive(Default)]
struct Rate {
    lookups: u64,
    window_ns: u64,
}

impl Rate {
    fn per_s(&self) -> f64 {
        self.lookups as f64 / self.window_ns as f64 * 1e9
    }
}

#[cfg(test)]
mod tests {
    use narrows_engine::{Silent, Stop};

    use super::*;

    fn context(stop: &Stop) -> Context<'_> {
        Context {
            stop,
            progress: &Silent,
            seed: 9,
            repeats: 3,
            quick: true,
            window: Duration::from_millis(20),
        }
    }

    #[test]
    fn a_repeat_counts_alone_and_together_and_its_yield_is_their_ratio() {
        // Any two CPUs do; here they need not be siblings.
        let allowed = affinity::current();
        let Some(pair) = allowed.get(..2) else { return eprintln!("SKIPPED: one CPU only") };
        let stop = Stop::new();
        let m = measure(&context(&stop), &Platform::default(), pair, &Watch::none()).unwrap();
        assert_eq!((m.id.as_str(), m.repeats), (ID, 3));
        assert_eq!(m.number(condition::THREADS), Some(2.0));
        let samples = |name: &str| m.metric(name).unwrap().samples.clone();
        let (yields, together, alone) = (
            samples(metric::SMT_YIELD),
            samples(metric::THROUGHPUT),
            samples(metric::THROUGHPUT_ALONE),
        );
        assert_eq!((yields.len(), together.len(), alone.len()), (3, 3, 3));
        for at in 0..3 {
            assert!(alone[at] > 0.0 && together[at] > 0.0);
            assert!((yields[at] * alone[at] / together[at] - 1.0).abs() < 1e-9);
            // Whole batches in two windows of 20 ms.
            for rate in [alone[at], together[at]] {
                let batches = rate * 0.04 / BATCH as f64;
                assert!((batches - batches.round()).abs() < 1e-6, "{batches}");
            }
        }
        assert_eq!(m.value(metric::ERRORS), Some(0.0));
        println!("yield of CPUs {pair:?}: {yields:.3?}");
    }

    #[test]
    fn a_cpu_that_does_not_exist_is_an_error_and_nobody_hangs() {
        let stop = Stop::new();
        let cpus = [affinity::current()[0], 4000];
        let error = measure(&context(&stop), &Platform::default(), &cpus, &Watch::none());
        assert!(matches!(error, Err(MemoryError::Pin { cpu: 4000, .. })), "{error:?}");
    }

    #[test]
    fn a_stop_ends_it_with_an_error() {
        let stop = Stop::new();
        let mut ctx = context(&stop);
        ctx.repeats = 100_000;
        let stopper = stop.clone();
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(80));
            stopper.set();
        });
        let cpus = affinity::current();
        let result =
            measure(&ctx, &Platform::default(), &cpus[..cpus.len().min(2)], &Watch::none());
        thread.join().unwrap();
        assert!(matches!(result, Err(MemoryError::Stopped(_))), "{result:?}");
    }
}
