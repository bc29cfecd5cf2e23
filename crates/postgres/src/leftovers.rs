//! What narrows has on somebody's server: schemas of runs, and what the order-entry mix keeps. Listed, and removed when asked.

use crate::address::Address;
use crate::orders::{self, OrdersError, State};
use crate::schema::{Schema, SchemaState};
use crate::wire::{Connection, WireError};

/// What a schema of ours is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeftKind {
    /// Of a run that goes on at this moment.
    RunNow,
    /// Of a run that ended without removing it: the next run on that database does.
    RunDead,
    /// Tables of the order-entry mix that are kept. `None`: of a layout that this version doesn't use.
    Orders(Option<State>),
    /// The same, with a load or a run in it at this moment.
    OrdersNow,
}

/// A schema of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftoverSchema {
    /// Its name.
    pub schema: String,
    /// Of all its tables and indexes, bytes.
    pub bytes: u64,
    /// What it is.
    pub kind: LeftKind,
    /// Whether it was removed.
    pub removed: bool,
}

/// Lists what of ours is in that database and belongs to that user; with `remove`, all that nobody works in is removed. Schemas
/// without our comment, and of other users, are not seen and never touched.
///
/// # Errors
/// The server can't be reached or refuses.
pub fn left(address: &Address, remove: bool) -> Result<Vec<LeftoverSchema>, OrdersError> {
    let mut control = Connection::open(address, &[("application_name", "narrows control")])?;
    control.end_with_us()?;
    let mut all = Vec::new();
    for (name, standing) in Schema::all(&mut control)? {
        let bytes = bytes(&mut control, &name)?;
        let kind = match standing {
            SchemaState::Held => LeftKind::RunNow,
            SchemaState::Free => LeftKind::RunDead,
        };
        let removed = remove && Schema::remove_free(&mut control, &name)?;
        all.push(LeftoverSchema { schema: name, bytes, kind, removed });
    }
    all.extend(kept_orders(&mut control, remove)?);
    Ok(all)
}

fn kept_orders(
    control: &mut Connection,
    remove: bool,
) -> Result<Option<LeftoverSchema>, OrdersError> {
    let state = match orders::look(control) {
        Ok(None) | Err(OrdersError::NotOurs { .. }) => return Ok(None),
        Ok(Some(state)) => Some(state),
        Err(OrdersError::Different { .. }) => None,
        Err(error) => return Err(error),
    };
    let schema = orders::SCHEMA.to_string();
    let bytes = bytes(control, &schema)?;
    let free = match orders::is_free(control)? {
        true => LeftKind::Orders(state),
        false => {
            return Ok(Some(LeftoverSchema {
                schema,
                bytes,
                kind: LeftKind::OrdersNow,
                removed: false,
            }));
        }
    };
    let removed = remove && orders::remove(control)?;
    Ok(Some(LeftoverSchema { schema, bytes, kind: free, removed }))
}

fn bytes(control: &mut Connection, schema: &str) -> Result<u64, WireError> {
    let sum = control.one(&format!(
        "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c \
         JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = '{schema}' AND c.relkind IN ('r', 'm')"
    ))?;
    Ok(sum.and_then(|text| text.parse().ok()).unwrap_or(0))
}
