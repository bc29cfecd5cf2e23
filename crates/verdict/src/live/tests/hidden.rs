//! Servers where a small share of the time is what holds sessions back.

use super::*;

/// One hot row, 20 sessions: one in its flush, and all others behind its lock, which it keeps until the flush is done.
fn hot_row() -> LiveLog {
    use LiveWaitKind::*;
    let mut log = server(&[(Flush, 0.95), (Lock, 19.0), (Running, 0.05)]);
    log.waits.elsewhere.clear();
    log.waits.locks = vec![("Lock:tuple".into(), 18.0), ("Lock:transactionid".into(), 1.0)];
    log.counted.flushes = Some(28_000.0);
    log.counted.writers = Some(28_000.0);
    log.counted.flush_ns = Some(28e9);
    log.counted.write_ns = Some(0.3e9);
    log
}

#[test]
fn locks_behind_a_commit_are_not_called_something_else_than_the_log() {
    let mut log = hot_row();
    let verdict = live(&log);
    assert_eq!((verdict.bound, verdict.grade), (LiveBound::Locks, Grade::Undecided));
    assert_eq!(verdict.gain_at_most, None);
    let text = said(&verdict);
    assert!(text.contains("19 sessions wait for locks, which others hold until"), "{text}");
    assert!(text.contains("is unknown (where all want one row, 95 % at most)"), "{text}");
    assert!(text.contains("18 wait for Lock:tuple"), "{text}");
    assert!(verdict.changes.join("\n").contains("pg_blocking_pids"), "{verdict:#?}");
    // With the log less busy than the holders' own work it is as open.
    log.counted.flush_ns = Some(5e9);
    log.waits.sessions[0].backends = 0.17;
    assert_eq!(live(&log).bound, LiveBound::Locks);
    // The server counts 5.3 s of 30 where states make it 0.17: the larger of both is the most.
    assert!(said(&live(&log)).contains("one row, 18 % at most"), "{}", said(&live(&log)));
    // Runs kept before locks were told from the rest say the same.
    let mut old = hot_row();
    old.waits.sessions[1].kind = LiveWaitKind::Elsewhere;
    old.waits.elsewhere = std::mem::take(&mut old.waits.locks);
    assert_eq!((live(&old).bound, live(&old).grade), (LiveBound::Locks, Grade::Undecided));
    // Where all commits return at once no lock is held through a flush; who waits for one all the same leaves a doubt.
    let mut off = hot_row();
    off.settings = vec![setting("fsync", "on"), setting("synchronous_commit", "off")];
    assert_eq!((live(&off).bound, live(&off).grade), (LiveBound::NotWaitedFor, Grade::Undecided));
}

#[test]
fn who_holds_the_locks_says_whether_the_log_is_behind_them() {
    let of = |in_flush, on_cpu| {
        let mut log = hot_row();
        let holders = LockHolders { answers: in_flush + on_cpu, in_flush, on_cpu, for_client: 0 };
        log.waits.holders = Some(holders);
        live(&log)
    };
    let log = of(17, 1);
    assert_eq!((log.bound, log.grade), (LiveBound::FlushBusy, Grade::Likely), "{log:#?}");
    assert!(
        said(&log).contains("longest queue was in a WAL flush in 17, running in 1."),
        "{}",
        said(&log)
    );
    assert!(said(&log).contains("the locks that are held through them"), "{}", said(&log));
    // Eight sessions: a share of the log that windows can't tell from a tenth, and as clear by its holders.
    let mut few = server(&[
        (LiveWaitKind::Flush, 0.80),
        (LiveWaitKind::Lock, 7.0),
        (LiveWaitKind::Running, 0.2),
    ]);
    few.counted.flush_ns = Some(28e9);
    few.waits.holders = Some(LockHolders { answers: 13, in_flush: 12, on_cpu: 1, for_client: 0 });
    assert_eq!((live(&few).bound, live(&few).grade), (LiveBound::FlushBusy, Grade::Likely));
    few.waits.holders = None;
    assert_eq!(live(&few).grade, Grade::Undecided);
    let other = of(1, 17);
    assert_eq!((other.bound, other.grade), (LiveBound::NotTheLog, Grade::Likely), "{other:#?}");
    // Without the 0.95 sessions at the log, and with the locks that others hold.
    assert!(other.gain_at_most.is_some_and(|gain| gain < 0.06), "{other:#?}");
    let open = (LiveBound::Locks, Grade::Undecided);
    assert_eq!((of(9, 9).bound, of(9, 9).grade), open);
    assert_eq!((of(3, 0).bound, of(3, 0).grade), open, "too few to tell");
}

#[test]
fn more_locks_than_the_log_leave_no_bound_on_the_gain() {
    use LiveWaitKind::*;
    let mut log = server(&[(Flush, 0.95), (Lock, 3.0), (Running, 0.05)]);
    log.counted.flush_ns = Some(28e9);
    let verdict = live(&log);
    assert_eq!((verdict.bound, verdict.grade), (LiveBound::FlushBusy, Grade::Likely));
    assert!(verdict.gain_at_most.unwrap() > 70.0, "{verdict:#?}");
    assert!(said(&verdict).contains("the locks that are held through them"), "{}", said(&verdict));
}

#[test]
fn a_busy_log_is_not_excused_by_sessions_that_do_other_things() {
    use LiveWaitKind::*;
    // One session loads, row by row, beside thirty that read.
    let mut log = server(&[(Flush, 0.9), (Running, 30.0)]);
    log.counted.flush_ns = Some(28e9);
    let verdict = live(&log);
    assert_eq!((verdict.bound, verdict.grade), (LiveBound::Unknown, Grade::Undecided));
    assert_eq!(verdict.gain_at_most, None);
    assert!(said(&verdict).contains("busy 94 % of the time although few"), "{}", said(&verdict));
    // The log writer alone, for commits that return at once, is nobody's wait.
    let mut own = server(&[(Running, 30.0)]);
    own.counted.flush_ns = Some(28e9);
    own.waits.own = vec![LiveWait { kind: Flush, ..log.waits.sessions[0].clone() }];
    own.settings = vec![setting("fsync", "on"), setting("synchronous_commit", "off")];
    assert_eq!((live(&own).bound, live(&own).grade), (LiveBound::NotWaitedFor, Grade::Likely));
}
