//! Loads the tables: by binary COPY on several connections, a warehouse in one transaction.
//!
//! Because of that an interrupted load leaves whole warehouses and nothing else: what of a warehouse was under way is
//! rolled back, its dead rows are vacuumed away before the load goes on, and it is done again. Keys are built after
//! the rows, which is faster; then everything is frozen and analysed, so that no run pays for what a load left behind.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use narrows_engine::{Context, Phase, Stop, Stopped};
use narrows_model::Layer;

use super::copy_rows::{HEADER, TRAILER};
use super::error::OrdersError;
use super::patience;
use super::place::{self, Setup, State, sql};
use super::population::{Load, Source, Table};
use crate::address::Address;
use crate::event_triggers;
use crate::wire::{Connection, WireError};

/// Bytes handed to the connection at once: what a socket takes while the server works on what came before.
const CHUNK: usize = 64 << 10;
/// How often the progress is told.
const TELL_EVERY: Duration = Duration::from_secs(1);
/// Bytes of tables and indexes of one warehouse after its load: measured on version 15.
pub const WAREHOUSE_BYTES: u64 = 110_000_000;
/// The same of the items.
pub const ITEM_BYTES: u64 = 14_000_000;
/// Log bytes that the load of one warehouse writes, full page images of the keys' build included: measured likewise.
pub const WAREHOUSE_WAL_BYTES: u64 = 101_000_000;

/// Keys and indexes by name.
const KEYS: [(&str, &str); 10] = [
    ("line_pkey", "ALTER TABLE {s}.line ADD CONSTRAINT line_pkey PRIMARY KEY (w, d, o, n)"),
    ("stock_pkey", "ALTER TABLE {s}.stock ADD CONSTRAINT stock_pkey PRIMARY KEY (w, i)"),
    ("customer_by_name", "CREATE INDEX customer_by_name ON {s}.customer (w, d, last, first)"),
    ("orders_pkey", "ALTER TABLE {s}.orders ADD CONSTRAINT orders_pkey PRIMARY KEY (w, d, o)"),
    (
        "customer_pkey",
        "ALTER TABLE {s}.customer ADD CONSTRAINT customer_pkey PRIMARY KEY (w, d, c)",
    ),
    ("orders_by_customer", "CREATE INDEX orders_by_customer ON {s}.orders (w, d, c, o)"),
    ("pending_pkey", "ALTER TABLE {s}.pending ADD CONSTRAINT pending_pkey PRIMARY KEY (w, d, o)"),
    ("item_pkey", "ALTER TABLE {s}.item ADD CONSTRAINT item_pkey PRIMARY KEY (i)"),
    ("district_pkey", "ALTER TABLE {s}.district ADD CONSTRAINT district_pkey PRIMARY KEY (w, d)"),
    ("warehouse_pkey", "ALTER TABLE {s}.warehouse ADD CONSTRAINT warehouse_pkey PRIMARY KEY (w)"),
];

/// What is to be loaded.
#[derive(Debug, Clone)]
pub struct LoadOrders<'a> {
    /// The server and the database.
    pub address: &'a Address,
    /// Warehouses.
    pub warehouses: u32,
    /// Connections that load.
    pub connections: u32,
}

/// What a load did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loaded {
    /// How the schema was made.
    pub setup: Setup,
    /// Warehouses that this call loaded.
    pub warehouses: u32,
    /// Bytes sent in COPY.
    pub sent_bytes: u64,
    /// Log bytes that the server wrote from the first COPY to the last index, others' among them.
    pub log_bytes: u64,
    /// Time of the COPYs, s.
    pub copy_s: f64,
    /// Time of keys, freezing and counting, s.
    pub finish_s: f64,
}

/// Loads what is missing; everything there already: only looked at.
///
/// # Errors
/// The schema is not ours, in use, or was made with other warehouses; the server refuses; stopped on request.
pub fn load(
    control: &mut Connection,
    wanted: &LoadOrders<'_>,
    ctx: &Context<'_>,
) -> Result<Loaded, OrdersError> {
    patience::during(control, |control| load_missing(control, wanted, ctx))
}

fn load_missing(
    control: &mut Connection,
    wanted: &LoadOrders<'_>,
    ctx: &Context<'_>,
) -> Result<Loaded, OrdersError> {
    let state = prepare(control, wanted, ctx)?;
    let mut done = Loaded {
        setup: state.setup,
        warehouses: 0,
        sent_bytes: 0,
        log_bytes: 0,
        copy_s: 0.0,
        finish_s: 0.0,
    };
    if state.ready {
        return Ok(done);
    }
    let log_before = log_position(control)?;
    let begun = Instant::now();
    let missing: BTreeSet<u32> =
        (0..=state.setup.warehouses).filter(|w| !state.loaded.contains(w)).collect();
    done.warehouses = missing.iter().filter(|w| **w > 0).count() as u32;
    done.sent_bytes = copy_all(wanted, &state, missing, ctx)?;
    done.copy_s = begun.elapsed().as_secs_f64();
    finish(control, wanted, ctx)?;
    done.finish_s = begun.elapsed().as_secs_f64() - done.copy_s;
    done.log_bytes = log_position(control)?.saturating_sub(log_before);
    Ok(done)
}

