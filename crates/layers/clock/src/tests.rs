//! The loops are tested on clocks with planted faults; the real clocks only for what must hold anywhere.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use narrows_engine::{Announced, Phase, Silent, Stop};

use super::*;

fn context(stop: &Stop) -> Context<'_> {
    Context {
        stop,
        progress: &Silent,
        seed: 1,
        repeats: 3,
        quick: true,
        window: Duration::from_millis(5),
    }
}

#[test]
fn every_way_is_measured_and_the_system_call_is_not_free() {
    let stop = Stop::new();
    let measurements = measure(&context(&stop)).unwrap();
    let ids: Vec<_> = measurements.iter().map(|m| m.id.as_str()).collect();
    assert_eq!(ids[..2], ["clock.vdso", "clock.syscall"]);
    assert_eq!(ids.contains(&"clock.tsc"), Reader::available().contains(&Reader::Tsc));
    for measurement in &measurements {
        let cost = measurement.metric(metric::COST).unwrap();
        assert_eq!(cost.samples.len(), 3);
        assert!(cost.value > 0.1 && cost.value < 1e6, "{}: {}", measurement.id, cost.value);
        assert!(measurement.value(metric::ERRORS).is_some());
        eprintln!("{}: {:.1} ns {:?}", measurement.id, cost.value, measurement.conditions);
    }
}

#[test]
fn a_repeat_is_announced_with_what_a_reading_took_so_far() {
    let (stop, told) = (Stop::new(), Announced::default());
    let ctx = Context { progress: &told, repeats: 2, ..context(&stop) };
    measure(&ctx).unwrap();
    let told = told.of(Phase::Measure);
    let vdso: Vec<&String> = told.iter().filter(|detail| detail.starts_with("vdso on ")).collect();
    assert_eq!(vdso.len(), 2, "{told:?}");
    assert!(vdso[0].ends_with(", repeat 1 of 2"), "{told:?}");
    assert!(vdso[1].contains(", repeat 2 of 2, ") && vdso[1].ends_with("s so far"), "{told:?}");
}

#[test]
fn a_clock_that_steps_back_is_caught_with_the_size_of_the_step() {
    let readings = Cell::new(0u64);
    let read = || {
        readings.set(readings.get() + 1);
        // Every tenth reading is 7 too early.
        readings.get() * 3 - if readings.get().is_multiple_of(10) { 7 } else { 0 }
    };
    let cost = cost::cost(read, Duration::ZERO, &Stop::new()).unwrap();
    assert_eq!(cost.reads, u64::from(cost::BATCH));
    assert_eq!(cost.backward_steps, 100);
    assert_eq!(cost.largest_back, 4);
    assert_eq!(cost.smallest_step, Some(3));
}

#[test]
fn a_coarse_clock_shows_its_step_and_no_backward_one() {
    let readings = Cell::new(0u64);
    let read = || {
        readings.set(readings.get() + 1);
        readings.get() / 100 * 4_000_000
    };
    let cost = cost::cost(read, Duration::ZERO, &Stop::new()).unwrap();
    assert_eq!((cost.backward_steps, cost.smallest_step), (0, Some(4_000_000)));
}

#[test]
fn two_processors_with_clocks_apart_are_caught() {
    let allowed = affinity::current();
    let [a, .., b] = allowed[..] else {
        eprintln!("SKIPPED: comparing CPUs needs two");
        return;
    };
    // Counts up with every reading, but the second processor's clock is 1000 behind.
    let count = AtomicU64::new(10_000);
    let read = || {
        let now = count.fetch_add(1, Ordering::Relaxed);
        if affinity::current_cpu() == Some(b) { now - 1000 } else { now }
    };
    // Both have to run at the same time to see each other's readings, which a busy machine may not let them for a while.
    let mut tries =
        (0..100).map(|_| warp::compare([a, b], read, Duration::from_millis(200)).unwrap());
    let warps = tries.find(|warps| warps.backward_steps > 0).unwrap_or_default();
    assert!(warps.backward_steps > 0 && warps.largest_back >= 900, "{warps:?}");

    let count = AtomicU64::new(0);
    let agreeing =
        warp::compare([a, b], || count.fetch_add(1, Ordering::Relaxed), Duration::from_millis(20));
    assert_eq!(agreeing.unwrap(), warp::Warps::default());
}

#[test]
fn a_stop_ends_it_with_an_error() {
    let stop = Stop::new();
    stop.set();
    assert!(matches!(measure(&context(&stop)), Err(ClockError::Stopped(_))));
}

#[test]
fn pairs_go_round_over_the_repeats() {
    let stop = Stop::new();
    let cpu = affinity::current()[0];
    // The same processor three times stands in for a machine with three; only the order matters here.
    let mut pairs = warp::Pairs::of(&[cpu, cpu, cpu]);
    assert_eq!(pairs.compared(), 0);
    pairs.check(Reader::Vdso, 1, Duration::from_micros(1), &stop).unwrap();
    assert_eq!(pairs.compared(), 2);
    pairs.check(Reader::Vdso, 5, Duration::from_micros(1), &stop).unwrap();
    assert_eq!(pairs.compared(), 3);
}
