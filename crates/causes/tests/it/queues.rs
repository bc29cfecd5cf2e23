//! Who is at the head of a lock queue, whether it is still there, and what may be done to it.

use narrows_causes::causes;
use narrows_model::{
    ActivityState::*, Cause, CauseShare, HorizonKind, QueuedSession, Run, TableUse, Urgency,
};

use crate::built::*;

fn of(run: &Run, id: &str) -> Cause {
    let found = causes(run).into_iter().find(|cause| cause.id == id);
    found.unwrap_or_else(|| panic!("no {id}: {:?}", causes(run)))
}

fn behind(head: QueuedSession, waiters: u32) -> Run {
    let mut run = healthy();
    let pid = head.pid;
    queued(&mut run, head);
    for n in 0..waiters {
        queued(&mut run, waiter(100 + n, pid));
    }
    run
}

/// In no transaction, so that it can only have an advisory lock of its session.
fn idle(age_s: f64) -> QueuedSession {
    QueuedSession { transaction_age_ns: None, ..session(7, &[], "idle", age_s) }
}

#[test]
fn an_idle_session_keeps_an_advisory_lock_and_has_nothing_to_cancel() {
    let mut run = behind(idle(5.0), 2);
    for waiter in &mut consumers(&mut run).lock_queue[1..] {
        waiter.waits_for = Some("Lock:advisory".into());
        waiter.table = None;
    }
    running(&mut run, 1.0);
    at(&mut run, Lock, 2.0, "Lock:advisory");
    let ids: Vec<String> = causes(&run).into_iter().map(|cause| cause.id).collect();
    assert_eq!(ids, ["lock-queue"], "whose lock it is is known");
    let cause = of(&run, "lock-queue");
    assert!(cause.evidence.contains("advisory lock of its session"), "{}", cause.evidence);
    assert!(!cause.evidence.contains("it works"), "{}", cause.evidence);
    assert!(cause.action.starts_with("pg_advisory_unlock in the session of pid 7"));
    let statement = cause.statement.unwrap();
    assert!(
        statement.contains("pg_terminate_backend") && statement.contains("state = 'idle'"),
        "{statement}"
    );
    assert!(!format!("{statement} {}", cause.action).contains("pg_cancel_backend"), "{statement}");
    // Between two transactions of its own: what was seen of it is of two moments.
    assert!(causes(&behind(idle(4.9), 2)).is_empty());
    // A session that waits for its turn as leader.
    assert!(causes(&behind(idle(90.0), 1)).is_empty());
}

#[test]
fn a_long_transaction_between_two_statements_keeps_its_locks_too() {
    let head = |transaction_s: f64| QueuedSession {
        transaction_age_ns: Some(transaction_s * 1e9),
        ..session(7, &[], "idle in transaction", 0.01)
    };
    let cause = of(&behind(head(40.0), 2), "lock-queue");
    let statement = cause.statement.unwrap();
    assert!(statement.contains("xact_start < now() - interval '40 s'"), "{statement}");
    assert!(causes(&behind(head(4.9), 2)).is_empty());
}

#[test]
fn what_works_is_cancelled_only_while_its_transaction_is_that_one_and_others_wait() {
    let cause = of(&behind(session(7, &[], "active", 30.0), 2), "lock-queue");
    assert_eq!(
        cause.statement.as_deref(),
        Some(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid = 7 AND state = 'active' \
             AND xact_start < now() - interval '30 s' \
             AND pid IN (SELECT unnest(pg_blocking_pids(pid)) FROM pg_stat_activity WHERE wait_event_type = 'Lock')"
        )
    );
}

