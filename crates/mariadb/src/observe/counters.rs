//! `SHOW GLOBAL STATUS` at the edges of windows, and the variables that bear on a cause.
//!
//! Counters that every session has too are read of our own session as well, so that what our questions add is taken off again.

use std::collections::BTreeMap;

use narrows_model::LiveSetting;

use crate::connection::{Connection, Row};
use crate::error::MariaError;

/// Counters of the whole server.
const OF_SERVER: [&str; 25] = [
    "Aborted_connects",
    "Binlog_commits",
    "Binlog_group_commits",
    "Connections",
    "Innodb_buffer_pool_read_requests",
    "Innodb_buffer_pool_reads",
    "Innodb_buffer_pool_wait_free",
    "Innodb_data_fsyncs",
    "Innodb_data_reads",
    "Innodb_deadlocks",
    "Innodb_log_waits",
    "Innodb_lsn_current",
    "Innodb_os_log_written",
    "Innodb_os_log_fsyncs",
    "Innodb_pages_read",
    "Innodb_pages_written",
    "Innodb_row_lock_time",
    "Innodb_row_lock_waits",
    "Innodb_buffer_pool_pages_LRU_flushed",
    "Innodb_buffer_pool_pages_lru_freed",
    "Table_open_cache_overflows",
    "Threads_created",
    "Uptime",
    "Connection_errors_max_connections",
    "Aborted_clients",
];
/// Counters that sessions have too.
const OF_SESSIONS: [&str; 15] = [
    "Com_commit",
    "Com_delete",
    "Com_insert",
    "Com_replace",
    "Com_rollback",
    "Com_select",
    "Com_update",
    "Created_tmp_disk_tables",
    "Created_tmp_tables",
    "Questions",
    "Select_full_join",
    "Select_scan",
    "Sort_merge_passes",
    "Opened_tables",
    "Handler_read_rnd_next",
];
/// Figures that go up and down.
const LEVELS: [&str; 11] = [
    "Innodb_buffer_pool_pages_data",
    "Innodb_buffer_pool_pages_dirty",
    "Innodb_buffer_pool_pages_free",
    "Innodb_buffer_pool_pages_total",
    "Innodb_checkpoint_age",
    "Innodb_checkpoint_max_age",
    "Innodb_history_list_length",
    "Innodb_page_size",
    "Open_tables",
    "Threads_connected",
    "Threads_running",
];
/// Variables that are kept. None holds a path, a host or a name.
const VARIABLES: [&str; 38] = [
    "autocommit",
    "binlog_commit_wait_count",
    "binlog_commit_wait_usec",
    "innodb_buffer_pool_size",
    "innodb_buffer_pool_size_max",
    "innodb_deadlock_detect",
    "innodb_doublewrite",
    "innodb_flush_log_at_trx_commit",
    "innodb_flush_method",
    "innodb_flush_neighbors",
    "innodb_io_capacity",
    "innodb_io_capacity_max",
    "innodb_lock_wait_timeout",
    "innodb_log_buffer_size",
    "innodb_log_file_size",
    "innodb_max_purge_lag",
    "innodb_page_size",
    "innodb_purge_threads",
    "innodb_read_io_threads",
    "join_buffer_size",
    "lock_wait_timeout",
    "log_bin",
    "max_connections",
    "max_heap_table_size",
    "performance_schema",
    "query_cache_size",
    "query_cache_type",
    "read_only",
    "sort_buffer_size",
    "sync_binlog",
    "table_open_cache",
    "thread_cache_size",
    "thread_handling",
    "tmp_memory_table_size",
    "tmp_table_size",
    "transaction_isolation",
    "tx_isolation",
    "userstat",
];

/// Counters and levels at one moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Counted {
    of_all: BTreeMap<String, f64>,
    ours: BTreeMap<String, f64>,
}

fn list(names: impl IntoIterator<Item = &'static str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("'{name}'")).collect();
    quoted.join(", ")
}

fn numbers(rows: Vec<Row>) -> BTreeMap<String, f64> {
    let named = rows.into_iter().filter_map(|row| {
        let mut cells = row.into_iter();
        let (name, value) = (cells.next()??, cells.next()??);
        Some((name, value.parse::<f64>().ok().filter(|n| n.is_finite())?))
    });
    named.collect()
}

impl Counted {
    /// Of this moment.
    pub(super) fn read(session: &mut Connection) -> Result<Counted, MariaError> {
        let all = OF_SERVER.iter().chain(&OF_SESSIONS).chain(&LEVELS).copied();
        let of_all =
            session.query(&format!("SHOW GLOBAL STATUS WHERE variable_name IN ({})", list(all)))?;
        let ours = session.query(&format!(
            "SHOW SESSION STATUS WHERE variable_name IN ({})",
            list(OF_SESSIONS)
        ))?;
        Ok(Counted { of_all: spelled(numbers(of_all)), ours: spelled(numbers(ours)) })
    }

    /// How much each counter grew since, without what our own session added; one that went back was reset and is absent.
    pub(super) fn since(&self, before: &Counted) -> BTreeMap<String, f64> {
        let counters = OF_SERVER.iter().chain(&OF_SESSIONS);
        let grew = counters.filter_map(|name| {
            let all = self.of_all.get(*name)? - before.of_all.get(*name)?;
            let ours = match (self.ours.get(*name), before.ours.get(*name)) {
                (Some(now), Some(then)) => now - then,
                _ => 0.0,
            };
            (all >= 0.0).then(|| ((*name).to_string(), (all - ours).max(0.0)))
        });
        grew.collect()
    }

