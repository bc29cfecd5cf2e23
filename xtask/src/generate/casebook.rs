//! The rows of the book's casebook, between two markers; the rest of the page is written by hand.

use std::collections::BTreeMap;

use anyhow::{Context, Result, anyhow};
use narrows_cost::casebook::CostCase;
use narrows_cost::{Question, Rules};
use narrows_limits::table::Table;
use narrows_plan::casebook::{
    self, Case, arithmetic, arithmetic_page, case_page, figures, figures_page,
};
use narrows_plan::{Description, describe};
use narrows_tier_forecast::casebook::TierCase;

use super::{Generated, between_markers};

const PAGE: &str = "docs/src/casebook.md";
const CASES: &str = "cases";

pub(super) fn file() -> Result<Generated> {
    between_markers(PAGE, "cases", &cases()?)
}

fn cases() -> Result<String> {
    let book = casebook::read("casebook.toml", &read("casebook.toml")?)?;
    let sums = arithmetic::read("arithmetic.toml", &read("arithmetic.toml")?)?;
    let list = figures::read("figures.toml", &read("figures.toml")?)?;
    let mut pages = Vec::new();
    for case in &book.cases {
        pages.push(one(case).with_context(|| case.title.clone())?);
    }
    let costs = narrows_cost::casebook::read("costs.toml", &read("costs.toml")?)?;
    for case in &costs.cases {
        pages.push(cost(case).with_context(|| case.title.clone())?);
    }
    let tiers = narrows_tier_forecast::casebook::read(&read("tiers.toml")?);
    for case in &tiers.map_err(|why| anyhow!(why))?.cases {
        pages.push(tier(case).map_err(|why| anyhow!(why))?);
    }
    pages.push(arithmetic_page(&sums, Table::builtin()).map_err(|why| anyhow!(why))?);
    pages.push(figures_page(&list, &figures::answered(&book, &sums)));
    Ok(pages.join("\n"))
}

fn one(case: &Case) -> Result<String> {
    let platform = platform(&case.platform)?;
    let mut rows = Vec::new();
    for row in &case.rows {
        let against = row.against.as_deref().map(self::platform).transpose()?;
        let outcome = row.run(&platform, against.as_ref()).map_err(|why| anyhow!(why))?;
        rows.push((row, outcome));
    }
    Ok(case_page(case, &rows))
}

/// A case of costs.
fn cost(case: &CostCase) -> Result<String> {
    let rules = Rules::shipped();
    let mut answers = BTreeMap::new();
    for file in &case.files {
        let text = read(&format!("costs/{file}"))?;
        let question = Question { rules: &rules, what_if: &[], measured: None, today: None };
        answers.insert(file.clone(), narrows_cost::cost(file, &text, None, question)?);
    }
    let outcomes = case.outcomes(&answers).map_err(|why| anyhow!(why))?;
    Ok(narrows_cost::casebook::page(case, &outcomes))
}

/// A case of a tier off and on.
fn tier(case: &TierCase) -> Result<String, String> {
    Ok(narrows_tier_forecast::casebook::page(case, &case.both()?, &case.outcomes()?))
}

fn platform(file: &str) -> Result<Description> {
    Ok(describe(file, &read(file)?, Table::builtin())?)
}

fn read(file: &str) -> Result<String> {
    let path = format!("{CASES}/{file}");
    std::fs::read_to_string(crate::root().join(&path)).with_context(|| path)
}
