//! Runs that only looked: a live server's log, and what `pg_test_fsync` printed beside it.

mod common;

use common::builders::m;
use common::{finding, without_database};
use narrows_model::*;
use narrows_report::{Report, Units, html, markdown, text};
use serde_json::json;

const WINDOWS: usize = 6;

fn wait(kind: LiveWaitKind, backends: f64) -> LiveWait {
    let (low, high) = (backends * 0.9, backends * 1.1);
    LiveWait {
        kind,
        backends,
        interval_95: Some(Interval { low, high, method: IntervalMethod::OrderStatistic }),
        windows: vec![backends; WINDOWS],
    }
}

fn setting(name: &str, value: &str) -> LiveSetting {
    LiveSetting { name: name.into(), value: value.into(), source: "default".into() }
}

fn log() -> LiveLog {
    use LiveWaitKind::*;
    LiveLog {
        measurement: "log.live".into(),
        address: "postgres://monitor@db7:5432/shop".into(),
        version: "18.1".into(),
        counted: LiveCounts {
            interval_ns: 30e9,
            windows: WINDOWS as u32,
            unseen_ns: Some(0.0),
            commits: Some(93_000.0),
            writers: Some(90_000.0),
            log_bytes: Some(48e6),
            records: Some(361_000.0),
            full_pages: Some(700.0),
            buffers_full: Some(3.0),
            writes: Some(24_000.0),
            written_bytes: Some(201e6),
            write_ns: Some(0.4e9),
            flushes: Some(23_900.0),
            session_flushes: Some(23_800.0),
            flush_ns: Some(24.1e9),
            checkpoints: Some(1.0),
        },
        waits: LiveWaits {
            samples: 590,
            sessions: vec![
                wait(Flush, 0.79),
                wait(Write, 0.02),
                wait(Behind, 4.1),
                wait(Lock, 0.3),
                wait(Running, 1.2),
                wait(Elsewhere, 0.1),
            ],
            own: vec![wait(Flush, 0.01)],
            elsewhere: vec![("IO:DataFileRead".into(), 0.1)],
            locks: vec![("Lock:transactionid".into(), 0.3)],
        },
        settings: vec![
            setting("fsync", "on"),
            setting("synchronous_commit", "on"),
            setting("wal_sync_method", "fdatasync"),
            setting("block_size", "8192"),
        ],
        synchronous_commit_of: Vec::new(),
        standbys: vec![LiveStandby {
            name: "db8".into(),
            state: Some("streaming".into()),
            sync_state: Some("async".into()),
            write_lag_ns: Some(4.2e5),
            flush_lag_ns: Some(1.1e6),
            replay_lag_ns: None,
        }],
        cost: LiveCost { statements: 604, waited_ns: 1.9e8, share: 0.004, ..LiveCost::default() },
        unknown: vec![Unknown { what: "what is planted".into(), needs: "a right".into() }],
        verdict: Some(LiveVerdict {
            bound: LiveBound::FlushBusy,
            grade: Grade::Likely,
            parts: Vec::new(),
            wait_ns: Some(1.64e6),
            share: Some(0.75),
            gain_at_most: Some(3.0),
            busy: Some(0.82),
            model: Some(LiveModel {
                flush_ns: 1.025e6,
                from: "counted".into(),
                commits_per_flush: 3.1,
                low_ns: 1.025e6,
                high_ns: 1.54e6,
            }),
            sentences: vec!["A transaction that writes waits 1.64 ms for the log.".into()],
            changes: vec!["a log device with shorter flushes".into(), "larger transactions".into()],
        }),
    }
}

fn flush_test() -> FlushTest {
    let row = |kind, name: &str, method: Option<&str>, writes, us: Option<f64>| FlushTestRow {
        kind,
        name: name.into(),
        method: method.map(str::to_string),
        writes,
        write_bytes: 8192,
        ops_per_s: us.map(|us| 1e6 / us),
        mean_ns: us.map(|us| us * 1e3),
    };
    use FlushTestKind::*;
    FlushTest {
        source: "fsync.txt".into(),
        seconds_per_test: Some(5.0),
        direct: Some(true),
        rows: vec![
            row(Durable, "open_datasync", Some("dsync_direct"), 1, Some(910.0)),
            row(Durable, "fdatasync", Some("fdatasync"), 1, Some(990.0)),
            row(Durable, "fsync_writethrough", None, 1, None),
            row(Durable, "fdatasync", Some("fdatasync"), 2, Some(1010.0)),
            row(Plain, "write", None, 1, Some(1.0)),
        ],
    }
}

/// Figures are invented.
fn run() -> Run {
    let mut run = without_database();
    run.plan.layers = vec![Layer::Log];
    run.plan.database = DatabaseChoice::Url("postgres://monitor@db7:5432/shop".into());
    run.findings.clear();
    let figures = [
        (metric::WRITING_TRANSACTIONS, Unit::OpsPerS, 3000.0, 0.03),
        (metric::LOG_RATE, Unit::BytesPerS, 1.6e6, 0.05),
        (metric::FLUSH_RATE, Unit::OpsPerS, 797.0, 0.02),
    ];
    run.measurements = vec![m("log.live", Layer::Log, WINDOWS, &figures)];
    run.hosts[0].role = HostRole::Client;
    run.live_logs = vec![log()];
    run.flush_tests = vec![flush_test()];
    run.apply_findings();
    run
}

