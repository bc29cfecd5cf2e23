//! Do the 95 % intervals cover in 95 % of draws, and do the tests alarm in 5 %? By seeded
//! simulation with known truth.
//!
//! 2000 draws fix a share of 95 % to ±1 %, so that the bands below fail for a wrong factor, not for
//! an unlucky seed.

use narrows_stats::{
    Recorder, SweepPoint, effective_sample_size, interval_95, paired_ratio, quantile_interval,
    ratio, trend, usl,
};

const DRAWS: u32 = 2000;

/// SplitMix64 (Steele, Lea & Flood 2014) with Box–Muller on top.
struct Draw(u64);

impl Draw {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In (0, 1].
    fn unit(&mut self) -> f64 {
        ((self.bits() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.unit().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// Log-normal with median 1.
    fn log_normal(&mut self, sigma: f64) -> f64 {
        (sigma * self.normal()).exp()
    }

    fn exponential(&mut self) -> f64 {
        -self.unit().ln()
    }

    /// A stationary AR(1) series.
    fn correlated(&mut self, n: usize, rho: f64) -> Vec<f64> {
        let mut level = self.normal() / (1.0 - rho * rho).sqrt();
        (0..n)
            .map(|_| {
                let now = level;
                level = rho * level + self.normal();
                now
            })
            .collect()
    }
}

/// The share of draws for which something holds.
fn share(seed: u64, holds: impl FnMut(&mut Draw) -> bool) -> f64 {
    share_of(DRAWS, seed, holds)
}

fn share_of(draws: u32, seed: u64, mut holds: impl FnMut(&mut Draw) -> bool) -> f64 {
    println!("seed {seed}");
    let mut draw = Draw(seed);
    let hits = (0..draws).filter(|_| holds(&mut draw)).count();
    hits as f64 / f64::from(draws)
}

fn assert_share(found: f64, low: f64, high: f64, what: &str) {
    assert!((low..=high).contains(&found), "{what}: {found}, expected {low} to {high}");
}

#[test]
fn order_statistics_cover_the_median_whatever_the_distribution() {
    // Coverage depends on n alone and jumps with the rank: 1 − 2·(1/64), (1/256), (12/2048),
    // (21700/2^20).
    for (n, exact) in [(6usize, 0.969), (8, 0.992), (11, 0.988), (20, 0.959)] {
        let skewed = share(11, |d| {
            let runs: Vec<f64> = (0..n).map(|_| d.exponential()).collect();
            let interval = interval_95(&runs).unwrap();
            interval.low <= std::f64::consts::LN_2 && std::f64::consts::LN_2 <= interval.high
        });
        assert_share(skewed, exact - 0.015, exact + 0.015, &format!("exponential, n = {n}"));
        let heavy = share(12, |d| {
            // Cauchy: no mean at all, median 0.
            let runs: Vec<f64> = (0..n).map(|_| d.normal() / d.normal()).collect();
            let interval = interval_95(&runs).unwrap();
            interval.low <= 0.0 && 0.0 <= interval.high
        });
        assert_share(heavy, exact - 0.015, exact + 0.015, &format!("Cauchy, n = {n}"));
    }
}

#[test]
fn logarithmic_t_covers_the_median_of_log_normal_runs() {
    for (n, sigma) in [(3, 0.05), (4, 0.3), (5, 0.05), (5, 1.0)] {
        let found = share(21, |d| {
            let runs: Vec<f64> = (0..n).map(|_| d.log_normal(sigma)).collect();
            let interval = interval_95(&runs).unwrap();
            interval.low <= 1.0 && 1.0 <= interval.high
        });
        assert_share(found, 0.935, 0.965, &format!("n = {n}, sigma {sigma}"));
    }
}

#[test]
fn the_ratio_is_covered_also_with_unequal_spread_and_numbers() {
    for (n, m, spread_n, spread_m) in [(5, 5, 0.1, 0.1), (6, 6, 0.02, 0.3), (4, 12, 0.3, 0.05)] {
        let found = share(31, |d| {
            let over: Vec<f64> = (0..n).map(|_| 1.3 * d.log_normal(spread_n)).collect();
            let under: Vec<f64> = (0..m).map(|_| d.log_normal(spread_m)).collect();
            let interval = ratio(&over, &under).unwrap().interval_95.unwrap();
            interval.low <= 1.3 && 1.3 <= interval.high
        });
        assert_share(found, 0.93, 0.97, &format!("n = {n}, {m}"));
    }
}

#[test]
fn pairs_cover_the_ratio_and_shed_what_hits_both() {
    let mut narrower = 0.0;
    let found = share(33, |d| {
        let (mut over, mut under) = (Vec::new(), Vec::new());
        for _ in 0..6 {
            // The machine's mood, common to a pair, is three times as large as what is each run's own.
            let mood = d.log_normal(0.15);
            over.push(1.3 * mood * d.log_normal(0.05));
            under.push(mood * d.log_normal(0.05));
        }
        let paired = paired_ratio(&over, &under).unwrap().interval_95.unwrap();
        let apart = ratio(&over, &under).unwrap().interval_95.unwrap();
        narrower += f64::from(u8::from(paired.high - paired.low < apart.high - apart.low));
        paired.low <= 1.3 && 1.3 <= paired.high
    });
    assert_share(found, 0.935, 0.965, "pairs");
    assert!(narrower / f64::from(DRAWS) > 0.95, "{narrower} of {DRAWS}");
}

#[test]
fn the_median_lies_inside_its_interval() {
    let found = share(41, |d| {
        let n = 3 + (d.bits() % 20) as usize;
        let runs: Vec<f64> = (0..n).map(|_| d.log_normal(2.0)).collect();
        let middle = narrows_stats::median(&runs).unwrap();
        let interval = interval_95(&runs).unwrap();
        interval.low <= middle && middle <= interval.high
    });
    assert_eq!(found, 1.0);
}

#[test]
fn effective_samples_of_an_ar1_series_follow_the_closed_form() {
    let mut draw = Draw(51);
    for rho in [0.0f64, 0.3, 0.6, 0.9] {
        let n = 40_000;
        let series = draw.correlated(n, rho);
        let found = effective_sample_size(&series).unwrap() / n as f64;
        let truth = (1.0 - rho) / (1.0 + rho);
        assert!((found / truth - 1.0).abs() < 0.15, "rho {rho}: {found} beside {truth}");
    }
}

#[test]
fn quantiles_of_independent_values_are_covered() {
    let truth = |q: f64| -(1.0 - q).ln() * 1e6;
    for (q, n) in [(0.5, 100), (0.99, 1_000), (0.9, 5_000)] {
        let found = share(61, |d| {
            let mut recorder = Recorder::new();
            (0..n).for_each(|_| recorder.record((d.exponential() * 1e6) as u64));
            let interval = quantile_interval(&recorder, q, 1.0).unwrap();
            interval.low <= truth(q) && truth(q) <= interval.high
        });
        assert_share(found, 0.945, 1.0, &format!("q {q}, n {n}"));
    }
}

/// A latency that remembers: without the effective share the interval is far too narrow, with it
/// about right.
#[test]
fn the_effective_share_repairs_correlated_quantiles() {
    let rho = 0.8;
    let covered = |effective: fn(&[f64]) -> f64| {
        share(71, |d| {
            let mut recorder = Recorder::new();
            let series = d.correlated(2_000, rho);
            // Median exp(0) × 10^6; the spread is wide beside a bucket.
            series.iter().for_each(|x| recorder.record((x.exp() * 1e6) as u64));
            let interval = quantile_interval(&recorder, 0.5, effective(&series)).unwrap();
            interval.low <= 1e6 && 1e6 <= interval.high
        })
    };
    assert_share(covered(|_| 1.0), 0.3, 0.8, "claiming independence");
    let by_size = |s: &[f64]| effective_sample_size(s).unwrap() / s.len() as f64;
    assert_share(covered(by_size), 0.93, 1.0, "with the effective share");
}

#[test]
fn the_trend_test_alarms_in_one_of_twenty_flat_series() {
    for n in [12usize, 80] {
        let found = share(81, |d| {
            let flat: Vec<f64> = (0..n).map(|_| d.normal()).collect();
            trend::mann_kendall(&flat).unwrap().p_value <= 0.05
        });
        assert_share(found, 0.03, 0.065, &format!("n = {n}"));
    }
}

#[test]
fn a_drift_among_like_neighbours_alarms_less_and_still_sees_a_slope() {
    let series = |d: &mut Draw, per_step: f64| -> Vec<f64> {
        let noise = d.correlated(120, 0.5);
        noise.iter().enumerate().map(|(i, v)| v + per_step * i as f64).collect()
    };
    let plain =
        share_of(500, 91, |d| trend::mann_kendall(&series(d, 0.0)).unwrap().p_value <= 0.05);
    let corrected = share_of(500, 91, |d| trend::drift(&series(d, 0.0)).unwrap().p_value <= 0.05);
    assert!(plain > 0.15, "the plain test cries wolf: {plain}");
    assert_share(corrected, 0.02, 0.10, "corrected, no drift");
    let seen = share_of(500, 92, |d| trend::drift(&series(d, 0.03)).unwrap().p_value <= 0.05);
    assert!(seen > 0.95, "a rise of four deviations is seen: {seen}");
}

/// Three windows at each of seven numbers of sessions, 3 % scatter; the law's two losses, the rate at twice the largest.
#[test]
fn intervals_of_the_scalability_law() {
    let (lambda, sigma, kappa) = (1000.0, 0.08, 0.002);
    let law = |n: f64| lambda * n / (1.0 + sigma * (n - 1.0) + kappa * n * (n - 1.0));
    let mut missed = [0u32; 3];
    let fitted = share(0x0531, |draw| {
        let points: Vec<SweepPoint> = [1, 2, 4, 8, 16, 32, 64]
            .into_iter()
            .flat_map(|sessions| [sessions; 3])
            .map(|sessions| SweepPoint {
                sessions,
                rate_per_s: law(f64::from(sessions)) * draw.log_normal(0.03),
            })
            .collect();
        let Ok(found) = usl(&points) else { return false };
        let inside = |(low, high): (f64, f64), truth: f64| low <= truth && truth <= high;
        let far = found.rate_per_s(128).expect("twice the largest").interval_95;
        let held = [
            inside(found.contention.interval_95, sigma),
            inside(found.coherency.interval_95, kappa),
            inside(far, law(128.0)),
        ];
        for (count, held) in missed.iter_mut().zip(held) {
            *count += u32::from(!held);
        }
        true
    });
    assert_eq!(fitted, 1.0);
    for (what, count) in ["contention", "coherency", "extrapolated"].iter().zip(missed) {
        let covered = 1.0 - f64::from(count) / f64::from(DRAWS);
        assert!((0.935..0.975).contains(&covered), "{what}: {covered}");
    }
}
