//! What bears on whether a number is true, or why it is low.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much a finding weighs.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing; the number stands.
    Note,
    /// The number may not mean what it seems to.
    Suspect,
    /// The number is wrong.
    Invalid,
}

/// One finding, with its evidence in figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The rule's id, for example `device-saw-less`.
    pub id: String,
    /// How much it weighs.
    pub severity: Severity,
    /// The measurement it concerns; absent for findings about the host or the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measurement: Option<String>,
    /// One sentence for the screen.
    pub summary: String,
    /// The figures it rests on.
    pub evidence: String,
    /// What to do about it.
    pub advice: String,
}
