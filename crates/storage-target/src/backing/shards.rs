//! The decisions of a cache in front of a file or device, in shards with a lock each: which pages it has, and what was asked of it.
//!
//! What stays and what has to leave is decided by [`ReadCache`]. The namespace is cut into pieces as large as the largest command, and each
//! piece is of one shard: a command meets two shards at most. Where the pages' bytes are is the business of who has these shards.

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard};

use narrows_read_cache::{
    Class, Page, PageRange, Ratio, ReadCache, ReadStart, ReuseSettings, SegmentError, SegmentId,
    SegmentSpec, Statistics, WriteToken,
};

use crate::buffer::LARGEST;
use crate::journal;
use crate::namespace::CacheRange;

/// Size of a page, bytes: every block size divides it.
pub(super) const PAGE: u32 = 4096;
/// Pages that follow each other in one shard: those of the largest command.
pub(super) const PIECE: u64 = (LARGEST as u64) / (PAGE as u64);
/// A shard has at least so many bytes, and there are at most so many.
const SHARD: (u64, u64) = (4 << 20, 16);
/// A range that is recycled has so large a part of the cache where nothing else is said.
const RECYCLED_SHARE: u32 = 64;

/// What a range of a cache is cut by, bytes.
pub(crate) const CACHE_PAGE: u64 = PAGE as u64;
/// The smallest cache, bytes.
pub(crate) const LEAST_BYTES: u64 = 256 << 10;

/// See the module.
#[derive(Debug)]
pub(crate) struct Shards {
    caches: Box<[Mutex<ReadCache>]>,
    /// Slots of each, now.
    slots: AtomicU32,
    /// The segments of each, and what they are called.
    segments: Vec<(SegmentId, String)>,
}

/// When a read of two shards at most began.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CacheRead(pub(super) [ReadStart; 2]);

/// The shards that a command meets, held against change.
pub(super) struct LockedShards<'a> {
    first: (usize, MutexGuard<'a, ReadCache>),
    second: Option<(usize, MutexGuard<'a, ReadCache>)>,
}

/// What was done with a range of a cache, and how much of it is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CacheFigures {
    /// `rest`, or the option that names the range.
    pub(crate) range: String,
    pub(crate) asked: Statistics,
    pub(crate) used_pages: u64,
}

