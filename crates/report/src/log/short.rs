//! What a reader takes from a run of the commit log in ten seconds: what a commit costs, which step adds most, what it does beside
//! the load, how many there can be, and whether they are durable.
//!
//! Nothing is said that the repeats don't show: of two steps whose intervals overlap neither adds more, and a percentile is
//! longer beside the load only where all its windows lie above all of those alone.

use narrows_model::{DurabilityWord, Role, Run, Validity, condition, family};

use super::commits::CommitsRow;
use super::ladder::{StepFigures, StepRow, signed};
use super::streams::Streams;
use crate::calibration::{RateAnswer, exact_time, percentile};
use crate::document::Entry;
use crate::print::{count, percent, rate, time};
use narrows_units::significant;

/// Windows of each state from which all of one above all of the other means something.
const FEWEST: usize = 3;

/// Everything that is looked at.
pub(crate) struct LogResults<'a> {
    pub(crate) run: &'a Run,
    pub(crate) ladder: &'a [StepRow],
    pub(crate) commits: &'a [CommitsRow],
    pub(crate) answers: &'a [RateAnswer],
    pub(crate) streams: Option<&'a Streams>,
}

/// The facts, most important first; none in a run without a ladder, commits or streams.
pub(crate) fn short(seen: &LogResults<'_>) -> Vec<Entry> {
    if seen.ladder.is_empty() && seen.commits.is_empty() && seen.streams.is_none() {
        return Vec::new();
    }
    let mut facts = Vec::new();
    let mut add =
        |label: &str, text: Option<String>| facts.extend(text.map(|text| Entry::new(label, text)));
    add("costs", costs(seen));
    add("most by", most(seen.ladder));
    add("tier", tier(seen));
    add("beside", beside(seen));
    add("rate", rates(seen));
    add("logs", seen.streams.map(|s| s.sentence.clone()).filter(|text| !text.is_empty()));
    add("durable", durable(seen.run));
    facts
}

/// What a log tier makes of the flush. Of commits nothing follows but that they wait for flushes and for more.
fn tier(seen: &LogResults<'_>) -> Option<String> {
    let gains = seen.ladder.iter().filter_map(|row| {
        let (gain, figures) = (row.tier.as_ref()?, usable(row.alone.as_ref())?);
        let time = figures.p50_ns.map_or(String::new(), |ns| format!("{}, ", time(ns)));
        let mark = mark(figures.validity);
        Some(format!("{}: {time}{}{mark}", row.name, gain.words()))
    });
    let gains: Vec<String> = gains.collect();
    let folder = seen.ladder.iter().find_map(|row| Some(&row.tier.as_ref()?.folder))?;
    Some(format!(
        "{}. A commit waits for one flush or two and for more than flushes; what commits gain: narrows tier prove log {} {folder}",
        gains.join("; "),
        seen.run.plan.wal_dir,
    ))
}

/// Figures that may be said, with a mark where they are suspect.
fn usable(figures: Option<&StepFigures>) -> Option<&StepFigures> {
    figures.filter(|figures| figures.validity != Validity::Invalid)
}

fn mark(validity: Validity) -> &'static str {
    if validity == Validity::Suspect { " ?" } else { "" }
}

fn chain(ladder: &[StepRow]) -> impl DoubleEndedIterator<Item = &StepRow> {
    ladder.iter().filter(|row| row.in_chain)
}

/// The highest step, or one session of the log writer where there is no ladder.
fn costs(seen: &LogResults<'_>) -> Option<String> {
    let Some(top) = chain(seen.ladder).next_back() else {
        let one = seen.commits.iter().find(|row| row.sessions == 1.0)?;
        let mean = time(one.sync_ns?);
        let p99 = one.sync_p99_ns.map_or(String::new(), |ns| format!(", {} at p99", time(ns)));
        let mark = mark(one.validity);
        return Some(format!("{mean}{mark} on average{p99}: the WAL writer, one session"));
    };
    let what = named(seen.run, top);
    let Some(figures) = usable(top.alone.as_ref()) else {
        return Some(format!("unknown: {what} is invalid"));
    };
    let p50 = time(figures.p50_ns?);
    let p99 = figures.p99_ns.map_or_else(
        || "p99 unknown, too few commits".to_string(),
        |ns| format!("{} at p99", time(ns)),
    );
    let mark = mark(figures.validity);
    Some(format!("{p50}{mark} at p50, {p99}: {what}, one session, no other load"))
}

