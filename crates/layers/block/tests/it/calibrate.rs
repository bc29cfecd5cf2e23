//! The search for a rate, executed: on a way without a device whose law is planted, where what must come out follows from the
//! law however busy the machine is.

use std::time::Duration;

use crate::common::{MIB, context, folder, made, samples};
use narrows_engine::Stop;
use narrows_engine::rate_search::Goal;
use narrows_io::{Access, Effect, Fault, TestFile, When};
use narrows_layer_block::{
    BlockError, CalibratePlan, Calibrated, CalibrationTarget, LogStream, Region, calibrate,
    planned_calibrate, prepare,
};
use narrows_model::{CalibrationEnd, Measurement, condition, metric};
use narrows_observe::Watch;

const MS: u64 = 1_000_000;
const EIO: i32 = 5;

/// Something to address; the way without a device reads nothing of it.
fn target() -> CalibrationTarget {
    let file = TestFile::existing(&std::env::current_exe().unwrap(), None).unwrap();
    CalibrationTarget { data: Region::of(&file), log: None }
}

fn every(effect: Effect) -> Fault {
    Fault::any(When::Every(1), effect)
}

fn plan(access: Access, seconds: u64) -> CalibratePlan {
    let plan = CalibratePlan { access, max_depth: 32, ..CalibratePlan::default() };
    plan.within(Duration::from_secs(seconds))
}

fn run(plan: &CalibratePlan, target: &CalibrationTarget) -> Calibrated {
    let stop = Stop::new();
    calibrate(&context(&stop, 100), target, &Watch::none(), plan).unwrap()
}

fn by_id<'a>(found: &'a Calibrated, id: &str) -> &'a Measurement {
    let ids = || found.measurements.iter().map(|m| m.id.as_str()).collect::<Vec<_>>();
    found.measurements.iter().find(|m| m.id == id).unwrap_or_else(|| panic!("{id}: {:?}", ids()))
}

/// Whether others left a window less than the 150 operations of a hundred milliseconds that a fault in each 150th needs.
fn starved(found: &Calibrated) -> bool {
    let starved = |m: &Measurement| samples(m, metric::OPERATIONS).iter().any(|n| *n < 150.0);
    let is_starved = found.measurements.is_empty() || found.measurements.iter().any(starved);
    if is_starved {
        eprintln!("SKIPPED: others took the processors");
    }
    is_starved
}

/// What holds of every answer.
fn hangs_together(found: &Calibrated) {
    let c = &found.calibration;
    assert!(c.curve.windows(2).all(|two| two[0].asked_per_s <= two[1].asked_per_s));
    let mut orders: Vec<u32> = c.curve.iter().map(|point| point.order).collect();
    orders.sort_unstable();
    assert_eq!(orders, (0..c.curve.len() as u32).collect::<Vec<_>>());
    assert!(c.ramp.windows(2).all(|two| two[0].depth < two[1].depth));
    assert_eq!(c.ramp.first().map(|point| point.depth), Some(1));
    let ceiling = c.ramp.iter().find(|point| Some(point.depth) == c.ceiling_depth).unwrap();
    assert_eq!(Some(ceiling.rate_per_s), c.ceiling_per_s);
    let mut ids: Vec<&str> = found.measurements.iter().map(|m| m.id.as_str()).collect();
    assert!(ids.iter().all(|id| id.starts_with(&c.id)), "{ids:?}");
    assert!(c.rests_on.iter().all(|id| ids.contains(&id.as_str())), "{:?} of {ids:?}", c.rests_on);
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "ids are unique");
    if c.end == CalibrationEnd::Found {
        let interval = c.interval_95.unwrap();
        assert!(c.rate_per_s == Some(interval.low) && interval.low < interval.high);
        // Where windows of neighbouring rates decided together, only the rate's own have a percentile of theirs.
        let (own, decided) = (c.quantiles_ns.len(), c.repeats.0 as usize);
        let fits = if c.pooled { own >= 1 } else { own == decided };
        assert!(decided >= 6 && fits, "{own} of {decided}: {}", c.sentence);
        assert!(c.rests_on.contains(&format!("{}.confirm.kept", c.id)));
    }
    for m in &found.measurements {
        assert_eq!(samples(m, metric::OPERATIONS).len(), m.repeats as usize, "{}", m.id);
    }
}

