//! Confirmation: rates a fixed factor apart, each run several times, interleaved, until one is decided to pass and
//! one above it to fail.
//!
//! Six runs must decide ([`Count`]); where they do not, more are asked for, up to a bound. A rate that stays undecided, or that no run
//! still allowed could decide, is passed over, and the next one stands further off: noise widens the answer's interval, not the
//! time it takes. On the way down a rate that failed twice is left at once; it gets its other runs when a lower one has passed.

use std::collections::BTreeMap;

use narrows_stats::{Side, Slice};

use super::WindowJudgement;
use super::count::{Count, FEWEST};

/// Where a rate is sure to be kept, if a start that is in doubt was about right.
const WELL_BELOW: f64 = 0.5;

/// The runs at one rate.
#[derive(Debug, Clone, Default)]
pub(super) struct GridRate {
    count: Count,
    quantiles_ns: Vec<f64>,
    /// What the runs decided, kept because every step asks for it.
    decided: Option<Side>,
}

impl GridRate {
    /// The runs.
    pub(super) fn count(&self) -> &Count {
        &self.count
    }

    /// Whether the typical run failed, not only all together by a rare stall.
    pub(super) fn fails_typically(&self) -> bool {
        self.count.side() == Side::Above
    }

    /// The goal's percentile of each run, in order, ns.
    pub(super) fn quantiles_ns(&self) -> &[f64] {
        &self.quantiles_ns
    }
}

/// Where the confirmation stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum GridState {
    /// This point needs a run.
    Next(i32),
    /// A point passed, and the one given above it failed (with undecided ones between, perhaps).
    Between { passed: i32, failed: i32 },
    /// The highest rate that may be tried passed.
    Top(i32),
    /// The lowest rate that may be tried failed.
    Bottom(i32),
    /// The highest or the lowest rate that may be tried stayed undecided.
    Open,
    /// A point passed and a lower one failed.
    Contradiction { passed: i32, failed: i32 },
}

/// The rates and their runs.
#[derive(Debug, Clone)]
pub(super) struct RateGrid {
    start_per_s: f64,
    factor: f64,
    lowest_per_s: f64,
    highest_per_s: f64,
    repeats: u64,
    most_repeats: u64,
    points: BTreeMap<i32, GridRate>,
    runs: u64,
    allowed_over: f64,
}

impl RateGrid {
    pub fn new(
        start_per_s: f64,
        factor: f64,
        bounds_per_s: (f64, f64),
        repeats: u32,
        most_repeats: u32,
        allowed_over: f64,
    ) -> Self {
        RateGrid {
            start_per_s,
            factor,
            lowest_per_s: bounds_per_s.0,
            highest_per_s: bounds_per_s.1,
            repeats: u64::from(repeats).max(FEWEST),
            most_repeats: u64::from(most_repeats.max(repeats)).max(FEWEST),
            points: BTreeMap::new(),
            runs: 0,
            allowed_over,
        }
    }

    /// The rate of a point; the outermost ones are the bounds themselves. From the third on the steps grow (1, 2, 4, 7, 11
    /// times the factor …), so that noise, or a start that was far off, costs width instead of hours.
    pub fn rate_per_s(&self, point: i32) -> f64 {
        let n = point.abs();
        let steps = if n == 0 { 0 } else { n * (n - 1) / 2 + 1 };
        (self.start_per_s * self.factor.powi(steps * point.signum()))
            .clamp(self.lowest_per_s, self.highest_per_s)
    }

    pub fn point(&self, point: i32) -> Option<&GridRate> {
        self.points.get(&point)
    }

