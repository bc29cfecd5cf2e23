//! What PostgreSQL says of itself while it is loaded, by version (PostgreSQL documentation, "The Cumulative Statistics
//! System"; columns probed against 13 to 18).
//!
//! A session reports its statistics at most once a second and when it ends, so counters are read before the first
//! session opens and after the last one has ended, and cover the whole load, warm-up included. The log position is
//! exact at any time. The connection that reads them is in another database where that is ours to choose, so that its
//! own transactions are not among the load's; where it is in the same one, it makes the server count its own at once, and they
//! are taken off by its own count.

use std::time::{Duration, Instant};

use narrows_layer_database::kind::{KindError, Observer, SessionState};
use narrows_layer_database::{Counters, Wait};
use narrows_model::ActivityState;

use crate::observe::process_state;
use crate::session::APPLICATION_NAME;
use crate::wire::{Connection, Row, WireError};

/// PostgreSQL's own account of what one of its databases does, read by a connection of its own.
pub(crate) struct Statistics {
    monitor: Connection,
    database: String,
    /// `server_version_num`.
    version: u32,
    /// Whether the question for the sessions is planned: planning it each time, with the joins of the view `pg_stat_activity`, takes a
    /// processor from those who are asked about.
    is_prepared: bool,
}

impl Statistics {
    /// The server's process that answers.
    pub(crate) fn pid(&self) -> u32 {
        self.monitor.pid()
    }

    /// Of `database`, by this connection.
    pub(crate) fn new(monitor: Connection, database: &str, version: u32) -> Statistics {
        Statistics { monitor, database: database.to_string(), version, is_prepared: false }
    }
}

impl Observer for Statistics {
    fn counters(&mut self) -> Result<Counters, KindError> {
        let beside = self.monitor.database() == self.database;
        if beside && self.version >= 150_000 {
            // Who may not is off by what the connection asked in a second.
            let _ = self.monitor.query("SELECT pg_stat_force_next_flush()");
        }
        let own = if beside { self.monitor.asked() as f64 } else { 0.0 };
        let log = match self.version {
            ..140_000 => "NULL::float8, NULL::float8, NULL::float8",
            140_000..180_000 => {
                "(SELECT wal_sync::float8 FROM pg_stat_wal), (SELECT wal_sync_time FROM pg_stat_wal), \
                 (SELECT wal_write_time FROM pg_stat_wal)"
            }
            _ => {
                "(SELECT sum(fsyncs)::float8 FROM pg_stat_io WHERE object = 'wal'), \
                 (SELECT sum(fsync_time) FROM pg_stat_io WHERE object = 'wal'), \
                 (SELECT sum(write_time) FROM pg_stat_io WHERE object = 'wal' AND context = 'normal')"
            }
        };
        let checkpoints = if self.version < 170_000 {
            "(SELECT checkpoints_timed + checkpoints_req FROM pg_stat_bgwriter), \
             (SELECT buffers_checkpoint FROM pg_stat_bgwriter)"
        } else {
            "(SELECT num_timed + num_requested FROM pg_stat_checkpointer), \
             (SELECT buffers_written FROM pg_stat_checkpointer)"
        };
        let full_pages = if self.version < 140_000 {
            "NULL::float8"
        } else {
            "(SELECT wal_fpi::float8 FROM pg_stat_wal)"
        };
        let active = if self.version < 140_000 { "NULL::float8" } else { "active_time" };
        // Without the right to see it there is no such row.
        let checkpointing = "(SELECT max((wait_event IS DISTINCT FROM 'CheckpointerMain')::int) \
                             FROM pg_stat_activity WHERE backend_type = 'checkpointer')";
        let rows = self.monitor.query(&format!(
            "SELECT xact_commit + xact_rollback, blks_read, blks_hit, blk_read_time, \
             pg_current_wal_insert_lsn() - '0/0'::pg_lsn, {log}, {checkpoints}, {checkpointing}, \
             {full_pages}, {active} \
             FROM pg_stat_database WHERE datname = '{}'",
            self.database.replace('\'', "''")
        ))?;
        let row = rows.first().ok_or(WireError::Unexpected("no statistics of this database"))?;
        let number = |column: usize| -> Option<f64> { row.get(column)?.as_deref()?.parse().ok() };
        let need =
            |column| number(column).ok_or(WireError::Unexpected("a counter that is no number"));
        Ok(Counters {
            transactions: need(0)?,
            blocks_read: need(1)?,
            table_reads: None,
            blocks_hit: need(2)?,
            read_time_ns: Some(need(3)? * 1e6),
            wal_bytes: need(4)?,
            flushes: number(5),
            flush_time_ns: number(6).map(|ms| ms * 1e6),
            write_time_ns: number(7).map(|ms| ms * 1e6),
            checkpoints: Some(need(8)?),
            checkpoint_pages: Some(need(9)?),
            checkpointing: number(10),
            full_pages: number(11),
            active_time_ns: number(12).map(|ms| ms * 1e6),
            own,
        })
    }

    /// Before version 15 reports travel through a collector process that may be half a second behind.
    fn settle(&mut self) -> Result<(), KindError> {
        let sql = format!(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = '{APPLICATION_NAME}'"
        );
        let deadline = Instant::now() + Duration::from_secs(10);
        while self.monitor.one(&sql)?.as_deref() != Some("0") && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
        }
        if self.version < 150_000 {
            std::thread::sleep(Duration::from_millis(1000));
            // It reports what it did itself at the end of a transaction, twice a second at most.
            self.monitor.query("SELECT 1")?;
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    fn activity(&mut self) -> Result<Vec<SessionState>, KindError> {
        if !self.is_prepared {
            self.monitor.execute(&format!(
                "PREPARE narrows_standing AS \
                 SELECT wait_event_type, wait_event, state, pid, backend_type \
                 FROM pg_catalog.pg_stat_get_activity(NULL) \
                 WHERE application_name = '{APPLICATION_NAME}'"
            ))?;
            self.is_prepared = true;
        }
        let rows = self.monitor.query("EXECUTE narrows_standing")?;
        Ok(rows.iter().map(standing).collect())
    }
}

/// A row of `pg_stat_activity`.
fn standing(row: &Row) -> SessionState {
    let text = |column: usize| row.get(column).and_then(|c| c.as_deref()).unwrap_or("");
    let (kind, event, state) = (text(0), text(1), text(2));
    let name = match kind {
        "" if state.starts_with("idle") => "on CPU between statements".to_string(),
        "" => "on CPU".to_string(),
        _ => format!("{kind}:{event}"),
    };
    SessionState {
        wait: wait(kind, event, state),
        name,
        pid: text(3).parse().ok(),
        worker: text(4) == "parallel worker",
    }
}

/// From the server's words, as they are read wherever a server is looked at. A session without a statement that waits for nothing takes a
/// request in or sends an answer off: it runs, and its client is not waited for.
fn wait(kind: &str, event: &str, state: &str) -> Wait {
    match process_state::wait(kind, event) {
        ActivityState::Running => Wait::None,
        _ if state.starts_with("idle") => Wait::Client,
        ActivityState::Client => Wait::Client,
        ActivityState::Read => Wait::Read,
        ActivityState::Log => Wait::Flush,
        ActivityState::Lock | ActivityState::Latch => Wait::Lock,
        _ => Wait::Other,
    }
}

#[cfg(test)]
#[path = "statistics_test.rs"]
mod tests;
