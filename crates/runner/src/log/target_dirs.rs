//! Where a log is measured: the folders of both roles or a namespace of a storage target, the machine under them, and the files made
//! there.

use std::path::{Path, PathBuf};

use anyhow::Result;
use narrows_engine::{Scratch, Stop};
use narrows_facts::Live;
use narrows_initiator::Address;
use narrows_layer_wal::LogGround;
use narrows_model::{DatabaseChoice, Layer, Plan, PlannedStep, Platform, Role, RolePath};
use narrows_observe::Watch;

use super::namespace::{RemoteLog, watching};
use super::places;
use crate::block::folder as storage;
use crate::block::remote::RemoteNamespace;
use crate::database::managed_server::ServerPlace;
use crate::failure::Failure;
use crate::named_folder::folder;
use crate::paragraph::paragraphs;
use crate::preflight;
use crate::prepared::Prepared;
use crate::request::RunOptions;
use crate::request::log::{LogDirs, LogMediumSpec};

/// What names the tier's folder.
const TIER: &str = "--tier";

/// The folders, without links, and the machine.
pub struct TargetDirs {
    /// The log's folder, or the namespace's address.
    pub wal: PathBuf,
    /// The data files'; the same for a namespace.
    pub data: PathBuf,
    /// Another folder for the log, with a log tier in front.
    pub tier: Option<PathBuf>,
    /// With both roles, and last the tier's folder as another one of the log's; of a namespace with the log's.
    pub platform: Platform,
    /// In place of folders.
    pub namespace: Option<RemoteNamespace>,
}

impl TargetDirs {
    /// What was named.
    ///
    /// # Errors
    /// A folder that is none, or lies in memory; a namespace that can't be reached, or may not be written.
    pub fn find(request: &LogMediumSpec) -> Result<TargetDirs> {
        TargetDirs::find_with_tier(request, None)
    }

    /// The same, and beside folders one that lies on storage with a log tier in front.
    ///
    /// # Errors
    /// As [`TargetDirs::find`], also of that folder; both of the log's folders on one file system; a tier beside a namespace.
    pub fn find_with_tier(request: &LogMediumSpec, tier: Option<&Path>) -> Result<TargetDirs> {
        match request {
            LogMediumSpec::Folders(dirs) => TargetDirs::folders_of(dirs, tier),
            LogMediumSpec::Namespace(_) if tier.is_some() => Err(Failure::hinted(
                "--tier is a folder beside that of --wal, and a namespace was named",
                "make a file system on both namespaces (nvme connect), and name a folder on each with --wal and --tier",
            )),
            LogMediumSpec::Namespace(given) if Address::is_meant(&given.device) => {
                let namespace = RemoteNamespace::consented(given)?;
                let name = PathBuf::from(namespace.name());
                let platform = namespace.machine_as(Role::Wal);
                Ok(TargetDirs {
                    wal: name.clone(),
                    data: name,
                    tier: None,
                    platform,
                    namespace: Some(namespace),
                })
            }
            LogMediumSpec::Namespace(given) => Err(Failure::hinted(
                format!(
                    "{} is no nvme-tcp:// address: a log is not written to a raw device",
                    given.device
                ),
                "name a folder on the drive with --wal DIR; narrows block interference measures a raw device beside a WAL-like stream",
            )),
        }
    }

    fn folders_of(request: &LogDirs, tier: Option<&Path>) -> Result<TargetDirs> {
        if let Some(text) = request.wal.to_str().filter(|text| Address::is_meant(text)) {
            return Err(Failure::hinted(
                "--wal names a folder, and an nvme-tcp:// address is overwritten",
                format!(
                    "narrows log ladder --write-to-device '{text}' --serial S; --dry-run shows what would be lost"
                ),
            ));
        }
        let wal = folder(&request.wal, "--wal")?;
        let data = match &request.data {
            Some(data) => folder(data, "--data")?,
            None => wal.clone(),
        };
        let tier = tier.map(|tier| folder(tier, TIER)).transpose()?;
        let named = [Some((&wal, "--wal")), Some((&data, "--data")), tier.as_ref().zip(Some(TIER))];
        for (folder, option) in named.into_iter().flatten() {
            if narrows_facts::file::volatile(folder).unwrap_or(false) {
                return Err(Failure::hinted(
                    format!(
                        "{} is in memory, and nothing written there is durable",
                        folder.display()
                    ),
                    format!("name a folder on a drive with {option} DIR"),
                ));
            }
        }
        let mut roles = vec![(Role::Data, data.as_path()), (Role::Wal, wal.as_path())];
        if let Some(tier) = &tier {
            places::different(&[wal.clone(), tier.clone()])?;
            roles.push((Role::Wal, tier.as_path()));
        }
        let platform = narrows_platform::discover(&Live, &roles);
        Ok(TargetDirs { wal, data, tier, platform, namespace: None })
    }

