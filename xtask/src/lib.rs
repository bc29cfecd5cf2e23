//! The workspace's own tools: what continuous integration checks, what is generated, and what is measured beside
//! other programs. The checks are functions here so that ordinary tests run them too.

pub mod check;
pub mod crates;
pub mod dist;
pub mod files;
pub mod fuzz;
pub mod generate;
mod group;
pub mod kernels;
pub mod kills;
pub mod lab;
pub mod lines;
pub mod links;
pub mod peers;
pub mod plants;
pub mod prints;
mod program;
mod programs;
pub mod quiet;
pub mod sanitize;
pub mod soak;
pub mod sources;
mod stored;
pub mod suite;
pub mod text;

use std::path::{Path, PathBuf};

/// The workspace's root.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().map_or_else(|| here.to_path_buf(), Path::to_path_buf)
}
