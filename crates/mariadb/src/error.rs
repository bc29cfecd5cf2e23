//! What went wrong with a MariaDB.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use narrows_engine::Stopped;
use narrows_layer_database::{DatabaseError, LoadError};
use narrows_server::{MadeError, UserError};

/// What went wrong with a MariaDB.
#[derive(Debug, thiserror::Error)]
pub enum MariaError {
    /// On request.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// Nobody is reached at a socket.
    #[error("no MariaDB answers at the socket {}: {source}", narrows_units::shown(&.socket.display().to_string()))]
    NoSocket {
        /// Its path.
        socket: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The connection broke.
    #[error("the connection to MariaDB broke: {0}")]
    Io(#[from] io::Error),
    /// The server said something that the protocol doesn't have there.
    #[error("MariaDB answered with {0}")]
    Unexpected(&'static str),
    /// A packet that is longer than anything we ask for.
    #[error("MariaDB sent a packet of {bytes} bytes, more than anything that was asked for")]
    Long {
        /// Its length.
        bytes: usize,
    },
    /// It takes too long.
    #[error(
        "MariaDB has not answered for {} s\nhint: look at its log for what it does or waits for",
        .0.as_secs()
    )]
    Late(Duration),
    /// It refused.
    #[error("MariaDB refused ({code}, {state}): {message}")]
    Refused {
        /// Its number.
        code: u16,
        /// SQLSTATE.
        state: String,
        /// Its text.
        message: String,
    },
    /// No program.
    #[error(
        "no MariaDB server found: mariadbd with mariadb-install-db, in PATH or the usual folders\n\
         hint: install the distribution's package mariadb-server, or leave out --kind"
    )]
    NotFound,
    /// As whom it would run.
    #[error(transparent)]
    User(#[from] UserError),
    /// Its folders.
    #[error("{0}\nhint: name another folder with --data")]
    Folder(#[from] MadeError),
    /// A socket's path has an end.
    #[error(
        "the path of its socket, {path}, has more than 107 bytes\nhint: name a folder with a shorter path with --data"
    )]
    LongPath {
        /// The path.
        path: PathBuf,
    },
    /// A program that didn't do what it should.
    #[error(
        "{program} {what} ({status}):\n{output}\nhint: its last lines say what it lacked; name another folder with --data where it is room"
    )]
    Program {
        /// Which.
        program: &'static str,
        /// What it didn't do.
        what: &'static str,
        /// How it ended.
        status: String,
        /// Its last lines.
        output: String,
    },
    /// The server is gone.
    #[error("MariaDB is not running")]
    NotRunning,
    /// A plan that is another access.
    #[error("MariaDB runs `{statement}` as:\n{plan}\ninstead of {wanted}")]
    Plan {
        /// The statement.
        statement: String,
        /// What it says.
        plan: String,
        /// What was meant.
        wanted: String,
    },
}

impl From<MariaError> for DatabaseError {
    fn from(error: MariaError) -> Self {
        match error {
            MariaError::Stopped(stopped) => stopped.into(),
            error => DatabaseError::Kind(error.into()),
        }
    }
}

impl From<MariaError> for LoadError {
    fn from(error: MariaError) -> Self {
        match error {
            MariaError::Stopped(stopped) => stopped.into(),
            error => LoadError::Kind(error.into()),
        }
    }
}
