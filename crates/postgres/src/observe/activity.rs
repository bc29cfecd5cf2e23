//! The active-session history: the samples by class and state, by window and by slices of the interval.

use std::collections::BTreeMap;

use narrows_model::{
    Activity, ActivityMoment, ActivityState, ActivityWhere, ProcessClass, WaitCheck,
};

use super::process_state::{ProcessState, class, place, runs_between};
use crate::monitor::samples::{self, Processes};
use crate::wire::Row;

/// Slices of the history.
const MOST_SLICES: usize = 120;
/// About ten samples each.
const SHORTEST_SLICE_NS: f64 = 5e8;

/// By what processes are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    /// Of that class in that state.
    At(ProcessClass, ActivityState),
    /// Sessions that run, or could, outside of statements.
    Between,
    /// Sessions in a statement that wait for the client to send, as it looked.
    ClientRead,
    /// Sessions connected.
    Open,
}

/// One window's sums over its samples.
pub(super) type Window = samples::Window<Key>;

impl Window {
    /// Mean number of processes of these classes in that state.
    pub(super) fn of(&self, state: ActivityState, whose: impl Fn(ProcessClass) -> bool) -> f64 {
        self.at(|class, at| at == state && whose(class))
    }

    /// Mean number of processes of that class that have something to do.
    pub(super) fn at_work(&self, of: ProcessClass) -> f64 {
        self.at(|class, at| class == of && at.is_at_work())
    }

    fn at(&self, of: impl Fn(ProcessClass, ActivityState) -> bool) -> f64 {
        let found = self.found.iter().filter(|(key, _)| match key {
            Key::At(class, state) => of(*class, *state),
            _ => false,
        });
        self.mean(found.map(|(_, n)| n).sum())
    }

    /// Mean number of sessions that ran, or could, outside of statements.
    pub(super) fn between(&self) -> f64 {
        self.mean(self.sum(Key::Between) - self.torn())
    }

    /// Mean number of sessions that ran, or could, in a statement, and looked as if they waited for the client.
    pub(super) fn just_ended(&self) -> f64 {
        self.mean(self.torn())
    }

    /// The server copies what a session does first and what it waits for a moment later. Where statements are short, one that has
    /// ended in between looks as if it waited for its client inside of a statement, and as many that have begun in
    /// between as if they ran outside of one.
    fn torn(&self) -> u64 {
        self.sum(Key::ClientRead).min(self.sum(Key::Between))
    }

    /// Mean number of sessions connected.
    pub(super) fn open(&self) -> f64 {
        self.mean(self.sum(Key::Open))
    }
}

#[derive(Debug, Clone, Default)]
struct Slice {
    samples: u64,
    sessions: BTreeMap<ActivityState, u64>,
}

impl Slice {
    /// Neighbours as one.
    fn of(slices: &[Slice]) -> Slice {
        slices.iter().fold(Slice::default(), |mut all, slice| {
            all.samples += slice.samples;
            for (state, n) in &slice.sessions {
                *all.sessions.entry(*state).or_default() += n;
            }
            all
        })
    }
}

/// All windows so far, and the history.
#[derive(Debug, Clone)]
pub(super) struct Sampled {
    by_window: samples::Sampled<Key>,
    slices: Vec<Slice>,
    slice_ns: f64,
    window_ns: f64,
    most_open: u64,
    most_at_work: u64,
}

impl Sampled {
    /// For an interval of that length at least, in windows of that length.
    pub(super) fn new(least_ns: f64, window_ns: f64) -> Sampled {
        let slices = (least_ns / SHORTEST_SLICE_NS).floor().clamp(1.0, MOST_SLICES as f64);
        Sampled {
            by_window: samples::Sampled::default(),
            slices: vec![Slice::default(); slices as usize],
            slice_ns: least_ns / slices,
            window_ns,
            most_open: 0,
            most_at_work: 0,
        }
    }

    /// All windows so far.
    pub(super) fn windows(&self) -> &[Window] {
        &self.by_window.windows
    }

