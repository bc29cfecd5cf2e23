//! What lies on a medium: two superblocks in turn, then the ring of records. All numbers are little-endian.
//!
//! A *unit* is the smallest write that the medium takes. A record is a unit with its header, then its data, filled up to whole units.
//! A record never wraps: where the rest of the ring is too small, it begins at the ring's beginning, and whoever reads the log looks
//! there too.

use std::fmt;

/// Room of one superblock, bytes. The two lie apart, so that a torn write of one leaves the other.
pub const SLOT_BYTES: u64 = 4096;
/// What lies before the ring, bytes: two superblocks.
pub const HEAD_BYTES: u64 = 2 * SLOT_BYTES;
/// Bytes of a superblock and of a record's header that mean something: a sector, which a drive writes whole or not at all. Persistent
/// memory keeps only aligned words of eight bytes whole; a torn one is told by its checksum there, as torn data are.
pub const SECTOR: usize = 512;
/// Smallest ring, bytes: the largest write of a host (1 MiB), twice, and room to move one while the other is written.
pub const LEAST_CAPACITY: u64 = 4 << 20;
/// Most media of a log that is acknowledged by so many copies.
pub const MOST_MEDIA: u8 = 8;
/// What is said where a medium has the wrong size.
pub const GEOMETRY_HINT: &str = "a log has 8 KiB of superblocks, then 4 MiB or more";

/// Of a log on one medium or two.
const SUPERBLOCK: &[u8; 8] = b"NRWLTSB1";
/// Of a log that is acknowledged by so many copies ([`Acknowledge::Copies`]): how many, and which life it follows, besides.
const SUPERBLOCK_OF_COPIES: &[u8; 8] = b"NRWLTSB2";
const RECORD: &[u8; 8] = b"NRWLTRC1";

/// Which log it is: random, made with the log. A record carries it, so that what another log left on the medium is none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct LogId(pub [u8; 16]);

impl fmt::Display for LogId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for LogId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Sizes of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    /// Smallest write that the media take, bytes: 512 or 4096.
    pub unit: u32,
    /// Size of the ring, bytes; whole units.
    pub capacity: u64,
}

impl Geometry {
    /// The log that a medium of so many bytes holds; `None` where that is none worth it.
    pub fn of_medium(bytes: u64, unit: u32) -> Option<Geometry> {
        let room = bytes.checked_sub(HEAD_BYTES)?;
        let capacity = room - room % u64::from(unit);
        (capacity >= LEAST_CAPACITY).then_some(Geometry { unit, capacity })
    }

    /// Where a position of the ring lies on the medium, bytes.
    pub fn on_medium(self, position: u64) -> u64 {
        HEAD_BYTES + position % self.capacity
    }

    /// Bytes that a record with so much data takes.
    pub fn record_bytes(self, data: u64) -> u64 {
        let unit = u64::from(self.unit);
        unit + data.div_ceil(unit) * unit
    }

    /// Where a record of so many bytes begins that may not wrap: `position`, or the next beginning of the ring.
    pub(crate) fn place(self, position: u64, bytes: u64) -> u64 {
        let left = self.capacity - position % self.capacity;
        if bytes <= left { position } else { position + left }
    }
}

/// How many media a record must be on before it is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acknowledge {
    /// The first that has it: one slow write on one medium delays nobody. All media are needed after a crash.
    First,
    /// All of them: any one is enough after a crash.
    All,
    /// So many, whichever: each write is on so many of them. After a crash fewer than that many may be missing, or have lost what they held.
    Copies(u8),
}

impl Acknowledge {
    /// How many media it takes for a write to be acknowledged at all.
    pub fn least_media(self) -> u32 {
        match self {
            Acknowledge::First | Acknowledge::All => 1,
            Acknowledge::Copies(copies) => u32::from(copies),
        }
    }
}

/// What a record does to the backing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Its data take the place of the blocks.
    Write,
    /// The blocks read as zeros.
    Zero,
    /// The blocks read as zeros, and their space may be given up.
    Deallocate,
}

/// What is known of a log before its records are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Superblock {
    /// Which log.
    pub id: LogId,
    /// What the log is in front of: a hash of its identity, by whoever made the log.
    pub backing: [u8; 16],
    /// Size of the backing, bytes.
    pub backing_bytes: u64,
    /// Sizes of the log.
    pub geometry: Geometry,
    /// Media that the log was made for.
    pub media: u8,
    /// Which of them this is, from 0 on.
    pub medium: u8,
    /// How many of them acknowledge.
    pub acknowledge: Acknowledge,
    /// A bit for each medium that is still in use.
    pub members: u8,
    /// Counts superblocks; the higher of two holds.
    pub generation: u64,
    /// Which life of the log: records of another are none.
    pub epoch: u64,
    /// With [`Acknowledge::Copies`] the life before it: all of its records were in the backing, flushed, before this was written anywhere.
    /// Else 0.
    pub before: u64,
    /// Where the first record lies that may not be in the backing.
    pub tail: u64,
    /// Its number.
    pub tail_seq: u64,
    /// The log was empty, and was left on purpose.
    pub clean: bool,
    /// When it was written, ms since 1970.
    pub time_ms: u64,
}

