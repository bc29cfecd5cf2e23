//! The CPUs of a machine.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::IdSet;

/// The CPUs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Cpu {
    /// Model name.
    pub model: Option<String>,
    /// Its generation in numbers, on architectures that tell it so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<CpuIdentity>,
    /// Packages.
    pub sockets: u32,
    /// Cores in all packages.
    pub cores: u32,
    /// Hardware threads that are online.
    pub threads: u32,
    /// Whether cores have several active threads.
    pub smt_active: Option<bool>,
    /// Threads that are online.
    pub online: Vec<u32>,
    /// Threads that are there and off-line.
    #[serde(default, skip_serializing_if = "IdSet::is_empty")]
    pub offline: IdSet,
    /// Threads this process may use (affinity and cpuset).
    pub allowed: Vec<u32>,
    /// Threads of each core, one list per core, over the online ones.
    pub cores_threads: Vec<Vec<u32>>,
    /// Packages, and the groups above, within and below them that say something of their own: a level that has the same
    /// members as the one above it, or as the cores, is left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<CpuGroup>,
    /// The kinds of core, the fastest first; empty where all are of one kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<CoreKind>,
    /// Frequency governor, if all share one.
    pub governor: Option<String>,
    /// Lowest frequency that any of them sustains, kHz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_khz: Option<u64>,
    /// Highest frequency, kHz.
    pub max_khz: Option<u64>,
    /// Whether the time-stamp counter runs at a constant rate in all states.
    pub invariant_tsc: Option<bool>,
    /// Mitigations in force, as `name: state`, those that are not "Not affected".
    pub mitigations: Vec<String>,
}

/// What `/proc/cpuinfo` prints of an x86 CPU; together they tell its generation, which its name often doesn't.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CpuIdentity {
    /// `vendor_id`: `GenuineIntel`, `AuthenticAMD`.
    pub vendor: String,
    /// `cpu family`.
    pub family: u32,
    /// `model`.
    pub model: u32,
    /// `stepping`.
    pub stepping: u32,
}

impl Cpu {
    /// The groups of one level, in the order of their CPUs.
    pub fn groups_at(&self, level: GroupLevel) -> impl Iterator<Item = &CpuGroup> {
        self.groups.iter().filter(move |group| group.level == level)
    }
}

/// What a group of CPUs is, the largest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum GroupLevel {
    /// Books that share a frame (s390).
    Drawer,
    /// Packages on one board (s390).
    Book,
    /// What is in one socket.
    Package,
    /// A die of a package.
    Die,
    /// Cores that share something below the last cache: a second-level cache, or the tags of the third.
    Cluster,
}

impl GroupLevel {
    /// The word used on the screen.
    pub fn word(self) -> &'static str {
        match self {
            GroupLevel::Drawer => "drawer",
            GroupLevel::Book => "book",
            GroupLevel::Package => "package",
            GroupLevel::Die => "die",
            GroupLevel::Cluster => "cluster",
        }
    }
}

/// CPUs that belong together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CpuGroup {
    /// What the group is.
    pub level: GroupLevel,
    /// The kernel's id of it. `None` where it has none; ids may be sparse, and two groups may have the same.
    pub id: Option<u32>,
    /// Its on-line threads.
    pub cpus: IdSet,
}

/// A kind of core, on a machine that has several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CoreKind {
    /// The kernel's name for the counters of this kind: `cpu_core`, `cpu_atom`.
    pub counters: Option<String>,
    /// On-line threads of this kind.
    pub cpus: IdSet,
    /// What a core of this kind can do where the fastest on the machine does 1024.
    pub capacity: Option<u32>,
    /// Frequency that is sustained, kHz.
    pub base_khz: Option<u64>,
    /// Highest frequency of any of them, kHz.
    pub max_khz: Option<u64>,
}
