//! Stored runs beside each other: which runs a side has, and the comparison of them, judged by the same rules.

use std::path::{Path, PathBuf};

use anyhow::Result;
use narrows_compare::{Question, RunComparison, SetupComparison, Side};
use narrows_judge::judge;
use narrows_model::Run;

use crate::failure::Failure;
use crate::{store, tags};

/// The runs of a side, in the order of their start.
#[derive(Debug)]
pub struct LoadedSide {
    /// As it is called in tables: a tag, an id, or what was typed.
    pub name: String,
    /// Its runs.
    pub runs: Vec<Run>,
}

impl LoadedSide {
    fn borrowed(&self) -> Side<'_> {
        Side { name: self.name.clone(), runs: self.runs.iter().collect() }
    }
}

/// Longer names of sides don't fit above a column.
const LONGEST_NAME: usize = 10;

/// Reads the sides: each a tag, a run by file or id, several with commas, or a folder of run files.
///
/// # Errors
/// One can't be found or read, has no run, or shares a run with another.
pub fn load(sides: &[String]) -> Result<Vec<LoadedSide>> {
    let tags = tags::read()?;
    let loaded = sides.iter().enumerate().map(|(at, typed)| side(typed, at, &tags));
    let loaded: Vec<LoadedSide> = loaded.collect::<Result<_>>()?;
    for (at, side) in loaded.iter().enumerate() {
        for other in &loaded[at + 1..] {
            let shared = side.runs.iter().find(|run| other.runs.iter().any(|r| r.id == run.id));
            if let Some(run) = shared {
                return Err(Failure::hinted(
                    format!("run {} is in {} and in {}", run.id, side.name, other.name),
                    "a run compared with itself shows nothing; name it on one side",
                ));
            }
        }
    }
    Ok(loaded)
}

/// Compares each side with the first.
///
/// # Errors
/// They have nothing in common that can be compared.
pub fn compare(sides: &[LoadedSide], question: &Question) -> Result<RunComparison> {
    let all: Vec<Side<'_>> = sides.iter().map(LoadedSide::borrowed).collect();
    let (base, others) = all.split_first().expect("two sides are asked for at least");
    narrows_compare::compare(base, others, question).map_err(|error| {
        Failure::hinted(
            error.to_string(),
            "runs can be compared where the same command with the same options made them: narrows list",
        )
    })
}

/// What differs between two sides besides their figures.
///
/// # Errors
/// There are not two sides.
pub fn setups(sides: &[LoadedSide]) -> Result<SetupComparison> {
    let [base, other] = sides else {
        return Err(Failure::hinted("two sides are compared", "narrows diff BEFORE AFTER"));
    };
    Ok(narrows_compare::setups(&base.borrowed(), &other.borrowed()))
}

/// The runs of these sides, each once.
///
/// # Errors
/// As [`load`].
pub fn runs(named: &[String]) -> Result<Vec<Run>> {
    Ok(load(named)?.into_iter().flat_map(|side| side.runs).collect())
}

/// A run, judged by this version's rules: runs of several versions are held against each other by one set of them.
///
/// # Errors
/// It can't be read.
pub(crate) fn judged(file: &Path) -> Result<Run> {
    let mut run = store::load(file)?;
    judge(&mut run);
    Ok(run)
}

/// Stored runs of a tag, or of one machine by its name (that of the newest run where none is given), and whose they are.
///
/// # Errors
/// There are none, or one of a tag can't be read.
pub fn over_time(host: Option<&str>, tag: Option<&str>) -> Result<(Vec<Run>, String)> {
    if let Some(tag) = tag {
        let files = found(tags::runs(tag)?.iter().map(String::as_str))?;
        return Ok((
            files.iter().map(|file| judged(file)).collect::<Result<_>>()?,
            tag.to_string(),
        ));
    }
    let name = |run: &Run| run.platform().and_then(|platform| platform.hostname.clone());
    // What can't be read is listed by `narrows list`; a trend goes on without it.
    let runs: Vec<Run> =
        store::some_stored()?.iter().filter_map(|path| judged(path).ok()).collect();
    let host = host.map(str::to_string).or_else(|| runs.first().and_then(name));
    let of_host: Vec<Run> =
        runs.into_iter().filter(|run| run.completed && name(run) == host).collect();
    let host = host.unwrap_or_else(|| "a machine without a name".to_string());
    if of_host.is_empty() {
        return Err(Failure::hinted(
            format!("no saved run of {host}"),
            "narrows list shows the saved runs and their machines",
        ));
    }
    Ok((of_host, host))
}

