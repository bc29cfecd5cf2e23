//! Who takes it: statements, tables, users and clients; who waits for whom.

use std::collections::{BTreeMap, BTreeSet};

use narrows_model::{
    ConsumerKind, Consumers, Observation, QueuedSession, SampledGroup, StatementUse, TableUse,
};
use narrows_units::significant;

use crate::document::{Block, Column, Depth, Entry, Facts, Inline, Remarks, Row, Style, Table};
use crate::live::spread;
use crate::print::{percent, rate, time};
use crate::words::counted;

/// Statements and tables on a screen; a page has all.
const ON_A_SCREEN: usize = 3;
/// Letters of a statement's text on a screen.
const TEXT: usize = 110;
/// A share of less is not worth a row on a screen.
const LEAST_SHARE: f64 = 0.02;
/// Sessions of a lock queue that are read: an observation asks about a hundred.
const MOST_QUEUED: usize = 500;
/// Sessions of a lock queue that are named on a screen.
const QUEUED: usize = 5;
/// Rows of dead rows, or read one after the other, from which a table is worth a row.
const ROWS_WORTH_A_WORD: f64 = 1000.0;

/// Who takes it, for a screen and for a page.
pub(super) fn blocks(seen: &Observation) -> Vec<Block> {
    let Some(consumers) = &seen.consumers else { return Vec::new() };
    let mut blocks = Vec::new();
    blocks.extend(queue(consumers));
    for (table, rows) in [
        (statements(seen, consumers), ON_A_SCREEN + 1),
        (tables(seen, consumers), ON_A_SCREEN),
        (super::indexes::table(seen, consumers), 0),
    ] {
        if !blocks.is_empty() && !table.rows.is_empty() {
            blocks.push(Block::Gap);
        }
        blocks.extend(of_depths(&table, rows));
    }
    let groups = groups(consumers);
    if !groups.is_empty() {
        blocks.push(Block::Facts(Facts { entries: groups, labels: Style::Plain, at: (2, 16) }));
    }
    blocks
}

/// A table's first rows where there is little room, and all of it where there is more; a last row for the rest has its place in both.
fn of_depths(all: &Table, on_a_screen: usize) -> Vec<Block> {
    if all.rows.is_empty() {
        return Vec::new();
    }
    let mut short = all.clone();
    short.rows.truncate(on_a_screen);
    let page = Block::From(Depth::Page, vec![Block::Table(all.clone())]);
    match on_a_screen {
        0 => vec![page],
        _ => vec![Block::Until(Depth::Text, vec![Block::Table(short)]), page],
    }
}

/// What one statement takes: by the samples, and by the server's own count where there is one.
struct Taker<'a> {
    text: String,
    group: Option<&'a SampledGroup>,
    counted: Option<&'a StatementUse>,
    share: f64,
}

/// Statements by their share of the sessions' time, or, where nobody may see sessions, of the executions' time.
fn takers<'a>(seen: &Observation, consumers: &'a Consumers) -> Vec<Taker<'a>> {
    let text =
        |id: &str| consumers.text(id).map_or_else(|| format!("statement {id}"), str::to_string);
    let sampled = consumers.sampled.as_ref().filter(|sampled| sampled.active > 0.0);
    // MariaDB's sums have statements that samples are too few for.
    let sampled = sampled.filter(|_| !by_sums(seen, consumers));
    let mut takers: Vec<Taker<'a>> = match (sampled, &consumers.statements) {
        (Some(sampled), _) => {
            let unseen = seldom_found(seen, consumers);
            let all = sampled.active + unseen.iter().map(|(_, active)| active).sum::<f64>();
            let found = sampled.groups.iter().filter(|of| of.kind == ConsumerKind::Statement);
            let found = found.map(|group| Taker {
                text: text(&group.name),
                group: Some(group),
                counted: consumers.statement(&group.name),
                share: group.active / all,
            });
            let unseen = unseen.iter().map(|(statement, active)| Taker {
                text: text(&statement.id),
                group: None,
                counted: Some(statement),
                share: active / all,
            });
            found.chain(unseen).collect()
        }
        (None, Some(statements)) if statements.all.exec_ns > 0.0 => statements
            .list
            .iter()
            .map(|statement| Taker {
                text: text(&statement.id),
                group: consumers.mariadb.as_ref().and_then(|_| found(consumers, &statement.id)),
                counted: Some(statement),
                share: statement.took.exec_ns / statements.all.exec_ns,
            })
            .collect(),
        _ => Vec::new(),
    };
    takers.sort_by(|a, b| b.share.total_cmp(&a.share));
    takers
}

