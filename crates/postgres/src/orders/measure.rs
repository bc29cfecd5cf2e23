//! Measures the mix as the other workloads are measured: windows in turns, watched by the same counters, so that the same
//! judge can say where it is narrow. An operation is one transaction of the mix, of whatever class.

use std::time::Duration;

use narrows_engine::{Context, Phase, Rng, Samples, held_quantile, repeat_of};
use narrows_layer_database::{
    Database, LoadResult, MeasurementBuilder, Shape, Variation, WindowLoad,
};
use narrows_model::{Layer, Measurement, Replication, condition, orders as names};
use serde_json::json;

use super::checks::{Checked, When, check};
use super::count::{Counts, entered};
use super::error::OrdersError;
use super::mix::{TransactionKind, paced_limit_per_min};
use super::nurand::Constants;
use super::place::{self, Setup, State};
use super::program::{Calls, Homes, Orders};
use super::session_account::{SessionAccount, Shared};
use crate::address::Address;
use crate::kind::PostgresServer;
use crate::wire::{Connection, WireError};

/// How the mix is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrdersPlan {
    /// What is loaded.
    pub setup: Setup,
    /// Where transactions run.
    pub calls: Calls,
    /// The sessions' isolation level, in SQL's words.
    pub isolation: &'static str,
    /// Which warehouses sessions work for.
    pub homes: Homes,
    /// Whether sessions key and think.
    pub paced: bool,
    /// Unmeasured start of every window.
    pub warm_up: Duration,
    /// Whether the consistency conditions are checked after the windows; they take about a second for each warehouse that is
    /// looked at.
    pub check: bool,
}

impl OrdersPlan {
    /// Run-time settings of the sessions.
    pub fn settings(&self, synchronous_commit: bool) -> Vec<String> {
        let commit = if synchronous_commit { "on" } else { "off" };
        vec![
            format!("default_transaction_isolation = '{}'", self.isolation),
            format!("synchronous_commit = {commit}"),
        ]
    }

    /// The mix with the constants of a run of that seed.
    pub fn orders(&self, seed: u64, remember: bool) -> Orders {
        let constants = Constants::of_run(&mut Rng::new(seed ^ 0x0c), self.setup.c_last_name);
        Orders {
            calls: self.calls,
            warehouses: self.setup.warehouses,
            homes: self.homes,
            paced: self.paced,
            constants,
            remember,
            seen: Shared::default(),
        }
    }
}

/// What all windows of a run share.
struct Mix<'a> {
    plan: &'a OrdersPlan,
    orders: Orders,
    /// Bytes of all tables and indexes at the start.
    tables_bytes: u64,
    block_bytes: u64,
}

/// The side of the server that sets up, on a PostgreSQL.
fn server(database: &mut Database) -> Result<&mut PostgresServer, OrdersError> {
    PostgresServer::of(database).ok_or(OrdersError::OtherKind)
}

fn control(database: &mut Database) -> Result<&mut Connection, OrdersError> {
    Ok(&mut server(database)?.control)
}

/// The mix on a database of the layer's that is a PostgreSQL.
pub trait OrdersDatabase {
    /// Loads the mix's tables, or finds them loaded, and takes the schema for this connection.
    ///
    /// # Errors
    /// See [`super::load`].
    fn load_orders(
        &mut self,
        warehouses: u32,
        connections: u32,
        ctx: &Context<'_>,
    ) -> Result<super::Loaded, OrdersError>;

    /// Removes the mix's tables; whether there were some.
    ///
    /// # Errors
    /// They are not ours, or the server refuses.
    fn remove_orders(&mut self) -> Result<bool, OrdersError>;

    /// What is loaded at this moment; `None`: nothing of ours.
    ///
    /// # Errors
    /// A schema of that name is not ours, or the server refuses.
    fn orders_state(&mut self) -> Result<Option<State>, OrdersError>;

    /// Where it is.
    ///
    /// # Errors
    /// It is no PostgreSQL.
    fn orders_address(&mut self) -> Result<Address, OrdersError>;

