//! Where a transaction's time goes; where that isn't known, at least where sessions were found.

use narrows_model::{
    ActivityState, Interval, Observation, ObservedSituation, TimeAccount, TimeShare,
    TransactionTime,
};
use narrows_units::significant;

use super::verdict::is_mariadb;
use crate::document::{Block, Column, Depth, Row, Table};
use crate::live::spread;
use crate::print::{percent, time};

/// Names of waits beside a row.
const NAMED: usize = 3;
/// Of the largest wait beside a row, what another has to have to be named.
const LEAST_OF_THE_FIRST: f64 = 0.01;
/// Of a transaction's time, what a letter of a bar stands for, per cent.
const LETTER: f64 = 5.0;

/// A state in which sessions and their workers were found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StateShare {
    /// Doing what.
    pub(crate) state: ActivityState,
    /// How many on average.
    pub(crate) sessions: f64,
    /// Its interval, where one class of processes has all of them.
    pub(crate) interval: Option<Interval>,
    /// The server's own names, most first.
    pub(crate) events: Vec<(String, f64)>,
}

/// Every state that was met, in the order of the screen.
pub(crate) fn found(seen: &Observation) -> Vec<StateShare> {
    let states = ActivityState::ALL.into_iter();
    let one = |state| {
        let found = seen.activity.found.iter();
        let these: Vec<_> =
            found.filter(|f| f.state == state && f.class.serves_transactions()).collect();
        let sessions: f64 = these.iter().map(|f| f.processes).sum();
        let alone = these.iter().find(|f| f.processes == sessions);
        let interval = alone.and_then(|f| f.interval_95);
        (sessions > 0.0).then(|| StateShare {
            state,
            sessions,
            interval,
            events: events(seen, &[state]),
        })
    };
    states.filter_map(one).collect()
}

/// The server's names for what is waited for in these states, most first.
fn events(seen: &Observation, states: &[ActivityState]) -> Vec<(String, f64)> {
    let found = seen.activity.found.iter();
    let these = found.filter(|f| f.class.serves_transactions() && states.contains(&f.state));
    let mut events: Vec<(String, f64)> = Vec::new();
    for (event, n) in these.flat_map(|f| &f.events) {
        match events.iter_mut().find(|(name, _)| name == event) {
            Some((_, sum)) => *sum += n,
            None => events.push((event.clone(), *n)),
        }
    }
    events.sort_by(|a, b| b.1.total_cmp(&a.1));
    let first = events.first().map_or(0.0, |(_, n)| *n);
    events.retain(|(_, n)| *n >= LEAST_OF_THE_FIRST * first);
    events.truncate(NAMED);
    events
}

fn named(events: &[(String, f64)]) -> String {
    let texts: Vec<String> =
        events.iter().map(|(name, n)| format!("{name} {}", significant(*n, 2))).collect();
    texts.join(", ")
}

/// The table, on a screen with bars. `idle_ns` is what a transaction is left waiting for its client, between its statements.
pub(super) fn blocks(
    seen: &Observation,
    standing: Option<&ObservedSituation>,
    idle_ns: Option<f64>,
) -> Vec<Block> {
    match standing.and_then(|standing| standing.time.as_ref()) {
        Some(time) => {
            let table = of_time(seen, time, idle_ns);
            let barred = with_bars(table.clone(), &time.parts);
            vec![
                Block::Until(Depth::Explained, vec![Block::Table(barred)]),
                Block::From(Depth::Text, vec![Block::Table(table)]),
            ]
        }
        None => of_sessions(seen).map(Block::Table).into_iter().collect(),
    }
}

/// The same with a bar for each part's share.
fn with_bars(mut table: Table, parts: &[TimeShare]) -> Table {
    let letters = |part: &TimeShare| (part.share.clamp(0.0, 1.0) * 100.0 / LETTER).round() as usize;
    let head = format!("# is {LETTER} %");
    let longest = parts.iter().map(letters).max().unwrap_or(0).max(head.len());
    let bars = parts.iter().map(|part| "#".repeat(letters(part)));
    for (row, bar) in table.rows.iter_mut().zip(bars.chain(std::iter::repeat(String::new()))) {
        if let Row::Cells(cells, _) = row {
            // As wide as the longest, they begin below each other in a column of figures.
            cells.push(format!("{bar:<longest$}").into());
        }
    }
    table.columns.push(Column::step(format!("{head:<longest$}"), longest + 2));
    table
}

