//! Tables that are read in a way that something could change: indexes, foreign keys, statistics, reports.
//!
//! PostgreSQL documentation: Indexes; Constraints, Foreign Keys; Statistics Used by the Planner.

use narrows_model::{Consumers, ProcessClass, TableUse, Urgency};

use super::plans;
use crate::figures::share_of;
use crate::sql::{TableName, column_list, identifier};
use crate::statements::StatementLoad;
use crate::words::{age, count, joined, percent};
use crate::{CauseDraft, CauseRule, ObservedServer, draft};

/// Rows that a scan reads, of which fewer are read faster without an index: some 100 blocks, a millisecond.
const SCANNED_ROWS: f64 = 10_000.0;
/// Rows read for each one returned or changed, from which on an index would leave most of them out.
const READ_PER_RETURNED: f64 = 100.0;
/// Rows of a block of 8 kB at most (`MaxHeapTuplesPerPage`): whoever reads so many rows reads a block for them at least.
const ROWS_PER_BLOCK: f64 = 291.0;
/// Scans per second from which on they are no report that somebody asked for.
const SCANS_PER_S: f64 = 0.2;
/// Scans while observed, of which fewer may be chance.
const LEAST_SCANS: f64 = 5.0;
/// Scans per second that no statement is known for, from which on they are an application's.
const UNNAMED_SCANS_PER_S: f64 = 1.0;
/// Share of what binds, from which on a cause in statements is worth a word.
const LEAST_SHARE: f64 = 0.1;
/// Share of what binds that a report takes where others suffer.
const REPORT_SHARE: f64 = 0.3;
/// Statements per second beside it that are others' and short.
const BESIDE_PER_S: f64 = 10.0;
/// Changed rows over live rows, from which on statistics are of another table: autovacuum analyzes at a tenth.
const CHANGED: f64 = 0.5;
/// Live rows of a table whose statistics matter: of a nested loop over a thousand rows a million are compared.
const LEAST_ROWS_OF_STATISTICS: f64 = 1000.0;
/// What a call of a statement with a bad plan takes at least, ns.
const LONG_NS: f64 = 1e6;
/// Age of an analyze that autovacuum will soon repeat, s: five times `autovacuum_naptime` by default.
const JUST_ANALYZED_S: f64 = 300.0;

pub(super) const RULES: &[CauseRule] = &[
    CauseRule {
        id: "unindexed-foreign-key",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "Rows are deleted from a table that a foreign key without an index refers to",
        decides: "5 rows or more went from the table; the key's own table was read by 5 sequential scans or more of 10,000 rows or more each, half as many scans as rows gone or more, or no statement names that table; statements that remove the rows, where they are counted, read as many blocks per call as such a scan has",
        against: "Updates that leave the key as it is count as rows gone and scan nothing; a small child table",
        reference: "PostgreSQL documentation: Constraints, Foreign Keys",
        supersedes: &["index-missing", "statement-dominates", "shared-buffers-small"],
        find: unindexed_foreign_key,
    },
    CauseRule {
        id: "index-missing",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "A table is read as a whole for a few of its rows",
        decides: "sequential scans of 10,000 rows or more each, 5 or more and 0.2 per second or more; statements that name the table with a condition, read as many blocks per call as such a scan has, and return less than 1 row for 100 read, take a tenth or more of what binds. A column is proposed where it is the only one compared, for equality. Without statements: 1 scan per second or more, without a proposal",
        against: "A report that is wanted; a small table; an index may exist that the planner doesn't choose; parallel workers each count as a scan and are allowed for",
        reference: "PostgreSQL documentation: Indexes; Using EXPLAIN",
        supersedes: &["statement-dominates", "shared-buffers-small", "table-scan-report"],
        find: index_missing,
    },
    CauseRule {
        id: "table-scan-report",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "A report reads whole tables beside short transactions, and the CPUs or the drives are full",
        decides: "one statement without a condition, or with fewer than 0.2 calls per second, names a table that is read by scans of 10,000 rows or more, reads as many blocks per call as such a scan has (where that is counted), and takes 30 % or more of the CPU time or reads that bind, beside 10 other statements per second or more",
        against: "It may be what the server is for",
        reference: "PostgreSQL documentation: Parallel Query; max_parallel_workers_per_gather",
        supersedes: &["statement-dominates", "shared-buffers-small"],
        find: table_scan_report,
    },
    CauseRule {
        id: "statistics-stale",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "A table has changed a lot since ANALYZE, or was never analyzed",
        decides: "1,000 live rows or more, and half as many changed since the last analyze, which is more than 5 min ago or never was, or autovacuum is off for it; statements that read it with a condition take a tenth or more of what binds, and one of them 1 ms or more per call",
        against: "The plan may be right all the same; correlated columns need CREATE STATISTICS; for a load without reads it doesn't matter",
        reference: "PostgreSQL documentation: Statistics Used by the Planner; Updating Planner Statistics",
        supersedes: &["statement-dominates"],
        find: statistics_stale,
    },
];

