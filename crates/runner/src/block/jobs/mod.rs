//! The jobs of fio's job files as streams of the block layer.
//!
//! Reading the files is `narrows-fio`'s affair. Here jobs become [`job_stream`]s (streams whose file isn't open yet), jobs side
//! by side become [`stage`]s (scenarios, one after the other), and the files they name are found or made ([`files`]). What
//! a stream cannot do stops the run before it begins; what it does in another way is listed first.
//!
//! A file that is there is only read. A file that isn't is made in a scratch folder beside its place, and removed, unless a job
//! saves a state of its verification. A device is written only with consent.

mod atomic_writes;
mod by_priority;
mod calls;
mod cpu_loads;
mod disks;
mod execute;
mod files;
mod fio_json;
mod in_step;
mod job_stream;
mod job_streams;
mod judges;
mod mapping;
mod measurements;
mod nodes;
mod operation_rules;
#[cfg(test)]
mod option_coverage;
mod order;
mod passthrough;
mod read;
mod read_back;
mod replay;
mod so_far;
mod span;
mod stage;
mod targets;
mod turns;
mod verified;
mod verify;
mod verify_state;
mod whole_files;
#[cfg(test)]
mod written_jobs;

use std::path::{Path, PathBuf};

use anyhow::Result;
use narrows_fio::SettingTreatment;
use narrows_initiator::Address;
use narrows_model::{Layer, Plan, PlannedStep, Platform, Run};
use narrows_raw::Consent;
use narrows_units::{Bytes, shown};

use super::folder;
use super::remote::RemoteNamespace;
use crate::failure::{self, Failure};
use crate::paragraph::paragraphs;
use crate::prepared::Prepared;
use crate::program::Program;
use crate::request::RunOptions;
use crate::request::block::{DeviceConsent, JobsRequest};
use crate::session::{EndReport, Ended, Session};
use crate::ui::Ui;
use crate::{guard, preflight, store};

use stage::Stage;
use targets::{Consented, Targets};
use whole_files::FileSet;

/// Assumed while planning only.
const FILL_BYTES_PER_S: f64 = 500e6;
/// Of a small file that is made durable.
const LAYOUT_S: f64 = 1e-3;

/// Whether fio has an option of that name, which then belongs in a job file.
pub fn is_option_of_fio(name: &str) -> bool {
    narrows_fio::options::find(name).is_some()
}

/// The jobs that were read.
pub struct Jobs {
    request: JobsRequest,
    /// Of a raw device that may be written.
    consent: Option<Consent>,
    plan: narrows_fio::Plan,
    targets: Targets,
    stages: Vec<Stage>,
    /// What isn't just as in fio, line by line.
    said: String,
    prepared: Prepared,
    /// Whether fio's layout was written; the run itself is kept and shown even where it can't be.
    written: Result<()>,
    /// A block that is not what was written.
    mismatch: Option<anyhow::Error>,
}

impl Program for Jobs {
    type Request = JobsRequest;

    fn options(request: &JobsRequest) -> &RunOptions {
        &request.options
    }

    fn plan(request: &JobsRequest, _: &dyn Ui) -> Result<Jobs> {
        let at = folder::folder(&request.at)?;
        if let Some(path) = request.fio_json.as_deref().filter(|path| *path != Path::new("-")) {
            check_fio_json(path)?;
        }
        let (consented, consent) = consented(request.consent.as_ref())?;
        let plan = read::plan(request)?;
        let mut targets = Targets::new(&at, consented);
        let mut said = said_by_reading(&plan);
        let stages = stage::stages(&plan.jobs, &mut targets, &mut said)?;
        let prepared = Prepared::storage(
            &at.display().to_string(),
            targets.machine(),
            &request.options,
            1,
            targets.made_bytes(),
            steps(&stages, &targets),
        );
        let mut said = said.join("\n");
        if !said.is_empty() {
            said.push('\n');
        }
        let request = request.clone();
        let (written, mismatch) = (Ok(()), None);
        Ok(Jobs { request, consent, plan, targets, stages, said, prepared, written, mismatch })
    }

    fn planned(&self) -> (&Plan, &Platform) {
        (&self.prepared.plan, &self.prepared.platform)
    }

