//! Published measurements beside what a description allows: the project's casebook.
//!
//! Three files. The casebook has rows, each a published figure beside a description. The arithmetic has what follows
//! from published figures alone, or from the table of limits. The list of figures has every one that the publications
//! give of a platform: each is in a row or a sum, or it says why it is in none.
//!
//! A row says what was expected to bind and what share of the ceiling the published figure was expected to be; both
//! stand in the data before the model runs, so that the model can be wrong. Where it was, `outside` tells it.

pub mod arithmetic;
pub mod figures;
mod page;
mod row;
mod sum;

pub use page::{arithmetic as arithmetic_page, case as case_page, figures as figures_page};
pub use row::{Outcome, Row};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::{PlanError, Source};

/// The rows as they stand in their file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Casebook {
    /// Each platform with its rows.
    #[serde(rename = "case")]
    pub cases: Vec<Case>,
}

/// One platform.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// A heading.
    pub title: String,
    /// The description's file, beside the book.
    pub platform: String,
    /// Who published the figures.
    pub source: String,
    /// What the case asks.
    pub question: String,
    /// What the publication itself marks as the bottleneck.
    pub mark: Option<String>,
    /// The published figures.
    #[serde(rename = "row")]
    pub rows: Vec<Row>,
}

/// Reads the rows.
///
/// # Errors
/// What is wrong with them, by line.
pub fn read(file: &str, text: &str) -> Result<Casebook, PlanError> {
    parse(file, text)
}

fn parse<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, PlanError> {
    let source = Source { file, text };
    toml::from_str(text).map_err(|error| {
        let at = error.span().unwrap_or(0..0);
        source.error(&at, "the casebook", error.message(), "compare it with the entries before")
    })
}

/// What of an expectation did not hold although nothing tells it, or is told although it held.
fn untold(broken: Vec<String>, outside: Option<&str>) -> Vec<String> {
    match (broken.is_empty(), outside) {
        (true, Some(_)) => vec!["is told as outside, and is where it was expected".to_string()],
        (false, Some(_)) => Vec::new(),
        _ => broken,
    }
}
