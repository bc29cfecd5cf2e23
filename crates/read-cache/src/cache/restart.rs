//! A cache to bytes at a clean end, and back; `saved` says when.

use super::{Admission, ReadCache};
use crate::fence::ReadStart;
use crate::frame::QueueName;
use crate::page::{Page, Slot};
use crate::saved::{Identity, Restored, SavedIndex, SavedPage};

impl ReadCache {
    /// What is to be saved of the pages that are here, of each queue the oldest first. `content` gives a sum of a slot's bytes, which
    /// [`take_up`](ReadCache::take_up) shows again; a caller whose slots don't survive gives 0.
    pub fn saved_pages(&self, mut content: impl FnMut(Slot) -> u64) -> Vec<SavedPage> {
        let ids = self.pools.iter().flat_map(|pool| pool.frames(&self.frames));
        let hits = ids.filter(|id| self.frames[*id as usize].is_hit());
        let saved = hits.map(|id| {
            let frame = &self.frames[id as usize];
            SavedPage {
                page: Page(frame.page),
                slot: Slot(id),
                queue: frame.queue,
                uses: frame.uses,
                content: content(Slot(id)),
            }
        });
        saved.collect()
    }

    /// Appends the image of a cache that ended cleanly; `content` as [`saved_pages`](ReadCache::saved_pages) has it.
    pub fn save(
        &self,
        identity: &Identity,
        generation: u64,
        content: impl FnMut(Slot) -> u64,
        image: &mut Vec<u8>,
    ) {
        SavedIndex::write(identity, generation, self.saved_pages(content), image);
    }

    /// Takes up the pages of an index, of each queue the oldest first, into this cache, which is empty and has its segments. `accept` is asked for each page, with the sum that was saved:
    /// whether its slot holds those bytes.
    pub fn take_up(
        &mut self,
        pages: impl IntoIterator<Item = SavedPage>,
        mut accept: impl FnMut(Page, Slot, u64) -> bool,
    ) -> Restored {
        let mut restored = Restored::default();
        for saved in pages {
            let number = self.segments.of(saved.page.0);
            let pool = self.segments.get(number).pool;
            let free = |frame: &crate::frame::Frame| frame.queue == QueueName::Free;
            let there = self.frames.get(saved.slot.0 as usize).is_some_and(free);
            if !there || self.pools[pool].room() == 0 || self.find(saved.page.0).is_some() {
                restored.without_room += 1;
            } else if !accept(saved.page, saved.slot, saved.content) {
                restored.refused += 1;
            } else {
                let queue = self.pools[pool].queue_again(saved.queue);
                self.seat(saved.slot.0, saved.page, number, queue);
                self.frames[saved.slot.0 as usize].uses = saved.uses;
                restored.taken_up += 1;
            }
        }
        let frames = &self.frames;
        self.free.retain(|id| frames[*id as usize].queue == QueueName::Free);
        restored
    }

    /// Before the backing is asked for pages that no host asked for: nothing is counted.
    pub fn begin_warming(&self) -> ReadStart {
        self.fence.read()
    }

    /// Whether a page of an index would find room: it isn't here, a slot is free, and its quota leaves one. Nobody has to leave for it.
    pub fn has_room_for(&self, page: Page) -> bool {
        let pool = self.segments.get(self.segments.of(page.0)).pool;
        !self.free.is_empty() && self.pools[pool].room() > 0 && self.find(page.0).is_none()
    }

    /// What becomes of a page of an index that the backing gave for a read that began at `start`: as [`admit`](ReadCache::admit), but that it
    /// goes on where it was, behind all that were asked for since. Those that are worth most come first ([`SavedIndex::by_worth`]).
    pub fn warm(&mut self, start: ReadStart, saved: &SavedPage) -> Admission {
        let page = saved.page;
        let number = self.segments.of(page.0);
        if self.find(page.0).is_some_and(|id| self.frames[id as usize].is_hit()) {
            return Admission::Present;
        }
        if !self.fence.allows(page, start) {
            self.segments.get_mut(number).statistics.overtaken += 1;
            return Admission::Overtaken;
        }
        if !self.has_room_for(page) {
            return Admission::NoRoom;
        }
        let Some(id) = self.free.pop() else { return Admission::NoRoom };
        let pool = self.segments.get(number).pool;
        let queue = self.pools[pool].queue_again(saved.queue);
        self.seat_with(id, page, number, |pool, frames| pool.push_oldest(frames, id, queue));
        self.frames[id as usize].uses = saved.uses;
        self.segments.get_mut(number).statistics.admissions += 1;
        Admission::Admitted(Slot(id))
    }
}
