//! Memory in front of a file or device: pages that were read stay, and are answered without asking the backing.
//!
//! What stays and what has to leave is decided by [`narrows_read_cache::ReadCache`]; here are its bytes and its locks. Bytes come in and go out
//! by copies under the lock of their shard: the kernel never has an address in this memory, so that no operation of its own can meet a slot
//! that is another page's by then.
//!
//! Pages are of 4 KiB, which every block size divides. The namespace is cut into pieces as large as the largest command, and each piece is
//! of one shard: a command meets two shards at most.

mod restart;

use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use narrows_read_cache::{
    Admission, Class, Page, PageRange, Ratio, ReadCache, ReadStart, ReuseSettings, SegmentError,
    SegmentId, SegmentSpec, Slot, Statistics, WriteOutcome, WriteToken,
};

pub(crate) use restart::numbered;

use super::RamDisk;
use crate::buffer::LARGEST;
use crate::journal;
use crate::namespace::{CacheRange, CacheSpec};

/// Size of a page, bytes.
const PAGE: u32 = 4096;
/// Pages that follow each other in one shard: those of the largest command.
const PIECE: u64 = (LARGEST as u64) / (PAGE as u64);
/// A shard has at least so many bytes, and there are at most so many.
const SHARD: (u64, u64) = (4 << 20, 16);

/// A range that is recycled has so large a part of the cache where nothing else is said.
const RECYCLED_SHARE: u32 = 64;

/// How many times as large a cache may become while it serves: addresses are set aside for that, and no memory.
const GROWTH: u32 = 4;
/// Slots that leave a shard while its lock is held.
const STEP: u32 = 256;

/// What a range of a cache is cut by, bytes.
pub(crate) const CACHE_PAGE: u64 = PAGE as u64;
/// The smallest cache, bytes.
pub(crate) const LEAST_BYTES: u64 = 256 << 10;

/// See the module.
#[derive(Debug)]
pub(crate) struct MemoryCache {
    shards: Box<[Mutex<ReadCache>]>,
    /// Slots of a shard, now and at most.
    slots: AtomicU32,
    most_slots: u32,
    /// Held by whoever changes the size.
    resizing: Mutex<()>,
    /// The segments of each shard, and what they are called.
    segments: Vec<(SegmentId, String)>,
    /// The slots of one shard after those of another.
    memory: RamDisk,
}

/// When a read of two shards at most began.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CacheRead([ReadStart; 2]);

/// A write that is under way. When it is dropped without having been written, its pages leave: only after the backing has ended.
#[derive(Debug)]
pub(crate) struct CacheWrite {
    cache: Arc<MemoryCache>,
    tokens: Vec<(usize, WriteToken)>,
}

