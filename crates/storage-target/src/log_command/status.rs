//! Showing a log.

use std::fs::File;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use anyhow::{Context, Result};
use narrows_initiator::Address;
use narrows_log_tier::{Acknowledge, HEAD_BYTES, LogContents, ReadMedium, scan};
use rustix::fs::{FlockOperation, OFlags};
use serde::Serialize;

use super::{StatusArguments, say};
use crate::backing::logged::{
    MediumReader, PEER_WORD, Peer, medium_word, newest_on, now_ms, power_of, power_of_copies,
};
use crate::namespace::LogMediumSpec;
use crate::spec::check_places;

/// A log, as it is shown.
#[derive(Debug, Serialize)]
struct LogStatus {
    log: String,
    /// A target has it in use, so that what was read may have changed meanwhile.
    in_use: bool,
    state: &'static str,
    media: u8,
    /// What each of those that were named is: file, block device, or persistent memory and how it is written.
    media_kinds: Vec<String>,
    /// What the platform says of a loss of power, of each that is persistent memory.
    media_power: Vec<Option<String>>,
    /// Those that are in use, by their numbers.
    members: Vec<u8>,
    acknowledge: &'static str,
    /// How many peers have each write before it is answered, where it is on peers.
    copies: Option<u8>,
    /// Those that were named.
    peers: Vec<PeerStatus>,
    /// Hash of the identity of what it is for.
    backing: String,
    backing_bytes: u64,
    capacity_bytes: u64,
    unit_bytes: u32,
    epoch: u64,
    generation: u64,
    /// Records that its file or device may lack; none where a medium is not read that may have others.
    records: Option<usize>,
    record_bytes: Option<u64>,
    /// Size of a file that is smaller than the log on it.
    short_bytes: Option<u64>,
    /// Where reading ended because what follows can't be read.
    unreadable: Option<String>,
    oldest_age_ms: Option<u64>,
    newest_age_ms: Option<u64>,
}

/// A peer, as it is shown.
#[derive(Debug, Serialize)]
struct PeerStatus {
    address: String,
    /// ok; gone, where it holds no log; behind, where it holds another life of it; not reached.
    state: &'static str,
    reason: Option<String>,
    /// Its number in the log.
    medium: Option<u8>,
}

pub(super) fn status(arguments: &StatusArguments) -> Result<()> {
    check_places(&arguments.log)?;
    let peers = arguments.log.iter().filter_map(|place| match place {
        LogMediumSpec::Peer(address) => Some(&**address),
        LogMediumSpec::Disk(_) => None,
    });
    let peers: Vec<&Address> = peers.collect();
    let paths: Vec<&Path> = arguments.log.iter().filter_map(LogMediumSpec::path).collect();
    let (status, found) =
        if peers.is_empty() { status_of_disks(&paths)? } else { status_of_peers(&peers)? };
    if arguments.json {
        say(&serde_json::to_string_pretty(&status)?)
    } else {
        say(&text_of(&status, &found))
    }
}

fn status_of_disks(paths: &[&Path]) -> Result<(LogStatus, LogContents)> {
    let files: Vec<File> = paths.iter().map(|path| open_to_read(path)).collect::<Result<_>>()?;
    let in_use = files.iter().zip(paths).any(|(file, path)| is_in_use(file, path));
    let mut readers: Vec<MediumReader<'_>> = files.iter().map(MediumReader::new).collect();
    let mut given: Vec<&mut dyn ReadMedium> = Vec::new();
    given.extend(readers.iter_mut().map(|reader| reader as &mut dyn ReadMedium));
    let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let found = scan(&mut given, true).with_context(|| names.join(" and "))?;
    let sizes = files.iter().filter_map(|file| file.metadata().ok()).filter(|it| it.is_file());
    let needed = HEAD_BYTES + found.superblock.geometry.capacity;
    let short = sizes.map(|it| it.len()).find(|bytes| *bytes < needed);
    let status = LogStatus {
        media_kinds: files.iter().map(medium_word).collect(),
        media_power: files.iter().map(power_of).collect(),
        ..status_of(&found, in_use, short)
    };
    Ok((status, found))
}

