//! Rounds of one workload until its rate lasts, by the criteria of SNIA's Performance Test Specification, on a file
//! or on a device.
//!
//! Pure: a round goes in, and whether another is needed comes out. The criteria themselves are
//! [`narrows_stats::steady::snia`]; here is what they need around them: no round is left out, 25 at most, the drift of
//! every window is kept, the trend within the last window is tested on the finer series, and what was written, and where, is
//! held against the capacity: a drive that was never filled is steady only until it is, and one on which the same few
//! gigabytes are written over and over has all the rest for spare blocks.
//!
//! A comparison of two configurations must not end early because one looks good ([`Ending::After`]): that stops at
//! the lucky moment.

use narrows_stats::slope;
use narrows_stats::steady::{SNIA_RANGE, SNIA_ROUNDS, SNIA_SLOPE, Steady, snia};

/// SNIA gives up after so many rounds, and says so.
pub const MOST_ROUNDS: usize = 25;
/// SNIA preconditions by writing the user capacity so many times (PTS 2.0.2, workload-independent preconditioning).
pub const PASSES: u64 = 2;
/// The rounds' address range (SNIA's ActiveRange) over the capacity, at least: what is spared is over-provisioning to the drive, and
/// a tenth more of that is what the difference between drive classes is.
pub const WHOLE: f64 = 0.9;

/// When the rounds end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// As soon as steady state is shown, or cannot be shown any more.
    WhenShown,
    /// After so many rounds, whatever they show: for comparisons.
    After(usize),
}

/// What is known of the medium, and what may be spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Medium {
    /// Bytes that the medium holds; for a file the whole device below it, whose spare area is shared. `None`: unknown.
    pub capacity_bytes: Option<u64>,
    /// Bytes of the address range that the rounds, and what was written before them, lie in (SNIA's ActiveRange). `None`: unknown.
    pub range_bytes: Option<u64>,
    /// Bytes written to it before the first round (preconditioning), since it was empty or known to be full.
    pub written_before_bytes: u64,
    /// Rounds stop before more than this is written. `None`: no bound.
    pub budget_bytes: Option<u64>,
}

/// One round.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    /// The tracking variable: operations or bytes per second of the round.
    pub value: f64,
    /// Bytes written in it; `None` when nobody counted.
    pub written_bytes: Option<u64>,
    /// The tracking variable in finer steps, a second each; may be empty.
    pub series: Vec<f64>,
}

/// What a write figure is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WriteState {
    /// Not steady, or the medium was not written full before, or only a part of it is written: the rate may be another one for all of it.
    Burst,
    /// Criteria met over the whole medium, which had been written full twice.
    Sustained,
    /// The criteria are met, and nobody knows how much the medium holds or was written.
    Unknown,
}

impl WriteState {
    /// The word of `model::condition::WRITE_STATE`.
    pub fn word(self) -> &'static str {
        match self {
            WriteState::Burst => "burst",
            WriteState::Sustained => "sustained",
            WriteState::Unknown => "unknown",
        }
    }
}

/// Why that state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Because {
    /// All was shown.
    Shown,
    /// Fewer than five rounds.
    TooFewRounds,
    /// The last five rounds do not meet SNIA's criteria.
    NotSteady,
    /// They do, but the finer series shows a drift of more than 10 % over them, or is too noisy to exclude 20 %.
    MayDrift,
    /// Steady, but less was written before these rounds than [`PASSES`] times the range.
    NotWrittenFull,
    /// Steady over a range that is less than [`WHOLE`] of the capacity: the rest was empty, or nobody knows what is there.
    PartOfCapacity,
    /// Steady, but the capacity, the range or what was written is not known.
    NotKnown,
}

/// The drift of five rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WindowDrift {
    /// Its first round, from zero.
    pub first_round: usize,
    /// SNIA's two shares, and whether both were within.
    pub steady: Steady,
    /// The drift by the finer series over these rounds, as a share of their mean, with its 95 % interval; absent where
    /// there were fewer than 20 points.
    pub trend: Option<(f64, (f64, f64))>,
    /// Bytes written before its first round; `None` when unknown.
    pub written_before_bytes: Option<u64>,
}

