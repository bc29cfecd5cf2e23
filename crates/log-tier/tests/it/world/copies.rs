//! Worlds whose records are acknowledged by so many copies: media that lose what they hold, media that are not there for a while, and the
//! mark on the backing.

use super::{
    Acknowledge, Broken, Geometry, HEAD_BYTES, Known, Moving, OF_SUPERBLOCK, Setup, State, Store,
    Superblock, World,
};

/// Who holds what.
#[derive(Debug, Clone)]
pub(super) struct Holders {
    /// The life that the backing is marked with.
    marked: u64,
    /// Its members, a bit each.
    members: u8,
    /// Those that have not lost what they hold of it.
    holding: u8,
    /// Those that are not there at the next recovery, and have what they had at the one after.
    away: u8,
    clock_ms: u64,
}

impl Holders {
    pub(super) fn new(members: u8) -> Holders {
        Holders { marked: 1, members, holding: members, away: 0, clock_ms: 1000 }
    }

    /// A time that no recovery had before.
    pub(super) fn now(&mut self) -> u64 {
        self.clock_ms += 1000;
        self.clock_ms
    }

    /// A life begins: from now on it acknowledges.
    pub(super) fn begin(&mut self, superblock: &Superblock, marks: bool) {
        if marks {
            self.marked = superblock.epoch;
        }
        self.members = superblock.members;
        self.holding = superblock.members;
        self.away = 0;
    }
}

impl Setup {
    /// What the log goes by, which is not what its media say where a rule is taken out.
    pub(super) fn superblock_of_log(&self, superblock: Superblock) -> Superblock {
        match self.acknowledge {
            Acknowledge::Copies(copies) if self.broken == Broken::Copies => {
                Superblock { acknowledge: Acknowledge::Copies(copies - 1), ..superblock }
            }
            _ => superblock,
        }
    }
}

impl World {
    /// Media that may lose what they hold: every choice of as many as a record has copies, or fewer. Of as many recovery has to know.
    pub(super) fn losses_of_copies(&self, copies: u8) -> Vec<u8> {
        let choices = 0_u8..1 << self.setup.media;
        choices.filter(|loss| loss.count_ones() <= u32::from(copies)).collect()
    }

    /// So many copies has each record; `None` where that isn't the rule.
    pub(crate) fn copies(&self) -> Option<u8> {
        match self.setup.acknowledge {
            Acknowledge::Copies(copies) => Some(copies),
            _ => None,
        }
    }

    /// These are not there at the next recovery.
    pub(crate) fn send_away(&mut self, away: u8) {
        self.copies.away = away;
    }

    /// What those held is gone. Who isn't there.
    pub(super) fn lose(&mut self, gone: u8) -> u8 {
        let newest = self.media.iter().flat_map(|store| {
            let slots = [0, narrows_log_tier::SLOT_BYTES];
            slots.map(|at| Superblock::parse(&store.seen(at, super::SECTOR)))
        });
        let newest = newest.flatten().max_by_key(|it| (it.epoch, it.generation));
        let bytes = (HEAD_BYTES + self.log.geometry().capacity) as usize;
        for medium in (0..self.setup.media).filter(|medium| gone >> medium & 1 == 1) {
            let mut blank = Store::new(bytes);
            if let (Broken::Counted, Some(newest)) = (self.setup.broken, newest) {
                blank.forge(newest.at(), &Superblock { medium, ..newest }.to_bytes());
            }
            self.media[usize::from(medium)] = blank;
        }
        self.copies.holding &= !gone;
        self.copies.away
    }

    /// Whether so many members of the life are missing, or hold nothing of it, that a record may be on none of the others.
    pub(super) fn lacks_too_many(&self, away: u8) -> bool {
        let missing = self.copies.members & !(self.copies.holding & !away);
        let least = self.setup.acknowledge.least_media();
        missing.count_ones() >= least
    }

    /// Whether media that failed can come back: all is moved, and as many are left as a record has copies.
    pub(super) fn can_rejoin(&self) -> bool {
        self.copies().is_some()
            && matches!(self.moving, Moving::Nothing)
            && self.failed & ((1 << self.setup.media) - 1) != 0
            && self.log.state() != State::Failed
            && self.log.status().records == 0
    }

    /// Those that failed come back empty, and the superblock of the next life is being written.
    pub(super) fn rejoin(&mut self) {
        let bytes = (HEAD_BYTES + self.log.geometry().capacity) as usize;
        let failed = (0..self.setup.media).filter(|medium| self.failed >> medium & 1 == 1);
        for medium in failed.collect::<Vec<u8>>() {
            self.media[usize::from(medium)] = Store::new(bytes);
            self.copies.holding &= !(1 << medium);
        }
        self.failed = 0;
        let members = (1 << self.setup.media) - 1;
        let next = self.write_next_life(members, self.log.geometry(), 0);
        self.moving = Moving::Life { next, tries: 0 };
    }

    pub(super) fn write_next_life(
        &mut self,
        members: u8,
        geometry: Geometry,
        tries: u64,
    ) -> Superblock {
        let next = self.log.next_life(members, self.copies.now(), tries);
        let next = Superblock { geometry, ..next };
        self.write_superblock(next);
        next
    }

    /// The superblock of the next life is on its members: that begins, or one without those that failed meanwhile.
    pub(super) fn begin_life(&mut self, next: Superblock, tries: u64) -> Moving {
        let members = next.members & !self.failed;
        if members.count_ones() < self.setup.acknowledge.least_media() {
            return Moving::Nothing;
        }
        self.media.iter_mut().for_each(|medium| medium.make_durable(OF_SUPERBLOCK));
        if members != next.members {
            let tries = tries + u64::from(self.setup.broken != Broken::Again);
            let next = self.write_next_life(members, next.geometry, tries);
            return Moving::Life { next, tries };
        }
        self.copies.begin(&next, self.setup.broken != Broken::Mark);
        self.log.begin(self.setup.superblock_of_log(next));
        Moving::Nothing
    }

    /// What the backing says.
    pub(super) fn known(&self) -> Known {
        match self.setup.broken {
            Broken::Life => Known::NotAsked,
            _ => Known::Life(self.copies.marked),
        }
    }
}
