//! What `narrows log` measures.

use std::path::PathBuf;

use narrows_engine::Arrivals;
pub use narrows_layer_wal::{Layout, Method, Style, WriteVariant};
use narrows_model::FlushTest;
use narrows_postgres::Address;
use narrows_units::{BytesPerSecond, Nanos};

use super::RunOptions;
use super::block::DeviceConsent;

/// Where the files of a server would be.
#[derive(Debug, Clone)]
pub struct LogDirs {
    /// Folder of the log.
    pub wal: PathBuf,
    /// Folder of the data files; `None`: that of the log.
    pub data: Option<PathBuf>,
}

/// Where a log is measured.
#[derive(Debug, Clone)]
pub enum LogMediumSpec {
    /// In files of these folders.
    Folders(LogDirs),
    /// On a namespace that a storage target serves and that may be overwritten.
    Namespace(DeviceConsent),
}

/// The database at the top of the ladder.
#[derive(Debug, Clone)]
pub struct LadderDatabase {
    /// The PostgreSQL to start.
    pub postgres: Option<PathBuf>,
    /// With a synchronous standby on this machine above it.
    pub standby: bool,
}

/// What a commit's wait has to keep.
#[derive(Debug, Clone)]
pub struct CommitGoal {
    /// The percentile, 99 for p99.
    pub percentile: f64,
    /// The limit.
    pub within: Nanos,
    /// Time for the search.
    pub minutes: Option<u32>,
}

/// What each layer adds to a durable write.
#[derive(Debug, Clone)]
pub struct LadderRequest {
    /// Where.
    pub place: LogMediumSpec,
    /// Another folder for the log, on the same storage with a log tier in front.
    pub tier: Option<PathBuf>,
    /// The database at its top.
    pub database: Option<LadderDatabase>,
    /// Ways to write.
    pub cells: Vec<WriteVariant>,
    /// Fresh windows of each.
    pub repeats: u32,
    /// Also beside a load on the data files.
    pub beside: bool,
    /// The search for the rate of commits behind it.
    pub goal: Option<CommitGoal>,
    /// How and where to.
    pub options: RunOptions,
}

impl LadderRequest {
    /// Windows of each step; from six on there are intervals.
    const REPEATS: u32 = 6;

    /// The usual steps, and the commits.
    pub fn whole(
        place: LogMediumSpec,
        database: Option<LadderDatabase>,
        goal: CommitGoal,
        options: RunOptions,
    ) -> LadderRequest {
        let methods = [Method::Fdatasync, Method::Dsync, Method::DsyncDirect, Method::Uring];
        let mut cells =
            WriteVariant::all(&methods, &[Layout::Overwrite], &[WriteVariant::POSTGRES.bytes]);
        cells.push(WriteVariant { layout: Layout::Extend, ..WriteVariant::POSTGRES });
        let (repeats, beside, goal) = (LadderRequest::REPEATS, true, Some(goal));
        LadderRequest { place, tier: None, database, cells, repeats, beside, goal, options }
    }
}

/// How many commits per second keep a percentile of their wait within a limit.
#[derive(Debug, Clone)]
pub struct CommitsRequest {
    /// Where.
    pub place: LogMediumSpec,
    /// What is searched for.
    pub goal: CommitGoal,
    /// How commits arrive.
    pub arrivals: Arrivals,
    /// Log bytes of a commit.
    pub bytes: u64,
    /// A file of sizes instead.
    pub size_histogram: Option<PathBuf>,
    /// Who writes the log.
    pub style: Style,
    /// Wait before a flush.
    pub commit_delay: Nanos,
    /// Only if so many others are committing.
    pub commit_siblings: u32,
    /// Most sessions of the closed loop.
    pub most_sessions: u32,
    /// How and where to.
    pub options: RunOptions,
}

/// Several WAL streams on one device.
#[derive(Debug, Clone)]
pub struct StreamsRequest {
    /// Where.
    pub place: LogMediumSpec,
    /// Logs together.
    pub streams: u32,
    /// Bytes per second of each.
    pub rate: BytesPerSecond,
    /// Bytes of a write.
    pub size: u64,
    /// The percentile of a write's time, 99 for p99.
    pub percentile: f64,
    /// Its limit.
    pub within: Nanos,
    /// Most streams that the search tries.
    pub most_streams: u32,
    /// A cache whose turnover is asked for, bytes.
    pub cache: Option<u64>,
    /// New windows of each number.
    pub repeats: u32,
    /// How and where to.
    pub options: RunOptions,
}

/// A workload with its log in other places.
#[derive(Debug, Clone)]
pub struct PlacementRequest {
    /// Folders for the log, the one it is in now first.
    pub wal: Vec<PathBuf>,
    /// How they are named on the command line.
    pub option: &'static str,
    /// Folder of the data files; `None`: the first of the log's.
    pub data: Option<PathBuf>,
    /// Sessions that update and commit.
    pub sessions: u32,
    /// Run the database with its log in each of them too.
    pub prove: bool,
    /// Fresh windows of everything.
    pub repeats: u32,
    /// Length of a window of the database.
    pub window: Nanos,
    /// The PostgreSQL to start.
    pub postgres: Option<PathBuf>,
    /// How and where to.
    pub options: RunOptions,
}

/// What a commit costs on a server that others load.
#[derive(Debug, Clone)]
pub struct LiveLogRequest {
    /// The server.
    pub address: Address,
    /// How long to look.
    pub length: Nanos,
    /// What `pg_test_fsync` printed there.
    pub tests: Vec<FlushTest>,
    /// How and where to.
    pub options: RunOptions,
}
