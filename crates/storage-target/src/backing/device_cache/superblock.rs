//! What says of a file or device that it is a cache: the first page, and nothing but zeros up to where the pages begin.
//!
//! What it holds is not described here: an index names that, if there is one ([`super::restart`]), and else nothing is believed after a start. The
//! superblock lets a device be told from one that holds something else: whatever was made on it since has written to the first mebibyte, and
//! then it is a cache no more. Lives are counted in a sector of their own behind it, which a drive writes whole or not at all: a power cut at a start
//! leaves the life before.

use narrows_nvme::digest::digest;

use crate::backing::shards::PAGE;
use crate::buffer::LARGEST;

/// Where the pages begin, bytes: behind all places at which file systems, volume managers and partition tables mark the start of a device.
pub(crate) const HEAD_BYTES: u64 = LARGEST as u64;

/// First bytes of it.
const MAGIC: &[u8; 16] = b"narrows rd cache";
/// Of this format.
const VERSION: u32 = 1;
/// Where the digest (CRC-32C) of all that stands before is.
const DIGEST_AT: usize = PAGE as usize - 4;
/// Bytes that a drive writes whole or not at all.
const SECTOR: usize = 512;
/// First bytes of the sector that counts lives.
const LIFE: &[u8; 8] = b"life of ";
/// Where its digest is.
const LIFE_DIGEST_AT: usize = SECTOR - 4;

/// A cache's superblock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CacheSuperblock {
    /// Its name, of 16 random bytes.
    pub(crate) id: [u8; 16],
    /// When it was made, ms since 1970.
    pub(crate) made_ms: u64,
    /// How often it was begun to be used; of a new one 0.
    pub(crate) life: u64,
}

/// Why a head is none of a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoCache {
    /// Something else, or nothing.
    #[error("it is named as a cache, and holds something else")]
    Other,
    /// Another version's.
    #[error("it is a cache of version {0} of the format, and version {known} is known here", known = VERSION)]
    Version(u32),
    /// Its superblock is damaged, or something was written behind it.
    #[error("it was made a cache, and something else was written to its first mebibyte since")]
    Overwritten,
}

impl CacheSuperblock {
    /// The first page.
    pub(crate) fn to_page(self) -> [u8; PAGE as usize] {
        let mut page = [0; PAGE as usize];
        page[..16].copy_from_slice(MAGIC);
        page[16..20].copy_from_slice(&VERSION.to_le_bytes());
        page[20..24].copy_from_slice(&PAGE.to_le_bytes());
        page[24..40].copy_from_slice(&self.id);
        page[40..48].copy_from_slice(&self.made_ms.to_le_bytes());
        let digest = digest(&page[..DIGEST_AT]);
        page[DIGEST_AT..].copy_from_slice(&digest.to_le_bytes());
        page
    }

    /// What the first [`HEAD_BYTES`] of a file or device say.
    ///
    /// # Errors
    /// Why it is no cache.
    pub(crate) fn parse(head: &[u8]) -> Result<CacheSuperblock, NoCache> {
        let (Some(page), Some(rest)) = (head.get(..PAGE as usize), head.get(PAGE as usize..))
        else {
            return Err(NoCache::Other);
        };
        if page[..16] != MAGIC[..] {
            return Err(NoCache::Other);
        }
        let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|index| page[at + index]));
        let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|index| head[at + index]));
        let is_whole = number(DIGEST_AT) == digest(&page[..DIGEST_AT]);
        let Some((life, rest)) = rest.split_at_checked(SECTOR).filter(|_| is_whole) else {
            return Err(NoCache::Overwritten);
        };
        let counts = life.iter().any(|byte| *byte != 0);
        let is_life = !counts
            || (life[..8] == LIFE[..]
                && life[LIFE_DIGEST_AT..] == digest(&life[..LIFE_DIGEST_AT]).to_le_bytes());
        if !is_life || rest.iter().any(|byte| *byte != 0) {
            return Err(NoCache::Overwritten);
        }
        if number(16) != VERSION || number(20) != PAGE {
            return Err(NoCache::Version(number(16)));
        }
        Ok(CacheSuperblock {
            id: std::array::from_fn(|index| page[24 + index]),
            made_ms: long(40),
            life: long(PAGE as usize + 8),
        })
    }

    /// The second page, which counts lives: its first sector, and zeros.
    pub(crate) fn life_to_page(self) -> [u8; PAGE as usize] {
        let mut page = [0; PAGE as usize];
        page[..8].copy_from_slice(LIFE);
        page[8..16].copy_from_slice(&self.life.to_le_bytes());
        let digest = digest(&page[..LIFE_DIGEST_AT]);
        page[LIFE_DIGEST_AT..SECTOR].copy_from_slice(&digest.to_le_bytes());
        page
    }

    /// Its name, in hexadecimal digits.
    pub(crate) fn name(&self) -> String {
        self.id.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUPERBLOCK: CacheSuperblock = CacheSuperblock { id: [7; 16], made_ms: 99, life: 0 };

    fn head() -> Vec<u8> {
        let mut head = vec![0; HEAD_BYTES as usize];
        head[..PAGE as usize].copy_from_slice(&SUPERBLOCK.to_page());
        head
    }

    #[test]
    fn a_head_says_whose_it_is_and_any_other_byte_in_it_says_no() {
        assert_eq!(CacheSuperblock::parse(&head()), Ok(SUPERBLOCK));
        assert_eq!(SUPERBLOCK.name(), "07".repeat(16));
        // A byte in the magic, in what follows, in the unused rest of the page, and where file systems, swap and volume managers mark.
        for (at, expected) in [
            (0, NoCache::Other),
            (15, NoCache::Other),
            (24, NoCache::Overwritten),
            (512, NoCache::Overwritten),
            (1080, NoCache::Overwritten),
            (4086, NoCache::Overwritten),
            (4095, NoCache::Overwritten),
            (4096, NoCache::Overwritten),
            (65_600, NoCache::Overwritten),
            ((1 << 20) - 1, NoCache::Overwritten),
        ] {
            let mut head = head();
            head[at] ^= 1;
            assert_eq!(CacheSuperblock::parse(&head), Err(expected), "byte {at}");
        }
        assert_eq!(CacheSuperblock::parse(&[]), Err(NoCache::Other));
        assert_eq!(CacheSuperblock::parse(&head()[..4095]), Err(NoCache::Other));
    }

    #[test]
    fn lives_are_counted_in_one_sector() {
        let fifth = CacheSuperblock { life: 5, ..SUPERBLOCK };
        let mut head = head();
        let page = fifth.life_to_page();
        assert!(page[SECTOR..].iter().all(|byte| *byte == 0), "one sector");
        head[4096..8192].copy_from_slice(&page);
        assert_eq!(CacheSuperblock::parse(&head), Ok(fifth));
        for at in [4096, 4104, 4700, 4096 + SECTOR - 1, 4096 + SECTOR] {
            let mut head = head.clone();
            head[at] ^= 1;
            assert_eq!(CacheSuperblock::parse(&head), Err(NoCache::Overwritten), "byte {at}");
        }
    }

    #[test]
    fn another_version_is_told_from_damage() {
        let mut head = head();
        head[16] = 2;
        let digest = digest(&head[..DIGEST_AT]);
        head[DIGEST_AT..PAGE as usize].copy_from_slice(&digest.to_le_bytes());
        assert_eq!(CacheSuperblock::parse(&head), Err(NoCache::Version(2)));
    }
}
