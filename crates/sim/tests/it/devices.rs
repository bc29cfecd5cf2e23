//! Devices that lie are caught by the rules, a perfect one leaves them silent, and the knee is found.

use crate::common::{cached, client, cpu};
use narrows_engine::KneeSearch;
use narrows_model::{Finding, Measurement, Run, Severity, metric};
use narrows_sim::device::{Behaviour, Device, measure, measure_open, platform};
use narrows_sim::{Law, Server};
use narrows_validity::check;

const ID: &str = "block.read.random.8k.knee";

fn run_with(m: Measurement) -> Run {
    let mut run = cached(Server::new(1, 1, vec![client(1e3), cpu(1e3)]), 1).measure();
    run.hosts[0].platform = platform();
    run.measurements = vec![m];
    run
}

/// Findings about the measurement that weigh more than a note.
fn weighty(behaviour: Behaviour) -> Vec<Finding> {
    let device = Device::new(behaviour);
    let run = run_with(measure(&device, ID, 16, 6, 42));
    check(&run)
        .into_iter()
        .filter(|f| f.measurement.as_deref() == Some(ID) && f.severity > Severity::Note)
        .collect()
}

fn ids(findings: &[Finding]) -> Vec<&str> {
    findings.iter().map(|finding| finding.id.as_str()).collect()
}

#[test]
fn a_perfect_device_raises_nothing() {
    for seed in 0..10 {
        for depth in [1, 8, 64] {
            let run = run_with(measure(&Device::new(Behaviour::Honest), ID, depth, 6, seed));
            let found: Vec<Finding> =
                check(&run).into_iter().filter(|f| f.severity > Severity::Note).collect();
            assert!(found.is_empty(), "seed {seed}, depth {depth}: {found:?}");
        }
    }
}

#[test]
fn holes_are_caught() {
    let found = weighty(Behaviour::Sparse(0.3));
    let ids = ids(&found);
    for id in ["device-saw-less", "zero-blocks", "unwritten-extents"] {
        assert!(ids.contains(&id), "{id} is missing in {ids:?}");
    }
    assert!(found.iter().all(|f| f.severity == Severity::Invalid), "{found:?}");
}

#[test]
fn a_page_cache_is_caught_by_both_its_traces() {
    let found = weighty(Behaviour::Cached(0.5));
    assert_eq!(ids(&found), ["device-saw-less", "resident-before"]);
}

#[test]
fn a_burst_that_ends_is_not_steady() {
    // The allowance ends in the third of six windows.
    let found = weighty(Behaviour::Burst(50_000, 4.0));
    assert!(ids(&found).iter().any(|id| ["not-steady", "wide-spread"].contains(id)), "{found:?}");
}

#[test]
fn requests_that_never_were_in_flight_are_caught() {
    assert_eq!(ids(&weighty(Behaviour::Narrowed(4))), ["depth-not-reached"]);
}

#[test]
fn a_neighbour_on_the_drive_is_caught() {
    assert_eq!(ids(&weighty(Behaviour::Shared)), ["others-read-the-drives"]);
}

#[test]
fn a_stall_shows_in_an_open_loop_and_hides_in_a_closed_one() {
    // 20 ms of every 500 ms nothing is served: 4 % of the time. A closed loop of depth 4 has four requests in
    // it and calls it a few samples in a hundred thousand; of those that are due by the clock 4 % are.
    let device = Device::new(Behaviour::Stalling(500e6, 20e6));
    let closed = measure(&device, ID, 4, 6, 7);
    let open = measure_open(&device, ID, 20_000.0, 6, 7);
    let p99 = |m: &Measurement| m.value(metric::LATENCY_P99).expect("enough samples");
    assert!(p99(&closed) < 0.5e6, "closed: {} ns", p99(&closed));
    assert!(p99(&open) > 10e6, "open: {} ns", p99(&open));
}

#[test]
fn the_knee_of_a_saturating_device_is_its_number_of_channels() {
    for channels in [1u32, 4, 16, 64] {
        let device = Device {
            channels,
            service: Law::Constant(100_000.0),
            ..Device::new(Behaviour::Honest)
        };
        let mut search = KneeSearch::new(1024);
        let mut seed = 0;
        while let Some(depth) = search.next_depth() {
            seed += 1;
            search.saw(depth, device.rate_at(depth, seed));
        }
        assert_eq!(search.chosen(), Some(channels), "{:?}", search.curve());
    }
}

#[test]
fn with_scattered_service_times_the_knee_still_gives_nearly_everything() {
    let device = Device::new(Behaviour::Honest);
    let mut search = KneeSearch::new(1024);
    while let Some(depth) = search.next_depth() {
        search.saw(depth, device.rate_at(depth, u64::from(depth)));
    }
    let chosen = search.chosen().expect("probed");
    let full = f64::from(device.channels) / device.service.mean_ns() * 1e9;
    assert!(device.rate_at(chosen, 99) > full * 0.93, "depth {chosen}: {:?}", search.curve());
    assert!(chosen <= 32, "deeper than needed: {chosen}");
}
