//! What statements took by `pg_stat_statements`: two readings of its function, one subtracted from the other.
//!
//! The function is found by the catalog, because an extension may lie in any schema, and is read by the columns that it has: the
//! extension's version lags behind the server's after pg_upgrade(1). It is called without texts, which lie in a file of the server's;
//! those of the statements that are kept are asked for once.
//!
//! Our own statements are left out by their texts: within the two readings a look asks what it prepared, by names that begin with
//! `narrows_`, and the statement with all counters. Those of narrows that another session of the same user asks in the same database
//! go with them.
//!
//! Source: PostgreSQL documentation, "pg_stat_statements"; the scripts of its versions 1.8 to 1.12.

use std::collections::{BTreeMap, BTreeSet};

use narrows_model::{Consumers, StatementFigures, StatementStatistics, StatementUse};

use super::normalise::normalised;
use super::{number, text};
use crate::monitor::counters;
use crate::wire::{Row, one_line};

/// Entries that are read: ten times the usual `pg_stat_statements.max`.
const MOST_ENTRIES: usize = 50_000;
/// Characters of a text that are asked for: its literals go before it is cut.
const LONGEST_TEXT: usize = 16_384;
/// Statements that are kept because they took most of something else than time.
const OF_OTHERS: usize = 5;
/// Entries that may be our own among those whose texts are asked for.
const OWN: usize = 20;

/// Where it is in the database of our session, and what it has.
pub(super) const FIND: &str = "\
SELECT pg_catalog.quote_ident(n.nspname), p.proname, pg_catalog.array_to_string(p.proargnames, ' '), \
pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_function_privilege(p.oid, 'EXECUTE') \
FROM pg_catalog.pg_extension e \
JOIN pg_catalog.pg_depend d ON d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass AND d.refobjid = e.oid \
AND d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.deptype = 'e' \
JOIN pg_catalog.pg_proc p ON p.oid = d.objid \
JOIN pg_catalog.pg_language l ON l.oid = p.prolang AND l.lanname = 'c' \
JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace \
WHERE e.extname = 'pg_stat_statements' AND p.proname IN ('pg_stat_statements', 'pg_stat_statements_info')";

/// Reads all entries.
pub(super) const READ: &str = "EXECUTE narrows_statements";

/// Columns that a figure is the sum of, by whichever names are all there, and what one of them is of the figure's unit.
type Source = (&'static [&'static [&'static str]], f64);

const MS: f64 = 1e6;
/// In the order of [`Sums`]. The time of `jit_deform_time` is part of the generation's.
const SOURCES: [Source; SUMS] = [
    (&[&["calls"]], 1.0),
    (&[&["total_exec_time"], &["total_time"]], MS),
    (&[&["total_plan_time"]], MS),
    (&[&["rows"]], 1.0),
    (&[&["shared_blks_hit"]], 1.0),
    (&[&["shared_blks_read"]], 1.0),
    (&[&["shared_blks_dirtied"]], 1.0),
    (&[&["temp_blks_read", "temp_blks_written"]], 1.0),
    (&[&["shared_blk_read_time"], &["blk_read_time"]], MS),
    (&[&["temp_blk_read_time", "temp_blk_write_time"]], MS),
    (&[&["wal_bytes"]], 1.0),
    (
        &[&[
            "jit_generation_time",
            "jit_inlining_time",
            "jit_optimization_time",
            "jit_emission_time",
        ]],
        MS,
    ),
];
const SUMS: usize = 12;

/// An entry's counters, those that this version doesn't have absent.
type Sums = [Option<f64>; SUMS];

/// The extension as it is there.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Extension {
    /// Quoted.
    schema: String,
    columns: BTreeSet<String>,
    /// Whether evictions and resets are told (14 and later).
    pub(super) told: bool,
}

/// What became of the search.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Search {
    Here(Extension),
    /// Not in this database.
    NotHere,
    /// The role may not use it.
    NotAllowed,
}

