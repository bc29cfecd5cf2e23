//! A small dense linear programme: the most of a sum of non-negative unknowns under linear conditions.
//!
//! The two-phase simplex method with Bland's rule, which cannot cycle (R. G. Bland, New finite pivoting rules for
//! the simplex method, 1977). Rows and columns are scaled first, since a server's
//! figures reach from nanoseconds to hundreds of gigabytes per second. Meant for tens of rows and unknowns.

use super::simplex::{End, Tableau};

/// How a row's sum stands to its bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// At most the bound.
    AtMost,
    /// At least the bound.
    AtLeast,
    /// The bound.
    Exactly,
}

/// One condition on the unknowns.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearCondition {
    /// One coefficient for each unknown.
    pub coefficients: Vec<f64>,
    /// How their sum stands to the bound.
    pub relation: Relation,
    /// The bound.
    pub bound: f64,
}

/// The most of `objective · x` for `x ≥ 0` under all rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Programme {
    /// One coefficient for each unknown.
    pub objective: Vec<f64>,
    /// The conditions.
    pub rows: Vec<LinearCondition>,
}

/// The best there is.
#[derive(Debug, Clone, PartialEq)]
pub struct Optimum {
    /// The objective's value.
    pub value: f64,
    /// The unknowns there; where several are equally good, one of them.
    pub at: Vec<f64>,
}

/// Why there is no best.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProgrammeError {
    /// No unknowns satisfy all rows.
    #[error("no rates satisfy all conditions at once")]
    Infeasible,
    /// Nothing holds the objective back.
    #[error("nothing holds the rate back")]
    Unbounded,
    /// A coefficient or a bound is no number.
    #[error("a coefficient or a bound is not a finite number")]
    NotFinite,
    /// A row has more or fewer coefficients than there are unknowns.
    #[error("row {row} has {found} coefficients for {expected} unknowns")]
    Shape {
        /// Its index.
        row: usize,
        /// Coefficients it has.
        found: usize,
        /// Unknowns there are.
        expected: usize,
    },
    /// Rounding kept the method from an end.
    #[error("the programme did not come to an end in {0} steps")]
    Stuck(usize),
}

impl Programme {
    /// Finds the best.
    ///
    /// # Errors
    /// Conditions that exclude each other, nothing that holds the objective back, and malformed input.
    pub fn solve(&self) -> Result<Optimum, ProgrammeError> {
        self.check()?;
        let unknowns = self.objective.len();
        let scale = Scale::of(self);
        let mut tableau = Tableau::new(unknowns, &scale.rows(self));
        if tableau.has_artificial() {
            tableau.forbid_artificial()?;
        }
        let objective: Vec<f64> =
            self.objective.iter().zip(&scale.columns).map(|(c, scale)| c * scale).collect();
        let size = objective.iter().fold(0.0_f64, |most, c| most.max(c.abs()));
        let objective: Vec<f64> =
            objective.iter().map(|c| if size > 0.0 { c / size } else { 0.0 }).collect();
        match tableau.maximise(&objective)? {
            End::Best => {}
            End::Unbounded => return Err(ProgrammeError::Unbounded),
        }
        let at: Vec<f64> = tableau
            .values(unknowns)
            .iter()
            .zip(&scale.columns)
            .map(|(x, column)| (x * column).max(0.0))
            .collect();
        let value = at.iter().zip(&self.objective).map(|(x, c)| x * c).sum();
        Ok(Optimum { value, at })
    }

    fn check(&self) -> Result<(), ProgrammeError> {
        let expected = self.objective.len();
        for (index, row) in self.rows.iter().enumerate() {
            let found = row.coefficients.len();
            if found != expected {
                return Err(ProgrammeError::Shape { row: index, found, expected });
            }
        }
        let numbers = self.rows.iter().flat_map(|row| row.coefficients.iter().chain([&row.bound]));
        if numbers.chain(&self.objective).all(|number| number.is_finite()) {
            Ok(())
        } else {
            Err(ProgrammeError::NotFinite)
        }
    }
}

/// Factors that make each upper bound 1 and the largest coefficient of each unknown 1, so that an unknown's scaled
/// value is its share of the most that it could be, whatever its unit. Lower bounds and rows with bound 0 follow the
/// unknowns in them, and unknowns that stand in such rows alone follow the rows.
struct Scale {
    rows: Vec<f64>,
    columns: Vec<f64>,
}

impl Scale {
    fn of(programme: &Programme) -> Scale {
        let rows = &programme.rows;
        let unknowns = 0..programme.objective.len();
        let upper = |row: &LinearCondition| row.relation != Relation::AtLeast && row.bound != 0.0;
        let mut row_scale: Vec<Option<f64>> =
            rows.iter().map(|row| upper(row).then(|| 1.0 / row.bound.abs())).collect();
        let column = |j: usize, row_scale: &[Option<f64>]| {
            let known = rows.iter().zip(row_scale);
            largest(known.filter_map(|(row, scale)| Some(row.coefficients[j] * (*scale)?)))
        };
        let mut columns: Vec<Option<f64>> =
            unknowns.map(|j| column(j, &row_scale).map(|most| 1.0 / most)).collect();
        for (row, scale) in rows.iter().zip(&mut row_scale).filter(|(_, scale)| scale.is_none()) {
            let known = row.coefficients.iter().zip(&columns);
            let most = largest(known.filter_map(|(a, column)| Some(a * (*column)?)))
                .or_else(|| largest(row.coefficients.iter().copied()));
            *scale = most.map(|most| 1.0 / most);
        }
        for (j, scale) in columns.iter_mut().enumerate().filter(|(_, scale)| scale.is_none()) {
            *scale = column(j, &row_scale).map(|most| 1.0 / most);
        }
        let or_one =
            |scales: Vec<Option<f64>>| scales.into_iter().map(|s| s.unwrap_or(1.0)).collect();
        Scale { rows: or_one(row_scale), columns: or_one(columns) }
    }

    fn rows(&self, programme: &Programme) -> Vec<LinearCondition> {
        let scaled = |(row, factor): (&LinearCondition, &f64)| LinearCondition {
            coefficients: row
                .coefficients
                .iter()
                .zip(&self.columns)
                .map(|(a, column)| a * column * factor)
                .collect(),
            relation: row.relation,
            bound: row.bound * factor,
        };
        programme.rows.iter().zip(&self.rows).map(scaled).collect()
    }
}

/// The largest size among numbers; `None` where all are zero.
fn largest(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    Some(numbers.fold(0.0_f64, |most, x| most.max(x.abs()))).filter(|most| *most > 0.0)
}
