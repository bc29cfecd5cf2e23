//! What a search has come to: from the points that the repeats decided to an outcome.

use std::time::Duration;

use narrows_stats::median;
use narrows_stats::trend::mann_kendall;

use super::pooled::{Pooled, pooled};
use super::rate_grid::{GridRate, GridState, RateGrid};
use crate::samples::SAMPLES_BEYOND;

use super::{Answer, Because, Outcome, RateSearch, Stage, Tried, WindowJudgement, same_rate};

/// A window of at least that part of another one's length can contradict it.
const AS_LONG: f64 = 0.5;
/// Rates closer than this may differ in what they say by chance.
const APART: f64 = 1.04;
/// And so far apart not even one window does.
const FAR_APART: f64 = 1.15;
/// What is missed at a rate and kept at so many times that is not the rate's doing.
const TWICE: f64 = 2.0;

impl RateSearch {
    /// What the confirmation has come to; `None` while it goes on.
    pub(super) fn confirmed(&self) -> Option<Outcome> {
        let grid = self.grid.as_ref()?;
        let typical = |point| grid.point(point).and_then(|r| median(r.quantiles_ns()));
        let by_generator = |point| {
            grid.point(point).is_some_and(|r| r.count().by_generator(self.goal.allowed_over()))
        };
        match grid.state() {
            GridState::Next(_) => self.contradiction(),
            GridState::Contradiction { passed, failed } => {
                Some(self.unstable(grid.rate_per_s(passed), grid.rate_per_s(failed)))
            }
            GridState::Open => Some(self.cut_short(Because::Undecided)),
            GridState::Top(point)
                if !self.holds((grid.rate_per_s(point), grid.rate_per_s(point))) =>
            {
                Some(self.unfinished(Because::TooFew))
            }
            GridState::Top(point) => Some(Outcome::Unlimited {
                rate_per_s: grid.rate_per_s(point),
                quantile_ns: typical(point),
            }),
            GridState::Bottom(point) if by_generator(point) => Some(Outcome::GeneratorBound {
                rate_per_s: None,
                generator_per_s: grid.rate_per_s(point),
            }),
            GridState::Bottom(point) => self.contradiction().or(Some(Outcome::Unreachable {
                lowest_per_s: grid.rate_per_s(point),
                quantile_ns: typical(point),
            })),
            GridState::Between { passed, failed } if by_generator(failed) => {
                Some(Outcome::GeneratorBound {
                    rate_per_s: Some(grid.rate_per_s(passed)),
                    generator_per_s: grid.rate_per_s(failed),
                })
            }
            GridState::Between { passed, failed } => {
                let answer = self.answer(grid, passed, failed);
                self.contradiction().or(Some(self.found(answer)))
            }
        }
    }

    fn answer(&self, grid: &RateGrid, passed: i32, failed: i32) -> Answer {
        let at = |point: i32| self.tried.iter().filter(move |t| t.point == Some(point));
        let runs = |point| at(point).filter(|t| t.said != WindowJudgement::Nothing).count() as u32;
        let quantiles_ns = grid.point(passed).map(|r| r.quantiles_ns().to_vec());
        let quantiles_ns = quantiles_ns.unwrap_or_default();
        let independent: Vec<f64> = at(passed)
            .filter_map(|t| t.seen.exceedance())
            .filter(|over| over.clumping_seen)
            // What lies beyond the percentile, worth what those over the limit are worth.
            .map(|over| over.operations as f64 * self.goal.allowed_over() / over.clumping)
            .collect();
        let independent_beyond = median(&independent);
        let rate_per_s = grid.rate_per_s(passed);
        let next_failed_per_s = grid.rate_per_s(failed);
        Answer {
            rate_per_s,
            next_failed_per_s,
            repeats: (runs(passed), runs(failed)),
            rests_on_per_s: ((rate_per_s, rate_per_s), (next_failed_per_s, next_failed_per_s)),
            pooled: false,
            share_over: grid.point(passed).and_then(|r| r.count().together()),
            drift: mann_kendall(&quantiles_ns),
            quantiles_ns,
            independent_beyond,
            burst_per_s: self.burst_above(next_failed_per_s),
            thin: self.is_thin((rate_per_s, rate_per_s)),
        }
    }

