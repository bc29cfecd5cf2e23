//! A file or device in front of another: pages that were read stay on it, and are read from there again.
//!
//! What stays and what has to leave is decided by its [`Shards`], as for a cache in memory. What differs is that bytes take time to come and
//! to go, so that a slot may be another page's by then:
//!
//! 1. **A page comes in** ([`DeviceCache::fill`]) by being given a slot, whose word ([`SlotState`]) has a new generation and the page's digest
//!    from then on, and by waiting in a bounded queue. Where that is full it stays out: nobody waits for this device. One thread writes
//!    what waits ([`DeviceCache::write_some`]), leaves out what lost its slot meanwhile, and says of the others that they are written.
//! 2. **A read is a hit** ([`DeviceCache::hit`]) where all of its pages are here and written. It takes the words of its slots, reads the
//!    slots without a lock, and is held against the words after that ([`DeviceCache::check`]): another generation says that the slot was given
//!    away meanwhile, another digest that the device has not what was written. Either way the backing is asked, and the host waits longer
//!    and never reads anything else.
//! 3. **A write** makes its pages leave before the backing is asked ([`DeviceCache::begin_write`]); nothing is updated. So the device is
//!    written to by reads that missed, and by nothing else.
//! 4. **An error of the device**, too many wrong pages, or slowness turns the cache off for good ([`DeviceCache::off`]), and the backing is
//!    asked from then on.
//!
//! Nothing on the device is believed after a start but what an index names that was saved at an end in order and is of this very life
//! ([`restart`]): an old page can't be read, whatever ended the last one.

mod health;
mod open;
mod queue;
mod restart;
mod slot_states;
mod superblock;
mod writer;

use std::os::fd::RawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use narrows_nvme::digest::digest;
use narrows_read_cache::{Admission, Page, PageRange, Slot, WriteOutcome, WriteToken};

pub(crate) use health::{DeviceCounters, Off};
pub(crate) use open::{ReadError, check_no_cache, open_device_cache, read_superblock};
pub(crate) use slot_states::SlotState;
pub(crate) use superblock::{CacheSuperblock, HEAD_BYTES, NoCache};
pub(crate) use writer::Filler;

use super::FileDisk;
use super::shards::{CACHE_PAGE, CacheError, CacheRead, PAGE, Shards, parts};
use crate::buffer::LARGEST;
use crate::namespace::CacheRange;
use health::Health;
use queue::{FillQueue, WaitingPage};
use slot_states::SlotStates;

/// Most pieces that a read is put together from. One of more asks the backing, which has it in one piece.
const MOST_RUNS: usize = 32;

/// See the module.
#[derive(Debug)]
pub(crate) struct DeviceCache {
    disk: FileDisk,
    /// With which it was opened.
    superblock: CacheSuperblock,
    /// Its life now.
    life: AtomicU64,
    shards: Shards,
    /// The slots of one shard after those of another, as they lie on the device.
    states: SlotStates,
    queue: FillQueue,
    health: Health,
    pub(crate) counters: DeviceCounters,
}

/// A read whose pages were all here when it began.
#[derive(Debug)]
pub(crate) struct DeviceHit {
    /// Each page's slot, and what was known of it.
    slots: Vec<(u64, SlotState)>,
    first: Page,
    /// Bytes of the first page that nobody asked for.
    skipped: usize,
}

/// Slots that follow each other on the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    /// Where they begin on the device, bytes.
    pub(crate) offset: u64,
    pub(crate) bytes: u32,
}

/// A write that is under way: its pages leave at its end, unless it is withdrawn.
#[derive(Debug)]
pub(crate) struct DeviceWrite {
    cache: Arc<DeviceCache>,
    tokens: Vec<(usize, WriteToken)>,
}

impl DeviceCache {
    /// An empty cache of so many bytes on a device, behind its head.
    ///
    /// # Errors
    /// Where that is more than can be numbered, or its ranges ask for more than there is.
    pub(super) fn new(
        disk: FileDisk,
        superblock: CacheSuperblock,
        bytes: u64,
        ranges: &[CacheRange],
    ) -> Result<DeviceCache, CacheError> {
        let shards = Shards::new(bytes, ranges)?;
        Ok(DeviceCache {
            disk,
            superblock,
            life: AtomicU64::new(superblock.life),
            states: SlotStates::new(shards.pages()),
            shards,
            queue: FillQueue::new(queue::MOST),
            health: Health::default(),
            counters: DeviceCounters::default(),
        })
    }

    /// What it has, and what was asked of it.
    pub(crate) fn shards(&self) -> &Shards {
        &self.shards
    }

    /// What it lies on.
    pub(crate) fn disk(&self) -> &FileDisk {
        &self.disk
    }

    /// The descriptor, for as long as this lives.
    pub(crate) fn fd(&self) -> RawFd {
        self.disk.fd()
    }

    /// Pages on their way to the device.
    pub(crate) fn waiting_pages(&self) -> usize {
        self.queue.taken()
    }

    /// How large a buffer has to be for a read of these bytes from the device, as far as there is one.
    pub(crate) fn buffer_bytes(offset: u64, bytes: u32) -> u32 {
        let pages = PageRange::touched(offset, u64::from(bytes), PAGE).count();
        u32::try_from(pages * CACHE_PAGE).ok().filter(|all| *all <= LARGEST as u32).unwrap_or(bytes)
    }

