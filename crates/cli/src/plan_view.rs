//! `narrows plan`: what described platforms could do, side by side.

use std::path::Path;

use anyhow::Result;
use narrows_plan::{Description, Plan, Question};

use crate::args::plan::{PlanArgs, PlanFormat};
use crate::exit::{Exit, Outcome};
use crate::failure::Failure;
use crate::{limits, output, plan_demand};

/// Columns of the screen.
pub(crate) const WIDTH: usize = 100;

/// Prints the answers.
pub fn plan(args: &PlanArgs) -> Result<Exit> {
    let table = limits::table(&args.limits)?;
    let mut platforms = Vec::new();
    for file in &args.files {
        platforms.push(narrows_plan::describe(&file.display().to_string(), &text(file)?, &table)?);
    }
    match &args.demand {
        Some(run) => plan_demand::plan(args, &platforms, run),
        None => ceilings(args, &platforms),
    }
}

fn ceilings(args: &PlanArgs, platforms: &[Description]) -> Result<Exit> {
    let question = Question { block_bytes: args.block.0, table_bytes: args.table.0 };
    let mut plans: Vec<Plan> = Vec::new();
    for platform in platforms {
        plans.push(narrows_plan::plan(platform, question).map_err(|e| no_way(platform, &e))?);
    }
    let text = match args.format {
        PlanFormat::Text => narrows_plan::text(&plans, WIDTH),
        PlanFormat::Json => narrows_plan::json(&plans),
        PlanFormat::Csv => narrows_plan::csv(&plans),
        PlanFormat::Markdown => narrows_plan::markdown(&plans),
        PlanFormat::Html => narrows_report::plan_page(&plans),
    };
    output::print(&text)?;
    let answered = plans.iter().all(|plan| !plan.works.is_empty());
    Ok(Outcome::answered(answered).exit())
}

pub(crate) fn no_way(platform: &Description, error: &narrows_plan::FlowError) -> anyhow::Error {
    Failure::hinted(
        format!("{}: {error}", platform.file),
        "join the drives' machine and the database's with [[link]]s, over a [[switch]] without `at` if need be",
    )
}

/// A file's text, read no further than any description goes.
fn text(file: &Path) -> Result<String> {
    let failed = |reason: String| {
        let hint = "name a TOML file; `narrows plan --help` names the page on its format";
        Failure::hinted(format!("{}: {reason}", file.display()), hint)
    };
    narrows_files::read_text(file, narrows_plan::TEXT_BYTES_MAX as u64)
        .map_err(|refused| failed(refused.to_string()))
}
