//! Results of other tools as stored runs.

use std::path::Path;

use anyhow::Result;
use narrows_import::{ImportError, import};
use narrows_judge::judge;
use narrows_model::{Layer, Plan, Platform, Run, condition};

use crate::failure::Failure;
use crate::{new_run, store};

/// Bytes; JSON+ of many jobs has tens of millions.
const LONGEST: u64 = 256 << 20;

/// Reads a result of fio, pgbench or sysbench and stores it as a run; returns it, and what of the file was left out.
///
/// # Errors
/// The file can't be read, is no such result, or the run can't be stored.
pub fn imported(path: &Path) -> Result<(Run, Vec<String>)> {
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
    let repeats = 1;
    let plan = Plan { layers, repeats, ..Plan::default() };
    // Nothing is known of the machine: the file doesn't say it, and this one need not be it.
    let mut run = Run { completed: true, ..new_run::blank(plan, Platform::default()) };
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
    let folder = store::folder()?;
    store::prepare(&folder)?;
    store::save(&folder, &run)?;
    Ok((run, found.left_out))
}
