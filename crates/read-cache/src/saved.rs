//! An index that survives a restart, as bytes.
//!
//! What it is for: a tier on a device keeps its bytes, so its index says which page is in which slot; a tier in memory doesn't, and its index
//! says what to read again, the worthiest first. What it must never do: bring back a page as it was before a write. So it is believed only
//! if nothing was written since it was saved, and only a clean end can promise that.
//!
//! **What the caller does, in this order.**
//! 1. At the start it reads the image and asks [`SavedIndex::load`].
//! 2. Before the first write is let through, it overwrites the first [`MARK_BYTES`] of the image by [`mark_of_use`] with the next generation
//!    and makes that durable. From here on the image is refused.
//! 3. At a clean end, when no write is under way and the backing and the slots are durable, it writes the whole image of
//!    [`ReadCache::save`](crate::ReadCache::save), with the generation of the mark.
//!
//! A crash after 2 and before the end of 3 leaves a mark, or an image whose sums are wrong whichever of its sectors arrived: the mark is one
//! sector and holds the sum of everything behind it. A crash before 2 leaves an image that is still true. What the caller must see to beyond
//! that is in [`Identity`]: whether the backing is the one and is as it was left. An image that somebody brought back from a backup of his
//! is caught by the generation, where the caller keeps that elsewhere, too, and by the backing's state.
//!
//! **Format**, version 1, little-endian. A first sector of 512 bytes:
//!
//! | offset | bytes | what |
//! | --- | --- | --- |
//! | 0 | 8 | `nrwcache` |
//! | 8 | 4 | version |
//! | 12 | 4 | 1: in use, 2: ended cleanly |
//! | 16 | 16 | namespace, its identity |
//! | 32 | 32 | state of the backing |
//! | 64 | 8 | pages of the namespace |
//! | 72 | 8 | generation |
//! | 80 | 4 | bytes of a page |
//! | 84 | 4 | shard |
//! | 88 | 4 | shards |
//! | 92 | 4 | entries |
//! | 96 | 8 | CRC-64/NVME of all entries |
//! | 104 | 400 | zeros |
//! | 504 | 8 | CRC-64/NVME of what is before |
//!
//! Then entries of 24 bytes, of each queue the oldest first: page (8), slot (4), 1 for the main queue (1), uses (1), zeros (2), sum of the
//! slot's bytes (8), which is the caller's. Nothing follows.

use std::collections::HashSet;

use crc_fast::CrcAlgorithm;

use crate::frame::{MOST_USES, QueueName};
use crate::page::{Page, Slot};

/// Bytes of the first sector, which a mark of use is.
pub const MARK_BYTES: usize = 512;

const MAGIC: [u8; 8] = *b"nrwcache";
const VERSION: u32 = 1;
const IN_USE: u32 = 1;
const ENDED: u32 = 2;
const ENTRY_BYTES: usize = 24;
const SUM_AT: usize = MARK_BYTES - 8;

/// Whose index it is. All of it has to be the same when it is taken up again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// The namespace's identifier.
    pub namespace: [u8; 16],
    /// What can be told of the backing that changes when somebody else writes to it: of a file, say, a hash of its inode, size and time of
    /// last change, taken after the last write. Where nothing can be told, an index must not be taken up.
    pub backing: [u8; 32],
    /// Size of the namespace, pages.
    pub pages: u64,
    /// Size of a page, bytes.
    pub page_bytes: u32,
    /// Which of several caches of the namespace, from 0.
    pub shard: u32,
    /// How many there are.
    pub shards: u32,
}

