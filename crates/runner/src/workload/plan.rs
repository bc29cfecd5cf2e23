//! From what was asked for to what will be done, by the means of `narrows run`.

use std::time::Duration;

use anyhow::Result;
use narrows_engine::Stop;
use narrows_layer_database::{Action, Calls, Redo, Source};
use narrows_model::{DatabaseChoice, Layer, PlannedStep};
use narrows_units::Bytes;

use super::measure::{SWEEP, search};
use super::working_set::{tables, touched_bytes, working_set_bytes};
use crate::database::client;
use crate::database::fit;
use crate::database::mariadb;
use crate::database::parts::planned_test_s;
use crate::database::{self, SHORT, START_S, TEST, closed_window, repeats_s, scan_time};
use crate::failure::Failure;
use crate::layers;
use crate::request::database::{WorkingSet, WorkloadRequest};
use crate::request::machine::MachineRequest;
use crate::resolve;
use crate::resolved::Resolved;
use crate::split::CostRatio;
use crate::ui::Ui;

const MIB: u64 = Bytes::MIB.0;
/// Larger tables are scanned through a ring of buffers and don't stay in the pool.
const SCANNED_FROM_POOL: u64 = 4;
/// A working set that is to stay in the pool leaves so much of it to index and catalogue.
const MOST_OF_POOL: f64 = 0.75;
/// Bytes of a block of a server as it is usually built; what another one sent is counted.
const BLOCK: u64 = 8192;
/// What the log takes at most in a second, for the printed plan: of updates, with whole pages after a checkpoint, and of
/// commits alone.
const LOG_BYTES_PER_S: f64 = 100e6;
const COMMITS_BYTES_PER_S: f64 = 10e6;

/// Decides everything.
///
/// # Errors
/// A folder that isn't one, an address that can't be read, or sizes that don't fit together.
pub fn resolve(request: &WorkloadRequest, ui: &dyn Ui) -> Result<Resolved> {
    let server = &request.server;
    mariadb::has(server, &request.task)?;
    let mut resolved = resolve::resolve(
        &MachineRequest {
            quick: request.load.quick,
            facts: None,
            layers: server.layers(&request.ceilings()),
            data: server.data.clone(),
            wal: server.wal.clone(),
            database: server.database.clone(),
            workloads: Vec::new(),
            sessions: request.sessions.last().copied(),
            write_budget: None,
            max_depth: None,
            with: None,
            same_machine: false,
            options: request.load.options.clone(),
        },
        ui,
    )?;
    if request.task.is_scan() {
        resolve::share(&mut resolved, CostRatio::NONE);
    }
    let plan = &mut resolved.plan;
    plan.workloads = vec![request.task.word().to_string()];
    if let Some(pool) = server.pool {
        plan.shared_buffers_bytes = pool.max(16 * MIB) / MIB * MIB;
        plan.table_bytes = plan.table_bytes.max(2 * plan.shared_buffers_bytes);
    }
    if let Some(table) = request.table {
        plan.table_bytes = table.max(MIB);
    }
    if request.task.is_scan() && request.task.source == Source::Pool && request.table.is_none() {
        plan.table_bytes = plan.shared_buffers_bytes / SCANNED_FROM_POOL;
    }
    if let Some(window) = request.load.window {
        let window = Duration::from_nanos(window.0);
        (resolved.database_window, resolved.update_window) = (window, window);
    }
    fits(request, &resolved)?;
    resolved.plan.steps = steps(request, &resolved);
    Ok(resolved)
}

fn fits(request: &WorkloadRequest, resolved: &Resolved) -> Result<()> {
    let plan = &resolved.plan;
    let ours = plan.database == DatabaseChoice::Managed;
    if !ours && matches!(request.working_set, Some(WorkingSet::OfPool(_))) {
        return Err(Failure::hinted(
            "--working-set in percent needs a pool whose size is known in advance",
            "give its size, as --working-set 64m",
        ));
    }
    if let Some(set) = working_set_bytes(request, resolved).filter(|set| *set > plan.table_bytes) {
        return Err(Failure::hinted(
            format!(
                "--working-set {} is more than the table, {}",
                Bytes(set),
                Bytes(plan.table_bytes)
            ),
            "make the table larger with --table SIZE",
        ));
    }
    if ours {
        fits_pool(request, resolved, plan.shared_buffers_bytes)?;
    }
    blocks_fit(request, resolved)?;
    let heavy = matches!(request.task.action, Action::Update { redo: Redo::Heavy, percent: 1.. });
    if heavy && request.entropy_percent == 0 {
        return Err(Failure::hinted(
            "--redo heavy changes the padding, and with --entropy 0 that is zeros before and after: WAL would have little of it",
            "use --entropy 1 or more, or --redo light",
        ));
    }
    if request.sessions.len() > 1 && (request.rate_per_s.is_some() || request.limit_ns.is_some()) {
        return Err(Failure::hinted(
            "--rate and --p99 need one number of sessions, and --sessions names several",
            "name the highest number of open sessions",
        ));
    }
    Ok(())
}

