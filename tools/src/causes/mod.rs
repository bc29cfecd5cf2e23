//! `cargo xtask causes`: troubles made on a live PostgreSQL or MariaDB, and which cause narrows names first.
//!
//! What is wrong and what must be named is data (`suite.toml`), written before the first run. On request, not part of continuous
//! integration.

mod disk;
mod mariadb;
mod outcome;
mod page;
mod server;
mod suite;

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail, ensure};
use narrows_engine::{Scratch, Stop};
use narrows_facts::{affinity, process};
use narrows_model::{Role, Run};
use serde::{Deserialize, Serialize};

use self::outcome::SituationLook;
use self::server::Machine;
use self::suite::Situation;
use crate::program::{output, pinned, stop_on_signals};
use crate::provenance;
use crate::server::Programs;
use crate::stored;
use crate::suite_arguments::{self, SuiteArguments};

const PAGE: &str = "docs/src/evidence/causes.md";
const SUITE: &str = "causes";
const USAGE: &str = "usage: cargo xtask causes [NAME]... [--data DIR] [--narrows FILE] [--for SECONDS] [--times N] [--add] [--postgres DIR] [--screens DIR] [--list]
  NAME: a situation, or the beginning of the names of several; all where none is named
  --data DIR: where servers are made [/var/tmp]   --narrows FILE: the program [target/release/narrows]
  --times N: looks at each situation, a round of all before the next [1]
  --postgres DIR: where that server's programs are; with --add beside the looks at other versions
  --screens DIR: keeps what was on each screen there, for a reader who does not know the answer
  --add: to the looks that are stored; without it those at the situations named are forgotten";
const POSTGRES: &str = "--postgres";
const SCREENS: &str = "--screens";
/// 0: a verdict. 3 and 4: nothing valid, or no verdict, which the run file tells.
const FINE: [i32; 3] = [0, 3, 4];

/// All that was seen, with where.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Results {
    machine: String,
    for_s: u32,
    /// In the suite's order; of one situation the latest last.
    seen: Vec<SituationLook>,
}

/// Makes what is named, and writes the page.
pub fn causes(args: &[&str]) -> Result<()> {
    let suite = suite::read()?;
    let asked = suite_arguments::read(args, USAGE, 12, &[POSTGRES, SCREENS])?;
    let chosen = suite_arguments::chosen(&suite, &asked.names, |situation| &situation.name)?;
    if asked.list {
        chosen.iter().for_each(|s| println!("{:28} {}: {}", s.name, s.what, s.strength));
        return Ok(());
    }
    ensure!(process::is_root(), "control groups and another user for the server need root");
    let stop = stop_on_signals()?;
    let mut results: Results = stored::read(SUITE)?;
    let looked = look_at_all(&asked, &chosen, &suite, &mut results, &stop);
    let path = crate::root().join(PAGE);
    std::fs::write(&path, page::page(&suite, &results))
        .with_context(|| format!("writing {}", path.display()))?;
    looked
}

/// The page as it should be.
pub(crate) fn written() -> Result<(&'static str, String)> {
    Ok((PAGE, page::page(&suite::read()?, &stored::read(SUITE)?)))
}

fn look_at_all(
    asked: &SuiteArguments,
    chosen: &[&Situation],
    suite: &[Situation],
    results: &mut Results,
    stop: &Stop,
) -> Result<()> {
    narrows_postgres::server::sweep(&asked.data);
    let scratch = Scratch::create(&asked.data, &format!("causes-{}", std::process::id()))?;
    let platform = narrows_platform::discover(&narrows_facts::Live, &[(Role::Data, &asked.data)]);
    let [server_cpu, client_cpu, ..] = affinity::current()[..] else {
        bail!("server and clients need a processor each");
    };
    let machine = Machine {
        stop,
        folder: scratch.path(),
        programs: Programs::at(asked.others.get(POSTGRES).map(PathBuf::as_path))?,
        cpus: [server_cpu, client_cpu],
    };
    let state = crate::plants::state()?;
    provenance::also(&mut results.machine, crate::plants::machine(&platform));
    results.for_s = asked.for_s;
    let (mut right, mut all) = (0, 0);
    for round in 0..asked.times {
        for situation in chosen {
            stop.check()?;
            match look(asked, &machine, situation, &state) {
                Ok(seen) => {
                    let outcome = seen.outcome(situation);
                    eprintln!(
                        "{}: {}: {} | {} | {}",
                        situation.name,
                        outcome.word(),
                        seen.first.as_deref().unwrap_or("-"),
                        seen.said,
                        seen.phrase
                    );
                    all += 1;
                    right += u32::from(outcome == outcome::Outcome::Right);
                    // What is stored goes when there is something in its place.
                    if round == 0 && !asked.add {
                        results.seen.retain(|before| before.name != situation.name);
                    }
                    results.seen.push(seen);
                    results.seen.sort_by_key(|seen| suite.iter().position(|s| s.name == seen.name));
                    stored::write(SUITE, results)?;
                }
                Err(error) => eprintln!("{}: {error:#}", situation.name),
            }
        }
    }
    eprintln!("{right} of {all} right");
    Ok(())
}

/// One look, and what doing what the screen says gains.
fn look(
    asked: &SuiteArguments,
    machine: &Machine<'_>,
    situation: &Situation,
    state: &str,
) -> Result<SituationLook> {
    let server = server::start(machine, situation)?;
    let trouble = server.trouble(situation)?;
    let mut command = pinned(&machine.cpus[1..], &asked.narrows);
    command.args(["observe", &server.url(), "--for", &format!("{}s", asked.for_s)]);
    command.args(["--format", "json"]);
    command.env("XDG_DATA_HOME", machine.folder.join("runs"));
    let text = output(command, machine.stop, &FINE)?;
    let run = Run::from_json(&text).context("reading the run file")?;
    let mut seen = SituationLook::of(situation, &run, (state, &server.version()));
    let screen = screen_of(asked, machine, &text)?;
    seen.answer_line = answer_line(&screen, &run);
    if let Some(folder) = asked.others.get(SCREENS) {
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join(format!("{}.txt", situation.name)), &screen)?;
    }
    drop(run);
    if !situation.fix.is_empty() {
        // All transactions, as the bound is of all of them, in the trouble and when it has been mended.
        let before = server.rate(machine.stop)?;
        server.mend(&situation.fix)?;
        seen.gained = Some(server.rate(machine.stop)? / before - 1.0);
    }
    drop(trouble);
    Ok(seen)
}

/// What is on the screen.
fn screen_of(asked: &SuiteArguments, machine: &Machine<'_>, text: &str) -> Result<String> {
    let file = machine.folder.join("look.json");
    std::fs::write(&file, text).with_context(|| format!("writing {}", file.display()))?;
    let mut command = pinned(&machine.cpus[1..], &asked.narrows);
    command.arg("show").arg(&file);
    output(command, machine.stop, &FINE)
}

/// The line on which what the first cause says to do ends; `None`: no cause, or it isn't on the screen.
fn answer_line(screen: &str, run: &Run) -> Option<usize> {
    let cause = outcome::first(run)?;
    outcome::line_of(cause.statement.as_ref().unwrap_or(&cause.action), screen)
}
