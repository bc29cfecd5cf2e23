//! Verdicts of drawn servers, each with the expected word written first.

use narrows_model::*;

use super::live;

mod cpus;
mod hidden;

const WINDOWS: usize = 6;

fn setting(name: &str, value: &str) -> LiveSetting {
    LiveSetting { name: name.into(), value: value.into(), source: "configuration file".into() }
}

/// 30 s, a thousand commits per second, two to a flush of 1 ms, with these sessions in these states.
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
            holders: None,
            samples: 600,
            sessions: states.iter().map(wait).collect(),
            own: Vec::new(),
            elsewhere: vec![("IO:DataFileRead".into(), 3.0)],
            locks: Vec::new(),
        },
        settings: vec![
            setting("fsync", "on"),
            setting("synchronous_commit", "on"),
            setting("wal_sync_method", "fdatasync"),
            setting("commit_delay", "0"),
        ],
        cpus: None,
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
    assert!(said.contains("waits 1.30 ms for WAL: 800 µs behind another's flush"), "{said}");
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
fn a_wait_that_a_setting_makes_is_not_the_devices() {
    use LiveWaitKind::*;
    // Flushes of half a millisecond, under way for 8 % of the time, and a wait of 4.6 ms: commit_delay is 5 ms.
    let mut log = server(&[(Flush, 0.1), (Behind, 4.5), (Running, 0.4)]);
    log.counted.flushes = Some(4_900.0);
    log.counted.flush_ns = Some(2.4e9);
    log.counted.write_ns = Some(0.1e9);
    let with = |log: &LiveLog, us: &str, source: &str| {
        let mut log = log.clone();
        log.settings.retain(|setting| setting.name != "commit_delay");
        log.settings.push(LiveSetting { source: source.into(), ..setting("commit_delay", us) });
        live(&log)
    };
    let verdict = with(&log, "5000", "configuration file");
    assert_eq!((verdict.bound, verdict.grade), (LiveBound::CommitDelay, Grade::Likely));
    let first = &verdict.changes[0];
    assert!(first.starts_with("commit_delay = 0, at once: ALTER SYSTEM"), "{verdict:#?}");
    assert!(verdict.changes.iter().all(|change| !change.contains("device")), "{verdict:#?}");
    // A delay that is too short for the wait, one of our session alone, and none.
    for (us, source) in [("200", "configuration file"), ("5000", "session"), ("0", "default")] {
        assert_eq!(with(&log, us, source).bound, LiveBound::FlushTime, "{us} {source}");
    }
    // Where the device's time explains the wait, the setting is not accused.
    log.counted.flush_ns = Some(12e9);
    assert_ne!(with(&log, "5000", "configuration file").bound, LiveBound::CommitDelay);
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
    // Where commits wait until it has applied, neither the way nor the device there is what takes long.
    log.settings.retain(|setting| setting.name != "synchronous_commit");
    log.settings.push(setting("synchronous_commit", "remote_apply"));
    log.standbys[0].replay_lag_ns = Some(2.2e7);
    let changes = live(&log).changes;
    assert!(changes[0].contains("flushed after 2.40 ms and applied after 22.0 ms"), "{changes:?}");
    assert!(changes[1].starts_with("synchronous_commit = on,"), "{changes:?}");
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
    let text = said(&verdict);
    assert!(text.contains("Waits for WAL are 1.6 % of the time of 12 active sessions"), "{text}");
    assert!(text.contains("3.0 wait for IO:DataFileRead"), "{text}");
    // Few locks beside much else: were all of them held through flushes, it would still not be the log.
    log.waits.sessions.push(LiveWait {
        kind: Lock,
        backends: 0.5,
        ..log.waits.sessions[0].clone()
    });
    let verdict = live(&log);
    assert_eq!((verdict.bound, verdict.grade), (LiveBound::NotTheLog, Grade::Likely));
    // The bound counts them as if they were.
    assert!((verdict.gain_at_most.unwrap() - 0.7 / 12.0).abs() < 1e-9, "{verdict:#?}");
    // Nobody at the log: no lock is held through a flush.
    let mut locked = server(&[(Lock, 9.0), (Running, 1.0)]);
    locked.counted.flush_ns = Some(0.5e9);
    let verdict = live(&locked);
    assert_eq!((verdict.bound, verdict.gain_at_most), (LiveBound::NotTheLog, Some(0.0)));
}