/// Why there is no cache.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CacheError {
    /// The kernel has no such range.
    #[error(transparent)]
    System(#[from] io::Error),
    /// It can't be divided as was said.
    #[error(transparent)]
    Segment(#[from] SegmentError),
}

impl Shards {
    /// Empty ones for so many bytes, rounded down to whole pages of each.
    ///
    /// # Errors
    /// Where that is more than can be numbered, or the ranges ask for more than there is.
    pub(super) fn new(bytes: u64, ranges: &[CacheRange]) -> Result<Shards, CacheError> {
        let shards = (bytes / SHARD.0).clamp(1, SHARD.1);
        let shards = 1 << shards.ilog2();
        let slots = bytes / shards / CACHE_PAGE;
        let slots = u32::try_from(slots).ok().filter(|slots| *slots < u32::MAX);
        let slots = slots.ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))?;
        // A shard is a sample of the namespace by itself: all of them have the pages of one curve.
        let whole = ReuseSettings::default();
        let reuse = ReuseSettings { pages: whole.pages / shards as u32, ..whole };
        let mut segments = vec![(SegmentId::REST, "rest".to_string())];
        let mut caches = Vec::new();
        for shard in 0..shards {
            let mut cache = ReadCache::new(slots, PAGE, Some(reuse));
            for range in ranges {
                let segment = segment_of(range, (shard, shards), slots, reuse);
                let id = cache.add_segment(segment)?;
                if shard == 0 {
                    segments.push((id, name_of(range)));
                }
            }
            caches.push(Mutex::new(cache));
        }
        Ok(Shards { caches: caches.into(), slots: AtomicU32::new(slots), segments })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.caches.len()
    }

    /// Slots of each.
    pub(super) fn slots(&self) -> u32 {
        self.slots.load(Ordering::Relaxed)
    }

    /// Says how many slots each has from now on; how many it had.
    pub(super) fn set_slots(&self, slots: u32) -> u32 {
        self.slots.swap(slots, Ordering::Relaxed)
    }

    /// Pages that all of them have room for.
    pub(crate) fn pages(&self) -> u64 {
        self.len() as u64 * u64::from(self.slots())
    }

    /// Which of them has a page.
    pub(super) fn shard_of(&self, page: Page) -> usize {
        (page.0 / PIECE) as usize & (self.len() - 1)
    }

    pub(super) fn lock(&self, shard: usize) -> MutexGuard<'_, ReadCache> {
        // A panic between two changes of a cache must not become somebody's wrong data.
        self.caches[shard].lock().unwrap_or_else(|_| {
            journal::line("failed", &[("reason", &"a thread panicked with the cache in hand")]);
            std::process::abort()
        })
    }

    /// Locks those that pages of one command are of; `None` for no pages.
    pub(super) fn lock_those_of(&self, pages: PageRange) -> Option<LockedShards<'_>> {
        let shards = || parts(pages).map(|part| self.shard_of(part.first()));
        // One that both parts have is locked once, and two always in the same order.
        let (low, high) = (shards().min()?, shards().max()?);
        let first = (low, self.lock(low));
        let second = (high > low).then(|| (high, self.lock(high)));
        Some(LockedShards { first, second })
    }

    /// Before the backing is asked for bytes that are not all here.
    pub(super) fn begin_read(&self, offset: u64, bytes: u32) -> Option<CacheRead> {
        let pages = PageRange::touched(offset, u64::from(bytes), PAGE);
        let mut starts =
            parts(pages).map(|part| self.lock(self.shard_of(part.first())).begin_read(part));
        let first = starts.next()?;
        let second = starts.next().unwrap_or(first);
        Some(CacheRead([first, second]))
    }

    /// Before the backing is asked to change these ranges of bytes: the shards that were told, each with what it is told at the end.
    pub(super) fn begin_write(
        &self,
        ranges: impl Iterator<Item = (u64, u64)>,
    ) -> Vec<(usize, WriteToken)> {
        let mut tokens = Vec::new();
        for (offset, bytes) in ranges {
            let pages = PageRange::touched(offset, bytes, PAGE);
            // A shard is told all of the range: what is another's of it is not here.
            let pieces = parts(pages).take(self.len());
            let mut shards: Vec<usize> = pieces.map(|piece| self.shard_of(piece.first())).collect();
            shards.sort_unstable();
            shards.dedup();
            let begin = |shard: usize| (shard, self.lock(shard).begin_write(pages));
            tokens.extend(shards.into_iter().map(begin));
        }
        tokens
    }

    /// Somebody else may have changed the backing.
    pub(super) fn clear(&self) {
        (0..self.len()).for_each(|shard| self.lock(shard).clear());
    }

    /// Of each range, the rest first, all shards together.
    pub(crate) fn figures(&self) -> Vec<CacheFigures> {
        let names = self.segments.iter().map(|(_, name)| name.clone());
        let mut figures: Vec<CacheFigures> =
            names.map(|range| CacheFigures { range, ..CacheFigures::default() }).collect();
        for shard in 0..self.len() {
            let cache = self.lock(shard);
            for ((id, _), sum) in self.segments.iter().zip(&mut figures) {
                sum.used_pages += u64::from(cache.used_by(*id));
                add(&mut sum.asked, &cache.statistics(*id).unwrap_or_default());
            }
        }
        figures
    }

    /// Of all ranges together.
    pub(crate) fn total(&self) -> CacheFigures {
        let mut total = CacheFigures { range: "all".to_string(), ..CacheFigures::default() };
        for of in self.figures() {
            total.used_pages += of.used_pages;
            add(&mut total.asked, &of.asked);
        }
        total
    }

    /// The share of pages of a range, the rest first, that a cache so many times as large would not have had, in the order of last use and if it
    /// had been of this range alone; `None` before the first read.
    pub(crate) fn would_miss(&self, range: usize, times: f64) -> Option<Ratio> {
        let (id, _) = self.segments.get(range)?;
        let pages = (f64::from(self.slots()) * times) as u64;
        let mut references = 0.0;
        let mut sum = Ratio { median: 0.0, low: 0.0, high: 0.0 };
        for shard in 0..self.len() {
            let Some(curve) = self.lock(shard).miss_curve(*id) else { continue };
            let (of, at) = (curve.references() as f64, curve.at(pages));
            references += of;
            sum.median += of * at.median;
            sum.low += of * at.low;
            sum.high += of * at.high;
        }
        let share = |part: f64| part / references;
        let ratio =
            || Ratio { median: share(sum.median), low: share(sum.low), high: share(sum.high) };
        (references > 0.0).then(ratio)
    }
}

