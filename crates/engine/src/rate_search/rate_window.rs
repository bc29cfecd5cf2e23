//! What one window of an open loop showed, and whether its rate passed.
//!
//! All operations that were due in the window belong to it, also those that came back after its end: a queue that
//! is left out because it was too long is the mistake that open loops are made against.

use narrows_stats::{Exceedance, Slice, exceedance};

use super::Goal;

/// The generator sent at least this share of what was due, or the rate was not offered.
const SENT: f64 = 0.99;
/// The schedule kept the rate to this share, beside what a Poisson process scatters (five deviations).
const ON_SCHEDULE: f64 = 0.01;
/// A percentile of which the generator's own lateness is more than this share describes the generator.
const LATE: f64 = 0.05;
/// The machine stood still when the goal's percentile of the generator's lateness is more than this share of the limit, although its
/// typical operation left in time.
const STOOD_STILL: f64 = 0.25;
/// Operations completed per operation due, below which a window lost ground.
const KEPT_UP: f64 = 0.98;
/// Growth of the backlog over a window, as a share of what was due in it, that is no accident.
const GROWTH: f64 = 0.01;

/// Whether the queue stayed bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backlog {
    /// It rose and fell.
    Bounded,
    /// It grew all the time: the rate is above the capacity.
    Growing,
    /// The cap on operations in flight was hit.
    CapHit,
    /// A cap was hit that is below what the rate has in flight at the limit: the load could not be kept up, whatever the device did.
    CapTooSmall,
}

/// What became of the cap on operations in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cap {
    /// It held back nothing, or next to nothing.
    Kept,
    /// It held back more than may be over the limit.
    Hit,
    /// The same, of a cap below the rate times the limit: by Little's law that many are in flight before one need be late.
    TooSmall,
}

impl From<bool> for Cap {
    /// Of a cap far above what any rate has in flight at the limit: whether it was hit.
    fn from(hit: bool) -> Cap {
        if hit { Cap::Hit } else { Cap::Kept }
    }
}

impl Backlog {
    /// From the operations due and not completed at the end of each slice.
    ///
    /// Growing when the median of the last quarter lies above that of the first by more than 1 % of what was due in
    /// between, so that by the rate of this window the queue has no end. Noise of a bounded queue is far below that
    /// as long as a window holds hundreds of operations.
    pub fn of(waiting_by_slice: &[u64], due: u64, cap: impl Into<Cap>) -> Backlog {
        match cap.into() {
            Cap::Hit => return Backlog::CapHit,
            Cap::TooSmall => return Backlog::CapTooSmall,
            Cap::Kept => {}
        }
        let quarter = waiting_by_slice.len() / 4;
        let middle = |part: &[u64]| {
            let values: Vec<f64> = part.iter().map(|n| *n as f64).collect();
            narrows_stats::median(&values)
        };
        let first = middle(&waiting_by_slice[..quarter]);
        let last = middle(&waiting_by_slice[waiting_by_slice.len() - quarter..]);
        match (first, last) {
            // The medians are three quarters of the window apart.
            (Some(first), Some(last)) if last - first > GROWTH * 0.75 * due as f64 => {
                Backlog::Growing
            }
            _ => Backlog::Bounded,
        }
    }
}

/// What a window showed.
#[derive(Debug, Clone, PartialEq)]
pub struct RateSeen {
    /// Operations that were due per second of the window, by the schedule.
    pub due_per_s: f64,
    /// Operations that the generator sent per second of the window.
    pub sent_per_s: f64,
    /// Operations that completed per second of the window.
    pub achieved_per_s: f64,
    /// Operations by slice of when they were due, and those of them that took longer than the goal's limit.
    pub slices: Vec<Slice>,
    /// The goal's percentile of latency from the intended time, ns.
    pub quantile_ns: Option<u64>,
    /// Mean latency from the intended time, ns.
    pub mean_ns: Option<f64>,
    /// The goal's percentile of the generator's lateness (intended to submitted), ns. Where the cap on operations in
    /// flight makes them wait, that is the device's doing: [`Backlog::CapHit`] says so. So is what falls due while a call to the
    /// device holds up the thread that is to send it: whoever fills this in leaves it out, unless the scheduler's account shows that the
    /// machine stood still.
    pub lateness_ns: Option<u64>,
    /// The median of that, ns.
    pub lateness_median_ns: Option<u64>,
    /// Whether the queue stayed bounded.
    pub backlog: Backlog,
    /// False where something outside made the window worthless (a limit that cut in, other load, a rule of validity).
    pub usable: bool,
}

