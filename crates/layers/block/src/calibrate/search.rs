//! The search for the rate, driven with real windows.

use std::collections::BTreeMap;
use std::time::Duration;

use narrows_engine::RateSearch;
use narrows_engine::rate_search::{
    Backlog, Because, Outcome, RateSeen, RateStep, Stage, same_rate,
};
use narrows_model::Measurement;

use super::bench::Bench;
use super::disturbance::{Spoiled, spoiled};
use super::ramp::Ramp;
use super::seen::seen;
use super::windows::CalibrationWindows;
use crate::BlockError;

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
    kept: CalibrationWindows,
    means_ns: Vec<f64>,
}

/// Searches below the ceiling; ends in time and within the bytes.
pub(super) fn search(bench: &mut Bench<'_>, ramp: &Ramp) -> Result<Searched, BlockError> {
    let (plan, cap) = (bench.plan, ramp.cap(bench));
    let mut search = RateSearch::new(plan.goal, ramp.ceiling_per_s, plan.settings);
    let mut spoilt = BTreeMap::new();
    let mut confirmed: Vec<Confirmed> = Vec::new();
    let mut disturbed = 0;
    while let Some(step) =
        search.next_in_time(|n, length| bench.has_time(n, length, plan.curve_s() + plan.again_s()))
    {
        if !bench.has_bytes(step.rate_per_s, step.window) {
            search.give_up(Because::Bytes);
            break;
        }
        bench.tell(&telling(&step, search.tried().len() + 1));
        let shown = bench.open(step.rate_per_s, cap, (step.warm_up, step.window))?;
        let Some(seen) = seen(shown.load(), &plan.goal, true) else { break };
        let still = seen.stood_still(&plan.goal).then_some(Spoiled::StoodStill);
        let capped = (seen.backlog == Backlog::CapTooSmall).then_some(Spoiled::Capped);
        let because = spoiled(&shown.outcomes, ramp.helpers).or(still).or(capped);
        if let Some(because) = because {
            *spoilt.entry(because).or_insert(0) += 1;
        }
        if step.stage == Stage::Confirm && because.is_none() {
            let at = confirmed.iter().position(|c| same_rate(c.rate_per_s, step.rate_per_s));
            let at = at.unwrap_or_else(|| {
                let rate_per_s = step.rate_per_s;
                confirmed.push(Confirmed {
                    rate_per_s,
                    kept: CalibrationWindows::default(),
                    means_ns: Vec::new(),
                });
                confirmed.len() - 1
            });
            confirmed[at].kept.add(&shown);
            confirmed[at].means_ns.extend(shown.load().latency_with_stragglers().mean());
        }
        search.saw(RateSeen { usable: because.is_none(), ..seen });
        disturbed = if because.is_some_and(Spoiled::by_others) { disturbed + 1 } else { 0 };
        back_off(bench, step.window, disturbed)?;
    }
    let windows = search.tried().len() as u32;
    // Only a search without an outcome has another step, and without a step it has one.
    search.give_up(Because::Windows);
    let outcome = search.outcome().cloned().unwrap_or(Outcome::Unfinished {
        because: Because::Windows,
        passed_per_s: None,
        failed_per_s: None,
        apart_per_s: None,
    });
    Ok(Searched { outcome, windows, spoiled: spoilt, confirmed })
}

/// Leaves the machine to others for a while where they were in the way in so many windows in a row: to go on at once would disturb them
/// as well, and most likely be disturbed again. Pauses are part of the time for all.
fn back_off(bench: &Bench<'_>, window: Duration, disturbed: u32) -> Result<(), BlockError> {
    let pause = narrows_engine::rate_search::back_off(window, disturbed);
    let reserve_s = bench.plan.curve_s() + bench.plan.again_s() + pause.as_secs_f64();
    if !pause.is_zero() && bench.has_time(1, window, reserve_s) {
        bench.ctx.stop.sleep(pause)?;
    }
    Ok(())
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

impl Searched {
    /// Mean latency at a confirmed rate, median of its runs, ns.
    pub(super) fn mean_ns(&self, rate_per_s: f64) -> Option<f64> {
        let at = self.confirmed.iter().find(|c| same_rate(c.rate_per_s, rate_per_s))?;
        narrows_stats::median(&at.means_ns)
    }

    pub(super) fn unusable(&self) -> u32 {
        self.spoiled.values().sum()
    }

    /// The measurements of the confirming windows, and the ids of those that a found answer rests on: `confirm.kept`, and
    /// `confirm.beyond.next` for the rate above it that missed.
    pub(super) fn into_measurements(mut self, id: &str) -> (Vec<Measurement>, Vec<String>) {
        self.confirmed.sort_by(|a, b| a.rate_per_s.total_cmp(&b.rate_per_s));
        let (mut measurements, mut rests_on) = (Vec::new(), Vec::new());
        for (number, confirmed) in self.confirmed.into_iter().enumerate() {
            let (name, rests) = self.outcome.name_of(confirmed.rate_per_s, number);
            let own = confirmed.kept.into_measurements(&format!("{id}.confirm.{name}"));
            if rests {
                rests_on.extend(own.iter().map(|m| m.id.to_string()));
            }
            measurements.extend(own);
        }
        (measurements, rests_on)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_for_windows_that_others_spoiled() {
        for by_others in [Spoiled::Steal, Spoiled::OtherLoad, Spoiled::StoodStill] {
            assert!(by_others.by_others());
        }
        for own in [Spoiled::Failed, Spoiled::Capped, Spoiled::Throttled] {
            assert!(!own.by_others());
        }
    }
}