impl Extension {
    /// From the answer to [`FIND`].
    pub(super) fn find(rows: &[Row]) -> Search {
        let of = |name: &str| rows.iter().find(|row| text(row, 1) == Some(name));
        let may = |row: &Row| text(row, 3) == Some("t");
        let Some(row) = of("pg_stat_statements") else { return Search::NotHere };
        if !may(row) {
            return Search::NotAllowed;
        }
        let columns = text(row, 2).unwrap_or_default().split(' ').map(str::to_string).collect();
        Search::Here(Extension {
            schema: text(row, 0).unwrap_or_default().to_string(),
            columns,
            told: of("pg_stat_statements_info").is_some_and(may),
        })
    }

    fn has(&self, column: &str) -> bool {
        self.columns.contains(column)
    }

    /// Nested statements have their time in their callers' too, so that only the outermost are read, where the two are told apart.
    pub(super) fn knows_outermost(&self) -> bool {
        self.has("toplevel")
    }

    /// Prepares a reading.
    pub(super) fn prepare(&self) -> String {
        let sum = |(ways, _): &Source| {
            let way = ways.iter().find(|way| way.iter().all(|column| self.has(column)));
            way.map_or("NULL".to_string(), |way| way.join(" + "))
        };
        let sums: Vec<String> = SOURCES.iter().map(sum).collect();
        let since = match self.has("stats_since") {
            true => "extract(epoch FROM stats_since)",
            false => "NULL",
        };
        format!(
            "PREPARE narrows_statements AS SELECT userid, dbid, queryid, {since}, {} FROM {}.pg_stat_statements(false) \
             WHERE queryid IS NOT NULL{} LIMIT {}",
            sums.join(", "),
            self.schema,
            self.only_outermost(),
            MOST_ENTRIES + 1
        )
    }

    fn only_outermost(&self) -> &'static str {
        if self.knows_outermost() { " AND toplevel" } else { "" }
    }

    /// Asks how many were evicted so far, and since when all is counted.
    pub(super) fn info(&self) -> String {
        format!(
            "SELECT dealloc, extract(epoch FROM stats_reset) FROM {}.pg_stat_statements_info()",
            self.schema
        )
    }

    /// Asks whose these statements are and for their texts, for those of these ids, and which of `own` user and database are ours.
    fn texts(&self, these: &BTreeSet<Key>, ids: &BTreeSet<i64>, own: Option<(u32, u32)>) -> String {
        let (user, database) = own.unwrap_or((0, 0));
        let these = these.iter().map(|key| {
            format!(
                "({}::pg_catalog.oid, {}::pg_catalog.oid, {}::pg_catalog.int8)",
                key.user, key.database, key.id
            )
        });
        let these: Vec<String> = these.collect();
        let or_these = match these.is_empty() {
            true => String::new(),
            false => format!(" OR (s.userid, s.dbid, s.queryid) IN ({})", these.join(", ")),
        };
        let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
        format!(
            "SELECT s.userid, s.dbid, s.queryid, s.own, pg_catalog.pg_get_userbyid(s.userid), d.datname, \
             CASE WHEN NOT s.own THEN pg_catalog.left(s.query, {LONGEST_TEXT}) END FROM (SELECT *, (userid = {user} AND dbid = {database} \
             AND (query LIKE 'PREPARE narrows\\_%' OR query LIKE 'SELECT *%{counters}%')) IS TRUE AS own \
             FROM {schema}.pg_stat_statements(true) WHERE queryid IS NOT NULL{outermost}) s \
             LEFT JOIN pg_catalog.pg_database d ON d.oid = s.dbid \
             WHERE s.own OR s.queryid = ANY ('{{{ids}}}'::pg_catalog.int8[]){or_these} LIMIT 1000",
            counters = counters::MARK,
            schema = self.schema,
            outermost = self.only_outermost(),
            ids = ids.join(","),
        )
    }
}

/// Whose entry it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    user: u32,
    database: u32,
    id: i64,
}

