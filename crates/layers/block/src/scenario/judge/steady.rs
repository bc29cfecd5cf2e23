//! A figure that has become steady: over the last intervals, the largest deviation from their mean or the slope of a line through them is
//! below a limit.
//!
//! The slope is per interval and not over the window: a drift of one per cent from interval to interval is one per cent, and sixty over
//! sixty of them.

use std::collections::VecDeque;
use std::time::Duration;

use super::Done;

/// What is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SteadyValue {
    /// Operations per second.
    Operations,
    /// Bytes per second.
    Bytes,
    /// Mean latency, ns.
    Latency,
}

/// When it is steady.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SteadyRule {
    /// What is looked at.
    pub value: SteadyValue,
    /// The slope per interval, or the largest deviation from the mean.
    pub slope: bool,
    /// Per cent of the mean, or in the value's unit.
    pub percent: bool,
    /// Below that it is steady.
    pub limit: f64,
    /// Over the last so many intervals; at least 1.
    pub intervals: usize,
    /// How long one is.
    pub interval: Duration,
    /// Nothing before counts.
    pub lead_in: Duration,
}

/// What it was judged by.
#[derive(Debug, Clone, PartialEq)]
pub struct SteadySeen {
    /// The rule.
    pub rule: SteadyRule,
    /// Whether it was steady, and ended for it.
    pub attained: bool,
    /// The last criterion: the slope or the deviation, in per cent where the rule is; 0 before there were intervals enough.
    pub criterion: f64,
    /// The largest deviation from the mean, in the value's unit; 0 for a slope.
    pub deviation: f64,
    /// The slope per interval, in the value's unit; 0 for a deviation.
    pub slope: f64,
    /// Operations per second, bytes per second and mean latency (ns) of the last intervals, in their order.
    pub samples: Vec<[u64; 3]>,
}

#[derive(Debug)]
pub(super) struct Judging {
    /// What each thread had done at the last look.
    before: Vec<Done>,
    looked_ns: Option<u64>,
    samples: VecDeque<[u64; 3]>,
    seen: SteadySeen,
}

impl Judging {
    pub(super) fn of(rule: SteadyRule, threads: usize) -> Judging {
        let seen = SteadySeen {
            rule,
            attained: false,
            criterion: 0.0,
            deviation: 0.0,
            slope: 0.0,
            samples: Vec::new(),
        };
        Judging {
            before: vec![Done::default(); threads],
            looked_ns: None,
            samples: VecDeque::new(),
            seen,
        }
    }

    pub(super) fn seen(&self) -> SteadySeen {
        SteadySeen { samples: self.samples.iter().copied().collect(), ..self.seen.clone() }
    }

    /// Whether it is steady.
    pub(super) fn look(&mut self, now_ns: u64, done: &[Done]) -> bool {
        let rule = self.seen.rule;
        let interval_ns = rule.interval.as_nanos() as u64;
        let began_ns = done.iter().map(|one| one.began_ns).filter(|at| *at > 0).min();
        let Some(began_ns) = began_ns else { return false };
        let since_ns = self.looked_ns.unwrap_or(began_ns);
        if now_ns < since_ns + interval_ns {
            return false;
        }
        let before = std::mem::replace(&mut self.before, done.to_vec());
        // The next one ends an interval after this one did; a late look makes one longer, and rates are over what it was.
        self.looked_ns = Some(now_ns);
        let lead_in_ns = rule.lead_in.as_nanos() as u64 + interval_ns;
        let counts = |one: &Done| {
            one.began_ns > 0 && !one.ended && now_ns >= one.began_ns.saturating_add(lead_in_ns)
        };
        let parts: Vec<(&Done, &Done)> =
            done.iter().zip(&before).filter(|(one, _)| counts(one)).collect();
        if parts.is_empty() {
            return false;
        }
        let sum = |of: fn(&Done) -> u64| -> u64 {
            parts.iter().map(|(now, then)| of(now).saturating_sub(of(then))).sum()
        };
        let operations = sum(|one| one.operations.iter().sum());
        let bytes = sum(|one| one.bytes.iter().sum());
        let passed_ns = u128::from(now_ns - since_ns);
        let per_s = |count: u64| (u128::from(count) * 1_000_000_000 / passed_ns) as u64;
        let latency_ns = sum(|one| one.latency_sum_ns).checked_div(operations).unwrap_or(0);
        self.samples.push_back([per_s(operations), per_s(bytes), latency_ns]);
        if self.samples.len() > rule.intervals {
            self.samples.pop_front();
        }
        self.samples.len() == rule.intervals && self.judge()
    }

    /// Whether the last intervals are steady.
    fn judge(&mut self) -> bool {
        let rule = self.seen.rule;
        let which = match rule.value {
            SteadyValue::Operations => 0,
            SteadyValue::Bytes => 1,
            SteadyValue::Latency => 2,
        };
        let values: Vec<f64> = self.samples.iter().map(|sample| sample[which] as f64).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let found = if rule.slope { slope(&values) } else { deviation(&values, mean) };
        self.seen.criterion = if rule.percent { 100.0 * found / mean } else { found };
        if rule.slope {
            self.seen.slope = found;
        } else {
            self.seen.deviation = found;
        }
        // Of nothing nothing is steady: the share is no number then.
        self.seen.attained = self.seen.criterion.abs() < rule.limit;
        self.seen.attained
    }
}

