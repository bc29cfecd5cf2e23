//! `cargo xtask attack`: the experiments by which an attack on the verdict said that narrows would be wrong, made with the program of
//! before and with today's, and what each of them said.
//!
//! The idle pool, the neighbour of low priority and the sidecar are plants of the planted suite. On request, not part of continuous
//! integration.

mod page;
mod trial;
mod trial_result;

use anyhow::{Context as _, Result, ensure};
use narrows_engine::Scratch;
use narrows_facts::process;
use narrows_model::Role;
use serde::{Deserialize, Serialize};

use self::trial::{Ground, Trial};
use self::trial_result::TrialResult;
use crate::experiment_arguments::{self, Program};
use crate::program::stop_on_signals;
use crate::server::Programs;
use crate::stored;

const PAGE: &str = "docs/src/evidence/attack.md";
const SUITE: &str = "attack";
const USAGE: &str = "usage: cargo xtask attack [EXPERIMENT]... [--program before|now] [--narrows FILE] [--state STATE] [--data DIR] [--variant TEXT] [--list]
  EXPERIMENT: its number; all where none is named   --variant TEXT: only trials that have it in their name
  --program: under which the answers are kept [now]   --narrows FILE: the program [target/release/narrows]
  --state STATE: of that program's sources [as git names those here]   --data DIR: where servers are made [/var/tmp]";

/// All that was said.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Results {
    said: Vec<TrialResult>,
}

/// Makes the experiments, and writes the page.
pub fn attack(args: &[&str]) -> Result<()> {
    let asked = experiment_arguments::read(args, USAGE)?;
    let wanted = |trial: &Trial| asked.wants(trial.experiment, &trial.variant);
    let trials: Vec<Trial> = trial::all(asked.program).into_iter().filter(wanted).collect();
    ensure!(!trials.is_empty(), "no such experiment\n{USAGE}");
    if asked.list {
        for trial in trials {
            println!(
                "{:2} {:24} narrows {}",
                trial.experiment,
                trial.variant,
                trial.args.join(" ")
            );
        }
        return Ok(());
    }
    let stop = stop_on_signals()?;
    ensure!(process::is_root(), "another user for the server needs root");
    narrows_postgres::server::sweep(&asked.data);
    let scratch = Scratch::create(&asked.data, &format!("attack-{}", std::process::id()))?;
    let platform = narrows_platform::discover(&narrows_facts::Live, &[(Role::Data, &asked.data)]);
    let programs = Programs::here()?;
    let mut results: Results = stored::read(SUITE)?;
    let machine = format!(
        "{}, PostgreSQL {}",
        crate::plants::machine(&platform),
        programs.found.version_text
    );
    let ground = Ground {
        stop: &stop,
        folder: scratch.path(),
        programs: &programs,
        narrows: &asked.narrows,
    };
    let state = asked.state()?;
    for trial in &trials {
        match trial.said(&ground) {
            Ok(said) => {
                let (state, machine) = (state.clone(), machine.clone());
                let said = TrialResult { state, machine, program: asked.program, ..said };
                eprintln!(
                    "{} {}: {:?}: {}",
                    said.experiment, said.variant, said.grade, said.phrase
                );
                results.take(said);
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

/// The page, made of what is stored.
pub(crate) fn pages() -> Result<(&'static str, String)> {
    let results: Results = stored::read(SUITE)?;
    Ok((PAGE, page::page(&results)))
}

impl Results {
    /// In the place of what that program said to that variant before.
    fn take(&mut self, said: TrialResult) {
        self.said.retain(|other| other.key() != said.key());
        self.said.push(said);
        let order: Vec<(u32, String)> = trial::all(Program::Now)
            .into_iter()
            .map(|trial| (trial.experiment, trial.variant))
            .collect();
        self.said.sort_by_key(|said| {
            let (experiment, variant, program) = said.key();
            (order.iter().position(|(e, v)| *e == experiment && v == variant), program)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_takes_the_place_of_the_one_before_and_programs_stay_apart() {
        let mut results = Results::default();
        let said = |experiment, variant: &str, program, rate_per_s| TrialResult {
            program,
            rate_per_s,
            ..trial_result::tests::said(experiment, variant)
        };
        results.take(said(8, "4 sessions", Program::Now, 1.0));
        results.take(said(2, "2 ms", Program::Now, 2.0));
        results.take(said(2, "2 ms", Program::Before, 3.0));
        results.take(said(8, "4 sessions", Program::Now, 4.0));
        let rates: Vec<f64> = results.said.iter().map(|said| said.rate_per_s).collect();
        assert_eq!(rates, [3.0, 2.0, 4.0]);
    }
}
