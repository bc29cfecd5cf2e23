//! What will be loaded and run, with its minutes and bytes.

use std::time::Duration;

use anyhow::Result;
use narrows_engine::Stop;
use narrows_model::{DatabaseChoice, Layer, PlannedStep};
use narrows_postgres::orders::{
    self, Calls, Homes, ITEM_BYTES, OrdersPlan, Setup, TERMINALS, WAREHOUSE_BYTES,
    WAREHOUSE_WAL_BYTES,
};
use narrows_units::Bytes;

use crate::args::db::orders::{HomeArg, IsolationArg, OrdersArgs, OrdersCallsArg};
use crate::args::observe::ObserveArgs;
use crate::args::{LayerArg, RunArgs};
use crate::database::{SHORT, START_S, TEST};
use crate::plan::{self, Resolved};
use crate::{client, layers};

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
pub fn resolve(args: &OrdersArgs) -> Result<Resolved> {
    let server = &args.server;
    let known = server.url.is_none() || server.data.is_some();
    let usual = if known && !args.load_only { vec![LayerArg::Log] } else { Vec::new() };
    let mut layers = server.layers.clone().unwrap_or(usual);
    layers.push(LayerArg::Database);
    let terminals = args.paced.then_some(TERMINALS * args.warehouses);
    let mut resolved = plan::resolve(&RunArgs {
        observing: ObserveArgs::default(),
        quick: args.load.quick,
        facts: None,
        layers: Some(layers),
        data: server.data.clone(),
        wal: server.wal.clone(),
        database: server.url.clone().unwrap_or_else(|| "managed".to_string()),
        postgres: server.postgres.clone(),
        workloads: Some(Vec::new()),
        sessions: args.sessions.or(terminals),
        output: args.load.output.clone(),
    })?;
    let plan = &mut resolved.plan;
    plan.workloads = vec!["orders".to_string()];
    if let Some(pool) = server.pool {
        plan.shared_buffers_bytes = pool.max(16 * MIB) / MIB * MIB;
    }
    plan.table_bytes = tables_bytes(args);
    if let Some(window) = args.load.window {
        resolved.update_window = Duration::from_nanos(window.0);
    } else if args.paced {
        resolved.update_window = PACED_WINDOW;
    }
    resolved.stays = match server.url {
        None => None,
        Some(_) if args.keep || args.load_only => {
            Some("what is loaded stays until narrows db orders --drop")
        }
        Some(_) => Some("an unfinished load stays, and the same command goes on with it"),
    };
    resolved.plan.steps = steps(args, &resolved);
    Ok(resolved)
}

/// Bytes of tables and indexes after the load.
fn tables_bytes(args: &OrdersArgs) -> u64 {
    ITEM_BYTES + u64::from(args.warehouses) * WAREHOUSE_BYTES
}

/// How the mix is run on what was loaded.
pub fn mix(args: &OrdersArgs, setup: Setup) -> OrdersPlan {
    let home = args.home.unwrap_or(if args.paced { HomeArg::One } else { HomeArg::All });
    OrdersPlan {
        setup,
        calls: match args.calls {
            OrdersCallsArg::Functions => Calls::Functions,
            OrdersCallsArg::Statements => Calls::Statements,
        },
        isolation: match args.isolation {
            IsolationArg::ReadCommitted => "read committed",
            IsolationArg::RepeatableRead => "repeatable read",
            IsolationArg::Serializable => "serializable",
        },
        homes: match home {
            HomeArg::All => Homes::All,
            HomeArg::One => Homes::Fixed,
        },
        paced: args.paced,
        warm_up: warm_up(args),
        check: true,
    }
}

fn warm_up(args: &OrdersArgs) -> Duration {
    let usual = Duration::from_secs(if args.paced { 30 } else { 2 });
    args.warm_up.map_or(usual, |time| Duration::from_nanos(time.0))
}

/// `1 warehouse`, `20 warehouses`.
pub fn warehouses(n: u32) -> String {
    if n == 1 { "1 warehouse".to_string() } else { format!("{n} warehouses") }
}

/// Connections that load.
pub fn loaders(args: &OrdersArgs, resolved: &Resolved) -> u32 {
    let usual = resolved.platform.cpu.online.len().clamp(1, 16) as u32;
    args.loaders.unwrap_or(usual)
}

fn steps(args: &OrdersArgs, resolved: &Resolved) -> Vec<PlannedStep> {
    let stop = Stop::new();
    let ctx = resolved.context(&stop, &narrows_engine::Silent);
    let mut steps = if args.load_only { Vec::new() } else { layers::planned(resolved, &ctx) };
    let step = |what: String, expected_s: f64, writes_bytes: u64| PlannedStep {
        layer: Layer::Database,
        what,
        expected_s,
        writes_bytes,
    };
    let place = match &resolved.plan.database {
        DatabaseChoice::Url(address) => format!("the schema {} of {address}", orders::SCHEMA),
        _ => "a PostgreSQL of our own".to_string(),
    };
    let (tables, log) = (tables_bytes(args), u64::from(args.warehouses) * WAREHOUSE_WAL_BYTES);
    let connections = f64::from(loaders(args, resolved));
    steps.push(step(
        format!(
            "{} in {place}: {} of tables, {} of log; what is there is not loaded again",
            warehouses(args.warehouses),
            Bytes(tables),
            Bytes(log)
        ),
        8.0 + tables as f64 / LOAD_BYTES_PER_S / connections.min(4.0),
        tables + log,
    ));
    if args.load_only {
        return steps;
    }
    if resolved.plan.database == DatabaseChoice::Managed {
        steps.extend(client::planned(resolved));
    }
    let expected_s = run_s(args, resolved);
    steps.push(step(
        in_words(args, resolved),
        expected_s,
        (expected_s * GROWTH_BYTES_PER_S) as u64,
    ));
    steps
}

/// Seconds that the windows take.
fn run_s(args: &OrdersArgs, resolved: &Resolved) -> f64 {
    let warm_up = warm_up(args).as_secs_f64();
    let repeats = f64::from(resolved.plan.repeats);
    let once = |window: Duration| repeats * (window.as_secs_f64() + warm_up + 1.0);
    let checks = 5.0 + f64::from(args.warehouses.min(orders::FULL_UP_TO));
    let closed = once(resolved.update_window) + checks;
    let further = f64::from(args.load.starts - 1) * (START_S + closed);
    if args.paced || args.rate.is_some() {
        return closed + further;
    }
    let tests = if resolved.plan.quick { 0.0 } else { 2.0 * once(TEST) };
    closed + further + once(resolved.database_window) + once(SHORT) + tests + checks
}

fn in_words(args: &OrdersArgs, resolved: &Resolved) -> String {
    let calls = match args.calls {
        OrdersCallsArg::Functions => "functions of the server",
        OrdersCallsArg::Statements => "statements of the client",
    };
    let pace =
        if args.paced { "with keying and thinking times" } else { "saturating, without pauses" };
    let crash = if args.crash { ", then a crash of the server under it" } else { "" };
    let starts = match args.load.starts {
        1 => String::new(),
        n => format!(", on {n} starts of the server"),
    };
    format!("orders by {} sessions, {calls}, {pace}{starts}{crash}", resolved.plan.sessions)
}
