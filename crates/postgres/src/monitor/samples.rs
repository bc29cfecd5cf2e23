//! Active-session samples: what the server's processes are found doing, asked again and again and counted by window.
//!
//! Who asks says by what key processes are counted; the means, their intervals and the server's own names for a key are made here.
//!
//! A sample stands for the time around it, up to the middle between it and its neighbours. Answers come late where a server is busy
//! or stands still, and samples that all weighed the same would leave out just those times: ten calm seconds with 200 answers and ten
//! with two would be a calm look.

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

/// The same, and the numbers of the sessions that are in a statement, and of parallel workers.
pub(crate) const PREPARE_WITH_PIDS: &str = "\
PREPARE narrows_activity AS \
SELECT backend_type, state, wait_event_type, wait_event, count(*), \
pg_catalog.string_agg(pid::pg_catalog.text, ' ') FILTER (WHERE backend_type = 'parallel worker' \
OR backend_type = 'client backend' AND state IN ('active', 'fastpath function call')) FROM pg_catalog.pg_stat_get_activity(NULL) \
WHERE pid <> pg_catalog.pg_backend_pid() GROUP BY 1, 2, 3, 4";

/// Before it counts them the server makes a row of every session, with the text of its statement; what is more than `work_mem` would
/// go to a temporary file at every question: 17 MB with 1000 sessions and `track_activity_query_size = 16kB`. Any role may set it
/// for its own session.
pub(crate) const ROOM: &str = "SET work_mem = '256MB'";

/// As it was, before settings are read again.
pub(crate) const NO_MORE_ROOM: &str = "RESET work_mem";

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

/// The numbers of the sessions in a statement, of an answer that has them.
pub(crate) fn sessions_at_work(rows: &[Row]) -> Vec<u32> {
    let sessions = rows.iter().filter(|row| Processes::from(*row).backend_type == "client backend");
    sessions.flat_map(pids).collect()
}

/// The numbers of a row's processes, of an answer that has them.
pub(crate) fn pids(row: &Row) -> impl Iterator<Item = u32> {
    row.get(5).and_then(|cell| cell.as_deref()).into_iter().flat_map(numbers)
}

/// Numbers of processes, as a list of the server's has them.
pub(crate) fn numbers(list: &str) -> impl Iterator<Item = u32> {
    list.split(' ').filter_map(|pid| pid.parse().ok())
}

/// One window's sums over its samples.
#[derive(Debug, Clone)]
pub(crate) struct Window<K> {
    pub(crate) samples: u64,
    /// What they stand for together, ns.
    weight_ns: u64,
    /// Processes times what their sample stands for, ns.
    pub(crate) found: BTreeMap<K, u64>,
    /// Of these, those with the server's name for what they waited for.
    names: BTreeMap<K, BTreeMap<String, u64>>,
}

impl<K> Default for Window<K> {
    fn default() -> Window<K> {
        Window { samples: 0, weight_ns: 0, found: BTreeMap::new(), names: BTreeMap::new() }
    }
}

impl<K: Ord + Copy> Window<K> {
    /// Processes under that key times the time they stand for, in sum over the samples.
    pub(crate) fn sum(&self, key: K) -> u64 {
        self.found.get(&key).copied().unwrap_or(0)
    }

    fn add_name(&mut self, key: K, name: &str, n: u64) {
        *self.names.entry(key).or_default().entry(name.to_string()).or_default() += n;
    }

    /// A sum as a mean number of processes.
    pub(crate) fn mean(&self, sum: u64) -> f64 {
        sum as f64 / self.weight_ns.max(1) as f64
    }

