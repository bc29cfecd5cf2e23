//! A log that is in use: what is appended, what of it is durable, what may be moved to the backing, and what may be forgotten.

use std::collections::VecDeque;
use std::ops::Range;

use crate::format::{Acknowledge, Action, Geometry, RecordHeader, Superblock, crc32c};
use crate::newest::{Newest, Piece, Source};

/// The ring's bytes in memory: what is written to the media, read by hosts and moved to the backing. `at` counts from the ring's
/// beginning.
pub trait Image {
    /// Puts bytes there. They lie within the ring.
    fn put(&mut self, at: u64, bytes: &[u8]);
}

impl Image for Vec<u8> {
    fn put(&mut self, at: u64, bytes: &[u8]) {
        let at = at as usize;
        self[at..at + bytes.len()].copy_from_slice(bytes);
    }
}

/// What a host wants done.
#[derive(Debug, Clone, Copy)]
pub struct Change<'a> {
    /// What happens to the bytes.
    pub action: Action,
    /// Where in the backing it begins, bytes.
    pub offset: u64,
    /// Its length, bytes.
    pub bytes: u64,
    /// For [`Action::Write`] as many bytes; else none.
    pub data: &'a [u8],
}

/// A record that is in the image and now has to be written to each medium, durably.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Append {
    /// Its number.
    pub seq: u64,
    /// Where it lies in the ring and so in the image, bytes.
    pub at: u64,
    /// Its length, header and filling with it.
    pub bytes: u64,
}

/// Why nothing was appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// No room: it is to be tried again when a batch was moved.
    Full,
    /// No medium takes writes any more, or too few do.
    Failed,
}

/// How a log is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Every medium takes writes.
    Healthy,
    /// Not all of them do, and enough.
    Degraded,
    /// None does, or fewer than each record has to be on: what was acknowledged is still read and moved, and nothing more is taken.
    Failed,
}

/// Records to be moved to the backing: the newest data of each byte that they hold.
#[derive(Debug, Clone)]
pub struct Batch {
    /// By offset, without overlaps.
    pub pieces: Vec<Piece>,
    /// Records that it holds.
    pub records: usize,
    /// Bytes of data that they held, before what was overwritten within the batch was left out.
    pub bytes: u64,
}

/// Figures of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// How it is.
    pub state: State,
    /// Records that are not in the backing.
    pub records: usize,
    /// Room that they take, bytes.
    pub used_bytes: u64,
    /// When the oldest of them was appended, ms since 1970.
    pub oldest_ms: Option<u64>,
    /// Records that wait to be durable.
    pub undurable: u64,
}

/// A record that may not be in the backing yet.
#[derive(Debug, Clone)]
struct Record {
    position: u64,
    action: Action,
    offset: u64,
    bytes: u64,
    /// The media that have it, a bit each.
    on: u8,
    time_ms: u64,
}

impl Record {
    fn piece(&self, seq: u64, geometry: Geometry) -> Piece {
        let source = match self.action {
            Action::Write => {
                let data = self.position + u64::from(geometry.unit);
                Source::Image(data % geometry.capacity)
            }
            Action::Zero => Source::Zeros { deallocate: false },
            Action::Deallocate => Source::Zeros { deallocate: true },
        };
        Piece { offset: self.offset, bytes: self.bytes, source, seq }
    }

    fn range(&self) -> Range<u64> {
        self.offset..self.offset + self.bytes
    }
}

/// A log in use.
#[derive(Debug, Clone)]
pub struct Log {
    /// The last one that is durable.
    superblock: Superblock,
    /// Media that take writes, a bit each.
    members: u8,
    /// Where the next record begins, unless it must not wrap there.
    head: u64,
    /// Number of the first of `records`.
    first_seq: u64,
    /// The first record that is not durable.
    durable_seq: u64,
    /// From the oldest on.
    records: VecDeque<Record>,
    newest: Newest,
    /// Records of the batch that is under way.
    moving: usize,
}

impl Log {
    /// An empty log. Its superblock is durable on all of its members.
    pub fn new(superblock: Superblock) -> Log {
        Log {
            members: superblock.members,
            head: superblock.tail,
            first_seq: superblock.tail_seq,
            durable_seq: superblock.tail_seq,
            records: VecDeque::new(),
            newest: Newest::default(),
            moving: 0,
            superblock,
        }
    }

    /// Sizes.
    pub fn geometry(&self) -> Geometry {
        self.superblock.geometry
    }

    /// Which life this is.
    pub fn epoch(&self) -> u64 {
        self.superblock.epoch
    }

    /// Media that take writes, a bit each.
    pub fn members(&self) -> u8 {
        self.members
    }

    /// How it is.
    pub fn state(&self) -> State {
        if !self.takes_writes() {
            State::Failed
        } else if self.members == self.superblock.members && self.all_of_the_media() {
            State::Healthy
        } else {
            State::Degraded
        }
    }

    /// Whether as many media take writes as a record has to be on.
    fn takes_writes(&self) -> bool {
        self.members.count_ones() >= self.superblock.acknowledge.least_media()
    }