/// How many processes begin a scan of a parallel query at most: each counts as one.
fn scanners(server: &ObservedServer) -> f64 {
    if server.busy_of(ProcessClass::ParallelWorker) <= 0.0 {
        return 1.0;
    }
    1.0 + server.number("max_parallel_workers_per_gather").unwrap_or(2.0).clamp(0.0, 1024.0)
}

/// Sequential scans, and rows that one reads; `None` where they are few or short. Of whose scans the parallel ones were isn't known, so
/// that by their number one may read several times the rows that the table has: then there were more of them, of these rows each.
fn whole_reads(server: &ObservedServer, table: &TableUse) -> Option<(f64, f64)> {
    let by_workers = table.sequential_scans / scanners(server);
    let all = Some(table.live_rows + table.dead_rows).filter(|rows| *rows >= 1.0);
    let rows = (table.sequential_rows / by_workers).min(all.unwrap_or(f64::INFINITY));
    let scans = (table.sequential_rows / rows).min(table.sequential_scans);
    (scans >= 1.0 && scans.is_finite() && rows >= SCANNED_ROWS && rows.is_finite())
        .then_some((scans, rows))
}

/// Those of the statements that name the table, with a condition on it.
pub(super) fn conditional<'b, 'a>(
    server: &'b ObservedServer<'a>,
    table: &TableName,
) -> Vec<&'b StatementLoad<'a>> {
    let asks = |load: &&StatementLoad| {
        load.is_of_this_database
            && load.parsed.predicates(table).is_some_and(|predicates| predicates.any())
    };
    server.statements.iter().filter(asks).collect()
}

fn subjects(table: &TableUse, statements: &[&StatementLoad]) -> Vec<String> {
    let mut subjects = vec![draft::table(&table.name)];
    subjects.extend(statements.iter().map(|load| draft::statement(load.id)));
    subjects
}

fn scanned(server: &ObservedServer, table: &TableUse, scans: f64, rows: f64) -> String {
    let rate = server.seen.per_s(Some(scans)).unwrap_or(0.0);
    format!(
        "{} sequential scans of {} rows each ({} per second), {} index scans",
        count(scans),
        count(rows),
        count(rate),
        count(table.index_scans)
    )
}

fn explain_again(table: &str) -> String {
    format!(
        "EXPLAIN of the statement before and after, with ANALYZE only in a transaction that is rolled back where it changes rows; narrows observe URL: sequential scans of {table}"
    )
}

fn index_missing(server: &ObservedServer) -> Vec<CauseDraft> {
    server.tables().filter_map(|table| index_missing_on(server, table)).collect()
}

