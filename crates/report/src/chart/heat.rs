//! A matrix as a picture: a cell for each pair of nodes, darker where it is slower or narrower, with its value in it.

use std::collections::BTreeSet;

use super::svg::Picture;
use crate::document::Svg;
use crate::memory::Cells;

/// Steps of darkness, by their classes in the style sheet.
const STEPS: usize = 6;
/// Of a cell, pixels; values are left out of smaller ones.
const LARGEST: f64 = 62.0;
const WRITTEN: f64 = 30.0;
const MOST: f64 = 860.0;
const LEFT: f64 = 74.0;
const TOP: f64 = 40.0;

/// The picture; `worse` says whether more is worse. `None` where there is no matrix.
pub(super) fn picture(
    label: &str,
    cells: &Cells,
    more_is_worse: bool,
    print: impl Fn(f64) -> String,
) -> Option<Svg> {
    let from: Vec<u32> =
        cells.keys().map(|(from, _)| *from).collect::<BTreeSet<_>>().into_iter().collect();
    let to: Vec<u32> =
        cells.keys().map(|(_, to)| *to).collect::<BTreeSet<_>>().into_iter().collect();
    if from.len() < 2 && to.len() < 2 {
        return None;
    }
    let least = cells.values().copied().reduce(f64::min)?;
    let most = cells.values().copied().reduce(f64::max)?;
    let side = ((MOST - LEFT) / to.len().max(1) as f64).min(LARGEST);
    let (width, height) =
        (LEFT + side * to.len() as f64 + 8.0, TOP + side * from.len() as f64 + 8.0);
    let mut picture = Picture::new(width, height, label);
    picture.words("start", 4.0, 14.0, "CPUs of ↓  memory of →");
    for (column, node) in to.iter().enumerate() {
        let x = LEFT + side * (column as f64 + 0.5);
        picture.words("mid", x, TOP - 8.0, &format!("{node}"));
    }
    for (row, cpus) in from.iter().enumerate() {
        let y = TOP + side * row as f64;
        picture.words("ytick", LEFT - 10.0, y + side / 2.0 + 4.0, &format!("node {cpus}"));
        for (column, memory) in to.iter().enumerate() {
            let x = LEFT + side * column as f64;
            let Some(value) = cells.get(&(*cpus, *memory)).copied() else {
                let title = format!("from {cpus} to {memory}: not measured");
                picture.titled_bar("heatless", (x, y), (side - 2.0, side - 2.0), &title);
                continue;
            };
            let step = step(value, least, most, more_is_worse);
            let title = format!("from {cpus} to {memory}: {}", print(value));
            picture.titled_bar(&format!("heat{step}"), (x, y), (side - 2.0, side - 2.0), &title);
            if side >= WRITTEN {
                let words = print(value);
                let class = if step >= STEPS / 2 { "heatword dark" } else { "heatword" };
                picture.words(class, x + side / 2.0 - 1.0, y + side / 2.0 + 3.0, &words);
            }
        }
    }
    Some(picture.finish("heat", false))
}

/// The darkness of a value: by its place between the least and the most, as ratios.
fn step(value: f64, least: f64, most: f64, more_is_worse: bool) -> usize {
    let span = (most / least).ln();
    // What differs by less than a tenth is alike, and so is what can't be compared.
    if span.is_nan() || span <= 0.1 {
        return 0;
    }
    let place = (value / least).ln() / span;
    let place = if more_is_worse { place } else { 1.0 - place };
    ((place * STEPS as f64) as usize).min(STEPS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn darkness_goes_with_what_is_worse() {
        assert_eq!(step(80.0, 80.0, 160.0, true), 0);
        assert_eq!(step(160.0, 80.0, 160.0, true), STEPS - 1);
        assert_eq!(step(40e9, 40e9, 100e9, false), STEPS - 1);
        assert_eq!(step(100e9, 40e9, 100e9, false), 0);
        assert_eq!(step(84.0, 80.0, 84.0, true), 0, "no picture of noise");
    }

    #[test]
    fn every_cell_is_drawn_and_an_unmeasured_one_says_so() {
        let mut cells: Cells = [((0, 0), 80.0), ((0, 1), 140.0), ((1, 1), 82.0)].into();
        let drawn = picture("latency", &cells, true, |ns| format!("{ns:.0} ns")).unwrap();
        for part in ["140 ns", "80 ns", "from 1 to 0: not measured", "heat5"] {
            assert!(drawn.contains(part), "`{part}` is missing in {drawn}");
        }
        cells.retain(|cell, _| *cell == (0, 0));
        assert!(picture("latency", &cells, true, |ns| format!("{ns}")).is_none());
    }
}
