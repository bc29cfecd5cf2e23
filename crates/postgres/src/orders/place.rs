//! The schema that the order-entry mix lives in. It outlasts a run, because loading it can take hours.
//!
//! One for a database, named [`SCHEMA`], with our sign ([`crate::ours`]). It is worked in under an advisory lock, which the
//! server releases however the connection ends. A schema without our sign, or of another user, is never touched.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::error::OrdersError;
use crate::event_triggers;
use crate::ours::{self, Sign};
use crate::wire::{Connection, WireError};
use narrows_layer_database::Refusal;

/// The schema's name.
pub const SCHEMA: &str = "narrows_orders";
const SIGN: Sign = Sign {
    comment: "made by narrows for its order-entry mix; remove it with: narrows db orders --drop",
    table: "setup",
    columns: "layout integer, warehouses integer, seed text, c_last_name integer, ready boolean",
};
/// The advisory lock: "narr" and "orde".
const LOCK: &str = "(1851880050, 1869767781)";
/// How long a connection that is gone may go unnoticed.
const UNNOTICED: Duration = Duration::from_secs(2);
/// How often removing the schema is tried; the server finds a deadlock after a second of waiting.
const MOST_TRIES: u32 = 20;
/// Of the tables and functions; a schema of another layout is not used.
pub const LAYOUT: u32 = 1;

/// How the schema was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setup {
    /// Warehouses that it is to have.
    pub warehouses: u32,
    /// Seed of the population.
    pub seed: u64,
    /// The constant of the skewed draw for last names.
    pub c_last_name: u32,
}

/// What there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// How it was made.
    pub setup: Setup,
    /// Whether the load came to its end.
    pub ready: bool,
    /// Warehouses that are loaded; 0 stands for the items.
    pub loaded: BTreeSet<u32>,
}

/// Puts the schema's name into a statement.
pub fn sql(text: &str) -> String {
    text.replace("{s}", SCHEMA)
}

/// The statements that make the tables in a schema that is there.
pub fn tables(schema: &str) -> String {
    include_str!("tables.sql").replace("{s}", schema)
}

/// Takes the schema for this connection until it closes. A server notices some time after it that a connection is gone, so what
/// looks taken is asked for again for a moment.
///
/// # Errors
/// Another narrows has it.
pub fn lock(control: &mut Connection) -> Result<(), OrdersError> {
    let end = Instant::now() + UNNOTICED;
    loop {
        let taken = control.one(&format!("SELECT pg_catalog.pg_try_advisory_lock{LOCK}"))?;
        if taken.as_deref() == Some("t") {
            return Ok(());
        }
        if Instant::now() >= end {
            return Err(OrdersError::Busy { schema: SCHEMA.into() });
        }
        std::thread::sleep(UNNOTICED / 50);
    }
}

/// Whether nobody works in the schema at this moment.
///
/// # Errors
/// The server refuses.
pub fn is_free(control: &mut Connection) -> Result<bool, WireError> {
    let free = control.one(&format!("SELECT pg_catalog.pg_try_advisory_lock{LOCK}"))?.as_deref()
        == Some("t");
    if free {
        control.execute(&format!("SELECT pg_catalog.pg_advisory_unlock{LOCK}"))?;
    }
    Ok(free)
}

/// What there is; `None`: no such schema.
///
/// # Errors
/// There is one, and it is not ours, or of another layout.
pub fn look(control: &mut Connection) -> Result<Option<State>, OrdersError> {
    match ours::is(control, SCHEMA, &SIGN)? {
        None => return Ok(None),
        Some(true) => {}
        Some(false) => return Err(OrdersError::NotOurs { schema: SCHEMA.into() }),
    }
    let rows = control
        .query(&sql("SELECT layout, warehouses, seed, c_last_name, ready FROM {s}.setup"))?;
    let field = |column: usize| rows.first()?.get(column)?.as_deref();
    let number = |column: usize| {
        field(column)
            .and_then(|text| text.parse::<u64>().ok())
            .ok_or(WireError::Unexpected("a setup that is no number"))
    };
    let layout = number(0)?;
    if layout != u64::from(LAYOUT) {
        return Err(OrdersError::Different {
            schema: SCHEMA.into(),
            found: format!("layout {layout}"),
            asked: format!("layout {LAYOUT}"),
        });
    }
    let setup =
        Setup { warehouses: number(1)? as u32, seed: number(2)?, c_last_name: number(3)? as u32 };
    let ready = field(4) == Some("t");
    let loaded = control.query(&sql("SELECT w FROM {s}.loaded"))?;
    let loaded = loaded.iter().filter_map(|row| row.first()?.as_deref()?.parse().ok()).collect();
    Ok(Some(State { setup, ready, loaded }))
}

/// Makes the schema with its empty tables.
///
/// # Errors
/// The server refuses.
pub fn create(control: &mut Connection, setup: &Setup) -> Result<(), WireError> {
    event_triggers::refuse_foreign(control)?;
    let comment = SIGN.comment;
    // Several statements in one message are one transaction.
    control.execute(&format!(
        "CREATE SCHEMA {SCHEMA}; COMMENT ON SCHEMA {SCHEMA} IS '{comment}'; {} \
         INSERT INTO {SCHEMA}.setup VALUES ({LAYOUT}, {}, '{}', {}, false)",
        tables(SCHEMA),
        setup.warehouses,
        setup.seed,
        setup.c_last_name
    ))
}

/// Removes the schema and everything in it, if there is one and it is ours.
///
/// # Errors
/// It is not ours, another narrows works in it, or the server refuses.
pub fn remove(control: &mut Connection) -> Result<bool, OrdersError> {
    lock(control)?;
    let ours = match look(control) {
        Ok(state) => state.is_some(),
        // Ours, of a layout that this version doesn't use.
        Err(OrdersError::Different { .. }) => true,
        Err(error) => return Err(error),
    };
    if ours {
        drop_schema(control)?;
    }
    control.execute(&format!("SELECT pg_catalog.pg_advisory_unlock{LOCK}"))?;
    Ok(ours)
}

/// Transactions of sessions that were just cut off go on in the server for a moment, and lock the tables in another order.
fn drop_schema(control: &mut Connection) -> Result<(), WireError> {
    let mut tries = 1;
    loop {
        match ours::remove(control, SCHEMA) {
            Err(error) if error.code() == Some(Refusal::DEADLOCK) && tries < MOST_TRIES => {
                tries += 1
            }
            outcome => return outcome,
        }
    }
}
