//! Ids of measurements and of findings.
//!
//! An id says from left to right what was measured: the layer, the kind of measurement, what of it. What ids of one kind begin with is a
//! [`Family`]; the families that somebody looks for are spelled in [`family`] alone.

use std::fmt;
use std::ops::Deref;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Layer;

/// The id of a measurement: `block.read.random.8k.knee.uring`, `database.update`, `database.update.test.sync_off`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(transparent)]
pub struct MeasurementId(String);

impl MeasurementId {
    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The layer that it begins with; `None` for what a foreign file calls otherwise.
    pub fn layer(&self) -> Option<Layer> {
        let (layer, _) = self.0.split_once('.')?;
        Layer::ALL.into_iter().find(|known| known.word() == layer)
    }
}

impl Deref for MeasurementId {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for MeasurementId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for MeasurementId {
    fn from(id: &str) -> Self {
        MeasurementId(id.to_string())
    }
}

impl From<String> for MeasurementId {
    fn from(id: String) -> Self {
        MeasurementId(id)
    }
}

impl From<&String> for MeasurementId {
    fn from(id: &String) -> Self {
        MeasurementId(id.clone())
    }
}

impl From<&MeasurementId> for MeasurementId {
    fn from(id: &MeasurementId) -> Self {
        id.clone()
    }
}

impl From<MeasurementId> for String {
    fn from(id: MeasurementId) -> String {
        id.0
    }
}

impl PartialEq<str> for MeasurementId {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for MeasurementId {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl PartialEq<String> for MeasurementId {
    fn eq(&self, other: &String) -> bool {
        self.0 == *other
    }
}

impl PartialEq<MeasurementId> for str {
    fn eq(&self, other: &MeasurementId) -> bool {
        self == other.0
    }
}

impl PartialEq<MeasurementId> for String {
    fn eq(&self, other: &MeasurementId) -> bool {
        *self == other.0
    }
}

/// What the ids of one kind of measurement begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Family(&'static str);

impl Family {
    /// Whether an id is one of them.
    pub fn has(self, id: &str) -> bool {
        id.starts_with(self.0)
    }

    /// What of an id is its own.
    pub fn rest(self, id: &str) -> Option<&str> {
        id.strip_prefix(self.0)
    }

    /// The id in it of that rest.
    pub fn id(self, rest: impl fmt::Display) -> MeasurementId {
        MeasurementId(format!("{}{rest}", self.0))
    }
}

/// The kinds of measurements that are looked for by what their ids begin with.
pub mod family {
    use super::Family;

    /// All of storage.
    pub const BLOCK: Family = Family("block.");
    /// The drives again after workloads that read and wrote, at their mix, by their words.
    pub const BLOCK_AFTER: Family = Family("block.after.");
    /// Reads beside a load.
    pub const BLOCK_INTERFERENCE: Family = Family("block.interference.");
    /// Reads.
    pub const BLOCK_READ: Family = Family("block.read.");
    /// Rounds of a steady state.
    pub const BLOCK_STEADY: Family = Family("block.steady.");
    /// Reads with a cache in front of storage and without.
    pub const BLOCK_TIER: Family = Family("block.tier.");
    /// Writes.
    pub const BLOCK_WRITE: Family = Family("block.write.");
    /// All of the clock.
    pub const CLOCK: Family = Family("clock.");
    /// All of the database.
    pub const DATABASE: Family = Family("database.");
    /// The load's client alone.
    pub const DATABASE_CLIENT: Family = Family("database.client");
    /// Lookups with a cache in front of storage and without.
    pub const DATABASE_LOOKUP_TIER: Family = Family("database.lookup_tier.");
    /// Updates by places for the log.
    pub const DATABASE_UPDATE_WAL: Family = Family("database.update.wal_");
    /// Latencies over a fabric, divided.
    pub const FABRIC_SPLIT: Family = Family("fabric.split.");
    /// Operations over a fabric, many in flight.
    pub const FABRIC_THROUGHPUT: Family = Family("fabric.throughput.");
    /// All of the log.
    pub const LOG: Family = Family("log.");
    /// The flush again after workloads that committed, by their words.
    pub const LOG_AFTER: Family = Family("log.after.");
    /// Commits by the log writer, by rates and sessions.
    pub const LOG_CALIBRATE: Family = Family("log.calibrate.");
    /// Group commit, by committers.
    pub const LOG_COMMIT: Family = Family("log.commit.");
    /// Steps of a commit, alone and beside a load.
    pub const LOG_LADDER: Family = Family("log.ladder.");
    /// Streams of logs, by their number.
    pub const LOG_STREAMS: Family = Family("log.streams.");
    /// The log writer at work, by places.
    pub const LOG_WORKING_WAL: Family = Family("log.working.wal_");
    /// All of memory.
    pub const MEMORY: Family = Family("memory.");
    /// Bandwidths.
    pub const MEMORY_BANDWIDTH: Family = Family("memory.bandwidth.");
    /// Bandwidths of reads.
    pub const MEMORY_BANDWIDTH_READ: Family = Family("memory.bandwidth.read.");
    /// Bandwidths of reads, by nodes.
    pub const MEMORY_BANDWIDTH_READ_NODE: Family = Family("memory.bandwidth.read.node");
    /// Latencies.
    pub const MEMORY_LATENCY: Family = Family("memory.latency.");
    /// Bandwidths between nodes.
    pub const MEMORY_MATRIX_READ: Family = Family("memory.matrix.read.");
    /// Bandwidths of reads by memory policies.
    pub const MEMORY_POLICY_READ: Family = Family("memory.policy.read.");
    /// A line between two CPUs, by their distance.
    pub const MEMORY_SHAPE_LINE: Family = Family("memory.shape.line.");
    /// Processes that hammer a translation buffer.
    pub const MEMORY_SLB: Family = Family("memory.slb.");
    /// First touches.
    pub const MEMORY_TOUCH: Family = Family("memory.touch.");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_says_its_layer_its_kind_and_the_rest() {
        let id = family::LOG_COMMIT.id(8);
        assert_eq!(id, "log.commit.8");
        assert_eq!(id.layer(), Some(Layer::Log));
        assert_eq!(family::LOG_COMMIT.rest(&id), Some("8"));
        assert!(family::LOG.has(&id) && !family::BLOCK.has(&id));
        assert_eq!(MeasurementId::from("logs").layer(), None);
    }

    #[test]
    fn it_is_stored_as_its_text() {
        let id = MeasurementId::from("clock.vdso");
        assert_eq!(serde_json::to_string(&id).unwrap(), r#""clock.vdso""#);
        assert_eq!(serde_json::from_str::<MeasurementId>(r#""clock.vdso""#).unwrap(), id);
    }
}
