//! What shows only over time, by a simulated clock, and what the rules say of it: a rate above the capacity, a step to a lower level,
//! a device that gets slower. The same loop, sums and rules as in a measurement; only device and clock are not real.

use std::time::Duration;

use narrows_engine::Arrivals;
use narrows_engine::rate_search::{Goal, WindowJudgement};
use narrows_io::Op;
use narrows_model::{Finding, Plan, Platform, Run};
use narrows_observe::HostWindow;

use super::simulated::{Device, SECOND, START_NS, device, open, run_for, stream};
use crate::calibrate::seen::seen;
use crate::contents::Contents;
use crate::gather::{self, Measured};
use crate::outcome::StreamOutcome;
use crate::read_back::ReadBack;
use crate::record::Record;
use crate::scenario::{Load, Mix, Scenario, Stream};
use crate::stalls::Span;

const MS: u64 = 1_000_000;

fn one_at_a_time() -> Stream {
    stream(Load::Closed { depth: 1 }, Mix::only(Op::Read))
}

/// A window of so many seconds, into `record`.
fn window(record: &mut Record, stream: &Stream, device: Device, s: u64) {
    record.add(&outcome(stream, device, s, Vec::new()));
}

/// What a window of so many seconds gave, in which a second thread was late in `still`.
fn outcome(stream: &Stream, mut device: Device, s: u64, still: Vec<Span>) -> StreamOutcome {
    let tally = run_for(stream, &mut device, s).unwrap();
    let (warm_up, length) = (Duration::from_secs(1), Duration::from_secs(s));
    let scenario = Scenario::of(stream.clone(), warm_up, length, 1);
    let (start_ns, seen) = (START_NS + SECOND, HostWindow::default());
    let measured = Measured {
        start_ns,
        window_ns: s * SECOND,
        cpu_ns: 1.0,
        stood_still: 0.0,
        process_read_bytes: None,
        seen,
        still,
    };
    let contents = [(Contents::default(), ReadBack::default())];
    gather::outcomes(&scenario, measured, vec![tally], &contents, 0.0).remove(0)
}

/// The ids of the rules that fire.
fn judged(record: Record, stream: &Stream) -> Vec<Finding> {
    let measurement = record.into_measurement("block.test", stream);
    let blank = Run::blank(Plan::default(), Platform::default());
    narrows_validity::check(&Run { measurements: vec![measurement], ..blank })
}

fn of<'a>(found: &'a [Finding], id: &str) -> Option<&'a Finding> {
    found.iter().find(|finding| finding.id == id)
}

#[test]
fn a_rate_above_the_capacity_is_invalid_and_its_backlog_grows() {
    // Four at a time, a millisecond each: at most 4000 per second.
    for (rate_per_s, above) in [(20_000.0, true), (3_000.0, false)] {
        let stream = stream(open(rate_per_s, Arrivals::Constant, 4), Mix::only(Op::Read));
        let mut record = Record::new();
        window(&mut record, &stream, device(4, MS), 1);
        let found = judged(record, &stream);
        for id in ["overload", "backlog-grows"] {
            assert_eq!(of(&found, id).is_some(), above, "{id} at {rate_per_s}: {found:?}");
        }
        // The device held the rate back, not the generator.
        assert!(of(&found, "rate-not-offered").is_none(), "{found:?}");
    }
}

#[test]
fn a_step_down_to_a_level_line_is_suspect() {
    // One at a time, 2 ms each, and 10 ms after 2.4 of 8 seconds: credits are spent.
    for (slower, steps) in [(Some((500 + 1200, 10 * MS)), true), (None, false)] {
        let (mut record, mut device) = (Record::new(), device(1, 2 * MS));
        device.slower = slower;
        window(&mut record, &one_at_a_time(), device, 8);
        let found = judged(record, &one_at_a_time());
        assert_eq!(of(&found, "settled-lower").is_some(), steps, "{found:?}");
    }
}

#[test]
fn a_device_that_gets_slower_from_window_to_window_is_suspect() {
    let found = |delays_ms: [u64; 6]| {
        let mut record = Record::new();
        for delay_ms in delays_ms {
            window(&mut record, &one_at_a_time(), device(1, delay_ms * MS), 1);
        }
        judged(record, &one_at_a_time())
    };
    let falls = found([2, 3, 4, 5, 6, 7]);
    let evidence = of(&falls, "not-steady").map(|finding| finding.evidence.as_str());
    assert!(evidence.is_some_and(|said| said.contains("falls by")), "{falls:?}");
    // Two speeds in turn scatter, but they lead nowhere.
    let scatters = found([5, 6, 5, 6, 5, 6]);
    assert!(of(&scatters, "not-steady").is_none(), "{scatters:?}");
}