fn log_position(control: &mut Connection) -> Result<u64, WireError> {
    count(control, "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")
}

/// Makes or finds the schema, and rids it of what an interrupted load left.
fn prepare(
    control: &mut Connection,
    wanted: &LoadOrders<'_>,
    ctx: &Context<'_>,
) -> Result<State, OrdersError> {
    place::lock(control)?;
    if place::look(control)?.is_none() {
        let mut rng = narrows_engine::Rng::new(ctx.seed);
        let c_last_name = super::nurand::Constants::of_load(&mut rng).last_name;
        let setup = Setup { warehouses: wanted.warehouses, seed: ctx.seed, c_last_name };
        place::create(control, &setup)?;
    }
    let state = place::look(control)?.ok_or(OrdersError::NotLoaded)?;
    if state.setup.warehouses != wanted.warehouses {
        return Err(OrdersError::Different {
            schema: place::SCHEMA.into(),
            found: format!("{} warehouses", state.setup.warehouses),
            asked: format!("{} warehouses", wanted.warehouses),
        });
    }
    if !state.ready {
        tell(ctx, Phase::Prepare, &whats_there(&state));
        for table in Table::OF_WAREHOUSE.into_iter().chain([Table::Item]) {
            control.execute(&sql(&format!("VACUUM {{s}}.{}", table.name())))?;
        }
    }
    Ok(state)
}

fn whats_there(state: &State) -> String {
    let there = state.loaded.iter().filter(|w| **w > 0).count();
    match there {
        0 => format!("{} warehouses", state.setup.warehouses),
        n => format!("{n} of {} warehouses are there; the load goes on", state.setup.warehouses),
    }
}

fn tell(ctx: &Context<'_>, phase: Phase, detail: &str) {
    ctx.progress.phase(Layer::Database, phase, detail);
}

