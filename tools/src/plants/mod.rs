//! `cargo xtask plants`: bottlenecks planted under a live PostgreSQL, and what narrows says of them.
//!
//! What is planted and what must be said is data (`suite.toml`), written before the run. Everything that is planted goes when
//! its guard is dropped, on failure and on Ctrl-C too. On request, not part of continuous integration.

mod disturb;
mod look;
mod page;
mod proxy;
mod run;
mod sidecar;
mod site;
mod store;
mod suite;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use narrows_engine::{Scratch, Stop};
use narrows_facts::{affinity, process};
use narrows_model::{Platform, Role};

use self::look::{PlantLook, Rate};
use self::run::Looker;
use self::site::{Ground, Site};
use self::store::Results;
use self::suite::{LookKind, Plant};
use crate::program::stop_on_signals;
use crate::provenance;
use crate::server::Programs;
use crate::suite_arguments::{self, SuiteArguments};

const PAGE: &str = "docs/src/evidence/planted.md";
const CAPACITIES: &str = "--capacities";
const POSTGRES: &str = "--postgres";
const USAGE: &str = "usage: cargo xtask plants [NAME]... [--data DIR] [--narrows FILE] [--for SECONDS] [--times N] [--add] [--capacities FILE] [--postgres PATH] [--list]
  NAME: a plant, or the beginning of the names of several; all where none is named
  --data DIR: where servers are made [/var/tmp]   --narrows FILE: the program [target/release/narrows]
  --times N: looks at each plant, a round of all before the next [1]
  --add: to the looks that are stored; without it those at the plants named are forgotten
  --capacities FILE: a run of this machine's drives and log; without it one is made
  --postgres PATH: another PostgreSQL, of a major version whose results are kept apart";

/// Plants what is named, and writes the page. It fails where a CONFIRMED verdict is wrong.
pub fn plants(args: &[&str]) -> Result<()> {
    let suite = suite::read()?;
    let asked = suite_arguments::read(args, USAGE, 20, &[CAPACITIES, POSTGRES])?;
    let chosen = suite_arguments::chosen(&suite, &asked.names, |plant| &plant.name)?;
    if asked.list {
        for plant in chosen {
            println!("{:24} {} {}", plant.name, plant.what, plant.strength);
        }
        return Ok(());
    }
    let stop = stop_on_signals()?;
    let postgres = asked.others.get(POSTGRES).map(PathBuf::as_path);
    let programs = Programs::at(postgres)?;
    let version = postgres.map(|_| programs.found.version.major);
    let mut results = Results::read(version)?;
    let failed = measure(&asked, programs, &chosen, &suite, &mut results, &stop);
    let file = written(&suite)?;
    let path = crate::root().join(PAGE);
    std::fs::write(&path, file).with_context(|| format!("writing {}", path.display()))?;
    failed?;
    let liars: Vec<&str> = chosen
        .iter()
        .filter(|plant| Rate::of(plant, results.looks(plant)).sure_and_wrong > 0)
        .map(|plant| plant.name.as_str())
        .collect();
    ensure!(liars.is_empty(), "CONFIRMED and wrong: {}", liars.join(", "));
    Ok(())
}

/// The page as it should be.
fn written(suite: &[Plant]) -> Result<String> {
    Ok(page::page(suite, &Results::read(None)?, &Results::of_versions()?))
}

/// The page and the table of looks, made of what is stored.
pub(crate) fn pages() -> Result<(&'static str, String, String)> {
    let suite = suite::read()?;
    let looks = page::looks(&suite, &Results::read(None)?);
    Ok((PAGE, written(&suite)?, looks))
}

