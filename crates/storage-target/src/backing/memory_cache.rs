//! Memory in front of a file or device: pages that were read stay, and are answered without asking the backing.
//!
//! What stays and what has to leave is decided by [`narrows_read_cache::ReadCache`]; here are its bytes and its locks. Bytes come in and go out
//! by copies under the lock of their shard: the kernel never has an address in this memory, so that no operation of its own can meet a slot
//! that is another page's by then.
//!
//! Pages are of 4 KiB, which every block size divides. The namespace is cut into pieces as large as the largest command, and each piece is
//! of one shard: a command meets two shards at most.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use narrows_read_cache::{
    Admission, Page, PageRange, Ratio, ReadCache, ReadStart, ReuseSettings, SegmentId, Slot,
    Statistics, WriteOutcome, WriteToken,
};

use super::RamDisk;
use crate::buffer::LARGEST;
use crate::journal;

/// Size of a page, bytes.
const PAGE: u32 = 4096;
/// Pages that follow each other in one shard: those of the largest command.
const PIECE: u64 = (LARGEST as u64) / (PAGE as u64);
/// A shard has at least so many bytes, and there are at most so many.
const SHARD: (u64, u64) = (4 << 20, 16);

/// The smallest cache, bytes.
pub(crate) const LEAST_BYTES: u64 = 256 << 10;

/// See the module.
#[derive(Debug)]
pub(crate) struct MemoryCache {
    shards: Box<[Mutex<ReadCache>]>,
    /// Slots of a shard.
    slots: u32,
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

/// What was done with a cache, and how full it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct CacheFigures {
    pub(crate) asked: Statistics,
    pub(crate) used_pages: u64,
    pub(crate) pages: u64,
}

impl MemoryCache {
    /// Size of a page, bytes.
    pub(crate) const PAGE_BYTES: u32 = PAGE;

