//! A cause before the table's order and what one says of another are put to it.

use narrows_model::{CauseShare, Urgency};

/// What a rule found.
#[derive(Debug, Clone, Default)]
pub struct CauseDraft {
    /// One sentence with the names in it, without a full stop.
    pub summary: String,
    /// The figures it rests on.
    pub evidence: String,
    /// What speaks against it; empty where nothing does.
    pub against: String,
    /// What to do, in words.
    pub action: String,
    /// A statement to paste that does it, its names in quotes where they need them.
    pub statement: Option<String>,
    /// What takes it back.
    pub undo: String,
    /// How to see whether it helped.
    pub verify: String,
    /// What share, and of what, would go at most.
    pub share: Option<(CauseShare, f64)>,
    /// Upper bound of the relative gain by the verdict's law.
    pub gain_at_most: Option<f64>,
    /// Statement (`queryid`) it is about; empty where it is about none.
    pub statement_id: String,
    /// What it is about, so that another cause that explains it is known to: names of tables, ids of statements, numbers of processes,
    /// each behind its kind. Empty: the whole server.
    pub subjects: Vec<String>,
    /// Sessions that stand still behind it.
    pub behind: f64,
    /// Whether causes that its rule takes for effects are told beside it all the same.
    pub tells_effects: bool,
    /// How soon to act, where that is another than its rule's: what is over is not urgent any more.
    pub urgency: Option<Urgency>,
}

/// A table as a subject.
pub(crate) fn table(name: &str) -> String {
    format!("table {name}")
}

/// A statement as a subject.
pub(crate) fn statement(id: &str) -> String {
    format!("statement {id}")
}

/// A session as a subject.
pub(crate) fn session(pid: impl std::fmt::Display) -> String {
    format!("session {pid}")
}