impl LockedShards<'_> {
    /// One of them, by its number.
    pub(super) fn shard(&self, number: usize) -> &ReadCache {
        match &self.second {
            Some((second, cache)) if *second == number => cache,
            _ => &self.first.1,
        }
    }

    /// The same, to change.
    pub(super) fn shard_mut(&mut self, number: usize) -> &mut ReadCache {
        match &mut self.second {
            Some((second, cache)) if *second == number => cache,
            _ => &mut self.first.1,
        }
    }
}

/// A range as one of `shards` has it, which has `slots`.
fn segment_of(
    range: &CacheRange,
    (shard, shards): (u64, u64),
    slots: u32,
    reuse: ReuseSettings,
) -> SegmentSpec {
    let pages = PageRange::touched(range.offset, range.bytes, PAGE);
    let of_shard = |part: &PageRange| part.first().0 / PIECE % shards == shard;
    let here: u64 = parts(pages).filter(of_shard).map(|part| part.count()).sum();
    let quota = match range.quota_bytes {
        // The same part of the quota as of the range, rounded up.
        Some(quota) => {
            let share = u128::from(quota / CACHE_PAGE) * u128::from(here);
            share.div_ceil(u128::from(pages.count())) as u64
        }
        None if range.keep => here,
        None => u64::from(slots / RECYCLED_SHARE).max(1),
    };
    let quota = u32::try_from(quota).unwrap_or(u32::MAX);
    let class = if range.keep { Class::Keep { quota } } else { Class::Recycle { quota } };
    SegmentSpec { pages, class, reuse: Some(reuse) }
}

/// What a range is called.
fn name_of(range: &CacheRange) -> String {
    let word = if range.keep { "keep" } else { "recycle" };
    format!("{word}={}+{}", range.offset, range.bytes)
}

fn add(sum: &mut Statistics, of: &Statistics) {
    sum.reads += of.reads;
    sum.hits += of.hits;
    sum.misses += of.misses;
    sum.read_bytes += of.read_bytes;
    sum.hit_bytes += of.hit_bytes;
    sum.admissions += of.admissions;
    sum.evictions += of.evictions;
    sum.invalidations += of.invalidations;
    sum.updates += of.updates;
    sum.overtaken += of.overtaken;
    sum.without_room += of.without_room;
}

/// The pages of each piece of the namespace.
pub(super) fn parts(pages: PageRange) -> impl Iterator<Item = PageRange> {
    let end = pages.first().0 + pages.count();
    let mut at = pages.first().0;
    std::iter::from_fn(move || {
        let next = (at / PIECE * PIECE).saturating_add(PIECE).min(end);
        let part = (at < end).then(|| PageRange::new(Page(at), next - at));
        at = next;
        part
    })
}
