//! What statements spend their time on.
//!
//! MariaDB documentation: Performance Schema events_statements_summary_by_digest Table; CREATE INDEX; sort_buffer_size; tmp_table_size.

use narrows_model::{CauseShare, MariaDbStatement, MariaDbUse, TableUse, Urgency};

use super::{backticked, observe_again};
use crate::figures::share_of;
use crate::sql::TableName;
use crate::statement_text::StatementText;
use crate::statements::StatementLoad;
use crate::words::{age, bytes, count, joined, percent};
use crate::{CauseDraft, CauseRule, ObservedServer, draft};

/// Share of session time from which on a statement is worth a word.
const LEAST_SHARE: f64 = 0.1;
/// Rows read by each call from which on an index is missed: some milliseconds.
const READ_PER_CALL: f64 = 10_000.0;
/// Rows read for each row returned or changed from which on most are read in vain.
const READ_PER_RETURNED: f64 = 100.0;
/// Of the calls, those without an index.
const WITHOUT_INDEX: f64 = 0.5;
/// Without figures of statements: rows read one after the other per second, and by each scan.
const SCANNED_PER_S: f64 = 100_000.0;
/// A statement that has so much of the session time is the one that scans.
const MOST_OF_THE_TIME: f64 = 0.5;
/// Calls per second from which on a statement is no report.
const OFTEN_PER_S: f64 = 0.2;
/// Merge passes per second of sorts that did not fit.
const MERGES_PER_S: f64 = 1.0;
/// Temporary tables on disk per second, and of all of them.
const DISK_TABLES_PER_S: f64 = 5.0;
const DISK_TABLES: f64 = 0.25;
/// Of the session time that samples found, what the server's sums have to have.
const SUMS_COVER: f64 = 0.5;
/// Of the rows that a statement examines, what the tables that it names gave without an index, where that is missing.
const FROM_TABLES: f64 = 0.5;
/// Statements of which fewer are a server for one purpose.
const LEAST_STATEMENTS: usize = 3;

pub(super) const RULES: &[CauseRule] = &[
    CauseRule {
        id: "mariadb-index-missing",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "An index is missing for a condition",
        decides: "a statement with a condition reads 10,000 rows or more by each call and a hundred times as many as it returns or changes, half of its calls use no index, half of these rows are read without one from the tables that it names, and it takes a tenth or more of the sessions' time; where the statement has no figures (the binary protocol), 100,000 rows per second of its table are read without an index and it has half of the sessions that compute or read; without performance_schema: 100,000 rows per second are read one after the other, 10,000 or more by each scan, and one statement with a condition has half of the sessions that compute or read",
        against: "An index may exist that the optimizer doesn't choose; a condition on a function of the column, or LIKE with a leading %, uses none",
        reference: "MariaDB documentation: Performance Schema events_statements_summary_by_digest Table; InnoDB Online DDL Operations",
        supersedes: &[
            "mariadb-statement-dominates",
            "mariadb-buffer-pool-small",
            "mariadb-hot-row",
            "mariadb-temporary-tables-on-disk",
        ],
        find: index_missing,
    },
    CauseRule {
        id: "mariadb-sort-spills",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "Sorts do not fit into sort_buffer_size and are merged in passes",
        decides: "one merge pass or more per second (Sort_merge_passes), and with performance_schema a statement with a tenth or more of the sessions' time that has a pass in each second call or more",
        against: "Each sort may take the whole buffer, and large buffers slow small sorts: set it for the session that needs it where that can be done",
        reference: "MariaDB documentation: sort_buffer_size; Sort_merge_passes",
        supersedes: &["mariadb-statement-dominates"],
        find: sort_spills,
    },
    CauseRule {
        id: "mariadb-temporary-tables-on-disk",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "Internal temporary tables go to disk",
        decides: "five or more per second and a quarter or more of all internal temporary tables (Created_tmp_disk_tables), without narrows' own",
        against: "Tables with BLOB or TEXT columns go to disk whatever the limits are; those of small tables stay in the page cache",
        reference: "MariaDB documentation: tmp_memory_table_size; max_heap_table_size; Created_tmp_disk_tables",
        supersedes: &[],
        find: disk_tables,
    },
    CauseRule {
        id: "mariadb-statement-dominates",
        urgency: Urgency::Performance,
        has_reason: false,
        what: "One statement takes most of the sessions' time",
        decides: "a statement with a condition takes half or more of the sessions' time, reads 10,000 rows or more by each call, is called once in 5 s or more, and three or more statements ran; only with performance_schema",
        against: "It may be what the server is for, and its plan the best there is",
        reference: "MariaDB documentation: ANALYZE Statement",
        supersedes: &[],
        find: statement_dominates,
    },
];