fn measure(
    asked: &SuiteArguments,
    programs: Programs,
    chosen: &[&Plant],
    suite: &[Plant],
    results: &mut Results,
    stop: &Stop,
) -> Result<()> {
    ensure!(process::is_root(), "control groups and another user for the server need root");
    narrows_postgres::server::sweep(&asked.data);
    let scratch = Scratch::create(&asked.data, &format!("plants-{}", std::process::id()))?;
    let platform = narrows_platform::discover(&narrows_facts::Live, &[(Role::Data, &asked.data)]);
    let [server_cpu, client_cpu, ..] = affinity::current()[..] else {
        bail!("server and client need a processor each");
    };
    let ground = Ground {
        stop,
        folder: scratch.path(),
        programs,
        drive: drive(&platform)?,
        cpus: [server_cpu, client_cpu],
    };
    provenance::also(&mut results.machine, machine(&platform));
    let server = format!("PostgreSQL {}", ground.programs.found.version_text);
    provenance::also(&mut results.server, server);
    results.for_s = asked.for_s;
    let mut looker = Looker {
        narrows: asked.narrows.clone(),
        for_s: asked.for_s,
        capacities: asked.others.get(CAPACITIES).cloned(),
        postgres: asked.others.get(POSTGRES).cloned(),
        ground: &ground,
    };
    let compares = chosen.iter().any(|plant| plant.look == LookKind::Compare);
    if compares && looker.capacities.is_none() {
        eprintln!("drives and log by themselves");
        looker.measure()?;
    }
    if !asked.add {
        chosen.iter().for_each(|plant| results.forget(plant, suite));
    }
    let state = state()?;
    let mut site: Option<Site<'_>> = None;
    for plant in (0..asked.times).flat_map(|_| chosen) {
        let seen = if plant.look.is_own() {
            site = None;
            looker.own(plant)
        } else {
            look_at(&ground, &looker, &mut site, plant)
        };
        stop.check()?;
        match seen.with_context(|| format!("{} could not be measured", plant.name)) {
            Ok(seen) => {
                let seen = PlantLook { state: state.clone(), ..seen };
                let word = seen.outcome(plant).word();
                eprintln!("{}: {word}: {:?}: {}", plant.name, seen.grade, seen.phrase);
                results.keep(seen, suite)?;
            }
            Err(error) => eprintln!("{error:#}"),
        }
    }
    chosen
        .iter()
        .for_each(|plant| eprintln!("{}: {}", plant.name, Rate::of(plant, results.looks(plant))));
    Ok(())
}

/// Looks at that plant under its server, which is the one before if that is of the same kind.
fn look_at<'g>(
    ground: &'g Ground<'g>,
    looker: &Looker<'_>,
    site: &mut Option<Site<'g>>,
    plant: &Plant,
) -> Result<PlantLook> {
    if site.as_ref().is_none_or(|site| site.of != plant.server) {
        // The folders are the same, so one goes before the next comes.
        drop(site.take());
        *site = Some(Site::start(ground, &plant.server)?);
    }
    looker.observed(site.as_ref().context("a server was started")?, plant)
}

/// Of the sources, as git names it.
pub(crate) fn state() -> Result<String> {
    let mut command = Command::new("git");
    command.args(["describe", "--always", "--dirty"]).current_dir(crate::root());
    let said = command.output().context("running git")?;
    Ok(String::from_utf8_lossy(&said.stdout).trim().to_string())
}

fn drive(platform: &Platform) -> Result<String> {
    let drive = platform.roles.first().and_then(|role| role.drives().next());
    Ok(drive.context("no drive is known under the folder")?.number.clone())
}

/// In words.
pub(crate) fn machine(platform: &Platform) -> String {
    let drive = platform.roles.first().and_then(|role| role.drives().next());
    let under = platform
        .hypervisor
        .as_ref()
        .map_or("no hypervisor".to_string(), |name| format!("under {name}"));
    format!(
        "{}, {} CPUs, Linux {}, {under}, drive {}",
        platform.cpu.model.as_deref().unwrap_or("processor not known"),
        platform.cpu.threads,
        platform.kernel.as_deref().unwrap_or("not known"),
        drive.map_or("not visible".to_string(), |drive| {
            let transport = drive.transport.as_deref().unwrap_or_default();
            format!("{} {transport}", drive.name).trim_end().to_string()
        }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_names<'a>(suite: &'a [Plant], names: &[String]) -> Result<Vec<&'a Plant>> {
        suite_arguments::chosen(suite, names, |plant| &plant.name)
    }

    #[test]
    fn plants_are_chosen_by_the_beginning_of_their_names() {
        let suite = suite::read().unwrap();
        assert_eq!(by_names(&suite, &[]).unwrap().len(), suite.len());
        let quotas = by_names(&suite, &["quota".to_string()]).unwrap();
        assert!(quotas.len() >= 4 && quotas.iter().all(|plant| plant.name.starts_with("quota")));
        assert_eq!(by_names(&suite, &["own-nothing".to_string()]).unwrap().len(), 1);
        assert!(by_names(&suite, &["nonsense".to_string()]).is_err());
    }
}
