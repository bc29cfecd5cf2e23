//! What can be asked of loads on a database.

use std::path::PathBuf;
use std::time::Duration;

pub use narrows_layer_database::{Action, Calls, Redo, ScanAnswer, Source, Spread, Task};
use narrows_model::Layer;
pub use narrows_model::Workload;
pub use narrows_postgres::orders::{Calls as OrdersCalls, Homes};
pub use narrows_postgres::{Address, AddressError};
use narrows_units::Nanos;

use super::RunOptions;

/// The server that is loaded.
#[derive(Debug, Clone, PartialEq)]
pub enum DatabaseTarget {
    /// One of our own, started for this and removed.
    Managed {
        /// The program to start, or the folder it is in; `None`: what is found.
        postgres: Option<PathBuf>,
    },
    /// A MariaDB of our own, likewise.
    MariaDb,
    /// None.
    None,
    /// This one.
    Url(Address),
}

/// Which server, and what around it.
#[derive(Debug, Clone)]
pub struct ServerRequest {
    /// Which.
    pub database: DatabaseTarget,
    /// Size of our own server's buffer pool, bytes.
    pub pool: Option<u64>,
    /// Folder of the data role.
    pub data: Option<PathBuf>,
    /// Folder of the log role.
    pub wal: Option<PathBuf>,
    /// Layers to measure before; `None`: those whose ceilings the verdict needs, where it is known where the server's drives are.
    pub layers: Option<Vec<Layer>>,
}

impl ServerRequest {
    /// The layers below the database, where these are usual, and the database.
    pub fn layers(&self, usual: &[Layer]) -> Vec<Layer> {
        // On somebody's server nobody knows where its drives are, unless it is said.
        let known = !matches!(self.database, DatabaseTarget::Url(_)) || self.data.is_some();
        let usual = if known { usual.to_vec() } else { Vec::new() };
        let mut layers = self.layers.clone().unwrap_or(usual);
        layers.push(Layer::Database);
        layers
    }
}

/// How much of a load.
#[derive(Debug, Clone)]
pub struct LoadRequest {
    /// Length of one window.
    pub window: Option<Nanos>,
    /// Three short repeats and no test of the verdict.
    pub quick: bool,
    /// Starts of our own server.
    pub starts: u32,
    /// How and where to.
    pub options: RunOptions,
}

/// A part of the table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WorkingSet {
    /// So many bytes.
    Bytes(u64),
    /// That share of the buffer pool.
    OfPool(f64),
}

/// One workload.
#[derive(Debug, Clone)]
pub struct WorkloadRequest {
    /// Which server.
    pub server: ServerRequest,
    /// How much.
    pub load: LoadRequest,
    /// What an operation is.
    pub task: Task,
    /// Numbers of sessions, ascending, each once; none for a scan or for the usual number.
    pub sessions: Vec<u32>,
    /// Operations per second of an open loop.
    pub rate_per_s: Option<f64>,
    /// The limit that 99 % of the operations are to keep, ns.
    pub limit_ns: Option<u64>,
    /// Where keys are drawn from.
    pub working_set: Option<WorkingSet>,
    /// Size of the table, bytes.
    pub table: Option<u64>,
    /// Of a hundred bytes of padding those that are random.
    pub entropy_percent: u32,
    /// A table for every session.
    pub private: bool,
    /// Numbers of processes that scan.
    pub workers: Vec<u32>,
}

impl WorkloadRequest {
    /// The layers whose ceilings its verdict needs.
    pub fn ceilings(&self) -> Vec<Layer> {
        let mut layers = Vec::new();
        if self.task.source == Source::Drive {
            layers.push(Layer::Block);
        }
        if self.task.commits() > 0.0 {
            layers.push(Layer::Log);
        }
        layers
    }
}

/// The sessions' isolation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// Weaker than the specification asks.
    ReadCommitted,
    /// A snapshot for each transaction.
    RepeatableRead,
    /// As if one after the other.
    Serializable,
}

/// The order-entry mix.
#[derive(Debug, Clone)]
pub struct OrdersRequest {
    /// Which server.
    pub server: ServerRequest,
    /// Warehouses.
    pub warehouses: u32,
    /// Connections that load.
    pub loaders: Option<u32>,
    /// Concurrent sessions.
    pub sessions: Option<u32>,
    /// Where transactions run.
    pub calls: OrdersCalls,
    /// Isolation of the sessions.
    pub isolation: Isolation,
    /// Which warehouses sessions work for.
    pub home: Option<Homes>,
    /// Sessions key and think.
    pub paced: bool,
    /// Transactions per second of an open loop.
    pub rate: Option<u64>,
    /// Unmeasured start of every window.
    pub warm_up: Option<Duration>,
    /// Load and don't run.
    pub load_only: bool,
    /// What is loaded stays.
    pub keep: bool,
    /// Kill the server under it afterwards.
    pub crash: bool,
    /// How much.
    pub load: LoadRequest,
}
