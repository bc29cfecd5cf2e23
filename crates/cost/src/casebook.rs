//! Published figures about money beside what the sheets make of them.
//!
//! A row says how far published over reckoned was expected to be, before the sums ran; where it isn't, `outside` tells why.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;

use narrows_plan::{PlanError, Source};

use crate::answer::{Compared, CostAnswer, compared};
use crate::sheet::number;

/// All cases.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostCases {
    /// Each question with its files and rows.
    #[serde(rename = "case")]
    pub cases: Vec<CostCase>,
}

/// One question.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostCase {
    /// A heading.
    pub title: String,
    /// Who published the figures.
    pub source: String,
    /// What is asked.
    pub question: String,
    /// Descriptions, beside the book.
    pub files: Vec<String>,
    /// The published figures.
    #[serde(rename = "row")]
    pub rows: Vec<CostRow>,
}

/// A published figure.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostRow {
    /// The description that it is of.
    pub file: Option<String>,
    /// The line there.
    pub key: Option<String>,
    /// With these: the line over that one, less one, in per cent.
    pub over_file: Option<String>,
    /// The line that it is over.
    pub over_key: Option<String>,
    /// A line that the first two descriptions are compared by.
    pub compared: Option<String>,
    /// Which way round.
    pub side: Option<Side>,
    /// As published; shares in per cent.
    pub published: f64,
    /// Published over reckoned, as expected.
    pub within: [f64; 2],
    /// Why it is not within.
    pub outside: Option<String>,
    /// What it tells.
    pub why: Option<String>,
}

/// Which way round two descriptions are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The second over the first.
    Ratio,
    /// The first over the second.
    Inverse,
    /// How much more the second is, per cent of the first.
    SecondOverFirst,
    /// How much more the first is, per cent of the second.
    FirstOverSecond,
}

/// Reads the cases.
///
/// # Errors
/// What is wrong with them, by line.
pub fn read(file: &str, text: &str) -> Result<CostCases, PlanError> {
    let source = Source { file, text };
    toml::from_str(text).map_err(|error| {
        let at = error.span().unwrap_or(0..0);
        source.error(&at, "the cases", error.message(), "compare it with the entries before")
    })
}

/// A row beside what was reckoned.
#[derive(Debug, Clone, PartialEq)]
pub struct CostOutcome {
    /// What it is of.
    pub what: String,
    /// As published.
    pub published: f64,
    /// As reckoned.
    pub reckoned: f64,
    /// What it counts.
    pub unit: String,
    /// Whether published over reckoned is where it was expected.
    pub within: bool,
    /// What is told of it.
    pub told: String,
}

impl CostCase {
    /// Its rows beside what the answers say; the answers by file.
    ///
    /// # Errors
    /// A row that names what isn't there, and one that is or isn't within against what it tells.
    pub fn outcomes(
        &self,
        answers: &BTreeMap<String, CostAnswer>,
    ) -> Result<Vec<CostOutcome>, String> {
        self.rows.iter().map(|row| self.outcome(row, answers)).collect()
    }

    fn outcome(
        &self,
        row: &CostRow,
        answers: &BTreeMap<String, CostAnswer>,
    ) -> Result<CostOutcome, String> {
        let answer = |file: &str| self::answer(answers, file);
        let (what, reckoned, unit) = match (&row.file, &row.key, &row.compared, row.side) {
            (Some(file), Some(key), None, None) => {
                let answer = answer(file)?;
                let value = |answer: &CostAnswer, key: &str| {
                    answer.value(key).ok_or_else(|| format!("{}: {key} is unknown", answer.file))
                };
                let line = answer.line(key).ok_or_else(|| format!("{file} has no line {key}"))?;
                let title = format!("{}, {}", line.title, answer.name);
                match (&row.over_file, &row.over_key) {
                    (Some(over_file), Some(over_key)) => {
                        let over = self::answer(answers, over_file)?;
                        let share = value(answer, key)? / value(over, over_key)? - 1.0;
                        (format!("{title} over {}", over.name), 100.0 * share, "% more".to_string())
                    }
                    _ => (title, value(answer, key)?, line.unit.clone()),
                }
            }
            (None, None, Some(key), Some(side)) => {
                let [first, second, ..] = self.files.as_slice() else {
                    return Err(format!("{}: two files are compared", self.title));
                };
                let (first, second) = (answer(first)?, answer(second)?);
                let all = compared(first, second);
                let found = all.iter().find(|line| line.key == *key);
                let found =
                    found.ok_or_else(|| format!("{}: {key} is not compared", self.title))?;
                let (names, value, unit) = sided(side, found, [&first.name, &second.name]);
                (format!("{}, {names}", found.title), value, unit)
            }
            _ => {
                return Err(format!(
                    "{}: a row has file and key, or compared and side",
                    self.title
                ));
            }
        };
        let share = row.published / reckoned;
        let within = (row.within[0]..=row.within[1]).contains(&share);
        if within == row.outside.is_some() {
            let told =
                if within { "is within, and is told as outside" } else { "is outside, untold" };
            return Err(format!("{what}: {} beside {reckoned}: {told}", row.published));
        }
        let told = row.outside.as_ref().or(row.why.as_ref()).cloned().unwrap_or_default();
        Ok(CostOutcome { what, published: row.published, reckoned, unit, within, told })
    }
}

fn answer<'a>(
    answers: &'a BTreeMap<String, CostAnswer>,
    file: &str,
) -> Result<&'a CostAnswer, String> {
    answers.get(file).ok_or_else(|| format!("{file} was not read"))
}

fn sided(side: Side, found: &Compared, [first, second]: [&str; 2]) -> (String, f64, String) {
    let percent = || "% more".to_string();
    match side {
        Side::Ratio => (format!("{second} over {first}"), found.ratio, "times".to_string()),
        Side::Inverse => (format!("{first} over {second}"), 1.0 / found.ratio, "times".to_string()),
        Side::SecondOverFirst => {
            (format!("{second} over {first}"), 100.0 * found.second_over_first, percent())
        }
        Side::FirstOverSecond => {
            (format!("{first} over {second}"), 100.0 * found.first_over_second, percent())
        }
    }
}

/// One case as a part of a page.
pub fn page(case: &CostCase, outcomes: &[CostOutcome]) -> String {
    let mut text = format!("### {}\n\n{} ({}.)\n\n", case.title, case.question, case.source);
    let files: Vec<String> =
        case.files.iter().map(|file| format!("`cases/costs/{file}`")).collect();
    let _ = writeln!(text, "Descriptions: {}.\n", files.join(", "));
    text += "| | published, or by hand where it says so | reckoned | | |\n| --- | ---: | ---: | --- | --- |\n";
    for outcome in outcomes {
        let CostOutcome { what, published, reckoned, unit, within, told } = outcome;
        let mark = if *within { "" } else { "**outside.** " };
        let [published, reckoned] = [number(*published), number(*reckoned)];
        let _ = writeln!(text, "| {what} | {published} | {reckoned} | {unit} | {mark}{told} |");
    }
    text
}
