//! Reads beside writes as a picture.

use super::names::spot;
use super::svg::{Picture, Scale};
use crate::document::{Block, Svg};
use crate::interference::{Interference, InterferenceRow};
use crate::print::{rate, time};

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = 640.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 336.0;
/// Half the width of a range's end.
const CAP: f64 = 4.0;
/// Alone first; then by pairs, light and heavy.
const CLASSES: [&str; 5] = ["c1", "c0", "c0 heavy", "c2", "c2 heavy"];

/// The picture, or why there is none.
pub(crate) fn block(grid: &Interference) -> Block {
    match picture(grid) {
        Some(svg) => Block::figure(
            "p99 of reads against their rate",
            "median of the windows, with the lowest and the highest; a cross is a rate whose queue grows",
            svg,
        ),
        None => Block::explanation("No picture: fewer than two cells have a p99."),
    }
}

/// p99 against rate, a line for each company; `None` with fewer than two points.
fn picture(grid: &Interference) -> Option<Svg> {
    let cells = || grid.rows.iter().flat_map(|row| &row.cells);
    if cells().filter(|cell| cell.p99_ns.is_some()).count() < 2 {
        return None;
    }
    let ends = || cells().filter_map(|cell| cell.range_ns.filter(|ends| ends.0 > 0.0));
    let low = ends().map(|ends| ends.0).fold(f64::INFINITY, f64::min);
    let high = ends().map(|ends| ends.1).fold(0.0, f64::max);
    let last = cells().map(|cell| cell.asked_per_s).fold(0.0, f64::max);
    let x = Scale::linear(0.0, last * 1.05, LEFT, RIGHT);
    let y = Scale::log(low * 0.7, high * 1.6, BOTTOM, TOP);
    let label = format!("p99 of {} against their rate, alone and beside writes", grid.what);
    let mut picture = Picture::new(WIDTH, HEIGHT, &label);
    for tick in y.ticks() {
        picture.line("grid", LEFT, y.at(tick), RIGHT, y.at(tick));
        picture.words("ytick", LEFT - 8.0, y.at(tick) + 4.0, &time(tick));
    }
    for tick in x.ticks_about(6.0) {
        picture.words("xtick", x.at(tick), BOTTOM + 17.0, &rate(tick));
    }
    picture.line("axis", LEFT, BOTTOM, RIGHT, BOTTOM);
    picture.words("mid", (LEFT + RIGHT) / 2.0, BOTTOM + 34.0, "reads per second, offered");
    picture.words("start", LEFT - 58.0, TOP - 12.0, "p99 of reads, from scheduled start");
    lines(&mut picture, grid, &x, &y);
    Some(picture.finish("chart", false))
}

fn lines(picture: &mut Picture, grid: &Interference, x: &Scale, y: &Scale) {
    let placed: Vec<Vec<(f64, f64)>> = grid
        .rows
        .iter()
        .map(|row| {
            let drawn = |cell: &crate::interference::InterferenceCell| {
                Some((x.at(cell.asked_per_s), y.at(cell.p99_ns?)))
            };
            row.cells.iter().filter_map(drawn).collect()
        })
        .collect();
    let mut taken = Vec::new();
    for (i, (row, points)) in grid.rows.iter().zip(&placed).enumerate() {
        let class = CLASSES[i % CLASSES.len()];
        picture.path(&format!("curve {class}"), points);
        // Ranges of several lines at one rate stand beside each other.
        let aside = (i as f64 - (grid.rows.len() as f64 - 1.0) / 2.0) * 3.0;
        points_of(picture, row, class, aside, x, y);
        if let Some(end) = points.last() {
            let name = if row.alone { "alone" } else { &row.beside };
            let spot = spot((RIGHT.min(end.0 + 4.0), end.1), name, &placed, &taken);
            let word = class.split(' ').next().unwrap_or("c0");
            picture.words(&format!("start {word}word"), spot.left, spot.baseline, name);
            taken.push(spot);
        }
    }
}

fn points_of(
    picture: &mut Picture,
    row: &InterferenceRow,
    class: &str,
    aside: f64,
    x: &Scale,
    y: &Scale,
) {
    for cell in &row.cells {
        let at = x.at(cell.asked_per_s);
        if let (Some(ns), Some((low, high))) = (cell.p99_ns, cell.range_ns) {
            let (low_y, high_y) = (y.at(low), y.at(high));
            let class = format!("range {class}");
            picture.line(&class, at + aside, low_y, at + aside, high_y);
            picture.line(&class, at + aside - CAP, low_y, at + aside + CAP, low_y);
            picture.line(&class, at + aside - CAP, high_y, at + aside + CAP, high_y);
            let title = format!(
                "{} beside {}: {}, {} to {}",
                rate(cell.asked_per_s),
                row.beside,
                time(ns),
                time(low),
                time(high)
            );
            picture.dot(
                &format!("point {}", class.trim_start_matches("range ")),
                at,
                y.at(ns),
                3.0,
                &title,
            );
        } else if cell.grows {
            let (at, top, size) = (at + aside, TOP + 6.0, 4.0);
            let class = format!("cross {}", class.split(' ').next().unwrap_or("c0"));
            picture.line(&class, at - size, top - size, at + size, top + size);
            picture.line(&class, at - size, top + size, at + size, top - size);
        }
    }
}
