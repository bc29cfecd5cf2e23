//! NUMA nodes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A NUMA node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NumaNode {
    /// Its id; ids may be sparse.
    pub id: u32,
    /// Its online processors; empty for a node of memory only.
    pub cpus: Vec<u32>,
    /// Its memory, bytes; zero for a node of processors only.
    pub memory_bytes: u64,
    /// Free memory at discovery, bytes.
    pub free_bytes: Option<u64>,
    /// Distances as the firmware states them, by node in ascending order; not nanoseconds.
    pub distances: Vec<u32>,
}