fn of(server: &ObservedServer) -> Option<MariaDbUse> {
    server.consumers.mariadb.clone()
}

/// The text in its parts. Backticks are MariaDB's quotes of names.
fn parsed(load: &StatementLoad) -> StatementText {
    StatementText::of(&load.text.unwrap_or_default().replace('`', "\""))
}

fn per_call(beyond: &MariaDbStatement, figure: f64) -> f64 {
    figure / beyond.calls.max(1.0)
}

fn returned(beyond: &MariaDbStatement) -> f64 {
    (beyond.rows_sent + beyond.rows_affected).max(beyond.calls)
}

/// Of the sessions' time; by the server's own sums, where these have most of what samples found: executions by the binary protocol are not in
/// them.
fn time(server: &ObservedServer, load: &StatementLoad) -> Option<f64> {
    let covered = |exec_ns: f64| {
        let sampled = server.consumers.sampled.as_ref().map_or(0.0, |sampled| sampled.active);
        exec_ns >= SUMS_COVER * sampled * server.seen.interval_ns
    };
    let all = server.consumers.statements.as_ref().filter(|all| !all.reset);
    let all = all.filter(|all| covered(all.all.exec_ns));
    let by_sums =
        load.took.zip(all).and_then(|(took, all)| share_of(took.exec_ns, all.all.exec_ns));
    by_sums.or(load.time.filter(|_| load.group.is_some()))
}

fn calls(server: &ObservedServer, beyond: &MariaDbStatement) -> Option<String> {
    let rate = server.seen.per_s(Some(beyond.calls))?;
    Some(format!("{} calls per second", count(rate)))
}

fn index_missing(server: &ObservedServer) -> Vec<CauseDraft> {
    let Some(mariadb) = of(server) else { return Vec::new() };
    if !mariadb.performance_schema {
        return scans_by_samples(server, &mariadb);
    }
    let found = server.statements.iter().filter_map(|load| {
        let Some(beyond) = mariadb.statement(load.id) else {
            return scanned_by_uncounted(server, load);
        };
        let share = time(server, load).filter(|share| *share >= LEAST_SHARE)?;
        let read = per_call(beyond, beyond.rows_examined);
        let in_vain = beyond.rows_examined >= READ_PER_RETURNED * returned(beyond);
        let no_index = beyond.no_index + beyond.full_joins >= WITHOUT_INDEX * beyond.calls;
        let often = server.seen.per_s(Some(beyond.calls)).is_some_and(|n| n >= OFTEN_PER_S);
        let text = parsed(load);
        if read < READ_PER_CALL || !in_vain || !no_index || !often || !text.has_a_condition() {
            return None;
        }
        if !reads_tables_whole(server, &text, beyond.rows_examined) {
            return None;
        }
        Some(missing_for(server, load, beyond, &text, share))
    });
    found.collect()
}

/// Whether a statement names that table; it need not name its schema.
fn names(text: &StatementText, table: &TableUse) -> bool {
    TableName::parse(&table.name).is_some_and(|name| {
        text.names(&name) || text.names(&TableName { schema: None, name: name.name })
    })
}

/// Whether what a statement read comes from the tables that it names, as far as the server counts these: a derived table has no index
/// either, and counts as read without one.
fn reads_tables_whole(server: &ObservedServer, text: &StatementText, rows_examined: f64) -> bool {
    let mut named = server.tables().filter(|table| names(text, table)).peekable();
    named.peek().is_none()
        || named.map(|table| table.sequential_rows).sum::<f64>() >= FROM_TABLES * rows_examined
}

/// The only table that a statement names of those that rows were read of without an index.
fn scanned_table<'a>(server: &ObservedServer<'a>, text: &StatementText) -> Option<&'a TableUse> {
    let mut read = server
        .tables()
        .filter(|table| table.sequential_rows > 0.0)
        .filter(|table| names(text, table));
    let first = read.next()?;
    read.next().is_none().then_some(first)
}

