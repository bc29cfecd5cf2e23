//! What sessions wait for, less what they waited for a processor afterwards.
//!
//! A process that was woken keeps its wait event until it runs, for it clears the event itself. So a wait is sampled for as long as it
//! lasted and for as long as its session then stood in the run queue. Short frequent waits gain most by that, and long rare ones lose
//! what the others gain, because all of them share the time blocked that the scheduler's account leaves.
//!
//! The run queue after a wake-up is taken as the same whatever woke the session: the run queue of all over their switches. How often a session
//! is woken per operation the kernel counts; how often by its client or by a read, statements and the server's counters say. What is left woke it from
//! flushes, locks and other waits, in proportion to how long these were sampled, which is exact where there is one of them. (A commit
//! can wait twice: for another's flush, and for its own.)

use std::collections::BTreeMap;

use crate::sampling::Wait;

/// How sessions got to run again, per operation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Wakes {
    /// Times a session gave up its processor to wait.
    pub waited: f64,
    /// Times its processor was taken from it.
    pub preempted: f64,
    /// Time in the run queue, ns.
    pub run_queue_ns: f64,
    /// Reads that a drive answered.
    pub reads: f64,
    /// Statements, after each of which the session waits for its client.
    pub statements: f64,
}

impl Wakes {
    /// Time in the run queue after one switch, ns.
    fn queue_ns(&self) -> f64 {
        let switches = self.waited + self.preempted;
        if switches > 0.0 { self.run_queue_ns / switches } else { 0.0 }
    }

    /// Wake-ups from each kind of wait that was sampled, per operation.
    fn by_wait(&self, sampled: &BTreeMap<Wait, f64>) -> BTreeMap<Wait, f64> {
        let counted = |wait: Wait| match wait {
            Wait::Read => Some(self.reads),
            Wait::Client => Some(self.statements),
            Wait::None | Wait::Flush | Wait::Lock | Wait::Other => None,
        };
        let mut left = self.waited;
        let mut found = BTreeMap::new();
        for wait in sampled.keys().filter(|wait| counted(**wait).is_some()) {
            let wakes = counted(*wait).unwrap_or(0.0).min(left);
            left -= wakes;
            found.insert(*wait, wakes);
        }
        let rest: Vec<_> = sampled.iter().filter(|(wait, _)| counted(**wait).is_none()).collect();
        let all: f64 = rest.iter().map(|(_, share)| **share).sum();
        for (wait, share) in rest {
            found.insert(*wait, if all > 0.0 { left * share / all } else { 0.0 });
        }
        found
    }
}

