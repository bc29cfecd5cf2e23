//! What of ours is on a server.

use anyhow::Result;
pub use narrows_postgres::orders::{Setup, State};
use narrows_postgres::{Address, left};
pub use narrows_postgres::{LeftKind, LeftoverSchema};

use crate::failure;

/// Lists it, and removes what nobody works in where that is asked for.
///
/// # Errors
/// The server can't be reached, or refuses.
pub fn leftovers(address: &Address, remove: bool) -> Result<Vec<LeftoverSchema>> {
    left(address, remove).map_err(|error| {
        failure::about(&address.masked(), "cannot be searched for what narrows has there", error)
    })
}