/// Each queue with a head of its kind.
fn queues() -> [(&'static str, Run); 4] {
    let mut with_ddl = behind(session(7, &[], "active", 1.0), 0);
    ddl(&mut with_ddl, 7, 20.0);
    [
        ("ddl-queue", with_ddl),
        ("idle-in-transaction-blocks", behind(session(7, &[], "idle in transaction", 26.0), 2)),
        ("prepared-transaction-blocks", behind(session(0, &[], "", 0.0), 2)),
        ("lock-queue", behind(session(7, &[], "active", 26.0), 2)),
    ]
}

#[test]
fn a_queue_that_is_over_is_not_urgent_and_nobody_is_stopped_for_it() {
    for (id, mut run) in queues() {
        running(&mut run, 1.0);
        at(&mut run, Lock, 1.0, "Lock:relation");
        consumers(&mut run).lock_queue_age_ns = Some(5e9);
        let there = of(&run, id);
        assert_eq!(there.urgency, Urgency::Now, "{id}");
        assert!(there.statement.is_some() && !there.summary.contains("gone since"), "{there:#?}");
        consumers(&mut run).lock_queue_age_ns = Some(5.1e9);
        let gone = of(&run, id);
        assert_eq!((gone.urgency, &gone.statement), (Urgency::Performance, &None), "{id}");
        let said = format!("5.10 s before the end of the look, gone since: {}", there.summary);
        assert_eq!(gone.summary, said);
        assert_eq!((gone.share, gone.gain_at_most), (Some((CauseShare::SessionTime, 0.5)), None));
        for text in [&gone.action, &gone.undo] {
            assert!(!text.is_empty() && !text.contains("pid 7"), "{id}: {text}");
            assert!(!text.contains("cancel") && !text.contains("end the session"), "{id}: {text}");
        }
        // A file of before doesn't tell.
        consumers(&mut run).lock_queue_age_ns = None;
        let once = of(&run, id);
        assert_eq!((once.urgency, &once.statement), (Urgency::Performance, &None), "{id}");
        assert!(!once.summary.contains("gone since"), "{}", once.summary);
    }
}

/// Dead rows behind a holder in a state.
fn held(kind: HorizonKind, state: &str, age_ns: Option<f64>) -> Cause {
    let mut run = healthy();
    table(&mut run, TableUse { live_rows: 4e3, dead_rows: 300e3, ..orders() });
    let mut of_it = holder(kind, "77", age_ns, 1e6);
    of_it.state = state.into();
    consumers(&mut run).horizon.push(of_it);
    of(&run, "horizon-held")
}

#[test]
fn a_slot_is_dropped_only_where_nobody_reads_it() {
    let inactive = held(HorizonKind::Slot, "inactive", None);
    assert_eq!(inactive.statement.as_deref(), Some("SELECT pg_drop_replication_slot('77')"));
    let active = held(HorizonKind::Slot, "active", None);
    assert_eq!(active.statement, None);
    assert!(active.action.contains("slow") && !active.action.contains("drop"), "{}", active.action);
    // Files of before don't say.
    let unknown = held(HorizonKind::Slot, "", None);
    assert_eq!(unknown.statement, None);
    assert!(!unknown.action.contains("drop"), "{}", unknown.action);
}

#[test]
fn who_holds_a_snapshot_is_ended_by_what_it_does() {
    let idle = held(HorizonKind::Session, "idle in transaction", Some(90e9)).statement.unwrap();
    assert_eq!(
        idle,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = 77 \
         AND state LIKE 'idle in transaction%' AND xact_start < now() - interval '90 s'"
    );
    let active = held(HorizonKind::Session, "active", Some(90e9)).statement.unwrap();
    assert_eq!(
        active,
        "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid = 77 \
         AND state = 'active' AND xact_start < now() - interval '90 s'"
    );
    let lasting = |state: &str| held(HorizonKind::Session, state, Some(90e9)).action;
    assert!(lasting("active").contains("lasting: statement_timeout"), "{}", lasting("active"));
    assert!(
        lasting("idle in transaction").contains("lasting: idle_in_transaction_session_timeout")
    );
    // What it does may not be seen, or nothing tells its transaction from the next.
    assert_eq!(held(HorizonKind::Session, "", Some(90e9)).statement, None);
    assert_eq!(held(HorizonKind::Session, "active", None).statement, None);
}

#[test]
fn of_a_prepared_transaction_no_end_is_chosen() {
    let cause = held(HorizonKind::Prepared, "", Some(90e9));
    assert!(cause.statement.unwrap().starts_with("SELECT gid, prepared, owner, database FROM"));
    for end in ["COMMIT PREPARED '77'", "ROLLBACK PREPARED '77'"] {
        assert!(cause.action.contains(end), "{}", cause.action);
    }
}
