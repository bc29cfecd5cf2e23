//! The commit log in pictures: the ladder, distributions, sessions, several logs on one device, places.

mod ladder;
pub(crate) mod places;
mod sessions;
mod sharing;
mod spreads;
mod steps;
mod streams;
mod waits;
mod ways;

pub(crate) use ladder::ladder;
pub(crate) use sessions::sessions;
pub(crate) use spreads::spreads;
pub(crate) use streams::streams;

use super::names::spot;
use super::svg::Picture;

/// A line of a picture, in pixels.
struct Named<'a> {
    name: &'a str,
    class: &'a str,
    points: Vec<(f64, f64)>,
}

/// Draws the lines, and at the end of each its name where it can be read.
fn draw(picture: &mut Picture, lines: &[Named<'_>]) {
    let placed: Vec<Vec<(f64, f64)>> = lines.iter().map(|line| line.points.clone()).collect();
    let mut taken = Vec::new();
    for line in lines {
        picture.path(&format!("curve {}", line.class), &line.points);
        if let Some(end) = line.points.last().filter(|_| line.points.len() > 1) {
            let spot = spot(*end, line.name, &placed, &taken);
            let class = format!("start {}word", line.class);
            picture.words(&class, spot.left, spot.baseline, line.name);
            taken.push(spot);
        }
    }
}
