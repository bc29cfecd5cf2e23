//! Runs that are counted together, and what they decide.
//!
//! The replicate is a run. A rate passes when the order-statistic interval over its runs lies wholly on the good side
//! ([`narrows_stats::median_side`]) and all runs together are within the goal; or when that what all of them together miss is
//! less than allowed with 95 % confidence, however the single ones fell. The first serves a steady device, whose runs are alike; the
//! second one that stalls now and then, where every run is a matter of luck and only their sum is not. The condition on all
//! together is for what is rare: stalls that strike every tenth run leave the median run untouched and the user not.
//! For the same reason a rate fails when its runs do, or when all of them together clearly do.

use narrows_stats::{Exceedance, Side, Slice, exceedance, mean_interval_95, median_side};

use super::WindowJudgement;

/// Runs that decide at least.
pub(super) const FEWEST: u64 = 6;
/// All runs together fail a rate whose typical run does not fail only when so many times as many are over the limit as
/// may be, or when the mean of the runs excludes the limit: near it the runs one by one decide, or nothing does.
const FAR_BEYOND: f64 = 2.0;
/// The mean of runs can hardly get below what is allowed by the runs that are left, when it is above this share of that.
const NEAR: f64 = 0.7;
/// A rate that failed that often and never passed is not what it was taken for.
const LOST: u64 = 2;

/// Runs at one rate, or at rates that speak for one.
#[derive(Debug, Clone, Default)]
pub(super) struct Count {
    passed: u64,
    failed: u64,
    generator: u64,
    /// Of all runs that speak of the device.
    slices: Vec<Slice>,
    /// Share over the limit in each run that speaks of the device, and in each of the others.
    shares: Vec<f64>,
    spoiled_shares: Vec<f64>,
    spoiled_slices: Vec<Slice>,
}

impl Count {
    /// Adds a run; one that says nothing counts as the generator's.
    pub fn add(&mut self, said: WindowJudgement, slices: &[Slice]) {
        let share = exceedance(slices).map(|over| over.share);
        match said {
            WindowJudgement::Passed { .. } => self.passed += 1,
            WindowJudgement::Failed { .. } => self.failed += 1,
            WindowJudgement::Generator | WindowJudgement::Nothing => {
                self.generator += 1;
                self.spoiled_shares.extend(share);
                self.spoiled_slices.extend_from_slice(slices);
                return;
            }
        }
        self.shares.extend(share);
        self.slices.extend_from_slice(slices);
    }

    pub fn runs(&self) -> u64 {
        self.passed + self.failed + self.generator
    }

    /// Runs that did not pass.
    pub fn against(&self) -> u64 {
        self.failed + self.generator
    }

    /// The share over the limit of all runs together, with its doubt.
    pub fn together(&self) -> Option<Exceedance> {
        exceedance(&self.slices)
    }

    /// The same with what the generator spoiled: a promise leaves nothing out that was late, whoever's fault it was.
    fn with_spoiled(&self) -> Option<Exceedance> {
        exceedance(&[self.slices.as_slice(), &self.spoiled_slices].concat())
    }

    /// What most runs say.
    pub fn side(&self) -> Side {
        median_side(self.passed, self.against())
    }

    /// What the runs say one by one and together.
    pub fn decide(&self, allowed_over: f64) -> Side {
        let Some(together) = self.together() else { return self.side() };
        if self.side() == Side::Above || self.misses(&together, allowed_over) {
            Side::Above
        } else if self.with_spoiled().is_none_or(|over| over.share > allowed_over) {
            Side::Undecided
        } else if self.keeps(&together, allowed_over) {
            Side::Below
        } else {
            self.side()
        }
    }

    fn misses(&self, together: &Exceedance, allowed_over: f64) -> bool {
        let far = together.share > FAR_BEYOND * allowed_over;
        let mean = || mean_interval_95(&self.shares).is_some_and(|(low, _)| low > allowed_over);
        let runs = self.passed + self.failed;
        runs >= FEWEST && together.interval_95.0 > allowed_over && (far || mean())
    }

    fn keeps(&self, together: &Exceedance, allowed_over: f64) -> bool {
        let shares = [self.shares.as_slice(), &self.spoiled_shares].concat();
        let mean = || mean_interval_95(&shares).is_some_and(|(_, high)| high <= allowed_over);
        self.runs() >= FEWEST && together.interval_95.1 <= allowed_over && mean()
    }

