//! How many independent samples a series is worth.

/// The number of independent samples that would fix the mean as well as this series does.
///
/// n / (1 + 2·Σ ρ_k), the sum of autocorrelations cut by Geyer's initial monotone positive
/// sequence: neighbouring pairs of autocovariances are added while they are positive, each no
/// larger than the one before. Assumes a stationary series (cut the warm-up first; a drift reads as
/// correlation, and gives a small number, which is the cautious error). Never above n: a series
/// that swings back could be worth more, but a short one shows that by chance too easily.
///
/// It exists from ten samples; `None` for fewer, when a sample is not finite, or when all are equal
/// (their correlation is unknown). Divided by n it is the `effective_share` of
/// [`crate::quantile_interval`]. Cost: n times the number of lags that are correlated.
///
/// Source: Geyer, "Practical Markov Chain Monte Carlo", *Statistical Science* 7, 1992, section 3.3.
pub fn effective_sample_size(series: &[f64]) -> Option<f64> {
    let n = series.len();
    if n < 10 || series.iter().any(|v| !v.is_finite()) {
        return None;
    }
    let mean = series.iter().sum::<f64>() / n as f64;
    let centred: Vec<f64> = series.iter().map(|v| v - mean).collect();
    // Divided by n, not n − k: this keeps the sequence positive definite.
    let covariance = |lag: usize| {
        centred.iter().zip(&centred[lag..]).map(|(a, b)| a * b).sum::<f64>() / n as f64
    };
    let variance = covariance(0);
    // Below this the differences are rounding of the mean.
    if variance <= (mean * 1e-14).powi(2) {
        return None;
    }
    let mut pairs = 0.0;
    let mut last = f64::INFINITY;
    for lag in (0..n - 1).step_by(2) {
        let pair = (covariance(lag) + covariance(lag + 1)).min(last);
        if pair <= 0.0 {
            break;
        }
        pairs += pair;
        last = pair;
    }
    let inflation = (2.0 * pairs - variance) / variance;
    Some((n as f64 / inflation.max(1.0)).clamp(1.0, n as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_absent_where_nothing_can_be_known() {
        assert_eq!(effective_sample_size(&[1.0, 2.0, 3.0]), None);
        assert_eq!(effective_sample_size(&[0.1; 50]), None);
        let mut series = vec![1.0; 20];
        series[3] = f64::NAN;
        assert_eq!(effective_sample_size(&series), None);
    }

    /// The definition with every lag worked out first.
    fn slow(series: &[f64]) -> f64 {
        let n = series.len();
        let mean = series.iter().sum::<f64>() / n as f64;
        let gamma: Vec<f64> = (0..n)
            .map(|lag| {
                let products = (lag..n).map(|i| (series[i] - mean) * (series[i - lag] - mean));
                products.sum::<f64>() / n as f64
            })
            .collect();
        let mut pairs: Vec<f64> = gamma.chunks_exact(2).map(|pair| pair[0] + pair[1]).collect();
        let end = pairs.iter().position(|pair| *pair <= 0.0).unwrap_or(pairs.len());
        pairs.truncate(end);
        for i in 1..end {
            pairs[i] = pairs[i].min(pairs[i - 1]);
        }
        let variance_of_mean = (2.0 * pairs.iter().sum::<f64>() - gamma[0]) / n as f64;
        if variance_of_mean <= 0.0 {
            // Perfect swings back and forth leave no variance at all.
            return n as f64;
        }
        (gamma[0] / variance_of_mean).clamp(1.0, n as f64)
    }

    proptest::proptest! {
        #[test]
        fn it_agrees_with_its_definition(
            steps in proptest::collection::vec(-1.0f64..1.0, 10..80), memory in 0.0f64..0.95,
        ) {
            let mut level = 0.0;
            let series: Vec<f64> = steps
                .iter()
                .map(|step| {
                    level = memory * level + step;
                    level
                })
                .collect();
            let (fast, truth) = (effective_sample_size(&series).unwrap(), slow(&series));
            proptest::prop_assert!((fast - truth).abs() < 1e-6 * truth, "{} beside {}", fast, truth);
        }
    }

    #[test]
    fn two_levels_are_worth_few_samples_and_a_swing_no_more_than_n() {
        let levels: Vec<f64> = (0..100).map(|i| if i < 50 { 1.0 } else { 2.0 }).collect();
        assert!(effective_sample_size(&levels).unwrap() < 4.0);
        let swing: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
        assert_eq!(effective_sample_size(&swing), Some(100.0));
    }
}
