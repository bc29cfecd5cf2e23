//! Published measurements beside what a description allows: the project's casebook.
//!
//! A row says what was expected to bind and what share of the ceiling the published figure was expected to be; both
//! stand in the data before the model runs, so that the model can be wrong.

use narrows_limits::table::{Dimension, parse_quantity};
use narrows_units::Bytes;
use serde::Deserialize;
use toml::Spanned;

use crate::answer::{Plan, Question, WorkAnswer, plan};
use crate::description::Description;
use crate::error::{PlanError, Source};
use crate::work::Work;

/// The whole book as it stands in its file.
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

/// One published figure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// What was measured.
    pub what: String,
    /// The kind of work.
    pub work: Work,
    /// Bytes of a random operation; 8 KiB where absent.
    pub block: Option<Spanned<String>>,
    /// Requests in flight, where they differ from the description's.
    pub in_flight: Option<u32>,
    /// The figure with its unit.
    pub published: Spanned<String>,
    /// Components that were expected to bind.
    pub binds: Vec<String>,
    /// Published over ceiling, least and most.
    pub within: [f64; 2],
    /// Whether the figure was expected to lie above the ceiling, which then is none.
    #[serde(default)]
    pub above: bool,
    /// What the comparison says.
    pub why: String,
}

/// A row with what the model gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The published figure, operations or bytes per second.
    pub published: f64,
    /// The model's ceiling in the same unit.
    pub ceiling: f64,
    /// Where good systems end, in the same unit.
    pub expected: Option<f64>,
    /// Components that bind, the fullest first.
    pub binding: Vec<String>,
}

impl Outcome {
    /// Published over ceiling.
    pub fn share(&self) -> f64 {
        self.published / self.ceiling
    }

    /// The published figure less where good systems end (or the ceiling), as a share of that.
    pub fn residual(&self) -> f64 {
        self.published / self.expected.unwrap_or(self.ceiling) - 1.0
    }
}

/// Reads a book.
///
/// # Errors
/// What is wrong with it, by line.
pub fn read(file: &str, text: &str) -> Result<Casebook, PlanError> {
    let source = Source { file, text };
    toml::from_str(text).map_err(|error| {
        let at = error.span().unwrap_or(0..0);
        source.error(&at, "the casebook", error.message(), "compare it with the rows before")
    })
}

impl Row {
    /// Runs the model on the row's platform.
    ///
    /// # Errors
    /// A sentence that says what can't be read or reckoned.
    pub fn run(&self, platform: &Description) -> Result<Outcome, String> {
        let block_bytes: Bytes = match &self.block {
            Some(block) => block.get_ref().parse().map_err(|error| format!("block: {error}"))?,
            None => Bytes(8192),
        };
        let platform = match self.in_flight {
            Some(in_flight) => platform.clone().with_in_flight(in_flight),
            None => platform.clone(),
        };
        let question = Question { block_bytes: block_bytes.0, table_bytes: 1_000_000_000_000 };
        let plan: Plan = plan(&platform, question).map_err(|error| error.to_string())?;
        let answer: &WorkAnswer = plan
            .work(self.work)
            .ok_or_else(|| format!("{}: nothing limits it", self.work.title()))?;
        let (dimension, unit) = if self.work.is_random() {
            (Dimension::Operations, 1.0)
        } else {
            (Dimension::Bandwidth, answer.operation_bytes as f64)
        };
        let (published, _) = parse_quantity(self.published.get_ref(), dimension)?;
        let mut binding: Vec<String> = Vec::new();
        for bound in &answer.binding {
            if !binding.contains(&bound.component) {
                binding.push(bound.component.clone());
            }
        }
        Ok(Outcome {
            published,
            ceiling: answer.ceiling_per_s * unit,
            expected: answer.expected_per_s.map(|rate| rate * unit),
            binding,
        })
    }

    /// What of the expectation did not hold; empty where all did.
    pub fn broken(&self, outcome: &Outcome) -> Vec<String> {
        let mut broken = Vec::new();
        let share = outcome.share();
        if !(self.within[0]..=self.within[1]).contains(&share) {
            broken.push(format!(
                "published is {share:.3} of the ceiling, expected {} to {}",
                self.within[0], self.within[1]
            ));
        }
        if self.above != (share > 1.05) {
            broken.push(format!("published is {share:.3} of the ceiling; above = {}", self.above));
        }
        if outcome.binding != self.binds {
            broken.push(format!("{:?} binds, expected {:?}", outcome.binding, self.binds));
        }
        broken
    }
}
