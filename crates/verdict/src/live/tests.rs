//! Verdicts of drawn servers, each with the expected word written first.

use narrows_model::*;

use super::live;

const WINDOWS: usize = 6;

fn setting(name: &str, value: &str) -> LiveSetting {
    LiveSetting { name: name.into(), value: value.into(), source: "configuration file".into() }
}

/// 30 s, a thousand commits a second, two to a flush of 1 ms, with these sessions in these states.
fn server(states: &[(LiveWaitKind, f64)]) -> LiveLog {
    let wait = |(kind, backends): &(LiveWaitKind, f64)| {
        let windows: Vec<f64> = (0..WINDOWS).map(|i| backends * (0.95 + 0.02 * i as f64)).collect();
        LiveWait {
            kind: *kind,
            backends: *backends,
            interval_95: Some(Interval {
                low: backends * 0.95,
                high: backends * 1.05,
                method: IntervalMethod::OrderStatistic,
            }),
            windows,
        }
    };
    LiveLog {
        measurement: "log.live".into(),
        address: "postgres://app@db7:5432/shop".into(),
        version: "17.2".into(),
        counted: LiveCounts {
            interval_ns: 30e9,
            windows: WINDOWS as u32,
            commits: Some(31_000.0),
            writers: Some(30_000.0),
            log_bytes: Some(15e6),
            writes: Some(15_000.0),
            write_ns: Some(0.3e9),
            flushes: Some(15_000.0),
            flush_ns: Some(14.7e9),
            ..LiveCounts::default()
        },
        waits: LiveWaits {
            samples: 600,
            sessions: states.iter().map(wait).collect(),
            own: Vec::new(),
            elsewhere: vec![("Lock:transactionid".into(), 3.0)],
        },
        settings: vec![
            setting("fsync", "on"),
            setting("synchronous_commit", "on"),
            setting("wal_sync_method", "fdatasync"),
            setting("commit_delay", "0"),
        ],
        synchronous_commit_of: Vec::new(),
        standbys: Vec::new(),
        cost: LiveCost::default(),
        unknown: Vec::new(),
        verdict: None,
    }
}

fn said(verdict: &LiveVerdict) -> String {
    verdict.sentences.join(" ")
}

#[test]
fn sessions_behind_flushes_wait_for_flush_time() {
    use LiveWaitKind::*;
    let verdict = live(&server(&[(Flush, 0.5), (Behind, 0.8), (Running, 0.4)]));
    assert_eq!((verdict.bound, verdict.grade), (LiveBound::FlushTime, Grade::Likely));
    // 1.3 sessions at a thousand a second.
    assert!((verdict.wait_ns.unwrap() - 1.3e6).abs() < 1.0);
    assert_eq!(verdict.busy, Some(0.5));
    let model = verdict.model.as_ref().unwrap();
    assert_eq!((model.low_ns, model.high_ns), (1e6, 1.5e6));
    let said = said(&verdict);
    assert!(said.contains("waits 1.30 ms for the log: 800 µs behind another's flush"), "{said}");
    assert!(
        said.contains("2.0 commits share a flush") && said.contains("50 % of the time"),
        "{said}"
    );
    assert!(said.contains("1 to 1.5 flushes, 1.00 ms to 1.50 ms"), "{said}");
}

#[test]
fn flushes_that_follow_each_other_are_a_batch_server_at_its_end() {
    use LiveWaitKind::*;
    let mut log = server(&[(Flush, 0.9), (Behind, 8.0), (Running, 0.4)]);
    log.counted.flush_ns = Some(27e9);
    log.counted.flushes = Some(27_000.0);
    let verdict = live(&log);
    assert_eq!((verdict.bound, verdict.grade), (LiveBound::FlushBusy, Grade::Likely));
    assert!(said(&verdict).contains("fit into a second"), "{}", said(&verdict));
    let changes = verdict.changes.join("\n");
    assert!(changes.contains("commit_delay of about half a flush"), "{changes}");
    // Nine milliseconds of waiting for flushes of one are not the device's doing.
    assert!(said(&verdict).contains("no faster device shortens"), "{}", said(&verdict));
    log.settings.retain(|setting| setting.name != "commit_delay");
    log.settings.push(setting("commit_delay", "200"));
    assert!(live(&log).changes.join("\n").contains("compare without it"));
}

#[test]
fn insert_locks_and_standbys_are_named_as_such() {
    use LiveWaitKind::*;
    let insert = live(&server(&[(Insert, 6.0), (Flush, 0.5), (Behind, 0.5), (Running, 8.0)]));
    assert_eq!((insert.bound, insert.grade), (LiveBound::Insert, Grade::Likely));
    let mut log = server(&[(Flush, 0.5), (Standby, 12.0), (Running, 1.0)]);
    log.standbys.push(LiveStandby {
        name: "db8".into(),
        state: Some("streaming".into()),
        sync_state: Some("sync".into()),
        write_lag_ns: Some(4e5),
        flush_lag_ns: Some(2.4e6),
        replay_lag_ns: None,
    });
    let standby = live(&log);
    assert_eq!((standby.bound, standby.grade), (LiveBound::Standby, Grade::Likely));
    assert!(standby.changes[0].contains("db8 has written after 400 µs and flushed after 2.40 ms"));
}