#[test]
fn the_gain_is_that_of_the_named_place_alone() {
    use LiveWaitKind::*;
    let verdict = live(&server(&[(Insert, 4.0), (Flush, 0.5), (Behind, 0.5), (Running, 5.0)]));
    assert_eq!(verdict.bound, LiveBound::Insert);
    assert_eq!(verdict.share, Some(0.5));
    assert!((verdict.gain_at_most.unwrap() - 4.0 / 6.0).abs() < 1e-9, "{verdict:#?}");
    let text = said(&verdict);
    assert!(
        text.contains("Waits for the insert locks are 40 % of the time of 10 active sessions, all for WAL 50 %"),
        "{text}"
    );
    assert!(text.contains("without these, they could do at most 67 % more"), "{text}");
}

#[test]
fn ids_of_savepoints_are_no_commits() {
    use LiveWaitKind::*;
    let states = [(Flush, 0.5), (Behind, 0.8), (Running, 0.4)];
    let mut log = server(&states);
    // Three ids for each commit: two savepoints in each transaction.
    log.counted.writers = Some(93_000.0);
    let verdict = live(&log);
    let per_commit = 1.3 / (31_000.0 / 30.0) * 1e9;
    assert!((verdict.wait_ns.unwrap() - per_commit).abs() < 1.0, "{verdict:#?}");
    let text = said(&verdict);
    assert!(text.contains("3.00 transaction ids were used per commit"), "{text}");
    assert!(text.contains("use some. Figures are per commit"), "{text}");
    assert!(text.contains("2.1 commits share a flush"), "{text}");
    // Reads beside them hide it, and the wait is then far below one flush: that's not put down to one reason alone.
    log.counted.commits = Some(1e6);
    let text = said(&live(&log));
    assert!(!text.contains("ids were used per"), "{text}");
    assert!(text.contains("some may not wait") && text.contains("savepoints"), "{text}");
    assert!(!said(&live(&server(&states))).contains("ids were used per"));
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
    assert!(said(&verdict).contains("No session was ever seen waiting for WAL"));
    // A role that waits all the same is not everybody.
    log.synchronous_commit_of = vec!["batch = off".into()];
    assert_eq!(live(&log).bound, LiveBound::NotWaitedFor);
    log.synchronous_commit_of.push("shop = on".into());
    assert_eq!(live(&log).bound, LiveBound::NotTheLog);
}

#[test]
fn what_only_our_session_was_given_decides_nothing() {
    use LiveWaitKind::*;
    let off = |source: &str| LiveSetting {
        source: source.into(),
        ..setting("synchronous_commit", "off")
    };
    let mut log = server(&[(Running, 9.0)]);
    log.counted.flush_ns = Some(0.5e9);
    log.settings = vec![setting("fsync", "on"), off("user")];
    let verdict = live(&log);
    assert_eq!((verdict.bound, verdict.grade), (LiveBound::NotTheLog, Grade::Likely));
    let text = said(&verdict);
    assert!(text.contains("off for narrows' session (source: user)"), "{text}");
    assert!(!text.contains("a crash loses"), "{text}");
    log.settings = vec![setting("fsync", "on"), off("command line")];
    assert_eq!(live(&log).bound, LiveBound::NotWaitedFor);
}