#[test]
fn what_takes_three_milliseconds_alone_keeps_no_rate_within_one() {
    let access = Access::null().with_faults(vec![every(Effect::DelayNs(3 * MS))]);
    let found = run(&plan(access, 12), &target());
    hangs_together(&found);
    let c = &found.calibration;
    assert_eq!(
        (c.rate_per_s, c.answer_per_s(), c.interval_95),
        (None, None, None),
        "{}",
        c.sentence
    );
    assert!(c.alone_ns.unwrap() >= 3e6);
    for point in &c.ramp {
        // Little's law: nothing is in flight for less than the delay.
        let most = f64::from(point.depth) * 1e9 / 3e6;
        assert!(point.rate_per_s <= most * 1.05, "{point:?}");
        assert!(point.latency_mean_ns.unwrap() >= 3e6);
    }
    for point in &c.curve {
        assert!(point.latency_p50_ns.is_none_or(|ns| ns >= 2.9e6), "{point:?}");
    }
    let Some(oracle) = c.oracle else {
        assert!(starved(&found), "{}", c.sentence);
        return;
    };
    assert!(oracle.latency_ms >= 3 && oracle.max_iops <= 32 * 1000 / 3 + 500, "{oracle:?}");
    // One blocking process moves at most one MiB in three milliseconds.
    assert!(oracle.max_pmbps.unwrap() <= 350, "{oracle:?}");
}

#[test]
fn what_takes_a_millisecond_keeps_a_goal_of_a_second_at_every_rate() {
    let access = Access::null().with_faults(vec![every(Effect::DelayNs(MS))]);
    let goal = Goal { quantile: 0.9, limit_ns: 1000 * MS };
    let found = run(&CalibratePlan { goal, large: false, ..plan(access, 12) }, &target());
    hangs_together(&found);
    let c = &found.calibration;
    // Only a machine that stops for a second, or a late generator, can make it end otherwise than at the ceiling.
    assert_ne!(c.end, CalibrationEnd::Unreachable, "{}", c.sentence);
    assert!(c.bandwidth_bytes_per_s.is_none() && c.oracle.is_none());
    let alone = by_id(&found, "block.calibrate.read.8k.alone");
    assert_eq!(alone.number(condition::DEPTH), Some(1.0));
    assert_eq!(alone.repeats, 3);
}

#[test]
fn windows_in_which_operations_fail_teach_nothing() {
    let access = Access::null().with_faults(vec![
        every(Effect::DelayNs(MS)),
        // Some in each window, and never the hundred that end it.
        Fault::any(When::Every(150), Effect::Errno(EIO)),
    ]);
    let found = run(&CalibratePlan { large: false, ..plan(access, 20) }, &target());
    let c = &found.calibration;
    assert_eq!(c.end, CalibrationEnd::Unfinished, "{}", c.sentence);
    if c.unusable_windows < c.windows && starved(&found) {
        return;
    }
    assert_eq!((c.unusable_windows, c.rate_per_s), (c.windows, None));
    let said = format!("{0} of {0} windows had operations that failed", c.windows);
    assert!(c.windows > 0 && c.sentence.contains(&said), "{}", c.sentence);
    assert!(c.rests_on.is_empty());
}

#[test]
fn what_is_not_decided_in_time_is_said_to_be_unfinished() {
    let access = Access::null().with_faults(vec![every(Effect::DelayNs(MS / 2))]);
    // The windows of a long search, and no time for them.
    let plan = CalibratePlan { budget: Duration::from_secs(1), large: false, ..plan(access, 100) };
    let found = run(&plan, &target());
    assert_eq!(found.calibration.end, CalibrationEnd::Unfinished);
    assert_eq!((found.calibration.windows, found.calibration.curve.len()), (0, 0));
    assert!(
        found.calibration.sentence.contains("the time allowed"),
        "{}",
        found.calibration.sentence
    );
}

