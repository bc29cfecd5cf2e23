//! What is wrong with a description, in which line.

use std::fmt;
use std::ops::Range;

/// Why a description was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanError {
    /// The file's name, as the caller gave it.
    pub file: String,
    /// Counted from one.
    pub line: usize,
    /// The component and key: `drives data: count`.
    pub what: String,
    /// What is wrong with it.
    pub why: String,
    /// What to write instead.
    pub hint: String,
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [file, what, why, hint] =
            [&self.file, &self.what, &self.why, &self.hint].map(|text| printable(text));
        write!(f, "{file}, line {}: {what}: {why}\nhint: {hint}", self.line)
    }
}

impl std::error::Error for PlanError {}

/// The text whose places errors name.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// The file's name, as the caller gave it.
    pub file: &'a str,
    /// What stands in it.
    pub text: &'a str,
}

impl Source<'_> {
    /// What is wrong at a place of the text, counted in bytes, and what to write instead.
    pub fn error(
        self,
        at: &Range<usize>,
        what: impl Into<String>,
        why: impl Into<String>,
        hint: impl Into<String>,
    ) -> PlanError {
        let line = self.text.as_bytes().iter().take(at.start).filter(|b| **b == b'\n').count() + 1;
        PlanError {
            file: self.file.to_string(),
            line,
            what: what.into(),
            why: why.into(),
            hint: hint.into(),
        }
    }
}

/// Without what would move a terminal's cursor or fill its screen.
pub(crate) fn printable(text: &str) -> String {
    const CHARS_MAX: usize = 600;
    let mut shown: String = text
        .chars()
        .take(CHARS_MAX)
        .map(|c| if narrows_units::steers(c) { ' ' } else { c })
        .collect();
    if text.chars().nth(CHARS_MAX).is_some() {
        shown.push('…');
    }
    shown
}
