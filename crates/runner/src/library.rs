//! The stored runs in a line each, also where there are thousands: what was read of a file is kept beside them, in `index.json`, and read
//! again only where the file has changed.
//!
//! The index is a help and nothing rests on it: where it is missing, damaged or of another version it is made anew, and where it can't be
//! written the list only takes longer.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

use anyhow::Result;
use narrows_model::Run;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{failure, store};

/// Bytes; ten thousand runs have some five million.
const LONGEST: u64 = 256 << 20;

/// Of a stored file, and what was read of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Indexed<Line> {
    bytes: u64,
    /// Since 1970, ns.
    modified_ns: u64,
    line: Line,
}

/// What is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Index<Line> {
    /// Of the program that wrote it: another one may read runs otherwise.
    version: String,
    files: BTreeMap<String, Indexed<Line>>,
}

/// A line per stored file, the newest first: made by `read` of a run, or by `refused` of a file's name and why it can't be read.
///
/// # Errors
/// Where there is no folder for runs.
pub fn lines<Line>(
    read: impl Fn(&Run) -> Line,
    refused: impl Fn(&str, &str) -> Line,
) -> Result<Vec<(PathBuf, Line)>>
where
    Line: Clone + PartialEq + Serialize + DeserializeOwned,
{
    let (known, version) = (stored_index(), version());
    let known = known.filter(|index: &Index<Line>| index.version == version);
    let mut known = known.unwrap_or(Index { version, files: BTreeMap::new() });
    let mut files = BTreeMap::new();
    let mut found = Vec::new();
    for path in store::stored()? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let stamp = path.metadata().ok().map(|file| stamp(&file));
        let before = known.files.get(&name);
        let before = before.filter(|indexed| stamp == Some((indexed.bytes, indexed.modified_ns)));
        let line = match before {
            Some(indexed) => indexed.line.clone(),
            None => match store::load(&path) {
                Ok(run) => read(&run),
                Err(error) => {
                    let reason = failure::render(&error);
                    let reason = reason.lines().next().unwrap_or_default();
                    refused(&name, reason.strip_prefix("error: ").unwrap_or(reason))
                }
            },
        };
        if let Some((bytes, modified_ns)) = stamp {
            files.insert(name, Indexed { bytes, modified_ns, line: line.clone() });
        }
        found.push((path, line));
    }
    if files != known.files {
        known.files = files;
        keep(&known);
    }
    Ok(found)
}

/// Removes stored runs, by the beginnings of their ids; returns their ids. Tags forget them.
///
/// # Errors
/// One can't be found among the stored ones, or can't be removed; those before it are gone.
pub fn remove(names: &[String]) -> Result<Vec<String>> {
    let folder = store::folder()?;
    // All are looked up first, so that a typing error removes nothing.
    let files = names.iter().map(|name| {
        let file = store::find(name)?;
        let inside = file.parent().is_some_and(|parent| parent == folder);
        inside.then_some(file.clone()).ok_or_else(|| {
            failure::Failure::hinted(
                format!("{} is not among the saved runs", file.display()),
                "narrows rm removes saved runs by their ids; other files are yours to remove",
            )
        })
    });
    let files: Vec<PathBuf> = files.collect::<Result<_>>()?;
    let mut removed = Vec::new();
    let outcome = remove_files(&files, &mut removed);
    // Also of those that were removed before one could not be.
    crate::tags::forget(&removed)?;
    outcome.map(|()| removed)
}

fn remove_files(files: &[PathBuf], removed: &mut Vec<String>) -> Result<()> {
    for file in files {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match narrows_files::remove_file(file) {
            // Named twice.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            gone => gone.map_err(|error| {
                failure::Failure::hinted(
                    format!("cannot remove {}: {error}", file.display()),
                    "it needs the right to write in that folder",
                )
            })?,
        }
        removed.push(name.strip_suffix(store::ENDING).unwrap_or(&name).to_string());
    }
    Ok(())
}

fn version() -> String {
    env!("CARGO_PKG_VERSION").to_string()
}

fn stamp(file: &Metadata) -> (u64, u64) {
    let since = file.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    (file.len(), since.map_or(0, |since| since.as_nanos() as u64))
}

fn path() -> Option<PathBuf> {
    let runs = store::folder().ok()?;
    Some(runs.parent()?.join("index.json"))
}

fn stored_index<Line: DeserializeOwned>() -> Option<Index<Line>> {
    let bytes = narrows_files::read(&path()?, LONGEST).ok()?;
    serde_json::from_slice(&bytes).ok()
}

fn keep(index: &Index<impl Serialize>) {
    let (Some(path), Ok(text)) = (path(), serde_json::to_vec(index)) else { return };
    let _ = narrows_files::write_whole(&path, &text, 0o600);
}
