//! `cargo xtask kills`: random signals at random moments, to the process or its group, in every command that writes, and what they leave.
//!
//! It works in a folder of its own below `target/kills`, counts only what is new since a trial began, ends only processes that it
//! started, and takes everything down on every way out. Its records are lines of JSON there; `--publish` keeps them and writes the page.

mod commands;
mod isolation;
mod left;
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
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use narrows_engine::{Rng, Stop};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use self::commands::{COMMANDS, Struck};
use self::record::Record;
use self::site::{Site, User};
use self::store::Results;
use self::strike::Strike;
use self::trial::Planned;

const PAGE: &str = "docs/src/evidence/kills.md";
const USAGE: &str = "usage: cargo xtask kills [--count N] [--seed S] [--only COMMAND]... [--narrows FILE] [--publish] [--list]
  --count N: trials [400]   --seed S: of everything that is drawn [1]   --only COMMAND: the beginning of names
  --narrows FILE: the program [target/debug/narrows, built first]   --publish: store the records and write the page";
/// How much longer than it has shown a command is taken to last: its end has to be met.
const MARGIN: f64 = 1.05;

struct Asked {
    count: u64,
    seed: u64,
    only: Vec<String>,
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
    let stop = Stop::new();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, stop.flag())?;
    }
    let narrows = asked.narrows.clone().map_or_else(built, Ok)?;
    let folder = crate::root().join("target/kills");
    let site = Site::make(&folder.join(format!("site-{}", std::process::id())), &narrows)?;
    let lines = folder.join(format!("{}.jsonl", asked.seed));
    let mut trials = Vec::new();
    let done = tried(&asked, &chosen, &site, &lines, &mut trials, &stop);
    let machine = machine(&site);
    drop(site);
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

fn tried(
    asked: &Asked,
    chosen: &[&'static Struck],
    site: &Site,
    lines: &std::path::Path,
    trials: &mut Vec<Record>,
    stop: &Stop,
) -> Result<()> {
    let mut file =
        std::fs::File::create(lines).with_context(|| format!("writing {}", lines.display()))?;
    let mut rng = Rng::new(asked.seed);
    // What the trials have shown of how long commands last.
    let mut lasts: BTreeMap<(&str, User), Duration> = BTreeMap::new();
    for number in 1..=asked.count {
        stop.check()?;
        // All is drawn whether it can be had or not, so that a seed draws the same everywhere.
        let command = chosen[rng.below(chosen.len() as u64) as usize];
        let user = [User::Root, User::Ordinary][rng.below(2) as usize];
        let on = rng.below(2) as usize;
        let strike = Strike::draw(&mut rng);
        let user = if site.users.contains(&user) { user } else { site.users[0] };
        if !site.can(command, user) {
            continue;
        }
        let on = site.file_systems[on.min(site.file_systems.len() - 1)];
        let known = lasts.entry((command.name, user));
        let known = known.or_insert(Duration::from_secs_f64(command.lasts_s));
        let lasts = known.mul_f64(MARGIN);
        let planned = Planned { number, command, user, on, strike, lasts };
        let (record, ran) = trial::run(site, &planned, stop)
            .with_context(|| format!("trial {number}, {}", command.name))?;
        if !record.met() && command.from == commands::From::Start {
            *known = ran;
        }
        writeln!(file, "{}", serde_json::to_string(&record)?)?;
        eprintln!("{}", record.line());
        trials.push(record);
    }
    Ok(())
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

fn asked(args: &[&str]) -> Result<Asked> {
    let mut asked =
        Asked { count: 400, seed: 1, only: Vec::new(), narrows: None, publish: false, list: false };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().with_context(|| format!("{arg} needs a value\n{USAGE}"));
        match *arg {
            "--count" => asked.count = value()?.parse().with_context(|| USAGE.to_string())?,
            "--seed" => asked.seed = value()?.parse().with_context(|| USAGE.to_string())?,
            "--only" => asked.only.push(value()?.to_string()),
            "--narrows" => asked.narrows = Some(value()?.into()),
            "--publish" => asked.publish = true,
            "--list" => asked.list = true,
            other => bail!("{other} is not known\n{USAGE}"),
        }
    }
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
        for wrong in [&["--count"][..], &["--count", "many"], &["log"]] {
            assert!(asked(wrong).err().unwrap().to_string().contains("usage:"), "{wrong:?}");
        }
    }
}
