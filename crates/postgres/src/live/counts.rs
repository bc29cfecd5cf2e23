//! The server's counters: where each stands in this server's catalog, and what changed between two readings.

use std::collections::BTreeMap;

use crate::look::catalog::Catalog;
use crate::wire::Row;

/// A counter that only grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Count {
    Commits,
    Writers,
    LogBytes,
    Records,
    FullPages,
    BuffersFull,
    Writes,
    WrittenBytes,
    WriteMs,
    Flushes,
    SessionFlushes,
    FlushMs,
    Checkpoints,
}

/// A place where a counter stands in some versions.
struct Source {
    count: Count,
    view: &'static str,
    columns: &'static [&'static str],
    /// A scalar expression.
    sql: &'static str,
}

const fn source(
    count: Count,
    view: &'static str,
    columns: &'static [&'static str],
    sql: &'static str,
) -> Source {
    Source { count, view, columns, sql }
}

/// Of several sources of one counter the first that exists counts. A log that is in no row of `pg_stat_io` (16 and 17)
/// gives NULL there, which is absent. New segments are made ready in the context `init`, which is no commit's doing.
const SOURCES: &[Source] = &[
    source(
        Count::Commits,
        "pg_stat_database",
        &["xact_commit"],
        "(SELECT sum(xact_commit) FROM pg_catalog.pg_stat_database)",
    ),
    source(Count::Records, "pg_stat_wal", &["wal_records"], "w.wal_records"),
    source(Count::FullPages, "pg_stat_wal", &["wal_fpi"], "w.wal_fpi"),
    source(Count::BuffersFull, "pg_stat_wal", &["wal_buffers_full"], "w.wal_buffers_full"),
    source(Count::Writes, "pg_stat_wal", &["wal_write"], "w.wal_write"),
    source(Count::Writes, "pg_stat_io", &["object", "writes"], "i.writes"),
    source(Count::WrittenBytes, "pg_stat_io", &["object", "write_bytes"], "i.write_bytes"),
    source(Count::WriteMs, "pg_stat_wal", &["wal_write_time"], "w.wal_write_time"),
    source(Count::WriteMs, "pg_stat_io", &["object", "write_time"], "i.write_time"),
    source(Count::Flushes, "pg_stat_wal", &["wal_sync"], "w.wal_sync"),
    source(Count::Flushes, "pg_stat_io", &["object", "fsyncs"], "i.fsyncs"),
    source(Count::SessionFlushes, "pg_stat_io", &["object", "fsyncs"], "i.session_fsyncs"),
    source(Count::FlushMs, "pg_stat_wal", &["wal_sync_time"], "w.wal_sync_time"),
    source(Count::FlushMs, "pg_stat_io", &["object", "fsync_time"], "i.fsync_time"),
    source(
        Count::Checkpoints,
        "pg_stat_checkpointer",
        &["num_done"],
        "(SELECT num_done FROM pg_catalog.pg_stat_checkpointer)",
    ),
    source(
        Count::Checkpoints,
        "pg_stat_checkpointer",
        &["num_timed", "num_requested"],
        "(SELECT num_timed + num_requested FROM pg_catalog.pg_stat_checkpointer)",
    ),
    source(
        Count::Checkpoints,
        "pg_stat_bgwriter",
        &["checkpoints_timed", "checkpoints_req"],
        "(SELECT checkpoints_timed + checkpoints_req FROM pg_catalog.pg_stat_bgwriter)",
    ),
];

/// Not views: a transaction that writes takes an id, and the position is exact at any time.
const FUNCTIONS: [(Count, &str); 2] = [
    (
        Count::Writers,
        "pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())::pg_catalog.text",
    ),
    (Count::LogBytes, "pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_insert_lsn(), '0/0')"),
];

/// One statement that reads every counter this server has.
#[derive(Debug, Clone)]
pub(super) struct Statement {
    counts: Vec<Count>,
    pub(super) sql: String,
}

impl Statement {
    pub(super) fn new(catalog: &Catalog) -> Statement {
        let mut chosen: Vec<(Count, &str)> = FUNCTIONS.to_vec();
        let (mut wal, mut io) = (false, false);
        for source in SOURCES {
            if chosen.iter().any(|(count, _)| *count == source.count)
                || !catalog.has(source.view, source.columns)
            {
                continue;
            }
            // In 16 and 17 the log is not in `pg_stat_io` yet, and its columns would be of no use.
            wal |= source.view == "pg_stat_wal";
            io |= source.view == "pg_stat_io";
            chosen.push((source.count, source.sql));
        }
        // A reset in between makes every difference wrong, also those that still look like growth.
        let reset = if wal { "w.stats_reset" } else { "NULL" };
        let columns: Vec<&str> = chosen.iter().map(|(_, sql)| *sql).chain([reset]).collect();
        let mut from = Vec::new();
        if wal {
            from.push("pg_catalog.pg_stat_wal w".to_string());
        }
        if io {
            from.push(io_rows(catalog));
        }
        let from =
            if from.is_empty() { String::new() } else { format!(" FROM {}", from.join(", ")) };
        Statement {
            counts: chosen.into_iter().map(|(count, _)| count).collect(),
            sql: format!("SELECT {}{from}", columns.join(", ")),
        }
    }

    /// The answer's only row.
    pub(super) fn read(&self, row: &Row) -> Reading {
        let text = |column: usize| row.get(column).and_then(|c| c.as_deref());
        let counts = self.counts.iter().enumerate();
        let known =
            counts.filter_map(|(column, count)| Some((*count, text(column)?.parse().ok()?)));
        Reading {
            counts: known.collect(),
            reset: text(self.counts.len()).unwrap_or_default().to_string(),
        }
    }
}

