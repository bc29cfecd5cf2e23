//! What statements took: `events_statements_summary_by_digest` at the beginning and at the end.
//!
//! Only where `performance_schema` is on. Times are in picoseconds there. The row without a digest holds what found no place. Executions by
//! the binary protocol have no digest in 10.11, and `prepared_statements_instances` counts none of them either (seen there: zero calls).

use std::collections::BTreeMap;

use narrows_model::{
    Consumers, MariaDbStatement, StatementFigures, StatementStatistics, StatementUse,
};

use super::normalise::{key, normalised};
use super::{number, text};
use crate::connection::{Connection, Row};
use crate::error::MariaError;

/// Digests that are read: the server keeps 10,000 at most by itself.
const MOST: usize = 20_000;
/// Texts that are asked for.
const TEXTS: usize = 60;

const COLUMNS: [&str; 11] = [
    "COUNT_STAR",
    "SUM_TIMER_WAIT",
    "SUM_LOCK_TIME",
    "SUM_ROWS_AFFECTED",
    "SUM_ROWS_SENT",
    "SUM_ROWS_EXAMINED",
    "SUM_CREATED_TMP_TABLES",
    "SUM_CREATED_TMP_DISK_TABLES",
    "SUM_SORT_MERGE_PASSES",
    "SUM_SELECT_FULL_JOIN",
    "SUM_NO_INDEX_USED",
];

/// Schema and digest; what found no place has none.
type Name = (String, Option<String>);
/// What [`COLUMNS`] say of it.
type Sums = [f64; 11];

/// Sums since the server counts, by schema and digest.
#[derive(Debug, Clone, Default)]
pub(super) struct Digests(BTreeMap<Name, Sums>);

/// A text without literals, for the screen, and by what it is known.
#[derive(Debug, Clone, Default)]
struct Shape {
    text: String,
    key: String,
}

impl Shape {
    fn of(sql: &str) -> Shape {
        Shape { text: normalised(sql), key: key(sql) }
    }
}

impl Digests {
    /// Of this moment.
    pub(super) fn read(session: &mut Connection) -> Result<Digests, MariaError> {
        Ok(Digests::of(&session.query(&read())?))
    }

    fn of(rows: &[Row]) -> Digests {
        let mut all = BTreeMap::new();
        for row in rows {
            let schema = text(row, 0).unwrap_or_default().to_string();
            let digest = text(row, 1).map(str::to_string);
            let mut sums = [0.0; 11];
            for (at, sum) in sums.iter_mut().enumerate() {
                *sum = number(row, 2 + at).unwrap_or(0.0);
            }
            all.insert((schema, digest), sums);
        }
        Digests(all)
    }

    /// What was added since; whether the table was emptied in between.
    fn since(&self, before: &Digests) -> (Vec<(&Name, Sums)>, bool) {
        let mut added = Vec::new();
        let mut reset = false;
        for (name, now) in &self.0 {
            let then = before.0.get(name).copied().unwrap_or_default();
            if now[0] < then[0] {
                reset = true;
                continue;
            }
            let mut grew = [0.0; 11];
            for ((grew, now), then) in grew.iter_mut().zip(now).zip(then) {
                *grew = (now - then).max(0.0);
            }
            if grew[0] > 0.0 {
                added.push((name, grew));
            }
        }
        (added, reset)
    }
}

/// Asks for the sums.
fn read() -> String {
    format!(
        "SELECT SCHEMA_NAME, DIGEST, {} FROM performance_schema.events_statements_summary_by_digest LIMIT {MOST}",
        COLUMNS.join(", ")
    )
}

/// Asks for texts of these digests, in quotes.
fn ask_texts(quoted: &str) -> String {
    format!(
        "SELECT DIGEST, LEFT(DIGEST_TEXT, 2048) FROM performance_schema.events_statements_summary_by_digest WHERE DIGEST IN ({quoted})"
    )
}

/// Our own questions.
pub(super) fn questions() -> [String; 2] {
    [read(), ask_texts("'a', 'b'")]
}

/// What statements took, and the keys of their texts by which samples are known to be of them.
#[derive(Debug, Default)]
pub(super) struct StatementsTaken {
    pub(super) statistics: StatementStatistics,
    pub(super) beyond: Vec<MariaDbStatement>,
    /// Digests by the keys of their texts.
    pub(super) keys: BTreeMap<String, String>,
}

/// Of the interval between the two; statements whose text has a key of `ours` are narrows' own.
pub(super) fn taken(
    session: &mut Connection,
    before: &Digests,
    ours: &dyn Fn(&str) -> bool,
) -> Result<StatementsTaken, MariaError> {
    let after = Digests::read(session)?;
    let (added, reset) = after.since(before);
    let texts = texts(session, &added)?;
    Ok(list(&added, reset, &texts, ours))
}

/// Texts of those that took most time, and most rows.
fn texts(
    session: &mut Connection,
    added: &[(&Name, Sums)],
) -> Result<BTreeMap<String, Shape>, MariaError> {
    let mut wanted: Vec<&str> = Vec::new();
    for by in [1, 5, 0] {
        let mut most: Vec<_> = added.iter().collect();
        most.sort_by(|a, b| b.1[by].total_cmp(&a.1[by]));
        for ((_, digest), _) in most.into_iter().take(TEXTS) {
            let plain = |digest: &&str| digest.bytes().all(|b| b.is_ascii_alphanumeric());
            if let Some(digest) = digest.as_deref().filter(plain)
                && !wanted.contains(&digest)
            {
                wanted.push(digest);
            }
        }
    }
    if wanted.is_empty() {
        return Ok(BTreeMap::new());
    }
    let quoted: Vec<String> = wanted.iter().map(|digest| format!("'{digest}'")).collect();
    let rows = session.query(&ask_texts(&quoted.join(", ")))?;
    let known =
        rows.iter().filter_map(|row| Some((text(row, 0)?.to_string(), Shape::of(text(row, 1)?))));
    Ok(known.collect())
}

