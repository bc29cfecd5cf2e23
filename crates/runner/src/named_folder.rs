//! A folder that was named by an option, as it is found.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::failure::Failure;

/// The folder with links resolved, so that what is printed is where it is.
///
/// # Errors
/// It is none.
pub fn folder(path: &Path, option: &str) -> Result<PathBuf> {
    let shown = path.display();
    let real = std::fs::canonicalize(path).map_err(|error| {
        Failure::hinted(
            format!("{option} {shown}: {error}"),
            format!("create it, or name another folder with {option} DIR"),
        )
    })?;
    if !real.is_dir() {
        return Err(Failure::hinted(
            format!("{option} {shown} is not a folder"),
            "narrows writes into a folder on the file system that the database would use, never to a device",
        ));
    }
    Ok(real)
}
