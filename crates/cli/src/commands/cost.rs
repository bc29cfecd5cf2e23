//! `narrows cost`: what described platforms cost, side by side.

use std::path::PathBuf;

use anyhow::Result;
use narrows_cost::{CostAnswer, Day, Question, Rules, WhatIf};
use narrows_runner::exit::Outcome;
use narrows_runner::failure::Failure;

use super::description::text;
use super::limits;
use crate::args::cost::CostArgs;
use crate::{Exit, output};

/// Prints the answers.
pub fn cost(args: &CostArgs) -> Result<Exit> {
    let today = today();
    let rules = rules(&args.rules, &today)?;
    if args.list_rules {
        output::document(&narrows_report::licence_rules(&rules), args.format)?;
        return Ok(Outcome::answered(true).exit());
    }
    let measured = args.run.as_deref().map(narrows_runner::costs::measured).transpose()?;
    let table = limits::table(&args.limits)?;
    let question = Question {
        rules: &rules,
        what_if: &args.what_if,
        measured: measured.as_ref(),
        today: Some(&today),
    };
    let mut answers: Vec<CostAnswer> = Vec::new();
    for file in &args.files {
        let (name, text) = (file.display().to_string(), text(file, "cost")?);
        let platform = match narrows_cost::describes_a_platform(&text) {
            true => Some(narrows_plan::describe(&name, &text, &table)?),
            false => None,
        };
        answers.push(narrows_cost::cost(&name, &text, platform.as_ref(), question)?);
    }
    refuse_unused(&args.what_if, &answers)?;
    narrows_cost::same_years(&answers).map_err(other_years)?;
    output::document(&narrows_report::costs(&answers), args.format)?;
    let known = answers.iter().all(|answer| answer.value("total").is_some());
    Ok(Outcome::answered(known).exit())
}

/// The rules that come with narrows, under those of the user's files.
pub(super) fn rules(files: &[PathBuf], today: &Day) -> Result<Rules> {
    let mut rules = Rules::shipped();
    for file in files {
        rules.extend(&file.display().to_string(), &text(file, "cost")?, Some(today))?;
    }
    Ok(rules)
}

/// The day by this machine's clock, where it is the furthest: a price of today is not refused anywhere.
pub(super) fn today() -> Day {
    let (year, month, day) = narrows_runner::costs::today();
    Day::new(year, month, day)
}

/// Costs of different years stand for nothing beside each other.
pub(super) fn other_years(why: String) -> anyhow::Error {
    Failure::hinted(why, "give all the same years in [cost], or --what-if years=5")
}

/// Refuses a figure that nothing has, and one that is given twice.
pub(super) fn refuse_unused(what_if: &[WhatIf], answers: &[CostAnswer]) -> Result<()> {
    if let Some(key) = narrows_cost::twice(what_if) {
        let hint = "give each key once";
        return Err(Failure::hinted(format!("--what-if: `{key}` is given twice"), hint));
    }
    let Some((key, nearest)) = narrows_cost::unused(what_if, answers) else { return Ok(()) };
    let hint = match nearest {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => "the answer without --what-if lists the keys of its figures".to_string(),
    };
    Err(Failure::hinted(format!("--what-if: no given figure has the key `{key}`"), hint))
}
