//! Why the database layer could not measure.

use std::io;
use std::path::PathBuf;

use narrows_engine::Stopped;

use crate::load::LoadError;
use crate::schema::LeftBehind;
use crate::server::ServerError;
use crate::table::TableError;
use crate::wire::WireError;

/// Why the database layer could not measure.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// The server refused or the connection broke.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// The load ended without a result.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The table could not be made.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Our schema could not be removed.
    #[error(transparent)]
    LeftBehind(#[from] LeftBehind),
    /// A server of our own could not be started again.
    #[error(transparent)]
    Server(Box<ServerError>),
    /// On request.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A version nobody tested.
    #[error(
        "the server is version {0}; versions 13 to 18 are supported\nhint: name another server with --database, or let narrows start its own"
    )]
    Version(String),
    /// A standby takes no writes.
    #[error(
        "the server is a standby and takes no writes\nhint: name the primary, or use --database managed"
    )]
    Standby,
    /// The user may look and not make anything.
    #[error(
        "the user {user} may not create a schema in the database {database}\n\
         hint: GRANT CREATE ON DATABASE {database} TO {user}, or name another user or database"
    )]
    NoRight {
        /// The user.
        user: String,
        /// The database.
        database: String,
    },
    /// The table's files can't be kept out of memory, so its reads would not be reads of the drive.
    #[error(
        "its reads would not reach the drive, because the table's files can't be evicted from memory: {reason}\n\
         hint: name a folder on a disk's own file system with --data; a server by address has to be on this machine, \
         and its files readable for this user"
    )]
    Evict {
        /// Why not.
        reason: String,
    },
    /// The server that does nothing could not be started.
    #[error(
        "the null server, against which the client is measured, could not be started in {folder}: {reason}\n\
         hint: a socket's path may have 107 bytes; name a folder with a shorter path with --data"
    )]
    NullServer {
        /// Where its socket should lie.
        folder: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
    /// A file of the server could not be handled.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
}

impl From<ServerError> for DatabaseError {
    fn from(error: ServerError) -> DatabaseError {
        match error {
            ServerError::Stopped(stopped) => stopped.into(),
            error => DatabaseError::Server(Box::new(error)),
        }
    }
}

impl DatabaseError {
    /// Whether it ended because it was asked to.
    pub fn is_stop(&self) -> bool {
        matches!(
            self,
            DatabaseError::Stopped(_)
                | DatabaseError::Load(LoadError::Stopped(_))
                | DatabaseError::Table(TableError::Stopped(_))
        )
    }
}
