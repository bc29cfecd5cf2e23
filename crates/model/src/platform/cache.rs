//! CPU caches.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::IdSet;

/// A cache level.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Cache {
    /// 1, 2, 3...
    pub level: u32,
    /// `Data`, `Instruction`, `Unified`.
    pub kind: String,
    /// Size of one instance, bytes.
    pub size_bytes: u64,
    /// Line size, bytes.
    pub line_bytes: Option<u32>,
    /// Number of instances.
    pub instances: u32,
    /// On-line threads behind each instance, one set per instance; empty where only their number is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpus: Vec<IdSet>,
}
