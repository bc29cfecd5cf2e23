//! Names for sets of stored runs: `$XDG_DATA_HOME/narrows/tags.json`, written whole or not at all.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;

use anyhow::Result;

use crate::failure::Failure;
use crate::store;

/// Ids of runs by the name of their tag.
pub type Tags = BTreeMap<String, Vec<String>>;

/// Bytes; a thousand tags of a hundred runs have a million.
const LONGEST: u64 = 16 << 20;
/// Longer names don't fit above a column.
const LONGEST_NAME: usize = 32;

fn path() -> Result<PathBuf> {
    let runs = store::folder()?;
    Ok(runs.parent().unwrap_or(&runs).join("tags.json"))
}

/// All tags; none where there is no file.
///
/// # Errors
/// The file can't be read, or is damaged.
pub fn read() -> Result<Tags> {
    let path = path()?;
    if !path.exists() {
        return Ok(Tags::default());
    }
    let damaged = |why: String| {
        Failure::hinted(
            format!("{}: {why}", path.display()),
            "it holds the names of tags and ids of runs, as JSON; without it there are no tags",
        )
    };
    let bytes = narrows_files::read(&path, LONGEST).map_err(|error| damaged(error.to_string()))?;
    serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))
}

/// Ids of a tag's runs.
///
/// # Errors
/// There is no such tag, or the tags can't be read.
pub fn runs(name: &str) -> Result<Vec<String>> {
    read()?.remove(name).ok_or_else(|| no_tag(name))
}

fn no_tag(name: &str) -> anyhow::Error {
    Failure::hinted(format!("no tag `{name}`"), "narrows tag lists all tags")
}

/// Adds runs, by file or the beginning of an id, to a tag, and makes it where it is new; returns how many it has.
///
/// # Errors
/// The name can't be one, a run can't be found, or the file can't be written.
pub fn add(name: &str, runs: &[String]) -> Result<usize> {
    check(name)?;
    let _held = lock()?;
    let mut tags = read()?;
    let ids = tags.entry(name.to_string()).or_default();
    for run in runs {
        // The run's own id: files may be called otherwise.
        let id = store::load(&store::find(run)?)?.id;
        store::find(&id).map_err(|_| {
            Failure::hinted(
                format!("run {id} is not among the saved runs"),
                "a tag holds saved runs: narrows list; name other files directly, several with commas",
            )
        })?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    let count = ids.len();
    write(&tags)?;
    Ok(count)
}

/// Forgets a tag; its runs stay.
///
/// # Errors
/// There is none of that name, or the file can't be written.
pub fn remove(name: &str) -> Result<()> {
    let _held = lock()?;
    let mut tags = read()?;
    if tags.remove(name).is_none() {
        return Err(no_tag(name));
    }
    write(&tags)
}

/// Takes runs that are gone out of all tags; a tag without any goes too.
pub(crate) fn forget(ids: &[String]) -> Result<()> {
    if !path()?.exists() {
        return Ok(());
    }
    let _held = lock()?;
    let mut tags = read()?;
    let before = tags.clone();
    tags.values_mut().for_each(|runs| runs.retain(|id| !ids.contains(id)));
    tags.retain(|_, runs| !runs.is_empty());
    if tags == before { Ok(()) } else { write(&tags) }
}

/// Held while tags are read, changed and written: who comes second waits, and changes what the first one wrote.
fn lock() -> Result<File> {
    let path = path()?;
    let lock = store::lock_file(path.parent().unwrap_or(&path), "tags")?;
    lock.lock().map_err(|error| {
        Failure::hinted(
            format!("cannot lock the tags beside {}: {error}", path.display()),
            "the folder's file system has to lock files",
        )
    })?;
    Ok(lock)
}

fn write(tags: &Tags) -> Result<()> {
    let path = path()?;
    if let Some(folder) = path.parent() {
        store::make_folder(folder)?;
    }
    let text = serde_json::to_string_pretty(tags).expect("names and ids are texts") + "\n";
    store::write_whole(&path, &text)
}

/// Whether a name can be a tag.
///
/// # Errors
/// It can't, and why.
pub fn check(name: &str) -> Result<()> {
    let fine = |c: char| c.is_alphanumeric() || "-_.+".contains(c);
    let why = if name.is_empty() || name.chars().count() > LONGEST_NAME {
        "it has 1 to 32 characters"
    } else if !name.chars().all(fine) {
        "it has letters, digits, and - _ . + only"
    } else {
        return Ok(());
    };
    Err(Failure::hinted(format!("`{name}` cannot be a tag"), why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tags_are_short_words() {
        for good in ["before", "pg17-io_uring", "a.b+c", "März"] {
            check(good).unwrap();
        }
        for (wrong, why) in
            [("", "1 to 32"), ("a,b", "letters"), ("a/b", "letters"), ("a b", "letters")]
        {
            let error = crate::failure::render(&check(wrong).unwrap_err());
            assert!(error.contains(why), "{error}");
        }
    }
}