#[test]
fn a_mix_beside_a_durable_log() {
    let (stop, dir) = (Stop::new(), folder());
    let ctx = context(&stop, 100);
    let Some(data) = made(&ctx, dir.path(), 24) else { return };
    let log = prepare(&ctx, dir.path(), 8 * MIB, 9).unwrap();
    let target = CalibrationTarget { data: Region::of(&data), log: Some(Region::of(&log)) };
    let budget = 256 * MIB;
    let plan = CalibratePlan {
        read_percent: 70,
        beside: Some(LogStream { block_bytes: 8192, rate_per_s: 50.0 }),
        write_budget_bytes: Some(budget),
        // Loose, so that it is found or not by the rate and not by the machine's worst moments.
        goal: Goal { quantile: 0.9, limit_ns: 20 * MS },
        ..plan(Access::null().with_faults(vec![every(Effect::DelayNs(MS / 5))]), 15)
    };
    let steps = planned_calibrate(&plan, 32 * MIB);
    assert!(steps.iter().map(|step| step.writes_bytes).sum::<u64>() >= budget + 32 * MIB);
    let found = calibrate(&ctx, &target, &Watch::none(), &plan).unwrap();
    hangs_together(&found);
    let c = &found.calibration;
    assert_eq!(c.id, "block.calibrate.mixed70.8k.beside_log");
    assert_eq!((c.goal.read_share, c.goal.arrivals.as_str()), (0.7, "poisson"));
    assert!(c.goal.beside.as_ref().is_some_and(|beside| beside.contains("stream, 8")), "{c:?}");
    assert!(c.oracle.is_none(), "Oracle's numbers are of reads alone");
    assert!(c.sentence.contains("burst"), "{}", c.sentence);

    let log = by_id(&found, "block.calibrate.mixed70.8k.beside_log.ceiling.log");
    assert!(log.value(metric::SYNC_THROUGHPUT).unwrap() > 0.0, "each append is made durable");
    assert_eq!(log.text(condition::LOOP), Some("open"));
    let ceiling = by_id(&found, "block.calibrate.mixed70.8k.beside_log.ceiling");
    let (reads, writes) = (metric::READ_THROUGHPUT, metric::WRITE_THROUGHPUT);
    let share = ceiling.value(reads).unwrap()
        / (ceiling.value(reads).unwrap() + ceiling.value(writes).unwrap());
    assert!((share - 0.7).abs() < 0.05, "{share}");
    let together = by_id(&found, "block.calibrate.mixed70.8k.beside_log.ceiling.together");
    assert!(together.value(metric::OPERATIONS) > ceiling.value(metric::OPERATIONS));
    let written: f64 = found
        .measurements
        .iter()
        .filter(|m| !m.id.ends_with(".together") && !m.id.ends_with(".log"))
        .filter_map(|m| m.number(condition::WRITTEN_BYTES))
        .sum();
    assert!(written > 0.0 && written <= budget as f64 * 1.05, "{written}");
    for m in &found.measurements {
        let writes = m.text(condition::DIRECTION) != Some("read");
        assert_eq!(m.text(condition::WRITE_STATE).is_some(), writes, "{}", m.id);
        assert_eq!(m.value(metric::ERRORS), Some(0.0), "{}", m.id);
    }
}

