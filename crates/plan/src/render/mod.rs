//! Plans side by side, in every output.

mod casebook;
mod csv;
mod fits;
mod lines;
mod markdown;
mod rows;
mod text;

pub use casebook::{arithmetic as arithmetic_page, case as case_page, figures as figures_page};
pub use csv::csv;
pub use fits::{fits_csv, fits_json, fits_markdown, fits_table};
pub use markdown::markdown;
pub use text::text;

use crate::answer::Plan;

/// All plans as one JSON array; keys end in their units.
pub fn json(plans: &[Plan]) -> String {
    // Plain structures of numbers and text always have a JSON form.
    serde_json::to_string_pretty(plans).unwrap_or_default() + "\n"
}
