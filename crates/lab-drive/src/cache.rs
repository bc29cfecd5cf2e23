//! The drive's volatile cache over its medium.
//!
//! As real drives: an acknowledged write is only in the cache, a flush makes everything before it permanent, and at a
//! power cut each write that was not flushed may be lost, kept, or kept in part, sector by sector and in no order.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::time::Duration;

/// The unit that a drive writes whole or not at all.
pub const SECTOR_BYTES: usize = 512;

type Sector = [u8; SECTOR_BYTES];

/// A write that was acknowledged and not flushed.
#[derive(Debug)]
struct Write {
    first: u64,
    sectors: Vec<Sector>,
}

/// A medium with a volatile cache before it.
#[derive(Debug)]
pub struct Cache {
    medium: File,
    honest: bool,
    /// What a flush takes besides its writes.
    flush_takes: Duration,
    /// What a read takes besides itself.
    read_takes: Duration,
    /// In the order in which they came.
    pending: Vec<Write>,
    /// What a read sees: the newest version of each pending sector.
    newest: HashMap<u64, Sector>,
}

impl Cache {
    /// An honest one over that medium.
    pub fn new(medium: File) -> Cache {
        Cache {
            medium,
            honest: true,
            flush_takes: Duration::ZERO,
            read_takes: Duration::ZERO,
            pending: Vec::new(),
            newest: HashMap::new(),
        }
    }

    /// From now on flushes are only acknowledged, or done again.
    pub fn set_honest(&mut self, honest: bool) {
        self.honest = honest;
    }

    /// From now on a flush takes so much longer; nothing else is answered meanwhile.
    pub fn set_flush_time(&mut self, takes: Duration) {
        self.flush_takes = takes;
    }

    /// From now on a read takes so much longer; nothing else is answered meanwhile.
    pub fn set_read_time(&mut self, takes: Duration) {
        self.read_takes = takes;
    }

    /// Size of the medium, bytes.
    ///
    /// # Errors
    /// The system's.
    pub fn size_bytes(&self) -> io::Result<u64> {
        Ok(self.medium.metadata()?.len())
    }

    /// Reads whole sectors.
    ///
    /// # Errors
    /// `EINVAL` for parts of sectors, and the medium's own.
    pub fn read(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let first = sector_of(offset, buffer.len())?;
        if !self.read_takes.is_zero() {
            std::thread::sleep(self.read_takes);
        }
        self.medium.read_exact_at(buffer, offset)?;
        if self.newest.is_empty() {
            return Ok(());
        }
        for (number, sector) in (first..).zip(buffer.chunks_exact_mut(SECTOR_BYTES)) {
            if let Some(newest) = self.newest.get(&number) {
                sector.copy_from_slice(newest);
            }
        }
        Ok(())
    }

    /// Takes whole sectors into the cache.
    ///
    /// # Errors
    /// `EINVAL` for parts of sectors, `ENOSPC` beyond the end.
    pub fn write(&mut self, offset: u64, data: &[u8]) -> io::Result<()> {
        let first = sector_of(offset, data.len())?;
        if offset.saturating_add(data.len() as u64) > self.size_bytes()? {
            return Err(io::Error::from_raw_os_error(libc::ENOSPC));
        }
        let sectors: Vec<Sector> = data
            .chunks_exact(SECTOR_BYTES)
            .map(|chunk| chunk.try_into().expect("chunks are sectors"))
            .collect();
        self.newest.extend((first..).zip(sectors.iter().copied()));
        self.pending.push(Write { first, sectors });
        Ok(())
    }

    /// Makes everything permanent, or says so.
    ///
    /// # Errors
    /// The medium's.
    pub fn flush(&mut self) -> io::Result<()> {
        std::thread::sleep(self.flush_takes);
        if !self.honest {
            return Ok(());
        }
        for write in std::mem::take(&mut self.pending) {
            self.medium.write_all_at(write.sectors.as_flattened(), at(write.first))?;
        }
        self.newest.clear();
        Ok(())
    }

