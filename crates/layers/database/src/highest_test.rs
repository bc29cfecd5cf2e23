//! The search over simulated sessions.

use std::convert::Infallible;

use narrows_engine::Rng;
use narrows_stats::Recorder;

use super::*;
use crate::load::{OpenSlice, OpenSlices};

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
    fn run(&mut self, step: &RateStep, limit_ns: u64) -> Result<SearchWindow<u32>, Infallible> {
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
        Ok(SearchWindow { load, spoiled: None, kept: self.windows })
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
    let ran =
        |_: &RateStep| -> Result<SearchWindow<()>, Infallible> { panic!("there was no time") };
    let highest = highest(&plan, 1000.0, ran).unwrap();
    let because = Because::Time;
    let unfinished =
        Outcome::Unfinished { because, passed_per_s: None, failed_per_s: None, apart_per_s: None };
    assert_eq!((highest.outcome, highest.windows), (unfinished, 0));
}
