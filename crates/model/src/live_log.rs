//! What the commit log of somebody's server was seen to do over an interval, from its own counters and wait events.
//!
//! Nothing is measured by loading: the figures are what the server counted and what its sessions were found waiting for.
//! Counts are sums over the interval; what the server doesn't count is absent, never zero.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Interval, LiveVerdict, Unknown};

/// A server's log over an interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LiveLog {
    /// The measurement that holds the figures by windows.
    pub measurement: String,
    /// Where it was looked at, without a password.
    pub address: String,
    /// The server's version in its own words.
    pub version: String,
    /// What it counted.
    pub counted: LiveCounts,
    /// What sessions and the server's own processes were found doing.
    pub waits: LiveWaits,
    /// Settings that bear on a commit.
    pub settings: Vec<LiveSetting>,
    /// Roles or databases that have a `synchronous_commit` of their own: `app = off`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub synchronous_commit_of: Vec<String>,
    /// Servers that follow this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub standbys: Vec<LiveStandby>,
    /// What looking took.
    pub cost: LiveCost,
    /// What could not be learned, and what it would take.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<Unknown>,
    /// What follows from it; absent until it is judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<LiveVerdict>,
}

impl LiveLog {
    /// The setting of that name.
    pub fn setting(&self, name: &str) -> Option<&LiveSetting> {
        self.settings.iter().find(|setting| setting.name == name)
    }

    /// How the log is made durable; the default of Linux where the role may not see it.
    pub fn sync_method(&self) -> &str {
        self.setting("wal_sync_method").map_or("fdatasync", |setting| setting.value.as_str())
    }

    /// Processes found writing or flushing the log at a moment, mean; `None` where states are unknown.
    pub fn flush_seen(&self) -> Option<f64> {
        let all = self.waits.sessions.iter().chain(&self.waits.own);
        let at_it = all.filter(|wait| wait.kind.is_at_the_log()).map(|wait| wait.backends).sum();
        (self.waits.samples > 0).then_some(at_it)
    }

    /// Whether the setting is known and has this value.
    pub fn is_set(&self, name: &str, value: &str) -> bool {
        self.setting(name).is_some_and(|setting| setting.value == value)
    }
}

/// Sums over the interval.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LiveCounts {
    /// Length of the interval, ns.
    pub interval_ns: f64,
    /// Windows of it, each with figures of its own; one: too short to be cut.
    pub windows: u32,
    /// Transactions that ended in a commit, those that only read too, without ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commits: Option<f64>,
    /// Transactions that were given an id because they wrote, savepoints that wrote among them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writers: Option<f64>,
    /// How far the log's position moved, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_bytes: Option<f64>,
    /// Log records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<f64>,
    /// Whole pages among them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_pages: Option<f64>,
    /// Times that a session had to write because the log's buffers were full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffers_full: Option<f64>,
    /// Writes to the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writes: Option<f64>,
    /// Bytes of these writes; more than `log_bytes`, because a page is written again until it is full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_bytes: Option<f64>,
    /// Time in these writes, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_ns: Option<f64>,
    /// Flushes of the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flushes: Option<f64>,
    /// Of these, by sessions themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_flushes: Option<f64>,
    /// Time in flushes, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flush_ns: Option<f64>,
    /// Checkpoints begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoints: Option<f64>,
}

impl LiveCounts {
    /// A count per second; `None` where it is unknown.
    pub fn per_s(&self, count: Option<f64>) -> Option<f64> {
        (self.interval_ns > 0.0).then_some(count? / self.interval_ns * 1e9)
    }

    /// A count for each transaction that wrote; `None` where it is unknown or nothing wrote.
    pub fn per_writer(&self, count: Option<f64>) -> Option<f64> {
        over(count, self.writers)
    }

    /// Operations that made the log durable: flushes, or writes where the method flushes with the write (`open_…`).
    pub fn durable(&self, method: &str) -> Option<f64> {
        if method.starts_with("open_") { self.writes } else { self.flushes }
    }

    /// Mean time of such an operation with its write, ns.
    pub fn durable_mean_ns(&self, method: &str) -> Option<f64> {
        over(Some(self.write_ns? + self.flush_ns?), self.durable(method))
    }

    /// Share of the interval in which the log was being written or flushed.
    pub fn busy(&self) -> Option<f64> {
        over(Some(self.write_ns? + self.flush_ns?), Some(self.interval_ns))
    }
}

/// A quotient, where both are known and the lower one isn't zero.
fn over(of: Option<f64>, to: Option<f64>) -> Option<f64> {
    to.filter(|to| *to > 0.0).and_then(|to| Some(of? / to))
}