fn missing_for(
    server: &ObservedServer,
    load: &StatementLoad,
    beyond: &MariaDbStatement,
    text: &StatementText,
    share: f64,
) -> CauseDraft {
    let table = scanned_table(server, text);
    let name = table.and_then(|table| TableName::parse(&table.name));
    let predicates = name.as_ref().and_then(|name| {
        let bare = TableName { schema: None, name: name.name.clone() };
        text.predicates(name).filter(|found| found.any()).or_else(|| text.predicates(&bare))
    });
    let predicates = predicates.unwrap_or_default();
    let column = predicates.only_column();
    let on = name.as_ref().zip(column).and_then(|(name, column)| {
        let index: String = format!("ix_{}_{column}", name.name)
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
            .take(60)
            .collect();
        let table = match &name.schema {
            Some(schema) => format!("{}.{}", backticked(schema)?, backticked(&name.name)?),
            None => backticked(&name.name)?,
        };
        Some((backticked(&index)?, table, backticked(column)?))
    });
    let compared: Vec<&str> = predicates.equal.iter().map(String::as_str).collect();
    let mut subjects = vec![draft::statement(load.id)];
    subjects.extend(table.map(|table| draft::table(&table.name)));
    CauseDraft {
        summary: format!(
            "{} rows are read for {} returned or changed, without an index, by: {}",
            count(per_call(beyond, beyond.rows_examined)),
            count(per_call(beyond, beyond.rows_sent + beyond.rows_affected)),
            load.words()
        ),
        evidence: joined([
            calls(server, beyond),
            load.per_call(|took| took.exec_ns).map(|ns| format!("{} each", age(ns))),
            Some(format!("{} of its calls used no index", percent((beyond.no_index / beyond.calls.max(1.0)).min(1.0)))),
            table.map(|table| format!("{} rows of {} were read without one", count(table.sequential_rows), table.name)),
        ]),
        against: "an index may exist that the optimizer doesn't choose (SHOW INDEX, ANALYZE TABLE), and each index makes writes dearer".to_string(),
        action: match &on {
            Some((_, _, column)) => format!("an index on {column}, the only column that the statement compares, if few rows share one of its values"),
            None => format!(
                "find the column whose condition leaves fewest rows (ANALYZE FORMAT=JSON of that statement: r_filtered) and make an index on it{}",
                if compared.is_empty() { String::new() } else { format!("; compared for equality: {}", compared.join(", ")) }
            ),
        },
        statement: on.as_ref().map(|(index, table, column)| {
            format!("SET STATEMENT lock_wait_timeout=2 FOR CREATE INDEX {index} ON {table} ({column}) ALGORITHM=INPLACE LOCK=NONE")
        }),
        undo: match &on {
            Some((index, table, _)) => format!("DROP INDEX {index} ON {table}"),
            None => "DROP INDEX with its name ON the table".to_string(),
        },
        verify: observe_again("rows examined by each call; EXPLAIN of the statement names the index"),
        share: Some((CauseShare::SessionTime, share)),
        statement_id: load.id.to_string(),
        subjects,
        ..CauseDraft::default()
    }
}

/// Whether it has most of the sessions that compute or read: those that wait for a lock or sleep scan nothing.
fn computes_most(load: &StatementLoad) -> bool {
    load.running.is_some_and(|share| share >= MOST_OF_THE_TIME)
}

/// By the rows of the table, where the statement has no figures: executions by the binary protocol have none.
fn scanned_by_uncounted(server: &ObservedServer, load: &StatementLoad) -> Option<CauseDraft> {
    let share = time(server, load).filter(|share| *share >= LEAST_SHARE && computes_most(load))?;
    let text = parsed(load);
    let table = scanned_table(server, &text).filter(|_| text.has_a_condition())?;
    let rate = server.seen.per_s(Some(table.sequential_rows)).filter(|n| *n >= SCANNED_PER_S)?;
    Some(CauseDraft {
        summary: format!("{} rows of {} per second are read without an index, most likely by: {}", count(rate), table.name, load.words()),
        evidence: format!("table_io_waits_summary_by_index_usage; the statement has {} of session time", percent(share)),
        against: "which statement reads them is concluded: executions by the binary protocol are not counted by statement".to_string(),
        action: "look at its plan: EXPLAIN with typical values; where its type is ALL, make an index on the column whose condition leaves fewest rows".to_string(),
        undo: "DROP INDEX with its name ON the table".to_string(),
        verify: observe_again("rows read without an index"),
        share: Some((CauseShare::SessionTime, share)),
        statement_id: load.id.to_string(),
        subjects: vec![draft::statement(load.id), draft::table(&table.name)],
        ..CauseDraft::default()
    })
}

