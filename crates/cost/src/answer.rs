//! What comes out for one description, and several beside each other.

use serde::Serialize;

use crate::reckon::Reckoned;
use crate::sheet::{CostLine, Move};

/// Figures that are told as moving the answer most.
const TOLD_MOVES: usize = 3;

/// One description's costs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CostAnswer {
    /// The description's name.
    pub name: String,
    /// The file it stands in.
    pub file: String,
    /// What its writer says of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What prices count.
    pub currency: String,
    /// All lines, each computed from those above it.
    pub lines: Vec<CostLine>,
    /// Given figures that are unknown, by key: what rests on them has no value.
    pub unknown: Vec<String>,
    /// The three figures that move the total most.
    pub moves: Vec<Move>,
    /// The line whose moves are told beside the total's: cost per throughput, where there is a throughput.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<MovedLine>,
    /// Cores of a server that its products use at most; absent where they use all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_cores: Option<f64>,
    /// Threads of CPUs of a server that its products use at most, where the description doesn't say how many a core has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_threads: Option<f64>,
    /// What the answer does not contain, and remarks of the rules.
    pub notes: Vec<String>,
}

/// Another line and what moves it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MovedLine {
    /// Its title.
    pub title: String,
    /// The three figures that move it most.
    pub moves: Vec<Move>,
}

impl CostAnswer {
    pub(crate) fn of(reckoned: Reckoned) -> CostAnswer {
        let Reckoned { name, file, note, currency, sheet, total, notes, most_cores, most_threads } =
            reckoned;
        let lines = sheet.finished();
        let unknown = lines.iter().filter(|line| line.value.is_none() && line.formula.is_empty());
        let unknown = unknown.map(|line| line.key.clone()).collect();
        let told = |mut moves: Vec<Move>| {
            moves.truncate(TOLD_MOVES);
            moves
        };
        let other = lines.iter().find(|line| line.key == "work.cost").map(|line| MovedLine {
            title: line.title.clone(),
            moves: told(sheet.moves(&crate::sheet::Expr::Line(line.number - 1))),
        });
        let mut once: Vec<String> = Vec::new();
        for note in notes {
            if !once.contains(&note) {
                once.push(note);
            }
        }
        CostAnswer {
            name,
            file,
            note,
            currency,
            unknown,
            moves: told(sheet.moves(&total)),
            other,
            most_cores,
            most_threads,
            notes: once,
            lines,
        }
    }

    /// The line with that key.
    pub fn line(&self, key: &str) -> Option<&CostLine> {
        self.lines.iter().find(|line| line.key == key)
    }

    /// The value of the line with that key; `None` where it is unknown too.
    pub fn value(&self, key: &str) -> Option<f64> {
        self.line(key)?.value
    }
}

/// One line of two descriptions: which is how much larger, told both ways round.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// The line's key.
    pub key: String,
    /// Its title.
    pub title: String,
    /// The second over the first.
    pub ratio: f64,
    /// The second is so much more (or, negative, less) than the first, as a share of the first.
    pub second_over_first: f64,
    /// The first is so much more (or less) than the second, as a share of the second.
    pub first_over_second: f64,
}

/// The headline lines that both have with the same unit.
pub fn compared(first: &CostAnswer, second: &CostAnswer) -> Vec<Compared> {
    let lines = first.lines.iter().filter(|line| line.headline);
    lines
        .filter_map(|line| {
            let other = second.line(&line.key).filter(|other| other.unit == line.unit)?;
            let (a, b) = (line.value?, other.value?);
            (a > 0.0 && b > 0.0).then(|| Compared {
                key: line.key.clone(),
                title: line.title.clone(),
                ratio: b / a,
                second_over_first: b / a - 1.0,
                first_over_second: a / b - 1.0,
            })
        })
        .collect()
}

/// Why answers can't be set beside each other: they reckon different years.
///
/// # Errors
/// A sentence with the two descriptions and their years.
pub fn same_years(answers: &[CostAnswer]) -> Result<(), String> {
    let years = |answer: &CostAnswer| answer.value("years");
    let Some((first, others)) = answers.split_first() else { return Ok(()) };
    match others.iter().find(|other| years(other) != years(first)) {
        None => Ok(()),
        Some(other) => {
            let shown = |answer| years(answer).map_or("unknown".to_string(), crate::sheet::number);
            let (a, b) = (shown(first), shown(other));
            Err(format!("{} is reckoned over {a} years and {} over {b}", first.file, other.file))
        }
    }
}
