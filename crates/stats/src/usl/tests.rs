use proptest::prelude::*;

use super::*;

fn law(lambda: f64, sigma: f64, kappa: f64, n: u32) -> f64 {
    let n = f64::from(n);
    lambda * n / (1.0 + sigma * (n - 1.0) + kappa * n * (n - 1.0))
}

fn sweep(sizes: &[u32], rate: impl Fn(u32) -> f64) -> Vec<SweepPoint> {
    sizes.iter().map(|n| SweepPoint { sessions: *n, rate_per_s: rate(*n) }).collect()
}

const SIZES: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];

/// SPEC SDM91, the example of Gunther's book and of R's package `usl`, which finds σ = 0.02773, κ = 0.0001044 and the peak at 96.5
/// users by plain squares.
const SDM91: [(u32, f64); 7] = [
    (1, 64.9),
    (18, 995.9),
    (36, 1652.4),
    (72, 1853.2),
    (108, 1828.9),
    (144, 1775.0),
    (216, 1702.2),
];

fn sdm91() -> Vec<SweepPoint> {
    SDM91.map(|(sessions, rate_per_s)| SweepPoint { sessions, rate_per_s }).to_vec()
}

#[test]
fn plain_squares_give_the_published_coefficients() {
    let points = sdm91();
    // Weights by the curve's own rate make relative errors absolute; repeated until they stand still.
    let mut line = LineFit::fit(&points, 216, |_, _| 1.0, [true; 3]).unwrap();
    for _ in 0..200 {
        let last = line.clone();
        line = LineFit::fit(&points, 216, |n, _| last.rate(n).value, [true; 3]).unwrap();
    }
    let (sigma, kappa) = (line.ratio(1).value, line.ratio(2).value);
    // R minimises in X, this in X/X̂ weighted by X̂: the same up to the curvature of the last step.
    assert!((sigma - 0.02773).abs() < 0.004, "{sigma}");
    assert!((kappa - 1.044e-4).abs() < 0.06e-4, "{kappa}");
    let peak = ((1.0 - sigma) / kappa).sqrt();
    assert!((peak - 96.5).abs() < 2.0, "{peak}");
}

#[test]
fn relative_errors_follow_the_first_user_too() {
    let found = usl(&sdm91()).unwrap();
    // Plain squares put the first user at 90 where 64.9 was measured.
    assert!((found.rate_of_one.value / 64.9 - 1.0).abs() < 0.06, "{found:?}");
    assert!(found.error < 0.06 && (found.worst.1 - 1.0).abs() < 0.09, "{found:?}");
    let (peak, _) = found.peak().unwrap();
    assert!((85..105).contains(&peak), "{peak}");
    let (low, high) = found.coherency.interval_95;
    assert!(low < 1.044e-4 && 1.044e-4 < high, "the published value lies inside");
}

#[test]
fn an_exact_law_is_found_with_its_peak() {
    let found = usl(&sweep(&SIZES, |n| law(1000.0, 0.05, 0.001, n))).unwrap();
    assert!((found.rate_of_one.value - 1000.0).abs() < 1e-6);
    assert!((found.contention.value - 0.05).abs() < 1e-9);
    assert!((found.coherency.value - 0.001).abs() < 1e-11);
    let (at, rate) = found.peak().unwrap();
    assert_eq!(at, 31, "√(0.95/0.001) = 30.8");
    assert!((rate.value - law(1000.0, 0.05, 0.001, 31)).abs() < 1e-3);
    assert!((found.ceiling_per_s().unwrap() - 20_000.0).abs() < 1e-3);
    assert!(found.error < 1e-9);
}