/// Without figures of statements: who is found most often while rows are read one after the other.
fn scans_by_samples(server: &ObservedServer, mariadb: &MariaDbUse) -> Vec<CauseDraft> {
    let grew = |name: &str| mariadb.grew(name);
    let (Some(rows), Some(scans)) = (grew("Handler_read_rnd_next"), grew("Select_scan")) else {
        return Vec::new();
    };
    let joins = grew("Select_full_join").unwrap_or(0.0);
    let each = rows / (scans + joins).max(1.0);
    let rate = server.seen.per_s(Some(rows)).unwrap_or(0.0);
    if rate < SCANNED_PER_S || each < READ_PER_CALL {
        return Vec::new();
    }
    let found = server.statements.iter().filter(|load| {
        let enough = load.time.is_some_and(|share| share >= LEAST_SHARE);
        enough && computes_most(load) && parsed(load).has_a_condition()
    });
    let drafts = found.map(|load| CauseDraft {
        summary: format!("rows are read one after the other, {} by each scan, most likely by: {}", count(each), load.words()),
        evidence: format!(
            "{} rows per second without an index (Handler_read_rnd_next), {} scans per second (Select_scan); the statement has {} of session time",
            count(rate),
            count(server.seen.per_s(Some(scans + joins)).unwrap_or(0.0)),
            percent(load.time.unwrap_or(0.0))
        ),
        against: "which statement reads them is concluded: with performance_schema=ON (a restart) the server says it".to_string(),
        action: "look at its plan: EXPLAIN with typical values; where its type is ALL, make an index on the column whose condition leaves fewest rows".to_string(),
        undo: "DROP INDEX with its name ON the table".to_string(),
        verify: observe_again("rows read one after the other"),
        share: load.time.map(|share| (CauseShare::SessionTime, share)),
        statement_id: load.id.to_string(),
        subjects: vec![draft::statement(load.id)],
        ..CauseDraft::default()
    });
    drafts.collect()
}

fn sort_spills(server: &ObservedServer) -> Vec<CauseDraft> {
    let Some(mariadb) = of(server) else { return Vec::new() };
    let passes = mariadb.grew("Sort_merge_passes");
    let rate = server.seen.per_s(passes).unwrap_or(0.0);
    let Some(buffer) = server.number("sort_buffer_size").filter(|_| rate >= MERGES_PER_S) else {
        return Vec::new();
    };
    let sorting = server.statements.iter().find_map(|load| {
        let beyond = mariadb.statement(load.id)?;
        let share = time(server, load).filter(|share| *share >= LEAST_SHARE)?;
        (per_call(beyond, beyond.merge_passes) >= 0.5).then_some((load, beyond, share))
    });
    if mariadb.performance_schema && sorting.is_none() {
        return Vec::new();
    }
    let larger = 2.0 * buffer;
    vec![CauseDraft {
        summary: match &sorting {
            Some((load, ..)) => format!("sorts do not fit into sort_buffer_size ({}), {} merge passes per second: {}", bytes(buffer), count(rate), load.words()),
            None => format!("sorts do not fit into sort_buffer_size ({}), {} merge passes per second", bytes(buffer), count(rate)),
        },
        evidence: joined([
            Some("Sort_merge_passes".to_string()),
            sorting.as_ref().map(|(_, beyond, _)| format!("{} by each call", count(per_call(beyond, beyond.merge_passes)))),
        ]),
        against: "an index in the order that is asked for needs no sort; each sorting session may take the whole buffer".to_string(),
        action: "first see whether the order is needed at all, and whether an index has it; else a larger buffer: SET SESSION in the session that sorts, or for all new connections as below (a restart forgets it unless it is in the option file)".to_string(),
        statement: Some(format!("SET GLOBAL sort_buffer_size = {larger:.0}")),
        undo: format!("SET GLOBAL sort_buffer_size = {buffer:.0}"),
        verify: observe_again("merge passes"),
        share: sorting.as_ref().map(|(_, _, share)| (CauseShare::SessionTime, *share)),
        statement_id: sorting.as_ref().map_or(String::new(), |(load, ..)| load.id.to_string()),
        subjects: sorting.iter().map(|(load, ..)| draft::statement(load.id)).collect(),
        ..CauseDraft::default()
    }]
}

