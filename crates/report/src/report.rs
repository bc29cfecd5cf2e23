//! The report model: everything the views say, decided once.

use narrows_model::{Layer, Replication, Run, Validity, Verdict};

use crate::advice::{NextRow, next_rows};
use crate::bottleneck::{Block, blocks};
use crate::calibration::{RateAnswer, answers};
use crate::capacity::{CapacityRow, rows};
use crate::document::{AnnotatedTable, Block as Part, Entry, Inline, NotKnown, Row, Style};
use crate::fabric;
use crate::head::Head;
use crate::interference::{Interference, interference};
use crate::live::{flush_views, live_views};
use crate::loads::{loads, storage_alone};
use crate::log::{
    CommitsRow, LogResults, SharingPoint, StepRow, Streams, commits_rows, ladder_rows, sharing,
    short, streams,
};
use crate::memory;
use crate::notes::Notes;
use crate::observed::{self, ObservedView};
use crate::orders::views as orders_views;
use crate::print::Units;
use crate::result;
use crate::starts::starts;
use crate::sweep::sweeps;
use crate::words::counted;

/// What a run says, ready to be laid out.
#[derive(Debug, Clone)]
pub struct Report {
    /// The run it was made from.
    pub run: Run,
    /// Prefixes of bytes.
    pub units: Units,
    /// The first lines.
    pub head: Head,
    /// The answers, a sentence each.
    pub result: Vec<String>,
    /// The highest rates within a limit, where they were searched for.
    pub answers: Vec<RateAnswer>,
    /// Reads beside writes, where they were set beside each other.
    pub interference: Option<Interference>,
    /// The commit log in short: what a commit costs, and what most of it is.
    pub short: Vec<Entry>,
    /// The commit log's ladder.
    pub ladder: Vec<StepRow>,
    /// Sessions that share the log's flushes.
    pub commits: Vec<CommitsRow>,
    /// Commits of a flush, by rate.
    pub sharing: Vec<SharingPoint>,
    /// Several WAL streams on one device.
    pub streams: Option<Streams>,
    /// Logs of servers that were looked at.
    pub live: Vec<Vec<Part>>,
    /// Servers that were looked at.
    pub observed: Vec<ObservedView>,
    /// What `pg_test_fsync` measured, beside the same here.
    pub flush_tests: Vec<AnnotatedTable>,
    /// Where the time of operations over a fabric goes.
    pub fabric: Vec<AnnotatedTable>,
    /// The order-entry mix.
    pub orders: Vec<AnnotatedTable>,
    /// Rates by sessions, and the highest rates that keep a percentile.
    pub sweeps: Vec<AnnotatedTable>,
    /// Memory by footprint, by kind of traffic, and beside it.
    pub memory: Vec<AnnotatedTable>,
    /// What ran, in a run of storage alone.
    pub loads: Vec<Row>,
    /// HARDWARE.
    pub wide: Vec<CapacityRow>,
    /// The operating point in words; empty where the question does not arise.
    pub operating_point: String,
    /// WORKLOAD.
    pub narrow: Vec<Block>,
    /// WHAT TO DO.
    pub next: Vec<NextRow>,
    /// Footnotes and what is not known.
    pub notes: Notes,
    /// Where to see more, a line each.
    pub more: Vec<Inline>,
}

impl Report {
    /// Decides what is said about `run`. Pure: the same run always gives the same report.
    pub fn new(run: &Run, units: Units) -> Report {
        let mut notes = Notes::new(run);
        let answers = answers(run, units, &mut notes);
        let interference = interference(run, &mut notes);
        let ladder = ladder_rows(run, &mut notes);
        let commits = commits_rows(run, &mut notes);
        let streams = streams(run, &mut notes);
        let short = short(&LogResults {
            run,
            ladder: &ladder,
            commits: &commits,
            answers: &answers,
            streams: streams.as_ref(),
        });
        let live = live_views(run, units, &mut notes);
        let observed = observed::views(run, units, &mut notes);
        // Footnotes are numbered in the order of the screen.
        let mut narrow = blocks(run, units, &mut notes);
        observed::fit(run, &mut narrow);
        let wide = rows(run, units, &mut notes);
        let loads = loads(run, units, &wide, &mut notes);
        let fabric = fabric::views(run, units, &mut notes);
        let memory = memory::views(run, units, &mut notes);
        notes.close(run);
        let same = not_replicated(run);
        notes
            .not_known
            .extend(same.map(|what| NotKnown { whats: vec![what], ..NotKnown::default() }));
        let mut head = Head::new(run, units);
        head.counts += &unseen(run, units, &wide, &narrow);
        Report {
            head,
            result: result::sentences(run),
            answers,
            short,
            ladder,
            commits,
            sharing: sharing(run),
            streams,
            interference,
            live,
            observed,
            flush_tests: flush_views(run),
            fabric,
            orders: orders_views(run),
            sweeps: sweeps(run).into_iter().chain(starts(run, units)).collect(),
            memory,
            loads,
            wide,
            operating_point: operating_point(run, &narrow),
            narrow,
            next: next_rows(run),
            more: more(run),
            notes,
            units,
            run: run.clone(),
        }
    }
}

