//! What of a cache outlives a restart: which pages it had, and how they come back.

use narrows_read_cache::{Admission, Page, PageRange, SavedPage, Slot};

use super::MemoryCache;
use crate::backing::shards::{CacheRead, PAGE, PIECE, parts};

impl MemoryCache {
    /// The pages that are here, of all shards by turns, each shard's oldest first.
    pub(crate) fn saved_pages(&self) -> Vec<SavedPage> {
        let of = |shard| self.lock(shard).saved_pages(|_| 0);
        let shards: Vec<Vec<SavedPage>> = (0..self.shards.len()).map(of).collect();
        let longest = shards.iter().map(Vec::len).max().unwrap_or(0);
        let mut pages = Vec::new();
        for to_come in (0..longest).rev() {
            let of = |shard: &Vec<SavedPage>| Some(shard[shard.len().checked_sub(to_come + 1)?]);
            pages.extend(shards.iter().filter_map(of));
        }
        pages
    }

    /// Whether a page of an index would find room.
    pub(crate) fn has_room_for(&self, page: Page) -> bool {
        self.lock(self.shards.shard_of(page)).has_room_for(page)
    }

    /// Before the backing is asked for bytes that no host asked for.
    pub(crate) fn begin_warming(&self, offset: u64, bytes: u32) -> Option<CacheRead> {
        let pages = PageRange::touched(offset, u64::from(bytes), PAGE);
        let mut starts =
            parts(pages).map(|part| self.lock(self.shards.shard_of(part.first())).begin_warming());
        let first = starts.next()?;
        let second = starts.next().unwrap_or(first);
        Some(CacheRead([first, second]))
    }

    /// Takes in pages of an index that follow each other, of which `data` is what the backing gave; how many found room.
    pub(crate) fn warm(&self, read: CacheRead, pages: &[SavedPage], data: &[u8]) -> u64 {
        let Some(first) = pages.first() else { return 0 };
        let piece_of = |page: Page| page.0 / PIECE;
        let mut admitted = 0;
        for (saved, bytes) in pages.iter().zip(data.chunks_exact(PAGE as usize)) {
            let page = saved.page();
            let start = read.0[usize::from(piece_of(page) > piece_of(first.page()))];
            let shard = self.shards.shard_of(page);
            let mut cache = self.lock(shard);
            if let Admission::Admitted(slot) = cache.warm(start, saved) {
                self.memory.write(self.place(shard, slot), bytes);
                admitted += 1;
            }
        }
        admitted
    }
}

/// Pages as an index has them whose slots don't survive: each in a slot of its own.
pub(crate) fn numbered(
    pages: impl IntoIterator<Item = SavedPage>,
) -> impl Iterator<Item = SavedPage> {
    (0..u32::MAX).zip(pages).map(|(slot, saved)| saved.in_slot(Slot(slot)))
}
