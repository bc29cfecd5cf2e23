//! What a log page holds: bytes that don't compress, and a stamp in each sector by which it is recognised when it
//! is read back.

use narrows_engine::Rng;

/// A page, as in PostgreSQL's log.
pub const PAGE: usize = 8192;
const SECTOR: usize = 512;
/// Random bytes from which pages are cut; more than a drive's own buffers could match.
const POOL: usize = 4 << 20;

/// Makes and recognises pages.
#[derive(Debug, Clone)]
pub struct Pages {
    pool: Vec<u8>,
}

impl Pages {
    /// Pages of that seed.
    pub fn new(seed: u64) -> Self {
        let mut pool = vec![0; POOL];
        Rng::new(seed).fill(&mut pool);
        Pages { pool }
    }

    /// Fills whole pages of the log that begin at position `from` (bytes since the log began).
    pub fn fill(&self, from: u64, buffer: &mut [u8]) {
        assert!(buffer.len().is_multiple_of(PAGE) && from.is_multiple_of(PAGE as u64));
        self.fill_sectors(from, buffer);
    }

    /// Fills whole sectors of 512 bytes, each with what belongs to its position.
    pub fn fill_sectors(&self, from: u64, buffer: &mut [u8]) {
        assert!(buffer.len().is_multiple_of(SECTOR) && from.is_multiple_of(SECTOR as u64));
        for (number, sector) in buffer.chunks_exact_mut(SECTOR).enumerate() {
            let position = from + (number * SECTOR) as u64;
            let (page, within) = (position / PAGE as u64, position as usize % PAGE);
            // An odd multiplier: pages that follow each other come from places far apart.
            let place = page * 104_729 % ((POOL - PAGE) / SECTOR) as u64;
            let place = place as usize * SECTOR + within;
            sector.copy_from_slice(&self.pool[place..place + SECTOR]);
            sector[..8].copy_from_slice(&position.to_le_bytes());
        }
    }

    /// Whether `page` is the one that [`Pages::fill`] makes for that position.
    pub fn matches(&self, position: u64, page: &[u8]) -> bool {
        let mut expected = vec![0; PAGE];
        self.fill(position, &mut expected);
        page == expected
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_recognised_and_no_other() {
        let pages = Pages::new(1);
        let mut two = vec![0; 2 * PAGE];
        pages.fill(40 * PAGE as u64, &mut two);
        assert!(pages.matches(40 * PAGE as u64, &two[..PAGE]));
        assert!(pages.matches(41 * PAGE as u64, &two[PAGE..]));
        assert!(!pages.matches(41 * PAGE as u64, &two[..PAGE]));
        two[5000] ^= 1;
        assert!(!pages.matches(40 * PAGE as u64, &two[..PAGE]));
        assert!(!Pages::new(2).matches(41 * PAGE as u64, &two[PAGE..]));
    }
}
