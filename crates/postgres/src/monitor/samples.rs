//! Active-session samples: what the server's processes are found doing, asked again and again and counted by window.
//!
//! Who asks says by what key processes are counted; the means, their intervals and the server's own names for a key are made here.

use std::collections::BTreeMap;

use narrows_model::{Interval, IntervalMethod};

use crate::wire::Row;

/// Every process but ours, counted by what it does.
///
/// Planned once, and of the function below the view `pg_stat_activity`, without its joins: until the answer is made, whoever
/// asks takes a processor from those who are asked about, and on a small machine that shows in what they do.
pub(crate) const PREPARE: &str = "\
PREPARE narrows_activity AS \
SELECT backend_type, state, wait_event_type, wait_event, count(*) FROM pg_catalog.pg_stat_get_activity(NULL) \
WHERE pid <> pg_catalog.pg_backend_pid() GROUP BY 1, 2, 3, 4";

/// Asks.
pub(crate) const SQL: &str = "EXECUTE narrows_activity";

/// Of the server's own names for what is waited for under a key.
const NAMES_SHOWN: usize = 3;
/// Fewer windows tell too little of how they differ.
const LEAST_WINDOWS: usize = 6;

/// Processes that do the same: a row of the answer, empty where it has NULL.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Processes<'a> {
    pub(crate) backend_type: &'a str,
    pub(crate) state: &'a str,
    /// `wait_event_type`.
    pub(crate) kind: &'a str,
    /// `wait_event`.
    pub(crate) event: &'a str,
    pub(crate) count: u64,
}

impl<'a> From<&'a Row> for Processes<'a> {
    fn from(row: &'a Row) -> Processes<'a> {
        let text = |column: usize| row.get(column).and_then(|cell| cell.as_deref()).unwrap_or("");
        Processes {
            backend_type: text(0),
            state: text(1),
            kind: text(2),
            event: text(3),
            count: text(4).parse().unwrap_or(0),
        }
    }
}

/// One window's sums over its samples.
#[derive(Debug, Clone)]
pub(crate) struct Window<K> {
    pub(crate) samples: u64,
    pub(crate) found: BTreeMap<K, u64>,
}

impl<K> Default for Window<K> {
    fn default() -> Window<K> {
        Window { samples: 0, found: BTreeMap::new() }
    }
}

impl<K: Ord + Copy> Window<K> {
    /// Processes under that key, in sum over the samples.
    pub(crate) fn sum(&self, key: K) -> u64 {
        self.found.get(&key).copied().unwrap_or(0)
    }

    /// A sum as a mean number of processes.
    pub(crate) fn mean(&self, sum: u64) -> f64 {
        sum as f64 / self.samples.max(1) as f64
    }

    /// All of them as one.
    pub(crate) fn together<'a>(windows: impl IntoIterator<Item = &'a Window<K>>) -> Window<K>
    where
        K: 'a,
    {
        windows.into_iter().fold(Window::default(), |mut all, window| {
            all.samples += window.samples;
            for (key, n) in &window.found {
                *all.found.entry(*key).or_default() += n;
            }
            all
        })
    }
}

/// Processes under a key, over all samples.
#[derive(Debug, Clone)]
pub(crate) struct Mean {
    pub(crate) processes: f64,
    pub(crate) interval_95: Option<Interval>,
    /// By window.
    pub(crate) windows: Vec<f64>,
}

/// All windows so far.
#[derive(Debug, Clone)]
pub(crate) struct Sampled<K> {
    pub(crate) windows: Vec<Window<K>>,
    events: BTreeMap<K, BTreeMap<String, u64>>,
}

impl<K> Default for Sampled<K> {
    fn default() -> Sampled<K> {
        Sampled { windows: Vec::new(), events: BTreeMap::new() }
    }
}

impl<K: Ord + Copy> Sampled<K> {
    /// What follows belongs to the next window.
    pub(crate) fn next_window(&mut self) {
        self.windows.push(Window::default());
    }

