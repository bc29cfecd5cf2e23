//! A run of one layer in progress: plan, interruption, run file, judgement, exit code.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use narrows_engine::{Context, Scratch, ScratchError, Stop};
use narrows_judge::judge;
use narrows_model::{DatabaseChoice, Layer, Measurement, Plan, PlannedStep, Platform, Run};
use narrows_units::{Bytes, shown};

use crate::args::OutputArgs;
use crate::exit::{Exit, Outcome};
use crate::failure::{self, Failure};
use crate::kept::{self, Kept};
use crate::progress::Display;
use crate::stream::{self, say};
use crate::{host, interrupt, new_run, output, plan, store};

/// What is measured by whom, before it begins.
pub struct Prepared {
    /// As stored in the run.
    pub plan: Plan,
    /// The machine.
    pub platform: Platform,
}

impl Prepared {
    /// A plan for `at` (a folder or a device) by these steps.
    pub fn new(
        at: &str,
        platform: Platform,
        output: &OutputArgs,
        repeats: u32,
        file_bytes: u64,
        steps: Vec<PlannedStep>,
    ) -> Prepared {
        let plan = Plan {
            layers: vec![Layer::Block],
            data_dir: at.to_string(),
            wal_dir: at.to_string(),
            repeats,
            seed: output.seed.unwrap_or_else(plan::fresh_seed),
            file_bytes,
            server_cpus: platform.cpu.allowed.clone(),
            steps,
            ..Plan::default()
        };
        Prepared { plan, platform }
    }

    /// The plan for people.
    pub fn describe(&self) -> String {
        let plan = &self.plan;
        let what = if let DatabaseChoice::Url(address) = &plan.database {
            format!("the log of {address}")
        } else if plan.layers.contains(&Layer::Memory) {
            if plan.layers.contains(&Layer::Clock) {
                "clocks and memory of this machine"
            } else {
                "memory of this machine"
            }
            .to_string()
        } else if plan.layers == [Layer::Block] {
            format!("storage of {}", plan.data_dir)
        } else {
            format!("log in {}, data files in {}", plan.wal_dir, plan.data_dir)
        };
        let mut text = format!("plan     {}, seed {}\n", shown(&what), plan.seed);
        for step in &plan.steps {
            let writes = match step.writes_bytes {
                0 => String::new(),
                bytes => format!(", writes up to {}", Bytes(bytes)),
            };
            let (layer, takes) = (step.layer.word(), plan::minutes(step.expected_s));
            text += &format!("{layer:8} {} ({takes}{writes})\n", shown(&step.what));
        }
        if plan.writes_bytes() == 0 {
            text +=
                &format!("in all   about {}, writes nothing\n", plan::minutes(plan.expected_s()));
            return text;
        }
        text += &format!(
            "in all   about {}, writes up to {}; files made here are removed afterwards\n",
            plan::minutes(plan.expected_s()),
            Bytes(plan.writes_bytes())
        );
        text
    }
}

/// A run in progress.
pub struct Session {
    /// What was learned so far.
    pub run: Run,
    /// Set by Ctrl-C.
    pub stop: Stop,
    /// Where progress is drawn.
    pub display: Display,
    /// What of the run is the answer, besides calibrations.
    pub answer: Answer,
    /// Whether the question behind the measurements is left open: a rate that isn't known to last.
    pub open: bool,
    /// Whether what was looked at went away before the end.
    pub cut_short: bool,
    folder: PathBuf,
}

/// Which measurements are what was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Each of them.
    All,
    /// Those of these ids; one that is missing could not be measured.
    Named(Vec<String>),
    /// All of them together, as the cells of one table.
    Table,
}

/// The end of a measurement that didn't give an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Everything that was planned has run.
    Whole,
    /// Asked to stop.
    Interrupted,
}

impl Session {
    /// Looks whether the machine may be loaded, and whether the run can be kept; then the plan is printed.
    ///
    /// # Errors
    /// A database runs here or below `folders`, or the run file can't be written.
    pub fn begin(prepared: Prepared, folders: &[&Path], output: &OutputArgs) -> Result<Session> {
        host::guard_storage(&prepared.platform, folders, output.load_here)?;
        let session = Session::looking(prepared, output)?;
        for dir in folders {
            let swept = narrows_postgres::server::sweep(dir);
            swept.sentences().iter().for_each(|sentence| session.display.say(sentence));
        }
        Ok(session)
    }

