//! `narrows-target cache`: makes caches of files and devices, and makes them ordinary again, while nobody serves them.

use std::io;
use std::os::unix::fs::FileExt;

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, Subcommand};
use rustix::fs::{FallocateFlags, SeekFrom};
use rustix::io::Errno;
use serde::Serialize;

use crate::backing::device_cache::{CacheSuperblock, HEAD_BYTES, ReadError, read_superblock};
use crate::backing::logged::now_ms;
use crate::backing::open::open_file_or_device;
use crate::backing::{FileDisk, LEAST_BYTES, OpenError};
use crate::buffer::{Buffer, LARGEST};
use crate::key_maker::fill_random;
use crate::log_command::{disk_of, explained};
use crate::namespace::DiskSpec;
use crate::output::{Notes, Report, report};
use crate::room::{SMALLER_FILE, check_room, give_back};

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

    /// As JSON: what was done, as an object.
    #[arg(long)]
    json: bool,
}

/// A cache that was made.
#[derive(Debug, Serialize)]
struct CacheMade {
    cache: String,
    path: String,
    capacity_bytes: u64,
    /// What `serve --namespace` takes behind what it is to be in front of.
    option: String,
    notes: Vec<String>,
}

impl Report for CacheMade {
    fn text(&self) -> String {
        let CacheMade { cache, path, capacity_bytes, option, .. } = self;
        format!(
            "cache {cache} for {capacity_bytes} bytes on {path}\nserve it: narrows-target serve --namespace FILE,{option} …"
        )
    }
}

/// A cache that is gone.
#[derive(Debug, Serialize)]
struct CacheDropped {
    cache: String,
    path: String,
    /// file or block device.
    kind: &'static str,
    /// Whether pages of it are still there, which nothing takes for a cache any more.
    pages_left: bool,
}

impl Report for CacheDropped {
    fn text(&self) -> String {
        let left = match (self.pages_left, self.kind) {
            (false, _) => ", and the file is empty",
            (true, "file") => "; pages of it are left in the file",
            (true, _) => "; pages of it are left on the device: `blkdiscard` takes them away",
        };
        format!("cache {} on {} is gone{left}", self.cache, self.path)
    }
}

/// Does it.
pub(crate) fn run(verb: CacheVerb) -> Result<()> {
    match verb {
        CacheVerb::Make(arguments) => make(&arguments),
        CacheVerb::Drop(arguments) => drop_cache(&arguments),
    }
}

fn make(arguments: &CacheArguments) -> Result<()> {
    let (spec, notes) = (&arguments.cache, Notes::new(arguments.json));
    let disk = empty_disk(spec, &notes)?;
    let path = disk.path().display();
    let bytes = disk.size().with_context(|| format!("the size of {path}"))?;
    ensure!(
        bytes >= HEAD_BYTES + LEAST_BYTES,
        "{path} has {bytes} bytes, and a cache needs {}\nhint: `truncate -s SIZE FILE` makes a file larger",
        HEAD_BYTES + LEAST_BYTES
    );
    if !disk.is_device() {
        // So that no page has to find room first.
        check_room(&disk, bytes, SMALLER_FILE)?;
        match rustix::fs::fallocate(&disk.file, FallocateFlags::empty(), 0, bytes) {
            Ok(()) => {}
            Err(Errno::OPNOTSUPP) => notes.add(&format!(
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
    let superblock = CacheSuperblock { id, made_ms: now_ms(), life: 0 };
    write_head(&disk, &superblock.to_page()).with_context(|| format!("writing to {path}"))?;
    let serial = spec.serial.as_ref().map(|serial| format!(",cache-serial={serial}"));
    let done = CacheMade {
        cache: superblock.name(),
        path: path.to_string(),
        capacity_bytes: bytes - HEAD_BYTES,
        option: format!("cache={path}{}", serial.unwrap_or_default()),
        notes: notes.kept(),
    };
    report(&done, arguments.json)
}

/// A file or device that holds nothing, or a cache.
fn empty_disk(spec: &DiskSpec, notes: &Notes) -> Result<FileDisk> {
    let disk = open_file_or_device(spec).map_err(explained)?;
    let path = disk.path().display().to_string();
    match read_superblock(&disk) {
        Ok(superblock) => {
            notes.add(&format!("{path} is the cache {}, which goes", superblock.name()))?;
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

fn drop_cache(arguments: &CacheArguments) -> Result<()> {
    let disk = open_file_or_device(&arguments.cache).map_err(explained)?;
    let path = disk.path().display();
    let superblock = match read_superblock(&disk) {
        Ok(superblock) => superblock,
        Err(ReadError::System(error)) => return Err(error).context(format!("reading {path}")),
        Err(ReadError::None(_)) => bail!("{path} is no cache\nhint: nothing was changed"),
    };
    write_head(&disk, &[]).with_context(|| format!("writing to {path}"))?;
    let pages_left = disk.is_device() || {
        let bytes = disk.size().with_context(|| format!("the size of {path}"))?;
        let holes = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        rustix::fs::fallocate(&disk.file, holes, 0, bytes).is_err()
    };
    let done = CacheDropped {
        cache: superblock.name(),
        path: path.to_string(),
        kind: if disk.is_device() { "block device" } else { "file" },
        pages_left,
    };
    report(&done, arguments.json)
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
