//! What `narrows block` measures.

use std::os::unix::fs::FileTypeExt as _;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use narrows_engine::Arrivals;
use narrows_initiator::Address;
use narrows_raw::Doubt;
use narrows_units::Nanos;

use super::RunOptions;
use crate::failure::Failure;

/// What is measured.
#[derive(Debug, Clone)]
pub enum TargetRequest {
    /// Files of ours in this folder.
    Folder(PathBuf),
    /// This device, which is only read.
    ReadDevice(String),
    /// This device, which may be written.
    WriteDevice(DeviceConsent),
}

impl TargetRequest {
    /// What is only read: the address of a namespace, a block device, or a folder in which files of ours are made.
    ///
    /// # Errors
    /// It is none of these.
    pub fn only_read(text: &str) -> Result<TargetRequest> {
        let device = || Ok(TargetRequest::ReadDevice(text.to_string()));
        if Address::is_meant(text) {
            return device();
        }
        let none = |why: String| {
            let hint =
                "name nvme-tcp://HOST/NQN, a block device, or a folder in which files can be made";
            Failure::hinted(format!("{text}: {why}"), hint)
        };
        let found = std::fs::metadata(text).map_err(|error| none(error.to_string()))?;
        match (found.file_type().is_block_device(), found.is_dir()) {
            (true, _) => device(),
            (_, true) => Ok(TargetRequest::Folder(PathBuf::from(text))),
            _ => Err(none("is neither a block device nor a folder".to_string())),
        }
    }
}

/// That a device may be written.
#[derive(Debug, Clone)]
pub struct DeviceConsent {
    /// Its path.
    pub device: String,
    /// Its serial as somebody typed it.
    pub serial: String,
    /// Doubts that they take upon themselves.
    pub accepted: Vec<Doubt>,
}

/// The highest rate that keeps a percentile of latency within a limit.
#[derive(Debug, Clone)]
pub struct CalibrateRequest {
    /// On what.
    pub target: TargetRequest,
    /// The percentile, 99 for p99.
    pub percentile: f64,
    /// The limit.
    pub within: Nanos,
    /// Bytes of an operation.
    pub size: u32,
    /// Of a hundred operations, reads.
    pub reads: u32,
    /// A durable log runs beside it.
    pub beside_log: bool,
    /// How operations arrive.
    pub arrivals: Arrivals,
    /// Size of the file, bytes.
    pub file_size: u64,
    /// Deepest queue that the search for the ceiling tries.
    pub max_depth: Option<u32>,
    /// Time for all windows.
    pub minutes: Option<u32>,
    /// Time without a load before the ceiling is measured again at the end; zero: that isn't done.
    pub idle: Duration,
    /// How and where to.
    pub options: RunOptions,
}

/// What writes do to reads.
#[derive(Debug, Clone)]
pub struct InterferenceRequest {
    /// On what; it is written.
    pub target: TargetRequest,
    /// Bytes of a read and of a write.
    pub size: u32,
    /// Size of the file that is read, bytes.
    pub file_size: u64,
    /// Most that may be written, bytes.
    pub budget: u64,
    /// Time for all windows.
    pub minutes: Option<u32>,
    /// How and where to.
    pub options: RunOptions,
}

/// Jobs of fio's job files.
#[derive(Debug, Clone)]
pub struct JobsRequest {
    /// The files.
    pub files: Vec<PathBuf>,
    /// Only the sections of these names; all where none is named.
    pub section: Vec<String>,
    /// Variables of the environment that a file may have.
    pub env: Vec<String>,
    /// Where relative names are.
    pub at: PathBuf,
    /// A device that may be written.
    pub consent: Option<DeviceConsent>,
    /// Where fio's JSON goes; `-` is the output, in place of the report.
    pub fio_json: Option<PathBuf>,
    /// With every bin of the histograms.
    pub fio_json_plus: bool,
    /// How and where to.
    pub options: RunOptions,
}

/// Whether the rate of writes lasts.
#[derive(Debug, Clone)]
pub struct SteadyRequest {
    /// On what; it is written.
    pub target: TargetRequest,
    /// Bytes of an operation.
    pub size: u32,
    /// Of a hundred operations, reads.
    pub reads: u32,
    /// Operations in flight.
    pub depth: u32,
    /// Length of a round.
    pub round: Nanos,
    /// Size of the file, bytes.
    pub file_size: u64,
    /// Most that may be written, bytes.
    pub budget: u64,
    /// How and where to.
    pub options: RunOptions,
}

/// Whether several writers to one file wait for each other.
#[derive(Debug, Clone)]
pub struct WritersRequest {
    /// Folder of the files.
    pub at: PathBuf,
    /// Writers, and files.
    pub writers: u32,
    /// Bytes of a write.
    pub size: u32,
    /// How and where to.
    pub options: RunOptions,
}
