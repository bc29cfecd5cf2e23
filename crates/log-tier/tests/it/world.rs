//! A host, a log, its media and its backing, as one value that takes steps, and the plain disk that it is held against.

mod copies;

use narrows_log_tier::{
    Acknowledge, Action, Change, Geometry, HEAD_BYTES, Known, Log, LogId, ReadMedium, RecordHeader,
    Source, State, Superblock, scan, scan_known,
};

use crate::store::{Kept, SECTOR, Store};

/// Blocks of the backing, a sector each.
pub(crate) const BLOCKS: usize = 4;
/// Whose writes of superblocks are; records go by their number.
const OF_SUPERBLOCK: u64 = u64::MAX;

/// Whose content a block has that no record of this life wrote.
const BEFORE: u64 = u64::MAX;

/// A rule that is taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Broken {
    Nothing,
    /// Each record is acknowledged by itself.
    Prefix,
    /// A record's write ends before it is durable: no force unit access, no flush of its cache lines.
    LogFlush,
    /// Its cache lines were flushed, and no fence followed: they arrive with the next one.
    Fence,
    /// Recovery takes data for what a record's header is of, without their checksum.
    Checksum,
    /// The backing is not flushed before the tail moves.
    BackingFlush,
    /// Room is used again before the superblock is durable.
    SuperblockFlush,
    /// Recovery goes on in the same epoch.
    Epoch,
    /// The first medium's word is taken for the second's, so that room is used again while that is still being given a record.
    Everywhere,
    /// Recovery writes its superblock without flushing the backing.
    RecoveryFlush,
    /// One copy less than recovery counts on acknowledges.
    Copies,
    /// Recovery goes on whoever is missing.
    Quorum,
    /// A medium that lost what it held is counted as one that has it, because somebody gave it a superblock of this life.
    Counted,
    /// The backing isn't marked with the life: recovery takes the newest that is there.
    Life,
    /// A life that begins while the log is served acknowledges before the backing is marked with it.
    Mark,
    /// One of another size acknowledges before its superblock is durable.
    Resize,
    /// A life that begins without a medium that failed meanwhile is no newer than what that may have of it.
    Again,
}

/// How far a recovery comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The records are written to the backing, and not flushed.
    Replayed,
    /// They are flushed, and the next superblock is being written to every medium.
    Writing,
    /// To its end.
    End,
}

/// A write of a history: from which block on, how many, and what they hold then. 0 is zeros, by [`Action::Zero`].
pub(crate) type Write = (u64, u64, u8);

#[derive(Debug, Clone)]
pub(crate) struct Setup {
    pub(crate) media: u8,
    /// They are persistent memory, and no drives.
    pub(crate) memory: bool,
    pub(crate) acknowledge: Acknowledge,
    /// Units of the ring.
    pub(crate) units: u64,
    /// Units that it may still get while it is served, the last first.
    pub(crate) resizes: Vec<u64>,
    pub(crate) broken: Broken,
    /// A write begins only while fewer pieces are open.
    pub(crate) open_limit: usize,
    /// Medium failures and power cuts that may still come.
    pub(crate) failures: u8,
    pub(crate) cuts: u8,
}

/// Where the batch under way is.
#[derive(Debug, Clone)]
enum Moving {
    Nothing,
    Written,
    Flushed,
    Superblock(Superblock),
    /// Nothing is moved: the superblock of a life with media that came back, or of another size, is being written.
    Life {
        next: Superblock,
        tries: u64,
    },
}

/// A step that can be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// The host begins its next write.
    Begin,
    /// A medium has a record.
    End { seq: u64, medium: u8 },
    /// The batch under way goes on.
    Move,
    /// A medium fails all writes from now on.
    Fail { medium: u8 },
    /// Those that failed come back empty: a life begins of which they are members.
    Rejoin,
    /// A life of another size begins.
    Resize,
}

#[derive(Debug, Clone)]
pub(crate) struct World {
    setup: Setup,
    log: Log,
    image: Vec<u8>,
    media: Vec<Store>,
    backing: Store,
    failed: u8,
    /// Writes of records under way.
    under_way: Vec<(u64, u8)>,
    moving: Moving,
    /// Where records are copied: what is known of who holds them.
    copies: copies::Holders,
    /// Of each block what it may hold: what was acknowledged last, then what was begun since.
    model: Vec<Vec<(u64, u8)>>,
    /// What is to be written yet.
    pub(crate) script: Vec<Write>,
}

