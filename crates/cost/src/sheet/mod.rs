//! A calculation as a sheet of numbered lines, each given or computed from lines above it, so that every sum can be redone with a pencil.
//!
//! What is not known stays unknown, and so does everything that is computed from it. A given figure may have a range; what follows from it
//! is evaluated at both ends of the range, one figure at a time, and the moves are added in quadrature: figures are taken to be
//! independent of each other.

mod closed_loop;
mod expr;
mod moves;
mod number;

pub use closed_loop::{ClosedLoop, LoopQuestion, LoopQueue, StorageQueue};
pub use expr::Expr;
pub(crate) use expr::Rounding;
pub use moves::Move;
pub use number::number;

use moves::Interval;
use serde::Serialize;

/// A figure with the range that it may lie in; both ends are the figure itself where it is taken as exact.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Range {
    /// The figure.
    pub value: f64,
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Range {
    /// Without a doubt.
    pub fn exact(value: f64) -> Self {
        Range { value, low: value, high: value }
    }

    /// A range whose figure is its middle.
    pub fn between(low: f64, high: f64) -> Self {
        Range { value: (low + high) / 2.0, low, high }
    }

    /// The same in another unit.
    pub fn times(self, factor: f64) -> Self {
        Range { value: self.value * factor, low: self.low * factor, high: self.high * factor }
    }

    /// Whether it is taken as exact.
    pub fn is_exact(self) -> bool {
        self.low == self.high
    }
}

/// What a given figure rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// A price that the description gives, with source and date.
    Price,
    /// A rule of licensing.
    Rule,
    /// Measured by a run.
    Measured,
    /// A property of the described platform.
    Described,
    /// Changed by `--what-if`.
    WhatIf,
}

/// A figure that is not computed here.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// The figure; absent where it is unknown.
    pub value: Option<Range>,
    /// What it rests on.
    pub basis: Basis,
    /// Where it comes from.
    pub source: String,
    /// When its source said so.
    pub date: Option<String>,
    /// What it may be changed to.
    pub within: (f64, f64),
}

/// What nothing is larger than.
pub(crate) const MOST: f64 = 1e12;

impl Given {
    /// A figure of that source, which nothing is going to change.
    pub fn of(value: Option<Range>, basis: Basis, source: impl Into<String>) -> Self {
        Given { value, basis, source: source.into(), date: None, within: (0.0, MOST) }
    }

    pub(crate) fn described(value: Option<Range>, within: (f64, f64)) -> Self {
        let source = "the description".to_string();
        Given { value, basis: Basis::Described, source, date: None, within }
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Origin {
    Given(Given),
    Computed(Expr),
}

/// Where a line belongs on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// What is bought and paid for.
    Cost,
    /// Licences.
    Licence,
    /// What it does, and for how much.
    Work,
    /// CPU time as money.
    Cpu,
    /// How long a page is worth its memory.
    Cache,
    /// Outages and what they cost.
    Outage,
    /// A tier in front of storage.
    Tier,
}

#[derive(Debug, Clone, PartialEq)]
struct Line {
    key: String,
    title: String,
    unit: String,
    group: Group,
    headline: bool,
    origin: Origin,
}

/// Lines, each computed from those above it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sheet {
    lines: Vec<Line>,
    what_if: Vec<WhatIf>,
    /// Figures that may not be changed to that.
    refused: Vec<String>,
}

/// A figure to be taken instead of a given one.
#[derive(Debug, Clone, PartialEq)]
pub struct WhatIf {
    /// The line's key.
    pub key: String,
    /// The figure.
    pub value: Range,
}

/// One line of a finished sheet.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CostLine {
    /// Counted from one; formulas name lines by it.
    pub number: usize,
    /// Its name for `--what-if` and programs.
    pub key: String,
    /// Its name for people.
    pub title: String,
    /// What its value counts.
    pub unit: String,
    /// Where it belongs.
    pub group: Group,
    /// Whether it stands in the comparison.
    pub headline: bool,
    /// Its value; absent where something that it rests on is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// What the ranges of the given figures make of it; absent where none has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// At an end of some figure's range it has no value: nothing bounds it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unbounded: bool,
    /// The formula with line numbers and values; empty for a given figure.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub formula: String,
    /// What a given figure rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// Where a given figure comes from.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// When its source said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Given figures that are unknown and make this one unknown, by key.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lacks: Vec<String>,
}

impl Sheet {
    /// Without a line; `what_if` has figures to be taken instead of given ones.
    pub fn new(what_if: &[WhatIf]) -> Self {
        Sheet { lines: Vec::new(), what_if: what_if.to_vec(), refused: Vec::new() }
    }

    /// Adds a given figure.
    pub fn given(
        &mut self,
        (group, key): (Group, &str),
        title: &str,
        unit: &str,
        given: Given,
    ) -> Expr {
        let changed = self.what_if.iter().find(|what_if| what_if.key == key);
        let given = match changed {
            Some(what_if) => self.changed(key, what_if.value, given),
            None => given,
        };
        self.push(key, title, unit, group, Origin::Given(given))
    }

