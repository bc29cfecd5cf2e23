//! Indexes that cost writes and space and give little, and sequences that come to their end.
//!
//! PostgreSQL documentation: CREATE INDEX, Building Indexes Concurrently; REINDEX; Routine Reindexing; pgstattuple; CREATE SEQUENCE; ALTER TABLE.

use narrows_model::{IndexUse, SequenceUse, TableUse, Urgency};

use crate::sql::{TableName, identifier};
use crate::words::{age, bytes, count, joined, percent};
use crate::{CauseDraft, CauseRule, ObservedServer};

/// Age of statistics from which on no scan means that nothing needs the index: a report of each week is in it, s.
const WEEK_S: f64 = 7.0 * 86_400.0;
/// Blocks of an index without scans, of which fewer are no matter: 10 MB.
const UNUSED_BLOCKS: f64 = 1280.0;
/// Rows changed while observed, that make an entry in each index of the table.
const WRITTEN: f64 = 60.0;
/// Blocks over those of a new index, from which on it is bloated, whatever the error of the estimate.
const BLOATED: f64 = 3.0;
/// Bytes of an index, of which fewer are no matter.
const LARGE: f64 = 1e9;
/// Share of a sequence's numbers that are given.
const NEAR_END: f64 = 0.75;
/// Time left beyond which it is no news, ns: ten years.
const YEARS_NS: f64 = 10.0 * 365.0 * 86_400e9;

pub(super) const RULES: &[CauseRule] = &[
    CauseRule {
        id: "sequence-near-end",
        urgency: Urgency::Risk,
        has_reason: true,
        what: "A sequence has given most of the numbers that it or its column holds",
        decides: "the last number is 75 % or more of the sequence's maximum, or of the largest number of its column's type; sequences that begin again (CYCLE) and that count down are left out",
        against: "The rate of a minute is no rate of a year; numbers may be given in blocks (CACHE, INCREMENT BY)",
        reference: "PostgreSQL documentation: CREATE SEQUENCE; Numeric Types; ALTER TABLE",
        supersedes: &[],
        find: sequence_near_end,
    },
    CauseRule {
        id: "index-invalid",
        urgency: Urgency::Risk,
        has_reason: true,
        what: "An index is kept up to date and may not be used",
        decides: "indisvalid is false, and no session builds an index on its table",
        against: "Whoever builds it anew may not have begun yet",
        reference: "PostgreSQL documentation: CREATE INDEX, Building Indexes Concurrently; REINDEX",
        supersedes: &["index-unused"],
        find: index_invalid,
    },
    CauseRule {
        id: "index-unused",
        urgency: Urgency::Risk,
        has_reason: true,
        what: "An index is written and was never scanned",
        decides: "no scan since statistics were reset, 7 days ago or more; 10 MB or more; 60 rows or more of its table inserted or updated (not HOT) while observed; it is neither unique nor needed by a constraint or as replica identity",
        against: "A standby has statistics of its own; a report of a month or a year; the index of a foreign key is needed when rows go from the table that it refers to",
        reference: "PostgreSQL documentation: pg_stat_user_indexes; DROP INDEX",
        supersedes: &[],
        find: index_unused,
    },
    CauseRule {
        id: "index-bloat",
        urgency: Urgency::Risk,
        has_reason: true,
        what: "An index is several times as large as it would be if it were built now",
        decides: "1 GB or more, and 3 times or more the blocks that a new B-tree of its entries would have: pg_class.reltuples, mean widths of pg_stats, 90 % or its fillfactor; of B-trees with plain columns of all rows alone",
        against: "It is an estimate, and deduplication hides bloat from it; free space inside of an index is used again where keys like the old ones come",
        reference: "PostgreSQL documentation: Routine Reindexing; REINDEX; pgstattuple (pgstatindex)",
        supersedes: &[],
        find: index_bloat,
    },
];

fn name(index: &IndexUse) -> Option<String> {
    TableName::parse(&index.name)?.quoted()
}

fn table_of<'a>(server: &ObservedServer<'a>, index: &IndexUse) -> Option<&'a TableUse> {
    server.tables().find(|table| table.name == index.table)
}

/// Rows of its table that made new entries.
fn written(table: &TableUse) -> f64 {
    table.inserted + (table.updated - table.hot_updated).max(0.0)
}

fn size(server: &ObservedServer, index: &IndexUse) -> Option<f64> {
    index.blocks.map(|blocks| blocks * server.block_bytes()).filter(|bytes| bytes.is_finite())
}