    /// A run that loads nothing and makes nothing but its own file.
    ///
    /// # Errors
    /// The run file can't be written.
    pub fn looking(prepared: Prepared, output: &OutputArgs) -> Result<Session> {
        let folder = match &output.output {
            Some(folder) => folder.clone(),
            None => store::folder()?,
        };
        store::prepare(&folder)?;
        let stop = Stop::new();
        interrupt::install(&stop, stream::line)?;
        stream::put(&prepared.describe());
        let display = Display::new(Duration::from_secs_f64(prepared.plan.expected_s()));
        let run = new_run::blank(prepared.plan, prepared.platform);
        let session = Session {
            run,
            stop,
            display,
            answer: Answer::All,
            open: false,
            cut_short: false,
            folder,
        };
        store::save(&session.folder, &session.run)?;
        Ok(session)
    }

    /// What the layer is handed.
    pub fn context(&self, window: Duration) -> Context<'_> {
        Context {
            stop: &self.stop,
            progress: &self.display,
            seed: self.run.plan.seed,
            repeats: self.run.plan.repeats,
            quick: self.run.plan.quick,
            window,
        }
    }

    /// Lets `measure` hand over its parts one by one; each is kept as soon as it is there, as by [`Session::add`].
    pub fn in_parts<T>(
        &mut self,
        window: Duration,
        measure: impl FnOnce(&Context<'_>, &mut dyn FnMut(Vec<Measurement>)) -> T,
    ) -> T {
        let Session { run, stop, display, folder, .. } = self;
        let ctx = Context {
            stop,
            progress: display,
            seed: run.plan.seed,
            repeats: run.plan.repeats,
            quick: run.plan.quick,
            window,
        };
        measure(&ctx, &mut |part| {
            run.add(part);
            save_partial(folder, run, display);
        })
    }

    /// Adds measurements and keeps the partial run. Where it can't be written any more, the measurement goes on: the end tries again,
    /// shows what there is, and says why it was not kept.
    pub fn add(&mut self, measurements: impl IntoIterator<Item = Measurement>) {
        self.run.add(measurements);
        save_partial(&self.folder, &self.run, &self.display);
    }

    /// Ends the run: judged, kept, shown, and its exit code. An error that came with an interruption is its echo.
    ///
    /// # Errors
    /// What went wrong while measuring, unless it was stopped; or the run file can't be written.
    pub fn end(&mut self, outcome: Result<Ended>, output: &OutputArgs, show: bool) -> Result<Exit> {
        self.display.clear();
        let interrupted = self.stop.is_set();
        let ended = match outcome {
            Ok(ended) => ended,
            Err(_) if interrupted => Ended::Interrupted,
            Err(error) if self.run.measurements.is_empty() => {
                // It says nothing that the error doesn't.
                if let Err(stays) = store::remove(&self.folder, &self.run) {
                    say!("warning: {}", failure::render(&stays));
                }
                return Err(error);
            }
            Err(error) => {
                let kept = self.conclude(false);
                if !kept.is_in_place() && show {
                    self.show(output)?;
                }
                if let Err(lost) = kept.place() {
                    say!("{}", failure::render(&lost));
                }
                return Err(error);
            }
        };
        let kept = self.conclude(ended == Ended::Whole && !interrupted);
        // Also where it can't be kept: it took minutes.
        if show {
            self.show(output)?;
        }
        let path = kept.place()?;
        if output.output.is_some() {
            output::write_every_format(&self.run, &self.folder, output.units)?;
        }
        say!("kept in {}", path.display());
        Ok(self.exit())
    }

    fn exit(&self) -> Exit {
        let outcome = match &self.answer {
            Answer::All => Outcome::of_answers(&self.run, &[]),
            Answer::Named(ids) => Outcome::of_answers(&self.run, ids),
            Answer::Table => Outcome::of_table(&self.run),
        };
        outcome.open_if(self.open).cut_short_if(self.cut_short).exit()
    }

    fn show(&self, output: &OutputArgs) -> Result<()> {
        output::print(&output::render(&self.run, output.format, output.units, output::colour()))
    }

    fn conclude(&mut self, completed: bool) -> Kept {
        kept::conclude(&mut self.run, &self.folder, completed, judge)
    }
}

fn save_partial(folder: &Path, run: &Run, display: &Display) {
    if let Err(error) = store::save(folder, run) {
        display.say(&format!("warning: {}", failure::render(&error)));
    }
}

/// A scratch folder below `dir`, with a hint that fits this command.
///
/// # Errors
/// What creating it gave.
pub fn scratch(dir: &Path, id: &str) -> Result<Scratch> {
    Scratch::create(dir, id).map_err(|error| {
        let ScratchError::Create { dir, reason, .. } = &error;
        Failure::hinted(
            format!("cannot create a scratch folder in {}: {reason}", dir.display()),
            "name a folder that you may write to with --at",
        )
    })
}