/// Whether what is to come from the buffer pool stays in one of that size, bytes: that of our own server by the plan, that
/// of somebody's as it says.
///
/// # Errors
/// It doesn't.
pub fn fits_pool(request: &WorkloadRequest, resolved: &Resolved, pool: u64) -> Result<()> {
    let task = &request.task;
    if task.source != Source::Pool || task.blocks() == Some(0) {
        return Ok(());
    }
    let ours = resolved.plan.database == DatabaseChoice::Managed;
    let larger = if ours { "make the pool larger with --pool SIZE, or " } else { "" };
    let touched = touched_bytes(request, resolved);
    if task.is_scan() && touched > pool / SCANNED_FROM_POOL {
        return Err(Failure::hinted(
            format!(
                "a table of {} is not scanned from a pool of {}: above a quarter of it the server uses a small ring",
                Bytes(touched),
                Bytes(pool)
            ),
            format!("{larger}make the table smaller with --table SIZE"),
        ));
    }
    if !task.is_scan() && touched as f64 > pool as f64 * MOST_OF_POOL {
        return Err(Failure::hinted(
            format!(
                "a working set of {} does not stay in a pool of {}",
                Bytes(touched),
                Bytes(pool)
            ),
            format!("{larger}name a smaller --working-set SIZE, or read --from drive"),
        ));
    }
    Ok(())
}

/// Where all keys of an operation are sent at once, none comes twice, so there have to be as many.
fn blocks_fit(request: &WorkloadRequest, resolved: &Resolved) -> Result<()> {
    let (Action::Lookup { blocks, calls: Calls::Any } | Action::Batch { blocks }) =
        request.task.action
    else {
        return Ok(());
    };
    let tables = u64::from(tables(request, resolved).private.unwrap_or(1).max(1));
    let rows = touched_bytes(request, resolved) / BLOCK / tables;
    if u64::from(blocks) <= rows {
        return Ok(());
    }
    let whose =
        if request.private { "a session's part of the working set" } else { "the working set" };
    Err(Failure::hinted(
        format!(
            "--blocks {blocks} is more than {whose} has, {rows}, and no operation reads a block twice"
        ),
        "use fewer --blocks, or a larger --working-set or --table",
    ))
}

fn steps(request: &WorkloadRequest, resolved: &Resolved) -> Vec<PlannedStep> {
    let stop = Stop::new();
    let ctx = resolved.ahead(&stop);
    let mut steps = layers::planned(resolved, &ctx);
    steps.push(database::server::planned(resolved));
    steps.extend(client::planned(resolved));
    if !request.task.is_scan() {
        steps.push(fit::planned(resolved, &request.task));
    }
    let expected_s = workload_s(request, resolved) + further_starts_s(request, resolved);
    let log_per_s = match request.task.action {
        Action::Commit => COMMITS_BYTES_PER_S,
        _ if request.task.commits() > 0.0 => LOG_BYTES_PER_S,
        _ => 0.0,
    };
    let log = (expected_s * log_per_s) as u64;
    steps.push(PlannedStep {
        layer: Layer::Database,
        what: super::words::in_words(request, resolved),
        expected_s,
        writes_bytes: log,
    });
    if request.task.commits() > 0.0 {
        steps.extend(database::planned_flush_after(resolved, request.task.word()));
    }
    steps
}

/// Seconds that it takes on further starts: a start, warming and the windows.
fn further_starts_s(request: &WorkloadRequest, resolved: &Resolved) -> f64 {
    let windows = if request.task.is_scan() {
        scans_s(request, resolved)
    } else {
        repeats_s(resolved, closed_window(&request.task, resolved))
    };
    f64::from(request.load.starts - 1) * (START_S + windows)
}

/// Seconds that the workload's windows take.
fn workload_s(request: &WorkloadRequest, resolved: &Resolved) -> f64 {
    let once = |window: Duration| repeats_s(resolved, window);
    let quick = resolved.plan.quick;
    if request.task.is_scan() {
        return scans_s(request, resolved);
    }
    let commits = request.task.commits() > 0.0;
    let closed = closed_window(&request.task, resolved);
    let tests = planned_test_s(resolved, 2.0 * once(TEST.min(resolved.database_window)));
    let ladder = if commits { layers::planned_ladder_s(resolved) } else { 0.0 };
    let sweep = match request.sessions.len() {
        0 | 1 => 0.0,
        n => n as f64 * once(SWEEP.min(resolved.database_window)),
    };
    let short = once(SHORT.min(resolved.database_window));
    let search =
        request.limit_ns.map_or(0.0, |limit_ns| search(limit_ns, quick).budget.as_secs_f64());
    once(closed) + short + once(resolved.database_window) + tests + ladder + sweep + search
}

/// Seconds that all numbers of workers take once: from the pool a scan comes again and again for a window.
fn scans_s(request: &WorkloadRequest, resolved: &Resolved) -> f64 {
    let window = match request.task.source {
        Source::Drive => scan_time(resolved.plan.table_bytes),
        Source::Pool => resolved.window,
    };
    request.workers.len().max(2) as f64 * repeats_s(resolved, window)
}
