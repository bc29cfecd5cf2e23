//! The processors of a machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The processors.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Cpu {
    /// Model name.
    pub model: Option<String>,
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
    /// Threads this process may use (affinity and cpuset).
    pub allowed: Vec<u32>,
    /// Threads of each core, one list per core, over the online ones.
    pub cores_threads: Vec<Vec<u32>>,
    /// Frequency governor, if all share one.
    pub governor: Option<String>,
    /// Highest frequency, kHz.
    pub max_khz: Option<u64>,
    /// Whether the time-stamp counter runs at a constant rate in all states.
    pub invariant_tsc: Option<bool>,
    /// Mitigations in force, as `name: state`, those that are not "Not affected".
    pub mitigations: Vec<String>,
}
