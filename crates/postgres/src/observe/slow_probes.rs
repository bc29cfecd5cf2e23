//! What is worth knowing and costs more than a look at the states, so that it is asked about once a second at most: which sessions
//! did something, ages of transactions, and who holds the locks that others wait for. Once in a look: what keeps vacuum from its
//! work and has no session.

use narrows_engine::now_ns;
use narrows_model::{LockHolder, LockHolders};

use super::consumers::lock_queue::LockQueueProbe;
use super::consumers::normalise::SentTexts;
use super::participants::Participants;
use crate::monitor::lock_queue;
use crate::monitor::pace::Pace;
use crate::monitor::samples::numbers;
use crate::monitor::session::SamplingSession;
use crate::wire::{Row, WireError};

/// The server's clock, s.
const NOW: &str = "SELECT extract(epoch FROM pg_catalog.clock_timestamp())";

/// All sessions and log senders in a few rows: those that did something since the look began, and those that did not. Of a session
/// that came later its first state is none of its doing. One that tells nothing of itself (`disabled`) counts as one that did.
fn census(since_s: f64) -> String {
    let since = format!("pg_catalog.to_timestamp({since_s:.6})");
    format!(
        "PREPARE narrows_census AS SELECT backend_type, \
         (state IN ('active', 'fastpath function call', 'disabled') OR query_start >= {since} OR xact_start >= {since} \
         OR (backend_start < {since} AND state_change >= {since})) IS TRUE, \
         pg_catalog.string_agg(pid::pg_catalog.text, ' '), extract(epoch FROM max(clock_timestamp() - xact_start)), \
         extract(epoch FROM max(clock_timestamp() - state_change) FILTER (WHERE state LIKE 'idle in transaction%')) \
         FROM pg_catalog.pg_stat_get_activity(NULL) \
         WHERE pid <> pg_catalog.pg_backend_pid() AND backend_type IN ('client backend', 'walsender') GROUP BY 1, 2"
    )
}

/// Age of the oldest prepared transaction, and how many transactions ago the snapshot was taken that a replication slot holds.
const HELD: &str = "SELECT (SELECT extract(epoch FROM max(clock_timestamp() - prepared)) FROM pg_catalog.pg_prepared_xacts), \
     (SELECT max(greatest(age(xmin), age(catalog_xmin))) FROM pg_catalog.pg_replication_slots)";

/// What was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct SlowProbeAnswers {
    /// Of the oldest transaction, when last asked, ns.
    pub(super) oldest_transaction_ns: Option<f64>,
    /// The longest of all answers, ns.
    pub(super) longest_idle_in_transaction_ns: Option<f64>,
    /// Who had most sessions waiting behind it, of all answers, as last seen with so many.
    pub(super) holder: Option<LockHolder>,
    /// What the holders of all answers did.
    pub(super) holders: Option<LockHolders>,
    /// Of the oldest prepared transaction, ns.
    pub(super) oldest_prepared_ns: Option<f64>,
    /// Transactions since the oldest snapshot that a replication slot holds.
    pub(super) slot_holds: Option<f64>,
    /// Most processes that send the log.
    pub(super) log_senders: Option<f64>,
}

/// Asks now and then.
#[derive(Debug)]
pub(super) struct SlowProbes {
    pub(super) found: SlowProbeAnswers,
    pub(super) participants: Participants,
    /// Who waits for whom.
    pub(super) queue: LockQueueProbe,
    pace: Pace,
}

impl SlowProbes {
    /// Prepares the questions.
    ///
    /// # Errors
    /// A statement failed.
    pub(super) fn prepare(
        session: &mut SamplingSession,
        texts: SentTexts,
    ) -> Result<SlowProbes, WireError> {
        let now = session.one(NOW)?.and_then(|text| text.parse().ok());
        let since_s = now.filter(|s: &f64| s.is_finite());
        let since_s = since_s.ok_or(WireError::Unexpected("no time of day"))?;
        session.query(&census(since_s))?;
        session.query(lock_queue::PREPARE)?;
        let queue = LockQueueProbe::prepare(session, texts)?;
        let mut found = SlowProbeAnswers::default();
        match session.query(HELD) {
            Ok(rows) => {
                let held = rows.into_iter().next().unwrap_or_default();
                found.oldest_prepared_ns = seconds(&held, 0).map(|s| s.max(0.0) * 1e9);
                found.slot_holds = seconds(&held, 1);
            }
            // A server that keeps these views from us is looked at without them.
            Err(error) if error.code().is_some() => {}
            Err(error) => return Err(error),
        }
        let participants = Participants::default();
        Ok(SlowProbes { found, participants, queue, pace: Pace::default() })
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
        if !self.pace.is_due() {
            return Ok(());
        }
        let (before_ns, before_lines) = (session.worked_ns(), session.log_lines());
        self.ask_all(session, locks, false)?;
        self.pace.asked(session.worked_ns() - before_ns, session.log_lines() - before_lines);
        Ok(())
    }

