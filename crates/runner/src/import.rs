//! Results of other tools as stored runs, and a server's own report beside this machine's capacities.

use std::path::{Path, PathBuf};

use anyhow::Result;
use narrows_import::{ImportError, Imported, import};
use narrows_judge::judge;
use narrows_model::{Layer, Measurement, Observation, Plan, Platform, Run, condition};

use crate::failure::Failure;
use crate::observe::capacities::{StoredCapacities, beside_report};
use crate::{new_run, store};

/// Bytes; JSON+ of many jobs has tens of millions.
const LONGEST: u64 = 256 << 20;
const FORMATS: &str = "narrows import reads fio's JSON, what pgbench (and its log), sysbench, HammerDB, pgio, SLOB's awr_info.sh, \
                       CALIBRATE_IO, pg_test_fsync, iostat -x, vmstat, mpstat, sar, MLC, multiload and SLB print, and Oracle's AWR report (HTML or text)";

/// Capacities to judge a server's report by.
#[derive(Debug, Clone, Copy)]
pub struct Capacities<'a> {
    /// A stored run of the server's machine.
    pub run: &'a str,
    /// The machine is the server's, whatever the names say.
    pub same_machine: bool,
}

/// Reads results of other tools and stores each as a run, once all of them are read; returns them, each with what of its file
/// was left out. A run's id follows from its file's contents: who imports a file again has one run of it.
///
/// # Errors
/// A file can't be read, is no such result or is the same as another, the capacities are another machine's, or a run can't be stored.
pub fn imported(
    paths: &[PathBuf],
    capacities: Option<Capacities<'_>>,
) -> Result<Vec<(Run, Vec<String>)>> {
    let runs: Vec<(Run, Vec<String>)> =
        paths.iter().map(|path| run_of(path, capacities)).collect::<Result<_>>()?;
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

/// A server's own report, for a run that measures the server's machine.
#[derive(Debug, Clone)]
pub struct ServerOwnReport {
    /// What it says of the server.
    pub observation: Observation,
    /// The transaction first, and what it says of drives and log.
    pub measurements: Vec<Measurement>,
    /// What has to be known of it, in sentences.
    pub remarks: Vec<String>,
}

impl ServerOwnReport {
    /// Reads it; `host` is the machine that is measured, `None` where it is the server's in any case.
    ///
    /// # Errors
    /// It can't be read, is none, or is of another machine.
    pub fn read(path: &Path, host: Option<&str>) -> Result<ServerOwnReport> {
        let (found, _) = read(path)?;
        let Some(observation) = found.observation.clone() else {
            let why = format!(
                "{}: a result of {}, and no report of a server",
                path.display(),
                found.tool
            );
            return Err(Failure::hinted(
                why,
                "--with reads Oracle's AWR report (awrrpt.sql), as HTML or text",
            ));
        };
        if let Some(host) = host {
            of_that_host(&observation, host, &path.display().to_string())?;
        }
        let remarks = found.left_out.clone();
        Ok(ServerOwnReport { observation, measurements: marked(path, found), remarks })
    }
}

/// Refuses a report of another machine.
pub(crate) fn of_that_host(seen: &Observation, host: &str, name: &str) -> Result<()> {
    let Some(report) = seen.report.as_ref().filter(|report| !report.is_of_host(host)) else {
        return Ok(());
    };
    let theirs = report.host.as_deref().unwrap_or("a host without a name");
    Err(Failure::hinted(
        format!("{name}: a report of {theirs}, and the capacities are those of {host}"),
        "measure on the server's machine; if it is that machine under another name, add --same-machine",
    ))
}

fn read(path: &Path) -> Result<(Imported, Vec<u8>)> {
    let refused = |why: String, hint| Failure::hinted(format!("{}: {why}", path.display()), hint);
    let unread = "name a file that you may read; FILE is the output of another tool, narrows import --help lists which";
    let bytes =
        narrows_files::read(path, LONGEST).map_err(|error| refused(error.to_string(), unread))?;
    let text = String::from_utf8_lossy(&bytes);
    let found = import(&text).map_err(|error: ImportError| refused(error.to_string(), FORMATS))?;
    Ok((found, bytes))
}

/// Its measurements, each with where it is from.
fn marked(path: &Path, found: Imported) -> Vec<Measurement> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let from = format!("{name}, {}", found.tool);
    let mut measurements = found.measurements;
    for measurement in &mut measurements {
        measurement.conditions.insert(condition::IMPORTED_FROM, from.as_str());
    }
    measurements
}

fn run_of(path: &Path, capacities: Option<Capacities<'_>>) -> Result<(Run, Vec<String>)> {
    let (mut found, bytes) = read(path)?;
    let taken = match (&found.observation, capacities) {
        (Some(seen), Some(asked)) => Some(beside_report(asked, seen, &path.display().to_string())?),
        (None, Some(_)) => {
            return Err(Failure::hinted(
                format!(
                    "{}: --capacities judge a server, and this is a result of {}",
                    path.display(),
                    found.tool
                ),
                "leave --capacities out; narrows compare A B puts results beside each other",
            ));
        }
        (_, None) => None,
    };
    let mut layers: Vec<Layer> = found.measurements.iter().map(|m| m.layer).collect();
    layers.dedup();
    let plan = Plan { layers, repeats: 1, ..Plan::default() };
    // Nothing is known of the machine but what the file says, and this one need not be it.
    let host = found.observation.as_ref().and_then(|seen| seen.report.as_ref()?.host.clone());
    let platform = Platform { hostname: host, ..Platform::default() };
    let mut run = Run { completed: true, ..new_run::blank(plan, platform) };
    run.id = id_of(&bytes);
    if let Some(time) = found.at_unix_s.and_then(|s| jiff::Timestamp::from_second(s).ok()) {
        run.started_at = time.to_string();
    }
    let left_out = std::mem::take(&mut found.left_out);
    if let Some(mut seen) = found.observation.take() {
        if let Some(StoredCapacities { measurements, from }) = taken {
            seen.capacities_from = from;
            run.add(measurements);
        }
        run.observations.push(seen);
    }
    run.add(marked(path, found));
    judge(&mut run);
    Ok((run, left_out))
}

/// Eight digits, as other ids have, with a letter before them that those don't begin with.
fn id_of(bytes: &[u8]) -> String {
    use std::hash::{DefaultHasher, Hasher};
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    format!("i{:08x}", hasher.finish() as u32)
}
