//! The cache: what is asked of it while reads and writes run. How it is divided and sized is in `division`.

mod division;
#[cfg(test)]
mod invariants;
#[cfg(test)]
mod model_test;
mod restart;

use crate::fence::{Fence, ReadStart, WriteToken};
use crate::frame::{Frame, QueueName};
use crate::index::Index;
use crate::page::{Page, PageRange, Slot};
use crate::pool::Pool;
use crate::reuse::{MissCurve, ReuseSettings};
use crate::segment::{Class, SegmentId, Segments, Statistics};

pub use division::ResizeError;

/// What becomes of a page that was read from the backing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// It has this slot: its bytes go there now, before anybody else asks the cache anything.
    Admitted(Slot),
    /// It is in a slot already, where it may be younger than what was read.
    Present,
    /// A write of it was under way since the read began: what was read may be old.
    Overtaken,
    /// Its quota, or the cache, has no slot for it.
    NoRoom,
}

/// What became of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteOutcome {
    /// The backing has all of the bytes, and the caller has them still.
    Written,
    /// The backing was not asked in the end, and has what it had.
    Unchanged,
    /// The backing failed, zeroed or gave up the range, or nobody knows: its pages leave.
    Unknown,
}

/// A read cache; the crate's description says how it is used.
///
/// Nothing here blocks, and only [`resize`](ReadCache::resize), changes of segments, curves, and their samples until they are full allocate. One thread at a time: the
/// lock is the caller's. Where there are several caches, for shards of a namespace, each has its own tokens.
#[derive(Debug)]
pub struct ReadCache {
    page_bytes: u32,
    frames: Vec<Frame>,
    free: Vec<u32>,
    index: Index,
    segments: Segments,
    /// DEFAULT's, which segments share, and then by segment; one that is of DEFAULT has an empty one.
    pools: Vec<Pool>,
    fence: Fence,
}

impl ReadCache {
    /// An empty cache of `slots` pages of `page_bytes` each; `reuse` says whether a miss-ratio curve of the rest is kept.
    ///
    /// # Panics
    /// For pages of no bytes, and for 2³² − 1 slots.
    pub fn new(slots: u32, page_bytes: u32, reuse: Option<ReuseSettings>) -> ReadCache {
        assert!(page_bytes > 0, "a page has bytes");
        assert!(slots < u32::MAX, "a cache has fewer slots");
        let count = slots as usize;
        ReadCache {
            page_bytes,
            frames: vec![Frame::FREE; count],
            free: (0..slots).rev().collect(),
            index: Index::new(count),
            segments: Segments::new(reuse),
            pools: vec![Pool::new(Class::Default, count)],
            fence: Fence::new(count),
        }
    }

    /// Size of a page, bytes.
    pub fn page_bytes(&self) -> u32 {
        self.page_bytes
    }

    /// Slots that there are.
    pub fn slots(&self) -> u32 {
        self.frames.len() as u32
    }

    /// Slots with a page.
    pub fn used(&self) -> u32 {
        self.index.len() as u32
    }

    /// Where a page is, without asking for it: nothing is counted.
    pub fn slot_of(&self, page: Page) -> Option<Slot> {
        let id = self.find(page.0)?;
        self.frames[id as usize].is_hit().then_some(Slot(id))
    }

    /// Asks for pages, all or nothing: where all of them are here, `hit` is called for each, in order, and the answer is true. The bytes are
    /// right as long as nobody else asks the cache anything, so they are copied under the caller's lock. Where one is missing nothing is
    /// counted: [`begin_read`](ReadCache::begin_read) follows.
    pub fn hit(&mut self, pages: PageRange, mut hit: impl FnMut(Page, Slot)) -> bool {
        if !self.holds(pages) {
            return false;
        }
        for page in pages.pages() {
            let Some(id) = self.find(page.0) else { continue };
            let frame = &mut self.frames[id as usize];
            frame.used();
            let segment = self.segments.get_mut(frame.segment);
            segment.asked(page, self.page_bytes, true);
            hit(page, Slot(id));
        }
        true
    }

