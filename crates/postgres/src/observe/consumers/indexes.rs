//! What was done with the indexes of our session's database: two readings of their counters, one subtracted from the other, and what
//! the catalog tells of those that are kept.
//!
//! The counters are those of `pg_stat_user_indexes` and `pg_statio_user_indexes`, by the functions that these views call, of the
//! [`MOST_INDEXES`] largest. Sizes are those of `pg_class`.
//!
//! How many blocks a B-tree would have if it were built now is an estimate: its entries by `pg_class`, each with the mean width of its
//! columns by `pg_stats`, padded as if each column had to be, packed up to the fillfactor. Posting lists (deduplication, version 13) take less
//! than that, and so do NULLs: it errs on the side of a larger new index, which hides bloat and invents none.
//!
//! Source: PostgreSQL documentation, "The Cumulative Statistics System", `pg_index`, `pg_stats`, "B-Tree Indexes"; "Database Page Layout".

use std::collections::{BTreeMap, BTreeSet};

use narrows_model::{Consumers, IndexSums, IndexUse};

use super::{number, oids, text};
use crate::wire::{Row, one_line};

/// Indexes that are read; each takes the server some microseconds.
pub(super) const MOST_INDEXES: usize = 5_000;
/// Indexes that are kept because they were most of one thing.
const OF_EACH: usize = 5;
/// Blocks of an index without scans from which on it is asked for: 10 MB.
const UNUSED_BLOCKS: u32 = 1280;
/// Blocks of an index from which on it is asked for whatever was done with it: 1 GB.
const LARGE_BLOCKS: u32 = 131_072;

/// Reads the counters of all indexes.
pub(super) const READ: &str = "EXECUTE narrows_indexes";

/// In the order of an index's counters.
const COUNTERS: [&str; COUNTS] = [
    "pg_catalog.pg_stat_get_numscans(c.oid)",
    "pg_catalog.pg_stat_get_tuples_returned(c.oid)",
    "pg_catalog.pg_stat_get_tuples_fetched(c.oid)",
    "pg_catalog.pg_stat_get_blocks_hit(c.oid)",
    "pg_catalog.pg_stat_get_blocks_fetched(c.oid) - pg_catalog.pg_stat_get_blocks_hit(c.oid)",
];
const COUNTS: usize = 5;
type Counts = [f64; COUNTS];

/// Prepares a reading: the number of indexes comes with each.
pub(super) fn prepare() -> String {
    format!(
        "PREPARE narrows_indexes AS SELECT c.oid, c.indexes, {} FROM (SELECT oid, count(*) OVER () AS indexes FROM pg_catalog.pg_class \
         WHERE relkind = 'i' AND relpersistence <> 't' AND relnamespace NOT IN (SELECT oid FROM pg_catalog.pg_namespace \
         WHERE nspname IN ('pg_catalog', 'information_schema', 'pg_toast')) ORDER BY relpages DESC LIMIT {MOST_INDEXES}) c",
        COUNTERS.join(", ")
    )
}

/// All indexes at a moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Reading {
    counts: BTreeMap<u32, Counts>,
    /// How many there are.
    indexes: f64,
}

impl Reading {
    /// From the answer to [`READ`].
    pub(super) fn of(rows: &[Row]) -> Reading {
        let one = |row: &Row| {
            let counts = std::array::from_fn(|at| number(row, 2 + at).unwrap_or(0.0));
            Some((text(row, 0)?.parse().ok()?, counts))
        };
        Reading {
            counts: rows.iter().filter_map(one).collect(),
            indexes: rows.first().and_then(|row| number(row, 1)).unwrap_or(0.0),
        }
    }

    /// What was done since. An index that wasn't there before counts from zero, unless only the largest were read.
    pub(super) fn since(&self, before: &Reading) -> Changes {
        let cut = [self, before].iter().any(|reading| reading.indexes > MOST_INDEXES as f64);
        let change = |(oid, now): (&u32, &Counts)| {
            let then = before.counts.get(oid).copied().or((!cut).then_some([0.0; COUNTS]))?;
            // One that is less than before has been reset.
            let change: Counts = std::array::from_fn(|at| match now[at] - then[at] {
                change if change < 0.0 => now[at],
                change => change,
            });
            change.iter().any(|change| *change > 0.0).then_some((*oid, change))
        };
        Changes { counts: self.counts.iter().filter_map(change).collect(), indexes: self.indexes }
    }
}

