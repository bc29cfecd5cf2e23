//! Memory in front of a file or device: pages that were read stay, and are answered without asking the backing.
//!
//! What stays and what has to leave is decided by its [`Shards`]; here are the bytes. They come in and go out by copies under the lock of
//! their shard: the kernel never has an address in this memory, so that no operation of its own can meet a slot that is another page's by
//! then.

mod restart;

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use narrows_read_cache::{Admission, PageRange, ReadCache, Slot, WriteOutcome, WriteToken};

pub(crate) use restart::numbered;

use super::RamDisk;
use super::shards::{
    CACHE_PAGE, CacheError, CacheRead, LEAST_BYTES, LockedShards, PAGE, Shards, parts,
};
use crate::namespace::CacheSpec;

/// How many times as large a cache may become while it serves: addresses are set aside for that, and no memory.
const GROWTH: u32 = 4;
/// Slots that leave a shard while its lock is held.
const STEP: u32 = 256;

/// See the module.
#[derive(Debug)]
pub(crate) struct MemoryCache {
    shards: Shards,
    /// Slots that a shard can have.
    most_slots: u32,
    /// Held by whoever changes the size.
    resizing: Mutex<()>,
    /// The slots of one shard after those of another.
    memory: RamDisk,
}

/// A write that is under way. When it is dropped without having been written, its pages leave: only after the backing has ended.
#[derive(Debug)]
pub(crate) struct CacheWrite {
    cache: Arc<MemoryCache>,
    tokens: Vec<(usize, WriteToken)>,
}

/// Bytes that are all here, held against change.
pub(crate) struct Hit<'a> {
    cache: &'a MemoryCache,
    locked: LockedShards<'a>,
    offset: u64,
    bytes: usize,
}

impl MemoryCache {
    /// Size of a page, bytes.
    pub(crate) const PAGE_BYTES: u32 = PAGE;

    /// A cache of so many bytes, rounded down to whole pages of each shard.
    ///
    /// # Errors
    /// Where the kernel has no such range, or its ranges ask for more than there is.
    pub(crate) fn new(spec: &CacheSpec) -> Result<MemoryCache, CacheError> {
        let shards = Shards::new(spec.bytes, &spec.ranges)?;
        let slots = shards.slots();
        let memory_for = |slots: u32| {
            let bytes = usize::try_from(shards.len() as u64 * u64::from(slots) * CACHE_PAGE);
            RamDisk::new(bytes.map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?)
        };
        // A kernel that counts addresses as memory may have none to set aside.
        let more = slots.checked_mul(GROWTH).filter(|more| *more < u32::MAX);
        let grown = more.and_then(|more| Some((more, memory_for(more).ok()?)));
        let (most_slots, memory) = match grown {
            Some(grown) => grown,
            None => (slots, memory_for(slots)?),
        };
        Ok(MemoryCache { shards, most_slots, resizing: Mutex::new(()), memory })
    }

    /// What it has, and what was asked of it.
    pub(crate) fn shards(&self) -> &Shards {
        &self.shards
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
        let before = self.shards.set_slots(slots);
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

    /// The bytes, if all of them are here.
    pub(crate) fn hit(&self, offset: u64, bytes: u32) -> Option<Hit<'_>> {
        let pages = PageRange::touched(offset, u64::from(bytes), PAGE);
        let locked = self.shards.lock_those_of(pages)?;
        let mut hit = Hit { cache: self, locked, offset, bytes: bytes as usize };
        let shard_of = |part: &PageRange| self.shards.shard_of(part.first());
        if !parts(pages).all(|part| hit.locked.shard(shard_of(&part)).holds(part)) {
            return None;
        }
        for part in parts(pages) {
            hit.locked.shard_mut(shard_of(&part)).hit(part, |_, _| {});
        }
        Some(hit)
    }

    /// Before the backing is asked for bytes that are not all here.
    pub(crate) fn begin_read(&self, offset: u64, bytes: u32) -> Option<CacheRead> {
        self.shards.begin_read(offset, bytes)
    }

    /// Takes in the whole pages of what the backing gave.
    pub(crate) fn fill(&self, read: CacheRead, offset: u64, data: &[u8]) {
        let whole = PageRange::within(offset, data.len() as u64, PAGE);
        let touched = PageRange::touched(offset, data.len() as u64, PAGE);
        for (part, start) in parts(touched).zip(read.0) {
            let shard = self.shards.shard_of(part.first());
            for page in part.pages().filter(|page| whole.contains(*page)) {
                // A lock for each: others don't wait for the bytes of a large read.
                let mut cache = self.lock(shard);
                if let Admission::Admitted(slot) = cache.admit(start, page) {
                    let at = (page.0 * CACHE_PAGE - offset) as usize;
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
        CacheWrite { cache: Arc::clone(self), tokens: self.shards.begin_write(ranges) }
    }

    /// Somebody else may have changed the backing.
    pub(crate) fn clear(&self) {
        self.shards.clear();
    }

    /// Where a slot's bytes begin in memory.
    fn place(&self, shard: usize, slot: Slot) -> u64 {
        (shard as u64 * u64::from(self.most_slots) + u64::from(slot.0)) * CACHE_PAGE
    }

    fn lock(&self, shard: usize) -> MutexGuard<'_, ReadCache> {
        self.shards.lock(shard)
    }
}

impl CacheWrite {
    /// The backing has these bytes from `offset` on: pages that are here take them.
    pub(crate) fn written(mut self, offset: u64, data: &[u8]) {
        let end = offset + data.len() as u64;
        for (shard, token) in self.tokens.drain(..) {
            let mut cache = self.cache.lock(shard);
            cache.end_write(token, WriteOutcome::Written, |page, slot| {
                let page_at = page.0 * CACHE_PAGE;
                let (from, to) = (page_at.max(offset), (page_at + CACHE_PAGE).min(end));
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
            let page_at = page.0 * CACHE_PAGE;
            let (from, to) = (page_at.max(self.offset), (page_at + CACHE_PAGE).min(end));
            let shard = self.cache.shards.shard_of(page);
            let slot = self.locked.shard(shard).slot_of(page).expect("a page that is held here");
            let place = self.cache.place(shard, slot) + from - page_at;
            act(place, (from - self.offset) as usize, (to - from) as usize);
        }
    }
}

#[cfg(test)]
mod tests;