fn index_missing_on(server: &ObservedServer, table: &TableUse) -> Option<CauseDraft> {
    let (scans, rows) = whole_reads(server, table)?;
    let rate = server.seen.per_s(Some(scans))?;
    if scans < LEAST_SCANS || rate < SCANS_PER_S {
        return None;
    }
    let name = TableName::parse(&table.name)?;
    let named = server.statements.iter().filter(|load| load.names(&name)).count();
    let scans_for_few = |load: &&StatementLoad| match load.per_call(|took| took.rows) {
        Some(returned) => {
            returned * READ_PER_RETURNED <= rows && often(server, load) && reads_all_of(load, rows)
        }
        // Nothing tells whether it is the one that scans, unless there is no other.
        None => named == 1,
    };
    let statements: Vec<&StatementLoad> =
        conditional(server, &name).into_iter().filter(scans_for_few).collect();
    let Some(most) = statements.first() else {
        return (named == 0 && rate >= UNNAMED_SCANS_PER_S)
            .then(|| scanned_by_unknown(server, table, scans, rows));
    };
    let (share, gain_at_most) = server.worth_of(&statements);
    share.filter(|(_, share)| *share >= LEAST_SHARE)?;
    let predicates = most.parsed.predicates(&name).unwrap_or_default();
    let plan = plans::of_table(server, most.id, &name);
    let proven = plan.and_then(|plan| plan.proven());
    let column = predicates.only_column().and_then(identifier);
    let column = column.or_else(|| plan?.only_column());
    let column = proven.clone().or(column.filter(|_| !plan.is_some_and(|plan| plan.needs_none())));
    let on = column.and_then(|column| Some((name.quoted()?, column)));
    let compared: Vec<&str> = predicates.equal.iter().map(String::as_str).collect();
    let look = format!(
        "find the column whose condition leaves fewest rows (EXPLAIN (ANALYZE, BUFFERS) of that statement, in a transaction that is rolled back where it changes rows: Filter, Rows Removed by Filter) and make an index on it{}",
        if compared.is_empty() {
            String::new()
        } else {
            format!("; compared for equality: {}", compared.join(", "))
        }
    );
    Some(CauseDraft {
        summary: format!(
            "{} is read as a whole, {} rows each time, by: {}",
            table.name,
            count(rows),
            most.words()
        ),
        evidence: joined([
            Some(scanned(server, table, scans, rows)),
            most.per_call(|took| took.rows).map(|n| format!("the statement returns or changes {} rows per call", count(n))),
            most.per_call(|took| took.blocks_hit + took.blocks_read).map(|n| format!("{} blocks per call", count(n))),
            most.used.map(|used| used.user.clone()).filter(|u| !u.is_empty()).map(|user| format!("user {user}")),
            plan.and_then(|plan| plan.evidence()),
            plan.and_then(|plan| plan.tried()),
        ]),
        against: joined([
            plan.and_then(|plan| plan.against()),
            Some("an index may exist that the planner doesn't choose (\\d shows it), and each index makes writes dearer".to_string()),
            table.analyze_age_s.is_none().then(|| "the table was never analyzed: ANALYZE it first".to_string()),
        ]),
        action: match &on {
            Some((_, columns)) if proven.is_some() => format!("an index on ({columns}), which the planner was seen to choose in a plan without values (HypoPG); check it by EXPLAIN with values of yours"),
            Some((_, column)) => format!("an index on {column}, the only column that the statement compares; check its plan by EXPLAIN before"),
            None => look,
        },
        statement: on.as_ref().map(|(table, column)| format!("CREATE INDEX CONCURRENTLY ON {table} ({column})")),
        undo: "DROP INDEX CONCURRENTLY with the name that \\d shows; one that failed stays behind as INVALID and has to be dropped".to_string(),
        verify: explain_again(&table.name),
        share,
        gain_at_most,
        statement_id: most.id.to_string(),
        subjects: subjects(table, &statements),
        ..CauseDraft::default()
    })
}

/// Whether it runs so often that it is no report.
fn often(server: &ObservedServer, load: &StatementLoad) -> bool {
    let rate = server.seen.per_s(load.took.map(|took| took.calls));
    rate.is_some_and(|rate| rate >= SCANS_PER_S)
}

/// Whether a call reads as many blocks as so many rows have at least; unknown is no.
fn reads_all_of(load: &StatementLoad, rows: f64) -> bool {
    let blocks = load.per_call(|took| took.blocks_hit + took.blocks_read);
    blocks.is_some_and(|blocks| blocks * ROWS_PER_BLOCK >= rows)
}

