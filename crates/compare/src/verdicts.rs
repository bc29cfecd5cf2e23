//! Bottlenecks then and now.

use std::collections::BTreeMap;

use narrows_model::{Bottleneck, Grade, Verdict};
use serde::Serialize;

use crate::Side;

/// What holds a workload back on both sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VerdictChange {
    /// The workload.
    pub workload: String,
    /// Of the first side.
    pub base: Named,
    /// Of the other.
    pub other: Named,
    /// Whether the name is another one.
    pub changed: bool,
}

/// The name that most runs of a side gave.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Named {
    /// The bottleneck; `None` where most are undecided.
    pub narrow: Option<Bottleneck>,
    /// The phrase of the latest run that says so.
    pub phrase: String,
    /// Its grade.
    pub grade: Grade,
    /// How many runs say so.
    pub runs: usize,
    /// Of how many.
    pub of: usize,
}

/// Each workload that both sides have a verdict on, in the first side's order.
pub(crate) fn changes(base: &Side<'_>, other: &Side<'_>) -> Vec<VerdictChange> {
    let mut workloads: Vec<&str> = Vec::new();
    for verdict in base.runs.iter().flat_map(|run| &run.verdicts) {
        if !workloads.contains(&verdict.workload.as_str()) {
            workloads.push(&verdict.workload);
        }
    }
    let change = |workload: &str| {
        let (base, other) = (named(base, workload)?, named(other, workload)?);
        let changed = base.narrow != other.narrow;
        Some(VerdictChange { workload: workload.to_string(), base, other, changed })
    };
    workloads.into_iter().filter_map(change).collect()
}

fn named(side: &Side<'_>, workload: &str) -> Option<Named> {
    let verdicts: Vec<&Verdict> = side
        .runs
        .iter()
        .flat_map(|run| &run.verdicts)
        .filter(|verdict| verdict.workload == workload)
        .collect();
    let name = |verdict: &Verdict| (verdict.grade != Grade::Undecided).then_some(verdict.narrow);
    let mut counts: BTreeMap<String, (usize, Option<Bottleneck>)> = BTreeMap::new();
    for verdict in &verdicts {
        let name = name(verdict);
        counts.entry(format!("{name:?}")).or_insert((0, name)).0 += 1;
    }
    let (runs, narrow) = counts.into_values().max_by_key(|(count, _)| *count)?;
    let latest = verdicts.iter().rev().find(|verdict| name(verdict) == narrow)?;
    Some(Named {
        narrow,
        phrase: latest.phrase.clone(),
        grade: latest.grade,
        runs,
        of: verdicts.len(),
    })
}