impl WindowDrift {
    /// The finer series shows a drift beyond SNIA's slope, or leaves room for one beyond SNIA's whole range.
    fn may_drift(&self) -> bool {
        self.trend.is_some_and(|(share, (low, high))| {
            let shown = (low > 0.0 || high < 0.0) && share.abs() > SNIA_SLOPE;
            shown || low < -SNIA_RANGE || high > SNIA_RANGE
        })
    }
}

/// The end of the rounds.
#[derive(Debug, Clone, PartialEq)]
pub struct SteadyVerdict {
    /// What the figure is worth.
    pub state: WriteState,
    /// Why.
    pub because: Because,
    /// Mean of the tracking variable over the last five rounds (of all, where there are fewer).
    pub value: Option<f64>,
    /// Drift of every window of five rounds, in order.
    pub windows: Vec<WindowDrift>,
    /// All that was written, preconditioning included; `None` when unknown.
    pub written_bytes: Option<u64>,
    /// That over the capacity.
    pub written_share: Option<f64>,
    /// Address range of the rounds, bytes, and the capacity; `None` where one of them is unknown.
    pub range_of_bytes: Option<(u64, u64)>,
}

/// The rounds so far.
#[derive(Debug, Clone)]
pub struct SteadyState {
    medium: Medium,
    ending: Ending,
    rounds: Vec<Round>,
    windows: Vec<WindowDrift>,
}

impl SteadyState {
    /// No rounds yet.
    pub fn new(medium: Medium, ending: Ending) -> Self {
        SteadyState { medium, ending, rounds: Vec::new(), windows: Vec::new() }
    }

    /// The rounds, none left out.
    pub fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    /// Whether another round is to be run.
    pub fn wants_round(&self) -> bool {
        let next_bytes = self.rounds.last().and_then(|round| round.written_bytes);
        if let (Some(budget), Some(written), Some(next)) =
            (self.medium.budget_bytes, self.written_in_rounds(), next_bytes)
            && written + next > budget
        {
            return false;
        }
        match self.ending {
            Ending::After(rounds) => self.rounds.len() < rounds,
            Ending::WhenShown => {
                let hopeless = self.last_steady() && !self.can_be_written_full();
                self.rounds.len() < MOST_ROUNDS && self.because() != Because::Shown && !hopeless
            }
        }
    }

    /// A round that was run.
    pub fn saw(&mut self, round: Round) {
        self.rounds.push(round);
        if let Some(first_round) = self.rounds.len().checked_sub(SNIA_ROUNDS) {
            let window = &self.rounds[first_round..];
            let values: Vec<f64> = window.iter().map(|round| round.value).collect();
            let before: Option<u64> =
                self.rounds[..first_round].iter().map(|round| round.written_bytes).sum();
            self.windows.push(WindowDrift {
                first_round,
                steady: snia(&values),
                trend: trend(window),
                written_before_bytes: before.map(|bytes| bytes + self.medium.written_before_bytes),
            });
        }
    }

    /// What the rounds so far show.
    pub fn verdict(&self) -> SteadyVerdict {
        let because = self.because();
        let state = match because {
            Because::Shown => WriteState::Sustained,
            Because::NotKnown => WriteState::Unknown,
            _ => WriteState::Burst,
        };
        let last = &self.rounds[self.rounds.len().saturating_sub(SNIA_ROUNDS)..];
        let mean = last.iter().map(|round| round.value).sum::<f64>() / last.len() as f64;
        let written_bytes =
            self.written_in_rounds().map(|bytes| bytes + self.medium.written_before_bytes);
        let capacity = self.medium.capacity_bytes.filter(|bytes| *bytes > 0);
        SteadyVerdict {
            state,
            because,
            value: (!last.is_empty()).then_some(mean),
            windows: self.windows.clone(),
            written_bytes,
            written_share: written_bytes.zip(capacity).map(|(w, c)| w as f64 / c as f64),
            range_of_bytes: self.medium.range_bytes.zip(capacity),
        }
    }

