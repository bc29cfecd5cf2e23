//! What a log holds after whatever happened to the machine.

use std::io;

use crate::copies::{self, Known};
use crate::format::{
    Acknowledge, Checksum, Geometry, HEAD_BYTES, RecordHeader, SECTOR, SLOT_BYTES, Superblock,
};

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
    /// Of each medium that was given its number in the log; `None` where it holds no log, or another life of it than this one.
    pub numbers: Vec<Option<u8>>,
    /// Which life the next one follows.
    pub(crate) life: u64,
    /// Members that were not given, a bit each: records may be on them alone.
    pub missing: u8,
    /// Where the records end because what follows can't be read, if so, and what the system said.
    pub unreadable: Option<String>,
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
    #[error("it holds a log of format {0}, and this program knows formats 1 and 2")]
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
    /// It was taken out of the log when it failed.
    #[error("medium {0} was taken out of its log when it failed, and what it holds is old")]
    Out(u8),
    /// So many members are missing, or have lost what they held, that records may have been on these alone.
    #[error(
        "media {missing} of the log's {media} are missing or have lost what they held; each record was on {copies}, so these may have been all that had one"
    )]
    TooFew {
        /// Their numbers, from 0 on.
        missing: String,
        /// How many there are.
        media: u8,
        /// How many have each record.
        copies: u8,
    },
    /// What is there is older than what it was in front of knows of.
    #[error(
        "the media hold life {found} of the log, and what it is for knows life {life}: those that have it are missing or have lost what they held"
    )]
    OtherLife {
        /// The newest that is there.
        found: u64,
        /// The one that is needed.
        life: u64,
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
    scan_known(media, Known::NotAsked, without_missing)
}

/// The same, with what the file that the log is for knows of it. A log that is acknowledged by copies can be used with nothing else.
///
/// # Errors
/// As [`scan`].
pub fn scan_known(
    media: &mut [&mut dyn ReadMedium],
    known: Known,
    without_missing: bool,
) -> Result<LogContents, Unusable> {
    let superblocks = superblocks_of(media)?;
    if let Some(Acknowledge::Copies(copies)) =
        superblocks.iter().flatten().map(|superblock| superblock.acknowledge).next()
    {
        return copies::scan(media, &superblocks, known, (copies, without_missing));
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
    if present & superblock.members == 0 {
        return Err(Unusable::Out(superblock.medium));
    }
    let missing = superblock.members & !present;
    if missing != 0 && !without_missing {
        let missing = missing.trailing_zeros() as u8;
        return Err(Unusable::Missing { missing, media: superblock.media });
    }
    let (records, unreadable) = records_of(media, &its, &superblock)?;
    let number = |superblock: &Option<Superblock>| superblock.map(|superblock| superblock.medium);
    let numbers = superblocks.iter().map(number).collect();
    Ok(LogContents {
        present: present & superblock.members,
        life: superblock.epoch,
        superblock,
        records,
        numbers,
        missing,
        unreadable,
    })
}

impl LogContents {
    /// The superblock of the next life, to be written to every medium that is present, durably, once all records are in the backing and the
    /// backing was flushed. The log is empty then.
    pub fn next(&self, time_ms: u64) -> Superblock {
        let after =
            self.records.last().map_or(self.superblock.tail_seq, |last| last.header.seq + 1);
        let (epoch, before) = match self.superblock.acknowledge {
            Acknowledge::First | Acknowledge::All => (self.superblock.epoch + 1, 0),
            // One that no beginning that was cut short had, of which a medium may know that isn't here.
            Acknowledge::Copies(_) => (time_ms.max(self.superblock.epoch + 1), self.life),
        };
        Superblock {
            members: self.present,
            generation: self.superblock.generation + 1,
            epoch,
            before,
            tail: 0,
            tail_seq: after,
            clean: false,
            time_ms,
            ..self.superblock
        }
    }

    /// Makes members of the next life of those that were given and are none of this one: blank ones, and those of another life. `wished` has
    /// the number that each gets where nobody has it. They are to be emptied before they get a superblock. Which, from 0 on.
    pub fn rejoin(&mut self, wished: &[u8]) -> Vec<usize> {
        let mut joined = Vec::new();
        for given in 0..self.numbers.len() {
            if self.numbers[given].is_some() {
                continue;
            }
            let wish = wished.get(given).copied();
            let all = wish.into_iter().chain(0..self.superblock.media);
            let free = all
                .filter(|number| *number < self.superblock.media)
                .find(|number| self.present >> number & 1 == 0);
            let Some(free) = free else { continue };
            self.numbers[given] = Some(free);
            self.present |= 1 << free;
            joined.push(given);
        }
        joined
    }

    /// The superblock that says that its records are about to be moved once more, to be written to every medium that is present, durably,
    /// before the backing is changed: so that a recovery that is cut short is known by the next.
    pub fn renewed(&mut self, time_ms: u64) -> Superblock {
        self.superblock.generation += 1;
        self.superblock.time_ms = time_ms;
        self.superblock
    }

    /// When who used the log last was there, ms since 1970: by its last record, or by its superblock.
    pub fn last_ms(&self) -> u64 {
        let record = self.records.last().map_or(0, |record| record.header.time_ms);
        record.max(self.superblock.time_ms)
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

/// The newest superblock of each medium. One that can't be read is as good as missing where another can.
fn superblocks_of(media: &mut [&mut dyn ReadMedium]) -> Result<Vec<Option<Superblock>>, Unusable> {
    let mut superblocks = Vec::new();
    let mut unread = None;
    for given in 0..media.len() {
        superblocks.push(match newest_superblock(media, given) {
            Ok(found) => found,
            Err(error @ Unusable::Read { .. }) => {
                unread = unread.or(Some(error));
                None
            }
            Err(error) => return Err(error),
        });
    }
    match unread {
        Some(error) if superblocks.iter().all(Option::is_none) => Err(error),
        _ => Ok(superblocks),
    }
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

/// All whole records from the tail on, up to the first that isn't on any of the media; and what the system said where that can't be told
/// because none of them could be read there.
pub(crate) fn records_of(
    media: &mut [&mut dyn ReadMedium],
    its: &[usize],
    superblock: &Superblock,
) -> Result<(Vec<FoundRecord>, Option<String>), Unusable> {
    let geometry = superblock.geometry;
    let mut records: Vec<FoundRecord> = Vec::new();
    let (mut position, mut seq) = (superblock.tail, superblock.tail_seq);
    loop {
        let round = geometry.capacity;
        let next_round = position.div_ceil(round) * round;
        let mut found = None;
        let mut unreadable = None;
        // A record that would have wrapped begins at the ring's beginning.
        for position in [position, next_round] {
            for given in its.iter().filter(|_| found.is_none()).copied().collect::<Vec<_>>() {
                match record_at(media, given, superblock, position, seq) {
                    Ok(record) => found = found.or(record),
                    Err(Unusable::Read { at, source, .. }) => {
                        unreadable = Some(format!("byte {at} of medium {given}: {source}"));
                    }
                    Err(error) => return Err(error),
                }
            }
        }
        let Some(record) = found else { return Ok((records, unreadable)) };
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
