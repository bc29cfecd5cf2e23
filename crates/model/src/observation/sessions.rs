//! Who was connected.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Sessions of clients, without ours; means over the questions unless it says otherwise.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ObservedSessions {
    /// Connected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<f64>,
    /// Most connected at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_open: Option<f64>,
    /// Most at work at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_at_work: Option<f64>,
    /// `max_connections`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<f64>,
    /// Age of the oldest open transaction at the end, ns; it keeps vacuum from removing dead rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oldest_transaction_ns: Option<f64>,
    /// The longest that a session was found idle in its transaction, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest_idle_in_transaction_ns: Option<f64>,
    /// Age of the oldest prepared transaction (two-phase commit) at the beginning, ns; it holds locks and keeps vacuum back
    /// without a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oldest_prepared_ns: Option<f64>,
    /// Transactions begun since the oldest snapshot that a replication slot holds; vacuum removes nothing that died after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot_holds: Option<f64>,
    /// Most sessions found waiting behind one holder of locks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_behind_one: Option<f64>,
}