/// The step's name with what tells whose it is.
fn named(run: &Run, row: &StepRow) -> String {
    let m = run.measurement(&format!("log.ladder.{}.alone", row.step));
    let version = m.and_then(|m| m.text(condition::SERVER_VERSION));
    // `15.18 (Debian 15.18-0+deb12u1)`: the first word says enough.
    let number =
        version.map(|v| v.trim_start_matches("PostgreSQL ").split(' ').next().unwrap_or(v));
    match number {
        Some(number) => format!("{} (PostgreSQL {number})", row.name),
        None => row.name.clone(),
    }
}

/// What one step adds at the median: of the lowest everything.
struct StepCost<'a> {
    row: &'a StepRow,
    ns: f64,
    range_ns: Option<(f64, f64)>,
    lowest: bool,
}

impl StepCost<'_> {
    fn shows(&self) -> bool {
        self.range_ns.map_or(self.ns > 0.0, |(low, _)| low > 0.0)
    }

    fn text(&self) -> String {
        let figure = if self.lowest { time(self.ns) } else { signed(self.ns) };
        format!("{} {figure}", self.row.name)
    }
}

/// The largest part first; `None` where a step is missing or invalid, because then nobody knows what its neighbour adds.
fn parts(ladder: &[StepRow]) -> Option<Vec<StepCost<'_>>> {
    let mut parts = Vec::new();
    for (i, row) in chain(ladder).enumerate() {
        let figures = usable(row.alone.as_ref())?;
        let (ns, range_ns) = match i {
            0 => (figures.p50_ns?, figures.p50_range_ns),
            _ => (figures.added_p50_ns?, figures.added_p50_range_ns),
        };
        parts.push(StepCost { row, ns, range_ns, lowest: i == 0 });
    }
    parts.sort_by(|a, b| b.ns.total_cmp(&a.ns));
    (parts.len() > 1).then_some(parts)
}

fn most(ladder: &[StepRow]) -> Option<String> {
    let parts = parts(ladder)?;
    let whole = chain(ladder).next_back()?.alone.as_ref()?.p50_ns?;
    let (first, others) = parts.split_first()?;
    if !first.shows() {
        return None;
    }
    let share = |part: &StepCost<'_>| percent(part.ns / whole);
    let (shown, nothing): (Vec<&StepCost<'_>>, Vec<&StepCost<'_>>) =
        others.iter().partition(|part| part.shows());
    let overlaps = |other: &&&StepCost<'_>| match (first.range_ns, other.range_ns) {
        (Some((low, _)), Some((_, high))) => high >= low,
        _ => false,
    };
    let tied: Vec<&&StepCost<'_>> = shown.iter().filter(overlaps).collect();
    let mut text = format!("{} ({})", first.text(), share(first));
    for part in &tied {
        text += &format!(" or {} ({})", part.text(), share(part));
    }
    if !tied.is_empty() {
        text += ", too close to tell";
    }
    let rest: Vec<String> =
        shown.iter().skip(tied.len()).map(|p| format!("{} ({})", p.text(), share(p))).collect();
    if !rest.is_empty() {
        text += &format!("; then {}", rest.join(", "));
    }
    if !nothing.is_empty() {
        let names: Vec<&str> = nothing.iter().map(|part| part.row.name.as_str()).collect();
        text += &format!("; no difference by {}", names.join(", "));
    }
    Some(text)
}

/// Whether all windows of one lie above all of the other; with fewer than three of each (by chance once in 20) nothing is said.
fn apart(lower: &[f64], upper: &[f64]) -> Option<bool> {
    if lower.len().min(upper.len()) < FEWEST {
        return None;
    }
    let most = lower.iter().copied().max_by(f64::total_cmp)?;
    let least = upper.iter().copied().min_by(f64::total_cmp)?;
    Some(least > most)
}

