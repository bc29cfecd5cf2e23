//! What was done with the tables of our session's database: two readings of their counters, one subtracted from the other.
//!
//! The counters are those of `pg_stat_user_tables` and `pg_statio_user_tables`, by the functions that these views call: a view's rows are
//! grouped before any of them is left out, and a database may have a hundred thousand tables. Of more than [`MOST_TABLES`] the largest are
//! read. Sizes are those of `pg_class`: a function that asks the file system would wait behind an `ALTER TABLE`.
//!
//! Temporary tables, those of the catalog and of TOAST are left out; a partition is a table. Sessions report what they counted up to a
//! second late.
//!
//! Source: PostgreSQL documentation, "The Cumulative Statistics System"; definitions of its views.

use std::collections::{BTreeMap, BTreeSet};

use narrows_model::{Consumers, TableUse};

use super::{number, oids, text};
use crate::wire::{Row, one_line};

/// Tables that are read; each takes the server some microseconds.
pub(super) const MOST_TABLES: usize = 5_000;
/// Tables that are kept because something else than rows read sequentially was most there.
const OF_OTHERS: usize = 5;

/// Reads the counters of all tables.
pub(super) const READ: &str = "EXECUTE narrows_tables";

/// A table's counters and its dead rows.
const COUNTERS: [&str; COUNTS + 1] = [
    "pg_catalog.pg_stat_get_numscans(c.oid)",
    "pg_catalog.pg_stat_get_tuples_returned(c.oid)",
    "i.scans",
    "coalesce(i.fetched, 0) + pg_catalog.pg_stat_get_tuples_fetched(c.oid)",
    "pg_catalog.pg_stat_get_tuples_inserted(c.oid)",
    "pg_catalog.pg_stat_get_tuples_updated(c.oid)",
    "pg_catalog.pg_stat_get_tuples_hot_updated(c.oid)",
    "pg_catalog.pg_stat_get_tuples_deleted(c.oid)",
    "coalesce(i.hit, 0) + pg_catalog.pg_stat_get_blocks_hit(c.oid)",
    "coalesce(i.read, 0) + pg_catalog.pg_stat_get_blocks_fetched(c.oid) - pg_catalog.pg_stat_get_blocks_hit(c.oid)",
    "pg_catalog.pg_stat_get_dead_tuples(c.oid)",
];
const COUNTS: usize = 10;

/// Prepares a reading: the number of tables comes with each.
pub(super) fn prepare() -> String {
    format!(
        "PREPARE narrows_tables AS SELECT c.oid, c.tables, {} FROM (SELECT oid, count(*) OVER () AS tables FROM pg_catalog.pg_class \
         WHERE relkind IN ('r', 'm') AND relpersistence <> 't' AND relnamespace NOT IN (SELECT oid FROM pg_catalog.pg_namespace \
         WHERE nspname IN ('pg_catalog', 'information_schema', 'pg_toast')) ORDER BY relpages DESC LIMIT {MOST_TABLES}) c \
         LEFT JOIN LATERAL (SELECT sum(pg_catalog.pg_stat_get_numscans(indexrelid)) AS scans, \
         sum(pg_catalog.pg_stat_get_tuples_fetched(indexrelid)) AS fetched, sum(pg_catalog.pg_stat_get_blocks_hit(indexrelid)) AS hit, \
         sum(pg_catalog.pg_stat_get_blocks_fetched(indexrelid) - pg_catalog.pg_stat_get_blocks_hit(indexrelid)) AS read \
         FROM pg_catalog.pg_index WHERE indrelid = c.oid) i ON true",
        COUNTERS.join(", ")
    )
}

/// All tables at a moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Reading {
    counts: BTreeMap<u32, [f64; COUNTS]>,
    dead: BTreeMap<u32, f64>,
    /// How many there are.
    tables: f64,
}

impl Reading {
    /// From the answer to [`READ`].
    pub(super) fn of(rows: &[Row]) -> Reading {
        let mut reading = Reading::default();
        for row in rows {
            let Some(oid) = text(row, 0).and_then(|oid| oid.parse().ok()) else { continue };
            let counts = std::array::from_fn(|at| number(row, 2 + at).unwrap_or(0.0));
            reading.counts.insert(oid, counts);
            reading.dead.extend(number(row, 2 + COUNTS).map(|dead| (oid, dead)));
            reading.tables = number(row, 1).unwrap_or(0.0);
        }
        reading
    }

    /// Whether there are more than were read.
    pub(super) fn is_cut(&self) -> bool {
        self.tables > MOST_TABLES as f64
    }

