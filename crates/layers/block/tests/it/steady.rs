//! Rounds until a rate lasts: what is written, counted, and called by which word.

use std::time::Duration;

use crate::common::{MIB, context, folder, made, samples};
use narrows_engine::Stop;
use narrows_engine::steady_state::{Because, Ending, WriteState};
use narrows_io::{Access, Effect, Fault, TestFile, When};
use narrows_layer_block::{BlockError, Mix, Region, Steadied, SteadyPlan, planned_steady, steady};
use narrows_model::{condition, metric};
use narrows_observe::Watch;

const ROUND: Duration = Duration::from_millis(200);

fn plan(budget_mib: u64) -> SteadyPlan {
    let budget_bytes = budget_mib * MIB;
    SteadyPlan { round: ROUND, depth: 4, budget_bytes, ..SteadyPlan::default() }
}

/// Runs on a file of 16 MiB; `None`, said aloud, where there is no direct I/O.
fn run(plan: &SteadyPlan) -> Option<Steadied> {
    run_on(plan, 16)
}

fn run_on(plan: &SteadyPlan, file_mib: u64) -> Option<Steadied> {
    let (stop, dir) = (Stop::new(), folder());
    let ctx = context(&stop, 100);
    let file = made(&ctx, dir.path(), file_mib)?;
    Some(steady(&ctx, &Region::of(&file), &Watch::none(), plan).unwrap())
}

#[test]
fn what_is_written_is_counted_and_stays_within_the_budget() {
    let plan = SteadyPlan { ending: Ending::After(6), capacity_bytes: Some(1 << 40), ..plan(48) };
    let Some(found) = run(&plan) else { return };
    assert_eq!(found.precondition_bytes, 16 * MIB, "the whole file, once");
    let written = found.verdict.written_bytes.unwrap();
    assert!(written > 16 * MIB && written <= 48 * MIB, "{written}");
    let [measurement] = &found.measurements[..] else { panic!("one measurement") };
    assert_eq!(measurement.id, "block.steady.write.random.8k");
    assert_eq!(measurement.number(condition::WRITTEN_BYTES), Some(written as f64));
    let operations: f64 = samples(measurement, metric::OPERATIONS).iter().sum();
    assert!(operations * 8192.0 <= (written - found.precondition_bytes) as f64);
    // A terabyte was not written, whatever the rounds look like.
    assert_ne!(found.verdict.state, WriteState::Sustained, "{}", found.sentence);
    assert_eq!(measurement.text(condition::WRITE_STATE), Some(found.verdict.state.word()));
    let steps = planned_steady(&plan, 16 * MIB, 16 * MIB);
    assert_eq!(steps.iter().map(|step| step.writes_bytes).sum::<u64>(), 48 * MIB + 16 * MIB);
}

#[test]
fn a_rate_that_a_law_holds_still_lasts_once_the_capacity_was_written() {
    // Writes take 5 ms each: four at a time are 800 a second, and a busy machine only makes that less.
    let delay = Fault::any(When::Every(1), Effect::DelayNs(5_000_000));
    let access = Access::null().with_faults(vec![delay]);
    let slow = SteadyPlan { access, ending: Ending::After(6), passes: 2.0, ..plan(1024) };
    for (capacity_bytes, never) in [
        (None, [WriteState::Sustained, WriteState::Sustained]),
        (Some(1 << 40), [WriteState::Sustained, WriteState::Unknown]),
        (Some(1), [WriteState::Unknown, WriteState::Unknown]),
    ] {
        let slow = SteadyPlan { capacity_bytes, ..slow.clone() };
        let Some(found) = run_on(&slow, 1) else { return };
        assert!(!never.contains(&found.verdict.state), "{capacity_bytes:?}: {}", found.sentence);
        assert_eq!(found.verdict.windows.len(), 2, "the drift of rounds 1 to 5 and 2 to 6");
        let [measurement] = &found.measurements[..] else { panic!("one measurement") };
        assert_eq!(measurement.repeats, 6, "no round is left out");
        for rate in samples(measurement, metric::THROUGHPUT) {
            assert!(*rate <= 840.0, "{rate}");
        }
        let range = measurement.series.iter().find(|s| s.name == "drift.range").unwrap();
        assert_eq!(range.x, [0.0, 1.0]);
        if found.verdict.windows[1].steady.attained {
            let because = found.verdict.because;
            let expected = match capacity_bytes {
                None => Because::NotKnown,
                Some(1) => Because::Shown,
                Some(_) => Because::PartOfCapacity,
            };
            assert!(because == expected || because == Because::MayDrift, "{because:?}");
        } else {
            assert_eq!(found.verdict.state, WriteState::Burst);
        }
    }
}

#[test]
fn what_writes_nothing_or_may_not_is_refused() {
    let stop = Stop::new();
    let ctx = context(&stop, 100);
    let file = TestFile::existing(&std::env::current_exe().unwrap(), None).unwrap();
    let refused = |plan: &SteadyPlan| {
        let error = steady(&ctx, &Region::of(&file), &Watch::none(), plan).unwrap_err();
        assert!(matches!(error, BlockError::Scenario { .. }), "{error}");
        error.to_string()
    };
    assert!(refused(&plan(1024)).contains("may only be read"));
    let reads = SteadyPlan { mix: Mix::read_percent(100), ..plan(1024) };
    assert!(refused(&reads).contains("nothing in it writes"));
}

#[test]
fn it_ends_when_asked_with_writes_in_flight() {
    let (stop, dir) = (Stop::new(), folder());
    let ctx = context(&stop, 100);
    let Some(file) = made(&ctx, dir.path(), 16) else { return };
    let other = stop.clone();
    let asks = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        other.set();
    });
    let long = SteadyPlan { round: Duration::from_secs(3600), ..plan(1 << 20) };
    let error = steady(&ctx, &Region::of(&file), &Watch::none(), &long).unwrap_err();
    assert!(matches!(error, BlockError::Stopped(_)), "{error}");
    asks.join().unwrap();
}
