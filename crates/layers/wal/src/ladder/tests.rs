//! The ladder on a real folder, and with steps whose law is known.

use std::time::Duration;

use narrows_engine::{Silent, Stop};
use narrows_facts::affinity;
use narrows_model::metric;

use super::*;

/// Says that it took a fixed time.
struct Known {
    name: &'static str,
    above: Option<&'static str>,
    took_ns: u64,
}

impl LadderStep for Known {
    fn name(&self) -> String {
        self.name.to_string()
    }
    fn above(&self) -> Option<String> {
        self.above.map(str::to_string)
    }
    fn operation(&mut self) -> Result<Option<u64>, LogError> {
        Ok(Some(self.took_ns))
    }
    fn bytes(&self) -> u64 {
        0
    }
    fn back_to_back(&self) -> bool {
        false
    }
    fn describe(&self, _: &mut narrows_model::Conditions) {}
}

fn context(stop: &Stop, window_ms: u64) -> Context<'_> {
    Context {
        stop,
        progress: &Silent,
        seed: 3,
        repeats: 2,
        quick: true,
        window: Duration::from_millis(window_ms),
    }
}

fn plan(beside_bytes: u64) -> LadderPlan {
    LadderPlan {
        cells: WriteVariant::all(&[Method::Dsync, Method::Uring], &[Layout::Extend], &[4096]),
        device: Some("/dev/narrows-no-such-device".into()),
        queue: None,
        bytes_per_commit: 300,
        cpus: affinity::current(),
        beside_bytes,
        with_tier: false,
    }
}

