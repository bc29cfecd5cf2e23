//! The search on logs whose flush is known.

use std::path::Path;

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use narrows_engine::rate_search::Goal;
use narrows_engine::{Silent, Stop};
use narrows_facts::affinity;
use narrows_model::{Metric, metric};

use super::*;

fn context(stop: &Stop) -> Context<'_> {
    Context {
        stop,
        progress: &Silent,
        seed: 5,
        repeats: 1,
        quick: true,
        window: Duration::from_millis(100),
    }
}

#[test]
fn a_short_search_on_a_real_folder_says_how_it_ended_and_what_it_rests_on() {
    let Some(dir) = crate::tests::folder() else { return };
    let stop = Stop::new();
    // Until a window held a commit: how many it holds is the drive's doing.
    let found = [2, 8, 32, 128].into_iter().find_map(|budget_s| {
        let plan = CommitPlan {
            goal: Goal { quantile: 0.5, limit_ns: 2_000_000_000 },
            most_sessions: 4,
            ..CommitPlan::new(200, &affinity::current())
        }
        .within(Duration::from_secs(budget_s));
        match commit_rate(
            &context(&stop),
            crate::LogGround::Folder(dir.path()),
            &Watch::none(),
            &plan,
        ) {
            Err(LogError::NoCommit { .. }) => None,
            rate => Some(rate.unwrap()),
        }
    });
    let rate = found.expect("a commit in 128 s");
    let c = &rate.calibration;
    assert_eq!(c.id, "log.calibrate.commits.200b");
    assert!(c.ceiling_per_s.is_some() && !c.ramp.is_empty() && !c.sentence.is_empty());
    let one = rate.measurements.iter().find(|m| m.id == format!("{}.sessions.1", c.id)).unwrap();
    assert!(one.value(metric::COMMITS_PER_FLUSH).is_none_or(|n| n == 1.0));
    assert_eq!(one.value(metric::ERRORS), Some(0.0));
    assert!(c.rests_on.iter().all(|id| rate.measurements.iter().any(|m| m.id == *id)));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn a_stop_in_the_search_leaves_no_file() {
    let Some(dir) = crate::tests::folder() else { return };
    let stop = Stop::new();
    let stopper = stop.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(700));
        stopper.set();
    });
    let plan = CommitPlan::new(200, &affinity::current());
    let result =
        commit_rate(&context(&stop), crate::LogGround::Folder(dir.path()), &Watch::none(), &plan);
    thread.join().unwrap();
    assert!(matches!(result, Err(LogError::Stopped(_))), "{result:?}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

/// Sleeps for the length of a flush.
struct Sleeping(Duration);

impl super::super::Flusher for Sleeping {
    fn flush(&mut self, from: u64, to: u64) -> std::io::Result<u64> {
        std::thread::sleep(self.0);
        Ok(to - from)
    }
}

#[test]
fn a_planted_slow_flush_is_the_write_and_not_the_wake_up() {
    use crate::writer::drive::{Drive, Load, drive};
    use crate::writer::{CommitSizes, Delay, Style};
    let stop = Stop::new();
    let written = AtomicU64::new(0);
    for style in [Style::Leader, Style::Writer] {
        let log = CommitLog::new(Sleeping(Duration::from_millis(8)), style, Delay::default());
        let how = Drive {
            load: Load::Open {
                rate_per_s: 400.0,
                arrivals: narrows_engine::Arrivals::Poisson,
                sessions: 32,
            },
            sizes: &CommitSizes::fixed(100),
            cpus: &affinity::current(),
            client_cpus: &[],
            warm_up: Duration::from_millis(50),
            length: Duration::from_millis(600),
            seed: 1,
            most_bytes: u64::MAX,
        };
        let path = Path::new("simulated");
        let driven = drive(&context(&stop), &log, &written, path, &how, &Watch::none()).unwrap();
        let account = driven.went.account();
        let mut samples = narrows_engine::Samples::new();
        account.add_to(&mut samples);
        let get = |name: Metric| samples.get(name)[0];
        assert!(get(metric::PARALLEL_WRITE_MEAN) >= 8e6);
        // Never less than the flush, and never below what a commit must wait; how much more depends on the machine.
        assert!(get(metric::LATENCY_MEAN) >= 8e6, "{style:?}");
        assert!(get(metric::COMMITS_PER_FLUSH) > 1.0, "{style:?}");
        assert!(get(metric::QUEUED_MEAN) > 0.0 && get(metric::WAKE_UP_SHARE) < 0.9, "{style:?}");
        assert!(get(metric::MODEL_LATENCY_MEAN) >= 8e6);
    }
}
