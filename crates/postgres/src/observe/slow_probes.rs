//! What is worth knowing and costs more than a look at the states, so that it is asked about once a second at most: ages of
//! transactions, and who holds the locks that others wait for. Once in a look: what keeps vacuum from its work and has no session.

use std::time::Duration;

use narrows_engine::now_ns;

use crate::monitor::session::SamplingSession;
use crate::wire::WireError;

/// Between two questions at least.
const AT_LEAST: Duration = Duration::from_secs(1);
/// The server works for these a half of a hundredth of the time at most.
const AT_MOST_OF_TIME: u64 = 200;

/// Holders are asked for a hundred of those who wait at most: each answer takes a lock of the lock manager's and names everybody
/// ahead in the queue, so that of thousands it would be millions.
const PREPARE: [&str; 2] = [
    "PREPARE narrows_ages AS SELECT extract(epoch FROM max(clock_timestamp() - xact_start)), \
     extract(epoch FROM max(clock_timestamp() - state_change) FILTER (WHERE state LIKE 'idle in transaction%')) \
     FROM pg_catalog.pg_stat_get_activity(NULL) \
     WHERE pid <> pg_catalog.pg_backend_pid() AND backend_type = 'client backend'",
    "PREPARE narrows_holders AS SELECT max(waiting) FROM (SELECT count(*) AS waiting FROM \
     (SELECT pid, unnest(pg_catalog.pg_blocking_pids(pid)) AS holder \
     FROM (SELECT pid FROM pg_catalog.pg_stat_get_activity(NULL) WHERE wait_event_type = 'Lock' LIMIT 100) waiting) waits \
     GROUP BY holder) holders",
];

/// Age of the oldest prepared transaction, and how many transactions ago the snapshot was taken that a replication slot holds.
const HELD: &str = "SELECT (SELECT extract(epoch FROM max(clock_timestamp() - prepared)) FROM pg_catalog.pg_prepared_xacts), \
     (SELECT max(greatest(age(xmin), age(catalog_xmin))) FROM pg_catalog.pg_replication_slots)";

/// What was found.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Found {
    /// Of the oldest transaction, when last asked, ns.
    pub(super) oldest_transaction_ns: Option<f64>,
    /// The longest of all answers, ns.
    pub(super) longest_idle_in_transaction_ns: Option<f64>,
    /// Most sessions behind one holder of locks, of all answers.
    pub(super) most_behind_one: Option<f64>,
    /// Of the oldest prepared transaction, ns.
    pub(super) oldest_prepared_ns: Option<f64>,
    /// Transactions since the oldest snapshot that a replication slot holds.
    pub(super) slot_holds: Option<f64>,
}

/// Asks now and then.
#[derive(Debug)]
pub(super) struct SlowProbes {
    pub(super) found: Found,
    next_ns: u64,
}

impl SlowProbes {
    /// Prepares the questions.
    ///
    /// # Errors
    /// A statement failed.
    pub(super) fn prepare(session: &mut SamplingSession) -> Result<SlowProbes, WireError> {
        for sql in PREPARE {
            session.query(sql)?;
        }
        let mut found = Found::default();
        match one_row(session, HELD, 2) {
            Ok(held) => {
                let held = held.unwrap_or_default();
                let cell = |column: usize| held.get(column).copied().flatten();
                found.oldest_prepared_ns = cell(0).map(|s| s.max(0.0) * 1e9);
                found.slot_holds = cell(1);
            }
            // A server that keeps these views from us is looked at without them.
            Err(error) if error.code().is_some() => {}
            Err(error) => return Err(error),
        }
        Ok(SlowProbes { found, next_ns: 0 })
    }

    /// Asks, where it is time to; about locks only where somebody waits for one.
    ///
    /// # Errors
    /// The server no longer answers.
    pub(super) fn ask(
        &mut self,
        session: &mut SamplingSession,
        locks: bool,
    ) -> Result<(), WireError> {
        if now_ns() < self.next_ns {
            return Ok(());
        }
        let before_ns = session.worked_ns();
        let ages = one_row(session, "EXECUTE narrows_ages", 2)?;
        if let Some(ages) = ages {
            self.found.oldest_transaction_ns = ages[0].map(|s| s.max(0.0) * 1e9);
            let idle = ages[1].map(|s| s * 1e9);
            longest(&mut self.found.longest_idle_in_transaction_ns, idle);
        }
        if locks && let Some(behind) = one_row(session, "EXECUTE narrows_holders", 1)? {
            longest(&mut self.found.most_behind_one, behind[0]);
        }
        let worked_ns = session.worked_ns() - before_ns;
        self.next_ns = now_ns() + (AT_LEAST.as_nanos() as u64).max(worked_ns * AT_MOST_OF_TIME);
        Ok(())
    }
}

fn longest(so_far: &mut Option<f64>, now: Option<f64>) {
    *so_far = [*so_far, now].into_iter().flatten().reduce(f64::max);
}

/// `None` where the server left it unanswered; NULL, and what is no number, is absent.
fn one_row(
    session: &mut SamplingSession,
    sql: &str,
    columns: usize,
) -> Result<Option<Vec<Option<f64>>>, WireError> {
    let Some(rows) = session.ask(sql)? else { return Ok(None) };
    let row = rows.into_iter().next().unwrap_or_default();
    let cell = |column: usize| row.get(column)?.as_deref()?.parse().ok();
    Ok(Some((0..columns).map(cell).collect()))
}