#[test]
fn states_are_looked_at_where_nothing_is_flushed() {
    use LiveWaitKind::*;
    let unflushed = |states: &[(LiveWaitKind, f64)]| {
        let mut log = server(states);
        log.settings = vec![setting("fsync", "off"), setting("synchronous_commit", "on")];
        (log.counted.flushes, log.counted.flush_ns) = (Some(0.0), Some(0.0));
        log
    };
    let verdict = live(&unflushed(&[(Running, 9.0)]));
    assert_eq!((verdict.bound, verdict.grade), (LiveBound::NotWaitedFor, Grade::Likely));
    assert!(said(&verdict).contains("fsync is off") && verdict.model.is_none());
    // A standby is waited for, flushed here or not.
    let standby = live(&unflushed(&[(Standby, 12.0), (Running, 1.0)]));
    assert_eq!((standby.bound, standby.grade), (LiveBound::Standby, Grade::Likely));
    let insert = live(&unflushed(&[(Insert, 6.0), (Write, 0.5), (Running, 8.0)]));
    assert_eq!((insert.bound, insert.grade), (LiveBound::Insert, Grade::Likely));
    // Found at the log all the same, in writes.
    let writes = live(&unflushed(&[(Write, 0.5), (Behind, 4.0), (Running, 1.0)]));
    assert_eq!((writes.bound, writes.grade), (LiveBound::NotWaitedFor, Grade::Undecided));
    assert!(said(&writes).contains("all the same"), "{}", said(&writes));
    let mut unseen = unflushed(&[]);
    unseen.waits = LiveWaits::default();
    assert_eq!(
        (live(&unseen).bound, live(&unseen).grade),
        (LiveBound::NotWaitedFor, Grade::Undecided)
    );
}

#[test]
fn what_went_unanswered_is_said_and_too_much_of_it_is_open() {
    use LiveWaitKind::*;
    let mut log = server(&[(Flush, 0.5), (Behind, 0.8), (Running, 0.4)]);
    (log.cost.unanswered, log.cost.unanswered_ns) = (1, 2e9);
    let verdict = live(&log);
    assert_eq!(verdict.grade, Grade::Likely);
    assert!(said(&verdict).contains("1 question was not answered"), "{}", said(&verdict));
    (log.cost.unanswered, log.cost.unanswered_ns) = (2, 10e9);
    let verdict = live(&log);
    assert_eq!((verdict.bound, verdict.grade), (LiveBound::FlushTime, Grade::Undecided));
    assert!(said(&verdict).contains("failed for 33 % of the time"), "{}", said(&verdict));
    // What went unanswered before the interval, or after it, hid nothing of it.
    log.counted.unseen_ns = Some(2e9);
    assert_eq!(live(&log).grade, Grade::Likely);
    assert!(said(&live(&log)).contains("2 samples were not answered; for 10"), "{log:#?}");
    (log.counted.unseen_ns, log.cost.unanswered_ns) = (Some(6e9), 6e9);
    assert!(said(&live(&log)).contains("failed for 20 % of the time"), "{log:#?}");
}

#[test]
fn a_handful_of_sessions_found_shows_no_share() {
    use LiveWaitKind::*;
    let quiet = |state, active: f64| {
        let mut log = server(&[(state, active)]);
        log.counted.flush_ns = Some(0.1e9);
        log.counted.write_ns = Some(0.02e9);
        log
    };
    // 600 questions found three sessions in all, none of them at the log: one of five there would be missed as easily.
    let verdict = live(&quiet(Running, 0.005));
    assert_eq!((verdict.bound, verdict.grade), (LiveBound::NotTheLog, Grade::Undecided));
    let text = said(&verdict);
    assert!(text.contains("600 samples found 3 active sessions in all"), "{text}");
    assert!(text.contains("0 % to 71 %"), "{text}");
    // Sixty would show it.
    assert_eq!(live(&quiet(Running, 0.1)).grade, Grade::Likely);
    // Nor does one at the log show that it is what all wait for.
    let verdict = live(&quiet(Flush, 1.0 / 600.0));
    assert_eq!(
        (verdict.bound, verdict.grade),
        (LiveBound::FlushTime, Grade::Undecided),
        "{verdict:#?}"
    );
    assert!(said(&verdict).contains("found 1 active session in all"), "{}", said(&verdict));
    // Where windows leave it open as well, they are what is said.
    let mut bursts = quiet(Running, 0.1);
    bursts.waits.sessions.push(LiveWait {
        kind: Flush,
        backends: 0.005,
        windows: vec![0.0, 0.0, 0.0, 0.0, 0.0, 0.03],
        ..bursts.waits.sessions[0].clone()
    });
    let text = said(&live(&bursts));
    assert!(text.contains("in these windows, which decides nothing"), "{text}");
}