/// Statements of a MariaDB that no sample found, because they are too short, with the sessions in them by its own sums, mean. Others that go on
/// beside those that wait are among them.
fn seldom_found<'a>(seen: &Observation, consumers: &'a Consumers) -> Vec<(&'a StatementUse, f64)> {
    let all = consumers.mariadb.as_ref().and(consumers.statements.as_ref());
    let sampled = consumers.sampled.iter().flat_map(|sampled| &sampled.groups);
    let sampled: Vec<&SampledGroup> =
        sampled.filter(|group| group.kind == ConsumerKind::Statement).collect();
    // Those behind the ones that are kept are not known.
    if sampled.len() >= Consumers::KEPT {
        return Vec::new();
    }
    // A sample has the beginning of a text, and may be under another id than the server's.
    let texts: Vec<String> =
        sampled.iter().filter_map(|group| consumers.text(&group.name)).map(squeezed).collect();
    let texts: Vec<String> = texts.into_iter().filter(|text| !text.is_empty()).collect();
    let is_sampled = |statement: &StatementUse| {
        let text = squeezed(statement.text.as_deref().unwrap_or_default());
        found(consumers, &statement.id).is_some()
            || texts.iter().any(|of| text.starts_with(of.as_str()) || of.starts_with(&text))
    };
    let unseen = all.iter().flat_map(|all| &all.list);
    unseen
        .filter(|statement| seen.interval_ns > 0.0 && !is_sampled(statement))
        .map(|statement| (statement, statement.took.exec_ns / seen.interval_ns))
        .collect()
}

/// Without what servers write differently in one text.
fn squeezed(text: &str) -> String {
    let kept = text.chars().filter(|c| !c.is_whitespace() && !"`\"…".contains(*c));
    kept.flat_map(char::to_lowercase).collect()
}

/// Whether MariaDB's own sums have most of the time that samples found: executions by the binary protocol are not in them.
fn by_sums(seen: &Observation, consumers: &Consumers) -> bool {
    const MOST: f64 = 0.5;
    let sampled = consumers.sampled.as_ref().map_or(0.0, |sampled| sampled.active);
    let all = consumers.mariadb.as_ref().and(consumers.statements.as_ref());
    all.is_some_and(|all| all.all.exec_ns >= MOST * sampled * seen.interval_ns)
}

/// Sessions that were found in a statement.
fn found<'a>(consumers: &'a Consumers, id: &str) -> Option<&'a SampledGroup> {
    let groups = consumers.sampled.iter().flat_map(|sampled| &sampled.groups);
    groups.filter(|group| group.kind == ConsumerKind::Statement).find(|group| group.name == id)
}

/// Rows that MariaDB read for each call of a statement.
fn examined(consumers: &Consumers, id: &str) -> Option<f64> {
    let beyond = consumers.mariadb.as_ref()?.statement(id)?;
    (beyond.calls > 0.0).then_some(beyond.rows_examined / beyond.calls)
}

fn statements(seen: &Observation, consumers: &Consumers) -> Table {
    let takers = takers(seen, consumers);
    let mariadb = consumers.mariadb.is_some();
    let by_samples = takers.iter().any(|taker| taker.group.is_some());
    let by_sums = by_sums(seen, consumers);
    let head = if by_samples && !by_sums { "session time" } else { "statement time" };
    let last = if mariadb { "examined/call" } else { "blocks/call" };
    let heads = [head, "±95%", "calls", "mean", "rows/call", last];
    let shown = takers.iter().filter(|taker| taker.share >= LEAST_SHARE);
    let rows = shown.map(|taker| {
        let interval = taker.group.and_then(|group| group.interval_95.as_ref());
        let took = taker.counted.map(|statement| statement.took);
        let per_call = |of: f64, calls: f64| significant(of / calls, 3);
        let calls = took.filter(|took| took.calls > 0.0);
        let figures = [
            percent(taker.share),
            match by_sums {
                true => "-".into(),
                false => spread(interval, taker.group.map(|group| group.active)),
            },
            took.and_then(|took| seen.per_s(Some(took.calls))).map_or("-".into(), rate),
            calls.map_or("-".into(), |took| time(took.exec_ns / took.calls)),
            calls.map_or("-".into(), |took| per_call(took.rows, took.calls)),
            match (mariadb, calls, taker.counted) {
                (true, _, Some(of)) => {
                    examined(consumers, &of.id).map_or("-".into(), |n| significant(n, 3))
                }
                (false, Some(took), _) => per_call(took.blocks_hit + took.blocks_read, took.calls),
                _ => "-".into(),
            },
        ];
        Row::figures(shortened(&taker.text), figures, doing(taker.group))
    });
    let mut rows: Vec<Row> = rows.collect();
    let rest = 1.0 - takers.iter().filter(|t| t.share >= LEAST_SHARE).map(|t| t.share).sum::<f64>();
    if !rows.is_empty() && rest >= LEAST_SHARE {
        rows.push(Row::figures("all others", [percent(rest)], String::new()));
    }
    // The text of a statement has a line of its own, and its figures stand below it.
    laid_out("WHO TAKES IT", heads, [26, 34, 45, 57, 69, 82], rows, (14, Remarks::Beside(84)))
}

