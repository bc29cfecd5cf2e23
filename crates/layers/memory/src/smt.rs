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

use std::time::Duration;

use narrows_engine::{Context, LiveValue, Samples, Stop, Window};
use narrows_facts::affinity;
use narrows_model::{Layer, Measurement, Platform, condition, metric};
use narrows_observe::Watch;
use serde_json::json;

use crate::MemoryError;
use crate::lookup::{BATCH, Lookups};
use crate::thread_group::{Done, Failure, GroupWorker, ThreadGroup};

/// The measurement's id.
pub const ID: &str = "memory.smt_yield";
/// Longest single window; a repeat has four.
const LONGEST_WINDOW: Duration = Duration::from_millis(250);
/// Windows of a repeat.
const TURNS: usize = 4;
/// The kind of window in which all CPUs work; the others are each one's alone.
const TOGETHER: usize = 0;

/// Length of one window.
fn window_length(ctx: &Context) -> Duration {
    ctx.window.min(LONGEST_WINDOW)
}

/// Expected length of the whole measurement, s.
pub fn expected_s(ctx: &Context) -> f64 {
    ThreadGroup::expected_s(ctx, TURNS, window_length(ctx))
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
    let ids = vec![ID.to_string(); 1 + cpus.len()];
    let crew = ThreadGroup { cpus, ids: &ids, window: window_length(ctx) };
    let kinds: Vec<usize> = (0..repeats as usize).flat_map(|at| turns(at, cpus.len())).collect();
    let mut samples = Samples::new();
    let (mut alone, mut together, mut over) = (Rate::default(), Rate::default(), 0);
    let prepare = |cpu: u32| {
        let lookups = Lookups::new(ctx.seed ^ u64::from(cpu), ctx.stop)
            .map_err(|stopped| Failure::Memory(stopped.into()))?;
        let worker = cpus.iter().position(|own| *own == cpu).unwrap_or(0);
        Ok(Worker { cpu, lone: 1 + worker, lookups, batch: 0, stop: ctx.stop })
    };
    let worked = crew.turns(ctx, &kinds, watch, prepare, |turn| {
        let rate = if turn.kind == TOGETHER { &mut together } else { &mut alone };
        rate.window_ns += turn.window.length_ns();
        rate.lookups += turn.did.iter().map(|done| done.amount).sum::<u64>();
        turn.add_to(&mut samples, turn.did.iter().map(|done| done.wrong).sum());
        over += 1;
        if over % TURNS == 0 {
            let (both, one) = (std::mem::take(&mut together), std::mem::take(&mut alone));
            let smt_yield = both.per_s() / one.per_s();
            samples.add(metric::SMT_YIELD, smt_yield);
            samples.add(metric::THROUGHPUT, both.per_s());
            samples.add(metric::THROUGHPUT_ALONE, one.per_s());
        }
        samples.so_far(metric::THROUGHPUT).map(LiveValue::PerSecond)
    })?;
    worked.expect("nothing is mapped");
    let mut measurement = Measurement::new(ID, Layer::Memory);
    measurement.repeats = repeats;
    measurement.metrics = samples.into_metrics();
    let workload = &mut measurement.workload;
    workload.insert(condition::CPUS, json!(cpus));
    workload.insert(condition::THREADS, json!(cpus.len()));
    workload.insert(condition::BYTES_PER_THREAD, json!(Lookups::BYTES));
    workload.insert(condition::SEED, json!(ctx.seed));
    if let Some(hypervisor) = &platform.hypervisor {
        // Which CPUs are siblings is then what the hypervisor says; see the book.
        measurement.conditions.insert(condition::TOPOLOGY_TOLD_BY, json!(hypervisor));
    }
    Ok(measurement)
}

/// The kinds of a repeat's windows: alone, together, together, alone. The first and the last are two different CPUs' where there are
/// two.
fn turns(repeat: usize, cpus: usize) -> [usize; TURNS] {
    [1 + repeat % cpus, TOGETHER, TOGETHER, 1 + (repeat + 1) % cpus]
}

/// A thread with its work.
struct Worker<'a> {
    cpu: u32,
    /// The kind in which it is alone.
    lone: usize,
    lookups: Lookups,
    batch: u64,
    stop: &'a Stop,
}

impl GroupWorker for Worker<'_> {
    type Did = Done;

    fn work(&mut self, kind: usize, window: Window) -> Done {
        if kind != TOGETHER && kind != self.lone {
            return Done::default();
        }
        let moved = |cpu: u32| u64::from(affinity::current_cpu() != Some(cpu));
        let before = moved(self.cpu);
        let mut done = Done::batches(window, self.stop, || {
            let right = self.lookups.batch(self.batch);
            self.batch += 1;
            Some(Done { amount: BATCH, wrong: u64::from(!right) })
        });
        done.wrong += before.max(moved(self.cpu));
        done
    }
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

    use narrows_model::Metric;

    use super::*;

    fn context(stop: &Stop, window: Duration) -> Context<'_> {
        Context { stop, progress: &Silent, seed: 9, repeats: 3, quick: true, window }
    }

    const SHORT: Duration = Duration::from_millis(20);

    #[test]
    fn a_repeat_counts_alone_and_together_and_its_yield_is_their_ratio() {
        // Any two CPUs do; here they need not be siblings.
        let allowed = affinity::current();
        let Some(pair) = allowed.get(..2) else { return eprintln!("SKIPPED: one CPU only") };
        let stop = Stop::new();
        // On a busy machine a thread may get no CPU in a short window.
        let windows = [SHORT, SHORT * 10, SHORT * 100].into_iter();
        let mut measured = windows.map(|window| {
            let ctx = context(&stop, window);
            (window, measure(&ctx, &Platform::default(), pair, &Watch::none()).unwrap())
        });
        let whole = |m: &Measurement| {
            m.metric(metric::SMT_YIELD).is_some_and(|yields| yields.samples.len() == 3)
        };
        let (window, m) = measured.find(|(_, m)| whole(m)).expect("seconds hold some lookups");
        assert_eq!((m.id.as_str(), m.repeats), (ID, 3));
        assert_eq!(m.number(condition::THREADS), Some(2.0));
        let samples = |name: Metric| m.metric(name).unwrap().samples.clone();
        let (yields, together, alone) = (
            samples(metric::SMT_YIELD),
            samples(metric::THROUGHPUT),
            samples(metric::THROUGHPUT_ALONE),
        );
        assert_eq!((yields.len(), together.len(), alone.len()), (3, 3, 3));
        for at in 0..3 {
            assert!(alone[at] > 0.0 && together[at] > 0.0);
            assert!((yields[at] * alone[at] / together[at] - 1.0).abs() < 1e-9);
            // Whole batches in two windows.
            for rate in [alone[at], together[at]] {
                let batches = rate * 2.0 * window.as_secs_f64() / BATCH as f64;
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
        let error = measure(&context(&stop, SHORT), &Platform::default(), &cpus, &Watch::none());
        assert!(matches!(error, Err(MemoryError::Pin { cpu: 4000, .. })), "{error:?}");
    }

    #[test]
    fn a_stop_ends_it_with_an_error() {
        let stop = Stop::new();
        let mut ctx = context(&stop, SHORT);
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
