//! Why there is no server. Messages end with a hint.

use std::io;
use std::path::PathBuf;

use narrows_bundle::BundleError;
use narrows_engine::Stopped;
use narrows_server::UserError;

/// Why no server binaries.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// As whom to try them is not known.
    #[error(transparent)]
    User(#[from] UserError),
    /// A stop was asked for.
    #[error("stopped while PostgreSQL's programs were looked for")]
    Stopped,
    /// The one the user named doesn't do.
    #[error(
        "--postgres {path} is not a PostgreSQL server that can be used: {why}\n\
         hint: give the path of a postgres program (version {least} or newer) with its initdb beside it, or their folder"
    )]
    Given {
        /// As given.
        path: PathBuf,
        /// What was wrong.
        why: String,
        /// Oldest version that will do.
        least: u32,
    },
    /// None here, and fetching was not allowed.
    #[error(
        "no PostgreSQL server found in PATH or the usual folders{rejected}\n\
         hint: install the distribution's PostgreSQL server package, or name one with --postgres FILE"
    )]
    None {
        /// Those that were found and don't do, in words; empty if there were none.
        rejected: String,
    },
    /// None here, and the bundle can't be had.
    #[error("no PostgreSQL server found in PATH or the usual folders{rejected}; {bundle}")]
    Bundle {
        /// Those that were found and don't do, in words; empty if there were none.
        rejected: String,
        /// Why there is no bundle; ends with a hint.
        #[source]
        bundle: Box<BundleError>,
    },
    /// The bundle is there and doesn't run, as on a machine without glibc.
    #[error(
        "the PostgreSQL bundle in {path} does not run on this machine: {why}\n\
         hint: install the distribution's PostgreSQL server package, or name one with --postgres FILE"
    )]
    BundleUnusable {
        /// Its folder.
        path: PathBuf,
        /// What was wrong.
        why: String,
    },
}

/// Why a server couldn't be created, started, used or stopped.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// Asked to end.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The server's user.
    #[error(transparent)]
    User(#[from] UserError),
    /// A setting can't be written down.
    #[error("the server setting {name:?} = {value:?} cannot be written: {why}\nhint: leave it out")]
    Setting {
        /// Its name.
        name: String,
        /// Its value.
        value: String,
        /// What is wrong.
        why: &'static str,
    },
    /// The folder is somebody's.
    #[error(
        "{path} exists already; a server of ours is only created in a new folder\nhint: name another folder"
    )]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// A folder or file.
    #[error("cannot {doing} {path}: {reason}\nhint: {hint}")]
    Io {
        /// The action, an infinitive.
        doing: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
        /// What to do.
        hint: &'static str,
    },
    /// A program couldn't be started at all.
    #[error("cannot start {program} as user {user}: {reason}\nhint: {hint}")]
    Spawn {
        /// The program.
        program: PathBuf,
        /// Name of the user.
        user: String,
        /// What the system said.
        reason: io::Error,
        /// What to do.
        hint: &'static str,
    },
    /// `initdb` failed. Nothing of it is left.
    #[error("initdb could not create a database in {data_dir} ({status}):\n{output}\nhint: {hint}")]
    Initdb {
        /// Where.
        data_dir: PathBuf,
        /// How it ended.
        status: String,
        /// The last lines it wrote.
        output: String,
        /// What to do.
        hint: &'static str,
    },
    /// The server ended where it should run.
    #[error("the server ended {when} ({status}); the end of its log:\n{log}\nhint: {hint}")]
    Died {
        /// "while starting" or "by itself".
        when: &'static str,
        /// How it ended.
        status: String,
        /// The last lines of its log.
        log: String,
        /// What to do.
        hint: &'static str,
    },
    /// It crashed and recovered, so that it still runs.
    #[error("the server crashed and recovered while it was measured: {line}\nhint: {hint}")]
    Crashed {
        /// The line of its log that says so.
        line: String,
        /// What to do.
        hint: &'static str,
    },
    /// It neither accepted connections nor ended.
    #[error(
        "the server did not accept connections within {waited_s} s; the end of its log:\n{log}\n\
         hint: a slow or busy device may need longer; look at what else uses it"
    )]
    StartTimeout {
        /// Seconds.
        waited_s: u64,
        /// The last lines of its log.
        log: String,
    },
    /// Processes didn't get the processors asked for.
    #[error(
        "cannot bind the server's process {pid} to CPUs {cpus:?}: {reason}\n\
         hint: a cpuset may forbid them; look at /proc/self/status, Cpus_allowed_list"
    )]
    Cpus {
        /// The process or thread.
        pid: u32,
        /// Asked for.
        cpus: Vec<u32>,
        /// What the system said.
        reason: io::Error,
    },
    /// Something needs a running server and there is none.
    #[error("the server is not running")]
    NotRunning,
}