    /// The power goes. With a seed, each write that was not flushed is lost, kept, or kept in some of its sectors, by
    /// chance; without one all of them are lost.
    ///
    /// # Errors
    /// The medium's.
    pub fn cut(self, seed: Option<u64>) -> io::Result<()> {
        let Some(seed) = seed else { return Ok(()) };
        let mut chance = Chance(seed);
        for write in &self.pending {
            let fate = chance.below(4);
            for (number, sector) in (write.first..).zip(&write.sectors) {
                let kept = match fate {
                    0 | 1 => false,
                    2 => true,
                    _ => chance.below(2) == 0,
                };
                if kept {
                    self.medium.write_all_at(sector, at(number))?;
                }
            }
        }
        Ok(())
    }
}

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % n
    }
}

fn at(sector: u64) -> u64 {
    sector * SECTOR_BYTES as u64
}

fn sector_of(offset: u64, length: usize) -> io::Result<u64> {
    let unit = SECTOR_BYTES as u64;
    if !offset.is_multiple_of(unit) || !(length as u64).is_multiple_of(unit) {
        return Err(io::Error::from_raw_os_error(libc::EINVAL));
    }
    Ok(offset / unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECTORS: usize = 64;

    fn medium() -> File {
        let file = tempfile::tempfile().unwrap();
        file.set_len((SECTORS * SECTOR_BYTES) as u64).unwrap();
        file
    }

    fn sectors(value: u8, count: usize) -> Vec<u8> {
        vec![value; count * SECTOR_BYTES]
    }

    /// The first byte of each sector of the medium.
    fn on(medium: &File) -> Vec<u8> {
        let mut bytes = vec![0; SECTORS * SECTOR_BYTES];
        medium.read_exact_at(&mut bytes, 0).unwrap();
        bytes.chunks(SECTOR_BYTES).map(|sector| sector[0]).collect()
    }

    #[test]
    fn reads_see_the_newest_write_and_the_medium_only_what_was_flushed() {
        let medium = medium();
        let mut cache = Cache::new(medium.try_clone().unwrap());
        cache.write(512, &sectors(1, 2)).unwrap();
        cache.write(1024, &sectors(2, 1)).unwrap();
        let mut read = sectors(9, 4);
        cache.read(0, &mut read).unwrap();
        assert_eq!([read[0], read[512], read[1024], read[1536]], [0, 1, 2, 0]);
        assert_eq!(on(&medium)[..4], [0, 0, 0, 0]);
        cache.flush().unwrap();
        assert_eq!(on(&medium)[..4], [0, 1, 2, 0]);
        cache.write(0, &sectors(3, 4)).unwrap();
        cache.cut(None).unwrap();
        assert_eq!(on(&medium)[..4], [0, 1, 2, 0]);
    }

    #[test]
    fn a_liar_acknowledges_a_flush_and_loses_what_it_held() {
        let medium = medium();
        let mut cache = Cache::new(medium.try_clone().unwrap());
        cache.set_honest(false);
        cache.write(0, &sectors(1, 1)).unwrap();
        cache.flush().unwrap();
        cache.cut(None).unwrap();
        assert_eq!(on(&medium)[0], 0);
    }

    #[test]
    fn a_cut_by_chance_keeps_loses_and_tears_and_the_same_seed_does_the_same() {
        let outcome = |seed| {
            let medium = medium();
            let mut cache = Cache::new(medium.try_clone().unwrap());
            for write in 0..8 {
                cache.write(write * 8 * 512, &sectors(1 + write as u8, 8)).unwrap();
            }
            cache.cut(Some(seed)).unwrap();
            let kept = on(&medium);
            kept.chunks(8).map(|w| w.iter().filter(|b| **b != 0).count()).collect::<Vec<_>>()
        };
        assert_eq!(outcome(7), outcome(7));
        let all: Vec<usize> = (0..8).flat_map(outcome).collect();
        assert!(all.contains(&0) && all.contains(&8), "{all:?}");
        assert!(all.iter().any(|kept| (1..8).contains(kept)), "{all:?}");
    }

    #[test]
    fn parts_of_sectors_and_writes_beyond_the_end_are_refused() {
        let mut cache = Cache::new(medium());
        let code = |done: io::Result<()>| done.unwrap_err().raw_os_error();
        assert_eq!(code(cache.write(1, &sectors(1, 1))), Some(libc::EINVAL));
        assert_eq!(code(cache.read(0, &mut [0; 100])), Some(libc::EINVAL));
        let end = (SECTORS * SECTOR_BYTES) as u64;
        assert_eq!(code(cache.write(end - 512, &sectors(1, 2))), Some(libc::ENOSPC));
    }
}
