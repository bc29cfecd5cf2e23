//! Every figure that the publications give of a platform: in a row, in a sum, or with the reason why in none.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::arithmetic::Arithmetic;
use super::{Casebook, parse};
use crate::error::PlanError;

/// The whole list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// In the order of the publications.
    #[serde(rename = "publication")]
    pub publications: Vec<Publication>,
}

/// One publication.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Publication {
    /// A letter, the first part of its figures' numbers.
    pub letter: String,
    /// Who published what.
    pub title: String,
    /// What it gives.
    #[serde(rename = "figure")]
    pub figures: Vec<Figure>,
}

/// One figure, or several that belong together.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// The letter and a number.
    pub id: String,
    /// What is published.
    pub gives: String,
    /// Why no row and no sum has it; absent where one does.
    pub not_modelled: Option<String>,
}

/// Reads the list.
///
/// # Errors
/// What is wrong with it, by line.
pub fn read(file: &str, text: &str) -> Result<Figures, PlanError> {
    parse(file, text)
}

/// Where each figure is answered: titles of cases, and [`ARITHMETIC`].
pub type Answered = BTreeMap<String, Vec<String>>;

/// Stands for the sums among the places.
pub const ARITHMETIC: &str = "arithmetic";

/// Where rows and sums say that they answer a figure.
pub fn answered(book: &Casebook, arithmetic: &Arithmetic) -> Answered {
    let mut answered = Answered::new();
    let mut add = |ids: &[String], place: &str| {
        for id in ids {
            let places = answered.entry(id.clone()).or_default();
            if !places.iter().any(|known| known == place) {
                places.push(place.to_string());
            }
        }
    };
    for case in &book.cases {
        for row in &case.rows {
            add(&row.figures, &case.title);
        }
    }
    for sum in &arithmetic.sums {
        add(&sum.figures, ARITHMETIC);
    }
    for table in &arithmetic.tables {
        add(&table.figures, ARITHMETIC);
    }
    answered
}

impl Figures {
    /// What is wrong with the list: a figure in no row and without a reason, or with both; a number twice or out of
    /// order; a row that names a figure which isn't there.
    pub fn gaps(&self, answered: &Answered) -> Vec<String> {
        let mut gaps = Vec::new();
        let mut known = Vec::new();
        for publication in &self.publications {
            for (index, figure) in publication.figures.iter().enumerate() {
                let expected = format!("{}{}", publication.letter, index + 1);
                if figure.id != expected {
                    gaps.push(format!("{}: its number is {expected} by its place", figure.id));
                }
                match (answered.contains_key(&figure.id), &figure.not_modelled) {
                    (false, None) => {
                        gaps.push(format!(
                            "{}: in no row, no sum, and without a reason",
                            figure.id
                        ));
                    }
                    (true, Some(_)) => {
                        gaps.push(format!(
                            "{}: in a row or sum, and said to be in none",
                            figure.id
                        ));
                    }
                    _ => {}
                }
                known.push(figure.id.as_str());
            }
        }
        let loose = answered.keys().filter(|id| !known.contains(&id.as_str()));
        gaps.extend(loose.map(|id| format!("{id}: no publication gives it")));
        gaps
    }
}
