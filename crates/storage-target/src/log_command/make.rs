//! Making a log.

use anyhow::{Context, Result, bail, ensure};
use narrows_log_tier::{
    Acknowledge, GEOMETRY_HINT, Geometry, HEAD_BYTES, LEAST_CAPACITY, LogId, ReadMedium, Superblock,
};

use super::made::LogMade;
use super::make_copies::make_copies;
use super::{MakeArguments, Notes, explained, names_of, report};
use crate::backing::FileDisk;
use crate::backing::logged::{
    Consents, Mark, MediumReader, OpenMedium, check_named_once, check_no_log, identity_of, mark_of,
    newest_of, now_ms, open_log, open_medium,
};
use crate::backing::open::open_file_or_device;
use crate::key_maker::fill_random;
use crate::namespace::{DiskSpec, LogMediumSpec};
use crate::room::{SMALLER_FILE, check_room, fill_with_zeros, give_back};
use crate::spec::check_places;

/// Smallest write of a log, bytes.
const UNIT: u32 = 4096;

pub(super) fn make(arguments: &MakeArguments) -> Result<()> {
    check_places(&arguments.log)?;
    let named = arguments.log.iter().filter_map(LogMediumSpec::path);
    let named = std::iter::once(arguments.backing.path.as_path()).chain(named);
    check_named_once(named).map_err(explained)?;
    let backing = open_file_or_device(&arguments.backing).map_err(explained)?;
    check_no_log(&backing).map_err(explained)?;
    if let Mark::Log { id: other, .. } = mark_of(&backing.file) {
        bail!(
            "{} has a log already, {other}, which may hold writes that it lacks\nhint: `narrows-target log flush` moves them; `log drop` drops them",
            backing.path().display()
        );
    }
    if arguments.log.iter().any(|place| matches!(place, LogMediumSpec::Peer(_))) {
        return make_copies(arguments, &backing);
    }
    ensure!(
        arguments.copies.is_none(),
        "--copies is of a log on peers, `--log nvme-tcp://…`\nhint: of two media, --acknowledge says which have a write before it is answered"
    );
    let notes = Notes::new(arguments.json);
    let disks = arguments.log.iter().filter_map(|place| match place {
        LogMediumSpec::Disk(spec) => Some(medium_for(spec, &notes)),
        LogMediumSpec::Peer(_) => None,
    });
    let media: Vec<OpenMedium> = disks.collect::<Result<_>>()?;
    let geometry = geometry_of(&media)?;
    for medium in &media {
        // So that no write of the log has to find room first.
        let OpenMedium::Disk(disk) = medium else { continue };
        if !disk.is_device() {
            let bytes = HEAD_BYTES + geometry.capacity;
            check_room(disk, bytes, SMALLER_FILE)?;
            if let Err(error) = fill_with_zeros(disk, 0..bytes) {
                give_back(disk, bytes);
                return Err(error).with_context(|| format!("filling {}", medium.name()));
            }
        }
    }
    let first = first_superblock(arguments, &backing, &media, arguments.acknowledge)?;
    write_both(&media, first)?;
    report(&LogMade::of(&first, &backing, &media, &notes), arguments.json)
}

/// The first superblock of a log on these media.
pub(super) fn first_superblock(
    arguments: &MakeArguments,
    backing: &FileDisk,
    media: &[OpenMedium],
    acknowledge: Acknowledge,
) -> Result<Superblock> {
    let path = backing.path().display();
    let mut id = [0; 16];
    fill_random(&mut id).context("the system has no randomness")?;
    let size = backing.size().with_context(|| format!("the size of {path}"))?;
    let identity = identity_of(backing, arguments.backing.serial.as_deref());
    let identity = identity.with_context(|| format!("looking at {path}"))?;
    Ok(Superblock {
        id: LogId(id),
        backing: identity,
        backing_bytes: size,
        geometry: geometry_of(media)?,
        media: media.len() as u8,
        medium: 0,
        acknowledge,
        members: u8::MAX >> (8 - media.len()),
        generation: 0,
        epoch: 1,
        before: 0,
        tail: 0,
        tail_seq: 0,
        clean: true,
        time_ms: now_ms(),
    })
}

/// Writes a superblock to both places, so that no log of before is left in one of them.
pub(super) fn write_both(media: &[OpenMedium], first: Superblock) -> Result<()> {
    for generation in [0, 1] {
        for (number, medium) in (0..).zip(media) {
            let superblock = Superblock { medium: number, generation, ..first };
            medium
                .write_superblock(&superblock)
                .with_context(|| format!("writing to {}", medium.name()))?;
        }
    }
    Ok(())
}

/// A medium that holds nothing, or an empty log.
fn medium_for(spec: &DiskSpec, notes: &Notes) -> Result<OpenMedium> {
    let path = spec.path.display();
    let keeps = DiskSpec { keep_contents: true, ..spec.clone() };
    let disk = open_medium(&keeps).map_err(explained)?;
    if newest_of(&disk).is_some() {
        // The lock is held by whoever has the file open.
        drop(disk);
        let log = open_log(
            &[LogMediumSpec::Disk(spec.clone())],
            None,
            Consents { without_missing: true, ..Consents::default() },
        );
        let log = log.map_err(explained)?;
        ensure!(
            log.found.records.is_empty() && log.found.superblock.clean,
            "{path} holds log {} with {} records\nhint: `narrows-target log flush` moves them to their file; `log drop` drops them",
            log.found.superblock.id,
            log.found.records.len()
        );
        let id = log.found.superblock.id;
        notes.add(&format!("{path} holds the empty log {id}, which goes"))?;
        return log.media.into_iter().next().context("the medium that was opened");
    }
    if disk.is_device() {
        // Only a device without anything on it becomes a log.
        drop(disk);
        let empty = open_medium(&DiskSpec { keep_contents: false, ..spec.clone() });
        return empty.map(|disk| OpenMedium::Disk(Box::new(disk))).map_err(explained);
    }
    let mut head = vec![0; HEAD_BYTES as usize];
    let size = disk.size().with_context(|| format!("the size of {path}"))?;
    ensure!(size >= HEAD_BYTES + LEAST_CAPACITY, "{path} has {size} bytes\nhint: {GEOMETRY_HINT}");
    MediumReader::new(&disk.file).read(0, &mut head).with_context(|| format!("reading {path}"))?;
    ensure!(
        head.iter().all(|byte| *byte == 0),
        "{path} holds something, and no log\nhint: `truncate -s 1G NEW-FILE` makes an empty one"
    );
    Ok(OpenMedium::Disk(Box::new(disk)))
}

fn geometry_of(media: &[OpenMedium]) -> Result<Geometry> {
    // Drives of 512-byte blocks write 4 KiB at once as well: a record must not share these with the one before.
    let unit = UNIT;
    let mut smallest = u64::MAX;
    for medium in media {
        let name = medium.name();
        smallest = smallest.min(medium.size().with_context(|| format!("the size of {name}"))?);
    }
    Geometry::of_medium(smallest, unit)
        .with_context(|| format!("{} has {smallest} bytes\nhint: {GEOMETRY_HINT}", names_of(media)))
}
