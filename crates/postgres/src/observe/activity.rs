//! The active-session history: what processes are found doing, asked again and again.

use std::collections::BTreeMap;

use narrows_model::{
    Activity, ActivityMoment, ActivityState, ActivityWhere, Interval, IntervalMethod, ProcessClass,
};

use super::places::{Place, class, place, runs_between};
use crate::wire::Row;

/// Every process but ours, counted by what it does.
///
/// Planned once, and of the function below the view `pg_stat_activity`, without its joins: until the answer is made, whoever
/// asks takes a processor from those who are asked about, and on a small machine that shows in what they do.
pub(super) const PREPARE: &str = "\
PREPARE narrows_activity AS \
SELECT backend_type, state, wait_event_type, wait_event, count(*) FROM pg_catalog.pg_stat_get_activity(NULL) \
WHERE pid <> pg_catalog.pg_backend_pid() GROUP BY 1, 2, 3, 4";

/// Asks.
pub(super) const SQL: &str = "EXECUTE narrows_activity";

/// Slices of the history.
const MOST_SLICES: f64 = 120.0;
/// About ten samples each.
const SHORTEST_SLICE_NS: f64 = 5e8;
/// Of the server's own names for what is waited for in a state.
const NAMES_SHOWN: usize = 3;
/// Fewer windows tell too little of how they differ.
const LEAST_WINDOWS: usize = 6;

type Key = (ProcessClass, ActivityState);

/// One window's sums over its samples.
#[derive(Debug, Clone, Default)]
pub(super) struct Window {
    pub(super) samples: u64,
    found: BTreeMap<Key, u64>,
    between: u64,
    /// Sessions in a statement that wait for the client to send, as it looked.
    client_read: u64,
    open: u64,
}

impl Window {
    fn mean(&self, sum: u64) -> f64 {
        sum as f64 / self.samples.max(1) as f64
    }

    /// Mean number of processes of these classes in that state.
    pub(super) fn of(&self, state: ActivityState, whose: impl Fn(ProcessClass) -> bool) -> f64 {
        let found = self.found.iter().filter(|((class, at), _)| *at == state && whose(*class));
        self.mean(found.map(|(_, n)| n).sum())
    }

    /// Mean number of processes of that class that have something to do.
    pub(super) fn at_work(&self, of: ProcessClass) -> f64 {
        let found = self.found.iter().filter(|((class, at), _)| *class == of && at.is_at_work());
        self.mean(found.map(|(_, n)| n).sum())
    }

    /// Mean number of sessions that ran, or could, outside of statements.
    pub(super) fn between(&self) -> f64 {
        self.mean(self.between - self.torn())
    }

    /// Mean number of sessions that ran, or could, in a statement, and looked as if they waited for the client.
    pub(super) fn just_ended(&self) -> f64 {
        self.mean(self.torn())
    }

    /// The server copies what a session does first and what it waits for a moment later. Where statements are short, one that has
    /// ended in between looks as if it waited for its client inside of a statement, and as many that have begun in
    /// between as if they ran outside of one.
    fn torn(&self) -> u64 {
        self.client_read.min(self.between)
    }

    /// Mean number of sessions connected.
    pub(super) fn open(&self) -> f64 {
        self.mean(self.open)
    }

    /// All of them as one.
    pub(super) fn together<'a>(windows: impl IntoIterator<Item = &'a Window>) -> Window {
        windows.into_iter().fold(Window::default(), |mut all, window| {
            all.samples += window.samples;
            all.between += window.between;
            all.client_read += window.client_read;
            all.open += window.open;
            for (key, n) in &window.found {
                *all.found.entry(*key).or_default() += n;
            }
            all
        })
    }
}

#[derive(Debug, Clone, Default)]
struct Slice {
    samples: u64,
    sessions: BTreeMap<ActivityState, u64>,
}

/// All windows so far, and the history.
#[derive(Debug, Clone)]
pub(super) struct Sampled {
    pub(super) windows: Vec<Window>,
    slices: Vec<Slice>,
    slice_ns: f64,
    events: BTreeMap<Key, BTreeMap<String, u64>>,
    most_open: u64,
    most_at_work: u64,
}

impl Sampled {
    /// For an interval of that length.
    pub(super) fn new(length_ns: f64) -> Sampled {
        let slices = (length_ns / SHORTEST_SLICE_NS).floor().clamp(1.0, MOST_SLICES);
        Sampled {
            windows: Vec::new(),
            slices: vec![Slice::default(); slices as usize],
            slice_ns: length_ns / slices,
            events: BTreeMap::new(),
            most_open: 0,
            most_at_work: 0,
        }
    }

