//! Time for statements that take long: the build of a key, a vacuum or a check over thousands of warehouses can take hours.

use std::time::Duration;

use super::error::OrdersError;
use crate::wire::{Connection, Limits, WireError};

/// How long the server may stay silent over one statement.
pub const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// Frees a connection of our own from limits on statements: ours, and that of the user or the database.
///
/// # Errors
/// The server refuses.
pub fn take(connection: &mut Connection) -> Result<(), WireError> {
    connection.execute("SET statement_timeout = 0")?;
    connection.limit(Limits::hours(LONGEST));
    Ok(())
}

/// The same while `work` goes on; then a server that is silent is given up as soon as ever.
///
/// # Errors
/// The server refuses, or those of the work.
pub fn during<T>(
    control: &mut Connection,
    work: impl FnOnce(&mut Connection) -> Result<T, OrdersError>,
) -> Result<T, OrdersError> {
    control.execute("SET statement_timeout = 0")?;
    let usual = control.limit(Limits::hours(LONGEST));
    let outcome = work(control);
    control.limit(usual);
    outcome
}
