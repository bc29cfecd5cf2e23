//! What the names in job files lead to: a file that is there, one that is to be made, a raw device. Looked at once, and
//! nothing is opened for writing here.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use anyhow::Result;
use narrows_facts::Live;
use narrows_initiator::Address;
use narrows_io::{Entropy, Space, Target, block_device_beside};
use narrows_model::{Platform, Role};
use narrows_raw::{Device, inspect, plain_file_in_dev, refusals, uses_of_file, would_lose};

use super::whole_files::FileSets;
use crate::block::folder;
use crate::block::remote::RemoteNamespace;
use crate::failure::Failure;

/// What stands at a path.
#[derive(Debug, Clone)]
pub enum TargetState {
    /// A regular file; it is only read.
    File {
        /// Its size.
        bytes: u64,
    },
    /// Nothing: a file of ours takes its place.
    Nothing {
        /// The nearest folder above that is there.
        folder: PathBuf,
    },
    /// A raw device.
    Device {
        /// All that is known of it.
        device: Box<Device>,
        /// Whether this run has consent to write to it.
        consented: bool,
        /// Whether it was named by its character device, for commands of the drive's own.
        generic: bool,
    },
    /// `/dev/null` or `/dev/zero`: as long as a job wants, and nobody's.
    Endless,
    /// A namespace that a storage target serves; it says itself whether it may be written.
    Remote(RemoteNamespace),
}

/// A file or device with what the jobs want of it.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// What is there.
    pub found: TargetState,
    /// How long it has to be, bytes.
    pub bytes: u64,
    /// What a file of ours is filled with.
    pub entropy: Entropy,
    /// Whether nothing is ever moved, so that it needs no blocks.
    pub hollow: bool,
    /// Whether jobs only allocate it or set its size, so that it begins without blocks.
    pub sparse: bool,
    /// Whether a job writes blocks of fio's making into it.
    pub formatted: bool,
    /// Whether a file of ours stays where the job names it.
    pub stays: bool,
    /// The first and the last stage that use it.
    pub stages: (usize, usize),
}

impl Wanted {
    fn of(found: TargetState) -> Wanted {
        Wanted {
            found,
            bytes: 0,
            entropy: Entropy::default(),
            hollow: true,
            sparse: true,
            formatted: false,
            stays: false,
            stages: (usize::MAX, 0),
        }
    }
}

/// All of them.
pub struct Targets {
    at: PathBuf,
    /// What may be written.
    consented: Option<Consented>,
    wanted: BTreeMap<PathBuf, Wanted>,
    /// Files that are made, looked up or removed as a whole.
    pub sets: FileSets,
}

/// What this run has consent to write to.
#[derive(Debug, Clone)]
pub enum Consented {
    /// A raw device, by the kernel's number.
    Device(String),
    /// A namespace that a storage target serves.
    Remote(RemoteNamespace),
}

impl Targets {
    /// Relative names are below `at`; `consented` is what may be written.
    pub fn new(at: &Path, consented: Option<Consented>) -> Self {
        let (at, wanted, sets) = (at.to_path_buf(), BTreeMap::new(), FileSets::default());
        Targets { at, consented, wanted, sets }
    }

    /// The whole path of a name; an address of a namespace is one.
    pub fn path(&self, name: &str) -> PathBuf {
        if Address::is_meant(name) { PathBuf::from(name) } else { self.at.join(name) }
    }

    /// What is there; looked at once.
    ///
    /// # Errors
    /// It can't be looked at, or is nothing that can be measured.
    pub fn look(&mut self, path: &Path) -> Result<&mut Wanted> {
        if !self.wanted.contains_key(path) {
            let wanted = Wanted::of(self.find(path)?);
            self.wanted.insert(path.to_path_buf(), wanted);
        }
        Ok(self.wanted.get_mut(path).expect("it was just put there"))
    }

    /// A name that leads nowhere: nothing is looked at or touched under it.
    pub fn pretend(&mut self, name: &str) {
        let path = self.path(name);
        let found = TargetState::Nothing { folder: self.at.clone() };
        self.wanted.entry(path).or_insert_with(|| Wanted::of(found));
    }