    /// Whether all of these pages are here; nothing is counted.
    pub fn holds(&self, pages: PageRange) -> bool {
        pages.pages().all(|page| self.slot_of(page).is_some())
    }

    /// Before the backing is asked for pages of which one is not here.
    pub fn begin_read(&mut self, pages: PageRange) -> ReadStart {
        for page in pages.pages() {
            let segment = match self.find(page.0) {
                Some(id) => {
                    // It was asked for, though others beside it are missing.
                    self.frames[id as usize].used();
                    self.frames[id as usize].segment
                }
                None => self.segments.of(page.0),
            };
            self.segments.get_mut(segment).asked(page, self.page_bytes, false);
        }
        self.fence.read()
    }

    /// What becomes of a page that the backing gave for a read that began at `start`.
    pub fn admit(&mut self, start: ReadStart, page: Page) -> Admission {
        if self.find(page.0).is_some_and(|id| self.frames[id as usize].is_hit()) {
            return Admission::Present;
        }
        let number = self.segments.of(page.0);
        let pool = self.segments.get(number).pool;
        if !self.fence.allows(page, start) {
            self.segments.get_mut(number).statistics.overtaken += 1;
            return Admission::Overtaken;
        }
        let queue = self.pools[pool].entrance(page.0);
        let Some(id) = self.take(pool) else {
            self.segments.get_mut(number).statistics.without_room += 1;
            return Admission::NoRoom;
        };
        self.seat(id, page, number, queue);
        self.segments.get_mut(number).statistics.admissions += 1;
        Admission::Admitted(Slot(id))
    }

    /// Before the backing is asked to write, zero or give up pages, all that the bytes touch. None of them is a hit from now on.
    pub fn begin_write(&mut self, pages: PageRange) -> WriteToken {
        let token = self.fence.begin(pages);
        self.each_resident(pages, |cache, id| {
            // Whose writes overlap leaves: which of them the backing will have last, nobody knows.
            if cache.fence.is_only(Page(cache.frames[id as usize].page)) {
                cache.frames[id as usize].is_written = true;
            } else {
                cache.invalidate_frame(id);
            }
        });
        token
    }

    /// After the backing answered. Where it has written, `update` is called for each page that has kept its slot: the written bytes of that
    /// page go there now; what was not written of it is still right.
    pub fn end_write(
        &mut self,
        token: WriteToken,
        outcome: WriteOutcome,
        mut update: impl FnMut(Page, Slot),
    ) {
        // What is still here was here when the write began, and no other write has begun since: nobody is admitted meanwhile.
        self.each_resident(token.pages, |cache, id| {
            let frame = &mut cache.frames[id as usize];
            debug_assert!(frame.is_written, "a page that is written is no hit");
            match outcome {
                WriteOutcome::Written => {
                    frame.is_written = false;
                    let page = Page(frame.page);
                    cache.segments.get_mut(frame.segment).statistics.updates += 1;
                    update(page, Slot(id));
                }
                WriteOutcome::Unchanged => frame.is_written = false,
                WriteOutcome::Unknown => cache.invalidate_frame(id),
            }
        });
        self.fence.end(&token);
    }

    /// Somebody else changed the backing: pages leave, and no read that began before leaves one here.
    pub fn invalidate(&mut self, pages: PageRange) {
        let token = self.begin_write(pages);
        self.end_write(token, WriteOutcome::Unknown, |_, _| {});
    }

    /// Gives the slots of pages up, as a DBA asks; how many.
    pub fn evict(&mut self, pages: PageRange) -> u64 {
        let mut evicted = 0;
        self.each_resident(pages, |cache, id| {
            cache.invalidate_frame(id);
            evicted += 1;
        });
        evicted
    }

    /// Gives all slots up, and forgets who was here.
    pub fn clear(&mut self) {
        self.invalidate(PageRange::new(Page(0), u64::MAX));
        self.pools.iter_mut().for_each(Pool::forget);
    }

