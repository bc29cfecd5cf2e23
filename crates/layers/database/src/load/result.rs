//! What a load saw, by class of operation and together.

use std::collections::BTreeMap;

use narrows_engine::Window;
use narrows_facts::process;
use narrows_stats::Recorder;

use super::slices::OpenSlices;
use super::slot::{Ending, Given};
use crate::session::Refusal;

/// Kinds of errors that are counted apart; a server has some hundred, a load meets a few.
const MOST_CODES: usize = 64;
const OTHERS: &str = "others";
/// Slices of the throughput series.
const SLICE_NS: u64 = 100_000_000;

/// What the load saw.
#[derive(Debug, Clone, Default)]
pub struct LoadResult {
    /// Operations completed in the window: answered right or wrong, or rolled back as planned.
    pub operations: u64,
    /// The same from the first to the last, warm-up and drain included.
    pub span_operations: u64,
    /// Latency of operations that ended, however, ns: in the window (closed), due in the window (open, from when due).
    pub latency: Recorder,
    /// How long after an operation could have been sent it was sent, ns: due by the schedule and a session free (open
    /// loop, with what was found late while one was free), a pause over (closed loop).
    pub lateness: Recorder,
    /// Open loop: `latency` without that, operation by operation, ns.
    pub on_time: Recorder,
    /// Open loop: operations due in the window.
    pub due: u64,
    /// Open loop: of these, never sent.
    pub skipped: u64,
    /// Open loop: operations never sent, also those that were due before the window.
    pub span_skipped: u64,
    /// Open loop: the window by slices.
    pub open: Option<OpenSlices>,
    /// Operations that ended with an error, from the first to the last; without those that a conflict ended.
    pub errors: u64,
    /// Operations that a conflict ended and that were not done again, from the first to the last.
    pub conflicts: u64,
    /// Operations with a wrong answer, from the first to the last.
    pub wrong: u64,
    /// The first error's or wrong answer's text.
    pub first_error: Option<String>,
    /// How often the server answered with an error, by SQLSTATE: planned ones, those that were followed by another
    /// try and those that weren't, from the first to the last.
    pub refusals: BTreeMap<String, u64>,
    /// The same by class of operation, by their numbers.
    pub classes: Vec<ClassResult>,
    /// Processor time of all client threads in the window, ns.
    pub cpu_ns: u64,
    /// The busiest client thread's processor time in the window, ns.
    pub busiest_cpu_ns: u64,
    /// Operations completed per 100 ms of the window.
    pub slices: Vec<u64>,
    /// Client threads.
    pub threads: u32,
}

/// What the load saw of one class of operations. `operations` and `latency` are of the window, as in [`LoadResult`]; all
/// else from the first to the last.
#[derive(Debug, Clone, Default)]
pub struct ClassResult {
    /// Its name.
    pub name: String,
    /// Completed in the window, those rolled back as planned among them.
    pub operations: u64,
    /// Of these, rolled back as planned.
    pub operations_rolled_back: u64,
    /// Completed, warm-up and drain included.
    pub span_operations: u64,
    /// Latency, ns.
    pub latency: Recorder,
    /// Rolled back as planned.
    pub rolled_back: u64,
    /// With a wrong answer; they count as completed.
    pub wrong: u64,
    /// Ended with an error other than a conflict.
    pub errors: u64,
    /// Ended by a conflict.
    pub conflicts: u64,
    /// Answers that were a serialization failure (40001), followed by another try or not.
    pub serialization_failures: u64,
    /// Answers that were a deadlock (40P01), followed by another try or not.
    pub deadlocks: u64,
    /// How often an operation was done again.
    pub retries: u64,
}

impl LoadResult {
    /// Adds what another thread saw.
    pub(super) fn merge(&mut self, other: &LoadResult) {
        self.operations += other.operations;
        self.span_operations += other.span_operations;
        self.latency.merge(&other.latency);
        self.lateness.merge(&other.lateness);
        self.on_time.merge(&other.on_time);
        self.due += other.due;
        self.skipped += other.skipped;
        self.span_skipped += other.span_skipped;
        if let Some(other) = &other.open {
            self.open.get_or_insert_default().merge(other);
        }
        self.errors += other.errors;
        self.conflicts += other.conflicts;
        self.wrong += other.wrong;
        self.first_error = self.first_error.take().or_else(|| other.first_error.clone());
        for (code, count) in &other.refusals {
            *self.refusals.entry(code.clone()).or_default() += count;
        }
        self.classes.resize_with(self.classes.len().max(other.classes.len()), Default::default);
        for (class, other) in self.classes.iter_mut().zip(&other.classes) {
            class.merge(other);
        }
        self.cpu_ns += other.cpu_ns;
        self.busiest_cpu_ns = self.busiest_cpu_ns.max(other.busiest_cpu_ns);
        self.threads += other.threads;
        self.slices.resize(self.slices.len().max(other.slices.len()), 0);
        for (sum, n) in self.slices.iter_mut().zip(&other.slices) {
            *sum += n;
        }
    }
}

