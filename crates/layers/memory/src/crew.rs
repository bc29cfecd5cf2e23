//! Threads on CPUs of their own that do several kinds of work in turns, each turn in one common window.
//!
//! The order of the kinds is drawn anew in each repeat, so that a drift of the clock frequency falls on all of them.

use std::sync::mpsc;
use std::time::Duration;

use narrows_engine::{Context, Gate, Phase, Rng, Samples, Window};
use narrows_facts::affinity;
use narrows_model::{Better, Layer, Unit, metric};
use narrows_observe::Watch;

use crate::MemoryError;
use crate::mapping::MapError;

const FIRST_WARM_UP: Duration = Duration::from_millis(100);
/// Between turns nobody rested for long.
const WARM_UP: Duration = Duration::from_millis(30);

/// What a thread did in a window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Done {
    /// Bytes or operations that were completed inside the window.
    pub amount: u64,
    /// What is known not to have happened as it should.
    pub wrong: u64,
}

/// One thread's work.
pub trait Hand {
    /// Does that kind until the window ends, or is asked to stop.
    fn work(&mut self, kind: usize, window: Window) -> Done;
}

/// Why a thread can't prepare.
#[derive(Debug)]
pub enum Failure {
    /// No such memory: the measurement is absent.
    Map(MapError),
    /// Nothing can be measured.
    Memory(MemoryError),
}

impl From<MapError> for Failure {
    fn from(error: MapError) -> Failure {
        Failure::Map(error)
    }
}

/// All windows of one kind.
#[derive(Default)]
pub struct Windows {
    /// Errors, what was seen of the machine, the sentinel's drift.
    pub samples: Samples,
    /// What all threads did, per second, by repeat.
    pub per_s: Vec<f64>,
    /// The least of a window's threads over its most, in the worst window.
    pub slowest_over_fastest: f64,
}

/// Does something when a thread panics: the others would wait for it for ever.
pub struct OnPanic<F: Fn()>(pub F);

impl<F: Fn()> Drop for OnPanic<F> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            (self.0)();
        }
    }
}

/// Who works.
pub struct Crew<'a> {
    /// A thread on each.
    pub cpus: &'a [u32],
    /// What the kinds are called in the progress.
    pub ids: &'a [String],
    /// One window.
    pub window: Duration,
}

/// One window of one kind.
struct Turn {
    kind: usize,
    gate: Gate,
}

impl Crew<'_> {
    /// Expected length of all windows of so many kinds, s.
    pub fn expected_s(ctx: &Context, kinds: usize, window: Duration) -> f64 {
        let each = (window + WARM_UP).as_secs_f64();
        f64::from(ctx.repeats.max(1)) * kinds as f64 * each
    }

    /// Lets all of them prepare, each on its CPU, and work in turns; by kind what came of it, or why it can't be had.
    ///
    /// # Errors
    /// When asked to stop, or when a thread can't be kept on its CPU.
    pub fn work<H: Hand>(
        &self,
        ctx: &Context,
        watch: &Watch,
        prepare: impl Fn(u32) -> Result<H, Failure> + Sync,
    ) -> Result<Result<Vec<Windows>, MapError>, MemoryError> {
        let turns = turns(ctx, self.ids.len(), self.cpus.len());
        let (done_to, done) = mpsc::channel();
        ctx.progress.phase(Layer::Memory, Phase::Prepare, &self.ids[0]);
        let outcome = std::thread::scope(|scope| {
            let release = || turns.iter().for_each(|turn| turn.gate.fail());
            let _here = OnPanic(release);
            let workers: Vec<_> = self
                .cpus
                .iter()
                .map(|&cpu| {
                    let (done_to, turns, prepare) = (done_to.clone(), &turns, &prepare);
                    scope.spawn(move || {
                        let _there = OnPanic(release);
                        let prepared = affinity::pin(&[cpu])
                            .map_err(|reason| Failure::Memory(MemoryError::Pin { cpu, reason }))
                            .and_then(|()| prepare(cpu));
                        if prepared.is_err() {
                            release();
                        }
                        let mut hand = prepared?;
                        for turn in turns {
                            let Ok(window) = turn.gate.ready() else { break };
                            let _ = done_to.send(hand.work(turn.kind, window));
                        }
                        Ok::<(), Failure>(())
                    })
                })
                .collect();
            drop(done_to);
            let windows = self.take_turns(ctx, &turns, &done, watch);
            // Whoever still waits is released: after a stop, or when a sibling could not prepare.
            release();
            for worker in workers {
                worker.join().expect("the working threads do not panic")?;
            }
            windows.map_err(Failure::Memory)
        });
        match outcome {
            Ok(windows) => Ok(Ok(windows)),
            Err(Failure::Map(MapError::Stopped(stopped))) => Err(stopped.into()),
            Err(Failure::Map(refused)) => Ok(Err(refused)),
            Err(Failure::Memory(error)) => Err(error),
        }
    }

    fn take_turns(
        &self,
        ctx: &Context,
        turns: &[Turn],
        done: &mpsc::Receiver<Done>,
        watch: &Watch,
    ) -> Result<Vec<Windows>, MemoryError> {
        let mut all: Vec<Windows> = self
            .ids
            .iter()
            .map(|_| Windows { slowest_over_fastest: 1.0, ..Windows::default() })
            .collect();
        for (at, turn) in turns.iter().enumerate() {
            let sentinel_before = narrows_observe::sentinel();
            ctx.progress.phase(Layer::Memory, Phase::Measure, &self.ids[turn.kind]);
            let warm_up = if at == 0 { FIRST_WARM_UP } else { WARM_UP };
            // A failed gate is explained by the worker that failed it, whose error comes before this result.
            let Ok(window) = turn.gate.open(warm_up, self.window) else { break };
            window.wait_start(ctx.stop)?;
            let before = watch.snapshot();
            window.wait_end(ctx.stop)?;
            let seen = watch.since(&before);
            let did: Vec<Done> = done.iter().take(self.cpus.len()).collect();
            ctx.stop.check()?;
            let sentinel_after = narrows_observe::sentinel();

            let amounts = || did.iter().map(|done| done.amount);
            let (least, most) = (amounts().min().unwrap_or(0), amounts().max().unwrap_or(0));
            let wrong: u64 = did.iter().map(|done| done.wrong).sum();
            let windows = &mut all[turn.kind];
            windows.slowest_over_fastest =
                windows.slowest_over_fastest.min(least as f64 / most.max(1) as f64);
            windows.per_s.push(amounts().sum::<u64>() as f64 * 1e9 / window.length_ns() as f64);
            windows.samples.add(metric::ERRORS, Unit::Count, Better::Less, wrong as f64);
            windows.samples.extend(seen.metrics());
            crate::add_sentinel(&mut windows.samples, sentinel_before, sentinel_after);
        }
        Ok(all)
    }
}

