//! One common window for all threads of a workload.
//!
//! Threads prepare (allocate, open, register, pin), report ready, and get the same start and end. Work before
//! the start is warm-up, work completed between start and end counts, and nobody stops before the end, so every
//! thread runs during the whole window.

use std::sync::{Condvar, Mutex};
use std::time::Duration;

use crate::now_ns;

/// Start and end on the time line of [`now_ns`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// First nanosecond that counts.
    pub start_ns: u64,
    /// First nanosecond that doesn't.
    pub end_ns: u64,
}

impl Window {
    /// Whether a completion at `at_ns` counts.
    #[inline]
    pub fn contains(&self, at_ns: u64) -> bool {
        at_ns >= self.start_ns && at_ns < self.end_ns
    }

    /// Length, ns.
    pub fn length_ns(&self) -> u64 {
        self.end_ns - self.start_ns
    }
}

/// A sibling could not prepare, so the window never opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("another thread of this workload could not prepare")]
pub struct GateFailed;

#[derive(Default)]
struct State {
    ready: usize,
    failed: bool,
    window: Option<Window>,
}

/// Where threads wait until all are ready.
pub struct Gate {
    workers: usize,
    state: Mutex<State>,
    changed: Condvar,
}

impl Gate {
    /// A gate for that many workers, besides the coordinator.
    pub fn new(workers: usize) -> Self {
        Gate { workers, state: Mutex::new(State::default()), changed: Condvar::new() }
    }

    /// A worker is ready; returns when the window is set.
    pub fn ready(&self) -> Result<Window, GateFailed> {
        let mut state = self.state.lock().expect("no holder of the gate panics");
        state.ready += 1;
        self.changed.notify_all();
        loop {
            if state.failed {
                return Err(GateFailed);
            }
            if let Some(window) = state.window {
                return Ok(window);
            }
            state = self.changed.wait(state).expect("no holder of the gate panics");
        }
    }

    /// A worker could not prepare; everybody is released with an error.
    pub fn fail(&self) {
        self.state.lock().expect("no holder of the gate panics").failed = true;
        self.changed.notify_all();
    }

    /// The coordinator waits for all workers and sets the window.
    pub fn open(&self, warm_up: Duration, length: Duration) -> Result<Window, GateFailed> {
        let mut state = self.state.lock().expect("no holder of the gate panics");
        while state.ready < self.workers && !state.failed {
            state = self.changed.wait(state).expect("no holder of the gate panics");
        }
        if state.failed {
            return Err(GateFailed);
        }
        let start_ns = now_ns() + warm_up.as_nanos() as u64;
        let window = Window { start_ns, end_ns: start_ns + length.as_nanos() as u64 };
        state.window = Some(window);
        self.changed.notify_all();
        Ok(window)
    }
}

/// Sleeps until `at_ns` on the time line of [`now_ns`], waking at least every 20 ms to look at `stop`.
pub(crate) fn sleep_until(at_ns: u64, stop: &crate::Stop) -> Result<(), crate::Stopped> {
    stop.sleep(Duration::from_nanos(at_ns.saturating_sub(now_ns())))
}

impl Window {
    /// Sleeps until the window starts; an error if asked to stop.
    pub fn wait_start(&self, stop: &crate::Stop) -> Result<(), crate::Stopped> {
        sleep_until(self.start_ns, stop)
    }

    /// Sleeps until the window ends; an error if asked to stop.
    pub fn wait_end(&self, stop: &crate::Stop) -> Result<(), crate::Stopped> {
        sleep_until(self.end_ns, stop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_threads_get_the_same_window() {
        let gate = Gate::new(3);
        let windows = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..3).map(|_| scope.spawn(|| gate.ready())).collect();
            let opened = gate.open(Duration::from_millis(1), Duration::from_millis(2)).unwrap();
            let seen: Vec<_> = workers.into_iter().map(|w| w.join().unwrap().unwrap()).collect();
            (opened, seen)
        });
        assert!(windows.1.iter().all(|w| *w == windows.0));
        assert_eq!(windows.0.length_ns(), 2_000_000);
    }

    #[test]
    fn one_failure_releases_everybody() {
        let gate = Gate::new(2);
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| gate.ready());
            scope.spawn(|| gate.fail());
            assert_eq!(gate.open(Duration::ZERO, Duration::from_secs(1)), Err(GateFailed));
            assert_eq!(worker.join().unwrap(), Err(GateFailed));
        });
    }
}
