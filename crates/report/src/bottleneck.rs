//! WORKLOAD: one block per database workload, with or without a verdict.

use narrows_model::{
    Grade, Key, Measurement, Run, Unit, Validity, Verdict, condition, family, metric,
};

use crate::capacity::Figure;
use crate::notes::{NoteMark, Notes, absences};
use crate::print::{self, Units, half_width};
use crate::standing;
use crate::sum::{SumText, sum_text};
use crate::words;

/// What an intervention did.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    /// `256 sessions: +51 % (+48 to +54 %)`.
    pub text: String,
    /// `256 sessions: +51 %`.
    pub short: String,
    /// Whether it is what the verdict predicts.
    pub confirms: bool,
}

/// One workload.
#[derive(Debug, Clone)]
pub struct Block {
    /// Its id; both scans have the same.
    pub workload: String,
    /// Id of what was measured of it.
    pub measurement: String,
    /// Its name on the screen.
    pub name: String,
    /// Whether its measurement may be trusted.
    pub validity: Validity,
    /// The rate; bytes per second for scans. `None` when invalid or absent.
    pub rate: Option<Figure>,
    /// Half of the rate's 95 % interval, relative.
    pub half_width: Option<f64>,
    /// Repeats behind the rate.
    pub repeats: u32,
    /// `p99@70% 240 µs`, or a scan's duration.
    pub latency: String,
    /// What holds it back.
    pub phrase: String,
    /// How sure; `None` where there is no verdict.
    pub grade: Option<Grade>,
    /// Footnotes.
    pub notes: Vec<NoteMark>,
    /// The sum.
    pub sum: Option<SumText>,
    /// The test.
    pub test: Option<Effect>,
    /// How an observed server stands, sentence by sentence.
    pub standing: Vec<String>,
    /// What changes that were asked about would allow at most.
    pub what_if: Vec<String>,
    /// The next limits: `limited by the drives at 2.30M/s; by the client's CPU at 2.71M/s`.
    pub then: String,
    /// The first of them: `the drives at 2.30M/s`.
    pub next_limit: Option<String>,
    /// Why it is not surer, or why it was not measured.
    pub why: Vec<String>,
    /// Whether the workload was measured at all.
    pub measured: bool,
}

/// Blocks of the verdicts, then of database measurements without one, then of absent workloads.
pub(crate) fn blocks(run: &Run, units: Units, notes: &mut Notes) -> Vec<Block> {
    let mut blocks: Vec<Block> =
        run.verdicts.iter().map(|v| verdict_block(run, v, units, notes)).collect();
    for workload in words::order() {
        let id = format!("database.{workload}");
        // One scan verdict speaks for both scans.
        let judged = run.verdicts.iter().any(|v| {
            v.measurement == id
                || v.workload == workload
                || (workload.starts_with("scan") && v.workload.starts_with("scan"))
        });
        if let Some(m) = run.measurement(&id).filter(|_| !judged) {
            blocks.push(unjudged_block(run, workload, m, notes));
        }
    }
    for (what, finding) in absences(run) {
        let workload = family::DATABASE.rest(what).unwrap_or(what);
        if words::order().any(|ours| ours == workload) || workload == "scan" {
            blocks.push(Block {
                why: vec![finding.summary.clone()],
                measured: false,
                ..empty(workload, None)
            });
        }
    }
    blocks
        .sort_by_key(|b| words::order().position(|ours| ours == b.workload).unwrap_or(usize::MAX));
    blocks
}

/// The name of a workload as it was run: a mix by its share of updates, operations of several blocks by their number.
fn named(workload: &str, workers: Option<u32>, m: &Measurement) -> String {
    let name = words::workload(workload, workers);
    let number = |key: Key<f64>| m.workload.get(key);
    if let Some(share) = number(condition::UPDATES_PERCENT).filter(|percent| *percent < 100.0) {
        return format!("{} updates", print::percent(share / 100.0));
    }
    match number(condition::BLOCKS_PER_OP).filter(|blocks| *blocks > 1.0) {
        Some(blocks) => {
            let kind = name.split(',').next().unwrap_or(&name);
            format!("{kind}, {} blocks", print::count(blocks))
        }
        None if m.workload.get(condition::REDO) == Some("heavy") => "update, heavy".to_string(),
        None => name,
    }
}

fn empty(workload: &str, workers: Option<u32>) -> Block {
    Block {
        workload: workload.to_string(),
        measurement: format!("database.{workload}"),
        name: words::workload(workload, workers),
        validity: Validity::Valid,
        rate: None,
        half_width: None,
        repeats: 0,
        latency: String::new(),
        phrase: String::new(),
        grade: None,
        notes: Vec::new(),
        sum: None,
        test: None,
        standing: Vec::new(),
        what_if: Vec::new(),
        then: String::new(),
        next_limit: None,
        why: Vec::new(),
        measured: true,
    }
}

fn unjudged_block(run: &Run, workload: &str, m: &Measurement, notes: &mut Notes) -> Block {
    let workers = m.number(condition::WORKERS).map(|n| n as u32);
    let marks = notes.marks(run, &[&m.id]);
    let mut block = Block {
        name: named(workload, workers, m),
        validity: m.validity,
        repeats: m.repeats,
        phrase: "no verdict".to_string(),
        notes: marks,
        ..empty(workload, workers)
    };
    if m.validity != Validity::Invalid {
        let rate = m.metric(metric::THROUGHPUT);
        let scan = workload.starts_with("scan").then(|| m.metric(metric::BANDWIDTH)).flatten();
        if let Some(shown) = scan.or(rate) {
            block.rate = Some(Figure { value: shown.value, unit: shown.unit });
            block.half_width = half_width(shown.interval_95.as_ref());
        }
        block.latency = latency(run, workload, m, None);
    }
    block
}