/// How many of the measurements with a mark have no row on the screen; nothing where all have, or where there are no tables
/// to look for them in.
fn unseen(run: &Run, units: Units, wide: &[CapacityRow], narrow: &[Block]) -> String {
    if wide.is_empty() && narrow.is_empty() {
        return String::new();
    }
    let shown = |id: &str| {
        let mut judged =
            run.verdicts.iter().filter(|v| narrow.iter().any(|b| b.workload == v.workload));
        let has = |verdict: &Verdict| {
            verdict.measurement == id || format!("database.{}.open", verdict.workload) == id
        };
        wide.iter().any(|row| row.measurement == id)
            || memory::shown(run, units, id)
            || judged.any(has)
    };
    let marked: Vec<_> =
        run.measurements.iter().filter(|m| m.validity != Validity::Valid).collect();
    match marked.iter().filter(|m| !shown(&m.id)).count() {
        0 => String::new(),
        hidden if hidden == marked.len() => "; not on this screen".to_string(),
        hidden => format!("; {} of these {} on this screen", marked.len() - hidden, marked.len()),
    }
}

/// `128 sessions, closed loop, 6 repeats, one server start`, and what `p99@70%` means.
fn operating_point(run: &Run, narrow: &[Block]) -> String {
    let asked = run.plan.layers.contains(&Layer::Database);
    if narrow.is_empty() && (alone(run) || !run.calibrations.is_empty() && !asked) {
        return String::new();
    }
    if narrow.is_empty() {
        return if asked {
            "not judged: no database workload was measured".to_string()
        } else {
            "not judged: the database layer was not measured".to_string()
        };
    }
    if let Some(point) = observed::operating_point(run) {
        return point;
    }
    let sessions = run
        .verdicts
        .iter()
        .filter(|v| !v.workload.starts_with("scan"))
        .map(|v| v.operating_point.sessions)
        .max()
        .unwrap_or(run.plan.sessions);
    let database = run.measurements.iter().filter(|m| m.layer == Layer::Database);
    let starts = match database.map(|m| m.replication).next() {
        Some(Replication::PerServerStart) => ", a server start each",
        Some(Replication::PerBoot) => ", a boot each",
        _ => ", one server start",
    };
    format!(
        "p99 at 70 % of that throughput, random arrivals (open loop); of a scan, its duration.  {}, closed loop, {}{starts}",
        counted(sessions as usize, "session"),
        counted(run.plan.repeats as usize, "repeat"),
    )
}

/// Whether the run is about memory, storage or the log, with no server to judge.
fn alone(run: &Run) -> bool {
    let layers = &run.plan.layers;
    storage_alone(run)
        || matches!(layers.as_slice(), [Layer::Log] | [Layer::Fabric])
        || layers.ends_with(&[Layer::Memory])
}

/// What is unknown of a thing that was the same in all repeats.
fn differ(after: &str) -> String {
    format!("how much results differ after a {after}")
}

/// What the repeats cannot show because it was the same in all of them.
fn not_replicated(run: &Run) -> Option<String> {
    // Who only looks restarts nothing.
    if !run.live_logs.is_empty() || !run.observations.is_empty() {
        return None;
    }
    let fresh = run.measurements.iter().map(|m| m.replication);
    let least = fresh.min_by_key(|r| match r {
        Replication::PerWindow => 0,
        Replication::PerServerStart => 1,
        Replication::PerBoot => 2,
    })?;
    // Over starts it was asked and answered.
    let starts = run.starts.iter().any(|starts| starts.spread.is_some());
    match least {
        Replication::PerWindow if starts => Some(differ("reboot")),
        Replication::PerWindow => Some(differ("restart")),
        Replication::PerServerStart => Some(differ("reboot")),
        Replication::PerBoot => None,
    }
}

fn more(run: &Run) -> Vec<Inline> {
    let see = |what: &str, option: &str| {
        let command = format!("narrows report {} {option}", run.id);
        Inline::from(format!("{what}: ")).put(Style::Code, command)
    };
    if !run.observations.is_empty() {
        // Where the model misses the rate there is no answer.
        let answers = run.verdicts.iter().any(|v| v.sum.as_ref().is_some_and(|sum| sum.agrees));
        let urgent = |v: &Verdict| crate::observed::is_urgent(run, &v.measurement);
        let answers = answers && !run.verdicts.iter().any(urgent);
        let asks = answers.then(|| see("What if", "--what-if storage=2x"));
        return std::iter::once(see("Pictures, all settings", "--html")).chain(asks).collect();
    }
    if alone(run) {
        return vec![see("Pictures, windows, findings", "--html")];
    }
    vec![see("How each answer is known", "--explain"), see("Waits, sweeps, findings", "--html")]
}
