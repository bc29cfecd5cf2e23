//! Sessions by what could be the narrow place: the log's device, the insert locks, a standby, or none of them.

use narrows_model::{Interval, IntervalMethod, LiveLog, LiveWaitKind};

/// The places that can be narrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Device,
    Insert,
    Standby,
}

impl Place {
    pub(super) const ALL: [Place; 3] = [Place::Device, Place::Insert, Place::Standby];

    fn has(self, kind: LiveWaitKind) -> bool {
        use LiveWaitKind::*;
        match self {
            Place::Device => matches!(kind, Flush | Write | Behind | NewFile | Delay),
            Place::Insert => matches!(kind, Insert | Buffers),
            Place::Standby => kind == Standby,
        }
    }

    /// What is waited for, in a sentence.
    pub(super) fn words(self) -> &'static str {
        match self {
            Place::Device => "the log's flushes",
            Place::Insert => "the insert locks",
            Place::Standby => "the standby",
        }
    }
}

/// Sessions waiting at each place, window by window.
#[derive(Debug, Clone)]
pub(super) struct Groups {
    /// Whether states were seen at all.
    pub(super) known: bool,
    pub(super) samples: u64,
    windows: [Vec<f64>; 3],
    active: Vec<f64>,
    /// Means over all samples.
    means: [f64; 3],
    active_mean: f64,
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
        let places = Place::ALL.map(|place| sum(&|kind| place.has(kind)));
        let means = [0, 1, 2].map(|index: usize| places[index].1);
        let (active, active_mean) = sum(&|_| true);
        let windows = places.map(|(windows, _)| windows);
        Groups {
            known: waits.samples > 0,
            samples: waits.samples,
            windows,
            active,
            means,
            active_mean,
        }
    }

    /// Mean sessions at a place.
    pub(super) fn mean(&self, place: Place) -> f64 {
        self.means[place as usize]
    }

    /// Mean sessions at work.
    pub(super) fn active(&self) -> f64 {
        self.active_mean
    }

    /// The log's share of the sessions' time at work; `None` where states are unknown or nobody was at work.
    pub(super) fn share(&self) -> Option<f64> {
        (self.known && self.active_mean > 0.0)
            .then(|| self.means.iter().sum::<f64>() / self.active_mean)
    }

    /// Its interval over the windows.
    pub(super) fn share_interval(&self) -> Option<Interval> {
        let share = |(index, active): (usize, &f64)| {
            let log: f64 = self.windows.iter().map(|windows| windows[index]).sum();
            (*active > 0.0).then(|| log / active)
        };
        distribution_free(&self.active.iter().enumerate().filter_map(share).collect::<Vec<_>>())
    }

    /// The places, the one with most sessions first.
    pub(super) fn ranked(&self) -> [Place; 3] {
        let mut places = Place::ALL;
        places.sort_by(|a, b| self.mean(*b).total_cmp(&self.mean(*a)));
        places
    }

    /// Whether more sessions wait at `a` than at `b`, beyond what windows differ by.
    pub(super) fn told_apart(&self, a: Place, b: Place) -> bool {
        let differences: Vec<f64> = self.windows[a as usize]
            .iter()
            .zip(&self.windows[b as usize])
            .map(|(a, b)| a - b)
            .collect();
        distribution_free(&differences).is_some_and(|interval| interval.low > 0.0)
    }
}

/// Without assuming a distribution, from six windows on.
fn distribution_free(windows: &[f64]) -> Option<Interval> {
    narrows_stats::interval_95(windows)
        .filter(|interval| interval.method == IntervalMethod::OrderStatistic)
}