fn subjects(index: &IndexUse) -> Vec<String> {
    vec![format!("index {}", index.name)]
}

/// What makes the index again, to be asked for before it goes.
fn definition(index: &IndexUse) -> String {
    let name = name(index).and_then(|name| crate::sql::literal(&name));
    match name {
        Some(name) => format!(
            "its definition, with CONCURRENTLY: SELECT pg_get_indexdef({name}::regclass) before it is dropped"
        ),
        None => "its definition (\\d shows it), with CONCURRENTLY".to_string(),
    }
}

fn index_invalid(server: &ObservedServer) -> Vec<CauseDraft> {
    let invalid = server.consumers.indexes.iter().filter(|one| one.invalid && !one.in_progress);
    let of = |index: &IndexUse| {
        let name = name(index);
        let written = table_of(server, index).map(written);
        let rate = server.seen.per_s(written).filter(|rate| *rate > 0.0);
        let again = "REINDEX INDEX CONCURRENTLY builds it anew instead; of a unique one that fails again as long as there are duplicates";
        CauseDraft {
            summary: format!(
                "{} on {} is INVALID: a CREATE INDEX or REINDEX CONCURRENTLY failed, and no statement uses it",
                index.name, index.table
            ),
            evidence: joined([
                Some("indisvalid = false, and nobody builds an index on that table".to_string()),
                size(server, index).map(|size| format!("{} of it", bytes(size))),
                rate.map(|rate| {
                    format!("{} rows per second of its table may make an entry in it", count(rate))
                }),
            ]),
            against: "whoever builds it anew may not have begun yet".to_string(),
            action: match index.needed {
                true => "build it anew: a constraint or the replica identity of its table needs it"
                    .to_string(),
                false => format!("drop it, and build it anew where it is wanted; {again}"),
            },
            statement: name.map(|name| match index.needed {
                true => format!("REINDEX INDEX CONCURRENTLY {name}"),
                false => format!("DROP INDEX CONCURRENTLY {name}"),
            }),
            undo: if index.needed { "nothing to take back".to_string() } else { definition(index) },
            verify: "SELECT indexrelid::regclass FROM pg_index WHERE NOT indisvalid".to_string(),
            subjects: subjects(index),
            ..CauseDraft::default()
        }
    };
    invalid.map(of).collect()
}

fn index_unused(server: &ObservedServer) -> Vec<CauseDraft> {
    let of = |index: &IndexUse| {
        let free = !(index.needed || index.unique || index.invalid);
        let age_s = index.statistics_age_s.filter(|age| *age >= WEEK_S)?;
        let large = index.blocks.is_some_and(|blocks| blocks >= UNUSED_BLOCKS);
        let written = table_of(server, index).map(written).filter(|rows| *rows >= WRITTEN)?;
        if !(free && large && index.scans_ever == 0.0 && index.scans == 0.0) {
            return None;
        }
        Some(CauseDraft {
            summary: format!("{} on {} is written and was not scanned for {}", index.name, index.table, age(age_s * 1e9)),
            evidence: joined([
                Some(format!("idx_scan = 0 since statistics began, {} ago", age(age_s * 1e9))),
                size(server, index).map(|size| format!("{} of it", bytes(size))),
                server.seen.per_s(Some(written)).map(|rate| format!("{} rows per second of its table make an entry in it", count(rate))),
            ]),
            against: "a standby may use it and has statistics of its own; so may a report of a month or a year; of a foreign key it is needed when rows go from the other table; statistics of this index alone may have been reset".to_string(),
            action: "ask the standbys (idx_scan of pg_stat_user_indexes there) and whoever made it, then drop it".to_string(),
            statement: name(index).map(|name| format!("DROP INDEX CONCURRENTLY {name}")),
            undo: definition(index),
            verify: "pg_stat_statements: WAL and time of the statements that write the table".to_string(),
            subjects: subjects(index),
            ..CauseDraft::default()
        })
    };
    server.consumers.indexes.iter().filter_map(of).collect()
}

