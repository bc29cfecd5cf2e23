//! The highest rate at which a percentile of latency stays within a limit, by an open loop.
//!
//! Pure: what a window showed goes in, the next window comes out. The search brackets from a tenth of the ceiling
//! by doubling, bisects to ±2 %, learns at the candidate how long a window must be, and then confirms the candidate
//! and the rate 5 % above it by interleaved repeats, stepping back or up until one rate is decided to pass and one above
//! it to fail. Bounded in windows.
//!
//! In the search a pass needs no witness and a failure needs two of three: noise from outside only ever makes a
//! device slower. What that lets through falls in the confirmation.
//!
//! Not for the ceiling itself ([`crate::KneeSearch`]), nor for the curve ([`crate::CurvePlan`]).

mod goal;
mod ladder;
mod outcome;
mod seen;

use std::time::Duration;

use narrows_stats::median;
use narrows_stats::trend::mann_kendall;

pub use goal::{Goal, RateStep, Settings, Stage};
use ladder::{Ladder, Run, Rung, Standing};
pub use outcome::{Answer, Because, Outcome};
pub use seen::{Backlog, RateSeen, Said};

/// Slow operations per independent one, before any window told.
const CLUMPING: f64 = 4.0;
/// In the search a window may hold that part of what one in the confirmation holds.
const SEARCH_SHARE: f64 = 0.3;
/// Part of a window that goes before it as warm-up.
const WARM_UP: f64 = 0.2;
/// A sizing window suffices with that part of the independent operations that are wanted.
const SUFFICIENT: f64 = 0.6;
/// Most sizing windows.
const MOST_SIZING: usize = 4;
/// Rungs above or below the start at which the candidate is taken for wrong, and the search for begun again.
const FAR: i32 = 3;
/// How often.
const MOST_RESTARTS: u32 = 2;
/// Windows that say how slow operations clump at a rate.
const NEIGHBOURS: usize = 3;
/// A window of at least that part of another one's length can contradict it.
const AS_LONG: f64 = 0.5;
/// Rates closer than this may differ in what they say by chance.
const APART: f64 = 1.04;

