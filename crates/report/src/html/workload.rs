//! Behind each workload of our own: what its sessions did over time, who used the CPUs, what it wrote to the log, how the server
//! planned it, and how that server is set. The verdict comes first.

use narrows_model::{ActivityMoment, ActivityState, Measurement, Series, Unit, condition, metric};
use narrows_units::significant;
use serde_json::Value;

use super::escape::text;
use super::fills::{of_state, swatch};
use super::{over_time, table};
use crate::narrow::Block;
use crate::print::{Units, count, percent};
use crate::report::Report;
use crate::words;

/// A log page of a change is a whole page less its hole; so much of it at most.
const PAGE_BYTES: f64 = 8192.0;
/// Wait events that are named.
const MOST_EVENTS: usize = 8;

const STATES: [(&str, ActivityState, &str); 6] = [
    (metric::SESSIONS_RUNNING, ActivityState::Running, "running, or ready to"),
    (metric::SESSIONS_READING, ActivityState::Read, "waiting for a read"),
    (metric::SESSIONS_FLUSHING, ActivityState::Log, "waiting for the commit log"),
    (metric::SESSIONS_LOCKED, ActivityState::Lock, "waiting for a lock or latch"),
    (metric::SESSIONS_FOR_CLIENT, ActivityState::Client, "waiting for the client"),
    (metric::SESSIONS_OTHER, ActivityState::Other, "waiting for something else"),
];

/// Whether a series is drawn here, stacked with its fellows.
pub(super) fn draws(series: &str) -> bool {
    STATES.iter().any(|(name, ..)| *name == series)
}

/// One article a workload; empty where no database was measured.
pub(super) fn sections(report: &Report) -> String {
    let measured = report.narrow.iter().filter(|block| block.measured);
    let articles: String = measured
        .filter_map(|block| {
            let m = measurement(report, block)?;
            let evidence = evidence(report, m);
            (!evidence.is_empty()).then(|| article(report, block, &evidence))
        })
        .collect();
    if articles.is_empty() {
        return articles;
    }
    format!(
        "<section id=\"workloads\"><h2>Behind each workload</h2>{articles}{}</section>",
        server(report)
    )
}

fn measurement<'a>(report: &'a Report, block: &Block) -> Option<&'a Measurement> {
    let judged = report.run.verdicts.iter().find(|v| v.workload == block.workload);
    let id =
        judged.map_or_else(|| format!("database.{}", block.workload), |v| v.measurement.clone());
    report.run.measurement(&id)
}

fn article(report: &Report, block: &Block, evidence: &str) -> String {
    let rate = block.rate.map(|f| report.units.quantity(f.value, f.unit));
    let grade = block.grade.map(words::grade);
    let said: Vec<&str> =
        [rate.as_deref(), Some(block.phrase.as_str()), grade].into_iter().flatten().collect();
    let said: Vec<&str> = said.into_iter().filter(|part| !part.is_empty()).collect();
    format!(
        "<article class=\"workload\"><h3>{}</h3><p class=\"strong\">{}</p>{evidence}</article>",
        text(&block.name),
        text(&said.join(" · "))
    )
}

fn evidence(report: &Report, m: &Measurement) -> String {
    [history(m), processors(m), facts(report.units, m), plan(m)].concat()
}

/// Windows one after the other, with a gap between them.
fn history(m: &Measurement) -> String {
    let of = |name: &str| -> Vec<&Series> { m.series.iter().filter(|s| s.name == name).collect() };
    let all: Vec<(ActivityState, Vec<&Series>)> =
        STATES.iter().map(|(name, state, _)| (*state, of(name))).collect();
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
    let Some(pictures) = over_time::pictures(&moments, 0.0, cpus) else { return String::new() };
    let mean = |state: ActivityState| {
        let found = moments.iter().flat_map(|moment| &moment.sessions);
        found.filter(|(other, _)| *other == state).map(|(_, n)| n).sum::<f64>()
            / moments.len() as f64
    };
    let rows: Vec<Vec<String>> = STATES
        .iter()
        .map(|(_, state, what)| (*state, *what, mean(*state)))
        .filter(|(_, _, sessions)| *sessions > 0.0)
        .map(|(state, what, sessions)| {
            vec![swatch(of_state(state)).to_string(), text(what), significant(sessions, 3)]
        })
        .collect();
    let note = "<p class=\"soft\">By the server's own word, windows one after the other. On a busy server a session whose request \
                has arrived and whose process waits for a CPU still counts as waiting for the client; the sum above has the \
                scheduler's word.</p>";
    over_time::figure(&pictures) + &table(&["", "what they did", "sessions>"], &rows) + note
}

