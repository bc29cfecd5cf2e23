//! Behind each workload of our own: what its sessions did over time, who used the CPUs, what it wrote to the log, how the server
//! planned it, and how that server is set. The verdict comes first.

use narrows_model::{
    ActivityMoment, ActivityState, Key, Measurement, Metric, Series, Unit, condition, metric,
};
use narrows_units::significant;
use serde_json::Value;

use crate::bottleneck::Block as Judged;
use crate::chart::over_time;
use crate::chart::swatch_of;
use crate::document::{
    At, Block, Cell, Column, Depth, Entry, Facts, Inline, Row, Section, Style, Table,
};
use crate::print::{Units, count, percent};
use crate::report::Report;
use crate::words;

/// A log page of a change is a whole page less its hole; so much of it at most.
const PAGE_BYTES: f64 = 8192.0;
/// Wait events that are named.
const MOST_EVENTS: usize = 8;

const STATES: [(Metric, ActivityState, &str); 6] = [
    (metric::SESSIONS_RUNNING, ActivityState::Running, "running, or ready to"),
    (metric::SESSIONS_READING, ActivityState::Read, "waiting for a read"),
    (metric::SESSIONS_FLUSHING, ActivityState::Log, "waiting for WAL"),
    (metric::SESSIONS_LOCKED, ActivityState::Lock, "waiting for a lock or latch"),
    (metric::SESSIONS_FOR_CLIENT, ActivityState::Client, "waiting for the client"),
    (metric::SESSIONS_OTHER, ActivityState::Other, "waiting for something else"),
];

/// Whether a series is drawn here, stacked with its fellows.
pub(super) fn draws(series: &str) -> bool {
    STATES.iter().any(|(metric, ..)| metric.name == series)
}

/// Every workload, then the server; nothing where no database was measured.
pub(super) fn workloads(report: &Report) -> Option<Section> {
    let mut section = Section::new("workloads", "Behind each workload").from(Depth::Page);
    for block in report.narrow.iter().filter(|block| block.measured) {
        let Some(m) = report.run.measurement(&block.measurement) else { continue };
        let evidence = evidence(report, m);
        if !evidence.is_empty() {
            section.blocks.extend(heading(report, block));
            section.blocks.extend(evidence);
        }
    }
    let some = !section.blocks.is_empty();
    some.then(|| section.with(server(report)))
}

fn heading(report: &Report, block: &Judged) -> [Block; 2] {
    let rate = block.rate.map(|f| report.units.quantity(f.value, f.unit));
    let grade = block.grade.map(words::grade);
    let said: Vec<&str> =
        [rate.as_deref(), Some(block.phrase.as_str()), grade].into_iter().flatten().collect();
    let said: Vec<&str> = said.into_iter().filter(|part| !part.is_empty()).collect();
    let said = Inline::of(Style::Strong, said.join(" · "));
    [Block::Heading(block.name.as_str().into()), Block::paragraph(said)]
}

fn evidence(report: &Report, m: &Measurement) -> Vec<Block> {
    let (facts, plan) = (facts(report.units, m), plan(m));
    history(m).into_iter().chain(processors(m)).chain(facts).chain(plan).collect()
}