    /// Where the bytes are, if all of their pages are here.
    pub(crate) fn hit(&self, offset: u64, bytes: u32) -> Option<DeviceHit> {
        let pages = PageRange::touched(offset, u64::from(bytes), PAGE);
        if self.is_off() || pages.count() * CACHE_PAGE > LARGEST as u64 {
            return None;
        }
        let mut locked = self.shards.lock_those_of(pages)?;
        let mut slots = Vec::with_capacity(pages.count() as usize);
        for page in pages.pages() {
            let shard = self.shards.shard_of(page);
            let place = self.place(shard, locked.shard(shard).slot_of(page)?);
            let state = self.states.get(place);
            if !state.is_written() {
                return None;
            }
            slots.push((place, state));
        }
        let skipped = (offset % CACHE_PAGE) as usize;
        let hit = DeviceHit { slots, first: pages.first(), skipped };
        if hit.runs().count() > MOST_RUNS {
            self.counters.scattered_reads.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        for part in parts(pages) {
            locked.shard_mut(self.shards.shard_of(part.first())).hit(part, |_, _| {});
        }
        Some(hit)
    }

    /// Whether these bytes, read from the device since, are those of the pages. What the device has wrong leaves.
    pub(crate) fn check(&self, hit: &DeviceHit, read: &[u8]) -> bool {
        let mut overtaken = false;
        let mut wrong = 0;
        for (index, (place, state)) in hit.slots.iter().enumerate() {
            let at = index * PAGE as usize;
            let page = read.get(at..at + PAGE as usize);
            if self.states.get(*place) != *state {
                overtaken = true;
            } else if !page.is_some_and(|page| state.fits(page)) {
                wrong += 1;
                let page = Page(hit.first.0 + index as u64);
                self.shards.lock(self.shards.shard_of(page)).evict(PageRange::one(page));
            }
        }
        if overtaken {
            self.counters.overtaken_reads.fetch_add(1, Ordering::Relaxed);
        }
        if wrong > 0 {
            self.had_wrong_pages(wrong);
        }
        !overtaken && wrong == 0
    }

    /// The pages of a hit leave.
    fn evict(&self, hit: &DeviceHit) {
        for page in (hit.first.0..).take(hit.slots.len()).map(Page) {
            self.shards.lock(self.shards.shard_of(page)).evict(PageRange::one(page));
        }
    }

    /// Before the backing is asked for bytes that are not all here.
    pub(crate) fn begin_read(&self, offset: u64, bytes: u32) -> Option<CacheRead> {
        if self.is_off() { None } else { self.shards.begin_read(offset, bytes) }
    }

    /// Takes in the whole pages of what the backing gave, as far as there is room among those that wait.
    pub(crate) fn fill(&self, read: CacheRead, offset: u64, data: &[u8]) {
        if self.is_off() {
            return;
        }
        let whole = PageRange::within(offset, data.len() as u64, PAGE);
        let touched = PageRange::touched(offset, data.len() as u64, PAGE);
        for (part, start) in parts(touched).zip(read.0) {
            let shard = self.shards.shard_of(part.first());
            for page in part.pages().filter(|page| whole.contains(*page)) {
                let at = (page.0 * CACHE_PAGE - offset) as usize;
                let bytes = &data[at..at + PAGE as usize];
                if !self.queue.reserve() {
                    // Before the cache is asked: a page that has a slot is written to it.
                    self.counters.dropped_pages.fetch_add(1, Ordering::Relaxed);
                    continue;
                }
                let digest = digest(bytes);
                let mut cache = self.shards.lock(shard);
                let Admission::Admitted(slot) = cache.admit(start, page) else {
                    self.queue.release(1);
                    continue;
                };
                let place = self.place(shard, slot);
                let given = self.states.give(place, digest);
                drop(cache);
                self.queue.push(WaitingPage { place, given, bytes: bytes.into() });
            }
        }
    }

    /// Before the backing is asked to change these ranges of bytes: their pages are no hits from now on.
    pub(crate) fn begin_write(
        self: &Arc<Self>,
        ranges: impl Iterator<Item = (u64, u64)>,
    ) -> DeviceWrite {
        DeviceWrite { cache: Arc::clone(self), tokens: self.shards.begin_write(ranges) }
    }

    /// Somebody else may have changed the backing.
    pub(crate) fn clear(&self) {
        self.shards.clear();
    }

    /// The number of a slot on the device.
    fn place(&self, shard: usize, slot: Slot) -> u64 {
        shard as u64 * u64::from(self.shards.slots()) + u64::from(slot.0)
    }
}

impl DeviceHit {
    /// Where to read it from, in the order of its bytes.
    pub(crate) fn runs(&self) -> impl Iterator<Item = Run> {
        let follows = |a: &(u64, SlotState), b: &(u64, SlotState)| a.0 + 1 == b.0;
        self.slots.chunk_by(follows).map(|run| Run {
            offset: HEAD_BYTES + run[0].0 * CACHE_PAGE,
            bytes: run.len() as u32 * PAGE,
        })
    }

    /// Bytes of its pages.
    pub(crate) fn bytes(&self) -> usize {
        self.slots.len() * PAGE as usize
    }

    /// Moves what was asked for to the front of its pages.
    pub(crate) fn trim(&self, read: &mut [u8]) {
        if self.skipped > 0 {
            read.copy_within(self.skipped.., 0);
        }
    }
}

impl DeviceWrite {
    /// The backing was not asked after all: pages that are here are hits again, as they were.
    pub(crate) fn withdraw(mut self) {
        self.end(WriteOutcome::Unchanged);
    }

    fn end(&mut self, outcome: WriteOutcome) {
        for (shard, token) in self.tokens.drain(..) {
            self.cache.shards.lock(shard).end_write(token, outcome, |_, _| {});
        }
    }
}

impl Drop for DeviceWrite {
    fn drop(&mut self) {
        self.end(WriteOutcome::Unknown);
    }
}

#[cfg(test)]
mod interleavings_test;
#[cfg(test)]
pub(crate) mod tests;