/// The time of each wait per operation, ns, from its share of the samples that found a session waiting; they add up to `blocked_ns`.
pub(crate) fn waits_ns(
    sampled: &BTreeMap<Wait, f64>,
    blocked_ns: f64,
    wakes: Option<Wakes>,
) -> BTreeMap<Wait, f64> {
    let Some(wakes) = wakes else {
        return sampled.iter().map(|(wait, share)| (*wait, share * blocked_ns)).collect();
    };
    let by_wait = wakes.by_wait(sampled);
    let queue_ns = wakes.queue_ns();
    let behind_ns: f64 = by_wait.values().sum::<f64>() * queue_ns;
    let own = |wait: &Wait, share: f64| {
        (share * (blocked_ns + behind_ns) - by_wait[wait] * queue_ns).max(0.0)
    };
    let own: BTreeMap<Wait, f64> =
        sampled.iter().map(|(wait, share)| (*wait, own(wait, *share))).collect();
    // What was cut off at nothing was too much for the others.
    let sum: f64 = own.values().sum();
    let scale = if sum > 0.0 { blocked_ns / sum } else { 0.0 };
    own.into_iter().map(|(wait, ns)| (wait, ns * scale)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shares of samples where each wait is seen with the run queue after it.
    fn sampled(waits: &[(Wait, f64, f64)], queue_ns: f64) -> BTreeMap<Wait, f64> {
        let seen = |ns: f64, wakes: f64| ns + wakes * queue_ns;
        let all: f64 = waits.iter().map(|(_, ns, wakes)| seen(*ns, *wakes)).sum();
        waits.iter().map(|(wait, ns, wakes)| (*wait, seen(*ns, *wakes) / all)).collect()
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-6 * expected.max(1.0), "{found}, not {expected}");
    }

    #[test]
    fn the_run_queue_behind_each_wake_is_taken_off_its_wait() {
        // One CPU, eight sessions: of an operation 54 µs CPU, 274 in the run queue, 91 for a read, 13 for the client.
        let waits = [(Wait::Read, 91e3, 1.0), (Wait::Client, 13e3, 1.0)];
        let seen = sampled(&waits, 137e3);
        let as_sampled = waits_ns(&seen, 104e3, None);
        assert!((as_sampled[&Wait::Read] - 62.7e3).abs() < 100.0, "{as_sampled:?}");
        let wakes =
            Wakes { waited: 2.0, preempted: 0.0, run_queue_ns: 274e3, reads: 1.0, statements: 1.0 };
        let found = waits_ns(&seen, 104e3, Some(wakes));
        close(found[&Wait::Read], 91e3);
        close(found[&Wait::Client], 13e3);
    }

    #[test]
    fn four_reads_and_a_flush_keep_their_order_on_a_busy_cpu() {
        // 100 µs of reads and 140 of a flush, which samples alone turn round.
        for queue_ns in [0.0, 20e3, 100e3, 400e3] {
            let waits =
                [(Wait::Read, 100e3, 4.0), (Wait::Flush, 140e3, 1.0), (Wait::Client, 10e3, 1.0)];
            // A tenth of the switches were no waits, with as long a queue behind them.
            let wakes = Wakes {
                waited: 6.0,
                preempted: 0.6,
                run_queue_ns: 6.6 * queue_ns,
                reads: 4.0,
                statements: 1.0,
            };
            let found = waits_ns(&sampled(&waits, queue_ns), 250e3, Some(wakes));
            for (wait, ns, _) in waits {
                close(found[&wait], ns);
            }
        }
    }

    #[test]
    fn a_commit_may_be_woken_twice() {
        let waits = [(Wait::Flush, 300e3, 1.7), (Wait::Client, 20e3, 1.0)];
        let wakes =
            Wakes { waited: 2.7, preempted: 0.3, run_queue_ns: 240e3, reads: 0.0, statements: 1.0 };
        let found = waits_ns(&sampled(&waits, 80e3), 320e3, Some(wakes));
        close(found[&Wait::Flush], 300e3);
        close(found[&Wait::Client], 20e3);
    }

    #[test]
    fn a_wait_is_never_less_than_nothing_and_all_of_them_are_the_time_blocked() {
        // More reads counted than woke anybody: the page cache answered some.
        let wakes =
            Wakes { waited: 2.0, preempted: 0.0, run_queue_ns: 300e3, reads: 5.0, statements: 1.0 };
        let seen = BTreeMap::from([(Wait::Read, 0.1), (Wait::Flush, 0.2), (Wait::Client, 0.7)]);
        let found = waits_ns(&seen, 100e3, Some(wakes));
        assert!(found.values().all(|ns| *ns >= 0.0), "{found:?}");
        close(found.values().sum(), 100e3);
        assert!(waits_ns(&BTreeMap::new(), 100e3, Some(wakes)).is_empty());
    }

    #[test]
    fn without_a_run_queue_samples_are_what_they_are() {
        let seen = BTreeMap::from([(Wait::Read, 0.25), (Wait::Client, 0.75)]);
        let idle =
            Wakes { waited: 2.0, preempted: 0.0, run_queue_ns: 0.0, reads: 1.0, statements: 1.0 };
        for wakes in [None, Some(idle), Some(Wakes { waited: 0.0, ..idle })] {
            let found = waits_ns(&seen, 80e3, wakes);
            close(found[&Wait::Read], 20e3);
            close(found[&Wait::Client], 60e3);
        }
    }
}
