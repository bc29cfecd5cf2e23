//! A run that only looked at a live server's log, with what `pg_test_fsync` printed beside it.

use narrows_model::*;

use super::builders::m;
use super::without_database;

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
            holders: None,
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
        cpus: None,
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
            or_cpus: false,
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
pub fn looked() -> Run {
    let mut run = without_database();
    run.plan.layers = vec![Layer::Log];
    run.plan.database = DatabaseChoice::Url("postgres://monitor@db7:5432/shop".into());
    run.findings.clear();
    let figures = [
        (metric::WRITING_TRANSACTIONS, 3000.0, 0.03),
        (metric::LOG_RATE, 1.6e6, 0.05),
        (metric::FLUSH_RATE, 797.0, 0.02),
    ];
    run.measurements = vec![m("log.live", Layer::Log, WINDOWS, &figures)];
    run.hosts[0].role = HostRole::Client;
    run.live_logs = vec![log()];
    run.flush_tests = vec![flush_test()];
    run.apply_findings();
    run
}
