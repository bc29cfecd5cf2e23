//! Each command: from its arguments to a request, and from what comes back to the screen.

pub mod ab;
pub mod alone;
pub mod block;
mod clean;
pub mod compare;
pub mod completions;
pub mod config;
pub mod cost;
mod crashtest;
pub mod db;
mod description;
mod device;
pub mod explain;
pub mod export;
pub mod fabric;
pub mod gather;
pub mod help;
pub mod import;
pub mod limits;
pub mod list;
pub mod log;
pub mod memory;
pub mod plan;
pub mod platform;
pub mod report;
pub mod run;
pub mod size;
pub mod tier;
pub mod version;

use narrows_runner::request::RunOptions;

use crate::args::OutputArgs;

impl OutputArgs {
    /// What the run has to know of it; the rest is the screen's.
    pub fn options(&self) -> RunOptions {
        RunOptions {
            seed: self.seed,
            load_here: self.load_here,
            dry_run: self.dry_run,
            anonymous: false,
            output: self.output.clone(),
        }
    }
}
