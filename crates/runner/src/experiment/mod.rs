//! `narrows ab`: one configuration against another, by runs that take turns.
//!
//! A pair of runs is made in one stretch of time, the first of its two drawn by the seed and then in turns (A B, B A, A B …), so that what
//! drifts hits both. How many pairs there are is decided once, by the scatter of the first [`PILOT`] and never by their difference
//! (an internal pilot after Wittes & Brittain, *Statistics in Medicine* 9, 1990), so that nobody looks until it is significant. Every step is
//! kept: who is stopped goes on where he was.
//!
//! Not here: what is said of the runs (`narrows-compare`).

mod clone;
mod guardian;
mod record;
mod turns;

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use narrows_compare::{Question, RunComparison};
use narrows_engine::Stop;
use narrows_model::Run;
use narrows_stats::pairs_needed;

pub use self::record::{Experiment, Goal, Setup, SideSetup, Step, stored_experiment};
pub use self::turns::{AbSide, PILOT, turn};

pub use self::clone::PLACEHOLDER as CLONE_PLACEHOLDER;
pub use self::clone::VARIABLE as CLONE_VARIABLE;

use self::clone::{Clones, PLACEHOLDER, VARIABLE};
use self::guardian::Guardian;
use crate::compared::{self, LoadedSide};
use crate::exit::{COMPARABLE, CUT_SHORT};
use crate::failure::{self, Failure};
use crate::ui::Ui;
use crate::{interrupt, store, tags};

/// A child is looked after so often.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Runs a user's command so that what it prints doesn't mix with the result.
const TO_STDERR: &str = "exec >&2; exec sh -c \"$1\"";
/// The same, to its end whatever a terminal sends.
const TO_ITS_END: &str = "trap '' INT TERM HUP QUIT; exec >&2; exec sh -c \"$1\"";
/// More pairs than this are never planned.
const MOST_PAIRS: u32 = 100;

/// How an experiment ended.
#[derive(Debug)]
pub enum ExperimentEnd {
    /// All pairs are made.
    Whole(Box<RunComparison>),
    /// Stopped; it goes on when it is asked for again.
    Stopped,
}

/// Makes what is missing of the experiment, and compares.
///
/// # Errors
/// Another experiment of that name was begun, a state can't be set or put back, a run can't be made or read.
pub fn experiment(asked: Experiment, margin: f64, ui: &dyn Ui) -> Result<ExperimentEnd> {
    let _held = record::lock(&asked.name)?;
    let mut experiment = record::begun(asked)?;
    let stop = Stop::new();
    let signals = interrupt::install(&stop, ui.speaker())?;
    ui.say(&experiment.sentence());
    let mut clones = None;
    let mut guardian = Guardian::new(experiment.setup.restore.clone());
    let made = make(&mut experiment, &mut clones, &mut guardian, &stop, ui);
    // Whatever happened, the state is put back first, and then nothing works in a clone.
    let restored = guardian.restore().and_then(|()| clones.as_ref().map_or(Ok(()), Clones::remove));
    signals.explain();
    if let (Err(_), Err(error)) = (&made, &restored) {
        // Of two errors the caller tells the first, and a state that stays is the worse one.
        ui.say(&failure::render(error));
    }
    let whole = made?;
    restored?;
    if !whole {
        return Ok(ExperimentEnd::Stopped);
    }
    for side in [AbSide::A, AbSide::B] {
        let runs: Vec<String> = experiment.runs(side).map(String::from).collect();
        tags::add(&format!("{}-{}", experiment.name, side.word()), &runs)?;
    }
    let sides = sides(&experiment)?;
    let look = Some(experiment.look());
    experiment.save()?;
    let question = Question { margin, paired: true, look, ..Question::default() };
    Ok(ExperimentEnd::Whole(Box::new(compared::compare(&sides, &question)?)))
}