    /// Whether a life's superblocks go on to say of what media it began with: any so many of those have each record, whoever failed since.
    fn keeps_its_members(&self) -> bool {
        matches!(self.superblock.acknowledge, Acknowledge::Copies(_))
    }

    fn all_of_the_media(&self) -> bool {
        self.superblock.members.count_ones() == u32::from(self.superblock.media)
    }

    /// Whether a medium failed and no superblock says so yet.
    pub fn has_unrecorded_failure(&self) -> bool {
        self.members != 0 && self.members != self.superblock.members && !self.keeps_its_members()
    }

    /// Records that are durable without a medium, which lacks them: what it is behind the others.
    pub fn behind(&self, medium: u8) -> usize {
        let durable = (self.durable_seq - self.first_seq) as usize;
        self.records.iter().take(durable).filter(|record| record.on >> medium & 1 == 0).count()
    }

    /// Figures.
    pub fn status(&self) -> Status {
        Status {
            state: self.state(),
            records: self.records.len(),
            used_bytes: self.head - self.tail(),
            oldest_ms: self.records.front().map(|record| record.time_ms),
            undurable: self.next_seq() - self.durable_seq,
        }
    }

    /// Whether there are records that can be moved.
    pub fn has_work(&self) -> bool {
        self.moving == 0 && self.movable() > 0
    }

    /// The superblock of a life that follows this one while it is served, with these members, after so many tries that didn't reach all of
    /// theirs: each is of a life of its own, from the same time on, and newer than what a medium may have of the try before. To be written to each member, durably, once the log is empty; from the first of these writes on, nothing may be appended in this life.
    /// Then the backing is marked with it, and [`Log::begin`].
    pub fn next_life(&self, members: u8, time_ms: u64, tries: u64) -> Superblock {
        Superblock {
            members,
            generation: self.superblock.generation + 1 + tries,
            epoch: time_ms.max(self.superblock.epoch + 1) + tries,
            before: self.superblock.epoch,
            tail: 0,
            tail_seq: self.next_seq(),
            clean: false,
            time_ms,
            ..self.superblock
        }
    }

    /// A life begins, whose superblock is durable on all of its members.
    ///
    /// # Panics
    /// Where records of the one before were not moved.
    pub fn begin(&mut self, superblock: Superblock) {
        assert!(self.records.is_empty(), "all records of a life are moved before the next");
        *self = Log::new(superblock);
    }

    /// Whether a medium is still being given a record.
    pub fn is_being_given(&self) -> bool {
        self.records.iter().any(|record| record.on & self.members != self.members)
    }

    /// How many records, from the oldest on, can be moved: those that are durable and that no medium is still being given. A write that is
    /// under way while its room is used again could land over the next record there.
    fn movable(&self) -> usize {
        let durable = (self.durable_seq - self.first_seq) as usize;
        let everywhere = |record: &&Record| record.on & self.members == self.members;
        self.records.iter().take(durable).take_while(everywhere).count()
    }

    /// Number of the oldest record that was not forgotten.
    pub fn first_seq(&self) -> u64 {
        self.first_seq
    }

    /// Number of the record that is appended next.
    pub fn next_seq(&self) -> u64 {
        self.first_seq + self.records.len() as u64
    }

    /// The first byte of the ring that is needed.
    fn tail(&self) -> u64 {
        self.records.front().map_or(self.head, |record| record.position)
    }

    /// Appends a change to the image and to what hosts read. Its record is to be written to every member from there, and
    /// [`Log::written`] told of each.
    ///
    /// # Errors
    /// Why it can't be taken now, or at all.
    ///
    /// # Panics
    /// For a change that doesn't fit into half of the ring, or whose data aren't as long as it says.
    pub fn append(
        &mut self,
        image: &mut impl Image,
        change: &Change<'_>,
        time_ms: u64,
    ) -> Result<Append, Refused> {
        let Geometry { unit, capacity } = self.geometry();
        if !self.takes_writes() {
            return Err(Refused::Failed);
        }
        let seq = self.next_seq();
        let header = RecordHeader {
            id: self.superblock.id,
            epoch: self.superblock.epoch,
            seq,
            position: 0,
            action: change.action,
            offset: change.offset,
            bytes: change.bytes,
            data_crc: 0,
            time_ms,
        };
        let data = header.data_bytes();
        assert_eq!(change.data.len() as u64, data, "data of the length that the change says");
        let length = self.geometry().record_bytes(data);
        assert!(length <= capacity / 2, "a log holds two of the largest changes");
        let position = self.geometry().place(self.head, length);
        let tail = self.records.front().map_or(position, |record| record.position);
        if position + length - tail > capacity {
            return Err(Refused::Full);
        }
        let header = RecordHeader { position, data_crc: crc32c(change.data), ..header };
        let at = position % capacity;
        image.put(at, &header.to_bytes());
        image.put(at + u64::from(unit), change.data);
        let (action, offset, bytes) = (change.action, change.offset, change.bytes);
        let record = Record { position, action, offset, bytes, on: 0, time_ms };
        self.newest.insert(record.piece(seq, self.geometry()));
        self.records.push_back(record);
        self.head = position + length;
        Ok(Append { seq, at, bytes: length })
    }