    /// What was done since. A table that wasn't there before counts from zero, unless only the largest were read.
    pub(super) fn since(&self, before: &Reading) -> Changes {
        let cut = self.is_cut() || before.is_cut();
        let change = |(oid, now): (&u32, &[f64; COUNTS])| {
            let then = before.counts.get(oid).copied();
            let then = then.or((!cut).then_some([0.0; COUNTS]))?;
            // One that is less than before has been reset.
            let change: [f64; COUNTS] = std::array::from_fn(|at| match now[at] - then[at] {
                change if change < 0.0 => now[at],
                change => change,
            });
            change.iter().any(|change| *change > 0.0).then_some((*oid, change))
        };
        Changes { counts: self.counts.iter().filter_map(change).collect(), dead: self.dead.clone() }
    }
}

/// What was done with the tables that something was done with.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Changes {
    counts: BTreeMap<u32, [f64; COUNTS]>,
    dead: BTreeMap<u32, f64>,
}

impl Changes {
    /// Rows that went from their place in each table: updated or deleted.
    pub(super) fn rows_gone(&self) -> BTreeMap<u32, f64> {
        let gone = self.counts.iter().map(|(oid, counts)| (*oid, counts[5] + counts[7]));
        gone.filter(|(_, rows)| *rows > 0.0).collect()
    }

    /// Those that rows were inserted into, updated in or deleted from.
    pub(super) fn written(&self) -> BTreeSet<u32> {
        let changed = |counts: &[f64; COUNTS]| counts[4] + counts[5] + counts[7] > 0.0;
        self.counts.iter().filter(|(_, counts)| changed(counts)).map(|(oid, _)| *oid).collect()
    }

    /// Those with most rows read sequentially, and those with most of something else.
    fn kept(&self) -> BTreeSet<u32> {
        type By<'a> = &'a dyn Fn(u32, &[f64; COUNTS]) -> f64;
        let first = |by: By, most: usize| {
            let ranked = self.counts.iter().map(|(oid, counts)| (by(*oid, counts), *oid));
            let mut ranked: Vec<(f64, u32)> = ranked.filter(|(figure, _)| *figure > 0.0).collect();
            ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
            ranked.truncate(most);
            ranked
        };
        let sequential = first(&|_, counts| counts[1], Consumers::KEPT);
        let others: [By; 4] = [
            &|_, counts| counts[9],
            &|_, counts| counts[4] + counts[5] + counts[7],
            &|oid, _| self.dead.get(&oid).copied().unwrap_or(0.0),
            &|_, counts| counts[1] + counts[3],
        ];
        let others = others.into_iter().flat_map(|by| first(by, OF_OTHERS));
        sequential.into_iter().chain(others).map(|(_, oid)| oid).collect()
    }

    /// Asks what else there is to say of those that are kept, `and` of these; `None` where there is none.
    pub(super) fn details(&self, and: &BTreeSet<u32>) -> Option<String> {
        let used = and.iter().filter(|oid| self.counts.contains_key(oid)).copied();
        let kept: BTreeSet<u32> = self.kept().into_iter().chain(used).collect();
        let age = |of: &str| {
            format!(
                "extract(epoch FROM clock_timestamp() - greatest(pg_catalog.pg_stat_get_last_{of}_time(c.oid), \
                 pg_catalog.pg_stat_get_last_auto{of}_time(c.oid)))"
            )
        };
        (!kept.is_empty()).then(|| {
            format!(
                "SELECT c.oid, pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.relname), nullif(c.relpages, 0), \
                 pg_catalog.pg_stat_get_live_tuples(c.oid), pg_catalog.pg_stat_get_dead_tuples(c.oid), \
                 pg_catalog.pg_stat_get_mod_since_analyze(c.oid), {}, {}, \
                 EXISTS (SELECT FROM pg_catalog.pg_options_to_table(c.reloptions) o WHERE o.option_name = 'autovacuum_enabled' \
                 AND NOT o.option_value::pg_catalog.bool) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
                 WHERE c.oid = ANY ('{{{}}}'::pg_catalog.oid[])",
                age("vacuum"),
                age("analyze"),
                oids(kept)
            )
        })
    }