fn index_bloat(server: &ObservedServer) -> Vec<CauseDraft> {
    let of = |index: &IndexUse| {
        let size = size(server, index).filter(|size| *size >= LARGE)?;
        let expected = index.expected_blocks.filter(|blocks| *blocks >= 1.0)?;
        let times = index.blocks? / expected;
        if times < BLOATED || index.invalid {
            return None;
        }
        let name = name(index)?;
        let check = crate::sql::literal(&name).map_or(String::new(), |name| {
            format!(" (extension pgstattuple): SELECT * FROM pgstatindex({name}), avg_leaf_density of a new one is about 90")
        });
        Some(CauseDraft {
            summary: format!("{} on {} has {}, about {} times what it would have if it were built now", index.name, index.table, bytes(size), count(times)),
            evidence: format!("{} blocks; a new B-tree of its entries would have about {} (estimate by pg_class and pg_stats)", count(index.blocks?), count(expected)),
            against: "an estimate: its entries are counted by the last vacuum or analyze; its free space is used again where keys like the old ones come".to_string(),
            action: format!("check it with pgstatindex, which reads all of it{check}; then build it anew, which takes as much space again and WAL for all of it"),
            statement: Some(format!("REINDEX INDEX CONCURRENTLY {name}")),
            undo: "nothing to take back; one that failed leaves an INVALID index with _ccnew behind its name: DROP INDEX CONCURRENTLY".to_string(),
            verify: "pg_relation_size of the index; narrows observe URL: its blocks read".to_string(),
            subjects: subjects(index),
            ..CauseDraft::default()
        })
    };
    server.consumers.indexes.iter().filter_map(of).collect()
}

/// What the largest numbers of whole types are, but for `bigint`.
const OF_TYPES: [f64; 2] = [32_767.0, 2_147_483_647.0];

fn sequence_near_end(server: &ObservedServer) -> Vec<CauseDraft> {
    let of = |sequence: &SequenceUse| {
        let used = sequence.last / sequence.largest;
        if !(NEAR_END..=1.0).contains(&used) || sequence.largest < 1.0 {
            return None;
        }
        let rate = server.seen.per_s(Some(sequence.given)).filter(|rate| *rate > 0.0);
        let left_ns = rate.map(|rate| (sequence.largest - sequence.last) / rate * 1e9);
        let left = left_ns.filter(|ns| ns.is_finite()).map(|ns| match ns < YEARS_NS {
            true => format!("at the rate of now the last one is given in {}", age(ns)),
            false => "at the rate of now they last for more than 10 years".to_string(),
        });
        let column = match sequence.table.is_empty() {
            true => String::new(),
            false => {
                format!(", for {}.{} ({})", sequence.table, sequence.column, sequence.column_type)
            }
        };
        let name = TableName::parse(&sequence.name).and_then(|name| name.quoted());
        let table = TableName::parse(&sequence.table).and_then(|name| name.quoted());
        let of_column = TableName::parse(&sequence.column).and_then(|name| identifier(&name.name));
        let alter = table.zip(of_column).map(|(table, column)| {
            format!("ALTER TABLE {table} ALTER COLUMN {column} TYPE bigint")
        });
        let own = name.map(|name| match OF_TYPES.contains(&sequence.largest) {
            true => format!("ALTER SEQUENCE {name} AS bigint"),
            false => format!("ALTER SEQUENCE {name} NO MAXVALUE"),
        });
        Some(CauseDraft {
            summary: format!(
                "{} has given {} of its numbers{column}",
                sequence.name,
                percent(used)
            ),
            evidence: joined([
                Some(format!("{} of {}", sequence.last, sequence.largest)),
                rate.map(|rate| format!("{} per second", count(rate))),
                left,
            ]),
            against:
                "the rate of a minute is none of a year; behind the last number each INSERT fails"
                    .to_string(),
            action: match (sequence.of_column, &alter) {
                (true, Some(alter)) => format!(
                    "make the column bigint, and those that refer to it: {alter} rewrites the table and its indexes under a lock that keeps everybody out (ACCESS EXCLUSIVE), for as long as that takes; of a large table a new bigint column, filled by a trigger and in batches, then put in its place; and the sequence AS bigint where it is of a smaller type"
                ),
                (true, None) => {
                    "make the column bigint: that rewrites the table under ACCESS EXCLUSIVE"
                        .to_string()
                }
                (false, _) => {
                    "give the sequence more numbers, if whatever takes them can hold them"
                        .to_string()
                }
            },
            statement: own.filter(|_| !sequence.of_column),
            undo: if sequence.of_column {
                "nothing to take back: a wider column holds what the other one did"
            } else {
                "ALTER SEQUENCE with the MAXVALUE of before"
            }
            .to_string(),
            verify: "SELECT last_value, max_value FROM pg_sequences".to_string(),
            subjects: vec![format!("sequence {}", sequence.name)],
            ..CauseDraft::default()
        })
    };
    server.consumers.sequences.iter().filter_map(of).collect()
}
