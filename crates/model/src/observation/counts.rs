//! The server's own counters, as they changed.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Sums over the interval and all databases. Names of the views' columns are in the database layer, which knows where each
/// version keeps them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct ObservedCounts {
    /// Transactions that ended in a commit, without narrows' own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commits: Option<f64>,
    /// Transactions that were rolled back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rollbacks: Option<f64>,
    /// Transaction ids given out: one for each transaction that wrote, and one for each savepoint that did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writers: Option<f64>,
    /// Blocks found in the buffer pool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_hits: Option<f64>,
    /// Blocks not found there. The system's page cache may have had them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_reads: Option<f64>,
    /// Time in reads of data files, ns (`track_io_timing`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_ns: Option<f64>,
    /// Blocks that sessions themselves had to write to make room, not the checkpointer or the background writer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_writes: Option<f64>,
    /// Blocks the checkpointer wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint_writes: Option<f64>,
    /// Blocks the background writer wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background_writes: Option<f64>,
    /// Time in writes of data files, ns (`track_io_timing`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_ns: Option<f64>,
    /// Rows that scans read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_read: Option<f64>,
    /// Rows inserted, updated or deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_changed: Option<f64>,
    /// Temporary files made, because `work_mem` was too small.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temp_files: Option<f64>,
    /// Bytes written to them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temp_bytes: Option<f64>,
    /// Deadlocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadlocks: Option<f64>,
    /// Statements of a standby that were cancelled because they stood in the way of replay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay_conflicts: Option<f64>,
    /// Time that sessions spent executing statements, ns (PostgreSQL 14 and later). Reported when a statement ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_ns: Option<f64>,
    /// Time that sessions spent in a transaction without a statement, ns (14 and later).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_in_transaction_ns: Option<f64>,
    /// Connections made (14 and later), without narrows' own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connections: Option<f64>,
    /// WAL written, by its position, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_bytes: Option<f64>,
    /// Full-page images in WAL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_pages: Option<f64>,
    /// Times that wal_buffers was full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_buffers_full: Option<f64>,
    /// WAL flushes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flushes: Option<f64>,
    /// Time in WAL flushes and writes, ns (`track_wal_io_timing`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flush_ns: Option<f64>,
    /// Checkpoints begun because their time had come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoints_timed: Option<f64>,
    /// Checkpoints begun because WAL had grown to `max_wal_size`, or because one was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoints_requested: Option<f64>,
}

impl ObservedCounts {
    /// Transactions that ended, one way or the other; `None` where they are not counted.
    pub fn transactions(&self) -> Option<f64> {
        Some(self.commits? + self.rollbacks.unwrap_or(0.0))
    }
}
