//! Who keeps a lock for longer than others should wait for it, and the statement that ends that.

use super::{LockHolder, QueuedSession};

/// How the session at the head of a lock queue comes to keep its lock.
///
/// PostgreSQL documentation: `pg_stat_activity`; Explicit Locking; Advisory Locks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockKept {
    /// By a prepared transaction, which has no process.
    Prepared,
    /// It is idle in its transaction.
    Idle,
    /// It is in no transaction at all: only an advisory lock taken at session level outlasts its transaction.
    Session,
    /// Its transaction is old, whatever it does.
    Transaction,
}

impl LockKept {
    /// A lock held for so long or longer is kept, and not just used, ns: no client computes for so long between two statements of a
    /// transaction that others should wait for it.
    pub const LEAST_NS: f64 = 5e9;

    /// By its process (0: none), its state in the server's words, for how long it has had that, and the age of its transaction, ns;
    /// `None` where it has the lock for a moment only.
    fn of(
        pid: u32,
        state: &str,
        state_ns: Option<f64>,
        transaction_ns: Option<f64>,
    ) -> Option<LockKept> {
        let long = |ns: Option<f64>| ns.is_some_and(|ns| ns >= LockKept::LEAST_NS);
        let idle_in_transaction = state.starts_with("idle in transaction");
        if pid == 0 {
            Some(LockKept::Prepared)
        } else if state == "idle" {
            long(state_ns).then_some(LockKept::Session)
        } else if idle_in_transaction && long(state_ns) {
            Some(LockKept::Idle)
        } else {
            let age = transaction_ns.or(state_ns.filter(|_| !idle_in_transaction));
            long(age).then_some(LockKept::Transaction)
        }
    }
}

/// Only sessions that somebody waits for at the moment.
const BLOCKS: &str = "pid IN (SELECT unnest(pg_blocking_pids(pid)) FROM pg_stat_activity WHERE wait_event_type = 'Lock')";

/// `now() - interval '26 s'`: whole seconds, so that what was as old when it was seen is older.
fn ago(ns: f64) -> String {
    format!("now() - interval '{:.0} s'", (ns / 1e9).floor().clamp(0.0, 1e9))
}

/// A statement that acts on the session alone while `condition` holds: its process number may be another's by the time it is pasted,
/// and its connection may have gone on to another's work.
pub fn on_session(function: &str, pid: u32, condition: &str) -> String {
    format!("SELECT {function}(pid) FROM pg_stat_activity WHERE pid = {pid} AND {condition}")
}

/// Ends a session that has been idle in its transaction since `ns` ago or longer.
pub fn ends_idle_in_transaction(pid: u32, ns: f64) -> String {
    let condition = format!("state LIKE 'idle in transaction%' AND state_change < {}", ago(ns));
    on_session("pg_terminate_backend", pid, &condition)
}

/// Ends a session that is between two statements of a transaction that began `ns` ago or earlier.
pub fn ends_transaction_between_statements(pid: u32, ns: f64) -> String {
    let condition = format!("state LIKE 'idle in transaction%' AND xact_start < {}", ago(ns));
    on_session("pg_terminate_backend", pid, &condition)
}

/// Cancels the statement of a session whose transaction began `ns` ago or earlier.
pub fn cancels_in_transaction(pid: u32, ns: f64) -> String {
    on_session("pg_cancel_backend", pid, &format!("state = 'active' AND xact_start < {}", ago(ns)))
}

/// Cancels a statement that began `ns` ago or earlier and waits for a lock.
pub fn cancels_waiting(pid: u32, ns: f64) -> String {
    let waits = "state = 'active' AND wait_event_type = 'Lock'";
    on_session("pg_cancel_backend", pid, &format!("{waits} AND query_start < {}", ago(ns)))
}

