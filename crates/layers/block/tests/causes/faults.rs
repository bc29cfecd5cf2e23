//! Operations fail, move less than asked, never come back, or come back late: a device that does so as planned.

use std::time::Duration;

use narrows_engine::Arrivals;
use narrows_io::{Access, Effect, Entropy, Fault, Op, TestFile, When};
use narrows_layer_block::{BlockError, Load, Record, Region, Stream};
use narrows_model::Severity;

use crate::bench::{Bench, bench, caught, reads, silent};

const MS: u64 = 1_000_000;

fn with(file: &TestFile, access: Access, faults: Vec<Fault>) -> Stream {
    Stream { access: access.with_faults(faults), ..reads(Region::of(file)) }
}

fn ready() -> Option<(Bench, TestFile)> {
    let bench = bench()?;
    let file = bench.file(64, Entropy::default())?;
    Some((bench, file))
}

#[test]
fn an_error_is_invalid_and_many_end_the_measurement() {
    let Some((bench, file)) = ready() else { return };
    let error = |when| vec![Fault::any(when, Effect::Errno(libc::EIO))];
    // From the tenth on, so that the window has begun or begins with it; each thread has its own count.
    let late = Fault::any(When::Nth(200), Effect::Errno(libc::EIO));
    let found = bench.judged(bench.windows(&with(&file, Access::blocking(), vec![late]), 2));
    caught(&found, "operations-failed", Severity::Invalid);
    let all = bench.try_windows(&with(&file, Access::blocking(), error(When::From(20))), 1);
    assert!(matches!(all, Err(BlockError::Failing { .. })), "{all:?}");
}

#[test]
fn short_operations_are_invalid() {
    let Some((bench, file)) = ready() else { return };
    let short = Fault::any(When::Every(50), Effect::Short(512));
    let found = bench.judged(bench.windows(&with(&file, Access::blocking(), vec![short]), 1));
    caught(&found, "short-io", Severity::Invalid);
}

#[test]
fn a_file_that_is_cut_short_meanwhile_is_invalid() {
    let Some(bench) = bench() else { return };
    let target = bench.by_hand(|file| {
        std::io::Write::write_all(file, &vec![0xa5; 16 << 20]).unwrap();
    });
    let path = target.path().to_path_buf();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(bench.length / 2);
            std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(1 << 20).unwrap();
        });
        let found = bench.judged(bench.windows(&reads(target.clone()), 1));
        caught(&found, "short-io", Severity::Invalid);
    });
}

#[test]
fn reads_that_give_zeros_or_other_data_are_invalid() {
    let Some((bench, file)) = ready() else { return };
    let every = |effect| vec![Fault::on(Op::Read, When::Every(1), effect)];
    let zeros =
        bench.judged(bench.windows(&with(&file, Access::blocking(), every(Effect::Zeros)), 1));
    caught(&zeros, "zero-blocks", Severity::Invalid);
}

#[test]
fn a_window_in_which_nothing_came_back_is_invalid() {
    let Some((bench, file)) = ready() else { return };
    let stall = Fault::any(When::Nth(0), Effect::StallNs(600 * MS));
    let found = bench.judged(bench.windows(&with(&file, Access::null(), vec![stall]), 1));
    caught(&found, "nothing-done", Severity::Invalid);
}

#[test]
fn a_wrong_unit_of_time_is_suspect() {
    let Some((mut bench, file)) = ready() else { return };
    // Five milliseconds where five seconds were meant.
    bench.length = Duration::from_millis(5);
    let slow = Fault::any(When::Every(1), Effect::DelayNs(MS));
    let found = bench.judged(bench.windows(&with(&file, Access::null(), vec![slow]), 1));
    caught(&found, "window-too-short", Severity::Suspect);
    silent(&found, "nothing-done");
}

#[test]
fn a_rate_above_the_capacity_is_invalid_and_its_backlog_grows() {
    let Some((mut bench, file)) = ready() else { return };
    bench.length = Duration::from_secs(1);
    // Four at a time, a millisecond each: at most 4000 a second.
    let slow = Fault::any(When::Every(1), Effect::DelayNs(MS));
    let load =
        |rate_per_s| Load::Open { rate_per_s, arrivals: Arrivals::Constant, most_in_flight: 4 };
    let stream = Stream { threads: 1, ..with(&file, Access::null(), vec![slow]) };
    let above = Stream { load: load(20_000.0), ..stream.clone() };
    let found = bench.judged(bench.windows(&above, 1));
    caught(&found, "overload", Severity::Invalid);
    caught(&found, "backlog-grows", Severity::Invalid);
    // The device held the rate back, not the generator.
    silent(&found, "rate-not-offered");
}

#[test]
fn a_step_down_to_a_level_line_is_suspect() {
    let Some((mut bench, file)) = ready() else { return };
    // Slices long enough that a late wake-up doesn't show in them.
    (bench.length, bench.slice) = (Duration::from_secs(8), Duration::from_millis(250));
    // One at a time, 2 ms each, and 10 ms from the 1200th on: credits are spent.
    let faults = vec![
        Fault::any(When::Every(1), Effect::DelayNs(2 * MS)),
        Fault::any(When::From(1200), Effect::DelayNs(8 * MS)),
    ];
    let stream = Stream {
        load: Load::Closed { depth: 1 },
        threads: 1,
        ..with(&file, Access::null(), faults)
    };
    let found = (0..3)
        .map(|_| bench.judged(bench.windows(&stream, 1)))
        .find(|found| found.iter().any(|finding| finding.id == "settled-lower"));
    let Some(found) = found else {
        eprintln!(
            "SKIPPED: others took the processors, and the line behind the step was ragged each time"
        );
        return;
    };
    caught(&found, "settled-lower", Severity::Suspect);
    let level = vec![Fault::any(When::Every(1), Effect::DelayNs(10 * MS))];
    let stream = Stream {
        load: Load::Closed { depth: 1 },
        threads: 1,
        ..with(&file, Access::null(), level)
    };
    silent(&bench.judged(bench.windows(&stream, 1)), "settled-lower");
}

#[test]
fn a_device_that_gets_slower_from_window_to_window_is_suspect() {
    let Some((bench, file)) = ready() else { return };
    let found = |delays_ms: [u64; 6]| {
        let mut record = Record::new();
        let stream = |delay_ms| Stream {
            load: Load::Closed { depth: 1 },
            threads: 1,
            ..with(
                &file,
                Access::null(),
                vec![Fault::any(When::Every(1), Effect::DelayNs(delay_ms * MS))],
            )
        };
        for (seed, delay_ms) in (1..).zip(delays_ms) {
            bench.window(&mut record, &stream(delay_ms), seed).unwrap();
        }
        bench.judged(record.into_measurement("test", &stream(delays_ms[0])))
    };
    let evidence = caught(&found([2, 3, 4, 5, 6, 7]), "not-steady", Severity::Suspect);
    assert!(evidence.contains("falls by"), "{evidence}");
    // Two speeds in turn scatter, but they lead nowhere.
    silent(&found([5, 6, 5, 6, 5, 6]), "not-steady");
}
