//! What is used up without anybody waiting for it: ids of transactions, room for WAL.
//!
//! Source: PostgreSQL documentation, "Preventing Transaction ID Wraparound Failures", `pg_replication_slots`, `pg_stat_archiver`.

use narrows_model::Reserves;

use super::{number, text};
use crate::wire::{Row, one_line};

/// The database with the oldest unfrozen id.
pub(super) const OLDEST_DATABASE: &str =
    "SELECT datname, age(datfrozenxid) FROM pg_catalog.pg_database ORDER BY 2 DESC LIMIT 1";
/// Slots that nobody reads, with the bytes of WAL that they keep; not asked on a standby, which writes none.
pub(super) const UNREAD_SLOTS: &str = "\
SELECT slot_name, pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), restart_lsn) FROM pg_catalog.pg_replication_slots \
WHERE NOT active AND restart_lsn IS NOT NULL ORDER BY 2 DESC LIMIT 20";
/// Failures of an archiver whose last attempt failed.
pub(super) const ARCHIVER: &str = "\
SELECT failed_count FROM pg_catalog.pg_stat_archiver WHERE last_failed_time > coalesce(last_archived_time, '-infinity') \
AND pg_catalog.current_setting('archive_mode') <> 'off'";

/// Whether its role may list WAL files: a question that is refused is a line in the server's log.
pub(super) const MAY_LIST_WAL: &str =
    "SELECT 1 WHERE pg_catalog.has_function_privilege('pg_catalog.pg_ls_waldir()', 'EXECUTE')";
/// Bytes of WAL files.
pub(super) const WAL_FILES: &str = "SELECT sum(size) FROM pg_catalog.pg_ls_waldir()";

/// The answers to these, empty where there was none.
pub(super) fn reserves(oldest: &[Row], slots: &[Row], archiver: &[Row], wal: &[Row]) -> Reserves {
    let named = |row: &Row| Some((one_line(text(row, 0)?), number(row, 1)?));
    Reserves {
        oldest_database: oldest.first().and_then(named),
        unread_slots: slots.iter().filter_map(named).collect(),
        archive_failures: archiver.first().and_then(|row| number(row, 0)),
        wal_bytes: wal.first().and_then(|row| number(row, 0)),
        // Known to whoever has a path to them.
        file_systems: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::fake::row;

    #[test]
    fn what_was_not_answered_is_absent() {
        assert_eq!(reserves(&[], &[], &[], &[]), Reserves::default());
        let found = reserves(
            &[row(["shop", "2000000"])],
            &[row(["old", "5e9"]), row(["bad", "NaN"])],
            &[row(["3"])],
            &[row(["640000000"])],
        );
        assert_eq!(found.wal_bytes, Some(6.4e8));
        assert_eq!(found.oldest_database, Some(("shop".to_string(), 2e6)));
        assert_eq!(found.unread_slots, [("old".to_string(), 5e9)]);
        assert_eq!(found.archive_failures, Some(3.0));
    }
}
