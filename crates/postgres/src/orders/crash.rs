//! The recovery check: our own server is killed hard while the mix runs, starts again and recovers; every order that it
//! acknowledged must be there with all its lines, and the consistency conditions must hold.
//!
//! It is a check of the server and of how it is set, for example that commits wait for their flush. What the kernel
//! and the drives were given before the kill they still have after it, so it says nothing about whether a drive keeps what it
//! acknowledged when the power fails; the flush tests of `narrows log` look into that.

use std::fmt;
use std::time::{Duration, Instant};

use narrows_engine::{Context, Phase, Samples};
use narrows_model::{Layer, Measurement, orders as names};
use serde_json::json;

use super::checks::{Checked, When, check};
use super::copy_rows::{HEADER, Rows, TRAILER};
use super::count::{Counts, entered};
use super::error::OrdersError;
use super::place::sql;
use super::program::Orders;
use super::session_account::Acknowledged;
use crate::address::Address;
use crate::wire::{Connection, WireError};
use narrows_layer_database::Provisioner;
use narrows_layer_database::load::{self, LoadError, LoadPlan};

/// The load would go on for this long, if the server weren't killed.
const LONGEST: Duration = Duration::from_secs(600);
/// What such a check is worth.
const SAYS: &str = "a check of the server's recovery and its settings; what kernel and drives were given before the kill they \
                    still have, so it says nothing about their keeping it when the power fails";
/// Rows of one COPY message.
const BATCH: usize = 4096;

/// What a recovery was checked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Recovery {
    /// How long the mix ran before the kill, s.
    pub ran_s: f64,
    /// How long the server took to start again and recover, s.
    pub recovery_s: f64,
    /// Both counts of new orders.
    pub counts: Counts,
    /// Acknowledged orders that are not there, or have not all their lines.
    pub lost: u64,
    /// The first of them.
    pub example: Option<Acknowledged>,
    /// The consistency conditions afterwards.
    pub checked: Checked,
}

impl Recovery {
    /// Whether nothing was lost and everything is consistent.
    pub fn holds(&self) -> bool {
        self.lost == 0 && self.counts.agree() && self.checked.violations.is_empty()
    }

    /// As the run file has it.
    pub fn to_measurement(&self) -> Measurement {
        let mut measurement = Measurement::new(format!("{}.recovery", names::ID), Layer::Database);
        measurement.repeats = 1;
        let mut samples = Samples::new();
        let mut add = |name, value: u64| {
            samples.add(name, value as f64);
        };
        add(names::LOST, self.lost);
        add(names::MISCOUNTED, self.counts.miscounted());
        add(names::VIOLATED, self.checked.violations.len() as u64);
        samples.add(names::ACKNOWLEDGED, self.counts.client as f64);
        samples.add(names::RECOVERY_TIME, self.recovery_s * 1e9);
        measurement.metrics = samples.into_metrics();
        let say = &mut measurement.workload;
        say.insert(narrows_model::condition::WORKLOAD, json!("orders, recovery of the server"));
        say.insert(narrows_model::condition::DERIVED, json!(names::DERIVED));
        say.insert(narrows_model::condition::SAYS, json!(SAYS));
        say.insert(narrows_model::condition::RAN_S, json!(self.ran_s));
        say.insert(narrows_model::condition::IN_DOUBT, json!(self.counts.in_doubt));
        let texts: Vec<String> = self.checked.violations.iter().map(ToString::to_string).collect();
        if !texts.is_empty() {
            measurement
                .conditions
                .insert(narrows_model::condition::CONDITIONS_VIOLATED, json!(texts));
        }
        measurement
    }
}

/// For people.
impl fmt::Display for Recovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { client, in_doubt, .. } = self.counts;
        write!(
            f,
            "killed after {:.0} s, up again after {:.1} s: of {client} acknowledged orders {} are lost, {in_doubt} were \
             in doubt",
            self.ran_s, self.recovery_s, self.lost
        )?;
        if let Some(Acknowledged { w, d, o, .. }) = self.example {
            write!(f, " (the first: warehouse {w}, district {d}, order {o})")?;
        }
        for violation in &self.checked.violations {
            write!(f, "\n{violation}")?;
        }
        write!(f, "\n{SAYS}")
    }
}

/// How the mix runs until the kill.
#[derive(Debug, Clone, Copy)]
pub struct Load<'a> {
    /// The database.
    pub address: &'a Address,
    /// Settings of the sessions, `name = value`.
    pub settings: &'a [String],
    /// Sessions.
    pub sessions: u32,
    /// Processors for the client's threads.
    pub cpus: &'a [u32],
    /// How long it runs.
    pub length: Duration,
}

