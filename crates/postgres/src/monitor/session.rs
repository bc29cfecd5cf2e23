//! A connection that looks: read only, with time limits, and with an account of what it takes.

use std::time::Duration;

use narrows_engine::{Stop, now_ns};
use narrows_model::{LiveCost, LivePace};

use super::statement_log::{self, StatementLog};
use crate::address::Address;
use crate::wire::{Connection, Limits, Patience, Row, WireError};

/// By this name the server's administrator finds us.
pub(crate) const APPLICATION_NAME: &str = "narrows";

/// Round trips before the first question that costs something.
const ROUND_TRIPS: u32 = 5;
/// What our session was really given: whoever stands between may take what is asked for and not pass it on.
pub(super) const LIMITS: &str = "SELECT current_setting('default_transaction_read_only'), \
    current_setting('statement_timeout'), current_setting('lock_timeout')";
/// Said where it was given none.
pub(super) const UNLIMITED: &str = "narrows' session does not have the limits that were set (read only, statement_timeout, lock_timeout)";
/// An answer that says how long the server worked for it, s.
const WORKED: &str = "SELECT extract(epoch FROM clock_timestamp() - statement_timestamp())";
/// A question may take that long, and no longer: the server ends a statement of ours after 5 s. After a stop the last reading of the
/// counters, which ends the window in hand, has a moment.
const LIMITS_OF_WAITING: Limits = Limits {
    question: Patience::QUESTION,
    work: Patience::QUESTION,
    cancel_after: Duration::from_secs(1),
};
/// Refusals that pass: a time limit or a cancel, a lock not had in time, and conflicts with recovery (PostgreSQL
/// documentation, "PostgreSQL Error Codes" and "Handling Query Conflicts"). Any other would be the same again.
const PASSING: [&str; 4] = ["57014", "55P03", "40001", "40P01"];
/// A server that leaves so many questions in a row unanswered is not asked any more.
const IN_A_ROW: u32 = 3;

/// Whether the server may answer when it is asked again.
pub(crate) fn passes(error: &WireError) -> bool {
    error.code().is_some_and(|code| PASSING.contains(&code))
}

/// Why a question has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// Our time limit passed, or the server was hindered otherwise: it may have one later.
    Late,
    /// With this SQLSTATE.
    Refused(String),
}

/// The connection and its account.
pub(crate) struct SamplingSession {
    connection: Connection,
    statements: u64,
    waited_ns: u64,
    /// What an answer without work takes, ns.
    round_trip_ns: u64,
    worked_ns: u64,
    /// What of that is the way there and back, ns.
    way_ns: u64,
    active_ns: u64,
    unanswered: u64,
    unanswered_ns: u64,
    unanswered_in_a_row: u32,
    log: StatementLog,
    /// Lines of ours in the server's log, about.
    log_lines: f64,
    /// Bytes of the rows that came.
    received: u64,
}

impl SamplingSession {
    /// Connects; the server itself keeps us from writing and from waiting for locks.
    ///
    /// # Errors
    /// No connection, or one that is not kept from it.
    pub(crate) fn open(address: &Address) -> Result<SamplingSession, WireError> {
        let options = [
            ("application_name", APPLICATION_NAME),
            ("default_transaction_read_only", "on"),
            ("statement_timeout", "5s"),
            ("lock_timeout", "1s"),
        ];
        let mut connection = Connection::open(address, &options)?;
        connection.limit(LIMITS_OF_WAITING);
        let mut session = SamplingSession {
            connection,
            statements: 0,
            waited_ns: 0,
            round_trip_ns: u64::MAX,
            worked_ns: 0,
            way_ns: u64::MAX,
            active_ns: 0,
            unanswered: 0,
            unanswered_ns: 0,
            unanswered_in_a_row: 0,
            log: StatementLog::default(),
            log_lines: 0.0,
            received: 0,
        };
        session.is_limited()?;
        session.log = StatementLog::from_rows(&session.query(statement_log::SQL)?);
        for _ in 0..ROUND_TRIPS {
            let began_ns = now_ns();
            let said = session.one(WORKED)?;
            let took_ns = now_ns() - began_ns;
            let said_ns = said.and_then(|s| s.parse::<f64>().ok()).map_or(0, |s| (s * 1e9) as u64);
            session.round_trip_ns = session.round_trip_ns.min(took_ns);
            session.way_ns = session.way_ns.min(took_ns.saturating_sub(said_ns));
        }
        session.begin_account();
        Ok(session)
    }

    /// What was taken so far to get ready is left out of the account.
    pub(crate) fn begin_account(&mut self) {
        (self.statements, self.received) = (0, 0);
        (self.waited_ns, self.worked_ns, self.active_ns) = (0, 0, 0);
        (self.unanswered, self.unanswered_ns, self.unanswered_in_a_row) = (0, 0, 0);
        self.log_lines = 0.0;
    }

    /// Looks whether the limits that were asked for hold. They are not set again: behind a pooler that would be in somebody
    /// else's session.
    fn is_limited(&mut self) -> Result<(), WireError> {
        let rows = self.query(LIMITS)?;
        let cell = |column: usize| rows.first()?.get(column)?.as_deref();
        let bounded = |column: usize| cell(column).is_some_and(|time| time != "0");
        if cell(0) == Some("on") && bounded(1) && bounded(2) {
            Ok(())
        } else {
            Err(WireError::Unexpected(UNLIMITED))
        }
    }

