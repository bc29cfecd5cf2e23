//! Making a log on peers.

use anyhow::{Context, Result, bail, ensure};
use narrows_log_tier::{Acknowledge, HEAD_BYTES, Superblock};

use super::made::LogMade;
use super::make::{first_superblock, write_both};
use super::{MakeArguments, Notes, explained, report};
use crate::backing::FileDisk;
use crate::backing::logged::{
    LogOwner, OpenMedium, check_can_be_marked, newest_on, open_media, power_of_copies,
};

/// Each write is on so many: with one alone, any peer that restarts would lose what was acknowledged.
const LEAST_COPIES: u8 = 2;

pub(super) fn make_copies(arguments: &MakeArguments, backing: &FileDisk) -> Result<()> {
    let peers = arguments.log.len() as u8;
    let Some(copies) = arguments.copies else {
        bail!(
            "a log on {peers} peers, and how many of them have a write before it is answered?\nhint: --copies {}",
            (peers / 2 + 1).max(LEAST_COPIES)
        );
    };
    ensure!(
        (LEAST_COPIES..=peers).contains(&copies),
        "--copies {copies}: {LEAST_COPIES} to {peers}, as many as there are peers\nhint: fewer than there are, so that one may fail"
    );
    ensure!(
        arguments.separate_power,
        "memory keeps nothing without power: {}\nhint: if no loss of power takes so many at once, say --separate-power",
        power_of_copies(copies, peers)
    );
    check_can_be_marked(backing).map_err(explained)?;
    let path = backing.path().display();
    let owner = LogOwner::of(backing, arguments.backing.serial.as_deref());
    let owner = owner.with_context(|| format!("looking at {path}"))?;
    let opened = open_media(&arguments.log, Some(owner.reservation())).map_err(explained)?;
    if let Some(absent) = opened.absent.first() {
        bail!(
            "{} is not reached: {}\nhint: start it first: `narrows-target serve --namespace ram:SIZE`",
            absent.address,
            absent.reason
        );
    }
    let media = opened.media;
    media.iter().try_for_each(check_holds_nothing)?;
    let first = first_superblock(arguments, backing, &media, Acknowledge::Copies(copies))?;
    write_both(&media, first)?;
    check_each(&media, &first)?;
    let notes = Notes::new(arguments.json);
    report(&LogMade::of(&first, backing, &media, &notes), arguments.json)
}

/// Whether a peer holds nothing, or a log that was left empty.
fn check_holds_nothing(medium: &OpenMedium) -> Result<()> {
    let name = medium.name();
    let mut reader = medium.reader(false);
    if let Some(superblock) = newest_on(&mut *reader) {
        ensure!(
            superblock.clean,
            "{name} is a peer of log {}, which may hold writes that its file lacks\nhint: `narrows-target log flush` moves them; `log drop` drops them",
            superblock.id
        );
        return Ok(());
    }
    let mut head = vec![0; HEAD_BYTES as usize];
    reader.read(0, &mut head).with_context(|| format!("reading {name}"))?;
    ensure!(
        head.iter().all(|byte| *byte == 0),
        "{name} holds something, and no log\nhint: a peer is empty: `narrows-target serve --namespace ram:SIZE` there"
    );
    Ok(())
}

/// Whether each peer has what was written to it, and not what was written to another: two names may lead to one.
fn check_each(media: &[OpenMedium], first: &Superblock) -> Result<()> {
    for (number, medium) in (0..).zip(media) {
        let found = newest_on(&mut *medium.reader(false));
        let its = found.filter(|its| its.id == first.id && its.medium == number);
        ensure!(
            its.is_some(),
            "{} does not hold what was written to it\nhint: is it the same namespace as another of these, by another name?",
            medium.name()
        );
    }
    Ok(())
}
