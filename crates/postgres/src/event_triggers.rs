//! Event triggers of a database, looked at before anything is made or removed there.
//!
//! A trigger's function runs with the rights of whoever makes or removes something (PostgreSQL documentation, "Overview of Event
//! Trigger Behavior"). Only a superuser makes one, but the function may be anybody's, and its owner can change what it does: a
//! measurement as superuser would run that. Such a server is left as it is. Triggers with functions of superusers are the
//! administrator's own policy (audits, prohibitions) and run as for everybody else; `event_triggers = off`, which versions
//! from 17 on have, would go around them.

use crate::wire::{self, Connection, WireError};

/// The first that would run, with the owner of its function. `R` is fired by replication only.
const FOREIGN: &str = "SELECT t.evtname, r.rolname FROM pg_catalog.pg_event_trigger t \
    JOIN pg_catalog.pg_proc p ON p.oid = t.evtfoid JOIN pg_catalog.pg_roles r ON r.oid = p.proowner \
    WHERE t.evtenabled <> 'D' AND NOT r.rolsuper AND r.rolname <> current_user ORDER BY 1 LIMIT 1";

/// Looks.
///
/// # Errors
/// Others' code would run with our rights, or the server refuses.
pub fn refuse_foreign(control: &mut Connection) -> Result<(), WireError> {
    let Some(row) = control.query(FOREIGN)?.into_iter().next() else { return Ok(()) };
    let mut cells = row.into_iter().map(Option::unwrap_or_default);
    let mut next = || wire::one_line(&cells.next().unwrap_or_default());
    Err(WireError::EventTrigger { trigger: next(), owner: next() })
}