fn list(
    added: &[(&Name, Sums)],
    reset: bool,
    texts: &BTreeMap<String, Shape>,
    ours: &dyn Fn(&str) -> bool,
) -> StatementsTaken {
    let mut all = StatementFigures::default();
    let (mut uses, mut beyond) = (Vec::new(), BTreeMap::<String, MariaDbStatement>::new());
    let (mut evicted, mut counted, mut keys) = (false, 0, BTreeMap::new());
    for ((schema, digest), sums) in added {
        let shape = digest.as_ref().and_then(|digest| texts.get(digest));
        if shape.is_some_and(|shape| ours(&shape.key)) {
            continue;
        }
        let [calls, time, lock, affected, sent, examined, tables, disk, merges, joins, no_index] =
            *sums;
        let took = StatementFigures {
            calls,
            exec_ns: time / 1e3,
            rows: affected + sent,
            ..StatementFigures::default()
        };
        all.calls += took.calls;
        all.exec_ns += took.exec_ns;
        all.rows += took.rows;
        counted += 1;
        let Some(digest) = digest else {
            evicted = true;
            continue;
        };
        if let Some(shape) = shape {
            keys.entry(shape.key.clone()).or_insert_with(|| digest.clone());
        }
        uses.push(StatementUse {
            id: digest.clone(),
            user: String::new(),
            database: narrows_units::shown(schema).into_owned(),
            text: shape.map(|shape| shape.text.clone()).filter(|text| !text.is_empty()),
            took,
            before: None,
        });
        let of = beyond.entry(digest.clone()).or_default();
        of.id.clone_from(digest);
        of.calls += calls;
        of.rows_examined += examined;
        of.rows_sent += sent;
        of.rows_affected += affected;
        of.lock_ns += lock / 1e3;
        of.temporary_tables += tables;
        of.disk_tables += disk;
        of.merge_passes += merges;
        of.full_joins += joins;
        of.no_index += no_index;
    }
    let mut beyond: Vec<MariaDbStatement> = beyond.into_values().collect();
    beyond.sort_by(|a, b| b.rows_examined.total_cmp(&a.rows_examined));
    beyond.truncate(Consumers::KEPT);
    uses.sort_by(|a, b| b.took.exec_ns.total_cmp(&a.took.exec_ns));
    let named = |used: &StatementUse| beyond.iter().any(|of| of.id == used.id);
    let kept = uses.iter().enumerate().filter(|(at, used)| *at < Consumers::KEPT || named(used));
    let kept = kept.map(|(_, used)| used.clone()).collect();
    let statistics =
        StatementStatistics { list: kept, all, counted, evicted, reset, planning_counted: false };
    StatementsTaken { statistics, beyond, keys }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(schema: &str, digest: Option<&str>, sums: [f64; 11]) -> Row {
        let cells = sums.iter().map(|n| Some(format!("{n:.0}")));
        [Some(schema.to_string()), digest.map(str::to_string)].into_iter().chain(cells).collect()
    }

    fn sums(calls: f64, examined: f64) -> [f64; 11] {
        [calls, calls * 1e9, 0.0, 0.0, calls, examined, 0.0, 0.0, 0.0, 0.0, calls]
    }

    #[test]
    fn figures_are_those_of_the_interval_and_ours_are_left_out() {
        let before = Digests::of(&[row("shop", Some("a1"), sums(10.0, 100.0))]);
        let after = Digests::of(&[
            row("shop", Some("a1"), sums(15.0, 600.0)),
            row("", Some("b2"), sums(4.0, 0.0)),
            row("shop", Some("c3"), sums(7.0, 7.0)),
            row("", None, sums(2.0, 0.0)),
        ]);
        let texts = [("a1", "SELECT a FROM t"), ("b2", "SHOW GLOBAL STATUS"), ("c3", "SELECT b")];
        let texts = texts.map(|(id, text)| (id.to_string(), Shape::of(text))).into();
        let (added, reset) = after.since(&before);
        let taken = list(&added, reset, &texts, &|key| key == "showglobalstatus");
        let ids: Vec<&str> = taken.statistics.list.iter().map(|used| used.id.as_str()).collect();
        assert_eq!(ids, ["c3", "a1"]);
        assert_eq!(taken.statistics.list[1].took.exec_ns, 5.0 * 1e6);
        assert_eq!((taken.beyond[0].id.as_str(), taken.beyond[0].rows_examined), ("a1", 500.0));
        assert!(taken.statistics.evicted && !taken.statistics.reset);
        assert_eq!(taken.statistics.all.calls, 5.0 + 7.0 + 2.0);
        assert_eq!(taken.keys.get("selectafromt").map(String::as_str), Some("a1"));
    }

    #[test]
    fn a_table_that_was_emptied_says_so() {
        let before = Digests::of(&[row("shop", Some("a1"), sums(10.0, 100.0))]);
        let after = Digests::of(&[row("shop", Some("a1"), sums(3.0, 3.0)), vec![], vec![None]]);
        assert!(after.since(&before).1);
    }
}
