//! One workload on a server that is there.

use std::time::Duration;

use anyhow::Result;
use narrows_engine::Context;
use narrows_engine::rate_search::{Goal, Settings};
use narrows_layer_database::{Database, HighestPlan, Provisioner, Task, Variation};
use narrows_model::{Workload, metric};

use super::working_set::working_set_bytes;
use crate::database::fit::fit;
use crate::database::parts::{amend_scans, begin_windows};
use crate::database::server::scan_workers;
use crate::database::{closed_window, keep_going, on_start, prove, take, transactions};
use crate::request::database::WorkloadRequest;
use crate::resolved::PlannedSession;
use crate::split::Split;

/// One window of a sweep at most.
pub const SWEEP: Duration = Duration::from_secs(2);

/// Makes the table and runs what was asked for.
///
/// # Errors
/// The server refuses, plans otherwise than meant, or broke; or a stop.
pub fn measure(
    session: &mut PlannedSession<'_, '_>,
    database: &mut Database,
    request: &WorkloadRequest,
) -> Result<()> {
    let ctx = session.resolved.context(session);
    database.prepare(&ctx)?;
    let working_set_bytes = working_set_bytes(request, session.resolved);
    let task = Task { working_set_bytes, ..request.task };
    if task.is_scan() {
        return scans(session, database, &task, &request.workers);
    }
    fit(session, database, &task)?;
    if request.sessions.len() > 1 {
        let outcome = sweep(session, database, &task, &request.sessions);
        keep_going(session, "the sweep", outcome)?;
    }
    transactions(session, database, &task, request.rate_per_s)?;
    match request.limit_ns {
        Some(limit_ns) => {
            let outcome = highest(session, database, &task, limit_ns);
            keep_going(session, "the highest rate", outcome)
        }
        None => Ok(()),
    }
}

/// The highest rate with the percentile within the limit, below what the closed loop gave.
fn highest(
    session: &mut PlannedSession<'_, '_>,
    database: &mut Database,
    task: &Task,
    limit_ns: u64,
) -> Result<()> {
    let resolved = session.resolved;
    let id = task.workload().measurement_id();
    let closed = session.run.measurement(id).and_then(|m| m.value(metric::THROUGHPUT));
    let Some(ceiling_per_s) = closed.filter(|rate| *rate > 0.0) else {
        anyhow::bail!("the closed loop has no rate below which to search");
    };
    let ctx = resolved.context(session);
    let base = Variation::closed(format!("{id}.p99"), resolved.plan.sessions);
    let plan = search(limit_ns, resolved.plan.quick);
    session.ui.begin_part(task.workload(), plan.budget.as_secs_f64());
    let (found, measured) = database.highest_rate(&ctx, task, &base, &plan, ceiling_per_s)?;
    session.run.highest_rates.push(found);
    session.add(measured);
    Ok(())
}

/// What a search may spend: as storage's calibration does.
pub fn search(limit_ns: u64, quick: bool) -> HighestPlan {
    const PARTS: u32 = 40;
    let budget = Duration::from_secs(if quick { 40 } else { 112 });
    let settings = Settings {
        longest_window: budget / PARTS,
        shortest_window: budget / (4 * PARTS),
        ..Settings::default()
    };
    HighestPlan { goal: Goal { quantile: 0.99, limit_ns }, settings, budget }
}

/// The closed loop by each number of sessions, in turns.
fn sweep(
    session: &mut PlannedSession<'_, '_>,
    database: &mut Database,
    task: &Task,
    sessions: &[u32],
) -> Result<()> {
    let resolved = session.resolved;
    let ctx = resolved.context(session);
    let window = SWEEP.min(resolved.database_window);
    let id = task.workload().measurement_id();
    let variations: Vec<Variation> =
        sessions.iter().map(|n| Variation::closed(format!("{id}.sessions_{n}"), *n)).collect();
    begin_windows(session, task, window, variations.len());
    take(session, database, &Context { window, ..ctx }, task, &variations)?;
    Ok(())
}

/// The workload once more on further starts of the server: the closed loop, or the scans.
///
/// # Errors
/// The server does not come up again, or what it gave; or a stop.
pub fn on_further_starts(
    session: &mut PlannedSession<'_, '_>,
    database: &mut Database,
    server: &mut dyn Provisioner,
    request: &WorkloadRequest,
) -> Result<()> {
    let resolved = session.resolved;
    let task = Task { working_set_bytes: working_set_bytes(request, resolved), ..request.task };
    let base = if task.is_scan() {
        scan_variations(&resolved.split, &request.workers)
    } else {
        let id = task.workload().measurement_id();
        vec![Variation::closed(id, resolved.plan.sessions)]
    };
    let mut once = |session: &mut PlannedSession<'_, '_>, database: &mut Database, start| {
        let ctx = resolved.context(session);
        let window = match task.is_scan() {
            true => ctx.window,
            false => closed_window(&task, resolved),
        };
        let again: Vec<Variation> = base.iter().map(|base| on_start(base, start)).collect();
        begin_windows(session, &task, window, again.len());
        take(session, database, &Context { window, ..ctx }, &task, &again)?;
        Ok(())
    };
    let starts = (task.workload(), request.load.starts);
    crate::database::on_further_starts(session, database, server, starts, &mut once)
}

/// By one process and by the most, which get verdicts, and by what lies between.
fn scan_variations(split: &Split, workers: &[u32]) -> Vec<Variation> {
    let mut workers = workers.to_vec();
    if workers.is_empty() {
        workers = vec![1, scan_workers(split)];
    }
    workers.sort_unstable();
    workers.dedup();
    let most = workers.last().copied().filter(|most| *most > 1);
    workers
        .into_iter()
        .map(|n| match n {
            1 => Variation::scan(Workload::ScanOne.measurement_id(), 1),
            n if Some(n) == most => Variation::scan(Workload::ScanMany.measurement_id(), n),
            n => Variation::scan(format!("database.scan.workers_{n}"), n),
        })
        .collect()
}

fn scans(
    session: &mut PlannedSession<'_, '_>,
    database: &mut Database,
    task: &Task,
    workers: &[u32],
) -> Result<()> {
    let ctx = session.resolved.context(session);
    let variations = scan_variations(&session.split, workers);
    amend_scans(session, task, variations.len() as f64);
    begin_windows(session, task, ctx.window, variations.len());
    take(session, database, &ctx, task, &variations)?;
    match variations.last().filter(|most| most.workers > 1) {
        Some(many) => prove(session, database, &ctx, task, many),
        None => Ok(()),
    }
}
