//! Where a log is measured: the folders of both roles, the machine under them, and the files made there.

use std::path::{Path, PathBuf};

use anyhow::Result;
use narrows_engine::Scratch;
use narrows_facts::Live;
use narrows_model::{DatabaseChoice, Layer, Plan, PlannedStep, Platform, Role};

use crate::args::OutputArgs;
use crate::args::log::LogPlaceArgs;
use crate::failure::Failure;
use crate::plan;
use crate::session::Prepared;

/// The folders, without links, and the machine.
pub struct Ground {
    /// The log's folder.
    pub wal: PathBuf,
    /// The data files'.
    pub data: PathBuf,
    /// With both roles.
    pub platform: Platform,
}

impl Ground {
    /// The folders that were named.
    ///
    /// # Errors
    /// One of them is none, or lies in memory.
    pub fn find(args: &LogPlaceArgs) -> Result<Ground> {
        let wal = plan::folder(args.wal.as_deref().unwrap_or(Path::new(".")), "--wal")?;
        let data = match &args.data {
            Some(data) => plan::folder(data, "--data")?,
            None => wal.clone(),
        };
        for (folder, option) in [(&wal, "--wal"), (&data, "--data")] {
            if narrows_facts::file::volatile(folder).unwrap_or(false) {
                return Err(Failure::hinted(
                    format!(
                        "{} lies in memory, and nothing written there is durable",
                        folder.display()
                    ),
                    format!("name a folder on a drive with {option} DIR"),
                ));
            }
        }
        let platform = narrows_platform::discover(&Live, &[(Role::Data, &data), (Role::Wal, &wal)]);
        Ok(Ground { wal, data, platform })
    }

    /// A plan of the log by these steps, and of the database, if there is one.
    pub fn prepared(
        &self,
        output: &OutputArgs,
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
            seed: output.seed.unwrap_or_else(plan::fresh_seed),
            // One thing at a time runs here, and nothing is kept from it.
            server_cpus: self.platform.cpu.allowed.clone(),
            client_cpus: self.platform.cpu.allowed.clone(),
            steps,
            ..Plan::default()
        };
        Prepared { plan, platform: self.platform.clone() }
    }

    /// Both folders, each once.
    pub fn folders(&self) -> Vec<&Path> {
        let mut folders = vec![self.wal.as_path()];
        if self.data != self.wal {
            folders.push(&self.data);
        }
        folders
    }

    /// Folders of ours in both.
    ///
    /// # Errors
    /// One can't be made.
    pub fn scratch(&self, id: &str) -> Result<LogScratch> {
        let wal = Scratch::create(&self.wal, id)?;
        let same = self.data == self.wal;
        let data = if same { None } else { Some(Scratch::create(&self.data, id)?) };
        Ok(LogScratch { wal, data })
    }
}

/// Folders of ours: one where both roles are the same folder.
pub struct LogScratch {
    wal: Scratch,
    data: Option<Scratch>,
}

impl LogScratch {
    /// For the log.
    pub fn wal(&self) -> &Path {
        self.wal.path()
    }

    /// For the data files.
    pub fn data(&self) -> &Path {
        self.data.as_ref().unwrap_or(&self.wal).path()
    }
}
