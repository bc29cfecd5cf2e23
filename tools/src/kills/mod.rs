//! `cargo xtask kills`: random signals at random moments, to the process or its group, in every command that writes, and what they leave.
//!
//! It works in a folder of its own below `target/kills`, counts only what is new since a trial began, ends only processes that it
//! started, and takes everything down on every way out. Its records are lines of JSON there; `--publish` keeps them and writes the page.

mod commands;
mod isolation;
mod leftovers;
mod mirror;
mod page;
mod record;
mod site;
mod store;
mod strike;
mod theirs;
mod trial;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Barrier, Mutex};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use narrows_engine::{Rng, Stop};

use self::commands::{COMMANDS, Struck};
use self::record::Record;
use self::site::{Site, User};
use self::store::Results;
use self::strike::Strike;
use self::trial::Planned;
use crate::program::stop_on_signals;

const PAGE: &str = "docs/src/evidence/kills.md";
const USAGE: &str = "usage: cargo xtask kills [--count N] [--seed S] [--only COMMAND]... [--workers N] [--narrows FILE] [--publish] [--list]
  --count N: trials [400]   --seed S: of everything that is drawn [1]   --only COMMAND: the beginning of names
  --workers N: so many trials side by side, each in folders and shared memory of its own [1]
  --narrows FILE: the program [target/debug/narrows, built first]   --publish: store the records and write the page";
/// How much longer than it has shown a command is taken to last: its end has to be met.
const MARGIN: f64 = 1.05;

struct Options {
    count: u64,
    seed: u64,
    only: Vec<String>,
    workers: usize,
    narrows: Option<PathBuf>,
    publish: bool,
    list: bool,
}

/// Tries, and fails where anything was left or ended wrongly.
pub fn kills(args: &[&str]) -> Result<()> {
    let asked = asked(args)?;
    let chosen = chosen(&asked.only)?;
    if asked.list {
        chosen.iter().for_each(|command| println!("{:26} narrows {}", command.name, command.args));
        return Ok(());
    }
    let stop = stop_on_signals()?;
    let narrows = asked.narrows.clone().map_or_else(built, Ok)?;
    let folder = crate::root().join("target/kills");
    let lines = folder.join(format!("{}.jsonl", asked.seed));
    let trials = Trials::begin(&asked, &chosen, &folder, &lines)?;
    let done = tried(&trials, asked.workers, &folder, &narrows, &stop);
    let machine = done.as_ref().map(|machine| format!("{machine}; {} side by side", asked.workers));
    let machine = machine.unwrap_or_default();
    let trials = trials.records();
    println!("{}", page::sentence(&trials));
    println!("records: {}", lines.display());
    done?;
    let wrong = trials.iter().filter(|trial| !trial.wrong.is_empty()).count();
    if asked.publish {
        let results = Results { seed: asked.seed, machine, trials };
        results.write()?;
        let path = crate::root().join(PAGE);
        std::fs::write(&path, page::page(&results))
            .with_context(|| format!("writing {}", path.display()))?;
    }
    ensure!(wrong == 0, "{wrong} trials left something or ended wrongly");
    Ok(())
}

/// The page, made of what is stored.
pub(crate) fn written() -> Result<(&'static str, String)> {
    Ok((PAGE, page::page(&Results::read()?)))
}

/// One trial as it is drawn, whether it can be had here or not, so that a seed draws the same everywhere.
struct Drawn {
    number: u64,
    command: &'static Struck,
    user: User,
    file_system: usize,
    strike: Strike,
}

