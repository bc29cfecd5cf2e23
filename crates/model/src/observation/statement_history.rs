//! Which statements sessions were in over time, and what they waited for there.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ActivityState;

/// In which statement a process was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StatementGroup {
    /// One of [`StatementHistory::statements`], by its place there.
    Listed(u32),
    /// Any other statement.
    Others,
    /// A statement that the server gave neither an id nor a text, or which the role may not see.
    Unknown,
}

/// Processes of sessions found in a statement, in one state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct StatementSamples {
    /// In which statement; of a session idle in transaction, its last one.
    pub statement: StatementGroup,
    /// Doing what.
    pub state: ActivityState,
    /// Times found: a process in a sample is one.
    pub count: u64,
}

/// One slice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct StatementMoment {
    /// Middle of the slice, ns from the start of the observation.
    pub at_ns: f64,
    /// Times the server was asked in it.
    pub samples: u64,
    /// What was found, in the order of statements and states.
    pub found: Vec<StatementSamples>,
}

impl StatementMoment {
    /// Mean number of processes in what `counts` takes.
    pub fn mean(&self, counts: impl Fn(&StatementSamples) -> bool) -> f64 {
        let times: u64 = self.found.iter().filter(|found| counts(found)).map(|f| f.count).sum();
        times as f64 / self.samples.max(1) as f64
    }
}

/// Sessions and their parallel workers over time, by statement and by what they were doing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct StatementHistory {
    /// Ids of the statements told apart, those with the most processes first: [`StatementHistory::LISTED`] at most.
    pub statements: Vec<String>,
    /// Slices of equal length, [`StatementHistory::SLICES`] at most; those in which nobody asked are left out.
    pub moments: Vec<StatementMoment>,
}

impl StatementHistory {
    /// Statements that are told apart.
    pub const LISTED: usize = 5;
    /// Slices that are kept.
    pub const SLICES: usize = 120;

    /// Times that a process was found, over all slices, in what `counts` takes.
    pub fn times(&self, counts: impl Fn(&StatementSamples) -> bool) -> u64 {
        let found = self.moments.iter().flat_map(|moment| &moment.found);
        found.filter(|found| counts(found)).map(|found| found.count).sum()
    }
}
