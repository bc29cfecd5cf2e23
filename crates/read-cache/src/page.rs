//! Numbers that must not be mistaken for each other.

/// A page of the namespace: its offset divided by the page's size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Page(pub u64);

/// Room for one page in the caller's memory; the first is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u32);

/// Pages that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PageRange {
    first: u64,
    end: u64,
}

impl PageRange {
    /// `count` pages from `first` on; fewer where the numbers end.
    pub fn new(first: Page, count: u64) -> PageRange {
        PageRange { first: first.0, end: first.0.saturating_add(count) }
    }

    /// The one page.
    pub fn one(page: Page) -> PageRange {
        PageRange::new(page, 1)
    }

    /// Every page that one of `bytes` from `offset` on lies in.
    ///
    /// # Panics
    /// For pages of no bytes.
    pub fn touched(offset: u64, bytes: u64, page_bytes: u32) -> PageRange {
        let page = u64::from(page_bytes);
        let first = offset / page;
        let end = if bytes == 0 { first } else { offset.saturating_add(bytes).div_ceil(page) };
        PageRange { first, end }
    }

    /// The pages that lie wholly in `bytes` from `offset` on.
    ///
    /// # Panics
    /// For pages of no bytes.
    pub fn within(offset: u64, bytes: u64, page_bytes: u32) -> PageRange {
        let page = u64::from(page_bytes);
        let first = offset.div_ceil(page);
        let end = offset.saturating_add(bytes) / page;
        PageRange { first, end: end.max(first) }
    }

    /// The first page; of an empty range, where it would begin.
    pub fn first(&self) -> Page {
        Page(self.first)
    }

    /// How many pages.
    pub fn count(&self) -> u64 {
        self.end - self.first
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.first == self.end
    }

    /// Whether the page is one of them.
    pub fn contains(&self, page: Page) -> bool {
        (self.first..self.end).contains(&page.0)
    }

    /// Whether both have a page.
    pub fn overlaps(&self, other: &PageRange) -> bool {
        self.first.max(other.first) < self.end.min(other.end)
    }

    /// One after another.
    pub fn pages(&self) -> impl Iterator<Item = Page> + use<> {
        (self.first..self.end).map(Page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_touch_pages_and_hold_fewer_whole_ones() {
        let of = |range: PageRange| (range.first().0, range.count());
        for (offset, bytes, touched, within) in [
            (0, 4096, (0, 1), (0, 1)),
            (0, 4095, (0, 1), (0, 0)),
            (4095, 2, (0, 2), (1, 0)),
            (512, 12_288, (0, 4), (1, 2)),
            (8192, 0, (2, 0), (2, 0)),
            (512, 512, (0, 1), (1, 0)),
        ] {
            assert_eq!(of(PageRange::touched(offset, bytes, 4096)), touched, "{offset} {bytes}");
            assert_eq!(of(PageRange::within(offset, bytes, 4096)), within, "{offset} {bytes}");
        }
        let end = PageRange::touched(u64::MAX - 1, 10, 4096);
        assert_eq!(end.count(), 1);
    }

    #[test]
    fn ranges_overlap_by_pages_and_not_by_ends() {
        let range = |first, count| PageRange::new(Page(first), count);
        assert!(range(0, 4).overlaps(&range(3, 1)));
        assert!(!range(0, 4).overlaps(&range(4, 1)));
        assert!(!range(0, 4).overlaps(&range(2, 0)));
        assert_eq!(range(2, 3).pages().map(|page| page.0).collect::<Vec<_>>(), [2, 3, 4]);
    }
}
