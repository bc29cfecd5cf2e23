//! What one operation of a workload asks of the server, and how its statements must be planned.
//!
//! Named by physics: a `lookup` finds single blocks by the index one after the other, a `batch` hands the server many keys
//! and lets it sort and prefetch their blocks (bitmap), a `scan` reads the whole table, an `update` changes rows, a `commit`
//! does nothing but commit. Not the sessions that do it: those are in `drawn` and `load`.

use std::time::Duration;

use crate::variation::{Variation, Workload};

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
    /// The smallest durable transaction: a message in the log, in no table.
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
pub(crate) struct Planned {
    /// The SQL, parameters as `$1`.
    pub(crate) sql: String,
    /// Types of its parameters, as in `PREPARE`; empty where it has none.
    pub(crate) types: &'static str,
    /// Values to explain it with.
    pub(crate) example: &'static str,
    /// The nodes of its plan that read a table or an index; `None` leaves it to the server, to be told.
    pub(crate) reads_by: Option<&'static [&'static str]>,
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

    /// The statements that one operation is made of.
    pub(crate) fn statements(&self, table: &str, workers: u32) -> Vec<Planned> {
        const INDEX: Option<&[&str]> = Some(&["Index Scan"]);
        let one = |sql: String| Planned { sql, types: "bigint", example: "1", reads_by: INDEX };
        let select = || one(format!("SELECT v FROM {table} WHERE k = $1"));
        let many = |reads_by| Planned {
            sql: format!("SELECT v FROM {table} WHERE k = ANY ($1)"),
            types: "bigint[]",
            example: "'{1,2,3}'",
            reads_by,
        };
        let whole = |sql: String, reads_by| Planned { sql, types: "", example: "", reads_by };
        match self.action {
            Action::Lookup { calls: Calls::Each, .. } => vec![select()],
            Action::Lookup { calls: Calls::Any, .. } => vec![many(INDEX)],
            // What runs inside is explained too: it is where the blocks are read.
            Action::Lookup { calls: Calls::Inside, .. } => vec![inside(table), select()],
            Action::Batch { .. } => vec![many(Some(&["Bitmap Heap Scan", "Bitmap Index Scan"]))],
            Action::Update { percent, redo } => {
                let change = one(match redo {
                    Redo::Light => format!("UPDATE {table} SET v = v + 1 WHERE k = $1"),
                    // Turned by one byte, the padding keeps its entropy and no two versions begin and end alike, unless it is all zeros.
                    Redo::Heavy => format!(
                        "UPDATE {table} SET v = v + 1, pad = substr(pad, 2) || substr(pad, 1, 1) WHERE k = $1"
                    ),
                });
                match percent {
                    0 => vec![select()],
                    100 => vec![change],
                    _ => vec![change, select()],
                }
            }
            // A transaction that has written no log is not flushed, so it writes the smallest record there is.
            Action::Commit => vec![Planned {
                sql: "SELECT pg_logical_emit_message(true, 'narrows', '')".to_string(),
                types: "",
                example: "",
                reads_by: Some(&[]),
            }],
            // The sum has to read every row; a bare count could be answered from less.
            Action::Scan { answer: Answer::Sum } if workers > 1 => {
                vec![whole(format!("SELECT sum(v) FROM {table}"), Some(&["Parallel Seq Scan"]))]
            }
            Action::Scan { answer: Answer::Sum } => {
                vec![whole(format!("SELECT sum(v) FROM {table}"), Some(&["Seq Scan"]))]
            }
            Action::Scan { answer: Answer::Count } => {
                vec![whole(format!("SELECT count(*) FROM {table}"), None)]
            }
        }
    }

    /// Run-time settings of its sessions.
    pub(crate) fn settings(&self, variation: &Variation) -> Vec<String> {
        let mut settings =
            vec!["jit = off".to_string(), "plan_cache_mode = force_generic_plan".to_string()];
        let batch = matches!(self.action, Action::Batch { .. });
        settings.push(format!("enable_bitmapscan = {}", if batch { "on" } else { "off" }));
        if batch {
            settings.push("enable_indexscan = off".to_string());
        }
        match self.action {
            Action::Scan { answer } => {
                // The leader scans too. With pages at their usual price all plans of a one-row-per-block table cost
                // the same to within the planner's tolerance of 1 %, and the serial one wins.
                let helpers = variation.workers - 1;
                settings.push(format!("max_parallel_workers_per_gather = {helpers}"));
                settings.push("parallel_setup_cost = 0".to_string());
                settings.push("parallel_tuple_cost = 0".to_string());
                if answer == Answer::Sum {
                    settings.push("seq_page_cost = 0".to_string());
                    settings.push("enable_indexscan = off".to_string());
                    settings.push("enable_indexonlyscan = off".to_string());
                }
            }
            _ => {
                settings.push("max_parallel_workers_per_gather = 0".to_string());
                // An array's length is not known to a generic plan, and the whole table is a few pages to a small one.
                settings.push("enable_seqscan = off".to_string());
            }
        }
        if self.commits() > 0.0 {
            let on = if variation.synchronous_commit { "on" } else { "off" };
            settings.push(format!("synchronous_commit = {on}"));
        }
        settings
    }
}

/// Name of the function that looks up inside the server, beside the table.
pub(crate) fn inside_name(table: &str) -> String {
    format!("{table}_inside")
}

/// Creates it. It counts the rows it found, so that the client sees whether it found them all.
pub(crate) fn inside_function(table: &str) -> String {
    let name = inside_name(table);
    format!(
        "CREATE OR REPLACE FUNCTION {name}(keys bigint[]) RETURNS bigint LANGUAGE plpgsql AS $$ \
         DECLARE key bigint; value bigint; found_rows bigint := 0; BEGIN \
         FOREACH key IN ARRAY keys LOOP \
         SELECT v INTO value FROM {table} WHERE k = key; \
         IF FOUND THEN found_rows := found_rows + 1; END IF; END LOOP; RETURN found_rows; END $$"
    )
}

fn inside(table: &str) -> Planned {
    Planned {
        sql: format!("SELECT {}($1)", inside_name(table)),
        types: "bigint[]",
        example: "'{1,2,3}'",
        reads_by: Some(&[]),
    }
}

#[cfg(test)]
#[path = "task_test.rs"]
mod on_a_server;

#[cfg(test)]
mod tests {
    use super::*;

    fn statements(action: Action) -> Vec<String> {
        let task = Task::new(action, Source::Pool);
        task.statements("s.rows", 1).into_iter().map(|statement| statement.sql).collect()
    }

    #[test]
    fn a_mix_has_both_statements_and_its_ends_only_one() {
        let of = |percent| statements(Action::Update { percent, redo: Redo::Light });
        assert_eq!(of(0), ["SELECT v FROM s.rows WHERE k = $1"]);
        assert_eq!(of(100), ["UPDATE s.rows SET v = v + 1 WHERE k = $1"]);
        assert_eq!(of(30).len(), 2);
    }

    #[test]
    fn only_what_commits_durably_sets_the_commit() {
        let has = |action| {
            let settings =
                Task::new(action, Source::Pool).settings(&Variation::closed("database.x", 1));
            settings.iter().any(|setting| setting == "synchronous_commit = on")
        };
        assert!(has(Action::Commit) && has(Action::Update { percent: 10, redo: Redo::Heavy }));
        assert!(!has(Action::Update { percent: 0, redo: Redo::Heavy }));
        assert!(!has(Action::Lookup { blocks: 1, calls: Calls::Each }));
    }
}
