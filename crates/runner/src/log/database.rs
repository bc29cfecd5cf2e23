//! The top of the ladder: what a commit takes on a private PostgreSQL instance, whose log lies where the ladder's does.

use anyhow::{Context as _, Result};
use narrows_engine::{Phase, Stop, Stopped, now_ns};
use narrows_layer_wal::{LEADER, LadderStep, LogError};
use narrows_model::{Conditions, Layer, condition};
use narrows_postgres::{Connection, WireError};
use serde_json::json;

use super::standby::Standby;
use super::target_dirs::TargetDirs;
use crate::database::managed_server::{Installation, ManagedServer, ServerSettings, connect};
use crate::request::log::LadderDatabase;
use crate::session::Session;

/// Rows that take turns, so that no commit waits for the version of the one before.
const ROWS: u64 = 1000;
/// Commits over which the log bytes of one are counted.
const COUNTED: u64 = 500;

/// A server with a table, perhaps its standby. Fields drop in this order: the standby before its primary.
pub struct LadderServer {
    standby: Option<Standby>,
    server: ManagedServer,
    stop: Stop,
}

impl LadderServer {
    /// Makes and starts it.
    ///
    /// # Errors
    /// There is no PostgreSQL to start, or it doesn't.
    pub fn start(
        session: &Session<'_>,
        dirs: &TargetDirs,
        request: &LadderDatabase,
    ) -> Result<LadderServer> {
        session.ui.phase(Layer::Database, Phase::Prepare, "a private PostgreSQL instance");
        let installation = Installation::find(session, request.postgres.as_deref())?;
        let settings = settings();
        let server = ManagedServer::start(session, &installation, dirs.server("db"), &settings)?;
        let mut server = LadderServer { standby: None, server, stop: session.stop.clone() };
        let mut connection = server.connect()?;
        connection.execute(&format!(
            "CREATE TABLE public.narrows_log (id int PRIMARY KEY, n bigint, filler text) WITH (fillfactor = 50); \
             INSERT INTO public.narrows_log SELECT i, 0, repeat('x', 80) FROM generate_series(1, {ROWS}) i; CHECKPOINT"
        ))?;
        drop(connection);
        if request.standby {
            let primary = &mut server.server.cluster;
            primary.stop()?;
            let standby = Standby::of(primary, session, &installation, dirs, &settings)?;
            primary.start(session.stop)?;
            let mut connection = server.connect()?;
            server.standby.insert(standby).start(&mut connection, session.stop)?;
        }
        Ok(server)
    }

    fn connect(&self) -> Result<Connection> {
        connect(&self.server.address(), &self.stop)
    }

    /// Log bytes of one commit, over some hundreds of them.
    ///
    /// # Errors
    /// The server refused a statement.
    pub fn bytes_per_commit(&self) -> Result<u64> {
        let mut connection = self.connect()?;
        connection.execute("SET synchronous_commit = off")?;
        let end = |connection: &mut Connection| -> Result<f64> {
            let text = connection
                .one("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')")?
                .context("the server reported no WAL position")?;
            Ok(text.parse()?)
        };
        // The first update after a checkpoint logs whole pages; that is not what a commit has on most days.
        for _ in 0..2 {
            for row in 1..=ROWS.min(COUNTED) {
                update(&mut connection, row)?;
                connection.execute("COMMIT")?;
            }
        }
        let before = end(&mut connection)?;
        for row in 1..=COUNTED {
            update(&mut connection, row)?;
            connection.execute("COMMIT")?;
        }
        let bytes = (end(&mut connection)? - before) / COUNTED as f64;
        Ok(bytes.round().max(1.0) as u64)
    }