fn processors(m: &Measurement) -> String {
    let Some(classes) = m.conditions.get(condition::CPUS_BY_CLASS).and_then(Value::as_object)
    else {
        return String::new();
    };
    let mut classes: Vec<(&str, f64)> =
        classes.iter().filter_map(|(name, cpus)| Some((name.as_str(), cpus.as_f64()?))).collect();
    classes.sort_by(|a, b| b.1.total_cmp(&a.1));
    let taken = m.value(metric::SERVER_CPUS_TAKEN).filter(|cpus| *cpus > 0.0);
    classes.extend(taken.map(|cpus| ("others, on the server's CPUs", cpus)));
    let available = m.value(metric::SERVER_CPUS).filter(|cpus| *cpus > 0.0);
    let rows: Vec<Vec<String>> = classes
        .iter()
        .map(|(name, cpus)| {
            let name = if *name == "a session" {
                "other sessions, our own looks among them"
            } else {
                name
            };
            let share = available.map_or_else(|| "-".to_string(), |all| percent(cpus / all));
            vec![text(name), significant(*cpus, 3), share]
        })
        .collect();
    let of = available.map_or_else(String::new, |all| format!("of {}>", count(all)));
    table(&["who used the server's CPUs", "CPUs>", of.as_str()], &rows)
}

fn facts(units: Units, m: &Measurement) -> String {
    let all = [
        ("log", log(units, m)),
        ("blocks", blocks(m)),
        ("checkpoints", checkpoints(m)),
        ("waits", waits(m)),
    ];
    let rows: String = all
        .into_iter()
        .filter_map(|(name, said)| Some(format!("<dt>{name}</dt><dd>{}</dd>", text(&said?))))
        .collect();
    if rows.is_empty() { rows } else { format!("<dl class=\"seen\">{rows}</dl>") }
}

/// `812 B an operation, 0.0150 full pages (at most 15 % of the bytes), 0.130 flushes`.
fn log(units: Units, m: &Measurement) -> Option<String> {
    let bytes = m.value(metric::WAL_BYTES_PER_OP).filter(|bytes| *bytes >= 1.0)?;
    let mut said = format!("{} an operation", units.quantity(bytes, Unit::Bytes));
    if let Some(pages) = m.value(metric::FULL_PAGES_PER_OP) {
        let share = (pages * PAGE_BYTES / bytes).min(1.0);
        said += &format!(
            ", {} full pages ({} of the bytes at most)",
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
        "{} an operation found in the buffer pool, {} asked of the system",
        figures[0], figures[1]
    ))
}

fn checkpoints(m: &Measurement) -> Option<String> {
    let begun = m.value(metric::CHECKPOINTS)?;
    let pages = m.value(metric::CHECKPOINT_PAGES).unwrap_or(0.0);
    (begun > 0.0 || pages > 0.0)
        .then(|| format!("{} in a load, {} pages written", count(begun), count(pages)))
}

/// The server's own names, most frequent first, as shares of all answers.
fn waits(m: &Measurement) -> Option<String> {
    let events = m.conditions.get(condition::WAIT_EVENTS)?.as_object()?;
    let mut events: Vec<(&str, f64)> =
        events.iter().filter_map(|(name, n)| Some((name.as_str(), n.as_f64()?))).collect();
    let all: f64 = events.iter().map(|(_, n)| n).sum();
    events.sort_by(|a, b| b.1.total_cmp(&a.1));
    let named = events.iter().take(MOST_EVENTS);
    let named: Vec<String> =
        named.map(|(name, n)| format!("{name} {}", percent(n / all))).collect();
    (all > 0.0).then(|| named.join(", "))
}

fn plan(m: &Measurement) -> String {
    let say = |key: &str| m.workload.get(key).and_then(Value::as_str).filter(|t| !t.is_empty());
    let parts = [say("statement"), say("plan")];
    let told: Vec<String> =
        parts.into_iter().flatten().map(|part| format!("<pre>{}</pre>", text(part))).collect();
    if told.is_empty() {
        return String::new();
    }
    let after = m.text(condition::PLAN_AFTER).map_or(
        "the same before and after",
        |_| "<span class=\"mark\">another one after the load</span>",
    );
    format!("<details><summary>Statement and plan ({after})</summary>{}</details>", told.concat())
}

/// Settings that are not the defaults, and the build, of the server that was loaded; once, for all workloads have the same.
fn server(report: &Report) -> String {
    let loaded = report
        .run
        .measurements
        .iter()
        .find(|m| m.conditions.contains_key(condition::SERVER_SETTINGS));
    let pairs = |key: &str| -> Vec<Vec<String>> {
        let object = loaded.and_then(|m| m.conditions.get(key)).and_then(Value::as_object);
        let cell = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_string);
        let rows = object.into_iter().flatten();
        rows.map(|(name, value)| vec![code(name), code(&cell(value))]).collect()
    };
    let (settings, build) = (pairs("server_settings"), pairs(condition::SERVER_BUILD));
    let mut out = String::new();
    if !settings.is_empty() {
        let settings = table(&["setting", "value"], &settings);
        out += &format!(
            "<details><summary>Settings that are not the server's defaults</summary>{settings}</details>"
        );
    }
    if !build.is_empty() {
        let build = table(&["", "in the server's own words"], &build);
        out += &format!("<details><summary>How the server was built</summary>{build}</details>");
    }
    out
}

fn code(word: &str) -> String {
    format!("<code>{}</code>", text(word))
}