    /// From now on a stop ends what is asked a moment later.
    pub(crate) fn heed(&mut self, stop: &Stop) {
        self.connection.heed(Some(stop));
    }

    /// How our session is encrypted, as a condition of what it sees.
    pub(crate) fn encryption(&self) -> serde_json::Value {
        self.connection.encryption().into()
    }

    /// Runs a statement and notes what it took.
    pub(crate) fn query(&mut self, sql: &str) -> Result<Vec<Row>, WireError> {
        let began_ns = now_ns();
        let rows = self.connection.query(sql);
        let took_ns = now_ns() - began_ns;
        self.statements += 1;
        self.waited_ns += took_ns;
        self.worked_ns += took_ns.saturating_sub(self.round_trip_ns);
        let active_ns = took_ns.saturating_sub(self.way_ns);
        self.active_ns += active_ns;
        self.log_lines += self.log.lines(sql, Duration::from_nanos(active_ns));
        self.received += rows.as_ref().map_or(0, |rows| rows.iter().map(bytes).sum());
        rows
    }

    /// Asks what may stay unanswered now and then: `None` where our time limit passed, or the server was hindered otherwise.
    ///
    /// # Errors
    /// It was the third in a row; the server refuses for a reason that stays; or the connection broke.
    pub(crate) fn ask(&mut self, sql: &str) -> Result<Option<Vec<Row>>, WireError> {
        let waited_ns = self.waited_ns;
        match self.query(sql) {
            Ok(rows) => {
                self.unanswered_in_a_row = 0;
                Ok(Some(rows))
            }
            Err(error) => {
                self.unanswered += 1;
                self.unanswered_ns += self.waited_ns - waited_ns;
                self.unanswered_in_a_row += 1;
                if passes(&error) && self.unanswered_in_a_row < IN_A_ROW {
                    Ok(None)
                } else {
                    Err(error)
                }
            }
        }
    }

    /// Asks what the rest can do without: none of the questions in a row that end it, whatever becomes of this one.
    ///
    /// # Errors
    /// The connection broke.
    pub(crate) fn ask_aside(&mut self, sql: &str) -> Result<Result<Vec<Row>, NoAnswer>, WireError> {
        let waited_ns = self.waited_ns;
        let error = match self.query(sql) {
            Ok(rows) => return Ok(Ok(rows)),
            Err(error) => error,
        };
        let Some(code) = error.code().map(str::to_string) else { return Err(error) };
        self.unanswered += 1;
        self.unanswered_ns += self.waited_ns - waited_ns;
        Ok(Err(if passes(&error) { NoAnswer::Late } else { NoAnswer::Refused(code) }))
    }

    /// The first column of the first row.
    pub(crate) fn one(&mut self, sql: &str) -> Result<Option<String>, WireError> {
        Ok(self.query(sql)?.into_iter().next().and_then(|row| row.into_iter().next().flatten()))
    }

    /// Statements so far.
    pub(crate) fn statements(&self) -> u64 {
        self.statements
    }

    /// Time that the server worked for us so far, as far as it shows in how long answers took, ns.
    pub(crate) fn worked_ns(&self) -> u64 {
        self.worked_ns
    }

    /// Time so far that the server counts as ours in statements, as far as it shows in how long answers took, ns.
    pub(crate) fn active_ns(&self) -> u64 {
        self.active_ns
    }

    /// Questions so far that went unanswered.
    pub(crate) fn unanswered(&self) -> u64 {
        self.unanswered
    }

    /// The server's process for us, by its own number.
    pub(crate) fn pid(&self) -> u32 {
        self.connection.pid()
    }

    /// Time so far in which questions went unanswered, ns.
    pub(crate) fn unanswered_ns(&self) -> u64 {
        self.unanswered_ns
    }

    /// Lines that our statements added to the server's log so far, about.
    pub(crate) fn log_lines(&self) -> f64 {
        self.log_lines
    }

    /// The account over an interval in which states were asked for so many times, held down to something or not.
    pub(crate) fn cost(
        &self,
        interval_ns: f64,
        asked: u64,
        paced_by: Option<LivePace>,
    ) -> LiveCost {
        let per_s = |count: f64| (interval_ns > 0.0).then(|| count / interval_ns * 1e9);
        LiveCost {
            statements: self.statements,
            waited_ns: self.waited_ns as f64,
            share: if interval_ns > 0.0 { self.worked_ns as f64 / interval_ns } else { 0.0 },
            unanswered: self.unanswered,
            unanswered_ns: self.unanswered_ns as f64,
            processors: None,
            received_bytes: self.received,
            questions_per_s: per_s(asked as f64).filter(|_| asked > 0),
            paced_by,
            log_lines_per_min: per_s(self.log_lines * 60.0).filter(|_| self.log_lines > 0.0),
            logged_by: self.log.by().to_vec(),
        }
    }
}

/// What a row takes on the wire (PostgreSQL documentation, "Message Formats", `DataRow`).
fn bytes(row: &Row) -> u64 {
    7 + row.iter().map(|cell| 4 + cell.as_ref().map_or(0, String::len) as u64).sum::<u64>()
}
