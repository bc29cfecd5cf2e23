//! Where a log is measured: the folders of both roles, the machine under them, and the files made there.

use std::path::{Path, PathBuf};

use anyhow::Result;
use narrows_engine::Scratch;
use narrows_facts::Live;
use narrows_model::{DatabaseChoice, Layer, Plan, PlannedStep, Platform, Role};

use crate::database::managed_server::ServerPlace;
use crate::failure::Failure;
use crate::named_folder::folder;
use crate::prepared::Prepared;
use crate::request::RunOptions;
use crate::request::log::LogDirs;

/// The folders, without links, and the machine.
pub struct TargetDirs {
    /// The log's folder.
    pub wal: PathBuf,
    /// The data files'.
    pub data: PathBuf,
    /// With both roles.
    pub platform: Platform,
}

impl TargetDirs {
    /// The folders that were named.
    ///
    /// # Errors
    /// One of them is none, or lies in memory.
    pub fn find(request: &LogDirs) -> Result<TargetDirs> {
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
        Ok(TargetDirs { wal, data, platform })
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
        let title = format!("WAL in {}, data files in {}", plan.wal_dir, plan.data_dir);
        Prepared { title, plan, platform: self.platform.clone() }
    }

    /// Both folders, each once.
    pub fn folders(&self) -> Vec<PathBuf> {
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