fn of_time(seen: &Observation, of: &TransactionTime, idle_ns: Option<f64>) -> Table {
    let mut rows: Vec<Row> = of.parts.iter().map(|part| of_part(seen, part)).collect();
    let account = match of.account {
        TimeAccount::Server => "(server's own count)",
        TimeAccount::Samples => "(by samples of active sessions)",
    };
    rows.push(Row::figures(
        "total",
        [time(of.summed_ns), String::new(), String::new()],
        format!("{} {account}", time(of.account_ns)),
    ));
    // A hundredth of the rest is not worth a line.
    if let Some(ns) = idle_ns.filter(|ns| *ns > 0.01 * of.summed_ns) {
        rows.push(Row::figures(
            "idle in transaction",
            [time(ns), String::new(), String::new()],
            "its client, between statements; not in the total",
        ));
    }
    let mut table =
        Table::figures("WHERE A TRANSACTION'S TIME GOES", ["per xact", "±95%", "share"], rows)
            .without_unknown();
    table.remark = Some("wait events, mean sessions in each".to_string());
    table
}

fn of_part(seen: &Observation, part: &TimeShare) -> Row {
    Row::figures(
        part.name.clone(),
        [
            time(part.ns_per_op),
            spread(part.interval_95.as_ref(), Some(part.ns_per_op)),
            percent(part.share),
        ],
        with_checks(waits(seen, &part.name), seen, states(&part.name)),
    )
}

/// The server's names for a part. Of a report the run queue is what is left.
fn waits(seen: &Observation, part: &str) -> String {
    let names = named(&events(seen, states(part)));
    if part == "run queue" && seen.report.is_some() {
        return "DB time less DB CPU and waits".to_string();
    }
    names
}

/// Beside the names, how often the kernel said that somebody in such a wait could run.
fn with_checks(names: String, seen: &Observation, states: &[ActivityState]) -> String {
    let check = seen.activity.checks.iter().find(|check| states.contains(&check.state));
    let Some((check, (times, of))) = check.and_then(|check| Some((check, check.no_waits()?)))
    else {
        return names;
    };
    let share = percent(times as f64 / of as f64);
    // Of the part with everything else in it only the writes call the kernel.
    let whose = if check.state == ActivityState::Write { "of writes " } else { "" };
    format!("{names}; {whose}{share} runnable")
}

/// The states whose time is that part of the sum.
fn states(part: &str) -> &'static [ActivityState] {
    match part {
        "read" => &[ActivityState::Read],
        "flush" => &[ActivityState::Log],
        "lock" => &[ActivityState::Lock, ActivityState::Latch],
        "client" => &[ActivityState::Client],
        "other" => &[ActivityState::Write, ActivityState::Other],
        _ => &[],
    }
}

/// The words of a state. MariaDB shows one stage for CPU and reads, and commits wait for its redo log and its binary log.
fn words(seen: &Observation, state: ActivityState) -> &'static str {
    match state {
        ActivityState::Running if is_mariadb(seen) => "computing or reading",
        ActivityState::Log if is_mariadb(seen) => "committing",
        state => state.words(),
    }
}

fn of_sessions(seen: &Observation) -> Option<Table> {
    let found = found(seen);
    let at_work = found.iter().filter(|f| f.state.is_at_work());
    let all: f64 = at_work.map(|f| f.sessions).sum();
    let row = |f: &StateShare| {
        Row::figures(
            words(seen, f.state).to_string(),
            [
                significant(f.sessions, 3),
                spread(f.interval.as_ref(), Some(f.sessions)),
                if f.state.is_at_work() && all > 0.0 {
                    percent(f.sessions / all)
                } else {
                    "-".into()
                },
            ],
            named(&f.events),
        )
    };
    let rows: Vec<Row> = found.iter().map(row).collect();
    (!rows.is_empty()).then(|| {
        Table::figures("SESSION STATES", ["sessions", "±95%", "of active"], rows).without_unknown()
    })
}
