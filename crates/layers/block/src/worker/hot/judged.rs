//! What shows only over time, by a simulated clock, and what the rules say of it: a rate above the capacity, a step to a lower level,
//! a device that gets slower. The same loop, sums and rules as in a measurement; only device and clock are not real.

use std::time::Duration;

use narrows_engine::Arrivals;
use narrows_io::Op;
use narrows_model::{Finding, Plan, Platform, Run};
use narrows_observe::HostWindow;

use super::simulated::{Device, SECOND, START_NS, device, open, run_for, stream};
use crate::contents::Contents;
use crate::gather::{self, Measured};
use crate::read_back::ReadBack;
use crate::record::Record;
use crate::scenario::{Load, Mix, Scenario, Stream};

const MS: u64 = 1_000_000;

fn one_at_a_time() -> Stream {
    stream(Load::Closed { depth: 1 }, Mix::only(Op::Read))
}

/// A window of so many seconds, into `record`.
fn window(record: &mut Record, stream: &Stream, mut device: Device, s: u64) {
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
    };
    let contents = [(Contents::default(), ReadBack::default())];
    let outcomes = gather::outcomes(&scenario, measured, vec![tally], &contents, 0.0);
    record.add(&outcomes[0]);
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