pub(crate) fn geometry(units: u64) -> Geometry {
    Geometry { unit: SECTOR as u32, capacity: units * SECTOR as u64 }
}

impl World {
    pub(crate) fn new(setup: Setup, script: &[Write]) -> World {
        let geometry = geometry(setup.units);
        let superblock = Superblock {
            id: LogId([7; 16]),
            backing: [9; 16],
            backing_bytes: (BLOCKS * SECTOR) as u64,
            geometry,
            media: setup.media,
            medium: 0,
            acknowledge: setup.acknowledge,
            members: (1 << setup.media) - 1,
            generation: 1,
            epoch: 1,
            before: 0,
            tail: 0,
            tail_seq: 0,
            clean: false,
            time_ms: 0,
        };
        let largest = setup.resizes.iter().copied().fold(setup.units, u64::max) * SECTOR as u64;
        let bytes = (HEAD_BYTES + largest) as usize;
        let medium = if setup.memory { Store::memory(bytes) } else { Store::new(bytes) };
        let mut world = World {
            log: Log::new(setup.superblock_of_log(superblock)),
            copies: copies::Holders::new(superblock.members),
            image: vec![0; largest as usize],
            media: vec![medium; usize::from(setup.media)],
            backing: Store::new(BLOCKS * SECTOR),
            failed: 0,
            under_way: Vec::new(),
            moving: Moving::Nothing,
            model: vec![vec![(BEFORE, 0)]; BLOCKS],
            script: script.to_vec(),
            setup,
        };
        world.write_superblock(superblock);
        world.media.iter_mut().for_each(Store::flush);
        world
    }

    /// What tells two worlds apart, for the search.
    pub(crate) fn key(&self) -> String {
        let World { log, media, backing, failed, under_way, moving, model, script, .. } = self;
        let copies = &self.copies;
        let Setup { cuts, failures, resizes, .. } = &self.setup;
        format!(
            "{log:?}{media:?}{backing:?}{failed}{under_way:?}{moving:?}{model:?}{script:?}{cuts}{failures}{resizes:?}{copies:?}"
        )
    }

