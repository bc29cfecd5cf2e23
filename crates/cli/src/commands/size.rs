//! `narrows size`: which described platforms carry a demand as it grows, and what each costs.

use anyhow::Result;
use narrows_cost::{Carries, Headroom, Question, Rules, SizeError, SizeQuestion, Sizing};
use narrows_plan::{Amount, Demand, Description};
use narrows_runner::costs::{self, Demands};
use narrows_runner::exit::Outcome;
use narrows_runner::failure::Failure;

use super::cost::{other_years, refuse_unused};
use super::description::text;
use super::limits;
use crate::args::size::SizeArgs;
use crate::{Exit, output};

/// Prints the answers.
pub fn size(args: &SizeArgs) -> Result<Exit> {
    let mut rules = Rules::shipped();
    for file in &args.rules {
        rules.extend(&file.display().to_string(), &text(file, "cost")?)?;
    }
    let table = limits::table(&args.limits)?;
    let mut platforms: Vec<(Description, String)> = Vec::new();
    for file in &args.files {
        let text = text(file, "size")?;
        platforms.push((narrows_plan::describe(&file.display().to_string(), &text, &table)?, text));
    }
    let platforms: Vec<(&Description, &str)> =
        platforms.iter().map(|(platform, text)| (platform, text.as_str())).collect();
    let demands = demands(args)?;
    let cost = Question { rules: &rules, what_if: &args.what_if, measured: None };
    let mut sizings: Vec<Sizing> = Vec::new();
    for demand in &demands.demands {
        let demand = &asked(args, demand);
        let headroom = headroom(args, &demands, demand);
        let question = SizeQuestion {
            growth: (1.0 + args.growth).powf(args.years),
            headroom: headroom.as_ref(),
            core_ratio: args.core_ratio,
            cost,
        };
        sizings.push(narrows_cost::size(&platforms, demand, question).map_err(refused)?);
    }
    let costs = sizings.iter().flat_map(|sizing| &sizing.platforms);
    let costs: Vec<_> = costs.filter_map(|platform| platform.cost.clone()).collect();
    refuse_unused(&args.what_if, &costs)?;
    let document = narrows_report::sizings(&sizings, &demands.from, &demands.notes);
    output::document(&document, args.format)?;
    let open = [Carries::Unknown, Carries::HeadroomUnknown];
    let answered = |sizing: &Sizing| sizing.platforms.iter().all(|p| !open.contains(&p.carries));
    Ok(Outcome::answered(sizings.iter().all(answered)).exit())
}

/// The demand with the rate that is needed, where one is given.
fn asked(args: &SizeArgs, demand: &Demand) -> Demand {
    let rate_per_s = args.rate.map_or(demand.rate_per_s, Amount::exact);
    Demand { rate_per_s, ..demand.clone() }
}

/// Those of the run, or the one of the file.
fn demands(args: &SizeArgs) -> Result<Demands> {
    if let Some(file) = &args.given {
        let demand = narrows_cost::given_demand(&file.display().to_string(), &text(file, "size")?)?;
        let from = format!("{}, given", file.display());
        return Ok(Demands {
            from,
            demands: vec![demand],
            headrooms: Vec::new(),
            notes: Vec::new(),
        });
    }
    let run = args.demand.as_deref().unwrap_or_default();
    let mut demands = costs::demands(run)?;
    if let Some(only) = &args.only {
        let names: Vec<String> = demands.demands.iter().map(|demand| demand.name.clone()).collect();
        demands.demands.retain(|demand| demand.name == *only);
        if demands.demands.is_empty() {
            let hint = format!("it has {}", names.join(", "));
            return Err(Failure::hinted(format!("--only: the run has no workload `{only}`"), hint));
        }
    }
    Ok(demands)
}

fn headroom(args: &SizeArgs, demands: &Demands, demand: &Demand) -> Option<Headroom> {
    if let Some(share) = args.headroom {
        return Some(Headroom { share, of_cpus: false, from: "--headroom".to_string() });
    }
    let measured = demands.headrooms.iter().find(|(workload, _)| *workload == demand.name);
    measured.map(|(_, headroom)| headroom.clone())
}

fn refused(error: SizeError) -> anyhow::Error {
    match error {
        SizeError::Cost(error) => error.into(),
        SizeError::Years(why) => other_years(why),
        SizeError::Fit { .. } => Failure::hinted(
            error.to_string(),
            "add a [[database]] with at = \"MACHINE\" and data = \"DRIVES\", and [[link]]s on the way to its data",
        ),
    }
}
