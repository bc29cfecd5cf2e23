//! The NUMA nodes that a job names.

/// NUMA nodes, as far as a job file can say which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeList {
    /// Those of the machine.
    All,
    /// These, ascending.
    These(Vec<u32>),
    /// Those of the machine without these.
    Except(Vec<u32>),
}

/// On which NUMA nodes memory lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryPolicy {
    /// On these and no others.
    Bind(NodeList),
    /// On this one while it has free memory.
    Prefer(u32),
    /// In turns on these.
    Interleave(NodeList),
    /// On the node that a thread runs on.
    Local,
}
