//! A run in progress: what was learned so far, its file, how it is stopped, and how it ends.
//!
//! The run file is written after every part, so that even a killed run leaves a readable partial one.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::{Error, Result};
use narrows_engine::{Context, Scratch, ScratchError, Stop};
use narrows_judge::judge;
use narrows_model::{
    Finding, Measurement, Plan, Platform, Run, Severity, Unknown, condition, metric,
};
use narrows_observe::ProgramCensus;

use crate::anonymous::Anonymous;
use crate::exit::{Answers, Exit, Outcome};
use crate::failure;
use crate::kept::{self, RunLocation};
use crate::ui::Ui;
use crate::{least_load, new_run, preflight, store};

/// A run in progress.
pub struct Session<'a> {
    /// What was learned so far.
    pub run: Run,
    /// Set by Ctrl-C.
    pub stop: &'a Stop,
    /// Where progress is told.
    pub ui: &'a dyn Ui,
    /// Whether the question behind the measurements is left open: a rate that isn't known to last.
    pub open: bool,
    /// Whether what was looked at went away before the end.
    pub cut_short: bool,
    /// What is told at the end.
    pub told: EndReport,
    folder: PathBuf,
    /// Takes names out of what is kept and shown.
    anonymous: Option<&'a Anonymous>,
    /// All processes when the first layer began; nobody looks at them where none does.
    census: OnceLock<ProgramCensus>,
    /// Servers of others that are measured, on this machine.
    tested: Vec<u32>,
}

/// What is told of a run at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReport {
    /// Its report, and where it is kept.
    Report,
    /// Where it is kept: its figures went out in another form.
    Place,
    /// Nothing: what was done has no figures.
    Nothing,
}

/// The end of a measurement that didn't give an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Everything that was planned has run.
    Whole,
    /// Asked to stop.
    Interrupted,
}

/// Asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interrupted;

