//! Ranges of pages that are treated and counted by themselves.

use crate::page::{Page, PageRange};
use crate::reuse::{ReuseSampler, ReuseSettings};

/// How the pages of a segment are treated; the names are those of Oracle's buffer pools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// They earn their place, in what the quotas leave.
    Default,
    /// They are admitted at once and up to the quota evicted for each other alone.
    Keep {
        /// Most slots that they have, and have by right.
        quota: u32,
    },
    /// They have no more slots than the quota, and leave in the order in which they came.
    Recycle {
        /// Most slots that they have.
        quota: u32,
    },
}

impl Class {
    /// Most slots that its pages have; none is said of DEFAULT.
    pub fn quota(self) -> Option<u32> {
        match self {
            Class::Default => None,
            Class::Keep { quota } | Class::Recycle { quota } => Some(quota),
        }
    }
}

/// A segment of a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SegmentId(pub(crate) u16);

impl SegmentId {
    /// All pages that no other segment has; always there, always [`Class::Default`].
    pub const REST: SegmentId = SegmentId(0);
}

/// What somebody wants treated by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentSpec {
    /// Its pages; of no other segment.
    pub pages: PageRange,
    /// How they are treated.
    pub class: Class,
    /// Whether a miss-ratio curve is kept of it, and how fine.
    pub reuse: Option<ReuseSettings>,
}

/// Why a segment can't be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SegmentError {
    /// It has no pages.
    #[error("a segment of no pages")]
    Empty,
    /// Its pages are another's.
    #[error("pages of it are of the segment from page {first} on")]
    Overlaps {
        /// Where the other begins.
        first: u64,
    },
    /// More is promised than there is.
    #[error("quotas of {quotas} slots in a cache of {slots}")]
    QuotasExceed {
        /// Of all segments, with this one, slots.
        quotas: u64,
        /// Of the cache.
        slots: u32,
    },
    /// There is no more room in the list.
    #[error("there are {most} segments, and no more can be")]
    TooMany {
        /// How many there are at most.
        most: usize,
    },
    /// It is not there, or is the rest.
    #[error("there is no such segment that could be changed")]
    Unknown,
}

/// What was asked of a segment, in pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Pages that were asked for.
    pub reads: u64,
    /// Of these, answered from a slot.
    pub hits: u64,
    /// Of these, read from the backing.
    pub misses: u64,
    /// Bytes of the pages that were asked for.
    pub read_bytes: u64,
    /// Of these, answered from a slot.
    pub hit_bytes: u64,
    /// Pages that took a slot.
    pub admissions: u64,
    /// Pages that left their slot for another page, or for a smaller cache or quota.
    pub evictions: u64,
    /// Pages that left their slot because they were written, or because somebody asked for that.
    pub invalidations: u64,
    /// Pages whose slot took over what was written.
    pub updates: u64,
    /// Pages that were read while they were written, and took no slot.
    pub overtaken: u64,
    /// Pages for which there was no slot.
    pub without_room: u64,
}

#[derive(Debug)]
pub(crate) struct Segment {
    pub(crate) pages: PageRange,
    pub(crate) pool: usize,
    /// Slots with pages of it.
    pub(crate) held: u32,
    pub(crate) statistics: Statistics,
    pub(crate) reuse: Option<ReuseSampler>,
}

impl Segment {
    /// Nothing was asked of it, and its pages are in DEFAULT's pool.
    pub(crate) fn new(pages: PageRange, reuse: Option<ReuseSettings>) -> Segment {
        let reuse = reuse.map(ReuseSampler::new);
        Segment { pages, pool: 0, held: 0, statistics: Statistics::default(), reuse }
    }

    /// Counts a page that was asked for.
    pub(crate) fn asked(&mut self, page: Page, page_bytes: u32, hit: bool) {
        let (statistics, bytes) = (&mut self.statistics, u64::from(page_bytes));
        statistics.reads += 1;
        statistics.read_bytes += bytes;
        if hit {
            statistics.hits += 1;
            statistics.hit_bytes += bytes;
        } else {
            statistics.misses += 1;
        }
        if let Some(reuse) = &mut self.reuse {
            reuse.reference(page);
        }
    }
}