/// Windows one after the other, with a gap between them.
fn history(m: &Measurement) -> Vec<Block> {
    let of = |of: Metric| -> Vec<&Series> { m.series.iter().filter(|s| s.name == of).collect() };
    let all: Vec<(ActivityState, Vec<&Series>)> =
        STATES.iter().map(|(name, state, _)| (*state, of(*name))).collect();
    let mut moments: Vec<ActivityMoment> = Vec::new();
    let mut begins_ns = 0.0;
    for first in &all[0].1 {
        let slice_ns = first.interval_ns as f64;
        let same = |series: &&&Series| series.repeat == first.repeat;
        for slice in 0..first.values.len() {
            let sessions = all.iter().filter_map(|(state, series)| {
                Some((*state, *series.iter().find(same)?.values.get(slice)?))
            });
            let at_ns = begins_ns + (slice as f64 + 0.5) * slice_ns;
            moments.push(ActivityMoment { at_ns, samples: 1, sessions: sessions.collect() });
        }
        begins_ns += (first.values.len() + 1) as f64 * slice_ns;
    }
    let cpus = m.value(metric::SERVER_CPUS_AVAILABLE);
    let Some(pictures) = over_time::pictures(&moments, 0.0, cpus) else { return Vec::new() };
    let mean = |state: ActivityState| {
        let found = moments.iter().flat_map(|moment| &moment.sessions);
        found.filter(|(other, _)| *other == state).map(|(_, n)| n).sum::<f64>()
            / moments.len() as f64
    };
    let mut table = Table::new(vec![
        Column::words("", At::Left(0)),
        Column::name("what they did", 2),
        Column::figure("sessions", 40),
    ]);
    let rows = STATES.iter().map(|(_, state, what)| (*state, *what, mean(*state)));
    let rows = rows.filter(|(_, _, sessions)| *sessions > 0.0).map(|(state, what, sessions)| {
        let swatch = Inline::default().picture(swatch_of(state));
        let cells = vec![swatch.into(), what.into(), significant(sessions, 3).into()];
        Row::Cells(cells, Vec::new())
    });
    table.rows = rows.collect();
    let note = "As PostgreSQL reports them, windows one after the other. On a busy server a session whose request has arrived and whose process waits for a CPU still counts as waiting for the client; the sum above uses kernel scheduler data.";
    vec![over_time::figure(pictures), Block::Table(table), Block::explanation(note)]
}

fn processors(m: &Measurement) -> Option<Block> {
    let classes = m.conditions.get(condition::CPUS_BY_CLASS)?;
    let mut classes: Vec<(&str, f64)> =
        classes.iter().filter_map(|(name, cpus)| Some((name.as_str(), cpus.as_f64()?))).collect();
    classes.sort_by(|a, b| b.1.total_cmp(&a.1));
    let taken = m.value(metric::SERVER_CPUS_TAKEN).filter(|cpus| *cpus > 0.0);
    classes.extend(taken.map(|cpus| ("others, on the server's CPUs", cpus)));
    let available = m.value(metric::SERVER_CPUS).filter(|cpus| *cpus > 0.0);
    let of = available.map_or_else(String::new, |all| format!("of {}", count(all)));
    let mut table = Table::new(vec![
        Column::name("who used the server's CPUs", 0),
        Column::figure("CPUs", 40),
        Column::figure(of, 50),
    ]);
    let rows = classes.iter().map(|(name, cpus)| {
        let name = match *name {
            "a session" => "other sessions, narrows' samples among them",
            name => name,
        };
        let share: Cell = super::figure(available.map(|all| cpus / all), percent);
        Row::Cells(vec![name.into(), significant(*cpus, 3).into(), share], Vec::new())
    });
    table.rows = rows.collect();
    Some(Block::Table(table))
}

fn facts(units: Units, m: &Measurement) -> Option<Block> {
    let all = [
        ("WAL", log(units, m)),
        ("blocks", blocks(m)),
        ("checkpoints", checkpoints(m)),
        ("waits", waits(m)),
    ];
    let entries: Vec<Entry> =
        all.into_iter().filter_map(|(name, said)| Some(Entry::new(name, said?))).collect();
    let some = !entries.is_empty();
    some.then_some(Block::Facts(Facts { entries, labels: Style::Faint, at: (2, 16) }))
}

/// `812 B an operation, 0.0150 full pages (at most 15 % of the bytes), 0.130 flushes`.
fn log(units: Units, m: &Measurement) -> Option<String> {
    let bytes = m.value(metric::WAL_BYTES_PER_OP).filter(|bytes| *bytes >= 1.0)?;
    let mut said = format!("{} an operation", units.quantity(bytes, Unit::Bytes));
    if let Some(pages) = m.value(metric::FULL_PAGES_PER_OP) {
        let share = (pages * PAGE_BYTES / bytes).min(1.0);
        said += &format!(
            ", {} full-page images ({} of the bytes at most)",
            significant(pages, 3),
            percent(share)
        );
    }
    if let Some(flushes) = m.value(metric::FLUSHES_PER_OP) {
        said += &format!(", {} flushes", significant(flushes, 3));
    }
    Some(said)
}

