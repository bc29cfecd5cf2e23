//! Where a log is measured: the folders of both roles or a namespace of a storage target, the machine under them, and the files made
//! there.

use std::path::{Path, PathBuf};

use anyhow::Result;
use narrows_engine::{Scratch, Stop};
use narrows_facts::Live;
use narrows_initiator::Address;
use narrows_layer_wal::LogGround;
use narrows_model::{DatabaseChoice, Layer, Plan, PlannedStep, Platform, Role};
use narrows_observe::Watch;

use super::namespace::{RemoteLog, watching};
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

/// The folders, without links, and the machine.
pub struct TargetDirs {
    /// The log's folder, or the namespace's address.
    pub wal: PathBuf,
    /// The data files'; the same for a namespace.
    pub data: PathBuf,
    /// With both roles; of a namespace with the log's.
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
        match request {
            LogMediumSpec::Folders(dirs) => TargetDirs::folders_of(dirs),
            LogMediumSpec::Namespace(given) if Address::is_meant(&given.device) => {
                let namespace = RemoteNamespace::consented(given)?;
                let name = PathBuf::from(namespace.name());
                let platform = namespace.machine_as(Role::Wal);
                Ok(TargetDirs {
                    wal: name.clone(),
                    data: name,
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

    fn folders_of(request: &LogDirs) -> Result<TargetDirs> {
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
        for (folder, option) in [(&wal, "--wal"), (&data, "--data")] {
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
        let platform = narrows_platform::discover(&Live, &[(Role::Data, &data), (Role::Wal, &wal)]);
        Ok(TargetDirs { wal, data, platform, namespace: None })
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
            None => preflight::log(&self.wal, "--wal", &self.data),
        }
    }

    /// Counters of the machine and of what is under the log.
    pub fn watch(&self) -> Watch {
        let watch = storage::watch(&self.platform);
        match &self.namespace {
            Some(namespace) => watching(watch, namespace),
            None => watch,
        }
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

    /// Both folders, each once; none of a namespace.
    pub fn folders(&self) -> Vec<PathBuf> {
        if self.namespace.is_some() {
            return Vec::new();
        }
        let mut folders = vec![self.wal.clone()];
        if self.data != self.wal {
            folders.push(self.data.clone());
        }
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
