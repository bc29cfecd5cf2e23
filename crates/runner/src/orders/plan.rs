//! What will be loaded and run, with its minutes and bytes.

use std::time::Duration;

use anyhow::Result;
use narrows_engine::Stop;
use narrows_model::{DatabaseChoice, Layer, PlannedStep, Workload};
use narrows_postgres::orders::{
    self, Calls, Homes, ITEM_BYTES, OrdersPlan, Setup, TERMINALS, WAREHOUSE_BYTES,
    WAREHOUSE_WAL_BYTES,
};
use narrows_units::Bytes;

use crate::database::client;
use crate::database::parts::planned_test_s;
use crate::database::{SHORT, START_S, TEST};
use crate::failure::Failure;
use crate::layers;
use crate::request::database::{DatabaseTarget, Isolation, OrdersRequest};
use crate::request::machine::MachineRequest;
use crate::resolve;
use crate::resolved::Resolved;
use crate::ui::Ui;

const MIB: u64 = Bytes::MIB.0;
/// Bytes a second that one loading connection gets into the tables, for the printed plan.
const LOAD_BYTES_PER_S: f64 = 40e6;
/// What the tables grow by in a second at most, with their log, for the printed plan.
const GROWTH_BYTES_PER_S: f64 = 20e6;
/// A window in which paced sessions enter enough for percentiles.
const PACED_WINDOW: Duration = Duration::from_secs(60);

/// Decides everything.
///
/// # Errors
/// A folder that isn't one, or an address that can't be read.
pub fn resolve(request: &OrdersRequest, ui: &dyn Ui) -> Result<Resolved> {
    let server = &request.server;
    if server.database == DatabaseTarget::MariaDb {
        let hint = "leave out --kind: orders run on PostgreSQL alone";
        return Err(Failure::hinted("MariaDB has no orders here yet", hint));
    }
    let usual: &[Layer] = if request.load_only { &[] } else { &[Layer::Log] };
    let terminals = request.paced.then_some(TERMINALS * request.warehouses);
    let mut resolved = resolve::resolve(
        &MachineRequest {
            quick: request.load.quick,
            facts: None,
            layers: server.layers(usual),
            data: server.data.clone(),
            wal: server.wal.clone(),
            database: server.database.clone(),
            workloads: Vec::new(),
            sessions: request.sessions.or(terminals),
            write_budget: None,
            max_depth: None,
            with: None,
            same_machine: false,
            options: request.load.options.clone(),
        },
        ui,
    )?;
    let plan = &mut resolved.plan;
    plan.workloads = vec![Workload::Orders.word().to_string()];
    if let Some(pool) = server.pool {
        plan.shared_buffers_bytes = pool.max(16 * MIB) / MIB * MIB;
    }
    plan.table_bytes = tables_bytes(request);
    if let Some(window) = request.load.window {
        resolved.update_window = Duration::from_nanos(window.0);
    } else if request.paced {
        resolved.update_window = PACED_WINDOW;
    }
    resolved.stays = match server.database {
        DatabaseTarget::Managed { .. } | DatabaseTarget::MariaDb | DatabaseTarget::None => None,
        DatabaseTarget::Url(_) if request.keep || request.load_only => {
            Some("the loaded data stays until narrows db orders --drop")
        }
        DatabaseTarget::Url(_) => {
            Some("an unfinished load stays, and the same command continues it")
        }
    };
    resolved.plan.steps = steps(request, &resolved);
    Ok(resolved)
}

/// Bytes of tables and indexes after the load.
fn tables_bytes(request: &OrdersRequest) -> u64 {
    ITEM_BYTES + u64::from(request.warehouses) * WAREHOUSE_BYTES
}

/// How the mix is run on what was loaded.
pub fn mix(request: &OrdersRequest, setup: Setup) -> OrdersPlan {
    OrdersPlan {
        setup,
        calls: request.calls,
        isolation: match request.isolation {
            Isolation::ReadCommitted => "read committed",
            Isolation::RepeatableRead => "repeatable read",
            Isolation::Serializable => "serializable",
        },
        homes: request.home.unwrap_or(if request.paced { Homes::Fixed } else { Homes::All }),
        paced: request.paced,
        warm_up: warm_up(request),
        check: true,
    }
}

