//! The active-session history: what processes were found doing, asked again and again.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Interval;

/// Whose process it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ProcessClass {
    /// A session of a client.
    Session,
    /// A parallel worker of one.
    ParallelWorker,
    /// Autovacuum's launcher and workers.
    Autovacuum,
    /// The checkpointer.
    Checkpointer,
    /// The background writer.
    BackgroundWriter,
    /// The WAL writer.
    LogWriter,
    /// Sends WAL to standbys.
    LogSender,
    /// Reads for others (PostgreSQL 18 and later, `io_method = worker`).
    IoWorker,
    /// Any other process of the server.
    Other,
}

impl ProcessClass {
    /// Every class, in the order of the screen.
    pub const ALL: [ProcessClass; 9] = [
        ProcessClass::Session,
        ProcessClass::ParallelWorker,
        ProcessClass::Autovacuum,
        ProcessClass::Checkpointer,
        ProcessClass::BackgroundWriter,
        ProcessClass::LogWriter,
        ProcessClass::LogSender,
        ProcessClass::IoWorker,
        ProcessClass::Other,
    ];

    /// The words of the screen.
    pub fn words(self) -> &'static str {
        match self {
            ProcessClass::Session => "sessions",
            ProcessClass::ParallelWorker => "parallel workers",
            ProcessClass::Autovacuum => "autovacuum",
            ProcessClass::Checkpointer => "checkpointer",
            ProcessClass::BackgroundWriter => "background writer",
            ProcessClass::LogWriter => "log writer",
            ProcessClass::LogSender => "log senders",
            ProcessClass::IoWorker => "I/O workers",
            ProcessClass::Other => "rest of the server",
        }
    }

    /// Whether its time is a transaction's: sessions, and the workers that do a part of their work.
    pub fn serves_transactions(self) -> bool {
        matches!(self, ProcessClass::Session | ProcessClass::ParallelWorker)
    }
}

/// What an active process was found doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ActivityState {
    /// Not waiting: on a CPU, or ready for one.
    Running,
    /// For a read of a data file.
    Read,
    /// For a write, extension or flush of a data file.
    Write,
    /// For WAL: its own flush, another's, room in wal_buffers, or a standby.
    Log,
    /// For a lock on rows, tables or the like, held by another transaction.
    Lock,
    /// For a latch in the server's memory, those of WAL excepted.
    Latch,
    /// For the client, inside a statement: to send more or to take its answer.
    Client,
    /// For the client between statements of an open transaction.
    IdleInTransaction,
    /// For other processes of the server, a timeout, an extension.
    Other,
}

impl ActivityState {
    /// Every state, in the order of the screen.
    pub const ALL: [ActivityState; 9] = [
        ActivityState::Running,
        ActivityState::Read,
        ActivityState::Write,
        ActivityState::Log,
        ActivityState::Lock,
        ActivityState::Latch,
        ActivityState::Client,
        ActivityState::IdleInTransaction,
        ActivityState::Other,
    ];

    /// The words of the screen.
    pub fn words(self) -> &'static str {
        match self {
            ActivityState::Running => "running, or ready to",
            ActivityState::Read => "reading data files",
            ActivityState::Write => "writing data files",
            ActivityState::Log => "waiting for WAL",
            ActivityState::Lock => "waiting for locks",
            ActivityState::Latch => "waiting for latches",
            ActivityState::Client => "waiting for the client",
            ActivityState::IdleInTransaction => "idle in transaction",
            ActivityState::Other => "waiting for something else",
        }
    }

    /// Whether the server has something to do for it: a session idle in transaction has nothing.
    pub fn is_at_work(self) -> bool {
        self != ActivityState::IdleInTransaction
    }
}