fn status_of_peers(addresses: &[&Address]) -> Result<(LogStatus, LogContents)> {
    let opened: Vec<_> = addresses.iter().map(|address| Peer::open(address, None)).collect();
    let here: Vec<&Peer> = opened.iter().filter_map(|peer| peer.as_ref().ok()).collect();
    let in_use = here.iter().any(|peer| peer.is_reserved().unwrap_or(false));
    let mut readers: Vec<_> = here.iter().map(|peer| peer.reader(true)).collect();
    let mut given: Vec<&mut dyn ReadMedium> = Vec::new();
    given.extend(readers.iter_mut().map(|reader| reader as &mut dyn ReadMedium));
    let names: Vec<String> = addresses.iter().map(ToString::to_string).collect();
    let found = scan(&mut given, true).with_context(|| names.join(" and "))?;
    let mut peers = Vec::new();
    for (address, peer) in names.into_iter().zip(&opened) {
        let (state, reason, medium) = match peer {
            Err(error) => ("not reached", Some(error.to_string()), None),
            Ok(peer) => match newest_on(&mut peer.reader(false)) {
                None => ("gone", Some("it holds no log".to_string()), None),
                Some(its) if its.epoch != found.superblock.epoch => {
                    let reason = format!("it holds life {}", its.epoch);
                    ("behind", Some(reason), None)
                }
                Some(its) => ("ok", None, Some(its.medium)),
            },
        };
        peers.push(PeerStatus { address, state, reason, medium });
    }
    let kinds = vec![PEER_WORD.to_string(); peers.len()];
    let status = LogStatus { media_kinds: kinds, peers, ..status_of(&found, in_use, None) };
    Ok((status, found))
}

fn open_to_read(path: &Path) -> Result<File> {
    let named = || path.display().to_string();
    let is_device = std::fs::metadata(path)
        .map(|metadata| FileTypeExt::is_block_device(&metadata.file_type()))
        .with_context(named)?;
    if is_device {
        let device = narrows_raw::open_for_reading(&named(), true).with_context(named)?;
        return device.file().try_clone().with_context(named);
    }
    let file = narrows_files::open_plain(path).with_context(named)?;
    // Past the page cache, which may hold what a target wrote past it.
    if let Ok(flags) = rustix::fs::fcntl_getfl(&file) {
        let _ = rustix::fs::fcntl_setfl(&file, flags | OFlags::DIRECT);
    }
    Ok(file)
}

fn is_in_use(file: &File, path: &Path) -> bool {
    let is_device = file.metadata().is_ok_and(|it| FileTypeExt::is_block_device(&it.file_type()));
    if is_device {
        // Whoever serves a device holds it alone.
        let alone = File::options().read(true).custom_flags(libc::O_EXCL).open(path);
        return alone.is_err_and(|error| error.raw_os_error() == Some(libc::EBUSY));
    }
    let locked = rustix::fs::flock(file, FlockOperation::NonBlockingLockShared);
    let _ = rustix::fs::flock(file, FlockOperation::Unlock);
    locked.is_err()
}

fn status_of(found: &LogContents, in_use: bool, short_bytes: Option<u64>) -> LogStatus {
    let superblock = &found.superblock;
    let age = |ms: u64| now_ms().saturating_sub(ms);
    let members = (0..superblock.media).filter(|medium| superblock.members >> medium & 1 == 1);
    let members: Vec<u8> = members.collect();
    LogStatus {
        log: superblock.id.to_string(),
        in_use,
        state: match (found.records.len(), members.len() < usize::from(superblock.media)) {
            _ if short_bytes.is_some() => "damaged",
            _ if found.missing != 0 => "not read whole",
            (_, true) => "degraded",
            (0, _) => "empty",
            (_, false) => "holds records",
        },
        media: superblock.media,
        media_kinds: Vec::new(),
        media_power: Vec::new(),
        members,
        acknowledge: match superblock.acknowledge {
            Acknowledge::First => "first",
            Acknowledge::All => "all",
            Acknowledge::Copies(_) => "copies",
        },
        copies: found.copies(),
        peers: Vec::new(),
        backing: superblock.backing.iter().map(|byte| format!("{byte:02x}")).collect(),
        backing_bytes: superblock.backing_bytes,
        capacity_bytes: superblock.geometry.capacity,
        unit_bytes: superblock.geometry.unit,
        epoch: superblock.epoch,
        generation: superblock.generation,
        records: (found.missing == 0).then_some(found.records.len()),
        record_bytes: (found.missing == 0)
            .then(|| found.records.iter().map(|record| record.header.bytes).sum()),
        short_bytes,
        unreadable: found.unreadable.clone(),
        oldest_age_ms: found.records.first().map(|record| age(record.header.time_ms)),
        newest_age_ms: found.records.last().map(|record| age(record.header.time_ms)),
    }
}