    /// What was asked of a segment; `None` where there is none of that number.
    pub fn statistics(&self, id: SegmentId) -> Option<Statistics> {
        Some(self.segments.find(id)?.statistics)
    }

    /// Slots with pages of a segment.
    pub fn used_by(&self, id: SegmentId) -> u32 {
        self.segments.find(id).map_or(0, |segment| segment.held)
    }

    /// What a cache of another size would give a segment; `None` where nobody asked for a curve or for a page.
    pub fn miss_curve(&self, id: SegmentId) -> Option<MissCurve> {
        self.segments.find(id)?.reuse.as_ref()?.curve()
    }

    fn find(&self, page: u64) -> Option<u32> {
        self.index.find(page, |id| self.frames[id as usize].page)
    }

    /// A slot for a page of this pool: a free one, or another page's.
    fn take(&mut self, pool: usize) -> Option<u32> {
        if self.pools[pool].room() == 0 {
            return self.evict_from(pool);
        }
        if let Some(id) = self.free.pop() {
            return Some(id);
        }
        // Quotas are no more than there are slots: where one isn't used up and no slot is free, DEFAULT has what is missing.
        self.evict_from(0).or_else(|| {
            let recycles = |pool: &usize| matches!(self.pools[*pool].class, Class::Recycle { .. });
            let fullest = (1..self.pools.len()).filter(recycles);
            let fullest = fullest.max_by_key(|pool| self.pools[*pool].held())?;
            self.evict_from(fullest)
        })
    }

    /// The slot of who leaves a pool first, which is in no queue and not in the list of free ones.
    fn evict_from(&mut self, pool: usize) -> Option<u32> {
        let id = self.pools[pool].evict(&mut self.frames)?;
        let Frame { page, segment, .. } = self.frames[id as usize];
        let segment = self.segments.get_mut(segment);
        segment.statistics.evictions += 1;
        segment.held -= 1;
        self.index.remove(page, |id| self.frames[id as usize].page);
        self.frames[id as usize] = Frame::FREE;
        Some(id)
    }

    fn seat(&mut self, id: u32, page: Page, segment: u16, queue: QueueName) {
        self.seat_with(id, page, segment, |pool, frames| pool.push(frames, id, queue));
    }

    /// Gives a slot to a page that `push` puts into a queue of its pool.
    fn seat_with(
        &mut self,
        id: u32,
        page: Page,
        segment: u16,
        push: impl FnOnce(&mut Pool, &mut [Frame]),
    ) {
        self.frames[id as usize] = Frame::new(page.0, segment);
        self.index.insert(page.0, id);
        let segment = self.segments.get_mut(segment);
        segment.held += 1;
        push(&mut self.pools[segment.pool], &mut self.frames);
    }

    /// Frees the slot of a page that somebody wants out.
    fn invalidate_frame(&mut self, id: u32) {
        let Frame { page, segment, .. } = self.frames[id as usize];
        let segment = self.segments.get_mut(segment);
        segment.statistics.invalidations += 1;
        segment.held -= 1;
        self.pools[segment.pool].unlink(&mut self.frames, id);
        self.index.remove(page, |id| self.frames[id as usize].page);
        self.frames[id as usize] = Frame::FREE;
        self.free.push(id);
    }

    /// Calls `act` for the frame of each page of these that has one: by pages, or by frames where there are fewer.
    fn each_resident(&mut self, pages: PageRange, mut act: impl FnMut(&mut Self, u32)) {
        if pages.count() <= self.frames.len() as u64 {
            for page in pages.pages() {
                if let Some(id) = self.find(page.0) {
                    act(self, id);
                }
            }
            return;
        }
        for id in 0..self.frames.len() as u32 {
            let frame = &self.frames[id as usize];
            if frame.queue != QueueName::Free && pages.contains(Page(frame.page)) {
                act(self, id);
            }
        }
    }
}