#[test]
fn unknown_is_open_and_never_zero() {
    use LiveWaitKind::*;
    // Without the right to see what sessions do.
    let mut log = server(&[]);
    log.waits = LiveWaits::default();
    let verdict = live(&log);
    assert_eq!((verdict.bound, verdict.grade), (LiveBound::Unknown, Grade::Undecided));
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
    assert_eq!((verdict.bound, verdict.grade), (LiveBound::FlushTime, Grade::Undecided));
    assert!(said(&verdict).contains("observe longer"), "{}", said(&verdict));
    // Six windows of half a second are one stall's neighbours, however alike they look.
    let mut look = server(&[(Flush, 0.5), (Behind, 1.0), (Running, 0.4)]);
    let times = [look.counted.write_ns, look.counted.flush_ns].map(|ns| ns.map(|ns| ns / 10.0));
    (look.counted.interval_ns, look.counted.write_ns, look.counted.flush_ns) =
        (3e9, times[0], times[1]);
    assert_eq!((live(&look).bound, live(&look).grade), (LiveBound::FlushTime, Grade::Undecided));
    assert!(said(&live(&look)).contains("6 s at least"), "{}", said(&live(&look)));
    // Bursts: most windows without any, and the share's doubt holds the share.
    let mut bursts = server(&[(Flush, 0.5), (Behind, 1.0), (Running, 0.4)]);
    for wait in &mut bursts.waits.sessions[..2] {
        wait.windows = vec![0.0, 0.0, 0.0, 0.0, 0.0, wait.backends * 6.0];
    }
    assert_eq!(live(&bursts).grade, Grade::Undecided);
    let groups = super::groups::Groups::of(&bursts);
    let (low, high) = groups.share_interval().unwrap();
    let share = groups.share().unwrap();
    assert!(low < share && share < high && high <= 1.0, "{low} {share} {high}");
    let even = live(&server(&[(Flush, 0.5), (Behind, 1.5), (Insert, 2.0), (Running, 1.0)]));
    assert_eq!(even.grade, Grade::Undecided);
    assert!(said(&even).contains("WAL flushes or the insert locks"), "{}", said(&even));
}

#[test]
fn states_that_contradict_the_servers_own_times_decide_nothing() {
    use LiveWaitKind::*;
    // Half of the time in flushes by the server's count, and a fifth as it was found.
    let verdict = live(&server(&[(Flush, 0.2), (Behind, 0.9), (Running, 0.4)]));
    assert_eq!(verdict.grade, Grade::Undecided);
    assert!(said(&verdict).contains("× 0.40 as often"), "{}", said(&verdict));
}

#[test]
fn what_makes_the_figures_doubtful_opens_the_verdict_and_comes_first() {
    use LiveWaitKind::*;
    let log = server(&[(Flush, 0.5), (Behind, 0.8), (Running, 0.4)]);
    let mut run = Run::blank(Plan::default(), Platform::default());
    let found = |id: &str, severity, measurement: &str| Finding {
        id: id.into(),
        severity,
        measurement: Some(measurement.into()),
        summary: "The server's control group reached its I/O limit".into(),
        evidence: "ratio 1".into(),
        advice: "Raise the limit".into(),
        places: Vec::new(),
    };
    run.findings.push(found("live-full-pages-dominate", Severity::Note, "log.live"));
    run.findings.push(found("settled-lower", Severity::Suspect, "log.append.fdatasync.idle"));
    let verdict = super::live_in(&run, &log);
    assert_eq!((verdict.grade, verdict.changes.len()), (Grade::Likely, live(&log).changes.len()));
    run.findings.push(found("live-io-limit-reached", Severity::Suspect, "log.live"));
    let verdict = super::live_in(&run, &log);
    assert_eq!((verdict.bound, verdict.grade), (LiveBound::FlushTime, Grade::Undecided));
    assert!(verdict.changes.is_empty(), "{verdict:#?}");
    let said = "I/O limit (live-io-limit-reached). Raise the limit.";
    assert!(verdict.sentences[0].ends_with(said), "{verdict:#?}");
}
