//! A cache to bytes at a clean end, and back; `saved` says when.

use super::ReadCache;
use crate::frame::QueueName;
use crate::page::{Page, Slot};
use crate::saved::{self, Identity, Restored, SavedIndex, SavedPage};
use crate::segment::Class;

impl ReadCache {
    /// Appends the image of a cache that ended cleanly. `content` gives a sum of a slot's bytes, which [`take_up`](ReadCache::take_up) shows
    /// again; a caller whose slots don't survive gives 0.
    pub fn save(
        &self,
        identity: &Identity,
        generation: u64,
        mut content: impl FnMut(Slot) -> u64,
        image: &mut Vec<u8>,
    ) {
        let ids = self.pools.iter().flat_map(|pool| pool.frames(&self.frames));
        let hits = ids.filter(|id| self.frames[*id as usize].is_hit());
        let pages = hits.map(|id| {
            let frame = &self.frames[id as usize];
            SavedPage {
                page: Page(frame.page),
                slot: Slot(id),
                queue: frame.queue,
                uses: frame.uses,
                content: content(Slot(id)),
            }
        });
        saved::write(identity, generation, pages, image);
    }

    /// Takes up an index into this cache, which is empty and has its segments. `accept` is asked for each page, with the sum that was saved:
    /// whether its slot holds those bytes.
    pub fn take_up(
        &mut self,
        index: &SavedIndex,
        mut accept: impl FnMut(Page, Slot, u64) -> bool,
    ) -> Restored {
        let mut restored = Restored::default();
        for saved in &index.pages {
            let number = self.segments.of(saved.page.0);
            let pool = self.segments.get(number).pool;
            let free = |frame: &crate::frame::Frame| frame.queue == QueueName::Free;
            let there = self.frames.get(saved.slot.0 as usize).is_some_and(free);
            if !there || self.pools[pool].room() == 0 || self.find(saved.page.0).is_some() {
                restored.without_room += 1;
            } else if !accept(saved.page, saved.slot, saved.content) {
                restored.refused += 1;
            } else {
                let queue = match self.pools[pool].class {
                    Class::Keep { .. } => QueueName::Main,
                    Class::Recycle { .. } => QueueName::Small,
                    Class::Default => saved.queue,
                };
                self.seat(saved.slot.0, saved.page, number, queue);
                self.frames[saved.slot.0 as usize].uses = saved.uses;
                restored.taken_up += 1;
            }
        }
        let frames = &self.frames;
        self.free.retain(|id| frames[*id as usize].queue == QueueName::Free);
        restored
    }
}