    /// Runs the variations in turns, then checks the consistency conditions where the plan says so; a measurement for each. Where
    /// the check fails or is stopped, the measurements say so.
    ///
    /// # Errors
    /// The server refused or broke; or a stop.
    fn measure_orders(
        &mut self,
        ctx: &Context<'_>,
        plan: &OrdersPlan,
        variations: &[Variation],
    ) -> Result<Vec<Measurement>, OrdersError>;
}

impl OrdersDatabase for Database {
    fn load_orders(
        &mut self,
        warehouses: u32,
        connections: u32,
        ctx: &Context<'_>,
    ) -> Result<super::Loaded, OrdersError> {
        let server = server(self)?;
        server.control.heed(Some(ctx.stop));
        let address = server.address.clone();
        let wanted = super::LoadOrders { address: &address, warehouses, connections };
        super::load(&mut server.control, &wanted, ctx)
    }

    fn remove_orders(&mut self) -> Result<bool, OrdersError> {
        place::remove(server(self)?.undisturbed()?)
    }

    fn orders_state(&mut self) -> Result<Option<State>, OrdersError> {
        place::look(server(self)?.undisturbed()?)
    }

    fn orders_address(&mut self) -> Result<Address, OrdersError> {
        Ok(server(self)?.address.clone())
    }

    fn measure_orders(
        &mut self,
        ctx: &Context<'_>,
        plan: &OrdersPlan,
        variations: &[Variation],
    ) -> Result<Vec<Measurement>, OrdersError> {
        let mix = mix(self, ctx, plan)?;
        let mut filling: Vec<MeasurementBuilder> =
            variations.iter().map(|variation| begin(self, &mix, variation)).collect();
        for repeat in 0..ctx.repeats {
            let mut turn: Vec<usize> = (0..variations.len()).collect();
            if repeat % 2 == 1 {
                turn.reverse();
            }
            for index in turn {
                ctx.stop.check()?;
                let variation = &variations[index];
                let so_far = filling[index].so_far();
                let detail = repeat_of(&variation.id, repeat, ctx.repeats, so_far);
                ctx.progress.phase(Layer::Database, Phase::Measure, &detail);
                self.move_server(&self.cpus_of(variation).server);
                let seed = ctx.seed ^ (u64::from(repeat) << 32) ^ index as u64;
                let filling = &mut filling[index];
                window(self, ctx, &mix, variation, (repeat, seed), filling)?;
            }
        }
        self.move_server(&self.settings().server_cpus);
        if plan.check {
            ctx.progress.phase(Layer::Database, Phase::Verify, "the consistency conditions");
            let warehouses = plan.setup.warehouses;
            let checked = check(control(self)?, warehouses, When::AfterRun, ctx.seed);
            for filling in &mut filling {
                match &checked {
                    Ok(checked) => say_checked(checked, filling),
                    // The windows were measured all the same.
                    Err(error) => say_unchecked(error, filling),
                }
            }
        }
        Ok(filling.into_iter().map(MeasurementBuilder::finish).collect())
    }
}

fn mix<'a>(
    database: &mut Database,
    ctx: &Context<'_>,
    plan: &'a OrdersPlan,
) -> Result<Mix<'a>, OrdersError> {
    let control = control(database)?;
    let tables = control.one(&format!(
        "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' \
         AND relnamespace = '{}'::regnamespace",
        place::SCHEMA
    ))?;
    let block = control.one("SHOW block_size")?;
    let number = |text: Option<String>| {
        let number = text.and_then(|text| text.parse().ok());
        number.ok_or(WireError::Unexpected("a size that is no number"))
    };
    Ok(Mix {
        plan,
        // The same constants in every window of a run.
        orders: plan.orders(ctx.seed, false),
        tables_bytes: number(tables)?,
        block_bytes: number(block)?,
    })
}

