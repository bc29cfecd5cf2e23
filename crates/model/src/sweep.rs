//! What a load gave by its sessions, and the highest rate that keeps a percentile of latency.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CalibrationEnd, Interval, Unit, Validity};

/// A value with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Ranged {
    /// Estimate.
    pub value: f64,
    /// Low and high.
    pub interval_95: (f64, f64),
}

/// One number of sessions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ScalingPoint {
    /// Sessions.
    pub sessions: u32,
    /// Operations per second, as its measurement has them.
    pub rate_per_s: f64,
    /// What the law says there; absent without a law.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub law_per_s: Option<f64>,
    /// Id of the measurement.
    pub measurement: String,
}

/// The universal scalability law of a sweep: X(N) = λN / (1 + σ(N − 1) + κN(N − 1)) (N. Gunther, "Guerrilla Capacity
/// Planning", 2007).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ScalingLaw {
    /// λ: operations per second of one session.
    pub rate_of_one_per_s: Ranged,
    /// σ: share of the work that one session at a time can do.
    pub contention: Ranged,
    /// κ: cost of agreement per pair of sessions.
    pub coherency: Ranged,
    /// Root mean square of the relative errors of the windows.
    pub error: f64,
    /// Sessions at its peak, and the rate there; absent where the law has none within twice the most sessions measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak: Option<(u32, Ranged)>,
    /// The law at twice the most sessions measured, beyond which it says nothing: sessions and rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub furthest: Option<(u32, Ranged)>,
}

/// How a workload's rate goes with its sessions. Derived: made anew whenever the run is judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Scaling {
    /// The workload, `update`.
    pub workload: String,
    /// By sessions, ascending; measurements that are invalid are left out.
    pub points: Vec<ScalingPoint>,
    /// The law, where the points follow one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub law: Option<ScalingLaw>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_law: Option<String>,
}

/// A workload on one start of the server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct OneStart {
    /// As its measurement has it.
    pub rate_per_s: f64,
    /// Id of the measurement.
    pub measurement: String,
}

/// What starting the server anew does to a workload's rate (one-way analysis of variance with random effects).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct StartsSpread {
    /// Starts that it rests on: those that are not suspect.
    pub starts: u32,
    /// Over these, with the interval of their mean.
    pub rate_per_s: Ranged,
    /// Where one more start lies in 95 of 100 cases, per second: low and high.
    pub next_95: (f64, f64),
    /// Standard deviation that starts have beyond what their windows explain, over the mean.
    pub between: f64,
    /// Standard deviation of windows within a start, over the mean.
    pub within: f64,
    /// How often starts that don't matter differ by so much.
    pub p_value: f64,
}

/// One workload over several starts of the server. Derived: made anew whenever the run is judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Starts {
    /// The workload, `update`.
    pub workload: String,
    /// Operations per second, or of a scan bytes per second.
    pub unit: Unit,
    /// In the order of the starts; measurements that are invalid are left out.
    pub starts: Vec<OneStart>,
    /// What they have in common and not, from three on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<StartsSpread>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_spread: Option<String>,
}

/// The highest rate of an open loop at which a percentile of latency stays within a limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HighestRate {
    /// The workload, `update`.
    pub workload: String,
    /// Sessions that may be open at a time.
    pub sessions: u32,
    /// The percentile, as a share: 0.99.
    pub quantile: f64,
    /// The limit it must keep, ns from when the operation was due.
    pub limit_ns: u64,
    /// How the search ended.
    pub end: CalibrationEnd,
    /// In one sentence.
    pub sentence: String,
    /// The highest rate that its repeats confirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_per_s: Option<f64>,
    /// Where the crossing lies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_95: Option<Interval>,
    /// The percentile in each confirming run at that rate, in order, ns.
    pub quantiles_ns: Vec<f64>,
    /// The closed loop's rate below which was searched.
    pub ceiling_per_s: f64,
    /// Windows of the search.
    pub windows: u32,
    /// Of these, not used: operations failed in them, or the machine stood still.
    pub unusable_windows: u32,
    /// Ids of the measurements that the answer rests on.
    pub rests_on: Vec<String>,
    /// The worst of theirs.
    #[serde(default)]
    pub validity: Validity,
}
