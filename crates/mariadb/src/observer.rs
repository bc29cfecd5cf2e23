//! What MariaDB says of itself while it is loaded: `SHOW GLOBAL STATUS` before and after, and in between what each session of the load
//! is at (`performance_schema.threads`, `events_waits_current`, `information_schema.innodb_trx`).
//!
//! Status counters are exact at any time, those of open sessions included. What 10.11 doesn't count or time is absent: reads and flushes
//! are not timed, and there are no numbered checkpoints. Two figures are the nearest that there is: InnoDB counts its flushes of all
//! files together, where those of data files are few beside those of commits; and a transaction that commits by itself is counted
//! nowhere, but it is one statement, and statements that were executed are.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use narrows_layer_database::kind::{KindError, Observer, SessionState};
use narrows_layer_database::{Counters, Wait};

use crate::connection::{Connection, Row};
use crate::error::MariaError;

/// How long sessions may take to end.
const SETTLES: Duration = Duration::from_secs(10);

/// The server's own account, by a connection of its own.
pub(crate) struct Status {
    monitor: Connection,
    /// The role of the load's sessions.
    load_user: &'static str,
}

impl Status {
    pub(crate) fn new(monitor: Connection, load_user: &'static str) -> Status {
        Status { monitor, load_user }
    }
}

impl Observer for Status {
    fn counters(&mut self) -> Result<Counters, KindError> {
        let rows = self.monitor.query(
            "SHOW GLOBAL STATUS WHERE variable_name IN ('Com_stmt_execute', 'Innodb_buffer_pool_reads', \
             'Innodb_buffer_pool_read_requests', 'Innodb_lsn_current', 'Innodb_data_fsyncs')",
        )?;
        Ok(counters(rows)?)
    }

    fn settle(&mut self) -> Result<(), KindError> {
        let user = self.load_user;
        let sql =
            format!("SELECT count(*) FROM information_schema.processlist WHERE user = '{user}'");
        let end = Instant::now() + SETTLES;
        while self.monitor.one(&sql)?.as_deref() != Some("0") && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    fn activity(&mut self) -> Result<Vec<SessionState>, KindError> {
        let user = self.load_user;
        let rows = self.monitor.query(&format!(
            "SELECT t.thread_os_id, t.processlist_command, t.processlist_state, w.event_name, x.trx_state \
             FROM performance_schema.threads t LEFT JOIN performance_schema.events_waits_current w \
             ON w.thread_id = t.thread_id AND w.timer_end IS NULL AND w.event_name <> 'idle' \
             LEFT JOIN information_schema.innodb_trx x ON x.trx_mysql_thread_id = t.processlist_id \
             AND x.trx_state = 'LOCK WAIT' WHERE t.processlist_user = '{user}'"
        ))?;
        Ok(rows.iter().map(standing).collect())
    }
}

fn counters(rows: Vec<Row>) -> Result<Counters, MariaError> {
    let named = rows.into_iter().filter_map(|row| {
        let mut cells = row.into_iter();
        Some((cells.next()??, cells.next()??.parse::<f64>().ok()?))
    });
    let named: BTreeMap<String, f64> = named.collect();
    let need = |name: &str| {
        named
            .get(name)
            .copied()
            .ok_or(MariaError::Unexpected("no counter of that name, or no number"))
    };
    let read = need("Innodb_buffer_pool_reads")?;
    Ok(Counters {
        transactions: need("Com_stmt_execute")?,
        blocks_read: read,
        blocks_hit: need("Innodb_buffer_pool_read_requests")? - read,
        wal_bytes: need("Innodb_lsn_current")?,
        flushes: named.get("Innodb_data_fsyncs").copied(),
        ..Counters::default()
    })
}

/// A session of the load at this moment.
fn standing(row: &Row) -> SessionState {
    let text = |column: usize| row.get(column).and_then(|cell| cell.as_deref()).unwrap_or("");
    let (wait, name) = wait(text(1), text(2), text(3), text(4));
    SessionState { wait, name, pid: text(0).parse().ok(), worker: false }
}

/// From the server's words. A commit that waits for the log, be it for its own flush or for another session's, shows by its stage alone:
/// the log's file is not instrumented.
fn wait(command: &str, stage: &str, event: &str, transaction: &str) -> (Wait, String) {
    if command == "Sleep" {
        return (Wait::Client, "idle".into());
    }
    if !transaction.is_empty() {
        return (Wait::Lock, "InnoDB:LOCK WAIT".into());
    }
    let wait = match event.strip_prefix("wait/") {
        Some(event) if event.contains("innodb_log") => Wait::Flush,
        Some(event) if event.starts_with("io/file/innodb") => Wait::Read,
        Some(event) if event.starts_with("io/socket") => Wait::Client,
        Some(event) if event.starts_with("lock/") || event.starts_with("synch/") => Wait::Lock,
        Some(_) => Wait::Other,
        None if stage == "Commit" => return (Wait::Flush, "stage:Commit".into()),
        None => return (Wait::None, "on CPU".into()),
    };
    (wait, event.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_stand_where_the_server_says() {
        for (said, wanted) in [
            (["Sleep", "", "", ""], Wait::Client),
            (["Execute", "Commit", "", ""], Wait::Flush),
            (["Execute", "Updating", "", "LOCK WAIT"], Wait::Lock),
            (["Execute", "Updating", "", ""], Wait::None),
            (["Execute", "Statistics", "wait/io/file/innodb/innodb_data_file", ""], Wait::Read),
            (["Execute", "", "wait/synch/mutex/innodb/buf_pool_mutex", ""], Wait::Lock),
        ] {
            let [command, stage, event, transaction] = said;
            assert_eq!(wait(command, stage, event, transaction).0, wanted, "{said:?}");
        }
        let nulls: Row = vec![None; 5];
        assert_eq!(standing(&nulls).pid, None);
        assert_eq!(standing(&Vec::new()).wait, Wait::None);
    }

    #[test]
    fn a_counter_that_is_missing_is_no_zero() {
        let row = |name: &str, value: &str| vec![Some(name.to_string()), Some(value.to_string())];
        let mut rows = vec![
            row("Com_stmt_execute", "5"),
            row("Innodb_buffer_pool_reads", "2"),
            row("Innodb_buffer_pool_read_requests", "12"),
            row("Innodb_lsn_current", "1000"),
        ];
        let seen = counters(rows.clone()).unwrap();
        assert_eq!((seen.blocks_read, seen.blocks_hit, seen.flushes), (2.0, 10.0, None));
        assert_eq!((seen.read_time_ns, seen.checkpoints), (None, None));
        rows.remove(1);
        assert!(counters(rows).is_err());
    }
}
