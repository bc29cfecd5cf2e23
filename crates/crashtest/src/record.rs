//! A record: sectors each of which says whose it is.
//!
//! A drive writes sectors whole; of a record of several, any may survive a cut. So every sector of 512 bytes carries
//! the test's id, stream, number and its own place in the record under a CRC-32C. Then a torn record (some sectors
//! of this number, others not) is told from an older one, from another test's, and from damage within a sector.
//!
//! A sector, little-endian: 4 bytes `nCT1`, 4 checksum of the rest, 16 test, 4 stream, 2 index, 2 sectors of the record,
//! 8 number, 472 incompressible filling.

use narrows_engine::Rng;

use crate::RunId;
use crate::crc32c::crc32c;

/// What a drive writes whole or not at all.
pub(crate) const SECTOR_BYTES: usize = 512;
const MAGIC: [u8; 4] = *b"nCT1";
const HEAD_BYTES: usize = 40;

/// A stream's number for the sector that heads the file.
pub(crate) const HEADER_STREAM: u32 = u32::MAX;

/// The head's number once its writer outlived its connection; 0 until then.
pub(crate) const ENDED: u64 = 1;

/// Fills `buffer`, a whole number of sectors, with that record.
pub(crate) fn encode(buffer: &mut [u8], run: RunId, stream: u32, number: u64) {
    let sectors = (buffer.len() / SECTOR_BYTES) as u16;
    let mut filling = Rng::new(run.0 as u64 ^ (u64::from(stream) << 48) ^ number);
    for (index, sector) in (0..sectors).zip(buffer.chunks_exact_mut(SECTOR_BYTES)) {
        filling.fill(&mut sector[HEAD_BYTES..]);
        sector[..4].copy_from_slice(&MAGIC);
        sector[8..24].copy_from_slice(&run.0.to_le_bytes());
        sector[24..28].copy_from_slice(&stream.to_le_bytes());
        sector[28..30].copy_from_slice(&index.to_le_bytes());
        sector[30..32].copy_from_slice(&sectors.to_le_bytes());
        sector[32..40].copy_from_slice(&number.to_le_bytes());
        let sum = crc32c(&sector[8..]);
        sector[4..8].copy_from_slice(&sum.to_le_bytes());
    }
}

/// What a sector turns out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sector {
    /// Of this or another test.
    Record { run: RunId, stream: u32, index: u16, sectors: u16, number: u64 },
    /// It began as one of a test, and the checksum is wrong.
    Damaged,
    /// Zeros.
    Blank,
    /// Anything else.
    Other,
}

pub(crate) fn decode(sector: &[u8]) -> Sector {
    if sector.iter().all(|byte| *byte == 0) {
        return Sector::Blank;
    }
    if sector.len() != SECTOR_BYTES || sector[..4] != MAGIC {
        return Sector::Other;
    }
    fn field<const N: usize>(sector: &[u8], at: usize) -> [u8; N] {
        sector[at..at + N].try_into().expect("the length is that of the field")
    }
    if u32::from_le_bytes(field(sector, 4)) != crc32c(&sector[8..]) {
        return Sector::Damaged;
    }
    Sector::Record {
        run: RunId(u128::from_le_bytes(field(sector, 8))),
        stream: u32::from_le_bytes(field(sector, 24)),
        index: u16::from_le_bytes(field(sector, 28)),
        sectors: u16::from_le_bytes(field(sector, 30)),
        number: u64::from_le_bytes(field(sector, 32)),
    }
}

/// What stands where a record should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RecordState {
    /// The record, all of it.
    Whole,
    /// Some of its sectors, and what else.
    Torn(String),
    /// None of it, and what instead.
    Missing(String),
}

