//! Slots that segments share, and who of them leaves first.

use crate::frame::{Frame, Queue, QueueName};
use crate::ghost::Ghost;
use crate::segment::Class;

/// The small queue's share of a pool: a tenth, the paper's.
const SMALL_SHARE: u32 = 10;
/// Uses in the small queue that lead to the main queue.
const USES_TO_STAY: u8 = 2;
/// Frames that are looked at for one that leaves. Beyond that the next leaves whatever its uses: somebody holds a lock meanwhile.
const LOOKS: u32 = 128;

/// A pool.
#[derive(Debug)]
pub(crate) struct Pool {
    pub(crate) class: Class,
    pub(crate) small: Queue,
    pub(crate) main: Queue,
    /// Only DEFAULT's pages have to earn their place.
    ghost: Option<Ghost>,
}

impl Pool {
    /// An empty pool; `slots` of the whole cache.
    pub(crate) fn new(class: Class, slots: usize) -> Pool {
        let ghost = (class == Class::Default).then(|| Ghost::new(slots));
        Pool { class, small: Queue::EMPTY, main: Queue::EMPTY, ghost }
    }

    /// A pool that nobody has.
    pub(crate) fn nobodys() -> Pool {
        Pool::new(Class::Recycle { quota: 0 }, 0)
    }

    /// Slots that it has.
    pub(crate) fn held(&self) -> u32 {
        self.small.len() + self.main.len()
    }

    /// Slots that it may still take.
    pub(crate) fn room(&self) -> u32 {
        match self.class.quota() {
            Some(quota) => quota.saturating_sub(self.held()),
            None => u32::MAX,
        }
    }

    /// In which queue a page begins that was not here.
    pub(crate) fn entrance(&mut self, page: u64) -> QueueName {
        match self.class {
            Class::Keep { .. } => QueueName::Main,
            Class::Recycle { .. } => QueueName::Small,
            Class::Default => {
                let came_back = self.ghost.as_mut().is_some_and(|ghost| ghost.recall(page));
                if came_back { QueueName::Main } else { QueueName::Small }
            }
        }
    }

    /// Takes in a frame, at the young end of a queue.
    pub(crate) fn push(&mut self, frames: &mut [Frame], id: u32, queue: QueueName) {
        frames[id as usize].queue = queue;
        self.queue(queue).push(frames, id);
    }

    /// Takes in a frame, at the old end of a queue.
    pub(crate) fn push_oldest(&mut self, frames: &mut [Frame], id: u32, queue: QueueName) {
        frames[id as usize].queue = queue;
        self.queue(queue).push_oldest(frames, id);
    }

    /// In which queue a page goes on that was in `queue` before a restart.
    pub(crate) fn queue_again(&self, queue: QueueName) -> QueueName {
        match self.class {
            Class::Keep { .. } => QueueName::Main,
            Class::Recycle { .. } => QueueName::Small,
            Class::Default => queue,
        }
    }

    /// Takes out a frame that is in one of its queues.
    pub(crate) fn unlink(&mut self, frames: &mut [Frame], id: u32) {
        self.queue(frames[id as usize].queue).unlink(frames, id);
        frames[id as usize].queue = QueueName::Free;
    }

    /// The frame `from` is now at `to`.
    pub(crate) fn renumber(&mut self, frames: &mut [Frame], from: u32, to: u32) {
        let queue = frames[from as usize].queue;
        self.queue(queue).renumber(frames, from, to);
    }