    fn because(&self) -> Because {
        let Some(window) = self.windows.last() else { return Because::TooFewRounds };
        if !window.steady.attained {
            return Because::NotSteady;
        }
        if window.may_drift() {
            return Because::MayDrift;
        }
        if self.is_part() {
            return Because::PartOfCapacity;
        }
        match (window.written_before_bytes, self.needed_bytes()) {
            (Some(written), Some(needed)) if written >= needed => Because::Shown,
            (Some(_), Some(_)) => Because::NotWrittenFull,
            _ => Because::NotKnown,
        }
    }

    /// Whether the range is known to be less than the medium.
    fn is_part(&self) -> bool {
        let known = self.medium.range_bytes.zip(self.medium.capacity_bytes);
        known.is_some_and(|(range, capacity)| (range as f64) < WHOLE * capacity as f64)
    }

    /// What has to be written before the last five rounds; `None` where capacity or range is unknown.
    fn needed_bytes(&self) -> Option<u64> {
        self.medium.capacity_bytes?;
        Some(self.medium.range_bytes?.saturating_mul(PASSES))
    }

    fn last_steady(&self) -> bool {
        self.windows.last().is_some_and(|window| window.steady.attained && !window.may_drift())
    }

    /// Whether the rounds that are left could fill the medium before a last window, at the pace of the last round.
    fn can_be_written_full(&self) -> bool {
        let (Some(needed), Some(written)) = (self.needed_bytes(), self.written_in_rounds()) else {
            return false;
        };
        if self.is_part() {
            return false;
        }
        let pace = self.rounds.last().and_then(|round| round.written_bytes).unwrap_or(0);
        let left = (MOST_ROUNDS - SNIA_ROUNDS).saturating_sub(self.rounds.len()) as u64;
        let reached = self.medium.written_before_bytes + written;
        let spend = self.medium.budget_bytes.map_or(u64::MAX, |b| b.saturating_sub(written));
        reached.saturating_add(pace.saturating_mul(left).min(spend)) >= needed
    }

    /// `None` when a round was not counted.
    fn written_in_rounds(&self) -> Option<u64> {
        self.rounds.iter().map(|round| round.written_bytes).sum()
    }
}