#[test]
fn it_speaks_to_twice_the_largest_and_no_further() {
    let found = usl(&sweep(&SIZES, |n| law(1000.0, 0.02, 0.0, n))).unwrap();
    assert!(
        (found.rate_per_s(128).unwrap().value / law(1000.0, 0.02, 0.0, 128) - 1.0).abs() < 1e-6
    );
    assert_eq!((found.rate_per_s(129), found.rate_per_s(0)), (None, None));
    assert_eq!(found.peak(), None, "without cost of agreement there is none");
    let far = usl(&sweep(&SIZES, |n| law(1000.0, 0.01, 1e-5, n))).unwrap();
    assert_eq!(far.peak(), None, "√(0.99/1e-5) = 315 lies beyond 128");
}

#[test]
fn what_cannot_carry_a_law_is_refused() {
    let few = usl(&sweep(&[1, 2, 4, 8, 16], f64::from));
    assert_eq!(few, Err(NoUsl::TooFew { sizes: 5 }));
    let twice = sweep(&[1, 2, 4], f64::from).repeat(2);
    assert_eq!(usl(&twice), Err(NoUsl::TooFew { sizes: 3 }), "repeats are no sizes");
    let narrow = usl(&sweep(&[10, 11, 12, 13, 14, 15], f64::from));
    assert_eq!(narrow, Err(NoUsl::ShortRange { smallest: 10, largest: 15 }));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let points = sweep(&SIZES, |n| if n == 8 { bad } else { 10.0 });
        assert_eq!(usl(&points), Err(NoUsl::NoRate { sessions: 8 }));
    }
    let stepped = usl(&sweep(&SIZES, |n| if n < 16 { 1000.0 } else { 8000.0 }));
    assert_eq!(stepped, Err(NoUsl::FarFromOne { smallest: 1, largest: 64 }));
    // A sawtooth of a factor of two about a line.
    let saw = usl(&sweep(&SIZES, |n| {
        f64::from(n) * if n.trailing_zeros() % 2 == 0 { 100.0 } else { 60.0 }
    }));
    assert!(matches!(saw, Err(NoUsl::Poor { error, .. }) if error > 0.1), "{saw:?}");
}

#[test]
fn commits_that_share_flushes_are_beyond_the_law() {
    // Twice the rate for every session beyond the first.
    let points = sweep(&SIZES, |n| 100.0 * f64::from(n).powf(1.3));
    assert!(matches!(usl(&points), Err(NoUsl::Superlinear { .. })), "{:?}", usl(&points));
}

#[test]
fn a_straight_line_has_neither_loss() {
    // One percent to either side: the free coefficients may come out below zero, the law's do not.
    let points = sweep(&SIZES, |n| {
        100.0 * f64::from(n) * if n.trailing_zeros() % 2 == 0 { 1.01 } else { 0.99 }
    });
    let found = usl(&points).unwrap();
    assert!(found.contention.value >= 0.0 && found.coherency.value >= 0.0);
    assert!(found.contention.interval_95.0 == 0.0 && found.contention.value < 0.01);
    assert_eq!(found.peak(), None);
}

/// Rates that fall from 16 sessions on say nothing of one session; free coefficients would put it below zero.
#[test]
fn a_sweep_far_from_one_session_is_refused() {
    let rates = [51_169.0, 47_695.0, 46_836.0, 44_864.0, 43_891.0, 41_212.0];
    let points: Vec<SweepPoint> = [16, 24, 32, 48, 64, 96]
        .into_iter()
        .zip(rates)
        .map(|(sessions, rate_per_s)| SweepPoint { sessions, rate_per_s })
        .collect();
    assert_eq!(usl(&points), Err(NoUsl::FarFromOne { smallest: 16, largest: 96 }));
    let rates = [49_443.0, 41_702.0, 33_087.0, 29_158.0, 27_034.0, 21_822.0];
    let points: Vec<SweepPoint> = [4, 8, 16, 24, 32, 64]
        .into_iter()
        .zip(rates)
        .map(|(sessions, rate_per_s)| SweepPoint { sessions, rate_per_s })
        .collect();
    assert_eq!(usl(&points), Err(NoUsl::FarFromOne { smallest: 4, largest: 64 }));
}