    /// A cache of so many bytes, rounded down to whole pages of each shard.
    ///
    /// # Errors
    /// Where the kernel has no such range.
    pub(crate) fn new(bytes: u64) -> io::Result<MemoryCache> {
        let shards = (bytes / SHARD.0).clamp(1, SHARD.1);
        let shards = 1 << shards.ilog2();
        let slots = bytes / shards / u64::from(PAGE);
        let slots = u32::try_from(slots).ok().filter(|slots| *slots < u32::MAX);
        let slots = slots.ok_or(io::ErrorKind::OutOfMemory)?;
        // A shard is a sample of the namespace by itself: all of them have the pages of one curve.
        let whole = ReuseSettings::default();
        let reuse = ReuseSettings { pages: whole.pages / shards as u32, ..whole };
        let shard = |_| Mutex::new(ReadCache::new(slots, PAGE, Some(reuse)));
        let memory = usize::try_from(shards * u64::from(slots) * u64::from(PAGE));
        Ok(MemoryCache {
            shards: (0..shards).map(shard).collect(),
            slots,
            memory: RamDisk::new(memory.map_err(|_| io::ErrorKind::OutOfMemory)?)?,
        })
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

    /// All shards together.
    pub(crate) fn figures(&self) -> CacheFigures {
        let mut sum = CacheFigures::default();
        for shard in 0..self.shards.len() {
            let cache = self.lock(shard);
            let of = cache.statistics(SegmentId::REST).unwrap_or_default();
            sum.used_pages += u64::from(cache.used());
            sum.pages += u64::from(cache.slots());
            let asked = &mut sum.asked;
            asked.reads += of.reads;
            asked.hits += of.hits;
            asked.misses += of.misses;
            asked.read_bytes += of.read_bytes;
            asked.hit_bytes += of.hit_bytes;
            asked.admissions += of.admissions;
            asked.evictions += of.evictions;
            asked.invalidations += of.invalidations;
            asked.updates += of.updates;
            asked.overtaken += of.overtaken;
            asked.without_room += of.without_room;
        }
        sum
    }

    /// The share of pages that a cache so many times as large would not have had, in the order of last use; `None` before the first read.
    pub(crate) fn would_miss(&self, times: f64) -> Option<Ratio> {
        let pages = (f64::from(self.slots) * times) as u64;
        let mut references = 0.0;
        let mut sum = Ratio { median: 0.0, low: 0.0, high: 0.0 };
        for shard in 0..self.shards.len() {
            let Some(curve) = self.lock(shard).miss_curve(SegmentId::REST) else { continue };
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
        (shard as u64 * u64::from(self.slots) + u64::from(slot.0)) * u64::from(PAGE)
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
mod tests {
    use super::*;

    const PIECE_BYTES: u64 = PIECE * PAGE as u64;

    fn pattern(seed: u64, bytes: usize) -> Vec<u8> {
        (0..bytes as u64).map(|at| (at.wrapping_mul(31) ^ (at >> 8) ^ seed) as u8).collect()
    }

    fn read_of(cache: &MemoryCache, offset: u64, bytes: u32) -> Option<Vec<u8>> {
        let hit = cache.hit(offset, bytes)?;
        let mut appended = vec![9];
        hit.append_to(&mut appended);
        let mut copied = vec![0; bytes as usize];
        hit.copy_to(&mut copied);
        assert_eq!(appended[1..], copied);
        Some(copied)
    }

    #[test]
    fn what_was_filled_is_read_in_any_cut_and_over_the_border_of_shards() {
        let cache = Arc::new(MemoryCache::new(16 << 20).unwrap());
        assert_eq!(cache.shards.len(), 4);
        // The last bytes of one piece, all of the next: 257 pages.
        let offset = PIECE_BYTES - 512;
        let data = pattern(1, 1 << 20);
        let read = cache.begin_read(offset, 1 << 20).unwrap();
        assert!(read_of(&cache, offset, 512).is_none());
        cache.fill(read, offset, &data);
        // What is no whole page did not come in.
        assert!(read_of(&cache, offset, 1024).is_none());
        for (at, bytes) in [(512, 4096u32), (1024, 512), (5000 / 512 * 512, 65_536)] {
            let expected = &data[at..at + bytes as usize];
            assert_eq!(read_of(&cache, offset + at as u64, bytes).as_deref(), Some(expected));
        }
        let figures = cache.figures();
        assert_eq!((figures.used_pages, figures.pages), (255, 4096));
        assert_eq!(figures.asked.misses, 257);
    }

    #[test]
    fn the_curve_says_what_a_cache_of_another_size_would_give() {
        let cache = Arc::new(MemoryCache::new(16 << 20).unwrap());
        assert_eq!(cache.would_miss(1.0), None);
        let none = vec![0; 4096];
        // Six MiB, again and again, of which every shard has its part: two pieces in two of the four shards.
        for round in 0..10u64 {
            for page in 0..6 * PIECE {
                let offset = page * u64::from(PAGE);
                let hit = cache.hit(offset, PAGE).is_some();
                assert_eq!(hit, round > 0);
                if !hit {
                    let read = cache.begin_read(offset, PAGE).unwrap();
                    cache.fill(read, offset, &none);
                }
            }
        }
        let missed = |times| cache.would_miss(times).unwrap();
        let all = missed(1.0);
        assert_eq!((all.low, all.high), (all.median, all.median));
        assert!((all.median - 0.1).abs() < 1e-9, "first reads alone: {all:?}");
        // Four pieces of six are in shards that would be too small.
        assert!((missed(0.4).median - (0.1 + 0.9 * 4.0 / 6.0)).abs() < 1e-9);
        assert!((missed(0.2).median - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_hit_of_two_shards_is_whole_or_none() {
        let cache = Arc::new(MemoryCache::new(16 << 20).unwrap());
        let offset = PIECE_BYTES - 8192;
        let data = pattern(2, 16_384);
        let read = cache.begin_read(offset, 16_384).unwrap();
        cache.fill(read, offset, &data);
        assert_eq!(read_of(&cache, offset, 16_384), Some(data));
        drop(cache.begin_write(std::iter::once((PIECE_BYTES, 512))));
        assert!(read_of(&cache, offset, 16_384).is_none());
        assert!(read_of(&cache, offset, 8192).is_some());
        // The other way around: the higher shard comes first.
        let offset = 4 * PIECE_BYTES - 4096;
        let data = pattern(3, 8192);
        let read = cache.begin_read(offset, 8192).unwrap();
        cache.fill(read, offset, &data);
        assert_eq!(read_of(&cache, offset, 8192), Some(data));
    }

    #[test]
    fn writes_update_what_is_here_and_leave_the_rest_of_a_page() {
        let cache = Arc::new(MemoryCache::new(16 << 20).unwrap());
        let mut data = pattern(4, 16_384);
        let read = cache.begin_read(0, 16_384).unwrap();
        cache.fill(read, 0, &data);
        let new = pattern(5, 6144);
        let write = cache.begin_write(std::iter::once((3584, 6144)));
        assert!(read_of(&cache, 0, 4096).is_none());
        assert!(read_of(&cache, 12_288, 4096).is_some());
        write.written(3584, &new);
        data[3584..3584 + 6144].copy_from_slice(&new);
        assert_eq!(read_of(&cache, 0, 16_384), Some(data));
        // Ranges over everything, and one that nobody finishes: the pages leave.
        drop(cache.begin_write([(0, 1 << 40), (8192, 4096)].into_iter()));
        assert_eq!(cache.figures().used_pages, 0);
        let read = cache.begin_read(0, 4096).unwrap();
        cache.fill(read, 0, &pattern(6, 4096));
        assert_eq!(read_of(&cache, 0, 4096), Some(pattern(6, 4096)));
        cache.clear();
        assert!(read_of(&cache, 0, 4096).is_none());
    }

    #[test]
    fn what_is_read_while_it_is_written_does_not_stay() {
        let cache = Arc::new(MemoryCache::new(4 << 20).unwrap());
        assert_eq!(cache.shards.len(), 1);
        let old = pattern(7, 8192);
        let read = cache.begin_read(0, 8192).unwrap();
        cache.begin_write(std::iter::once((0, 512))).written(0, &pattern(8, 512));
        cache.fill(read, 0, &old);
        assert!(read_of(&cache, 0, 4096).is_none());
        assert!(read_of(&cache, 4096, 4096).is_some());
    }
}
