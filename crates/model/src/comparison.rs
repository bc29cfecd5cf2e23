//! WAL locations beside each other: what a measured workload would do on each, and what it did.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{DurabilityWord, Interval, Validity};

/// A rate of commits with its doubt.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CommitFigure {
    /// Commits per second.
    pub rate_per_s: f64,
    /// Absent where no method gives one for so few repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_95: Option<Interval>,
}

/// What one commit of the workload takes besides WAL, as it was measured on the first place while nothing was flushed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CommitWork {
    /// CPU time of the session's server process, ns.
    pub cpu_ns: f64,
    /// CPU time of the client, ns.
    pub client_cpu_ns: f64,
    /// Waits for reads, locks and anything else but WAL, CPUs and client, ns.
    pub waits_ns: f64,
    /// Log bytes.
    pub wal_bytes: f64,
}

/// The database itself with its log on a place. Times are means unless they say otherwise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PlacedDatabase {
    /// The measurement, `database.update.wal_1`.
    pub measurement: String,
    /// Commits per second.
    pub commits: CommitFigure,
    /// A whole operation as the client saw it, median, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_p50_ns: Option<f64>,
    /// 99 % of them, in a closed loop, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_p99_ns: Option<f64>,
    /// Wait of a commit for WAL, from samples: Oracle's *log file sync*, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_file_sync_ns: Option<f64>,
    /// One flush by the server's own clock: nearest to *log file parallel write*, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flush_ns: Option<f64>,
}

/// The emulated log writer on a place, under sessions that work between their commits as the database's do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PlacedEmulation {
    /// The measurement, `log.working.wal_1`.
    pub measurement: String,
    /// Commits per second.
    pub commits: CommitFigure,
    /// Mean wait of a commit, ns: *log file sync*.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_file_sync_ns: Option<f64>,
    /// Mean write and flush, ns: *log file parallel write*.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parallel_write_ns: Option<f64>,
    /// Commits that share a flush.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commits_per_flush: Option<f64>,
}

/// One step of a location's short ladder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PlacedStep {
    /// The measurement, `log.rung.wal_1.leader`.
    pub measurement: String,
    /// Its name: `flush`, `write.fdatasync.overwrite.8k`, `leader`.
    #[serde(rename = "rung")]
    pub step: String,
    /// Median, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p50_ns: Option<f64>,
    /// 99 % (of all repeats together where single windows are too short), ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99_ns: Option<f64>,
}

/// A folder for WAL, and what is known of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Placement {
    /// `wal_1`, `wal_2`, in the order in which they were named.
    pub name: String,
    /// The folder.
    pub folder: String,
    /// `ext4 on /dev/vda`.
    pub file_system: String,
    /// Nothing there survives the power, by construction. Such a place is never recommended.
    pub in_memory: bool,
    /// Why it can't be seen what is behind it: this machine serves it to itself, or may. Such a place isn't recommended either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unseen: Option<String>,
    /// What is known about its durability.
    pub durability: DurabilityWord,
    /// Why that word.
    pub durability_sentence: String,
    /// Its short ladder, alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ladder: Vec<PlacedStep>,
    /// The emulation there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emulated: Option<PlacedEmulation>,
    /// What the workload would do there. Of the first place it is what the emulation gives, before it is held to the database.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicted: Option<CommitFigure>,
    /// What the database did there; without a proof of the first place alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<PlacedDatabase>,
    /// Measured over predicted, where there are both: the geometric mean of the repeats' ratios.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured_over_predicted: Option<f64>,
    /// Its interval over the repeats; absent where they are too few or don't pair. What the emulation may miss is not in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured_over_predicted_95: Option<Interval>,
    /// Whether prediction and measurement differ by no more than their joint doubt; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agrees: Option<bool>,
    /// Whether that confirms the prediction: the doubt is narrow enough to exclude the first place's rate, or lies all within a tenth
    /// of it. Absent where `agrees` is, and in comparisons that were drawn before it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirms: Option<bool>,
    /// Why there is no prediction, or what explains one that fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The worst of what its figures rest on.
    #[serde(default)]
    pub validity: Validity,
}

/// The comparison. Everything in it follows from the run's measurements, and a newer version can draw it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Comparison {
    /// The workload's word: `update`.
    pub workload: String,
    /// Its sessions.
    pub sessions: u32,
    /// What a commit takes besides WAL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<CommitWork>,
    /// What the sessions commit on the first place with fsync off, before the others: about what a log without flushes gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ceiling: Option<CommitFigure>,
    /// The places; on the first one the workload was measured.
    pub placements: Vec<Placement>,
    /// The answer, one sentence each.
    pub sentences: Vec<String>,
}
