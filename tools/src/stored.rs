//! Results of suites on request, kept as JSON beside the suite, so that their pages of the book can be made at any time.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Where a suite's results are kept.
pub(crate) fn folder(suite: &str) -> PathBuf {
    crate::root().join("tools/src").join(suite)
}

fn path(suite: &str) -> PathBuf {
    folder(suite).join("results.json")
}

/// What is stored of that suite; nothing where there is no file.
pub(crate) fn read<Results: DeserializeOwned + Default>(suite: &str) -> Result<Results> {
    read_file(&path(suite))
}

/// What is stored in that file; nothing where there is none.
pub(crate) fn read_file<Results: DeserializeOwned + Default>(path: &Path) -> Result<Results> {
    match std::fs::read_to_string(path) {
        Ok(text) => serde_json::from_str(&text).with_context(|| path.display().to_string()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Results::default()),
        Err(error) => Err(error).with_context(|| path.display().to_string()),
    }
}

/// Stores it in the place of what was there.
pub(crate) fn write(suite: &str, results: &impl Serialize) -> Result<()> {
    write_file(&path(suite), results)
}

/// Stores it in that file in the place of what was there.
pub(crate) fn write_file(path: &Path, results: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(results)? + "\n";
    std::fs::write(path, text).with_context(|| format!("writing {}", path.display()))
}
