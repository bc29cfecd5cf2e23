//! A resource and the highest rate it allows: capacity over demand, `X ≤ C / D`.

use narrows_model::{Bottleneck, Bound, Provenance, Utilisation};

use crate::estimate::Estimate;
use crate::threshold::{NEAR_SATURATION, SATURATED};

/// Which law a bound follows, and so what an intervention does to it. Several places can carry one [`Bottleneck`]:
/// the drives and the server's path to them both limit reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BoundLaw {
    /// Processors the server could use.
    Cpu,
    /// Reads per second of the drives by the best path.
    Drives,
    /// Reads per second by the path the server takes, at the depth where that path stops growing.
    ReadPath,
    /// Reads per second by that path with as many in flight as there are sessions: a latency, not a rate.
    ReadsInFlight,
    /// Bytes per second of sequential reads.
    ReadBytes,
    /// Writes per second of the drives.
    Writes,
    /// Reads and writes per second of the drives, both at once in the workload's own shares.
    Mix,
    /// A control group's limit on reads.
    ReadLimit,
    /// A control group's limit on writes.
    WriteLimit,
    /// What the links to the drives carry, by their specification: a ceiling that no drive need reach.
    Link,
    /// The measured ladder of group commit.
    Log,
    /// One thread.
    Thread,
    /// The client's processors.
    Client,
    /// Sessions (or workers) over the time of one operation, queues left out.
    Session,
}

/// One bound on the rate.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub place: BoundLaw,
    pub narrow: Bottleneck,
    pub label: String,
    pub capacity: Estimate,
    pub capacity_unit: &'static str,
    pub demand_per_op: Estimate,
    /// Capacity over demand, operations per second.
    pub rate: Estimate,
    pub provenance: Provenance,
    pub measurement: Option<String>,
}

impl Candidate {
    /// `None` where the demand is none, so that no bound follows.
    pub fn new(
        place: BoundLaw,
        narrow: Bottleneck,
        label: impl Into<String>,
        capacity: (Estimate, &'static str),
        demand_per_op: Estimate,
        provenance: Provenance,
    ) -> Option<Self> {
        let rate = capacity.0.over(demand_per_op).filter(|rate| rate.value > 0.0)?;
        Some(Candidate {
            place,
            narrow,
            label: label.into(),
            capacity: capacity.0,
            capacity_unit: capacity.1,
            demand_per_op,
            rate,
            provenance,
            measurement: None,
        })
    }

    /// The same with another capacity and demand; `None` where nothing is left to demand.
    pub fn changed(&self, capacity: Estimate, demand_per_op: Estimate) -> Option<Self> {
        let rate = capacity.over(demand_per_op).filter(|rate| rate.value > 0.0)?;
        Some(Candidate { capacity, demand_per_op, rate, ..self.clone() })
    }

    /// Names the measurement that the capacity rests on.
    pub fn resting_on(mut self, id: impl Into<String>) -> Self {
        self.measurement = Some(id.into());
        self
    }

    /// Share of the capacity in use at a rate. The session bound's "utilisation" is the share of its time that
    /// a session does not queue.
    pub fn utilisation(&self, rate: f64) -> f64 {
        rate / self.rate.value
    }

    /// Whether it is a resource that fills up.
    pub fn fills_up(&self) -> bool {
        !matches!(self.place, BoundLaw::Session | BoundLaw::Log | BoundLaw::ReadsInFlight)
    }

    pub fn is_saturated(&self, rate: f64) -> bool {
        self.fills_up() && self.utilisation(rate) >= SATURATED
    }

    pub fn is_nearly_saturated(&self, rate: f64) -> bool {
        self.fills_up() && self.utilisation(rate) >= NEAR_SATURATION
    }

    /// Whether reads queue in front of it.
    pub fn serves_reads(&self) -> bool {
        matches!(
            self.place,
            BoundLaw::Drives
                | BoundLaw::ReadPath
                | BoundLaw::ReadBytes
                | BoundLaw::ReadLimit
                | BoundLaw::Mix
        )
    }

    /// For the run file.
    pub fn to_bound(&self) -> Bound {
        Bound {
            resource: self.narrow,
            label: self.label.clone(),
            capacity: self.capacity.value,
            capacity_unit: self.capacity_unit.to_string(),
            demand_per_op: self.demand_per_op.value,
            bound_per_s: self.rate.value,
            interval_95: self.rate.interval(),
            provenance: self.provenance,
            measurement: self.measurement.clone(),
        }
    }

    /// For the run file.
    pub fn to_utilisation(&self, rate: f64) -> Utilisation {
        Utilisation {
            resource: self.narrow,
            label: self.label.clone(),
            value: Some(self.utilisation(rate)),
        }
    }
}

/// Whether two names are one place seen from two sides, so that neither is the other's rival.
pub(crate) fn same_place(a: Bottleneck, b: Bottleneck) -> bool {
    fn group(narrow: Bottleneck) -> Bottleneck {
        match narrow {
            Bottleneck::CpuQuota | Bottleneck::CpuTaken => Bottleneck::Cpu,
            Bottleneck::CommitInsideServer => Bottleneck::CommitWait,
            other => other,
        }
    }
    group(a) == group(b)
}
