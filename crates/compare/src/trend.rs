//! Many runs of one machine in the order of their time: where a figure changed its level, and what else changed there.
//!
//! Pettitt's test finds the clearest change of a series, if there is one; both parts are then searched again. P-values are corrected for the
//! number of series, so that of machines on which nothing changes at most 5 of 100 show even one first change.

use narrows_model::{Measurement, Metric, Run, Unit, Validity};
use narrows_stats::change::step_of_independent;
use serde::Serialize;

use crate::conditions::{self, ConditionDifference};
use crate::outcome::leading_metrics;
use crate::pairing::{self, FURTHER_START};
use crate::{SIGNIFICANCE, Side};

/// Runs from which a change can be found.
pub const FEWEST_RUNS_OF_A_TREND: usize = 10;

/// One figure over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trend {
    /// The measurement.
    pub measurement: String,
    /// The metric.
    pub metric: String,
    /// Its unit.
    pub unit: Unit,
    /// Whether more is better; `None` where neither is.
    pub more_is_better: Option<bool>,
    /// Its values, the oldest first.
    pub points: Vec<TrendPoint>,
    /// Where its level changed, the earliest first.
    pub changes: Vec<LevelChange>,
}

/// A run's value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrendPoint {
    /// The run.
    pub run: String,
    /// When it began, RFC 3339.
    pub started_at: String,
    /// The value.
    pub value: f64,
}

/// A change of level.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LevelChange {
    /// The first run after it.
    pub run: String,
    /// When that began.
    pub started_at: String,
    /// Median before, back to the change before it.
    pub before: f64,
    /// Median after, up to the next change.
    pub after: f64,
    /// After over before, less one.
    pub growth: f64,
    /// How often a series without a change shows one as clear, corrected for the number of series.
    pub p_value: f64,
    /// What else differs between the last run before it and the first one after.
    pub conditions: Vec<ConditionDifference>,
}

/// Trends of all measurements that enough of the runs have in the same way, the latest run's way; and the ids of those with too few.
pub fn trends(runs: &[&Run], only: &[String]) -> (Vec<Trend>, Vec<String>) {
    let mut ordered: Vec<&Run> = runs.to_vec();
    ordered.sort_by(|a, b| a.started_at.cmp(&b.started_at));
    let mut series = Vec::new();
    let mut few = Vec::new();
    for id in ids(&ordered) {
        if !only.is_empty() && !only.iter().any(|only| id.starts_with(only.as_str())) {
            continue;
        }
        match of(&ordered, id) {
            Some(found) if found.values.len() >= FEWEST_RUNS_OF_A_TREND => series.push(found),
            _ => few.push(id.to_string()),
        }
    }
    let count = series.len() as f64;
    (series.into_iter().map(|series| series.trend(count)).collect(), few)
}

/// Values of one measurement, each with its run.
struct Series<'a> {
    id: &'a str,
    metric: Metric,
    values: Vec<(&'a Run, f64)>,
}

fn ids<'a>(runs: &[&'a Run]) -> Vec<&'a str> {
    let mut ids = Vec::new();
    for measurement in runs.iter().flat_map(|run| &run.measurements) {
        let id = measurement.id.as_str();
        if !id.contains(".test.") && !id.contains(FURTHER_START) && !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids
}

/// Of the runs in which it is valid and the workload that of the latest.
fn of<'a>(runs: &[&'a Run], id: &'a str) -> Option<Series<'a>> {
    let all: Vec<(&Run, &Measurement)> = runs
        .iter()
        .filter_map(|run| Some((*run, run.measurement(id)?)))
        .filter(|(_, measurement)| measurement.validity == Validity::Valid)
        .collect();
    let (_, latest) = all.last()?;
    let metric = leading_metrics(latest).iter().find(|metric| latest.value(**metric).is_some())?;
    let values = all
        .iter()
        .filter(|(_, measurement)| pairing::other_workload(latest, measurement).is_none())
        .filter_map(|(run, measurement)| Some((*run, measurement.value(*metric)?)))
        .collect();
    Some(Series { id, metric: *metric, values })
}

impl Series<'_> {
    fn trend(&self, series: f64) -> Trend {
        let mut changes = Vec::new();
        self.search(0, self.values.len(), series, &mut changes);
        changes.sort_by_key(|(at, _)| *at);
        let ends: Vec<usize> =
            changes.iter().map(|(at, _)| *at).chain([self.values.len()]).collect();
        let mut begin = 0;
        let changes = changes.iter().zip(ends[1..].iter()).map(|((at, p_value), end)| {
            let level = |from: usize, to: usize| {
                let values: Vec<f64> =
                    self.values[from..to].iter().map(|(_, value)| *value).collect();
                narrows_stats::median(&values).unwrap_or(f64::NAN)
            };
            let (before, after) = (level(begin, *at), level(*at, *end));
            begin = *at;
            let (last, first) = (self.values[at - 1].0, self.values[*at].0);
            LevelChange {
                run: first.id.clone(),
                started_at: first.started_at.clone(),
                before,
                after,
                growth: after / before - 1.0,
                p_value: *p_value,
                conditions: self.differences(last, first),
            }
        });
        let changes = changes.collect();
        let point = |(run, value): &(&narrows_model::Run, f64)| TrendPoint {
            run: run.id.clone(),
            started_at: run.started_at.clone(),
            value: *value,
        };
        Trend {
            measurement: self.id.to_string(),
            metric: self.metric.name.to_string(),
            unit: self.metric.unit,
            more_is_better: match self.metric.better {
                narrows_model::Better::More => Some(true),
                narrows_model::Better::Less => Some(false),
                narrows_model::Better::Neither => None,
            },
            points: self.values.iter().map(point).collect(),
            changes,
        }
    }

    /// The clearest change between two places, and those of both parts.
    fn search(&self, begin: usize, end: usize, series: f64, changes: &mut Vec<(usize, f64)>) {
        let values: Vec<f64> = self.values[begin..end].iter().map(|(_, value)| *value).collect();
        let Some(found) = step_of_independent(&values) else { return };
        let p_value = (found.p_value * series).min(1.0);
        if p_value >= SIGNIFICANCE || found.before == found.after {
            return;
        }
        let at = begin + found.at;
        changes.push((at, p_value));
        self.search(begin, at, series, changes);
        self.search(at, end, series, changes);
    }

    fn differences(&self, last: &Run, first: &Run) -> Vec<ConditionDifference> {
        let side = |run| Side { name: String::new(), runs: vec![run] };
        let compared = std::collections::BTreeSet::from([self.id]);
        conditions::between(&side(last), &side(first), &compared)
    }
}