/// What was done with the indexes that something was done with.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Changes {
    counts: BTreeMap<u32, Counts>,
    indexes: f64,
}

impl Changes {
    /// All of them together.
    pub(super) fn sums(&self) -> IndexSums {
        let sum = |at: usize| self.counts.values().map(|counts| counts[at]).sum::<f64>() + 0.0;
        IndexSums {
            indexes: self.indexes,
            scans: sum(0),
            entries_read: sum(1),
            blocks_hit: sum(3),
            blocks_read: sum(4),
        }
    }

    /// Those with most blocks, scans, entries and reads.
    fn kept(&self) -> BTreeSet<u32> {
        let first = |by: fn(&Counts) -> f64, most: usize| {
            let mut ranked: Vec<(f64, u32)> =
                self.counts.iter().map(|(oid, counts)| (by(counts), *oid)).collect();
            ranked.retain(|(figure, _)| *figure > 0.0);
            ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
            ranked.into_iter().take(most).map(|(_, oid)| oid)
        };
        let others: [fn(&Counts) -> f64; 3] =
            [|counts| counts[0], |counts| counts[1], |counts| counts[4]];
        let others = others.into_iter().flat_map(|by| first(by, OF_EACH));
        first(|counts| counts[3] + counts[4], Consumers::KEPT - OF_EACH).chain(others).collect()
    }

    /// Asks for names, columns and sizes of those that are kept, of those that may not be used, of large ones, and of those that no scan
    /// has used since statistics were reset on the tables that were `written`.
    pub(super) fn details(&self, written: &BTreeSet<u32>) -> String {
        format!(
            "SELECT i.indexrelid, pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.relname), \
             pg_catalog.quote_ident(tn.nspname) || '.' || pg_catalog.quote_ident(t.relname), \
             CASE WHEN k.plain THEN k.columns END, \
             i.indisprimary OR i.indisexclusion OR i.indisreplident OR k.of_constraint, i.indisunique, NOT i.indisvalid, \
             EXISTS (SELECT FROM pg_catalog.pg_stat_progress_create_index p WHERE p.relid = i.indrelid OR p.relid IS NULL), \
             nullif(c.relpages, 0), CASE WHEN k.plain AND c.reltuples >= 0 THEN c.reltuples END, k.bytes, k.fillfactor, \
             pg_catalog.pg_stat_get_numscans(i.indexrelid), extract(epoch FROM clock_timestamp() - coalesce( \
             (SELECT pg_catalog.pg_stat_get_db_stat_reset_time(d.oid) FROM pg_catalog.pg_database d \
             WHERE d.datname = pg_catalog.current_database()), pg_catalog.pg_postmaster_start_time())), \
             pg_catalog.current_setting('block_size') \
             FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid AND c.relkind = 'i' AND c.relpersistence <> 't' \
             JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
             JOIN pg_catalog.pg_class t ON t.oid = i.indrelid JOIN pg_catalog.pg_namespace tn ON tn.oid = t.relnamespace \
             LEFT JOIN LATERAL (SELECT {COLUMNS}) k ON true \
             WHERE n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') AND (i.indexrelid = ANY ('{{{kept}}}'::pg_catalog.oid[]) \
             OR NOT i.indisvalid OR c.relpages >= {LARGE_BLOCKS} OR i.indrelid = ANY ('{{{written}}}'::pg_catalog.oid[]) \
             AND c.relpages >= {UNUSED_BLOCKS} AND pg_catalog.pg_stat_get_numscans(i.indexrelid) = 0) \
             ORDER BY i.indisvalid, c.relpages DESC LIMIT 100",
            kept = oids(self.kept()),
            written = oids(written.clone())
        )
    }

