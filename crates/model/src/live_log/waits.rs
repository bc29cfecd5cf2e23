//! What processes of a live server were found doing, sampled again and again.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Interval, LockHolders};

/// What a process of the server was found doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LiveWaitKind {
    /// In its own WAL flush (`WALSync`).
    Flush,
    /// In its own WAL write (`IO:WALWrite`).
    Write,
    /// Behind another's write and flush (`LWLock:WALWrite`).
    Behind,
    /// Making a new log file ready (`WALInitWrite`, `WALInitSync`).
    NewFile,
    /// Waiting so that others can join (`CommitDelay`).
    Delay,
    /// For a standby to confirm (`SyncRep`).
    Standby,
    /// For its turn to put records into wal_buffers (`WALInsert`).
    Insert,
    /// For room in wal_buffers (`WALBufMapping`).
    Buffers,
    /// For a lock on rows, a table or the like that its holder keeps until its transaction has ended, through the flush
    /// of its commit (`Lock:transactionid`, `Lock:tuple`).
    Lock,
    /// Active and not waiting: on a CPU, or ready for one.
    Running,
    /// Active and waiting for something that is not WAL.
    Elsewhere,
}

impl LiveWaitKind {
    /// Every kind, in the order of the screen.
    pub const ALL: [LiveWaitKind; 11] = [
        LiveWaitKind::Flush,
        LiveWaitKind::Write,
        LiveWaitKind::Behind,
        LiveWaitKind::NewFile,
        LiveWaitKind::Delay,
        LiveWaitKind::Standby,
        LiveWaitKind::Insert,
        LiveWaitKind::Buffers,
        LiveWaitKind::Lock,
        LiveWaitKind::Running,
        LiveWaitKind::Elsewhere,
    ];

    /// The words of the screen, behind "a session is …".
    pub fn words(self) -> &'static str {
        match self {
            LiveWaitKind::Flush => "in its own flush",
            LiveWaitKind::Write => "in its own write",
            LiveWaitKind::Behind => "behind another's flush",
            LiveWaitKind::NewFile => "making a new WAL file",
            LiveWaitKind::Delay => "in commit_delay",
            LiveWaitKind::Standby => "waiting for a standby",
            LiveWaitKind::Insert => "waiting for WAL insert",
            LiveWaitKind::Buffers => "waiting for WAL buffers",
            LiveWaitKind::Lock => "waiting for others' locks",
            LiveWaitKind::Running => "running, or ready to",
            LiveWaitKind::Elsewhere => "waiting for something else",
        }
    }

    /// Whether WAL is being written or flushed in it, which one process at a time can do.
    pub fn is_at_the_log(self) -> bool {
        matches!(self, LiveWaitKind::Flush | LiveWaitKind::Write)
    }

    /// Whether it is WAL that is waited for.
    pub fn is_log(self) -> bool {
        !matches!(self, LiveWaitKind::Lock | LiveWaitKind::Running | LiveWaitKind::Elsewhere)
    }
}

/// How many processes were found in a state at a moment, on average.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LiveWait {
    /// The state.
    pub kind: LiveWaitKind,
    /// Mean number of processes.
    pub backends: f64,
    /// Its 95 % interval over the windows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_95: Option<Interval>,
    /// The mean of each window.
    pub windows: Vec<f64>,
}

/// What processes were found doing; empty where the role may not see it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LiveWaits {
    /// Times that the server was asked.
    pub samples: u64,
    /// Active sessions, each kind that was met, in the order of [`LiveWaitKind::ALL`].
    pub sessions: Vec<LiveWait>,
    /// The same of the server's own processes, WAL alone.
    pub own: Vec<LiveWait>,
    /// What sessions were found waiting for besides WAL and locks, by the server's names, most first: mean sessions.
    pub elsewhere: Vec<(String, f64)>,
    /// The locks that sessions were found waiting for, likewise. Older runs have them among `elsewhere`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locks: Vec<(String, f64)>,
    /// What those who held locks that others waited for were found doing; absent where nobody waited when it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holders: Option<LockHolders>,
}

impl LiveWaits {
    /// Mean number of sessions in a state; `None` where states are unknown.
    pub fn of(&self, kind: LiveWaitKind) -> Option<f64> {
        (self.samples > 0).then(|| {
            self.sessions.iter().find(|wait| wait.kind == kind).map_or(0.0, |wait| wait.backends)
        })
    }

    /// Mean number of sessions that wait for locks held until a transaction's end; `None` where states are unknown.
    pub fn locked(&self) -> Option<f64> {
        const OLDER: [&str; 2] = ["Lock:transactionid", "Lock:tuple"];
        let older = self.elsewhere.iter().filter(|(name, _)| OLDER.contains(&name.as_str()));
        Some(self.of(LiveWaitKind::Lock)? + older.map(|(_, sessions)| sessions).sum::<f64>())
    }

    /// Mean number of active sessions; `None` where states are unknown.
    pub fn active(&self) -> Option<f64> {
        (self.samples > 0).then(|| self.sessions.iter().map(|wait| wait.backends).sum())
    }
}
