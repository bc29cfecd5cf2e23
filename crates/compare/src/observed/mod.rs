//! Two looks at a running server beside each other, such as before and after a change: whether they can be compared at all, which cause is
//! gone, what a transaction takes, which statements changed, and what came of what was promised.
//!
//! An observed server has a load that nobody chose. The intervals are those of the windows of each look: what they say is how two
//! stretches of time differ, and not how one afternoon differs from the next.

mod causes;
mod change;
mod load;
mod promise;
mod setup;
mod statements;

use narrows_model::{
    ActivityMoment, Interval, Measurement, Metric, Observation, Run, Unit, Validity, Verdict,
    metric,
};
use serde::Serialize;

use crate::{Question, Side};
pub use causes::{CauseChange, CauseFate};
pub use change::{Changed, ObservedFigure};
pub use load::{LoadChange, LoadKind};
pub use promise::{BoundOutcome, Promise, PromisedOf};
pub use setup::ObservedDifference;
pub use statements::{Matched, ShareOf, StatementChange, StatementChanges, StatementSide};

/// A look, and what it can't tell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ObservedSide {
    /// The run.
    pub run: String,
    /// How many runs its side has: this is the last one.
    pub of_runs: usize,
    /// When it began, RFC 3339.
    pub started_at: String,
    /// The server's address, as it was named.
    pub address: String,
    /// Its version, in its own words.
    pub version: String,
    /// How long it was observed, ns.
    pub interval_ns: f64,
    /// In how many windows that have figures of their own.
    pub windows: u32,
    /// Times that it was asked what sessions do.
    pub samples: u64,
    /// Transactions that ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transactions: Option<f64>,
    /// Why it tells too little for any word; empty where it doesn't.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub weak: Vec<String>,
    /// What makes its figures doubtful.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
    /// Sessions by what they did, over time.
    #[serde(skip)]
    pub history: Vec<ActivityMoment>,
}

/// A look against another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ObservedComparison {
    /// The measurement of both that holds what a transaction takes.
    pub measurement: String,
    /// Of the first side.
    pub base: ObservedSide,
    /// Of the other.
    pub other: ObservedSide,
    /// Server, version, rights, settings that differ.
    pub differences: Vec<ObservedDifference>,
    /// Whether the load is the same.
    pub load: LoadChange,
    /// Causes then and now, those named before first.
    pub causes: Vec<CauseChange>,
    /// Rate, time, CPU time and blocks of a transaction.
    pub figures: Vec<ObservedFigure>,
    /// What the time of a transaction consists of, the largest of either look first.
    pub parts: Vec<ObservedFigure>,
    /// Statements, the largest change first.
    pub statements: StatementChanges,
    /// What was promised of the cause that was named first, and what came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promise: Option<Promise>,
}

/// One side's look with what belongs to it.
pub(crate) struct Observed<'a> {
    pub(crate) run: &'a Run,
    pub(crate) of: &'a Observation,
    pub(crate) measurement: Option<&'a Measurement>,
    pub(crate) verdict: Option<&'a Verdict>,
    of_runs: usize,
}