#[test]
fn every_step_is_there_in_both_states_and_stands_on_another() {
    let Some(dir) = crate::tests::folder() else { return };
    let stop = Stop::new();
    let place = LadderPlace { log: dir.path(), data: dir.path(), tier: None };
    let foreign: Vec<ForeignStep> = vec![
        Box::new(Known { name: "commit", above: Some(LEADER), took_ns: 1_000_000 }),
        Box::new(Known { name: "remote", above: Some("commit"), took_ns: 3_000_000 }),
    ];
    let ctx = context(&stop, 30);
    let laddered = measure_ladder(&ctx, place, &Watch::none(), &plan(4 << 20), foreign).unwrap();
    let of = |id: &str| {
        let id = format!("log.ladder.{id}");
        laddered.measurements.iter().find(|m| m.id == id)
    };
    for step in ["write.fdatasync.overwrite.8k", "write.dsync.extend.4k", "leader", "post_wait"] {
        for state in ["alone", "beside"] {
            let m = of(&format!("{step}.{state}")).unwrap_or_else(|| panic!("{step} {state}"));
            assert_eq!((m.repeats, m.histograms.len()), (2, 2));
            assert_eq!(m.value(metric::ERRORS), Some(0.0));
            assert!(m.value(metric::LATENCY_MEAN).unwrap() > 0.0);
            assert_eq!(
                m.number(narrows_model::condition::BUSY_WRITES_PER_S).is_some(),
                state == "beside"
            );
            assert_eq!(
                m.number(narrows_model::condition::BUSY_FSYNCS).is_some(),
                state == "beside"
            );
        }
    }
    assert!(
        of("write.fdatasync.overwrite.8k.alone")
            .unwrap()
            .number(narrows_model::condition::PAGES_READ_BACK)
            > Some(0.0)
    );
    let leader = of("leader.alone").unwrap();
    assert_eq!(
        leader.text(narrows_model::condition::STANDS_ON),
        Some("log.ladder.write.fdatasync.overwrite.8k.alone")
    );
    assert_eq!(
        leader.number(narrows_model::condition::COMMITS_PER_PAGE),
        Some(27.0),
        "of 300 bytes"
    );
    for of_window in [metric::THROUGHPUT, metric::CPU_PER_OP] {
        assert!(leader.metric(of_window).is_some());
        assert!(of("commit.alone").unwrap().metric(of_window).is_none(), "{of_window}");
    }
    // Foreign steps pair with ours and with each other.
    let remote = of("remote.beside").unwrap();
    let added = remote.value(metric::ADDED_P50).unwrap();
    assert!((added / 2e6 - 1.0).abs() < 0.03, "{added}");
    assert!(
        of("commit.alone").unwrap().text(narrows_model::condition::STANDS_ON)
            == Some("log.ladder.leader.alone")
    );
    // What is not there is said with its reason, and stands in nobody's way.
    let flush = laddered.absent.iter().find(|absent| absent.what == "flush").unwrap();
    assert!(flush.reason.contains("/dev/narrows-no-such-device"), "{}", flush.reason);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn with_a_tier_its_writes_are_rungs_beside_the_same_ones_without() {
    let Some(dir) = crate::tests::folder() else { return };
    let Some(fast) = crate::tests::folder() else { return };
    let (stop, watch) = (Stop::new(), Watch::none());
    let tier = LadderTier { folder: fast.path(), asked: "/wal-on", watch: &watch, queue: None };
    let place = LadderPlace { log: dir.path(), data: dir.path(), tier: Some(tier) };
    let plan = LadderPlan { with_tier: true, ..plan(4 << 20) };
    let ctx = context(&stop, 30);
    let laddered = measure_ladder(&ctx, place, &watch, &plan, Vec::new()).unwrap();
    let of = |id: &str| laddered.measurements.iter().find(|m| m.id == id);
    let base = "log.ladder.write.fdatasync.overwrite.8k";
    for (without, writers) in [(base.to_string(), 1.0), (format!("{base}.writers_4"), 4.0)] {
        for state in ["alone", "beside"] {
            let off = format!("{without}.{state}");
            let on = of(&format!("{without}.tier.{state}")).unwrap_or_else(|| panic!("{off}"));
            let off = of(&off).unwrap_or_else(|| panic!("{off}"));
            for m in [off, on] {
                assert_eq!((m.repeats, m.histograms.len()), (2, 2), "{}", m.id);
                assert_eq!(m.value(metric::ERRORS), Some(0.0), "{}", m.id);
                assert_eq!(m.number(narrows_model::condition::THREADS), Some(writers));
                // Of each window what the timed writer wrote last is read back, and the same of each other one.
                let operations = &m.metric(metric::OPERATIONS).unwrap().samples;
                let timed: f64 = operations.iter().map(|n| n.min(crate::READ_BACK as f64)).sum();
                let read = m.number(narrows_model::condition::PAGES_READ_BACK).unwrap();
                assert_eq!(read > timed, writers > 1.0, "{}: {read}, {timed}", m.id);
                assert!(read >= timed, "{}: {read}, {timed}", m.id);
                // A rate would be that of one writer among several.
                assert_eq!(m.metric(metric::THROUGHPUT).is_some(), writers == 1.0, "{}", m.id);
            }
            let place =
                |m: &Measurement| m.text(narrows_model::condition::FOLDER).map(str::to_string);
            assert_eq!((place(off), place(on)), (None, Some("/wal-on".to_string())));
            assert_eq!(on.text(narrows_model::condition::WITHOUT_TIER), Some(off.id.as_str()));
            let ratio = on.metric(metric::TIER_SPEEDUP_MEAN).unwrap();
            let mean = |m: &Measurement| m.metric(metric::LATENCY_MEAN).unwrap().samples.clone();
            let expected: Vec<f64> =
                mean(off).iter().zip(mean(on)).map(|(off, on)| off / on).collect();
            assert_eq!(ratio.samples, expected);
            assert!(on.metric(metric::ADDED_P50).is_none(), "it stands on nothing");
        }
    }
    // What stands on the log's own write does so as ever.
    let leader = of("log.ladder.leader.alone").unwrap();
    let below = leader.text(narrows_model::condition::STANDS_ON);
    assert_eq!(below, Some("log.ladder.write.fdatasync.overwrite.8k.alone"));
    for folder in [&dir, &fast] {
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

#[test]
fn a_stop_ends_it_and_leaves_no_file() {
    let Some(dir) = crate::tests::folder() else { return };
    let stop = Stop::new();
    let ctx = context(&stop, 20_000);
    let stopper = stop.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(500));
        stopper.set();
    });
    let place = LadderPlace { log: dir.path(), data: dir.path(), tier: None };
    let result = measure_ladder(&ctx, place, &Watch::none(), &plan(4 << 20), Vec::new());
    thread.join().unwrap();
    assert!(matches!(result, Err(LogError::Stopped(_))), "{result:?}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn the_plan_knows_windows_and_bytes() {
    let stop = Stop::new();
    let ctx = context(&stop, 100);
    let (both, alone) =
        (planned_ladder(&ctx, &plan(4 << 20), 1), planned_ladder(&ctx, &plan(0), 1));
    assert!(both.expected_s > 1.9 * alone.expected_s - 1.0 && alone.expected_s > 0.0);
    assert!(both.writes_bytes > alone.writes_bytes && alone.writes_bytes > SEGMENT_BYTES);
    // Of a tier: nine writers' windows in each repeat, eight small files and a segment, and pauses.
    let tier = planned_ladder(&ctx, &LadderPlan { with_tier: true, ..plan(0) }, 1);
    let files = 3 * SEGMENT_BYTES;
    assert_eq!(tier.writes_bytes - alone.writes_bytes, 2 * 9 * most_bytes(&ctx) + files);
    assert!(tier.expected_s > alone.expected_s + 1.5, "{}", tier.expected_s);
    assert!(tier.what.contains("three of them for the tier"), "{}", tier.what);
}