    fn find(&self, path: &Path) -> Result<TargetState> {
        let shown = path.display();
        if let Some(address) = path.to_str().filter(|text| Address::is_meant(text)) {
            return Ok(TargetState::Remote(self.remote(address)?));
        }
        let fail = |error: std::io::Error| {
            let hint = "name a file or a folder that you may read, or another folder with --at";
            Failure::hinted(format!("cannot read {shown}: {error}"), hint)
        };
        match std::fs::metadata(path) {
            Ok(found) if found.is_file() => Ok(TargetState::File { bytes: found.len() }),
            Ok(found) if found.file_type().is_block_device() => {
                let device = inspect(&Live, &path.to_string_lossy())?;
                let consented =
                    matches!(&self.consented, Some(Consented::Device(n)) if *n == device.number);
                Ok(TargetState::Device { device: Box::new(device), consented, generic: false })
            }
            Ok(_) if let Some(block) = block_device_beside(path) => {
                let device = inspect(&Live, &block.to_string_lossy())?;
                let consented =
                    matches!(&self.consented, Some(Consented::Device(n)) if *n == device.number);
                Ok(TargetState::Device { device: Box::new(device), consented, generic: true })
            }
            Ok(found) if found.is_dir() => Err(Failure::hinted(
                format!("{shown} is a folder"),
                "filename names a file; directory names a folder",
            )),
            Ok(_) if Target::is_endless(path) => Ok(TargetState::Endless),
            Ok(_) => Err(Failure::hinted(
                format!("{shown} is neither a file nor a block device"),
                "lsblk lists the block devices of this machine",
            )),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                if plain_file_in_dev(&Live, &path.to_string_lossy()).is_some() {
                    return Err(Failure::hinted(
                        format!(
                            "there is no device {shown}, and a file of that name would be in memory"
                        ),
                        "lsblk lists the block devices of this machine",
                    ));
                }
                let folder = path.ancestors().skip(1).find(|above| above.is_dir());
                let folder = folder.ok_or_else(|| fail(error))?.to_path_buf();
                Ok(TargetState::Nothing { folder })
            }
            Err(error) => Err(fail(error)),
        }
    }

    /// The namespace at that address; the one that may be written where it is that one.
    fn remote(&self, address: &str) -> Result<RemoteNamespace> {
        match &self.consented {
            Some(Consented::Remote(namespace)) if namespace.is_at(address)? => {
                Ok(namespace.clone())
            }
            _ => RemoteNamespace::connect(address),
        }
    }

    /// What is wanted at that path, once it was looked at.
    pub fn get(&self, path: &Path) -> Option<&Wanted> {
        self.wanted.get(path)
    }

    /// Files that will be written before the jobs, with their bytes.
    pub fn made(&self) -> impl Iterator<Item = (&Path, u64)> {
        self.wanted
            .iter()
            .filter(|(_, wanted)| {
                let written = !wanted.hollow && !wanted.sparse;
                matches!(wanted.found, TargetState::Nothing { .. }) && written
            })
            .map(|(path, wanted)| (path.as_path(), wanted.bytes))
    }

    /// Files of ours that stay.
    pub fn staying(&self) -> impl Iterator<Item = &Path> {
        self.wanted.iter().filter(|(_, wanted)| wanted.stays).map(|(path, _)| path.as_path())
    }

    /// Bytes of all of them.
    pub fn made_bytes(&self) -> u64 {
        self.made().map(|(_, bytes)| bytes).sum()
    }

    /// Folders in which files are made.
    pub fn folders(&self) -> BTreeSet<PathBuf> {
        self.wanted
            .values()
            .filter_map(|wanted| match &wanted.found {
                TargetState::Nothing { folder } => Some(folder.clone()),
                _ => None,
            })
            .chain(self.sets.all().map(|set| set.folder.clone()))
            .collect()
    }

    /// The machine with the path under every place: file systems once each, then devices.
    pub fn machine(&self) -> Platform {
        let mut folders = self.folders();
        for (path, wanted) in &self.wanted {
            if let (TargetState::File { .. }, Some(folder)) = (&wanted.found, path.parent()) {
                folders.insert(folder.to_path_buf());
            }
        }
        let mut seen = BTreeSet::new();
        folders.retain(|folder| {
            std::fs::metadata(folder).map_or(true, |found| seen.insert(found.dev()))
        });
        let roles: Vec<(Role, &Path)> =
            folders.iter().map(|folder| (Role::Data, folder.as_path())).collect();
        let mut platform = narrows_platform::discover(&Live, &roles);
        for wanted in self.wanted.values() {
            match &wanted.found {
                TargetState::Device { device, .. } => {
                    platform.roles.push(folder::path_of_device(device));
                }
                TargetState::Remote(namespace) => platform.roles.push(namespace.role()),
                TargetState::File { .. } | TargetState::Nothing { .. } | TargetState::Endless => {}
            }
        }
        platform
    }

    /// Refuses devices that a running database uses.
    ///
    /// # Errors
    /// Such a device, without `load_here`.
    pub fn guard(&self, load_here: bool) -> Result<()> {
        self.wanted.values().try_for_each(|wanted| match &wanted.found {
            TargetState::Device { device, .. } => folder::guard_device(device, load_here),
            TargetState::File { .. }
            | TargetState::Nothing { .. }
            | TargetState::Endless
            | TargetState::Remote(_) => Ok(()),
        })
    }

    /// What is destroyed of devices and namespaces that are written.
    pub fn losses(&self, is_written: impl Fn(&Path) -> bool) -> Vec<String> {
        let all = self.wanted.iter().filter_map(|(path, wanted)| match &wanted.found {
            TargetState::Remote(namespace) if is_written(path) => Some(namespace.losses(1)),
            TargetState::Device { device, .. } if is_written(path) => Some(would_lose(device, 1)),
            _ => None,
        });
        all.flatten().collect()
    }

    /// Refuses before the first byte where the files that live at the same time don't fit.
    ///
    /// # Errors
    /// The file system that is too small, with what is wanted and free.
    pub fn check_space(&self) -> Result<()> {
        let mut needs: BTreeMap<u64, (PathBuf, u64)> = BTreeMap::new();
        let last = self.wanted.values().map(|wanted| wanted.stages.1).max().unwrap_or(0);
        let last = last.max(self.sets.last_stage());
        for stage in 0..=last {
            let mut now: BTreeMap<u64, (PathBuf, u64)> = BTreeMap::new();
            for wanted in self.wanted.values() {
                let TargetState::Nothing { folder } = &wanted.found else { continue };
                let last = if wanted.stays { last } else { wanted.stages.1 };
                if wanted.hollow || !(wanted.stages.0..=last).contains(&stage) {
                    continue;
                }
                let device = std::fs::metadata(folder).map_or(0, |found| found.dev());
                now.entry(device).or_insert((folder.clone(), 0)).1 += wanted.bytes;
            }
            for set in self.sets.of_stage(stage) {
                let device = std::fs::metadata(&set.folder).map_or(0, |found| found.dev());
                now.entry(device).or_insert((set.folder.clone(), 0)).1 += set.space_bytes();
            }
            for (device, need) in now {
                let most = needs.entry(device).or_insert_with(|| need.clone());
                most.1 = most.1.max(need.1);
            }
        }
        for (folder, bytes) in needs.values() {
            Space::of(folder)?.check(folder, *bytes)?;
        }
        self.sets.check()
    }
}