/// What workers share: what is to be tried, and what was.
struct Trials {
    waiting: Mutex<std::vec::IntoIter<Drawn>>,
    tried: Mutex<(Vec<Record>, std::fs::File)>,
    /// How long commands have shown that they last.
    lasts: Mutex<BTreeMap<(&'static str, User), Duration>>,
}

impl Trials {
    fn begin(
        asked: &Options,
        chosen: &[&'static Struck],
        folder: &Path,
        lines: &Path,
    ) -> Result<Trials> {
        let mut rng = Rng::new(asked.seed);
        let draw = |number| Drawn {
            number,
            command: chosen[rng.below(chosen.len() as u64) as usize],
            user: [User::Root, User::Ordinary][rng.below(2) as usize],
            file_system: rng.below(2) as usize,
            strike: Strike::draw(&mut rng),
        };
        let drawn: Vec<Drawn> = (1..=asked.count).map(draw).collect();
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let file =
            std::fs::File::create(lines).with_context(|| format!("writing {}", lines.display()))?;
        Ok(Trials {
            waiting: Mutex::new(drawn.into_iter()),
            tried: Mutex::new((Vec::new(), file)),
            lasts: Mutex::default(),
        })
    }

    fn next(&self) -> Option<Drawn> {
        self.waiting.lock().expect("no worker panics").next()
    }

    fn lasts(&self, command: &'static Struck, user: User) -> Duration {
        let mut lasts = self.lasts.lock().expect("no worker panics");
        let first = Duration::from_secs_f64(command.lasts_s);
        *lasts.entry((command.name, user)).or_insert(first)
    }

    fn add(
        &self,
        record: Record,
        ran: Duration,
        command: &'static Struck,
        user: User,
    ) -> Result<()> {
        if !record.met() && command.from == commands::From::Start {
            self.lasts.lock().expect("no worker panics").insert((command.name, user), ran);
        }
        let mut tried = self.tried.lock().expect("no worker panics");
        writeln!(tried.1, "{}", serde_json::to_string(&record)?)?;
        eprintln!("{}", record.line());
        tried.0.push(record);
        Ok(())
    }

    fn records(self) -> Vec<Record> {
        let (mut records, _) = self.tried.into_inner().expect("no worker panics");
        records.sort_by_key(|record| record.number);
        records
    }
}

/// Tries all of them, by so many workers, each at a site of its own; what machine it was, in words.
fn tried(
    trials: &Trials,
    workers: usize,
    folder: &Path,
    narrows: &Path,
    stop: &Stop,
) -> Result<String> {
    // A site that is being made has a loop device that would be new to a trial beside it.
    let all_made = Barrier::new(workers);
    let worker = |n: usize| -> Result<String> {
        let site = Site::make(&folder.join(format!("site-{}-{n}", std::process::id())), narrows);
        all_made.wait();
        let site = site?;
        while let Some(drawn) = trials.next() {
            stop.check()?;
            try_at(&site, trials, &drawn, stop)
                .with_context(|| format!("trial {}, {}", drawn.number, drawn.command.name))?;
        }
        Ok(machine(&site))
    };
    std::thread::scope(|scope| {
        let worker = &worker;
        let workers: Vec<_> = (0..workers).map(|n| scope.spawn(move || worker(n))).collect();
        let mut machines =
            workers.into_iter().map(|worker| worker.join().expect("no worker panics"));
        let first = machines.next().context("no worker")?;
        machines.try_fold(first?, |first, machine| machine.map(|_| first))
    })
}

fn try_at(site: &Site, trials: &Trials, drawn: &Drawn, stop: &Stop) -> Result<()> {
    let Drawn { number, command, user, strike, .. } = *drawn;
    let user = if site.users.contains(&user) { user } else { site.users[0] };
    if !site.can(command, user) {
        return Ok(());
    }
    let on = site.file_systems[drawn.file_system.min(site.file_systems.len() - 1)];
    let lasts = trials.lasts(command, user).mul_f64(MARGIN);
    let planned = Planned { number, command, user, on, strike, lasts };
    let (record, ran) = trial::run(site, &planned, stop)?;
    trials.add(record, ran, command, user)
}

fn machine(site: &Site) -> String {
    let platform = narrows_platform::discover(&narrows_facts::Live, &[]);
    let server = if site.theirs.is_some() { "with PostgreSQL" } else { "without PostgreSQL" };
    format!(
        "Linux {}, {} CPUs, {}, {server}",
        platform.kernel.as_deref().unwrap_or("not known"),
        platform.cpu.threads,
        if site.file_systems.len() > 1 {
            format!("{} and XFS", site.here)
        } else {
            site.here.clone()
        },
    )
}

/// The program of this tree.
fn built() -> Result<PathBuf> {
    let mut cargo = std::process::Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    let status =
        cargo.args(["build", "--package", "narrows"]).current_dir(crate::root()).status()?;
    ensure!(status.success(), "narrows can't be built");
    Ok(crate::root().join("target/debug/narrows"))
}

fn asked(args: &[&str]) -> Result<Options> {
    let mut asked = Options {
        count: 400,
        seed: 1,
        only: Vec::new(),
        workers: 1,
        narrows: None,
        publish: false,
        list: false,
    };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().with_context(|| format!("{arg} needs a value\n{USAGE}"));
        match *arg {
            "--count" => asked.count = value()?.parse().with_context(|| USAGE.to_string())?,
            "--seed" => asked.seed = value()?.parse().with_context(|| USAGE.to_string())?,
            "--only" => asked.only.push(value()?.to_string()),
            "--workers" => asked.workers = value()?.parse().with_context(|| USAGE.to_string())?,
            "--narrows" => asked.narrows = Some(value()?.into()),
            "--publish" => asked.publish = true,
            "--list" => asked.list = true,
            other => bail!("{other} is not known\n{USAGE}"),
        }
    }
    ensure!(asked.workers > 0, "--workers is at least 1\n{USAGE}");
    Ok(asked)
}

/// Those whose names begin so; a whole name is that one's only.
fn chosen(only: &[String]) -> Result<Vec<&'static Struck>> {
    let fits = |name: &String, command: &Struck| {
        let whole = COMMANDS.iter().any(|other| other.name == name);
        if whole { command.name == name } else { command.name.starts_with(name.as_str()) }
    };
    for name in only {
        ensure!(
            COMMANDS.iter().any(|command| fits(name, command)),
            "no command's name begins with `{name}`\nhint: cargo xtask kills --list"
        );
    }
    let wanted = |command: &&Struck| only.is_empty() || only.iter().any(|name| fits(name, command));
    Ok(COMMANDS.iter().filter(wanted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_chosen_by_the_beginning_of_their_names() {
        assert_eq!(chosen(&[]).unwrap().len(), COMMANDS.len());
        assert_eq!(chosen(&["log".to_string()]).unwrap().len(), 1);
        assert_eq!(chosen(&["report".to_string()]).unwrap().len(), 5);
        assert!(chosen(&["nonsense".to_string()]).is_err());
    }

    #[test]
    fn options_are_read_and_wrong_ones_refused() {
        let read = asked(&["--count", "5", "--seed", "9", "--only", "db", "--publish"]).unwrap();
        assert_eq!((read.count, read.seed, read.only.as_slice()), (5, 9, &["db".to_string()][..]));
        assert!(read.publish && !read.list);
        for wrong in [&["--count"][..], &["--count", "many"], &["--workers", "0"], &["log"]] {
            assert!(asked(wrong).err().unwrap().to_string().contains("usage:"), "{wrong:?}");
        }
    }
}
