//! Threads on CPUs of their own that work in turns, each turn in one common window.
//!
//! [`ThreadGroup::turns`] is the whole of it: who may not prepare, panics, or is asked to stop releases all others. [`ThreadGroup::work`] is the
//! usual case: several kinds of work that all threads do, in an order drawn anew in each repeat, so that a drift of the clock
//! frequency falls on all of them.

use std::sync::mpsc;
use std::time::Duration;

use narrows_engine::{
    Context, Gate, LiveValue, Phase, Rng, Samples, Stop, Window, now_ns, with_value,
};
use narrows_facts::affinity;
use narrows_model::{Layer, metric};
use narrows_observe::{HostWindow, Watch};
use narrows_units::Nanos;

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

impl Done {
    /// Does a batch again and again until the window ends or a stop is asked for, and adds up those that ended inside it; wrong is
    /// wrong outside too. A batch that is `None` was the last.
    pub fn batches(window: Window, stop: &Stop, mut batch: impl FnMut() -> Option<Done>) -> Done {
        let mut done = Done::default();
        while let Some(this) = batch() {
            let ended = now_ns();
            done.wrong += this.wrong;
            if window.contains(ended) {
                done.amount += this.amount;
            }
            if ended >= window.end_ns || stop.is_set() {
                break;
            }
        }
        done
    }
}

/// One thread's work.
pub trait GroupWorker {
    /// What it says of a window.
    type Did: Send;

    /// Does that kind until the window ends, or is asked to stop.
    fn work(&mut self, kind: usize, window: Window) -> Self::Did;
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

/// One window that is over.
pub struct Turn<D> {
    /// What was done in it.
    pub kind: usize,
    /// When it was.
    pub window: Window,
    /// What each thread did, in the order of the CPUs.
    pub did: Vec<D>,
    seen: HostWindow,
    /// A fixed work's time, before and after.
    sentinel: (Nanos, Nanos),
}

impl<D> Turn<D> {
    /// Adds what is the same of all windows: what was wrong, what was seen of the machine, the sentinel's drift.
    pub fn add_to(&self, samples: &mut Samples, wrong: u64) {
        samples.add(metric::ERRORS, wrong as f64);
        crate::add_seen(samples, &self.seen);
        crate::add_sentinel(samples, self.sentinel.0, self.sentinel.1);
    }
}

/// Does something when a thread panics: the others would wait for it for ever.
struct OnPanic<F: Fn()>(F);

impl<F: Fn()> Drop for OnPanic<F> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            (self.0)();
        }
    }
}

/// Who works.
pub struct ThreadGroup<'a> {
    /// A thread on each.
    pub cpus: &'a [u32],
    /// What the kinds are called in the progress.
    pub ids: &'a [String],
    /// One window.
    pub window: Duration,
}

