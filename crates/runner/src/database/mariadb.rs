//! A load on a private MariaDB instance: found, made, started, measured and removed.

use anyhow::Result;
use narrows_engine::Phase;
use narrows_layer_database::Task;
use narrows_mariadb::{ManagedMariaDb, ServerSettings};
use narrows_model::{Conditions, Layer, condition};
use serde_json::json;

use super::server::{Body, Tables, check_dirs, measure};
use crate::failure::Failure;
use crate::request::database::{DatabaseTarget, ServerRequest};
use crate::resolved::PlannedSession;
use crate::space_check;

/// Refuses what a MariaDB doesn't have here, before anything is measured.
///
/// # Errors
/// What was asked for, and what there is.
pub fn has(server: &ServerRequest, task: &Task) -> Result<()> {
    if server.database != DatabaseTarget::MariaDb {
        return Ok(());
    }
    let refused = |what: &str| {
        let there = "lookup, update and commit are measured on MariaDB, lookups with --calls each; leave out --kind for the others";
        Err(Failure::hinted(format!("MariaDB has no {what} here yet"), there))
    };
    if server.wal.is_some() {
        let hint = "leave out --wal: data and log are in the folder of --data";
        return Err(Failure::hinted("MariaDB has no separate folder for the log here yet", hint));
    }
    narrows_mariadb::lacks(task).map_or(Ok(()), refused)
}

/// Makes it, lets `body` measure on it, and removes it.
///
/// # Errors
/// There is none, it doesn't start or died, or what `body` gave.
pub fn on(session: &mut PlannedSession<'_, '_>, tables: &Tables, body: Body<'_>) -> Result<()> {
    let resolved = session.resolved;
    let stop = session.stop;
    check_dirs(resolved)?;
    session.ui.phase(Layer::Database, Phase::Prepare, "a private MariaDB instance");
    let found = narrows_mariadb::find(stop)?;
    let settings = ServerSettings {
        pool_mb: resolved.plan.shared_buffers_bytes >> 20,
        log_mb: space_check::max_wal_bytes(resolved) >> 20,
        connections: 2 * resolved.plan.sessions + 20,
        cpus: &session.split.server.clone(),
    };
    let id = format!("{}-maria", session.run.id);
    let mut server = ManagedMariaDb::start_new(&found, &resolved.data_dir, &id, settings, stop)?;
    let mut conditions = Conditions::default();
    conditions.insert(condition::ORIGIN, "packaged");
    conditions.insert(condition::SERVER_BUILD, json!(found.version_text));
    conditions.insert(condition::FLUSHES_COUNTED, "every fsync of InnoDB, of data files too");
    let data_dir = Some(server.data_dir().into());
    let kind = server.kind();
    let outcome =
        measure(session, (kind, true), data_dir, conditions, (tables, Some(&mut server), body));
    // A server that died explains everything that failed after it.
    let health = if stop.is_set() { Ok(()) } else { server.check() };
    session.ui.phase(Layer::Database, Phase::CleanUp, "the server");
    drop(server);
    health?;
    outcome
}
