//! The database's own count of new orders against the client's.
//!
//! A district counts every new order that was committed in its next order's number. What the client saw committed must be in
//! it; what is in it and the client didn't see can only be what was sent and never answered.

use super::error::OrdersError;
use super::place::sql;
use super::session_account::SessionAccount;
use crate::wire::{Connection, WireError};

/// New orders that were ever entered, as the districts count them.
///
/// # Errors
/// The server refuses.
pub fn entered(control: &mut Connection) -> Result<u64, OrdersError> {
    let text = control.one(&sql("SELECT sum(next_order - 3001) FROM {s}.district"))?;
    let number = text.and_then(|text| text.parse().ok());
    Ok(number.ok_or(WireError::Unexpected("a sum that is no number"))?)
}

/// Both counts over one load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// What the districts counted more.
    pub database: u64,
    /// What the client saw committed.
    pub client: u64,
    /// What the client sent and had no answer to.
    pub in_doubt: u64,
}

impl Counts {
    /// From the districts' counts before and after, and what the client knows.
    pub fn new(before: u64, after: u64, seen: &SessionAccount) -> Counts {
        let database = after.saturating_sub(before);
        Counts { database, client: seen.new_orders, in_doubt: seen.in_doubt }
    }

    /// Whether they agree.
    pub fn agree(&self) -> bool {
        self.miscounted() == 0
    }

    /// By how many orders the database is outside of what it may have counted.
    pub fn miscounted(&self) -> u64 {
        let most = self.client + self.in_doubt;
        self.database.saturating_sub(most).max(self.client.saturating_sub(self.database))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_agree_as_far_as_answers_came() {
        let counts = |database, client, in_doubt| Counts { database, client, in_doubt };
        assert!(
            counts(10, 10, 0).agree() && counts(12, 10, 2).agree() && counts(10, 10, 3).agree()
        );
        // A commit that was acknowledged and is not there; one that is there twice.
        assert!(!counts(9, 10, 3).agree() && !counts(13, 10, 2).agree());
    }
}
