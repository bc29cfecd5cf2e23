//! What the server's processes used of the CPUs while its WAL was watched.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// CPUs of a server that runs on the machine that looked; means over the interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LiveCpus {
    /// CPUs that the server could use: of those it may run on, what others left, within its quota.
    pub available: f64,
    /// CPUs that its processes used.
    pub used: f64,
    /// Its sessions that waited for a CPU, between statements too.
    pub run_queue: f64,
    /// Sessions that did something in the interval; absent where the role may not see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sessions: Option<f64>,
    /// By windows, with the server's own share of each; empty where the interval was not cut.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub windows: Vec<LiveCpuWindow>,
}

/// One window.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LiveCpuWindow {
    /// CPUs that the server could use.
    pub available: f64,
    /// CPUs that its processes used.
    pub used: f64,
    /// Its sessions that waited for a CPU.
    pub run_queue: f64,
}

impl LiveCpus {
    /// Share of the CPUs that it could use, 0 to 1.
    pub fn busy(&self) -> f64 {
        if self.available > 0.0 { (self.used / self.available).min(1.0) } else { 0.0 }
    }
}