/// All segments of a cache; a number that was given is not given again while it is in use.
#[derive(Debug)]
pub(crate) struct Segments {
    all: Vec<Option<Segment>>,
    /// Numbers of all but the rest, by first page.
    order: Vec<u16>,
}

/// Most segments of a cache: a lookup goes through their order, and each may have a sample.
const MOST: usize = 1024;

impl Segments {
    /// The rest alone, in pool 0.
    pub(crate) fn new(reuse: Option<ReuseSettings>) -> Segments {
        let rest = Segment::new(PageRange::new(Page(0), u64::MAX), reuse);
        Segments { all: vec![Some(rest)], order: Vec::new() }
    }

    /// The segment of a page.
    pub(crate) fn of(&self, page: u64) -> u16 {
        let after = self.order.partition_point(|id| self.get(*id).pages.first().0 <= page);
        let Some(id) = after.checked_sub(1).map(|at| self.order[at]) else { return 0 };
        if self.get(id).pages.contains(Page(page)) { id } else { 0 }
    }

    /// A segment by its number, which is one of a segment.
    pub(crate) fn get(&self, id: u16) -> &Segment {
        self.all[usize::from(id)].as_ref().expect("a number of a segment")
    }

    /// The same, to change.
    pub(crate) fn get_mut(&mut self, id: u16) -> &mut Segment {
        self.all[usize::from(id)].as_mut().expect("a number of a segment")
    }

    /// A segment, if there is one of that number.
    pub(crate) fn find(&self, id: SegmentId) -> Option<&Segment> {
        self.all.get(usize::from(id.0))?.as_ref()
    }

    /// Numbers and segments, the rest first, then by pages.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u16, &Segment)> {
        let ids = std::iter::once(0).chain(self.order.iter().copied());
        ids.map(|id| (id, self.get(id)))
    }

    /// Why a segment of these pages can't be.
    pub(crate) fn refusal(&self, pages: PageRange) -> Option<SegmentError> {
        if pages.is_empty() {
            return Some(SegmentError::Empty);
        }
        if self.order.len() + 1 >= MOST {
            return Some(SegmentError::TooMany { most: MOST });
        }
        let others = self.iter().skip(1).map(|(_, segment)| segment.pages);
        let other = others.into_iter().find(|other| other.overlaps(&pages))?;
        Some(SegmentError::Overlaps { first: other.first().0 })
    }

    /// Takes in a segment that nothing speaks against; its number.
    pub(crate) fn insert(&mut self, segment: Segment) -> u16 {
        let at =
            self.order.partition_point(|id| self.get(*id).pages.first() < segment.pages.first());
        let free = self.all.iter().position(Option::is_none);
        let number = free.unwrap_or(self.all.len());
        if free.is_none() {
            self.all.push(None);
        }
        self.all[number] = Some(segment);
        self.order.insert(at, number as u16);
        number as u16
    }

    /// Takes out a segment; not the rest.
    pub(crate) fn remove(&mut self, id: u16) -> Option<Segment> {
        self.order.retain(|other| *other != id);
        self.all[usize::from(id)].take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_of_the_segment_that_has_it_and_else_of_the_rest() {
        let mut segments = Segments::new(None);
        let segment = |first, count| Segment::new(PageRange::new(Page(first), count), None);
        let b = segments.insert(segment(20, 10));
        let a = segments.insert(segment(5, 5));
        for (page, id) in [(0, 0), (4, 0), (5, a), (9, a), (10, 0), (20, b), (29, b), (30, 0)] {
            assert_eq!(segments.of(page), id, "page {page}");
        }
        let refusal = |first, count| segments.refusal(PageRange::new(Page(first), count));
        assert_eq!(refusal(9, 1), Some(SegmentError::Overlaps { first: 5 }));
        assert_eq!(refusal(10, 10), None);
        assert_eq!(refusal(10, 0), Some(SegmentError::Empty));
        segments.remove(a);
        assert_eq!(segments.of(5), 0);
        assert_eq!(segments.insert(segment(0, 3)), a);
        assert_eq!(segments.iter().map(|(id, _)| id).collect::<Vec<_>>(), [0, a, b]);
    }
}
