//! What is searched for, and how much time and writing it may take.

use std::time::Duration;

use narrows_engine::rate_search::{Goal, Settings};
use narrows_engine::{Arrivals, CurvePlan};
use narrows_model::{Layer, PlannedStep};

use crate::SEGMENT_BYTES;
use crate::writer::{CommitSizes, Delay, Style};

/// A window of the search is at most this part of the time allowed for all, as in the search on storage.
const PART_OF_BUDGET: u32 = 95;
/// A window that decides on a volume of a provider, where the budget allows it, and its part of the budget: as in the search on storage.
const CLOUD_WINDOW: Duration = Duration::from_secs(60);
const CLOUD_PART_OF_BUDGET: u32 = 45;
/// What a window takes besides itself: starting sessions, counters, sentinels; s.
const OVERHEAD_S: f64 = 0.05;
/// Bytes the log may write when nobody says.
const WRITE_BUDGET: u64 = 16 << 30;
/// Expected windows of the closed loops.
const CLOSED_WINDOWS: f64 = 24.0;

/// What to search for.
#[derive(Debug, Clone)]
pub struct CommitPlan {
    /// Log bytes of a commit.
    pub sizes: CommitSizes,
    /// Where these come from, in words.
    pub sizes_from: String,
    /// Who writes.
    pub style: Style,
    /// Whether who leads waits for others.
    pub delay: Delay,
    /// The limit that the percentile must keep, from when a commit was due.
    pub goal: Goal,
    /// How commits arrive.
    pub arrivals: Arrivals,
    /// Most sessions of the closed loops.
    pub most_sessions: u32,
    /// Processors that sessions and writer share.
    pub cpus: Vec<u32>,
    /// Time for all of it, without writing the segment.
    pub budget: Duration,
    /// Most bytes that all windows together may write.
    pub write_budget_bytes: u64,
    /// How the search goes about it.
    pub settings: Settings,
}

impl CommitPlan {
    /// p99 within 5 ms for commits of `bytes` on `cpus`, a leader without delay, Poisson arrivals, a minute.
    pub fn new(bytes: u64, cpus: &[u32]) -> Self {
        CommitPlan {
            sizes: CommitSizes::fixed(bytes),
            sizes_from: "given".to_string(),
            style: Style::Leader,
            delay: Delay::default(),
            goal: Goal { quantile: 0.99, limit_ns: 5_000_000 },
            arrivals: Arrivals::Poisson,
            most_sessions: 128,
            cpus: cpus.to_vec(),
            budget: Duration::ZERO,
            write_budget_bytes: WRITE_BUDGET,
            settings: Settings::default(),
        }
        .within(Duration::from_secs(60))
    }

    /// The same with so much time for all.
    #[must_use]
    pub fn within(mut self, budget: Duration) -> Self {
        self.budget = budget;
        self.settings.longest_window = budget / PART_OF_BUDGET;
        self.settings.shortest_window = budget / (4 * PART_OF_BUDGET);
        self
    }

    /// The same for a volume of a provider's storage network: what it does every minute must be in each window that decides. They last
    /// a minute where the budget allows it (45 minutes and more), else their part of it.
    #[must_use]
    pub fn on_cloud_volume(mut self) -> Self {
        let window = (self.budget / CLOUD_PART_OF_BUDGET).min(CLOUD_WINDOW);
        self.settings.shortest_confirm = window;
        self.settings.longest_window = self.settings.longest_window.max(window);
        self
    }

    /// `log.calibrate.commits.200b`: the calibration's id, and the beginning of its measurements'.
    pub fn id(&self) -> String {
        let mean = self.sizes.mean().round() as u64;
        let size = if self.sizes.is_fixed() { format!("{mean}b") } else { format!("mean{mean}b") };
        let style = match self.style {
            Style::Leader => "",
            Style::Writer => ".writer",
        };
        let delay = if self.delay.time.is_zero() { "" } else { ".delayed" };
        format!("log.calibrate.commits.{size}{style}{delay}")
    }

    /// One window of the closed loops.
    pub(super) fn probe(&self) -> Duration {
        self.settings.longest_window.min(Duration::from_millis(300))
    }

    /// One window of the curve.
    pub(super) fn curve_window(&self) -> Duration {
        (self.budget / PART_OF_BUDGET).mul_f64(0.6)
    }

    /// Time that the curve needs.
    pub(super) fn curve_s(&self) -> f64 {
        let windows = CurvePlan::new(1.0, 0).steps().len() as f64;
        windows * (self.curve_window().as_secs_f64() * 1.2 + OVERHEAD_S)
    }

    fn closed_s(&self) -> f64 {
        CLOSED_WINDOWS * (self.probe().as_secs_f64() * 1.2 + OVERHEAD_S)
    }
}

/// The steps, with the longest they take and the most they write.
pub fn planned_commits(plan: &CommitPlan) -> Vec<PlannedStep> {
    let step = |what: String, expected_s: f64, writes_bytes: u64| PlannedStep {
        layer: Layer::Log,
        what,
        expected_s,
        writes_bytes,
    };
    let (closed_s, curve_s) = (plan.closed_s(), plan.curve_s());
    let search_s = (plan.budget.as_secs_f64() - closed_s - curve_s).max(0.0);
    let goal = plan.goal;
    vec![
        step("write a log segment".to_string(), 0.3, SEGMENT_BYTES),
        step("sessions in a closed loop, by their number".to_string(), closed_s, 0),
        step(
            format!(
                "search for the highest rate of commits with p{} within {}",
                goal.quantile * 100.0,
                narrows_units::Nanos(goal.limit_ns)
            ),
            search_s,
            plan.write_budget_bytes,
        ),
        step("curve of the wait against the rate".to_string(), curve_s, 0),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_a_providers_volume_a_window_that_decides_lasts_a_minute_where_there_is_time() {
        let of = |minutes: u64| {
            let plan = CommitPlan::new(200, &[0]).within(Duration::from_secs(60 * minutes));
            let plan = plan.on_cloud_volume();
            let confirm_s = plan.settings.shortest_confirm.as_secs_f64();
            // Twenty-four of them with their warm-up, the curve and the closed loops fit.
            let all_s = 24.0 * confirm_s * 1.2 + plan.curve_s() + plan.closed_s();
            assert!(all_s < plan.budget.as_secs_f64(), "{all_s} s of {minutes} min");
            assert!(plan.settings.longest_window.as_secs_f64() >= confirm_s);
            confirm_s
        };
        assert_eq!((of(45), of(300)), (60.0, 60.0));
        assert!((2.0..3.0).contains(&of(2)));
        assert_eq!(CommitPlan::new(200, &[0]).settings.shortest_confirm, Duration::ZERO);
    }
}
