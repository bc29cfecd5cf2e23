//! `cargo xtask soak`: the whole suite again and again, on a machine that is left alone, that is busy, and that has half a processor. A
//! test that fails in any of these decides by the machine's mood. What is slow is no failure.

mod machine;

mod tally;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};
use narrows_engine::Stop;
use xtask::programs::{self, TestProgram};

use self::machine::{Machine, State};

use self::tally::Tally;
use crate::program::{output, stop_on_signals};

const USAGE: &str = "usage: cargo xtask soak [NAME]... [--times N] [--on quiet|busy|half]... [--lanes N]
  NAME: part of the name of test programs, such as `io` or `causes`; all where none is named
  --times N: runs on each machine [10]   --on: as it is, beside loops on all processors and a writer on the drive, with half a
  processor; may be given several times [all three in turns]   --lanes N: so many test programs side by side, each with half a
  processor of its own where that is asked for [1]";
/// Exit statuses of a test program that ran to its end.
const FINE: [i32; 2] = [0, 101];

struct Options {
    names: Vec<String>,
    times: u32,
    on: Vec<State>,
    lanes: usize,
}

/// Runs the suite; it fails where a test failed.
pub fn soak(args: &[&str]) -> Result<()> {
    let asked = asked(args)?;
    let stop = stop_on_signals()?;
    let programs = programs::built(&asked.names)?;
    ensure!(!programs.is_empty(), "no test program is named like {:?}", asked.names);
    let folder = crate::root().join("target/soak");
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let mut tally = Tally::default();
    for state in &asked.on {
        let machine = Machine::made(*state, &folder, asked.lanes)?;
        let runs = (1..=asked.times).flat_map(|time| programs.iter().map(move |p| (p, time)));
        let waiting = Mutex::new(runs.collect::<Vec<_>>().into_iter());
        let found = Mutex::new(&mut tally);
        let lane = |lane| -> Result<()> {
            loop {
                let next = waiting.lock().expect("no lane panics").next();
                let Some((program, time)) = next else { return Ok(()) };
                let run = run(program, &machine, lane, &stop)?;
                let line = run.line(program, time);
                if found.lock().expect("no lane panics").add(*state, &program.name, &run.said) {
                    run.keep(&folder, program, *state, time)?;
                }
                eprintln!("{line}");
            }
        };
        std::thread::scope(|scope| {
            let lane = &lane;
            let lanes: Vec<_> = (0..asked.lanes).map(|n| scope.spawn(move || lane(n))).collect();
            lanes.into_iter().try_for_each(|lane| lane.join().expect("no lane panics"))
        })?;
        eprintln!("{}: {}", tally.line(*state), asked.times);
    }
    print!("{}", tally.table(&asked.on));
    if tally.is_clean() { Ok(()) } else { bail!("what failed said why in {}", folder.display()) }
}

/// What one test program said, and how long it took.
struct Run {
    said: String,
    took_s: f64,
}

impl Run {
    fn line(&self, program: &TestProgram, time: u32) -> String {
        format!("{time:3} {:50} {:6.1} s", program.name, self.took_s)
    }

    fn keep(&self, folder: &Path, program: &TestProgram, state: State, time: u32) -> Result<()> {
        let kept: PathBuf = folder.join(format!("{}-{state}-{time}.txt", program.name));
        std::fs::write(&kept, &self.said).with_context(|| kept.display().to_string())
    }
}

fn run(program: &TestProgram, machine: &Machine, lane: usize, stop: &Stop) -> Result<Run> {
    let began = Instant::now();
    let mut command = machine.command(&program.path, lane);
    command.current_dir(&program.package);
    let said = match output(command, stop, &FINE) {
        Ok(said) => said,
        Err(error) => {
            stop.check()?;
            // It was killed, by itself or by a signal: that is a failure of the whole program.
            format!("test (the whole program) ... FAILED\n{error:#}\n")
        }
    };
    Ok(Run { said, took_s: began.elapsed().as_secs_f64() })
}

fn asked(args: &[&str]) -> Result<Options> {
    let mut asked = Options { names: Vec::new(), times: 10, on: Vec::new(), lanes: 1 };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().with_context(|| format!("{arg} needs a value\n{USAGE}"));
        match *arg {
            "--times" => asked.times = value()?.parse().with_context(|| USAGE.to_string())?,
            "--on" => asked.on.push(value()?.parse().with_context(|| USAGE.to_string())?),
            "--lanes" => asked.lanes = value()?.parse().with_context(|| USAGE.to_string())?,
            option if option.starts_with('-') => bail!("{option} is not known\n{USAGE}"),
            name => asked.names.push(name.to_string()),
        }
    }
    if asked.on.is_empty() {
        asked.on = State::ALL.to_vec();
    }
    ensure!(asked.lanes > 0, "--lanes is at least 1\n{USAGE}");
    Ok(asked)
}