    pub fn saw(
        &mut self,
        point: i32,
        said: WindowJudgement,
        quantile_ns: Option<u64>,
        slices: &[Slice],
    ) {
        let entry = self.points.entry(point).or_default();
        entry.count.add(said, slices);
        entry.quantiles_ns.extend(quantile_ns.map(|ns| ns as f64));
        self.runs += 1;
        let runs = entry.count.runs();
        // Three runs are added between two looks, because each look has a chance to err.
        let look = runs >= self.repeats && (runs - self.repeats).is_multiple_of(3);
        if look || runs >= self.most_repeats {
            let side = entry.count.decide(self.allowed_over);
            let last = runs >= self.most_repeats
                || entry.count.hopeless(self.most_repeats, self.allowed_over);
            entry.decided = Some(side).filter(|side| *side != Side::Undecided || last);
        }
    }

    /// Passes over what is not decided between here and rates that the search saw on the right side: those are run next. What
    /// is skipped widens the answer.
    pub fn hurry(&mut self, kept_per_s: f64, missed_per_s: f64) {
        let (passed, failed) = self.extremes();
        if passed.is_none() {
            // A start that has missed it several times already is not what the search took it for.
            let doubtful = self
                .points
                .get(&0)
                .is_some_and(|point| point.count.lost() || point.count.against() >= 3);
            let target_per_s = if doubtful { kept_per_s * WELL_BELOW } else { kept_per_s };
            self.skip((0..).map(|i| -i), |rate| rate > target_per_s);
        }
        if failed.is_none() {
            self.skip(passed.unwrap_or(0) + 1.., |rate| rate < missed_per_s);
        }
    }

    /// Where rates that were passed over in a hurry lie between one that passed and one that failed, opens the one nearest to their
    /// middle again; false where none does.
    pub fn reopen(&mut self) -> bool {
        let (Some(passed), Some(failed)) = self.extremes() else { return false };
        let middle = (self.rate_per_s(passed) * self.rate_per_s(failed)).sqrt();
        let off = |point: &i32| (self.rate_per_s(*point) / middle).ln().abs();
        let hurried = |point: &i32| {
            self.decided(*point) == Some(Side::Undecided)
                && self.point(*point).is_some_and(|r| r.count.runs() < self.repeats)
        };
        let nearest = (passed + 1..failed).filter(hurried).min_by(|a, b| off(a).total_cmp(&off(b)));
        let Some(point) = nearest.and_then(|point| self.points.get_mut(&point)) else {
            return false;
        };
        point.decided = None;
        true
    }

    fn skip(&mut self, points: impl Iterator<Item = i32>, short_of: impl Fn(f64) -> bool) {
        for point in points {
            // The outermost one is what an answer without an end would rest on.
            let outermost = self.is_beyond(point + if point > 0 { 1 } else { -1 });
            if outermost || self.is_beyond(point) || !short_of(self.rate_per_s(point)) {
                return;
            }
            self.points.entry(point).or_default().decided.get_or_insert(Side::Undecided);
        }
    }

    /// The decision on a point; `None` while it needs runs.
    fn decided(&self, point: i32) -> Option<Side> {
        self.points.get(&point).and_then(|point| point.decided)
    }

    /// The highest point decided to pass and the lowest decided to fail.
    pub fn extremes(&self) -> (Option<i32>, Option<i32>) {
        let of = |side| {
            self.points.keys().copied().filter(move |point| self.decided(*point) == Some(side))
        };
        (of(Side::Below).next_back(), of(Side::Above).next())
    }

    /// Whether the repeats have come to an end by themselves.
    pub fn is_done(&self) -> bool {
        !matches!(self.state(), GridState::Next(_))
    }

