//! What may be held against what: measurements of one id whose workload was the same, valid on both sides.
//!
//! A measurement that was repeated on several starts of the server (`database.update.start_2`) counts with one value per start.

use narrows_model::{Measurement, Run, Validity, condition, metric};
use serde::Serialize;
use serde_json::Value;

use crate::Side;

/// Numbers of a workload are the same within this share: some follow from what was found.
const SAME_NUMBER: f64 = 0.1;
/// The bytes of a commit or a flush, which the server's own records decide, within this one.
const SAME_BYTES: f64 = 0.25;
const OF_THE_SERVER: &str = "bytes_per_";
/// Open loops are comparable if they offered the same rate, within this share.
const SAME_RATE: f64 = 0.05;
/// What a workload says of how it was drawn, bound and written down, and not of what it is.
const NOT_THE_WORKLOAD: [&str; 9] = [
    "cpus",
    "plan",
    "seed",
    "segment_bytes",
    "settings",
    "statement",
    "working_set_of_cache",
    "working_set_of_memory",
    "working_set_of_pool",
];
/// What a search for the depth found is its answer.
const FOUND_BY_SEARCH: [&str; 2] = ["depth", "threads"];
/// What the ids of searches contain.
const SEARCHED: &str = ".knee";
/// What the id of a further start ends with, before its number.
pub(crate) const FURTHER_START: &str = ".start_";

/// A measurement that is not compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unpaired {
    /// Its id.
    pub measurement: String,
    /// Why, in words.
    pub why: String,
    /// Whether only one side has it.
    pub missing: bool,
}

impl Unpaired {
    /// `block.read.random.8k.knee: invalid in A (page-cache)`.
    pub fn sentence(&self) -> String {
        format!("{}: {}", self.measurement, self.why)
    }

    /// Whether only one side has it.
    pub fn only_one_has_it(&self) -> bool {
        self.missing
    }
}

/// One measurement of both sides, in each of their runs.
#[derive(Debug, Clone)]
pub(crate) struct Pair<'a> {
    pub id: &'a str,
    pub base: Vec<&'a Measurement>,
    pub other: Vec<&'a Measurement>,
    /// Which run of its side each of them is of.
    pub base_run: Vec<usize>,
    /// See there.
    pub other_run: Vec<usize>,
    /// Whether one of them is suspect, and on which side.
    pub suspect: Option<String>,
}

/// The pairs in the order of the first side's first run, and what doesn't pair.
pub(crate) fn pairs<'a>(
    base: &Side<'a>,
    other: &Side<'a>,
    only: &[String],
) -> (Vec<Pair<'a>>, Vec<Unpaired>) {
    let (mut pairs, mut unpaired) = (Vec::new(), Vec::new());
    for id in ids(base, other) {
        if !only.is_empty() && !only.iter().any(|only| id.starts_with(only.as_str())) {
            continue;
        }
        match pair(id, base, other) {
            Ok(pair) => pairs.push(pair),
            Err(left) => unpaired.push(left),
        }
    }
    (pairs, unpaired)
}

/// All ids of both, without those of further starts, of windows taken as a test's baseline, and of one session apart for it.
fn ids<'a>(base: &Side<'a>, other: &Side<'a>) -> Vec<&'a str> {
    let mut ids: Vec<&str> = Vec::new();
    let runs = base.runs.iter().chain(&other.runs);
    for measurement in runs.flat_map(|run| &run.measurements) {
        let id = measurement.id.as_str();
        let of_a_test = id.contains(".test.");
        if !of_a_test && !id.contains(FURTHER_START) && !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}

fn pair<'a>(id: &'a str, base: &Side<'a>, other: &Side<'a>) -> Result<Pair<'a>, Unpaired> {
    let left = |why: String, missing| Unpaired { measurement: id.to_string(), why, missing };
    let mut found = [Vec::new(), Vec::new()];
    let mut of_run = [Vec::new(), Vec::new()];
    let mut suspect = None;
    for ((side, found), of_run) in [base, other].into_iter().zip(&mut found).zip(&mut of_run) {
        for (number, run) in side.runs.iter().enumerate() {
            for measurement in of(run, id) {
                match measurement.validity {
                    Validity::Invalid => {
                        let why = measurement.findings.join(", ");
                        let why = format!("invalid in {} ({why})", side.name);
                        return Err(left(why, false));
                    }
                    Validity::Suspect => {
                        let why = measurement.findings.join(", ");
                        suspect.get_or_insert(format!("suspect in {} ({why})", side.name));
                    }
                    Validity::Valid => {}
                }
                found.push(measurement);
                of_run.push(number);
            }
        }
        if found.is_empty() {
            return Err(left(format!("{} does not have it", side.name), true));
        }
    }
    let [of_base, of_other] = found;
    let [base_run, other_run] = of_run;
    let first = of_base[0];
    for (side, measurement) in
        of_base.iter().map(|m| (base, m)).chain(of_other.iter().map(|m| (other, m))).skip(1)
    {
        if let Some(differs) = other_workload(first, measurement) {
            return Err(left(format!("another workload in {}: {differs}", side.name), false));
        }
    }
    Ok(Pair { id, base: of_base, other: of_other, base_run, other_run, suspect })
}

/// The measurement of a run, and those of its further starts.
fn of<'a>(run: &'a Run, id: &str) -> impl Iterator<Item = &'a Measurement> {
    run.measurements.iter().filter(move |measurement| {
        let rest = measurement.id.as_str().strip_prefix(id);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(FURTHER_START))
    })
}

/// In what two measurements of one id are no measurements of one thing: `sessions 8, not 16`.
pub(crate) fn other_workload(a: &Measurement, b: &Measurement) -> Option<String> {
    let searched = a.id.as_str().contains(SEARCHED);
    let left_out =
        |key: &str| NOT_THE_WORKLOAD.contains(&key) || (searched && FOUND_BY_SEARCH.contains(&key));
    for (key, value) in a.workload.iter().filter(|(key, _)| !left_out(key)) {
        let theirs = b.workload.iter().find(|(other, _)| *other == key).map(|(_, value)| value);
        // A key that a version did not write yet says nothing.
        let Some(theirs) = theirs else { continue };
        let within = if key.starts_with(OF_THE_SERVER) { SAME_BYTES } else { SAME_NUMBER };
        if !same(value, theirs, within) {
            return Some(format!("{} {}, not {}", words(key), shown(theirs), shown(value)));
        }
    }
    let offered = |m: &Measurement| m.value(metric::ASKED_RATE).or(m.value(metric::OFFERED));
    let open = a.text(condition::LOOP) == Some("open");
    if let (true, Some(ours), Some(theirs)) = (open, offered(a), offered(b))
        && (theirs / ours - 1.0).abs() > SAME_RATE
    {
        return Some(format!("offered {theirs:.0} per second, not {ours:.0}"));
    }
    None
}

fn same(a: &Value, b: &Value, within: f64) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => (a - b).abs() <= within * a.abs().max(b.abs()),
        _ => a == b,
    }
}

fn words(key: &str) -> String {
    key.replace('_', " ")
}

/// A value in a few words.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".to_string(),
        Value::Bool(true) => "yes".to_string(),
        Value::Bool(false) => "no".to_string(),
        Value::Number(number) => match number.as_f64() {
            Some(whole) if whole.fract() == 0.0 && whole.abs() < 1e15 => format!("{whole:.0}"),
            _ => number.to_string(),
        },
        Value::Array(list) => list.iter().map(shown).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
