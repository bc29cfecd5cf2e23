//! Why the fabric gave nothing.

use std::io;

use narrows_engine::Stopped;
use narrows_initiator::HostError;

/// Why the fabric could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum FabricError {
    /// Asked to end.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The target, or the way to it.
    #[error("fabric: {0}")]
    Host(#[from] HostError),
    /// An operation failed.
    #[error("fabric: a {operation} failed: {source}\nhint: the target's log says why")]
    Operation {
        /// Which.
        operation: String,
        /// The error that the kernel would give for it.
        source: io::Error,
    },
    /// The connection, or memory for it.
    #[error("fabric: {0}")]
    Path(narrows_io::Error),
    /// The echo.
    #[error(
        "fabric: cannot {action} the echo at {address}: {source}\nhint: on the target's machine run `narrows fabric echo --listen ADDRESS:PORT`, with its address on the storage network"
    )]
    Echo {
        /// What was tried.
        action: &'static str,
        /// Where it is.
        address: String,
        /// What came of it.
        source: io::Error,
    },
    /// Something else of the system.
    #[error("fabric: cannot {action}: {source}")]
    System {
        /// What was tried.
        action: &'static str,
        /// What came of it.
        source: io::Error,
    },
    /// No operation ended in a window.
    #[error(
        "fabric: no {operation} ended within {seconds:.1} s\nhint: does the target answer? see its log"
    )]
    Nothing {
        /// Which.
        operation: String,
        /// Length of the window.
        seconds: f64,
    },
}

impl From<narrows_io::Error> for FabricError {
    fn from(error: narrows_io::Error) -> FabricError {
        match error {
            narrows_io::Error::Stopped => FabricError::Stopped(Stopped),
            error => FabricError::Path(error),
        }
    }
}
