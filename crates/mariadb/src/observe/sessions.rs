//! Who is in a statement or in a transaction at this moment: `SHOW PROCESSLIST` and `information_schema.INNODB_TRX`.
//!
//! `SHOW PROCESSLIST` has the first hundred characters of a text and makes no temporary table, which
//! `information_schema.PROCESSLIST` does, on disk. Where `performance_schema` is on, `threads` has more of the text.
//!
//! A stage (`Sending data`, `Updating`) is the same on a CPU and in a read, so that these are told apart here as little as there.

use std::collections::BTreeMap;

use narrows_model::ActivityState;

use super::{number, text};
use crate::connection::{Connection, Row};
use crate::error::MariaError;

/// Transactions that are read.
pub(super) const TRANSACTIONS: &str = "SELECT trx_mysql_thread_id, trx_state, TIMESTAMPDIFF(SQL_TSI_SECOND, trx_started, NOW()), \
     TIMESTAMPDIFF(SQL_TSI_SECOND, trx_wait_started, NOW()), trx_rows_locked, trx_rows_modified FROM information_schema.INNODB_TRX \
     WHERE trx_mysql_thread_id != 0 ORDER BY trx_started LIMIT 1000";
/// Texts of the statements that run; a session's may be another by now.
pub(super) const TEXTS: &str = "SELECT PROCESSLIST_ID, LEFT(PROCESSLIST_INFO, 2048) FROM performance_schema.threads \
     WHERE PROCESSLIST_INFO IS NOT NULL AND PROCESSLIST_ID != CONNECTION_ID() LIMIT 1000";
/// Threads of the server that are no sessions of clients.
const NOT_CLIENTS: [&str; 7] =
    ["Daemon", "Binlog Dump", "Slave_IO", "Slave_SQL", "Slave_worker", "Delayed insert", "Connect"];

/// An open transaction.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Transaction {
    pub(super) age_s: f64,
    /// How long it has waited for a row's lock, where it does.
    pub(super) waits_s: Option<f64>,
    pub(super) rows_locked: f64,
    pub(super) rows_modified: f64,
}

impl Transaction {
    /// Whether it is more than a statement that commits by itself: one that begins or ends between the two lists looks as if its session slept in a
    /// transaction. So transactions of less than a second count as none between their statements.
    fn outlasts_a_statement(&self) -> bool {
        const OLD_S: f64 = 1.0;
        self.age_s >= OLD_S
    }
}

/// A session of a client.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Session {
    pub(super) id: u32,
    pub(super) user: String,
    pub(super) client: String,
    pub(super) database: String,
    pub(super) sleeps: bool,
    /// Since when it is in its statement, or without one.
    pub(super) for_s: f64,
    pub(super) stage: String,
    /// As the server has it: its literals are no one's business.
    pub(super) text: Option<String>,
    pub(super) transaction: Option<Transaction>,
}

impl Session {
    /// What it does; `None`: nothing.
    pub(super) fn state(&self) -> Option<ActivityState> {
        use ActivityState::{Client, IdleInTransaction, Lock, Log, Other, Running};
        if self.sleeps {
            return self
                .transaction
                .filter(|of| of.outlasts_a_statement())
                .map(|_| IdleInTransaction);
        }
        if self.waits_for_row() || self.waits_for_lock() {
            return Some(Lock);
        }
        Some(match self.stage.as_str() {
            "Commit"
            | "Starting commit"
            | "Waiting for prior transaction to commit"
            | "Waiting for semi-sync ACK from slave" => Log,
            "Writing to net" | "Reading from net" => Client,
            "User sleep" => Other,
            _ => Running,
        })
    }

    /// The list of transactions is of another moment than that of sessions: who sleeps, sends or commits by now waits no more.
    pub(super) fn waits_for_row(&self) -> bool {
        const PAST_IT: [&str; 5] =
            ["Commit", "Starting commit", "Reading from net", "User sleep", "Writing to net"];
        let may = !self.sleeps && !PAST_IT.contains(&self.stage.as_str());
        may && self.transaction.is_some_and(|of| of.waits_s.is_some())
    }