impl<'a> Session<'a> {
    /// Begins a run and keeps it, with nothing in it yet.
    ///
    /// # Errors
    /// It can't be written.
    pub(crate) fn begin(
        plan: Plan,
        platform: Platform,
        folder: PathBuf,
        stop: &'a Stop,
        ui: &'a dyn Ui,
        anonymous: Option<&'a Anonymous>,
    ) -> Result<Session<'a>> {
        if least_load::wanted().is_some() {
            ui.say(least_load::WARNING);
        }
        let session = Session {
            run: new_run::blank(plan, platform),
            stop,
            ui,
            open: false,
            cut_short: false,
            told: EndReport::Report,
            folder,
            anonymous,
            census: OnceLock::new(),
            tested: Vec::new(),
        };
        session.save()?;
        Ok(session)
    }

    /// Keeps what there is so far.
    fn save(&self) -> Result<PathBuf> {
        match self.anonymous {
            Some(anonymous) => store::save(&self.folder, &anonymous.run(&self.run)),
            None => store::save(&self.folder, &self.run),
        }
    }

    /// What a layer is handed.
    pub fn context(&self, window: Duration) -> Context<'a> {
        self.census.get_or_init(ProgramCensus::take);
        Context {
            stop: self.stop,
            progress: self.ui,
            seed: self.run.plan.seed,
            repeats: self.run.plan.repeats,
            quick: self.run.plan.quick,
            window,
        }
    }

    /// The machine.
    pub fn platform(&self) -> &Platform {
        self.run.platform().expect("a run has a machine")
    }

    /// A server that was there before, and that is measured: it and what it started are no other programs.
    pub fn tests_server(&mut self, pid: u32) {
        self.tested.push(pid);
    }

    /// Adds measurements and keeps the partial run. Where it can't be written any more, the measurement goes on: the end tries again,
    /// shows what there is, and says why it was not kept.
    pub fn add(&mut self, measurements: impl IntoIterator<Item = Measurement>) {
        let least = least_load::wanted().is_some();
        self.run.add(measurements.into_iter().map(|mut measurement| {
            if least {
                // The rule that says so looks for it, also in a run that is judged again.
                measurement.conditions.insert(condition::LEAST_LOAD, true);
            }
            measurement
        }));
        if let Err(error) = self.save() {
            self.ui.say(&format!("warning: {}", failure::render(&error)));
        }
    }

    /// Keeps what could not be learned, behind what is known to be so already.
    pub fn unknown(&mut self, unknown: impl IntoIterator<Item = Unknown>) {
        if let Some(host) = self.run.hosts.first_mut() {
            host.platform.unknown.extend(unknown);
        }
    }

    /// The same before what the machine doesn't tell, because somebody asked for it.
    pub fn unknown_first(&mut self, unknown: impl IntoIterator<Item = Unknown>) {
        if let Some(host) = self.run.hosts.first_mut() {
            host.platform.unknown.splice(0..0, unknown);
        }
    }

    /// A layer or workload could not be measured: the run says so and goes on.
    ///
    /// # Errors
    /// It was stopped.
    pub fn absent(&mut self, what: &str, error: Error) -> Result<(), Interrupted> {
        if self.stop.is_set() {
            return Err(Interrupted);
        }
        self.ui.say(&preflight::not_measured(what, &error));
        let text = failure::render(&error);
        let text = text.strip_prefix("error: ").unwrap_or(&text);
        let (reason, hint) = text.split_once("\nhint: ").unwrap_or((text, ""));
        self.run.findings.push(Finding {
            id: Finding::id_of_not_measured(what),
            severity: Severity::Note,
            measurement: None,
            summary: reason.lines().next().unwrap_or(reason).to_string(),
            evidence: reason.to_string(),
            advice: hint.to_string(),
            places: Vec::new(),
        });
        Ok(())
    }

    /// Ends the run: judged, kept, shown (in every format as files, too, where those were asked for), and its exit code. An error that
    /// came with an interruption is its echo.
    ///
    /// # Errors
    /// What went wrong while measuring, unless it was stopped; or the run file can't be written.
    pub fn end(&mut self, outcome: Result<Ended>, answers: &Answers, files: bool) -> Result<Exit> {
        self.ui.clear();
        let interrupted = self.stop.is_set();
        let ended = match outcome {
            Ok(ended) => ended,
            Err(_) if interrupted => Ended::Interrupted,
            Err(error) => {
                self.fail()?;
                return Err(error);
            }
        };
        let kept = self.conclude(ended == Ended::Whole && !interrupted);
        let outcome = Outcome::of(&self.run, answers);
        let exit = outcome.open_if(self.open).cut_short_if(self.cut_short).exit();
        // Also where it can't be kept: it took minutes.
        self.show()?;
        let path = kept.place()?;
        if files {
            self.ui.report_files(&self.run, &self.folder)?;
        }
        if self.told != EndReport::Nothing {
            if exit == Exit::Interrupted {
                self.ui.say(&stopped(self.run.measurements.len()));
            }
            self.ui.say(&self.path_as_shown(&path));
        }
        Ok(exit)
    }

    /// Keeps what there is of a run that failed. One in which nothing was measured says nothing that the error doesn't.
    fn fail(&mut self) -> Result<()> {
        if self.run.measurements.is_empty() {
            if let Err(stays) = store::remove(&self.folder, &self.run) {
                self.ui.say(&format!("warning: {}", failure::render(&stays)));
            }
            return Ok(());
        }
        let kept = self.conclude(false);
        if !kept.is_in_place() {
            self.show()?;
        }
        if let Err(lost) = kept.place() {
            self.ui.say(&failure::render(&lost));
        }
        Ok(())
    }

    /// Where it is kept. The folder may be called after somebody, and the id is enough.
    fn path_as_shown(&self, path: &Path) -> String {
        match (self.anonymous, path.file_name()) {
            (Some(_), Some(name)) => format!("saved as {}", name.display()),
            _ => format!("saved: {}", path.display()),
        }
    }

    fn show(&self) -> Result<()> {
        if self.told == EndReport::Report { self.ui.report(&self.run) } else { Ok(()) }
    }

    fn conclude(&mut self, completed: bool) -> RunLocation {
        // Where nobody counted what others used, who they were says nothing: of a server that was only looked at, they are its load.
        let counted = self.run.measurements.iter().any(|m| m.value(metric::OTHER_CPUS).is_some());
        if let Some(begin) = self.census.get().filter(|_| counted) {
            self.run.other_programs = ProgramCensus::take().others_since(begin, &self.tested);
        }
        if let Some(anonymous) = self.anonymous {
            // Before it is judged: what is drawn from it has no names either.
            self.run = anonymous.run(&self.run);
        }
        kept::conclude(&mut self.run, &self.folder, completed, judge)
    }
}

/// What is kept of a run that was stopped.
fn stopped(measurements: usize) -> String {
    match measurements {
        0 => "stopped on request before anything was measured; machine and plan are saved"
            .to_string(),
        1 => "stopped on request; the one measurement made before is saved".to_string(),
        n => format!("stopped on request; the {n} measurements made before are saved"),
    }
}

/// A scratch folder below `dir`, with a hint that fits a command that measures one folder.
///
/// # Errors
/// What creating it gave.
pub fn scratch(dir: &std::path::Path, id: &str) -> Result<Scratch> {
    Scratch::create(dir, id).map_err(|error| {
        let ScratchError::Create { dir, reason, .. } = &error;
        preflight::no_scratch(dir, reason, "--at")
    })
}