    /// All of them as one.
    pub(crate) fn together<'a>(windows: impl IntoIterator<Item = &'a Window<K>>) -> Window<K>
    where
        K: 'a,
    {
        windows.into_iter().fold(Window::default(), |mut all, window| {
            all.samples += window.samples;
            all.weight_ns += window.weight_ns;
            for (key, n) in &window.found {
                *all.found.entry(*key).or_default() += n;
            }
            for (key, names) in &window.names {
                names.iter().for_each(|(name, n)| all.add_name(*key, name, *n));
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
    /// When the window in hand or its last sample began, ns.
    last_ns: u64,
    /// The last sample of the window in hand.
    last: Option<Sample<K>>,
}

/// What was found at once.
#[derive(Debug, Clone)]
struct Sample<K> {
    /// What it stands for so far, ns.
    weight_ns: u64,
    found: Vec<(K, u64, Option<String>)>,
}

impl<K> Default for Sampled<K> {
    fn default() -> Sampled<K> {
        Sampled { windows: Vec::new(), last_ns: 0, last: None }
    }
}

impl<K: Ord + Copy> Sampled<K> {
    /// What follows belongs to the next window, which begins then.
    pub(crate) fn next_window(&mut self, at_ns: u64) {
        self.windows.push(Window::default());
        (self.last_ns, self.last) = (at_ns, None);
    }

    /// The window in hand ends then: the last sample stands for the rest of it.
    pub(crate) fn end_window(&mut self, at_ns: u64) {
        self.weigh(at_ns.saturating_sub(self.last_ns));
        (self.last_ns, self.last) = (at_ns, None);
    }

    /// The window in hand doesn't end: it is forgotten.
    pub(crate) fn drop_window(&mut self) {
        self.windows.pop();
        self.last = None;
    }

    /// A sample, taken then, begins.
    pub(crate) fn begin(&mut self, at_ns: u64) {
        let since_ns = at_ns.saturating_sub(self.last_ns);
        let half_ns = if self.last.is_some() { since_ns / 2 } else { 0 };
        self.weigh(half_ns);
        // Something, also where two came at once.
        let weight_ns = (since_ns - half_ns).max(1);
        (self.last_ns, self.last) = (at_ns, Some(Sample { weight_ns: 0, found: Vec::new() }));
        self.weigh(weight_ns);
        if let Some(window) = self.windows.last_mut() {
            window.samples += 1;
        }
    }

    /// The last sample stands for that much more.
    fn weigh(&mut self, more_ns: u64) {
        let (Some(window), Some(sample)) = (self.windows.last_mut(), &mut self.last) else {
            return;
        };
        sample.weight_ns += more_ns;
        window.weight_ns += more_ns;
        for (key, count, name) in &sample.found {
            *window.found.entry(*key).or_default() += count * more_ns;
            if let Some(name) = name {
                window.add_name(*key, name, count * more_ns);
            }
        }
    }

    /// That many processes more under that key in the sample that was begun.
    pub(crate) fn add(&mut self, key: K, count: u64) {
        self.found(key, count, None);
    }

    /// Processes more under that key, by the server's name for what they wait for.
    pub(crate) fn add_named(&mut self, key: K, found: Processes) {
        let name = (!found.kind.is_empty()).then(|| format!("{}:{}", found.kind, found.event));
        self.found(key, found.count, name);
    }

    fn found(&mut self, key: K, count: u64, name: Option<String>) {
        let (Some(window), Some(sample)) = (self.windows.last_mut(), &mut self.last) else {
            return;
        };
        *window.found.entry(key).or_default() += count * sample.weight_ns;
        if let Some(name) = &name {
            window.add_name(key, name, count * sample.weight_ns);
        }
        sample.found.push((key, count, name));
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
        let weight_ns: u64 = self.windows.iter().map(|window| window.weight_ns).sum();
        let mut sums: BTreeMap<&String, u64> = BTreeMap::new();
        for (name, n) in self.windows.iter().filter_map(|window| window.names.get(&key)).flatten() {
            *sums.entry(name).or_default() += n;
        }
        let mean = |n: u64| n as f64 / weight_ns.max(1) as f64;
        let mut means: Vec<(String, f64)> =
            sums.into_iter().map(|(name, n)| (name.clone(), mean(n))).collect();
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
        for (window, samples) in [1, 0, 2].into_iter().enumerate() {
            let at_ns = window as u64 * 1000;
            sampled.next_window(at_ns);
            for sample in 0..samples {
                sampled.begin(at_ns + 100 * sample);
                sampled.add("running", 2);
            }
            sampled.end_window(at_ns + 1000);
        }
        assert_eq!(sampled.means(true)["running"].windows, [2.0, 2.0]);
        sampled.drop_window();
        assert_eq!((sampled.samples(), sampled.means(true)["running"].processes), (1, 2.0));
    }

    #[test]
    fn a_sample_stands_for_the_time_around_it() {
        // Ten calm seconds with ten answers a second, and ten in which the server stands still and answers twice.
        let mut sampled = Sampled::default();
        sampled.next_window(0);
        let second = 1_000_000_000;
        for tenth in 0..100 {
            sampled.begin(tenth * second / 10);
            sampled.add("at work", 1);
        }
        for at_s in [13, 18] {
            sampled.begin(at_s * second);
            sampled.add_named("at work", Processes { count: 8, ..behind() });
        }
        sampled.end_window(20 * second);
        let mean = sampled.means(false)["at work"].processes;
        // From 11.45 s on, the middle between the last calm answer and the first of the other kind.
        assert!((mean - (11.45 + 8.0 * 8.55) / 20.0).abs() < 1e-9, "{mean}");
        let names = sampled.names("at work");
        assert_eq!(names[0].0, "LWLock:WALWrite");
        assert!((names[0].1 - 8.0 * 8.55 / 20.0).abs() < 1e-9, "{names:?}");
        assert_eq!(sampled.samples(), 102);
        // What is asked once stands for all of it, and two answers at one moment count both.
        sampled.next_window(20 * second);
        sampled.begin(21 * second);
        sampled.add("at work", 3);
        sampled.begin(21 * second);
        sampled.end_window(30 * second);
        let windows = &sampled.means(false)["at work"].windows;
        assert!((windows[1] - 0.3).abs() < 1e-6, "{windows:?}");
    }

    fn behind() -> Processes<'static> {
        let (kind, event) = ("LWLock", "WALWrite");
        Processes { backend_type: "client backend", state: "active", kind, event, count: 0 }
    }

    #[test]
    fn the_interval_is_that_of_the_mean_and_only_of_windows_that_are_repeats() {
        let mut sampled = Sampled::default();
        for window in 0..6 {
            sampled.next_window(window * 1000);
            sampled.begin(window * 1000 + 500);
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