    pub(super) fn waits_for_metadata(&self) -> bool {
        let stage = self.stage.as_str();
        !self.sleeps && stage.starts_with("Waiting for") && stage.ends_with("metadata lock")
    }

    /// For a lock of the server's own, not of InnoDB.
    fn waits_for_lock(&self) -> bool {
        let stage = self.stage.as_str();
        stage == "User lock"
            || (stage.starts_with("Waiting for")
                && (stage.ends_with("lock") || stage == "Waiting for table flush"))
    }

    /// The name of what it waits for, or of its stage.
    pub(super) fn event(&self) -> String {
        match self.waits_for_row() {
            true => "InnoDB row lock".to_string(),
            false => self.stage.clone(),
        }
    }
}

/// What is asked for each time.
pub(super) struct Asking {
    /// Whether `performance_schema` has texts.
    pub(super) texts: bool,
}

/// All sessions of clients but our own.
pub(super) fn read(session: &mut Connection, asking: &Asking) -> Result<Vec<Session>, MariaError> {
    let ours = session.number();
    let rows = session.query("SHOW PROCESSLIST")?;
    let transactions = session.query(TRANSACTIONS)?;
    let mut found = sessions(&rows, &transactions, ours);
    if asking.texts && found.iter().any(is_cut) {
        let texts = session.query(TEXTS)?;
        lengthen(&mut found, &texts);
    }
    Ok(found)
}

/// Whether there may be more of its text.
fn is_cut(session: &Session) -> bool {
    /// Characters that `SHOW PROCESSLIST` shows.
    const SHOWN: usize = 100;
    session.text.as_ref().is_some_and(|text| text.chars().count() >= SHOWN)
}

fn sessions(rows: &[Row], transactions: &[Row], ours: u32) -> Vec<Session> {
    let open: BTreeMap<u32, Transaction> = transactions.iter().filter_map(transaction).collect();
    let one = |row: &Row| {
        let id: u32 = text(row, 0)?.parse().ok()?;
        let command = text(row, 4)?;
        if id == ours || NOT_CLIENTS.contains(&command) || text(row, 1) == Some("system user") {
            return None;
        }
        let told = |column: usize| {
            let told: String = narrows_units::shown(text(row, column).unwrap_or_default())
                .chars()
                .take(200)
                .collect();
            told
        };
        let host = told(2);
        // The port is another for each connection.
        let client = host.rsplit_once(':').map_or(host.as_str(), |(host, _)| host);
        let client = if client == "localhost" { "local" } else { client };
        Some(Session {
            id,
            user: told(1),
            client: client.to_string(),
            database: told(3),
            sleeps: command == "Sleep",
            for_s: number(row, 5).unwrap_or(0.0).max(0.0),
            stage: told(6),
            text: text(row, 7).filter(|text| !text.is_empty()).map(str::to_string),
            transaction: open.get(&id).copied(),
        })
    };
    rows.iter().filter_map(one).collect()
}

fn transaction(row: &Row) -> Option<(u32, Transaction)> {
    let waits = text(row, 1) == Some("LOCK WAIT");
    let of = Transaction {
        age_s: number(row, 2).unwrap_or(0.0).max(0.0),
        waits_s: waits.then(|| number(row, 3).unwrap_or(0.0).max(0.0)),
        rows_locked: number(row, 4).unwrap_or(0.0),
        rows_modified: number(row, 5).unwrap_or(0.0),
    };
    Some((text(row, 0)?.parse().ok()?, of))
}

