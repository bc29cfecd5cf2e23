//! The workspace's own tasks: what continuous integration checks, and what is generated. The checks are functions here so that
//! ordinary tests run them too. What is done on request beside other programs is in `tools/`, a workspace of its own.

pub mod book;
pub mod bound;
pub mod check;
pub mod crates;
pub mod dist;
pub mod files;
pub mod fuzz;
pub mod generate;
pub mod kernels;
pub mod lines;
pub mod links;
pub mod prints;
pub mod programs;
pub mod quiet;
pub mod sanitize;
pub mod sources;
pub mod suite;
pub mod text;
pub mod tools;

use std::path::{Path, PathBuf};

/// The workspace's root.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().map_or_else(|| here.to_path_buf(), Path::to_path_buf)
}