    /// What follows belongs to the next window.
    pub(super) fn next_window(&mut self) {
        self.windows.push(Window::default());
    }

    /// The window in hand doesn't end: it is forgotten, but not in the history.
    pub(super) fn drop_window(&mut self) {
        self.windows.pop();
    }

    /// One answer to [`SQL`], that long after the beginning.
    pub(super) fn take(&mut self, at_ns: f64, rows: &[Row]) {
        let Some(window) = self.windows.last_mut() else { return };
        let index = (at_ns / self.slice_ns) as usize;
        let last = self.slices.len() - 1;
        let slice = &mut self.slices[index.min(last)];
        window.samples += 1;
        slice.samples += 1;
        let (mut open, mut at_work) = (0, 0);
        for row in rows {
            let text = |column: usize| row.get(column).and_then(|c| c.as_deref()).unwrap_or("");
            let (state, kind, event) = (text(1), text(2), text(3));
            let processes: u64 = text(4).parse().unwrap_or(0);
            let class = class(text(0));
            if class == ProcessClass::Session {
                open += processes;
            }
            if runs_between(class, state, kind) {
                window.between += processes;
            }
            if class == ProcessClass::Session && state == "active" && event == "ClientRead" {
                window.client_read += processes;
            }
            match place(class, state, kind, event) {
                Place::Nowhere => {}
                Place::Between => window.between += processes,
                Place::At(at) => {
                    *window.found.entry((class, at)).or_default() += processes;
                    if class.serves_transactions() {
                        *slice.sessions.entry(at).or_default() += processes;
                    }
                    if class == ProcessClass::Session && at.is_at_work() {
                        at_work += processes;
                    }
                    if !kind.is_empty() {
                        let names = self.events.entry((class, at)).or_default();
                        *names.entry(format!("{kind}:{event}")).or_default() += processes;
                    }
                }
            }
        }
        window.open += open;
        self.most_open = self.most_open.max(open);
        self.most_at_work = self.most_at_work.max(at_work);
    }

    /// How many sessions waited for locks in the last window, in sum over its samples: worth asking who holds them.
    pub(super) fn waits_for_locks(&self) -> bool {
        let of = |window: &Window| window.of(ActivityState::Lock, |_| true) > 0.0;
        self.windows.last().is_some_and(of)
    }

    /// Most sessions connected, and at work, at once; `None` without samples.
    pub(super) fn most(&self) -> Option<(f64, f64)> {
        let seen = self.windows.iter().any(|window| window.samples > 0);
        seen.then_some((self.most_open as f64, self.most_at_work as f64))
    }

    /// Means over all samples. Windows without any are left out; the others give intervals where they are long enough to be
    /// repeats of each other (`apart`).
    pub(super) fn activity(&self, apart: bool) -> Activity {
        let windows: Vec<&Window> = self.windows.iter().filter(|w| w.samples > 0).collect();
        let all = Window::together(windows.iter().copied());
        let found = all.found.iter().map(|(key, sum)| {
            let of = |w: &&Window| w.mean(w.found.get(key).copied().unwrap_or(0));
            let means: Vec<f64> = windows.iter().map(of).collect();
            ActivityWhere {
                class: key.0,
                state: key.1,
                processes: all.mean(*sum),
                interval_95: interval(&means).filter(|_| apart),
                windows: means,
                events: self.names(key, all.samples),
            }
        });
        Activity { samples: all.samples, found: found.collect(), history: self.history() }
    }

    fn names(&self, key: &Key, samples: u64) -> Vec<(String, f64)> {
        let names = self.events.get(key).into_iter().flatten();
        let mean = |(name, n): (&String, &u64)| (name.clone(), *n as f64 / samples.max(1) as f64);
        let mut means: Vec<(String, f64)> = names.map(mean).collect();
        means.sort_by(|a, b| b.1.total_cmp(&a.1));
        means.truncate(NAMES_SHOWN);
        means
    }

