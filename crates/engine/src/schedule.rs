//! The schedule of an open loop, by either process, as absolute times from one epoch.
//!
//! [`Constant`] multiplies instead of adding, so that its rate is exact at any rate and after any time: the k-th
//! operation is due at k / rate, rounded once. Several threads that share a rate take every n-th operation each.
//! [`Poisson`] processes add up by themselves.

use crate::{Poisson, Rng};

/// How operations arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arrivals {
    /// Poisson: independent of each other, as from many users: exponential gaps.
    Poisson,
    /// At equal intervals, as from a clock.
    Constant,
    /// At times that somebody recorded, which whoever has them deals; a schedule of their mean rate is even.
    Recorded,
}

impl Arrivals {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Arrivals::Poisson => "poisson",
            Arrivals::Constant => "constant",
            Arrivals::Recorded => "recorded",
        }
    }
}

/// An endless schedule of equal gaps.
#[derive(Debug, Clone)]
pub struct Constant {
    gap_ns: f64,
    next: u64,
    step: u64,
}

impl Constant {
    /// Part `part` of `parts` of a schedule of `rate_per_s` in all; the rate must be positive.
    pub fn new(rate_per_s: f64, (part, parts): (u32, u32)) -> Self {
        assert!(rate_per_s > 0.0 && rate_per_s.is_finite(), "a schedule needs a positive rate");
        assert!(part < parts, "part {part} of {parts}");
        Constant { gap_ns: 1e9 / rate_per_s, next: u64::from(part), step: u64::from(parts) }
    }

    /// When the next operation is due, ns from the epoch.
    #[inline]
    pub fn next_ns(&mut self) -> u64 {
        let at_ns = self.next as f64 * self.gap_ns;
        self.next += self.step;
        at_ns as u64
    }
}

/// An endless schedule by either process.
#[derive(Debug, Clone)]
pub enum Schedule {
    /// Exponential gaps.
    Poisson(Poisson),
    /// Equal gaps.
    Constant(Constant),
}

impl Schedule {
    /// The schedule of one of several threads that share `rate_per_s`; the rate must be positive.
    pub fn new(arrivals: Arrivals, rate_per_s: f64, (part, parts): (u32, u32), seed: u64) -> Self {
        match arrivals {
            Arrivals::Poisson => {
                let seed = Rng::new(seed ^ (u64::from(part) << 32)).next_u64();
                Schedule::Poisson(Poisson::new(rate_per_s / f64::from(parts), seed))
            }
            Arrivals::Constant | Arrivals::Recorded => {
                Schedule::Constant(Constant::new(rate_per_s, (part, parts)))
            }
        }
    }

    /// When the next operation is due, ns from the epoch; never before the one before it.
    #[inline]
    pub fn next_ns(&mut self) -> u64 {
        match self {
            Schedule::Poisson(poisson) => poisson.next_ns(),
            Schedule::Constant(constant) => constant.next_ns(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Operations due before `until_ns`, over all parts.
    fn due_before(arrivals: Arrivals, rate: f64, parts: u32, until_ns: u64) -> u64 {
        (0..parts)
            .map(|part| {
                let mut schedule = Schedule::new(arrivals, rate, (part, parts), 5);
                (0..).take_while(|_: &u64| schedule.next_ns() < until_ns).count() as u64
            })
            .sum()
    }

    #[test]
    fn constant_gaps_give_the_rate_to_the_operation_at_any_rate_and_number_of_threads() {
        for rate in [3.0, 1000.0, 150_000.0, 333_333.0, 600_000.0, 3_000_000.0] {
            for parts in [1, 3, 8] {
                let due = due_before(Arrivals::Constant, rate, parts, 2_000_000_000);
                assert!(due.abs_diff(2 * rate as u64) <= 1, "{rate}: {due}");
            }
        }
    }

    #[test]
    fn poisson_threads_together_give_the_rate() {
        for rate in [10e3, 150e3, 600e3, 3e6] {
            for parts in [1, 4] {
                let due = due_before(Arrivals::Poisson, rate, parts, 1_000_000_000) as f64;
                // Five standard deviations of a Poisson count.
                assert!((due - rate).abs() < 5.0 * rate.sqrt(), "{rate}: {due}");
            }
        }
    }

    #[test]
    fn the_billionth_operation_is_as_exact_as_the_first() {
        let mut schedule = Constant::new(1e6, (0, 1));
        schedule.next = 10_000_000_000;
        assert_eq!(schedule.next_ns(), 10_000_000_000_000);
        assert_eq!(schedule.next_ns(), 10_000_000_001_000);
    }

    #[test]
    fn threads_with_constant_gaps_take_turns() {
        let mut times: Vec<u64> = (0..4)
            .flat_map(|part| {
                let mut schedule = Constant::new(1e6, (part, 4));
                (0..25).map(move |_| schedule.next_ns())
            })
            .collect();
        times.sort_unstable();
        assert_eq!(times, (0..100).map(|k| k * 1000).collect::<Vec<_>>());
    }
}
