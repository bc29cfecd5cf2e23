//! `narrows block run`: the jobs of fio's job files as streams of the block layer.
//!
//! Reading the files is `narrows-fio`'s affair. Here jobs become [`lane`]s (streams whose file isn't open yet), jobs side
//! by side become [`wall`]s (scenarios, one after the other), and the files they name are found or made ([`files`]). What
//! a stream cannot do stops the run before it begins; what it does in another way is listed first.
//!
//! A file that is there is only read. A file that isn't is made in a scratch folder beside its place, and removed. A device
//! is written only with consent.

mod disks;
mod execute;
mod files;
mod fio_json;
mod lane;
mod lanes;
mod mapping;
mod order;
#[cfg(test)]
mod promises;
mod read;
mod span;
mod targets;
mod wall;

use std::path::Path;

use anyhow::Result;
use narrows_fio::Taken;
use narrows_model::{Layer, PlannedStep};
use narrows_units::{Bytes, shown};

use super::place;
use crate::args::block::JobsArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::session::{Prepared, Session};
use crate::{output, store, stream};

use targets::Targets;
use wall::Wall;

/// Assumed while planning only.
const FILL_BYTES_PER_S: f64 = 500e6;

/// Runs the command.
pub fn run(args: &JobsArgs) -> Result<Exit> {
    let at = place::folder(&args.place)?;
    if let Some(path) = args.fio_json.as_deref().filter(|path| *path != Path::new("-")) {
        check_fio_json(path)?;
    }
    let consented = place::consented(&args.consent)?;
    let plan = read::plan(args)?;
    let mut targets = Targets::new(&at, consented.as_ref());
    let mut said = said_by_reading(&plan);
    let walls = wall::walls(&plan.jobs, &mut targets, &mut said)?;
    let platform = targets.machine();
    let prepared = Prepared::new(
        &at.display().to_string(),
        platform,
        &args.output,
        1,
        targets.made_bytes(),
        steps(&walls, &targets),
    );
    let mut said = said.join("\n");
    if !said.is_empty() {
        said.push('\n');
    }
    if args.output.dry_run {
        output::print(&format!("{said}{}", prepared.describe()))?;
        return Ok(Exit::Done);
    }
    targets.guard(args.output.load_here)?;
    targets.check_space()?;
    stream::put(&said);
    let folders = targets.folders();
    let folders: Vec<&Path> = folders.iter().map(|folder| folder.as_path()).collect();
    let mut session = Session::begin(prepared, &folders, &args.output)?;
    let mut done = Vec::new();
    let mut devices = Vec::new();
    let consent = consented.as_ref().map(|(_, consent)| consent);
    let outcome = execute::execute(
        &mut session,
        &plan.jobs,
        &walls,
        &mut targets,
        consent,
        (&mut done, &mut devices),
    );
    let mut show = true;
    // The run itself is kept and shown even where this file can't be written.
    let mut written = Ok(());
    if let Some(path) = args.fio_json.as_ref().filter(|_| outcome.is_ok()) {
        let text = fio_json::text(&plan, &done, devices, args.fio_json_plus);
        show = path != Path::new("-");
        if show {
            written = store::write_whole(path, &text);
        } else {
            session.display.clear();
            written = output::print(&text);
        }
    }
    let exit = session.end(outcome, &args.output, show)?;
    written.map(|()| exit)
}

/// Refuses before the run what would fail after it.
fn check_fio_json(path: &Path) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let problem = match std::fs::metadata(folder) {
        Ok(found) if !found.is_dir() => "is not a folder".to_string(),
        Ok(_) if path.is_dir() => "is a folder".to_string(),
        Ok(_) => return Ok(()),
        Err(error) => error.to_string(),
    };
    Err(Failure::hinted(
        format!("--fio-json {}: {problem}", path.display()),
        "name a file in a folder that is there, or - for standard output",
    ))
}

/// Everything about the settings that isn't just as in fio, line by line.
fn said_by_reading(plan: &narrows_fio::Plan) -> Vec<String> {
    let mut said = Vec::new();
    for note in plan.notes.iter().filter(|note| note.taken != Taken::Same) {
        let how = match note.taken {
            Taken::Same => "same",
            Taken::Approximated => "approximated",
            Taken::AsFio => "as fio takes it",
            Taken::AsWritten => "as written, not as fio takes it",
            Taken::Warned => "note",
        };
        let setting = match (note.option.as_str(), note.value.as_str()) {
            ("", _) => String::new(),
            (option, "") => format!(" {option}"),
            (option, value) => format!(" {option}={value}"),
        };
        let line = format!("{} [{}]{setting}: {how}", note.place, note.section);
        let line =
            if note.sentence.is_empty() { line } else { format!("{line}: {}", note.sentence) };
        // Defaults are said where they stand, not for every job that inherits them.
        let line = shown(&line).into_owned();
        if !said.contains(&line) {
            said.push(line);
        }
    }
    said
}

fn steps(walls: &[Wall], targets: &Targets<'_>) -> Vec<PlannedStep> {
    let step = |what: String, expected_s: f64, writes_bytes: u64| PlannedStep {
        layer: Layer::Block,
        what,
        expected_s,
        writes_bytes,
    };
    let mut steps: Vec<PlannedStep> = targets
        .made()
        .map(|(path, bytes)| {
            let what = format!("write a file of {} in place of {}", Bytes(bytes), path.display());
            step(what, bytes as f64 / FILL_BYTES_PER_S, bytes)
        })
        .collect();
    steps
        .extend(walls.iter().map(|wall| step(wall.what(), wall.expected_s(), wall.writes_bytes())));
    steps
}
