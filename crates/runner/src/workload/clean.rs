//! What of ours is on a server.

use anyhow::{Context as _, Result};
pub use narrows_postgres::orders::{Setup, State};
use narrows_postgres::{Address, left};
pub use narrows_postgres::{Left, LeftKind};

/// Lists it, and removes what nobody works in where that is asked for.
///
/// # Errors
/// The server can't be reached, or refuses.
pub fn leftovers(address: &Address, remove: bool) -> Result<Vec<Left>> {
    left(address, remove).with_context(|| format!("what narrows has on {address} cannot be listed"))
}