fn scanned_by_unknown(
    server: &ObservedServer,
    table: &TableUse,
    scans: f64,
    rows: f64,
) -> CauseDraft {
    CauseDraft {
        summary: format!("{} is read as a whole again and again, {} rows each time", table.name, count(rows)),
        evidence: scanned(server, table, scans, rows),
        against: "which statement it is was not seen: pg_stat_statements and pg_monitor show it".to_string(),
        action: "find the statement (its text in pg_stat_statements names the table) and look at its plan: EXPLAIN (ANALYZE, BUFFERS)".to_string(),
        undo: "nothing to take back".to_string(),
        verify: explain_again(&table.name),
        subjects: vec![draft::table(&table.name)],
        ..CauseDraft::default()
    }
}

fn unindexed_foreign_key(server: &ObservedServer) -> Vec<CauseDraft> {
    let keys = server.consumers.unindexed_keys.iter().take(Consumers::KEPT);
    keys.filter_map(|key| {
        let child = server.tables().find(|table| table.name == key.table)?;
        let (scans, rows) = whole_reads(server, child)?;
        let (child_name, parent) = (TableName::parse(&key.table)?, TableName::parse(&key.refers_to)?);
        let named = server.statements.iter().any(|load| load.names(&child_name));
        if key.rows_gone < LEAST_SCANS || scans < LEAST_SCANS || (named && scans < key.rows_gone / 2.0) {
            return None;
        }
        let removes = |load: &&StatementLoad| {
            load.names(&parent) && (load.parsed.begins("delete") || load.parsed.begins("update"))
        };
        let all: Vec<&StatementLoad> = server.statements.iter().filter(removes).collect();
        let counted = all.iter().any(|load| load.took.is_some());
        let statements: Vec<&StatementLoad> =
            all.into_iter().filter(|load| load.took.is_none() || reads_all_of(load, rows)).collect();
        // Those that remove rows are known, and none of them reads the other table.
        if counted && statements.is_empty() {
            return None;
        }
        let (share, gain_at_most) = server.worth_of(&statements);
        let on = child_name.quoted().zip(column_list(&key.columns));
        Some(CauseDraft {
            summary: format!(
                "{} rows went from {}, and for each the server read {} as a whole: foreign key {} ({}) has no index",
                count(key.rows_gone), key.refers_to, key.table, key.name, key.columns
            ),
            evidence: joined([
                Some(format!("{}: {}", key.table, scanned(server, child, scans, rows))),
                statements.first().map(|load| load.words()),
            ]),
            against: "updates of other columns count as rows gone and read nothing".to_string(),
            action: format!("an index on {} ({})", key.table, key.columns),
            statement: on.map(|(table, columns)| format!("CREATE INDEX CONCURRENTLY ON {table} ({columns})")),
            undo: "DROP INDEX CONCURRENTLY with the name that \\d shows; one that failed stays behind as INVALID and has to be dropped".to_string(),
            verify: explain_again(&key.table),
            share,
            gain_at_most,
            statement_id: statements.first().map_or(String::new(), |load| load.id.to_string()),
            subjects: subjects(child, &statements),
            ..CauseDraft::default()
        })
    })
    .collect()
}

