//! What of the log is queued, being flushed, and durable: the log writer's state, without threads, locks or time.
//!
//! Commits arrive at any time. A flush takes everything that is queued when it begins; what arrives while it runs waits for
//! the next one. Two flushes never overlap. That is all there is to group commit (PostgreSQL's `XLogFlush`, Oracle's log
//! writer); who leads and who is woken is the business of [`crate::writer::log`].

/// One flush: positions from the log's beginning, and the commits that end in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Batch {
    /// First byte.
    pub from: u64,
    /// The byte behind the last.
    pub to: u64,
    /// Commits that it makes durable.
    pub commits: u64,
    /// Flushes before it.
    pub number: u64,
}

/// The state.
#[derive(Debug, Clone, Default)]
pub struct Queue {
    inserted: u64,
    flushed: u64,
    waiting: u64,
    begun: u64,
    under_way: Option<Batch>,
}

impl Queue {
    /// A commit of so many bytes arrives; gives the position up to which the log must be durable for it.
    pub fn arrive(&mut self, bytes: u64) -> u64 {
        self.inserted += bytes.max(1);
        self.waiting += 1;
        self.inserted
    }

    /// Commits that no flush has taken yet.
    pub fn waiting(&self) -> u64 {
        self.waiting
    }

    /// Commits that are not durable yet.
    pub fn pending(&self) -> u64 {
        self.waiting + self.under_way.map_or(0, |batch| batch.commits)
    }

    /// The number of the flush that will take whoever arrives now.
    pub fn next_number(&self) -> u64 {
        self.begun
    }

    /// Whether a flush runs.
    pub fn busy(&self) -> bool {
        self.under_way.is_some()
    }

    /// Takes everything queued into a flush; `None` where one runs already or nothing is queued.
    pub fn begin(&mut self) -> Option<Batch> {
        if self.under_way.is_some() || self.waiting == 0 {
            return None;
        }
        let batch = Batch {
            from: self.flushed,
            to: self.inserted,
            commits: self.waiting,
            number: self.begun,
        };
        self.waiting = 0;
        self.begun += 1;
        self.under_way = Some(batch);
        Some(batch)
    }

    /// The flush that runs has returned; what it covered is durable.
    pub fn end(&mut self) {
        if let Some(batch) = self.under_way.take() {
            self.flushed = batch.to;
        }
    }

    /// Whether everything before that position is durable.
    pub fn covers(&self, position: u64) -> bool {
        self.flushed >= position
    }

    /// Everything before this is durable.
    pub fn flushed(&self) -> u64 {
        self.flushed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_arrives_during_a_flush_is_in_the_next_one() {
        let mut queue = Queue::default();
        assert_eq!(queue.begin(), None, "nothing to flush");
        let first = queue.arrive(10);
        let batch = queue.begin().unwrap();
        assert_eq!(batch, Batch { from: 0, to: 10, commits: 1, number: 0 });
        let (second, third) = (queue.arrive(5), queue.arrive(7));
        assert_eq!(queue.begin(), None, "flushes don't overlap");
        assert!(!queue.covers(first) && queue.pending() == 3);
        queue.end();
        assert!(queue.covers(first) && !queue.covers(second));
        let batch = queue.begin().unwrap();
        assert_eq!(batch, Batch { from: 10, to: 22, commits: 2, number: 1 });
        queue.end();
        assert!(queue.covers(third) && queue.pending() == 0);
    }

    proptest::proptest! {
        /// Whatever the order of events: each commit is in exactly one flush, none is covered before that flush ended, and
        /// the flushes follow each other without a gap.
        #[test]
        fn every_commit_is_flushed_once_and_never_early(events in proptest::collection::vec(0u8..4, 1..200)) {
            let mut queue = Queue::default();
            let mut positions: Vec<u64> = Vec::new();
            let (mut batch, mut done, mut commits) = (None::<Batch>, 0u64, 0u64);
            for event in events {
                match event {
                    0 | 1 => positions.push(queue.arrive(u64::from(event) * 100 + 1)),
                    2 => if let Some(next) = queue.begin() {
                        proptest::prop_assert!(batch.is_none() && next.from == done && next.to > next.from);
                        batch = Some(next);
                    },
                    _ => {
                        queue.end();
                        if let Some(ended) = batch.take() {
                            done = ended.to;
                            commits += ended.commits;
                        }
                    }
                }
                let covered = positions.iter().filter(|p| queue.covers(**p)).count() as u64;
                proptest::prop_assert_eq!(covered, commits);
                proptest::prop_assert!(positions.iter().all(|p| queue.covers(*p) == (*p <= done)));
            }
        }
    }
}