    /// All steps that can be taken now.
    pub(crate) fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        // So that all states after a cut can be gone through.
        let paused = matches!(self.moving, Moving::Life { .. });
        if !self.script.is_empty() && !paused && self.open_pieces() < self.setup.open_limit {
            steps.push(Step::Begin);
        }
        let ends =
            self.under_way.iter().map(|(seq, medium)| Step::End { seq: *seq, medium: *medium });
        steps.extend(ends);
        if !matches!(self.moving, Moving::Nothing) || self.log.has_work() {
            steps.push(Step::Move);
        }
        if self.setup.failures > 0 {
            let alive = (0..self.setup.media).filter(|medium| self.failed >> medium & 1 == 0);
            steps.extend(alive.map(|medium| Step::Fail { medium }));
        }
        if self.can_rejoin() {
            steps.push(Step::Rejoin);
        }
        if self.can_resize() {
            steps.push(Step::Resize);
        }
        steps
    }

    /// Takes a step; `false` where it changes nothing: a write that finds no room.
    pub(crate) fn take(&mut self, step: Step) -> bool {
        match step {
            Step::Begin => return self.begin(),
            Step::End { seq, medium } => self.end(seq, medium),
            Step::Move => self.go_on(),
            Step::Fail { medium } => self.fail(medium),
            Step::Rejoin => self.rejoin(),
            Step::Resize => self.resize(),
        }
        true
    }

    fn begin(&mut self) -> bool {
        let (first, blocks, content) = self.script[0];
        let data = vec![content; blocks as usize * SECTOR];
        let (action, data) = match content {
            0 => (Action::Zero, &[][..]),
            _ => (Action::Write, &data[..]),
        };
        let (offset, bytes) = (first * SECTOR as u64, blocks * SECTOR as u64);
        let change = Change { action, offset, bytes, data };
        let Ok(append) = self.log.append(&mut self.image, &change, 0) else { return false };
        self.script.remove(0);
        for block in first..first + blocks {
            self.model[block as usize].push((append.seq, content));
        }
        let at = append.at as usize;
        let record = self.image[at..at + append.bytes as usize].to_vec();
        let geometry = self.log.geometry();
        for medium in (0..self.setup.media).filter(|medium| self.log.members() >> medium & 1 == 1) {
            let at = geometry.on_medium(append.at);
            let store = &mut self.media[usize::from(medium)];
            // Taking the log's lock is a fence as well.
            store.fence();
            store.write(at, &record, append.seq);
            self.under_way.push((append.seq, medium));
        }
        true
    }

    fn end(&mut self, seq: u64, medium: u8) {
        self.under_way.retain(|it| *it != (seq, medium));
        let store = &mut self.media[usize::from(medium)];
        match self.setup.broken {
            Broken::LogFlush => {}
            Broken::Fence => store.flush_lines(seq),
            _ => store.make_durable(seq),
        }
        let durable = self.log.written(seq, medium);
        if self.setup.broken == Broken::Everywhere {
            for other in (0..self.setup.media).filter(|other| *other != medium) {
                self.log.written(seq, other).for_each(|seq| self.acknowledge(seq));
            }
        }
        if self.setup.broken == Broken::Prefix {
            self.acknowledge(seq);
        }
        durable.for_each(|seq| self.acknowledge(seq));
    }

    fn acknowledge(&mut self, seq: u64) {
        for versions in &mut self.model {
            if let Some(at) = versions.iter().position(|(of, _)| *of == seq) {
                versions.drain(..at);
            }
        }
    }

    fn fail(&mut self, medium: u8) {
        self.setup.failures -= 1;
        self.failed |= 1 << medium;
        self.under_way.retain(|(_, of)| *of != medium);
        // What was under way on it stays as open as it was, for good.
        let durable = self.log.medium_failed(medium);
        durable.for_each(|seq| self.acknowledge(seq));
    }

    /// Whether the log can get another size: all is moved, and no medium has failed.
    fn can_resize(&self) -> bool {
        !self.setup.resizes.is_empty()
            && matches!(self.moving, Moving::Nothing)
            && self.log.state() == State::Healthy
            && self.log.status().records == 0
    }

    /// The superblock of a life of another size is being written.
    fn resize(&mut self) {
        let Some(units) = self.setup.resizes.pop() else { return };
        let next = self.write_next_life(self.log.members(), geometry(units), 0);
        self.moving = match self.setup.broken {
            Broken::Resize => {
                self.log.begin(next);
                Moving::Nothing
            }
            _ => Moving::Life { next, tries: 0 },
        };
    }

    /// The next step of moving records to the backing.
    fn go_on(&mut self) {
        self.moving = match std::mem::replace(&mut self.moving, Moving::Nothing) {
            Moving::Nothing => {
                let Some(batch) = self.log.batch(SECTOR as u64 * 2) else { return };
                for piece in &batch.pieces {
                    let data = match piece.source {
                        Source::Image(at) => {
                            let at = at as usize;
                            self.image[at..at + piece.bytes as usize].to_vec()
                        }
                        Source::Zeros { .. } => vec![0; piece.bytes as usize],
                    };
                    self.backing.write(piece.offset, &data, 0);
                }
                Moving::Written
            }
            Moving::Written => {
                if self.setup.broken != Broken::BackingFlush {
                    self.backing.flush();
                }
                Moving::Flushed
            }
            Moving::Flushed => {
                let superblock = self.log.superblock_after_batch(0);
                self.write_superblock(superblock);
                if self.setup.broken == Broken::SuperblockFlush {
                    self.log.forget(superblock);
                    return;
                }
                Moving::Superblock(superblock)
            }
            Moving::Superblock(superblock) => {
                self.media.iter_mut().for_each(|medium| medium.make_durable(OF_SUPERBLOCK));
                self.log.forget(superblock);
                Moving::Nothing
            }
            Moving::Life { next, tries } => self.begin_life(next, tries),
        };
    }

    fn write_superblock(&mut self, superblock: Superblock) {
        self.write_superblock_to(superblock, self.failed);
    }

    /// Writes it to all media but those.
    fn write_superblock_to(&mut self, superblock: Superblock, but: u8) {
        for (medium, store) in (0_u8..).zip(&mut self.media) {
            if but >> medium & 1 == 0 {
                let its = Superblock { medium, acknowledge: self.setup.acknowledge, ..superblock };
                store.write(its.at(), &its.to_bytes(), OF_SUPERBLOCK);
            }
        }
    }

    /// Whether a host reads what was written last: the backing, with the pieces of the log over it.
    pub(crate) fn check_reads(&self) {
        let mut seen = self.backing.seen(0, BLOCKS * SECTOR);
        for piece in self.log.pieces(0, (BLOCKS * SECTOR) as u64) {
            let range = piece.offset as usize..(piece.offset + piece.bytes) as usize;
            match piece.source {
                Source::Image(at) => {
                    let at = at as usize;
                    seen[range].copy_from_slice(&self.image[at..at + piece.bytes as usize]);
                }
                Source::Zeros { .. } => seen[range].fill(0),
            }
        }
        for (block, versions) in self.model.iter().enumerate() {
            let last = versions.last().map(|(_, content)| *content);
            // Where the log failed, what failed with it may be gone.
            let lost = self.log.state() == State::Failed;
            let found = content_of(&seen, block);
            let right =
                if lost { is_among(versions, found) } else { found.is_some() && last == found };
            assert!(right, "block {block} reads as {found:?}, of {versions:?}");
        }
    }

    /// Pieces that a cut of the power may leave or not.
    pub(crate) fn open_pieces(&self) -> usize {
        self.media.iter().chain([&self.backing]).map(Store::open_pieces).sum()
    }

    /// Whether its media are persistent memory.
    pub(crate) fn is_in_memory(&self) -> bool {
        self.setup.memory
    }

    pub(crate) fn cuts_left(&self) -> u8 {
        self.setup.cuts
    }

    /// Media that may be lost with the power and leave everything that was acknowledged: each by itself where all have it, those that failed
    /// before, and none.
    pub(crate) fn losses(&self) -> Vec<u8> {
        if let Acknowledge::Copies(copies) = self.setup.acknowledge {
            return self.losses_of_copies(copies);
        }
        let each = (0..self.setup.media).map(|medium| 1 << medium);
        let enough = self.setup.acknowledge == Acknowledge::All && self.setup.media > 1;
        let may = |loss: &u8| loss & self.failed != 0 || enough && self.failed == 0;
        let alone = self.setup.media == 1;
        std::iter::once(0).chain(each.filter(|loss| !alone && may(loss))).collect()
    }

    /// The world after a cut of the power that left those pieces, and after recovery with all media but those of
    /// `missing`; `None` where recovery refuses because a medium is missing.
    ///
    /// # Errors
    /// A block that is neither what was acknowledged nor what was begun after it.
    pub(crate) fn after_cut(&self, kept: Kept, missing: u8) -> Result<Option<World>, String> {
        let Some(mut world) = self.cut_in_recovery(kept, missing, Reach::End)? else {
            return Ok(None);
        };
        world.settle_model()?;
        Ok(Some(world))
    }

    /// The world after a cut, with a recovery that came so far: what it wrote last may be there or not.
    ///
    /// # Errors
    /// A log that can't be read at all.
    pub(crate) fn cut_in_recovery(
        &self,
        mut kept: Kept,
        missing: u8,
        reach: Reach,
    ) -> Result<Option<World>, String> {
        let mut world = self.clone();
        for store in world.media.iter_mut().chain([&mut world.backing]) {
            *store = store.after_cut(&mut kept);
        }
        Ok(world.recover(missing, reach)?.then_some(world))
    }

    fn recover(&mut self, missing: u8, reach: Reach) -> Result<bool, String> {
        if self.setup.broken == Broken::Checksum {
            let geometry = self.log.geometry();
            self.media.iter_mut().for_each(|store| believe_data(store, geometry));
        }
        let of_copies = matches!(self.setup.acknowledge, Acknowledge::Copies(_));
        // Of drives one that is missing isn't there; of copies it is, and holds nothing.
        let away = if of_copies { self.lose(missing) } else { missing };
        let may_refuse = if of_copies { self.lacks_too_many(away) } else { missing != 0 };
        let known = self.known();
        let any = self.setup.acknowledge == Acknowledge::All && missing != 0;
        let any = any || self.setup.broken == Broken::Quorum;
        let here: Vec<u8> =
            (0..self.setup.media).filter(|medium| away >> medium & 1 == 0).collect();
        let mut given: Vec<Store> =
            here.iter().map(|medium| self.media[usize::from(*medium)].clone()).collect();
        let mut readers: Vec<&mut dyn ReadMedium> =
            given.iter_mut().map(|store| store as &mut dyn ReadMedium).collect();
        let scanned = match of_copies {
            true => scan_known(&mut readers, known, any),
            false => scan(&mut readers, any),
        };
        let Ok(mut found) = scanned else {
            return match may_refuse {
                false => Err("recovery refuses a log that it could use".to_string()),
                true => Ok(false),
            };
        };
        // As the target does: who is cut short here is known by the next.
        let renewed = found.renewed(0);
        let records = found.records.clone();
        self.write_superblock_to(renewed, if of_copies { !found.present } else { missing });
        self.media.iter_mut().for_each(|medium| medium.make_durable(OF_SUPERBLOCK));
        for record in &records {
            let bytes = record.header.bytes as usize;
            let mut data = vec![0; bytes];
            if record.header.action == Action::Write {
                given[record.given].read(record.data_at, &mut data).unwrap();
            }
            self.backing.write(record.header.offset, &data, 0);
        }
        if reach == Reach::Replayed {
            return Ok(true);
        }
        if self.setup.broken != Broken::RecoveryFlush {
            self.backing.flush();
        }
        if of_copies {
            for joined in found.rejoin(&here) {
                let medium = usize::from(here[joined]);
                self.media[medium].forge(0, &[0; HEAD_BYTES as usize]);
            }
        }
        let mut next = found.next(self.copies.now());
        if self.setup.broken == Broken::Epoch {
            next.epoch = found.superblock.epoch;
        }
        self.failed = !next.members;
        self.write_superblock(next);
        if reach == Reach::Writing {
            return Ok(true);
        }
        self.media.iter_mut().for_each(Store::flush);
        self.copies.begin(&next, true);
        self.log = Log::new(self.setup.superblock_of_log(next));
        self.under_way.clear();
        self.moving = Moving::Nothing;
        self.setup.cuts = self.setup.cuts.saturating_sub(1);
        Ok(true)
    }

    /// After recovery each block is what it is for good.
    fn settle_model(&mut self) -> Result<(), String> {
        let seen = self.backing.seen(0, BLOCKS * SECTOR);
        for (block, versions) in self.model.iter_mut().enumerate() {
            let found = content_of(&seen, block);
            match found.filter(|_| is_among(versions, found)) {
                Some(found) => *versions = vec![(BEFORE, found)],
                None => {
                    return Err(format!("block {block} is {found:?} after a cut, of {versions:?}"));
                }
            }
        }
        Ok(())
    }
}

fn is_among(versions: &[(u64, u8)], found: Option<u8>) -> bool {
    found.is_some_and(|found| versions.iter().any(|(_, content)| *content == found))
}

/// What a block is filled with; `None` where it is torn.
fn content_of(bytes: &[u8], block: usize) -> Option<u8> {
    let sector = &bytes[block * SECTOR..(block + 1) * SECTOR];
    sector.iter().all(|byte| *byte == sector[0]).then_some(sector[0])
}

/// Makes each whole header's checksum that of whatever data follow it.
fn believe_data(store: &mut Store, geometry: Geometry) {
    for position in (0..geometry.capacity).step_by(SECTOR) {
        let at = geometry.on_medium(position);
        let left = geometry.capacity - position;
        let Some(header) = RecordHeader::parse(&store.seen(at, SECTOR)) else { continue };
        if geometry.record_bytes(header.data_bytes()) <= left {
            let data = store.seen(at + SECTOR as u64, header.data_bytes() as usize);
            let algorithm = crc_fast::CrcAlgorithm::Crc32Iscsi;
            let data_crc = crc_fast::checksum(algorithm, &data) as u32;
            store.forge(at, &RecordHeader { data_crc, ..header }.to_bytes());
        }
    }
}
