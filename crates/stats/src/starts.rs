//! What starting a server anew does to a rate: where its memory lies, what its threads got and how its files are laid out are
//! drawn once per start, so that windows of one start agree better with each other than with those of the next.

use crate::special::{beta_inc, student_t_quantile};

/// Fewest starts with an interval: two would need one 13 times as wide as they differ.
pub const FEWEST_STARTS: usize = 3;
/// Fewest windows of a start.
const FEWEST_WINDOWS: usize = 2;

/// A rate over several starts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Starts {
    /// Mean of the starts' means.
    pub mean: f64,
    /// 95 % interval of that mean: starts, not windows, are what is drawn independently.
    pub interval_95: (f64, f64),
    /// Where the mean of one more start, of as many windows, lies in 95 of 100 cases.
    pub next_95: (f64, f64),
    /// Standard deviation that starts have beyond what their windows explain, over the mean; zero where windows explain it all.
    pub between: f64,
    /// Standard deviation of windows within a start, over the mean.
    pub within: f64,
    /// How often starts that don't matter differ by so much.
    pub p_value: f64,
}

/// One-way analysis of variance with random effects over `starts`, each with one value per window.
///
/// Mean squares between and within give σ_b² = (MSB − MSW) / n₀, cut at zero, with n₀ the mean number of windows less its
/// variance over their sum; F = MSB / MSW has k − 1 and N − k degrees of freedom. Mean and next start come from the starts'
/// own means by Student's t with k − 1 degrees of freedom. Assumes that starts are independent draws from one normal law and
/// that a start's windows are independent: where neighbours resemble each other, p is too small and `between` too large, the
/// intervals stay right. Exists from three starts of two windows each, all positive and finite; `None` otherwise.
/// Source: Searle, Casella & McCulloch, "Variance Components", 1992, chapter 3.
pub fn starts(starts: &[&[f64]]) -> Option<Starts> {
    let k = starts.len();
    let sound = |start: &&[f64]| {
        start.len() >= FEWEST_WINDOWS && start.iter().all(|v| v.is_finite() && *v > 0.0)
    };
    if k < FEWEST_STARTS || !starts.iter().all(sound) {
        return None;
    }
    let mean_of = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let means: Vec<f64> = starts.iter().map(|start| mean_of(start)).collect();
    let mean = mean_of(&means);
    let groups = k as f64;
    let windows: f64 = starts.iter().map(|start| start.len() as f64).sum();
    let grand = starts.iter().flat_map(|start| start.iter()).sum::<f64>() / windows;
    let squares_between: f64 = starts
        .iter()
        .zip(&means)
        .map(|(start, mean)| start.len() as f64 * (mean - grand).powi(2))
        .sum();
    let squares_within: f64 = starts
        .iter()
        .zip(&means)
        .flat_map(|(start, mean)| start.iter().map(move |v| (v - mean).powi(2)))
        .sum();
    let (free_between, free_within) = (groups - 1.0, windows - groups);
    let (ms_between, ms_within) = (squares_between / free_between, squares_within / free_within);
    let of_squares: f64 = starts.iter().map(|start| (start.len() as f64).powi(2)).sum();
    let each = (windows - of_squares / windows) / free_between;
    let between = ((ms_between - ms_within) / each).max(0.0).sqrt();
    // P(F >= f) as the incomplete beta function; equal values everywhere say nothing.
    let p_value = if squares_between == 0.0 {
        1.0
    } else {
        let x = squares_within / (squares_within + squares_between);
        beta_inc(free_within / 2.0, free_between / 2.0, x)
    };
    let spread = (means.iter().map(|m| (m - mean).powi(2)).sum::<f64>() / free_between).sqrt();
    let t = student_t_quantile(0.975, free_between);
    let around = |half: f64| ((mean - half).max(0.0), mean + half);
    Some(Starts {
        mean,
        interval_95: around(t * spread / groups.sqrt()),
        next_95: around(t * spread * (1.0 + 1.0 / groups).sqrt()),
        between: between / mean,
        within: ms_within.sqrt() / mean,
        p_value,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Noise;

    fn of(groups: &[Vec<f64>]) -> Option<Starts> {
        let slices: Vec<&[f64]> = groups.iter().map(Vec::as_slice).collect();
        starts(&slices)
    }

    #[test]
    fn a_case_by_hand_comes_out() {
        // Means 10, 12, 14; within 3 windows ±1: MSB = 3 · 4 = 12, MSW = 1, σ_b² = 11/3.
        let groups = [vec![9.0, 10.0, 11.0], vec![11.0, 12.0, 13.0], vec![13.0, 14.0, 15.0]];
        let found = of(&groups).unwrap();
        assert!((found.mean - 12.0).abs() < 1e-12);
        assert!((found.between - (11.0f64 / 3.0).sqrt() / 12.0).abs() < 1e-12);
        assert!((found.within - 1.0 / 12.0).abs() < 1e-12);
        // F(2, 6) = 12: p = (1 + 2·12/6)^-3 = 1/125, exact for two degrees of freedom above.
        assert!((found.p_value - 0.008).abs() < 1e-12, "{}", found.p_value);
        // t with two degrees of freedom is 4.3027; the spread of the means is 2.
        let half = 4.302_652_7 * 2.0 / 3f64.sqrt();
        assert!((found.interval_95.1 - 12.0 - half).abs() < 1e-6, "{:?}", found.interval_95);
        let half = 4.302_652_7 * 2.0 * (4.0f64 / 3.0).sqrt();
        assert!((found.next_95.0 - (12.0 - half)).abs() < 1e-6, "{:?}", found.next_95);
    }

    #[test]
    fn starts_of_different_lengths_count_by_their_windows() {
        let groups = [vec![9.0, 11.0], vec![11.0, 13.0, 12.0, 12.0], vec![14.0, 14.0, 14.0]];
        let found = of(&groups).unwrap();
        // SSB = 2·(10−110/9)² + 4·(12−110/9)² + 3·(14−110/9)², N = 9, n₀ = (9 − 29/9) / 2.
        let grand = 110.0f64 / 9.0;
        let ssb = 2.0 * (10.0 - grand).powi(2)
            + 4.0 * (12.0 - grand).powi(2)
            + 3.0 * (14.0 - grand).powi(2);
        let msw = 4.0 / 6.0;
        let between = ((ssb / 2.0 - msw) / ((9.0 - 29.0 / 9.0) / 2.0)).sqrt() / 12.0;
        assert!((found.between - between).abs() < 1e-12, "{found:?}");
        assert!((found.within - msw.sqrt() / 12.0).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn it_exists_from_three_starts_of_two_windows() {
        let two = vec![1.0, 2.0];
        assert_eq!(of(&[two.clone(), two.clone()]), None);
        assert_eq!(of(&[two.clone(), two.clone(), vec![1.0]]), None);
        assert_eq!(of(&[two.clone(), two.clone(), vec![1.0, f64::NAN]]), None);
        assert_eq!(of(&[two.clone(), two.clone(), vec![1.0, 0.0]]), None);
        let same = of(&[two.clone(), two.clone(), two]).unwrap();
        assert_eq!((same.between, same.p_value), (0.0, 1.0));
        let constant = of(&[vec![2.0; 3], vec![2.0; 3], vec![2.0; 3]]).unwrap();
        assert_eq!(
            (constant.within, constant.p_value, constant.interval_95),
            (0.0, 1.0, (2.0, 2.0))
        );
        let exact = of(&[vec![2.0; 3], vec![3.0; 3], vec![4.0; 3]]).unwrap();
        assert_eq!((exact.within, exact.p_value), (0.0, 0.0));
    }

    #[test]
    fn mean_and_next_start_are_covered_and_no_effect_is_seldom_seen() {
        const DRAWS: u32 = 2000;
        for (between, within) in [(0.0, 0.02), (0.01, 0.02), (0.05, 0.01)] {
            for (k, n) in [(3, 6), (6, 3)] {
                let mut noise = Noise(k * 1000 + n);
                let (mut mean, mut next, mut seen) = (0u32, 0u32, 0u32);
                for _ in 0..DRAWS {
                    let start = |noise: &mut Noise| -> Vec<f64> {
                        let level = 1000.0 * (1.0 + between * noise.draw());
                        (0..n).map(|_| level + 1000.0 * within * noise.draw()).collect()
                    };
                    let groups: Vec<Vec<f64>> = (0..k).map(|_| start(&mut noise)).collect();
                    let found = of(&groups).unwrap();
                    let another = start(&mut noise).iter().sum::<f64>() / n as f64;
                    let within = |(low, high): (f64, f64), x: f64| low <= x && x <= high;
                    mean += u32::from(within(found.interval_95, 1000.0));
                    next += u32::from(within(found.next_95, another));
                    seen += u32::from(found.p_value < 0.05);
                }
                // Of 2000 draws at 95 %, six standard errors are 58.
                for covered in [mean, next] {
                    assert!((1842..=1958).contains(&covered), "{between} {k}×{n}: {covered}");
                }
                if between == 0.0 {
                    assert!((42..=158).contains(&seen), "{k}×{n}: {seen}");
                } else if between > within {
                    assert!(seen > DRAWS * 9 / 10, "{k}×{n}: {seen}");
                }
            }
        }
    }
}