/// Runs every piece of work on one of several connections, and tells how far it is.
fn share_out<W: Send>(
    wanted: &LoadOrders<'_>,
    work: impl IntoIterator<Item = W>,
    ctx: &Context<'_>,
    told: impl Fn(usize, usize) -> String,
    each: impl Fn(&mut Connection, W, &Stop) -> Result<(), OrdersError> + Sync,
) -> Result<(), OrdersError> {
    let queue: Mutex<VecDeque<W>> = Mutex::new(work.into_iter().collect());
    let all = queue.lock().expect("nobody has it").len();
    let left = || queue.lock().expect("no loader panics holding it").len();
    // One that fails stops the others.
    let halt = Stop::new();
    let one = || -> Result<(), OrdersError> {
        let options = [("application_name", "narrows orders load")];
        let mut connection = Connection::open_heeding(wanted.address, &options, &[&halt])?;
        patience::take(&mut connection)?;
        loop {
            halt.check()?;
            let next = queue.lock().expect("no loader panics holding it").pop_front();
            let Some(next) = next else { return Ok(()) };
            each(&mut connection, next, &halt)?;
        }
    };
    std::thread::scope(|scope| {
        let connections = (wanted.connections.max(1) as usize).min(all);
        let threads: Vec<_> = (0..connections)
            .map(|_| {
                scope.spawn(|| {
                    let outcome = one();
                    if outcome.is_err() {
                        halt.set();
                    }
                    outcome
                })
            })
            .collect();
        let mut last = Instant::now();
        while !threads.iter().all(|thread| thread.is_finished()) {
            if ctx.stop.is_set() {
                halt.set();
            }
            if last.elapsed() >= TELL_EVERY {
                last = Instant::now();
                tell(ctx, Phase::Fill, &told(all - left(), all));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let outcomes: Vec<_> =
            threads.into_iter().map(|t| t.join().expect("a loader panicked")).collect();
        ctx.stop.check()?;
        // The first cause: those who only stopped because of it come after.
        let mut errors: Vec<OrdersError> = outcomes.into_iter().filter_map(Result::err).collect();
        errors.sort_by_key(cut_short);
        errors.into_iter().next().map_or(Ok(()), Err)
    })
}

/// Whether it ended because another one failed.
fn cut_short(error: &OrdersError) -> bool {
    match error {
        OrdersError::Stopped(Stopped) => true,
        OrdersError::Wire(WireError::Stopped | WireError::GivenUp) => true,
        OrdersError::Wire(error) => error.code() == Some("57014"),
        _ => false,
    }
}

fn copy_all(
    wanted: &LoadOrders<'_>,
    state: &State,
    missing: BTreeSet<u32>,
    ctx: &Context<'_>,
) -> Result<u64, OrdersError> {
    let sent = AtomicU64::new(0);
    let begun = Instant::now();
    let now_us = {
        // 2000-01-01 in seconds since 1970.
        let since_1970 = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
        since_1970.as_micros() as i64 - 946_684_800_000_000
    };
    let load = Load { seed: state.setup.seed, c_last_name: state.setup.c_last_name, now_us };
    let told = |taken: usize, all: usize| {
        let megabytes = sent.load(Ordering::Relaxed) as f64 / 1e6;
        let rate = megabytes / begun.elapsed().as_secs_f64();
        format!("rows, {taken} of {all} parts begun, {megabytes:.0} MB, {rate:.0} MB/s")
    };
    share_out(wanted, missing, ctx, told, |connection, warehouse, stop| {
        copy_warehouse(connection, load, warehouse, stop, &sent)
    })?;
    Ok(sent.into_inner())
}

/// Loads one warehouse, or the items as number 0, in one transaction.
fn copy_warehouse(
    connection: &mut Connection,
    load: Load,
    warehouse: u32,
    stop: &Stop,
    sent: &AtomicU64,
) -> Result<(), OrdersError> {
    let tables: &[Table] = if warehouse == 0 { &[Table::Item] } else { &Table::OF_WAREHOUSE };
    connection.execute("BEGIN")?;
    let mut lines = 0;
    for table in tables {
        let rows = copy_table(connection, load, *table, warehouse, stop, sent)?;
        if *table == Table::Line {
            lines = rows;
        }
    }
    connection.execute(&sql(&format!(
        "INSERT INTO {{s}}.loaded (w, lines) VALUES ({warehouse}, {lines}); COMMIT"
    )))?;
    Ok(())
}

fn copy_table(
    connection: &mut Connection,
    load: Load,
    table: Table,
    warehouse: u32,
    stop: &Stop,
    sent: &AtomicU64,
) -> Result<u64, OrdersError> {
    let mut source = Source::new(load, table, warehouse as i32);
    let (mut begun, mut more) = (false, true);
    let sql = sql(&format!("COPY {{s}}.{} FROM STDIN (FORMAT binary)", table.name()));
    connection.copy_in(&sql, |out: &mut Vec<u8>| -> Result<(), OrdersError> {
        stop.check()?;
        if !begun {
            out.extend_from_slice(HEADER);
            begun = true;
        }
        if more {
            more = source.fill(out, CHUNK);
            if !more {
                out.extend_from_slice(&TRAILER);
            }
        }
        sent.fetch_add(out.len() as u64, Ordering::Relaxed);
        Ok(())
    })?;
    Ok(source.rows())
}

/// Keys, freezing, functions, and the count of every row.
fn finish(
    control: &mut Connection,
    wanted: &LoadOrders<'_>,
    ctx: &Context<'_>,
) -> Result<(), OrdersError> {
    tell(ctx, Phase::Fill, "keys and indexes");
    let mut missing = Vec::new();
    for (name, statement) in KEYS {
        let there =
            control.one(&sql(&format!("SELECT to_regclass('{{s}}.{name}') IS NOT NULL")))?;
        if there.as_deref() != Some("t") {
            missing.push(statement);
        }
    }
    let told = |taken: usize, all: usize| format!("keys and indexes, {taken} of {all} begun");
    share_out(wanted, missing, ctx, told, |connection, statement, _| {
        Ok(connection.execute(&sql(statement))?)
    })?;
    tell(ctx, Phase::Settle, "freezing and analysing");
    let tables = Table::OF_WAREHOUSE.into_iter().rev().chain([Table::Item]);
    let told = |taken: usize, all: usize| format!("freezing, {taken} of {all} tables begun");
    share_out(wanted, tables, ctx, told, |connection, table, _| {
        Ok(connection.execute(&sql(&format!("VACUUM (FREEZE, ANALYZE) {{s}}.{}", table.name())))?)
    })?;
    tell(ctx, Phase::Verify, "counting rows");
    verify_rows(control, wanted.warehouses)?;
    install(control)?;
    control.execute(&sql("UPDATE {s}.setup SET ready = true"))?;
    tell(ctx, Phase::Settle, "a checkpoint");
    // A user's server may not grant this; there the writes settle by themselves, later.
    match control.execute("CHECKPOINT") {
        Err(error) if error.code() != Some("42501") => Err(error.into()),
        _ => Ok(()),
    }
}

/// Makes or replaces the functions of the five transactions.
///
/// # Errors
/// The server refuses.
pub fn install(control: &mut Connection) -> Result<(), WireError> {
    event_triggers::refuse_foreign(control)?;
    control.execute(&sql(include_str!("functions.sql")))
}

fn verify_rows(control: &mut Connection, warehouses: u32) -> Result<(), OrdersError> {
    for table in Table::OF_WAREHOUSE.into_iter().chain([Table::Item]) {
        let found = count(control, &format!("SELECT count(*) FROM {{s}}.{}", table.name()))?;
        let expected = match table {
            Table::Item => table.rows(),
            Table::Line => count(control, "SELECT sum(lines) FROM {s}.loaded")?,
            _ => table.rows() * u64::from(warehouses),
        };
        if found != expected {
            return Err(OrdersError::Rows { table: table.name().into(), found, expected });
        }
    }
    Ok(())
}

fn count(control: &mut Connection, text: &str) -> Result<u64, WireError> {
    control
        .one(&sql(text))?
        .and_then(|text| text.parse().ok())
        .ok_or(WireError::Unexpected("a count that is no number"))
}
