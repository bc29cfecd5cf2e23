//! A server that was only looked at: what a transaction takes, who was at work, where a transaction's time goes.
//!
//! Tables and labelled lines, so that each view lays them out in a few lines. What is unknown has no row. The verdict stands
//! under WHERE IT IS NARROW as that of any workload; only what these tables don't say already stays with it.

mod advice;
mod demand;
mod facts;
mod remarks;
mod time;
mod verdict;

use narrows_model::{Observation, Run, Validity};
use narrows_units::significant;

use crate::live::Grid;
use crate::notes::{NoteMark, Notes};
use crate::print::Units;

pub(crate) use advice::advice;
pub(crate) use demand::{Share, log_parts, written_by};
pub(crate) use remarks::changed;
pub(crate) use time::{Found, found};
pub(crate) use verdict::{fit, operating_point};

/// A server that was looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservedView {
    /// Which one, and for how long.
    pub heading: String,
    /// Whether its figures may be trusted; nothing is derived from invalid ones.
    pub validity: Validity,
    /// Footnotes.
    pub notes: Vec<NoteMark>,
    /// What it did per second, and what a transaction takes.
    pub demand: Option<Grid>,
    /// Sessions, CPUs, checkpoints and the like: label and text.
    pub facts: Vec<(String, String)>,
    /// Where a transaction's time goes, or at least where sessions were found.
    pub time: Option<Grid>,
    /// Settings, build, what looking took: label and text.
    pub remarks: Vec<(String, String)>,
}

/// Every server of the run.
pub(crate) fn views(run: &Run, units: Units, notes: &mut Notes) -> Vec<ObservedView> {
    run.observations.iter().map(|seen| view(run, seen, units, notes)).collect()
}

fn view(run: &Run, seen: &Observation, units: Units, notes: &mut Notes) -> ObservedView {
    let of = run.measurement(&seen.measurement);
    let validity = of.map_or(Validity::Valid, |m| m.validity);
    let trusted = validity != Validity::Invalid;
    let verdict = run.verdicts.iter().find(|v| v.measurement == seen.measurement);
    let standing = verdict.and_then(|v| v.standing.as_ref());
    let seconds = significant(seen.interval_ns / 1e9, 3);
    ObservedView {
        heading: format!("{}, {}, looked at for {seconds} s", product(&seen.version), seen.address),
        validity,
        notes: notes.marks(run, &[&seen.measurement]),
        demand: trusted.then(|| demand::grid(seen, of, units)).filter(|grid| !grid.rows.is_empty()),
        facts: facts::facts(seen, units),
        time: trusted.then(|| time::grid(seen, standing)).flatten(),
        remarks: remarks::remarks(seen),
    }
}

/// The version with the product's name; who packed it stands in the head.
fn product(version: &str) -> String {
    let version = version.split(" (").next().unwrap_or(version);
    if version.starts_with(|c: char| c.is_ascii_digit()) {
        format!("PostgreSQL {version}")
    } else {
        version.to_string()
    }
}
