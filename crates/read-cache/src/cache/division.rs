//! How a cache is divided among segments and how large it is: changed while it runs, each in one step whose time is that of a walk over its
//! slots. Who holds a lock meanwhile shrinks a large cache in several steps.

use super::ReadCache;
use crate::frame::{Frame, QueueName};
use crate::page::{Page, PageRange, Slot};
use crate::pool::Pool;
use crate::segment::{Class, Segment, SegmentError, SegmentId, SegmentSpec};

/// Why a cache can't have a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ResizeError {
    /// Quotas are promised.
    #[error("a cache of {slots} slots, and quotas of {quotas}")]
    QuotasExceed {
        /// Of all segments, slots.
        quotas: u64,
        /// That were asked for.
        slots: u32,
    },
    /// More than can be numbered.
    #[error("a cache has fewer than 2^32 - 1 slots")]
    TooLarge,
}

impl ReadCache {
    /// Treats and counts a range of pages by itself. Pages of it that are here stay, as far as its quota goes.
    ///
    /// # Errors
    /// Where the range is another's, or the quotas are more than there is.
    pub fn add_segment(&mut self, spec: SegmentSpec) -> Result<SegmentId, SegmentError> {
        if let Some(refusal) = self.segments.refusal(spec.pages) {
            return Err(refusal);
        }
        self.check_quotas(self.quotas(), spec.class)?;
        let seats = self.detach(spec.pages);
        let number = self.segments.insert(Segment::new(spec.pages, spec.reuse));
        self.give_pool(number, spec.class);
        self.attach(&seats);
        Ok(SegmentId(number))
    }

    /// Treats the pages of a segment otherwise from now on.
    ///
    /// # Errors
    /// Where there is no such segment, or the quotas are more than there is.
    pub fn set_class(&mut self, id: SegmentId, class: Class) -> Result<(), SegmentError> {
        let pages = self.changeable(id)?;
        let others = self.quotas() - u64::from(self.class_of(id.0).quota().unwrap_or(0));
        self.check_quotas(others, class)?;
        let seats = self.detach(pages);
        self.give_pool(id.0, class);
        self.attach(&seats);
        Ok(())
    }

    /// Counts the pages of a segment among the rest again, and treats them so. What was counted of it is gone.
    ///
    /// # Errors
    /// Where there is no such segment.
    pub fn remove_segment(&mut self, id: SegmentId) -> Result<(), SegmentError> {
        let pages = self.changeable(id)?;
        let seats = self.detach(pages);
        self.segments.remove(id.0);
        self.pools[usize::from(id.0)] = Pool::nobodys();
        self.attach(&seats);
        Ok(())
    }

    /// All segments, the rest first and the others by their pages.
    pub fn segments(&self) -> impl Iterator<Item = (SegmentId, PageRange, Class)> {
        let of = |(number, segment): (u16, &Segment)| {
            (SegmentId(number), segment.pages, self.class_of(number))
        };
        self.segments.iter().map(of)
    }

    /// Makes the cache larger or smaller. A smaller one keeps those that would leave last; `move_page` is called for each that has to go to
    /// another slot, and has moved its bytes when it returns. Slots from `slots` on are the caller's again afterwards.
    ///
    /// # Errors
    /// Where quotas promise more than that; nothing is changed then.
    pub fn resize(
        &mut self,
        slots: u32,
        mut move_page: impl FnMut(Slot, Slot),
    ) -> Result<(), ResizeError> {
        let quotas = self.quotas();
        if slots == u32::MAX {
            return Err(ResizeError::TooLarge);
        }
        if quotas > u64::from(slots) {
            return Err(ResizeError::QuotasExceed { quotas, slots });
        }
        // By quotas others have no more than `slots`: what is too much is DEFAULT's.
        while self.used() > slots
            && let Some(id) = self.evict_from(0)
        {
            self.free.push(id);
        }
        self.free.retain(|id| *id < slots);
        for from in slots..self.slots() {
            if self.frames[from as usize].queue != QueueName::Free
                && let Some(to) = self.free.pop()
            {
                self.renumber(from, to);
                move_page(Slot(from), Slot(to));
            }
        }
        let old = self.slots();
        self.frames.resize(slots as usize, Frame::FREE);
        self.free.extend((old..slots).rev());
        let frames = &self.frames;
        self.index.reserve(slots as usize, |id| frames[id as usize].page);
        self.pools.iter_mut().for_each(|pool| pool.resize(slots as usize));
        Ok(())
    }

    fn renumber(&mut self, from: u32, to: u32) {
        let frame = self.frames[from as usize];
        self.index.remove(frame.page, |id| self.frames[id as usize].page);
        self.frames[to as usize] = frame;
        let pool = self.segments.get(frame.segment).pool;
        self.pools[pool].renumber(&mut self.frames, from, to);
        self.frames[from as usize] = Frame::FREE;
        self.index.insert(frame.page, to);
    }

    fn changeable(&self, id: SegmentId) -> Result<PageRange, SegmentError> {
        let segment = self.segments.find(id).filter(|_| id != SegmentId::REST);
        segment.map(|segment| segment.pages).ok_or(SegmentError::Unknown)
    }

    /// How a segment's pages are treated.
    pub(crate) fn class_of(&self, number: u16) -> Class {
        self.pools[self.segments.get(number).pool].class
    }

    /// What is promised by quotas, slots: the smallest size that the cache can have.
    pub fn quotas(&self) -> u64 {
        self.pools.iter().filter_map(|pool| pool.class.quota()).map(u64::from).sum()
    }

    fn check_quotas(&self, others: u64, class: Class) -> Result<(), SegmentError> {
        let quotas = others + u64::from(class.quota().unwrap_or(0));
        let slots = self.slots();
        if quotas > u64::from(slots) {
            return Err(SegmentError::QuotasExceed { quotas, slots });
        }
        Ok(())
    }

    /// Gives a segment the pool of a class; no frame of it is in one.
    fn give_pool(&mut self, number: u16, class: Class) {
        let own = usize::from(number);
        while self.pools.len() <= own {
            self.pools.push(Pool::nobodys());
        }
        let shared = class == Class::Default;
        self.pools[own] = if shared { Pool::nobodys() } else { Pool::new(class, 0) };
        self.segments.get_mut(number).pool = if shared { 0 } else { own };
    }

    /// Takes pages out of their queues, in order; where they were.
    fn detach(&mut self, pages: PageRange) -> Vec<(u32, QueueName)> {
        let frames = &self.frames;
        let ids = self.pools.iter().flat_map(|pool| pool.frames(frames));
        let ids = ids.filter(|id| pages.contains(Page(frames[*id as usize].page)));
        let seats = ids.map(|id| (id, frames[id as usize].queue)).collect::<Vec<_>>();
        for (id, _) in &seats {
            let pool = self.segments.get(self.frames[*id as usize].segment).pool;
            self.pools[pool].unlink(&mut self.frames, *id);
            self.segments.get_mut(self.frames[*id as usize].segment).held -= 1;
        }
        seats
    }

    /// Puts pages into the queues of the segments that they are of now.
    fn attach(&mut self, seats: &[(u32, QueueName)]) {
        for (id, queue) in seats {
            let number = self.segments.of(self.frames[*id as usize].page);
            let pool = self.segments.get(number).pool;
            let queue = self.pools[pool].queue_again(*queue);
            self.frames[*id as usize].segment = number;
            self.segments.get_mut(number).held += 1;
            let full = self.pools[pool].room() == 0;
            self.pools[pool].push(&mut self.frames, *id, queue);
            if full && let Some(left) = self.evict_from(pool) {
                self.free.push(left);
            }
        }
    }
}