fn side(typed: &str, at: usize, tags: &tags::Tags) -> Result<LoadedSide> {
    let (name, files) = match tags.get(typed) {
        Some(ids) => (typed.to_string(), found(ids.iter().map(String::as_str))?),
        None if Path::new(typed).is_dir() => (last_part(typed), in_folder(typed)?),
        None => {
            let names: Vec<&str> =
                typed.split(',').map(str::trim).filter(|n| !n.is_empty()).collect();
            let name = match names.as_slice() {
                [one] => last_part(one),
                // A list has no name; its place does.
                _ => char::from(b'A' + (at % 26) as u8).to_string(),
            };
            (name, found(names.into_iter())?)
        }
    };
    let mut runs: Vec<Run> = files.iter().map(|file| judged(file)).collect::<Result<_>>()?;
    runs.sort_by(|a, b| a.started_at.cmp(&b.started_at));
    if let Some(pair) = runs.windows(2).find(|pair| pair[0].id == pair[1].id) {
        return Err(Failure::hinted(
            format!("run {} is in {name} twice", pair[0].id),
            "name each run once",
        ));
    }
    if runs.is_empty() {
        return Err(Failure::hinted(
            format!("{name} has no run"),
            "name runs by file or id, several with commas, a tag, or a folder of run files",
        ));
    }
    Ok(LoadedSide { name, runs })
}

fn found<'n>(names: impl Iterator<Item = &'n str>) -> Result<Vec<PathBuf>> {
    names.map(store::find).collect()
}

/// Run files of a folder, by name.
fn in_folder(folder: &str) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(|error| {
        Failure::hinted(format!("cannot read {folder}: {error}"), "name a folder of run files")
    })?;
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(store::ENDING))
        .collect();
    files.sort();
    Ok(files)
}

/// Short enough for the head of a column.
fn last_part(typed: &str) -> String {
    let last = typed.trim_end_matches('/').rsplit('/').next().unwrap_or(typed);
    let name = last.strip_suffix(store::ENDING).unwrap_or(last);
    name.chars().take(LONGEST_NAME).collect()
}

#[cfg(test)]
mod tests {
    use narrows_model::{Plan, Platform};

    use super::*;

    fn stored(folder: &Path, id: &str, started_at: &str) -> PathBuf {
        let run = Run {
            id: id.to_string(),
            started_at: started_at.to_string(),
            ..Run::blank(Plan::default(), Platform::default())
        };
        store::save(folder, &run).unwrap()
    }

    #[test]
    fn a_side_is_files_or_a_folder_in_the_order_of_their_start() {
        let dir = tempfile::tempdir().unwrap();
        let after = stored(dir.path(), "aa", "2026-01-02T00:00:00Z");
        let before = stored(dir.path(), "bb", "2026-01-01T00:00:00Z");
        let tags = tags::Tags::default();
        let listed = format!("{},{}", after.display(), before.display());
        let found = side(&listed, 1, &tags).unwrap();
        let ids: Vec<&str> = found.runs.iter().map(|run| run.id.as_str()).collect();
        assert_eq!((found.name.as_str(), ids), ("B", vec!["bb", "aa"]));
        let found = side(dir.path().to_str().unwrap(), 0, &tags).unwrap();
        assert_eq!(found.runs.len(), 2);
        let one = side(after.to_str().unwrap(), 0, &tags).unwrap();
        assert_eq!(one.name, "aa");
        let twice = format!("{},{}", after.display(), after.display());
        let error = crate::failure::render(&side(&twice, 0, &tags).unwrap_err());
        assert!(error.contains("aa is in A twice") && error.contains("hint: "), "{error}");
        let empty = tempfile::tempdir().unwrap();
        let error = side(empty.path().to_str().unwrap(), 0, &tags).unwrap_err();
        assert!(crate::failure::render(&error).contains("has no run"), "{error}");
    }
}
