//! A search for a depth, by a simulated clock.

use std::time::Duration;

use narrows_io::Op;

use super::simulated::{SECOND, START_NS, device, run_for, stream};
use crate::scenario::{DepthFound, DepthSearch, Load, Mix, Stream};

const US: u64 = 1_000;
const WINDOW: Duration = Duration::from_millis(20);

fn searching(most: u32, target_us: u64, percent: f64, goes_on: bool) -> Stream {
    let target = Duration::from_micros(target_us);
    Stream {
        depth_search: Some(DepthSearch { target, window: WINDOW, percent, goes_on }),
        over_ns: Some(target.as_nanos() as u64),
        ..stream(Load::Closed { depth: most }, Mix::only(Op::Read))
    }
}

#[test]
fn the_depth_that_a_device_serves_at_once_is_found_and_its_figures_are_its_own() {
    // Six at a time, 0.1 ms each: the seventh waits for one of them.
    for percent in [99.0, 100.0] {
        let mut six = device(6, 100 * US);
        let tally = run_for(&searching(64, 130, percent, false), &mut six, 2).unwrap();
        assert_eq!(tally.depth_found, Some(DepthFound { depth: 6, settled: true, failed: false }));
        let (began_ns, ended_ns) = (tally.began_ns.unwrap(), tally.ended_ns.unwrap());
        assert!(began_ns > START_NS + SECOND, "after the search");
        let held_ns = ended_ns - began_ns;
        assert!((20_000 * US..20_400 * US).contains(&held_ns), "one window more: {held_ns}");
        let read = &tally.kinds[0];
        assert!(read.latency.max().unwrap() < 130 * US, "{:?}", read.latency.max());
        assert!((1_150..1_220).contains(&read.operations), "{}", read.operations);
        let series: u64 = tally.slices.iter().map(|slice| slice.operations).sum();
        assert_eq!(series, read.operations);
    }
}

#[test]
fn a_search_that_finds_nothing_ends_at_once_or_with_its_time() {
    let none =
        |percent| run_for(&searching(64, 50, percent, false), &mut device(6, 100 * US), 1).unwrap();
    let failed = none(100.0);
    assert_eq!(failed.depth_found, Some(DepthFound { depth: 1, settled: false, failed: true }));
    assert!(failed.ended_ns.unwrap() < START_NS + SECOND + 1_000 * US);
    let searched = none(99.0);
    assert_eq!(searched.depth_found, Some(DepthFound { depth: 1, settled: false, failed: false }));
    assert_eq!(searched.ended_ns, None);
}

#[test]
fn a_search_that_goes_on_keeps_all_of_its_figures() {
    let tally = run_for(&searching(64, 130, 99.0, true), &mut device(6, 100 * US), 2).unwrap();
    let found = tally.depth_found.unwrap();
    assert!(!found.settled && (5..=7).contains(&found.depth), "{found:?}");
    assert_eq!((tally.began_ns, tally.ended_ns), (Some(START_NS + SECOND), None));
}
