//! The commit log alone, from the device's flush to the database's commit.
//!
//! Each program has a file of its own. What they share: the folders and the machine under them ([`target_dirs`]). Layers never call each
//! other, so what combines log, data files and a database is put together here.

pub mod commits;
mod database;
pub mod ladder;
mod namespace;
mod placed;
pub mod placement;
mod places;
pub mod postgres;
mod segments;
mod standby;
pub mod streams;
pub mod target_dirs;
