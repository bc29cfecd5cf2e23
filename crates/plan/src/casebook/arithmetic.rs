//! What follows from published figures by a sum, or stands in the table of limits.

use narrows_limits::table::{Dimension, Table, parse_quantity};
use serde::Deserialize;

use super::{parse, sum, untold};
use crate::error::PlanError;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arithmetic {
    /// Sums.
    #[serde(rename = "sum")]
    pub sums: Vec<Sum>,
    /// Published tables of links and memory.
    #[serde(rename = "table")]
    pub tables: Vec<Published>,
}

/// A figure that follows from others.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sum {
    /// Which figures of the list it answers.
    pub figures: Vec<String>,
    /// What it is of.
    pub what: String,
    /// The sum, in the unit of the published figure.
    pub by: String,
    /// The published figure.
    pub published: f64,
    /// Its unit; empty for a bare number.
    #[serde(default)]
    pub unit: String,
    /// Published over reckoned, least and most.
    pub within: [f64; 2],
    /// What it says, where that isn't plain.
    pub why: Option<String>,
    /// What is said where it is not within; absent where it is.
    pub outside: Option<String>,
}

/// A published table beside the table of limits.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Which figures of the list it answers.
    pub figures: Vec<String>,
    /// What it is of.
    pub what: String,
    /// A class and the published bandwidth in one direction.
    pub entries: Vec<(String, String)>,
    /// Published over the table's speed, least and most.
    pub within: [f64; 2],
    /// What it says.
    pub why: String,
    /// What is said where one is not within; absent where all are.
    pub outside: Option<String>,
}

/// One entry of a published table.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The class of the table of limits.
    pub class: String,
    /// As published, bytes per second.
    pub published: f64,
    /// The table's rate after the line code, what a data sheet calls the speed, bytes per second.
    pub speed: f64,
}

/// Reads the file.
///
/// # Errors
/// What is wrong with it, by line.
pub fn read(file: &str, text: &str) -> Result<Arithmetic, PlanError> {
    parse(file, text)
}

impl Sum {
    /// What the sum gives.
    ///
    /// # Errors
    /// A sum that can't be read.
    pub fn value(&self) -> Result<f64, String> {
        sum::value(&self.by)
    }

    /// What did not hold and is not told, or is told and held.
    ///
    /// # Errors
    /// A sum that can't be read.
    pub fn untold(&self) -> Result<Vec<String>, String> {
        let share = self.published / self.value()?;
        Ok(untold(broken(share, self.within).into_iter().collect(), self.outside.as_deref()))
    }
}

impl Published {
    /// Each entry beside the table.
    ///
    /// # Errors
    /// A class that isn't in the table or has no rate; a quantity that can't be read.
    pub fn run(&self, table: &Table) -> Result<Vec<Entry>, String> {
        let entry = |(class, published): &(String, String)| {
            let known = table.class(class).ok_or_else(|| format!("{class}: no such class"))?;
            let speed = known.read.encoded.as_ref().or(known.read.raw.as_ref());
            let speed = speed.ok_or_else(|| format!("{class}: no rate"))?.high;
            let (published, _) = parse_quantity(published, Dimension::Bandwidth)?;
            Ok(Entry { class: class.clone(), published, speed })
        };
        self.entries.iter().map(entry).collect()
    }

    /// What did not hold and is not told, or is told and held.
    pub fn untold(&self, entries: &[Entry]) -> Vec<String> {
        let broken = entries.iter().filter_map(|entry| {
            let broken = broken(entry.published / entry.speed, self.within)?;
            Some(format!("{}: {broken}", entry.class))
        });
        untold(broken.collect(), self.outside.as_deref())
    }
}

fn broken(share: f64, within: [f64; 2]) -> Option<String> {
    let held = (within[0]..=within[1]).contains(&share);
    (!held)
        .then(|| format!("published is {share:.4} of it, expected {} to {}", within[0], within[1]))
}
