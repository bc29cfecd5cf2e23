//! What is run, and what is changed about it.

/// One way of running a workload.
#[derive(Debug, Clone, PartialEq)]
pub struct Variation {
    /// Id of the measurement it fills.
    pub id: String,
    /// Sessions.
    pub sessions: u32,
    /// Processes that scan together, the leader included.
    pub workers: u32,
    /// Processors of the server; empty leaves them as they are.
    pub server_cpus: Vec<u32>,
    /// Whether commits wait for their flush.
    pub synchronous_commit: bool,
    /// Operations per second of an open loop; `None` is a closed loop.
    pub open_rate_per_s: Option<f64>,
    /// Limit of latency that an open loop counts by slices, ns.
    pub limit_ns: Option<u64>,
    /// What was changed, for a test of a verdict.
    pub intervention: Option<String>,
    /// The measurement a test is compared with.
    pub baseline: Option<String>,
}

impl Variation {
    /// The workload as it is, in a closed loop.
    pub fn closed(id: impl Into<String>, sessions: u32) -> Self {
        Variation {
            id: id.into(),
            sessions,
            workers: 1,
            server_cpus: Vec::new(),
            synchronous_commit: true,
            open_rate_per_s: None,
            limit_ns: None,
            intervention: None,
            baseline: None,
        }
    }

    /// A scan by that many processes.
    pub fn scan(id: impl Into<String>, workers: u32) -> Self {
        Variation { workers, ..Variation::closed(id, 1) }
    }
}
