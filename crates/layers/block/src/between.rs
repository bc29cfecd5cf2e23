//! What the coordinator sees between the two ends of a window: that it was due and did not run, and limits that come and go.
//!
//! Both ends of a window can be alike with something else in the middle. The coordinator sleeps most of the time and needs almost no
//! processor, so a scheduler that lets others run first wakes it within some tens of milliseconds; where it does not run for longer, the
//! program was stopped (SIGSTOP, a freezer), a quota held it, or the whole machine stood still. A drive that stands still leaves it
//! running.

use narrows_observe::{HostWindow, Snapshot, Watch};

use crate::stalls::Span;

/// Lateness from which on it counts, ns: more than a scheduler takes with dozens of threads for two processors (16 readers beside a compiler
/// and other load often found it 20 ms late and more, with nothing stopped).
const LATE_NS: u64 = 100_000_000;
/// Later than a timer is on a machine that runs, ns.
const STILL_NS: u64 = 1_000_000;
/// Stretches of it that are kept.
const MOST_STILL: usize = 4096;
/// From one look at the limits to the next, ns: ten microseconds of reading are nothing of it.
const EVERY_NS: u64 = 200_000_000;

/// So far in a window.
#[derive(Debug, Default)]
pub(crate) struct Between {
    /// Time in which the coordinator was due and did not run, ns.
    pub stood_still_ns: u64,
    /// When it was due and did not run, short stretches too.
    pub still: Vec<Span>,
    /// Whether limits were others than at the start at any look.
    limits_changed: bool,
    looked_ns: u64,
}

impl Between {
    /// It ran again at `now_ns` and was due at `due_ns`.
    pub(crate) fn woke(&mut self, now_ns: u64, due_ns: u64) {
        let late = Span { from_ns: due_ns, to_ns: now_ns };
        if late.length_ns() >= LATE_NS {
            self.stood_still_ns += late.length_ns();
        }
        if late.length_ns() > STILL_NS && self.still.len() < MOST_STILL {
            self.still.push(late);
        }
    }

    /// Looks at the limits, where it is time.
    pub(crate) fn look(&mut self, watch: &Watch, before: &Snapshot) {
        let now_ns = narrows_engine::now_ns();
        if now_ns.saturating_sub(self.looked_ns) >= EVERY_NS {
            self.looked_ns = now_ns;
            self.limits_changed |= watch.io_limits_changed(before) == Some(true);
        }
    }

    /// The window with what was seen of its limits.
    pub(crate) fn limits(&self, seen: HostWindow) -> HostWindow {
        if !self.limits_changed {
            return seen;
        }
        // No share of a limit that was another one for a while.
        HostWindow { io_limit_changed: Some(true), io_limit_share: None, ..seen }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_scheduler_takes_is_no_stop_and_a_stop_is_counted_whole() {
        let mut between = Between::default();
        between.woke(100_000_000, 95_000_000);
        between.woke(300_000_000, 200_000_001);
        assert_eq!(between.stood_still_ns, 0);
        between.woke(2_300_000_000, 300_000_000);
        between.woke(2_400_000_000, 2_300_000_000);
        assert_eq!(between.stood_still_ns, 2_100_000_000);
        // A search for a rate asks for the short ones, too.
        assert_eq!(between.still.len(), 4);
    }

    #[test]
    fn a_limit_that_was_lifted_again_is_a_change_all_the_same() {
        let alike = HostWindow {
            io_limit_changed: Some(false),
            io_limit_share: Some(0.5),
            ..HostWindow::default()
        };
        let quiet = Between::default();
        assert_eq!(quiet.limits(alike.clone()), alike);
        let pulsed = Between { limits_changed: true, ..Between::default() };
        let seen = pulsed.limits(alike);
        assert_eq!((seen.io_limit_changed, seen.io_limit_share), (Some(true), None));
    }
}
