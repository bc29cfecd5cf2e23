//! Operations fail, move less than asked, never come back, or come back late: a device that does so as planned.
//!
//! Faults are named by the number of the operation and windows end with a number of operations, so that each fault is in its
//! window however fast or slow the machine is. What shows only over time is tested with the loop's own clock
//! (`worker/hot/judged.rs`).

use std::time::Duration;

use narrows_io::{Access, Effect, Entropy, Fault, Op, TestFile, When};
use narrows_layer_block::{BlockError, Record, Region, Stream};
use narrows_model::{Severity, metric};

use crate::causes::bench::{Bench, ENOUGH, ID, MIB, bench, caught, counted, reads, silent};

const MS: u64 = 1_000_000;

/// Reads of [`ENOUGH`] blocks on a device with these faults.
fn with(file: &TestFile, access: Access, faults: Vec<Fault>) -> Stream {
    counted(Stream { access: access.with_faults(faults), ..reads(Region::of(file)) }, ENOUGH)
}

fn ready() -> Option<(Bench, TestFile)> {
    let bench = bench()?;
    let file = bench.file(16, Entropy::default())?;
    Some((bench, file))
}

#[test]
fn an_error_is_invalid_and_many_end_the_measurement() {
    let Some((bench, file)) = ready() else { return };
    let error = |when| vec![Fault::any(when, Effect::Errno(libc::EIO))];
    // Each thread has its own count, and whichever closes the window has long passed its tenth.
    let measured = bench.windows(&with(&file, Access::blocking(), error(When::Nth(10))), 2);
    assert!(measured.metric(metric::ERRORS).unwrap().samples.iter().all(|errors| *errors >= 1.0));
    caught(&bench.judged(measured), "operations-failed", Severity::Invalid);
    let all = Stream { limit: None, ..with(&file, Access::blocking(), error(When::From(20))) };
    // A thread gives up after a hundred; until then this window lasts.
    let all = bench.try_windows(&counted(all, u64::MAX), 1);
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
fn a_file_that_is_cut_short_between_two_windows_makes_the_second_invalid() {
    let Some(bench) = bench() else { return };
    let target = bench.by_hand(|file| {
        std::io::Write::write_all(file, &vec![0xa5; 16 * MIB as usize]).unwrap();
    });
    let path = target.path().to_path_buf();
    let stream = counted(reads(target), ENOUGH);
    let mut record = Record::new();
    bench.window(&mut record, &stream, 1).unwrap();
    silent(&bench.judged(record.clone().into_measurement(ID, &stream)), "short-io");
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(MIB).unwrap();
    bench.window(&mut record, &stream, 2).unwrap();
    caught(&bench.judged(record.into_measurement(ID, &stream)), "short-io", Severity::Invalid);
}

#[test]
fn reads_that_give_zeros_are_invalid() {
    let Some((bench, file)) = ready() else { return };
    let zeros = vec![Fault::on(Op::Read, When::Every(1), Effect::Zeros)];
    let found = bench.judged(bench.windows(&with(&file, Access::blocking(), zeros), 1));
    caught(&found, "zero-blocks", Severity::Invalid);
}

#[test]
fn a_window_of_a_drive_that_stood_still_keeps_its_place_among_the_others() {
    let Some((bench, file)) = ready() else { return };
    let stall = Fault::any(When::Nth(0), Effect::StallNs(2 * bench.length.as_nanos() as u64));
    let still = Stream { limit: None, ..with(&file, Access::null(), vec![stall]) };
    let stream = with(&file, Access::blocking(), Vec::new());
    let mut record = Record::new();
    for (seed, stream) in [(1, &stream), (2, &still), (3, &stream)] {
        bench.window(&mut record, stream, seed).unwrap();
    }
    let measured = record.into_measurement(ID, &stream);
    let samples = |metric| &measured.metric(metric).unwrap().samples;
    let [before, 0.0, after] = samples(metric::ISSUED_READ_BYTES)[..] else {
        panic!("{:?}", samples(metric::ISSUED_READ_BYTES));
    };
    assert!(before > 0.0 && after > 0.0);
    assert_eq!(samples(metric::OPERATIONS)[1], 0.0);
    // The drive's counts are of the same windows, or there are none.
    let counted = measured.metric(metric::DEVICE_READ_BYTES).map(|metric| metric.samples.len());
    assert!(matches!(counted, None | Some(3)), "{counted:?}");
    let found = bench.judged(measured);
    for rule in ["device-saw-less", "bytes-not-operations-times-size"] {
        silent(&found, rule);
    }
}

#[test]
fn a_window_in_which_nothing_came_back_is_invalid() {
    let Some((bench, file)) = ready() else { return };
    // The stall begins with the first operation, which is sent no earlier than the window's warm-up begins, and outlasts both.
    let stall = Fault::any(When::Nth(0), Effect::StallNs(2 * bench.length.as_nanos() as u64));
    let stream = Stream { limit: None, ..with(&file, Access::null(), vec![stall]) };
    let found = bench.judged(bench.windows(&stream, 1));
    caught(&found, "no-operations", Severity::Invalid);
}

#[test]
fn a_wrong_unit_of_time_is_suspect() {
    let Some((mut bench, file)) = ready() else { return };
    // Five milliseconds where five seconds were meant.
    bench.length = Duration::from_millis(5);
    let slow = Fault::any(When::Every(1), Effect::DelayNs(MS / 10));
    let stream = Stream { limit: None, ..with(&file, Access::null(), vec![slow]) };
    // A machine that stands still for those five milliseconds has another finding besides.
    let done = |m: &narrows_model::Measurement| m.value(metric::OPERATIONS) > Some(0.0);
    let measured = bench.window_where(&stream, || (), "had an operation in it", done);
    let Some(measured) = measured else { return };
    let found = bench.judged(measured);
    caught(&found, "window-too-short", Severity::Suspect);
    silent(&found, "no-operations");
}
