//! The writer to PostgreSQL: one row a transaction, acknowledged when its commit returned.

use std::time::Duration;

use narrows_engine::Stop;
use narrows_postgres::{Address, Connection, WireError};

use crate::medium::Medium;
use crate::power;
use crate::reporter::Reporter;
use crate::server;
use crate::streams::{self, Sink};
use crate::terms::table_name;
use crate::{CrashTestError, Machine, RecordLocation, RunId, Terms, Written};

/// The stream of the row that a writer leaves which outlived its connection.
pub(crate) const MARK_STREAM: i64 = -1;

const OPTIONS: &[(&str, &str)] = &[("application_name", "narrows crashtest")];

/// Commits rows to a new table `narrows_crashtest_ID` in that database until `stop`, the end of `length`, a failure, or
/// the power's end. The table stays: it is what is checked.
///
/// # Errors
/// Where the server refuses, or the second host isn't reached, refuses or is lost.
pub fn write_table(
    address: &Address,
    streams: u32,
    collector: &str,
    same_host: bool,
    length: Option<Duration>,
    stop: &Stop,
    tell: &mut dyn FnMut(u64),
) -> Result<Written, CrashTestError> {
    let run = RunId::random().map_err(CrashTestError::file("reading", "/dev/urandom"))?;
    let name = table_name(run);
    let mut connection = open(address)?;
    let (method, flushes) = method(&mut connection)
        .map_err(|source| failed("reading the settings", address, source))?;
    let (server, folder) = server::look(&mut connection, address)
        .map_err(|source| failed("asking when the server was started in", address, source))?;
    let medium = Medium::of_database(folder.as_deref());
    let terms = Terms {
        run,
        writer: Machine::this(),
        target: address.to_string(),
        method,
        flushes,
        place: RecordLocation::Table { name: name.clone(), streams },
        local_medium: medium.elsewhere.is_none(),
        elsewhere: medium.elsewhere,
        server: Some(server),
        mount_point: medium.mount_point,
        power: power::of_drives(medium.drives.iter().map(String::as_str)),
        drives: medium.drives.len() as u32,
        same_host,
    };
    let reporter = Reporter::connect(collector, &terms, stop)?;
    match prepare(&mut connection, address, &name, streams, stop) {
        Ok(sinks) => {
            let mark = || mark(address, &name);
            streams::run(run, reporter, sinks, length, stop, tell, &mark)
        }
        Err(error) => Err(reporter.give_up(error)),
    }
}

/// Notes in the table, durably, that the writer outlived its connection.
fn mark(address: &Address, name: &str) -> Result<(), CrashTestError> {
    let sql = format!(
        "SET synchronous_commit = on; INSERT INTO public.{name} VALUES ({MARK_STREAM}, 1) ON CONFLICT DO NOTHING"
    );
    let done = open(address)?.execute(&sql);
    done.map_err(|source| failed("marking the end", address, source))
}

pub(crate) fn open(address: &Address) -> Result<Connection, CrashTestError> {
    Connection::open(address, OPTIONS).map_err(|source| failed("connecting", address, source))
}

pub(crate) fn failed(
    attempt: &'static str,
    address: &Address,
    source: WireError,
) -> CrashTestError {
    CrashTestError::Database { attempt, address: address.to_string(), source: Box::new(source) }
}

/// What the server does for a commit, in its own words, and whether that is a flush.
fn method(connection: &mut Connection) -> Result<(String, bool), WireError> {
    let mut setting = |name: &str| -> Result<String, WireError> {
        Ok(connection.one(&format!("SHOW {name}"))?.unwrap_or_default())
    };
    let version = setting("server_version")?;
    let fsync = setting("fsync")?;
    let commit = setting("synchronous_commit")?;
    let sync = setting("wal_sync_method")?;
    let flushes = fsync == "on" && commit != "off";
    let text = format!(
        "commit in PostgreSQL {version}, fsync={fsync}, synchronous_commit={commit}, wal_sync_method={sync}"
    );
    Ok((text, flushes))
}

fn prepare(
    connection: &mut Connection,
    address: &Address,
    name: &str,
    streams: u32,
    stop: &Stop,
) -> Result<Vec<Box<dyn Sink>>, CrashTestError> {
    let sql = format!(
        "CREATE TABLE public.{name} (stream int NOT NULL, number bigint NOT NULL, PRIMARY KEY (stream, number))"
    );
    connection.execute(&sql).map_err(|source| failed("creating the table", address, source))?;
    let sinks = sinks(address, name, streams, stop);
    if sinks.is_err() {
        let _ = connection.execute(&format!("DROP TABLE public.{name}"));
    }
    sinks
}

fn sinks(
    address: &Address,
    name: &str,
    streams: u32,
    stop: &Stop,
) -> Result<Vec<Box<dyn Sink>>, CrashTestError> {
    (0..streams)
        .map(|stream| {
            if stop.is_set() {
                return Err(CrashTestError::Stopped);
            }
            let connection = open(address)?;
            let (name, address) = (name.to_string(), address.clone());
            Ok(Box::new(TableSink { connection, address, name, stream }) as Box<dyn Sink>)
        })
        .collect()
}

struct TableSink {
    connection: Connection,
    address: Address,
    name: String,
    stream: u32,
}

impl Sink for TableSink {
    fn write(&mut self, number: u64) -> Result<(), CrashTestError> {
        let sql = format!("INSERT INTO public.{} VALUES ({}, {number})", self.name, self.stream);
        let done = self.connection.execute(&sql);
        done.map_err(|source| failed("committing a row", &self.address, source))
    }
}
