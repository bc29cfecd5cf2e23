//! A run of one layer in progress: plan, interruption, run file, judgement, exit code.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use narrows_engine::{Context, Scratch, ScratchError, Stop};
use narrows_model::{
    CalibrationEnd, DatabaseChoice, Layer, Measurement, Plan, PlannedStep, Platform, Run, Validity,
};
use narrows_units::Bytes;

use crate::args::OutputArgs;
use crate::exit::Exit;
use crate::failure::{self, Failure};
use crate::kept::{self, Kept};
use crate::progress::Display;
use crate::report::judge;
use crate::{host, interrupt, output, plan, run, store};

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
        let mut text = format!("plan     {what}, seed {}\n", plan.seed);
        for step in &plan.steps {
            let writes = match step.writes_bytes {
                0 => String::new(),
                bytes => format!(", writes up to {}", Bytes(bytes)),
            };
            let (layer, takes) = (step.layer.word(), plan::minutes(step.expected_s));
            text += &format!("{layer:8} {} ({takes}{writes})\n", step.what);
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
    /// Measurements that the answer is, besides calibrations; those that are missing are no answer. Empty: all.
    pub answers: Vec<String>,
    folder: PathBuf,
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
            for path in narrows_layer_database::server::sweep(dir).removed {
                session
                    .display
                    .say(&format!("removed {}, left by a run that died", path.display()));
            }
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
        interrupt::install(&stop)?;
        eprint!("{}", prepared.describe());
        let display = Display::new(Duration::from_secs_f64(prepared.plan.expected_s()));
        let run = run::blank(prepared.plan, prepared.platform);
        let session = Session { run, stop, display, answers: Vec::new(), folder };
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
            run.measurements.extend(part);
            save_partial(folder, run, display);
        })
    }

    /// Adds measurements and keeps the partial run. Where it can't be written any more, the measurement goes on: the end tries again,
    /// shows what there is, and says why it was not kept.
    pub fn add(&mut self, measurements: impl IntoIterator<Item = Measurement>) {
        self.run.measurements.extend(measurements);
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
                    eprintln!("warning: {}", failure::render(&stays));
                }
                return Err(error);
            }
            Err(error) => {
                let kept = self.conclude(false);
                if !kept.is_in_place() && show {
                    self.show(output)?;
                }
                if let Err(lost) = kept.place() {
                    eprintln!("{}", failure::render(&lost));
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
        eprintln!("kept in {}", path.display());
        Ok(exit_code(&self.run, &self.answers))
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

/// Whether what was asked for was answered, and may be believed: the worst of what the answer rests on decides. Windows that
/// only draw a curve may be as bad as they like, and so may cells beside a ladder.
fn exit_code(run: &Run, answers: &[String]) -> Exit {
    if !run.completed {
        return Exit::Interrupted;
    }
    let own = |m: &&Measurement| match answers {
        [] => run.calibrations.is_empty(),
        some => some.contains(&m.id),
    };
    let measured = run.measurements.iter().filter(own).map(|m| m.validity);
    let worst = measured.chain(run.calibrations.iter().map(|c| c.validity)).max();
    let found = |end: CalibrationEnd| end == CalibrationEnd::Found;
    let all_found = run.calibrations.iter().all(|calibration| found(calibration.end));
    let all_made = not_made(run).next().is_none();
    match worst {
        None | Some(Validity::Invalid) => Exit::Invalid,
        Some(Validity::Valid) if all_found && all_made => Exit::Done,
        Some(Validity::Suspect | Validity::Valid) => Exit::Inconclusive,
    }
}

/// Ids of measurements that were asked for and could not be made, each with the reason.
pub fn not_made(run: &Run) -> impl Iterator<Item = (&str, &str)> {
    let unknown = run.hosts.iter().flat_map(|host| &host.platform.unknown);
    unknown.filter_map(|unknown| unknown.as_not_made())
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

#[cfg(test)]
mod tests {
    use narrows_model::Unknown;

    use super::*;
    use crate::run::testing::empty_run;

    fn run_of(validities: &[Validity]) -> Run {
        let mut run = empty_run(&[Layer::Block]);
        run.measurements = validities
            .iter()
            .map(|validity| Measurement {
                validity: *validity,
                ..Measurement::new("x", Layer::Block)
            })
            .collect();
        run
    }

    #[test]
    fn the_exit_code_is_that_of_the_worst() {
        use Validity::{Invalid, Suspect, Valid};
        let code = |validities: &[Validity]| exit_code(&run_of(validities), &[]);
        assert_eq!(code(&[Valid, Valid]), Exit::Done);
        assert_eq!(code(&[Valid, Suspect]), Exit::Inconclusive);
        assert_eq!(code(&[Suspect, Invalid]), Exit::Invalid);
        assert_eq!(code(&[]), Exit::Invalid);
        let stopped = Run { completed: false, ..run_of(&[Invalid]) };
        assert_eq!(exit_code(&stopped, &[]), Exit::Interrupted);
        let mut lacking = run_of(&[Valid, Valid]);
        lacking.hosts[0].platform.unknown = vec![Unknown::not_made("y", "no memory")];
        assert_eq!(exit_code(&lacking, &[]), Exit::Inconclusive);
        // Where the answer is named, the others may be as bad as they like.
        let mut run = run_of(&[Valid, Invalid]);
        run.measurements[1].id = "y".to_string();
        assert_eq!(exit_code(&run, &["x".to_string()]), Exit::Done);
        assert_eq!(exit_code(&run, &["y".to_string()]), Exit::Invalid);
        assert_eq!(exit_code(&run, &["z".to_string()]), Exit::Invalid);
    }
}