fn verdict_block(run: &Run, v: &Verdict, units: Units, notes: &mut Notes) -> Block {
    let m = run.measurement(&v.measurement);
    let validity = m.map_or(Validity::Valid, |m| m.validity);
    let workers = v.operating_point.workers;
    let mut block = Block {
        name: m.map_or_else(
            || words::workload(&v.workload, workers),
            |m| named(&v.workload, workers, m),
        ),
        validity,
        repeats: m.map_or(0, |m| m.repeats),
        measurement: v.measurement.clone(),
        phrase: phrase(v),
        grade: Some(v.grade),
        notes: notes.marks(run, &[&v.measurement]),
        ..empty(&v.workload, workers)
    };
    if v.grade != Grade::Confirmed {
        block.why = v.reasons.iter().map(|reason| why(reason, &block.notes)).collect();
    }
    if validity == Validity::Invalid {
        return block;
    }
    let bandwidth = m
        .filter(|_| v.workload.starts_with("scan"))
        .and_then(|m| m.metric(metric::BANDWIDTH))
        .filter(|b| b.value > 0.0);
    (block.rate, block.half_width) = match bandwidth {
        Some(b) => (
            Some(Figure { value: b.value, unit: Unit::BytesPerS }),
            half_width(b.interval_95.as_ref()),
        ),
        None => (
            Some(Figure { value: v.throughput_per_s, unit: Unit::OpsPerS }),
            half_width(v.throughput_interval_95.as_ref()),
        ),
    };
    if let Some(m) = m {
        block.latency = latency(run, &v.workload, m, v.latency_p99_open_ns);
    } else if let Some(ns) = v.latency_p99_open_ns {
        block.latency = p99(ns);
    }
    block.sum = sum_text(run, v);
    block.test = v.test.as_ref().map(effect);
    block.standing = standing::standing(v);
    block.what_if = standing::what_if(v);
    let bytes_per_op =
        bandwidth.filter(|_| v.throughput_per_s > 0.0).map(|b| b.value / v.throughput_per_s);
    let limits = limits(v, bytes_per_op, units);
    // Beyond both where two can't be told apart.
    let after =
        v.or.map_or(String::new(), |or| format!("after {} and {}: ", v.narrow.words(), or.words()));
    block.next_limit =
        limits.first().map(|first| format!("{after}{}", first.trim_start_matches("by ")));
    block.then = then(&limits);
    block
}

/// A reason; where it names findings by their ids, the footnotes say it better.
fn why(reason: &str, notes: &[NoteMark]) -> String {
    match reason.split_once(": ") {
        Some((suspect @ "the measurement is suspect", _)) if !notes.is_empty() => {
            let marks: String = notes.iter().map(|mark| format!("[{}]", mark.0)).collect();
            format!("{suspect}, see {marks}")
        }
        _ => reason.to_string(),
    }
}

fn phrase(v: &Verdict) -> String {
    match v.or {
        Some(rival) if !v.phrase.contains(" or ") => {
            format!("{} or {}, too close to tell", v.phrase, rival.words())
        }
        _ => v.phrase.clone(),
    }
}

/// How the 99th percentile is headed: it does not belong to the rate beside it, but to 70 % of that rate.
const P99: &str = "p99@70%";

fn p99(ns: f64) -> String {
    format!("{P99} {}", print::time(ns))
}

/// The open loop's p99; for a scan the time one takes.
fn latency(run: &Run, workload: &str, m: &Measurement, open_p99_ns: Option<f64>) -> String {
    if workload.starts_with("scan") {
        // From the rate, so that the two figures of one row agree: the median time of an even number of scans is
        // not the inverse of their median rate.
        let ns = m.value(metric::THROUGHPUT).filter(|x| *x > 0.0).map(|x| 1e9 / x);
        return ns.map_or(String::new(), |ns| format!("{}/scan", print::time(ns)));
    }
    let measured = run.measurement(&format!("database.{workload}.open"));
    let usable = measured.filter(|m| m.usable());
    let open = open_p99_ns.or_else(|| usable.and_then(|m| m.value(metric::LATENCY_P99)));
    let without = if measured.is_some() { "suspect" } else { "-" };
    open.map_or_else(|| format!("{P99} {without}"), p99)
}

fn effect(test: &narrows_model::Test) -> Effect {
    let mut text =
        format!("{}: {}", test.intervention.replace(" x", " × "), print::change(test.effect));
    let mut short = text.trim_start_matches("the ").to_string();
    if let Some(interval) = &test.interval_95 {
        text += &format!(" ({} to {})", print::change(interval.low), print::change(interval.high));
    }
    text += &format!(
        "; {} to {} expected",
        print::change(test.expected_low),
        print::change(test.expected_high)
    );
    if !test.confirms {
        text += ": not decided";
        short += &format!(
            ", not the predicted {} to {}",
            print::change(test.expected_low).trim_end_matches(" %"),
            print::change(test.expected_high)
        );
    }
    Effect { text, short, confirms: test.confirms }
}

fn limits(v: &Verdict, bytes_per_op: Option<f64>, units: Units) -> Vec<String> {
    v.next
        .iter()
        .map(|next| match (next.bound_per_s, bytes_per_op) {
            (Some(rate), Some(bytes)) => {
                format!("by {} at {}", next.label, units.bytes_per_s(rate * bytes))
            }
            (Some(rate), None) => {
                format!("by {} at {}", next.label, units.work(rate, Unit::OpsPerS, "tps"))
            }
            (None, _) => next.label.clone(),
        })
        .collect()
}

fn then(texts: &[String]) -> String {
    let limited = if texts.first().is_some_and(|t| t.starts_with("by ")) { "limited " } else { "" };
    format!("{limited}{}", texts.join("; "))
}