fn warm_up(request: &OrdersRequest) -> Duration {
    let usual = Duration::from_secs(if request.paced { 30 } else { 2 });
    request.warm_up.unwrap_or(usual)
}

/// `1 warehouse`, `20 warehouses`.
pub fn warehouses(n: u32) -> String {
    if n == 1 { "1 warehouse".to_string() } else { format!("{n} warehouses") }
}

/// Connections that load.
pub fn loaders(request: &OrdersRequest, resolved: &Resolved) -> u32 {
    let usual = resolved.platform.cpu.online.len().clamp(1, 16) as u32;
    request.loaders.unwrap_or(usual)
}

fn steps(request: &OrdersRequest, resolved: &Resolved) -> Vec<PlannedStep> {
    let stop = Stop::new();
    let ctx = resolved.ahead(&stop);
    let mut steps = if request.load_only { Vec::new() } else { layers::planned(resolved, &ctx) };
    let step = |what: String, expected_s: f64, writes_bytes: u64| PlannedStep {
        layer: Layer::Database,
        what,
        expected_s,
        writes_bytes,
    };
    let place = match &resolved.plan.database {
        DatabaseChoice::Url(address) => format!("the schema {} of {address}", orders::SCHEMA),
        _ => "a private PostgreSQL instance".to_string(),
    };
    let (tables, log) =
        (tables_bytes(request), u64::from(request.warehouses) * WAREHOUSE_WAL_BYTES);
    let connections = f64::from(loaders(request, resolved));
    steps.push(step(
        format!(
            "{} in {place}: {} of tables, {} of WAL; existing data is not loaded again",
            warehouses(request.warehouses),
            Bytes(tables),
            Bytes(log)
        ),
        8.0 + tables as f64 / LOAD_BYTES_PER_S / connections.min(4.0),
        tables + log,
    ));
    if request.load_only {
        return steps;
    }
    if resolved.plan.database == DatabaseChoice::Managed {
        steps.extend(client::planned(resolved));
    }
    let expected_s = run_s(request, resolved);
    steps.push(step(
        in_words(request, resolved),
        expected_s,
        (expected_s * GROWTH_BYTES_PER_S) as u64,
    ));
    if flushes_again(request) {
        let word = Workload::Orders.word();
        steps.extend(crate::database::planned_flush_after(resolved, word));
    }
    steps
}

/// Whether the flush is measured again after the closed loop: a load at a given pace is compared with no ceiling.
pub fn flushes_again(request: &OrdersRequest) -> bool {
    !request.paced && request.rate.is_none()
}

/// Seconds that the windows take.
fn run_s(request: &OrdersRequest, resolved: &Resolved) -> f64 {
    let once = |window: Duration| windows_s(request, resolved, window);
    let checks = checks_s(request);
    let closed = once(resolved.update_window) + checks;
    let further = f64::from(request.load.starts - 1) * (START_S + closed);
    if request.paced || request.rate.is_some() {
        return closed + further;
    }
    let tests = planned_test_s(resolved, 2.0 * once(TEST));
    let ladder = layers::planned_ladder_s(resolved);
    closed + further + once(resolved.database_window) + once(SHORT) + ladder + tests + checks
}

/// Seconds that a window of each repeat takes.
pub fn windows_s(request: &OrdersRequest, resolved: &Resolved, window: Duration) -> f64 {
    let besides_s = warm_up(request).as_secs_f64() + 1.0;
    f64::from(resolved.plan.repeats) * (window.as_secs_f64() + besides_s)
}

/// Seconds that checking the conditions takes.
pub fn checks_s(request: &OrdersRequest) -> f64 {
    5.0 + f64::from(request.warehouses.min(orders::FULL_UP_TO))
}

fn in_words(request: &OrdersRequest, resolved: &Resolved) -> String {
    let calls = match request.calls {
        Calls::Functions => "functions of the server",
        Calls::Statements => "statements of the client",
    };
    let pace =
        if request.paced { "with keying and thinking times" } else { "saturating, without pauses" };
    let crash = if request.crash { ", then a crash of the server under load" } else { "" };
    let starts = match request.load.starts {
        1 => String::new(),
        n => format!(", on {n} starts of the server"),
    };
    format!("orders by {} sessions, {calls}, {pace}{starts}{crash}", resolved.plan.sessions)
}