    /// With the answer to that, most rows and blocks first.
    pub(super) fn tables(&self, details: &[Row]) -> Vec<TableUse> {
        let table = |row: &Row| {
            let counts = self.counts.get(&text(row, 0)?.parse().ok()?)?;
            let of = |column: usize| number(row, column).unwrap_or(0.0);
            Some(TableUse {
                name: one_line(text(row, 1)?),
                blocks: number(row, 2),
                live_rows: of(3),
                dead_rows: of(4),
                changed_since_analyze: of(5),
                sequential_scans: counts[0],
                sequential_rows: counts[1],
                index_scans: counts[2],
                index_rows: counts[3],
                inserted: counts[4],
                updated: counts[5],
                hot_updated: counts[6],
                deleted: counts[7],
                blocks_hit: counts[8],
                blocks_read: counts[9],
                vacuum_age_s: number(row, 6).map(|age| age.max(0.0)),
                analyze_age_s: number(row, 7).map(|age| age.max(0.0)),
                autovacuum_off: text(row, 8) == Some("t"),
            })
        };
        let mut tables: Vec<TableUse> = details.iter().filter_map(table).collect();
        let most = |table: &TableUse| table.rows_read() + table.blocks_hit + table.blocks_read;
        tables.sort_by(|a, b| most(b).total_cmp(&most(a)));
        tables
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::fake::row;

    fn reading(rows: &[[&'static str; 13]]) -> Reading {
        Reading::of(&rows.iter().map(|cells| row(*cells)).collect::<Vec<_>>())
    }

    #[test]
    fn tables_that_something_was_done_with_are_subtracted() {
        let before = reading(&[
            ["16", "3", "5", "500", "7", "70", "1", "2", "1", "0", "90", "9", "12"],
            ["17", "3", "5", "500", "", "0", "1", "2", "1", "0", "90", "9", "12"],
            ["18", "3", "5", "500", "7", "70", "1", "2", "1", "0", "90", "9", "12"],
        ]);
        let after = reading(&[
            ["16", "3", "8", "800", "7", "70", "1", "6", "4", "3", "190", "19", "15"],
            ["17", "3", "5", "500", "", "0", "1", "2", "1", "0", "90", "9", "12"],
            ["18", "3", "1", "40", "0", "0", "0", "0", "0", "0", "3", "0", "0"],
            ["19", "3", "2", "20", "", "0", "10", "0", "0", "0", "0", "0", "0"],
        ]);
        let changes = after.since(&before);
        assert_eq!(changes.counts.keys().collect::<Vec<_>>(), [&16, &18, &19]);
        assert_eq!(changes.rows_gone(), BTreeMap::from([(16, 7.0)]));
        let details = [
            row(["16", "public.\"My\ntable\"", "40", "1000", "15", "9", "3600.5", "", "t"]),
            row(["18", "public.b", "", "0", "0", "0", "", "", "f"]),
        ];
        let tables = changes.tables(&details);
        let [first, second] = &tables[..] else { panic!("{tables:?}") };
        assert_eq!(first.name, "public.\"My table\"");
        assert_eq!((first.sequential_scans, first.sequential_rows), (3.0, 300.0));
        assert_eq!((first.updated, first.hot_updated, first.deleted), (4.0, 3.0, 3.0));
        assert_eq!((first.blocks_hit, first.blocks_read, first.blocks), (100.0, 10.0, Some(40.0)));
        assert_eq!((first.vacuum_age_s, first.analyze_age_s), (Some(3600.5), None));
        assert!(first.autovacuum_off && !second.autovacuum_off);
        assert_eq!((second.sequential_scans, second.blocks), (1.0, None), "reset meanwhile");
    }

    #[test]
    fn of_more_tables_than_are_read_one_that_is_new_among_them_is_left_out() {
        let one = ["16", "5001", "5", "500", "7", "70", "1", "2", "1", "0", "90", "9", "12"];
        let other = ["17", "5001", "5", "500", "7", "70", "1", "2", "1", "0", "90", "9", "12"];
        assert!(reading(&[one]).is_cut());
        assert_eq!(
            reading(&[one, other]).since(&reading(&[one])),
            Changes { counts: BTreeMap::new(), dead: BTreeMap::from([(16, 12.0), (17, 12.0)]) }
        );
    }

    #[test]
    fn tables_are_kept_for_several_reasons_and_not_all_of_them() {
        let mut changes = Changes::default();
        for oid in 0..100 {
            let mut counts = [0.0; COUNTS];
            counts[1] = f64::from(oid);
            changes.counts.insert(oid, counts);
        }
        // The one with least rows read has most of the rest.
        changes.counts.get_mut(&1).unwrap()[9] = 7.0;
        changes.counts.get_mut(&2).unwrap()[4] = 7.0;
        changes.dead.insert(3, 7.0);
        let kept = changes.kept();
        assert_eq!(kept.len(), Consumers::KEPT + 3, "{kept:?}");
        assert!([1, 2, 3, 99].iter().all(|oid| kept.contains(oid)));
        let sql = changes.details(&BTreeSet::from([50, 500])).unwrap();
        assert!(
            sql.contains("'{1,2,3,50,80,"),
            "one that nothing was done with is not asked: {sql}"
        );
        assert_eq!(Changes::default().details(&BTreeSet::from([50])), None);
    }
}
