//! Where one database workload is narrow at one operating point, and how that is known.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Interval, ObservedSituation, WhatIf};

/// How sure a verdict is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// Cannot tell; files of before say `open`.
    #[serde(alias = "open")]
    Undecided,
    /// A sum that could have failed, or counters, name it; no test did.
    Likely,
    /// Sum and test agree; files of before say `sure`.
    #[serde(alias = "sure")]
    Confirmed,
}

/// What holds the workload back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Bottleneck {
    /// The server's CPUs are busy with the workload.
    Cpu,
    /// A control group's CPU quota.
    CpuQuota,
    /// Others (or the hypervisor) use the server's CPUs.
    CpuTaken,
    /// Each session uses a CPU all the time, and there are fewer sessions than CPUs.
    CpuPerSession,
    /// Sessions wait for reads that a drive with room to spare answers.
    ReadLatency,
    /// The drives complete as many reads as they can.
    ReadRate,
    /// The drives move as many bytes as they can.
    ReadBandwidth,
    /// A control group's I/O limit.
    IoLimit,
    /// Sessions wait for WAL.
    CommitWait,
    /// The flush inside the server takes longer than the same flush outside it.
    CommitInsideServer,
    /// The drives complete as many writes as they can.
    WriteRate,
    /// Sessions wait for locks or latches inside the server.
    Lock,
    /// One server process or thread is busy all the time.
    HotThread,
    /// A scan's workers are busy; more workers would help.
    Workers,
    /// The load generator, or the wire between it and the server.
    Client,
    /// Nothing that was measured explains the rate.
    Unknown,
}

impl Bottleneck {
    /// Every place that can be named, without [`Bottleneck::Unknown`].
    pub const NAMED: [Bottleneck; 15] = [
        Bottleneck::Cpu,
        Bottleneck::CpuQuota,
        Bottleneck::CpuTaken,
        Bottleneck::CpuPerSession,
        Bottleneck::ReadLatency,
        Bottleneck::ReadRate,
        Bottleneck::ReadBandwidth,
        Bottleneck::IoLimit,
        Bottleneck::CommitWait,
        Bottleneck::CommitInsideServer,
        Bottleneck::WriteRate,
        Bottleneck::Lock,
        Bottleneck::HotThread,
        Bottleneck::Workers,
        Bottleneck::Client,
    ];

    /// Its name on every screen, in two to five words.
    pub const fn words(self) -> &'static str {
        match self {
            Bottleneck::Cpu => "CPU",
            Bottleneck::CpuQuota => "CPU quota",
            Bottleneck::CpuTaken => "CPU used by other programs",
            Bottleneck::CpuPerSession => "CPU time of each session",
            Bottleneck::ReadLatency => "read latency",
            Bottleneck::ReadRate => "drives' read rate",
            Bottleneck::ReadBandwidth => "drives' read bandwidth",
            Bottleneck::IoLimit => "control group's I/O limit",
            Bottleneck::CommitWait => "commit wait",
            Bottleneck::CommitInsideServer => "commit wait inside the server",
            Bottleneck::WriteRate => "drives' write rate",
            Bottleneck::Lock => "locks inside the server",
            Bottleneck::HotThread => "one server process",
            Bottleneck::Workers => "workers",
            Bottleneck::Client => "client",
            Bottleneck::Unknown => "unknown",
        }
    }
}

/// Where the workload was observed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct OperatingPoint {
    /// Concurrent sessions.
    pub sessions: u32,
    /// Think time, ns.
    pub think_ns: f64,
    /// Parallel workers of a scan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workers: Option<u32>,
}

/// Where a capacity comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// Measured in this run.
    Measured,
    /// A limit from a table.
    Limit,
    /// Counted: CPUs in the set, a quota.
    Counted,
    /// A setting an administrator made.
    Configured,
}

/// What one resource would allow: capacity over demand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Bound {
    /// The resource.
    pub resource: Bottleneck,
    /// Words for the screen: "CPU, 8 threads", "data reads".
    pub label: String,
    /// What the resource gives per second, in `capacity_unit`.
    pub capacity: f64,
    /// `cpus`, `reads_per_s`, `bytes_per_s`, `commits_per_s`.
    pub capacity_unit: String,
    /// What one operation takes of it, in the matching unit (seconds of CPU, reads, bytes, commits).
    pub demand_per_op: f64,
    /// Highest rate it allows, operations per second.
    pub bound_per_s: f64,
    /// Interval of the bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_95: Option<Interval>,
    /// Where the capacity comes from.
    pub provenance: Provenance,
    /// The measurement it rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measurement: Option<String>,
}