/// Why an index is not taken up. The cache starts empty then, and nothing is lost but time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IndexRefusal {
    /// It is no such thing.
    #[error("it is no index of a read cache")]
    Foreign,
    /// It was written by another version.
    #[error("its format has version {found}, and {VERSION} is read")]
    Version {
        /// The version.
        found: u32,
    },
    /// Its beginning is not as it was written.
    #[error("the sum of its first sector is wrong")]
    DamagedMark,
    /// The program that used it did not end cleanly: writes may have come after it.
    #[error("it was in use when the program ended")]
    InUse,
    /// It is of something else.
    #[error("it is of another {what}")]
    Other {
        /// What differs.
        what: &'static str,
    },
    /// It is older than what is remembered elsewhere, or younger.
    #[error("it is of generation {found}, and {expected} is expected")]
    Generation {
        /// Its generation.
        found: u64,
        /// The one that is remembered.
        expected: u64,
    },
    /// It is shorter or longer than it says.
    #[error("it has {found} bytes, and {expected} are expected")]
    Length {
        /// Bytes that there are.
        found: usize,
        /// Bytes that its first sector speaks of.
        expected: usize,
    },
    /// Its entries are not as they were written.
    #[error("the sum of its entries is wrong")]
    Damaged,
    /// Its sums are right, and it says what can't be.
    #[error("it names a page or a slot twice, or a page beyond the end")]
    Inconsistent,
}

/// An entry of an index: a page, where it was, and what it was worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SavedPage {
    pub(crate) page: Page,
    pub(crate) slot: Slot,
    pub(crate) queue: QueueName,
    pub(crate) uses: u8,
    /// Of the slot's bytes, the caller's.
    pub(crate) content: u64,
}

impl SavedPage {
    /// Its page.
    pub fn page(&self) -> Page {
        self.page
    }

    /// Where it was.
    pub fn slot(&self) -> Slot {
        self.slot
    }

    /// The sum of its bytes, the caller's.
    pub fn content(&self) -> u64 {
        self.content
    }

    /// The same page in another slot. A caller whose slots don't survive puts the pages of several caches into one index so, each in a slot of
    /// its own.
    pub fn in_slot(self, slot: Slot) -> SavedPage {
        SavedPage { slot, ..self }
    }
}

/// An index that is to be believed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedIndex {
    generation: u64,
    pub(crate) pages: Vec<SavedPage>,
}

/// What came of taking up an index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Restored {
    /// Pages that are hits again.
    pub taken_up: u64,
    /// Pages that the caller refused.
    pub refused: u64,
    /// Pages whose slot this cache doesn't have, or that exceed a quota.
    pub without_room: u64,
}

impl SavedIndex {
    /// Reads an image; `generation` is the one that is remembered elsewhere, if one is.
    ///
    /// # Errors
    /// Why the cache has to start empty.
    pub fn load(
        image: &[u8],
        identity: &Identity,
        generation: Option<u64>,
    ) -> Result<SavedIndex, IndexRefusal> {
        let mark = image.get(..MARK_BYTES).filter(|mark| SavedIndex::is_image(mark));
        let mark = mark.ok_or(IndexRefusal::Foreign)?;
        if sum(&mark[..SUM_AT]) != u64_at(mark, SUM_AT) {
            return Err(IndexRefusal::DamagedMark);
        }
        match u32_at(mark, 8) {
            VERSION => {}
            found => return Err(IndexRefusal::Version { found }),
        }
        if u32_at(mark, 12) != ENDED {
            return Err(IndexRefusal::InUse);
        }
        if let Some(what) = difference(mark, identity) {
            return Err(IndexRefusal::Other { what });
        }
        let found = u64_at(mark, 72);
        if let Some(expected) = generation.filter(|expected| *expected != found) {
            return Err(IndexRefusal::Generation { found, expected });
        }
        let entries = u32_at(mark, 92) as usize;
        let expected = entries.saturating_mul(ENTRY_BYTES).saturating_add(MARK_BYTES);
        if image.len() != expected {
            return Err(IndexRefusal::Length { found: image.len(), expected });
        }
        let body = &image[MARK_BYTES..];
        if sum(body) != u64_at(mark, 96) {
            return Err(IndexRefusal::Damaged);
        }
        let pages: Option<Vec<_>> = body.chunks_exact(ENTRY_BYTES).map(entry_of).collect();
        let pages = pages.filter(|pages| is_consistent(pages, identity.pages));
        let pages = pages.ok_or(IndexRefusal::Inconsistent)?;
        Ok(SavedIndex { generation: found, pages })
    }