    /// A medium has a record, durably. The records that are acknowledged by that: it and others that waited for it.
    pub fn written(&mut self, seq: u64, medium: u8) -> Range<u64> {
        let index = seq.checked_sub(self.first_seq).map(|index| index as usize);
        // A second medium may have it long after it was moved.
        if let Some(record) = index.and_then(|index| self.records.get_mut(index)) {
            record.on |= 1 << medium;
        }
        self.progress()
    }

    /// A medium failed a write, and is asked for none any more. The records that are acknowledged by that: those that waited for it
    /// alone.
    ///
    /// Where too few are left, records that are not durable are no longer read, and their writes fail. A failed write may have reached the
    /// medium all the same: recovery takes it for one that happened, as a drive may.
    pub fn medium_failed(&mut self, medium: u8) -> Range<u64> {
        self.members &= !(1 << medium);
        if self.takes_writes() {
            return self.progress();
        }
        let durable = (self.durable_seq - self.first_seq) as usize;
        self.records.truncate(durable);
        self.newest = self.newest_of(durable);
        self.durable_seq..self.durable_seq
    }

    fn progress(&mut self) -> Range<u64> {
        let before = self.durable_seq;
        while let Some(record) = self.records.get((self.durable_seq - self.first_seq) as usize)
            && self.is_enough(record.on)
        {
            self.durable_seq += 1;
        }
        before..self.durable_seq
    }

    fn is_enough(&self, on: u8) -> bool {
        match self.superblock.acknowledge {
            Acknowledge::First => on & self.members != 0,
            Acknowledge::All => self.members != 0 && on & self.members == self.members,
            // Of those that still answer: what one had that failed may be gone with it.
            Acknowledge::Copies(copies) => (on & self.members).count_ones() >= u32::from(copies),
        }
    }

    /// What records hold of these bytes of the backing, newest, in order. Whoever reads the backing after this and lays the pieces over
    /// what it read has what was acknowledged by now: the bytes must be taken from the image before the lock is left.
    pub fn pieces(&self, offset: u64, bytes: u64) -> impl Iterator<Item = Piece> {
        self.newest.parts(offset..offset + bytes)
    }

    fn newest_of(&self, records: usize) -> Newest {
        let mut newest = Newest::default();
        for (seq, record) in (self.first_seq..).zip(self.records.iter().take(records)) {
            newest.insert(record.piece(seq, self.geometry()));
        }
        newest
    }

    /// The oldest records that can be moved, of `most_bytes` of data or one record, to be moved to the backing. One batch at a time: until
    /// [`Log::forget`] or [`Log::keep`] there is no other.
    pub fn batch(&mut self, most_bytes: u64) -> Option<Batch> {
        if self.moving > 0 {
            return None;
        }
        let (mut records, mut bytes) = (0, 0);
        for record in self.records.iter().take(self.movable()) {
            if records > 0 && bytes + record.bytes > most_bytes {
                break;
            }
            records += 1;
            bytes += record.bytes;
        }
        self.moving = records;
        let pieces = self.newest_of(records).all().collect();
        (records > 0).then_some(Batch { pieces, records, bytes })
    }

    /// The batch under way could not be moved: its records stay.
    pub fn keep(&mut self) {
        self.moving = 0;
    }

    /// The superblock that says that the batch under way is in the backing, to be written to every member, durably, once the backing was
    /// flushed. Then [`Log::forget`].
    pub fn superblock_after_batch(&self, time_ms: u64) -> Superblock {
        let next = self.records.get(self.moving);
        let tail = next.map_or(self.head, |record| record.position);
        let kept = self.records.iter().take((self.durable_seq - self.first_seq) as usize);
        // Where the first that has it acknowledges, a medium that is out may be the only one that has a record.
        let settled = !self.keeps_its_members()
            && kept.skip(self.moving).all(|record| record.on & self.members != 0);
        Superblock {
            members: if settled { self.members } else { self.superblock.members },
            generation: self.superblock.generation + 1,
            tail,
            tail_seq: self.first_seq + self.moving as u64,
            clean: false,
            time_ms,
            ..self.superblock
        }
    }

    /// The batch under way is in the backing, the backing was flushed, and `superblock` is durable on every member: forgets its
    /// records.
    ///
    /// A log that failed has no medium for a superblock. What lies on it then is older, and may be moved once more by recovery: to the
    /// same end, because nothing was taken since.
    pub fn forget(&mut self, superblock: Superblock) {
        for (seq, record) in (self.first_seq..).zip(self.records.drain(..self.moving)) {
            self.newest.remove(record.range(), seq);
        }
        self.first_seq += self.moving as u64;
        self.moving = 0;
        self.superblock = superblock;
    }

    /// The superblock that says that the log is empty and was left on purpose; `None` while it holds records.
    pub fn clean_superblock(&self, time_ms: u64) -> Option<Superblock> {
        self.records
            .is_empty()
            .then(|| Superblock { clean: true, ..self.superblock_after_batch(time_ms) })
    }
}
