//! `cargo xtask soak`: the whole suite again and again, on a machine that is left alone, that is busy, and that has half a processor. A
//! test that fails in any of these decides by the machine's mood. What is slow is no failure.

mod machine;
mod programs;
mod tally;

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail, ensure};
use narrows_engine::Stop;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use self::machine::{Machine, State};
use self::programs::TestProgram;
use self::tally::Tally;
use crate::program::output;

const USAGE: &str = "usage: cargo xtask soak [NAME]... [--times N] [--on quiet|busy|half]...
  NAME: part of the name of test programs, such as `io` or `causes`; all where none is named
  --times N: runs on each machine [10]   --on: as it is, beside loops on all processors and a writer on the drive, with half a
  processor; may be given several times [all three in turns]";
/// Exit statuses of a test program that ran to its end.
const FINE: [i32; 2] = [0, 101];

struct Asked {
    names: Vec<String>,
    times: u32,
    on: Vec<State>,
}

/// Runs the suite; it fails where a test failed.
pub fn soak(args: &[&str]) -> Result<()> {
    let asked = asked(args)?;
    let stop = Stop::new();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, stop.flag())?;
    }
    let programs = programs::built(&asked.names)?;
    ensure!(!programs.is_empty(), "no test program is named like {:?}", asked.names);
    let folder = crate::root().join("target/soak");
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let mut tally = Tally::default();
    for time in 1..=asked.times {
        for state in &asked.on {
            let machine = Machine::made(*state, &folder)?;
            for program in &programs {
                run(program, &machine, time, &folder, &mut tally, &stop)?;
            }
            eprintln!("{}: {}", tally.line(*state), time);
        }
    }
    print!("{}", tally.table(&asked.on));
    if tally.is_clean() { Ok(()) } else { bail!("what failed said why in {}", folder.display()) }
}

fn run(
    program: &TestProgram,
    machine: &Machine,
    time: u32,
    folder: &std::path::Path,
    tally: &mut Tally,
    stop: &Stop,
) -> Result<()> {
    let mut command = machine.command(&program.path);
    command.current_dir(&program.package);
    let said = match output(command, stop, &FINE) {
        Ok(said) => said,
        Err(error) => {
            stop.check()?;
            // It was killed, by itself or by a signal: that is a failure of the whole program.
            format!("test (the whole program) ... FAILED\n{error:#}\n")
        }
    };
    if tally.add(machine.state, &program.name, &said) {
        let kept: PathBuf = folder.join(format!("{}-{}-{time}.txt", program.name, machine.state));
        std::fs::write(&kept, said).with_context(|| kept.display().to_string())?;
    }
    Ok(())
}

fn asked(args: &[&str]) -> Result<Asked> {
    let mut asked = Asked { names: Vec::new(), times: 10, on: Vec::new() };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().with_context(|| format!("{arg} needs a value\n{USAGE}"));
        match *arg {
            "--times" => asked.times = value()?.parse().with_context(|| USAGE.to_string())?,
            "--on" => asked.on.push(value()?.parse().with_context(|| USAGE.to_string())?),
            option if option.starts_with('-') => bail!("{option} is not known\n{USAGE}"),
            name => asked.names.push(name.to_string()),
        }
    }
    if asked.on.is_empty() {
        asked.on = State::ALL.to_vec();
    }
    Ok(asked)
}