    /// The steps that the database adds: its commit without a flush (round trip and everything but the log), and with one.
    ///
    /// # Errors
    /// No connection.
    pub fn steps(&self) -> Result<Vec<Commits>> {
        let step = |name, above, durability| -> Result<Commits> {
            let mut connection = self.connect()?;
            connection.execute(&format!("SET synchronous_commit = {durability}"))?;
            let version = self.server.version.clone();
            let stop = self.stop.clone();
            Ok(Commits { connection, name, above, durability, version, stop, next: 0 })
        };
        let own = if self.standby.is_some() { "local" } else { "on" };
        let mut steps =
            vec![step("commit_async", None, "off")?, step("commit", Some(LEADER), own)?];
        if self.standby.is_some() {
            steps.push(step("commit_remote_write", Some("commit"), "remote_write")?);
            steps.push(step("commit_remote_flush", Some("commit_remote_write"), "on")?);
        }
        Ok(steps)
    }

    /// The first processes of all servers that run.
    pub fn pids(&self) -> Vec<u32> {
        let standby = self.standby.as_ref().and_then(Standby::pid);
        self.server.cluster.pid().into_iter().chain(standby).collect()
    }

    /// Whether the server still runs and always did.
    ///
    /// # Errors
    /// It died or crashed.
    pub fn check(&self) -> Result<()> {
        Ok(self.server.cluster.check()?)
    }
}

impl Drop for LadderServer {
    fn drop(&mut self) {
        // The standby first: a primary that ends waits for those who follow it.
        drop(self.standby.take());
    }
}

/// No checkpoint of its own, because the load beside the log is ours.
fn settings() -> ServerSettings {
    ServerSettings {
        shared_buffers_mb: 64,
        checkpoint_timeout: "1h".to_string(),
        max_wal_mb: 2048,
        connections: 20,
        replicates: true,
        more: Vec::new(),
    }
}

fn update(connection: &mut Connection, row: u64) -> Result<(), WireError> {
    let sql = format!("BEGIN; UPDATE public.narrows_log SET n = n + 1 WHERE id = {row}");
    connection.execute(&sql)
}

/// Commits of one session; only the `COMMIT` is timed, from its sending to the answer.
pub struct Commits {
    connection: Connection,
    name: &'static str,
    above: Option<&'static str>,
    durability: &'static str,
    version: String,
    stop: Stop,
    next: u64,
}

/// A statement that a stop cancelled is no failure.
fn failed(step: &str, stop: &Stop, reason: &WireError) -> LogError {
    if stop.is_set() {
        return Stopped.into();
    }
    LogError::Foreign { step: step.to_string(), reason: reason.to_string() }
}

impl LadderStep for Commits {
    fn name(&self) -> String {
        self.name.to_string()
    }

    fn above(&self) -> Option<String> {
        self.above.map(str::to_string)
    }

    fn operation(&mut self) -> Result<Option<u64>, LogError> {
        let row = self.next % ROWS + 1;
        self.next += 1;
        let failed = |reason| failed(self.name, &self.stop, &reason);
        update(&mut self.connection, row).map_err(failed)?;
        let began_ns = now_ns();
        self.connection.execute("COMMIT").map_err(failed)?;
        Ok(Some(now_ns() - began_ns))
    }

    fn bytes(&self) -> u64 {
        0
    }

    fn back_to_back(&self) -> bool {
        false
    }

    fn describe(&self, workload: &mut Conditions) {
        workload.insert(condition::SESSIONS, json!(1));
        workload.insert(condition::UNTIMED_STATEMENTS_BETWEEN, json!(1));
        workload.insert(condition::SYNCHRONOUS_COMMIT, json!(self.durability));
        workload.insert(condition::SERVER_VERSION, json!(self.version));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancelled_commit_is_a_stop_and_any_other_failure_is_told() {
        let stop = Stop::new();
        let reason = WireError::Unexpected("nonsense");
        let told = failed("commit", &stop, &reason).to_string();
        assert!(told.contains("step commit") && told.contains("nonsense"), "{told}");
        assert!(told.contains("hint: "), "{told}");
        stop.set();
        assert!(matches!(failed("commit", &stop, &reason), LogError::Stopped(_)));
    }
}
