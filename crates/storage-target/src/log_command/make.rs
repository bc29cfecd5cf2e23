//! Making a log.

use std::io;

use anyhow::{Context, Result, bail, ensure};
use narrows_log_tier::{
    GEOMETRY_HINT, Geometry, HEAD_BYTES, LEAST_CAPACITY, LogId, ReadMedium, Superblock,
};

use super::{MakeArguments, explained, names_of, say};
use crate::backing::FileDisk;
use crate::backing::logged::{
    Consents, Mark, MediumReader, check_named_once, check_no_log, identity_of, mark_of,
    medium_word, newest_of, now_ms, open_log, open_medium, power_of, write_superblock,
};
use crate::backing::open::open_file_or_device;
use crate::buffer::{Buffer, LARGEST};
use crate::key_maker::fill_random;
use crate::namespace::DiskSpec;

/// Smallest write of a log, bytes.
const UNIT: u32 = 4096;

pub(super) fn make(arguments: &MakeArguments) -> Result<()> {
    ensure!(arguments.log.len() <= 2, "a log is on one medium or two");
    let named = std::iter::once(&arguments.backing).chain(&arguments.log);
    check_named_once(named.map(|spec| spec.path.as_path())).map_err(explained)?;
    let backing = open_file_or_device(&arguments.backing).map_err(explained)?;
    check_no_log(&backing).map_err(explained)?;
    if let Mark::Log(other) = mark_of(&backing.file) {
        bail!(
            "{} has a log already, {other}, which may hold writes that it lacks\nhint: `narrows-target log flush` moves them; `log drop` drops them",
            backing.path().display()
        );
    }
    let media: Vec<FileDisk> = arguments.log.iter().map(medium_for).collect::<Result<_>>()?;
    let geometry = geometry_of(&media)?;
    for medium in media.iter().filter(|medium| !medium.is_device()) {
        // So that no write of the log has to find room first.
        fill(medium, geometry).with_context(|| format!("filling {}", medium.path().display()))?;
    }
    let mut id = [0; 16];
    fill_random(&mut id).context("the system has no randomness")?;
    let size =
        backing.size().with_context(|| format!("the size of {}", backing.path().display()))?;
    let identity = identity_of(&backing, arguments.backing.serial.as_deref());
    let identity = identity.with_context(|| format!("looking at {}", backing.path().display()))?;
    let first = Superblock {
        id: LogId(id),
        backing: identity,
        backing_bytes: size,
        geometry,
        media: media.len() as u8,
        medium: 0,
        acknowledge: arguments.acknowledge,
        members: (1 << media.len()) - 1,
        generation: 0,
        epoch: 1,
        tail: 0,
        tail_seq: 0,
        clean: true,
        time_ms: now_ms(),
    };
    // Both places, so that no log of before is left in one of them.
    for generation in [0, 1] {
        for (medium, disk) in (0..).zip(&media) {
            let superblock = Superblock { medium, generation, ..first };
            write_superblock(disk, &superblock)
                .with_context(|| format!("writing to {}", disk.path().display()))?;
        }
    }
    let medium_options: String =
        media.iter().map(|medium| format!(",log={}", medium.path().display())).collect();
    let kinds: String = media.iter().map(kind_line).collect();
    say(&format!(
        "log {} of {} bytes on {} for {}{kinds}\nserve it: narrows-target serve --namespace {}{medium_options} …",
        first.id,
        geometry.capacity,
        names_of(&media),
        backing.path().display(),
        backing.path().display(),
    ))
}

/// What a medium is, a line or two.
fn kind_line(medium: &FileDisk) -> String {
    let kind = format!("\n{}: {}", medium.path().display(), medium_word(&medium.file));
    match power_of(&medium.file) {
        Some(power) => format!("{kind}; {power}"),
        None => kind,
    }
}

/// A medium that holds nothing, or an empty log.
fn medium_for(spec: &DiskSpec) -> Result<FileDisk> {
    let path = spec.path.display();
    let keeps = DiskSpec { keep_contents: true, ..spec.clone() };
    let disk = open_medium(&keeps).map_err(explained)?;
    if newest_of(&disk).is_some() {
        // The lock is held by whoever has the file open.
        drop(disk);
        let log = open_log(
            std::slice::from_ref(spec),
            Consents { without_missing: true, ..Consents::default() },
        );
        let log = log.map_err(explained)?;
        ensure!(
            log.found.records.is_empty() && log.found.superblock.clean,
            "{path} holds log {} with {} records\nhint: `narrows-target log flush` moves them to their file; `log drop` drops them",
            log.found.superblock.id,
            log.found.records.len()
        );
        say(&format!("{path} holds the empty log {}, which goes", log.found.superblock.id))?;
        return log.media.into_iter().next().context("the medium that was opened");
    }
    if disk.is_device() {
        // Only a device without anything on it becomes a log.
        drop(disk);
        return open_medium(&DiskSpec { keep_contents: false, ..spec.clone() }).map_err(explained);
    }
    let mut head = vec![0; HEAD_BYTES as usize];
    let size = disk.size().with_context(|| format!("the size of {path}"))?;
    ensure!(size >= HEAD_BYTES + LEAST_CAPACITY, "{path} has {size} bytes\nhint: {GEOMETRY_HINT}");
    MediumReader::new(&disk.file).read(0, &mut head).with_context(|| format!("reading {path}"))?;
    ensure!(
        head.iter().all(|byte| *byte == 0),
        "{path} holds something, and no log\nhint: `truncate -s 1G NEW-FILE` makes an empty one"
    );
    Ok(disk)
}

fn geometry_of(media: &[FileDisk]) -> Result<Geometry> {
    // Drives of 512-byte blocks write 4 KiB at once as well: a record must not share these with the one before.
    let unit = UNIT;
    let mut smallest = u64::MAX;
    for medium in media {
        let path = medium.path().display();
        smallest = smallest.min(medium.size().with_context(|| format!("the size of {path}"))?);
    }
    Geometry::of_medium(smallest, unit)
        .with_context(|| format!("{} has {smallest} bytes\nhint: {GEOMETRY_HINT}", names_of(media)))
}

fn fill(medium: &FileDisk, geometry: Geometry) -> io::Result<()> {
    let mut zeros = Buffer::largest();
    zeros.bytes_mut(LARGEST).fill(0);
    let end = HEAD_BYTES + geometry.capacity;
    let mut at = 0;
    while at < end {
        let bytes = (end - at).min(LARGEST as u64);
        medium.write_all_at(zeros.bytes(bytes as usize), at)?;
        at += bytes;
    }
    medium.sync()
}
