//! The load's client, measured alone before the workloads of a run on our own server.

use anyhow::Result;
use narrows_model::{DatabaseChoice, Layer, PlannedStep, Workload};
use narrows_postgres::{Address, ClientPlan, Endpoint};

use crate::resolved::PlannedSession;
use crate::resolved::Resolved;

/// The step for the printed plan, where there is one.
pub fn planned(resolved: &Resolved) -> Option<PlannedStep> {
    wanted(resolved).then(|| PlannedStep {
        layer: Layer::Database,
        what: "the load generator alone, against a server that does nothing".into(),
        expected_s: ClientPlan::expected_s(resolved.plan.repeats),
        writes_bytes: 0,
    })
}

/// Measures it with the workloads' sessions and processors, on a socket beside the server's.
///
/// # Errors
/// The null server can't be started, a session fails, or a stop.
pub fn measure(session: &mut PlannedSession<'_, '_>, address: &Address) -> Result<()> {
    let resolved = session.resolved;
    let Endpoint::Unix { folder, port } = &address.endpoint else { return Ok(()) };
    if !wanted(resolved) {
        return Ok(());
    }
    let plan = ClientPlan {
        folder,
        port: port + 1,
        sessions: resolved.plan.sessions,
        client_cpus: &session.split.client,
        server_cpus: &session.split.server,
    };
    let measured = plan.measure(&resolved.context(session))?;
    session.add(measured);
    Ok(())
}

/// Scans ask the client for one operation a window.
fn wanted(resolved: &Resolved) -> bool {
    let sessions = |word: &String| word != Workload::ScanMany.word();
    resolved.plan.database == DatabaseChoice::Managed
        && !resolved.mariadb
        && resolved.plan.workloads.iter().any(sessions)
}
