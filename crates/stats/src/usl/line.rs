//! The straight line behind the law, by linear least squares.

use super::{Ranged, SweepPoint};
use crate::special::student_t_quantile;

/// N/X(N) = a + b·(N−1) + c·N(N−1), with a = 1/λ, b = σ/λ, c = κ/λ; in units in which the columns are about one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LineFit {
    coefficients: [f64; 3],
    /// Covariance of the coefficients, scaled by Student's t squared: its roots are half-widths.
    spread: [[f64; 3]; 3],
    scale: [f64; 3],
}

impl LineFit {
    /// Least squares of `weight`·(X/X̂ − 1) in the free coefficients; the others are zero. `None` where they can't be told apart.
    pub(super) fn fit(
        points: &[SweepPoint],
        largest: u32,
        weight: impl Fn(f64, f64) -> f64,
        free: [bool; 3],
    ) -> Option<LineFit> {
        let scale = columns(f64::from(largest)).map(|most| if most > 0.0 { most } else { 1.0 });
        let mut normal = [[0.0; 3]; 3];
        let mut right = [0.0; 3];
        let mut rows = Vec::with_capacity(points.len());
        for point in points {
            let n = f64::from(point.sessions);
            let (per, w) = (point.rate_per_s / n, weight(n, point.rate_per_s));
            let columns = columns(n);
            let row: [f64; 3] =
                std::array::from_fn(
                    |i| if free[i] { per * columns[i] / scale[i] * w } else { 0.0 },
                );
            for i in 0..3 {
                right[i] += row[i] * w;
                for j in 0..3 {
                    normal[i][j] += row[i] * row[j];
                }
            }
            rows.push((row, w));
        }
        for i in (0..3).filter(|i| !free[*i]) {
            normal[i][i] = 1.0;
        }
        let inverse = inverse(&normal)?;
        let coefficients = std::array::from_fn(|i| (0..3).map(|j| inverse[i][j] * right[j]).sum());
        let rest =
            |(row, w): &([f64; 3], f64)| (0..3).map(|i| row[i] * coefficients[i]).sum::<f64>() - w;
        let squares: f64 = rows.iter().map(|row| rest(row).powi(2)).sum();
        let degrees = (points.len() - free.iter().filter(|f| **f).count()) as f64;
        let t = student_t_quantile(0.975, degrees);
        let factor = t * t * squares / degrees;
        let spread = std::array::from_fn(|i| {
            std::array::from_fn(|j| if free[i] && free[j] { inverse[i][j] * factor } else { 0.0 })
        });
        Some(LineFit { coefficients, spread, scale })
    }

    /// The best line whose coefficients are not below zero: what is negative at the optimum is zero at the border.
    pub(super) fn without_gains(self, points: &[SweepPoint], largest: u32) -> LineFit {
        let (b, c) = (self.coefficients[1], self.coefficients[2]);
        if b >= 0.0 && c >= 0.0 {
            return self;
        }
        let tried = [[true, true, false], [true, false, true], [true, false, false]];
        let fits = tried.iter().filter_map(|free| LineFit::fit(points, largest, |_, _| 1.0, *free));
        let squares = |line: &LineFit| -> f64 {
            let over =
                |p: &SweepPoint| p.rate_per_s * line.inverse_rate(f64::from(p.sessions)) - 1.0;
            points.iter().map(|p| over(p).powi(2)).sum()
        };
        let allowed = fits.filter(|line| line.coefficients.iter().all(|c| *c >= 0.0));
        allowed.min_by(|x, y| squares(x).total_cmp(&squares(y))).unwrap_or(self)
    }

    fn weights(&self, n: f64) -> [f64; 3] {
        let columns = columns(n);
        std::array::from_fn(|i| columns[i] / self.scale[i])
    }

    /// Seconds per operation with `n` sessions, 1/X.
    fn inverse_rate(&self, n: f64) -> f64 {
        let weights = self.weights(n);
        (0..3).map(|i| weights[i] * self.coefficients[i]).sum::<f64>() / n
    }

    /// Half the width of the interval of `Σ weights·coefficients`.
    fn half_width(&self, weights: [f64; 3]) -> f64 {
        let sum: f64 = (0..3)
            .flat_map(|i| (0..3).map(move |j| (i, j)))
            .map(|(i, j)| weights[i] * self.spread[i][j] * weights[j])
            .sum();
        sum.max(0.0).sqrt()
    }

    /// Whether the rate of one session is known to be a rate: 1/λ, where the line begins, lies above zero with its whole interval.
    pub(super) fn tells_one(&self) -> bool {
        self.inverse_rate(1.0) > self.half_width(self.weights(1.0))
    }

    /// X with `n` sessions. The interval is that of N/X turned over; where it reaches zero there is no upper end.
    pub(super) fn rate(&self, n: f64) -> Ranged {
        let (line, half) = (self.inverse_rate(n) * n, self.half_width(self.weights(n)));
        let high = if line > half { n / (line - half) } else { f64::INFINITY };
        Ranged { value: n / line, interval_95: (n / (line + half), high) }
    }

    /// σ (`at` 1) or κ (`at` 2): the coefficient over the first.
    pub(super) fn ratio(&self, at: usize) -> Ranged {
        let [a, ..] = self.coefficients;
        let value = self.coefficients[at] / a * (self.scale[0] / self.scale[at]);
        let mut gradient = [0.0; 3];
        gradient[0] = -value / a;
        gradient[at] = self.scale[0] / self.scale[at] / a;
        let half = self.half_width(gradient);
        Ranged { value, interval_95: (value - half, value + half) }
    }
}

fn columns(n: f64) -> [f64; 3] {
    [1.0, n - 1.0, n * (n - 1.0)]
}

/// The inverse of a symmetric matrix; `None` where it has none to speak of.
fn inverse(m: &[[f64; 3]; 3]) -> Option<[[f64; 3]; 3]> {
    let minor = |r: usize, c: usize| {
        let (r1, r2, c1, c2) = ((r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3);
        m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1]
    };
    let determinant: f64 = (0..3).map(|c| m[0][c] * minor(0, c)).sum();
    let size: f64 = (0..3).map(|i| m[i][i]).product();
    // NaN compares as not above.
    let told_apart = determinant.abs() > 1e-13 * size.abs();
    told_apart.then(|| std::array::from_fn(|i| std::array::from_fn(|j| minor(j, i) / determinant)))
}