    /// Whether bytes begin like an image, of whatever version.
    pub fn is_image(bytes: &[u8]) -> bool {
        bytes.len() >= MARK_BYTES && bytes[..8] == MAGIC
    }

    /// The generation of its last use; the next use has one more.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Its pages, of each queue the oldest first: what is there again where the slots' bytes are kept.
    pub fn into_pages(self) -> Vec<SavedPage> {
        self.pages
    }

    /// Its pages, those that are worth most first: what to read again where the slots' bytes are gone.
    pub fn by_worth(&self) -> Vec<SavedPage> {
        let mut pages: Vec<(usize, SavedPage)> = self.pages.iter().copied().enumerate().collect();
        let worth = |(at, saved): &(usize, SavedPage)| {
            std::cmp::Reverse((saved.queue == QueueName::Main, saved.uses, *at))
        };
        pages.sort_unstable_by_key(worth);
        pages.into_iter().map(|(_, saved)| saved).collect()
    }

    /// Appends an image of these pages, of each queue the oldest first.
    pub fn write(
        identity: &Identity,
        generation: u64,
        pages: impl IntoIterator<Item = SavedPage>,
        image: &mut Vec<u8>,
    ) {
        let start = image.len();
        image.resize(start + MARK_BYTES, 0);
        for saved in pages {
            image.extend_from_slice(&saved.page.0.to_le_bytes());
            image.extend_from_slice(&saved.slot.0.to_le_bytes());
            image.extend_from_slice(&[u8::from(saved.queue == QueueName::Main), saved.uses, 0, 0]);
            image.extend_from_slice(&saved.content.to_le_bytes());
        }
        let (first, body) = image[start..].split_at_mut(MARK_BYTES);
        first.copy_from_slice(&mark(identity, generation, ENDED, body));
    }

    /// Bytes of an image of so many pages.
    pub fn image_bytes(pages: u64) -> u64 {
        pages.saturating_mul(ENTRY_BYTES as u64).saturating_add(MARK_BYTES as u64)
    }
}

/// The first sector of an image that must not be believed: the cache is in use.
pub fn mark_of_use(identity: &Identity, generation: u64) -> [u8; MARK_BYTES] {
    mark(identity, generation, IN_USE, &[])
}

fn mark(identity: &Identity, generation: u64, state: u32, body: &[u8]) -> [u8; MARK_BYTES] {
    let mut mark = [0; MARK_BYTES];
    let mut put = |at: usize, bytes: &[u8]| mark[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &MAGIC);
    put(8, &VERSION.to_le_bytes());
    put(12, &state.to_le_bytes());
    put(16, &identity.namespace);
    put(32, &identity.backing);
    put(64, &identity.pages.to_le_bytes());
    put(72, &generation.to_le_bytes());
    put(80, &identity.page_bytes.to_le_bytes());
    put(84, &identity.shard.to_le_bytes());
    put(88, &identity.shards.to_le_bytes());
    put(92, &((body.len() / ENTRY_BYTES) as u32).to_le_bytes());
    put(96, &sum(body).to_le_bytes());
    let its_sum = sum(&mark[..SUM_AT]);
    mark[SUM_AT..].copy_from_slice(&its_sum.to_le_bytes());
    mark
}