#[test]
fn what_cannot_be_run_is_refused_with_a_hint() {
    let stop = Stop::new();
    let ctx = context(&stop, 100);
    let refused = |plan: &CalibratePlan| {
        let error = calibrate(&ctx, &target(), &Watch::none(), plan).unwrap_err();
        assert!(matches!(error, BlockError::Scenario { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains("hint:"), "{text}");
        text
    };
    let usual = || plan(Access::null(), 5);
    let text = refused(&CalibratePlan { read_percent: 70, ..usual() });
    assert!(text.contains("may only be read"), "{text}");
    let text = refused(&CalibratePlan { beside: Some(LogStream::default()), ..usual() });
    assert!(text.contains("no place for it"), "{text}");
    let goal = |quantile, limit_ns| CalibratePlan { goal: Goal { quantile, limit_ns }, ..usual() };
    for plan in [goal(1.0, MS), goal(0.0, MS), goal(f64::NAN, MS), goal(0.99, 0)] {
        assert!(refused(&plan).contains("percentile"));
    }
}

/// A pause of a second is no part of the time for all, and both ends are held against what was before.
#[test]
fn the_closed_loop_is_done_once_more_at_the_end_and_after_a_pause() {
    let access = Access::null().with_faults(vec![every(Effect::DelayNs(MS / 5))]);
    let idle = Duration::from_secs(1);
    let plan = CalibratePlan { large: false, idle, ..plan(access, 12) };
    let said: Vec<String> = planned_calibrate(&plan, 0).into_iter().map(|step| step.what).collect();
    assert!(said.last().unwrap().starts_with("nothing for 1.00 s"), "{said:?}");
    let found = run(&plan, &target());
    hangs_together(&found);
    let id = &found.calibration.id;
    let wanted = format!("{id}.again");
    if found.measurements.iter().all(|m| m.id != wanted) {
        // Windows that others make unusable are made again, and the time is soon over.
        assert!(found.calibration.unusable_windows > 0, "there was time for {wanted}");
        eprintln!("SKIPPED: others took the processors");
        return;
    }
    let again = by_id(&found, &wanted);
    let after = by_id(&found, &format!("{id}.idle"));
    let ceiling = by_id(&found, &format!("{id}.ceiling"));
    let least = samples(ceiling, metric::THROUGHPUT).iter().copied().reduce(f64::min);
    // Windows of one operation at a time are among them, where that is the ceiling's depth.
    assert!(again.number(condition::EARLIER_LEAST_PER_S).unwrap() <= least.unwrap());
    let least = samples(again, metric::THROUGHPUT).iter().copied().reduce(f64::min);
    assert_eq!(after.number(condition::EARLIER_LEAST_PER_S), least);
    assert_eq!(after.number(condition::IDLE_BEFORE_S), Some(1.0));
    // Where others took the processors, it may look like a fall: then both counts are there, and the answer rests on it.
    let fell = again.number(condition::OPERATIONS_BEFORE_FALL);
    let seen = again.number(condition::OPERATIONS_UNTIL_FALL_SEEN);
    assert!(fell.zip(seen).is_none_or(|(from, to)| from <= to), "{fell:?} to {seen:?}");
    // Where no window of the search could be used, there is no answer that would rest on it.
    let answered = found.calibration.unusable_windows < found.calibration.windows;
    let rests_on_it = found.calibration.rests_on.contains(&wanted);
    assert_eq!(fell.is_some() && answered, rests_on_it);
}

#[test]
fn it_ends_when_asked() {
    let stop = Stop::new();
    let other = stop.clone();
    let asks = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(1500));
        other.set();
    });
    let access = Access::null().with_faults(vec![every(Effect::DelayNs(MS / 5))]);
    let error =
        calibrate(&context(&stop, 100), &target(), &Watch::none(), &plan(access, 100)).unwrap_err();
    assert!(matches!(error, BlockError::Stopped(_)), "{error}");
    asks.join().unwrap();
}

/// A stall of 2 ms at every thousandth operation, 0.1 ms otherwise: at `r` per second the stalled one and those that are due
/// in the first millisecond of the stall take longer than one, 1 + r/1000 of every thousand. That is 1 % at 9000 per second.
#[test]
fn the_rate_of_a_planted_law_is_never_exceeded() {
    let access = Access::null().with_faults(vec![
        every(Effect::DelayNs(MS / 10)),
        Fault::any(When::Every(1000), Effect::StallNs(2 * MS)),
    ]);
    let found = run(&CalibratePlan { large: false, ..plan(access, 12) }, &target());
    hangs_together(&found);
    let c = &found.calibration;
    println!("{}", c.sentence);
    // Whatever else runs here makes latencies longer, and the answer lower.
    assert!(c.rate_per_s.is_none_or(|rate| rate <= 9000.0 * 1.15), "{}", c.sentence);
    if let Some(interval) = c.interval_95 {
        assert!(c.ceiling_per_s.unwrap() > interval.high, "far below the ceiling");
        assert!(c.knee_per_s.is_none_or(|knee| knee <= interval.high * 1.1));
    }
}
