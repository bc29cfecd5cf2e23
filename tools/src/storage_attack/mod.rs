//! `cargo xtask storage-attack`: the experiments by which an attack on the methods of storage, log and memory said that figures would be wrong, and
//! runs with nothing wrong, which have to be silent. With the program of before and with today's.
//!
//! Needs root. On request, not part of continuous integration.

mod answer;
mod company;
mod experiments;
mod page;
mod site;
mod trial;

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use narrows_facts::process;
use narrows_model::Role;
use serde::{Deserialize, Serialize};

use self::answer::Answer;
use self::trial::{Bench, Trial};
use crate::experiment_arguments::{self, Program};
use crate::program::stop_on_signals;
use crate::stored;

const PAGE: &str = "docs/src/evidence/storage-attack.md";
const SUITE: &str = "storage_attack";
const USAGE: &str = "usage: cargo xtask storage-attack [EXPERIMENT]... [--program before|now] [--narrows FILE] [--state STATE] [--data DIR] [--variant TEXT] [--list]
  EXPERIMENT: its number, 13 for the clean runs; all where none is named   --variant TEXT: only those that have it in their name
  --program: under which the answers are kept [now]   --narrows FILE: the program [target/release/narrows]
  --state STATE: of that program's sources [as git names those here]   --data DIR: where files are made, on a drive [/var/tmp]";

/// All that was said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Results {
    said: Vec<Answer>,
}

/// Makes the experiments, and writes the page.
pub fn storage_attack(args: &[&str]) -> Result<()> {
    let asked = experiment_arguments::read(args, USAGE)?;
    let wanted = |trial: &Trial| asked.wants(trial.experiment, &trial.variant);
    let drive = number_of_drive(&asked.data)?;
    let trials: Vec<Trial> = experiments::all(&drive).into_iter().filter(wanted).collect();
    ensure!(!trials.is_empty(), "no such experiment\n{USAGE}");
    if asked.list {
        for trial in trials {
            println!("{:2} {}: {}", trial.experiment, trial.variant, trial.told());
        }
        return Ok(());
    }
    let stop = stop_on_signals()?;
    ensure!(process::is_root(), "devices and mounts of its own need root");
    let platform = narrows_platform::discover(&narrows_facts::Live, &[(Role::Data, &asked.data)]);
    let mut results: Results = stored::read(SUITE)?;
    let machine = crate::plants::machine(&platform);
    let state = asked.state()?;
    let before = asked.program == Program::Before;
    let bench = Bench { stop: &stop, narrows: &asked.narrows, folder: &asked.data, before };
    for trial in &trials {
        match trial.answer(&bench) {
            Ok(answer) => {
                let honest = (trial.honest)(&answer);
                let (state, machine) = (state.clone(), machine.clone());
                let answer = Answer { state, machine, before, honest, ..answer };
                eprintln!(
                    "{} {}: {} (exit {}, {:?})",
                    answer.experiment,
                    answer.variant,
                    if honest { "honest" } else { "NOT HONEST" },
                    answer.exit,
                    answer.worst
                );
                results.take(answer, &drive);
                stored::write(SUITE, &results)?;
            }
            Err(error) => eprintln!("{} {}: {error:#}", trial.experiment, trial.variant),
        }
        stop.check()?;
    }
    let (path, text) = pages()?;
    let path = crate::root().join(path);
    std::fs::write(&path, text).with_context(|| format!("writing {}", path.display()))
}

/// `major:minor` of the drive of a folder, as control groups name it: the whole drive and no partition of it.
fn number_of_drive(folder: &Path) -> Result<String> {
    let device = std::fs::metadata(folder).with_context(|| folder.display().to_string())?.dev();
    let number = format!("{}:{}", libc::major(device), libc::minor(device));
    let whole = format!("/sys/dev/block/{number}/../dev");
    Ok(std::fs::read_to_string(whole).map_or(number, |whole| whole.trim().to_string()))
}

/// The page, made of what is stored.
pub(crate) fn pages() -> Result<(&'static str, String)> {
    let mut results: Results = stored::read(SUITE)?;
    results.judge();
    Ok((PAGE, page::page(&results)))
}

impl Results {
    /// By the keys of now, which say the same of what any program said.
    fn judge(&mut self) {
        // Which drive a limit is of makes no difference to what is honest.
        let trials = experiments::all("8:0");
        for said in &mut self.said {
            let is_its = |trial: &&Trial| {
                (trial.experiment, &trial.variant) == (said.experiment, &said.variant)
            };
            if let Some(trial) = trials.iter().find(is_its) {
                said.honest = (trial.honest)(said);
            }
        }
    }

    /// In the place of what that program said before.
    fn take(&mut self, said: Answer, drive: &str) {
        self.said.retain(|other| other.key() != said.key());
        self.said.push(said);
        let order: Vec<(u32, String)> = experiments::all(drive)
            .into_iter()
            .map(|trial| (trial.experiment, trial.variant))
            .collect();
        self.said.sort_by_key(|said| {
            let (experiment, variant, before) = said.key();
            (order.iter().position(|(e, v)| *e == experiment && v == variant), !before)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_takes_the_place_of_the_one_before_and_programs_stay_apart() {
        let mut results = Results::default();
        let said = |experiment, variant: &str, before, exit| Answer {
            experiment,
            variant: variant.to_string(),
            before,
            exit,
            ..Answer::default()
        };
        for one in [
            said(11, "a device of one byte's value", false, 1),
            said(1, "block on zram", false, 2),
            said(1, "block on zram", true, 3),
            said(11, "a device of one byte's value", false, 4),
        ] {
            results.take(one, "8:0");
        }
        let exits: Vec<i32> = results.said.iter().map(|said| said.exit).collect();
        assert_eq!(exits, [3, 2, 4]);
    }

    #[test]
    fn each_experiment_has_a_name_of_its_own() {
        let trials = experiments::all("8:0");
        for (at, trial) in trials.iter().enumerate() {
            let same = |other: &Trial| {
                (other.experiment, &other.variant) == (trial.experiment, &trial.variant)
            };
            assert!(!trial.variant.is_empty() && !trials[..at].iter().any(same), "{trial:?}");
        }
        assert_eq!(
            trials.iter().filter(|trial| trial.experiment == experiments::CLEAN).count(),
            40
        );
    }
}