/// A window that was run.
#[derive(Debug, Clone, PartialEq)]
pub struct Tried {
    /// What was asked.
    pub step: RateStep,
    /// What was seen.
    pub seen: RateSeen,
    /// What it said.
    pub said: Said,
    rung: Option<i32>,
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
    sizing: usize,
    restarts: u32,
    confirm_window: Option<Duration>,
    ladder: Option<Ladder>,
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
            sizing: 0,
            restarts: 0,
            confirm_window: None,
            ladder: None,
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
            Stage::Bracket | Stage::Bisect => self.window(rate_per_s, SEARCH_SHARE),
        };
        Some(RateStep { stage, rate_per_s, warm_up: window.mul_f64(WARM_UP), window })
    }

    /// What the window of [`RateSearch::next_step`] showed. Without effect when the search is over.
    pub fn saw(&mut self, seen: RateSeen) {
        let Some(step) = self.next_step() else { return };
        let said = seen.said(&self.goal, step.rate_per_s);
        let rung = match self.ladder.as_ref().map(Ladder::standing) {
            Some(Standing::Next(rung)) => Some(rung),
            _ => None,
        };
        self.tried.push(Tried { step, seen, said, rung });
        if said == Said::Nothing {
            let unusable = self.tried.iter().filter(|t| t.said == Said::Nothing).count();
            if unusable > self.settings.most_unusable as usize {
                self.outcome = Some(self.unfinished(Because::Unusable));
            }
        } else {
            match (step.stage, rung) {
                (Stage::Confirm, Some(rung)) => self.climb(rung, said),
                (Stage::Size, _) => self.size(),
                _ => self.vote(step.rate_per_s, said),
            }
        }
        if self.outcome.is_none() && self.tried.len() >= self.settings.most_windows as usize {
            self.outcome = Some(self.unfinished(Because::Windows));
        }
    }

    /// Ends it where the caller has no more time or bytes for it. Without effect when the search is over.
    pub fn give_up(&mut self, because: Because) {
        if self.outcome.is_none() {
            self.outcome = Some(self.unfinished(because));
        }
    }

    fn next_rate(&self) -> Option<(Stage, f64)> {
        if let Some(ladder) = &self.ladder {
            let Standing::Next(rung) = ladder.standing() else { return None };
            return Some((Stage::Confirm, ladder.rate_per_s(rung)));
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
            .filter(|t| t.said != Said::Nothing)
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
    fn vote(&mut self, rate_per_s: f64, said: Said) {
        match said {
            Said::Passed { .. } => self.votes.0 += 1,
            Said::Failed { .. } => self.votes.1 += 1,
            Said::Generator => self.votes.2 += 1,
            Said::Nothing => {}
        }
        let (passed, against) = (self.votes.0, self.votes.1 + self.votes.2);
        if passed > against {
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
        self.confirm_window = Some(wanted.max(last));
        self.ladder = Some(Ladder::new(
            candidate,
            self.settings.rung,
            (self.floor_per_s, self.reach_per_s),
            self.settings.repeats,
            self.settings.most_repeats,
            self.goal.allowed_over(),
        ));
    }

    /// Counts the last window as a run of the confirmation and sees whether it is over.
    fn climb(&mut self, rung: i32, said: Said) {
        let (Some(ladder), Some(tried)) = (&mut self.ladder, self.tried.last()) else { return };
        let run = match said {
            Said::Passed { .. } => Run::Passed,
            Said::Generator => Run::Generator,
            Said::Failed { .. } | Said::Nothing => Run::Failed,
        };
        ladder.saw(rung, run, tried.seen.quantile_ns, &tried.seen.slices);
        self.outcome = self.confirmed();
        if self.outcome.is_none() && self.restarts < MOST_RESTARTS {
            self.restart();
        }
    }

    /// A ladder that has left its start far behind stands in the wrong place: bracket again from where it is.
    fn restart(&mut self) {
        let Some(ladder) = &self.ladder else { return };
        let (passed, failed) = ladder.extremes();
        let far = |rung: Option<i32>| rung.filter(|rung| rung.abs() >= FAR);
        let rate = |rung: Option<i32>| rung.map(|rung| ladder.rate_per_s(rung));
        let typical = |rung| ladder.rung(rung).is_some_and(Rung::fails_typically);
        match (far(passed.filter(|rung| *rung > 0)), far(failed.filter(|rung| *rung < 0))) {
            (Some(_), None) if failed.is_none() => {}
            (None, Some(rung)) if passed.is_none() && typical(rung) => {}
            _ => return,
        }
        self.passed_per_s = rate(passed);
        self.failed_per_s = rate(failed);
        (self.ladder, self.confirm_window) = (None, None);
        (self.sizing, self.votes) = (0, (0, 0, 0));
        self.restarts += 1;
    }

    /// What the confirmation has come to; `None` while it goes on.
    fn confirmed(&self) -> Option<Outcome> {
        let ladder = self.ladder.as_ref()?;
        let typical = |rung| ladder.rung(rung).and_then(|r| median(r.quantiles_ns()));
        let by_generator = |rung| ladder.rung(rung).is_some_and(Rung::by_generator);
        match ladder.standing() {
            Standing::Next(_) => self.contradiction(),
            Standing::Contradiction { passed, failed } => {
                Some(self.unstable(ladder.rate_per_s(passed), ladder.rate_per_s(failed)))
            }
            Standing::Top(rung) => Some(Outcome::Unlimited {
                rate_per_s: ladder.rate_per_s(rung),
                quantile_ns: typical(rung),
            }),
            Standing::Bottom(rung) if by_generator(rung) => Some(Outcome::GeneratorBound {
                rate_per_s: None,
                generator_per_s: ladder.rate_per_s(rung),
            }),
            Standing::Bottom(rung) => self.contradiction().or(Some(Outcome::Unreachable {
                lowest_per_s: ladder.rate_per_s(rung),
                quantile_ns: typical(rung),
            })),
            Standing::Between { passed, failed } if by_generator(failed) => {
                Some(Outcome::GeneratorBound {
                    rate_per_s: Some(ladder.rate_per_s(passed)),
                    generator_per_s: ladder.rate_per_s(failed),
                })
            }
            Standing::Between { passed, failed } => {
                let answer = self.answer(ladder, passed, failed);
                self.contradiction().or(Some(Outcome::Found(answer)))
            }
        }
    }

    fn answer(&self, ladder: &Ladder, passed: i32, failed: i32) -> Answer {
        let at = |rung: i32| self.tried.iter().filter(move |t| t.rung == Some(rung));
        let runs = |rung| at(rung).filter(|t| t.said != Said::Nothing).count() as u32;
        let quantiles_ns = ladder.rung(passed).map(|r| r.quantiles_ns().to_vec());
        let quantiles_ns = quantiles_ns.unwrap_or_default();
        let independent: Vec<f64> = at(passed)
            .filter_map(|t| t.seen.exceedance())
            .filter(|over| over.clumping_seen)
            // What lies beyond the percentile, worth what those over the limit are worth.
            .map(|over| over.operations as f64 * self.goal.allowed_over() / over.clumping)
            .collect();
        let independent_beyond = median(&independent);
        let rate_per_s = ladder.rate_per_s(passed);
        let had = self.confirm_window.unwrap_or_default().as_secs_f64();
        let thin = had < SUFFICIENT * self.wanted_seconds(rate_per_s, 1.0);
        let next_failed_per_s = ladder.rate_per_s(failed);
        let earlier = self.tried.iter().filter(|t| t.said == Said::Passed { clear: true });
        let burst_per_s = earlier
            .map(|t| t.step.rate_per_s)
            .filter(|rate| *rate >= next_failed_per_s * APART)
            .reduce(f64::max);
        Answer {
            rate_per_s,
            next_failed_per_s,
            repeats: (runs(passed), runs(failed)),
            share_over: ladder.rung(passed).and_then(Rung::together),
            drift: mann_kendall(&quantiles_ns),
            quantiles_ns,
            independent_beyond,
            burst_per_s,
            thin,
        }
    }

    /// Repeats that say the opposite of what an earlier, clear window said at a rate further out.
    fn contradiction(&self) -> Option<Outcome> {
        let ladder = self.ladder.as_ref()?;
        let (passed, failed) = ladder.extremes();
        // A short window may lie between two stalls, or live on credits: that is no contradiction.
        let long = self.confirm_window.unwrap_or_default().mul_f64(AS_LONG);
        let search = |wanted: Said| {
            let search = self.tried.iter().filter(|t| t.rung.is_none());
            search.filter(move |t| t.said == wanted && t.step.window >= long)
        };
        let typical = |rung: &i32| ladder.rung(*rung).is_some_and(Rung::fails_typically);
        if let Some(failed) = failed.filter(typical).map(|rung| ladder.rate_per_s(rung)) {
            let clear = search(Said::Passed { clear: true });
            if let Some(t) = clear.rev().find(|t| t.step.rate_per_s >= failed * APART) {
                return Some(self.unstable(t.step.rate_per_s, failed));
            }
        }
        // A failure in the search counts from two windows on, like there.
        if let Some(passed) = passed.map(|rung| ladder.rate_per_s(rung)) {
            let clear = search(Said::Failed { clear: true });
            let lower: Vec<f64> =
                clear.map(|t| t.step.rate_per_s).filter(|rate| rate * APART <= passed).collect();
            let twice = lower.iter().find(|rate| lower.iter().filter(|r| r == rate).count() >= 2);
            return twice.map(|failed| self.unstable(passed, *failed));
        }
        None
    }

    fn unstable(&self, passed_per_s: f64, failed_per_s: f64) -> Outcome {
        let at = |rate: f64, wanted: fn(Said) -> bool| {
            self.tried
                .iter()
                .enumerate()
                .filter(move |(_, t)| t.step.rate_per_s == rate && wanted(t.said))
                .map(|(i, _)| i)
        };
        let passed_in = at(passed_per_s, |said| matches!(said, Said::Passed { .. })).next();
        let failed_in = at(failed_per_s, |said| matches!(said, Said::Failed { .. })).next_back();
        Outcome::Unstable {
            passed_per_s,
            passed_in: passed_in.unwrap_or(0),
            failed_per_s,
            failed_in: failed_in.unwrap_or(0),
        }
    }

    fn unfinished(&self, because: Because) -> Outcome {
        let ladder = self.ladder.as_ref();
        let (passed, failed) = ladder.map_or((None, None), Ladder::extremes);
        let rate =
            |rung: Option<i32>| rung.zip(ladder).map(|(rung, ladder)| ladder.rate_per_s(rung));
        Outcome::Unfinished {
            because,
            passed_per_s: rate(passed).or(self.passed_per_s),
            failed_per_s: rate(failed).or(self.failed_per_s),
        }
    }
}