    /// The answer from windows of several rates: what the repeats of none decided, all of them together do.
    fn answer_by_all(&self, pooled: Pooled) -> Answer {
        let Pooled { kept_per_s, missed_per_s, windows, share_over, .. } = pooled;
        let own = self.tried.iter().filter(|t| {
            t.step.stage == Stage::Confirm
                && t.said != WindowJudgement::Nothing
                && same_rate(t.step.rate_per_s, kept_per_s)
        });
        let quantiles_ns: Vec<f64> =
            own.filter_map(|t| t.seen.quantile_ns).map(|ns| ns as f64).collect();
        Answer {
            rate_per_s: kept_per_s,
            next_failed_per_s: missed_per_s,
            repeats: windows,
            rests_on_per_s: (
                (kept_per_s, pooled.kept_to_per_s),
                (pooled.missed_from_per_s, missed_per_s),
            ),
            pooled: true,
            share_over,
            drift: mann_kendall(&quantiles_ns),
            quantiles_ns,
            independent_beyond: None,
            burst_per_s: self.burst_above(missed_per_s),
            thin: self.is_thin((kept_per_s, pooled.kept_to_per_s)),
        }
    }

    /// An answer, where its windows hold the percentile that it promises.
    fn found(&self, answer: Answer) -> Outcome {
        if self.holds(answer.rests_on_per_s.0) {
            return Outcome::Found(answer);
        }
        Outcome::Unfinished {
            because: Because::TooFew,
            passed_per_s: Some(answer.rate_per_s),
            failed_per_s: Some(answer.next_failed_per_s),
            apart_per_s: None,
        }
    }

    /// Whether ten operations lie beyond the percentile in all runs together at these rates: the least that any percentile is told from.
    fn holds(&self, rates_per_s: (f64, f64)) -> bool {
        let operations: f64 = self
            .confirming(rates_per_s)
            .map(|t| t.step.rate_per_s * t.step.window.as_secs_f64())
            .sum();
        operations * self.goal.allowed_over() >= SAMPLES_BEYOND
    }

    /// Whether all runs together that say that the rate is kept hold fewer independent operations beyond the percentile than one window
    /// was to hold: what is rare is then not in them, or once.
    fn is_thin(&self, rates_per_s: (f64, f64)) -> bool {
        let seconds: f64 = self.confirming(rates_per_s).map(|t| t.step.window.as_secs_f64()).sum();
        seconds < self.wanted_seconds(rates_per_s.0, 1.0)
    }

    /// The usable windows of the confirmation from one rate to another.
    fn confirming(&self, (low_per_s, high_per_s): (f64, f64)) -> impl Iterator<Item = &Tried> {
        self.tried.iter().filter(move |t| {
            let rate = t.step.rate_per_s;
            t.step.stage == Stage::Confirm
                && t.said != WindowJudgement::Nothing
                && ((low_per_s..=high_per_s).contains(&rate) || same_rate(rate, low_per_s))
        })
    }

    fn burst_above(&self, missed_per_s: f64) -> Option<f64> {
        let shorter = self.longest_confirming();
        let clear = self.tried.iter().filter(|t| {
            t.said == WindowJudgement::Passed { clear: true } && t.step.window < shorter
        });
        let rates = clear.map(|t| t.step.rate_per_s);
        rates.filter(|rate| *rate >= missed_per_s * APART).reduce(f64::max)
    }

    fn longest_confirming(&self) -> Duration {
        let confirming = self.tried.iter().filter(|t| t.step.stage == Stage::Confirm);
        confirming.map(|t| t.step.window).max().unwrap_or_default()
    }

    /// Repeats that say the opposite of what an earlier, clear window said at a rate further out.
    fn contradiction(&self) -> Option<Outcome> {
        let grid = self.grid.as_ref()?;
        let (passed, failed) = grid.extremes();
        // A short window may lie between two stalls, or live on credits: that is no contradiction.
        let long = self.confirm_window.unwrap_or_default().mul_f64(AS_LONG);
        let search = |wanted: WindowJudgement| {
            let search = self.tried.iter().filter(|t| t.step.stage != Stage::Confirm);
            search.filter(move |t| t.said == wanted && t.step.window >= long)
        };
        let typical = |point: &i32| grid.point(*point).is_some_and(GridRate::fails_typically);
        if let Some(failed) = failed.filter(typical).map(|point| grid.rate_per_s(point)) {
            // One window may have been lucky, unless it passed where luck does not reach.
            let clear = search(WindowJudgement::Passed { clear: true });
            let rates: Vec<f64> = clear.rev().map(|t| t.step.rate_per_s).collect();
            let higher = |by: f64| rates.iter().filter(move |rate| **rate >= failed * by);
            let passed = higher(FAR_APART).next().or_else(|| higher(APART).nth(1));
            if let Some(passed) = passed {
                return Some(self.unstable(*passed, failed));
            }
        }
        // A failure counts from two windows on, too.
        if let Some(passed) = passed.map(|point| grid.rate_per_s(point)) {
            let clear = search(WindowJudgement::Failed { clear: true });
            let lower: Vec<f64> =
                clear.map(|t| t.step.rate_per_s).filter(|rate| rate * APART <= passed).collect();
            let twice = lower.iter().find(|rate| lower.iter().filter(|r| r == rate).count() >= 2);
            return twice.map(|failed| self.unstable(passed, *failed));
        }
        None
    }

