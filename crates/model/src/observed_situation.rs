//! How an observed server stands: how near it is to each end, and what a transaction's time in it consists of.
//!
//! Neither is the other: a server far from every end has slow transactions all the same, and one whose transactions are short
//! can be full.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bottleneck, Interval, Provenance};

/// Beside the verdict on an observed server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct ObservedSituation {
    /// The known end that is nearest if everything grew in proportion; absent where no capacity is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Headroom>,
    /// What a transaction's time in the server consists of; absent where a part is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<TransactionTime>,
    /// Sessions open, mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions_open: Option<f64>,
    /// Of these, in a statement, mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions_at_work: Option<f64>,
    /// Who used the CPUs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub users: Vec<ProcessorUser>,
    /// The same in words, for any screen, the most important first.
    pub sentences: Vec<String>,
    /// Of a server's own report: what faster drives or a faster log would take off its time at most, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gains: Option<String>,
    /// What to do where hardly a transaction ended, so that no law holds and the waits alone speak.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<Step>,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Step {
    /// What.
    pub action: String,
    /// A command or a statement that shows whether it helped, or more.
    pub prove: String,
}

/// How far a resource is from its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Headroom {
    /// The resource.
    pub resource: Bottleneck,
    /// Words for the screen.
    pub label: String,
    /// Share in use.
    pub utilisation: f64,
    /// At most this many times the rate of now.
    pub factor_at_most: f64,
    /// Its 95 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_95: Option<Interval>,
    /// Where the capacity comes from.
    pub provenance: Provenance,
}

/// Whose account of the time in statements the sum was held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TimeAccount {
    /// The server's own, kept statement by statement.
    Server,
    /// How many sessions were found active, by the same samples that the waits come from: the weaker check.
    Samples,
}

/// The mean time of a transaction inside the server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct TransactionTime {
    /// Summed from its parts, ns.
    pub summed_ns: f64,
    /// By the account that the sum must come to, ns.
    pub account_ns: f64,
    /// Whose account.
    pub account: TimeAccount,
    /// The parts, largest first.
    pub parts: Vec<TimeShare>,
}

/// A part of a transaction's time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct TimeShare {
    /// `CPU`, `run queue`, `read`, `flush`, `lock`, `client`, `other`.
    pub name: String,
    /// Per transaction, ns.
    pub ns_per_op: f64,
    /// Its 95 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_95: Option<Interval>,
    /// Of the sum: without this part a transaction would be shorter by at most so much.
    pub share: f64,
}

/// CPUs used by one kind of process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ProcessorUser {
    /// `sessions`, `autovacuum`, `kernel`, `others`.
    pub who: String,
    /// CPUs, mean.
    pub cpus: f64,
}
