//! What a log holds after whatever happened to the machine.

use std::io;

use crate::format::{Checksum, Geometry, HEAD_BYTES, RecordHeader, SECTOR, SLOT_BYTES, Superblock};

/// Data that are read at once, bytes.
const CHUNK: u64 = 1 << 20;

/// A medium, to be read.
pub trait ReadMedium {
    /// Fills `out` from byte `at` on.
    ///
    /// # Errors
    /// What the medium says.
    fn read(&mut self, at: u64, out: &mut [u8]) -> io::Result<()>;
}

/// What a log holds.
#[derive(Debug, Clone)]
pub struct LogContents {
    /// The newest whole superblock.
    pub superblock: Superblock,
    /// What is to be done to the backing, in this order.
    pub records: Vec<FoundRecord>,
    /// Members of the log that were given, a bit each.
    pub present: u8,
    /// Of each medium that was given its number in the log; `None` where it holds no log.
    pub numbers: Vec<Option<u8>>,
}

/// A whole record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundRecord {
    /// What it does, and to which bytes.
    pub header: RecordHeader,
    /// Which of the given media has it, from 0 on.
    pub given: usize,
    /// Where its data lie on that medium, bytes.
    pub data_at: u64,
}

/// Why a log can't be used.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    /// No superblock is whole.
    #[error("it holds no log: neither of its two superblocks is whole")]
    NoLog,
    /// Another version of this program made it.
    #[error("it holds a log of format {0}, and this program knows format 1")]
    Version(char),
    /// The media are of different logs.
    #[error("the media are of two logs, {0} and {1}")]
    TwoLogs(String, String),
    /// The same medium is given twice.
    #[error("medium {0} of the log is given twice")]
    Twice(u8),
    /// A member of the log isn't there.
    #[error("medium {missing} of the log's {media} is missing, and records may be on it alone")]
    Missing {
        /// Its number, from 0 on.
        missing: u8,
        /// How many there are.
        media: u8,
    },
    /// The medium can't be read.
    #[error("reading {bytes} bytes at {at} of medium {medium}: {source}")]
    Read {
        /// Which of the given, from 0 on.
        medium: usize,
        /// Where, bytes.
        at: u64,
        /// How much.
        bytes: u64,
        /// What the system says.
        source: io::Error,
    },
}

/// Reads a log. With `without_missing` a member that isn't given is done without, and what is on it alone is lost.
///
/// # Errors
/// Why it can't be used; nothing was changed.
pub fn scan(
    media: &mut [&mut dyn ReadMedium],
    without_missing: bool,
) -> Result<LogContents, Unusable> {
    let mut superblocks = Vec::new();
    for given in 0..media.len() {
        superblocks.push(newest_superblock(media, given)?);
    }
    let superblock = superblocks.iter().flatten().max_by_key(|superblock| superblock.generation);
    let superblock = superblock.copied().ok_or(Unusable::NoLog)?;
    let mut present = 0;
    let mut its = Vec::new();
    for (given, found) in superblocks.iter().enumerate() {
        let Some(found) = found else { continue };
        if found.id != superblock.id {
            return Err(Unusable::TwoLogs(superblock.id.to_string(), found.id.to_string()));
        }
        let bit = 1 << found.medium;
        if present & bit != 0 {
            return Err(Unusable::Twice(found.medium));
        }
        present |= bit;
        its.push(given);
    }
    let missing = superblock.members & !present;
    if missing != 0 && !without_missing {
        let missing = missing.trailing_zeros() as u8;
        return Err(Unusable::Missing { missing, media: superblock.media });
    }
    let records = records_of(media, &its, &superblock)?;
    let number = |superblock: &Option<Superblock>| superblock.map(|superblock| superblock.medium);
    let numbers = superblocks.iter().map(number).collect();
    Ok(LogContents { present: present & superblock.members, superblock, records, numbers })
}

impl LogContents {
    /// The superblock of the next life, to be written to every medium that is present, durably, once all records are in the backing and the
    /// backing was flushed. The log is empty then.
    pub fn next(&self, time_ms: u64) -> Superblock {
        let after =
            self.records.last().map_or(self.superblock.tail_seq, |last| last.header.seq + 1);
        Superblock {
            members: self.present,
            generation: self.superblock.generation + 1,
            epoch: self.superblock.epoch + 1,
            tail: 0,
            tail_seq: after,
            clean: false,
            time_ms,
            ..self.superblock
        }
    }