    fn unstable(&self, passed_per_s: f64, failed_per_s: f64) -> Outcome {
        let at = |rate: f64, wanted: fn(WindowJudgement) -> bool| {
            self.tried
                .iter()
                .enumerate()
                .filter(move |(_, t)| t.step.rate_per_s == rate && wanted(t.said))
                .map(|(i, _)| i)
        };
        let passed_in =
            at(passed_per_s, |said| matches!(said, WindowJudgement::Passed { .. })).next();
        let failed_in =
            at(failed_per_s, |said| matches!(said, WindowJudgement::Failed { .. })).next_back();
        Outcome::Unstable {
            passed_per_s,
            passed_in: passed_in.unwrap_or(0),
            failed_per_s,
            failed_in: failed_in.unwrap_or(0),
        }
    }

    /// The outcome where nothing more may be run. Two points that were decided enclose the crossing, however many between them were
    /// not; else the windows of all rates may, the grids before a restart included.
    pub(super) fn cut_short(&self, because: Because) -> Outcome {
        let found = self.grid.as_ref().and_then(|grid| match grid.extremes() {
            (Some(passed), Some(failed)) if passed < failed => {
                let generator = grid
                    .point(failed)
                    .is_some_and(|r| r.count().by_generator(self.goal.allowed_over()));
                (!generator).then(|| self.answer(grid, passed, failed))
            }
            _ => None,
        });
        found
            .or_else(|| self.by_all())
            .map_or_else(|| self.unfinished(because), |answer| self.found(answer))
    }

    fn by_all(&self) -> Option<Answer> {
        let long = self.longest_confirming().mul_f64(AS_LONG);
        let pooled = pooled(&self.tried, long, self.goal.allowed_over())?;
        Some(self.answer_by_all(pooled))
    }

    fn unfinished(&self, because: Because) -> Outcome {
        let grid = self.grid.as_ref();
        let (passed, failed) = grid.map_or((None, None), RateGrid::extremes);
        let rate = |point: Option<i32>| point.zip(grid).map(|(point, grid)| grid.rate_per_s(point));
        Outcome::Unfinished {
            because,
            passed_per_s: rate(passed).or(self.passed_per_s),
            failed_per_s: rate(failed).or(self.failed_per_s),
            apart_per_s: self.apart(),
        }
    }

    /// What single windows of the confirmation said of rates that no doubt of one window explains.
    fn apart(&self) -> Option<(f64, f64)> {
        let confirming = || self.tried.iter().filter(|t| t.step.stage == Stage::Confirm);
        let missed = confirming().filter(|t| matches!(t.said, WindowJudgement::Failed { .. }));
        let kept = confirming().filter(|t| matches!(t.said, WindowJudgement::Passed { .. }));
        let missed = missed.map(|t| t.step.rate_per_s).reduce(f64::min)?;
        let kept = kept.map(|t| t.step.rate_per_s).reduce(f64::max)?;
        (kept >= missed * TWICE).then_some((missed, kept))
    }
}

#[cfg(test)]
mod tests {
    use super::super::pooled::tests::tried;
    use super::super::{Goal, Settings};
    use super::*;

    #[test]
    fn windows_that_disagree_across_rates_are_told_where_there_is_no_answer() {
        let apart = |windows: Vec<Tried>| {
            let goal = Goal { quantile: 0.99, limit_ns: 1_000_000 };
            let mut search = RateSearch::new(goal, 1000.0, Settings::default());
            search.tried = windows;
            search.apart()
        };
        let stalls = [tried(100.0, 40), tried(180.0, 1), tried(250.0, 1), tried(300.0, 50)];
        assert_eq!(apart(stalls.to_vec()), Some((100.0, 250.0)));
        assert_eq!(apart(stalls[..2].to_vec()), None, "what is so near may be chance");
        assert_eq!(apart(stalls[1..].to_vec()), None, "a rate that is too high is missed");
        assert_eq!(apart(stalls[..1].to_vec()), None);
        // Windows of the search are short, and may lie between two stalls.
        let short = stalls.clone().map(|mut window| {
            window.step.stage = Stage::Bisect;
            window
        });
        assert_eq!(apart(short.to_vec()), None);
    }
}