impl Key {
    fn of(row: &Row) -> Option<Key> {
        Some(Key {
            user: text(row, 0)?.parse().ok()?,
            database: text(row, 1)?.parse().ok()?,
            id: text(row, 2)?.parse().ok()?,
        })
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Entry {
    /// Since when it is counted, in the server's words (17 and later).
    since: String,
    sums: Sums,
}

/// All entries at a moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Reading {
    entries: BTreeMap<Key, Entry>,
    /// Entries evicted so far; absent before 14.
    evicted: Option<f64>,
    /// When all was reset, in the server's words; absent before 14.
    reset: Option<String>,
}

impl Reading {
    /// From the answers to [`READ`], and to [`Extension::info`] where there is one; `None` where there are too many entries.
    pub(super) fn of(rows: &[Row], info: &[Row]) -> Option<Reading> {
        let entry = |row: &Row| {
            let sums = std::array::from_fn(|at| Some(number(row, 4 + at)? * SOURCES[at].1));
            let since = text(row, 3).unwrap_or_default().to_string();
            Some((Key::of(row)?, Entry { since, sums }))
        };
        let info = info.first();
        (rows.len() <= MOST_ENTRIES).then(|| Reading {
            entries: rows.iter().filter_map(entry).collect(),
            evicted: info.and_then(|row| number(row, 0)),
            reset: info.and_then(|row| Some(text(row, 1)?.to_string())),
        })
    }

    /// What was counted since.
    pub(super) fn since(&self, before: &Reading) -> Counted {
        let evicted = self.evicted.zip(before.evicted).is_some_and(|(now, then)| now > then);
        let mut counted = Counted { evicted, ..Counted::default() };
        let mut went_on = false;
        for (key, now) in &self.entries {
            let then = before.entries.get(key);
            // Evicted and made anew, it counts from zero.
            let back = |then: &Entry| {
                let pairs = then.sums.iter().zip(&now.sums);
                now.since != then.since || pairs.clone().take(2).any(|(then, now)| now < then)
            };
            counted.evicted |= then.is_some_and(back);
            let then = then.filter(|then| !back(then));
            went_on |= then.is_some();
            let sums: Sums = std::array::from_fn(|at| {
                let before = then.and_then(|then| then.sums[at]).unwrap_or(0.0);
                now.sums[at].map(|now| (now - before).max(0.0))
            });
            if sums[0] > Some(0.0) {
                counted.entries.insert(*key, sums);
                counted.before.extend(then.map(|then| (*key, then.sums)));
            }
        }
        counted.evicted |= before.entries.keys().any(|key| !self.entries.contains_key(key));
        counted.reset = match (&before.reset, &self.reset) {
            (Some(before), Some(now)) => before != now,
            // Before 14 nobody tells; of a server at rest not one entry goes on only where all of them went.
            _ => !before.entries.is_empty() && !went_on,
        };
        counted
    }
}

/// What was counted between two readings.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Counted {
    entries: BTreeMap<Key, Sums>,
    /// Of those that were there before: what they had taken by then.
    before: BTreeMap<Key, Sums>,
    evicted: bool,
    reset: bool,
}

/// Figures to rank by: time, and what else one statement may take most of.
const TIME: fn(&Sums) -> f64 = |sums| sums[1].unwrap_or(0.0);
const OTHERS: [fn(&Sums) -> f64; 5] = [
    |sums| sums[10].unwrap_or(0.0),
    |sums| sums[5].unwrap_or(0.0),
    |sums| sums[7].unwrap_or(0.0),
    |sums| sums[11].unwrap_or(0.0),
    |sums| sums[4].unwrap_or(0.0) + sums[5].unwrap_or(0.0),
];

/// What is counted only where a setting is on.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Switches {
    /// `pg_stat_statements.track_planning`.
    pub(super) planning: bool,
    /// `track_io_timing`.
    pub(super) io: bool,
}