    /// What is under the tier's folder.
    pub fn tier_path(&self) -> Option<&RolePath> {
        self.tier.as_ref().and_then(|_| self.platform.roles.last())
    }

    /// What is under the other folders.
    fn own_paths(&self) -> &[RolePath] {
        let roles = &self.platform.roles[..];
        match (&self.tier, roles.split_last()) {
            (Some(_), Some((_, own))) => own,
            _ => roles,
        }
    }

    /// The drives under the tier's folder where all of them are under the log's too: then no tier is seen there.
    pub fn same_drives(&self) -> Option<String> {
        let wal = self.own_paths().iter().filter(|path| path.role == Role::Wal);
        nothing_faster(&storage::drive_names(wal), &storage::drive_names(self.tier_path()))
    }

    /// A plan of the log by these steps, and of the database, if there is one.
    pub fn prepared(
        &self,
        options: &RunOptions,
        repeats: u32,
        database: DatabaseChoice,
        steps: Vec<PlannedStep>,
    ) -> Prepared {
        let plan = Plan {
            layers: vec![Layer::Log],
            data_dir: self.data.display().to_string(),
            wal_dir: self.wal.display().to_string(),
            database,
            repeats,
            seed: options.seed(),
            // One thing at a time runs here, and nothing is kept from it.
            server_cpus: self.platform.cpu.allowed.clone(),
            client_cpus: self.platform.cpu.allowed.clone(),
            steps,
            ..Plan::default()
        };
        let title = match self.namespace {
            Some(_) => format!("WAL on {}", plan.wal_dir),
            None => format!("WAL in {}, data files in {}", plan.wal_dir, plan.data_dir),
        };
        let title = match &self.tier {
            Some(tier) => format!("{title}, with a log tier in {}", tier.display()),
            None => title,
        };
        Prepared { title, plan, platform: self.platform.clone() }
    }

    /// The plan for people, with what would be lost.
    pub fn describe(&self, prepared: &Prepared) -> String {
        let Some(namespace) = &self.namespace else { return prepared.describe() };
        let losses = namespace.losses_of("the beginning of");
        prepared.describe_ending("overwrites the namespace from its beginning on")
            + &paragraphs(&losses)
    }

    /// Refuses folders in which no log can be made.
    ///
    /// # Errors
    /// Why it can't.
    pub fn check(&self) -> Result<()> {
        match self.namespace {
            Some(_) => Ok(()),
            None => {
                preflight::log(&self.wal, "--wal", &self.data)?;
                let mut tier = self.tier.iter();
                tier.try_for_each(|tier| preflight::log(tier, TIER, &self.data))
            }
        }
    }

    /// Counters of the machine and of what is under the log, but for the tier's.
    pub fn watch(&self) -> Watch {
        let watch = storage::watch_under(&self.platform, self.own_paths());
        match &self.namespace {
            Some(namespace) => watching(watch, namespace),
            None => watch,
        }
    }

    /// The same of what is under the tier's folder.
    pub fn tier_watch(&self) -> Watch {
        storage::watch_under(&self.platform, self.tier_path())
    }

    /// Room for logs: folders of ours, or the namespace.
    ///
    /// # Errors
    /// A folder can't be made.
    pub fn space(&self, id: &str, stop: &Stop) -> Result<LogSpace> {
        Ok(match &self.namespace {
            Some(namespace) => LogSpace::Namespace(RemoteLog::new(namespace, stop.flag())),
            None => LogSpace::Folders(self.scratch(id)?),
        })
    }