    /// The runs that speak of the device alone.
    pub fn of_the_device(&self) -> Count {
        Count {
            generator: 0,
            spoiled_shares: Vec::new(),
            spoiled_slices: Vec::new(),
            ..self.clone()
        }
    }

    /// Whether a rate that was decided to fail did so by runs that say nothing of the device: without them it would not have
    /// failed.
    pub fn by_generator(&self, allowed_over: f64) -> bool {
        self.generator > 0 && self.of_the_device().decide(allowed_over) != Side::Above
    }

    /// Whether the runs that are still allowed could decide it, if all of them said the same.
    pub fn hopeless(&self, most_runs: u64, allowed_over: f64) -> bool {
        let left = most_runs.saturating_sub(self.runs());
        let decides = |passed, failed| median_side(passed, failed) != Side::Undecided;
        let low = self.together().is_some_and(|over| over.share < NEAR * allowed_over);
        !low && !decides(self.passed + left, self.against())
            && !decides(self.passed, self.against() + left)
    }

    /// Whether it is better left for a lower rate, until one is found that passes: only then is it worth its repeats.
    pub fn lost(&self) -> bool {
        self.passed == 0 && self.against() >= LOST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALLOWED: f64 = 0.01;

    fn count(runs: &[(WindowJudgement, u64)]) -> Count {
        let mut count = Count::default();
        runs.iter().for_each(|(said, over)| {
            // Every slice differs a little, as in a device.
            let slices: Vec<Slice> =
                (0..50).map(|i| Slice { operations: 1000, over: over + i % 2 }).collect();
            count.add(*said, &slices);
        });
        count
    }

    const PASSED: WindowJudgement = WindowJudgement::Passed { clear: true };
    const FAILED: WindowJudgement = WindowJudgement::Failed { clear: true };

    #[test]
    fn runs_of_luck_are_decided_by_their_sum() {
        // A third of the runs fails, which decides nothing run by run; all together are far within.
        let lucky = count(&[[(PASSED, 1), (PASSED, 2), (FAILED, 11)]; 4].concat());
        assert_eq!((lucky.side(), lucky.decide(ALLOWED)), (Side::Undecided, Side::Below));
        let unlucky = count(&[[(PASSED, 9), (PASSED, 9), (FAILED, 35)]; 4].concat());
        assert_eq!((unlucky.side(), unlucky.decide(ALLOWED)), (Side::Undecided, Side::Above));
        let near = count(&[[(PASSED, 5), (PASSED, 9), (FAILED, 12)]; 4].concat());
        assert_eq!(near.decide(ALLOWED), Side::Undecided);
    }

    #[test]
    fn most_runs_pass_in_vain_when_all_together_miss() {
        let rare = [vec![(PASSED, 1); 11], vec![(FAILED, 150)]].concat();
        assert_eq!(
            (count(&rare).side(), count(&rare).decide(ALLOWED)),
            (Side::Below, Side::Undecided)
        );
    }

    #[test]
    fn a_failure_is_the_generators_only_when_the_device_did_not_fail_without_it() {
        let mixed = count(&[[(WindowJudgement::Generator, 50), (FAILED, 40)]; 6].concat());
        assert!(mixed.decide(ALLOWED) == Side::Above && !mixed.by_generator(ALLOWED));
        let alone = count(&[(WindowJudgement::Generator, 50); 6]);
        assert!(alone.decide(ALLOWED) == Side::Above && alone.by_generator(ALLOWED));
        // A promise leaves out nothing that was late, whoever's fault it was.
        let kept = [vec![(PASSED, 1); 8], vec![(WindowJudgement::Generator, 150)]].concat();
        assert_eq!(
            (count(&kept).side(), count(&kept).decide(ALLOWED)),
            (Side::Below, Side::Undecided)
        );
        let harmless = [vec![(PASSED, 1); 8], vec![(WindowJudgement::Generator, 20)]].concat();
        assert_eq!(count(&harmless).decide(ALLOWED), Side::Below);
    }

    #[test]
    fn hope_ends_where_the_runs_left_cannot_decide() {
        let even = count(&[[(PASSED, 9), (FAILED, 12)]; 4].concat());
        assert!(even.hopeless(12, ALLOWED) && !even.hopeless(40, ALLOWED));
        let cheap = count(&[[(PASSED, 1), (FAILED, 11)]; 4].concat());
        assert!(!cheap.hopeless(12, ALLOWED), "their sum may still do");
        assert!(count(&[(FAILED, 20); 2]).lost() && !count(&[(FAILED, 20), (PASSED, 1)]).lost());
    }
}
