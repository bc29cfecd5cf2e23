//! How a search for the highest rate within a limit can end.

use narrows_model::CalibrationEnd;
use narrows_stats::Exceedance;
use narrows_stats::trend::Trend;

/// The end of a search. Rates are operations per second.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// A rate met the goal in its repeats and the next one missed it in its own.
    Found(Answer),
    /// Even the lowest rate that was tried misses the goal.
    Unreachable {
        /// That rate.
        lowest_per_s: f64,
        /// The goal's percentile there, median of its runs, ns; absent where no run had one.
        quantile_ns: Option<f64>,
    },
    /// No rate missed the goal: the ceiling (or whatever set it, depth, generator) is in the way, not latency.
    Unlimited {
        /// The highest rate confirmed by repeats.
        rate_per_s: f64,
        /// Its percentile, median of the repeats, ns.
        quantile_ns: Option<f64>,
    },
    /// The device is not the same all the time: it met the goal at one rate and missed it at a lower one, in windows
    /// that are as long.
    Unstable {
        /// The rate that met it.
        passed_per_s: f64,
        /// Number of the window (from zero) in which it did, the first such.
        passed_in: usize,
        /// The lower rate that missed it.
        failed_per_s: f64,
        /// Number of the last window in which it did.
        failed_in: usize,
    },
    /// Above the rate that passed, the generator was late or did not offer the load: the device may give more.
    GeneratorBound {
        /// The highest rate confirmed by repeats; absent where none was.
        rate_per_s: Option<f64>,
        /// Where the generator could not follow.
        generator_per_s: f64,
    },
    /// The budget of windows was used up.
    Unfinished {
        /// Why.
        because: Because,
        /// The highest rate that passed so far, in repeats or in the search.
        passed_per_s: Option<f64>,
        /// The lowest that failed so far.
        failed_per_s: Option<f64>,
        /// Where single windows of the confirmation missed the goal well below one that kept it: the lowest rate that was missed, and the highest
        /// that was kept.
        apart_per_s: Option<(f64, f64)>,
    },
}

impl Outcome {
    /// The rate that was kept in repeats, where there is one.
    pub fn kept_per_s(&self) -> Option<f64> {
        match self {
            Outcome::Found(answer) => Some(answer.rate_per_s),
            Outcome::Unlimited { rate_per_s, .. } => Some(*rate_per_s),
            Outcome::GeneratorBound { rate_per_s, .. } => *rate_per_s,
            _ => None,
        }
    }

    /// The rate that passed in any way, for the curve around it.
    pub fn passed_per_s(&self) -> Option<f64> {
        match self {
            Outcome::Unfinished { passed_per_s, .. } => *passed_per_s,
            Outcome::Unstable { failed_per_s, .. } => Some(*failed_per_s),
            _ => self.kept_per_s(),
        }
    }

    /// What the windows of a confirmed rate are called (`kept`, `beyond.next`, `below.N`, `beyond.N` by their place `number`),
    /// and whether an answer rests on them.
    pub fn name_of(&self, rate_per_s: f64, number: usize) -> (String, bool) {
        let is = |other: Option<f64>| other.is_some_and(|other| same_rate(rate_per_s, other));
        let (kept, next) = match self {
            Outcome::Found(answer) => (Some(answer.rate_per_s), Some(answer.next_failed_per_s)),
            _ => (self.kept_per_s(), None),
        };
        let rests = matches!(self, Outcome::Found(answer) if answer.rests_on(rate_per_s));
        if is(kept) {
            ("kept".to_string(), true)
        } else if is(next) {
            ("beyond.next".to_string(), true)
        } else if kept.is_some_and(|kept| rate_per_s < kept) {
            (format!("below.{number}"), rests)
        } else {
            (format!("beyond.{number}"), rests)
        }
    }
}

impl From<&Outcome> for CalibrationEnd {
    fn from(outcome: &Outcome) -> CalibrationEnd {
        match outcome {
            Outcome::Found(_) => CalibrationEnd::Found,
            Outcome::Unreachable { .. } => CalibrationEnd::Unreachable,
            Outcome::Unlimited { .. } => CalibrationEnd::Unlimited,
            Outcome::Unstable { .. } => CalibrationEnd::Unstable,
            Outcome::GeneratorBound { .. } => CalibrationEnd::GeneratorBound,
            Outcome::Unfinished { .. } => CalibrationEnd::Unfinished,
        }
    }
}

/// Whether two rates are the same point: neighbours of one grid are five per cent apart.
pub fn same_rate(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-6
}

/// Why a search did not finish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Because {
    /// So many windows were allowed.
    Windows,
    /// The repeats at the highest or the lowest rate that may be tried said now this, now that.
    Undecided,
    /// Too many windows were unusable.
    Unusable,
    /// The time that the caller had was used up.
    Time,
    /// The bytes that the caller may write were used up.
    Bytes,
    /// Fewer than ten operations lay beyond the percentile in all windows that say that the rate is kept.
    TooFew,
}

/// The highest rate that meets a goal.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The highest rate confirmed by repeats: the promise.
    pub rate_per_s: f64,
    /// The lowest rate above it that repeats showed to miss the goal. The crossing lies between the two.
    pub next_failed_per_s: f64,
    /// Runs at the two rates.
    pub repeats: (u32, u32),
    /// True when the runs of no two rates sufficed, and those of rates above the lower one and below the higher one were counted
    /// with theirs.
    pub pooled: bool,
    /// The goal's percentile in each run at `rate_per_s`, in order, ns.
    pub quantiles_ns: Vec<f64>,
    /// The rates whose runs decided it: from the one that is kept upwards, and up to the one that is missed.
    pub rests_on_per_s: ((f64, f64), (f64, f64)),
    /// The share over the limit of all operations at `rate_per_s` together, with its doubt.
    pub share_over: Option<Exceedance>,
    /// Drift of `quantiles_ns`; a small chance says that the device changed during the confirmation.
    pub drift: Option<Trend>,
    /// Independent operations beyond the percentile in a typical run; absent where that could not be seen.
    pub independent_beyond: Option<f64>,
    /// The highest rate well above the answer that clearly met the goal before, in a shorter window: what the device gives
    /// for a moment, between two stalls or as long as credits last.
    pub burst_per_s: Option<f64>,
    /// True when all runs that say that the rate is kept hold fewer of them together than one window was to hold.
    pub thin: bool,
}

/// An interval whose upper end is more than so many times the lower is worth more windows.
const WIDE: f64 = 1.15;

impl Answer {
    /// Whether runs at that rate had a part in it.
    fn rests_on(&self, rate_per_s: f64) -> bool {
        let within = |(low, high): (f64, f64)| {
            (low <= rate_per_s && rate_per_s <= high)
                || same_rate(rate_per_s, low)
                || same_rate(rate_per_s, high)
        };
        within(self.rests_on_per_s.0) || within(self.rests_on_per_s.1)
    }

    pub(super) fn is_wide(&self) -> bool {
        self.next_failed_per_s > WIDE * self.rate_per_s
    }

    /// Where the crossing lies: both ends are decided by repeats at 5 %, two-sided.
    pub fn interval_95(&self) -> (f64, f64) {
        (self.rate_per_s, self.next_failed_per_s)
    }
}
