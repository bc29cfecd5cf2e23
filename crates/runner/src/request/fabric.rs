//! What `narrows fabric` measures.

use super::RunOptions;
use super::block::TargetRequest;

/// Where the time of an operation goes.
#[derive(Debug, Clone)]
pub struct SplitRequest {
    /// The namespace: read, or written with consent.
    pub target: TargetRequest,
    /// `HOST:PORT` of an echo on the target's machine.
    pub echo: Option<String>,
    /// A run that measured the drive behind the target on the target's own machine, by file or id.
    pub device_run: Option<String>,
    /// How and where to.
    pub options: RunOptions,
}
