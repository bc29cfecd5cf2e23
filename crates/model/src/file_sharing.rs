//! Whether several writers to one file wait for each other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Interval;

/// What writers to one file reach beside as many that have a file each. Derived: made anew whenever the run is judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileSharing {
    /// Writers, and files of those apart.
    pub writers: u32,
    /// What follows from it.
    pub outcome: FileSharingOutcome,
    /// Their rate together over that apart, window by window; absent where one was empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// Its 95 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_95: Option<Interval>,
    /// Why writes went through the page cache, where they did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direct_refused: Option<String>,
}

/// What follows from the rates together and apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileSharingOutcome {
    /// The file holds its writers up.
    HeldUp,
    /// It takes them at the same time.
    Concurrent,
    /// Neither is shown.
    Open,
}
