//! A published figure beside a description's ceiling.

use narrows_limits::table::{Dimension, parse_quantity};
use narrows_units::{Bytes, BytesPerSecond, OpsPerSecond, Ratio};
use serde::Deserialize;
use toml::Spanned;

use super::untold;
use crate::answer::{Plan, Question, WorkAnswer, plan};
use crate::description::Description;
use crate::work::Work;

/// One published figure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Which figures of the list it answers.
    pub figures: Vec<String>,
    /// What was measured.
    pub what: String,
    /// The kind of work.
    pub work: Work,
    /// Bytes of a random operation; 8 KiB where absent.
    pub block: Option<Spanned<String>>,
    /// Requests in flight, where they differ from the description's.
    pub in_flight: Option<u32>,
    /// Another description: the published figure is then this platform's rate over that one's.
    pub against: Option<String>,
    /// The figure with its unit, or a plain number where it is one rate over another.
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
    /// What is said where an expectation did not hold; absent where all did.
    pub outside: Option<String>,
}

/// A row with what the model gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The published figure, operations or bytes per second, or a ratio.
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

impl Row {
    /// Runs the model on the row's platform, and on the other one where the figure is a ratio.
    ///
    /// # Errors
    /// A sentence that says what can't be read or reckoned.
    pub fn run(
        &self,
        platform: &Description,
        against: Option<&Description>,
    ) -> Result<Outcome, String> {
        let published = self.published.get_ref();
        let (ceiling, expected, binding) = self.reckon(platform)?;
        if self.against.is_none() {
            let (published, _) = parse_quantity(published, self.dimension())?;
            return Ok(Outcome { published, ceiling, expected, binding });
        }
        let other = against.ok_or("the description it is set against is missing")?;
        let (other_ceiling, other_expected, _) = self.reckon(other)?;
        let published: f64 = published
            .parse()
            .map_err(|_| format!("{published}: one rate over another is a plain number"))?;
        if !(published.is_finite() && published > 0.0) {
            return Err(format!("{published}: one rate over another is positive"));
        }
        let good = (expected.unwrap_or(ceiling), other_expected.unwrap_or(other_ceiling));
        let told = expected.is_some() || other_expected.is_some();
        Ok(Outcome {
            published,
            ceiling: ceiling / other_ceiling,
            expected: told.then_some(good.0 / good.1),
            binding,
        })
    }

    /// The ceiling, where good systems end, what binds.
    fn reckon(&self, platform: &Description) -> Result<(f64, Option<f64>, Vec<String>), String> {
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
        let unit = if self.work.is_random() { 1.0 } else { answer.operation_bytes as f64 };
        let mut binding: Vec<String> = Vec::new();
        for bound in &answer.binding {
            if !binding.contains(&bound.component) {
                binding.push(bound.component.clone());
            }
        }
        Ok((answer.ceiling_per_s * unit, answer.expected_per_s.map(|rate| rate * unit), binding))
    }

    fn dimension(&self) -> Dimension {
        if self.work.is_random() { Dimension::Operations } else { Dimension::Bandwidth }
    }

    /// A figure of this row for people.
    pub fn shown(&self, value: f64) -> String {
        match (&self.against, self.work.is_random()) {
            (Some(_), _) => format!("{value:.2} times"),
            (None, true) => OpsPerSecond(value).to_string(),
            (None, false) => BytesPerSecond(value).to_string(),
        }
    }

    /// What of the expectation did not hold; empty where all did.
    pub fn broken(&self, outcome: &Outcome) -> Vec<String> {
        let mut broken = Vec::new();
        let share = outcome.share();
        if !(self.within[0]..=self.within[1]).contains(&share) {
            broken.push(format!(
                "published is {} of the ceiling, expected {} to {}",
                Ratio(share),
                Ratio(self.within[0]),
                Ratio(self.within[1])
            ));
        }
        if self.against.is_none() && self.above != (share > 1.05) {
            let where_ = if self.above { "above the ceiling" } else { "below the ceiling" };
            broken.push(format!("published is {} of the ceiling, expected {where_}", Ratio(share)));
        }
        if outcome.binding != self.binds {
            broken.push(format!("{:?} binds, expected {:?}", outcome.binding, self.binds));
        }
        broken
    }

    /// What did not hold and is not told, or is told and held.
    pub fn untold(&self, outcome: &Outcome) -> Vec<String> {
        untold(self.broken(outcome), self.outside.as_deref())
    }
}
