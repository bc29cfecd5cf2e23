//! A PostgreSQL server of our own: found, never run as root, created on the roles' folders, and gone afterwards.
//!
//! [`find`] says which binaries, [`ServerUser`] as whom they run, [`Cluster`] holds one data folder and its server.
//! Not here: what the server is asked to do (the workloads), and servers that the user runs (they are reached by
//! address and never started, stopped or configured).
//!
//! Source for the life cycle (`initdb`, `postmaster.pid`, the three kinds of shutdown): PostgreSQL documentation,
//! "Server Setup and Operation", and `pg_ctl`'s way of waiting for the last line of `postmaster.pid`.

mod cluster;
mod error;
mod find;
mod folders;
mod leftovers;
mod log;
mod settings;
mod socket;
mod standby;
#[cfg(test)]
mod tests;
mod version;

pub use cluster::{Cluster, HowStopped, Options};
pub use error::{FindError, ServerError};
pub use find::{Origin, ServerBinaries, find};
pub use folders::sweep;
pub use version::Version;

pub use narrows_server::{ServerUser, UserError};
