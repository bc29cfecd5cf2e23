//! Whether a state was reached that lasts, and where the warm-up ends.

/// Rounds in SNIA's measurement window.
pub const SNIA_ROUNDS: usize = 5;
/// Largest range over the window, as a share of its mean.
pub const SNIA_RANGE: f64 = 0.20;
/// Largest rise or fall of the fitted line over the window, as a share of its mean.
pub const SNIA_SLOPE: f64 = 0.10;
/// Samples in each of MSER's batches.
const BATCH: usize = 5;
/// Fewest batches of which MSER can cut some and keep more.
const FEWEST_BATCHES: usize = 10;

/// What SNIA's criterion says of the last rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steady {
    /// Largest less smallest round, over the mean; infinite when there is nothing to divide.
    pub range_share: f64,
    /// Rise or fall of the least-squares line from first to last round, without sign, over the
    /// mean; infinite likewise.
    pub slope_share: f64,
    /// Five rounds, range at most 20 %, slope at most 10 %. False when there are fewer rounds: not
    /// shown is not attained.
    pub attained: bool,
}

/// SNIA's steady-state criterion on the last five of the given rounds.
///
/// Attained when the range is at most 20 % of the mean and the least-squares line moves by at most
/// 10 % of it. A convention, not a test of significance: five noisy rounds fail it without drift, a
/// slow drift passes it. It exists for five rounds; with two to four the two shares are given and
/// `attained` is false. A mean not above zero, or a round that is not finite, gives infinite
/// shares.
///
/// Source: SNIA *Solid State Storage Performance Test Specification* 2.0.2, definition 2.1.24; the
/// specification gives up, and says so, after 25 rounds. No round may be left out.
pub fn snia(rounds: &[f64]) -> Steady {
    let window = &rounds[rounds.len().saturating_sub(SNIA_ROUNDS)..];
    let n = window.len() as f64;
    let mean = window.iter().sum::<f64>() / n;
    // False for a mean that is not a number, too.
    let judged = window.len() >= 2 && mean > 0.0 && mean.is_finite();
    if !judged {
        return Steady { range_share: f64::INFINITY, slope_share: f64::INFINITY, attained: false };
    }
    let high = window.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let low = window.iter().copied().fold(f64::INFINITY, f64::min);
    let centre = (n - 1.0) / 2.0;
    let (mut rise, mut run) = (0.0, 0.0);
    for (i, y) in window.iter().enumerate() {
        rise += (i as f64 - centre) * (y - mean);
        run += (i as f64 - centre).powi(2);
    }
    let range_share = (high - low) / mean;
    let slope_share = (rise / run).abs() * (n - 1.0) / mean;
    // The limits are inclusive; rounding must not turn 20 % into more than 20 %.
    let within = |share: f64, limit: f64| share <= limit * (1.0 + 1e-12);
    let attained = window.len() == SNIA_ROUNDS
        && within(range_share, SNIA_RANGE)
        && within(slope_share, SNIA_SLOPE);
    Steady { range_share, slope_share, attained }
}

