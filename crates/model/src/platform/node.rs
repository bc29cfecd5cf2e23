//! NUMA nodes.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::IdSet;

/// A NUMA node.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct NumaNode {
    /// Its id; ids may be sparse.
    pub id: u32,
    /// Its online CPUs; empty for a node of memory only.
    pub cpus: Vec<u32>,
    /// Its memory, bytes; zero for a node of CPUs only.
    pub memory_bytes: u64,
    /// Free memory at discovery, bytes.
    pub free_bytes: Option<u64>,
    /// What the kernel had given to it at discovery, bytes, where that is less than it has: the rest follows as it is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted_bytes: Option<u64>,
    /// Distances as the firmware states them, by node in ascending order; not nanoseconds.
    pub distances: Vec<u32>,
    /// What the firmware says of the way from the nearest initiators to this memory (ACPI HMAT), by class.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub access: Vec<NodeAccess>,
    /// Caches between the CPUs' own and this memory, nearest to the memory first: memory that is one node may
    /// be slow memory behind a cache of fast memory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory_caches: Vec<MemoryCache>,
    /// Where it has no CPUs of its own, those that the firmware or its device says are nearest; empty where
    /// neither does.
    #[serde(default, skip_serializing_if = "IdSet::is_empty")]
    pub nearest_cpus: IdSet,
    /// The device whose memory this is, where it isn't the machine's main memory: `dax0.0`, `gpu 0004:05:00.0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
}

/// The best way to a node's memory (Linux `Documentation/admin-guide/mm/numaperf.rst`). What the firmware gives as 0 it
/// doesn't know.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct NodeAccess {
    /// 0: the best initiators of any kind, accelerators included; 1: the best CPUs.
    pub class: u32,
    /// The nodes of those initiators; such a node may have neither CPUs nor memory.
    pub initiators: IdSet,
    /// Reading, bytes/s.
    pub read_bytes_per_s: Option<u64>,
    /// Writing, bytes/s.
    pub write_bytes_per_s: Option<u64>,
    /// Reading, ns.
    pub read_latency_ns: Option<u32>,
    /// Writing, ns.
    pub write_latency_ns: Option<u32>,
}

/// A cache on the memory's side.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct MemoryCache {
    /// 1 is nearest to the memory.
    pub level: u32,
    /// Bytes; `None` where the firmware doesn't say.
    pub size_bytes: Option<u64>,
    /// Line size, bytes.
    pub line_bytes: Option<u32>,
    /// `direct-mapped`, `indexed`, `other`.
    pub indexing: Option<String>,
    /// `write-back`, `write-through`, `other`.
    pub write_policy: Option<String>,
}