    /// With the answer to that, most blocks first.
    pub(super) fn indexes(&self, details: &[Row]) -> Vec<IndexUse> {
        let index = |row: &Row| {
            let counts = self.counts.get(&text(row, 0)?.parse().ok()?);
            let counts = counts.copied().unwrap_or_default();
            let yes = |column: usize| text(row, column) == Some("t");
            let entries = number(row, 9).zip(number(row, 10));
            let fillfactor = number(row, 11).unwrap_or(90.0);
            let block_bytes = number(row, 14).unwrap_or(8192.0);
            Some(IndexUse {
                name: one_line(text(row, 1)?),
                table: one_line(text(row, 2)?),
                columns: text(row, 3).map(one_line).unwrap_or_default(),
                needed: yes(4),
                unique: yes(5),
                invalid: yes(6),
                in_progress: yes(7),
                blocks: number(row, 8),
                expected_blocks: entries
                    .and_then(|(n, bytes)| new_blocks(n, bytes, fillfactor, block_bytes)),
                scans: counts[0],
                entries_read: counts[1],
                rows_fetched: counts[2],
                blocks_hit: counts[3],
                blocks_read: counts[4],
                scans_ever: number(row, 12).unwrap_or(counts[0]),
                statistics_age_s: number(row, 13).map(|age| age.max(0.0)),
            })
        };
        let mut indexes: Vec<IndexUse> = details.iter().filter_map(index).collect();
        let blocks = |index: &IndexUse| index.blocks_hit + index.blocks_read;
        indexes.sort_by(|a, b| blocks(b).total_cmp(&blocks(a)));
        indexes
    }
}

/// Of an index: its columns, whether it is a B-tree of plain columns of all rows, whether a constraint needs it, bytes of its columns in an
/// entry where `pg_stats` has all of them, its fillfactor. A column is padded as its type asks for at most.
const COLUMNS: &str = "\
pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), ', ' ORDER BY p.place) FILTER (WHERE p.place <= i.indnkeyatts) AS columns, \
i.indpred IS NULL AND i.indexprs IS NULL AND (SELECT m.amname = 'btree' FROM pg_catalog.pg_am m WHERE m.oid = c.relam) AS plain, \
EXISTS (SELECT FROM pg_catalog.pg_constraint o WHERE o.conindid = i.indexrelid AND o.contype IN ('p', 'u', 'x', 'f')) AS of_constraint, \
CASE WHEN count(s.avg_width) = i.indnatts THEN sum(s.avg_width + CASE a.attalign WHEN 'd' THEN (8 - s.avg_width % 8) % 8 \
WHEN 'i' THEN (4 - s.avg_width % 4) % 4 WHEN 's' THEN s.avg_width % 2 ELSE 0 END) END AS bytes, \
(SELECT o.option_value FROM pg_catalog.pg_options_to_table(c.reloptions) o WHERE o.option_name = 'fillfactor') AS fillfactor \
FROM pg_catalog.unnest(i.indkey::pg_catalog.int2[]) WITH ORDINALITY p (attnum, place) \
JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = p.attnum \
LEFT JOIN pg_catalog.pg_stats s ON s.schemaname = tn.nspname AND s.tablename = t.relname AND s.attname = a.attname AND NOT s.inherited";

