//! What of a cache on a device outlives a restart: the pages that it has, where an index names them.
//!
//! The device keeps its bytes, so that nothing has to be read again: pages that an index names are hits at once, each under the digest that
//! the index has of it. What must not be taken up is an index of an earlier use, since which slots were given to other pages: the superblock
//! counts *lives*, a use each ([`DeviceCache::begin_life`]), and an index is of one of them.

use std::io;
use std::sync::atomic::Ordering;

use narrows_read_cache::{SavedPage, Slot};

use super::{CacheSuperblock, DeviceCache, Off};
use crate::buffer::Buffer;

/// The sum of a slot whose page is not on the device: no digest.
const NOT_WRITTEN: u64 = u64::MAX;

impl DeviceCache {
    /// Says on the device that this use begins, durably, before a slot is given to a page: indexes of uses before are of another life from now on.
    /// Where that can't be said, nothing is cached.
    pub(crate) fn begin_life(&self) {
        if let Err(error) = self.write_life() {
            self.counters.errors.fetch_add(1, Ordering::Relaxed);
            self.turn_off(Off::Failed(format!("a write of its head: {error}")));
        }
    }

    fn write_life(&self) -> io::Result<()> {
        let life = self.life.load(Ordering::Relaxed) + 1;
        let page = CacheSuperblock { life, ..self.superblock }.life_to_page();
        let mut bounce = Buffer::largest();
        let bytes = bounce.bytes_mut(page.len());
        bytes.copy_from_slice(&page);
        self.disk.write_all_at(bytes, page.len() as u64)?;
        self.disk.sync()?;
        self.life.store(life, Ordering::Relaxed);
        Ok(())
    }

    /// What an index has to be of that names its pages: this cache, in the life that it is in, with as many slots.
    pub(crate) fn use_in_words(&self) -> String {
        let (name, life) = (self.superblock.name(), self.life.load(Ordering::Relaxed));
        format!("cache {name} life {life} slots {} x {}", self.shards.len(), self.shards.slots())
    }

    /// The pages that it has, each in its place on the device, which keeps them.
    ///
    /// # Errors
    /// What the device said; that it is off, or larger than an index can name.
    pub(crate) fn saved_pages(&self) -> io::Result<Vec<SavedPage>> {
        if let Some(off) = self.off() {
            return Err(io::Error::other(format!("its cache is off: {off}")));
        }
        if self.shards.pages() > u64::from(u32::MAX) {
            return Err(io::Error::other("its cache has more pages than an index can name"));
        }
        self.disk.sync()?;
        let mut pages = Vec::new();
        for shard in 0..self.shards.len() {
            let saved = self.shards.lock(shard).saved_pages(|slot| {
                let state = self.states.get(self.place(shard, slot));
                if state.is_written() { u64::from(state.digest()) } else { NOT_WRITTEN }
            });
            let written = saved.into_iter().filter(|saved| saved.content() != NOT_WRITTEN);
            // Below 2^32, as all places are.
            pages.extend(
                written.map(|saved| saved.in_slot(Slot(self.place(shard, saved.slot()) as u32))),
            );
        }
        Ok(pages)
    }

    /// Takes up pages that an index of its own names, before anything is read through it: they are hits. How many there was room for.
    pub(crate) fn take_up(&self, mut pages: Vec<SavedPage>) -> u64 {
        let slots = self.shards.slots();
        let shard_of = |saved: &SavedPage| (saved.slot().0 / slots) as usize;
        pages.retain(|saved| {
            let shard = shard_of(saved);
            shard < self.shards.len() && shard == self.shards.shard_of(saved.page())
        });
        // Within each its order stays.
        pages.sort_by_key(shard_of);
        let mut taken_up = 0;
        for its in pages.chunk_by(|a, b| shard_of(a) == shard_of(b)) {
            let shard = shard_of(&its[0]);
            let its = its.iter().map(|saved| saved.in_slot(Slot(saved.slot().0 % slots)));
            let restored = self.shards.lock(shard).take_up(its, |_, slot, digest| {
                let digest = u32::try_from(digest);
                digest.map(|digest| self.states.take_up(self.place(shard, slot), digest)).is_ok()
            });
            taken_up += restored.taken_up;
        }
        taken_up
    }
}