    /// The window in hand doesn't end: it is forgotten.
    pub(crate) fn drop_window(&mut self) {
        self.windows.pop();
    }

    /// A sample begins.
    pub(crate) fn begin(&mut self) {
        if let Some(window) = self.windows.last_mut() {
            window.samples += 1;
        }
    }

    /// That many processes more under that key.
    pub(crate) fn add(&mut self, key: K, count: u64) {
        if let Some(window) = self.windows.last_mut() {
            *window.found.entry(key).or_default() += count;
        }
    }

    /// Processes more under that key, by the server's name for what they wait for.
    pub(crate) fn add_named(&mut self, key: K, found: Processes) {
        self.add(key, found.count);
        if !found.kind.is_empty() {
            let names = self.events.entry(key).or_default();
            *names.entry(format!("{}:{}", found.kind, found.event)).or_default() += found.count;
        }
    }

    /// Samples of all windows.
    pub(crate) fn samples(&self) -> u64 {
        self.windows.iter().map(|window| window.samples).sum()
    }

    /// Means over all samples, of what was met. Windows without any are left out; the others give intervals where they are long
    /// enough to be repeats of each other (`apart`).
    pub(crate) fn means(&self, apart: bool) -> BTreeMap<K, Mean> {
        let windows: Vec<&Window<K>> = self.windows.iter().filter(|w| w.samples > 0).collect();
        let all = Window::together(windows.iter().copied());
        let mean = |(key, sum): (&K, &u64)| {
            let means: Vec<f64> = windows.iter().map(|w| w.mean(w.sum(*key))).collect();
            let interval_95 = interval(&means).filter(|_| apart);
            (*key, Mean { processes: all.mean(*sum), interval_95, windows: means })
        };
        all.found.iter().map(mean).collect()
    }

    /// The names met most often under a key, with how many processes were found there on average.
    pub(crate) fn names(&self, key: K) -> Vec<(String, f64)> {
        let samples = self.samples().max(1) as f64;
        let names = self.events.get(&key).into_iter().flatten();
        let mut means: Vec<(String, f64)> =
            names.map(|(name, n)| (name.clone(), *n as f64 / samples)).collect();
        means.sort_by(|a, b| b.1.total_cmp(&a.1));
        means.truncate(NAMES_SHOWN);
        means
    }
}

/// Of the mean, because the figure beside it is one: a state met in a few windows has a median of nothing.
fn interval(means: &[f64]) -> Option<Interval> {
    let (low, high) =
        narrows_stats::mean_interval_95(means).filter(|_| means.len() >= LEAST_WINDOWS)?;
    Some(Interval { low: low.max(0.0), high, method: IntervalMethod::MeanT })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_without_samples_are_left_out() {
        let mut sampled = Sampled::default();
        for samples in [1, 0, 2] {
            sampled.next_window();
            for _ in 0..samples {
                sampled.begin();
                sampled.add("running", 2);
            }
        }
        assert_eq!(sampled.means(true)["running"].windows, [2.0, 2.0]);
        sampled.drop_window();
        assert_eq!((sampled.samples(), sampled.means(true)["running"].processes), (1, 2.0));
    }

    #[test]
    fn the_interval_is_that_of_the_mean_and_only_of_windows_that_are_repeats() {
        let mut sampled = Sampled::default();
        for window in 0..6 {
            sampled.next_window();
            sampled.begin();
            sampled.add("running", 3);
            if window == 0 {
                sampled.add("tuple", 3);
            }
        }
        let means = sampled.means(true);
        let interval = means["running"].interval_95.unwrap();
        assert_eq!((interval.low, interval.high), (3.0, 3.0));
        let rare = means["tuple"].interval_95.unwrap();
        assert!(rare.low == 0.0 && rare.high > means["tuple"].processes, "{rare:?}");
        assert!(sampled.means(false).values().all(|mean| mean.interval_95.is_none()));
    }
}
