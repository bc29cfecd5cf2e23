//! Latency against rate: the curve, the limit, where the crossing lies, the knee, the ceiling.
//!
//! Lines carry their names at their ends; the limit and the rates are labelled lines. A rate whose queue grew has no
//! latency: it is a cross at the upper edge.

use narrows_model::{Calibration, CurvePoint};

use super::names::spot;
use super::svg::{Picture, Scale};
use crate::calibration::{exact_time, percentile};
use crate::document::Svg;
use crate::print::{rate, time};

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 350.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = 840.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 308.0;

type Pick = fn(&CurvePoint) -> Option<f64>;
/// Name, place in the curve, how it is drawn.
const LINES: [(&str, Pick, &str); 3] = [
    ("p50", |p| p.latency_p50_ns, "c0"),
    ("p99", |p| p.latency_p99_ns, "c1"),
    ("p99.9", |p| p.latency_p999_ns, "c2"),
];

fn drawable(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite() && *value > 0.0)
}

/// The picture; `None` with fewer than two rates that have a latency.
pub(super) fn rate_chart(c: &Calibration) -> Option<Svg> {
    let mut points: Vec<&CurvePoint> =
        c.curve.iter().filter(|p| drawable(Some(p.asked_per_s)).is_some()).collect();
    points.sort_by(|a, b| a.asked_per_s.total_cmp(&b.asked_per_s));
    let steady: Vec<&CurvePoint> = points.iter().copied().filter(|p| p.bounded).collect();
    let all =
        || steady.iter().flat_map(|p| LINES.iter().filter_map(|(_, pick, _)| drawable(pick(p))));
    if all().count() < 2 {
        return None;
    }
    let limit = c.goal.limit_ns.max(1) as f64;
    let alone = drawable(c.alone_ns);
    let low = all().chain(alone).fold(limit, f64::min);
    let high = all().fold(limit, f64::max);
    let last = points.iter().map(|p| p.asked_per_s).fold(0.0, f64::max);
    // The ceiling is drawn where it doesn't squeeze the curve.
    let ceiling = drawable(c.ceiling_per_s).filter(|ceiling| *ceiling < last * 1.6);
    let x = Scale::linear(0.0, ceiling.unwrap_or(0.0).max(last) * 1.04, LEFT, RIGHT);
    let y = Scale::log(low * 0.7, high * 1.5, BOTTOM, TOP);
    let label = format!("latency against rate of {}", c.goal.what);
    let mut picture = Picture::new(WIDTH, HEIGHT, &label);
    axes(&mut picture, &x, &y);
    answer(&mut picture, c, &x);
    if let Some(knee) = drawable(c.knee_per_s).filter(|knee| *knee <= last) {
        picture.line("chosen", x.at(knee), TOP, x.at(knee), BOTTOM);
        picture.words("mid", x.at(knee), TOP - 8.0, &format!("knee {}", rate(knee)));
    }
    if let Some(ceiling) = ceiling {
        picture.line("edge", x.at(ceiling), TOP, x.at(ceiling), BOTTOM);
        picture.words("mid", x.at(ceiling), TOP - 8.0, &format!("ceiling {}", rate(ceiling)));
    }
    picture.line("target", LEFT, y.at(limit), RIGHT, y.at(limit));
    let name = format!("{} limit {}", percentile(c.goal.quantile), exact_time(c.goal.limit_ns));
    picture.words("start", LEFT + 6.0, y.at(limit) - 5.0, &name);
    if let Some(alone) = alone {
        picture.dot("dot", x.at(0.0), y.at(alone), 4.0, &format!("QD1: {}", time(alone)));
        // Beside the median's line, on the side where it isn't.
        let median = steady.iter().find_map(|point| drawable(point.latency_p50_ns));
        let below = median.is_none_or(|median| median >= alone);
        let height = y.at(alone) + if below { 17.0 } else { -8.0 };
        picture.words("start", LEFT + 6.0, height, &format!("alone {}", time(alone)));
    }
    lines(&mut picture, &steady, limit, &x, &y);
    for point in points.iter().filter(|point| !point.bounded) {
        let (at, size) = (x.at(point.asked_per_s), 5.0);
        let top = TOP + 8.0;
        picture.line("cross", at - size, top - size, at + size, top + size);
        picture.line("cross", at - size, top + size, at + size, top - size);
    }
    Some(picture.finish("chart", false))
}

fn axes(picture: &mut Picture, x: &Scale, y: &Scale) {
    for tick in y.ticks() {
        picture.line("grid", LEFT, y.at(tick), RIGHT, y.at(tick));
        picture.words("ytick", LEFT - 8.0, y.at(tick) + 4.0, &time(tick));
    }
    for tick in x.ticks_about(8.0) {
        picture.words("xtick", x.at(tick), BOTTOM + 17.0, &rate(tick));
    }
    picture.line("axis", LEFT, BOTTOM, RIGHT, BOTTOM);
    picture.words("mid", (LEFT + RIGHT) / 2.0, BOTTOM + 34.0, "operations per second, offered");
    picture.words("start", 8.0, 12.0, "latency, from scheduled start");
}

/// The answer as a line and the crossing as a band.
fn answer(picture: &mut Picture, c: &Calibration, x: &Scale) {
    let Some(per_s) = drawable(c.answer_per_s()) else { return };
    if let Some(i) = c.interval_95.as_ref().filter(|i| i.low.is_finite() && i.high.is_finite()) {
        let (from, to) = (x.at(i.low), x.at(i.high).min(RIGHT));
        picture.bar("band", from, TOP, to - from, BOTTOM - TOP);
    }
    picture.line("answerline", x.at(per_s), TOP, x.at(per_s), BOTTOM);
    picture.words("end strongword", x.at(per_s) - 5.0, TOP + 12.0, &rate(per_s));
}

fn lines(picture: &mut Picture, steady: &[&CurvePoint], limit: f64, x: &Scale, y: &Scale) {
    let mut placed: Vec<Vec<(f64, f64)>> = Vec::new();
    for (name, pick, class) in LINES {
        let plain: Vec<(f64, f64)> = steady
            .iter()
            .filter(|point| !point.sentinel)
            .filter_map(|point| Some((x.at(point.asked_per_s), y.at(drawable(pick(point))?))))
            .collect();
        picture.path(&format!("curve {class}"), &plain);
        for point in steady {
            if let Some(ns) = drawable(pick(point)) {
                let again = if point.sentinel { ", repeated to see drift" } else { "" };
                let title = format!("{} at {}: {}{again}", name, rate(point.asked_per_s), time(ns));
                let radius = if point.sentinel { 1.8 } else { 2.8 };
                picture.dot(
                    &format!("point {class}"),
                    x.at(point.asked_per_s),
                    y.at(ns),
                    radius,
                    &title,
                );
            }
        }
        placed.push(plain);
    }
    placed.push(vec![(LEFT, y.at(limit)), (RIGHT, y.at(limit))]);
    let mut taken = Vec::new();
    for (i, (name, _, class)) in LINES.into_iter().enumerate() {
        if let Some(end) = placed[i].last() {
            let spot = spot(*end, name, &placed, &taken);
            picture.words(&format!("start {class}word"), spot.left, spot.baseline, name);
            taken.push(spot);
        }
    }
}
