//! The sheet of a forecast, and what is taken out of it.

use narrows_cost::{CostLine, Expr, Given, Group, Sheet};

/// Microseconds of a second.
pub(crate) const US: f64 = 1e6;

/// Numbered lines.
pub(crate) struct Lines(Sheet);

impl Lines {
    pub fn new() -> Lines {
        Lines(Sheet::new(&[]))
    }

    pub fn given(&mut self, key: &str, title: &str, unit: &str, given: &Given) -> Expr {
        self.0.given((Group::Tier, key), title, unit, given.clone())
    }

    pub fn computed(&mut self, key: &str, title: &str, unit: &str, expr: Expr) -> Expr {
        self.0.computed((Group::Tier, key), title, unit, expr)
    }

    pub fn value(&self, line: &Expr) -> Option<f64> {
        self.0.value(line)
    }

    pub fn finished(self) -> Vec<CostLine> {
        self.0.finished()
    }
}

/// The line with that key.
pub(crate) fn line<'a>(lines: &'a [CostLine], key: &str) -> Option<&'a CostLine> {
    lines.iter().find(|line| line.key == key)
}

/// A line's value.
pub(crate) fn value(lines: &[CostLine], key: &str) -> Option<f64> {
    line(lines, key)?.value
}

/// How low a line may be; its value where nothing is doubted of it.
pub(crate) fn low(lines: &[CostLine], key: &str) -> Option<f64> {
    let line = line(lines, key)?;
    line.value.map(|value| line.interval.map_or(value, |[low, _]| low))
}

/// How high a line may be; `None` also where nothing bounds it.
pub(crate) fn high(lines: &[CostLine], key: &str) -> Option<f64> {
    let line = line(lines, key).filter(|line| !line.unbounded)?;
    line.value.map(|value| line.interval.map_or(value, |[_, high]| high))
}

/// A figure's value.
pub(crate) fn of(given: &Given) -> Option<f64> {
    given.value.map(|range| range.value)
}