/// All processes' writes and flushes of the log in one row.
fn io_rows(catalog: &Catalog) -> String {
    let sum = |column: &str| {
        if catalog.has("pg_stat_io", &[column]) {
            format!("sum({column}) AS {column}")
        } else {
            format!("NULL AS {column}")
        }
    };
    format!(
        "(SELECT {}, {}, {}, {}, {}, sum(fsyncs) FILTER (WHERE backend_type = 'client backend') AS session_fsyncs \
         FROM pg_catalog.pg_stat_io WHERE object = 'wal' AND context = 'normal') i",
        sum("writes"),
        sum("write_bytes"),
        sum("write_time"),
        sum("fsyncs"),
        sum("fsync_time")
    )
}

/// One reading; absent is what this server doesn't count.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Reading {
    counts: BTreeMap<Count, f64>,
    reset: String,
}

impl Reading {
    /// What changed since `earlier`; a counter that was reset, or went back, is absent.
    pub(super) fn since(&self, earlier: &Reading) -> Changed {
        let same = self.reset == earlier.reset;
        let change = |(count, now): (&Count, &f64)| {
            let change = now - earlier.counts.get(count)?;
            let own = matches!(count, Count::Writers | Count::LogBytes);
            ((same || own) && change >= 0.0).then_some((*count, change))
        };
        Changed(self.counts.iter().filter_map(change).collect())
    }
}

/// What changed between two readings.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Changed(BTreeMap<Count, f64>);

impl Changed {
    pub(super) fn get(&self, count: Count) -> Option<f64> {
        self.0.get(&count).copied()
    }

    /// Times are zero, and not measured, where nobody takes them.
    pub(super) fn without_times(mut self) -> Changed {
        self.0.remove(&Count::WriteMs);
        self.0.remove(&Count::FlushMs);
        self
    }

    /// Less what we did ourselves.
    pub(super) fn less(mut self, count: Count, own: f64) -> Changed {
        if let Some(value) = self.0.get_mut(&count) {
            *value = (*value - own).max(0.0);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::look::catalog::testing::of_version;

    fn statement(major: u32) -> Statement {
        Statement::new(&of_version(major))
    }

    fn has(major: u32, count: Count) -> bool {
        statement(major).counts.contains(&count)
    }

    #[test]
    fn every_version_says_what_it_has_where_it_has_it() {
        for major in 13..=18 {
            for count in [Count::Commits, Count::Writers, Count::LogBytes, Count::Checkpoints] {
                assert!(has(major, count), "{count:?} of {major}");
            }
            let since_14 = major >= 14;
            for count in [Count::Records, Count::Writes, Count::Flushes, Count::FlushMs] {
                assert_eq!(has(major, count), since_14, "{count:?} of {major}");
            }
            assert_eq!(has(major, Count::WrittenBytes), major >= 18, "{major}");
        }
        for (major, view) in [(14, "w.wal_sync"), (17, "w.wal_sync"), (18, "i.fsyncs")] {
            assert!(statement(major).sql.contains(view), "{}", statement(major).sql);
        }
        assert!(!statement(18).sql.contains("w.wal_sync"));
        assert!(statement(16).sql.contains("pg_stat_bgwriter"));
        assert!(statement(17).sql.contains("num_timed + num_requested"));
        assert!(statement(18).sql.contains("num_done"));
        assert!(!statement(13).sql.contains(" FROM pg_catalog.pg_stat_wal"));
    }

    fn reading(statement: &Statement, values: &[(Count, &str)], reset: &str) -> Reading {
        let value = |count: &Count| {
            values.iter().find(|(c, _)| c == count).map(|(_, value)| (*value).to_string())
        };
        let mut row: Row = statement.counts.iter().map(value).collect();
        row.push(Some(reset.to_string()));
        statement.read(&row)
    }

    #[test]
    fn what_changed_is_a_difference_and_null_is_absent() {
        let statement = statement(17);
        let before = [(Count::Commits, "1000"), (Count::Flushes, "10"), (Count::FlushMs, "2.5")];
        let after = [(Count::Commits, "1500"), (Count::Flushes, "35"), (Count::FlushMs, "27.5")];
        let changed = reading(&statement, &after, "t").since(&reading(&statement, &before, "t"));
        assert_eq!(changed.get(Count::Commits), Some(500.0));
        assert_eq!(changed.get(Count::FlushMs), Some(25.0));
        assert_eq!(changed.get(Count::Records), None, "NULL is not zero");
        assert_eq!(changed.clone().less(Count::Commits, 20.0).get(Count::Commits), Some(480.0));
        assert_eq!(changed.without_times().get(Count::FlushMs), None);
    }

    #[test]
    fn a_reset_in_between_gives_no_figure_but_what_can_not_be_reset() {
        let statement = statement(15);
        let before = [(Count::Flushes, "10"), (Count::LogBytes, "100"), (Count::Commits, "9")];
        let after = [(Count::Flushes, "35"), (Count::LogBytes, "300"), (Count::Commits, "3")];
        let before = reading(&statement, &before, "monday");
        let reset = reading(&statement, &after, "tuesday").since(&before);
        assert_eq!((reset.get(Count::Flushes), reset.get(Count::LogBytes)), (None, Some(200.0)));
        // The views are reset one by one: a counter that went back was.
        let back = reading(&statement, &after, "monday").since(&before);
        assert_eq!((back.get(Count::Flushes), back.get(Count::Commits)), (Some(25.0), None));
    }
}