    /// Takes out who leaves first.
    pub(crate) fn evict(&mut self, frames: &mut [Frame]) -> Option<u32> {
        let mut looks = 0;
        loop {
            looks += 1;
            let tired = looks > LOOKS;
            let from_small = self.main.len() == 0 || self.small.len() > self.small_target();
            let id = if from_small { self.small.oldest() } else { self.main.oldest() }?;
            let uses = frames[id as usize].uses;
            if from_small && uses >= USES_TO_STAY && !tired && !self.recycles() {
                self.unlink(frames, id);
                frames[id as usize].uses = 0;
                self.push(frames, id, QueueName::Main);
            } else if !from_small && uses > 0 && !tired {
                self.unlink(frames, id);
                frames[id as usize].uses = uses - 1;
                self.push(frames, id, QueueName::Main);
            } else {
                self.unlink(frames, id);
                if let (true, Some(ghost)) = (from_small, &mut self.ghost) {
                    ghost.remember(frames[id as usize].page);
                }
                return Some(id);
            }
        }
    }

    /// The cache has so many slots now.
    pub(crate) fn resize(&mut self, slots: usize) {
        if let Some(ghost) = &mut self.ghost {
            ghost.resize(slots);
        }
    }

    /// Forgets who left.
    pub(crate) fn forget(&mut self) {
        if let Some(ghost) = &mut self.ghost {
            ghost.clear();
        }
    }

    /// From who came first on, the small queue before the main one.
    pub(crate) fn frames<'a>(&self, frames: &'a [Frame]) -> impl Iterator<Item = u32> + use<'a> {
        self.small.iter(frames).chain(self.main.iter(frames))
    }

    fn small_target(&self) -> u32 {
        (self.held() / SMALL_SHARE).max(1)
    }

    fn recycles(&self) -> bool {
        matches!(self.class, Class::Recycle { .. })
    }

    fn queue(&mut self, name: QueueName) -> &mut Queue {
        match name {
            QueueName::Main => &mut self.main,
            QueueName::Small | QueueName::Free => &mut self.small,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(class: Class, pages: u32) -> (Pool, Vec<Frame>) {
        let mut pool = Pool::new(class, pages as usize);
        let mut frames = vec![Frame::FREE; pages as usize];
        for id in 0..pages {
            frames[id as usize].page = u64::from(id);
            let queue = pool.entrance(u64::from(id));
            pool.push(&mut frames, id, queue);
        }
        (pool, frames)
    }

    #[test]
    fn who_was_used_twice_in_the_small_queue_stays_and_who_was_used_once_leaves() {
        let (mut pool, mut frames) = filled(Class::Default, 20);
        frames[0].uses = 2;
        frames[1].uses = 1;
        assert_eq!(pool.evict(&mut frames), Some(1));
        assert_eq!((frames[0].queue, frames[0].uses), (QueueName::Main, 0));
        // And comes to the main queue at once when it is back.
        assert_eq!(pool.entrance(1), QueueName::Main);
        assert_eq!(pool.entrance(1), QueueName::Small);
    }

    #[test]
    fn the_main_queue_spares_who_was_used_and_loses_one_use_each_time() {
        let (mut pool, mut frames) = filled(Class::Keep { quota: 3 }, 3);
        frames[0].uses = 2;
        frames[1].uses = 1;
        assert_eq!(pool.evict(&mut frames), Some(2));
        assert_eq!(pool.evict(&mut frames), Some(1));
        assert_eq!(pool.evict(&mut frames), Some(0));
        assert_eq!(pool.evict(&mut frames), None);
    }

    #[test]
    fn pages_to_be_recycled_leave_in_the_order_in_which_they_came() {
        let (mut pool, mut frames) = filled(Class::Recycle { quota: 3 }, 3);
        frames.iter_mut().for_each(|frame| frame.uses = 3);
        assert_eq!([0, 1, 2].map(|_| pool.evict(&mut frames)), [Some(0), Some(1), Some(2)]);
    }

    #[test]
    fn a_pool_of_which_everyone_was_used_gives_one_up_after_a_bounded_search() {
        let (mut pool, mut frames) = filled(Class::Keep { quota: 1000 }, 1000);
        frames.iter_mut().for_each(|frame| frame.uses = 3);
        assert_eq!(pool.evict(&mut frames), Some(LOOKS));
        let spared = frames.iter().filter(|frame| frame.uses == 2).count();
        assert_eq!(spared, LOOKS as usize);
    }
}