/// What a load on the data files does, and at which step it begins.
fn beside(seen: &LogResults<'_>) -> Option<String> {
    let both: Vec<(&StepRow, &StepFigures, &StepFigures)> = chain(seen.ladder)
        .filter_map(|row| Some((row, usable(row.alone.as_ref())?, usable(row.beside.as_ref())?)))
        .collect();
    let (top, alone, loaded) = both.last()?;
    let mut parts = Vec::new();
    if let (Some(before_ns), Some(after_ns)) = (alone.p50_ns, loaded.p50_ns) {
        let mark = mark(loaded.validity);
        let (before, after) = (time(before_ns), time(after_ns));
        parts.push(format!("data files: {} {after}{mark} at p50, {before} alone", top.name));
    }
    let longer = |(_, alone, loaded): &&(&StepRow, &StepFigures, &StepFigures)| {
        apart(&alone.p99_samples_ns, &loaded.p99_samples_ns) == Some(true)
    };
    let known = both
        .iter()
        .any(|(_, alone, loaded)| apart(&alone.p99_samples_ns, &loaded.p99_samples_ns).is_some());
    match both.iter().find(longer) {
        Some((row, alone, loaded)) => {
            let (before_ns, after_ns) = (alone.p99_ns?, loaded.p99_ns?);
            let (before, after) = (time(before_ns), time(after_ns));
            let times = significant(after_ns / before_ns, 2);
            parts.push(format!("p99 × {times}, first at {}: {before} to {after}", row.name));
        }
        None if known => parts.push("no step's p99 is longer in all windows".to_string()),
        None => {}
    }
    parts.extend(same_device(seen.run));
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Whether log and data files are on one device, as the ladder found it.
fn same_device(run: &Run) -> Option<String> {
    let said = |m: &narrows_model::Measurement| m.conditions.get(condition::BUSY_SAME_DEVICE);
    let same = run.measurements.iter().find_map(said)?;
    Some(if same { "both on one device" } else { "each on its own device" }.to_string())
}

fn rates(seen: &LogResults<'_>) -> Option<String> {
    let mut parts = Vec::new();
    let known = |row: &&CommitsRow| row.validity != Validity::Invalid && row.rate_per_s.is_some();
    let usable: Vec<&CommitsRow> = seen.commits.iter().filter(known).collect();
    let said = |row: &CommitsRow| {
        let per_s = rate(row.rate_per_s.unwrap_or(0.0));
        let mark = mark(row.validity);
        let sessions = crate::words::counted(row.sessions as usize, "session");
        format!("{per_s}{mark} with {sessions}")
    };
    for (calibration, answer) in seen.run.calibrations.iter().zip(seen.answers) {
        if !family::LOG.has(&calibration.id) {
            continue;
        }
        let goal = &calibration.goal;
        let kept = format!("{} within {}", percentile(goal.quantile), exact_time(goal.limit_ns));
        parts.push(match (answer.validity, &answer.rate) {
            (Validity::Invalid, _) => format!("with {kept}: invalid"),
            (validity, Some(rate)) => format!("{rate}{} with {kept}", mark(validity)),
            (_, None) => match calibration.rate_per_s {
                Some(so_far) => format!("{} so far with {kept}, no answer", rate(so_far)),
                None => format!("with {kept}: no answer"),
            },
        });
    }
    if let Some(one) = usable.iter().find(|row| row.sessions == 1.0) {
        parts.push(said(one));
    }
    let most = usable.iter().filter(|row| row.sessions > 1.0);
    let most =
        most.max_by(|a, b| a.rate_per_s.unwrap_or(0.0).total_cmp(&b.rate_per_s.unwrap_or(0.0)));
    if let Some(most) = most {
        let shared = most
            .commits_per_flush
            .map_or(String::new(), |n| format!(", {} per write", count(n.round().max(1.0))));
        let woken = most
            .wake_up_share
            .map_or(String::new(), |share| format!(", {} of the wait in wake-ups", percent(share)));
        parts.push(format!("{}{shared}{woken}", said(most)));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The word of the log's path.
fn durable(run: &Run) -> Option<String> {
    let known = run.durability.iter().find(|known| known.role == Role::Wal)?;
    let word = known.word.words();
    Some(match known.word {
        DurabilityWord::NotShown => format!("{word}: only a power cut can show it"),
        _ => format!("{word}: {}", known.sentence),
    })
}