    fn changed(&mut self, key: &str, value: Range, given: Given) -> Given {
        let (least, most) = given.within;
        if value.low < least || value.high > most {
            let shown =
                if value.is_exact() { number(value.value) } else { "its range".to_string() };
            self.refused.push(format!(
                "{key}: {shown} is not within {} and {}",
                number(least),
                number(most)
            ));
        }
        Given {
            value: Some(value),
            basis: Basis::WhatIf,
            source: match given.value {
                Some(was) => format!("--what-if; {} by {}", number(was.value), given.source),
                None => "--what-if; unknown without it".to_string(),
            },
            date: None,
            within: given.within,
        }
    }

    /// Refuses what a line was changed to.
    pub(crate) fn refuse(&mut self, why: String) {
        self.refused.push(why);
    }

    /// The first figure that may not be changed to what was asked for.
    pub fn refused(&self) -> Option<&str> {
        self.refused.first().map(String::as_str)
    }

    /// Adds a computed line.
    pub fn computed(
        &mut self,
        (group, key): (Group, &str),
        title: &str,
        unit: &str,
        expr: Expr,
    ) -> Expr {
        self.push(key, title, unit, group, Origin::Computed(expr))
    }

    /// Adds a computed line that stands in comparisons.
    pub fn headline(&mut self, place: (Group, &str), title: &str, unit: &str, expr: Expr) -> Expr {
        let line = self.computed(place, title, unit, expr);
        self.shown(&line);
        line
    }

    /// Has a line stand in comparisons.
    pub fn shown(&mut self, line: &Expr) {
        if let Expr::Line(at) = line {
            self.lines[*at].headline = true;
        }
    }

    fn push(&mut self, key: &str, title: &str, unit: &str, group: Group, origin: Origin) -> Expr {
        self.lines.push(Line {
            key: key.to_string(),
            title: title.to_string(),
            unit: unit.to_string(),
            group,
            headline: false,
            origin,
        });
        Expr::Line(self.lines.len() - 1)
    }

    /// The values of all lines, with one of the given figures at another value.
    fn values(&self, moved: Option<(usize, f64)>, rounding: Rounding) -> Vec<Option<f64>> {
        let mut values: Vec<Option<f64>> = Vec::with_capacity(self.lines.len());
        for (at, line) in self.lines.iter().enumerate() {
            let value = match (&line.origin, moved) {
                (Origin::Given(_), Some((this, value))) if this == at => Some(value),
                (Origin::Given(given), _) => given.value.map(|range| range.value),
                (Origin::Computed(expr), _) => expr.value(&values, rounding),
            };
            values.push(value);
        }
        values
    }

    /// The value of a line.
    pub fn value(&self, line: &Expr) -> Option<f64> {
        line.value(&self.values(None, Rounding::Up), Rounding::Up)
    }

    /// The value of a line with a given line at another value.
    pub fn value_with(&self, line: &Expr, given: &Expr, value: f64) -> Option<f64> {
        let Expr::Line(at) = given else { return None };
        line.value(&self.values(Some((*at, value)), Rounding::Up), Rounding::Up)
    }

    /// What a line rests on, by position of the given figures.
    fn roots(&self, at: usize) -> Vec<usize> {
        let mut roots = Vec::new();
        let mut open = vec![at];
        let mut seen = vec![false; self.lines.len()];
        while let Some(at) = open.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            match &self.lines[at].origin {
                Origin::Given(_) => roots.push(at),
                Origin::Computed(expr) => expr.lines(&mut open),
            }
        }
        roots.sort_unstable();
        roots
    }

    /// All lines as they are printed.
    pub fn finished(&self) -> Vec<CostLine> {
        let values = self.values(None, Rounding::Up);
        let intervals = self.intervals(&values);
        let lines = self.lines.iter().enumerate();
        lines.map(|(at, line)| self.line(at, line, &values, intervals[at])).collect()
    }

    fn line(&self, at: usize, line: &Line, values: &[Option<f64>], interval: Interval) -> CostLine {
        let (formula, given) = match &line.origin {
            Origin::Given(given) => (String::new(), Some(given)),
            Origin::Computed(expr) => (expr.text(values), None),
        };
        let lacks = match values[at] {
            Some(_) => Vec::new(),
            None => {
                let lacking = self.roots(at).into_iter().filter(|root| values[*root].is_none());
                lacking.map(|root| self.lines[root].key.clone()).collect()
            }
        };
        CostLine {
            number: at + 1,
            key: line.key.clone(),
            title: line.title.clone(),
            unit: line.unit.clone(),
            group: line.group,
            headline: line.headline,
            value: values[at],
            interval: interval.ends,
            unbounded: interval.unbounded,
            formula,
            basis: given.map(|given| given.basis),
            source: given.map(|given| given.source.clone()).unwrap_or_default(),
            date: given.and_then(|given| given.date.clone()),
            lacks,
        }
    }
}

#[cfg(test)]
mod tests;