    /// Asks, whether it is time to or not; the `last` time at the end of the look.
    ///
    /// # Errors
    /// The server no longer answers.
    pub(super) fn ask_all(
        &mut self,
        session: &mut SamplingSession,
        locks: bool,
        last: bool,
    ) -> Result<(), WireError> {
        if let Some(rows) = session.ask("EXECUTE narrows_census")? {
            self.take(now_ns(), &rows);
        }
        if locks && let Some(rows) = session.ask(lock_queue::SQL)? {
            let holder = lock_queue::holder(&rows);
            let most = self.found.holder.as_ref().map_or(0.0, |holder| holder.behind);
            if let Some(holder) = &holder {
                lock_queue::count(self.found.holders.get_or_insert_default(), holder);
                self.queue.ask(session, (holder.pid, holder.behind), last)?;
            }
            if let Some(holder) = holder.filter(|holder| holder.behind >= most) {
                self.found.holder = Some(holder);
            }
        }
        Ok(())
    }

    /// An answer to the census.
    fn take(&mut self, at_ns: u64, rows: &[Row]) {
        let (mut all, mut senders): (Vec<(u32, bool)>, f64) = (Vec::new(), 0.0);
        let (mut oldest, mut idle) = (None, None);
        for row in rows {
            let text = |column: usize| row.get(column).and_then(|cell| cell.as_deref());
            let pids = numbers(text(2).unwrap_or_default());
            if text(0) != Some("client backend") {
                senders += pids.count() as f64;
                continue;
            }
            let took_part = text(1) == Some("t");
            all.extend(pids.map(|pid| (pid, took_part)));
            longest(&mut oldest, seconds(row, 3).map(|s| s.max(0.0) * 1e9));
            longest(&mut idle, seconds(row, 4).map(|s| s * 1e9));
        }
        self.participants.census(at_ns, &all);
        self.found.oldest_transaction_ns = oldest;
        longest(&mut self.found.longest_idle_in_transaction_ns, idle);
        longest(&mut self.found.log_senders, Some(senders));
    }
}

fn longest(so_far: &mut Option<f64>, now: Option<f64>) {
    *so_far = [*so_far, now].into_iter().flatten().reduce(f64::max);
}

/// A number of a row; NULL, and what is no number, is absent.
fn seconds(row: &Row, column: usize) -> Option<f64> {
    row.get(column)?.as_deref()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::fake::row;

    #[test]
    fn a_census_has_sessions_that_did_something_others_and_log_senders() {
        let mut probes = SlowProbes {
            found: SlowProbeAnswers::default(),
            participants: Participants::default(),
            queue: LockQueueProbe::default(),
            pace: Pace::default(),
        };
        probes.take(
            1000,
            &[
                row(["client backend", "t", "11 12", "3.5", ""]),
                row(["client backend", "f", "21 22 23", "", "26.5"]),
                row(["walsender", "f", "31", "99", ""]),
            ],
        );
        assert_eq!(probes.participants.unused(0, 2000), Some(3.0));
        assert_eq!(probes.found.oldest_transaction_ns, Some(3.5e9), "a sender's is none of theirs");
        assert_eq!(probes.found.longest_idle_in_transaction_ns, Some(26.5e9));
        assert_eq!(probes.found.log_senders, Some(1.0));
    }

    #[test]
    fn what_a_session_did_is_held_against_the_beginning_of_the_look() {
        let sql = census(1_700_000_000.25);
        assert!(sql.contains("query_start >= pg_catalog.to_timestamp(1700000000.250000)"), "{sql}");
        assert!(sql.contains("backend_start < pg_catalog.to_timestamp("), "{sql}");
    }
}