/// What a window says of its rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowJudgement {
    /// The goal was met; `clear` when the window's interval lies wholly on that side.
    Passed {
        /// The interval excludes the limit.
        clear: bool,
    },
    /// The goal was missed.
    Failed {
        /// The interval excludes the limit, or the queue grew.
        clear: bool,
    },
    /// The generator did not offer the rate, or missed the goal itself: nothing is known of the device.
    Generator,
    /// Not to be used.
    Nothing,
}

impl RateSeen {
    /// Whether the machine as a whole stopped now and then, so that not even the generator ran: its typical operation left in time,
    /// and those of the goal's percentile late by a good part of the limit. A generator that is too slow is late always, and
    /// one that is held back by the device waits for its cap. Asked of passes and failures alike, so that leaving such windows out
    /// favours no rate.
    pub fn stood_still(&self, goal: &Goal) -> bool {
        let limit_ns = goal.limit_ns as f64;
        let (Some(late), Some(typical)) = (self.lateness_ns, self.lateness_median_ns) else {
            return false;
        };
        !matches!(self.backlog, Backlog::CapHit | Backlog::CapTooSmall)
            && self.sent_per_s >= SENT * self.due_per_s
            && late as f64 > STOOD_STILL * limit_ns
            && (typical as f64) < LATE * limit_ns
    }

    /// The share over the limit, with its doubt.
    pub fn exceedance(&self) -> Option<Exceedance> {
        exceedance(&self.slices)
    }

