//! The plan as resolved: what will run, for how long, and what it writes. Printed before anything runs.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Layer;

/// Which database the database layer uses.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DatabaseChoice {
    /// A private instance.
    Managed,
    /// No database layer.
    #[default]
    None,
    /// The user's server; the address is stored without its password.
    Url(String),
}

/// One step of the plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PlannedStep {
    /// The layer it belongs to.
    pub layer: Layer,
    /// What it does, in a few words.
    pub what: String,
    /// How long it should take, s.
    pub expected_s: f64,
    /// Bytes it will write, at most.
    pub writes_bytes: u64,
}

/// Everything that was decided before the first measurement.
/// The default plans nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Plan {
    /// A quick run: fewer repeats, no grade above LIKELY.
    pub quick: bool,
    /// Layers to measure.
    pub layers: Vec<Layer>,
    /// Folder for the data-file role.
    pub data_dir: String,
    /// Folder for the WAL role.
    pub wal_dir: String,
    /// The database.
    pub database: DatabaseChoice,
    /// Database workloads to run; empty in runs of versions that had no choice.
    #[serde(default)]
    pub workloads: Vec<String>,
    /// Sessions of the database workloads.
    pub sessions: u32,
    /// Repeats of every measurement.
    pub repeats: u32,
    /// Seed of every random choice.
    pub seed: u64,
    /// Size of the block layer's file, bytes.
    pub file_bytes: u64,
    /// Size of the uncached table, bytes.
    pub table_bytes: u64,
    /// The server's buffer pool, bytes.
    pub shared_buffers_bytes: u64,
    /// CPUs for the server.
    pub server_cpus: Vec<u32>,
    /// CPUs for the client.
    pub client_cpus: Vec<u32>,
    /// The steps in order.
    pub steps: Vec<PlannedStep>,
}

impl Plan {
    /// Expected duration of all steps, s.
    pub fn expected_s(&self) -> f64 {
        self.steps.iter().map(|step| step.expected_s).sum()
    }

    /// Bytes all steps may write.
    pub fn writes_bytes(&self) -> u64 {
        self.steps.iter().map(|step| step.writes_bytes).fold(0, u64::saturating_add)
    }
}
