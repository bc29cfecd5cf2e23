//! Costs of descriptions: the write-ups' cases, each part of a description, and what is refused.

mod caps;
mod cases;
mod described;
mod pays;
mod refused;
mod sized;

use narrows_cost::{CostAnswer, Day, Measured, Question, Rules, WhatIf, cost};
use narrows_plan::PlanError;

/// What a description without a platform costs.
pub fn reckoned(text: &str) -> Result<CostAnswer, PlanError> {
    with(text, &[], None)
}

/// The same with figures taken instead of given ones, and with what a run measured.
pub fn with(
    text: &str,
    what_if: &[WhatIf],
    measured: Option<&Measured>,
) -> Result<CostAnswer, PlanError> {
    let rules = Rules::shipped();
    let today = Day::new(2026, 11, 29);
    let question = Question { rules: &rules, what_if, measured, today: Some(&today) };
    cost("it.toml", text, None, question)
}
