//! That an inventory, or a part of it, was taken at another time than the run.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The capture that an inventory is from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Captured {
    /// When it was made, RFC 3339.
    pub at: String,
    /// The version of narrows that made it.
    pub version: String,
    /// Whether root made it.
    pub privileged: bool,
    /// What it answered where the machine itself refused: files, and calls with what they were asked of. Empty where
    /// everything is from it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<String>,
}
