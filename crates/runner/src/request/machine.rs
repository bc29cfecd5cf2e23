//! What can be asked of a machine as a database server, and of a server that others load.

use std::path::PathBuf;
use std::time::Duration;

use narrows_model::{Layer, Workload};
use narrows_postgres::Address;

use super::RunOptions;
use super::database::DatabaseTarget;

/// The layers of a machine, one after the other.
#[derive(Debug, Clone)]
pub struct MachineRequest {
    /// A sketch.
    pub quick: bool,
    /// A capture of this machine, for what this user can't read.
    pub facts: Option<PathBuf>,
    /// The layers.
    pub layers: Vec<Layer>,
    /// Folder of the data role.
    pub data: Option<PathBuf>,
    /// Folder of the log role; `None`: that of the data.
    pub wal: Option<PathBuf>,
    /// On which server workloads run.
    pub database: DatabaseTarget,
    /// The workloads.
    pub workloads: Vec<Workload>,
    /// Sessions of the workloads.
    pub sessions: Option<u32>,
    /// Most bytes that the block layer's writes may write; `None`: a tenth of the free space, 16 GiB at most.
    pub write_budget: Option<u64>,
    /// Deepest queue that the searches of the block layer try.
    pub max_depth: Option<u32>,
    /// A server's own report (Oracle's AWR), judged by what is measured.
    pub with: Option<PathBuf>,
    /// The report is of this machine, whatever it calls its host.
    pub same_machine: bool,
    /// How and where to.
    pub options: RunOptions,
}

impl MachineRequest {
    /// All layers.
    pub const LAYERS: [Layer; 5] =
        [Layer::Clock, Layer::Memory, Layer::Block, Layer::Log, Layer::Database];
}

/// What a transaction takes on a server that others load.
#[derive(Debug, Clone)]
pub struct ObserveRequest {
    /// The server.
    pub address: Address,
    /// The bare word that was taken for a database's name, where one was.
    pub word: Option<String>,
    /// How long to look.
    pub length: Duration,
    /// A stored run of this machine with capacities of drives, log and memory.
    pub capacities: Option<String>,
    /// Whether plans of the statements that take most are asked for.
    pub explains: bool,
    /// Whether texts that sessions sent are kept with their literals.
    pub literals: bool,
    /// A capture of this machine, for what this user can't read.
    pub facts: Option<PathBuf>,
    /// Measure the server's drives before, in these folders; quick or not.
    pub below: Option<BelowRequest>,
    /// How and where to.
    pub options: RunOptions,
}

/// Folders of ours on the drives of a server that others load.
#[derive(Debug, Clone)]
pub struct BelowRequest {
    /// A sketch.
    pub quick: bool,
    /// On the drives of the data files.
    pub data: PathBuf,
    /// On the drives of the log; `None`: the same.
    pub wal: Option<PathBuf>,
}

/// A machine that is looked at.
#[derive(Debug, Clone)]
pub struct InventoryRequest {
    /// A capture, a run, or a folder in place of this machine.
    pub of: Option<String>,
    /// A folder with another machine's files.
    pub root: Option<PathBuf>,
    /// Folder of the data role.
    pub data: Option<PathBuf>,
    /// Folder of the log role.
    pub wal: Option<PathBuf>,
}

/// This machine in a file.
#[derive(Debug, Clone)]
pub struct GatherRequest {
    /// The file.
    pub output: PathBuf,
    /// As root, what others can't read.
    pub privileged: bool,
    /// Replace the file if it is there.
    pub force: bool,
    /// Folder of the data role.
    pub data: Option<PathBuf>,
    /// Folder of the log role.
    pub wal: Option<PathBuf>,
}
