//! What one operation of a workload asks of the server, and how its statements must be planned.
//!
//! Named by physics: a `lookup` finds single blocks by the index one after the other, a `batch` hands the server many keys
//! and lets it sort and prefetch their blocks (bitmap), a `scan` reads the whole table, an `update` changes rows, a `commit`
//! does nothing but commit. Not the sessions that do it: those are in `drawn` and `load`.

use std::time::Duration;

use crate::variation::Workload;

/// Share of calls that fall on a share of the keys.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Spread {
    /// All alike.
    Uniform,
    /// By Zipf's law with this exponent.
    Zipf(f64),
    /// A share of the calls falls uniformly on a share of the keys, the rest uniformly on the others.
    Hot {
        /// Share of the calls, 0 to 1.
        calls: f64,
        /// Share of the keys, above 0, below 1.
        keys: f64,
    },
}

/// Where blocks come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The buffer pool, warmed before.
    Pool,
    /// The drives: evicted from memory before and meanwhile.
    Drive,
}

/// Who calls for the blocks of one lookup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calls {
    /// The client, by a statement for each block.
    Each,
    /// The client, by one statement with all keys.
    Any,
    /// A function inside the server, by a statement for each block.
    Inside,
}

/// What an update changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Redo {
    /// One number: the log has little of it.
    Light,
    /// Every column but the key: the log has the whole row.
    Heavy,
}

/// What a scan has to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// A sum over a column, for which every row is touched.
    Sum,
    /// `count(*)`, which the server may answer from the index alone.
    Count,
}

/// One operation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Action {
    /// Single blocks by the index.
    Lookup {
        /// Blocks of one operation.
        blocks: u32,
        /// Who calls for them.
        calls: Calls,
    },
    /// Blocks by a bitmap, in their order on the drive, prefetched.
    Batch {
        /// Blocks of one operation.
        blocks: u32,
    },
    /// One block changed and committed, or only looked up.
    Update {
        /// Of a hundred operations those that change, drawn one by one.
        percent: u32,
        /// What is changed.
        redo: Redo,
    },
    /// The smallest durable transaction.
    Commit,
    /// The whole table.
    Scan {
        /// What it answers.
        answer: Answer,
    },
}

/// A workload.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Task {
    /// One operation.
    pub action: Action,
    /// Where its blocks come from.
    pub source: Source,
    /// How keys are drawn.
    pub spread: Spread,
    /// Bytes of the table that keys are drawn from; `None` is the settings' part for the pool and all for the drives.
    pub working_set_bytes: Option<u64>,
    /// Time between an answer and the session's next operation.
    pub think: Duration,
}

impl From<Workload> for Task {
    fn from(workload: Workload) -> Task {
        let lookup = Action::Lookup { blocks: 1, calls: Calls::Each };
        let (action, source) = match workload {
            Workload::LookupCached => (lookup, Source::Pool),
            Workload::LookupUncached => (lookup, Source::Drive),
            Workload::Update => (Action::Update { percent: 100, redo: Redo::Light }, Source::Pool),
            Workload::Scan => (Action::Scan { answer: Answer::Sum }, Source::Drive),
        };
        Task::new(action, source)
    }
}

/// A statement and how it must be planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// The statement, in the kind's language.
    pub sql: String,
    /// Types of its parameters, where the kind wants them to plan it; empty where it has none.
    pub types: &'static str,
    /// Values to explain it with.
    pub example: &'static str,
    /// The steps of its plan that read a table or an index; `None` leaves it to the server, to be told.
    pub reads_by: Option<&'static [&'static str]>,
}

impl Task {
    /// That action on that source, keys uniform, no think time.
    pub fn new(action: Action, source: Source) -> Task {
        let (spread, think) = (Spread::Uniform, Duration::ZERO);
        Task { action, source, spread, working_set_bytes: None, think }
    }

    /// The word in ids.
    pub fn word(&self) -> &'static str {
        match (self.action, self.source) {
            (Action::Lookup { .. }, Source::Pool) => "lookup_cached",
            (Action::Lookup { .. }, Source::Drive) => "lookup_uncached",
            (Action::Batch { .. }, _) => "batch",
            (Action::Update { .. }, _) => "update",
            (Action::Commit, _) => "commit",
            (Action::Scan { .. }, _) => "scan",
        }
    }

    /// Whether it is a scan of the whole table, which runs once and not by sessions.
    pub fn is_scan(&self) -> bool {
        matches!(self.action, Action::Scan { .. })
    }

    /// Blocks of the table that one operation asks for; zero for a commit alone, `None` for the whole table.
    pub fn blocks(&self) -> Option<u32> {
        match self.action {
            Action::Lookup { blocks, .. } | Action::Batch { blocks } => Some(blocks),
            Action::Update { .. } => Some(1),
            Action::Commit => Some(0),
            Action::Scan { .. } => None,
        }
    }

    /// Share of operations that commit durably.
    pub fn commits(&self) -> f64 {
        match self.action {
            Action::Update { percent, .. } => f64::from(percent) / 100.0,
            Action::Commit => 1.0,
            _ => 0.0,
        }
    }

    /// Transactions of one operation, as the server counts them.
    pub(crate) fn transactions(&self) -> f64 {
        match self.action {
            Action::Lookup { blocks, calls: Calls::Each } => f64::from(blocks),
            _ => 1.0,
        }
    }
}
