//! Why a server has nobody to run as.

use std::io;
use std::path::PathBuf;

/// Why no user to run the server as, or why it can't work where it should.
#[derive(Debug, thiserror::Error)]
pub enum UserError {
    /// Run by root on a machine without a lesser user.
    #[error(
        "a database server is not run as root, and this machine has no user {names}\n\
         hint: run as an ordinary user"
    )]
    NoUser {
        /// Who would do.
        names: String,
    },
    /// The server's user can't get somewhere.
    #[error(
        "the server would run as user {user}, who cannot pass {blocking} on the way to {path}\n\
         hint: choose another folder, or run as a user who may, or `chmod o+x {blocking}`"
    )]
    Blocked {
        /// Name of the user.
        user: String,
        /// The folder that lacks the right.
        blocking: PathBuf,
        /// Where the way leads.
        path: PathBuf,
    },
    /// A file of ours couldn't be handed over.
    #[error("cannot give {path} to user {user}: {reason}\nhint: run as an ordinary user")]
    GiveAway {
        /// The file or folder.
        path: PathBuf,
        /// Name of the user.
        user: String,
        /// What the system said.
        reason: io::Error,
    },
}