impl ClassResult {
    fn merge(&mut self, other: &ClassResult) {
        self.name.clone_from(&other.name);
        self.latency.merge(&other.latency);
        for (sum, n) in [
            (&mut self.operations, other.operations),
            (&mut self.operations_rolled_back, other.operations_rolled_back),
            (&mut self.span_operations, other.span_operations),
            (&mut self.rolled_back, other.rolled_back),
            (&mut self.wrong, other.wrong),
            (&mut self.errors, other.errors),
            (&mut self.conflicts, other.conflicts),
            (&mut self.serialization_failures, other.serialization_failures),
            (&mut self.deadlocks, other.deadlocks),
            (&mut self.retries, other.retries),
        ] {
            *sum += n;
        }
    }
}

/// What one thread sees while it drives its sessions.
pub(super) struct Tally {
    window: Window,
    seen: LoadResult,
    cpu_start_ns: Option<u64>,
    cpu_end_ns: Option<u64>,
}

impl Tally {
    pub(super) fn new(window: Window, classes: &[String], limit_ns: Option<u64>) -> Tally {
        let class = |name: &String| ClassResult { name: name.clone(), ..ClassResult::default() };
        let seen = LoadResult {
            classes: classes.iter().map(class).collect(),
            slices: vec![0; window.length_ns().div_ceil(SLICE_NS) as usize],
            threads: 1,
            open: limit_ns.map(|limit_ns| OpenSlices::new(window, limit_ns)),
            ..LoadResult::default()
        };
        Tally { window, seen, cpu_start_ns: None, cpu_end_ns: None }
    }

    /// Takes the thread's processor time at the borders of the window, at the first event after each.
    #[inline]
    pub(super) fn at_border(&mut self, now: u64) {
        if self.cpu_start_ns.is_none() && now >= self.window.start_ns {
            self.cpu_start_ns = Some(process::thread_cpu_ns());
        }
        if self.cpu_end_ns.is_none() && now >= self.window.end_ns {
            self.cpu_end_ns = Some(process::thread_cpu_ns());
        }
    }

    /// An operation ended at `now`.
    #[inline]
    pub(super) fn ended(&mut self, now: u64, class: usize, ending: Ending) {
        let of_class = &mut self.seen.classes[class];
        let in_window = self.window.contains(now);
        match ending {
            Ending::Right => {}
            Ending::RolledBack => {
                of_class.rolled_back += 1;
                of_class.operations_rolled_back += u64::from(in_window);
            }
            Ending::Wrong(text) => {
                of_class.wrong += 1;
                self.seen.first_error.get_or_insert(text.into_owned());
            }
            Ending::Failed => return of_class.errors += 1,
            Ending::Conflict => return of_class.conflicts += 1,
        }
        of_class.span_operations += 1;
        if in_window {
            of_class.operations += 1;
            let slice = ((now - self.window.start_ns) / SLICE_NS) as usize;
            if let Some(n) = self.seen.slices.get_mut(slice) {
                *n += 1;
            }
        }
    }

    #[inline]
    pub(super) fn latency(&mut self, class: usize, ns: u64) {
        self.seen.classes[class].latency.record(ns);
    }

    #[inline]
    pub(super) fn lateness(&mut self, ns: u64) {
        self.seen.lateness.record(ns);
    }

    /// Open loop: an operation became due at `due`.
    #[inline]
    pub(super) fn due(&mut self, due: u64) {
        self.seen.due += u64::from(self.window.contains(due));
        if let Some(open) = &mut self.seen.open {
            open.due(due, &self.window);
        }
    }

    /// Open loop: one ended at `now`, answered as it should be or not.
    #[inline]
    pub(super) fn answered(&mut self, given: Given, now: u64, good: bool) {
        self.waited(given, now);
        if let Some(open) = &mut self.seen.open {
            open.ended(given.due_ns, now, good, &self.window);
        }
    }

    /// Open loop: one was sent and has no answer when the load ends at `now`.
    pub(super) fn unanswered(&mut self, given: Given, now: u64) {
        self.waited(given, now);
        if let Some(open) = &mut self.seen.open {
            open.never(given.due_ns, now, &self.window);
        }
    }

