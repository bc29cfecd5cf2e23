//! Results of suites on request, kept as JSON beside the suite, so that their pages of the book can be made at any time.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

fn path(suite: &str) -> PathBuf {
    crate::root().join("tools/src").join(suite).join("results.json")
}

/// What is stored of that suite; nothing where there is no file.
pub(crate) fn read<Results: DeserializeOwned + Default>(suite: &str) -> Result<Results> {
    let path = path(suite);
    match std::fs::read_to_string(&path) {
        Ok(text) => serde_json::from_str(&text).with_context(|| path.display().to_string()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Results::default()),
        Err(error) => Err(error).with_context(|| path.display().to_string()),
    }
}

/// Stores it in the place of what was there.
pub(crate) fn write(suite: &str, results: &impl Serialize) -> Result<()> {
    let path = path(suite);
    let text = serde_json::to_string_pretty(results)? + "\n";
    std::fs::write(&path, text).with_context(|| format!("writing {}", path.display()))
}
