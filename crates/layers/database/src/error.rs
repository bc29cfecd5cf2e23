//! Why the database layer could not measure.

use narrows_engine::Stopped;

use crate::kind::KindError;
use crate::load::LoadError;

/// Why the database layer could not measure.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// The server refused, broke, or is none that can be measured, in the words of its kind.
    #[error(transparent)]
    Kind(#[from] KindError),
    /// The load ended without a result.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// On request.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A kind that doesn't have this workload.
    #[error("{kind} has no {what} here yet\nhint: {hint}")]
    NoSuchWork {
        /// The kind.
        kind: &'static str,
        /// What was asked for.
        what: String,
        /// What there is.
        hint: &'static str,
    },
    /// The table's files can't be kept out of memory, so its reads would not be reads of the drive.
    #[error(
        "its reads would not reach the drive, because the table's files cannot be evicted from memory: {reason}\nhint: name a folder on a disk's own file system with --data; a server by address must be on this machine, and its files readable for this user"
    )]
    Evict {
        /// Why not.
        reason: String,
    },
}

impl DatabaseError {
    /// Whether it ended because it was asked to.
    pub fn is_stop(&self) -> bool {
        matches!(self, DatabaseError::Stopped(_) | DatabaseError::Load(LoadError::Stopped(_)))
    }
}
