//! What the WAL of a live server was seen to do over an interval, from its own counters and wait events.
//!
//! Nothing is measured by loading: the figures are what the server counted and what its sessions were found waiting for.
//! Counts are sums over the interval; what the server doesn't count is absent, never zero.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod cpus;
mod waits;

pub use cpus::{LiveCpuWindow, LiveCpus};
pub use waits::{LiveWait, LiveWaitKind, LiveWaits};

use crate::{LiveVerdict, Unknown};

/// A server's log over an interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LiveLog {
    /// The measurement that holds the figures by windows.
    pub measurement: String,
    /// Address at which it was observed, without a password.
    pub address: String,
    /// The server's version in its own words.
    pub version: String,
    /// What it counted.
    pub counted: LiveCounts,
    /// What sessions and the server's own processes were found doing.
    pub waits: LiveWaits,
    /// What its processes used of the CPUs; absent where they are not to be seen from here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<LiveCpus>,
    /// Settings that bear on a commit.
    pub settings: Vec<LiveSetting>,
    /// Roles or databases that have a `synchronous_commit` of their own: `app = off`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub synchronous_commit_of: Vec<String>,
    /// Servers that follow this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub standbys: Vec<LiveStandby>,
    /// What observing cost.
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

    /// How WAL is made durable; the default of Linux where the role may not see it.
    pub fn sync_method(&self) -> &str {
        self.setting("wal_sync_method").map_or("fdatasync", |setting| setting.value.as_str())
    }

    /// Processes found writing or flushing WAL at a moment, mean; `None` where states are unknown.
    pub fn flush_seen(&self) -> Option<f64> {
        let all = self.waits.sessions.iter().chain(&self.waits.own);
        let at_it = all.filter(|wait| wait.kind.is_at_the_log()).map(|wait| wait.backends);
        // Of nothing the sum of floats is minus zero, and is printed as that.
        (self.waits.samples > 0).then(|| at_it.sum::<f64>() + 0.0)
    }

    /// Whether the setting is known and has this value in our session.
    pub fn is_set(&self, name: &str, value: &str) -> bool {
        self.setting(name).is_some_and(|setting| setting.value == value)
    }

    /// Whether the setting is known to have this value for all who don't set it themselves.
    pub fn is_set_for_all(&self, name: &str, value: &str) -> bool {
        self.setting(name).is_some_and(|setting| setting.value == value && !setting.is_ours())
    }
}

/// Sums over the interval.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LiveCounts {
    /// Length of the interval, ns.
    pub interval_ns: f64,
    /// Windows of it, each with figures of its own; one: too short to be cut.
    pub windows: u32,
    /// Time of it in which questions went unanswered, ns: what sessions did then was not seen. Absent in runs that kept it
    /// for the whole observation alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unseen_ns: Option<f64>,
    /// Transactions that ended in a commit, read-only ones included, without narrows' own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commits: Option<f64>,
    /// Transaction ids given out: one for each transaction that wrote, also where it was rolled back, and one for each
    /// savepoint and block with an exception handler that wrote. See [`LiveCounts::wrote`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writers: Option<f64>,
    /// WAL written, by its position, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_bytes: Option<f64>,
    /// Log records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<f64>,
    /// Full-page images among them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_pages: Option<f64>,
    /// Times that a session had to write because wal_buffers was full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffers_full: Option<f64>,
    /// WAL writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writes: Option<f64>,
    /// Bytes of these writes; more than `log_bytes`, because a page is written again until it is full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_bytes: Option<f64>,
    /// Time in these writes, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_ns: Option<f64>,
    /// WAL flushes.
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

/// Sessions report their commits up to so much late, ns (PostgreSQL source, `PGSTAT_MIN_INTERVAL`).
const REPORTED_LATE_NS: f64 = 1e9;
/// Ids beyond the commits by less than this share are within what counting leaves open.
const BEYOND_COMMITS: f64 = 0.05;

impl LiveCounts {
    /// Transactions that wrote and committed, as far as can be told: ids given out, or the commits reported where these
    /// are fewer by more than 5 % and by more than their lateness explains. It is the most there can have been, so that
    /// what each of them took is at least what comes out per transaction. `None` where ids are unknown.
    pub fn wrote(&self) -> Option<f64> {
        self.writers.map(|ids| ids / self.ids_per_commit().unwrap_or(1.0))
    }

    /// Ids given out for each commit, where they are more than the commits can have been.
    pub fn ids_per_commit(&self) -> Option<f64> {
        let ratio = over(self.writers, self.commits)?;
        let late = if self.interval_ns > 0.0 { REPORTED_LATE_NS / self.interval_ns } else { 1.0 };
        (ratio > 1.0 + BEYOND_COMMITS.max(late)).then_some(ratio)
    }

    /// A count per second; `None` where it is unknown.
    pub fn per_s(&self, count: Option<f64>) -> Option<f64> {
        (self.interval_ns > 0.0).then_some(count? / self.interval_ns * 1e9)
    }

    /// A count for each transaction that [`wrote`](LiveCounts::wrote); `None` where it is unknown or nothing wrote.
    pub fn per_writer(&self, count: Option<f64>) -> Option<f64> {
        over(count, self.wrote())
    }