impl Counted {
    /// Those that took most time, and those that took most of something else: of each so many more.
    fn kept(&self, more: usize) -> BTreeSet<Key> {
        let first = |by: fn(&Sums) -> f64, most: usize| {
            let mut ranked: Vec<(f64, Key)> =
                self.entries.iter().map(|(key, sums)| (by(sums), *key)).collect();
            ranked.retain(|(figure, _)| *figure > 0.0);
            ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
            ranked.into_iter().take(most).map(|(_, key)| key)
        };
        let others = OTHERS.into_iter().flat_map(|by| first(by, OF_OTHERS + more));
        first(TIME, Consumers::KEPT + more).chain(others).collect()
    }

    /// Asks for the texts of those that may be kept, and of these ids of whomever.
    pub(super) fn texts(
        &self,
        extension: &Extension,
        ids: &BTreeSet<i64>,
        own: Option<(u32, u32)>,
    ) -> String {
        extension.texts(&self.kept(OWN), ids, own)
    }

    /// With the answer to that; the texts of all ids in it.
    pub(super) fn with_texts(
        mut self,
        rows: &[Row],
        counts: Switches,
    ) -> (StatementStatistics, BTreeMap<i64, String>) {
        let mut known: BTreeMap<Key, (String, String, Option<String>)> = BTreeMap::new();
        let mut texts = BTreeMap::new();
        for row in rows {
            let Some(key) = Key::of(row) else { continue };
            if text(row, 3) == Some("t") {
                self.entries.remove(&key);
                continue;
            }
            let name = |column: usize| one_line(text(row, column).unwrap_or_default());
            let shape = text(row, 6).filter(|text| *text != HIDDEN).map(normalised);
            texts.extend(shape.clone().map(|shape| (key.id, shape)));
            known.insert(key, (name(4), name(5), shape));
        }
        if self.reset {
            let statistics = StatementStatistics { reset: true, ..Default::default() };
            return (statistics, texts);
        }
        let sum = |at: usize| self.entries.values().filter_map(|sums| sums[at]).sum::<f64>();
        let counts = Switches {
            planning: counts.planning || sum(2) > 0.0,
            io: counts.io || sum(8) > 0.0 || sum(9) > 0.0,
        };
        let of_all: Sums = std::array::from_fn(|at| {
            self.entries.values().any(|sums| sums[at].is_some()).then(|| sum(at))
        });
        let one = |key: Key| {
            let (user, database, text) = known.get(&key).cloned().unwrap_or_default();
            let took = figures(&self.entries[&key], counts);
            let before = self.before.get(&key).map(|sums| figures(sums, counts));
            StatementUse { id: key.id.to_string(), user, database, text, took, before }
        };
        let mut list: Vec<StatementUse> = self.kept(0).into_iter().map(one).collect();
        list.sort_by(|a, b| b.took.exec_ns.total_cmp(&a.took.exec_ns));
        let statistics = StatementStatistics {
            list,
            all: figures(&of_all, counts),
            counted: self.entries.len() as u64,
            evicted: self.evicted,
            reset: false,
            planning_counted: counts.planning,
        };
        (statistics, texts)
    }
}

/// In the place of a text that the role may not read.
const HIDDEN: &str = "<insufficient privilege>";

fn figures(sums: &Sums, counts: Switches) -> StatementFigures {
    let of = |at: usize| sums[at].unwrap_or(0.0);
    StatementFigures {
        calls: of(0),
        exec_ns: of(1),
        plan_ns: sums[2].filter(|_| counts.planning),
        rows: of(3),
        blocks_hit: of(4),
        blocks_read: of(5),
        blocks_dirtied: of(6),
        temp_blocks: of(7),
        read_ns: sums[8].filter(|_| counts.io),
        temp_ns: sums[9].filter(|_| counts.io),
        wal_bytes: of(10),
        jit_ns: sums[11],
    }
}

#[cfg(test)]
#[path = "statements_test.rs"]
mod tests;