/// Refuses to write to what belongs to somebody.
///
/// # Errors
/// A file that is there, and a device without consent.
pub fn may_write(path: &Path, found: &TargetState) -> Result<()> {
    let shown = path.display();
    match found {
        TargetState::Nothing { .. }
        | TargetState::Endless
        | TargetState::Device { consented: true, .. } => Ok(()),
        TargetState::Remote(namespace) if namespace.is_writable() => Ok(()),
        TargetState::Remote(namespace) => Err(Failure::hinted(
            format!("the job writes to the namespace {shown}"),
            format!(
                "if everything on it may be lost: --write-to-device '{shown}' --serial {}",
                namespace.serial()
            ),
        )),
        TargetState::File { .. } => {
            let mut what =
                format!("the job writes to {shown}, which exists and would be overwritten");
            for used in uses_of_file(&Live, &path.to_string_lossy()) {
                what += &format!("\n  {used}");
            }
            let hint = "name a file that does not exist: narrows makes it and removes it; or run elsewhere with --at DIR";
            Err(Failure::hinted(what, hint))
        }
        TargetState::Device { device, .. } => {
            let reasons = refusals(device);
            let hint = match reasons.first() {
                Some(reason) => format!("it would be refused, with or without consent: {reason}"),
                None => format!(
                    "if everything on it may be lost: --write-to-device {} --serial {}",
                    device.path,
                    device.identity.phrase()
                ),
            };
            Err(Failure::hinted(format!("the job writes to the device {shown}"), hint))
        }
    }
}