proptest! {
    #[test]
    fn every_law_is_found_again(
        lambda in 1.0..1e6f64,
        sigma in 0.0..0.9f64,
        kappa in 0.0..0.05f64,
    ) {
        let found = usl(&sweep(&SIZES, |n| law(lambda, sigma, kappa, n))).unwrap();
        prop_assert!((found.rate_of_one.value / lambda - 1.0).abs() < 1e-6);
        prop_assert!((found.contention.value - sigma).abs() < 1e-6);
        prop_assert!((found.coherency.value - kappa).abs() < 1e-6);
    }

    /// Against a slow search over the two losses: nothing near is better.
    #[test]
    fn no_neighbour_is_better(noise in proptest::collection::vec(-0.08..0.08f64, 7)) {
        let points: Vec<SweepPoint> = sweep(&SIZES, |n| law(500.0, 0.1, 0.002, n))
            .into_iter()
            .zip(&noise)
            .map(|(p, e)| SweepPoint { rate_per_s: p.rate_per_s * (1.0 + e), ..p })
            .collect();
        let Ok(found) = usl(&points) else { return Ok(()) };
        let squares = |lambda: f64, sigma: f64, kappa: f64| -> f64 {
            let off = |p: &SweepPoint| p.rate_per_s / law(lambda, sigma, kappa, p.sessions) - 1.0;
            points.iter().map(|p| off(p).powi(2)).sum()
        };
        let (l, s, k) =
            (found.rate_of_one.value, found.contention.value, found.coherency.value);
        let best = squares(l, s, k);
        for (dl, ds, dk) in [(1.01, 0.0, 0.0), (0.99, 0.0, 0.0), (1.0, 0.005, 0.0), (1.0, -0.005, 0.0), (1.0, 0.0, 2e-4), (1.0, 0.0, -2e-4)] {
            let (sigma, kappa) = ((s + ds).max(0.0), (k + dk).max(0.0));
            prop_assert!(squares(l * dl, sigma, kappa) >= best - 1e-9);
        }
    }

    /// Falling, flat and rising rates from any first size on: every answer is made of numbers.
    #[test]
    fn every_law_is_made_of_numbers(
        first in 1u32..40,
        slope in -1.0..1.2f64,
        noise in proptest::collection::vec(-0.06..0.06f64, 6),
    ) {
        let points: Vec<SweepPoint> = noise
            .iter()
            .enumerate()
            .map(|(i, e)| {
                let sessions = first * (i as u32 + 1);
                let share = f64::from(sessions) / f64::from(first);
                SweepPoint { sessions, rate_per_s: 5e4 * share.powf(slope) * (1.0 + e) }
            })
            .collect();
        if let Ok(law) = usl(&points) {
            let ranges = [law.rate_of_one, law.contention, law.coherency];
            let told = ranges.into_iter().chain(law.peak().map(|peak| peak.1));
            for range in told.chain(law.rate_per_s(2 * law.largest)) {
                prop_assert!(range.is_finite(), "{range:?}");
                prop_assert!(range.interval_95.0 <= range.value && range.value <= range.interval_95.1, "{range:?}");
            }
            prop_assert!(law.contention.value >= 0.0 && law.coherency.value >= 0.0);
        }
    }

    #[test]
    fn nothing_makes_it_panic(
        sizes in proptest::collection::vec(0u32..u32::MAX, 0..12),
        rates in proptest::collection::vec(proptest::num::f64::ANY, 12),
    ) {
        let points: Vec<SweepPoint> = sizes
            .iter()
            .zip(&rates)
            .map(|(n, x)| SweepPoint { sessions: *n, rate_per_s: *x })
            .collect();
        if let Ok(found) = usl(&points) {
            let _ = (found.peak(), found.rate_per_s(1), found.ceiling_per_s());
        }
    }
}
