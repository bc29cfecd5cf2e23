//! How many operations within a limit of latency: what is said about a [`Calibration`].
//!
//! The answer comes first, in one sentence with where the crossing lies and how many runs kept the limit; then what a
//! reader needs to doubt it (latency alone, ceiling, knee, what bounds it, the curve), and Oracle's three numbers for
//! comparison. Nothing is judged here: how the search ended and whether the answer stands is in the run file.
//!
//! Where something that the answer rests on is invalid, no figure of it is said at all.

use narrows_model::{Calibration, Measurement, Run, Validity, condition, family, metric};

mod curve;
mod limits;
mod oracle;
mod sentence;

use crate::document::{Entry, Row};
use crate::notes::{NoteMark, Notes};
use crate::print::{self, Units, percent, time};
use crate::words::counted;
pub(crate) use sentence::{exact_time, percentile};

/// One answer, ready to be laid out.
#[derive(Debug, Clone, PartialEq)]
pub struct RateAnswer {
    /// The calibration's id.
    pub id: String,
    /// Whether what it rests on may be trusted.
    pub validity: Validity,
    /// `62.0k/s`; `None` where the search found none, or it may not be said.
    pub rate: Option<String>,
    /// What is said of it, behind the rate or in its place.
    pub sentence: String,
    /// Footnotes of what it rests on.
    pub notes: Vec<NoteMark>,
    /// Facts beside it, most important first.
    pub facts: Vec<Entry>,
    /// Oracle's numbers.
    pub oracle: Vec<Entry>,
    /// The curve by rate; the point that is repeated is one row.
    pub curve: Vec<Row>,
    /// What the repeated point showed, or why there is no curve.
    pub curve_remark: String,
    /// Footnotes of the curve's own windows.
    pub curve_notes: Vec<NoteMark>,
    /// How it was obtained, in a line.
    pub method: String,
}

/// All answers of a run.
pub(crate) fn answers(run: &Run, units: Units, notes: &mut Notes) -> Vec<RateAnswer> {
    run.calibrations.iter().map(|calibration| answer(run, calibration, units, notes)).collect()
}

fn answer(run: &Run, c: &Calibration, units: Units, notes: &mut Notes) -> RateAnswer {
    let own: Vec<&str> = windows(run, c).map(|m| m.id.as_str()).collect();
    let (rests, others): (Vec<&str>, Vec<&str>) =
        own.into_iter().partition(|id| c.rests_on.iter().any(|other| other == id));
    let marks = notes.marks(run, &rests);
    let curve_notes = notes.marks(run, &others);
    let (rate, said) = sentence::sentence(c);
    let mut answer = RateAnswer {
        id: c.id.clone(),
        validity: c.validity,
        rate,
        sentence: said,
        notes: marks,
        facts: Vec::new(),
        oracle: Vec::new(),
        curve: Vec::new(),
        curve_remark: String::new(),
        curve_notes,
        method: method(run, c, units),
    };
    // An invalid figure is not printed at all: what is printed gets quoted.
    if c.validity != Validity::Invalid {
        answer.facts = facts(run, c, units);
        answer.oracle = c
            .oracle
            .as_ref()
            .filter(|_| stands(run, c, "ceiling") && stands(run, c, "large"))
            .map_or(Vec::new(), |numbers| oracle::form(c, &large_reads(run, c), numbers));
        (answer.curve, answer.curve_remark) = curve::rows(run, c);
    }
    answer
}

/// The measurements of a calibration: their ids begin with its own.
pub(crate) fn windows<'a>(
    run: &'a Run,
    c: &'a Calibration,
) -> impl Iterator<Item = &'a Measurement> {
    run.measurements.iter().filter(move |m| {
        let owner = owner(&run.calibrations, &m.id);
        owner.is_some_and(|owner| owner.id == c.id) || c.rests_on(&m.id)
    })
}

/// The calibration that a measurement belongs to: of several, the one with the longest id that fits.
pub(crate) fn owner<'a>(all: &'a [Calibration], measurement: &str) -> Option<&'a Calibration> {
    let fits = |c: &&Calibration| {
        let rest = measurement.strip_prefix(c.id.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    all.iter().filter(fits).max_by_key(|c| c.id.len())
}

/// What one operation is called.
pub(crate) fn operation(c: &Calibration) -> &'static str {
    if family::LOG.has(&c.id) {
        return "commit";
    }
    match c.goal.read_share {
        share if share >= 1.0 => "read",
        share if share <= 0.0 => "write",
        _ => "operation",
    }
}

