//! What is simulated: a server's resources and the steps of one operation.

use crate::law::Law;

/// One step of an operation, in the order in which a session takes them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    /// The client works (on its own processors), while the session waits for it.
    Client(Law),
    /// The wire, or a client that is elsewhere: the session waits for it, nobody is busy.
    Wire(Law),
    /// The session's process needs a processor for that long.
    Cpu(Law),
    /// One block from the drives.
    Read,
    /// Takes the lock, waiting for it.
    Lock,
    /// Gives it back.
    Unlock,
    /// Durable commit: waits for a flush that began after this.
    Commit,
    /// Another wait.
    Pause(Law),
}

/// Drives: equal servers with one queue in front of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Disk {
    /// Requests that are served at the same time.
    pub channels: u32,
    /// Service time of one request.
    pub service: Law,
}

/// A log with group commit: a flush takes all who wait when it starts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Log {
    /// A flush of one commit.
    pub flush: Law,
    /// What each further commit adds to it, ns.
    pub per_commit_ns: f64,
    /// What the server adds to each flush, which the log layer does not have, ns.
    pub inside_ns: f64,
}

/// A server, its load, and its surroundings.
#[derive(Debug, Clone, PartialEq)]
pub struct Server {
    /// Sessions in a closed loop (a scan: workers).
    pub sessions: u32,
    /// Time a session thinks between operations.
    pub think: Option<Law>,
    /// What one operation does (a scan: one chunk of the table).
    pub steps: Vec<Step>,
    /// Processors in the server's set.
    pub cpus: u32,
    /// Processors that a quota allows, as processor time per period.
    pub quota_cpus: Option<f64>,
    /// Processors' worth that others take, evenly from all of the set.
    pub taken_cpus: f64,
    /// Processors come in pairs that share a core: what both of a pair do together over what one does alone.
    /// Exact when all are busy; below that only who starts beside a busy sibling is slowed down.
    pub smt_yield: Option<f64>,
    /// Factor on processor time while others run: memory, coherence or locks. 1 is none.
    pub sharing: f64,
    /// The client's processors.
    pub client_cpus: u32,
    /// Client and server use one set of all their processors.
    pub shared_cpus: bool,
    /// Longest time a process runs while others wait, ns.
    pub slice_ns: f64,
    /// The drives under the data files.
    pub disk: Disk,
    /// The log.
    pub log: Log,
    /// `synchronous_commit`: commits wait for their flush.
    pub synchronous_commit: bool,
    /// Sessions that were woken keep the label of their wait until they run, as PostgreSQL's do.
    pub labels_stick: bool,
    /// Relative scatter of all service times from window to window.
    pub scatter: f64,
}

impl Server {
    /// A server that does nothing yet: drives of 8 × 80 µs, a log of 100 µs, one client processor per server
    /// processor, 1 % scatter.
    pub fn new(cpus: u32, sessions: u32, steps: Vec<Step>) -> Server {
        Server {
            sessions,
            think: None,
            steps,
            cpus,
            quota_cpus: None,
            taken_cpus: 0.0,
            smt_yield: None,
            sharing: 1.0,
            client_cpus: cpus,
            shared_cpus: false,
            slice_ns: 200_000.0,
            disk: Disk { channels: 8, service: Law::Erlang(4, 80_000.0) },
            log: Log { flush: Law::Erlang(8, 100_000.0), per_commit_ns: 1_000.0, inside_ns: 0.0 },
            synchronous_commit: true,
            labels_stick: false,
            scatter: 0.01,
        }
    }

    /// Reads in one operation.
    pub fn reads_per_op(&self) -> usize {
        self.steps.iter().filter(|step| **step == Step::Read).count()
    }

    /// Whether an operation commits.
    pub fn commits(&self) -> bool {
        self.steps.contains(&Step::Commit)
    }

    /// Processors that the server can use at most.
    pub fn available_cpus(&self) -> f64 {
        let left = f64::from(self.cpus) - self.taken_cpus;
        self.quota_cpus.map_or(left, |quota| quota.min(left))
    }
}
