//! What a simulation is asked for, and what it counts.

/// What a session is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// On a processor.
    Running,
    /// Runnable, waiting for a processor.
    RunQueue,
    /// Waiting for a block.
    Read,
    /// Waiting for the log.
    Flush,
    /// Waiting for the lock.
    Lock,
    /// Waiting for its client, or thinking.
    Client,
    /// Another wait.
    Other,
    /// Open loop: nothing to do.
    Idle,
}

/// Number of states.
const STATES: usize = 8;

/// Counters of one window.
#[derive(Debug, Clone, Default)]
pub struct Account {
    /// Length, ns.
    pub window_ns: f64,
    /// Operations completed.
    pub operations: u64,
    /// Processor time of the sessions' processes, ns.
    pub cpu_ns: f64,
    /// Processor time of the busiest session, ns.
    pub hottest_ns: f64,
    /// Time runnable and not running, all sessions, ns.
    pub run_queue_ns: f64,
    /// Processor time of the client, ns.
    pub client_cpu_ns: f64,
    /// Reads that the drives completed.
    pub reads: u64,
    /// Flushes completed.
    pub flushes: u64,
    /// Time spent flushing, ns.
    pub flush_ns: f64,
    /// Samples taken of each state, over all sessions.
    pub samples: [u64; STATES],
    /// Samples that found a session ready to take in its client's next request: its server would call it idle.
    pub samples_idle_yet: u64,
    /// Time in statements, all sessions, ns: from when a session runs with a request until it waits for its client again.
    pub in_statements_ns: f64,
    /// Time ready to take in the next request, all sessions, ns; it is in `run_queue_ns` too.
    pub idle_yet_ns: f64,
    /// Times the quota ran out.
    pub throttled: u64,
}

impl Account {
    /// Operations per second.
    pub fn rate_per_s(&self) -> f64 {
        self.operations as f64 / self.window_ns * 1e9
    }

    /// Share of the samples that found that state.
    pub fn share(&self, state: State) -> f64 {
        let all: u64 = self.samples.iter().sum();
        if all == 0 { 0.0 } else { self.samples[state as usize] as f64 / all as f64 }
    }
}

/// How long to simulate.
#[derive(Debug, Clone, Copy)]
pub struct Windows {
    /// Operations before the first window.
    pub warm_up: u64,
    /// Windows.
    pub repeats: u32,
    /// Operations that a window should hold.
    pub operations: u64,
    /// Looks at the sessions' states in a window.
    pub samples: u64,
}

impl Default for Windows {
    fn default() -> Self {
        Windows { warm_up: 400, repeats: 6, operations: 2500, samples: 1500 }
    }
}

/// An open loop's response times.
#[derive(Debug, Clone)]
pub struct OpenAccount {
    /// From the moment each operation was due to its completion, ns.
    pub latencies_ns: Vec<f64>,
    /// Operations per second that were completed.
    pub rate_per_s: f64,
}
