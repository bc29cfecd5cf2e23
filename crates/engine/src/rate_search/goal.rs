//! What is searched for, and how much may be spent on it.

use std::time::Duration;

/// "This share of the operations takes at most so long."
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Goal {
    /// The share: 0.99 for p99.
    pub quantile: f64,
    /// How long, counted from when the operation was due.
    pub limit_ns: u64,
}

impl Goal {
    /// The share of operations that may take longer.
    pub fn allowed_over(&self) -> f64 {
        1.0 - self.quantile
    }
}

/// How the search goes about it. [`Settings::default`] suits flash; cloud volumes and writes need longer windows
/// (a minute, and a period of garbage collection).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// No window is shorter.
    pub shortest_window: Duration,
    /// No window is longer, whatever the percentile would need.
    pub longest_window: Duration,
    /// No window of the confirmation is shorter: what a device does every minute must be in it.
    pub shortest_confirm: Duration,
    /// Runs at each rate before its first decision; 6 is the least that can decide.
    pub repeats: u32,
    /// Runs at one rate after which it is left undecided.
    pub most_repeats: u32,
    /// The search begins at this share of the ceiling.
    pub start_share: f64,
    /// And gives up below this share of it.
    pub floor_share: f64,
    /// It tries rates up to this share of the ceiling: a ceiling is measured, too, and may be a little low.
    pub reach_share: f64,
    /// Bisection ends when the lowest failing rate is at most so many times the highest passing one (1.04 is ±2 %).
    pub bracket: f64,
    /// What the next rate to confirm is to the one before.
    pub grid_ratio: f64,
    /// Independent operations beyond the percentile that a window in the confirmation should hold.
    pub independent_beyond: f64,
    /// Windows in all, the unusable ones too.
    pub most_windows: u32,
    /// Windows that may be unusable before the search gives up.
    pub most_unusable: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            shortest_window: Duration::from_secs(1),
            longest_window: Duration::from_secs(60),
            shortest_confirm: Duration::ZERO,
            repeats: 6,
            most_repeats: 12,
            start_share: 0.1,
            floor_share: 0.01,
            reach_share: 1.1,
            bracket: 1.04,
            grid_ratio: 1.05,
            independent_beyond: 100.0,
            most_windows: 150,
            most_unusable: 24,
        }
    }
}

/// Which part of the search a window belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Doubling until a rate fails.
    Bracket,
    /// Halving the distance between what passed and what failed.
    Bisect,
    /// One window at the candidate: how long must a window be here?
    Size,
    /// Interleaved repeats of neighbouring rates.
    Confirm,
}

/// The next window to run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateStep {
    /// Which part of the search it belongs to.
    pub stage: Stage,
    /// Operations to be due per second.
    pub rate_per_s: f64,
    /// The same load, unmeasured, before the window: a queue fills slowly near its limit.
    pub warm_up: Duration,
    /// The window.
    pub window: Duration,
}