impl ThreadGroup<'_> {
    /// Expected length of all windows of so many kinds, s.
    pub fn expected_s(ctx: &Context, kinds: usize, window: Duration) -> f64 {
        let each = (window + WARM_UP).as_secs_f64();
        f64::from(ctx.repeats.max(1)) * kinds as f64 * each
    }

    /// Lets all of them prepare, each on its CPU, and do all kinds in turns; by kind what came of it, or why it can't be had. Progress
    /// `shows` what all did per second as that.
    ///
    /// # Errors
    /// When asked to stop, or when a thread can't be kept on its CPU.
    pub fn work<H: GroupWorker<Did = Done>>(
        &self,
        ctx: &Context,
        watch: &Watch,
        shows: fn(f64) -> LiveValue,
        prepare: impl Fn(u32) -> Result<H, Failure> + Sync,
    ) -> Result<Result<Vec<Windows>, MapError>, MemoryError> {
        let mut all: Vec<Windows> = self
            .ids
            .iter()
            .map(|_| Windows { slowest_over_fastest: 1.0, ..Windows::default() })
            .collect();
        let worked =
            self.turns(ctx, &shuffled_kinds(ctx, self.ids.len()), watch, prepare, |turn| {
                let amounts = || turn.did.iter().map(|done| done.amount);
                let (least, most) = (amounts().min().unwrap_or(0), amounts().max().unwrap_or(0));
                let windows = &mut all[turn.kind];
                windows.slowest_over_fastest =
                    windows.slowest_over_fastest.min(least as f64 / most.max(1) as f64);
                let sum = amounts().sum::<u64>() as f64;
                windows.per_s.push(sum * 1e9 / turn.window.length_ns() as f64);
                let wrong = turn.did.iter().map(|done| done.wrong).sum();
                turn.add_to(&mut windows.samples, wrong);
                narrows_stats::median(&windows.per_s).map(shows)
            })?;
        Ok(worked.map(|()| all))
    }

    /// Lets all of them prepare, each on its CPU, and do these kinds in this order; `over` gets each window when it is over, and
    /// gives what its kind's windows came to so far. Says why it can't be had.
    ///
    /// # Errors
    /// When asked to stop, or when a thread can't be kept on its CPU.
    pub fn turns<H: GroupWorker>(
        &self,
        ctx: &Context,
        kinds: &[usize],
        watch: &Watch,
        prepare: impl Fn(u32) -> Result<H, Failure> + Sync,
        over: impl FnMut(Turn<H::Did>) -> Option<LiveValue>,
    ) -> Result<Result<(), MapError>, MemoryError> {
        let gates: Vec<Gate> = kinds.iter().map(|_| Gate::new(self.cpus.len())).collect();
        let (did_to, did) = mpsc::channel();
        ctx.progress.phase(Layer::Memory, Phase::Prepare, &self.ids[kinds[0]]);
        let outcome = std::thread::scope(|scope| {
            let release = || gates.iter().for_each(Gate::fail);
            let _here = OnPanic(release);
            let start = |(worker, &cpu): (usize, &u32)| {
                let (did_to, gates, prepare) = (did_to.clone(), &gates, &prepare);
                scope.spawn(move || {
                    let _there = OnPanic(release);
                    let prepared = affinity::pin(&[cpu])
                        .map_err(|reason| Failure::Memory(MemoryError::Pin { cpu, reason }))
                        .and_then(|()| prepare(cpu));
                    if prepared.is_err() {
                        release();
                    }
                    let mut hand = prepared?;
                    for (gate, &kind) in gates.iter().zip(kinds) {
                        let Ok(window) = gate.ready() else { break };
                        let _ = did_to.send((worker, hand.work(kind, window)));
                    }
                    Ok::<(), Failure>(())
                })
            };
            let workers: Vec<_> = self.cpus.iter().enumerate().map(start).collect();
            drop(did_to);
            let took = self.take_turns(ctx, &gates, kinds, &did, watch, over);
            // Whoever still waits is released: after a stop, or when a sibling could not prepare.
            release();
            for worker in workers {
                worker.join().expect("the working threads do not panic")?;
            }
            took.map_err(Failure::Memory)
        });
        match outcome {
            Ok(()) => Ok(Ok(())),
            Err(Failure::Map(MapError::Stopped(stopped))) => Err(stopped.into()),
            Err(Failure::Map(refused)) => Ok(Err(refused)),
            Err(Failure::Memory(error)) => Err(error),
        }
    }

    fn take_turns<D>(
        &self,
        ctx: &Context,
        gates: &[Gate],
        kinds: &[usize],
        did: &mpsc::Receiver<(usize, D)>,
        watch: &Watch,
        mut over: impl FnMut(Turn<D>) -> Option<LiveValue>,
    ) -> Result<(), MemoryError> {
        let mut so_far: Vec<Option<LiveValue>> = vec![None; self.ids.len()];
        for (at, (gate, &kind)) in gates.iter().zip(kinds).enumerate() {
            let sentinel_before = narrows_observe::sentinel();
            let detail = with_value(&self.ids[kind], so_far[kind]);
            ctx.progress.phase(Layer::Memory, Phase::Measure, &detail);
            let warm_up = if at == 0 { FIRST_WARM_UP } else { WARM_UP };
            // A failed gate is explained by the worker that failed it, whose error comes before this result.
            let Ok(window) = gate.open(warm_up, self.window) else { break };
            window.wait_start(ctx.stop)?;
            let before = watch.snapshot();
            window.wait_end(ctx.stop)?;
            let seen = watch.since(&before);
            let mut all: Vec<(usize, D)> = did.iter().take(self.cpus.len()).collect();
            ctx.stop.check()?;
            all.sort_unstable_by_key(|(worker, _)| *worker);
            let did = all.into_iter().map(|(_, did)| did).collect();
            let sentinel = (sentinel_before, narrows_observe::sentinel());
            so_far[kind] = over(Turn { kind, window, did, seen, sentinel });
        }
        Ok(())
    }
}