/// Figures that end at these columns of a screen, behind names of which longer ones have a line of their own.
pub(super) fn laid_out(
    title: impl Into<String>,
    heads: [&str; 6],
    ends: [usize; 6],
    rows: Vec<Row>,
    (longest_name, remarks): (usize, Remarks),
) -> Table {
    let figures = heads.into_iter().zip(ends).map(|(head, end)| Column::figure(head, end));
    let columns = std::iter::once(Column::name("", 2)).chain(figures).collect();
    let mut table = Table::new(columns).titled(title).remarked("", remarks);
    table.rows = rows;
    table.screen.longest_name = longest_name;
    table.without_unknown()
}

/// `Lock:transactionid 0.31`: what those found in it waited for most.
fn doing(group: Option<&SampledGroup>) -> String {
    let Some(group) = group else { return String::new() };
    let waited = group.events.iter().filter(|(_, n)| *n >= 0.1 * group.active).take(2);
    let named: Vec<String> =
        waited.map(|(name, n)| format!("{name} {}", percent(n / group.active))).collect();
    named.join(", ")
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(TEXT) {
        Some((at, _)) => format!("{} …", text[..at].trim_end()),
        None => text.to_string(),
    }
}

/// Tables that took most rows and blocks, and those that are mostly dead.
fn tables(seen: &Observation, consumers: &Consumers) -> Table {
    let work = |table: &TableUse| table.rows_read() + table.blocks_hit + table.blocks_read;
    let mut all: Vec<&TableUse> = consumers.tables.iter().collect();
    all.sort_by(|a, b| work(b).total_cmp(&work(a)));
    let whole: f64 = all.iter().map(|table| work(table)).sum();
    let worth = |table: &&&TableUse| {
        work(table) >= LEAST_SHARE * whole.max(1.0) || table.dead_rows >= ROWS_WORTH_A_WORD
    };
    // MariaDB's are not asked for: an estimate opens the table.
    let estimate = |rows: f64| match consumers.mariadb {
        Some(_) => "-".to_string(),
        None => significant(rows, 3),
    };
    let rows = all.iter().filter(worth).map(|table| {
        let per_s = |of: f64| seen.per_s(Some(of)).filter(|n| *n > 0.0).map_or("-".into(), rate);
        let figures = [
            per_s(table.rows_read()),
            per_s(table.sequential_rows),
            per_s(table.blocks_read),
            per_s(table.inserted + table.updated + table.deleted),
            estimate(table.live_rows),
            estimate(table.dead_rows),
        ];
        Row::figures(table.name.clone(), figures, scans(table))
    });
    let scan = if consumers.mariadb.is_some() { "without index" } else { "by seq scan" };
    let heads = ["rows read", scan, "blocks read", "changed", "live rows", "dead rows"];
    let title = match consumers.database.as_str() {
        "" => "TABLES".to_string(),
        database => format!("TABLES IN {database}"),
    };
    laid_out(title, heads, [38, 51, 63, 73, 84, 95], rows.collect(), (24, Remarks::Below(4)))
}

/// `2810 sequential scans of 200000 rows`
fn scans(table: &TableUse) -> String {
    if table.sequential_scans < 1.0 || table.sequential_rows < ROWS_WORTH_A_WORD {
        return String::new();
    }
    format!(
        "{} sequential scans of {} rows",
        significant(table.sequential_scans, 3),
        significant(table.sequential_rows / table.sequential_scans, 3)
    )
}

