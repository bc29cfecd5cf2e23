//! `narrows-target cache`: makes caches of files and devices, and makes them ordinary again, while nobody serves them.

use std::io;
use std::os::unix::fs::FileExt;

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, Subcommand};
use rustix::fs::{FallocateFlags, SeekFrom};
use rustix::io::Errno;

use crate::backing::device_cache::{CacheSuperblock, HEAD_BYTES, ReadError, read_superblock};
use crate::backing::logged::now_ms;
use crate::backing::open::open_file_or_device;
use crate::backing::{FileDisk, LEAST_BYTES, OpenError};
use crate::buffer::{Buffer, LARGEST};
use crate::key_maker::fill_random;
use crate::log_command::{disk_of, explained};
use crate::namespace::DiskSpec;
use crate::output::say;
use crate::room::{check_room, give_back};

/// What is to be done with a cache.
#[derive(Debug, Subcommand)]
pub(crate) enum CacheVerb {
    /// Makes a cache of an empty file or device.
    #[command(after_help = crate::arguments::CACHE_EXAMPLES)]
    Make(CacheArguments),
    /// Makes an ordinary file or device of a cache. Nothing is lost by it: all that a cache holds is elsewhere.
    #[command(after_help = crate::arguments::CACHE_EXAMPLES)]
    Drop(CacheArguments),
}

#[derive(Debug, Args)]
pub(crate) struct CacheArguments {
    /// The file or device, of 1.25 MiB or more; for a device with its own serial: DEVICE,serial=S.
    #[arg(value_name = "WHAT", value_parser = disk_of)]
    cache: DiskSpec,
}

/// Does it.
pub(crate) fn run(verb: CacheVerb) -> Result<()> {
    match verb {
        CacheVerb::Make(arguments) => make(&arguments.cache),
        CacheVerb::Drop(arguments) => drop_cache(&arguments.cache),
    }
}

fn make(spec: &DiskSpec) -> Result<()> {
    let disk = empty_disk(spec)?;
    let path = disk.path().display();
    let bytes = disk.size().with_context(|| format!("the size of {path}"))?;
    ensure!(
        bytes >= HEAD_BYTES + LEAST_BYTES,
        "{path} has {bytes} bytes, and a cache needs {}\nhint: `truncate -s SIZE FILE` makes a file larger",
        HEAD_BYTES + LEAST_BYTES
    );
    if !disk.is_device() {
        // So that no page has to find room first.
        check_room(&disk, bytes)?;
        match rustix::fs::fallocate(&disk.file, FallocateFlags::empty(), 0, bytes) {
            Ok(()) => {}
            Err(Errno::OPNOTSUPP) => say(&format!(
                "{path}: its file system sets no room aside; when it is full, the cache turns itself off"
            ))?,
            Err(error) => {
                give_back(&disk, bytes);
                return Err(io::Error::from(error))
                    .with_context(|| format!("setting {bytes} bytes aside for {path}"));
            }
        }
    }
    let mut id = [0; 16];
    fill_random(&mut id).context("the system has no randomness")?;
    let superblock = CacheSuperblock { id, made_ms: now_ms() };
    write_head(&disk, &superblock.to_page()).with_context(|| format!("writing to {path}"))?;
    let serial = spec.serial.as_ref().map(|serial| format!(",cache-serial={serial}"));
    say(&format!(
        "cache {} for {} bytes on {path}\nserve it: narrows-target serve --namespace FILE,cache={path}{} …",
        superblock.name(),
        bytes - HEAD_BYTES,
        serial.unwrap_or_default()
    ))
}

/// A file or device that holds nothing, or a cache.
fn empty_disk(spec: &DiskSpec) -> Result<FileDisk> {
    let disk = open_file_or_device(spec).map_err(explained)?;
    let path = disk.path().display().to_string();
    match read_superblock(&disk) {
        Ok(superblock) => {
            say(&format!("{path} is the cache {}, which goes", superblock.name()))?;
            return Ok(disk);
        }
        Err(ReadError::System(error)) => return Err(error).context(format!("reading {path}")),
        Err(ReadError::None(_)) => {}
    }
    if disk.is_device() {
        // Only a device without anything on it becomes a cache. The first one has it exclusively.
        drop(disk);
        let empty = DiskSpec { keep_contents: false, ..spec.clone() };
        return open_file_or_device(&empty).map_err(|error| explained(of_a_device(error)));
    }
    if let Some(at) = first_byte(&disk).with_context(|| format!("reading {path}"))? {
        bail!(
            "{path} holds something, at byte {at}, and is no cache\nhint: `truncate -s 100G NEW-FILE` makes an empty file"
        );
    }
    Ok(disk)
}

/// What is on a device is to be taken away by whoever knows that nobody needs it, and not by an option of this command.
fn of_a_device(error: OpenError) -> OpenError {
    match error {
        OpenError::Refused { path, reason, hint } if hint.contains("contents=keep") => {
            let hint = "only an empty device becomes a cache: where nobody needs what is on it, `blkdiscard` or `wipefs --all` empties it";
            OpenError::Refused { path, reason, hint }
        }
        other => other,
    }
}

/// Where the first byte of a file is that isn't zero.
fn first_byte(disk: &FileDisk) -> io::Result<Option<u64>> {
    let mut buffer = Buffer::largest();
    let mut at = 0;
    loop {
        // Where nothing was ever written, nothing is read.
        at = match rustix::fs::seek(&disk.file, SeekFrom::Data(at)) {
            Ok(data) => data / CHUNK * CHUNK,
            Err(Errno::NXIO) => return Ok(None),
            Err(Errno::INVAL) => at,
            Err(error) => return Err(error.into()),
        };
        let read = disk.file.read_at(buffer.bytes_mut(LARGEST), at)?;
        if let Some(found) = buffer.bytes(read).iter().position(|byte| *byte != 0) {
            return Ok(Some(at + found as u64));
        }
        if read == 0 {
            return Ok(None);
        }
        at += CHUNK;
    }
}

/// What is read at once, bytes.
const CHUNK: u64 = LARGEST as u64;

fn drop_cache(spec: &DiskSpec) -> Result<()> {
    let disk = open_file_or_device(spec).map_err(explained)?;
    let path = disk.path().display();
    let superblock = match read_superblock(&disk) {
        Ok(superblock) => superblock,
        Err(ReadError::System(error)) => return Err(error).context(format!("reading {path}")),
        Err(ReadError::None(_)) => bail!("{path} is no cache\nhint: nothing was changed"),
    };
    write_head(&disk, &[]).with_context(|| format!("writing to {path}"))?;
    let left = if disk.is_device() {
        "; pages of it are left on the device: `blkdiscard` takes them away"
    } else {
        let bytes = disk.size().with_context(|| format!("the size of {path}"))?;
        let holes = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        match rustix::fs::fallocate(&disk.file, holes, 0, bytes) {
            Ok(()) => ", and the file is empty",
            Err(_) => "; pages of it are left in the file",
        }
    };
    say(&format!("cache {} on {path} is gone{left}", superblock.name()))
}

/// Writes the first mebibyte, of which `page` is the beginning and the rest zeros, durably.
fn write_head(disk: &FileDisk, page: &[u8]) -> io::Result<()> {
    let mut head = Buffer::largest();
    let bytes = head.bytes_mut(HEAD_BYTES as usize);
    bytes.fill(0);
    bytes[..page.len()].copy_from_slice(page);
    disk.write_all_at(bytes, 0)?;
    disk.sync()
}
