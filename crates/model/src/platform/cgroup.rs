//! Limits of the control groups around a process.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which control-group hierarchy is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CgroupVersion {
    /// None found.
    #[default]
    None,
    /// Version 1 controllers.
    V1,
    /// Version 2.
    V2,
    /// Version 2 mounted, controllers on version 1.
    Hybrid,
}

/// Limits from the control groups this process is in, the tightest on the way to the root.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Cgroup {
    /// Hierarchy.
    pub version: CgroupVersion,
    /// CPU quota, in CPUs; `None` is unlimited.
    pub cpu_quota_cpus: Option<f64>,
    /// CPU weight (v2 scale), if not the default.
    pub cpu_weight: Option<u64>,
    /// Memory limit, bytes; `None` is unlimited.
    pub memory_limit_bytes: Option<u64>,
    /// Memory in use, bytes.
    pub memory_used_bytes: Option<u64>,
    /// Block I/O limits.
    pub io_limits: Vec<IoLimit>,
    /// `cpu`, `memory`, `io`: limits of groups that can't be seen from here, as those of another container; they are unknown then, and
    /// not absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<String>,
}

/// A block I/O limit of a control group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct IoLimit {
    /// `major:minor`.
    pub device: String,
    /// `rbps`, `wbps`, `riops`, `wiops`.
    pub kind: String,
    /// Per second.
    pub value: u64,
}
