//! The highest rate at which a percentile of latency stays within a limit, by an open loop.
//!
//! Pure: what a window showed goes in, the next window comes out. The search brackets from a tenth of the ceiling
//! by doubling, bisects to ±2 %, learns at the candidate how long a window must be, and then confirms the candidate
//! and the rate 5 % above it by interleaved repeats, stepping back or up until one rate is decided to pass and one above
//! it to fail. Bounded in windows.
//!
//! In the search a pass needs no witness and a failure needs two of three: noise from outside only ever makes a
//! device slower. Where windows at one rate disagree while the bracket is halved, halving ends. What that lets through falls in the confirmation.
//!
//! Not for the ceiling itself ([`crate::KneeSearch`]), nor for the curve ([`crate::CurvePlan`]).

mod back_off;
mod conclude;
mod count;
mod goal;
mod outcome;
mod pooled;
mod rate_grid;
mod rate_window;
mod words;

use std::time::Duration;

pub use back_off::back_off;
pub use goal::{Goal, RateStep, Settings, Stage};
pub use outcome::{Answer, Because, Outcome, same_rate};
use rate_grid::{GridState, RateGrid};
pub use rate_window::{Backlog, Cap, RateSeen, WindowJudgement};
pub use words::SearchDescription;

/// Slow operations per independent one, before any window told.
const CLUMPING: f64 = 4.0;
/// In the search a window may hold that part of what one in the confirmation holds.
const SEARCH_SHARE: f64 = 0.3;
/// The windows that are asked whether a failure is one hold at least so many of the shortest.
const WITNESS: u32 = 3;
/// Part of a window that goes before it as warm-up.
const WARM_UP: f64 = 0.2;
/// A sizing window suffices with that part of the independent operations that are wanted.
const SUFFICIENT: f64 = 0.6;
/// Most sizing windows.
const MOST_SIZING: usize = 4;
/// Points above the start at which the candidate is taken for wrong, and the search is begun again. Downwards the grid's steps grow
/// instead.
const FAR: i32 = 3;
/// How often.
const MOST_RESTARTS: u32 = 2;
/// Windows that are kept for the two rates that an answer needs.
const LAST_WINDOWS: u32 = 26;
/// Windows that a rate may take that was passed over in a hurry.
const REFINING: u32 = 8;
/// Windows that say how slow operations clump at a rate.
const NEIGHBOURS: usize = 3;

/// A window that was run.
#[derive(Debug, Clone, PartialEq)]
pub struct Tried {
    /// What was asked.
    pub step: RateStep,
    /// What was seen.
    pub seen: RateSeen,
    /// What it said.
    pub said: WindowJudgement,
    point: Option<i32>,
}

/// The search's state.
#[derive(Debug, Clone)]
pub struct RateSearch {
    goal: Goal,
    settings: Settings,
    floor_per_s: f64,
    reach_per_s: f64,
    /// Highest rate that passed in bracket and bisection.
    passed_per_s: Option<f64>,
    /// Lowest that failed there.
    failed_per_s: Option<f64>,
    /// Votes at the rate that is being tried: passed, failed, generator.
    votes: (u32, u32, u32),
    /// A rate at which windows disagreed while the bracket was halved: they can tell no more.
    split_per_s: Option<f64>,
    sizing: usize,
    restarts: u32,
    confirm_window: Option<Duration>,
    grid: Option<RateGrid>,
    tried: Vec<Tried>,
    outcome: Option<Outcome>,
}

impl RateSearch {
    /// A search below a ceiling, operations per second, as a closed loop gave it; the ceiling must be positive and the
    /// quantile inside (0, 1).
    pub fn new(goal: Goal, ceiling_per_s: f64, settings: Settings) -> Self {
        assert!(ceiling_per_s > 0.0 && ceiling_per_s.is_finite(), "a search needs a ceiling");
        assert!(goal.quantile > 0.0 && goal.quantile < 1.0, "a search needs a percentile");
        RateSearch {
            goal,
            settings,
            floor_per_s: ceiling_per_s * settings.floor_share,
            reach_per_s: ceiling_per_s * settings.reach_share,
            passed_per_s: None,
            failed_per_s: None,
            votes: (0, 0, 0),
            split_per_s: None,
            sizing: 0,
            restarts: 0,
            confirm_window: None,
            grid: None,
            tried: Vec::new(),
            outcome: None,
        }
    }

    /// The goal.
    pub fn goal(&self) -> Goal {
        self.goal
    }

    /// Every window so far, in order.
    pub fn tried(&self) -> &[Tried] {
        &self.tried
    }

