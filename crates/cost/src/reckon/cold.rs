//! A cold cache that fills again, by the miss curve of its pool: how much has to be read, and how much throughput is missing meanwhile.
//!
//! While the cache fills, the share of accesses that miss falls along the curve, from that of an empty cache to that of the full one. Where
//! reads hold the rate, throughput is the steady one times steady misses over present misses; where something else holds it, less is
//! missing. The mean over the filling is therefore the most that can be missing.

use narrows_plan::PlanError;
use toml::Spanned;

use crate::figures::Reader;

/// Steps of the mean over the filling.
const STEPS: u32 = 1000;

/// A curve: GB of cache, and the share of accesses that miss.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MissCurve {
    points: Vec<[f64; 2]>,
}

impl MissCurve {
    pub fn read(
        reader: Reader<'_>,
        what: &str,
        points: &Spanned<Vec<[f64; 2]>>,
    ) -> Result<MissCurve, PlanError> {
        let all = points.get_ref();
        let rising = all.windows(2).all(|two| two[0][0] < two[1][0] && two[0][1] >= two[1][1]);
        let fine =
            |point: &[f64; 2]| point[0] > 0.0 && point[0] <= 1e7 && (0.0..=1.0).contains(&point[1]);
        if all.len() < 2 || all.len() > 10_000 || !all.iter().all(fine) || !rising {
            let why = "a curve has two points or more, sizes in GB that rise and shares of misses from 0 to 1 that don't";
            let hint = "miss_curve = [[20, 0.30], [50, 0.15], [200, 0.04]]: the last is the cache as it is";
            return Err(reader.source.error(&points.span(), what, why, hint));
        }
        if all[all.len() - 1][1] <= 0.0 {
            let why = "its last point has no misses: then nothing says how much throughput follows from them";
            let hint = "give the share that misses in steady state, as small as it is";
            return Err(reader.source.error(&points.span(), what, why, hint));
        }
        Ok(MissCurve { points: all.clone() })
    }

    /// The share that misses with so many GB; all of it with none.
    fn misses(&self, gb: f64) -> f64 {
        let mut before = [0.0, 1.0];
        for point in &self.points {
            if gb <= point[0] {
                let along = (gb - before[0]) / (point[0] - before[0]);
                return before[1] + along * (point[1] - before[1]);
            }
            before = *point;
        }
        before[1]
    }

    /// GB that have to be read until the cache is full.
    pub fn full_gb(&self) -> f64 {
        self.points[self.points.len() - 1][0]
    }

    /// The share of the throughput that is missing at most, on average, until then.
    pub fn loss_at_most(&self) -> f64 {
        let [full, steady] = self.points[self.points.len() - 1];
        let at = |n: u32| full * (f64::from(n) + 0.5) / f64::from(STEPS);
        let missing = (0..STEPS).map(|n| 1.0 - steady / self.misses(at(n)));
        missing.sum::<f64>() / f64::from(STEPS)
    }
}

#[cfg(test)]
mod tests {
    use super::MissCurve;

    #[test]
    fn a_curve_gives_what_is_read_and_what_is_missing() {
        let curve = MissCurve { points: vec![[50.0, 0.5], [100.0, 0.1]] };
        assert!((curve.misses(25.0) - 0.75).abs() < 1e-12);
        assert!((curve.misses(75.0) - 0.3).abs() < 1e-12);
        assert_eq!(curve.misses(500.0), 0.1);
        assert_eq!(curve.full_gb(), 100.0);
        // By the integral of 1/m over both pieces.
        let first = 50.0 / 0.5 * (1.0f64 / 0.5).ln();
        let second = 50.0 / 0.4 * (0.5f64 / 0.1).ln();
        let mean = 1.0 - 0.1 * (first + second) / 100.0;
        assert!((curve.loss_at_most() - mean).abs() < 1e-5, "{} {mean}", curve.loss_at_most());
    }
}
