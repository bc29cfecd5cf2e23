//! What is due in an open loop and not sent, whom it could be given to, and how late the loop itself was with it.
//!
//! An operation that is late because all sessions were busy is the server's; one that is late though a session had nothing to
//! do is the client's: the thread was not run, or had other things to do. What falls due while the thread stands still is
//! found late, all of it at once, and most of it then waits for the session that could have taken it in time. So
//! lateness has two parts: until the operation was found, as far as a session was idle; and from when a session could take it
//! until it was sent. Where all sessions were busy when the thread stopped, nobody knows when their answers came: that
//! lateness stays in the latency alone.

use std::collections::VecDeque;

/// An operation that is due.
struct Due {
    due_ns: u64,
    /// When the loop saw that it is.
    found_ns: u64,
    /// How late that was while a session was idle, ns.
    own_ns: u64,
}

/// A session that has nothing to do.
struct Idle {
    index: usize,
    since_ns: u64,
}

/// An operation and the session that is to send it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Turn {
    /// The session.
    pub(super) index: usize,
    pub(super) due_ns: u64,
    could_ns: u64,
    own_ns: u64,
}

impl Turn {
    /// How late the generator was with it, ns, where it is sent at `sent_ns`.
    #[inline]
    pub(super) fn lateness_ns(&self, sent_ns: u64) -> u64 {
        self.own_ns + sent_ns.saturating_sub(self.could_ns)
    }
}

/// What is due and not sent, and whom it could be given to.
pub(super) struct Waiting {
    due: VecDeque<Due>,
    /// The one that became idle last is the next to go. So the first has been idle for as long as any was.
    idle: Vec<Idle>,
    most: usize,
}

impl Waiting {
    /// All sessions are idle; `most` operations may wait.
    pub(super) fn new(sessions: usize, now: u64, most: usize) -> Waiting {
        let idle = (0..sessions).rev().map(|index| Idle { index, since_ns: now }).collect();
        Waiting { due: VecDeque::with_capacity(most), idle, most }
    }

    /// At `now` it is seen that an operation was due at `due`; `false`: there are too many, and this one is dropped.
    #[inline]
    pub(super) fn comes(&mut self, due_ns: u64, now: u64) -> bool {
        let fits = self.due.len() < self.most;
        if fits {
            let own_ns =
                self.idle.first().map_or(0, |idle| now.saturating_sub(due_ns.max(idle.since_ns)));
            self.due.push_back(Due { due_ns, found_ns: now, own_ns });
        }
        fits
    }

    /// A session has its answer.
    #[inline]
    pub(super) fn is_idle(&mut self, index: usize, now: u64) {
        self.idle.push(Idle { index, since_ns: now });
    }

    /// The operation that was due first, and a session for it.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Turn> {
        let idle = self.idle.pop_if(|_| !self.due.is_empty())?;
        let Due { due_ns, found_ns, own_ns } = self.due.pop_front()?;
        Some(Turn { index: idle.index, due_ns, could_ns: found_ns.max(idle.since_ns), own_ns })
    }

    /// Whether nothing is due and none of so many sessions has anything to do.
    pub(super) fn is_over(&self, sessions: usize) -> bool {
        self.due.is_empty() && self.idle.len() == sessions
    }

    /// When what was never sent was due.
    pub(super) fn never_sent(&self) -> impl Iterator<Item = u64> {
        self.due.iter().map(|due| due.due_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends what can be at `now`; session, due, lateness.
    fn send(waiting: &mut Waiting, now: u64) -> Vec<(usize, u64, u64)> {
        std::iter::from_fn(|| waiting.next())
            .map(|turn| (turn.index, turn.due_ns, turn.lateness_ns(now)))
            .collect()
    }

    #[test]
    fn what_falls_due_while_the_thread_stands_still_and_a_session_is_idle_is_the_generators() {
        let mut waiting = Waiting::new(2, 0, 8);
        // One is out, the other idle; the thread stops from 10 to 510.
        assert!(waiting.comes(5, 6));
        assert_eq!(send(&mut waiting, 7), [(0, 5, 2)]);
        // When it goes on, it takes the answer first, and that session would be the next.
        waiting.is_idle(0, 509);
        for due in [20, 110, 310] {
            assert!(waiting.comes(due, 510));
        }
        assert_eq!(send(&mut waiting, 511), [(0, 20, 491), (1, 110, 401)]);
        // The third waits for a session that is busy because of the others: its 200 are the generator's all the same, and the
        // time to the answer is the server's.
        waiting.is_idle(1, 600);
        assert_eq!(send(&mut waiting, 603), [(1, 310, 203)]);
    }

    #[test]
    fn what_waits_for_busy_sessions_is_the_servers() {
        let mut waiting = Waiting::new(1, 0, 8);
        for due in [10, 20, 30] {
            assert!(waiting.comes(due, due + 1));
        }
        // Found one late with the session idle, sent two later.
        assert_eq!(send(&mut waiting, 33), [(0, 10, 1 + 22)]);
        waiting.is_idle(0, 500);
        assert_eq!(send(&mut waiting, 504).first(), Some(&(0, 20, 1 + 4)));
        waiting.is_idle(0, 900);
        assert!(waiting.comes(901, 902));
        assert_eq!(send(&mut waiting, 905), [(0, 30, 1 + 5)]);
        assert_eq!(waiting.never_sent().collect::<Vec<_>>(), [901]);
        assert!(!waiting.is_over(1));
    }

    #[test]
    fn an_answer_that_comes_with_what_is_due_does_not_hide_who_was_idle_before() {
        let mut waiting = Waiting::new(3, 100, 8);
        assert!(waiting.comes(100, 100));
        send(&mut waiting, 100);
        waiting.is_idle(0, 900);
        // Due before anybody was there, with all idle since 100.
        assert!(waiting.comes(50, 900));
        assert_eq!(send(&mut waiting, 900), [(0, 50, 800)]);
    }

    #[test]
    fn beyond_the_queue_operations_are_dropped() {
        let mut waiting = Waiting::new(0, 0, 2);
        assert_eq!([1, 2, 3].map(|due| waiting.comes(due, 4)), [true, true, false]);
        assert_eq!(waiting.never_sent().collect::<Vec<_>>(), [1, 2]);
    }
}
