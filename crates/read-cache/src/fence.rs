//! What keeps old data out: which pages were written since when.
//!
//! Time is a counter that every beginning and every end of a write moves on. Each page has a stamp: how many writes of it are under way, and
//! when the last of them began or ended. A read is allowed to leave its page here if no write of it is under way and the stamp is not
//! younger than the read. Pages share stamps (one of a fixed number, by the page's number), so a read is refused for another page's write
//! now and then, and never allowed in spite of one. Nothing is kept of reads: a read that never ends leaves nothing behind.

use crate::page::{Page, PageRange};

/// When a read was begun: taken before the backing is asked, shown when its data are to stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadStart(u64);

/// A write under way. Whoever loses it leaves its pages uncached for good: safe, and a waste.
#[derive(Debug)]
#[must_use = "a write is under way until its end is told"]
pub struct WriteToken {
    pub(crate) pages: PageRange,
}

#[derive(Debug, Clone, Copy, Default)]
struct Stamp {
    /// When a write last began or ended.
    last: u64,
    under_way: u32,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Fence {
    stamps: Vec<Stamp>,
    /// Of writes of more pages than there are stamps, which concern every page.
    all: Stamp,
    now: u64,
}

/// Fewest and most stamps: 1 KiB and 1 MiB of memory.
const STAMPS: (usize, usize) = (1 << 6, 1 << 16);

impl Fence {
    /// For a cache of so many slots.
    pub(crate) fn new(slots: usize) -> Fence {
        let stamps = slots.next_power_of_two().clamp(STAMPS.0, STAMPS.1);
        Fence { stamps: vec![Stamp::default(); stamps], all: Stamp::default(), now: 0 }
    }

    /// Now, for a read.
    pub(crate) fn read(&self) -> ReadStart {
        ReadStart(self.now)
    }

    /// Begins a write.
    pub(crate) fn begin(&mut self, pages: PageRange) -> WriteToken {
        self.now += 1;
        self.stamp(pages, |stamp| stamp.under_way += 1);
        WriteToken { pages }
    }

    /// Ends a write.
    pub(crate) fn end(&mut self, token: &WriteToken) {
        self.now += 1;
        self.stamp(token.pages, |stamp| stamp.under_way -= 1);
    }

    /// Whether no write of the page was under way at any time since `start`.
    pub(crate) fn allows(&self, page: Page, start: ReadStart) -> bool {
        let quiet = |stamp: &Stamp| stamp.under_way == 0 && stamp.last <= start.0;
        quiet(&self.all) && quiet(&self.stamps[self.place(page)])
    }

    /// Whether one write of the page is under way, and no other.
    pub(crate) fn is_only(&self, page: Page) -> bool {
        self.stamps[self.place(page)].under_way == 1 && self.all.under_way == 0
    }

    fn place(&self, page: Page) -> usize {
        page.0 as usize & (self.stamps.len() - 1)
    }

    fn stamp(&mut self, pages: PageRange, change: impl Fn(&mut Stamp)) {
        let now = self.now;
        let changed = |stamp: &mut Stamp| {
            stamp.last = now;
            change(stamp);
        };
        if pages.count() > self.stamps.len() as u64 {
            return changed(&mut self.all);
        }
        for page in pages.pages() {
            let place = self.place(page);
            changed(&mut self.stamps[place]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Page = Page(1);

    #[test]
    fn a_read_is_refused_for_a_write_at_any_time_since_it_began() {
        let mut fence = Fence::new(64);
        let before = fence.read();
        assert!(fence.allows(A, before));
        let token = fence.begin(PageRange::one(A));
        let during = fence.read();
        assert!(!fence.allows(A, before) && !fence.allows(A, during));
        fence.end(&token);
        assert!(!fence.allows(A, before) && !fence.allows(A, during));
        assert!(fence.allows(A, fence.read()));
        // Neighbours are others.
        assert!(fence.allows(Page(2), before));
    }

    #[test]
    fn a_write_of_everything_is_of_every_page() {
        let mut fence = Fence::new(64);
        let before = fence.read();
        let token = fence.begin(PageRange::new(Page(1000), 65));
        assert!(!fence.allows(A, fence.read()));
        fence.end(&token);
        assert!(!fence.allows(A, before) && fence.allows(A, fence.read()));
    }

    #[test]
    fn a_write_is_the_only_one_where_no_other_of_the_page_is_under_way() {
        let mut fence = Fence::new(64);
        let token = fence.begin(PageRange::one(A));
        let neighbour = fence.begin(PageRange::one(Page(2)));
        assert!(fence.is_only(A));
        for range in [PageRange::one(A), PageRange::new(Page(1000), 65)] {
            let other = fence.begin(range);
            assert!(!fence.is_only(A));
            fence.end(&other);
            assert!(fence.is_only(A));
        }
        fence.end(&token);
        fence.end(&neighbour);
        assert!(!fence.is_only(A));
    }
}
