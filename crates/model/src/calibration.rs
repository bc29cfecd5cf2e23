//! "How many operations per second at a percentile of latency within a limit", with everything needed to draw and to
//! doubt the answer.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Interval, MeasurementId, Validity};

/// The question that was asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CalibrationGoal {
    /// In words: `8 KiB random reads`.
    pub what: String,
    /// Bytes of an operation.
    pub block_bytes: u32,
    /// Share of reads; the rest are writes.
    pub read_share: f64,
    /// The percentile, as a share: 0.99.
    pub quantile: f64,
    /// The limit it must keep, ns from when the operation was due.
    pub limit_ns: u64,
    /// How operations arrive: `poisson` or `constant`.
    #[serde(default)]
    pub arrivals: String,
    /// What ran at the same time, in words: `a durable 8 KiB log stream`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<String>,
}

/// How the search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CalibrationEnd {
    /// A rate kept the limit in its repeats and the next one missed it in its own.
    Found,
    /// Even the lowest rate misses it.
    Unreachable,
    /// No rate misses it: something else ends the growth.
    Unlimited,
    /// It was kept at one rate and missed at a lower one.
    Unstable,
    /// The load generator could not follow.
    GeneratorBound,
    /// The windows allowed were used up.
    Unfinished,
}

/// One depth of a closed loop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct DepthPoint {
    /// Operations in flight.
    pub depth: u32,
    /// Operations per second.
    pub rate_per_s: f64,
    /// Mean latency, ns.
    pub latency_mean_ns: Option<f64>,
    /// 99 %, where there were enough operations for it, ns.
    pub latency_p99_ns: Option<f64>,
}

/// One point of the curve of latency against rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CurvePoint {
    /// Its place in the order in which the points were run, from zero.
    pub order: u32,
    /// Whether it is the point that is run again and again to see drift.
    pub sentinel: bool,
    /// Operations asked for per second.
    pub asked_per_s: f64,
    /// Operations completed per second.
    pub achieved_per_s: f64,
    /// Whether the queue stayed bounded; where it did not, latencies only restate the length of the window.
    pub bounded: bool,
    /// Latencies from the intended time, ns.
    pub latency_mean_ns: Option<f64>,
    /// Median.
    pub latency_p50_ns: Option<f64>,
    /// 99 %.
    pub latency_p99_ns: Option<f64>,
    /// 99.9 %, where there were enough operations for it.
    pub latency_p999_ns: Option<f64>,
    /// 99 % of the generator's own lateness, ns.
    pub lateness_p99_ns: Option<f64>,
    /// CPU time of this process per operation, ns.
    pub cpu_per_op_ns: Option<f64>,
}

/// What Oracle's `DBMS_RESOURCE_MANAGER.CALIBRATE_IO` would print, in its form and units.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct OracleNumbers {
    /// `max_iops`: operations per second, whole.
    pub max_iops: u64,
    /// `max_mbps`: megabytes per second with 1 MiB reads, whole.
    pub max_mbps: u64,
    /// `actual_latency` (`latency`): mean latency at `max_iops`, whole milliseconds.
    pub latency_ms: u64,
    /// `max_pmbps`: megabytes per second that one process reached, whole; absent where it was not measured.
    pub max_pmbps: Option<u64>,
}

/// An answer with its evidence. Rates are operations per second.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Calibration {
    /// `block.calibrate.read.8k`; the measurements of its windows begin with it.
    pub id: String,
    /// What was asked.
    pub goal: CalibrationGoal,
    /// How the search ended.
    pub end: CalibrationEnd,
    /// In one sentence, with the figures of an end that is not `found`.
    pub sentence: String,
    /// The highest rate confirmed by repeats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_per_s: Option<f64>,
    /// Where the crossing lies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_95: Option<Interval>,
    /// The percentile in each confirming run at that rate, in order, ns.
    pub quantiles_ns: Vec<f64>,
    /// Confirming runs at that rate and at the next one above, which failed.
    pub repeats: (u32, u32),
    /// Mean latency at that rate, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_mean_ns: Option<f64>,
    /// Latency of one operation at a time, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alone_ns: Option<f64>,
    /// The most a closed loop reached, and the depth it needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ceiling_per_s: Option<f64>,
    /// Requests in flight at the ceiling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ceiling_depth: Option<u32>,
    /// Rate with the most throughput per latency (the largest X/R of the curve): beyond it latency grows faster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knee_per_s: Option<f64>,
    /// The curve, in the order of the rates.
    pub curve: Vec<CurvePoint>,
    /// The closed loop by depth, in order of depth.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ramp: Vec<DepthPoint>,
    /// CPU time of this process, kernel included, per operation of the closed loop at the ceiling, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_per_op_ns: Option<f64>,
    /// A rate well above the answer that kept the limit in a shorter window before: what is given for a moment, between two
    /// stalls or as long as credits last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst_per_s: Option<f64>,
    /// Whether all its windows together held fewer independent operations beyond the percentile than a sure answer needs; it is then
    /// no answer to rely on.
    #[serde(default)]
    pub thin: bool,
    /// Whether no single rate was decided by its own runs, and those of neighbouring rates were counted with them.
    #[serde(default)]
    pub pooled: bool,
    /// Windows of the search.
    #[serde(default)]
    pub windows: u32,
    /// Of these, not used: something else disturbed them, or operations failed.
    #[serde(default)]
    pub unusable_windows: u32,
    /// What the load generator reaches without a device, operations per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generator_per_s: Option<f64>,
    /// What ends the growth, in words with its figures; absent where it isn't known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<String>,
    /// Bytes per second with 1 MiB reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth_bytes_per_s: Option<f64>,
    /// Reads of that size in flight there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth_depth: Option<u32>,
    /// The same by one thread with blocking reads, as one server process would.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process_bandwidth_bytes_per_s: Option<f64>,
    /// Oracle's three numbers, where reads alone were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oracle: Option<OracleNumbers>,
    /// Ids of the measurements that the answer rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests_on: Vec<String>,
    /// The worst of theirs; see [`crate::Run::apply_findings`].
    #[serde(default)]
    pub validity: Validity,
}

impl Calibration {
    /// Whether the answer rests on the measurement of that id.
    pub fn rests_on(&self, id: &MeasurementId) -> bool {
        self.rests_on.iter().any(|rests| id == rests)
    }
}

impl Calibration {
    /// The rate, where the search found one and nothing it rests on is invalid.
    pub fn answer_per_s(&self) -> Option<f64> {
        let stands = self.end == CalibrationEnd::Found && self.validity != Validity::Invalid;
        self.rate_per_s.filter(|_| stands)
    }
}
