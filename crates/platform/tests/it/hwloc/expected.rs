//! What hwloc's authors found on a machine.

use narrows_model::IdSet;

use crate::hwloc::object::Object;

/// Read from a `.console` or `.xml` file; empty where it says nothing.
#[derive(Debug, Default)]
pub struct Expected {
    pub machine: Object,
    /// Ids of nodes, and the matrix of distances in their order.
    pub distances: Option<(Vec<u32>, Vec<Vec<u32>>)>,
    pub kinds: Vec<CoreKind>,
    pub attributes: Vec<MemoryAttribute>,
}

/// A kind of core.
#[derive(Debug, Default)]
pub struct CoreKind {
    pub cpus: IdSet,
    pub base_mhz: Option<u64>,
    pub max_mhz: Option<u64>,
    pub capacity: Option<u32>,
}

/// A figure of the way to a node's memory: MiB/s or ns.
#[derive(Debug)]
pub struct MemoryAttribute {
    pub name: String,
    pub node: u32,
    pub value: u64,
    pub from: IdSet,
}
