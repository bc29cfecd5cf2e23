//! What can be asked of a program, in types: between what was typed and what is planned.
//!
//! Quantities are within their bounds already, words are read, addresses parsed. What a request says nothing of has its usual value.
//! Where a crate below has a type for what is meant, that type stands here.

pub mod block;
pub mod crashtest;
pub mod database;
pub mod fabric;
pub mod log;
pub mod machine;
pub mod memory;

use std::path::PathBuf;

pub use narrows_engine::Arrivals;
pub use narrows_postgres::{Address, AddressError};
pub use narrows_raw::Doubt;

/// How to run and where to keep it.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// Of every random choice; `None` for a new one.
    pub seed: Option<u64>,
    /// Measure although a database runs on this machine.
    pub load_here: bool,
    /// Only show the plan.
    pub dry_run: bool,
    /// Leave names and addresses out of the run file and the screen.
    pub anonymous: bool,
    /// Folder for the run file and every format of its report; `None` for the run file in the user's folder of runs.
    pub output: Option<PathBuf>,
}

impl RunOptions {
    /// The seed that was asked for, or one that nobody had before.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or_else(new_seed)
    }
}

/// A seed that nobody chose.
pub fn new_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    // The standard library seeds its hash tables from the system's random source.
    std::collections::hash_map::RandomState::new().build_hasher().finish() >> 16
}
