//! The universal scalability law over a sweep of sessions: what waiting for each other and keeping in step cost.
//!
//! X(N) = λN / (1 + σ(N−1) + κN(N−1)), with λ the rate of one session, σ the share of the work that only one can do at a
//! time (contention) and κ the cost for every pair to agree (coherency). κ makes a peak at √((1−σ)/κ). Source: Gunther,
//! *Guerrilla Capacity Planning*, 2007, chapter 4–6.
//!
//! N/X(N) is a straight line in (1, N−1, N(N−1)). So the coefficients for which the **relative** errors X/X̂ − 1 are
//! smallest in squares solve three linear equations; there is no starting value and no local minimum. Relative, because
//! repeats of a load scatter by a share of their rate; the plain squares of R's `usl` would let the largest rates decide
//! and leave out the first session.
//!
//! The intervals come from the scatter about the curve (Student; coefficients and rates by the delta method). They assume that
//! the law holds and that windows err independently of each other; so the sweep's order should be shuffled.

mod line;
#[cfg(test)]
mod tests;

use self::line::LineFit;

/// Fewest different numbers of sessions: three coefficients fit anything through three.
pub const FEWEST_SIZES: usize = 6;
/// Least range of the numbers of sessions, largest over smallest.
const LEAST_RANGE: f64 = 4.0;
/// How far beyond the largest measured number of sessions the law may speak.
pub const FURTHEST: f64 = 2.0;
/// Root mean square of the relative errors above which the law does not describe what was seen.
const POOR_TOGETHER: f64 = 0.10;
/// The same for the mean of any one number of sessions.
const POOR_AT_ONE: f64 = 0.20;

/// One window of a sweep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SweepPoint {
    /// Sessions.
    pub sessions: u32,
    /// Operations per second.
    pub rate_per_s: f64,
}

/// A value with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranged {
    /// Estimate.
    pub value: f64,
    /// 95 % interval: low, high.
    pub interval_95: (f64, f64),
}

impl Ranged {
    fn is_finite(&self) -> bool {
        [self.value, self.interval_95.0, self.interval_95.1].iter().all(|v| v.is_finite())
    }
}

/// The law that a sweep follows.
#[derive(Debug, Clone, PartialEq)]
pub struct Usl {
    /// λ: operations per second of one session.
    pub rate_of_one: Ranged,
    /// σ: share of the work that only one session can do at a time; not below zero.
    pub contention: Ranged,
    /// κ: cost of agreement per pair; not below zero.
    pub coherency: Ranged,
    /// Root mean square of the relative errors of the windows.
    pub error: f64,
    /// The number of sessions whose mean the curve misses most, and measured over curve there.
    pub worst: (u32, f64),
    /// Largest number of sessions measured.
    pub largest: u32,
    line: LineFit,
}

/// Why there is no law.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum NoUsl {
    /// Too few sizes for three coefficients.
    #[error(
        "{sizes} numbers of sessions are too few for a law with three coefficients; it takes {FEWEST_SIZES}"
    )]
    TooFew {
        /// Different numbers of sessions.
        sizes: usize,
    },
    /// Too close together.
    #[error("from {smallest} to {largest} sessions is too short a range; it takes {LEAST_RANGE} ×")]
    ShortRange {
        /// Smallest number of sessions.
        smallest: u32,
        /// Largest.
        largest: u32,
    },
    /// A window without a rate.
    #[error("the window with {sessions} sessions has no rate above zero")]
    NoRate {
        /// Its sessions.
        sessions: u32,
    },
    /// The rate of one session can't be told.
    #[error("windows of {smallest} to {largest} sessions don't tell the rate of one, and without it no loss either{}", from_one(*smallest))]
    FarFromOne {
        /// Smallest number of sessions.
        smallest: u32,
        /// Largest.
        largest: u32,
    },
    /// A coefficient that is surely negative.
    #[error(
        "each session gains from the others (contention {contention:.4} below zero), as with commits that share flushes; the law knows only losses"
    )]
    Superlinear {
        /// σ of the best curve.
        contention: f64,
    },
    /// The curve does not pass through the points.
    #[error("the law misses what was measured with {sessions} sessions: measured over law {ratio:.2}; all windows are {:.0} % off on average", error * 100.0)]
    Poor {
        /// Where it misses most.
        sessions: u32,
        /// Measured over law there.
        ratio: f64,
        /// Root mean square of the relative errors.
        error: f64,
    },
}

fn from_one(smallest: u32) -> &'static str {
    if smallest > 1 { "; begin the sweep at one session" } else { "; more repeats may" }
}

