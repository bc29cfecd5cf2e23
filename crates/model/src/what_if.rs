//! What a change would allow at most, by the law: derived from a verdict's bounds, never measured.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bottleneck, Interval};

/// One workload after one or several changes at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct WhatIf {
    /// The changes as they were asked for: `storage=2x`.
    pub changes: Vec<String>,
    /// Operations per second that the lowest bound allows without any change.
    pub now_at_most_per_s: f64,
    /// What binds then; absent where the law supports no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<WhatIfThen>,
    /// Why there is no answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
    /// Under which assumptions it holds, and what it does not know of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
}

/// What the law says of the time after the changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct WhatIfThen {
    /// Operations per second at most: the lowest bound.
    pub at_most_per_s: f64,
    /// Its 95 % interval, of the bound and not of what will be measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_95: Option<Interval>,
    /// Over the measured rate, less 1; 0 where the changes touch nothing that the workload is known to use.
    pub gain_at_most: f64,
    /// What binds then.
    pub binds: Bottleneck,
    /// Words for it.
    pub label: String,
    /// The time of one operation in a session without queues, ns: no operation is shorter on average.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_at_least_ns: Option<f64>,
    /// At the rate of now, the time of one operation in the server at most: queues only shrink. For observed servers, whose rate
    /// their clients choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_at_most_ns: Option<f64>,
}