#[test]
fn what_is_not_the_log_is_said_with_what_it_is() {
    use LiveWaitKind::*;
    let mut log = server(&[(Flush, 0.2), (Running, 9.0), (Elsewhere, 3.0)]);
    log.counted.flush_ns = Some(5e9);
    let verdict = live(&log);
    assert_eq!((verdict.bound, verdict.grade), (LiveBound::NotTheLog, Grade::Likely));
    let gain = verdict.gain_at_most.unwrap();
    assert!((gain - 0.2 / 12.0).abs() < 1e-3, "{gain}");
    assert!(said(&verdict).contains("Lock:transactionid"), "{}", said(&verdict));
}

#[test]
fn what_does_not_wait_is_not_called_fast() {
    use LiveWaitKind::*;
    let mut log = server(&[(Running, 9.0)]);
    // The log writer flushes now and then.
    log.counted.flush_ns = Some(0.5e9);
    log.settings = vec![setting("fsync", "on"), setting("synchronous_commit", "off")];
    let verdict = live(&log);
    assert_eq!((verdict.bound, verdict.grade), (LiveBound::NotWaitedFor, Grade::Likely));
    assert!(said(&verdict).contains("No session was ever found waiting for the log"));
    log.settings = vec![setting("fsync", "off")];
    log.counted.flushes = Some(0.0);
    let verdict = live(&log);
    assert_eq!(verdict.bound, LiveBound::NotWaitedFor);
    assert!(said(&verdict).contains("fsync is off") && verdict.model.is_none());
}

#[test]
fn unknown_is_open_and_never_zero() {
    use LiveWaitKind::*;
    // Without the right to see what sessions do.
    let mut log = server(&[]);
    log.waits = LiveWaits::default();
    let verdict = live(&log);
    assert_eq!((verdict.bound, verdict.grade), (LiveBound::Unknown, Grade::Open));
    assert_eq!((verdict.wait_ns, verdict.share), (None, None));
    assert!(said(&verdict).contains("could not be seen"), "{}", said(&verdict));
    // Counters tell of the flushes all the same.
    assert!(said(&verdict).contains("2.0 commits share a flush"), "{}", said(&verdict));
    // Version 13 counts no flushes: states tell how busy the log is, and not how long a flush takes.
    let mut old = server(&[(Flush, 0.6), (Behind, 1.0), (Running, 0.4)]);
    old.counted.flushes = None;
    old.counted.flush_ns = None;
    let verdict = live(&old);
    assert_eq!((verdict.busy, verdict.model.is_none()), (Some(0.6), true));
    assert_eq!(verdict.grade, Grade::Likely);
    // Without times the flush's length is how often one was met, over how many there were.
    let mut untimed = server(&[(Flush, 0.45), (Write, 0.05), (Behind, 1.0), (Running, 0.4)]);
    untimed.counted.flush_ns = None;
    untimed.counted.write_ns = None;
    let model = live(&untimed).model.unwrap();
    assert_eq!((model.flush_ns.round(), model.from.as_str()), (1e6, "sampled"));
}

#[test]
fn too_little_is_open() {
    use LiveWaitKind::*;
    let mut log = server(&[(Flush, 0.5), (Running, 0.4)]);
    log.counted.writers = Some(3.0);
    assert_eq!(live(&log).bound, LiveBound::Idle);
    let mut short = server(&[(Flush, 0.5), (Behind, 1.0), (Running, 0.4)]);
    for wait in &mut short.waits.sessions {
        wait.windows.truncate(2);
    }
    let verdict = live(&short);
    assert_eq!((verdict.bound, verdict.grade), (LiveBound::FlushTime, Grade::Open));
    assert!(said(&verdict).contains("look for longer"), "{}", said(&verdict));
    let even = live(&server(&[(Flush, 0.5), (Behind, 1.5), (Insert, 2.0), (Running, 1.0)]));
    assert_eq!(even.grade, Grade::Open);
    assert!(said(&even).contains("not told apart"), "{}", said(&even));
}

#[test]
fn states_that_contradict_the_servers_own_times_decide_nothing() {
    use LiveWaitKind::*;
    // Half of the time in flushes by the server's count, and a fifth as it was found.
    let verdict = live(&server(&[(Flush, 0.2), (Behind, 0.9), (Running, 0.4)]));
    assert_eq!(verdict.grade, Grade::Open);
    assert!(said(&verdict).contains("× 0.40 as often"), "{}", said(&verdict));
}