fn facts(run: &Run, c: &Calibration, units: Units) -> Vec<Entry> {
    let mut facts = Vec::new();
    let mut add =
        |label: &str, text: Option<String>| facts.extend(text.map(|text| Entry::new(label, text)));
    add("there", there(c));
    add("writes", (c.goal.read_share < 1.0).then(|| writes(run, c)));
    add("burst", c.burst_per_s.map(|rate| {
        format!(
            "{} kept it before, in a shorter window: between stalls, or as long as burst credits last",
            print::rate(rate)
        )
    }));
    add(
        "doubt",
        c.thin.then(|| {
            format!("all its windows together hold fewer slow {}s than an answer needs: allow more time (--minutes)", operation(c))
        }),
    );
    add("decided", c.pooled.then(|| pooled(c)));
    add(
        "alone",
        c.alone_ns
            .filter(|_| stands(run, c, "alone"))
            .map(|ns| format!("{}, at QD1 {}", time(ns), operation(c))),
    );
    add(
        "knee",
        c.knee_per_s.filter(|_| curve::stands(run, c)).map(|rate| {
            format!("{}: above this rate latency rises faster than throughput", print::rate(rate))
        }),
    );
    add("ceiling", ceiling(run, c).filter(|_| stands(run, c, "ceiling")));
    add("at the end", at_the_end(run, c));
    add("after idle", after_idle(run, c));
    let at_ceiling = stands(run, c, "ceiling");
    add("bottleneck", at_ceiling.then(|| limits::bound_by(run, c)));
    add("limits", limits::limits(run, c).filter(|_| at_ceiling));
    add(&large_reads(run, c), bandwidth(c, units).filter(|_| stands(run, c, "large")));
    facts
}

/// What the closed loop gave at the end, where that is far less than the ceiling.
fn at_the_end(run: &Run, c: &Calibration) -> Option<String> {
    let (rate, share) = again(run, c, "again")?;
    let fell = share < FELL;
    fell.then(|| {
        format!("{}, {} of the ceiling: it fell meanwhile", print::rate(rate), percent(share))
    })
}

/// What it gave after a time without a load, where one was asked for.
fn after_idle(run: &Run, c: &Calibration) -> Option<String> {
    let (rate, share) = again(run, c, "idle")?;
    let idle_s = run.measurement(&format!("{}.idle", c.id))?.number(condition::IDLE_BEFORE_S)?;
    let of = percent(share);
    Some(format!(
        "{}, {of} of the ceiling, after {} without a load",
        print::rate(rate),
        time(idle_s * 1e9)
    ))
}

/// The rate of the ceiling's closed loop done once more, and its share of the ceiling.
fn again(run: &Run, c: &Calibration, part: &str) -> Option<(f64, f64)> {
    let measured = run.measurement(&format!("{}.{part}", c.id))?;
    let rate = measured.value(metric::THROUGHPUT).filter(|_| stands(run, c, part))?;
    let ceiling = c.ceiling_per_s.filter(|per_s| *per_s > 0.0)?;
    Some((rate, rate / ceiling))
}

/// As rule `ceiling-fell` has it.
const FELL: f64 = 0.8;

/// Whether the windows of that part of a calibration are not invalid: what is printed gets quoted, also beside an answer that stands.
fn stands(run: &Run, c: &Calibration, part: &str) -> bool {
    let measured = run.measurement(&format!("{}.{part}", c.id));
    measured.is_none_or(|m| m.validity != Validity::Invalid)
}

/// `1 MiB`, the size of the large reads; less where a target takes no more in one command.
fn large_reads(run: &Run, c: &Calibration) -> String {
    let measured = run.measurement(&format!("{}.large", c.id));
    let bytes = measured.and_then(|m| m.workload.get(condition::BLOCK_BYTES));
    match bytes.filter(|bytes| *bytes < MIB) {
        Some(bytes) => format!("{} KiB", print::count(bytes / 1024.0)),
        None => "1 MiB".to_string(),
    }
}

/// Bytes of the large reads.
const MIB: f64 = 1_048_576.0;

/// Where many rates were tried and none often enough.
fn pooled(c: &Calibration) -> String {
    format!(
        "its own runs do not decide: {} runs at it and up to twice as high support the lower one, {} at it and down to half contradict the higher one",
        c.repeats.0, c.repeats.1
    )
}

/// What a rate with writes is worth.
fn writes(run: &Run, c: &Calibration) -> String {
    let rests = windows(run, c).filter(|m| c.rests_on(&m.id));
    let state = rests.filter_map(|m| m.text(condition::WRITE_STATE)).next();
    match state {
        Some("sustained") => "sustained: in steady state".to_string(),
        Some("burst") => "burst: for minutes, not for hours".to_string(),
        _ => "burst or sustained, unknown".to_string(),
    }
}

