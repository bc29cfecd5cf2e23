//! Where one load works: a file of ours on a file system, a raw device that is only read, or one that may be written.

use std::path::{Path, PathBuf};

use anyhow::Result;
use narrows_engine::{Context, Scratch};
use narrows_facts::Live;
use narrows_io::{Target, TestFile};
use narrows_layer_block::{Region, prepare};
use narrows_model::Platform;
use narrows_raw::{Consent, Device, WritableDevice, inspect, open_for_writing, would_lose};

use super::place;
use crate::args::block::SpotArgs;
use crate::failure::Failure;
use crate::session::scratch;

/// The seed of a log's file differs from that of the data's by this.
const LOG_SEED: u64 = 0x106_0000_0000;

/// What was asked for.
pub enum Spot {
    /// Files of ours in this folder.
    Folder(PathBuf),
    /// This device, which is only read.
    Device(Box<Device>),
    /// This device, which may be written.
    Consented(Box<Device>, Consent),
}

/// The spot that the arguments name.
///
/// # Errors
/// It isn't there, or it may not be written.
pub fn spot(args: &SpotArgs) -> Result<Spot> {
    if let Some((device, consent)) = place::consented(&args.consent)? {
        if args.device.is_some() || args.place.at.is_some() {
            return Err(Failure::hinted(
                "--write-to-device names what is measured, and --device or --at something else",
                "leave one of them out",
            ));
        }
        return Ok(Spot::Consented(Box::new(device), consent));
    }
    match &args.device {
        Some(path) => Ok(Spot::Device(Box::new(inspect(&Live, path)?))),
        None => Ok(Spot::Folder(place::folder(&args.place)?)),
    }
}

impl Spot {
    /// Its name.
    pub fn name(&self) -> String {
        match self {
            Spot::Folder(folder) => folder.display().to_string(),
            Spot::Device(device) | Spot::Consented(device, _) => device.node.clone(),
        }
    }

    /// The machine with the path under it.
    pub fn machine(&self) -> Platform {
        match self {
            Spot::Folder(folder) => place::machine_of_folder(folder),
            Spot::Device(device) | Spot::Consented(device, _) => {
                let mut platform = narrows_platform::discover(&Live, &[]);
                platform.roles.push(place::path_of_device(device));
                platform
            }
        }
    }

    /// Folders in which files are made.
    pub fn folders(&self) -> Vec<&Path> {
        match self {
            Spot::Folder(folder) => vec![folder],
            Spot::Device(_) | Spot::Consented(..) => Vec::new(),
        }
    }

    /// Whether it may be written: files of ours, and devices with consent.
    pub fn writable(&self) -> bool {
        !matches!(self, Spot::Device(_))
    }

    /// Refuses a device that a running database uses.
    ///
    /// # Errors
    /// Such a device, without `load_here`.
    pub fn guard(&self, load_here: bool) -> Result<()> {
        match self {
            Spot::Folder(_) => Ok(()),
            Spot::Device(device) | Spot::Consented(device, _) => {
                place::guard_device(device, load_here)
            }
        }
    }

    /// What writing so many bytes would destroy; nothing where nothing of others is written.
    pub fn losses(&self, writes_bytes: u64) -> Vec<String> {
        match self {
            Spot::Consented(device, _) => would_lose(device, writes_bytes),
            Spot::Folder(_) | Spot::Device(_) => Vec::new(),
        }
    }

    /// Bytes of files that have to be written first, for data and a log of that size.
    pub fn fill_bytes(&self, data_bytes: u64, log_bytes: u64) -> u64 {
        match self {
            Spot::Folder(_) => data_bytes + log_bytes,
            Spot::Device(_) | Spot::Consented(..) => 0,
        }
    }

    /// Opens it, or makes its files: `data_bytes` for the load, and `log_bytes` for a log beside it unless that is zero. Of a
    /// device the log gets the end.
    ///
    /// # Errors
    /// What opening or writing gave; nothing is left behind.
    pub fn open(
        &self,
        ctx: &Context<'_>,
        id: &str,
        data_bytes: u64,
        log_bytes: u64,
    ) -> Result<Opened> {
        match self {
            Spot::Folder(folder) => {
                let scratch = scratch(folder, id)?;
                let data = prepare(ctx, scratch.path(), data_bytes, ctx.seed)?;
                let mut opened = Opened {
                    data: Region::of(&data),
                    log: None,
                    files: vec![data],
                    held: None,
                    scratch: Some(scratch),
                };
                if log_bytes > 0 {
                    let dir = opened.scratch.as_ref().expect("it was just put there").path();
                    let log = prepare(ctx, dir, log_bytes, ctx.seed ^ LOG_SEED)?;
                    opened.log = Some(Region::of(&log));
                    opened.files.push(log);
                }
                Ok(opened)
            }
            Spot::Device(device) => {
                let target = Target::open_read(Path::new(&device.node), true)?;
                Ok(Opened::device(Region::from(target), None, None))
            }
            Spot::Consented(_, consent) => {
                let held = open_for_writing(consent, false)?;
                let whole = Region::from(Target::open_write_held(&held.path(), true)?);
                let data_bytes = whole.bytes().saturating_sub(log_bytes);
                let data = whole.part(0, data_bytes)?;
                let log =
                    if log_bytes > 0 { Some(whole.part(data_bytes, log_bytes)?) } else { None };
                Ok(Opened::device(data, log, Some(held)))
            }
        }
    }
}

/// An open spot. What was made goes with it.
pub struct Opened {
    /// Where the load works.
    pub data: Region,
    /// Where a log is written.
    pub log: Option<Region>,
    files: Vec<TestFile>,
    held: Option<WritableDevice>,
    scratch: Option<Scratch>,
}

impl Opened {
    fn device(data: Region, log: Option<Region>, held: Option<WritableDevice>) -> Self {
        Opened { data, log, files: Vec::new(), held, scratch: None }
    }

    /// Lets go: files before their folder, handles before the claim.
    pub fn close(self) {
        let Opened { data, log, files, held, scratch } = self;
        drop((data, log));
        drop(files);
        drop(held);
        drop(scratch);
    }
}