    /// How it ended; `None` while it goes on.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// The next window; `None` when the search is over.
    pub fn next_step(&self) -> Option<RateStep> {
        if self.outcome.is_some() {
            return None;
        }
        let (stage, rate_per_s) = self.next_rate()?;
        let window = match stage {
            Stage::Confirm => self.confirm_window?,
            Stage::Size => self.window(rate_per_s, 1.0),
            Stage::Bracket | Stage::Bisect if self.votes == (0, 0, 0) => {
                self.window(rate_per_s, SEARCH_SHARE)
            }
            // A short window fails by one stall of a hundredth of it: its witnesses are longer.
            Stage::Bracket | Stage::Bisect => self
                .window(rate_per_s, 1.0)
                .max(self.settings.shortest_window * WITNESS)
                .min(self.settings.longest_window),
        };
        Some(RateStep { stage, rate_per_s, warm_up: window.mul_f64(WARM_UP), window })
    }

    /// What the window of [`RateSearch::next_step`] showed. Without effect when the search is over.
    pub fn saw(&mut self, seen: RateSeen) {
        let Some(step) = self.next_step() else { return };
        let said = seen.judge(&self.goal, step.rate_per_s);
        let point = match self.grid.as_ref().map(RateGrid::state) {
            Some(GridState::Next(point)) => Some(point),
            _ => None,
        };
        self.tried.push(Tried { step, seen, said, point });
        if said == WindowJudgement::Nothing {
            let unusable = self.tried.iter().filter(|t| t.said == WindowJudgement::Nothing).count();
            if unusable > self.settings.most_unusable as usize {
                self.give_up(Because::Unusable);
            }
        } else {
            match (step.stage, point) {
                (Stage::Confirm, Some(point)) => self.climb(point, said),
                (Stage::Size, _) => self.size(),
                _ => self.vote(step.rate_per_s, said),
            }
        }
        if self.outcome.is_none() && self.tried.len() >= self.settings.most_windows as usize {
            self.give_up(Because::Windows);
        }
    }

    /// Ends it where the caller has no more time or bytes for it: with what the repeats have decided by then, if that is
    /// enough for an answer. Without effect when the search is over.
    pub fn give_up(&mut self, because: Because) {
        if self.outcome.is_none() {
            self.outcome = Some(self.cut_short(because));
        }
    }

    /// The next window, where the caller's time is bounded; `fits` says whether so many windows of that length still fit. Ends
    /// the search when not one does. When little fits any more, the repeats go where they can still decide: to the rates
    /// that bracket and bisection saw on either side, and not to those in between; what is left over then narrows the answer.
    pub fn next_in_time(&mut self, fits: impl Fn(u32, Duration) -> bool) -> Option<RateStep> {
        // Only an answer that the repeats came to is narrowed: one cut short has used up what was allowed.
        let came_to_it = self.grid.as_ref().is_some_and(RateGrid::is_done)
            && self.tried.len() < self.settings.most_windows as usize;
        let room = self.confirm_window.is_some_and(|window| fits(REFINING, window));
        if came_to_it
            && room
            && matches!(&self.outcome, Some(Outcome::Found(answer)) if answer.is_wide())
        {
            let reopened = self.grid.as_mut().is_some_and(RateGrid::reopen);
            self.outcome = self.outcome.take().filter(|_| !reopened);
        }
        let step = self.next_step()?;
        if !fits(1, step.window) {
            self.give_up(Because::Time);
            return None;
        }
        if let Some(grid) = self.grid.as_mut().filter(|_| !fits(LAST_WINDOWS, step.window)) {
            let kept_per_s = self.passed_per_s.unwrap_or(self.floor_per_s);
            grid.hurry(kept_per_s, self.failed_per_s.unwrap_or(self.reach_per_s));
            self.outcome = self.confirmed();
        }
        self.next_step()
    }

    fn next_rate(&self) -> Option<(Stage, f64)> {
        if let Some(grid) = &self.grid {
            let GridState::Next(point) = grid.state() else { return None };
            return Some((Stage::Confirm, grid.rate_per_s(point)));
        }
        if let Some(candidate) = self.candidate() {
            return Some((Stage::Size, candidate));
        }
        Some(match (self.passed_per_s, self.failed_per_s) {
            (None, None) => {
                let start =
                    self.reach_per_s / self.settings.reach_share * self.settings.start_share;
                (Stage::Bracket, start.clamp(self.floor_per_s, self.reach_per_s))
            }
            (Some(passed), None) => (Stage::Bracket, (passed * 2.0).min(self.reach_per_s)),
            (None, Some(failed)) => (Stage::Bracket, (failed / 2.0).max(self.floor_per_s)),
            (Some(passed), Some(failed)) => (Stage::Bisect, (passed * failed).sqrt()),
        })
    }

    /// The rate to confirm, when bracket and bisection are done.
    fn candidate(&self) -> Option<f64> {
        match (self.passed_per_s, self.failed_per_s) {
            (Some(_), Some(_)) if self.split_per_s.is_some() => self.split_per_s,
            (Some(passed), Some(failed)) => {
                (failed / passed <= self.settings.bracket).then_some(passed)
            }
            (Some(passed), None) => (passed >= self.reach_per_s).then_some(passed),
            (None, Some(failed)) => (failed <= self.floor_per_s).then_some(failed),
            (None, None) => None,
        }
    }

