//! Plans side by side, in every output.

mod casebook;
mod csv;
mod fits;
mod fits_csv;
mod fits_markdown;
mod fits_rows;
mod fits_text;
mod lines;
mod markdown;
mod rows;
mod text;

pub use casebook::{arithmetic as arithmetic_page, case as case_page, figures as figures_page};
pub use csv::csv;
pub use fits::{Migration, fits_json};
pub use fits_csv::fits_csv;
pub use fits_markdown::fits_markdown;
pub use fits_rows::{FitRow, demand_rows, fits_rows};
pub use fits_text::fits_text;
pub use markdown::markdown;
pub use rows::{Row, binds, compared, widening};
pub use text::text;

use crate::answer::Plan;

/// All plans as one JSON array; keys end in their units.
pub fn json(plans: &[Plan]) -> String {
    // Plain structures of numbers and text always have a JSON form.
    let document = serde_json::to_string_pretty(plans).unwrap_or_default() + "\n";
    narrows_units::shown_json(&document).into_owned()
}
