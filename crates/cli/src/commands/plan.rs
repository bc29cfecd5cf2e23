//! `narrows plan`: what described platforms could do, side by side.

use anyhow::Result;
use narrows_plan::{Description, Fit, Plan, Question};
use narrows_runner::demand::{migration, no_way};
use narrows_runner::exit::Outcome;

use super::description::text;
use super::limits;
use crate::args::plan::PlanArgs;
use crate::{Exit, output};

/// Prints the answers.
pub fn plan(args: &PlanArgs) -> Result<Exit> {
    let table = limits::table(&args.limits)?;
    let mut platforms = Vec::new();
    for file in &args.files {
        platforms.push(narrows_plan::describe(
            &file.display().to_string(),
            &text(file, "plan")?,
            &table,
        )?);
    }
    match &args.demand {
        Some(run) => fits(args, &platforms, run),
        None => ceilings(args, &platforms),
    }
}

fn ceilings(args: &PlanArgs, platforms: &[Description]) -> Result<Exit> {
    let question = Question { block_bytes: args.block.0, table_bytes: args.table.0 };
    let mut plans: Vec<Plan> = Vec::new();
    for platform in platforms {
        plans.push(narrows_plan::plan(platform, question).map_err(|e| no_way(platform, &e))?);
    }
    output::document(&narrows_report::plans(&plans), args.format)?;
    let answered = plans.iter().all(|plan| !plan.works.is_empty());
    Ok(Outcome::answered(answered).exit())
}

/// Whether what a run took fits there.
fn fits(args: &PlanArgs, platforms: &[Description], run: &str) -> Result<Exit> {
    let migration = migration(run, platforms, args.core_ratio)?;
    let each = migration.demands.len().max(1);
    let drawn = platforms.iter().zip(migration.fits.chunks(each));
    let drawn = drawn.map(|(of, fits)| narrows_plan::drawn_for(of, fits));
    let document = narrows_report::fits(&migration, &drawn.collect::<Vec<_>>());
    output::document(&document, args.format)?;
    let answered = |fit: &Fit| fit.ceiling_per_s.is_some() || !fit.terms().is_empty();
    Ok(Outcome::answered(migration.fits.iter().all(answered)).exit())
}
