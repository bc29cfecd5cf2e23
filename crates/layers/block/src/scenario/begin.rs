//! When a stream begins, where that is not with the scenario: later by a time, when others have ended, or both.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// Nobody waits longer at once, so that the end of the window and a stop are seen.
const HEARTBEAT: Duration = Duration::from_millis(20);

/// A beginning of its own. The stream's figures and its series are then of its own time.
#[derive(Debug, Clone, Default)]
pub struct Begin {
    /// Its first operation comes so long after the scenario's first may come, which is before the warm-up.
    pub after: Duration,
    /// Its own lead-in, in place of the scenario's.
    pub warm_up: Duration,
    /// And not before these have ended.
    pub waits_for: Option<Arc<Ended>>,
}

/// Threads that others wait for, and when the last of them ended.
#[derive(Debug)]
pub struct Ended {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    going: u32,
    at_ns: u64,
}

impl Ended {
    /// So many are still at work.
    pub fn of(threads: u32) -> Arc<Ended> {
        Arc::new(Ended {
            state: Mutex::new(State { going: threads, at_ns: 0 }),
            changed: Condvar::new(),
        })
    }

    /// One of them ended at `at_ns`.
    pub(crate) fn leave(&self, at_ns: u64) {
        let mut state = self.state();
        state.going = state.going.saturating_sub(1);
        state.at_ns = state.at_ns.max(at_ns);
        self.changed.notify_all();
    }

    /// When the last of them ended, ns; waits a moment for it.
    pub(crate) fn wait(&self) -> Option<u64> {
        let state = self.state();
        let state = if state.going > 0 {
            self.changed.wait_timeout(state, HEARTBEAT).expect("no holder of it panics").0
        } else {
            state
        };
        (state.going == 0).then_some(state.at_ns)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no holder of it panics")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_them_says_when_they_ended() {
        let ended = Ended::of(2);
        ended.leave(500);
        assert_eq!(ended.wait(), None, "one is at work");
        ended.leave(300);
        assert_eq!(ended.wait(), Some(500));
    }
}