/// Blocks of a B-tree that is built now: entries of 8 bytes and so many more, padded to 8, a pointer of 4 to each; pages with a head of 24, 16
/// at their end, and an entry of their upper bound; inner pages as many as the fan-out asks for; a meta page.
fn new_blocks(entries: f64, bytes: f64, fillfactor: f64, block_bytes: f64) -> Option<f64> {
    let entry = ((8.0 + bytes) / 8.0).ceil() * 8.0 + 4.0;
    let room = (block_bytes - 24.0 - 16.0) * (fillfactor / 100.0).clamp(0.1, 1.0) - entry;
    let of_a_page = (room / entry).floor();
    if of_a_page < 2.0 || entries < 0.0 {
        return None;
    }
    let (mut level, mut blocks) = ((entries / of_a_page).ceil().max(1.0), 1.0);
    blocks += level;
    // Each is at least a half of the one below.
    while level > 1.0 && level.is_finite() {
        level = (level / of_a_page).ceil();
        blocks += level;
    }
    Some(blocks).filter(|blocks| blocks.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::fake::row;

    fn reading(rows: &[[&'static str; 7]]) -> Reading {
        Reading::of(&rows.iter().map(|cells| row(*cells)).collect::<Vec<_>>())
    }

    #[test]
    fn indexes_that_something_was_done_with_are_subtracted_and_summed() {
        let before = reading(&[
            ["30", "3", "5", "50", "40", "90", "9"],
            ["31", "3", "5", "50", "40", "90", "9"],
            ["32", "3", "5", "50", "40", "90", "9"],
        ]);
        let after = reading(&[
            ["30", "4", "8", "80", "60", "190", "19"],
            ["31", "4", "5", "50", "40", "90", "9"],
            ["32", "4", "1", "2", "2", "3", "0"],
            ["33", "4", "1", "1", "1", "1", "0"],
        ]);
        let changes = after.since(&before);
        assert_eq!(changes.counts.keys().collect::<Vec<_>>(), [&30, &32, &33]);
        let sums = changes.sums();
        assert_eq!((sums.indexes, sums.scans, sums.entries_read), (4.0, 5.0, 33.0));
        assert_eq!((sums.blocks_hit, sums.blocks_read), (104.0, 10.0));
        let details = [
            row([
                "34", "public.c", "public.t", "", "f", "f", "t", "f", "7", "", "", "", "0", "60.5",
                "8192",
            ]),
            row([
                "30",
                "public.\"A\nb\"",
                "public.t",
                "a, \"B\"",
                "t",
                "t",
                "f",
                "f",
                "2000",
                "100000",
                "8",
                "",
                "11",
                "86400",
                "8192",
            ]),
        ];
        let indexes = changes.indexes(&details);
        let [first, second] = &indexes[..] else { panic!("{indexes:?}") };
        assert_eq!((first.name.as_str(), first.columns.as_str()), ("public.\"A b\"", "a, \"B\""));
        assert_eq!((first.scans, first.entries_read, first.rows_fetched), (3.0, 30.0, 20.0));
        assert!(first.needed && first.unique && !first.invalid);
        assert_eq!((first.scans_ever, first.statistics_age_s), (11.0, Some(86400.0)));
        assert!(second.invalid && second.columns.is_empty() && second.expected_blocks.is_none());
    }

    #[test]
    fn a_new_index_has_as_many_blocks_as_a_server_makes() {
        // CREATE INDEX on 1,000,000 different integers of 8 bytes: 2745 blocks (PostgreSQL 15).
        let blocks = new_blocks(1e6, 8.0, 90.0, 8192.0).unwrap();
        assert!((blocks / 2745.0 - 1.0).abs() < 0.01, "{blocks}");
        assert_eq!(new_blocks(0.0, 8.0, 90.0, 8192.0), Some(2.0));
        assert_eq!(new_blocks(1e6, 4000.0, 90.0, 8192.0), None);
        assert_eq!(new_blocks(f64::MAX, 8.0, 90.0, 8192.0).map(f64::is_finite), Some(true));
    }

    #[test]
    fn indexes_are_kept_for_several_reasons_and_not_all_of_them() {
        let mut changes = Changes::default();
        for oid in 0..100 {
            changes.counts.insert(oid, [0.0, 0.0, 0.0, f64::from(oid), 0.0]);
        }
        changes.counts.get_mut(&1).unwrap()[0] = 7.0;
        changes.counts.get_mut(&2).unwrap()[1] = 7.0;
        let kept = changes.kept();
        assert_eq!(kept.len(), Consumers::KEPT - OF_EACH + 2, "{kept:?}");
        assert!([1, 2, 99].iter().all(|oid| kept.contains(oid)));
        assert!(changes.details(&BTreeSet::from([16])).contains("ANY ('{16}'"));
    }
}