/// No operation may be longer than this for 99 of 100 of them.
const GOAL: Goal = Goal { quantile: 0.99, limit_ns: 5 * MS };

fn ten_thousand_a_second() -> Stream {
    let load = open(10_000.0, Arrivals::Poisson, 4096);
    Stream { over_ns: Some(GOAL.limit_ns), ..stream(load, Mix::only(Op::Read)) }
}

#[test]
fn a_stall_inside_the_submission_is_the_devices() {
    // Half a second into the window a call takes 20 ms: what falls due meanwhile, 200 of 10,000, can't be sent.
    let stall = (START_NS + SECOND + SECOND / 2, START_NS + SECOND + SECOND / 2 + 20 * MS);
    let stalled = |still: Vec<Span>| {
        let mut device = device(64, 100_000);
        device.blocks = stall;
        let outcome = outcome(&ten_thousand_a_second(), device, 1, still);
        let seen = seen(&outcome, &GOAL, true).unwrap();
        let open = outcome.open.unwrap();
        let (late, on_time) = open.of_generator();
        (seen, open.held_up, late.quantile(0.99).unwrap(), on_time.quantile(0.99).unwrap())
    };
    let (by_device, held_up, late_ns, on_time_ns) = stalled(Vec::new());
    assert!(late_ns < MS && on_time_ns > 5 * MS, "the device's: {late_ns} {on_time_ns}");
    assert!((19 * MS..21 * MS).contains(&held_up.device_ns), "{held_up:?}");
    assert!(!by_device.stood_still(&GOAL), "{by_device:?}");
    let said = by_device.judge(&GOAL, 10_000.0);
    assert!(matches!(said, WindowJudgement::Failed { .. }), "{said:?}: {by_device:?}");
    // The same where a second thread was late too: nothing ran.
    let still = vec![Span { from_ns: stall.0 + MS, to_ns: stall.1 }];
    let (by_machine, held_up, late_ns, on_time_ns) = stalled(still);
    assert!(late_ns > 5 * MS && on_time_ns < MS, "the generator's: {late_ns} {on_time_ns}");
    assert!(held_up.device_ns == 0 && held_up.machine_ns > 19 * MS, "{held_up:?}");
    assert!(by_machine.stood_still(&GOAL), "{by_machine:?}");
}

#[test]
fn a_device_that_takes_what_it_is_given_holds_nobody_up() {
    let outcome = outcome(&ten_thousand_a_second(), device(64, 100_000), 1, Vec::new());
    let seen = seen(&outcome, &GOAL, true).unwrap();
    assert_eq!(seen.judge(&GOAL, 10_000.0), WindowJudgement::Passed { clear: true });
    let open = outcome.open.unwrap();
    assert_eq!((open.held_up.device_ns, open.held_up.machine_ns), (0, 0));
    assert_eq!(open.own_lateness.max(), open.lateness.max());
}

#[test]
fn a_cap_below_what_the_limit_allows_convicts_nobody() {
    // Half a second may each take, so 10,000 may be in flight with none of them late: a cap of 500 tells nothing of a device that has
    // 2000 at work. With 400 allowed, and 300 in flight at the limit, a device that falls behind is seen.
    let cases = [
        (20_000.0, 500, 10_000, SECOND / 2, WindowJudgement::Generator),
        (1_500.0, 400, 100, SECOND / 5, WindowJudgement::Failed { clear: true }),
    ];
    for (rate_per_s, cap, servers, limit_ns, wanted) in cases {
        let goal = Goal { quantile: 0.99, limit_ns };
        let load = open(rate_per_s, Arrivals::Poisson, cap);
        let stream = Stream { over_ns: Some(limit_ns), ..stream(load, Mix::only(Op::Read)) };
        let outcome = outcome(&stream, device(servers, 100 * MS), 1, Vec::new());
        let found = seen(&outcome, &goal, true).unwrap();
        assert_eq!(found.judge(&goal, rate_per_s), wanted, "{cap}: {found:?}");
    }
}