/// The largest distance from the mean.
fn deviation(values: &[f64], mean: f64) -> f64 {
    values.iter().map(|value| (value - mean).abs()).fold(0.0, f64::max)
}

/// Of the line of least squares, per interval.
fn slope(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let (mut x, mut y, mut xy, mut xx) = (0.0, 0.0, 0.0, 0.0);
    for (at, value) in values.iter().enumerate() {
        let at = at as f64;
        x += at;
        y += value;
        xy += at * value;
        xx += at * at;
    }
    (xy - x * y / n) / (xx - x * x / n)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn rule(value: SteadyValue, slope: bool, limit: f64) -> SteadyRule {
        SteadyRule {
            value,
            slope,
            percent: true,
            limit,
            intervals: 4,
            interval: Duration::from_secs(1),
            lead_in: Duration::from_secs(2),
        }
    }

    /// Looks every second at one thread that does so many operations in each, of 512 bytes and so many ns each; the second at which
    /// it is steady.
    fn steady_at(rule: SteadyRule, each: &[u64], latency_ns: u64) -> (Option<usize>, SteadySeen) {
        let mut judging = Judging::of(rule, 1);
        let mut all = 0;
        for (second, operations) in each.iter().enumerate() {
            all += operations;
            let done = Done {
                began_ns: 7,
                operations: [all, 0, 0],
                bytes: [all * 512, 0, 0],
                latency_sum_ns: all * latency_ns,
                ..Done::default()
            };
            if judging.look(7 + (second as u64 + 1) * SECOND, &[done]) {
                return (Some(second), judging.seen());
            }
        }
        (None, judging.seen())
    }

    #[test]
    fn the_largest_deviation_within_the_window_decides() {
        // The two seconds of lead-in count for nothing; from the third on four intervals fill the window.
        let each = [1, 9000, 100, 104, 100, 96, 100, 100, 101, 99];
        let (at, seen) = steady_at(rule(SteadyValue::Operations, false, 2.0), &each, 10);
        assert_eq!(at, Some(9));
        assert!(seen.attained && seen.slope == 0.0);
        assert_eq!(
            seen.samples.iter().map(|sample| sample[0]).collect::<Vec<_>>(),
            [100, 100, 101, 99]
        );
        assert_eq!((seen.deviation, seen.criterion), (1.0, 1.0));
        let (at, seen) = steady_at(rule(SteadyValue::Bytes, false, 5.0), &each, 10);
        assert_eq!((at, seen.deviation), (Some(5), 4.0 * 512.0));
        let (at, _) = steady_at(rule(SteadyValue::Bytes, false, 1.0), &each, 10);
        assert_eq!(at, None, "below the limit, not at it");
    }

    #[test]
    fn a_slope_is_per_interval() {
        let each = [0, 0, 100, 110, 120, 130, 131, 131, 131];
        let (at, seen) = steady_at(rule(SteadyValue::Operations, true, 1.0), &each, 10);
        assert_eq!(at, Some(8));
        assert!((seen.slope - 0.3).abs() < 1e-9, "{seen:?}");
        let (at, seen) = steady_at(rule(SteadyValue::Operations, true, 10.0), &each, 10);
        assert_eq!(at, Some(5));
        assert!(
            (seen.slope - 10.0).abs() < 1e-9 && (seen.criterion - 8.69565).abs() < 1e-4,
            "{seen:?}"
        );
    }

    #[test]
    fn latency_is_judged_by_its_mean_and_nothing_is_not_steady() {
        let mut by_time = rule(SteadyValue::Latency, false, 1.0);
        by_time.percent = false;
        let (at, seen) = steady_at(by_time, &[50; 8], 777);
        assert_eq!((at, seen.samples[0][2]), (Some(5), 777));
        let (at, _) = steady_at(rule(SteadyValue::Operations, false, 50.0), &[0; 9], 0);
        assert_eq!(at, None);
    }

    #[test]
    fn threads_count_from_their_own_beginning_and_to_their_own_end() {
        let mut judging = Judging::of(rule(SteadyValue::Operations, false, 1.0), 2);
        let done = |began_ns, all, ended| Done {
            began_ns,
            ended,
            operations: [all, 0, 0],
            ..Done::default()
        };
        for second in 1..=6 {
            let late =
                if second < 3 { Done::default() } else { done(2 * SECOND + 7, 10 * second, false) };
            let steady =
                judging.look(7 + second * SECOND, &[done(7, 100 * second, second > 5), late]);
            assert!(!steady);
        }
        // Two in the lead-in; then one thread, both, and one again.
        let rates: Vec<u64> = judging.seen().samples.iter().map(|sample| sample[0]).collect();
        assert_eq!(rates, [100, 100, 110, 10]);
    }
}