/// Judges the place of that record.
pub(crate) fn judge(bytes: &[u8], run: RunId, stream: u32, number: u64) -> RecordState {
    let mut tally = Tally::default();
    let wanted = (bytes.len() / SECTOR_BYTES) as u16;
    for (index, sector) in (0..wanted).zip(bytes.chunks_exact(SECTOR_BYTES)) {
        match decode(sector) {
            Sector::Record { run: r, stream: s, index: i, sectors, number: n }
                if (r, s, i, sectors) == (run, stream, index, wanted) =>
            {
                match n {
                    n if n == number => tally.whole += 1,
                    0 => tally.filling += 1,
                    n => tally.others.push(n),
                }
            }
            Sector::Record { run: r, .. } if r == run => tally.misplaced += 1,
            Sector::Record { .. } => tally.foreign += 1,
            Sector::Damaged => tally.damaged += 1,
            Sector::Blank => tally.blank += 1,
            Sector::Other => tally.other += 1,
        }
    }
    match tally.whole {
        whole if whole == wanted => RecordState::Whole,
        0 => RecordState::Missing(tally.text(wanted)),
        _ => RecordState::Torn(tally.text(wanted)),
    }
}

/// Sectors by what they are.
#[derive(Default)]
struct Tally {
    whole: u16,
    filling: u16,
    others: Vec<u64>,
    misplaced: u16,
    foreign: u16,
    damaged: u16,
    blank: u16,
    other: u16,
}

impl Tally {
    /// `3 of 8 sectors, the others of record 12 (5)`.
    fn text(&self, wanted: u16) -> String {
        let mut parts = Vec::new();
        if self.whole > 0 {
            parts.push(format!("{} of its {wanted} sectors", self.whole));
        }
        let mut numbers = self.others.clone();
        numbers.dedup();
        for number in numbers.iter().take(3) {
            let count = self.others.iter().filter(|other| *other == number).count();
            parts.push(format!("{count} of record {number}"));
        }
        for (count, what) in [
            (self.filling, "as they were before the test"),
            (self.misplaced, "of another place of this test"),
            (self.foreign, "of another test"),
            (self.damaged, "damaged"),
            (self.blank, "zeros"),
            (self.other, "of something else"),
        ] {
            if count > 0 {
                parts.push(format!("{count} {what}"));
            }
        }
        parts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: RunId = RunId(42);

    fn record(stream: u32, number: u64) -> Vec<u8> {
        let mut bytes = vec![0; 2048];
        encode(&mut bytes, RUN, stream, number);
        bytes
    }

    fn missing(bytes: &[u8], part: &str) {
        match judge(bytes, RUN, 1, 7) {
            RecordState::Missing(text) => assert!(text.contains(part), "{text}"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_record_is_found_whole_and_every_flipped_bit_is_noticed() {
        let good = record(1, 7);
        assert_eq!(judge(&good, RUN, 1, 7), RecordState::Whole);
        for byte in 0..good.len() {
            let mut bad = good.clone();
            bad[byte] ^= 1 << (byte % 8);
            assert!(matches!(judge(&bad, RUN, 1, 7), RecordState::Torn(_)), "byte {byte}");
        }
    }

    #[test]
    fn what_stands_instead_is_named() {
        missing(&record(1, 3), "4 of record 3");
        missing(&record(1, 0), "before the test");
        missing(&record(2, 7), "another place");
        missing(&[0; 2048], "zeros");
        missing(&[7; 2048], "something else");
        let mut foreign = vec![0; 2048];
        encode(&mut foreign, RunId(43), 1, 7);
        missing(&foreign, "another test");
    }

    #[test]
    fn a_mixture_is_torn_and_swapped_sectors_are_too() {
        let (new, old) = (record(1, 7), record(1, 3));
        let mixed = [&new[..512], &old[512..]].concat();
        let text = "1 of its 4 sectors, 3 of record 3".to_string();
        assert_eq!(judge(&mixed, RUN, 1, 7), RecordState::Torn(text));
        let swapped = [&new[512..1024], &new[..512], &new[1024..]].concat();
        assert!(matches!(judge(&swapped, RUN, 1, 7), RecordState::Torn(_)));
    }
}