fn table_scan_report(server: &ObservedServer) -> Vec<CauseDraft> {
    let drives = server.is_bound_by(&[
        narrows_model::Bottleneck::ReadRate,
        narrows_model::Bottleneck::ReadBandwidth,
    ]);
    if !(server.cpus_are_full() || drives) {
        return Vec::new();
    }
    let all = server.consumers.statements.as_ref().filter(|all| !all.reset);
    let found = server.statements.iter().filter_map(|load| {
        let rate = server.seen.per_s(load.took.map(|took| took.calls));
        let table = server.tables().find(|table| {
            let reads = |(_, rows)| load.took.is_none() || reads_all_of(load, rows);
            whole_reads(server, table).is_some_and(reads)
                && TableName::parse(&table.name).is_some_and(|name| load.names(&name))
        })?;
        let name = TableName::parse(&table.name)?;
        let whole = !load.parsed.predicates(&name)?.any();
        let seldom = rate.is_some_and(|rate| rate < SCANS_PER_S);
        let (share, gain_at_most) = server.worth_of(&[load]);
        let beside = server.seen.per_s(all.map(|all| all.all.calls - load.took.map_or(0.0, |took| took.calls)));
        let beside = beside.or(server.rate()).filter(|rate| *rate >= BESIDE_PER_S)?;
        let of_report = share.is_some_and(|(_, share)| share >= REPORT_SHARE);
        if !((whole || seldom) && of_report) || load.parsed.builds_an_index() {
            return None;
        }
        let role = load.used.and_then(|used| identifier(&used.user));
        Some(CauseDraft {
            summary: format!("a report reads {} as a whole beside {} other statements per second: {}", table.name, count(beside), load.words()),
            evidence: joined([
                share.map(|(of, share)| format!("{} {}", percent(share), of.words())),
                load.took.map(|took| format!("{} calls", count(took.calls))),
                load.per_call(|took| took.exec_ns).map(|ns| format!("{} each", age(ns))),
                load.used.map(|used| used.user.clone()).filter(|u| !u.is_empty()).map(|user| format!("user {user}")),
            ]),
            against: "it may be what the server is for, and one that runs longer with fewer workers holds its snapshot for longer".to_string(),
            action: "run it at another time or on a standby, keep a summary of what it computes (materialized view), or give its role fewer workers (in sessions that connect after it)".to_string(),
            statement: role.as_ref().map(|role| format!("ALTER ROLE {role} SET max_parallel_workers_per_gather = 0")),
            undo: role.map_or("nothing to take back".to_string(), |role| format!("ALTER ROLE {role} RESET max_parallel_workers_per_gather")),
            verify: "narrows observe URL: the share of that statement, and the transaction rate".to_string(),
            share,
            gain_at_most,
            statement_id: load.id.to_string(),
            subjects: subjects(table, &[load]),
            ..CauseDraft::default()
        })
    });
    found.collect()
}

fn statistics_stale(server: &ObservedServer) -> Vec<CauseDraft> {
    let found = server.tables().filter_map(|table| {
        let changed = share_of(table.changed_since_analyze, table.live_rows.max(1.0))
            .is_some_and(|share| share > CHANGED);
        // Autovacuum analyzes it again soon, unless it is off for it.
        let old = table.autovacuum_off || table.analyze_age_s.is_none_or(|age| age > JUST_ANALYZED_S);
        // After a crash no analyze is remembered, and no change either.
        if table.live_rows < LEAST_ROWS_OF_STATISTICS || !old || !changed {
            return None;
        }
        let name = TableName::parse(&table.name)?;
        let statements = conditional(server, &name);
        // A statement that is over at once has no bad plan.
        let long = |load: &&StatementLoad| load.per_call(|took| took.exec_ns).is_none_or(|ns| ns >= LONG_NS);
        statements.iter().copied().find(long)?;
        let (share, _) = server.worth_of(&statements);
        let (of, share) = share.filter(|(_, share)| *share >= LEAST_SHARE)?;
        let since = match table.analyze_age_s {
            Some(seconds) => format!("{} ago", age(seconds * 1e9)),
            None => "never".to_string(),
        };
        Some(CauseDraft {
            summary: format!(
                "statistics of {} are stale: {} of {} rows changed since the last analyze ({since})",
                table.name, count(table.changed_since_analyze), count(table.live_rows)
            ),
            evidence: joined([
                Some(format!("statements on it with a condition take {} {}", percent(share), of.words())),
                table.autovacuum_off.then(|| "autovacuum is off for it".to_string()),
                (server.setting("autovacuum") == Some("off")).then(|| "autovacuum is off".to_string()),
            ]),
            against: "the plans may be right all the same: no figure tells what new statistics change".to_string(),
            action: "analyze it, and look at the plan of its statements before and after".to_string(),
            statement: name.quoted().map(|name| format!("ANALYZE {name}")),
            undo: "none: the plan of before doesn't come back; SET enable_… in a session brings one back for a while".to_string(),
            verify: "EXPLAIN (ANALYZE) of its statements: estimated rows against actual ones".to_string(),
            statement_id: statements.first().map_or(String::new(), |load| load.id.to_string()),
            subjects: statements
                .iter()
                .map(|load| draft::statement(load.id))
                .chain([draft::table(&table.name)])
                .collect(),
            ..CauseDraft::default()
        })
    });
    found.collect()
}