/// More of the texts, where both are of one statement.
fn lengthen(found: &mut [Session], texts: &[Row]) {
    let longer: BTreeMap<u32, &str> =
        texts.iter().filter_map(|row| Some((text(row, 0)?.parse().ok()?, text(row, 1)?))).collect();
    for session in found {
        let longer = longer.get(&session.id);
        if let (Some(short), Some(longer)) = (&session.text, longer)
            && longer.starts_with(short.as_str())
        {
            session.text = Some((*longer).to_string());
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::observe) fn row(cells: &[&str]) -> Row {
        cells.iter().map(|cell| Some((*cell).to_string()).filter(|cell| cell != "NULL")).collect()
    }

    #[test]
    fn what_two_answers_say_of_two_moments_is_no_wait_and_no_open_transaction() {
        let state = |sleeps, stage: &str, of: Transaction| {
            let session = Session { sleeps, stage: stage.into(), ..Session::default() };
            Session { transaction: Some(of), ..session }.state()
        };
        let reads = Transaction::default();
        let old = Transaction { age_s: 1.0, ..reads };
        let holds = Transaction { rows_locked: 1.0, ..reads };
        let idle = Some(ActivityState::IdleInTransaction);
        // A statement that commits by itself ended between the two.
        assert_eq!(state(true, "", reads), None);
        assert_eq!((state(true, "", old), state(true, "", holds)), (idle, None));
        let waits = Transaction { waits_s: Some(0.0), ..holds };
        assert_eq!(state(false, "Updating", waits), Some(ActivityState::Lock));
        assert_eq!(state(false, "User sleep", waits), Some(ActivityState::Other));
        assert_eq!(state(false, "Commit", waits), Some(ActivityState::Log));
    }

    #[test]
    fn sessions_are_in_the_states_that_the_server_shows() {
        let rows = [
            row(&[
                "4",
                "app",
                "10.0.0.7:4311",
                "shop",
                "Query",
                "3",
                "Sending data",
                "SELECT a FROM t WHERE b = 'x",
                "0.000",
            ]),
            row(&["5", "app", "localhost", "shop", "Sleep", "30", "", "NULL", "0.000"]),
            row(&["6", "app", "localhost", "NULL", "Sleep", "3", "", "NULL", "0.000"]),
            row(&[
                "7",
                "app",
                "localhost",
                "shop",
                "Query",
                "2",
                "Updating",
                "UPDATE t SET a = 1",
                "0.000",
            ]),
            row(&[
                "8",
                "app",
                "localhost",
                "shop",
                "Query",
                "2",
                "Waiting for table metadata lock",
                "ALTER TABLE t",
                "0",
            ]),
            row(&["9", "app", "localhost", "shop", "Execute", "0", "Commit", "COMMIT", "0.000"]),
            row(&["10", "repl", "10.0.0.9:1", "NULL", "Binlog Dump", "9", "", "NULL", "0.000"]),
            row(&["11", "me", "localhost", "NULL", "Query", "0", "", "SHOW PROCESSLIST", "0.000"]),
            row(&["x"]),
            vec![],
        ];
        let transactions = [
            row(&["5", "RUNNING", "31", "NULL", "3", "2"]),
            row(&["7", "LOCK WAIT", "2", "2", "1", "0"]),
            vec![None],
        ];
        let mut found = sessions(&rows, &transactions, 11);
        let states: Vec<Option<ActivityState>> = found.iter().map(Session::state).collect();
        use ActivityState::{IdleInTransaction, Lock, Log, Running};
        assert_eq!(
            states,
            [Some(Running), Some(IdleInTransaction), None, Some(Lock), Some(Lock), Some(Log)]
        );
        assert_eq!((found[0].client.as_str(), found[1].client.as_str()), ("10.0.0.7", "local"));
        assert_eq!(found[3].event(), "InnoDB row lock");
        assert!(found[4].waits_for_metadata() && !found[3].waits_for_metadata());
        lengthen(
            &mut found,
            &[row(&["4", "SELECT a FROM t WHERE b = 'xyz'"]), row(&["7", "COMMIT"])],
        );
        assert_eq!(found[0].text.as_deref(), Some("SELECT a FROM t WHERE b = 'xyz'"));
        assert_eq!(found[3].text.as_deref(), Some("UPDATE t SET a = 1"));
    }
}