    /// What follows belongs to the next window, which begins that long after the beginning.
    pub(super) fn next_window(&mut self, at_ns: u64) {
        self.by_window.next_window(at_ns);
        let needed = (at_ns as f64 + 0.9 * self.window_ns) / self.slice_ns;
        if needed > self.slices.len() as f64 {
            let more = (self.window_ns / self.slice_ns).ceil().max(1.0) as usize;
            self.slices.resize(self.slices.len() + more, Slice::default());
        }
        while self.slices.len() > MOST_SLICES {
            self.slices = self.slices.chunks(2).map(Slice::of).collect();
            self.slice_ns *= 2.0;
        }
    }

    /// The window in hand ends then.
    pub(super) fn end_window(&mut self, at_ns: u64) {
        self.by_window.end_window(at_ns);
    }

    /// The window in hand doesn't end: it is forgotten, but not in the history.
    pub(super) fn drop_window(&mut self) {
        self.by_window.drop_window();
    }

    /// One sample, that long after the beginning.
    pub(super) fn take(&mut self, at_ns: u64, rows: &[Row]) {
        self.by_window.begin(at_ns);
        let index = (at_ns as f64 / self.slice_ns) as usize;
        let last = self.slices.len() - 1;
        let slice = &mut self.slices[index.min(last)];
        slice.samples += 1;
        let (mut open, mut at_work) = (0, 0);
        for found in rows.iter().map(Processes::from) {
            let Processes { state, kind, event, count, .. } = found;
            let class = class(found.backend_type);
            let mut add = |key, count| self.by_window.add(key, count);
            if class == ProcessClass::Session {
                open += count;
                add(Key::Open, count);
            }
            if runs_between(class, state, kind) {
                add(Key::Between, count);
            }
            if class == ProcessClass::Session && state == "active" && event == "ClientRead" {
                add(Key::ClientRead, count);
            }
            match place(class, state, kind, event) {
                ProcessState::Nowhere => {}
                ProcessState::Between => add(Key::Between, count),
                ProcessState::At(at) => {
                    self.by_window.add_named(Key::At(class, at), found);
                    if class.serves_transactions() {
                        *slice.sessions.entry(at).or_default() += count;
                    }
                    if class == ProcessClass::Session && at.is_at_work() {
                        at_work += count;
                    }
                }
            }
        }
        self.most_open = self.most_open.max(open);
        self.most_at_work = self.most_at_work.max(at_work);
    }

    /// Samples of all windows.
    pub(super) fn samples(&self) -> u64 {
        self.by_window.samples()
    }

    /// How many sessions waited for locks in the last window, in sum over its samples: worth asking who holds them.
    pub(super) fn waits_for_locks(&self) -> bool {
        let of = |window: &Window| window.of(ActivityState::Lock, |_| true) > 0.0;
        self.windows().last().is_some_and(of)
    }

    /// Most sessions connected, and at work, at once; `None` without samples.
    pub(super) fn most(&self) -> Option<(f64, f64)> {
        (self.by_window.samples() > 0).then_some((self.most_open as f64, self.most_at_work as f64))
    }

