//! `narrows compare`: runs beside runs. `narrows tag`: names for sets of runs.

use anyhow::Result;
use narrows_compare::trend::trends;
use narrows_compare::{Gate, GateOutcome, Question, RunComparison};
use narrows_runner::exit::gates_ended;
use narrows_runner::{claims, compared, tags};

use crate::args::compare::{CheckClaimsArgs, CompareArgs, TagArgs, TrendArgs};
use crate::{Exit, output};

/// Compares the other sides with the first.
pub fn compare(args: &CompareArgs) -> Result<Exit> {
    let sides = compared::load(&args.sides)?;
    let question = Question {
        margin: args.margin,
        only: args.only.clone(),
        correction: args.correct.into(),
        ..Question::default()
    };
    let found = compared::compare(&sides, &question)?;
    let gates = outcomes(&args.fail_if, &found);
    let document = narrows_report::comparison(&found, &gates, args.units.into());
    output::document(&document, args.format)?;
    Ok(exit(&gates))
}

/// Each gate for each side; of several sides the worst.
fn outcomes(gates: &[Gate], found: &RunComparison) -> Vec<(Gate, GateOutcome)> {
    let worst = |gate: &Gate| {
        let each = found.against.iter().map(|against| gate.outcome(against));
        each.max_by_key(|outcome| match outcome {
            GateOutcome::Passed => 0,
            GateOutcome::Unresolved(_) => 1,
            GateOutcome::Failed => 2,
        })
    };
    gates.iter().filter_map(|gate| Some((gate.clone(), worst(gate)?))).collect()
}

fn exit(gates: &[(Gate, GateOutcome)]) -> Exit {
    let any = |is: fn(&GateOutcome) -> bool| gates.iter().any(|(_, outcome)| is(outcome));
    let failed = any(|outcome| *outcome == GateOutcome::Failed);
    let unresolved = any(|outcome| matches!(outcome, GateOutcome::Unresolved(_)));
    gates_ended(failed, unresolved)
}

/// Checks a file of published claims.
pub fn check_claims(args: &CheckClaimsArgs) -> Result<Exit> {
    let checked = claims::checked(&args.file)?;
    let file = args.file.display().to_string();
    output::document(&narrows_report::claims(&checked, &file), args.format)?;
    Ok(Exit::Done)
}

/// Looks for changes over time.
pub fn trend(args: &TrendArgs) -> Result<Exit> {
    let (runs, machine) = compared::over_time(args.host.as_deref(), args.tag.as_deref())?;
    let (found, few) = trends(&runs.iter().collect::<Vec<_>>(), &args.only);
    let document = narrows_report::trends(&found, &few, &machine, args.units.into());
    output::document(&document, args.format)?;
    Ok(Exit::Done)
}

/// Lists tags, adds runs to one, or forgets it.
pub fn tag(args: &TagArgs) -> Result<Exit> {
    match &args.tag {
        Some(name) if args.remove => tags::remove(name)?,
        Some(name) if !args.runs.is_empty() => {
            tags::add(name, &args.runs)?;
        }
        _ => {}
    }
    let tags = tags::read()?;
    let named = args.tag.as_ref().filter(|_| !args.remove);
    let shown: Vec<(String, Vec<String>)> =
        tags.into_iter().filter(|(tag, _)| named.is_none_or(|name| name == tag)).collect();
    output::document(&narrows_report::tags(&shown), args.format)?;
    Ok(Exit::Done)
}