    pub fn state(&self) -> GridState {
        let (highest_passed, lowest_failed) = self.extremes();
        if let (Some(passed), Some(failed)) = (highest_passed, lowest_failed)
            && passed > failed
        {
            return GridState::Contradiction { passed, failed };
        }
        let lost = |point: i32| self.points.get(&point).is_some_and(|point| point.count.lost());
        let leads_on = |point: i32| lost(point) && !self.is_beyond(point - 1);
        let down =
            self.first_open((0..).map(|i| -i).filter(|point| !leads_on(*point)), Side::Below);
        // From the highest pass upwards, or from the neighbour of the start, unless that is too high itself.
        let up = match (highest_passed, lowest_failed) {
            (None, Some(failed)) => FirstOpen::Decided(failed),
            (None, None) if lost(0) => FirstOpen::Decided(0),
            (from, _) => self.first_open(from.unwrap_or(0) + 1.., Side::Above),
        };
        match (down, up) {
            (FirstOpen::Open(down), FirstOpen::Open(up)) => GridState::Next(self.turn(down, up)),
            (FirstOpen::Open(point), _) | (_, FirstOpen::Open(point)) => GridState::Next(point),
            (FirstOpen::End(point), _) if self.decided(point) == Some(Side::Above) => {
                GridState::Bottom(point)
            }
            (FirstOpen::Decided(passed), FirstOpen::End(_)) => {
                let highest = highest_passed.unwrap_or(passed);
                if self.is_beyond(highest + 1) { GridState::Top(highest) } else { GridState::Open }
            }
            (FirstOpen::End(_), _) => GridState::Open,
            (FirstOpen::Decided(passed), FirstOpen::Decided(failed)) => {
                GridState::Between { passed: highest_passed.unwrap_or(passed), failed }
            }
        }
    }

    /// Goes along the points to the first that needs runs, or the first on the wanted side, or the end.
    fn first_open(&self, points: impl Iterator<Item = i32>, wanted: Side) -> FirstOpen {
        let mut last = 0;
        for point in points {
            if self.is_beyond(point) {
                break;
            }
            last = point;
            match self.decided(point) {
                None => return FirstOpen::Open(point),
                Some(side) if side == wanted => return FirstOpen::Decided(point),
                Some(_) => {}
            }
        }
        FirstOpen::End(last)
    }

    /// Whether the point before it already was at the bound, so that this one would repeat it.
    fn is_beyond(&self, point: i32) -> bool {
        let inner = point - point.signum();
        point != 0 && self.rate_per_s(point) == self.rate_per_s(inner)
    }

    /// Two points need runs: A B B A A B B A …, so that a drift touches both alike.
    fn turn(&self, first: i32, second: i32) -> i32 {
        let runs = |point| self.points.get(&point).map_or(0, |point| point.count.runs());
        match runs(first).abs_diff(runs(second)) {
            0 if (self.runs / 2).is_multiple_of(2) => first,
            0 => second,
            _ if runs(first) < runs(second) => first,
            _ => second,
        }
    }
}

enum FirstOpen {
    Open(i32),
    Decided(i32),
    End(i32),
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSED: WindowJudgement = WindowJudgement::Passed { clear: true };
    const FAILED: WindowJudgement = WindowJudgement::Failed { clear: true };

    /// Climbs with a device that passes up to a rate; the order of the points tried.
    fn climb(mut grid: RateGrid, mut passes: impl FnMut(f64) -> bool) -> (GridState, Vec<i32>) {
        let mut order = Vec::new();
        loop {
            match grid.state() {
                GridState::Next(point) => {
                    assert!(order.len() < 400, "it must end: {order:?}");
                    order.push(point);
                    let run = if passes(grid.rate_per_s(point)) { PASSED } else { FAILED };
                    grid.saw(point, run, Some(1), &[]);
                }
                other => return (other, order),
            }
        }
    }

    fn grid(start: f64) -> RateGrid {
        RateGrid::new(start, 1.05, (10.0, 1100.0), 6, 12, 0.01)
    }

    #[test]
    fn a_good_start_takes_twelve_interleaved_runs() {
        let (state, order) = climb(grid(500.0), |rate| rate < 510.0);
        assert_eq!(state, GridState::Between { passed: 0, failed: 1 });
        assert_eq!(order, [0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0]);
    }

    #[test]
    fn it_steps_back_and_up() {
        let (state, order) = climb(grid(500.0), |rate| rate < 460.0);
        assert_eq!(state, GridState::Between { passed: -2, failed: -1 });
        assert!(!order.contains(&3), "{order:?}");
        let (state, _) = climb(grid(500.0), |rate| rate < 560.0);
        assert_eq!(state, GridState::Between { passed: 2, failed: 3 });
    }