/// How many samples to cut from the start of a series so that the rest tells most about its mean:
/// MSER-5.
///
/// Of the means of batches of five, cut the d that minimises Σ(y − ȳ)² / (n − d)²: cutting warm-up
/// lowers the spread, cutting more than that loses samples. `Some(0)` says there is no warm-up to
/// see.
///
/// It exists from 50 samples (ten batches; a last batch that is not full is left out of the sum).
/// `None` for fewer, when a sample is not finite, and when the best cut takes half of the series or
/// more: then the series is warm-up, or drifts, to its end.
///
/// Source: White, *Simulation* 69, 1997 (MSER); White, Cobb & Spratt 2000 (batches of five); the
/// rejection in the second half as in Hoad, Robinson & Davies 2010, who also leave out the last five
/// batches as a start: few batches are alike by chance.
pub fn mser5(series: &[f64]) -> Option<usize> {
    if series.len() < BATCH * FEWEST_BATCHES || series.iter().any(|v| !v.is_finite()) {
        return None;
    }
    let batches: Vec<f64> =
        series.chunks_exact(BATCH).map(|b| b.iter().sum::<f64>() / BATCH as f64).collect();
    let n = batches.len();
    // From the end backwards, mean and squares grow by one batch each (Welford), which is stable
    // and linear.
    let (mut mean, mut squares, mut kept) = (0.0, 0.0, 0.0);
    let (mut best, mut best_cut) = (f64::INFINITY, 0);
    for cut in (0..n).rev() {
        kept += 1.0;
        let step = batches[cut] - mean;
        mean += step / kept;
        squares += step * (batches[cut] - mean);
        let score = squares / (kept * kept);
        // Equal scores go to the smaller cut, which comes later here.
        if cut + 5 <= n && score <= best {
            (best, best_cut) = (score, cut);
        }
    }
    (2 * best_cut < n).then_some(best_cut * BATCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snia_by_hand() {
        // Mean 100, range 20, line through the middle of a symmetric shape: slope 0.
        let edge = snia(&[90.0, 105.0, 110.0, 105.0, 90.0]);
        assert!((edge.range_share - 0.2).abs() < 1e-12 && edge.slope_share < 1e-12);
        assert!(edge.attained, "20 % is within");
        assert!(!snia(&[89.9, 105.0, 110.0, 105.0, 90.0]).attained, "more than 20 % is not");
        // A line from 95 to 105: slope share 10 % exactly; from 94 to 106: 12 %.
        let line = snia(&[95.0, 97.5, 100.0, 102.5, 105.0]);
        assert!((line.slope_share - 0.1).abs() < 1e-12 && line.attained);
        let steep = snia(&[94.0, 97.0, 100.0, 103.0, 106.0]);
        assert!((steep.slope_share - 0.12).abs() < 1e-12 && !steep.attained);
        assert!(steep.range_share < SNIA_RANGE, "only the slope fails here");
        // Falling counts as rising: slope −3 per round times 4.
        assert!((snia(&[106.0, 103.0, 100.0, 97.0, 94.0]).slope_share - 0.12).abs() < 1e-12);
    }

    #[test]
    fn snia_looks_at_the_last_five_rounds_only() {
        let rounds = [900.0, 500.0, 100.0, 101.0, 99.0, 100.0, 100.0];
        assert!(snia(&rounds).attained);
        assert!(!snia(&rounds[..6]).attained);
    }

    #[test]
    fn too_few_rounds_are_not_steady() {
        let four = snia(&[100.0; 4]);
        assert!(!four.attained && four.range_share == 0.0 && four.slope_share == 0.0);
        for rounds in [&[][..], &[5.0], &[0.0; 5], &[1.0, 1.0, f64::NAN, 1.0, 1.0], &[-1.0; 5]] {
            let steady = snia(rounds);
            assert!(!steady.attained && steady.range_share.is_infinite(), "{rounds:?}");
        }
    }

    /// The definition word for word.
    fn slow_mser5(series: &[f64]) -> Option<usize> {
        let batches: Vec<f64> = (0..series.len() / 5)
            .map(|b| series[b * 5..b * 5 + 5].iter().sum::<f64>() / 5.0)
            .collect();
        let n = batches.len();
        let score = |d: usize| {
            let kept = &batches[d..];
            let mean = kept.iter().sum::<f64>() / kept.len() as f64;
            kept.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / (kept.len() as f64).powi(2)
        };
        let best = (0..=n - 5).min_by(|a, b| score(*a).total_cmp(&score(*b)))?;
        (2 * best < n).then_some(best * 5)
    }

    /// A jagged series without a pattern that fits the batches.
    fn jagged(i: u32) -> f64 {
        f64::from(i.wrapping_mul(2_654_435_761) >> 16) / 65_536.0
    }

    #[test]
    fn mser_agrees_with_its_definition() {
        for length in [50, 53, 80, 200] {
            for warm in [0, 7, 20, 60, 150] {
                let series: Vec<f64> = (0..length)
                    .map(|i| jagged(i) + if i < warm { f64::from(warm - i) / 4.0 } else { 0.0 })
                    .collect();
                assert_eq!(mser5(&series), slow_mser5(&series), "length {length}, warm {warm}");
            }
        }
    }

    #[test]
    fn a_warm_up_is_cut_and_a_drift_refused() {
        let step: Vec<f64> =
            (0..200).map(|i| jagged(i) + if i < 40 { 10.0 } else { 0.0 }).collect();
        let cut = mser5(&step).unwrap();
        assert!((40..=60).contains(&cut), "{cut}");
        let drift: Vec<f64> = (0..200).map(f64::from).collect();
        assert_eq!(mser5(&drift), None);
        assert_eq!(mser5(&[3.0; 49]), None);
        assert_eq!(mser5(&[3.0; 50]), Some(0));
        let mut unknown = vec![3.0; 50];
        unknown[20] = f64::NAN;
        assert_eq!(mser5(&unknown), None);
    }
}
