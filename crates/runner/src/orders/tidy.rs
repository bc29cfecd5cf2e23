//! What becomes of the tables on somebody's server after a run, and their removal on request.
//!
//! What was there before stays, and so does an unfinished load, which can go on. A complete one that this run made goes, however
//! the run ended, unless it is asked to stay.

use anyhow::{Result, anyhow};
use narrows_engine::Phase;
use narrows_layer_database::Database;
use narrows_model::Layer;
use narrows_postgres::orders::{self, OrdersDatabase as _, OrdersError, State};
use narrows_postgres::{Address, Connection};

use super::plan;
use crate::request::database::OrdersRequest;
use crate::resolved::PlannedSession;

/// What was there before the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// No complete load: one that is complete afterwards was made here.
    Incomplete,
    /// A complete one, or it can't be told.
    Complete,
}

impl Before {
    /// Looks.
    pub fn look(database: &mut Database) -> Before {
        match database.orders_state() {
            Ok(state) if !state.as_ref().is_some_and(|state| state.ready) => Before::Incomplete,
            _ => Before::Complete,
        }
    }
}

/// Whether a load was refused before it changed anything: the schema is not ours, in use, or another than was asked for.
pub fn refused(error: &OrdersError) -> bool {
    matches!(
        error,
        OrdersError::NotOurs { .. } | OrdersError::Busy { .. } | OrdersError::Different { .. }
    )
}

/// What becomes of the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// There is none.
    Absent,
    /// An unfinished load stays.
    Unfinished,
    /// It was there before.
    Found,
    /// It was asked to stay.
    Kept,
    /// It is removed.
    Goes,
}

fn fate(before: Before, state: Option<&State>, asked_to_stay: bool) -> Fate {
    match (state, before) {
        (None, _) => Fate::Absent,
        (Some(state), _) if !state.ready => Fate::Unfinished,
        (_, Before::Complete) => Fate::Found,
        (_, Before::Incomplete) if asked_to_stay => Fate::Kept,
        (_, Before::Incomplete) => Fate::Goes,
    }
}

/// Removes what this run loaded on somebody's server, or says what stays there and how it goes.
///
/// # Errors
/// That of the run, which comes first, or that nothing could be removed.
pub fn tidy(
    session: &mut PlannedSession<'_, '_>,
    database: &mut Database,
    request: &OrdersRequest,
    before: Before,
    outcome: Result<()>,
) -> Result<()> {
    let Some(address) = &session.resolved.address else { return outcome };
    let stays = match database.orders_state() {
        Ok(state) => match fate(before, state.as_ref(), request.keep || request.load_only) {
            Fate::Absent => return outcome,
            Fate::Unfinished => "an unfinished load stays",
            Fate::Found => "what was loaded before stays",
            Fate::Kept => "what was loaded stays",
            Fate::Goes => return removed(session, database, address, outcome),
        },
        Err(error) => return left(session, address, &error, outcome),
    };
    session.ui.say(&format!(
        "{stays} in the schema {} on {address}: the same command continues it, narrows db orders --drop {address} removes it",
        orders::SCHEMA
    ));
    outcome
}

fn removed(
    session: &PlannedSession<'_, '_>,
    database: &mut Database,
    address: &Address,
    outcome: Result<()>,
) -> Result<()> {
    session.ui.phase(Layer::Database, Phase::CleanUp, "the loaded tables");
    match database.remove_orders() {
        Ok(_) => outcome,
        Err(error) => left(session, address, &error, outcome),
    }
}

/// The run's own error comes first; then this one is only said.
fn left(
    session: &PlannedSession<'_, '_>,
    address: &Address,
    error: &OrdersError,
    outcome: Result<()>,
) -> Result<()> {
    let text = format!(
        "the schema {} may be left on {address}: {error}\nhint: narrows db orders --drop {address}",
        orders::SCHEMA
    );
    if outcome.is_err() {
        session.ui.say(&format!("warning: {text}"));
        return outcome;
    }
    Err(anyhow!(text))
}

/// Removes what is loaded there.
///
/// # Errors
/// There is no way to the server, the schema is not ours, or another narrows works in it.
pub fn drop(address: &Address) -> Result<String> {
    Ok(match orders::remove(&mut control(address)?)? {
        true => format!("removed the schema {} of {address}", orders::SCHEMA),
        false => format!("{address} has no schema {}", orders::SCHEMA),
    })
}

/// What would be removed.
///
/// # Errors
/// There is no way to the server, or the schema is not ours.
pub fn would_drop(address: &Address) -> Result<String> {
    match orders::look(&mut control(address)?) {
        Ok(state) => Ok(would_go(state.as_ref(), address)),
        Err(OrdersError::Different { found, .. }) => {
            Ok(format!("would remove the schema {} of {address}: {found}\n", orders::SCHEMA))
        }
        Err(error) => Err(error.into()),
    }
}

fn control(address: &Address) -> Result<Connection> {
    Ok(Connection::open(address, &[("application_name", "narrows control")])?)
}

fn would_go(state: Option<&State>, address: &Address) -> String {
    let Some(state) = state else { return format!("{address} has no schema {}\n", orders::SCHEMA) };
    let loaded = state.loaded.iter().filter(|w| **w > 0).count();
    let of = plan::warehouses(state.setup.warehouses);
    format!("would remove the schema {} of {address}: {loaded} of {of} loaded\n", orders::SCHEMA)
}

#[cfg(test)]
mod tests {
    use narrows_postgres::orders::Setup;

    use super::*;

    fn state(ready: bool) -> State {
        let setup = Setup { warehouses: 2, seed: 1, c_last_name: 5 };
        State { setup, ready, loaded: [0, 1].into() }
    }

    #[test]
    fn only_a_complete_load_that_the_run_made_goes() {
        let (complete, unfinished) = (state(true), state(false));
        for (before, now, asked, wanted) in [
            (Before::Incomplete, None, false, Fate::Absent),
            (Before::Incomplete, Some(&unfinished), false, Fate::Unfinished),
            (Before::Incomplete, Some(&unfinished), true, Fate::Unfinished),
            (Before::Incomplete, Some(&complete), false, Fate::Goes),
            (Before::Incomplete, Some(&complete), true, Fate::Kept),
            (Before::Complete, Some(&complete), false, Fate::Found),
            (Before::Complete, Some(&complete), true, Fate::Found),
        ] {
            assert_eq!(fate(before, now, asked), wanted, "{before:?} {now:?} {asked}");
        }
    }

    #[test]
    fn a_load_that_was_refused_left_nothing() {
        let schema = || orders::SCHEMA.to_string();
        assert!(refused(&OrdersError::NotOurs { schema: schema() }));
        assert!(refused(&OrdersError::Busy { schema: schema() }));
        assert!(!refused(&OrdersError::NotLoaded));
    }
}
