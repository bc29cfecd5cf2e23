//! Recovery of a log whose records are acknowledged by so many copies ([`Acknowledge::Copies`]).
//!
//! A life begins with members of which at least as many as a record has copies are there, and its superblocks name these to its end. Whatever fails
//! meanwhile, each record that was acknowledged, and each superblock that made room, was on so many of them. So any members of which fewer
//! are missing than a record has copies have one of each between them.
//!
//! Members may be missing at one start and be there at another, or come back empty. What was acknowledged in their absence they don't know. So the
//! file that the log is for is marked with the life before anything is acknowledged in it ([`Known::Life`]), and no other life's records are
//! moved to it.

use crate::format::{Acknowledge, Superblock};
use crate::recover::{LogContents, ReadMedium, Unusable, records_of};

/// What the file that a log is for says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// It wasn't asked: what is found is the newest life that is there, whatever it lacks.
    NotAsked,
    /// It has all that was acknowledged.
    All,
    /// It may lack what was acknowledged in this life of the log.
    Life(u64),
}

/// What media hold. `superblocks` are the newest of each; `rule` is how many copies there are of each record, and whether it is done without
/// those that were on missing members alone.
pub(crate) fn scan(
    media: &mut [&mut dyn ReadMedium],
    superblocks: &[Option<Superblock>],
    known: Known,
    rule: (u8, bool),
) -> Result<LogContents, Unusable> {
    let newest = |of: &dyn Fn(&Superblock) -> bool| {
        let its = superblocks.iter().flatten().filter(|superblock| of(superblock));
        its.max_by_key(|superblock| (superblock.epoch, superblock.generation)).copied()
    };
    let any = newest(&|_| true).ok_or(Unusable::NoLog)?;
    if let Some(other) = superblocks.iter().flatten().find(|other| other.id != any.id) {
        return Err(Unusable::TwoLogs(any.id.to_string(), other.id.to_string()));
    }
    let (life, superblock) = match known {
        Known::NotAsked => (any.epoch, any),
        Known::All => return empty(superblocks, any, any.epoch),
        Known::Life(life) => {
            // Whoever wrote this had moved all of that life's records before.
            if let Some(follower) = newest(&|it| it.before == life) {
                return empty(superblocks, follower, life);
            }
            let found = any.epoch;
            let its = newest(&|it| it.epoch == life);
            (life, its.ok_or(Unusable::OtherLife { found, life })?)
        }
    };
    let (copies, without_missing) = rule;
    let members = members_of(superblocks, &superblock)?;
    let missing = superblock.members & !members.present;
    let enough = missing.count_ones() < u32::from(copies);
    if !enough && !without_missing && known != Known::NotAsked {
        let numbers = (0..superblock.media).filter(|number| missing >> number & 1 == 1);
        let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
        let media = superblock.media;
        return Err(Unusable::TooFew { missing: numbers.join(", "), media, copies });
    }
    let (records, unreadable) = records_of(media, &members.given, &superblock)?;
    let Members { present, numbers, .. } = members;
    let missing = if enough { 0 } else { missing };
    Ok(LogContents { superblock, records, present, numbers, life, missing, unreadable })
}

/// Who is a member of a life.
struct Members {
    present: u8,
    /// Of each medium that was given.
    numbers: Vec<Option<u8>>,
    /// Those that have a number, from 0 on.
    given: Vec<usize>,
}

fn members_of(superblocks: &[Option<Superblock>], of: &Superblock) -> Result<Members, Unusable> {
    let mut members = Members { present: 0, numbers: Vec::new(), given: Vec::new() };
    for (given, found) in superblocks.iter().enumerate() {
        let its = found.as_ref().filter(|it| it.epoch == of.epoch);
        let its = its.filter(|it| of.members >> it.medium & 1 == 1);
        members.numbers.push(its.map(|it| it.medium));
        let Some(its) = its else { continue };
        if members.present >> its.medium & 1 == 1 {
            return Err(Unusable::Twice(its.medium));
        }
        members.present |= 1 << its.medium;
        members.given.push(given);
    }
    Ok(members)
}

/// A log of which nothing is needed.
fn empty(
    superblocks: &[Option<Superblock>],
    superblock: Superblock,
    life: u64,
) -> Result<LogContents, Unusable> {
    let Members { present, numbers, .. } = members_of(superblocks, &superblock)?;
    Ok(LogContents {
        superblock,
        records: Vec::new(),
        present,
        numbers,
        life,
        missing: 0,
        unreadable: None,
    })
}

impl LogContents {
    /// How many of the media have each record, where that is the rule.
    pub fn copies(&self) -> Option<u8> {
        match self.superblock.acknowledge {
            Acknowledge::Copies(copies) => Some(copies),
            Acknowledge::First | Acknowledge::All => None,
        }
    }
}