/// What a process of the server was found doing.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum LiveWaitKind {
    /// In its own flush of the log (`WALSync`).
    Flush,
    /// In its own write to the log (`IO:WALWrite`).
    Write,
    /// Behind another's write and flush (`LWLock:WALWrite`).
    Behind,
    /// Making a new log file ready (`WALInitWrite`, `WALInitSync`).
    NewFile,
    /// Waiting so that others can join (`CommitDelay`).
    Delay,
    /// For a standby to confirm (`SyncRep`).
    Standby,
    /// For its turn to put records into the log's buffers (`WALInsert`).
    Insert,
    /// For room in the log's buffers (`WALBufMapping`).
    Buffers,
    /// At work and not waiting: on a processor, or ready for one.
    Running,
    /// At work and waiting for something that is not the log.
    Elsewhere,
}

impl LiveWaitKind {
    /// Every kind, in the order of the screen.
    pub const ALL: [LiveWaitKind; 10] = [
        LiveWaitKind::Flush,
        LiveWaitKind::Write,
        LiveWaitKind::Behind,
        LiveWaitKind::NewFile,
        LiveWaitKind::Delay,
        LiveWaitKind::Standby,
        LiveWaitKind::Insert,
        LiveWaitKind::Buffers,
        LiveWaitKind::Running,
        LiveWaitKind::Elsewhere,
    ];

    /// The words of the screen, behind "a session is …".
    pub fn words(self) -> &'static str {
        match self {
            LiveWaitKind::Flush => "in its own flush",
            LiveWaitKind::Write => "in its own write",
            LiveWaitKind::Behind => "behind another's flush",
            LiveWaitKind::NewFile => "making a new log file",
            LiveWaitKind::Delay => "in commit_delay",
            LiveWaitKind::Standby => "waiting for a standby",
            LiveWaitKind::Insert => "waiting to insert records",
            LiveWaitKind::Buffers => "waiting for log buffers",
            LiveWaitKind::Running => "running, or ready to",
            LiveWaitKind::Elsewhere => "waiting for something else",
        }
    }

    /// Whether the log is being written or flushed in it, which one process at a time can do.
    pub fn is_at_the_log(self) -> bool {
        matches!(self, LiveWaitKind::Flush | LiveWaitKind::Write)
    }

    /// Whether it is the log that is waited for.
    pub fn is_log(self) -> bool {
        !matches!(self, LiveWaitKind::Running | LiveWaitKind::Elsewhere)
    }
}

/// How many processes were found in a state at a moment, on average.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LiveWaits {
    /// Times that the server was asked.
    pub samples: u64,
    /// Sessions at work, each kind that was met, in the order of [`LiveWaitKind::ALL`].
    pub sessions: Vec<LiveWait>,
    /// The same of the server's own processes, the log alone.
    pub own: Vec<LiveWait>,
    /// What sessions were found waiting for besides the log, by the server's names, most first: mean sessions.
    pub elsewhere: Vec<(String, f64)>,
}

impl LiveWaits {
    /// Mean number of sessions in a state; `None` where states are unknown.
    pub fn of(&self, kind: LiveWaitKind) -> Option<f64> {
        (self.samples > 0).then(|| {
            self.sessions.iter().find(|wait| wait.kind == kind).map_or(0.0, |wait| wait.backends)
        })
    }

    /// Mean number of sessions at work; `None` where states are unknown.
    pub fn active(&self) -> Option<f64> {
        (self.samples > 0).then(|| self.sessions.iter().map(|wait| wait.backends).sum())
    }
}

/// A setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LiveSetting {
    /// Name.
    pub name: String,
    /// Value as the server shows it, with its unit: `512kB`.
    pub value: String,
    /// Where it comes from, in the server's words: `default`, `configuration file`.
    pub source: String,
}

/// A server that follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LiveStandby {
    /// Its application name.
    pub name: String,
    /// `streaming`, `catchup`; absent where the role may not see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// `sync`, `quorum`, `potential`, `async`; absent where the role may not see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync_state: Option<String>,
    /// From our flush to its write, as last seen, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_lag_ns: Option<f64>,
    /// From our flush to its flush, as last seen, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flush_lag_ns: Option<f64>,
    /// From our flush until it has replayed, as last seen, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay_lag_ns: Option<f64>,
}

/// What looking took from the server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LiveCost {
    /// Statements sent.
    pub statements: u64,
    /// Time from sending to the answer, all of them, ns: more than the server worked.
    pub waited_ns: f64,
    /// That time over the interval: at most this share of one processor.
    pub share: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_the_log_durable_depends_on_the_method() {
        let counts = LiveCounts {
            interval_ns: 2e9,
            writers: Some(400.0),
            writes: Some(100.0),
            write_ns: Some(1e6),
            flushes: Some(50.0),
            flush_ns: Some(9e6),
            ..LiveCounts::default()
        };
        assert_eq!(counts.durable("fdatasync"), Some(50.0));
        assert_eq!(counts.durable_mean_ns("fdatasync"), Some(200_000.0));
        assert_eq!(counts.durable("open_datasync"), Some(100.0));
        assert_eq!(counts.busy(), Some(0.005));
        assert_eq!(counts.per_writer(counts.flushes), Some(0.125));
        let none = LiveCounts { flushes: Some(0.0), flush_ns: None, ..counts };
        assert_eq!((none.durable_mean_ns("fsync"), none.busy()), (None, None));
    }
}