    /// When its last record was appended, ms since 1970.
    pub fn last_ms(&self) -> Option<u64> {
        self.records.last().map(|record| record.header.time_ms)
    }
}

fn read(
    media: &mut [&mut dyn ReadMedium],
    medium: usize,
    at: u64,
    out: &mut [u8],
) -> Result<(), Unusable> {
    let bytes = out.len() as u64;
    let fail = |source| Unusable::Read { medium, at, bytes, source };
    media[medium].read(at, out).map_err(fail)
}

fn newest_superblock(
    media: &mut [&mut dyn ReadMedium],
    given: usize,
) -> Result<Option<Superblock>, Unusable> {
    let mut both = vec![0; HEAD_BYTES as usize];
    read(media, given, 0, &mut both)?;
    let mut slots = both.chunks_exact(SLOT_BYTES as usize);
    if let Some(version) = slots.clone().find_map(Superblock::other_version) {
        return Err(Unusable::Version(version));
    }
    let slots = slots.by_ref().filter_map(Superblock::parse);
    Ok(slots.max_by_key(|superblock| superblock.generation))
}

/// All whole records from the tail on, up to the first that isn't on any of the media.
fn records_of(
    media: &mut [&mut dyn ReadMedium],
    its: &[usize],
    superblock: &Superblock,
) -> Result<Vec<FoundRecord>, Unusable> {
    let geometry = superblock.geometry;
    let mut records: Vec<FoundRecord> = Vec::new();
    let (mut position, mut seq) = (superblock.tail, superblock.tail_seq);
    loop {
        let round = geometry.capacity;
        let next_round = position.div_ceil(round) * round;
        let mut found = None;
        // A record that would have wrapped begins at the ring's beginning.
        for position in [position, next_round] {
            for given in its {
                found = found.or(record_at(media, *given, superblock, position, seq)?);
            }
        }
        let Some(record) = found else { return Ok(records) };
        let length = geometry.record_bytes(record.header.data_bytes());
        position = record.header.position + length;
        seq += 1;
        records.push(record);
    }
}

/// The record that should be there, if it is and is whole.
fn record_at(
    media: &mut [&mut dyn ReadMedium],
    given: usize,
    superblock: &Superblock,
    position: u64,
    seq: u64,
) -> Result<Option<FoundRecord>, Unusable> {
    let geometry = superblock.geometry;
    let at = geometry.on_medium(position);
    let unit = u64::from(geometry.unit);
    let mut sector = vec![0; geometry.unit as usize];
    read(media, given, at, &mut sector)?;
    let Some(header) = RecordHeader::parse(&sector[..SECTOR]) else { return Ok(None) };
    let expected = header.id == superblock.id
        && header.epoch == superblock.epoch
        && header.seq == seq
        && header.position == position
        && fits(geometry, &header)
        && header
            .offset
            .checked_add(header.bytes)
            .is_some_and(|end| end <= superblock.backing_bytes);
    if !expected {
        return Ok(None);
    }
    let data_at = at + unit;
    let intact = data_crc(media, given, data_at, header.data_bytes(), unit)? == header.data_crc;
    Ok(intact.then_some(FoundRecord { header, given, data_at }))
}

/// Whether a record lies in the ring without wrapping.
fn fits(geometry: Geometry, header: &RecordHeader) -> bool {
    let data = header.data_bytes();
    data < geometry.capacity
        && header.position % geometry.capacity + geometry.record_bytes(data) <= geometry.capacity
}

fn data_crc(
    media: &mut [&mut dyn ReadMedium],
    given: usize,
    at: u64,
    bytes: u64,
    unit: u64,
) -> Result<u32, Unusable> {
    let mut checksum = Checksum::new();
    let mut done = 0;
    while done < bytes {
        let some = (bytes - done).min(CHUNK);
        // Whole units, as a device wants them.
        let mut data = vec![0; (some.div_ceil(unit) * unit) as usize];
        read(media, given, at + done, &mut data)?;
        checksum.update(&data[..some as usize]);
        done += some;
    }
    Ok(checksum.value())
}
