//! Results of other tools as stored runs.

use std::path::{Path, PathBuf};

use anyhow::Result;
use narrows_import::{ImportError, import};
use narrows_judge::judge;
use narrows_model::{Layer, Plan, Platform, Run, condition};

use crate::failure::Failure;
use crate::{new_run, store};

/// Bytes; JSON+ of many jobs has tens of millions.
const LONGEST: u64 = 256 << 20;

/// Reads results of fio, pgbench or sysbench and stores each as a run, once all of them are read; returns them, each with what of its file
/// was left out. A run's id follows from its file's contents: who imports a file again has one run of it.
///
/// # Errors
/// A file can't be read, is no such result or is the same as another, or a run can't be stored.
pub fn imported(paths: &[PathBuf]) -> Result<Vec<(Run, Vec<String>)>> {
    let runs: Vec<(Run, Vec<String>)> =
        paths.iter().map(|path| read(path)).collect::<Result<_>>()?;
    for (at, (run, _)) in runs.iter().enumerate() {
        if runs[..at].iter().any(|(other, _)| other.id == run.id) {
            return Err(Failure::hinted(
                format!("{} has the same contents as another file", paths[at].display()),
                "one result is one run, however often it is named",
            ));
        }
    }
    let folder = store::folder()?;
    store::prepare(&folder)?;
    for (run, _) in &runs {
        store::save(&folder, run)?;
    }
    Ok(runs)
}

fn read(path: &Path) -> Result<(Run, Vec<String>)> {
    let refused = |why: String| {
        Failure::hinted(
            format!("{}: {why}", path.display()),
            "narrows import reads fio --output-format=json (or json+), and what pgbench and sysbench print",
        )
    };
    let bytes = narrows_files::read(path, LONGEST).map_err(|error| refused(error.to_string()))?;
    let text = String::from_utf8_lossy(&bytes);
    let found = import(&text).map_err(|error: ImportError| refused(error.to_string()))?;
    let mut layers: Vec<Layer> = found.measurements.iter().map(|m| m.layer).collect();
    layers.dedup();
    let plan = Plan { layers, repeats: 1, ..Plan::default() };
    // Nothing is known of the machine: the file doesn't say it, and this one need not be it.
    let mut run = Run { completed: true, ..new_run::blank(plan, Platform::default()) };
    run.id = id_of(&bytes);
    if let Some(time) = found.at_unix_s.and_then(|s| jiff::Timestamp::from_second(s).ok()) {
        run.started_at = time.to_string();
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    run.add(found.measurements.into_iter().map(|mut measurement| {
        let from = format!("{name}, {}", found.tool);
        measurement.conditions.insert(condition::IMPORTED_FROM, from);
        measurement
    }));
    judge(&mut run);
    Ok((run, found.left_out))
}

/// Eight digits, as other ids have, with a letter before them that those don't begin with.
fn id_of(bytes: &[u8]) -> String {
    use std::hash::{DefaultHasher, Hasher};
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    format!("i{:08x}", hasher.finish() as u32)
}