/// The header of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordHeader {
    /// Whose it is.
    pub id: LogId,
    /// In which life of the log it was written.
    pub epoch: u64,
    /// Its number.
    pub seq: u64,
    /// Where it lies, counted on over all rounds of the ring.
    pub position: u64,
    /// What it does.
    pub action: Action,
    /// Where in the backing, bytes.
    pub offset: u64,
    /// To how many bytes of it.
    pub bytes: u64,
    /// Checksum of its data.
    pub data_crc: u32,
    /// When it was appended, ms since 1970.
    pub time_ms: u64,
}

impl RecordHeader {
    /// Bytes of data that follow the header.
    pub fn data_bytes(&self) -> u64 {
        match self.action {
            Action::Write => self.bytes,
            Action::Zero | Action::Deallocate => 0,
        }
    }

    /// As it lies on the medium.
    pub fn to_bytes(&self) -> [u8; SECTOR] {
        let mut out = Writer::new(RECORD);
        out.bytes(&self.id.0);
        out.u64(self.epoch);
        out.u64(self.seq);
        out.u64(self.position);
        out.u64(self.offset);
        out.u64(self.bytes);
        out.u64(self.time_ms);
        out.u32(self.data_crc);
        out.u8(match self.action {
            Action::Write => 1,
            Action::Zero => 2,
            Action::Deallocate => 3,
        });
        out.finish()
    }

    /// What lies there, if it is a whole header.
    pub fn parse(bytes: &[u8]) -> Option<RecordHeader> {
        let mut read = Reader::open(bytes, RECORD)?;
        Some(RecordHeader {
            id: LogId(read.bytes()?),
            epoch: read.u64()?,
            seq: read.u64()?,
            position: read.u64()?,
            offset: read.u64()?,
            bytes: read.u64()?,
            time_ms: read.u64()?,
            data_crc: read.u32()?,
            action: match read.u8()? {
                1 => Action::Write,
                2 => Action::Zero,
                3 => Action::Deallocate,
                _ => return None,
            },
        })
    }
}

impl Superblock {
    /// Where it is written on a medium, bytes: in turn, so that a torn one leaves the one before.
    pub fn at(&self) -> u64 {
        self.generation % 2 * SLOT_BYTES
    }

    /// As it lies on the medium.
    pub fn to_bytes(&self) -> [u8; SECTOR] {
        let mut out = Writer::new(match self.acknowledge {
            Acknowledge::First | Acknowledge::All => SUPERBLOCK,
            Acknowledge::Copies(_) => SUPERBLOCK_OF_COPIES,
        });
        out.bytes(&self.id.0);
        out.bytes(&self.backing);
        out.u64(self.backing_bytes);
        out.u32(self.geometry.unit);
        out.u64(self.geometry.capacity);
        out.u64(self.generation);
        out.u64(self.epoch);
        out.u64(self.tail);
        out.u64(self.tail_seq);
        out.u64(self.time_ms);
        out.u8(self.media);
        out.u8(self.medium);
        out.u8(self.members);
        out.u8(match self.acknowledge {
            Acknowledge::First => 1,
            Acknowledge::All => 2,
            Acknowledge::Copies(_) => 3,
        });
        out.u8(u8::from(self.clean));
        if let Acknowledge::Copies(copies) = self.acknowledge {
            out.u8(copies);
            out.u64(self.before);
        }
        out.finish()
    }

    /// The version of a format that this isn't, if one of another version lies there.
    pub(crate) fn other_version(bytes: &[u8]) -> Option<char> {
        let (name, _) = SUPERBLOCK.split_at(SUPERBLOCK.len() - 1);
        let other = bytes.strip_prefix(name)?.first()?;
        let known = [SUPERBLOCK, SUPERBLOCK_OF_COPIES].iter().any(|its| its.last() == Some(other));
        (!known && other.is_ascii_alphanumeric()).then_some(char::from(*other))
    }

    /// What lies there, if it is a whole superblock that makes sense.
    pub fn parse(bytes: &[u8]) -> Option<Superblock> {
        let (mut read, of_copies) = match Reader::open(bytes, SUPERBLOCK) {
            Some(read) => (read, false),
            None => (Reader::open(bytes, SUPERBLOCK_OF_COPIES)?, true),
        };
        let mut superblock = Superblock {
            id: LogId(read.bytes()?),
            backing: read.bytes()?,
            backing_bytes: read.u64()?,
            geometry: Geometry { unit: read.u32()?, capacity: read.u64()? },
            generation: read.u64()?,
            epoch: read.u64()?,
            before: 0,
            tail: read.u64()?,
            tail_seq: read.u64()?,
            time_ms: read.u64()?,
            media: read.u8()?,
            medium: read.u8()?,
            members: read.u8()?,
            acknowledge: match read.u8()? {
                1 if !of_copies => Acknowledge::First,
                2 if !of_copies => Acknowledge::All,
                3 if of_copies => Acknowledge::Copies(0),
                _ => return None,
            },
            clean: read.u8()? != 0,
        };
        if of_copies {
            superblock.acknowledge = Acknowledge::Copies(read.u8()?);
            superblock.before = read.u64()?;
        }
        superblock.makes_sense().then_some(superblock)
    }

