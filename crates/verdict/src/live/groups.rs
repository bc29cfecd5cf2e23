//! Sessions by what could be the narrow place: the log's device, the insert locks, a standby, or none of them.

use narrows_model::{LiveLog, LiveWaitKind};

/// The places that can be narrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LogBottleneck {
    Device,
    Insert,
    Standby,
}

/// Fewer windows show no difference.
const LEAST_WINDOWS: usize = 6;
/// Shorter windows are neighbours that share a stall, and not repeats of each other, ns.
const SHORTEST_WINDOW_NS: f64 = 1e9;

impl LogBottleneck {
    pub(super) const ALL: [LogBottleneck; 3] =
        [LogBottleneck::Device, LogBottleneck::Insert, LogBottleneck::Standby];

    fn has(self, kind: LiveWaitKind) -> bool {
        use LiveWaitKind::*;
        match self {
            LogBottleneck::Device => matches!(kind, Flush | Write | Behind | NewFile | Delay),
            LogBottleneck::Insert => matches!(kind, Insert | Buffers),
            LogBottleneck::Standby => kind == Standby,
        }
    }

    /// What is waited for, in a sentence.
    pub(super) fn words(self) -> &'static str {
        match self {
            LogBottleneck::Device => "WAL flushes",
            LogBottleneck::Insert => "the insert locks",
            LogBottleneck::Standby => "the standby",
        }
    }
}

/// Sessions waiting at each place, window by window.
#[derive(Debug, Clone)]
pub(super) struct Groups {
    /// Whether states were seen at all.
    pub(super) known: bool,
    pub(super) samples: u64,
    /// Whether the windows are enough, and long enough, to tell chance from more.
    pub(super) long: bool,
    windows: [Vec<f64>; 3],
    active: Vec<f64>,
    /// Means over all samples.
    means: [f64; 3],
    active_mean: f64,
    locks: f64,
}

impl Groups {
    pub(super) fn of(log: &LiveLog) -> Groups {
        let waits = &log.waits;
        let length = waits.sessions.iter().map(|wait| wait.windows.len()).max().unwrap_or(0);
        let sum = |of: &dyn Fn(LiveWaitKind) -> bool| -> (Vec<f64>, f64) {
            let chosen: Vec<_> = waits.sessions.iter().filter(|wait| of(wait.kind)).collect();
            let at = |index: usize| {
                chosen.iter().map(|wait| wait.windows.get(index).copied().unwrap_or(0.0)).sum()
            };
            let mean = chosen.iter().map(|wait| wait.backends).sum();
            ((0..length).map(at).collect(), mean)
        };
        let places = LogBottleneck::ALL.map(|place| sum(&|kind| place.has(kind)));
        let means = [0, 1, 2].map(|index: usize| places[index].1);
        let (active, active_mean) = sum(&|_| true);
        let windows = places.map(|(windows, _)| windows);
        Groups {
            known: waits.samples > 0,
            samples: waits.samples,
            long: length >= LEAST_WINDOWS
                && log.counted.interval_ns / length as f64 >= SHORTEST_WINDOW_NS,
            windows,
            active,
            means,
            active_mean,
            locks: waits.locked().unwrap_or(0.0),
        }
    }

    /// Mean sessions at a place.
    pub(super) fn mean(&self, place: LogBottleneck) -> f64 {
        self.means[place as usize]
    }

    /// Mean sessions at any of the places.
    pub(super) fn at_log(&self) -> f64 {
        self.means.iter().sum()
    }

    /// Mean sessions that wait for locks which others hold until their transaction's end.
    pub(super) fn locks(&self) -> f64 {
        self.locks
    }

    /// Mean sessions at work.
    pub(super) fn active(&self) -> f64 {
        self.active_mean
    }

    /// The log's share of the sessions' time at work; `None` where states are unknown or nobody was at work.
    pub(super) fn share(&self) -> Option<f64> {
        (self.known && self.active_mean > 0.0).then(|| self.at_log() / self.active_mean)
    }

    /// Sessions found at work, all questions together.
    pub(super) fn found(&self) -> u64 {
        self.found_in(self.active_mean)
    }

    /// From a mean over all samples to the sum that it is of.
    fn found_in(&self, mean: f64) -> u64 {
        (mean * self.samples as f64).round() as u64
    }

    /// Its 95 % interval: no narrower than windows differ by, and no narrower than so many sessions found can tell were each
    /// of them a draw of its own (Clopper and Pearson). Where no session of a few was at the log all windows are alike, and
    /// only the second says anything. `None` where the windows are too few or too short.
    pub(super) fn share_interval(&self) -> Option<(f64, f64)> {
        let (low, high) = self.share_by_windows()?;
        let at_log = self.found_in(self.at_log());
        let (least, most) = narrows_stats::share_interval_95(at_log, self.found());
        Some((low.min(least), high.max(most)))
    }

    /// By the windows alone, as that of a ratio of two means (Cochran, *Sampling Techniques*, 3rd ed., 6.3).
    pub(super) fn share_by_windows(&self) -> Option<(f64, f64)> {
        let share = self.share()?;
        let beyond = |(index, active): (usize, &f64)| {
            let log: f64 = self.windows.iter().map(|windows| windows[index]).sum();
            (log - share * active) / self.active_mean
        };
        let residuals: Vec<f64> = self.active.iter().enumerate().map(beyond).collect();
        let (low, high) = self.mean_interval(&residuals)?;
        let half = (high - low) / 2.0;
        Some(((share - half).max(0.0), (share + half).min(1.0)))
    }

    /// The places, the one with most sessions first.
    pub(super) fn ranked(&self) -> [LogBottleneck; 3] {
        let mut places = LogBottleneck::ALL;
        places.sort_by(|a, b| self.mean(*b).total_cmp(&self.mean(*a)));
        places
    }

    /// Whether more sessions wait at `a` than at `b`, beyond what windows differ by.
    pub(super) fn told_apart(&self, a: LogBottleneck, b: LogBottleneck) -> bool {
        let differences: Vec<f64> = self.windows[a as usize]
            .iter()
            .zip(&self.windows[b as usize])
            .map(|(a, b)| a - b)
            .collect();
        self.mean_interval(&differences).is_some_and(|(low, _)| low > 0.0)
    }

    /// Of the mean over the windows, which the figures are too.
    fn mean_interval(&self, windows: &[f64]) -> Option<(f64, f64)> {
        narrows_stats::mean_interval_95(windows).filter(|_| self.long)
    }
}