impl<'a> Observed<'a> {
    /// The last run of a side with a look at a server; a server's own report is none.
    fn last_of(side: &Side<'a>) -> Option<Observed<'a>> {
        let look = |run: &&&'a Run| run.observations.iter().any(|seen| seen.report.is_none());
        let run = *side.runs.iter().rev().find(look)?;
        let of = run.observations.iter().find(|seen| seen.report.is_none())?;
        let verdict = run.verdicts.iter().find(|verdict| verdict.measurement == of.measurement);
        let measurement = run.measurement(&of.measurement);
        let of_runs = side.runs.iter().filter(look).count();
        Some(Observed { run, of, measurement, verdict, of_runs })
    }

    pub(crate) fn figure(&self, metric: Metric) -> Option<(f64, Option<Interval>)> {
        let value = self.measurement?.metric(metric)?;
        value.value.is_finite().then_some((value.value, value.interval_95))
    }

    /// Transactions per second.
    pub(crate) fn rate(&self) -> Option<f64> {
        let counted = || self.of.per_s(self.of.counted.transactions());
        self.figure(metric::THROUGHPUT).map(|(rate, _)| rate).or_else(counted).filter(|n| *n > 0.0)
    }

    /// A transaction's time in statements, ns, by the parts that it consists of or else by the server's own account.
    pub(crate) fn time_ns(&self) -> Option<f64> {
        let summed = self.verdict.and_then(|v| Some(v.standing.as_ref()?.time.as_ref()?.summed_ns));
        let account = || self.figure(metric::ACTIVE_TIME_PER_OP).map(|(ns, _)| ns);
        summed.or_else(account).filter(|ns| *ns > 0.0)
    }

    /// All that a transaction takes at the server, ns: its statements, and the server's work and its queue for a CPU between them.
    pub(crate) fn at_server_ns(&self) -> Option<f64> {
        let between = self.figure(metric::BETWEEN_STATEMENTS_PER_OP).map_or(0.0, |(ns, _)| ns);
        Some(self.time_ns()? + between.max(0.0))
    }

    /// Sessions that took part, mean.
    pub(crate) fn sessions(&self) -> Option<f64> {
        let sessions = &self.of.sessions;
        let took_part = sessions.open.zip(sessions.unused).map(|(open, unused)| open - unused);
        took_part.filter(|n| *n > 0.0)
    }

    /// Sessions in a statement, mean.
    pub(crate) fn active(&self) -> Option<f64> {
        let standing = self.verdict.and_then(|verdict| verdict.standing.as_ref());
        let by_verdict = standing.and_then(|standing| standing.sessions_at_work);
        by_verdict.or_else(|| self.of.activity.sessions_at_work())
    }

    fn look(&self) -> ObservedSide {
        ObservedSide {
            run: self.run.id.clone(),
            of_runs: self.of_runs,
            started_at: self.run.started_at.clone(),
            address: self.of.address.clone(),
            version: self.of.version.clone(),
            interval_ns: self.of.interval_ns,
            windows: self.of.windows,
            samples: self.of.activity.samples,
            transactions: self.of.counted.transactions(),
            weak: self.weak(),
            doubts: self.doubts(),
            history: self.of.activity.history.clone(),
        }
    }

    fn doubts(&self) -> Vec<String> {
        let mut doubts = Vec::new();
        if self.of.is_of_two_loads() {
            doubts.push("its load changed while observed, the figures are means of it".to_string());
        }
        let suspect = self.measurement.filter(|m| m.validity == Validity::Suspect);
        doubts.extend(suspect.map(|m| format!("suspect ({})", m.findings.join(", "))));
        doubts
    }

    /// Why nothing should be concluded from it.
    fn weak(&self) -> Vec<String> {
        let mut why = Vec::new();
        let whole = |n: f64| format!("{n:.0}");
        if let Some(measurement) = self.measurement
            && measurement.validity == Validity::Invalid
        {
            why.push(format!("its figures are invalid ({})", measurement.findings.join(", ")));
        }
        if self.of.counters_were_reset() {
            why.push("counters were reset while observed".to_string());
        }
        match self.of.counted.transactions() {
            Some(n) if n < Observation::LEAST_TRANSACTIONS => why.push(format!(
                "{} transactions ended, {} are needed: idle, or too short",
                whole(n),
                whole(Observation::LEAST_TRANSACTIONS)
            )),
            _ => {}
        }
        let samples = self.of.activity.samples as f64;
        if samples < Observation::LEAST_SAMPLES && !self.of.activity.counted {
            why.push(format!(
                "{} samples of sessions, {} are needed: observe longer",
                whole(samples),
                whole(Observation::LEAST_SAMPLES)
            ));
        }
        why
    }
}

/// The last looks of both sides; `None` where a side has none.
pub(crate) fn compared(
    base: &Side<'_>,
    other: &Side<'_>,
    question: &Question,
) -> Option<ObservedComparison> {
    let (base, other) = (Observed::last_of(base)?, Observed::last_of(other)?);
    let asked = |only: &String| base.of.measurement.starts_with(only.as_str());
    if !question.only.is_empty() && !question.only.iter().any(asked) {
        return None;
    }
    let (ours, theirs) = (base.look(), other.look());
    let can_tell = ours.weak.is_empty() && theirs.weak.is_empty();
    let margin = question.margin.max(change::LEAST_MARGIN);
    let figures = figures(&base, &other, margin, can_tell);
    let (statements, pairs) = statements::changes(&base, &other);
    let load = load::change(&base, &other, &statements);
    let causes = causes::changes(&base, &other, &pairs, theirs.weak.is_empty());
    let promise = promise::promise(&base, &causes, &figures, &load, can_tell);
    Some(ObservedComparison {
        measurement: base.of.measurement.clone(),
        differences: setup::differences(&base, &other),
        parts: parts(&base, &other, margin, can_tell),
        base: ours,
        other: theirs,
        load,
        causes,
        figures,
        statements,
        promise,
    })
}

/// Fewer blocks per transaction are not worth a row.
const LEAST_BLOCKS: f64 = 0.01;
/// What is shown of a transaction, under its name.
const FIGURES: [(&str, Metric); 5] = [
    ("transactions per second", metric::THROUGHPUT),
    ("CPU time per transaction", metric::SERVER_CPU_PER_OP),
    ("blocks hit per transaction", metric::BLOCK_HITS_PER_OP),
    ("blocks read per transaction", metric::BLOCK_READS_PER_OP),
    ("WAL per transaction", metric::WAL_BYTES_PER_OP),
];

fn figures(
    base: &Observed<'_>,
    other: &Observed<'_>,
    margin: f64,
    can_tell: bool,
) -> Vec<ObservedFigure> {
    let figure = |name: &str, unit: Unit, a: Option<change::Value>, b: Option<change::Value>| {
        ObservedFigure::of(name, unit, a, b, margin).map(|figure| figure.told(can_tell))
    };
    let plain = |value: Option<f64>| value.map(|value| (value, None));
    let mut all: Vec<ObservedFigure> = FIGURES
        .iter()
        .filter_map(|(name, metric)| {
            figure(name, metric.unit, base.figure(*metric), other.figure(*metric))
        })
        .collect();
    let time = figure(ObservedFigure::TIME, Unit::NsPerOp, time(base), time(other));
    // A few blocks in all of a look are none.
    all.retain(|f| f.unit != Unit::CountPerOp || f.base.max(f.other) >= LEAST_BLOCKS);
    let active =
        figure("sessions active", Unit::Count, plain(base.active()), plain(other.active()));
    let after_the_rate = usize::from(all.first().is_some_and(|f| f.name == ObservedFigure::RATE));
    all.splice(after_the_rate..after_the_rate, time.into_iter().chain(active));
    all
}

/// A transaction's time in statements. Its interval is that of the server's own account, which is independent of how it is divided.
fn time(seen: &Observed<'_>) -> Option<change::Value> {
    let ns = seen.time_ns()?;
    let account = seen.figure(metric::ACTIVE_TIME_PER_OP);
    let interval = account.filter(|(account, _)| *account > 0.0).and_then(|(account, interval)| {
        let interval = interval?;
        // As wide in proportion, around the figure that is shown.
        let scale = ns / account;
        Some(Interval { low: interval.low * scale, high: interval.high * scale, ..interval })
    });
    Some((ns, interval))
}

fn parts(
    base: &Observed<'_>,
    other: &Observed<'_>,
    margin: f64,
    can_tell: bool,
) -> Vec<ObservedFigure> {
    let of = |seen: &Observed<'_>| {
        let time = seen.verdict.and_then(|verdict| verdict.standing.as_ref()?.time.clone());
        time.map(|time| time.parts)
    };
    let (Some(ours), Some(theirs)) = (of(base), of(other)) else { return Vec::new() };
    let mut names: Vec<&str> = Vec::new();
    for part in ours.iter().chain(&theirs) {
        if !names.contains(&part.name.as_str()) {
            names.push(&part.name);
        }
    }
    let value = |parts: &[narrows_model::TimeShare], name: &str| {
        let part = parts.iter().find(|part| part.name == name);
        // What a sum doesn't have takes no time that was seen.
        Some(part.map_or((0.0, None), |part| (part.ns_per_op, part.interval_95)))
    };
    let mut all: Vec<ObservedFigure> = names
        .iter()
        .filter_map(|name| {
            ObservedFigure::of(
                name,
                Unit::NsPerOp,
                value(&ours, name),
                value(&theirs, name),
                margin,
            )
        })
        .map(|figure| figure.told(can_tell))
        .collect();
    all.sort_by(|a, b| b.base.max(b.other).total_cmp(&a.base.max(a.other)));
    all
}
