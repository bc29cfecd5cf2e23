//! A number with its doubt and its source.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How much a source is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// A standard says so, or arithmetic on what a standard says.
    Specification,
    /// The maker says so.
    Vendor,
    /// Somebody measured it and published how.
    MeasuredByOthers,
    /// Concluded from other figures, or told without a primary source: check before relying on it.
    Inferred,
}

impl Grade {
    /// As it stands in the data.
    pub fn name(self) -> &'static str {
        match self {
            Grade::Specification => "specification",
            Grade::Vendor => "vendor",
            Grade::MeasuredByOthers => "measured_by_others",
            Grade::Inferred => "inferred",
        }
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name().replace('_', " "))
    }
}

/// A figure from `low` to `high`, both the same where the source gives one number. Positive and finite; the unit is
/// that of the field it stands in.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// The smallest that the source gives.
    pub low: f64,
    /// The largest.
    pub high: f64,
    /// Where it comes from.
    pub source: String,
    /// What that is worth.
    pub grade: Grade,
}

impl Figure {
    /// One number.
    pub fn exact(value: f64, source: impl Into<String>, grade: Grade) -> Self {
        Figure { low: value, high: value, source: source.into(), grade }
    }

    /// The middle of the range: what to reckon with where one number is needed.
    pub fn middle(&self) -> f64 {
        f64::midpoint(self.low, self.high)
    }

    /// Whether the source gives one number.
    pub fn is_exact(&self) -> bool {
        self.low == self.high
    }

    /// The same source on a scaled range.
    pub(crate) fn times(&self, factor: f64) -> Self {
        Figure { low: self.low * factor, high: self.high * factor, ..self.clone() }
    }
}
