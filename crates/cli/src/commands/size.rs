//! `narrows size`: which described platforms carry a demand as it grows, and what each costs.

use anyhow::Result;
use narrows_cost::{Carries, Headroom, HeadroomOf, Question, SizeError, SizeQuestion, Sizing};
use narrows_plan::{Amount, Demand, Description};
use narrows_runner::costs::{self, Curves, Demands};
use narrows_runner::exit::Outcome;
use narrows_runner::failure::Failure;

use super::cost::{other_years, refuse_unused, rules, today};
use super::description::text;
use super::limits;
use crate::args::size::SizeArgs;
use crate::{Exit, output};

/// Prints the answers.
pub fn size(args: &SizeArgs) -> Result<Exit> {
    let today = today();
    let rules = rules(&args.rules, &today)?;
    let table = limits::table(&args.limits)?;
    let mut platforms: Vec<(Description, String)> = Vec::new();
    for file in &args.files {
        let text = text(file, "size")?;
        platforms.push((narrows_plan::describe(&file.display().to_string(), &text, &table)?, text));
    }
    let platforms: Vec<(&Description, &str)> =
        platforms.iter().map(|(platform, text)| (platform, text.as_str())).collect();
    let demands = demands(args)?;
    let curves: Vec<Curves> = args
        .calibration
        .iter()
        .map(|run| costs::curves(run, args.p99.map(|limit| limit.0)))
        .collect::<Result<_>>()?;
    let cost =
        Question { rules: &rules, what_if: &args.what_if, measured: None, today: Some(&today) };
    let mut sizings: Vec<Sizing> = Vec::new();
    for demand in &demands.demands {
        let demand = &asked(args, demand);
        let headroom = headroom(args, &demands, &curves, demand);
        let question = SizeQuestion {
            growth: (1.0 + args.growth).powf(args.years),
            growth_per_year: args.growth,
            headroom: &headroom,
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
            curves: Curves::default(),
            notes: Vec::new(),
        });
    }
    let run = args.demand.as_deref().unwrap_or_default();
    let mut demands = costs::demands(run, args.p99.map(|limit| limit.0))?;
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

/// What is given for all, or what curves say of CPUs and of drives: those of the demand's run before those of others.
fn headroom(
    args: &SizeArgs,
    demands: &Demands,
    others: &[Curves],
    demand: &Demand,
) -> Vec<Headroom> {
    if let Some(share) = args.headroom {
        let from = "--headroom".to_string();
        return vec![Headroom { share, half: None, of: HeadroomOf::All, from }];
    }
    let all = || std::iter::once(&demands.curves).chain(others);
    let of_cpus = all().find_map(|curves| {
        let own = curves.cpus.iter().find(|(workload, _)| *workload == demand.name);
        // No run has a workload of the name of a demand from elsewhere, or of a server that was observed: the only one of a run stands in.
        let elsewhere = args.given.is_some() || demand.observed;
        let only = || curves.cpus.first().filter(|_| elsewhere && curves.cpus.len() == 1);
        own.or_else(only).map(|(_, headroom)| headroom.clone())
    });
    let of_drives = all().find_map(|curves| curves.drives.clone());
    of_cpus.into_iter().chain(of_drives).collect()
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