/// What of the identity differs.
fn difference(mark: &[u8], identity: &Identity) -> Option<&'static str> {
    let checks = [
        ("namespace", mark[16..32] == identity.namespace),
        ("state of the backing", mark[32..64] == identity.backing),
        ("size of the namespace", u64_at(mark, 64) == identity.pages),
        ("size of a page", u32_at(mark, 80) == identity.page_bytes),
        ("shard", u32_at(mark, 84) == identity.shard),
        ("number of shards", u32_at(mark, 88) == identity.shards),
    ];
    checks.into_iter().find(|(_, same)| !same).map(|(what, _)| what)
}

fn entry_of(bytes: &[u8]) -> Option<SavedPage> {
    let queue = match bytes[12] {
        0 => QueueName::Small,
        1 => QueueName::Main,
        _ => return None,
    };
    (bytes[13] <= MOST_USES && bytes[14..16] == [0, 0]).then(|| SavedPage {
        page: Page(u64_at(bytes, 0)),
        slot: Slot(u32_at(bytes, 8)),
        queue,
        uses: bytes[13],
        content: u64_at(bytes, 16),
    })
}

fn is_consistent(pages: &[SavedPage], of: u64) -> bool {
    let slots: HashSet<Slot> = pages.iter().map(|saved| saved.slot).collect();
    let numbers: HashSet<Page> = pages.iter().map(|saved| saved.page).collect();
    let within = pages.iter().all(|saved| saved.page.0 < of);
    within && slots.len() == pages.len() && numbers.len() == pages.len()
}

fn sum(bytes: &[u8]) -> u64 {
    crc_fast::checksum(CrcAlgorithm::Crc64Nvme, bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut four = [0; 4];
    four.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(four)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut eight = [0; 8];
    eight.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(eight)
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDENTITY: Identity = Identity {
        namespace: [1; 16],
        backing: [2; 32],
        pages: 100,
        page_bytes: 4096,
        shard: 0,
        shards: 1,
    };

    fn image_of(pages: &[(u64, u32, u8)]) -> Vec<u8> {
        let saved = |(page, slot, uses): &(u64, u32, u8)| SavedPage {
            page: Page(*page),
            slot: Slot(*slot),
            queue: if *uses > 0 { QueueName::Main } else { QueueName::Small },
            uses: *uses,
            content: 9,
        };
        let mut image = vec![7; 3];
        SavedIndex::write(&IDENTITY, 4, pages.iter().map(saved), &mut image);
        // It is appended.
        image.split_off(3)
    }

    fn load(image: &[u8]) -> Result<SavedIndex, IndexRefusal> {
        SavedIndex::load(image, &IDENTITY, None)
    }

    #[test]
    fn what_is_written_is_read_and_its_worth_told() {
        let index = load(&image_of(&[(5, 1, 0), (7, 2, 0), (99, 0, 3), (3, 9, 1)])).unwrap();
        let worth: Vec<u64> = index.by_worth().iter().map(|saved| saved.page().0).collect();
        assert_eq!((worth, index.generation()), (vec![99, 3, 7, 5], 4));
        assert_eq!(load(&image_of(&[])).unwrap().pages, []);
    }

    #[test]
    fn right_sums_don_t_make_nonsense_right() {
        for wrong in [
            [(5, 1, 0), (5, 2, 0)],
            [(5, 1, 0), (6, 1, 0)],
            [(5, 1, 0), (100, 2, 0)],
            [(5, 1, 0), (6, 2, 4)],
        ] {
            assert_eq!(load(&image_of(&wrong)), Err(IndexRefusal::Inconsistent), "{wrong:?}");
        }
        assert!(load(&image_of(&[(5, 1, 0), (99, 2, 3)])).is_ok());
    }

    #[test]
    fn another_version_is_named() {
        let mut image = image_of(&[(5, 1, 0)]);
        image[8] = 2;
        let its_sum = sum(&image[..SUM_AT]);
        image[SUM_AT..MARK_BYTES].copy_from_slice(&its_sum.to_le_bytes());
        assert_eq!(load(&image), Err(IndexRefusal::Version { found: 2 }));
    }
}