/// Who has the sessions, where that is more than one of a kind.
fn groups(consumers: &Consumers) -> Vec<Entry> {
    let Some(sampled) = &consumers.sampled else { return Vec::new() };
    let kinds = [
        (ConsumerKind::Database, "databases"),
        (ConsumerKind::User, "users"),
        (ConsumerKind::Application, "applications"),
        (ConsumerKind::Client, "clients"),
    ];
    let entry = |(kind, label): (ConsumerKind, &str)| {
        let mut of: Vec<&SampledGroup> = sampled
            .groups
            .iter()
            .filter(|group| group.kind == kind && group.active >= LEAST_SHARE * sampled.active)
            .collect();
        of.sort_by(|a, b| b.active.total_cmp(&a.active));
        // One alone has all of it, which nobody needs to be told.
        (of.len() > 1).then(|| {
            let named = of.iter().take(4).map(|group| {
                let name = if group.name.is_empty() { "(none)" } else { &group.name };
                format!("{name} {}", percent(group.active / sampled.active))
            });
            let named: Vec<String> = named.collect();
            Entry::new(label, format!("{} of session time", named.join(", ")))
        })
    };
    kinds.into_iter().filter_map(entry).collect()
}

/// Who waits for whom: heads of queues, and below each those that wait for it.
fn queue(consumers: &Consumers) -> Vec<Block> {
    let all = &consumers.lock_queue[..consumers.lock_queue.len().min(MOST_QUEUED)];
    let mut behind: BTreeMap<u32, Vec<&QueuedSession>> = BTreeMap::new();
    for session in all {
        // Of several it waits for, the first one is who stands before it.
        if let Some(first) = session.behind.first() {
            behind.entry(*first).or_default().push(session);
        }
    }
    let heads = all.iter().filter(|session| session.behind.is_empty());
    let mariadb = consumers.mariadb.is_some();
    let mut tree = Tree { behind, lines: Vec::new(), seen: BTreeSet::new(), mariadb };
    for head in heads {
        tree.add(head, 0);
    }
    if tree.lines.is_empty() {
        return Vec::new();
    }
    let gone = consumers.lock_queue_gone_ns();
    let when =
        gone.map_or(String::new(), |ns| format!("  {} before the end, and gone since", time(ns)));
    let short: Vec<Entry> = tree.lines.iter().take(QUEUED).cloned().collect();
    let left = tree.lines.len() - short.len();
    let more = (left > 0).then(|| Entry::new("", format!("and {}", counted(left, "more session"))));
    let facts =
        |entries: Vec<Entry>| Block::Facts(Facts { entries, labels: Style::Strong, at: (2, 12) });
    vec![
        Block::Heading(format!("WHO WAITS FOR WHOM{when}").into()),
        Block::Until(Depth::Text, vec![facts(short.into_iter().chain(more).collect())]),
        Block::From(Depth::Page, vec![facts(tree.lines)]),
    ]
}

struct Tree<'a> {
    behind: BTreeMap<u32, Vec<&'a QueuedSession>>,
    lines: Vec<Entry>,
    /// Those told already: in a circle everybody waits for everybody.
    seen: BTreeSet<u32>,
    /// Whether numbers are those of MariaDB's connections.
    mariadb: bool,
}

impl Tree<'_> {
    fn add(&mut self, session: &QueuedSession, depth: usize) {
        if !self.seen.insert(session.pid) {
            return;
        }
        let label = match session.pid {
            0 => "prepared".to_string(),
            pid if self.mariadb => format!("conn {pid}"),
            pid => format!("pid {pid}"),
        };
        self.lines.push(Entry { depth, ..Entry::new(label, said(session)) });
        for next in self.behind.get(&session.pid).cloned().unwrap_or_default() {
            self.add(next, depth + 1);
        }
    }
}

/// `idle in transaction for 26.0 s (app, psql): UPDATE acct SET …`
fn said(session: &QueuedSession) -> Inline {
    let mut text = if session.behind.is_empty() {
        session.state.clone()
    } else {
        let mode = session.mode.as_deref().unwrap_or("a lock");
        let on = session.table.as_ref().map_or(String::new(), |table| format!(" on {table}"));
        format!("waits for {mode}{on}")
    };
    if let Some(age) = session.state_age_ns.filter(|_| !text.is_empty()) {
        // MariaDB has whole seconds.
        let age = if age == 0.0 { "less than 1 s".to_string() } else { time(age) };
        text += &format!(" for {age}");
    }
    let whose = [&session.user, &session.application, &session.backend_type];
    let whose: Vec<&str> =
        whose.into_iter().map(String::as_str).filter(|s| !s.is_empty()).collect();
    if !whose.is_empty() {
        text += &format!(" ({})", whose.join(", "));
    }
    let mut said = Inline::from(text);
    if let Some(statement) = &session.text {
        said = said.put(Style::Plain, ": ").put(Style::Code, shortened(statement));
    }
    said
}