    fn history(&self) -> Vec<ActivityMoment> {
        let seen = self.slices.iter().enumerate().filter(|(_, slice)| slice.samples > 0);
        seen.map(|(index, slice)| ActivityMoment {
            at_ns: (index as f64 + 0.5) * self.slice_ns,
            samples: slice.samples,
            sessions: slice
                .sessions
                .iter()
                .map(|(state, n)| (*state, *n as f64 / slice.samples as f64))
                .collect(),
        })
        .collect()
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
    use crate::look::fake::row;

    fn sampled() -> Sampled {
        let mut sampled = Sampled::new(6e9);
        for window in 0..6 {
            sampled.next_window();
            for sample in 0..4 {
                let mut rows = vec![
                    row(["client backend", "active", "", "", "2"]),
                    row(["client backend", "idle", "Client", "ClientRead", "5"]),
                    row(["client backend", "idle", "", "", "1"]),
                    row(["parallel worker", "active", "IO", "DataFileRead", "3"]),
                    row(["checkpointer", "", "Activity", "CheckpointerMain", "1"]),
                ];
                if sample < 2 {
                    rows.push(row(["client backend", "active", "LWLock", "WALWrite", "4"]));
                }
                if window == 5 && sample == 3 {
                    rows.push(row(["client backend", "active", "Lock", "tuple", "12"]));
                }
                sampled.take(f64::from(window) * 1e9 + f64::from(sample) * 0.25e9, &rows);
            }
        }
        sampled
    }

    #[test]
    fn means_are_over_all_samples_by_class_and_state() {
        let activity = sampled().activity(true);
        assert_eq!(activity.samples, 24);
        assert_eq!(activity.of(ActivityState::Running), Some(2.0));
        assert_eq!(activity.of(ActivityState::Read), Some(3.0), "of the workers");
        assert_eq!(activity.of(ActivityState::Log), Some(2.0));
        assert_eq!(activity.sessions_at_work(), Some(2.0 + 2.0 + 0.5));
        assert!(activity.found.iter().all(|f| f.class != ProcessClass::Checkpointer));
        let log = activity.found.iter().find(|f| f.state == ActivityState::Log).unwrap();
        assert_eq!(log.events, [("LWLock:WALWrite".to_string(), 2.0)]);
        assert_eq!((log.windows.len(), log.interval_95.is_some()), (6, true));
        assert!(sampled().activity(false).found.iter().all(|f| f.interval_95.is_none()));
    }

    #[test]
    fn the_history_has_a_slice_for_each_half_second_and_120_at_most() {
        let history = sampled().activity(true).history;
        assert_eq!(history.len(), 12);
        assert!(history.iter().all(|moment| moment.samples == 2));
        assert_eq!(history[1].at_ns, 0.75e9);
        let of = |index: usize, state| {
            history[index].sessions.iter().find(|(at, _)| *at == state).map(|(_, n)| *n)
        };
        assert_eq!(of(0, ActivityState::Log), Some(4.0));
        assert_eq!((of(1, ActivityState::Log), of(11, ActivityState::Lock)), (None, Some(6.0)));
        assert_eq!(Sampled::new(86_400e9).slices.len(), 120);
        assert_eq!(Sampled::new(1.0).slices.len(), 1);
    }

    #[test]
    fn a_window_has_what_lies_between_statements_and_who_is_connected() {
        let sampled = sampled();
        let window = &sampled.windows[5];
        assert_eq!((window.between(), window.at_work(ProcessClass::Session)), (1.0, 7.0));
        assert_eq!(window.at_work(ProcessClass::ParallelWorker), 3.0);
        assert_eq!(window.just_ended(), 0.0);
        assert_eq!((sampled.most(), sampled.waits_for_locks()), (Some((20.0, 14.0)), true));
        let all = Window::together(&sampled.windows);
        assert_eq!((all.samples, all.between()), (24, 1.0));
    }

    #[test]
    fn what_ended_while_the_server_looked_is_no_wait_for_the_client() {
        let mut sampled = Sampled::new(1e9);
        sampled.next_window();
        sampled.take(
            0.0,
            &[
                row(["client backend", "active", "Client", "ClientRead", "3"]),
                row(["client backend", "idle", "", "", "5"]),
            ],
        );
        let window = &sampled.windows[0];
        assert_eq!((window.just_ended(), window.between()), (3.0, 2.0));
        // A load by COPY waits for its client in truth: nobody runs outside of statements.
        sampled.next_window();
        sampled.take(0.0, &[row(["client backend", "active", "Client", "ClientRead", "3"])]);
        assert_eq!(sampled.windows[1].just_ended(), 0.0);
    }

    #[test]
    fn windows_without_samples_are_left_out_and_without_any_nothing_is_known() {
        let mut sampled = Sampled::new(1e9);
        for samples in [1, 0] {
            sampled.next_window();
            for _ in 0..samples {
                sampled.take(0.0, &[row(["client backend", "active", "", "", "2"])]);
            }
        }
        assert_eq!(sampled.activity(true).found[0].windows, [2.0]);
        let nothing = Sampled::new(1e9);
        assert_eq!((nothing.activity(true).sessions_at_work(), nothing.most()), (None, None));
    }
}
