//! Pages on their way to the device: a bounded queue, of which nobody waits for room.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::SlotState;

/// Most pages that wait, those that are being written with them: 16 MiB.
pub(super) const MOST: usize = 4096;

/// A page, and the slot that it was given.
#[derive(Debug)]
pub(super) struct WaitingPage {
    pub(super) place: u64,
    pub(super) given: SlotState,
    pub(super) bytes: Box<[u8]>,
}

/// See the module.
#[derive(Debug)]
pub(super) struct FillQueue {
    waiting: Mutex<Waiting>,
    bell: Condvar,
    /// Places that are taken: of pages that wait or are being written, and of those that are about to come.
    taken: AtomicUsize,
    most: usize,
}

#[derive(Debug, Default)]
struct Waiting {
    pages: VecDeque<WaitingPage>,
    stopping: bool,
}

impl FillQueue {
    /// An empty one for so many pages.
    pub(super) fn new(most: usize) -> FillQueue {
        FillQueue {
            waiting: Mutex::default(),
            bell: Condvar::new(),
            taken: AtomicUsize::new(0),
            most,
        }
    }

    /// Takes a place for a page that is about to come; whether there was one.
    pub(super) fn reserve(&self) -> bool {
        let is_free = self.taken.fetch_add(1, Ordering::Relaxed) < self.most;
        if !is_free {
            self.release(1);
        }
        is_free
    }

    /// Gives places back: of pages that were written, or did not come.
    pub(super) fn release(&self, places: usize) {
        self.taken.fetch_sub(places, Ordering::Relaxed);
    }

    /// Places that are taken.
    pub(super) fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }

    /// Takes in a page for which a place was taken.
    pub(super) fn push(&self, page: WaitingPage) {
        let mut waiting = self.lock();
        waiting.pages.push_back(page);
        if waiting.pages.len() == 1 {
            self.bell.notify_one();
        }
    }

    /// Takes out the page that waits longest and those behind it whose slots follow its own; `most` at most. Their places stay taken.
    pub(super) fn take_run(&self, most: usize) -> Vec<WaitingPage> {
        let mut waiting = self.lock();
        let mut run: Vec<WaitingPage> = Vec::new();
        while let Some(next) = waiting.pages.front()
            && run.len() < most
            && run.last().is_none_or(|last| last.place + 1 == next.place)
        {
            run.extend(waiting.pages.pop_front());
        }
        run
    }

    /// Waits until a page is here; false once nobody wants it written any more.
    pub(super) fn wait(&self) -> bool {
        let nothing = |waiting: &mut Waiting| waiting.pages.is_empty() && !waiting.stopping;
        let waited = self.bell.wait_while(self.lock(), nothing);
        !waited.unwrap_or_else(PoisonError::into_inner).stopping
    }

    /// Has whoever waits end.
    pub(super) fn stop(&self) {
        self.lock().stopping = true;
        self.bell.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // A page is here whole, or not at all.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::super::slot_states::SlotStates;
    use super::*;

    #[test]
    fn pages_leave_in_their_order_in_runs_of_slots_and_none_is_taken_beyond_the_limit() {
        let (queue, states) = (FillQueue::new(4), SlotStates::new(9));
        for place in [3, 4, 7, 8] {
            assert!(queue.reserve());
            queue.push(WaitingPage { place, given: states.give(place, 0), bytes: Box::default() });
        }
        assert!(!queue.reserve(), "four are on their way");
        let places = |most| queue.take_run(most).iter().map(|page| page.place).collect::<Vec<_>>();
        assert_eq!(places(256), [3, 4]);
        assert!(!queue.reserve(), "those that are being written count");
        queue.release(2);
        assert_eq!((queue.reserve(), queue.taken()), (true, 3));
        assert_eq!((places(1), places(256), places(256)), (vec![7], vec![8], vec![]));
    }

    #[test]
    fn who_waits_is_woken_by_a_page_and_by_the_end() {
        let (queue, states) = (FillQueue::new(4), SlotStates::new(1));
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| (queue.wait(), queue.take_run(1).len(), queue.wait()));
            let page = WaitingPage { place: 0, given: states.give(0, 0), bytes: Box::default() };
            queue.push(page);
            while !queue.lock().pages.is_empty() {
                std::thread::yield_now();
            }
            queue.stop();
            assert_eq!(waits.join().unwrap(), (true, 1, false));
        });
    }
}