/// The percentile in the runs that confirm it, the mean and the processor time there.
fn there(c: &Calibration) -> Option<String> {
    let per_s = c.rate_per_s?;
    let finite: Vec<f64> = c.quantiles_ns.iter().copied().filter(|ns| ns.is_finite()).collect();
    let low = finite.iter().copied().min_by(f64::total_cmp);
    let high = finite.iter().copied().max_by(f64::total_cmp);
    let mut parts = Vec::new();
    if let (Some(low), Some(high)) = (low, high) {
        let (low, high) = (time(low), time(high));
        let range = if low == high { low } else { format!("{low} to {high}") };
        let runs = counted(finite.len(), "run");
        parts.push(format!("{} {range} in {runs}", percentile(c.goal.quantile)));
    }
    parts.extend(c.latency_mean_ns.map(|ns| format!("mean {}", time(ns))));
    parts.extend(c.cpu_per_op_ns.map(|ns| format!("CPU {} per {}", time(ns), operation(c))));
    // Where no rate stands in the sentence, "there" needs its place.
    let place = if c.answer_per_s().is_none() {
        format!("at {}: ", print::rate(per_s))
    } else {
        String::new()
    };
    (!parts.is_empty()).then(|| format!("{place}{}", parts.join(", ")))
}

/// Rates that print alike are the same.
const SAME_RATE: f64 = 1.005;

fn ceiling(run: &Run, c: &Calibration) -> Option<String> {
    let ceiling = c.ceiling_per_s?;
    // Where another queue depth was faster, as on a drive that is not the same all the time, this is not the maximum.
    let faster = c.oracle.map(|of| of.max_iops as f64).filter(|most| *most > ceiling * SAME_RATE);
    let of = if faster.is_some() { "a closed loop" } else { "the maximum of a closed loop" };
    let capped = run
        .measurement(&format!("{}.ceiling", c.id))
        .is_some_and(|m| m.conditions.contains(condition::DEPTH_CAP));
    let least = if capped { "at least " } else { "" };
    let mut text = format!("{least}{}, {of}", print::rate(ceiling));
    if let Some(depth) = c.ceiling_depth {
        text += &match operation(c) {
            "commit" => format!(", with {}", counted(depth as usize, "session")),
            _ => format!(", at QD{depth}"),
        };
    }
    if let Some(most) = faster {
        text += &format!("; {} at another queue depth: rates varied", print::rate(most));
    }
    if let Some(rate) = c.answer_per_s().filter(|_| ceiling > 0.0) {
        text += &format!("; the answer is {} of it", percent(rate / ceiling));
    }
    Some(text)
}

fn bandwidth(c: &Calibration, units: Units) -> Option<String> {
    let mut parts = Vec::new();
    parts.extend(c.bandwidth_bytes_per_s.map(|rate| {
        let depth = c.bandwidth_depth.map_or(String::new(), |depth| format!(" at QD{depth}"));
        format!("reads {}{depth}", units.bytes_per_s(rate))
    }));
    parts.extend(
        c.process_bandwidth_bytes_per_s
            .map(|rate| format!("one process with blocking reads {}", units.bytes_per_s(rate))),
    );
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// One line on how the figures came about.
fn method(run: &Run, c: &Calibration, units: Units) -> String {
    let arrivals = match c.goal.arrivals.as_str() {
        "" => String::new(),
        "poisson" => ", Poisson arrivals".to_string(),
        other => format!(", {other} arrivals"),
    };
    let mut text =
        format!("open loop{arrivals}; latency from the scheduled start of each {}", operation(c));
    if c.windows > 0 {
        text += &format!("; {}", counted(c.windows as usize, "window"));
        if c.unusable_windows > 0 {
            text += &format!(", {} of them disturbed and discarded", c.unusable_windows);
        }
    }
    // What it rests on speaks first; the ceiling's windows go the same way.
    let first = windows(run, c).max_by_key(|m| c.rests_on(&m.id));
    if let Some(m) = first {
        let direct = m.conditions.get(condition::DIRECT);
        let direct = match direct {
            Some(true) => " with direct I/O",
            Some(false) => " through the page cache",
            None => "",
        };
        if let Some(way) = m.text(condition::METHOD) {
            text += &format!("; {way}{direct}");
        }
        if let Some(bytes) = m.number(condition::FILE_BYTES) {
            let kind = m.text(condition::TARGET_KIND).unwrap_or("file");
            text += &format!("; {kind} of {}", units.bytes(bytes));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn calibration(id: &str) -> Calibration {
        let goal = json!({
            "what": "", "block_bytes": 8192, "read_share": 1.0, "quantile": 0.99, "limit_ns": 1,
        });
        let (quantiles, repeats) = (json!([]), json!([6, 6]));
        serde_json::from_value(json!({
            "id": id, "goal": goal, "end": "found", "sentence": "", "quantiles_ns": quantiles,
            "repeats": repeats, "curve": [],
        }))
        .unwrap()
    }

    #[test]
    fn a_window_belongs_to_the_longest_id_that_fits() {
        let all =
            ["block.calibrate.read.8k", "block.calibrate.read.8k.beside_log"].map(calibration);
        let owner_of = |id: &str| owner(&all, id).map(|c| c.id.as_str());
        assert_eq!(owner_of("block.calibrate.read.8k.confirm"), Some(all[0].id.as_str()));
        assert_eq!(
            owner_of("block.calibrate.read.8k.beside_log.curve.3"),
            Some(all[1].id.as_str())
        );
        assert_eq!(owner_of("block.calibrate.read.8kb"), None);
    }
}
