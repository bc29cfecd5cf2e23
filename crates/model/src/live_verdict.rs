//! What a commit costs on a live server, and what bounds it there, as judged from what was observed.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Grade, Interval, LiveWaitKind};

/// What bounds commits there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LiveBound {
    /// Too few transactions wrote to say anything.
    Idle,
    /// Commits don't wait for WAL: `fsync` or `synchronous_commit` is off.
    NotWaitedFor,
    /// Sessions spend their time on other things.
    NotTheLog,
    /// Each commit waits for a flush, and WAL has room for more of them.
    FlushTime,
    /// Each commit waits because a setting, `commit_delay`, has it wait for others.
    CommitDelay,
    /// One flush follows the other: a batch server at its end.
    FlushBusy,
    /// Sessions wait for locks, which others hold until their commit's flush has returned: WAL may be behind it.
    Locks,
    /// Putting records into wal_buffers.
    Insert,
    /// The standby's answer.
    Standby,
    /// Cannot tell.
    Unknown,
}

impl LiveBound {
    /// The phrase of the screen.
    pub fn words(self) -> &'static str {
        match self {
            LiveBound::Idle => "NOTHING TO JUDGE",
            LiveBound::NotWaitedFor => "COMMITS DON'T WAIT FOR THE LOG",
            LiveBound::NotTheLog => "NOT THE LOG",
            LiveBound::FlushTime => "FLUSH TIME",
            LiveBound::CommitDelay => "COMMIT DELAY, a setting",
            LiveBound::FlushBusy => "FLUSHES, one after the other",
            LiveBound::Locks => "LOCKS, held through commits",
            LiveBound::Insert => "LOG INSERT LOCK",
            LiveBound::Standby => "STANDBY",
            LiveBound::Unknown => "CANNOT TELL",
        }
    }
}

/// A part of what a transaction that writes waits for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LivePart {
    /// The state.
    pub kind: LiveWaitKind,
    /// Mean time in it for each transaction that wrote, ns.
    pub per_commit_ns: f64,
    /// Its 95 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_95: Option<Interval>,
}

/// What flush times alone would make a commit wait.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LiveModel {
    /// Mean time of a write with its flush, ns.
    pub flush_ns: f64,
    /// Where that time comes from: `counted` by the server, or `sampled`.
    pub from: String,
    /// Commits that should share a flush at this rate.
    pub commits_per_flush: f64,
    /// Shortest mean wait: one flush, ns.
    pub low_ns: f64,
    /// Longest: one and a half, ns.
    pub high_ns: f64,
}

/// What a commit costs there, and what bounds it. Nothing intervened, so it is LIKELY at best.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LiveVerdict {
    /// What bounds commits.
    pub bound: LiveBound,
    /// How sure that is.
    pub grade: Grade,
    /// Whether it may as well be the server's CPUs: their limit is close, or the lower one without being reached, or nearly reached.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub or_cpus: bool,
    /// The wait of a commit in parts; empty where states are unknown.
    pub parts: Vec<LivePart>,
    /// All parts that are WAL, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_ns: Option<f64>,
    /// Its share of the sessions' active time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// More transactions by at most this share, were there no waiting at the place that `bound` names (NOT THE LOG: none
    /// for WAL at all), nor for locks, which may all be held through it. Absent where that could say too little.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain_at_most: Option<f64>,
    /// Share of the interval in which WAL was being written or flushed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy: Option<f64>,
    /// The law beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<LiveModel>,
    /// What it says, in sentences with figures.
    pub sentences: Vec<String>,
    /// What would change it, the first first.
    pub changes: Vec<String>,
}