/// Runs the mix, which must remember its orders, kills the server under it, starts it again and looks for what it acknowledged.
///
/// # Errors
/// The load broke before the kill or had nothing acknowledged by then, the server does not start again, or a stop.
pub fn crash(
    server: &mut dyn Provisioner,
    load: &Load<'_>,
    orders: &Orders,
    ctx: &Context<'_>,
) -> Result<Recovery, OrdersError> {
    let options = [("application_name", "narrows control")];
    let open = || Connection::open_heeding(load.address, &options, &[ctx.stop]);
    let before = entered(&mut open()?)?;
    ctx.progress.phase(Layer::Database, Phase::Measure, "the mix, until the server is killed");
    orders.seen.take();
    run_and_kill(server, load, orders, ctx)?;
    let seen = orders.seen.take();
    ctx.progress.phase(Layer::Database, Phase::Verify, "the server's recovery");
    let begun = Instant::now();
    server.start(ctx.stop)?;
    let recovery_s = begun.elapsed().as_secs_f64();
    if seen.new_orders == 0 {
        return Err(OrdersError::NothingAcknowledged { ran_s: load.length.as_secs_f64() });
    }
    let mut control = open()?;
    control.heed(Some(ctx.stop));
    let (lost, example) = missing(&mut control, &seen.orders)?;
    let counts = Counts::new(before, entered(&mut control)?, &seen);
    ctx.progress.phase(Layer::Database, Phase::Verify, "the consistency conditions");
    let checked = check(&mut control, orders.warehouses, When::AfterRun, ctx.seed)?;
    Ok(Recovery { ran_s: load.length.as_secs_f64(), recovery_s, counts, lost, example, checked })
}

fn run_and_kill(
    server: &mut dyn Provisioner,
    load: &Load<'_>,
    orders: &Orders,
    ctx: &Context<'_>,
) -> Result<(), OrdersError> {
    let plan = LoadPlan {
        server: load.address,
        settings: load.settings,
        programs: orders,
        sessions: load.sessions,
        cpus: load.cpus,
        open_rate_per_s: None,
        warm_up: Duration::ZERO,
        window: LONGEST,
        seed: ctx.seed,
    };
    let mut killed = None;
    let outcome = load::run(&plan, ctx.stop, |_, pids| {
        ctx.stop.sleep(load.length)?;
        if alive(load.address, pids)? == 0 {
            return Ok(());
        }
        killed = Some(server.kill());
        Ok(())
    });
    ctx.stop.check()?;
    match (killed, outcome) {
        (Some(Ok(())), _) => Ok(()),
        (Some(Err(error)), _) => Err(error.into()),
        (None, Err(error)) => Err(error.into()),
        // The load ended by itself, though nobody killed the server.
        (None, Ok(_)) => Err(OrdersError::NoSessions),
    }
}

/// How many of these server processes of sessions there are.
fn alive(address: &Address, pids: &[u32]) -> Result<u64, LoadError> {
    let list: Vec<String> = pids.iter().map(u32::to_string).collect();
    let mut control = Connection::open(address, &[("application_name", "narrows control")])?;
    let count = control.one(&format!(
        "SELECT count(*) FROM pg_stat_activity WHERE pid = ANY ('{{{}}}'::int[])",
        list.join(", ")
    ))?;
    let count = count.and_then(|text| text.parse().ok());
    Ok(count.ok_or(WireError::Unexpected("a count that is no number"))?)
}

/// How many of these orders are not there with all their lines, and the first one.
pub(super) fn missing(
    control: &mut Connection,
    orders: &[Acknowledged],
) -> Result<(u64, Option<Acknowledged>), OrdersError> {
    control.execute(
        "CREATE TABLE pg_temp.acknowledged (w int, d smallint, o int, lines smallint, PRIMARY KEY (w, d, o))",
    )?;
    let mut left = orders;
    let (mut begun, mut ended) = (false, false);
    let copy = "COPY pg_temp.acknowledged FROM STDIN (FORMAT binary)";
    control.copy_in(copy, |out: &mut Vec<u8>| -> Result<(), OrdersError> {
        if !begun {
            out.extend_from_slice(HEADER);
            begun = true;
        }
        let (now, later) = left.split_at(left.len().min(BATCH));
        left = later;
        for order in now {
            Rows(out).row(4).int4(order.w).int2(order.d).int4(order.o).int2(order.lines);
        }
        if left.is_empty() && !ended {
            out.extend_from_slice(&TRAILER);
            ended = true;
        }
        Ok(())
    })?;
    control.execute("ANALYZE pg_temp.acknowledged")?;
    let rows = control.query_at_work(&sql(
        "SELECT a.w, a.d, a.o, a.lines FROM pg_temp.acknowledged a WHERE NOT EXISTS (SELECT FROM {s}.orders t \
         WHERE t.w = a.w AND t.d = a.d AND t.o = a.o AND t.lines = a.lines) OR a.lines <> (SELECT count(*) FROM {s}.line t \
         WHERE t.w = a.w AND t.d = a.d AND t.o = a.o) ORDER BY 1, 2, 3",
    ))?;
    let example = rows.first().and_then(|row| {
        let number = |column: usize| row.get(column)?.as_deref()?.parse::<i32>().ok();
        let (d, lines) = (number(1)? as i16, number(3)? as i16);
        Some(Acknowledged { w: number(0)?, d, o: number(2)?, lines })
    });
    Ok((rows.len() as u64, example))
}