/// How many processes of a class were found in a state at a moment, on average.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ActivityWhere {
    /// Whose.
    pub class: ProcessClass,
    /// Doing what.
    pub state: ActivityState,
    /// Mean number of processes.
    pub processes: f64,
    /// Its 95 % interval over the windows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_95: Option<Interval>,
    /// The mean of each window.
    pub windows: Vec<f64>,
    /// The server's own names for it, most first, with the mean number of processes at each: `IO:DataFileRead`. A few only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<(String, f64)>,
}

/// What the kernel said of sessions and their workers that the server found waiting.
///
/// A wait event is set before the kernel is called, and a page that the page cache has is copied by the caller's own CPU under the
/// event of a read. Each process was looked up right before the server was asked and right after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct WaitCheck {
    /// What the server found.
    pub state: ActivityState,
    /// Runnable at the first sample, and did not begin to wait up to the second: times found.
    pub runnable: u64,
    /// Waited from the first sample to the second: times found.
    pub waiting: u64,
    /// Something changed in between: times found.
    pub unclear: u64,
}

impl WaitCheck {
    /// Fewer clear answers tell nothing.
    const LEAST_CLEAR: u64 = 10;

    /// How many of how many clear answers were no wait; `None` where none was, and where too few are clear.
    pub fn no_waits(&self) -> Option<(u64, u64)> {
        let clear = self.runnable + self.waiting;
        (self.runnable > 0 && clear >= WaitCheck::LEAST_CLEAR).then_some((self.runnable, clear))
    }
}

/// One slice of the history, for a picture over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ActivityMoment {
    /// Middle of the slice, ns from the start of the observation.
    pub at_ns: f64,
    /// Times the server was asked in it.
    pub samples: u64,
    /// Mean number of sessions and their workers in each state met in it.
    pub sessions: Vec<(ActivityState, f64)>,
}

/// What processes were found doing; empty where the role may not see it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Activity {
    /// Times that the server was asked.
    pub samples: u64,
    /// Whether the server itself counted all of it, so that nobody had to ask: a report.
    #[serde(default, skip_serializing_if = "is_false")]
    pub counted: bool,
    /// Each class and state that was met, ordered by both.
    pub found: Vec<ActivityWhere>,
    /// The history in slices of equal length, 120 at most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<ActivityMoment>,
    /// What the kernel said of those found in a read, a write or WAL; empty where the server's processes can't be seen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<WaitCheck>,
}

impl Activity {
    /// Mean number of processes that work for transactions in a state; `None` where states are unknown.
    pub fn of(&self, state: ActivityState) -> Option<f64> {
        let found = self.found.iter();
        let these = found.filter(|f| f.state == state && f.class.serves_transactions());
        self.is_known().then(|| these.map(|f| f.processes).sum())
    }

    /// Whether states are known at all.
    fn is_known(&self) -> bool {
        self.samples > 0 || self.counted
    }

    /// Of those that wait for WAL, the share that waits for a standby's answer (`SyncRep`), and for no drive of this server; `None`
    /// where nobody waits.
    pub fn behind_standby(&self) -> Option<f64> {
        let at_log = self.of(ActivityState::Log).filter(|n| *n > 0.0)?;
        let these = self.found.iter().filter(|f| f.state == ActivityState::Log);
        let events = these.filter(|f| f.class.serves_transactions()).flat_map(|f| &f.events);
        let standby = events.filter(|(name, _)| name.ends_with(":SyncRep")).map(|(_, n)| n);
        Some((standby.sum::<f64>() / at_log).min(1.0))
    }

    /// Whether commits wait for a standby more than for this server's log.
    pub fn waits_for_standby(&self) -> bool {
        self.behind_standby().is_some_and(|share| share > 0.5)
    }

    /// Mean number of active sessions, without their workers; `None` where states are unknown.
    pub fn sessions_at_work(&self) -> Option<f64> {
        let found = self.found.iter();
        let these = found.filter(|f| f.class == ProcessClass::Session && f.state.is_at_work());
        self.is_known().then(|| these.map(|f| f.processes).sum())
    }
}

fn is_false(value: &bool) -> bool {
    !*value
}