    #[test]
    fn an_end_that_nothing_decided_is_neither_kept_nor_missed() {
        let up = RateGrid::new(500.0, 1.05, (10.0, 600.0), 6, 12, 0.01);
        let mut turn = false;
        let (state, _) = climb(up, |rate| {
            turn = !turn;
            rate < 520.0 || turn
        });
        assert_eq!(state, GridState::Open);
        let mut low = RateGrid::new(15.0, 1.05, (10.0, 1100.0), 6, 12, 0.01);
        for said in [PASSED, FAILED, FAILED, FAILED] {
            low.saw(0, said, None, &[]);
        }
        low.hurry(15.0, 640.0);
        assert!(matches!(low.state(), GridState::Next(_)), "{:?}", low.state());
    }

    #[test]
    fn it_ends_at_its_bounds() {
        assert_eq!(climb(grid(1000.0), |_| true).0, GridState::Top(2));
        assert_eq!(climb(grid(1100.0), |_| true).0, GridState::Top(0));
        assert_eq!(climb(grid(11.0), |_| false).0, GridState::Bottom(-2));
        assert_eq!(climb(grid(10.0), |_| false).0, GridState::Bottom(0));
    }

    #[test]
    fn an_undecided_point_widens_the_interval() {
        let mut grid = grid(500.0);
        let mut coin = 0;
        let state = loop {
            let GridState::Next(point) = grid.state() else { break grid.state() };
            coin += 1;
            let passes = point < 0 || (point == 0 && coin % 2 == 0);
            grid.saw(point, if passes { PASSED } else { FAILED }, None, &[]);
            assert!(coin < 100);
        };
        assert_eq!(state, GridState::Between { passed: -1, failed: 1 });
        let runs = grid.point(0).unwrap().count.runs();
        assert!(runs < 12, "{runs} runs where half of them pass: what remains could not decide");
    }

    #[test]
    fn in_a_hurry_rates_that_are_far_enough_are_asked_at_once() {
        let mut grid = grid(500.0);
        grid.hurry(420.0, 640.0);
        let (state, order) = climb(grid, |rate| rate < 530.0);
        let GridState::Between { passed, failed } = state else { panic!("{state:?}") };
        assert_eq!((passed, failed), (-3, 4), "18 % below and 41 % above: {order:?}");
        assert_eq!(order.len(), 12);
    }

    #[test]
    fn a_stall_in_few_runs_is_not_hidden_by_the_others() {
        // One run of six is slow for long: not enough to fail, but not passed either. Four of twelve are.
        let slices = |slow: bool| {
            let over = |i: u64| if slow && i < 5 { 1000 } else { i % 3 };
            (0..50).map(|i| Slice { operations: 1000, over: over(i) }).collect::<Vec<_>>()
        };
        let decided = |slow_runs: &[u64], runs: u64| {
            let mut grid = grid(500.0);
            for i in 0..runs {
                let slow = slow_runs.contains(&i);
                let run = if slow { FAILED } else { PASSED };
                grid.saw(0, run, None, &slices(slow));
            }
            grid.decided(0)
        };
        assert_eq!(decided(&[], 6), Some(Side::Below));
        assert_eq!(decided(&[2], 6), None);
        assert_eq!(decided(&[2], 9), None, "eight of nine passed, but together they did not");
        assert_eq!(decided(&[2], 12), Some(Side::Below), "one in twelve is within one percent");
        assert_eq!(decided(&[0, 6], 12), Some(Side::Undecided), "ten of twelve, 1.7 % together");
        assert_eq!(decided(&[0, 3, 6, 9], 12), Some(Side::Above), "together far beyond");
        assert_eq!(decided(&[0, 1, 3, 4, 6, 7, 9, 10], 12), Some(Side::Above));
    }
}