fn disk_tables(server: &ObservedServer) -> Vec<CauseDraft> {
    let Some(mariadb) = of(server) else { return Vec::new() };
    let disk = mariadb.grew("Created_tmp_disk_tables").unwrap_or(0.0);
    let all = mariadb.grew("Created_tmp_tables").unwrap_or(0.0).max(disk);
    let rate = server.seen.per_s(Some(disk)).unwrap_or(0.0);
    let limits = ["tmp_memory_table_size", "max_heap_table_size"].map(|name| server.number(name));
    let [Some(memory), Some(heap)] = limits else { return Vec::new() };
    if rate < DISK_TABLES_PER_S || disk < DISK_TABLES * all {
        return Vec::new();
    }
    let making: Vec<&StatementLoad> = server
        .statements
        .iter()
        .filter(|load| {
            mariadb.statement(load.id).is_some_and(|of| of.disk_tables >= 0.5 * of.calls)
        })
        .collect();
    let share: f64 = making.iter().filter_map(|load| time(server, load)).sum();
    let smaller = memory.min(heap);
    vec![CauseDraft {
        summary: format!(
            "{} internal temporary tables per second go to disk, {} of all{}",
            count(rate),
            percent(disk / all),
            making.first().map_or(String::new(), |load| format!(", most by: {}", load.words()))
        ),
        evidence: format!("Created_tmp_disk_tables; the limit is the smaller of tmp_memory_table_size and max_heap_table_size: {}", bytes(smaller)),
        against: "tables with BLOB or TEXT columns go to disk whatever the limits are: select fewer columns there".to_string(),
        action: "an index that gives the order or the groups needs no temporary table; else raise both limits, by as much memory as each session may take".to_string(),
        statement: Some(format!("SET GLOBAL tmp_memory_table_size = {0:.0}, GLOBAL max_heap_table_size = {0:.0}", 4.0 * smaller)),
        undo: format!("SET GLOBAL tmp_memory_table_size = {memory:.0}, GLOBAL max_heap_table_size = {heap:.0}"),
        verify: observe_again("temporary tables on disk"),
        share: (share > 0.0).then(|| (CauseShare::SessionTime, share.min(1.0))),
        subjects: making.iter().map(|load| draft::statement(load.id)).collect(),
        ..CauseDraft::default()
    }]
}

fn statement_dominates(server: &ObservedServer) -> Vec<CauseDraft> {
    let Some(mariadb) = of(server) else { return Vec::new() };
    let several = server.statements.len() >= LEAST_STATEMENTS;
    let found = server.statements.iter().filter_map(|load| {
        let beyond = mariadb.statement(load.id)?;
        let share = time(server, load).filter(|share| *share >= MOST_OF_THE_TIME)?;
        let often = server.seen.per_s(Some(beyond.calls)).is_some_and(|n| n >= OFTEN_PER_S);
        let wide = per_call(beyond, beyond.rows_examined) >= READ_PER_CALL;
        (several && often && wide && parsed(load).has_a_condition())
            .then_some((load, beyond, share))
    });
    let drafts = found.map(|(load, beyond, share)| CauseDraft {
        summary: format!("one statement takes {} of session time: {}", percent(share), load.words()),
        evidence: joined([
            calls(server, beyond),
            load.per_call(|took| took.exec_ns).map(|ns| format!("{} each", age(ns))),
            Some(format!("{} rows examined each", count(per_call(beyond, beyond.rows_examined)))),
            Some(format!("{} rows sent each", count(per_call(beyond, beyond.rows_sent)))),
        ]),
        against: "it may be what the server is for, and its plan the best there is".to_string(),
        action: "look at its plan with typical values: ANALYZE FORMAT=JSON (it runs the statement); ask who calls it so often".to_string(),
        undo: "nothing to take back".to_string(),
        verify: observe_again("its share, and what a call takes"),
        share: Some((CauseShare::SessionTime, share)),
        statement_id: load.id.to_string(),
        subjects: vec![draft::statement(load.id)],
        ..CauseDraft::default()
    });
    drafts.collect()
}
