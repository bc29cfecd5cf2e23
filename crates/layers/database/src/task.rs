//! What one operation of a workload asks of the server, and how its statements must be planned.
//!
//! Named by physics: a `lookup` finds single blocks by the index one after the other, a `batch` hands the server many keys
//! and lets it sort and prefetch their blocks (bitmap), a `scan` reads the whole table, an `update` changes rows, a `commit`
//! does nothing but commit. Not the sessions that do it: those are in `access_pattern` and `load`.

use std::time::Duration;

use narrows_model::{Conditions, Workload, condition};
use serde_json::{Map, Value, json};

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
    /// One row, one durable commit.
    pub const UPDATE: Task =
        Task::new(Action::Update { percent: 100, redo: Redo::Light }, Source::Pool);
    /// The whole table, from the drives.
    pub const SCAN: Task = Task::new(Action::Scan { answer: Answer::Sum }, Source::Drive);

    /// That action on that source, keys uniform, no think time.
    pub const fn new(action: Action, source: Source) -> Task {
        let (spread, think) = (Spread::Uniform, Duration::ZERO);
        Task { action, source, spread, working_set_bytes: None, think }
    }

    /// What `narrows run` has of a workload; `None` where it has none of it.
    pub fn usual(workload: Workload) -> Option<Task> {
        let lookup = Action::Lookup { blocks: 1, calls: Calls::Each };
        match workload {
            Workload::LookupCached => Some(Task::new(lookup, Source::Pool)),
            Workload::LookupUncached => Some(Task::new(lookup, Source::Drive)),
            Workload::Update => Some(Task::UPDATE),
            Workload::ScanMany => Some(Task::SCAN),
            Workload::Batch | Workload::Commit | Workload::ScanOne => None,
            // Not made of one kind of operation, or not ours.
            Workload::Orders | Workload::Observed => None,
        }
    }

    /// The workload that it is one of; of a scan that by several.
    pub const fn workload(&self) -> Workload {
        match (self.action, self.source) {
            (Action::Lookup { .. }, Source::Pool) => Workload::LookupCached,
            (Action::Lookup { .. }, Source::Drive) => Workload::LookupUncached,
            (Action::Batch { .. }, _) => Workload::Batch,
            (Action::Update { .. }, _) => Workload::Update,
            (Action::Commit, _) => Workload::Commit,
            (Action::Scan { .. }, _) => Workload::ScanMany,
        }
    }

    /// The word in ids.
    pub const fn word(&self) -> &'static str {
        self.workload().word()
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

    /// One operation in words, for a plan.
    pub fn operation(&self) -> String {
        match self.action {
            Action::Lookup { blocks: 1, calls: Calls::Inside } => {
                "lookup inside the server".to_string()
            }
            Action::Lookup { blocks: 1, .. } => "lookup".to_string(),
            Action::Lookup { blocks, calls } => {
                let how = match calls {
                    Calls::Each => "one after the other",
                    Calls::Any => "in one statement",
                    Calls::Inside => "inside the server",
                };
                format!("lookup of {blocks} blocks {how}")
            }
            Action::Batch { blocks } => format!("batch of {blocks} blocks"),
            Action::Update { percent, redo } => {
                let redo = if redo == Redo::Heavy { ", every column" } else { "" };
                match percent {
                    100 => format!("update{redo}"),
                    percent => format!("{percent} % updates{redo}, {} % lookups", 100 - percent),
                }
            }
            Action::Commit => "commit of nothing".to_string(),
            Action::Scan { answer: Answer::Sum } => "scan for a sum".to_string(),
            Action::Scan { answer: Answer::Count } => "scan for count(*)".to_string(),
        }
    }

    /// Says what was chosen about an operation, where there was a choice.
    pub(crate) fn describe(&self, say: &mut Conditions) {
        say.insert(condition::WORKLOAD, json!(self.word()));
        match self.action {
            Action::Lookup { blocks, calls } => {
                let who = match calls {
                    Calls::Each => "client, a statement each",
                    Calls::Any => "client, one statement with all keys",
                    Calls::Inside => "a function inside the server",
                };
                say.insert(condition::BLOCKS_PER_OP, json!(blocks));
                say.insert(condition::CALLED_BY, json!(who));
            }
            Action::Batch { blocks } => {
                say.insert(condition::BLOCKS_PER_OP, json!(blocks));
            }
            Action::Update { percent, redo } => {
                say.insert(condition::UPDATES_PERCENT, json!(percent));
                let redo = match redo {
                    Redo::Light => "light",
                    Redo::Heavy => "heavy",
                };
                say.insert(condition::REDO, json!(redo));
            }
            Action::Commit => {}
            Action::Scan { answer } => {
                let answer = match answer {
                    Answer::Sum => "sum",
                    Answer::Count => "count",
                };
                say.insert(condition::ANSWER, json!(answer));
            }
        }
        let keys = match self.spread {
            Spread::Uniform => None,
            Spread::Zipf(theta) => Some(json!({ "zipf": theta })),
            Spread::Hot { calls, keys } => Some(Value::Object(Map::from_iter([
                ("hot_calls_share".to_string(), json!(calls)),
                ("hot_keys_share".to_string(), json!(keys)),
            ]))),
        };
        if let Some(keys) = keys {
            say.insert(condition::KEY_DISTRIBUTION, keys);
        }
        if !self.think.is_zero() {
            say.insert(condition::THINK_NS, json!(self.think.as_nanos() as u64));
        }
    }
}
