//! The tableau of the simplex method: pivots, the two phases, Bland's rule.

use super::programme::{LinearCondition, ProgrammeError, Relation};

/// What counts as zero among scaled coefficients.
const ZERO: f64 = 1e-9;

/// Ratios that differ by less, relatively, are the same: only the rounding of the last digits, since taking a larger
/// one leaves an unknown below zero, and a small pivot later would make that visible.
const SAME: f64 = 1e-14;

/// What may be left of the artificial unknowns in a feasible programme, relative to the largest bound.
const FEASIBLE: f64 = 1e-8;

/// How a phase ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Nothing improves it.
    Best,
    /// It grows without end.
    Unbounded,
}

/// Rows in canonical form: each has one basic unknown with coefficient 1 that no other row has.
pub(super) struct Tableau {
    /// Coefficients, the right-hand side last.
    rows: Vec<Vec<f64>>,
    basis: Vec<usize>,
    /// Unknowns and slacks; artificial ones stand behind them.
    real: usize,
    all: usize,
}

impl Tableau {
    /// Adds slack unknowns, and artificial ones where a row has no basic unknown of its own.
    pub(super) fn new(unknowns: usize, conditions: &[LinearCondition]) -> Tableau {
        let slacks = conditions.iter().filter(|row| row.relation != Relation::Exactly).count();
        let real = unknowns + slacks;
        let mut slack = unknowns;
        let mut rows = Vec::new();
        let mut basis = Vec::new();
        let mut artificial = Vec::new();
        for (index, condition) in conditions.iter().enumerate() {
            let sign = if condition.bound < 0.0 { -1.0 } else { 1.0 };
            let mut row = vec![0.0; real + 1];
            for (cell, a) in row.iter_mut().zip(&condition.coefficients) {
                *cell = sign * a;
            }
            row[real] = sign * condition.bound;
            let own = match condition.relation {
                Relation::AtMost => Some(sign),
                Relation::AtLeast => Some(-sign),
                Relation::Exactly => None,
            };
            if let Some(own) = own {
                row[slack] = own;
                slack += 1;
            }
            if own == Some(1.0) {
                basis.push(slack - 1);
            } else {
                basis.push(real + artificial.len());
                artificial.push(index);
            }
            rows.push(row);
        }
        let all = real + artificial.len();
        for (index, row) in rows.iter_mut().enumerate() {
            let bound = row.pop().unwrap_or_default();
            row.extend(artificial.iter().map(|of| f64::from(u8::from(*of == index))));
            row.push(bound);
        }
        Tableau { rows, basis, real, all }
    }

    pub(super) fn has_artificial(&self) -> bool {
        self.all > self.real
    }

    /// The first phase: brings the artificial unknowns to zero and out of the basis.
    pub(super) fn forbid_artificial(&mut self) -> Result<(), ProgrammeError> {
        let mut objective = vec![0.0; self.all];
        objective[self.real..].fill(-1.0);
        self.phase(&objective, self.all)?;
        let held = self.basis.iter().zip(&self.rows).filter(|(basic, _)| **basic >= self.real);
        if held.map(|(_, row)| row[self.all]).sum::<f64>() > FEASIBLE {
            return Err(ProgrammeError::Infeasible);
        }
        for index in (0..self.rows.len()).rev() {
            if self.basis[index] < self.real {
                continue;
            }
            // What is left there is rounding; a small pivot would make it large.
            self.rows[index][self.all] = 0.0;
            let size = |j: &usize| self.rows[index][*j].abs();
            let column = (0..self.real).max_by(|a, b| size(a).total_cmp(&size(b)));
            match column.filter(|j| size(j) > ZERO) {
                Some(column) => self.pivot(index, column),
                // The row says nothing that others don't say.
                None => {
                    self.rows.remove(index);
                    self.basis.remove(index);
                }
            }
        }
        Ok(())
    }

    /// The second phase.
    pub(super) fn maximise(&mut self, objective: &[f64]) -> Result<End, ProgrammeError> {
        let mut padded = objective.to_vec();
        padded.resize(self.all, 0.0);
        self.phase(&padded, self.real)
    }

    /// The first unknowns' values.
    pub(super) fn values(&self, count: usize) -> Vec<f64> {
        let mut values = vec![0.0; count];
        for (basic, row) in self.basis.iter().zip(&self.rows) {
            if *basic < count {
                values[*basic] = row[self.all];
            }
        }
        values
    }

    /// Pivots until nothing among the first `allowed` unknowns improves the objective.
    fn phase(&mut self, objective: &[f64], allowed: usize) -> Result<End, ProgrammeError> {
        // Bland's rule ends; rounding could break it, so there is a bound far above what is needed.
        let most = 200 * (self.rows.len() + self.all + 10);
        for _ in 0..most {
            let entering = (0..allowed).find(|j| self.gain(objective, *j) > ZERO);
            let Some(entering) = entering else { return Ok(End::Best) };
            let Some(leaving) = self.leaving(entering) else { return Ok(End::Unbounded) };
            self.pivot(leaving, entering);
        }
        Err(ProgrammeError::Stuck(most))
    }

    /// What one unit of an unknown adds to the objective.
    fn gain(&self, objective: &[f64], column: usize) -> f64 {
        let given: f64 =
            self.basis.iter().zip(&self.rows).map(|(b, row)| objective[*b] * row[column]).sum();
        objective[column] - given
    }

    /// The row that allows least; of equals the one with the first unknown.
    fn leaving(&self, column: usize) -> Option<usize> {
        let mut best: Option<(usize, f64)> = None;
        for (index, row) in self.rows.iter().enumerate() {
            if row[column] <= ZERO {
                continue;
            }
            let ratio = row[self.all].max(0.0) / row[column];
            let better = best.is_none_or(|(other, least)| {
                ratio < least - SAME * least.abs()
                    || (ratio <= least && self.basis[index] < self.basis[other])
            });
            if better {
                best = Some((index, ratio));
            }
        }
        best.map(|(index, _)| index)
    }

    fn pivot(&mut self, at: usize, column: usize) {
        let factor = self.rows[at][column];
        for cell in &mut self.rows[at] {
            *cell /= factor;
        }
        let own = self.rows[at].clone();
        for (index, row) in self.rows.iter_mut().enumerate() {
            let factor = row[column];
            if index != at && factor != 0.0 {
                for (cell, pivot) in row.iter_mut().zip(&own) {
                    *cell -= factor * pivot;
                }
            }
        }
        self.basis[at] = column;
    }
}