    /// Whether the server was started or its status flushed in between.
    pub(super) fn restarted_since(&self, before: &Counted) -> bool {
        let uptime = |counted: &Counted| counted.of_all.get("Uptime").copied();
        matches!((uptime(self), uptime(before)), (Some(now), Some(then)) if now < then)
    }

    /// Figures that go up and down.
    pub(super) fn levels(&self) -> BTreeMap<String, f64> {
        let known = LEVELS
            .iter()
            .filter_map(|name| self.of_all.get(*name).map(|level| ((*name).to_string(), *level)));
        known.collect()
    }
}

/// By our spelling: some versions write `Innodb_buffer_pool_pages_lru_flushed`.
fn spelled(found: BTreeMap<String, f64>) -> BTreeMap<String, f64> {
    let all: Vec<&str> = OF_SERVER.iter().chain(&OF_SESSIONS).chain(&LEVELS).copied().collect();
    let again = found.into_iter().map(|(name, n)| {
        let ours = all.iter().find(|ours| ours.eq_ignore_ascii_case(&name));
        (ours.map_or(name, |ours| (*ours).to_string()), n)
    });
    again.collect()
}

/// Asks for the variables that are kept, and who set them.
pub(super) fn variables() -> String {
    format!(
        "SELECT VARIABLE_NAME, GLOBAL_VALUE, GLOBAL_VALUE_ORIGIN, DEFAULT_VALUE FROM information_schema.SYSTEM_VARIABLES WHERE VARIABLE_NAME IN ({})",
        list(VARIABLES)
    )
}

/// The variables that are kept.
pub(super) fn settings(session: &mut Connection) -> Result<Vec<LiveSetting>, MariaError> {
    let rows = session.query(&variables())?;
    let mut known: Vec<LiveSetting> = rows.into_iter().filter_map(setting).collect();
    known.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(known)
}

fn setting(row: Row) -> Option<LiveSetting> {
    let mut cells = row.into_iter();
    let (name, value, origin) = (cells.next()??, cells.next()??, cells.next().flatten());
    // Who starts with what it would be anyway has changed nothing.
    let is_default = cells.next().flatten().as_ref() == Some(&value);
    let origin = origin.filter(|from| !is_default || from == "SQL");
    let name = VARIABLES.iter().find(|known| known.eq_ignore_ascii_case(&name))?;
    let value: String = narrows_units::shown(&value).chars().take(100).collect();
    let source = match origin.as_deref() {
        Some("CONFIG") => "configuration file",
        Some("COMMAND-LINE") => "command line",
        Some("SQL") => "SET GLOBAL",
        // What the server works out itself nobody chose either.
        _ => "default",
    };
    Some(LiveSetting { name: (*name).to_string(), value, source: source.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(pairs: &[(&str, f64)], ours: &[(&str, f64)]) -> Counted {
        let map = |pairs: &[(&str, f64)]| {
            pairs.iter().map(|(name, n)| ((*name).to_string(), *n)).collect()
        };
        Counted { of_all: map(pairs), ours: map(ours) }
    }

    #[test]
    fn what_our_own_session_adds_is_taken_off_and_what_went_back_is_unknown() {
        let before = counted(
            &[("Questions", 100.0), ("Threads_created", 9.0), ("Uptime", 50.0)],
            &[("Questions", 4.0)],
        );
        let after = counted(
            &[("Questions", 180.0), ("Threads_created", 2.0), ("Uptime", 60.0)],
            &[("Questions", 34.0)],
        );
        let grew = after.since(&before);
        assert_eq!(grew.get("Questions"), Some(&50.0));
        assert_eq!(grew.get("Threads_created"), None);
        assert!(!after.restarted_since(&before) && before.restarted_since(&after));
    }

    #[test]
    fn variables_say_who_set_them() {
        let of = |cells: &[&str]| setting(cells.iter().map(|c| Some((*c).to_string())).collect());
        let pool = of(&["INNODB_BUFFER_POOL_SIZE", "268435456", "CONFIG", "134217728"]).unwrap();
        assert_eq!(
            (pool.name.as_str(), pool.source.as_str()),
            ("innodb_buffer_pool_size", "configuration file")
        );
        assert_eq!(of(&["AUTOCOMMIT", "ON", "COMPILE-TIME", "ON"]).unwrap().source, "default");
        assert_eq!(of(&["SYNC_BINLOG", "0", "COMMAND-LINE", "0"]).unwrap().source, "default");
        assert_eq!(of(&["READ_ONLY", "OFF", "SQL", "OFF"]).unwrap().source, "SET GLOBAL");
        assert_eq!(of(&["DATADIR", "/srv", "CONFIG", ""]), None);
        assert_eq!(setting(vec![]), None);
    }

    #[test]
    fn names_are_known_however_a_version_writes_them() {
        let rows = vec![
            vec![Some("Innodb_buffer_pool_pages_lru_flushed".into()), Some("7".into())],
            vec![Some("Uptime".into()), Some("x".into())],
            vec![None, None],
            vec![],
        ];
        let found = spelled(numbers(rows));
        assert_eq!(found.get("Innodb_buffer_pool_pages_LRU_flushed"), Some(&7.0));
        assert_eq!(found.len(), 1);
    }
}
