//! A rule of the table.

use narrows_model::Urgency;

use crate::{CauseDraft, ObservedServer};

/// When it fires stands in its function; the rest is what the book prints of it.
#[derive(Debug, Clone, Copy)]
pub struct CauseRule {
    /// Its id, as causes of it have it.
    pub id: &'static str,
    /// How soon what it finds is worth acting on.
    pub urgency: Urgency,
    /// Whether it finds a reason, and doesn't only name a consumer or a wait.
    pub has_reason: bool,
    /// What it looks for, in a few words: `an index is missing for a predicate`.
    pub what: &'static str,
    /// The figures and thresholds it decides by, in a sentence.
    pub decides: &'static str,
    /// What speaks against it, or looks the same and is harmless.
    pub against: &'static str,
    /// Where it is documented.
    pub reference: &'static str,
    /// Rules whose causes are effects of this one: they are left out where they are about the same table, statement or session, and where
    /// one of the two is about the whole server.
    pub supersedes: &'static [&'static str],
    /// Looks for it.
    pub find: fn(&ObservedServer) -> Vec<CauseDraft>,
}