/// All windows in their order.
fn turns(ctx: &Context, kinds: usize, workers: usize) -> Vec<Turn> {
    let mut rng = Rng::new(ctx.seed);
    let mut turns = Vec::new();
    for _ in 0..ctx.repeats.max(1) {
        let order = shuffled(kinds, &mut rng);
        turns.extend(order.into_iter().map(|kind| Turn { kind, gate: Gate::new(workers) }));
    }
    turns
}

/// The numbers below `n` in an order drawn at random (Fisher and Yates).
pub fn shuffled(n: usize, rng: &mut Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        order.swap(i, rng.below(i as u64 + 1) as usize);
    }
    order
}

#[cfg(test)]
mod tests {
    use narrows_engine::{Silent, Stop};

    use super::*;

    fn context(stop: &Stop, repeats: u32) -> Context<'_> {
        let window = Duration::from_millis(1);
        Context { stop, progress: &Silent, seed: 3, repeats, quick: false, window }
    }

    #[test]
    fn every_kind_has_its_turn_in_every_repeat_and_the_order_changes() {
        let stop = Stop::new();
        let turns = turns(&context(&stop, 20), 4, 1);
        let orders: Vec<Vec<usize>> =
            turns.chunks(4).map(|repeat| repeat.iter().map(|turn| turn.kind).collect()).collect();
        assert_eq!(orders.len(), 20);
        for order in &orders {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3]);
        }
        let first: std::collections::BTreeSet<usize> =
            orders.iter().map(|order| order[0]).collect();
        assert_eq!(first.len(), 4, "each was first at some time: {orders:?}");
    }

    struct Counting;

    impl Hand for Counting {
        fn work(&mut self, kind: usize, window: Window) -> Done {
            while narrows_engine::now_ns() < window.end_ns {
                std::hint::spin_loop();
            }
            Done { amount: 10 * (kind as u64 + 1), wrong: kind as u64 }
        }
    }

    #[test]
    fn what_each_did_is_added_up_by_kind() {
        let stop = Stop::new();
        let cpus = affinity::current();
        let ids = ["a".to_string(), "b".to_string()];
        let crew = Crew { cpus: &cpus, ids: &ids, window: Duration::from_millis(10) };
        let windows =
            crew.work(&context(&stop, 3), &Watch::none(), |_| Ok(Counting)).unwrap().unwrap();
        for (kind, windows) in windows.iter().enumerate() {
            let each = 10.0 * (kind + 1) as f64 * cpus.len() as f64 / 0.01;
            assert_eq!(windows.per_s, [each; 3]);
            let wrong = (kind * cpus.len()) as f64;
            assert_eq!(windows.samples.get(metric::ERRORS), [wrong; 3]);
            assert_eq!(windows.slowest_over_fastest, 1.0);
        }
    }

    struct Panicking;

    impl Hand for Panicking {
        fn work(&mut self, _: usize, _: Window) -> Done {
            panic!("planted");
        }
    }

    enum Either {
        Counts(Counting),
        Panics(Panicking),
    }

    impl Hand for Either {
        fn work(&mut self, kind: usize, window: Window) -> Done {
            match self {
                Either::Counts(hand) => hand.work(kind, window),
                Either::Panics(hand) => hand.work(kind, window),
            }
        }
    }

    #[test]
    fn a_panic_of_one_ends_all_and_is_passed_on() {
        let stop = Stop::new();
        let cpus = affinity::current();
        let ids = ["a".to_string()];
        let crew = Crew { cpus: &cpus, ids: &ids, window: Duration::from_millis(10) };
        let last = *cpus.last().unwrap();
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let ctx = context(&stop, 3);
            let _ = crew.work(&ctx, &Watch::none(), |cpu| {
                Ok(if cpu == last { Either::Panics(Panicking) } else { Either::Counts(Counting) })
            });
        }));
        assert!(outcome.is_err(), "it neither hangs nor is swallowed");
    }

    #[test]
    fn who_cannot_prepare_releases_the_others() {
        let stop = Stop::new();
        let cpus = affinity::current();
        let ids = ["a".to_string()];
        let crew = Crew { cpus: &cpus, ids: &ids, window: Duration::from_millis(10) };
        let last = *cpus.last().unwrap();
        let refused = || MapError::OtherBase { page_bytes: 65536 };
        let outcome = crew.work(&context(&stop, 3), &Watch::none(), |cpu| {
            if cpu == last { Err(refused().into()) } else { Ok(Counting) }
        });
        assert!(matches!(outcome, Ok(Err(MapError::OtherBase { .. }))));
    }
}
