//! Where one load works: a file of ours on a file system, a raw device that is only read, or one that may be written.

use std::path::{Path, PathBuf};

use anyhow::Result;
use narrows_engine::{Context, Scratch};
use narrows_facts::Live;
use narrows_io::{Target, TestFile};
use narrows_layer_block::{Region, prepare};
use narrows_model::Platform;
use narrows_raw::{Consent, Device, WritableDevice, inspect, open_for_writing, would_lose};

use super::folder;
use crate::preflight;
use crate::request::block::TargetRequest;
use crate::session::scratch;

/// The seed of a log's file differs from that of the data's by this.
const LOG_SEED: u64 = 0x106_0000_0000;

/// What was asked for.
pub enum BlockTarget {
    /// Files of ours in this folder.
    Folder(PathBuf),
    /// This device, which is only read.
    Device(Box<Device>),
    /// This device, which may be written.
    Consented(Box<Device>, Consent),
}

/// What was asked for, as it is found.
///
/// # Errors
/// It isn't there, or it may not be written.
pub fn find(request: &TargetRequest) -> Result<BlockTarget> {
    Ok(match request {
        TargetRequest::Folder(path) => BlockTarget::Folder(folder::folder(path)?),
        TargetRequest::ReadDevice(path) => BlockTarget::Device(Box::new(inspect(&Live, path)?)),
        TargetRequest::WriteDevice(given) => {
            let (device, consent) = folder::consented(given)?;
            BlockTarget::Consented(Box::new(device), consent)
        }
    })
}

impl BlockTarget {
    /// Its name.
    pub fn name(&self) -> String {
        match self {
            BlockTarget::Folder(folder) => folder.display().to_string(),
            BlockTarget::Device(device) | BlockTarget::Consented(device, _) => device.node.clone(),
        }
    }

    /// The machine with the path under it.
    pub fn machine(&self) -> Platform {
        match self {
            BlockTarget::Folder(folder) => folder::machine_of_folder(folder),
            BlockTarget::Device(device) | BlockTarget::Consented(device, _) => {
                let mut platform = narrows_platform::discover(&Live, &[]);
                platform.roles.push(folder::path_of_device(device));
                platform
            }
        }
    }

    /// Folders in which files are made.
    pub fn folders(&self) -> Vec<PathBuf> {
        match self {
            BlockTarget::Folder(folder) => vec![folder.clone()],
            BlockTarget::Device(_) | BlockTarget::Consented(..) => Vec::new(),
        }
    }

    /// Whether it may be written: files of ours, and devices with consent.
    pub fn writable(&self) -> bool {
        !matches!(self, BlockTarget::Device(_))
    }

    /// Refuses a device that a running database uses.
    ///
    /// # Errors
    /// Such a device, without `load_here`.
    pub fn guard(&self, load_here: bool) -> Result<()> {
        match self {
            BlockTarget::Folder(_) => Ok(()),
            BlockTarget::Device(device) | BlockTarget::Consented(device, _) => {
                folder::guard_device(device, load_here)
            }
        }
    }

    /// Refuses a folder in which no file of so many bytes can be made.
    ///
    /// # Errors
    /// Why it can't.
    pub fn check(&self, bytes: u64) -> Result<()> {
        match self {
            BlockTarget::Folder(folder) => preflight::block_file(folder, bytes, "--at"),
            BlockTarget::Device(_) | BlockTarget::Consented(..) => Ok(()),
        }
    }

    /// What writing so many bytes would destroy; nothing where nothing of others is written.
    pub fn losses(&self, writes_bytes: u64) -> Vec<String> {
        match self {
            BlockTarget::Consented(device, _) => would_lose(device, writes_bytes),
            BlockTarget::Folder(_) | BlockTarget::Device(_) => Vec::new(),
        }
    }

    /// Bytes of files that have to be written first, for data and a log of that size.
    pub fn fill_bytes(&self, data_bytes: u64, log_bytes: u64) -> u64 {
        match self {
            BlockTarget::Folder(_) => data_bytes + log_bytes,
            BlockTarget::Device(_) | BlockTarget::Consented(..) => 0,
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
            BlockTarget::Folder(folder) => {
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
            BlockTarget::Device(device) => {
                let target = Target::open_read(Path::new(&device.node), true)?;
                Ok(Opened::device(Region::from(target), None, None))
            }
            BlockTarget::Consented(_, consent) => {
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

/// An open target. What was made goes with it.
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