    /// Operations that made WAL durable: flushes, or writes where the method flushes with the write (`open_…`).
    pub fn durable(&self, method: &str) -> Option<f64> {
        if method.starts_with("open_") { self.writes } else { self.flushes }
    }

    /// Mean time of such an operation with its write, ns.
    pub fn durable_mean_ns(&self, method: &str) -> Option<f64> {
        over(Some(self.write_ns? + self.flush_ns?), self.durable(method))
    }

    /// Share of the interval in which WAL was being written or flushed.
    pub fn busy(&self) -> Option<f64> {
        over(Some(self.write_ns? + self.flush_ns?), Some(self.interval_ns))
    }
}

/// A quotient, where both are known and the lower one isn't zero.
fn over(of: Option<f64>, to: Option<f64>) -> Option<f64> {
    to.filter(|to| *to > 0.0).and_then(|to| Some(of? / to))
}

/// A setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LiveSetting {
    /// Name.
    pub name: String,
    /// Value as the server shows it, with its unit: `512kB`.
    pub value: String,
    /// Where it comes from, in the server's words: `default`, `configuration file`.
    pub source: String,
}

impl LiveSetting {
    /// Whether the value was set for our user, our database or our session, so that it says nothing of what others have
    /// (PostgreSQL documentation: `pg_settings`, `source`).
    pub fn is_ours(&self) -> bool {
        const OURS: [&str; 6] =
            ["user", "database", "database user", "client", "session", "interactive"];
        OURS.contains(&self.source.as_str())
    }
}

/// A server that follows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
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

/// What observing cost the server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LiveCost {
    /// Statements sent.
    pub statements: u64,
    /// Time from sending to the answer, all of them, ns: more than the server worked.
    pub waited_ns: f64,
    /// That time over the interval: at most this share of one CPU.
    pub share: f64,
    /// Questions that the server refused or didn't answer within our time limit.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unanswered: u64,
    /// Time in which these were waited for, ns, before the interval and after it too.
    #[serde(default, skip_serializing_if = "no_time")]
    pub unanswered_ns: f64,
    /// CPU time over the interval of the server's process that answered and of this program, by the kernel's account;
    /// absent where the server's processes can't be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processors: Option<f64>,
    /// Bytes of the answers.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub received_bytes: u64,
    /// How often sessions' states were asked for, per second, mean; absent where they were not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub questions_per_s: Option<f64>,
    /// What kept questions from coming as often as they usually do; absent where nothing did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paced_by: Option<LivePace>,
    /// Lines per minute that our statements added to the server's log, about, as its settings have it; absent where it logs none of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_lines_per_min: Option<f64>,
    /// The settings by which it logs them: `log_statement = all`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub logged_by: Vec<String>,
}

/// What questions were held down to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LivePace {
    /// A share of one CPU.
    Processor,
    /// Lines per minute in the server's log.
    LogLines,
}

impl LivePace {
    /// What the samples cost of a CPU at most.
    pub const PROCESSOR_SHARE: f64 = 0.01;
    /// Lines per minute that the questions add to a log that they stand in at most. So many leave 60 s the 200 questions that say what
    /// sessions wait for.
    pub const LOG_LINES_PER_MIN: f64 = 600.0;
    /// How often is asked where nothing speaks against it, per second.
    pub const USUAL_PER_S: f64 = 20.0;
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

fn no_time(ns: &f64) -> bool {
    *ns == 0.0
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

    #[test]
    fn ids_count_as_commits_where_commits_may_be_as_many() {
        let counts = |seconds: f64, ids: f64, commits: Option<f64>| LiveCounts {
            interval_ns: seconds * 1e9,
            writers: Some(ids),
            commits,
            ..LiveCounts::default()
        };
        // Reads are commits too, and four of a hundred are within what counting leaves open.
        assert_eq!(counts(30.0, 100.0, Some(5000.0)).wrote(), Some(100.0));
        assert_eq!(counts(30.0, 104.0, Some(100.0)).wrote(), Some(104.0));
        // A savepoint in each.
        let twice = counts(30.0, 200.0, Some(100.0));
        assert_eq!((twice.wrote(), twice.ids_per_commit()), (Some(100.0), Some(2.0)));
        assert_eq!(twice.per_writer(Some(500.0)), Some(5.0));
        // Within three seconds a fifth of the commits can be still unreported.
        assert_eq!(counts(3.0, 120.0, Some(100.0)).wrote(), Some(120.0));
        assert_eq!(counts(30.0, 7.0, None).wrote(), Some(7.0));
        assert_eq!(LiveCounts::default().wrote(), None);
    }

    #[test]
    fn what_our_session_was_given_is_not_everybodys() {
        for (source, ours) in [
            ("default", false),
            ("configuration file", false),
            ("command line", false),
            ("global", false),
            ("user", true),
            ("database user", true),
            ("client", true),
        ] {
            let (name, value) = ("synchronous_commit".to_string(), "off".to_string());
            assert_eq!(
                LiveSetting { name, value, source: source.into() }.is_ours(),
                ours,
                "{source}"
            );
        }
    }
}
