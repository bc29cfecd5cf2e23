//! What only MariaDB counts: its status counters, what its digests say beyond time and calls, what its purge waits for.
//!
//! Source: MariaDB documentation, "Server Status Variables", "InnoDB Status Variables", "Performance Schema
//! events_statements_summary_by_digest Table", "Information Schema INNODB_TRX Table".

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A MariaDB that was observed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct MariaDbUse {
    /// Whether `performance_schema` is on, so that statements are counted.
    pub performance_schema: bool,
    /// Counters of `SHOW GLOBAL STATUS` by their names: how much they grew while observed, without narrows' own statements where a
    /// counter has these.
    pub grown: BTreeMap<String, f64>,
    /// Figures of `SHOW GLOBAL STATUS` that go up and down, by their names, at the end.
    pub level: BTreeMap<String, f64>,
    /// The highest of these that windows ended with.
    pub highest: BTreeMap<String, f64>,
    /// What statements took beyond what every server counts, by digest, most rows examined first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub statements: Vec<MariaDbStatement>,
    /// Whether the server says who holds metadata locks (plugin `METADATA_LOCK_INFO`); without it, who does is concluded from ages.
    pub metadata_locks_known: bool,
    /// What its process took; absent where it is not on this machine, or can't be seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process: Option<MariaDbProcess>,
}

/// What the process of a MariaDB took while observed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct MariaDbProcess {
    /// CPUs that it used on average.
    pub cpus: f64,
    /// CPUs that it may run on.
    pub allowed_cpus: f64,
    /// Bytes that it had read from drives, where that may be seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drive_read_bytes: Option<f64>,
}

impl MariaDbProcess {
    /// Of the CPUs that it may use, the share from which on they are full.
    const FULL: f64 = 0.9;

    /// Whether it uses all that it may. A quota of its control group is not in it.
    pub fn fills_its_cpus(&self) -> bool {
        self.allowed_cpus > 0.0 && self.cpus >= Self::FULL * self.allowed_cpus
    }
}

impl MariaDbUse {
    /// How much a counter grew.
    pub fn grew(&self, name: &str) -> Option<f64> {
        self.grown.get(name).copied().filter(|n| n.is_finite() && *n >= 0.0)
    }

    /// A figure at the end.
    pub fn at_end(&self, name: &str) -> Option<f64> {
        self.level.get(name).copied().filter(|n| n.is_finite())
    }

    /// The highest that a figure was found.
    pub fn at_most(&self, name: &str) -> Option<f64> {
        self.highest.get(name).copied().filter(|n| n.is_finite())
    }

    /// What is counted of a statement beyond calls and time.
    pub fn statement(&self, id: &str) -> Option<&MariaDbStatement> {
        self.statements.iter().find(|statement| statement.id == id)
    }
}

/// What `events_statements_summary_by_digest` counts of a digest beyond calls and time, in all databases; sums over the interval.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct MariaDbStatement {
    /// The digest.
    pub id: String,
    /// Executions.
    pub calls: f64,
    /// Rows that the server read to answer.
    pub rows_examined: f64,
    /// Rows sent to clients.
    pub rows_sent: f64,
    /// Rows changed.
    pub rows_affected: f64,
    /// Time in waits for table locks, ns; row locks are not in it.
    pub lock_ns: f64,
    /// Internal temporary tables.
    pub temporary_tables: f64,
    /// Those of them that went to disk.
    pub disk_tables: f64,
    /// Passes in which sorts that did not fit were merged.
    pub merge_passes: f64,
    /// Joins that read the whole of a further table for each row.
    pub full_joins: f64,
    /// Executions that used no index for a table.
    pub no_index: f64,
}