    /// How many seconds hold a share of the independent operations beyond the percentile that are wanted.
    fn wanted_seconds(&self, rate_per_s: f64, share: f64) -> f64 {
        let beyond = self.settings.independent_beyond * share * self.clumping(rate_per_s);
        beyond / self.goal.allowed_over() / rate_per_s
    }

    /// That, within the shortest and the longest window.
    fn window(&self, rate_per_s: f64, share: f64) -> Duration {
        let (shortest, longest) = (self.settings.shortest_window, self.settings.longest_window);
        let seconds = self.wanted_seconds(rate_per_s, share).min(longest.as_secs_f64());
        Duration::from_secs_f64(seconds).max(shortest).min(longest)
    }

    /// Slow operations per independent one at a rate, from the windows nearest to it. It grows towards saturation; far
    /// beyond the percentile the counts are those of a queue that never empties, and say nothing.
    fn clumping(&self, rate_per_s: f64) -> f64 {
        let mut known: Vec<(f64, f64)> = self
            .tried
            .iter()
            .filter(|t| t.said != WindowJudgement::Nothing)
            .filter_map(|t| Some((t.step.rate_per_s, t.seen.exceedance()?)))
            .filter(|(_, over)| over.clumping_seen && over.share < 2.0 * self.goal.allowed_over())
            .map(|(rate, over)| ((rate / rate_per_s).ln().abs(), over.clumping))
            .collect();
        known.sort_by(|a, b| a.0.total_cmp(&b.0));
        // A short window sees only part of a long clump, so that estimates err downwards: the largest counts.
        let nearest = known.iter().take(NEIGHBOURS).map(|(_, clumping)| *clumping);
        nearest.reduce(f64::max).unwrap_or(CLUMPING)
    }

    /// Counts the vote of a window in bracket or bisection.
    fn vote(&mut self, rate_per_s: f64, said: WindowJudgement) {
        match said {
            WindowJudgement::Passed { .. } => self.votes.0 += 1,
            WindowJudgement::Failed { .. } => self.votes.1 += 1,
            WindowJudgement::Generator => self.votes.2 += 1,
            WindowJudgement::Nothing => {}
        }
        let (passed, against) = (self.votes.0, self.votes.1 + self.votes.2);
        let bisects = self.passed_per_s.is_some() && self.failed_per_s.is_some();
        if bisects && passed > 0 && self.votes.1 > 0 {
            // The crossing is about here: half a step of the grid below and above it the repeats will tell.
            self.split_per_s = Some(rate_per_s / self.settings.grid_ratio.sqrt());
        } else if passed > against {
            self.passed_per_s = Some(rate_per_s);
        } else if against >= 2 {
            self.failed_per_s = Some(rate_per_s);
        } else {
            return;
        }
        self.votes = (0, 0, 0);
    }

    /// Ends the sizing when the last window held enough, or cannot be made longer.
    fn size(&mut self) {
        self.sizing += 1;
        let (Some(tried), Some(candidate)) = (self.tried.last(), self.candidate()) else { return };
        let last = tried.step.window;
        let wanted = self.window(candidate, 1.0);
        let enough = wanted.as_secs_f64() * SUFFICIENT <= last.as_secs_f64();
        if !enough && self.sizing < MOST_SIZING {
            return;
        }
        self.confirm_window = Some(wanted.max(last).max(self.settings.shortest_confirm));
        self.grid = Some(RateGrid::new(
            candidate,
            self.settings.grid_ratio,
            (self.floor_per_s, self.reach_per_s),
            self.settings.repeats,
            self.settings.most_repeats,
            self.goal.allowed_over(),
        ));
    }

    /// Counts the last window as a run of the confirmation and sees whether it is over.
    fn climb(&mut self, point: i32, said: WindowJudgement) {
        let (Some(grid), Some(tried)) = (&mut self.grid, self.tried.last()) else { return };
        grid.saw(point, said, tried.seen.quantile_ns, &tried.seen.slices);
        self.outcome = self.confirmed();
        if self.outcome.is_none() && self.restarts < MOST_RESTARTS {
            self.restart();
        }
    }

    /// A grid that has left its start far below stands in the wrong place: bracket again from where it is.
    fn restart(&mut self) {
        let Some(grid) = &self.grid else { return };
        let (passed, failed) = grid.extremes();
        let Some(passed) = passed.filter(|point| *point >= FAR && failed.is_none()) else { return };
        self.passed_per_s = Some(grid.rate_per_s(passed));
        self.failed_per_s = None;
        // Points of the next grid have the same numbers.
        self.tried.iter_mut().for_each(|tried| tried.point = None);
        (self.grid, self.confirm_window) = (None, None);
        (self.sizing, self.votes, self.split_per_s) = (0, (0, 0, 0), None);
        self.restarts += 1;
    }
}