/// Makes all runs that are missing; `false` where it was stopped.
fn make(
    experiment: &mut Experiment,
    clones: &mut Option<Clones>,
    guardian: &mut Guardian,
    stop: &Stop,
    ui: &dyn Ui,
) -> Result<bool> {
    if let Some(folder) = &experiment.setup.clone {
        match Clones::of(folder, &experiment.name) {
            Ok(found) => *clones = Some(found),
            // Its result is there without the folder.
            Err(_) if experiment.is_whole() => {}
            Err(error) => return Err(error),
        }
    }
    loop {
        if stop.is_set() {
            return Ok(false);
        }
        if experiment.pairs.is_none() && experiment.made_pairs() >= PILOT {
            let (pairs, sentence) = decide(experiment)?;
            experiment.pairs = Some(pairs);
            experiment.save()?;
            ui.say(&sentence);
        }
        if experiment.is_whole() {
            return Ok(true);
        }
        let made = experiment.steps.len() as u32;
        let side = turn(experiment.setup.seed, made);
        let of = match experiment.pairs {
            Some(pairs) => format!(" of {pairs}"),
            None => String::new(),
        };
        ui.say(&format!("pair {}{of}: {}", made / 2 + 1, side.word()));
        let began = Instant::now();
        let clone = match &clones {
            Some(clones) => match clones.fresh(stop)? {
                Some(clone) => Some(clone),
                None => return Ok(false),
            },
            None => None,
        };
        guardian.watch(clone.clone())?;
        let at = RunAt { side, clone };
        let made = match at.set_state(experiment) {
            Ok(()) => measure(experiment, &at, stop),
            // Ctrl-C reaches the command too.
            Err(_) if stop.is_set() => Ok(None),
            Err(error) => Err(error),
        };
        // What a command started is stopped whatever became of the run; of two errors the first is told.
        let after = at.after(experiment);
        let Some(run) = made? else {
            if let Err(error) = &after {
                ui.say(&failure::render(error));
            }
            return Ok(false);
        };
        experiment.steps.push(Step { side, run, s: began.elapsed().as_secs_f64() });
        experiment.save()?;
        after?;
        clones.as_ref().map_or(Ok(()), Clones::remove)?;
        // The next run waited for that too.
        experiment.steps.last_mut().expect("it was just added").s = began.elapsed().as_secs_f64();
    }
}

/// Whose run is made, and with which data set.
struct RunAt {
    side: AbSide,
    clone: Option<PathBuf>,
}

impl RunAt {
    /// Runs the command that sets the side's state.
    fn set_state(&self, experiment: &Experiment) -> Result<()> {
        let Some(command) = &experiment.setup.of(self.side).command else { return Ok(()) };
        let what = format!("the command of {}", self.side.word());
        self.shell(
            TO_STDERR,
            command,
            &what,
            "it has to end with 0 when its state is set; nothing was measured with it",
        )
    }

    /// Runs the command that follows each run.
    fn after(&self, experiment: &Experiment) -> Result<()> {
        let Some(command) = &experiment.setup.after else { return Ok(()) };
        self.shell(TO_ITS_END, command, "--after", "it has to end with 0; the same command goes on")
    }

    /// Runs a command of the user's; `what` it is, and a hint where it fails. Standard output is the result's.
    fn shell(&self, how: &str, command: &str, what: &str, hint: &str) -> Result<()> {
        let mut shell = Command::new("sh");
        shell.args(["-c", how, "sh", command]).env("NARROWS_SIDE", self.side.word());
        shell.stdin(Stdio::null());
        if let Some(clone) = &self.clone {
            shell.env(VARIABLE, clone);
        }
        let status = shell.status().context("running sh")?;
        if status.success() {
            return Ok(());
        }
        Err(Failure::hinted(format!("{what} failed ({status}): {command}"), hint.to_string()))
    }

    /// An option as its run gets it.
    fn word(&self, word: &str) -> OsString {
        let Some(clone) = &self.clone else { return word.into() };
        let parts: Vec<&OsStr> = word.split(PLACEHOLDER).map(OsStr::new).collect();
        parts.join(clone.as_os_str())
    }
}

