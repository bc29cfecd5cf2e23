//! What is run, and what is changed about it.

/// A workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Workload {
    /// One row by its key, from the buffer pool.
    LookupCached,
    /// One row by its key, from the drive.
    LookupUncached,
    /// One row, one durable commit.
    Update,
    /// The whole table, from the drive.
    Scan,
}

impl Workload {
    /// The word in ids.
    pub fn word(self) -> &'static str {
        match self {
            Workload::LookupCached => "lookup_cached",
            Workload::LookupUncached => "lookup_uncached",
            Workload::Update => "update",
            Workload::Scan => "scan",
        }
    }

    pub(crate) fn statement(self, table: &str) -> String {
        match self {
            Workload::LookupCached | Workload::LookupUncached => {
                format!("SELECT v FROM {table} WHERE k = $1")
            }
            Workload::Update => format!("UPDATE {table} SET v = v + 1 WHERE k = $1"),
            // The sum has to read every row; a bare count could be answered from less.
            Workload::Scan => format!("SELECT sum(v) FROM {table}"),
        }
    }

    pub(crate) fn expected_plan(self, workers: u32) -> &'static str {
        match self {
            Workload::Scan if workers > 1 => "Parallel Seq Scan",
            Workload::Scan => "Seq Scan",
            _ => "Index Scan",
        }
    }
}

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
            intervention: None,
            baseline: None,
        }
    }

    /// A scan by that many processes.
    pub fn scan(id: impl Into<String>, workers: u32) -> Self {
        Variation { workers, ..Variation::closed(id, 1) }
    }

    pub(crate) fn settings(&self, workload: Workload) -> Vec<String> {
        let mut settings = vec![
            "jit = off".to_string(),
            "enable_bitmapscan = off".to_string(),
            "plan_cache_mode = force_generic_plan".to_string(),
        ];
        match workload {
            Workload::Update => settings.push(format!(
                "synchronous_commit = {}",
                if self.synchronous_commit { "on" } else { "off" }
            )),
            Workload::Scan => {
                // The leader scans too. With pages at their usual price all plans of a one-row-per-block table cost
                // the same to within the planner's tolerance of 1 %, and the serial one wins.
                settings.push(format!("max_parallel_workers_per_gather = {}", self.workers - 1));
                settings.push("seq_page_cost = 0".to_string());
                settings.push("parallel_setup_cost = 0".to_string());
                settings.push("parallel_tuple_cost = 0".to_string());
                settings.push("enable_indexscan = off".to_string());
                settings.push("enable_indexonlyscan = off".to_string());
            }
            _ => settings.push("max_parallel_workers_per_gather = 0".to_string()),
        }
        settings
    }
}