/// All kinds in each repeat, in an order of its own.
pub fn shuffled_kinds(ctx: &Context, kinds: usize) -> Vec<usize> {
    let mut rng = Rng::new(ctx.seed);
    (0..ctx.repeats.max(1)).flat_map(|_| shuffled(kinds, &mut rng)).collect()
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
    use narrows_engine::{Announced, Silent, Stop};

    use super::*;

    fn context(stop: &Stop, repeats: u32) -> Context<'_> {
        let window = Duration::from_millis(1);
        Context { stop, progress: &Silent, seed: 3, repeats, quick: false, window }
    }

    #[test]
    fn every_kind_has_its_turn_in_every_repeat_and_the_order_changes() {
        let stop = Stop::new();
        let turns = shuffled_kinds(&context(&stop, 20), 4);
        let orders: Vec<&[usize]> = turns.chunks(4).collect();
        assert_eq!(orders.len(), 20);
        for order in &orders {
            let mut sorted = order.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3]);
        }
        let first: std::collections::BTreeSet<usize> =
            orders.iter().map(|order| order[0]).collect();
        assert_eq!(first.len(), 4, "each was first at some time: {orders:?}");
    }

    struct Counting;

    impl GroupWorker for Counting {
        type Did = Done;

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
        let crew = ThreadGroup { cpus: &cpus, ids: &ids, window: Duration::from_millis(10) };
        let (ctx, shows) = (context(&stop, 3), LiveValue::BytesPerSecond);
        let windows = crew.work(&ctx, &Watch::none(), shows, |_| Ok(Counting)).unwrap().unwrap();
        for (kind, windows) in windows.iter().enumerate() {
            let each = 10.0 * (kind + 1) as f64 * cpus.len() as f64 / 0.01;
            assert_eq!(windows.per_s, [each; 3]);
            let wrong = (kind * cpus.len()) as f64;
            assert_eq!(windows.samples.get(metric::ERRORS), [wrong; 3]);
            assert_eq!(windows.slowest_over_fastest, 1.0);
        }
    }

    #[test]
    fn a_window_is_announced_with_what_those_before_it_gave() {
        let stop = Stop::new();
        let cpus = affinity::current();
        let ids = ["a".to_string()];
        let crew = ThreadGroup { cpus: &cpus[..1], ids: &ids, window: Duration::from_millis(10) };
        let told = Announced::default();
        let ctx = Context { progress: &told, ..context(&stop, 2) };
        let shows = LiveValue::BytesPerSecond;
        crew.work(&ctx, &Watch::none(), shows, |_| Ok(Counting)).unwrap().unwrap();
        // 10 in 10 ms.
        assert_eq!(told.of(Phase::Measure), ["a", "a, 1.00 kB/s so far"]);
    }

    #[test]
    fn batches_count_where_they_end_and_errors_everywhere() {
        let stop = Stop::new();
        let batch = || Some(Done { amount: 7, wrong: 1 });
        // The clock may stand at zero: it begins with its first reading.
        let past = Window { start_ns: 0, end_ns: 0 };
        assert_eq!(Done::batches(past, &stop, batch), Done { amount: 0, wrong: 1 });
        let mut left = 3;
        let open = Window { start_ns: 0, end_ns: u64::MAX };
        let done = Done::batches(open, &stop, || {
            left -= 1;
            (left >= 0).then_some(Done { amount: 7, wrong: 1 })
        });
        assert_eq!(done, Done { amount: 21, wrong: 3 });
        stop.set();
        assert_eq!(Done::batches(open, &stop, batch), Done { amount: 7, wrong: 1 });
    }

    /// Says who it is and what it was asked for.
    struct Naming(u32);

    impl GroupWorker for Naming {
        type Did = (u32, usize);

        fn work(&mut self, kind: usize, _: Window) -> (u32, usize) {
            (self.0, kind)
        }
    }

    #[test]
    fn turns_come_in_their_order_and_in_each_everybody_in_his() {
        let stop = Stop::new();
        let cpus = affinity::current();
        let ids = ["a".to_string(), "b".to_string()];
        let crew = ThreadGroup { cpus: &cpus, ids: &ids, window: Duration::from_millis(2) };
        let mut seen = Vec::new();
        let kinds = [1, 1, 0, 1];
        let worked = crew.turns(
            &context(&stop, 3),
            &kinds,
            &Watch::none(),
            |cpu| Ok(Naming(cpu)),
            |turn| {
                seen.push(turn.did);
                None
            },
        );
        worked.unwrap().unwrap();
        let all = |kind| cpus.iter().map(|&cpu| (cpu, kind)).collect::<Vec<_>>();
        assert_eq!(seen, kinds.map(all));
    }

    struct Panicking;

    impl GroupWorker for Panicking {
        type Did = Done;

        fn work(&mut self, _: usize, _: Window) -> Done {
            panic!("planted");
        }
    }

    enum Either {
        Counts(Counting),
        Panics(Panicking),
    }

    impl GroupWorker for Either {
        type Did = Done;

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
        let crew = ThreadGroup { cpus: &cpus, ids: &ids, window: Duration::from_millis(10) };
        let last = *cpus.last().unwrap();
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let ctx = context(&stop, 3);
            let _ = crew.work(&ctx, &Watch::none(), LiveValue::PerSecond, |cpu| {
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
        let crew = ThreadGroup { cpus: &cpus, ids: &ids, window: Duration::from_millis(10) };
        let last = *cpus.last().unwrap();
        let refused = || MapError::OtherBase { page_bytes: 65536 };
        let (ctx, shows) = (context(&stop, 3), LiveValue::PerSecond);
        let outcome = crew.work(&ctx, &Watch::none(), shows, |cpu| {
            if cpu == last { Err(refused().into()) } else { Ok(Counting) }
        });
        assert!(matches!(outcome, Ok(Err(MapError::OtherBase { .. }))));
    }
}