/// Makes one run by this program; `None` where it was stopped.
fn measure(experiment: &Experiment, at: &RunAt, stop: &Stop) -> Result<Option<String>> {
    let side = at.side;
    let program = std::env::current_exe().context("cannot find this program to start it again")?;
    let mut command = Command::new(program);
    let options = &experiment.setup.of(side).options;
    command.args(experiment.setup.measurement.iter().chain(options).map(|word| at.word(word)));
    command.args(["--format", "json"]).stdin(Stdio::null()).stdout(Stdio::piped());
    // Where this process is killed nobody would wait for the run: it ends as by Ctrl-C, and the state is put back after it.
    // SAFETY: no memory is involved.
    let follow = || match unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGINT) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    };
    // SAFETY: between fork and exec it makes one system call, which allocates nothing and takes no lock.
    unsafe { command.pre_exec(follow) };
    let mut child = command.spawn().context("starting this program again")?;
    let mut out = child.stdout.take().expect("it is piped");
    let text = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        std::io::copy(&mut out, &mut bytes).map(|_| String::from_utf8_lossy(&bytes).into_owned())
    });
    let mut told = false;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if stop.is_set() && !told {
            // A terminal's Ctrl-C reaches both; a signal to this process alone has to be passed on.
            // SAFETY: the child was not waited for, so its number is its own.
            unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGINT) };
            told = true;
        }
        std::thread::sleep(LOOK_EVERY);
    };
    let text = text.join().unwrap_or_else(|_| Ok(String::new()))?;
    if status.code() == Some(CUT_SHORT) || stop.is_set() {
        return Ok(None);
    }
    let typed = experiment.typed(side);
    if !status.code().is_some_and(|code| COMPARABLE.contains(&code)) {
        return Err(Failure::hinted(
            format!("narrows {typed} failed ({status})"),
            "its error stands above; what was made so far is kept, and the same command goes on",
        ));
    }
    let run = Run::from_json(&text).map_err(|_| {
        Failure::hinted(
            format!("narrows {typed} makes no run"),
            "name a command that measures: run, db, block, memory, log",
        )
    })?;
    Ok(Some(run.id))
}

/// How many pairs there will be, by the scatter of those there are, and the sentence that says so.
fn decide(experiment: &Experiment) -> Result<(u32, String)> {
    let goal = &experiment.goal;
    if let Some(pairs) = goal.pairs {
        return Ok((pairs, format!("{pairs} pairs, as asked for")));
    }
    let question = Question { paired: true, ..Question::default() };
    let found = compared::compare(&sides(experiment)?, &question)?;
    let rows = &found.against[0].rows;
    // The one whose pairs differ most among those that decide: what is found in it is found in the others.
    let of_database = rows.iter().any(|row| row.layer == narrows_model::Layer::Database);
    let deciding = rows.iter().filter(|row| match goal.measure.as_slice() {
        [] => !of_database || row.layer == narrows_model::Layer::Database,
        asked => asked.iter().any(|prefix| row.measurement.starts_with(prefix.as_str())),
    });
    let widest = deciding
        .filter_map(|row| Some((row, row.pair_scatter?)))
        .max_by(|a, b| a.1.total_cmp(&b.1));
    let Some((row, scatter)) = widest else {
        return Err(Failure::hinted(
            "no measurement of the pilot can be compared".to_string(),
            "name one with --measure, or make the number of pairs yours with --pairs",
        ));
    };
    let made = experiment.made_pairs();
    // The words are corrected for the number of rows and of looks, so this is too.
    let next = Question { look: Some(experiment.next_look()), ..Question::default() };
    let significance = next.level() / rows.len() as f64;
    let needed = pairs_needed(scatter, made, goal.find, significance).clamp(PILOT, MOST_PAIRS);
    let spent: f64 = experiment.steps.iter().map(|step| step.s).sum();
    let each = spent / f64::from(made);
    let fit = made + ((goal.within_s - spent).max(0.0) / each) as u32;
    let pairs = needed.min(fit).max(made);
    let minutes = f64::from(pairs - made) * each / 60.0;
    let scatter = 100.0 * scatter;
    let mut sentence = format!(
        "pilot: pairs of {} differ by {scatter:.1} % from each other (standard deviation): {needed} pairs find a difference of {:.1} % in 80 of 100 or more",
        row.measurement,
        100.0 * goal.find
    );
    if pairs < needed {
        sentence += &format!(", {pairs} fit into the time that was asked for");
    }
    sentence += &format!("; about {minutes:.0} min more");
    Ok((pairs, sentence))
}

/// The runs of both sides, pair by pair.
fn sides(experiment: &Experiment) -> Result<[LoadedSide; 2]> {
    let of = |side: AbSide| -> Result<LoadedSide> {
        let runs = experiment.runs(side).map(|run| compared::judged(&store::find(run)?));
        Ok(LoadedSide { name: side.word().to_string(), runs: runs.collect::<Result<_>>()? })
    };
    Ok([of(AbSide::A)?, of(AbSide::B)?])
}
