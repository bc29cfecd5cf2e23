//! A MariaDB that others load, looked at: who takes what, who waits for whom, what its counters say.
//!
//! Its session reads only, gives up a statement after 5 s and a lock after 1 s, and asks less often where answers take long. Nothing
//! is written and no setting of the server is changed. What its user may not see, and what needs `performance_schema`, which is off
//! unless it is set before a start, is listed as unknown.
//!
//! Not here: what binds. A stage (`Sending data`) is the same on a CPU and in a read, and how many transactions end is not
//! counted: no verdict follows, and causes are read off what is counted.
//!
//! Source: MariaDB documentation, "SHOW PROCESSLIST", "Information Schema INNODB_TRX Table", "Performance Schema Overview",
//! "METADATA_LOCK_INFO Plugin"; version 10.11.

mod address;
mod counters;
mod digests;
mod figures;
mod host;
mod lock_queue;
mod look;
mod normalise;
mod sampled;
mod sessions;
mod tables;

use std::time::Duration;

use narrows_engine::Stop;
use narrows_model::{LiveSetting, Measurement, Observation, Unknown};

use crate::connection::{Connection, Row};
use crate::error::MariaError;

pub use address::{SocketAddress, SocketAddressError};

/// Id of the measurement that holds the figures.
pub const MEASUREMENT: &str = narrows_model::Workload::Observed.measurement_id();

/// How long an observation takes at most.
pub const LONGEST: Duration = Duration::from_secs(60);

/// Databases of the server's own.
const OF_THE_SERVER: &str = "'mysql', 'sys', 'information_schema', 'performance_schema'";

/// Our own limits. Times of transactions are in the server's time zone.
const LIMITS: [&str; 4] = [
    "SET SESSION TRANSACTION READ ONLY",
    "SET SESSION max_statement_time = 5",
    "SET SESSION lock_wait_timeout = 1",
    "SET SESSION time_zone = 'SYSTEM'",
];

/// What its user may see, and what the server has.
#[derive(Debug, Clone, Default, PartialEq)]
struct Sight {
    /// `PROCESS`: others' sessions and transactions.
    process: bool,
    /// Whether `performance_schema` is on.
    schema_on: bool,
    /// Whether its digests may be read.
    digests: bool,
    /// Whether `METADATA_LOCK_INFO` is installed.
    metadata: bool,
}

/// What was seen.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservedMariaDb {
    /// What the server did.
    pub observation: Observation,
    /// Sessions at work, by windows.
    pub measurement: Measurement,
    /// Why it ended before its time, if it did without being asked to.
    pub cut_short: Option<String>,
}

/// A MariaDB that can be observed.
pub struct Monitor {
    address: SocketAddress,
    session: Connection,
    version: String,
    settings: Vec<LiveSetting>,
    sight: Sight,
}

impl Monitor {
    /// Connects, limits its session, and asks what server it is and what may be seen.
    ///
    /// # Errors
    /// It can't be reached, refuses, or is no MariaDB.
    pub fn open(address: &SocketAddress, stop: &Stop) -> Result<Monitor, MariaError> {
        let mut session = Connection::open(address.socket(), &address.user, &[stop])?;
        if !session.version().contains("MariaDB") {
            return Err(MariaError::Unexpected(
                "a version that is none of MariaDB's: MySQL cannot be observed",
            ));
        }
        for limit in LIMITS {
            session.query(limit)?;
        }
        let said = session.version().to_string();
        let own = said.strip_prefix("5.5.5-").unwrap_or(&said);
        let version = format!("MariaDB {}", own.split("-MariaDB").next().unwrap_or(own));
        let settings = counters::settings(&mut session)?;
        let mut may = |sql: &str| answered(session.query(sql)).map(|rows| rows.is_some());
        let process = may("SELECT trx_mysql_thread_id FROM information_schema.INNODB_TRX LIMIT 1")?;
        let schema_on =
            settings.iter().any(|set| set.name == "performance_schema" && set.value == "ON");
        let digests = schema_on
            && may(
                "SELECT COUNT_STAR FROM performance_schema.events_statements_summary_by_digest LIMIT 1",
            )?;
        let metadata = session.one(
            "SELECT count(*) FROM information_schema.PLUGINS WHERE PLUGIN_NAME = 'METADATA_LOCK_INFO' AND PLUGIN_STATUS = 'ACTIVE'",
        )?;
        let metadata = metadata.as_deref() == Some("1");
        let sight = Sight { process, schema_on, digests, metadata };
        Ok(Monitor { address: address.clone(), session, version, settings, sight })
    }

    /// Its version, with the product's name.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// What of it can't be seen, and what would show it.
    pub fn unknown(&self) -> Vec<Unknown> {
        self.sight.unknown(&self.address.user)
    }
}

impl Sight {
    fn unknown(&self, user: &str) -> Vec<Unknown> {
        let user = narrows_units::shown(user).into_owned();
        let one = |what: &str, needs: String| Unknown { what: what.to_string(), needs };
        let mut unknown = Vec::new();
        if !self.process {
            unknown.push(one(
                "sessions and transactions of others",
                format!("GRANT PROCESS ON *.* TO {user}@localhost"),
            ));
        }
        if !self.schema_on {
            unknown.push(one(
                "what each statement took: calls, time, rows examined, sorts and temporary tables on disk",
                "performance_schema=ON in the server's option file and a restart; MariaDB's default is OFF".to_string(),
            ));
        } else if !self.digests {
            unknown.push(one(
                "what each statement took",
                format!("GRANT SELECT ON performance_schema.* TO {user}@localhost"),
            ));
        }
        unknown.push(one(
            "how much of a statement's time is CPU and how much is reads",
            "MariaDB shows one stage for both; pidstat -u -d -t of mariadbd and iostat -x show them from outside".to_string(),
        ));
        unknown
    }
}

/// Rows, or nothing where the server refuses.
fn answered(outcome: Result<Vec<Row>, MariaError>) -> Result<Option<Vec<Row>>, MariaError> {
    match outcome {
        Ok(rows) => Ok(Some(rows)),
        Err(MariaError::Refused { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

fn text(row: &Row, column: usize) -> Option<&str> {
    row.get(column).and_then(|cell| cell.as_deref())
}

fn number(row: &Row, column: usize) -> Option<f64> {
    text(row, column)?.parse().ok().filter(|n: &f64| n.is_finite())
}