fn screen(run: &Run) -> String {
    text(&Report::new(run, Units::Si), 100, false)
}

#[test]
fn a_look_fits_the_screen() {
    let screen = screen(&run());
    insta::assert_snapshot!("live_log", screen);
    assert!(screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
    // The parts of the wait make its sum: sessions over three thousand a second.
    let row = |name: &str| screen.lines().find(|line| line.contains(name)).expect(name).to_string();
    assert!(row("the log in all").contains("1.64 ms"), "{screen}");
    assert!(row("behind another's flush").contains("1.37 ms"), "{screen}");
    assert!(screen.contains("what is planted (a right)"), "{screen}");
}

#[test]
fn markdown_and_the_page_have_the_same() {
    let report = Report::new(&run(), Units::Si);
    insta::assert_snapshot!("live_log_markdown", markdown(&report));
    let page = html(&report);
    for part in ["<section id=\"live\">", "behind another&#39;s flush", "8 KiB dsync direct"] {
        let plain = part.replace("&#39;", "'");
        assert!(page.contains(part) || page.contains(&plain), "no `{part}`");
    }
}

#[test]
fn a_ladder_stands_beside_pg_test_fsync_where_there_is_one() {
    let mut run = run();
    let row = |run: &Run| {
        let screen = screen(run);
        screen.lines().find(|line| line.contains("8 KiB fdatasync")).unwrap().to_string()
    };
    assert!(
        row(&run).contains("1.02 ms") && row(&run).contains("the server's own flush"),
        "{}",
        row(&run)
    );
    let id = "log.ladder.write.fdatasync.overwrite.8k.alone";
    run.measurements.push(m(id, Layer::Log, 6, &[(metric::LATENCY_MEAN, Unit::Ns, 7e5, 0.0)]));
    assert!(row(&run).contains("700 µs") && row(&run).contains("the ladder's"), "{}", row(&run));
    // What is invalid is printed nowhere.
    run.findings.push(finding(Severity::Invalid, "planted", Some(id), "planted"));
    run.apply_findings();
    assert!(!row(&run).contains("700 µs"), "{}", row(&run));
}

#[test]
fn what_is_unknown_is_a_dash_and_suspects_are_marked() {
    let mut run = run();
    let log = &mut run.live_logs[0];
    log.counted = LiveCounts { interval_ns: 30e9, writers: Some(90.0), ..LiveCounts::default() };
    log.waits = LiveWaits::default();
    run.measurements[0].conditions.insert("fsync".into(), json!("off"));
    run.findings.push(finding(Severity::Suspect, "planted", Some("log.live"), "planted"));
    run.apply_findings();
    run.live_logs[0].cost.unanswered = 2;
    run.live_logs[0].cost.unanswered_ns = 1e10;
    let screen = screen(&run);
    assert!(screen.contains("604 statements (2 not answered, 10.0 s lost)"), "{screen}");
    let row = screen.lines().find(|line| line.trim_start().starts_with("flushes")).unwrap();
    assert!(row.contains(" - "), "{screen}");
    assert!(!screen.contains("SESSIONS AT WORK"), "{screen}");
    assert!(screen.contains("? PostgreSQL 18.1"), "{screen}");
}

#[test]
fn no_doubt_is_printed_that_leaves_its_figure_out() {
    let mut run = run();
    // Bursts: the median window's interval is far below the mean.
    let flush = &mut run.live_logs[0].waits.sessions[0];
    flush.interval_95 =
        Some(Interval { low: 0.0, high: 0.1, method: IntervalMethod::OrderStatistic });
    let log_rate = run.measurements[0].metrics.iter_mut().find(|m| m.name == metric::LOG_RATE);
    log_rate.unwrap().interval_95 =
        Some(Interval { low: 2e6, high: 3e6, method: IntervalMethod::OrderStatistic });
    let screen = screen(&run);
    for name in ["in its own flush", "  log "] {
        let row = screen.lines().find(|line| line.contains(name)).unwrap();
        assert!(!row.contains('±'), "{row}");
    }
    let row = screen.lines().find(|line| line.contains("behind another's flush")).unwrap();
    assert!(row.contains('±'), "{row}");
}

#[test]
fn what_is_ours_alone_and_ids_beyond_commits_are_marked() {
    let mut run = run();
    let log = &mut run.live_logs[0];
    log.counted.commits = Some(45_000.0);
    let off = log.settings.iter_mut().find(|s| s.name == "synchronous_commit").unwrap();
    (off.value, off.source) = ("off".into(), "user".into());
    let screen = screen(&run);
    assert!(screen.contains("synchronous_commit off (our session's)"), "{screen}");
    let row = screen.lines().find(|line| line.contains("transactions that wrote")).unwrap();
    // Half of the ids are commits, so that each commit has twice as much.
    assert!(row.contains("1.50 k/s") && row.contains("1.07 kB of log each"), "{row}");
    assert!(screen.contains("transaction ids: 3.00 k/s"), "{screen}");
}