/// How busy a resource was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Utilisation {
    /// The resource.
    pub resource: Bottleneck,
    /// Words for the screen.
    pub label: String,
    /// Demand times rate over capacity; `None` where the capacity is unknown.
    pub value: Option<f64>,
}

/// Which law the sum follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SumKind {
    /// Capacity over demand of one saturated resource.
    Capacity,
    /// Sessions over the time one operation takes.
    Session,
    /// WAL as a batch server: the measured commit ladder.
    Batch,
}

/// One part of the sum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SumTerm {
    /// `CPU`, `read`, `flush`, `lock`, `run queue`, `client`, `other`.
    pub name: String,
    /// Time per operation, ns.
    pub ns_per_op: f64,
}

/// The sum that must reproduce the measured rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Sum {
    /// The law.
    pub kind: SumKind,
    /// Sessions (for [`SumKind::Session`]) or CPUs (for [`SumKind::Capacity`]).
    pub servers: f64,
    /// Its parts.
    pub terms: Vec<SumTerm>,
    /// What the sum gives, operations per second.
    pub predicted_per_s: f64,
    /// What was measured, operations per second.
    pub measured_per_s: f64,
    /// Whether they agree within the tolerance (5 %).
    pub agrees: bool,
    /// The largest error in the sum, relative, that an account kept apart from it would have shown; absent where nothing
    /// was held against it, and where the law needs no account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked_to: Option<f64>,
}

/// CPU time per operation at this load against alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Sharing {
    /// At the operating point, ns.
    pub loaded_ns_per_op: f64,
    /// With a lone session, ns.
    pub alone_ns_per_op: f64,
    /// What two busy threads of a core cost each other, as measured on these cores; 1 without SMT, absent
    /// where SMT is active and its yield was not measured.
    pub smt_factor: Option<f64>,
    /// The most by which the clock can be higher for a lone session: the highest over the sustained one; absent where the
    /// machine does not tell its clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_factor: Option<f64>,
    /// loaded / alone / smt_factor: memory, coherence or locks, or a lower clock.
    pub ratio: Option<f64>,
    /// Above 1.15 times what the clock can explain: more cores will not scale.
    pub limits_scaling: bool,
}

/// An intervention and what it did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Test {
    /// What was changed: `sessions x2`, `synchronous_commit=off`.
    pub intervention: String,
    /// The measurement that holds it.
    pub measurement: String,
    /// Relative change of the rate.
    pub effect: f64,
    /// Interval of the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_95: Option<Interval>,
    /// Change the verdict predicts, from.
    pub expected_low: f64,
    /// Change the verdict predicts, to.
    pub expected_high: f64,
    /// Whether what happened is what the verdict predicts and its rivals don't.
    pub confirms: bool,
}

/// What would bind after this one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct NextLimit {
    /// The resource.
    pub resource: Bottleneck,
    /// Words for the screen.
    pub label: String,
    /// Rate at which it binds, operations per second, where known.
    pub bound_per_s: Option<f64>,
}

/// The verdict on one workload at one operating point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Verdict {
    /// `lookup_cached`, `lookup_uncached`, `update`, `scan`, `observed`.
    pub workload: String,
    /// The measurement it is about.
    pub measurement: String,
    /// Where it was observed.
    pub operating_point: OperatingPoint,
    /// Measured rate, operations per second (scans: bytes per second are in the measurement).
    pub throughput_per_s: f64,
    /// Its interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throughput_interval_95: Option<Interval>,
    /// 99th percentile at 70 % of that rate in an open loop, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_p99_open_ns: Option<f64>,
    /// What holds it back.
    pub narrow: Bottleneck,
    /// The rival, where two can't be told apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub or: Option<Bottleneck>,
    /// One phrase for the screen: "CPU, 97 % busy".
    pub phrase: String,
    /// How sure.
    pub grade: Grade,
    /// Why it is not surer; empty for CONFIRMED.
    pub reasons: Vec<String>,
    /// How busy each resource was.
    pub utilisation: Vec<Utilisation>,
    /// What each resource would allow, lowest first.
    pub bounds: Vec<Bound>,
    /// The sum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sum: Option<Sum>,
    /// Sharing factor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sharing: Option<Sharing>,
    /// The intervention.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<Test>,
    /// What comes next.
    pub next: Vec<NextLimit>,
    /// Upper bound, by the law, of the rate's relative gain if the bottleneck were removed; absent where the law
    /// gives none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain_at_most: Option<f64>,
    /// The relative gain that the test showed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain_tested: Option<f64>,
    /// How near an observed server is to its ends, and what its transactions' time consists of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standing: Option<ObservedSituation>,
    /// What changes that were asked about would allow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub what_if: Vec<WhatIf>,
}
