//! The folders of a comparison, the machine under them, and whether they can be compared at all.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::Result;
use narrows_facts::{Live, file};
use narrows_model::{Platform, Role, RolePath};
use narrows_units::Bytes;

use crate::failure::Failure;
use crate::named_folder::folder;
use crate::request::log::PlacementRequest;

/// The folders, without links, and the machine.
pub struct Places {
    /// The log's, in the order in which they were named.
    pub wal: Vec<PathBuf>,
    /// How the log's were named on the command line.
    pub option: &'static str,
    /// The data files'.
    pub data: PathBuf,
    /// With the data role first, then the log's.
    pub platform: Platform,
}

impl Places {
    /// The folders that were named.
    ///
    /// # Errors
    /// One of them is none, there are fewer than two, two lie on one file system, or the first one in memory.
    pub fn find(request: &PlacementRequest) -> Result<Places> {
        let mut wal = Vec::new();
        for path in &request.wal {
            wal.push(folder(path, request.option)?);
        }
        if wal.len() < 2 {
            return Err(Failure::hinted(
                format!(
                    "only {} was named, and a comparison needs two locations",
                    wal[0].display()
                ),
                "name another one with a second --wal DIR, on another file system",
            ));
        }
        let in_memory = |folder: &Path| file::volatile(folder).unwrap_or(false);
        if in_memory(&wal[0]) {
            return Err(Failure::hinted(
                format!("{} is in memory: no workload has its WAL there", wal[0].display()),
                "name first the folder where WAL is, or would be, on a drive",
            ));
        }
        different(&wal)?;
        let data = match &request.data {
            Some(data) => folder(data, "--data")?,
            None => wal[0].clone(),
        };
        if in_memory(&data) {
            return Err(Failure::hinted(
                format!("{} is in memory: no database has its files there", data.display()),
                "name a folder on a drive with --data DIR",
            ));
        }
        let mut roles = vec![(Role::Data, data.as_path())];
        roles.extend(wal.iter().map(|folder| (Role::Wal, folder.as_path())));
        let platform = narrows_platform::discover(&Live, &roles);
        // Behind a block device too.
        let hidden = |role: Role| {
            let path = platform.roles.iter().find(|path| path.role == role)?;
            Some(format!("{} is in memory: {}", path.path, path.in_memory()?))
        };
        for (role, hint) in [
            (Role::Wal, "name first the folder where WAL is, or would be, on a drive"),
            (Role::Data, "name a folder on a drive with --data DIR"),
        ] {
            if let Some(why) = hidden(role) {
                return Err(Failure::hinted(why, hint));
            }
        }
        Ok(Places { wal, option: request.option, data, platform })
    }

    /// The path under each of the log's folders, in their order.
    pub fn paths(&self) -> impl Iterator<Item = &RolePath> {
        self.platform.roles.iter().filter(|path| path.role == Role::Wal)
    }

    /// Every folder once.
    pub fn folders(&self) -> Vec<PathBuf> {
        let mut folders = self.wal.clone();
        if !folders.contains(&self.data) {
            folders.push(self.data.clone());
        }
        folders
    }

    /// Refuses a folder with less free space than is needed there: `data_bytes` for data files, `wal_bytes` for the log with
    /// that index; `less` is how that could be less. Silent where the free space isn't known.
    ///
    /// # Errors
    /// The first that is too small, with both figures.
    pub fn room(
        &self,
        data_bytes: u64,
        wal_bytes: impl Fn(usize) -> u64,
        less: &str,
    ) -> Result<()> {
        let data_device = device(&self.data);
        let data = self.platform.roles.iter().find(|path| path.role == Role::Data);
        let shared = (0..self.wal.len()).find(|at| device(&self.wal[*at]) == data_device);
        if let Some(path) = data.filter(|_| shared.is_none()) {
            fits(path, data_bytes, "--data", "")?;
        }
        let takes = |at: usize| wal_bytes(at) + if shared == Some(at) { data_bytes } else { 0 };
        for path in self.paths() {
            let beside = self.paths().enumerate().filter(|(_, other)| one_pool(path, other));
            fits(path, beside.map(|(at, _)| takes(at)).sum(), self.option, less)?;
        }
        Ok(())
    }
}

/// Whether two places take from the same free space, as far as can be seen: subvolumes and datasets of one pool are file systems of
/// their own with the same bytes free. Two that happen to have the same are asked for a little more.
fn one_pool(a: &RolePath, b: &RolePath) -> bool {
    let (a, b) = (&a.file_system, &b.file_system);
    a.kind == b.kind && a.free_bytes == b.free_bytes
}

fn fits(path: &RolePath, bytes: u64, option: &str, less: &str) -> Result<()> {
    match path.file_system.free_bytes.filter(|free| *free < bytes) {
        None => Ok(()),
        Some(free) => Err(Failure::hinted(
            format!(
                "what is made in {} needs up to {}, and {} are free there",
                path.path,
                Bytes(bytes),
                Bytes(free)
            ),
            format!("free some space, or name a folder on another file system ({option}){less}"),
        )),
    }
}

fn device(folder: &Path) -> Option<u64> {
    std::fs::metadata(folder).map(|found| found.dev()).ok()
}

/// Refuses two folders on one file system: nothing would differ but chance.
pub(super) fn different(wal: &[PathBuf]) -> Result<()> {
    for (at, folder) in wal.iter().enumerate() {
        let same = |other: &&PathBuf| device(other).is_some() && device(other) == device(folder);
        if let Some(other) = wal[..at].iter().find(same) {
            let kind = file::fs_kind(folder).unwrap_or_else(|_| "a file system".to_string());
            return Err(Failure::hinted(
                format!(
                    "{} and {} are on the same {kind}: WAL would be in the same place twice",
                    other.display(),
                    folder.display()
                ),
                "name folders on different file systems; `df DIR` shows which one a folder is on",
            ));
        }
    }
    Ok(())
}