    /// What the window says of a rate that was asked for.
    ///
    /// A growing queue fails, whatever its percentile says: it only was not given time. Lateness of the generator
    /// is inside the latency, so that a pass with a late generator is a pass.
    pub fn judge(&self, goal: &Goal, asked_per_s: f64) -> WindowJudgement {
        let Some(over) = self.exceedance().filter(|_| self.usable) else {
            return WindowJudgement::Nothing;
        };
        if self.backlog == Backlog::CapHit {
            return WindowJudgement::Failed { clear: true };
        }
        if self.backlog == Backlog::CapTooSmall {
            return WindowJudgement::Generator;
        }
        let scatter = ON_SCHEDULE + 5.0 / (over.operations as f64).sqrt();
        let on_schedule = (self.due_per_s / asked_per_s - 1.0).abs() <= scatter;
        if !on_schedule || self.sent_per_s < SENT * self.due_per_s {
            return WindowJudgement::Generator;
        }
        let allowed = goal.allowed_over();
        let short = self.achieved_per_s < KEPT_UP * self.due_per_s;
        let unbounded = short || self.backlog == Backlog::Growing;
        if !unbounded && over.share <= allowed {
            return WindowJudgement::Passed { clear: over.interval_95.1 <= allowed };
        }
        let late = match (self.lateness_ns, self.quantile_ns) {
            (Some(late), Some(all)) => late as f64 > LATE * all as f64,
            _ => false,
        };
        if late {
            return WindowJudgement::Generator;
        }
        WindowJudgement::Failed { clear: unbounded || over.interval_95.0 > allowed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOAL: Goal = Goal { quantile: 0.99, limit_ns: 1_000_000 };

    fn seen(over: u64) -> RateSeen {
        RateSeen {
            due_per_s: 1000.0,
            sent_per_s: 1000.0,
            achieved_per_s: 1000.0,
            slices: (0..50).map(|i| Slice { operations: 1000, over: over + i % 2 }).collect(),
            quantile_ns: Some(1_000_000),
            mean_ns: Some(2e5),
            lateness_ns: Some(1_000),
            lateness_median_ns: Some(100),
            backlog: Backlog::Bounded,
            usable: true,
        }
    }

    #[test]
    fn the_share_over_the_limit_decides() {
        assert_eq!(seen(0).judge(&GOAL, 1000.0), WindowJudgement::Passed { clear: true });
        assert_eq!(seen(9).judge(&GOAL, 1000.0), WindowJudgement::Passed { clear: false });
        assert_eq!(seen(10).judge(&GOAL, 1000.0), WindowJudgement::Failed { clear: false });
        assert_eq!(seen(30).judge(&GOAL, 1000.0), WindowJudgement::Failed { clear: true });
    }

    #[test]
    fn a_growing_queue_fails_whatever_its_percentile() {
        for backlog in [Backlog::Growing, Backlog::CapHit] {
            let window = RateSeen { backlog, ..seen(0) };
            assert_eq!(window.judge(&GOAL, 1000.0), WindowJudgement::Failed { clear: true });
        }
        let short = RateSeen { achieved_per_s: 970.0, ..seen(0) };
        assert_eq!(short.judge(&GOAL, 1000.0), WindowJudgement::Failed { clear: true });
    }

    #[test]
    fn a_generator_can_spoil_a_failure_but_not_a_pass() {
        let late = |over| RateSeen { lateness_ns: Some(60_000), ..seen(over) };
        assert_eq!(late(30).judge(&GOAL, 1000.0), WindowJudgement::Generator);
        assert_eq!(late(0).judge(&GOAL, 1000.0), WindowJudgement::Passed { clear: true });
        let behind = RateSeen { sent_per_s: 989.0, ..seen(0) };
        assert_eq!(behind.judge(&GOAL, 1000.0), WindowJudgement::Generator, "not sent");
        assert_eq!(seen(0).judge(&GOAL, 1040.0), WindowJudgement::Generator, "not on schedule");
        assert_eq!(
            seen(0).judge(&GOAL, 1030.0),
            WindowJudgement::Passed { clear: true },
            "scatter"
        );
        let capped = RateSeen { backlog: Backlog::CapHit, sent_per_s: 500.0, ..late(30) };
        assert_eq!(capped.judge(&GOAL, 1000.0), WindowJudgement::Failed { clear: true });
        let low = RateSeen { backlog: Backlog::CapTooSmall, ..capped };
        assert_eq!(low.judge(&GOAL, 1000.0), WindowJudgement::Generator);
    }

    #[test]
    fn a_machine_that_stood_still_is_told_from_a_slow_generator() {
        let stopped = RateSeen { lateness_ns: Some(300_000), ..seen(0) };
        assert!(stopped.stood_still(&GOAL) && !seen(30).stood_still(&GOAL));
        let slow = RateSeen { lateness_median_ns: Some(60_000), ..stopped.clone() };
        let behind = RateSeen { sent_per_s: 980.0, ..stopped.clone() };
        let capped = RateSeen { backlog: Backlog::CapHit, ..stopped.clone() };
        let low = RateSeen { backlog: Backlog::CapTooSmall, ..stopped.clone() };
        let unknown = RateSeen { lateness_median_ns: None, ..stopped };
        for other in [slow, behind, capped, low, unknown] {
            assert!(!other.stood_still(&GOAL), "{other:?}");
        }
    }

    #[test]
    fn what_is_unusable_or_uncounted_says_nothing() {
        assert_eq!(
            RateSeen { usable: false, ..seen(0) }.judge(&GOAL, 1000.0),
            WindowJudgement::Nothing
        );
        assert_eq!(
            RateSeen { slices: Vec::new(), ..seen(0) }.judge(&GOAL, 1000.0),
            WindowJudgement::Nothing
        );
    }

    #[test]
    fn a_backlog_grows_or_swings() {
        let growing: Vec<u64> = (0..40).map(|i| 5 + i * 3).collect();
        assert_eq!(Backlog::of(&growing, 6_000, Cap::Kept), Backlog::Growing);
        let swinging: Vec<u64> = (0..40).map(|i| 5 + (i * 7) % 60).collect();
        assert_eq!(Backlog::of(&swinging, 6_000, Cap::Kept), Backlog::Bounded);
        assert_eq!(Backlog::of(&[], 0, Cap::Kept), Backlog::Bounded);
        assert_eq!(Backlog::of(&swinging, 6_000, Cap::Hit), Backlog::CapHit);
    }
}
