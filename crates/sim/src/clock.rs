//! Virtual time: events in the order in which they are due, ties in the order in which they were scheduled.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A queue of future events.
#[derive(Debug)]
pub(crate) struct Clock<E> {
    now_ns: f64,
    scheduled: u64,
    due: BinaryHeap<Due<E>>,
}

#[derive(Debug)]
struct Due<E> {
    at_ns: f64,
    order: u64,
    event: E,
}

impl<E> Clock<E> {
    pub fn new() -> Self {
        Clock { now_ns: 0.0, scheduled: 0, due: BinaryHeap::new() }
    }

    pub fn now_ns(&self) -> f64 {
        self.now_ns
    }

    pub fn after(&mut self, delay_ns: f64, event: E) {
        self.scheduled += 1;
        let at_ns = self.now_ns + delay_ns.max(0.0);
        self.due.push(Due { at_ns, order: self.scheduled, event });
    }

    /// When the next event is due.
    pub fn next_ns(&self) -> Option<f64> {
        self.due.peek().map(|due| due.at_ns)
    }

    /// Moves on to the next event.
    pub fn advance(&mut self) -> Option<E> {
        let due = self.due.pop()?;
        self.now_ns = due.at_ns;
        Some(due.event)
    }
}

impl<E> PartialEq for Due<E> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl<E> Eq for Due<E> {}
impl<E> PartialOrd for Due<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<E> Ord for Due<E> {
    /// Reversed: the heap gives the largest first, we want the earliest.
    fn cmp(&self, other: &Self) -> Ordering {
        other.at_ns.total_cmp(&self.at_ns).then(other.order.cmp(&self.order))
    }
}