/// Bytes that are all here, held against change.
pub(crate) struct Hit<'a> {
    cache: &'a MemoryCache,
    first: (usize, MutexGuard<'a, ReadCache>),
    second: Option<(usize, MutexGuard<'a, ReadCache>)>,
    offset: u64,
    bytes: usize,
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

impl MemoryCache {
    /// Size of a page, bytes.
    pub(crate) const PAGE_BYTES: u32 = PAGE;

    /// A cache of so many bytes, rounded down to whole pages of each shard.
    ///
    /// # Errors
    /// Where the kernel has no such range, or its ranges ask for more than there is.
    pub(crate) fn new(spec: &CacheSpec) -> Result<MemoryCache, CacheError> {
        let shards = (spec.bytes / SHARD.0).clamp(1, SHARD.1);
        let shards = 1 << shards.ilog2();
        let slots = spec.bytes / shards / u64::from(PAGE);
        let slots = u32::try_from(slots).ok().filter(|slots| *slots < u32::MAX);
        let no_memory = || io::Error::from(io::ErrorKind::OutOfMemory);
        let slots = slots.ok_or_else(no_memory)?;
        // A shard is a sample of the namespace by itself: all of them have the pages of one curve.
        let whole = ReuseSettings::default();
        let reuse = ReuseSettings { pages: whole.pages / shards as u32, ..whole };
        let mut segments = vec![(SegmentId::REST, "rest".to_string())];
        let mut caches = Vec::new();
        for shard in 0..shards {
            let mut cache = ReadCache::new(slots, PAGE, Some(reuse));
            for range in &spec.ranges {
                let segment = segment_of(range, (shard, shards), slots, reuse);
                let id = cache.add_segment(segment)?;
                if shard == 0 {
                    segments.push((id, name_of(range)));
                }
            }
            caches.push(Mutex::new(cache));
        }
        let memory_for = |slots: u32| {
            let bytes = usize::try_from(shards * u64::from(slots) * u64::from(PAGE));
            RamDisk::new(bytes.map_err(|_| no_memory())?)
        };
        // A kernel that counts addresses as memory may have none to set aside.
        let more = slots.checked_mul(GROWTH).filter(|more| *more < u32::MAX);
        let grown = more.and_then(|more| Some((more, memory_for(more).ok()?)));
        let (most_slots, memory) = match grown {
            Some(grown) => grown,
            None => (slots, memory_for(slots)?),
        };
        let (slots, resizing) = (AtomicU32::new(slots), Mutex::new(()));
        Ok(MemoryCache { shards: caches.into(), slots, most_slots, resizing, segments, memory })
    }

    /// Makes the cache larger or smaller while it serves, to whole pages of each shard. A smaller one keeps what would leave last, and its memory
    /// goes back to the kernel.
    ///
    /// # Errors
    /// Why it can't have that size; nothing is changed then.
    pub(crate) fn resize(&self, bytes: u64) -> Result<(), String> {
        let _alone = self.resizing.lock().unwrap_or_else(PoisonError::into_inner);
        let shards = self.shards.len() as u64;
        let most = shards * u64::from(self.most_slots) * CACHE_PAGE;
        if !(LEAST_BYTES.max(shards * CACHE_PAGE)..=most).contains(&bytes) {
            return Err(format!(
                "a cache that was begun with this size can have {LEAST_BYTES} to {most} bytes"
            ));
        }
        let slots = (bytes / shards / CACHE_PAGE) as u32;
        let promised = (0..self.shards.len()).map(|shard| self.lock(shard).quotas()).max();
        let promised = promised.unwrap_or(0);
        if promised > u64::from(slots) {
            let least = promised * shards * CACHE_PAGE;
            return Err(format!("what is kept and recycled in it needs {least} bytes"));
        }
        let before = self.slots.swap(slots, Ordering::Relaxed);
        for shard in 0..self.shards.len() {
            let mut now = before;
            while now != slots {
                // Larger at once; smaller in steps, between which others have the lock.
                now = now.saturating_sub(STEP).max(slots);
                let mut page = [0; PAGE as usize];
                let moved = |from, to| {
                    self.memory.read(self.place(shard, from), &mut page);
                    self.memory.write(self.place(shard, to), &page);
                };
                let resized = self.lock(shard).resize(now, moved);
                resized.map_err(|error| error.to_string())?;
            }
            if slots < before {
                let left = self.place(shard, Slot(slots));
                self.memory.zero(left, u64::from(before - slots) * CACHE_PAGE);
            }
        }
        Ok(())
    }

    /// Pages that it has room for.
    pub(crate) fn pages(&self) -> u64 {
        self.shards.len() as u64 * u64::from(self.slots.load(Ordering::Relaxed))
    }

    /// The bytes, if all of them are here.
    pub(crate) fn hit(&self, offset: u64, bytes: u32) -> Option<Hit<'_>> {
        let pages = PageRange::touched(offset, u64::from(bytes), PAGE);
        let shards = || parts(pages).map(|part| self.shard_of(part.first()));
        // One that both parts have is locked once, and two always in the same order.
        let (low, high) = (shards().min()?, shards().max()?);
        let first = (low, self.lock(low));
        let second = (high > low).then(|| (high, self.lock(high)));
        let mut hit = Hit { cache: self, first, second, offset, bytes: bytes as usize };
        if !parts(pages).all(|part| hit.shard(self.shard_of(part.first())).holds(part)) {
            return None;
        }
        for part in parts(pages) {
            hit.shard_mut(self.shard_of(part.first())).hit(part, |_, _| {});
        }
        Some(hit)
    }

    /// Before the backing is asked for bytes that are not all here.
    pub(crate) fn begin_read(&self, offset: u64, bytes: u32) -> Option<CacheRead> {
        let pages = PageRange::touched(offset, u64::from(bytes), PAGE);
        let mut starts =
            parts(pages).map(|part| self.lock(self.shard_of(part.first())).begin_read(part));
        let first = starts.next()?;
        let second = starts.next().unwrap_or(first);
        Some(CacheRead([first, second]))
    }

    /// Takes in the whole pages of what the backing gave.
    pub(crate) fn fill(&self, read: CacheRead, offset: u64, data: &[u8]) {
        let whole = PageRange::within(offset, data.len() as u64, PAGE);
        let touched = PageRange::touched(offset, data.len() as u64, PAGE);
        for (part, start) in parts(touched).zip(read.0) {
            let shard = self.shard_of(part.first());
            for page in part.pages().filter(|page| whole.contains(*page)) {
                // A lock for each: others don't wait for the bytes of a large read.
                let mut cache = self.lock(shard);
                if let Admission::Admitted(slot) = cache.admit(start, page) {
                    let at = (page.0 * u64::from(PAGE) - offset) as usize;
                    self.memory.write(self.place(shard, slot), &data[at..at + PAGE as usize]);
                }
            }
        }
    }

    /// Before the backing is asked to change these ranges of bytes.
    pub(crate) fn begin_write(
        self: &Arc<Self>,
        ranges: impl Iterator<Item = (u64, u64)>,
    ) -> CacheWrite {
        let mut tokens = Vec::new();
        for (offset, bytes) in ranges {
            let pages = PageRange::touched(offset, bytes, PAGE);
            // A shard is told all of the range: what is another's of it is not here.
            let pieces = parts(pages).take(self.shards.len());
            let mut shards: Vec<usize> = pieces.map(|piece| self.shard_of(piece.first())).collect();
            shards.sort_unstable();
            shards.dedup();
            let begin = |shard: usize| (shard, self.lock(shard).begin_write(pages));
            tokens.extend(shards.into_iter().map(begin));
        }
        CacheWrite { cache: Arc::clone(self), tokens }
    }

    /// Somebody else may have changed the backing.
    pub(crate) fn clear(&self) {
        (0..self.shards.len()).for_each(|shard| self.lock(shard).clear());
    }

    /// Of each range, the rest first, all shards together.
    pub(crate) fn figures(&self) -> Vec<CacheFigures> {
        let names = self.segments.iter().map(|(_, name)| name.clone());
        let mut figures: Vec<CacheFigures> =
            names.map(|range| CacheFigures { range, ..CacheFigures::default() }).collect();
        for shard in 0..self.shards.len() {
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
        let slots = self.slots.load(Ordering::Relaxed);
        let pages = (f64::from(slots) * times) as u64;
        let mut references = 0.0;
        let mut sum = Ratio { median: 0.0, low: 0.0, high: 0.0 };
        for shard in 0..self.shards.len() {
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

    fn shard_of(&self, page: Page) -> usize {
        (page.0 / PIECE) as usize & (self.shards.len() - 1)
    }

    /// Where a slot's bytes begin in memory.
    fn place(&self, shard: usize, slot: Slot) -> u64 {
        (shard as u64 * u64::from(self.most_slots) + u64::from(slot.0)) * u64::from(PAGE)
    }

    fn lock(&self, shard: usize) -> MutexGuard<'_, ReadCache> {
        // A panic between two changes of a cache must not become somebody's wrong data.
        self.shards[shard].lock().unwrap_or_else(|_| {
            journal::line("failed", &[("reason", &"a thread panicked with the cache in hand")]);
            std::process::abort()
        })
    }
}

impl CacheWrite {
    /// The backing has these bytes from `offset` on: pages that are here take them.
    pub(crate) fn written(mut self, offset: u64, data: &[u8]) {
        let end = offset + data.len() as u64;
        for (shard, token) in self.tokens.drain(..) {
            let mut cache = self.cache.lock(shard);
            cache.end_write(token, WriteOutcome::Written, |page, slot| {
                let page_at = page.0 * u64::from(PAGE);
                let (from, to) = (page_at.max(offset), (page_at + u64::from(PAGE)).min(end));
                let bytes = &data[(from - offset) as usize..(to - offset) as usize];
                self.cache.memory.write(self.cache.place(shard, slot) + from - page_at, bytes);
            });
        }
    }

    /// The backing was not asked after all: pages that are here are hits again, as they were.
    pub(crate) fn withdraw(mut self) {
        for (shard, token) in self.tokens.drain(..) {
            self.cache.lock(shard).end_write(token, WriteOutcome::Unchanged, |_, _| {});
        }
    }
}

impl Drop for CacheWrite {
    fn drop(&mut self) {
        for (shard, token) in self.tokens.drain(..) {
            self.cache.lock(shard).end_write(token, WriteOutcome::Unknown, |_, _| {});
        }
    }
}

impl Hit<'_> {
    /// Appends the bytes.
    pub(crate) fn append_to(&self, out: &mut Vec<u8>) {
        self.each_piece(|place, _, bytes| self.cache.memory.append_to(place, bytes, out));
    }

    /// Copies the bytes.
    pub(crate) fn copy_to(&self, out: &mut [u8]) {
        self.each_piece(|place, at, bytes| self.cache.memory.read(place, &mut out[at..at + bytes]));
    }

    /// Calls `act` with where the bytes of a page lie in memory and in what was asked for, and how many they are.
    fn each_piece(&self, mut act: impl FnMut(u64, usize, usize)) {
        let end = self.offset + self.bytes as u64;
        for page in PageRange::touched(self.offset, self.bytes as u64, PAGE).pages() {
            let page_at = page.0 * u64::from(PAGE);
            let (from, to) = (page_at.max(self.offset), (page_at + u64::from(PAGE)).min(end));
            let shard = self.cache.shard_of(page);
            let slot = self.shard(shard).slot_of(page).expect("a page that is held here");
            let place = self.cache.place(shard, slot) + from - page_at;
            act(place, (from - self.offset) as usize, (to - from) as usize);
        }
    }

    fn shard(&self, number: usize) -> &ReadCache {
        match &self.second {
            Some((second, cache)) if *second == number => cache,
            _ => &self.first.1,
        }
    }

    fn shard_mut(&mut self, number: usize) -> &mut ReadCache {
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
fn parts(pages: PageRange) -> impl Iterator<Item = PageRange> {
    let end = pages.first().0 + pages.count();
    let mut at = pages.first().0;
    std::iter::from_fn(move || {
        let next = (at / PIECE * PIECE).saturating_add(PIECE).min(end);
        let part = (at < end).then(|| PageRange::new(Page(at), next - at));
        at = next;
        part
    })
}

#[cfg(test)]
mod tests;
