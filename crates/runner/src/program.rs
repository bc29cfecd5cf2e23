//! The one way in which anything is measured: planned, shown or begun, measured, ended.
//!
//! A program decides what to do and does it; everything around that is here, once: the plan on the screen, the guard of machines that
//! are in use, the place where the run is kept, signals, what earlier runs left, and the end with its exit code.

use std::path::PathBuf;

use anyhow::Result;
use narrows_engine::Stop;
use narrows_model::{Plan, Platform, Run};
use narrows_postgres::server;

use crate::anonymous::{Anonymous, AnonymousUi};
use crate::exit::{Answers, Exit};
use crate::preflight::{MissingPart, SpaceNeed};
use crate::request::{Address, RunOptions};
use crate::session::{Ended, Session};
use crate::ui::Ui;
use crate::{dry_run, guard, interrupt, store};

/// Something that can be measured on request.
pub trait Program: Sized {
    /// What it is asked for.
    type Request;

    /// How to run it and where to keep it.
    fn options(request: &Self::Request) -> &RunOptions;

    /// The database that is looked at or loaded, where it is somebody's.
    fn address(_request: &Self::Request) -> Option<&Address> {
        None
    }

    /// Addresses of storage that it is given.
    fn storage(_request: &Self::Request) -> Vec<String> {
        Vec::new()
    }

    /// What it tells that names somebody's device: serial numbers.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    /// Decides everything; nothing is loaded, and nothing is written.
    ///
    /// # Errors
    /// What was asked for can't be done here.
    fn plan(request: &Self::Request, ui: &dyn Ui) -> Result<Self>;

    /// The plan as the run keeps it, and the machine.
    fn planned(&self) -> (&Plan, &Platform);

    /// The plan for people.
    fn describe(&self) -> String;

    /// Folders in which something is made: what runs that died have left there is removed first.
    fn folders(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Refuses what may not be loaded, or doesn't fit.
    ///
    /// # Errors
    /// A database runs here or has its files there, and the user didn't take responsibility.
    fn admit(&mut self, load_here: bool, ui: &dyn Ui) -> Result<()> {
        let folders = self.folders();
        guard::storage(self.planned().1, &folders, load_here, ui)
    }

    /// The most space that its files take at a time, in each of its folders where that is known.
    fn space(&self) -> Vec<SpaceNeed> {
        let bytes = self.planned().0.file_bytes;
        let files = self.folders().into_iter().take(usize::from(bytes > 0));
        files.map(|folder| SpaceNeed { folder, bytes }).collect()
    }

    /// Refuses what can't be made where it was asked for. Nothing is written.
    ///
    /// # Errors
    /// What would end it later.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// What of it can't be measured, where the rest is measured all the same. Nothing is written.
    fn missing(&self) -> Vec<MissingPart> {
        Vec::new()
    }

    /// What is well of the server that it uses, each in a few words; a dry run asks behind [`Program::admit`].
    fn server_checks(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether [`Program::admit`] looks for databases that run here.
    fn guards(&self) -> bool {
        true
    }

    /// Measures, and hands everything to the session.
    ///
    /// # Errors
    /// What went wrong. What was handed over before is kept.
    fn run(&mut self, session: &mut Session<'_>) -> Result<Ended>;

    /// What of the run is the answer.
    fn answers(&self) -> Answers {
        Answers::All
    }

    /// What is done with the run that was judged and kept.
    ///
    /// # Errors
    /// It can't be done.
    fn concluded(&mut self, _run: &Run, _ui: &dyn Ui) -> Result<()> {
        Ok(())
    }
}

/// Runs a program, or shows its plan where that was asked for.
///
/// # Errors
/// What was asked for can't be done, went wrong, or can't be kept.
pub fn execute<P: Program>(request: &P::Request, ui: &dyn Ui) -> Result<Exit> {
    if !P::options(request).anonymous {
        return measure::<P>(request, ui, None);
    }
    let anonymous = Anonymous::of(P::address(request), &P::storage(request));
    let named = AnonymousUi { ui, anonymous: &anonymous };
    measure::<P>(request, &named, Some(&anonymous)).map_err(|error| anonymous.error(&error))
}

fn measure<P: Program>(
    request: &P::Request,
    ui: &dyn Ui,
    anonymous: Option<&Anonymous>,
) -> Result<Exit> {
    let options = P::options(request);
    let mut program = P::plan(request, ui)?;
    if let Some(anonymous) = anonymous {
        let (plan, platform) = program.planned();
        anonymous.learn(plan, platform, &program.names());
    }
    if options.dry_run {
        return dry_run::show(&mut program, options, ui, anonymous);
    }
    program.admit(options.load_here, ui)?;
    program.check()?;
    let folder = match &options.output {
        Some(folder) => folder.clone(),
        None => store::folder()?,
    };
    store::prepare(&folder)?;
    let stop = Stop::new();
    let signals = interrupt::install(&stop, ui.speaker())?;
    ui.put(&program.describe());
    let (plan, platform) = program.planned();
    ui.begin(&plan.steps, &stop);
    let mut session = Session::begin(plan.clone(), platform.clone(), folder, &stop, ui, anonymous)?;
    for folder in program.folders() {
        let swept = server::sweep(&folder);
        swept.sentences().iter().for_each(|sentence| ui.say(sentence));
    }
    let outcome = program.run(&mut session);
    signals.explain();
    let exit = session.end(outcome, &program.answers(), options.output.is_some())?;
    program.concluded(&session.run, ui)?;
    Ok(exit)
}