fn window(
    database: &mut Database,
    ctx: &Context<'_>,
    mix: &Mix<'_>,
    variation: &Variation,
    (repeat, seed): (u32, u64),
    filling: &mut MeasurementBuilder,
) -> Result<(), OrdersError> {
    let plan = mix.plan;
    let settings = plan.settings(variation.synchronous_commit);
    let asked = WindowLoad {
        settings: &settings,
        programs: &mix.orders,
        warm_up: plan.warm_up,
        table_reads: false,
        seed,
    };
    let entered_before = entered(control(database)?)?;
    let cpus = database.cpus_of(variation);
    let before = narrows_observe::sentinel();
    let (mut once, hot) =
        database.load_window(ctx, variation, &asked, mix.block_bytes, |load| shape(plan, load))?;
    let drift = narrows_observe::sentinel().0 as f64 / before.0.max(1) as f64 - 1.0;
    let seen = mix.orders.seen.take();
    let counts = Counts::new(entered_before, entered(control(database)?)?, &seen);
    // What a conflict ended is a transaction to the server, and part of an operation to us.
    once.setup_transactions += conflicts(&once.load) as f64;
    filling.take(repeat, &once, &cpus, hot, None, drift);
    add_classes(&mut filling.samples, plan, &once.load, once.window_ns / 1e9);
    add_counts(&mut filling.samples, &once.load, &seen, counts);
    Ok(())
}

fn begin(database: &Database, mix: &Mix<'_>, variation: &Variation) -> MeasurementBuilder {
    let Mix { plan, orders, tables_bytes, .. } = mix;
    let mut measurement = Measurement::new(&variation.id, Layer::Database);
    measurement.replication = Replication::PerWindow;
    let say = &mut measurement.workload;
    say.insert(condition::WORKLOAD, json!("orders"));
    say.insert(condition::DERIVED, json!(names::DERIVED));
    say.insert(condition::OPERATION, json!("one transaction of the mix"));
    say.insert(condition::WAREHOUSES, json!(plan.setup.warehouses));
    say.insert(condition::POPULATION_SEED, json!(plan.setup.seed));
    say.insert(condition::NURAND_C_LAST_NAME_LOAD, json!(plan.setup.c_last_name));
    say.insert(condition::NURAND_C_LAST_NAME_RUN, json!(orders.constants.last_name));
    say.insert(condition::NURAND_C_CUSTOMER, json!(orders.constants.customer));
    say.insert(condition::NURAND_C_ITEM, json!(orders.constants.item));
    let calls = match plan.calls {
        Calls::Functions => "functions of the server",
        Calls::Statements => "statements of the client",
    };
    say.insert(condition::CALLED_BY, json!(calls));
    say.insert(condition::ISOLATION, json!(plan.isolation));
    say.insert(condition::SETTINGS, json!(plan.settings(variation.synchronous_commit)));
    let homes = match plan.homes {
        Homes::Fixed => "one warehouse for each session",
        Homes::All => "all warehouses alike",
    };
    say.insert(condition::HOMES, json!(homes));
    say.insert(
        condition::PACING,
        json!(if plan.paced { "keying and thinking times" } else { "saturating, no pauses" }),
    );
    if plan.paced {
        say.insert(condition::PACED_LIMIT_PER_MIN_PER_WAREHOUSE, json!(paced_limit_per_min()));
        say.insert(condition::THINK_NS, json!((mean_pause_s() * 1e9) as u64));
    }
    let open = variation.open_rate_per_s.is_some();
    say.insert(condition::LOOP, json!(if open { "open" } else { "closed" }));
    say.insert(condition::SESSIONS, json!(variation.sessions));
    say.insert(condition::WORKING_SET_BYTES, json!(tables_bytes));
    let share = |of: u64| json!(*tables_bytes as f64 / of as f64);
    if database.pool_bytes() > 0 {
        say.insert(condition::WORKING_SET_OF_POOL, share(database.pool_bytes()));
    }
    if let Some(memory) = database.settings().memory_bytes.filter(|bytes| *bytes > 0) {
        say.insert(condition::WORKING_SET_OF_MEMORY, share(memory));
    }
    conditions(database, variation, &mut measurement);
    MeasurementBuilder::of(measurement)
}

fn conditions(database: &Database, variation: &Variation, measurement: &mut Measurement) {
    let cpus = database.cpus_of(variation);
    let found = &mut measurement.conditions;
    found.extend(database.settings().conditions.clone());
    found.insert(condition::SERVER_CPUS, json!(cpus.server));
    found.insert(condition::CLIENT_CPUS, json!(cpus.client));
    found.insert(condition::CPUS_SHARED, json!(cpus.shared()));
    found.insert(condition::SERVER_SETTINGS, database.server_settings().clone());
    if let Some(intervention) = &variation.intervention {
        found.insert(condition::INTERVENTION, json!(intervention));
    }
    if let Some(baseline) = &variation.baseline {
        found.insert(condition::BASELINE, json!(baseline));
    }
}