    fn makes_sense(&self) -> bool {
        let Geometry { unit, capacity } = self.geometry;
        let most = match self.acknowledge {
            Acknowledge::First | Acknowledge::All => 2,
            Acknowledge::Copies(copies) if copies == 0 || copies > self.media => return false,
            Acknowledge::Copies(_) => MOST_MEDIA,
        };
        if self.media == 0 || self.media > most {
            return false;
        }
        let all = u8::MAX >> (MOST_MEDIA - self.media);
        matches!(unit, 512 | 4096)
            && capacity > 0
            && capacity < 1 << 60
            && capacity.is_multiple_of(u64::from(unit))
            && self.medium < self.media
            && self.tail.is_multiple_of(u64::from(unit))
            // Counters that nobody reaches by counting; what is added to them stays in range.
            && [self.generation, self.epoch, self.before, self.tail, self.tail_seq].iter().all(|it| *it < 1 << 62)
            && self.members & !all == 0
            && self.members != 0
    }
}

/// The checksum of data and of headers: CRC-32C.
pub(crate) fn crc32c(bytes: &[u8]) -> u32 {
    crc_fast::checksum(crc_fast::CrcAlgorithm::Crc32Iscsi, bytes) as u32
}

/// The same of data that come in pieces.
pub(crate) struct Checksum(crc_fast::Digest);

impl Checksum {
    pub(crate) fn new() -> Checksum {
        Checksum(crc_fast::Digest::new(crc_fast::CrcAlgorithm::Crc32Iscsi))
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn value(&self) -> u32 {
        self.0.finalize() as u32
    }
}

/// Fills a sector from the front; the last four bytes are its checksum.
struct Writer {
    sector: [u8; SECTOR],
    at: usize,
}

impl Writer {
    fn new(magic: &[u8; 8]) -> Writer {
        let mut writer = Writer { sector: [0; SECTOR], at: 0 };
        writer.bytes(magic);
        writer
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.sector[self.at..self.at + bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }

    fn u8(&mut self, value: u8) {
        self.bytes(&[value]);
    }

    fn u32(&mut self, value: u32) {
        self.bytes(&value.to_le_bytes());
    }

    fn u64(&mut self, value: u64) {
        self.bytes(&value.to_le_bytes());
    }

    fn finish(mut self) -> [u8; SECTOR] {
        let crc = crc32c(&self.sector[..SECTOR - 4]);
        self.sector[SECTOR - 4..].copy_from_slice(&crc.to_le_bytes());
        self.sector
    }
}

/// Reads a sector from the front, once magic and checksum are right.
struct Reader<'a> {
    left: &'a [u8],
}

impl<'a> Reader<'a> {
    fn open(bytes: &'a [u8], magic: &[u8; 8]) -> Option<Reader<'a>> {
        let sector = bytes.get(..SECTOR)?;
        let (content, crc) = sector.split_at(SECTOR - 4);
        let crc = u32::from_le_bytes(crc.try_into().ok()?);
        let left = content.strip_prefix(magic)?;
        (crc32c(content) == crc).then_some(Reader { left })
    }

    fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, left) = self.left.split_at_checked(N)?;
        self.left = left;
        bytes.try_into().ok()
    }

    fn u8(&mut self) -> Option<u8> {
        self.bytes::<1>().map(|[byte]| byte)
    }

    fn u32(&mut self) -> Option<u32> {
        self.bytes().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.bytes().map(u64::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_does_not_fit_begins_at_the_beginning() {
        let geometry = Geometry { unit: 512, capacity: 10 * 512 };
        assert_eq!(geometry.record_bytes(0), 512);
        assert_eq!(geometry.record_bytes(513), 3 * 512);
        assert_eq!(geometry.place(7 * 512, 3 * 512), 7 * 512);
        assert_eq!(geometry.place(8 * 512, 3 * 512), 10 * 512);
        assert_eq!(geometry.place(18 * 512, 3 * 512), 20 * 512);
        assert_eq!(geometry.on_medium(20 * 512), HEAD_BYTES);
        assert_eq!(Geometry::of_medium(HEAD_BYTES + LEAST_CAPACITY - 1, 512), None);
        let least = Geometry::of_medium(HEAD_BYTES + LEAST_CAPACITY + 700, 4096).unwrap();
        assert_eq!(least.capacity, LEAST_CAPACITY);
    }
}
