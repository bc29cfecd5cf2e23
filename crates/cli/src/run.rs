//! `narrows run`: discover, plan, execute, judge, tell.
//!
//! What goes wrong in one layer leaves the others standing: it becomes a finding that says what is absent and why.
//! The run file is written after every layer, so that even a killed run leaves a readable partial one.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use narrows_engine::Stop;
use narrows_judge::judge;
use narrows_model::{Finding, Layer, Measurement, Run, Severity};

use crate::args::{OutputArgs, RunArgs};
use crate::exit::{Exit, Outcome};
use crate::kept::{self, Kept};
use crate::plan::{self, Resolved};
use crate::progress::Display;
use crate::stream::{self, say};
use crate::{database, failure, host, interrupt, layers, new_run, observe, output, store};

/// Runs the command.
pub fn run(args: &RunArgs) -> Result<Exit> {
    if let Some(url) = &args.observing.observe {
        return observe::run(args, url);
    }
    let mut resolved = plan::resolve(args)?;
    if args.output.dry_run {
        output::print(&plan::describe(&resolved))?;
        return Ok(Exit::Done);
    }
    let loads = resolved.plan.layers.iter().any(|layer| *layer != Layer::Clock);
    if loads {
        host::guard(&resolved, args.output.load_here)?;
    }
    if resolved.has(Layer::Database) {
        database::theirs::ask(&mut resolved)?;
    }
    let folder = match &args.output.output {
        Some(folder) => folder.clone(),
        None => store::folder()?,
    };
    store::prepare(&folder)?;
    let stop = Stop::new();
    interrupt::install(&stop, stream::line)?;

    stream::put(&plan::describe(&resolved));
    let display = Display::new(Duration::from_secs_f64(resolved.plan.expected_s()));
    let mut session = Session::begin(&resolved, &stop, &display, folder)?;
    let completed = session.execute();
    session.end(completed, &args.output)
}

fn tell(args: &OutputArgs, session: &Session<'_>, kept: Kept) -> Result<()> {
    // Also where it can't be kept: it took minutes.
    output::print(&output::render(&session.run, args.format, args.units, output::colour()))?;
    let path = kept.place()?;
    if args.output.is_some() {
        output::write_every_format(&session.run, &session.folder, args.units)?;
    }
    say!("kept in {}", path.display());
    Ok(())
}

/// A run in progress.
pub struct Session<'a> {
    /// What was decided.
    pub resolved: &'a Resolved,
    /// Set by Ctrl-C.
    pub stop: &'a Stop,
    /// Where progress is drawn.
    pub display: &'a Display,
    /// What was learned so far.
    pub run: Run,
    /// Where the run is kept.
    pub folder: PathBuf,
    /// Whether what was looked at went away before the end.
    pub cut_short: bool,
}

impl<'a> Session<'a> {
    /// Begins a run and keeps it, with nothing in it yet.
    ///
    /// # Errors
    /// It can't be written.
    pub fn begin(
        resolved: &'a Resolved,
        stop: &'a Stop,
        display: &'a Display,
        folder: PathBuf,
    ) -> Result<Session<'a>> {
        let run = new_run::blank(resolved.plan.clone(), resolved.platform.clone());
        let session = Session { resolved, stop, display, run, folder, cut_short: false };
        store::save(&session.folder, &session.run)?;
        Ok(session)
    }

    /// All layers; whether every one of them had its turn.
    fn execute(&mut self) -> bool {
        self.sweep();
        let outcome = layers::execute(self).and_then(|()| database::execute(self));
        match outcome {
            Ok(()) => !self.stop.is_set(),
            Err(Interrupted) => false,
        }
    }

    /// Ends the run: kept, judged, shown, and its exit code.
    ///
    /// # Errors
    /// It can't be kept where it was asked for.
    pub fn end(mut self, completed: bool, output: &OutputArgs) -> Result<Exit> {
        self.display.clear();
        let kept = kept::conclude(&mut self.run, &self.folder, completed, judge);
        tell(output, &self, kept)?;
        Ok(Outcome::of_layers(&self.run).cut_short_if(self.cut_short).exit())
    }

    /// Ends a run that came to nothing: judged and kept, not shown.
    ///
    /// # Errors
    /// It can't be written.
    pub fn close(mut self, completed: bool) -> Result<()> {
        self.display.clear();
        kept::conclude(&mut self.run, &self.folder, completed, judge).place().map(drop)
    }

    /// Removes what runs that died have left in the folders of this one.
    pub fn sweep(&self) {
        for dir in [&self.resolved.data_dir, &self.resolved.wal_dir] {
            let swept = narrows_postgres::server::sweep(dir);
            swept.sentences().iter().for_each(|sentence| self.display.say(sentence));
        }
    }

    /// Adds what a layer measured and keeps the partial run.
    pub fn add(&mut self, measurements: impl IntoIterator<Item = Measurement>) {
        self.run.add(measurements);
        if let Err(error) = store::save(&self.folder, &self.run) {
            self.display.say(&format!("warning: {}", failure::render(&error)));
        }
    }

    /// A layer or workload could not be measured: the run says so and goes on. `Err` if it was stopped.
    pub fn absent(&mut self, what: &str, error: anyhow::Error) -> Result<(), Interrupted> {
        if self.stop.is_set() {
            return Err(Interrupted);
        }
        let text = failure::render(&error);
        let text = text.strip_prefix("error: ").unwrap_or(&text);
        let (reason, hint) = text.split_once("\nhint: ").unwrap_or((text, ""));
        self.display.say(&format!("warning: {what} is not measured: {text}"));
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
}

/// Asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interrupted;