fn blocks(m: &Measurement) -> Option<String> {
    let (hits, reads) = (m.value(metric::BLOCK_HITS_PER_OP)?, m.value(metric::BLOCK_READS_PER_OP)?);
    let figures = [hits, reads].map(|n| significant(n, 3));
    Some(format!(
        "{} buffer hits per operation, {} read from the operating system",
        figures[0], figures[1]
    ))
}

fn checkpoints(m: &Measurement) -> Option<String> {
    let begun = m.value(metric::CHECKPOINTS)?;
    let pages = m.value(metric::CHECKPOINT_PAGES).unwrap_or(0.0);
    (begun > 0.0 || pages > 0.0)
        .then(|| format!("{} during the load, {} pages written", count(begun), count(pages)))
}

/// The server's own names, most frequent first, as shares of all answers.
fn waits(m: &Measurement) -> Option<String> {
    let events = m.conditions.get(condition::WAIT_EVENTS)?;
    let mut events: Vec<(&str, f64)> =
        events.iter().filter_map(|(name, n)| Some((name.as_str(), n.as_f64()?))).collect();
    let all: f64 = events.iter().map(|(_, n)| n).sum();
    events.sort_by(|a, b| b.1.total_cmp(&a.1));
    let named = events.iter().take(MOST_EVENTS);
    let named: Vec<String> =
        named.map(|(name, n)| format!("{name} {}", percent(n / all))).collect();
    (all > 0.0).then(|| named.join(", "))
}

fn plan(m: &Measurement) -> Option<Block> {
    let say = |key: Key<str>| m.workload.get(key).filter(|t| !t.is_empty());
    let told: Vec<Block> = [say(condition::STATEMENT), say(condition::PLAN)]
        .into_iter()
        .flatten()
        .map(|part| Block::Verbatim(part.to_string()))
        .collect();
    let summary = Inline::from("Statement and plan (");
    let summary = match m.text(condition::PLAN_AFTER) {
        None => summary.put(Style::Plain, "the same before and after"),
        Some(_) => summary.put(Style::Careful, "another one after the load"),
    };
    let some = !told.is_empty();
    some.then(|| Block::Folded(summary.put(Style::Plain, ")"), told))
}

/// Settings that are not the defaults, and the build, of the server that was loaded; once, for all workloads have the same.
fn server(report: &Report) -> Vec<Block> {
    let loaded =
        report.run.measurements.iter().find(|m| m.conditions.contains(condition::SERVER_SETTINGS));
    let table = |key: Key<Value>, heads: [&str; 2]| -> Option<Block> {
        let object = loaded?.conditions.get(key)?.as_object()?;
        let cell = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_string);
        let columns = vec![Column::name(heads[0], 0), Column::words(heads[1], At::Left(40))];
        let mut table = Table::new(columns);
        let code = |word: &str| Cell::from(Inline::of(Style::Code, word));
        let rows = object.iter();
        let rows = rows.map(|(name, value)| vec![code(name), code(&cell(value))]);
        table.rows = rows.map(|cells| Row::Cells(cells, Vec::new())).collect();
        let some = !table.rows.is_empty();
        some.then_some(Block::Table(table))
    };
    let settings = table(condition::SERVER_SETTINGS.any(), ["setting", "value"]);
    let build = table(condition::SERVER_BUILD, ["", "as PostgreSQL reports them"]);
    let folded = |said: &str, table: Option<Block>| Some(Block::Folded(said.into(), vec![table?]));
    [folded("Changed settings", settings), folded("How the server was built", build)]
        .into_iter()
        .flatten()
        .collect()
}
