//! Foreign keys whose columns no index of their own table leads with.
//!
//! For each row that is deleted from the table referred to, or whose key is changed there, the server looks for rows that refer to it:
//! without such an index by a sequential scan. Whether an update changed the key is not counted, so that updates are counted like
//! deletions. Any valid index that begins with the key's columns, in any order, is one; a partial one too, because the server may
//! be able to use it.
//!
//! Source: PostgreSQL documentation, "Constraints", "Foreign Keys"; `pg_constraint`, `pg_index`.

use std::collections::{BTreeMap, BTreeSet};

use narrows_model::{Consumers, UnindexedKey};

use super::{oids, text};
use crate::wire::{Row, one_line};

/// Tables with most rows gone, of which keys are looked up.
const MOST_TABLES: usize = 1000;

/// Asks for the keys that refer to tables with so many rows gone; `None` where none are. A key of partitions stands for all of them.
pub(super) fn question(rows_gone: &BTreeMap<u32, f64>) -> Option<String> {
    let mut most: Vec<(f64, u32)> = rows_gone.iter().map(|(oid, rows)| (*rows, *oid)).collect();
    most.sort_by(|a, b| b.0.total_cmp(&a.0));
    let most: BTreeSet<u32> = most.into_iter().take(MOST_TABLES).map(|(_, oid)| oid).collect();
    let name = |of: &str| {
        format!(
            "(SELECT pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(t.relname) FROM pg_catalog.pg_class t \
             JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace WHERE t.oid = c.{of})"
        )
    };
    (!most.is_empty()).then(|| {
        format!(
            "SELECT c.confrelid, c.conrelid, pg_catalog.quote_ident(c.conname), {}, (SELECT pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), \
             ', ' ORDER BY k.place) FROM pg_catalog.unnest(c.conkey) WITH ORDINALITY k (attnum, place) JOIN pg_catalog.pg_attribute a \
             ON a.attrelid = c.conrelid AND a.attnum = k.attnum), {} FROM pg_catalog.pg_constraint c \
             WHERE c.contype = 'f' AND c.confrelid = ANY ('{{{}}}'::pg_catalog.oid[]) \
             AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint p WHERE p.oid = c.conparentid AND p.confrelid = c.confrelid) \
             AND NOT EXISTS (SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = c.conrelid AND i.indisvalid \
             AND i.indnkeyatts >= pg_catalog.cardinality(c.conkey) \
             AND (i.indkey::pg_catalog.int2[])[0:pg_catalog.cardinality(c.conkey) - 1] @> c.conkey) LIMIT 1000",
            name("conrelid"),
            name("confrelid"),
            oids(most)
        )
    })
}

/// The answer: keys with most rows gone first, and the tables that have them.
pub(super) fn keys(
    rows: &[Row],
    rows_gone: &BTreeMap<u32, f64>,
) -> (Vec<UnindexedKey>, BTreeSet<u32>) {
    let oid = |row: &Row, column: usize| text(row, column)?.parse::<u32>().ok();
    let key = |row: &Row| {
        let name = |column: usize| text(row, column).map(one_line);
        let key = UnindexedKey {
            name: name(2)?,
            table: name(3)?,
            columns: name(4)?,
            refers_to: name(5)?,
            rows_gone: rows_gone.get(&oid(row, 0)?).copied()?,
        };
        Some((key, oid(row, 1)?))
    };
    let mut found: Vec<(UnindexedKey, u32)> = rows.iter().filter_map(key).collect();
    found.sort_by(|a, b| b.0.rows_gone.total_cmp(&a.0.rows_gone));
    found.truncate(Consumers::KEPT);
    found.into_iter().unzip()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::fake::row;

    #[test]
    fn keys_come_with_the_rows_that_went_from_what_they_refer_to() {
        let gone = BTreeMap::from([(16, 5.0), (17, 9.0)]);
        let rows = [
            row(["16", "30", "a_fkey", "public.a", "x", "public.p"]),
            row(["17", "31", "\"B\"", "public.b", "x, \"Y\"", "public.q"]),
            row(["18", "32", "c_fkey", "public.c", "x", "public.r"]),
        ];
        let (keys, tables) = keys(&rows, &gone);
        assert_eq!(keys.iter().map(|key| key.rows_gone).collect::<Vec<_>>(), [9.0, 5.0]);
        assert_eq!((keys[0].columns.as_str(), keys[0].table.as_str()), ("x, \"Y\"", "public.b"));
        assert_eq!(tables, BTreeSet::from([30, 31]));
        assert!(question(&gone).unwrap().contains("'{16,17}'"));
        assert_eq!(question(&BTreeMap::new()), None);
    }
}
