//! `narrows ab`: one configuration against another, by runs that take turns.

use anyhow::Result;
use narrows_runner::exit::stopped;
use narrows_runner::experiment::{
    CLONE_PLACEHOLDER, CLONE_VARIABLE, Experiment, ExperimentEnd, Goal, Setup, SideSetup,
    experiment, stored_experiment,
};
use narrows_runner::failure::Failure;

use crate::args::UnitsArg;
use crate::args::ab::{AbArgs, Words};
use crate::terminal::Terminal;
use crate::{Exit, output};

/// Commands that make runs.
const MEASURES: [&str; 5] = ["run", "db", "block", "memory", "log"];
/// Options that belong to the experiment, or make no run.
const NOT_THERE: [&str; 5] = ["--format", "--dry-run", "-o", "--output", "--anonymous"];

/// The smallest difference to be found, as a share, and the time for all pairs, s.
const FIND: f64 = 0.05;
const WITHIN_S: f64 = 3600.0;

/// Makes the pairs that are missing, and compares.
pub fn ab(args: AbArgs) -> Result<Exit> {
    let asked = asked(&args)?;
    let ui = Terminal::plain();
    match experiment(asked, args.margin, &ui)? {
        ExperimentEnd::Stopped => Ok(stopped()),
        ExperimentEnd::Whole(found) => {
            let units: UnitsArg = args.units;
            let document = narrows_report::comparison(&found, &[], units.into());
            output::document(&document, args.format)?;
            Ok(Exit::Done)
        }
    }
}

/// An option that goes on with no experiment.
fn of_the_beginning(args: &AbArgs) -> Option<&'static str> {
    let given = [
        ("--a", args.a.is_some()),
        ("--b", args.b.is_some()),
        ("--with-a", args.with_a.is_some()),
        ("--with-b", args.with_b.is_some()),
        ("--restore", args.restore.is_some()),
        ("--after", args.after.is_some()),
        ("--clone", args.clone.is_some()),
        ("--seed", args.seed.is_some()),
    ];
    given.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
}

/// When there are enough pairs: as is asked for, else as `before`.
fn goal(args: &AbArgs, before: &Goal) -> Goal {
    let measure = if args.measure.is_empty() { &before.measure } else { &args.measure };
    Goal {
        // Who names a time or a size asks for as many pairs as these take.
        pairs: args.pairs.or(before.pairs.filter(|_| args.find.is_none() && args.within.is_none())),
        find: args.find.unwrap_or(before.find),
        within_s: args.within.map_or(before.within_s, |within| within.0 as f64 / 1e9),
        measure: measure.clone(),
    }
}

/// A clone that nothing works with compares nothing, and a word for it without one is a mistake.
fn clone_is_used(args: &AbArgs) -> Result<()> {
    let options = [&args.with_a, &args.with_b].into_iter().flatten().flat_map(|words| &words.0);
    let mut words = args.measurement.iter().chain(options);
    let in_options = words.any(|word| word.contains(CLONE_PLACEHOLDER));
    // A script that a command runs finds it in its environment.
    let commands = [&args.a, &args.b, &args.after].into_iter().flatten().count();
    let used = in_options || args.clone.is_some() && commands > 0;
    if args.clone.as_ref().is_some_and(|folder| folder.to_str().is_none()) {
        return Err(Failure::hinted(
            "--clone: the path is no text (UTF-8)".to_string(),
            "name it by a link, or rename it",
        ));
    }
    match (&args.clone, used) {
        (Some(folder), false) => Err(Failure::hinted(
            format!("--clone {}: nothing works with the clone", folder.display()),
            format!(
                "its path is {CLONE_PLACEHOLDER} in options, and ${CLONE_VARIABLE} in --a, --b, --after and --restore"
            ),
        )),
        (None, true) => Err(Failure::hinted(
            "a clone is named, and there is none".to_string(),
            "--clone DIR makes one of DIR for each run",
        )),
        _ => Ok(()),
    }
}

fn asked(args: &AbArgs) -> Result<Experiment> {
    if args.measurement.is_empty() {
        let stored = stored_experiment(&args.name)?;
        if let Some(option) = of_the_beginning(args) {
            return Err(Failure::hinted(
                format!("{option} is said where an experiment begins"),
                format!(
                    "repeat the whole command, with what is measured behind --: narrows {}",
                    stored.setup.measurement.join(" ")
                ),
            ));
        }
        return Ok(Experiment { goal: goal(args, &stored.goal), ..stored });
    }
    let first = args.measurement[0].as_str();
    if !MEASURES.contains(&first) {
        return Err(Failure::hinted(
            format!("`{first}` is no command that measures"),
            format!(
                "name one of {}: narrows ab {} … -- db update --quick",
                MEASURES.join(", "),
                args.name
            ),
        ));
    }
    let options = |words: &Option<Words>| words.as_ref().map_or(Vec::new(), |w| w.0.clone());
    let (with_a, with_b) = (options(&args.with_a), options(&args.with_b));
    let all = args.measurement.iter().chain(&with_a).chain(&with_b);
    let named = |word: &&String| NOT_THERE.contains(&word.split('=').next().unwrap_or_default());
    if let Some(word) = all.into_iter().find(named) {
        return Err(Failure::hinted(
            format!("{word} is not for the runs of an experiment"),
            "the result has its own --format; runs are kept where narrows list shows them",
        ));
    }
    clone_is_used(args)?;
    let setup = Setup {
        a: SideSetup { command: args.a.clone(), options: with_a },
        b: SideSetup { command: args.b.clone(), options: with_b },
        restore: args.restore.clone(),
        after: args.after.clone(),
        clone: args.clone.as_ref().map(std::path::absolute).transpose()?,
        measurement: args.measurement.clone(),
        seed: args.seed.unwrap_or_else(narrows_runner::request::new_seed),
    };
    let usual = Goal { pairs: None, find: FIND, within_s: WITHIN_S, measure: Vec::new() };
    let goal = goal(args, &usual);
    Ok(Experiment {
        name: args.name.clone(),
        setup,
        goal,
        pairs: None,
        steps: Vec::new(),
        looks: Some(Vec::new()),
    })
}
