//! The schema in which everything is made on a server, and which is gone afterwards.
//!
//! `narrows_scratch_ID` carries our sign ([`crate::ours`]), and its run holds an advisory lock for as long as it is
//! connected: the server releases it however the connection ends. A schema of ours whose lock nobody holds is the rest of
//! a crashed run and is removed by the next run on that database. Schemas without our sign, or of other users, are
//! never touched.

use std::time::{Duration, Instant};

use crate::address::Address;
use crate::ours::{self, Sign};
use crate::wire::{Connection, Patience, WireError};
use crate::{event_triggers, wire};

const PREFIX: &str = "narrows_scratch_";
const SIGN: Sign = Sign {
    comment: "made by narrows for one run; removed at its end, or by the next run here",
    table: "narrows_run",
    columns: "id text, made_at timestamp with time zone",
};
/// First half of the lock's key, so that it meets no application's own: "narr".
const LOCK_SPACE: i32 = 0x6e61_7272;
/// How long a server that went away is waited for, so that our schema can be removed from it.
const RESTART: Duration = Duration::from_secs(30);
/// How long one that doesn't answer is waited for after a stop.
const HURRIED: Duration = Duration::from_secs(3);

/// A schema of ours on a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schema {
    name: String,
    /// Second half of the lock's key.
    key: i32,
}

/// Whether somebody works in a schema of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaState {
    /// Its run is connected.
    Held,
    /// Its run is gone.
    Free,
}

/// What could not be removed.
#[derive(Debug, thiserror::Error)]
#[error(
    "the schema {schema} is left on {address}: {reason}\n\
     hint: the next run on that database removes it, narrows db clean --remove does it now; or type DROP SCHEMA {schema} CASCADE there"
)]
pub struct LeftBehind {
    /// Its name.
    pub schema: String,
    /// Where.
    pub address: String,
    /// Why.
    pub reason: Box<WireError>,
}

impl Schema {
    /// For the run of that id, eight hexadecimal digits; any other text is turned into such a number.
    pub fn of_run(id: &str) -> Schema {
        let number = u32::from_str_radix(id, 16).unwrap_or_else(|_| {
            // FNV-1a, 32 bits.
            id.bytes().fold(0x811c_9dc5, |hash: u32, byte| {
                (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
            })
        });
        Schema { name: format!("{PREFIX}{number:08x}"), key: number as i32 }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Creates it, locked before anybody can see it.
    pub fn create(&self, control: &mut Connection) -> Result<(), WireError> {
        event_triggers::refuse_foreign(control)?;
        let (name, key) = (&self.name, self.key);
        control.execute(&format!("SELECT pg_catalog.pg_advisory_lock({LOCK_SPACE}, {key})"))?;
        let Sign { comment, table, columns } = SIGN;
        // Several statements in one message are one transaction.
        control.execute(&format!(
            "CREATE SCHEMA {name}; COMMENT ON SCHEMA {name} IS '{comment}'; CREATE TABLE {name}.{table} ({columns}); \
             INSERT INTO {name}.{table} VALUES ('{name}', pg_catalog.now())"
        ))
    }

    /// Removes it with everything in it. On a connection that broke, a new one is tried for as long as a restart
    /// takes, or a moment where it is `hurried`.
    pub fn drop(
        &self,
        control: &mut Connection,
        address: &Address,
        hurried: bool,
    ) -> Result<(), LeftBehind> {
        let end = Instant::now() + if hurried { HURRIED } else { RESTART };
        let login = if hurried { Patience::within(HURRIED) } else { Patience::LOGIN };
        loop {
            // A load that was cut short leaves its transaction open; without one this is only a warning.
            let ended = control.execute("ROLLBACK");
            let dropped = ended.and_then(|()| self.drop_ours(control));
            let reason = match dropped {
                Ok(()) => return Ok(()),
                Err(error) => error,
            };
            if !reason.is_gone() || Instant::now() >= end {
                let (schema, address) = (self.name.clone(), address.to_string());
                return Err(LeftBehind { schema, address, reason: Box::new(reason) });
            }
            std::thread::sleep(Duration::from_millis(250));
            let options = [("application_name", "narrows control")];
            if let Ok(opened) = Connection::open_within(address, &options, Vec::new(), login) {
                *control = opened;
                control
                    .limit(wire::Limits { work: Patience::within(RESTART), ..wire::Limits::USUAL });
            }
        }
    }

    fn drop_ours(&self, control: &mut Connection) -> Result<(), WireError> {
        match ours::is(control, &self.name, &SIGN)? {
            None => Ok(()),
            Some(true) => ours::remove(control, &self.name),
            Some(false) => Err(WireError::Unexpected("the run's schema is not ours any more")),
        }
    }

    /// Removes what crashed runs of this user left in this database; returns the names.
    pub fn sweep(control: &mut Connection) -> Result<Vec<String>, WireError> {
        let mut removed = Vec::new();
        for name in ours::all(control, PREFIX, &SIGN)? {
            if Schema::remove_free(control, &name)? {
                removed.push(name);
            }
        }
        Ok(removed)
    }

    /// Schemas of runs of this user in this database, and whether somebody works in them.
    pub fn all(control: &mut Connection) -> Result<Vec<(String, SchemaState)>, WireError> {
        let mut all = Vec::new();
        for name in ours::all(control, PREFIX, &SIGN)? {
            let lock = Schema::lock_of(&name);
            let free = control.one(&format!("SELECT pg_catalog.pg_try_advisory_lock{lock}"))?;
            if free.as_deref() == Some("t") {
                control.execute(&format!("SELECT pg_catalog.pg_advisory_unlock{lock}"))?;
                all.push((name, SchemaState::Free));
            } else {
                all.push((name, SchemaState::Held));
            }
        }
        Ok(all)
    }

    /// Removes a schema of [`Schema::all`], unless somebody works in it.
    pub fn remove_free(control: &mut Connection, name: &str) -> Result<bool, WireError> {
        let lock = Schema::lock_of(name);
        if control.one(&format!("SELECT pg_catalog.pg_try_advisory_lock{lock}"))?.as_deref()
            != Some("t")
        {
            return Ok(false);
        }
        // Whoever held it may have changed it until now.
        let dropped = match ours::is(control, name, &SIGN) {
            Ok(Some(true)) => ours::remove(control, name).map(|()| true),
            Ok(_) => Ok(false),
            Err(error) => Err(error),
        };
        control.execute(&format!("SELECT pg_catalog.pg_advisory_unlock{lock}"))?;
        dropped
    }

    fn lock_of(name: &str) -> String {
        let schema = Schema::of_run(name.strip_prefix(PREFIX).unwrap_or(name));
        format!("({LOCK_SPACE}, {})", schema.key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_one_schema_with_a_plain_name() {
        let schema = Schema::of_run("9f00ab12");
        assert_eq!(schema.name(), "narrows_scratch_9f00ab12");
        assert_eq!(schema, Schema::of_run(schema.name().strip_prefix(PREFIX).unwrap()));
        let odd = Schema::of_run("x; DROP TABLE");
        assert!(odd.name().strip_prefix(PREFIX).unwrap().bytes().all(|b| b.is_ascii_hexdigit()));
    }
}