/// Mean time that a paced session spends between an answer and its next transaction, s.
fn mean_pause_s() -> f64 {
    let all: u32 = TransactionKind::ALL.iter().map(|kind| kind.cards()).sum();
    let sum: f64 = TransactionKind::ALL
        .iter()
        .map(|kind| f64::from(kind.cards()) * (kind.keying_s() + kind.thinking_s()))
        .sum();
    sum / f64::from(all)
}

fn shape(plan: &OrdersPlan, load: &LoadResult) -> Shape {
    // Two of the five only read; a rollback waits for no flush.
    let durable = [TransactionKind::NewOrder, TransactionKind::Payment, TransactionKind::Delivery];
    let commits = durable.iter().map(|kind| {
        let class = &load.classes[*kind as usize];
        (class.span_operations - class.rolled_back) as f64
    });
    Shape {
        thinks: plan.paced,
        pause_ns: if plan.paced { mean_pause_s() * 1e9 } else { 0.0 },
        blocks: None,
        commits: Some(commits.sum()),
        transactions: 1.0,
        statements: None,
    }
}

fn conflicts(load: &LoadResult) -> u64 {
    load.classes.iter().map(|class| class.serialization_failures + class.deadlocks).sum()
}

fn add_classes(samples: &mut Samples, plan: &OrdersPlan, load: &LoadResult, window_s: f64) {
    for (index, class) in load.classes.iter().enumerate() {
        let rate = class.operations as f64 / window_s;
        samples.add(names::RATES[index], rate);
        for (name, quantile) in
            [(names::P50, 0.5), (names::P90, 0.9), (names::P99, 0.99)].map(|(n, q)| (n[index], q))
        {
            if let Some(ns) = held_quantile(&class.latency, quantile) {
                samples.add(name, ns);
            }
        }
    }
    let class = &load.classes[TransactionKind::NewOrder as usize];
    let committed = class.operations - class.operations_rolled_back;
    let per_min = committed as f64 * 60.0 / window_s;
    samples.add(names::NEW_ORDERS_PER_MIN, per_min);
    let each = per_min / f64::from(plan.setup.warehouses);
    samples.add(names::PER_WAREHOUSE, each);
    let share = class.rolled_back as f64 / class.span_operations.max(1) as f64;
    samples.add(names::ROLLED_BACK, share);
}

fn add_counts(samples: &mut Samples, load: &LoadResult, seen: &SessionAccount, counts: Counts) {
    let sum = |of: fn(&narrows_layer_database::ClassResult) -> u64| {
        load.classes.iter().map(of).sum::<u64>()
    };
    let mut add = |metric, value: u64| samples.add(metric, value as f64);
    add(names::SERIALIZATION_FAILURES, sum(|c| c.serialization_failures));
    add(names::DEADLOCKS, sum(|c| c.deadlocks));
    add(names::RETRIES, sum(|c| c.retries));
    add(names::WAREHOUSES_TOUCHED, u64::from(seen.distinct()));
    add(names::MISCOUNTED, counts.miscounted());
}

fn say_unchecked(error: &OrdersError, filling: &mut MeasurementBuilder) {
    let why = error.to_string();
    let why = why.lines().next().unwrap_or_default();
    filling.measurement.conditions.insert(names::NOT_CHECKED, json!(why));
}

fn say_checked(checked: &Checked, filling: &mut MeasurementBuilder) {
    let violated = checked.violations.len() as f64;
    filling.samples.add(names::VIOLATED, violated);
    let found = &mut filling.measurement.conditions;
    found.insert(condition::CONDITIONS_CHECKED, json!(checked.conditions));
    found.insert(condition::WAREHOUSES_CHECKED, json!(checked.looked_at));
    let texts: Vec<String> = checked.violations.iter().map(ToString::to_string).collect();
    if !texts.is_empty() {
        found.insert(condition::CONDITIONS_VIOLATED, json!(texts));
    }
}
