//! Mann–Kendall beside its definition: every pair compared.

use narrows_stats::trend::mann_kendall;
use proptest::collection::vec;
use proptest::prelude::*;

/// S, tau-b and the median slope, pair by pair.
fn slow(series: &[f64]) -> (f64, f64, f64) {
    let (mut s, mut distinct, mut slopes) = (0.0, 0.0, Vec::new());
    for i in 0..series.len() {
        for j in i + 1..series.len() {
            let step = series[j] - series[i];
            if step != 0.0 {
                s += step.signum();
                distinct += 1.0;
            }
            slopes.push(step / (j - i) as f64);
        }
    }
    slopes.sort_by(f64::total_cmp);
    let middle = slopes.len() / 2;
    let slope = if slopes.len() % 2 == 1 {
        slopes[middle]
    } else {
        (slopes[middle - 1] + slopes[middle]) / 2.0
    };
    let pairs = slopes.len() as f64;
    (s, if distinct == 0.0 { 0.0 } else { s / (pairs * distinct).sqrt() }, slope)
}

/// The share of all orders of the values whose |S| is at least that of the given order.
fn slow_p(series: &[f64]) -> f64 {
    fn visit(values: &mut Vec<f64>, from: usize, limit: f64, hits: &mut u32, all: &mut u32) {
        if from == values.len() {
            *all += 1;
            *hits += u32::from(slow(values).0.abs() >= limit);
            return;
        }
        for i in from..values.len() {
            values.swap(from, i);
            visit(values, from + 1, limit, hits, all);
            values.swap(from, i);
        }
    }
    let (mut hits, mut all) = (0, 0);
    visit(&mut series.to_vec(), 0, slow(series).0.abs(), &mut hits, &mut all);
    f64::from(hits) / f64::from(all)
}

proptest! {
    #[test]
    fn tau_and_slope_are_those_of_all_pairs(series in vec(0u8..30, 10..60)) {
        let series: Vec<f64> = series.into_iter().map(f64::from).collect();
        let found = mann_kendall(&series).unwrap();
        let (_, tau, slope) = slow(&series);
        prop_assert!((found.tau - tau).abs() < 1e-12);
        prop_assert!((found.slope - slope).abs() < 1e-12);
        prop_assert!((0.0..=1.0).contains(&found.p_value));
    }

    #[test]
    fn backwards_is_the_same_drift_the_other_way(series in vec(-1e6f64..1e6, 10..80)) {
        let there = mann_kendall(&series).unwrap();
        let turned: Vec<f64> = series.iter().rev().copied().collect();
        let back = mann_kendall(&turned).unwrap();
        prop_assert!((there.tau + back.tau).abs() < 1e-12);
        prop_assert!((there.p_value - back.p_value).abs() < 1e-12);
        prop_assert!((there.slope + back.slope).abs() <= 1e-9 * there.slope.abs().max(1.0));
    }
}

#[test]
fn small_series_have_the_chance_that_all_orders_give() {
    for series in [
        &[1.0, 2.0, 3.0, 4.0][..],
        &[2.0, 1.0, 3.0, 5.0, 4.0],
        &[1.0, 3.0, 2.0, 5.0, 6.0, 4.0],
        &[7.0, 6.0, 1.0, 5.0, 2.0, 4.0, 3.0],
    ] {
        let found = mann_kendall(series).unwrap().p_value;
        assert!((found - slow_p(series)).abs() < 1e-12, "{series:?}: {found}");
    }
}

#[test]
fn ties_make_the_variance_smaller_as_in_the_printed_formula() {
    // Two groups of two and one of three among ten: Var S = (10·9·25 − 2·(2·1·9) − 3·2·11) / 18 =
    // 119.333.
    let series = [1.0, 1.0, 2.0, 3.0, 3.0, 4.0, 5.0, 5.0, 5.0, 6.0];
    let z: f64 = (40.0 - 1.0) / (2148.0f64 / 18.0).sqrt();
    use statrs::distribution::{ContinuousCDF, Normal};
    let expected = 2.0 * Normal::new(0.0, 1.0).unwrap().cdf(-z);
    let found = mann_kendall(&series).unwrap();
    assert!((found.p_value - expected).abs() < 1e-9, "{} beside {expected}", found.p_value);
    assert!((found.tau - 40.0 / (45.0f64 * 40.0).sqrt()).abs() < 1e-12);
}