    #[inline]
    fn waited(&mut self, given: Given, now: u64) {
        if self.window.contains(given.due_ns) {
            let ns = now - given.due_ns;
            self.seen.classes[given.class].latency.record(ns);
            self.seen.on_time.record(ns.saturating_sub(given.late_ns));
        }
    }

    /// Open loop: one that was due at `due` was dropped, because too many waited before it. It would have waited at least to
    /// the window's end.
    #[cold]
    pub(super) fn dropped(&mut self, due: u64) {
        self.never_sent(due, self.window.end_ns);
    }

    /// Open loop: one that was due at `due` was never sent, and had waited at `now`. Nobody drew its class.
    pub(super) fn never_sent(&mut self, due: u64, now: u64) {
        self.seen.span_skipped += 1;
        if self.window.contains(due) {
            self.seen.skipped += 1;
            self.seen.latency.record(now - due);
            self.seen.on_time.record(now - due);
        }
        if let Some(open) = &mut self.seen.open {
            open.never(due, u64::MAX, &self.window);
        }
    }

    #[cold]
    pub(super) fn refused(&mut self, class: usize, refusal: &Refusal) {
        let known = self.seen.refusals.contains_key(&refusal.code);
        let code =
            if known || self.seen.refusals.len() < MOST_CODES { &refusal.code } else { OTHERS };
        *self.seen.refusals.entry(code.to_string()).or_default() += 1;
        match refusal.code.as_str() {
            Refusal::SERIALIZATION_FAILURE => self.seen.classes[class].serialization_failures += 1,
            Refusal::DEADLOCK => self.seen.classes[class].deadlocks += 1,
            _ => {}
        }
    }

    #[cold]
    pub(super) fn first_error(&mut self, refusal: &Refusal) {
        self.seen.first_error.get_or_insert_with(|| refusal.to_string());
    }

    #[cold]
    pub(super) fn again(&mut self, class: usize) {
        self.seen.classes[class].retries += 1;
    }

    /// All of it; the sums over the classes are made here.
    pub(super) fn finish(mut self) -> LoadResult {
        if let Some(start) = self.cpu_start_ns {
            // Sessions that all pause beyond the window's end leave no event behind it.
            let end = self.cpu_end_ns.unwrap_or_else(process::thread_cpu_ns);
            self.seen.cpu_ns = end.saturating_sub(start);
            self.seen.busiest_cpu_ns = self.seen.cpu_ns;
        }
        for class in &self.seen.classes {
            self.seen.operations += class.operations;
            self.seen.span_operations += class.span_operations;
            self.seen.errors += class.errors;
            self.seen.conflicts += class.conflicts;
            self.seen.wrong += class.wrong;
            self.seen.latency.merge(&class.latency);
        }
        self.seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_dropped_counts_with_the_time_it_would_have_waited_at_least() {
        let window = Window { start_ns: 1000, end_ns: 1400 };
        let mut tally = Tally::new(window, &["one".into()], Some(50));
        for due in [900, 1100, 1200] {
            tally.due(due);
            tally.dropped(due);
        }
        tally.due(1300);
        tally.never_sent(1300, 1900);
        let mut seen = tally.finish();
        assert_eq!((seen.due, seen.skipped, seen.span_skipped), (3, 3, 4));
        let latency = &seen.latency;
        assert_eq!((latency.count(), latency.min(), latency.max()), (3, Some(200), Some(600)));
        assert_eq!(
            (seen.on_time.count(), seen.on_time.max()),
            (3, Some(600)),
            "nobody was late with these"
        );
        assert_eq!(seen.open.as_ref().unwrap().slices.iter().map(|s| s.over).sum::<u64>(), 3);
        let other = seen.clone();
        seen.merge(&other);
        assert_eq!((seen.skipped, seen.span_skipped, seen.on_time.count()), (6, 8, 6));
    }

    #[test]
    fn the_generators_lateness_is_taken_out_of_each_operation() {
        let window = Window { start_ns: 1000, end_ns: 1400 };
        let mut tally = Tally::new(window, &["one".into()], None);
        let given = |due_ns, late_ns| Given { class: 0, due_ns, late_ns };
        tally.answered(given(1000, 0), 1100, true);
        tally.answered(given(1100, 40), 1300, true);
        tally.unanswered(given(1300, 100), 1900);
        tally.answered(given(900, 50), 1000, true);
        let seen = tally.finish();
        let all = |r: &Recorder| (r.count(), r.min(), r.max());
        assert_eq!(all(&seen.latency), (3, Some(100), Some(600)));
        assert_eq!(all(&seen.on_time), (3, Some(100), Some(500)));
    }
}
