//! Commits of a flush against the rate of commits: sessions that commit again at once, arrivals on a schedule, and the law.

use super::{Named, draw};
use crate::chart::svg::{Picture, Scale};
use crate::document::Svg;
use crate::log::SharingPoint;
use crate::print::{count, rate};

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 330.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = 740.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 290.0;

/// The picture; `None` with fewer than two points.
pub(super) fn picture(points: &[SharingPoint]) -> Option<Svg> {
    if points.len() < 2 {
        return None;
    }
    let last = points.iter().map(|p| p.rate_per_s).fold(0.0, f64::max);
    let highest = |p: &SharingPoint| {
        // The law of sessions isn't drawn.
        let law = p.law.filter(|_| p.sessions.is_none());
        p.commits_per_flush.max(law.unwrap_or(0.0))
    };
    let most = points.iter().map(highest).fold(1.0, f64::max);
    let x = Scale::linear(0.0, last * 1.05, LEFT, RIGHT);
    let y = Scale::log(0.8, most * 1.3, BOTTOM, TOP);
    let mut picture = Picture::new(WIDTH, HEIGHT, "commits per flush against the rate of commits");
    for tick in y.ticks() {
        picture.line("grid", LEFT, y.at(tick), RIGHT, y.at(tick));
        picture.words("ytick", LEFT - 8.0, y.at(tick) + 4.0, &count(tick));
    }
    for tick in x.ticks_about(8.0) {
        picture.words("xtick", x.at(tick), BOTTOM + 17.0, &rate(tick));
    }
    picture.line("axis", LEFT, BOTTOM, RIGHT, BOTTOM);
    picture.words("mid", (LEFT + RIGHT) / 2.0, BOTTOM + 34.0, "commits per second");
    picture.words("start", 8.0, 12.0, "commits per flush");
    let (mut closed, open): (Vec<&SharingPoint>, Vec<&SharingPoint>) =
        points.iter().partition(|point| point.sessions.is_some());
    // Beyond their most, more sessions give less: the line turns back.
    closed.sort_by(|a, b| a.sessions.unwrap_or(0.0).total_cmp(&b.sessions.unwrap_or(0.0)));
    let at = |p: &SharingPoint, n: f64| (x.at(p.rate_per_s), y.at(n));
    let measured = |points: &[&SharingPoint]| -> Vec<(f64, f64)> {
        points.iter().map(|p| at(p, p.commits_per_flush)).collect()
    };
    let law: Vec<(f64, f64)> = open.iter().filter_map(|p| Some(at(p, p.law?))).collect();
    let lines = [
        Named { name: "arriving", class: "c1", points: measured(&open) },
        Named { name: "by the law", class: "c2", points: law },
        Named { name: "sessions", class: "c0", points: measured(&closed) },
    ];
    draw(&mut picture, &lines);
    dots(&mut picture, &lines[0], &open);
    dots(&mut picture, &lines[2], &closed);
    numbers(&mut picture, &lines[2].points, &closed);
    Some(picture.finish("chart", false))
}

fn dots(picture: &mut Picture, line: &Named<'_>, points: &[&SharingPoint]) {
    for ((at, height), point) in line.points.iter().zip(points) {
        let of = point
            .sessions
            .map_or_else(|| "arriving".to_string(), |n| format!("{} sessions", count(n)));
        let title = format!(
            "{of}, {}: {} per flush",
            rate(point.rate_per_s),
            count(point.commits_per_flush)
        );
        picture.dot(&format!("point {}", line.class), *at, *height, 2.8, &title);
    }
}

/// Below each point of the closed loop how many sessions it had.
fn numbers(picture: &mut Picture, line: &[(f64, f64)], points: &[&SharingPoint]) {
    for ((at, height), point) in line.iter().zip(points) {
        if let Some(n) = point.sessions {
            picture.words("start c0word", at + 3.0, height + 15.0, &count(n));
        }
    }
}
