//! Why a resource is taken, who takes it, and what would change that.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How soon a cause is worth acting on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Urgency {
    /// Sessions stand still until somebody acts.
    Now,
    /// It takes a share of the sessions' time, or of a resource that binds.
    Performance,
    /// Nobody waits for it yet.
    Risk,
}

/// Of what a cause takes a share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CauseShare {
    /// Of the time of sessions in statements: without it a mean transaction would be shorter by so much at most.
    SessionTime,
    /// Of the server's CPU time.
    Cpu,
    /// Of the blocks read into shared_buffers.
    Reads,
    /// Of WAL.
    Wal,
}

impl CauseShare {
    /// The words of the screen, behind a share: `31 % of session time`.
    pub fn words(self) -> &'static str {
        match self {
            CauseShare::SessionTime => "of session time",
            CauseShare::Cpu => "of the server's CPU time",
            CauseShare::Reads => "of the blocks read",
            CauseShare::Wal => "of WAL",
        }
    }
}

/// One cause. Nothing that it says to do is ever done by narrows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Cause {
    /// The rule's id, for example `index-missing`.
    pub id: String,
    /// The measurement of the observation that it is read from.
    pub measurement: String,
    /// How soon to act.
    pub urgency: Urgency,
    /// Whether it is a reason, and doesn't only say who takes what or what is waited for: without one nothing is to be set right, and
    /// hardware may be the answer.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub has_reason: bool,
    /// One sentence with the names in it, without a full stop: `pid 4711, idle in transaction for 26 s, blocks 12 sessions`.
    pub summary: String,
    /// The figures it rests on.
    pub evidence: String,
    /// What speaks against it, or what else it could be; empty where nothing does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub against: String,
    /// What to do, in words.
    pub action: String,
    /// A statement to paste that does it; absent where it is no statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<String>,
    /// A statement or words that take it back.
    pub undo: String,
    /// How to see whether it helped.
    pub verify: String,
    /// What share, and of what, would go at most; absent where no figure tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<(CauseShare, f64)>,
    /// Upper bound, by the verdict's law, of the relative gain in throughput where the server is saturated; absent where the law gives none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain_at_most: Option<f64>,
    /// Statement (`queryid`) it is about; empty where it is about none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub statement_id: String,
    /// Sessions that stand still because of it; absent where none do, or where nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sessions_behind: Option<f64>,
}

fn yes() -> bool {
    true
}

fn is_yes(switch: &bool) -> bool {
    *switch
}