    /// All folders, each once; none of a namespace.
    pub fn folders(&self) -> Vec<PathBuf> {
        if self.namespace.is_some() {
            return Vec::new();
        }
        let mut folders = vec![self.wal.clone()];
        if self.data != self.wal {
            folders.push(self.data.clone());
        }
        folders.extend(self.tier.clone().filter(|tier| !folders.contains(tier)));
        folders
    }

    /// Where a server of ours with its log here lies.
    pub fn server<'a>(&'a self, name: &'a str) -> ServerPlace<'a> {
        ServerPlace { data: &self.data, wal: &self.wal, name, cpus: &self.platform.cpu.allowed }
    }

    /// Folders of ours in both.
    ///
    /// # Errors
    /// One can't be made.
    pub fn scratch(&self, id: &str) -> Result<LogScratch> {
        LogScratch::create(&self.wal, &self.data, id)
    }

    /// A folder of ours in the tier's, if there is one.
    ///
    /// # Errors
    /// It can't be made.
    pub fn tier_scratch(&self, id: &str) -> Result<Option<Scratch>> {
        // Its data files may lie there too, in a folder of that name.
        let id = format!("{id}-tier");
        Ok(self.tier.as_ref().map(|tier| Scratch::create(tier, &id)).transpose()?)
    }
}

/// Room for logs.
pub enum LogSpace {
    /// Folders of ours.
    Folders(LogScratch),
    /// A namespace.
    Namespace(RemoteLog),
}

impl LogSpace {
    /// As the layer takes it.
    pub fn ground(&self) -> LogGround<'_> {
        match self {
            LogSpace::Folders(scratch) => LogGround::Folder(scratch.wal()),
            LogSpace::Namespace(namespace) => LogGround::Namespace(namespace),
        }
    }
}

/// Folders of ours: one where both roles are the same folder.
pub struct LogScratch {
    wal: Scratch,
    data: Option<Scratch>,
}

impl LogScratch {
    /// Makes them in the folders of both roles.
    ///
    /// # Errors
    /// One can't be made.
    pub fn create(wal: &Path, data: &Path, id: &str) -> Result<LogScratch> {
        let own = if data == wal { None } else { Some(data) };
        let wal = Scratch::create(wal, id)?;
        let data = own.map(|data| Scratch::create(data, id)).transpose()?;
        Ok(LogScratch { wal, data })
    }

    /// For the log.
    pub fn wal(&self) -> &Path {
        self.wal.path()
    }

    /// For the data files.
    pub fn data(&self) -> &Path {
        self.data.as_ref().unwrap_or(&self.wal).path()
    }
}

/// The drives of the second, where all of them are the first's too. A faster drive in front (bcache, dm-writecache) is one more.
fn nothing_faster(wal: &[String], tier: &[String]) -> Option<String> {
    let same = !tier.is_empty() && tier.iter().all(|drive| wal.contains(drive));
    same.then(|| tier.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tier_is_another_device_or_has_one_more_drive() {
        let of = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let same = |wal: &[&str], tier: &[&str]| nothing_faster(&of(wal), &of(tier));
        assert_eq!(same(&["sda"], &["sda"]).as_deref(), Some("sda"));
        assert_eq!(same(&["sda", "sdb"], &["sda", "sdb"]).as_deref(), Some("sda, sdb"));
        assert_eq!(same(&["nvme1n1"], &["nvme1n2"]), None, "two namespaces");
        assert_eq!(same(&["sda"], &["nvme0n1", "sda"]), None, "a faster drive in front of it");
        assert_eq!(same(&["sda"], &[]), None, "nothing is known");
    }

    #[test]
    fn a_tier_is_named_beside_folders_alone() {
        let consent = namespace();
        let error = TargetDirs::find_with_tier(&consent, Some(Path::new("/tmp"))).err().unwrap();
        let said = crate::failure::render(&error);
        assert!(said.contains("--tier is a folder beside that of --wal"), "{said}");
        assert!(said.contains("hint:"), "{said}");
    }

    fn namespace() -> LogMediumSpec {
        LogMediumSpec::Namespace(crate::request::block::DeviceConsent {
            device: "nvme-tcp://192.0.2.1/nqn.x:a".to_string(),
            serial: "S".to_string(),
            accepted: Vec::new(),
        })
    }
}