/// Fits the law to a sweep; several windows per number of sessions are used one by one.
///
/// # Errors
/// Fewer than six numbers of sessions or less than a fourfold range; a rate that is not above zero; contention that is below zero
/// beyond doubt; a curve that misses the windows by more than 10 % together or one mean by more than 20 %.
pub fn usl(points: &[SweepPoint]) -> Result<Usl, NoUsl> {
    let sizes = sizes(points)?;
    let largest = *sizes.last().expect("six or more");
    let free = LineFit::fit(points, largest, |_, _| 1.0, [true; 3])
        .ok_or(NoUsl::TooFew { sizes: sizes.len() })?;
    if !free.tells_one() {
        return Err(NoUsl::FarFromOne { smallest: sizes[0], largest });
    }
    let contention = free.ratio(1);
    if contention.interval_95.1 < 0.0 {
        return Err(NoUsl::Superlinear { contention: contention.value });
    }
    let line = free.clone().without_gains(points, largest);
    let (worst, error) = misses(points, &sizes, &line);
    if error > POOR_TOGETHER || (worst.1 - 1.0).abs() > POOR_AT_ONE {
        return Err(NoUsl::Poor { sessions: worst.0, ratio: worst.1, error });
    }
    let not_negative = |at: usize| {
        let (low, high) = free.ratio(at).interval_95;
        let value = line.ratio(at).value;
        Ranged { value, interval_95: (low.clamp(0.0, value), high.max(value)) }
    };
    let rate_of_one = line.rate(1.0);
    Ok(Usl {
        rate_of_one,
        contention: not_negative(1),
        coherency: not_negative(2),
        error,
        worst,
        largest,
        line,
    })
}

impl Usl {
    /// Operations per second with so many sessions; `None` beyond twice the largest number measured, and where the interval has no
    /// upper end.
    pub fn rate_per_s(&self, sessions: u32) -> Option<Ranged> {
        let allowed = sessions >= 1 && f64::from(sessions) <= FURTHEST * f64::from(self.largest);
        allowed.then(|| self.line.rate(f64::from(sessions))).filter(Ranged::is_finite)
    }

    /// Sessions at the peak, and the rate there; `None` where the law has none within what it may speak of (then more sessions
    /// give more, as far as was measured), and where the interval has no upper end.
    pub fn peak(&self) -> Option<(u32, Ranged)> {
        let (sigma, kappa) = (self.contention.value, self.coherency.value);
        if kappa <= 0.0 || sigma >= 1.0 {
            return None;
        }
        let sessions = ((1.0 - sigma) / kappa).sqrt().round().max(1.0);
        if sessions > FURTHEST * f64::from(self.largest) {
            return None;
        }
        let rate = Some(self.line.rate(sessions)).filter(Ranged::is_finite)?;
        Some((sessions as u32, rate))
    }

    /// The rate that no number of sessions passes if nothing but contention held them back, λ/σ; `None` without contention.
    pub fn ceiling_per_s(&self) -> Option<f64> {
        (self.contention.value > 0.0).then(|| self.rate_of_one.value / self.contention.value)
    }
}

/// Different numbers of sessions, rising.
fn sizes(points: &[SweepPoint]) -> Result<Vec<u32>, NoUsl> {
    let bad =
        |p: &&SweepPoint| !(p.rate_per_s.is_finite() && p.rate_per_s > 0.0) || p.sessions == 0;
    if let Some(point) = points.iter().find(bad) {
        return Err(NoUsl::NoRate { sessions: point.sessions });
    }
    let mut sizes: Vec<u32> = points.iter().map(|p| p.sessions).collect();
    sizes.sort_unstable();
    sizes.dedup();
    if sizes.len() < FEWEST_SIZES {
        return Err(NoUsl::TooFew { sizes: sizes.len() });
    }
    let (smallest, largest) = (sizes[0], sizes[sizes.len() - 1]);
    if f64::from(largest) < LEAST_RANGE * f64::from(smallest) {
        return Err(NoUsl::ShortRange { smallest, largest });
    }
    Ok(sizes)
}

/// The number of sessions whose mean is missed most with measured over curve, and the root mean square of all relative errors.
fn misses(points: &[SweepPoint], sizes: &[u32], line: &LineFit) -> ((u32, f64), f64) {
    let over = |p: &SweepPoint| p.rate_per_s / line.rate(f64::from(p.sessions)).value;
    let squares: f64 = points.iter().map(|p| (over(p) - 1.0).powi(2)).sum();
    let means = sizes.iter().map(|size| {
        let own: Vec<f64> = points.iter().filter(|p| p.sessions == *size).map(over).collect();
        (*size, own.iter().sum::<f64>() / own.len() as f64)
    });
    let worst = means.max_by(|a, b| (a.1 - 1.0).abs().total_cmp(&(b.1 - 1.0).abs()));
    (worst.expect("six or more"), (squares / points.len() as f64).sqrt())
}
