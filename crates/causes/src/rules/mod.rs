//! The table, one file per kind of trouble.

use crate::CauseRule;

/// Every rule.
pub fn rules() -> &'static [CauseRule] {
    &[]
}
