//! Whether the largest of many differences is more than what labels give that are dealt at random.
//!
//! A grid has columns (a rate), in each the same rows (what ran beside it), the first of them the base, and in each cell a value for every
//! round. Of twenty cells that don't differ from their base one will lie above it in all of three rounds by chance, so the largest
//! difference needs a test of its own: how often it is reached when the rows' labels are dealt anew, column by column and
//! round by round (so that a drift from round to round touches all rows alike). The test is exact for any distribution, as long as
//! rows of one column in one round may be exchanged where nothing differs (Westfall & Young 1993, the maximum statistic).
//!
//! A difference is counted in the scatter of its column: a column near saturation, where windows differ by a factor, would hide a
//! small and certain difference in a quiet one.

use crate::bootstrap::Draws;
use crate::median;

/// Fewest rounds of a cell.
pub const FEWEST_ROUNDS: usize = 3;
/// Deals of the labels.
const DEALS: u64 = 1999;
/// Scatter that is taken for granted, as a share: below it values are equal.
const RESOLUTION: f64 = 0.01;

/// A column: by row, the base first, a positive value for each round.
pub type Rows = Vec<Vec<f64>>;

/// The chance that the largest difference above a base is as large or larger where no row differs; `None` where no cell of any column
/// has all of its values above all of its base's, or a column has rows of different length, fewer than [`FEWEST_ROUNDS`], or
/// values that are not positive.
pub fn largest_above_base_p(columns: &[Rows]) -> Option<f64> {
    let sound = |rows: &Rows| {
        let rounds = rows.first().map_or(0, Vec::len);
        let positive = |value: &f64| value.is_finite() && *value > 0.0;
        rounds >= FEWEST_ROUNDS
            && rows.iter().all(|row| row.len() == rounds && row.iter().all(positive))
    };
    if !columns.iter().all(sound) {
        return None;
    }
    let mut dealt: Vec<Rows> = columns.iter().map(centred).collect();
    let largest =
        |columns: &[Rows]| columns.iter().filter_map(|rows| largest(rows)).reduce(f64::max);
    let seen = largest(&dealt)?;
    let mut draws = Draws::new(1);
    let mut as_large = 1;
    for _ in 0..DEALS {
        dealt.iter_mut().for_each(|rows| deal(rows, &mut draws));
        as_large += u64::from(largest(&dealt).is_some_and(|found| found >= seen));
    }
    Some(as_large as f64 / (DEALS + 1) as f64)
}

/// Logarithms, less the mean of their round: what a round adds to all rows alike is no scatter.
fn centred(rows: &Rows) -> Rows {
    let mean = |round: usize| {
        rows.iter().map(|row| row[round].ln()).sum::<f64>() / rows.len().max(1) as f64
    };
    let means: Vec<f64> = (0..rows.first().map_or(0, Vec::len)).map(mean).collect();
    let of =
        |row: &Vec<f64>| row.iter().zip(&means).map(|(value, mean)| value.ln() - mean).collect();
    rows.iter().map(of).collect()
}

/// The largest difference of a column in its scatter, of rows that lie wholly above the base.
fn largest(rows: &[Vec<f64>]) -> Option<f64> {
    let (base, others) = rows.split_first()?;
    let highest = base.iter().copied().reduce(f64::max)?;
    let middle = median(base)?;
    let scatter = scatter(rows)? + RESOLUTION;
    let above = others.iter().filter(|row| row.iter().all(|value| *value > highest));
    above.filter_map(|row| Some((median(row)? - middle) / scatter)).reduce(f64::max)
}

/// The typical range of a row.
fn scatter(rows: &[Vec<f64>]) -> Option<f64> {
    let range = |row: &Vec<f64>| {
        let (low, high) = row
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)));
        high - low
    };
    median(&rows.iter().map(range).collect::<Vec<f64>>())
}

/// Deals the values of each round anew to the rows.
fn deal(rows: &mut [Vec<f64>], draws: &mut Draws) {
    for round in 0..rows[0].len() {
        for left in (1..rows.len()).rev() {
            let other = draws.below(left as u64 + 1) as usize;
            let kept = rows[left][round];
            rows[left][round] = rows[other][round];
            rows[other][round] = kept;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Noise;

    const GRIDS: usize = 200;

    /// Five rates, four streams beside reads, three rounds, as `narrows block interference` has them: the scatter grows towards
    /// the ceiling, and every round has a drift of its own. `factor` makes a cell slower.
    fn grid(noise: &mut Noise, factor: impl Fn(usize, usize) -> f64) -> Vec<Rows> {
        let drifts: Vec<f64> = (0..3).map(|_| (0.1 * noise.draw()).exp()).collect();
        [0.02, 0.05, 0.1, 0.2, 0.8]
            .iter()
            .enumerate()
            .map(|(column, scatter)| {
                let row = |row: usize| -> Vec<f64> {
                    let value = |drift: &f64| {
                        1e5 * drift * factor(column, row) * (scatter * noise.draw()).exp()
                    };
                    drifts.iter().map(value).collect()
                };
                (0..5).map(row).collect()
            })
            .collect()
    }

    /// What was said before: any cell that lies wholly above its base.
    fn any_above(columns: &[Rows]) -> bool {
        columns.iter().any(|rows| largest(&centred(rows)).is_some())
    }

    #[test]
    fn of_grids_in_which_nothing_differs_at_most_one_in_twenty_is_told_to_differ() {
        let mut noise = Noise(11);
        let (mut told, mut before) = (0, 0);
        for _ in 0..GRIDS {
            let columns = grid(&mut noise, |_, _| 1.0);
            told += usize::from(largest_above_base_p(&columns).is_some_and(|p| p <= 0.05));
            before += usize::from(any_above(&columns));
        }
        println!("{told} of {GRIDS} grids told to differ; {before} by cells that lie above");
        // 10 are expected; 18 or more have a chance of 1 in 100.
        assert!(told < 18, "{told} of {GRIDS}");
        assert!(before * 2 > GRIDS, "the rule before told {before} of {GRIDS}");
    }

    #[test]
    fn what_differs_is_told() {
        let mut noise = Noise(12);
        let mut told = |factor: fn(usize, usize) -> f64| {
            let p = |columns: Vec<Rows>| largest_above_base_p(&columns);
            let found = (0..50).filter(|_| p(grid(&mut noise, factor)).is_some_and(|p| p <= 0.05));
            found.count()
        };
        // Two of the streams make reads half as slow again at all rates; one doubles them at one.
        let two = told(|_, row| if row > 2 { 1.5 } else { 1.0 });
        let one = told(|column, row| if (column, row) == (0, 4) { 2.0 } else { 1.0 });
        println!("{two} and {one} of 50");
        assert!(two >= 48 && one >= 40, "{two} and {one} of 50");
    }

    #[test]
    fn what_cannot_be_tested_has_no_chance() {
        let flat = |value: f64| vec![vec![vec![value; 3]; 4]];
        assert_eq!(largest_above_base_p(&flat(1.0)), None, "nothing lies above");
        assert_eq!(largest_above_base_p(&flat(0.0)), None);
        assert_eq!(largest_above_base_p(&[vec![vec![1.0, 1.0], vec![2.0, 2.0]]]), None);
        assert_eq!(largest_above_base_p(&[vec![vec![1.0; 3], vec![2.0; 4]]]), None);
        assert_eq!(largest_above_base_p(&[]), None);
    }
}