    fn describe(&self) -> String {
        let streams = || self.stages.iter().flat_map(|stage| &stage.streams);
        let losses = self
            .targets
            .losses(|path| streams().any(|stream| stream.file == path && stream.mix.writes()));
        let plan = if streams().any(|stream| stream.writes_bytes().is_none()) {
            let closing =
                "writes as much as its time allows; files made here are removed afterwards";
            self.prepared.describe_ending(closing)
        } else {
            self.prepared.describe()
        };
        let stays = self.targets.staying().map(|path| {
            let path = path.display();
            format!("stays    {path}, for the state of verification that is saved of it\n")
        });
        self.said.clone() + &plan + &stays.collect::<String>() + &paragraphs(&losses)
    }

    fn folders(&self) -> Vec<PathBuf> {
        self.targets.folders().into_iter().collect()
    }

    fn admit(&mut self, load_here: bool, ui: &dyn Ui) -> Result<()> {
        self.targets.guard(load_here)?;
        self.targets.check_space()?;
        guard::storage(&self.prepared.platform, &self.folders(), load_here, ui)
    }

    fn check(&self) -> Result<()> {
        self.folders().iter().try_for_each(|folder| preflight::folder(folder, "--at"))
    }

    fn run(&mut self, session: &mut Session<'_>) -> Result<Ended> {
        let (mut done, mut devices, mut told) = (Vec::new(), Vec::new(), Vec::new());
        let ended = execute::execute(
            session,
            &self.plan.jobs,
            &self.stages,
            &mut self.targets,
            self.consent.as_ref(),
            (&mut done, &mut devices, &mut told),
        );
        // The last one ends the command, unless something else does; those before it are said.
        self.mismatch = if ended.is_ok() { told.pop() } else { None };
        told.iter().for_each(|error| session.ui.say(&failure::render(error)));
        let ended = ended?;
        if let Some(path) = &self.request.fio_json {
            let text = fio_json::text(&self.plan, &done, devices, self.request.fio_json_plus);
            self.written = if path == Path::new("-") {
                session.told = EndReport::Place;
                session.ui.clear();
                session.ui.print(&text)
            } else {
                store::write_whole(path, &text)
            };
        }
        Ok(ended)
    }

    fn concluded(&mut self, _: &Run, _: &dyn Ui) -> Result<()> {
        if let Some(error) = self.mismatch.take() {
            return Err(error);
        }
        std::mem::replace(&mut self.written, Ok(()))
    }
}

/// What may be written, and of a raw device the consent itself.
fn consented(given: Option<&DeviceConsent>) -> Result<(Option<Consented>, Option<Consent>)> {
    let Some(given) = given else { return Ok((None, None)) };
    if Address::is_meant(&given.device) {
        return Ok((Some(Consented::Remote(RemoteNamespace::consented(given)?)), None));
    }
    let (device, consent) = folder::consented(given)?;
    Ok((Some(Consented::Device(device.number)), Some(consent)))
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
    for note in plan.notes.iter().filter(|note| note.taken != SettingTreatment::Same) {
        let how = match note.taken {
            SettingTreatment::Same => "same",
            SettingTreatment::Approximated => "approximated",
            SettingTreatment::AsFio => "as fio takes it",
            SettingTreatment::AsWritten => "as written, not as fio takes it",
            SettingTreatment::Warned => "note",
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

fn steps(stages: &[Stage], targets: &Targets) -> Vec<PlannedStep> {
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
    for (folder, (files, bytes)) in targets.sets.by_folder(FileSet::is_laid_out) {
        let what = format!("make {files} files or folders in place of {}", folder.display());
        steps.push(step(what, files as f64 * LAYOUT_S, bytes));
    }
    for (folder, (files, _)) in targets.sets.by_folder(|set| !set.is_laid_out()) {
        let shown = folder.display();
        let what =
            format!("a folder for {files} files or folders that jobs make in place of {shown}");
        steps.push(step(what, 0.0, 0));
    }
    let mut since_s = 0.0;
    steps.extend(stages.iter().map(|stage| {
        let takes_s = stage.expected_s(since_s);
        since_s += takes_s;
        step(stage.what(), takes_s, stage.writes_bytes())
    }));
    steps
}