fn text_of(status: &LogStatus, found: &LogContents) -> String {
    let LogStatus { log, capacity_bytes, backing_bytes, epoch, .. } = status;
    let used = match status.in_use {
        true => {
            ", in use by a target now, or reserved by one that has ended: what it holds may change while it is read"
        }
        false => "",
    };
    let mut text = format!(
        "log {log}: {}{used}\nfor something of {backing_bytes} bytes; {capacity_bytes} bytes of room; life {epoch}",
        status.state
    );
    let here = found.numbers.iter().flatten().count();
    let media = match (status.media, status.acknowledge) {
        (_, "copies") => return text + &text_of_copies(status, found),
        (1, _) => "one medium".to_string(),
        (_, "all") => format!("two media, {here} of them read; either is enough after a crash"),
        (_, _) => format!("two media, {here} of them read; both are needed after a crash"),
    };
    text.push_str(&format!("\n{media}: {}", status.media_kinds.join(" and ")));
    if status.members.len() < usize::from(status.media) {
        text.push_str(&format!(
            "; medium {} alone is in use: the other failed\nhint: stop the target, `narrows-target log flush`, then `log make` on two media",
            status.members.first().copied().unwrap_or(0)
        ));
    }
    for power in status.media_power.iter().flatten() {
        text.push_str(&format!("\n{power}"));
    }
    if found.missing != 0 {
        let missing = found.missing.trailing_zeros();
        return text + &format!("\nwhat it holds is not known: medium {missing} is not read");
    }
    if let Some(bytes) = status.short_bytes {
        return text
            + &format!(
                "\na medium has {bytes} bytes: it was made smaller, and can't be used as it is"
            );
    }
    if let Some(what) = &status.unreadable {
        text.push_str(&format!("\nit can't be read to its end: {what}"));
    }
    text + &text_of_records(status)
}

fn text_of_records(status: &LogStatus) -> String {
    match (status.oldest_age_ms, status.newest_age_ms) {
        (Some(oldest), Some(newest)) => format!(
            "\n{} records with {} bytes that its file may lack, appended {:.1} to {:.1} s ago",
            status.records.unwrap_or(0),
            status.record_bytes.unwrap_or(0),
            oldest as f64 / 1e3,
            newest as f64 / 1e3
        ),
        _ => "\nno records: its file has all that was acknowledged".to_string(),
    }
}

/// What is said of a log on peers beyond its name.
fn text_of_copies(status: &LogStatus, found: &LogContents) -> String {
    let (copies, media) = (status.copies.unwrap_or(0), status.media);
    let mut text =
        format!("\neach write on {copies} of {media} peers; fewer than {copies} may be lost");
    for PeerStatus { address, state, reason, .. } in &status.peers {
        let reason = reason.as_ref().map_or_else(String::new, |reason| format!(", {reason}"));
        text.push_str(&format!("\npeer {address}: {state}{reason}"));
    }
    text.push_str(&format!("\n{}", power_of_copies(copies, media)));
    if found.missing != 0 {
        return text
            + "\nwhat it holds is not known: so many of its peers are not read that records may be on these alone";
    }
    text + &text_of_records(status)
}
