//! A server that was only looked at: what a transaction takes, who was at work, where a transaction's time goes.
//!
//! Tables and labelled lines, so that each view lays them out in a few lines. What is unknown has no row. The verdict stands
//! under WORKLOAD as that of any workload; only what these tables don't say already stays with it.

mod advice;
mod causes;
mod consumers;
mod demand;
mod facts;
mod indexes;
mod obstacle;
mod profile;
mod remarks;
mod time;
mod unclear;
mod verdict;

use narrows_model::{Observation, Run, Validity, metric};
use narrows_units::significant;

use crate::document::{Block, Entry, Facts, Style};
use crate::notes::Notes;
use crate::print::Units;
use crate::section::heading_of;

pub(crate) use advice::advice;
pub(crate) use causes::{
    is_urgent, next_rows as cause_rows, sentences as cause_sentences, stands_out, stands_still,
};
pub(crate) use demand::{Share, log_parts, written_by};
pub(crate) use obstacle::{first_step, first_steps, lacks_right, sentences};
pub(crate) use profile::{is_saturated, profile};
pub(crate) use remarks::changed;
pub(crate) use time::{StateShare, found};
pub(crate) use unclear::{is_told_by_causes, unclear};
pub(crate) use verdict::{fit, operating_point};

/// A server that was looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservedView {
    /// Which one, and for how long.
    pub heading: String,
    /// What it did per second, and what a transaction takes. Nothing is derived from invalid figures.
    pub seen: Vec<Block>,
    /// Where a transaction's time goes, or else where sessions were found.
    pub time: Vec<Block>,
    /// Who takes it: statements, tables, users; who waits for whom.
    pub takers: Vec<Block>,
    /// Every cause with its figures, what speaks against it, and how to take back what is done about it.
    pub causes: Vec<Block>,
    /// Settings, build, what looking took.
    pub remarks: Vec<Entry>,
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
    let heading = match &seen.report {
        Some(report) => {
            let snapshots = report.snapshots.as_ref();
            let which = snapshots.map_or(String::new(), |(from, to)| format!(" {from} to {to}"));
            format!("{}, {}, {}{which} of {seconds} s", seen.version, seen.address, report.kind)
        }
        None => {
            let since = if seen.load_change.is_some() { " after the load had changed" } else { "" };
            let of = format!("{}, {}", product(&seen.version), seen.address);
            format!("{of}, observed for {seconds} s{since}")
        }
    };
    let marks = notes.marks(run, &[&seen.measurement]);
    let mut blocks = vec![heading_of(heading.as_str(), validity, &marks)];
    let demand = trusted.then(|| demand::table(seen, of, units));
    blocks.extend(demand.filter(|table| !table.rows.is_empty()).map(Block::Table));
    let entries = facts::facts(seen, units);
    if !entries.is_empty() {
        blocks.push(Block::Facts(Facts { entries, labels: Style::Plain, at: (2, 16) }));
    }
    let idle_ns = of.and_then(|m| m.value(metric::IDLE_IN_TRANSACTION_PER_OP));
    // Of sessions that stand still none takes what the mean says.
    let stuck = verdict.is_some_and(|verdict| stands_still(run, verdict));
    let standing = standing.filter(|_| !stuck);
    let time = if trusted { time::blocks(seen, standing, idle_ns) } else { Vec::new() };
    let takers = if trusted { consumers::blocks(seen) } else { Vec::new() };
    let causes = causes::blocks(run, &seen.measurement);
    ObservedView { heading, seen: blocks, time, takers, causes, remarks: remarks::remarks(seen) }
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
