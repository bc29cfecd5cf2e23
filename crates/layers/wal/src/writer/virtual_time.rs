//! The queue on a virtual clock: a log whose flushes have a known length, against the law in closed form and bounds that are
//! plain to see. No thread, no real time, no file.

use narrows_engine::{Arrivals, Rng, Schedule};

use super::law::{closed_law, open_law};
use super::queue::Queue;

/// What a simulated log did.
struct Done {
    waits_ns: Vec<u64>,
    flushes_ns: Vec<u64>,
}

impl Done {
    fn mean_ns(&self) -> f64 {
        self.waits_ns.iter().sum::<u64>() as f64 / self.waits_ns.len() as f64
    }

    fn per_flush(&self) -> f64 {
        self.waits_ns.len() as f64 / self.flushes_ns.len() as f64
    }
}

/// Commits at these times (ascending), flushes as long as `flush_ns` says.
fn open(arrivals_ns: &[u64], mut flush_ns: impl FnMut() -> u64) -> Done {
    let mut queue = Queue::default();
    let mut waiting: Vec<(u64, u64)> = Vec::new();
    let mut done = Done { waits_ns: Vec::new(), flushes_ns: Vec::new() };
    let mut ends_ns = None;
    let mut next = arrivals_ns.iter().copied().peekable();
    loop {
        let now_ns = match (next.peek().copied(), ends_ns) {
            (Some(at), Some(end)) if at < end => at,
            (_, Some(end)) => end,
            (Some(at), None) => at,
            (None, None) => return done,
        };
        if ends_ns == Some(now_ns) {
            queue.end();
            ends_ns = None;
            waiting.retain(|(position, arrived)| {
                let covered = queue.covers(*position);
                if covered {
                    done.waits_ns.push(now_ns - arrived);
                }
                !covered
            });
        } else {
            next.next();
            waiting.push((queue.arrive(100), now_ns));
        }
        if queue.begin().is_some() {
            let length = flush_ns();
            done.flushes_ns.push(length);
            ends_ns = Some(now_ns + length);
        }
    }
}

fn poisson(rate_per_s: f64, count: usize, seed: u64) -> Vec<u64> {
    let mut schedule = Schedule::new(Arrivals::Poisson, rate_per_s, (0, 1), seed);
    (0..count).map(|_| schedule.next_ns()).collect()
}

#[test]
fn poisson_commits_obey_the_law_at_every_load() {
    for (rate, seed) in [(50.0, 1), (500.0, 2), (1000.0, 3), (3000.0, 4), (20_000.0, 5)] {
        let done = open(&poisson(rate, 40_000, seed), || 1_000_000);
        let law = open_law(rate, &done.flushes_ns).unwrap();
        assert!((done.per_flush() / law.commits_per_flush - 1.0).abs() < 0.03, "{rate}: {law:?}");
        assert!((done.mean_ns() / law.wait_mean_ns - 1.0).abs() < 0.02, "{rate}: {law:?}");
    }
}

#[test]
fn flushes_of_uneven_length_obey_it_too() {
    let mut rng = Rng::new(9);
    let mut flush = || if rng.below(20) == 0 { 8_000_000 } else { 400_000 + rng.below(400_000) };
    let done = open(&poisson(4000.0, 60_000, 6), &mut flush);
    let law = open_law(4000.0, &done.flushes_ns).unwrap();
    assert!((done.per_flush() / law.commits_per_flush - 1.0).abs() < 0.03, "{law:?}");
    assert!((done.mean_ns() / law.wait_mean_ns - 1.0).abs() < 0.05, "{law:?}");
}

#[test]
fn no_commit_waits_for_more_than_two_flushes_nor_for_less_than_one() {
    let done = open(&poisson(5000.0, 20_000, 7), || 700_000);
    assert!(done.waits_ns.iter().all(|ns| (700_000..=1_400_000).contains(ns)));
    assert_eq!(done.waits_ns.len(), 20_000, "every commit became durable");
}

/// Sessions that commit again `back_ns` after their commit is durable; the first comes alone.
fn closed(sessions: u32, back_ns: u64, flushes: usize, mut flush_ns: impl FnMut() -> u64) -> Done {
    let mut queue = Queue::default();
    let mut coming: Vec<u64> = (0..u64::from(sessions)).map(|number| number * back_ns).collect();
    let mut waiting: Vec<(u64, u64)> = Vec::new();
    let mut done = Done { waits_ns: Vec::new(), flushes_ns: Vec::new() };
    let mut ends_ns = None;
    while done.flushes_ns.len() < flushes {
        coming.sort_unstable_by(|a, b| b.cmp(a));
        let now_ns = match (coming.last().copied(), ends_ns) {
            (Some(at), Some(end)) if at < end => at,
            (_, Some(end)) => end,
            (at, None) => at.expect("whoever doesn't wait comes"),
        };
        if ends_ns == Some(now_ns) {
            queue.end();
            ends_ns = None;
            waiting.retain(|(position, arrived)| {
                let covered = queue.covers(*position);
                if covered {
                    done.waits_ns.push(now_ns - arrived);
                    coming.push(now_ns + back_ns);
                }
                !covered
            });
        } else {
            coming.pop();
            waiting.push((queue.arrive(100), now_ns));
        }
        if queue.begin().is_some() {
            let length = flush_ns();
            done.flushes_ns.push(length);
            ends_ns = Some(now_ns + length);
        }
    }
    done
}

#[test]
fn sessions_that_return_at_once_wait_for_two_flushes_in_a_row() {
    let mut rng = Rng::new(3);
    for sessions in [1, 2, 3, 8, 30, 200] {
        let mut uneven =
            || if rng.below(10) == 0 { 4_000_000 } else { 300_000 + rng.below(400_000) };
        for done in [
            closed(sessions, 1_000, 4_000, || 500_000),
            closed(sessions, 1_000, 40_000, &mut uneven),
        ] {
            let mean = done.flushes_ns.iter().sum::<u64>() as f64 / done.flushes_ns.len() as f64;
            let law = closed_law(sessions, mean).unwrap();
            // What comes back in the last flushes has not been counted.
            assert!((done.per_flush() / law.commits_per_flush - 1.0).abs() < 0.02, "{sessions}");
            assert!((done.mean_ns() / law.wait_mean_ns - 1.0).abs() < 0.02, "{sessions}: {law:?}");
        }
    }
}
