//! A rule of the table.

use narrows_model::{Cause, Urgency};

use crate::Look;

/// When it fires stands in its function; the rest is what the book prints of it.
#[derive(Debug, Clone, Copy)]
pub struct CauseRule {
    /// Its id, as findings of it have it.
    pub id: &'static str,
    /// How soon what it finds is worth acting on.
    pub urgency: Urgency,
    /// What it looks for, in a few words: `an index is missing for a predicate`.
    pub what: &'static str,
    /// The figures and thresholds it decides by, in a sentence.
    pub decides: &'static str,
    /// What speaks against it, or looks the same and is harmless.
    pub against: &'static str,
    /// Where it is documented.
    pub reference: &'static str,
    /// Looks for it.
    pub find: fn(&Look) -> Vec<Cause>,
}