/// Drift over a window by its finer series.
fn trend(window: &[Round]) -> Option<(f64, (f64, f64))> {
    let series: Vec<f64> = window.iter().flat_map(|round| round.series.iter().copied()).collect();
    let found = slope(&series)?;
    let mean = series.iter().sum::<f64>() / series.len() as f64;
    let share = |per_step: f64| per_step * (series.len() - 1) as f64 / mean;
    let (low, high) = found.interval_95;
    (mean > 0.0).then(|| (share(found.per_step), (share(low), share(high))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    fn medium(capacity: Option<u64>, before: u64) -> Medium {
        Medium {
            capacity_bytes: capacity,
            range_bytes: capacity,
            written_before_bytes: before,
            budget_bytes: None,
        }
    }

    fn round(value: f64) -> Round {
        Round { value, written_bytes: Some(GIB), series: Vec::new() }
    }

    /// Runs until the controller has enough; the number of rounds.
    fn run(mut steady: SteadyState, value: impl Fn(usize) -> f64) -> (SteadyVerdict, usize) {
        while steady.wants_round() {
            steady.saw(round(value(steady.rounds().len())));
        }
        (steady.verdict(), steady.rounds().len())
    }

    #[test]
    fn a_full_medium_that_is_steady_needs_five_rounds() {
        let steady = SteadyState::new(medium(Some(100 * GIB), 200 * GIB), Ending::WhenShown);
        let (verdict, rounds) = run(steady, |_| 100.0);
        assert_eq!(
            (verdict.state, verdict.because, rounds),
            (WriteState::Sustained, Because::Shown, 5)
        );
        assert_eq!((verdict.value, verdict.written_share), (Some(100.0), Some(2.05)));
    }

    #[test]
    fn it_goes_on_until_the_medium_was_written_full() {
        let steady = SteadyState::new(medium(Some(10 * GIB), 0), Ending::WhenShown);
        let (verdict, rounds) = run(steady, |_| 100.0);
        assert_eq!((verdict.state, rounds), (WriteState::Sustained, 25), "twenty fill it twice");
        assert_eq!(verdict.windows.len(), 21);
    }

    #[test]
    fn it_does_not_go_on_where_that_cannot_be_reached() {
        let steady = SteadyState::new(medium(Some(1000 * GIB), 0), Ending::WhenShown);
        let (verdict, rounds) = run(steady, |_| 100.0);
        assert_eq!(
            (verdict.state, verdict.because, rounds),
            (WriteState::Burst, Because::NotWrittenFull, 5)
        );
    }

    /// The same four gigabytes fifteen times are a drive's capacity in bytes and a sixteenth of its addresses.
    #[test]
    fn a_part_of_the_addresses_is_no_capacity_however_often_it_is_written() {
        let over = |range_bytes| {
            let medium = Medium { range_bytes, ..medium(Some(60 * GIB), 600 * GIB) };
            run(SteadyState::new(medium, Ending::WhenShown), |_| 100.0)
        };
        let (verdict, rounds) = over(Some(4 * GIB));
        assert_eq!(
            (verdict.state, verdict.because, rounds),
            (WriteState::Burst, Because::PartOfCapacity, 5),
            "no round more helps"
        );
        assert_eq!(verdict.range_of_bytes, Some((4 * GIB, 60 * GIB)));
        assert_eq!(over(Some(53 * GIB)).0.because, Because::PartOfCapacity);
        assert_eq!(over(Some(54 * GIB)).0.because, Because::Shown);
        assert_eq!(over(None).0.state, WriteState::Unknown);
    }

    #[test]
    fn what_is_not_known_is_said() {
        let steady = SteadyState::new(medium(None, 0), Ending::WhenShown);
        assert_eq!(run(steady, |_| 100.0).0.state, WriteState::Unknown);
        let mut steady = SteadyState::new(medium(Some(GIB), 9 * GIB), Ending::WhenShown);
        steady.saw(Round { written_bytes: None, ..round(1.0) });
        while steady.wants_round() {
            steady.saw(round(1.0));
        }
        assert_eq!(steady.verdict().because, Because::Shown, "the last window is after a full one");
        assert_eq!(steady.verdict().written_bytes, None);
    }

    #[test]
    fn a_falling_rate_is_burst_after_twenty_five_rounds() {
        let steady = SteadyState::new(medium(Some(GIB), 9 * GIB), Ending::WhenShown);
        let (verdict, rounds) = run(steady, |i| 100.0 * 0.9f64.powi(i as i32));
        assert_eq!(
            (verdict.state, verdict.because, rounds),
            (WriteState::Burst, Because::NotSteady, 25)
        );
    }

    #[test]
    fn a_comparison_does_not_end_early() {
        let steady = SteadyState::new(medium(Some(GIB), 9 * GIB), Ending::After(12));
        assert_eq!(run(steady, |_| 100.0).1, 12);
    }

    #[test]
    fn a_budget_is_kept() {
        let bounded = Medium { budget_bytes: Some(7 * GIB), ..medium(Some(1000 * GIB), 0) };
        let (verdict, rounds) =
            run(
                SteadyState::new(bounded, Ending::WhenShown),
                |i| if i % 2 == 0 { 1.0 } else { 2.0 },
            );
        assert_eq!((rounds, verdict.because), (7, Because::NotSteady));
    }

    #[test]
    fn a_drift_inside_the_rounds_is_seen() {
        // Rounds that jump enough to hide a fall of 15 % from SNIA's line are told by their series.
        let mut steady = SteadyState::new(medium(Some(GIB), 9 * GIB), Ending::After(5));
        for i in 0..5 {
            let series = (0..60).map(|s| 100.0 - 0.05 * f64::from(i * 60 + s)).collect();
            steady.saw(Round { series, ..round(100.0) });
        }
        let verdict = steady.verdict();
        assert_eq!((verdict.state, verdict.because), (WriteState::Burst, Because::MayDrift));
        let (share, _) = verdict.windows[0].trend.expect("300 points");
        assert!((-0.17..-0.15).contains(&share), "{share}");
    }

    #[test]
    fn too_few_rounds_are_burst() {
        let steady = SteadyState::new(medium(None, 0), Ending::After(4));
        assert_eq!(run(steady, |_| 1.0).0.because, Because::TooFewRounds);
    }
}
