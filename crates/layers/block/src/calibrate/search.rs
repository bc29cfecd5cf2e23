//! The search for the rate, driven with real windows.

use std::collections::BTreeMap;

use narrows_engine::RateSearch;
use narrows_engine::rate_search::{Because, Outcome, RateStep, Stage};
use narrows_model::Measurement;

use super::bench::Bench;
use super::company::{Spoiled, spoiled};
use super::kept::Kept;
use super::ramp::Ramp;
use super::seen::seen;
use crate::BlockError;

/// Windows that are kept to decide the two rates that an answer needs.
const HURRY_WINDOWS: u32 = 16;

/// What the search came to, and its confirming windows by rate.
pub(super) struct Searched {
    pub outcome: Outcome,
    pub windows: u32,
    /// Windows that were not used, by cause.
    pub spoiled: BTreeMap<Spoiled, u32>,
    /// Mean latency at each confirmed rate, a value for each run, ns.
    confirmed: Vec<Confirmed>,
}

struct Confirmed {
    rate_per_s: f64,
    kept: Kept,
    means_ns: Vec<f64>,
}

/// Searches below the ceiling; ends in time and within the bytes.
pub(super) fn search(bench: &mut Bench<'_>, ramp: &Ramp) -> Result<Searched, BlockError> {
    let (plan, cap) = (bench.plan, ramp.cap(bench));
    let mut search = RateSearch::new(plan.goal, ramp.ceiling_per_s, plan.settings);
    let mut spoilt = BTreeMap::new();
    let mut confirmed: Vec<Confirmed> = Vec::new();
    let mut hurried = false;
    while let Some(step) = search.next_step() {
        if !bench.has_time(step.window, plan.curve_s()) {
            search.give_up(Because::Time);
            break;
        }
        if !bench.has_time(step.window * HURRY_WINDOWS, plan.curve_s()) && !hurried {
            hurried = true;
            search.hurry();
            continue;
        }
        if !bench.has_bytes(step.rate_per_s, step.window) {
            search.give_up(Because::Bytes);
            break;
        }
        bench.tell(&telling(&step, search.tried().len() + 1));
        let shown = bench.open(step.rate_per_s, cap, (step.warm_up, step.window))?;
        let because = spoiled(&shown.outcomes, ramp.helpers);
        if let Some(because) = because {
            *spoilt.entry(because).or_insert(0) += 1;
        }
        if step.stage == Stage::Confirm && because.is_none() {
            let at = confirmed.iter().position(|c| same(c.rate_per_s, step.rate_per_s));
            let at = at.unwrap_or_else(|| {
                let rate_per_s = step.rate_per_s;
                confirmed.push(Confirmed {
                    rate_per_s,
                    kept: Kept::default(),
                    means_ns: Vec::new(),
                });
                confirmed.len() - 1
            });
            confirmed[at].kept.add(&shown);
            confirmed[at].means_ns.extend(shown.load().latency_with_stragglers().mean());
        }
        let Some(seen) = seen(shown.load(), &plan.goal, because.is_none()) else { break };
        search.saw(seen);
    }
    let windows = search.tried().len() as u32;
    // Only a search without an outcome has another step, and without a step it has one.
    search.give_up(Because::Windows);
    let outcome = search.outcome().cloned().unwrap_or(Outcome::Unfinished {
        because: Because::Windows,
        passed_per_s: None,
        failed_per_s: None,
    });
    Ok(Searched { outcome, windows, spoiled: spoilt, confirmed })
}

fn telling(step: &RateStep, number: usize) -> String {
    let stage = match step.stage {
        Stage::Bracket => "bracket",
        Stage::Bisect => "bisect",
        Stage::Size => "size",
        Stage::Confirm => "confirm",
    };
    format!("{stage}: {:.0} per second, window {number}", step.rate_per_s)
}

/// Rungs of one ladder are five per cent apart.
fn same(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-6
}

impl Searched {
    /// The rate that was kept in repeats, where there is one.
    pub(super) fn kept_per_s(&self) -> Option<f64> {
        match &self.outcome {
            Outcome::Found(answer) => Some(answer.rate_per_s),
            Outcome::Unlimited { rate_per_s, .. } => Some(*rate_per_s),
            Outcome::GeneratorBound { rate_per_s, .. } => *rate_per_s,
            _ => None,
        }
    }

    /// The rate that passed in any way, for the curve.
    pub(super) fn passed_per_s(&self) -> Option<f64> {
        match &self.outcome {
            Outcome::Unfinished { passed_per_s, .. } => *passed_per_s,
            Outcome::Unstable { failed_per_s, .. } => Some(*failed_per_s),
            _ => self.kept_per_s(),
        }
    }

    /// Mean latency at a confirmed rate, median of its runs, ns.
    pub(super) fn mean_ns(&self, rate_per_s: f64) -> Option<f64> {
        let at = self.confirmed.iter().find(|c| same(c.rate_per_s, rate_per_s))?;
        narrows_stats::median(&at.means_ns)
    }

    pub(super) fn unusable(&self) -> u32 {
        self.spoiled.values().sum()
    }

    /// The measurements of the confirming windows, and the ids of those that a found answer rests on: `confirm.kept`, and
    /// `confirm.beyond.next` for the rate above it that missed.
    pub(super) fn into_measurements(mut self, id: &str) -> (Vec<Measurement>, Vec<String>) {
        let kept_per_s = self.kept_per_s();
        let next_per_s = match &self.outcome {
            Outcome::Found(answer) => Some(answer.next_failed_per_s),
            _ => None,
        };
        self.confirmed.sort_by(|a, b| a.rate_per_s.total_cmp(&b.rate_per_s));
        let (mut measurements, mut rests_on) = (Vec::new(), Vec::new());
        for (number, confirmed) in self.confirmed.into_iter().enumerate() {
            let rate = confirmed.rate_per_s;
            let is = |other: Option<f64>| other.is_some_and(|other| same(rate, other));
            let name = if is(kept_per_s) {
                "kept".to_string()
            } else if is(next_per_s) {
                "beyond.next".to_string()
            } else if kept_per_s.is_some_and(|kept| rate < kept) {
                format!("below.{number}")
            } else {
                format!("beyond.{number}")
            };
            let own = confirmed.kept.into_measurements(&format!("{id}.confirm.{name}"));
            if is(kept_per_s) || is(next_per_s) {
                rests_on.extend(own.iter().map(|m| m.id.clone()));
            }
            measurements.extend(own);
        }
        (measurements, rests_on)
    }
}
