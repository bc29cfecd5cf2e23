//! Where one load works: a file of ours on a file system, a raw device that is only read, or one that may be written.

use std::path::{Path, PathBuf};

use anyhow::Result;
use narrows_engine::{Context, Scratch};
use narrows_facts::Live;
use narrows_initiator::Address;
use narrows_io::{Access, Target, TestFile};
use narrows_layer_block::{Region, prepare};
use narrows_model::Platform;
use narrows_raw::{Consent, Device, WritableDevice, inspect, open_for_writing, would_lose};

use super::folder;
use super::remote::RemoteNamespace;
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
    /// A namespace that a storage target serves.
    Remote(RemoteNamespace),
}

/// What was asked for, as it is found.
///
/// # Errors
/// It isn't there, or it may not be written.
pub fn find(request: &TargetRequest) -> Result<BlockTarget> {
    Ok(match request {
        TargetRequest::ReadDevice(address) if Address::is_meant(address) => {
            BlockTarget::Remote(RemoteNamespace::connect(address)?)
        }
        TargetRequest::WriteDevice(given) if Address::is_meant(&given.device) => {
            BlockTarget::Remote(RemoteNamespace::consented(given)?)
        }
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
            BlockTarget::Remote(namespace) => namespace.name(),
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
            BlockTarget::Remote(namespace) => namespace.machine(),
        }
    }

    /// Folders in which files are made.
    pub fn folders(&self) -> Vec<PathBuf> {
        match self {
            BlockTarget::Folder(folder) => vec![folder.clone()],
            BlockTarget::Device(_) | BlockTarget::Consented(..) | BlockTarget::Remote(_) => {
                Vec::new()
            }
        }
    }

    /// The way to it: a namespace of a storage target has its own, everything else the best of this machine's.
    pub fn access(&self) -> Access {
        match self {
            BlockTarget::Remote(namespace) => namespace.access(),
            _ => Access::best(),
        }
    }

    /// Whether it may be written: files of ours, and devices with consent.
    pub fn writable(&self) -> bool {
        match self {
            BlockTarget::Folder(_) | BlockTarget::Consented(..) => true,
            BlockTarget::Device(_) => false,
            BlockTarget::Remote(namespace) => namespace.is_writable(),
        }
    }

    /// Refuses a device that a running database uses.
    ///
    /// # Errors
    /// Such a device, without `load_here`.
    pub fn guard(&self, load_here: bool) -> Result<()> {
        match self {
            BlockTarget::Folder(_) | BlockTarget::Remote(_) => Ok(()),
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
            BlockTarget::Device(_) | BlockTarget::Consented(..) | BlockTarget::Remote(_) => Ok(()),
        }
    }

    /// What writing so many bytes would destroy; nothing where nothing of others is written.
    pub fn losses(&self, writes_bytes: u64) -> Vec<String> {
        match self {
            BlockTarget::Consented(device, _) => would_lose(device, writes_bytes),
            BlockTarget::Remote(namespace) => namespace.losses(writes_bytes),
            BlockTarget::Folder(_) | BlockTarget::Device(_) => Vec::new(),
        }
    }

    /// Bytes of files that have to be written first, for data and a log of that size.
    pub fn fill_bytes(&self, data_bytes: u64, log_bytes: u64) -> u64 {
        match self {
            BlockTarget::Folder(_) => data_bytes + log_bytes,
            BlockTarget::Device(_) | BlockTarget::Consented(..) | BlockTarget::Remote(_) => 0,
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
                let (data, log) = with_log_at_the_end(&whole, log_bytes)?;
                Ok(Opened::device(data, log, Some(held)))
            }
            BlockTarget::Remote(namespace) => {
                let whole = Region::from(namespace.target()?);
                let (data, log) = with_log_at_the_end(&whole, log_bytes)?;
                Ok(Opened::device(data, log, None))
            }
        }
    }
}

/// A device's beginning for the load, and its end for a log of so many bytes.
fn with_log_at_the_end(whole: &Region, log_bytes: u64) -> Result<(Region, Option<Region>)> {
    if log_bytes == 0 {
        return Ok((whole.clone(), None));
    }
    let data_bytes = whole.bytes().saturating_sub(log_bytes);
    Ok((whole.part(0, data_bytes)?, Some(whole.part(data_bytes, log_bytes)?)))
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
