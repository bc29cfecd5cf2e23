//! The search over simulated sessions, and over the load's own against a null server that takes its time.

use std::convert::Infallible;

use narrows_engine::{Rng, Stop};
use narrows_stats::Recorder;

use super::*;
use crate::load::{self, ByKey, LoadPlan, OpenSlice, OpenSlices};
use crate::null::NullServer;

const MS: u64 = 1_000_000;

fn plan(limit_ns: u64) -> HighestPlan {
    let settings = Settings {
        shortest_window: Duration::from_millis(20),
        longest_window: Duration::from_secs(20),
        ..Settings::default()
    };
    let goal = Goal { quantile: 0.99, limit_ns };
    HighestPlan { goal, settings, budget: Duration::from_secs(3600) }
}

/// One server with exponential service of a mean of 1 ms, in order: the time in it is exponential with a mean of 1 / (1000 - rate) s.
struct Queue {
    rng: Rng,
    /// Every so manieth window is one with an operation that failed.
    fails_every: u32,
    windows: u32,
}

impl Queue {
    fn run(&mut self, step: &RateStep, limit_ns: u64) -> Result<Shown<u32>, Infallible> {
        let count = 40;
        let slice_ns = step.window.as_nanos() as f64 / f64::from(count);
        let mut load = LoadResult::default();
        let mut slices = vec![OpenSlice::default(); count as usize];
        let mut latency = Recorder::new();
        // Settled before the window begins.
        let (mut at, mut free) = (-1e10, -1e10);
        loop {
            at += self.rng.exponential(1e9 / step.rate_per_s);
            free = f64::max(at, free) + self.rng.exponential(1e6);
            if at >= slice_ns * f64::from(count) {
                break;
            }
            if let Some(slice) = slices.get_mut((free / slice_ns) as usize).filter(|_| free >= 0.0)
            {
                slice.ended += 1;
            }
            if at >= 0.0 {
                let took = (free - at) as u64;
                latency.record(took);
                let slice = &mut slices[(at / slice_ns) as usize];
                slice.due += 1;
                slice.over += u64::from(took > limit_ns);
                load.due += 1;
            }
        }
        load.lateness.record(1);
        load.latency = latency;
        load.open = Some(OpenSlices { limit_ns, waiting_before: 0, slices });
        self.windows += 1;
        load.errors = u64::from(self.windows.is_multiple_of(self.fails_every));
        Ok(Shown { load, spoiled: None, kept: self.windows })
    }
}

#[test]
fn the_rate_of_a_queue_is_found_and_windows_with_failures_are_left_out() {
    let plan = plan(10 * MS);
    let mut queue = Queue { rng: Rng::new(11), fails_every: 7, windows: 0 };
    let highest = highest(&plan, 1000.0, |step| queue.run(step, plan.goal.limit_ns)).unwrap();
    let Outcome::Found(answer) = &highest.outcome else { panic!("{:?}", highest.outcome) };
    // P(time > 10 ms) = exp(-0.01 (1000 - rate)) is a hundredth at 1000 - 100 ln 100.
    let exact = 1000.0 - 100.0 * f64::ln(100.0);
    let (low, high) = answer.interval_95();
    assert!(low <= 1.05 * exact && high >= 0.95 * exact, "{low} {high} {exact}");
    assert_eq!(
        highest.spoiled,
        [("had operations that failed".into(), highest.windows / 7)].into()
    );
    let kept = highest.confirmed.iter().find(|c| c.name == "kept").unwrap();
    assert!(kept.rests && same_rate(kept.rate_per_s, answer.rate_per_s));
    assert_eq!(kept.means_ns.len(), kept.kept.len());
    assert!(kept.kept.iter().all(|window| !window.is_multiple_of(7)), "{:?}", kept.kept);
    let sentence = highest.sentence(&plan.goal);
    assert!(sentence.contains("with p99") && sentence.contains("10.0 ms"), "{sentence}");
}

#[test]
fn a_search_without_time_says_so() {
    let plan = HighestPlan { budget: Duration::ZERO, ..plan(10 * MS) };
    let ran = |_: &RateStep| -> Result<Shown<()>, Infallible> { panic!("there was no time") };
    let highest = highest(&plan, 1000.0, ran).unwrap();
    let because = Because::Time;
    let unfinished = Outcome::Unfinished { because, passed_per_s: None, failed_per_s: None };
    assert_eq!((highest.outcome, highest.windows), (unfinished, 0));
}

#[test]
fn no_rate_keeps_a_limit_below_the_time_that_a_server_takes() {
    let folder = tempfile::tempdir().unwrap();
    let takes = Duration::from_millis(4);
    let server = NullServer::start_slow(folder.path(), 1, &[], 4, takes).unwrap();
    let mut plan = plan(2 * MS);
    plan.settings = Settings {
        shortest_window: Duration::from_millis(10),
        longest_window: Duration::from_millis(20),
        floor_share: 0.05,
        most_windows: 10,
        ..plan.settings
    };
    let (stop, mut slowest) = (Stop::new(), Recorder::new());
    let highest = highest(&plan, 4.0 / takes.as_secs_f64(), |step| {
        let load = LoadPlan {
            address: server.address(),
            settings: &[],
            programs: &ByKey::select("SELECT v FROM rows WHERE k = $1", 10),
            sessions: 4,
            cpus: &[],
            open_rate_per_s: Some(step.rate_per_s),
            warm_up: step.warm_up,
            window: step.window,
            seed: 3,
        };
        let limit_ns = plan.goal.limit_ns;
        let during = |window: &narrows_engine::Window, _: &[u32]| Ok(window.wait_end(&stop)?);
        let (load, ()) = load::run_within(&load, limit_ns, &stop, during)?;
        slowest.merge(&load.latency);
        Ok::<_, load::LoadError>(Shown { load, spoiled: None, kept: () })
    })
    .unwrap();
    assert!(slowest.min().unwrap() >= takes.as_nanos() as u64, "{slowest:?}");
    // A machine that is busy besides may hide that the server is what is slow, but no rate passes.
    assert_eq!(highest.outcome.passed_per_s(), None, "{:?}", highest.outcome);
    assert!(highest.windows > 0);
}
