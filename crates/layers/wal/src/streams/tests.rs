//! Streams on a real folder.

use narrows_engine::{Silent, Stop};
use narrows_facts::affinity;

use super::*;

pub(super) fn plan(streams: u32) -> StreamsPlan {
    StreamsPlan {
        streams,
        rate_bytes_per_s: 200_000.0,
        write_bytes: 4096,
        quantile: 0.5,
        limit_ns: 10_000_000_000,
        most_streams: streams,
        cache_bytes: Some(1 << 30),
        cpus: affinity::current(),
    }
}

fn context(stop: &Stop, window_ms: u64) -> Context<'_> {
    Context {
        stop,
        progress: &Silent,
        seed: 8,
        repeats: 2,
        quick: true,
        window: Duration::from_millis(window_ms),
    }
}

#[test]
fn each_stream_has_its_rate_and_its_file() {
    let Some(dir) = crate::tests::folder() else { return };
    let stop = Stop::new();
    let ctx = context(&stop, 200);
    let measured =
        streams(&ctx, crate::LogGround::Folder(dir.path()), &Watch::none(), &plan(3)).unwrap();
    let ids: Vec<&str> = measured.measurements.iter().map(|m| m.id.as_str()).collect();
    assert_eq!(ids, ["log.streams.1", "log.streams.2", "log.streams.3"]);
    for (m, n) in measured.measurements.iter().zip([1.0, 2.0, 3.0]) {
        // 48.8 writes per second each: what was due is exact but for one write of each.
        let offered = m.value(metric::OFFERED).unwrap();
        assert!((offered - n * 48.8).abs() <= n * 5.0 + 0.1, "{n}: {offered}");
        assert_eq!(m.value(metric::ERRORS), Some(0.0));
        assert!(m.number(narrows_model::condition::PAGES_READ_BACK).unwrap() > 0.0);
        assert_eq!(m.metric(metric::INTERFERENCE).is_some(), n > 1.0);
        assert!(m.number(narrows_model::condition::CACHE_TURNOVER_S).is_some());
    }
    // A limit of ten seconds is kept by any drive that lets this test end.
    assert_eq!((measured.holding.kept(), measured.holding.missed()), (Some(3), None));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn a_stop_leaves_no_file() {
    let Some(dir) = crate::tests::folder() else { return };
    let stop = Stop::new();
    let stopper = stop.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        stopper.set();
    });
    let result = streams(
        &context(&stop, 20_000),
        crate::LogGround::Folder(dir.path()),
        &Watch::none(),
        &plan(2),
    );
    thread.join().unwrap();
    assert!(matches!(result, Err(LogError::Stopped(_))), "{:?}", result.err());
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn interference_is_only_of_numbers_that_ran_in_the_same_repeats() {
    let finished = |n| {
        let mut kept = StreamWindows::default();
        for mean in [30.0, 40.0] {
            kept.samples.add(metric::LATENCY_MEAN, mean);
        }
        kept.finish(n, &plan(4), &[10.0, 20.0], (0, 0))
    };
    assert_eq!(finished(2).metric(metric::INTERFERENCE).unwrap().samples, [3.0, 2.0]);
    assert!(finished(1).metric(metric::INTERFERENCE).is_none());
    assert!(finished(6).metric(metric::INTERFERENCE).is_none(), "the search tried it later");
}

#[test]
fn a_tail_is_that_of_all_repeats_and_needs_ten_writes_beyond_it() {
    for (writes, known) in [(999, false), (1000, true)] {
        let mut kept = StreamWindows::default();
        (0..writes).for_each(|i| kept.all.record(1_000 + i));
        let m = kept.finish(2, &plan(4), &[], (0, 0));
        assert_eq!(m.metric(metric::LATENCY_P99_ALL).is_some(), known, "{writes} writes");
        assert!(m.metric(metric::LATENCY_P999_ALL).is_none());
    }
}
