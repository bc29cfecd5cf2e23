//! What is true of a cache between any two calls, walked through whole; for tests.

use std::collections::BTreeSet;

use super::ReadCache;
use crate::frame::QueueName;

impl ReadCache {
    /// Panics where something is not as it has to be.
    pub(crate) fn check(&self) {
        let mut queued = BTreeSet::new();
        for (number, pool) in self.pools.iter().enumerate() {
            for (name, queue) in [(QueueName::Small, &pool.small), (QueueName::Main, &pool.main)] {
                let mut count = 0;
                for id in queue.iter(&self.frames) {
                    let frame = &self.frames[id as usize];
                    count += 1;
                    assert!(queued.insert(id), "slot {id} is in two queues");
                    assert_eq!(frame.queue, name, "slot {id} knows its queue");
                    assert_eq!(frame.segment, self.segments.of(frame.page), "page {}", frame.page);
                    assert_eq!(self.segments.get(frame.segment).pool, number);
                    assert_eq!(self.find(frame.page), Some(id), "page {} is found", frame.page);
                }
                assert_eq!(count, queue.len(), "a queue knows its length");
            }
            if let Some(quota) = pool.class.quota() {
                assert!(pool.held() <= quota, "{} slots of a quota of {quota}", pool.held());
            }
        }
        for (number, segment) in self.segments.iter() {
            let of = queued.iter().filter(|id| self.frames[**id as usize].segment == number);
            assert_eq!(of.count() as u32, segment.held, "a segment knows how many slots it has");
        }
        assert_eq!(queued.len(), self.index.len(), "the index has what the queues have");
        let free: BTreeSet<u32> = self.free.iter().copied().collect();
        assert_eq!(free.len(), self.free.len(), "a slot is free once");
        assert!(free.is_disjoint(&queued), "a slot is free or used");
        assert_eq!(free.len() + queued.len(), self.frames.len(), "no slot is lost");
        for id in &free {
            assert_eq!(self.frames[*id as usize].queue, QueueName::Free);
        }
    }
}