    /// Means over all samples. Windows without any are left out; the others give intervals where they are long enough to be
    /// repeats of each other (`apart`).
    pub(super) fn activity(&self, apart: bool, checks: Vec<WaitCheck>) -> Activity {
        let found = self.by_window.means(apart).into_iter().filter_map(|(key, mean)| {
            let Key::At(class, state) = key else { return None };
            Some(ActivityWhere {
                class,
                state,
                processes: mean.processes,
                interval_95: mean.interval_95,
                windows: mean.windows,
                events: self.by_window.names(key),
            })
        });
        Activity {
            samples: self.by_window.samples(),
            counted: false,
            found: found.collect(),
            history: self.history(),
            checks,
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::fake::row;

    fn sampled() -> Sampled {
        let mut sampled = Sampled::new(6e9, 1e9);
        for window in 0..6 {
            sampled.next_window(window * 1_000_000_000);
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
                sampled.take(window * 1_000_000_000 + sample * 250_000_000 + 125_000_000, &rows);
            }
            sampled.end_window((window + 1) * 1_000_000_000);
        }
        sampled
    }

    #[test]
    fn means_are_over_all_samples_by_class_and_state() {
        let activity = sampled().activity(true, Vec::new());
        assert_eq!(activity.samples, 24);
        assert_eq!(activity.of(ActivityState::Running), Some(2.0));
        assert_eq!(activity.of(ActivityState::Read), Some(3.0), "of the workers");
        assert_eq!(activity.of(ActivityState::Log), Some(2.0));
        assert_eq!(activity.sessions_at_work(), Some(2.0 + 2.0 + 0.5));
        assert!(activity.found.iter().all(|f| f.class != ProcessClass::Checkpointer));
        let log = activity.found.iter().find(|f| f.state == ActivityState::Log).unwrap();
        assert_eq!(log.events, [("LWLock:WALWrite".to_string(), 2.0)]);
        assert_eq!((log.windows.len(), log.interval_95.is_some()), (6, true));
        assert!(
            sampled().activity(false, Vec::new()).found.iter().all(|f| f.interval_95.is_none())
        );
    }

    #[test]
    fn the_history_has_a_slice_for_each_half_second_and_120_at_most() {
        let history = sampled().activity(true, Vec::new()).history;
        assert_eq!(history.len(), 12);
        assert!(history.iter().all(|moment| moment.samples == 2));
        assert_eq!(history[1].at_ns, 0.75e9);
        let of = |index: usize, state| {
            history[index].sessions.iter().find(|(at, _)| *at == state).map(|(_, n)| *n)
        };
        assert_eq!(of(0, ActivityState::Log), Some(4.0));
        assert_eq!((of(1, ActivityState::Log), of(11, ActivityState::Lock)), (None, Some(6.0)));
        assert_eq!(Sampled::new(86_400e9, 1440e9).slices.len(), 120);
        // A look that goes on has slices of two, and of four, and loses none.
        let mut sampled = Sampled::new(60e9, 10e9);
        for window in 0..30 {
            sampled.next_window(window * 10_000_000_000);
            for half in 0..20 {
                let rows = [row(["client backend", "active", "", "", "2"])];
                sampled.take(window * 10_000_000_000 + half * 500_000_000, &rows);
            }
        }
        let history = sampled.activity(true, Vec::new()).history;
        assert_eq!((history.len(), history[0].samples, history[0].at_ns), (75, 8, 2e9));
        assert!(history.iter().all(|m| m.sessions == [(ActivityState::Running, 2.0)]));
        assert_eq!(Sampled::new(1.0, 1.0).slices.len(), 1);
    }

    #[test]
    fn a_window_has_what_lies_between_statements_and_who_is_connected() {
        let sampled = sampled();
        let window = &sampled.windows()[5];
        assert_eq!((window.between(), window.at_work(ProcessClass::Session)), (1.0, 7.0));
        assert_eq!(window.at_work(ProcessClass::ParallelWorker), 3.0);
        assert_eq!(window.just_ended(), 0.0);
        assert_eq!((sampled.most(), sampled.waits_for_locks()), (Some((20.0, 14.0)), true));
        let all = Window::together(sampled.windows());
        assert_eq!((all.samples, all.between()), (24, 1.0));
    }

    #[test]
    fn what_ended_while_the_server_looked_is_no_wait_for_the_client() {
        let mut sampled = Sampled::new(1e9, 1e9);
        sampled.next_window(0);
        sampled.take(
            0,
            &[
                row(["client backend", "active", "Client", "ClientRead", "3"]),
                row(["client backend", "idle", "", "", "5"]),
            ],
        );
        let window = &sampled.windows()[0];
        assert_eq!((window.just_ended(), window.between()), (3.0, 2.0));
        // A load by COPY waits for its client in truth: nobody runs outside of statements.
        sampled.next_window(0);
        sampled.take(0, &[row(["client backend", "active", "Client", "ClientRead", "3"])]);
        assert_eq!(sampled.windows()[1].just_ended(), 0.0);
    }

    #[test]
    fn windows_without_samples_are_left_out_and_without_any_nothing_is_known() {
        let mut sampled = Sampled::new(1e9, 1e9);
        for samples in [1, 0] {
            sampled.next_window(0);
            for _ in 0..samples {
                sampled.take(0, &[row(["client backend", "active", "", "", "2"])]);
            }
        }
        assert_eq!(sampled.activity(true, Vec::new()).found[0].windows, [2.0]);
        let nothing = Sampled::new(1e9, 1e9);
        assert_eq!(
            (nothing.activity(true, Vec::new()).sessions_at_work(), nothing.most()),
            (None, None)
        );
    }
}