/// What lets the lock go, for a client's session; `None` for a prepared transaction, and where no age tells it from another's.
fn end(
    kept: LockKept,
    pid: u32,
    state: &str,
    state_ns: Option<f64>,
    transaction_ns: Option<f64>,
) -> Option<String> {
    match kept {
        LockKept::Prepared => None,
        LockKept::Idle => Some(ends_idle_in_transaction(pid, state_ns?)),
        LockKept::Session => {
            let idle = format!("state = 'idle' AND state_change < {} AND {BLOCKS}", ago(state_ns?));
            Some(on_session("pg_terminate_backend", pid, &idle))
        }
        LockKept::Transaction if state == "active" => {
            let cancel = cancels_in_transaction(pid, transaction_ns?);
            Some(format!("{cancel} AND {BLOCKS}"))
        }
        // Between its statements there is nothing to cancel.
        LockKept::Transaction => {
            let old = format!("xact_start < {} AND {BLOCKS}", ago(transaction_ns?));
            Some(on_session("pg_terminate_backend", pid, &old))
        }
    }
}

impl LockHolder {
    /// How it keeps its lock; `None` where it has it for a moment only.
    pub fn kept(&self) -> Option<LockKept> {
        LockKept::of(self.pid, &self.state, self.state_age_ns, self.transaction_age_ns)
    }

    /// A statement to paste that lets its lock go, if it still keeps it then.
    pub fn end(&self) -> Option<String> {
        end(self.kept()?, self.pid, &self.state, self.state_age_ns, self.transaction_age_ns)
    }
}

impl QueuedSession {
    /// How it keeps its lock, at the head of a queue; `None` where it has it for a moment only.
    pub fn kept(&self) -> Option<LockKept> {
        LockKept::of(self.pid, &self.state, self.state_age_ns, self.transaction_age_ns)
    }

    /// A statement to paste that lets its lock go, if it still keeps it then.
    pub fn end(&self) -> Option<String> {
        end(self.kept()?, self.pid, &self.state, self.state_age_ns, self.transaction_age_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(state: &str, state_s: f64, transaction_s: Option<f64>) -> QueuedSession {
        QueuedSession {
            pid: 7,
            state: state.into(),
            state_age_ns: Some(state_s * 1e9),
            transaction_age_ns: transaction_s.map(|s| s * 1e9),
            ..QueuedSession::default()
        }
    }

    #[test]
    fn a_lock_is_kept_or_just_used() {
        let kept = |state, state_s, transaction| session(state, state_s, transaction).kept();
        assert_eq!(kept("idle in transaction", 5.0, Some(5.0)), Some(LockKept::Idle));
        assert_eq!(kept("idle in transaction", 4.9, Some(4.9)), None);
        assert_eq!(kept("idle in transaction", 0.1, Some(40.0)), Some(LockKept::Transaction));
        assert_eq!(kept("active", 0.1, Some(5.0)), Some(LockKept::Transaction));
        assert_eq!(kept("active", 9.0, Some(4.9)), None);
        assert_eq!(kept("idle", 5.0, None), Some(LockKept::Session));
        assert_eq!(kept("idle", 4.9, None), None);
        assert_eq!(QueuedSession::default().kept(), Some(LockKept::Prepared));
        // One meaning for both.
        let holder = LockHolder {
            pid: 7,
            state: "active".into(),
            transaction_age_ns: Some(4.9e9),
            ..LockHolder::default()
        };
        assert_eq!((holder.kept(), holder.keeps()), (None, false));
    }

    #[test]
    fn a_statement_acts_on_what_was_seen_and_on_nobody_who_came_later() {
        let end = |state, state_s, transaction| session(state, state_s, transaction).end().unwrap();
        assert_eq!(
            end("idle in transaction (aborted)", 26.7, Some(30.0)),
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = 7 AND state LIKE 'idle in transaction%' \
             AND state_change < now() - interval '26 s'"
        );
        let cancel = end("active", 0.1, Some(30.0));
        assert!(cancel.starts_with("SELECT pg_cancel_backend(pid) FROM"), "{cancel}");
        assert!(cancel.contains("state = 'active' AND xact_start < now() - interval '30 s'"));
        assert!(cancel.ends_with(BLOCKS), "{cancel}");
        let between = end("idle in transaction", 0.1, Some(30.0));
        assert!(between.contains("pg_terminate_backend") && between.contains("xact_start <"));
        let idle = end("idle", 30.0, None);
        assert!(idle.contains("pg_terminate_backend") && idle.contains("state = 'idle'"), "{idle}");
        assert!(idle.ends_with(BLOCKS), "{idle}");
        // No age tells its transaction from the next.
        assert_eq!(session("active", 30.0, None).end(), None);
        assert_eq!(QueuedSession::default().end(), None);
    }
}
