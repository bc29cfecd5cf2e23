//! Memory: latency by footprint and beside others' reads, as curves, and each node's as a map.

use narrows_model::{Measurement, Run, Unit, Validity};
use narrows_units::significant;

use super::heat;
use super::names::spot;
use super::svg::{Picture, Scale};
use crate::document::{Block, Svg};
use crate::memory::{cells, loaded, medians};
use crate::print::{Units, size, time};
use crate::report::Report;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 330.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = 840.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 288.0;

/// Id, name at the line's end, how it is drawn.
const CURVES: [(&str, &str, &str); 2] =
    [("memory.curve.4k", "4 KiB pages", "c1"), ("memory.curve.2m", "2 MiB pages", "c0")];

/// Name, how it is drawn, and its points.
type Curve<'a> = (&'a str, &'a str, Vec<(f64, f64)>);

/// All pictures that the run has figures for.
pub(crate) fn figures(report: &Report) -> Vec<Block> {
    let [latencies, reads] = cells(&report.run);
    let per_s = |bytes| report.units.quantity(bytes, Unit::BytesPerS);
    let pictures = [
        (
            "Latency by footprint",
            "dependent loads in random order over that many bytes; a dot is the median of the repeats",
            by_footprint(&report.run),
        ),
        (
            "Latency beside other traffic",
            "the same beyond all caches, while other CPUs read, or read and write, at a pace",
            beside_loads(&report.run, report.units),
        ),
        (
            "Latency of each node's memory",
            "ns, from the CPUs of each node; darker is slower",
            heat::picture("latency by nodes", &latencies, true, |ns| significant(ns, 3)),
        ),
        (
            "Read bandwidth of each node's memory",
            "by all CPUs of a node; darker is lower",
            heat::picture("bandwidth by nodes", &reads, false, per_s),
        ),
    ];
    let drawn = pictures.into_iter().filter_map(|(name, what, svg)| Some((name, what, svg?)));
    drawn.map(|(name, what, svg)| Block::figure(name, what, svg)).collect()
}

/// Sizes and the median of what a load took there, ns.
fn curve(m: &Measurement) -> Vec<(f64, f64)> {
    let Some(first) = m.series.first() else { return Vec::new() };
    let points = first.x.iter().enumerate().filter_map(|(at, bytes)| {
        let values: Vec<f64> = m.series.iter().filter_map(|s| s.values.get(at).copied()).collect();
        Some((*bytes, narrows_stats::median(&values)?))
    });
    points.filter(|(_, ns)| ns.is_finite() && *ns > 0.0).collect()
}

fn by_footprint(run: &Run) -> Option<Svg> {
    let found: Vec<Curve<'_>> = CURVES
        .iter()
        .filter_map(|(id, name, class)| {
            let m = run.measurement(id).filter(|m| m.validity != Validity::Invalid)?;
            Some((*name, *class, curve(m))).filter(|(_, _, points)| points.len() > 1)
        })
        .collect();
    let all = || found.iter().flat_map(|(_, _, points)| points.iter());
    let bytes = |pick: fn(f64, f64) -> f64, from: f64| all().map(|p| p.0).fold(from, pick);
    let ns = |pick: fn(f64, f64) -> f64, from: f64| all().map(|p| p.1).fold(from, pick);
    all().next()?;
    let x = Scale::log(bytes(f64::min, f64::MAX), bytes(f64::max, 0.0) * 1.3, LEFT, RIGHT);
    let y = Scale::log(ns(f64::min, f64::MAX) * 0.7, ns(f64::max, 0.0) * 1.5, BOTTOM, TOP);
    let mut picture = Picture::new(WIDTH, HEIGHT, "latency of a load by footprint");
    for tick in y.ticks() {
        picture.line("grid", LEFT, y.at(tick), RIGHT, y.at(tick));
        picture.words("ytick", LEFT - 8.0, y.at(tick) + 4.0, &time(tick));
    }
    let (least, most) = (bytes(f64::min, f64::MAX), bytes(f64::max, 0.0));
    let mut tick = 4096.0f64;
    while tick <= most {
        if tick >= least {
            picture.words("xtick", x.at(tick), BOTTOM + 17.0, &size(tick));
        }
        tick *= 8.0;
    }
    picture.line("axis", LEFT, BOTTOM, RIGHT, BOTTOM);
    picture.words("mid", (LEFT + RIGHT) / 2.0, BOTTOM + 34.0, "footprint");
    picture.words("start", 8.0, 12.0, "a load");
    for (level, bytes) in caches(run) {
        if (least..=most).contains(&bytes) {
            picture.line("chosen", x.at(bytes), TOP, x.at(bytes), BOTTOM);
            let name = format!("cache {level}, {}", size(bytes));
            picture.words("mid", x.at(bytes), TOP - 8.0, &name);
        }
    }
    draw(&mut picture, &found, (&x, &y), |point| format!("{}: {}", size(point.0), time(point.1)));
    Some(picture.finish("chart", false))
}

/// Level and size of the caches that hold data, each level once.
fn caches(run: &Run) -> Vec<(u32, f64)> {
    let caches = run.platform().map(|p| p.caches.as_slice()).unwrap_or_default();
    let mut found: Vec<(u32, f64)> = caches
        .iter()
        .filter(|cache| cache.kind != "Instruction")
        .map(|cache| (cache.level, cache.size_bytes as f64))
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    found.dedup_by_key(|(level, _)| *level);
    found
}

fn beside_loads(run: &Run, units: Units) -> Option<Svg> {
    let points = |m| -> Vec<(f64, f64)> {
        let all = medians(m).into_iter().map(|(_, bytes, ns)| (bytes, ns));
        all.filter(|(bytes, ns)| bytes.is_finite() && ns.is_finite() && *ns > 0.0).collect()
    };
    let of_load = |(at, (what, m))| (what, ["c0", "c1"][at], points(m));
    let mut curves: Vec<Curve<'_>> = loaded(run).enumerate().map(of_load).collect();
    curves.retain(|(_, _, points)| points.len() >= 2);
    if curves.is_empty() {
        return None;
    }
    let most = |pick: fn(&(f64, f64)) -> f64| {
        curves.iter().flat_map(|(_, _, points)| points).map(pick).fold(0.0, f64::max)
    };
    let x = Scale::linear(0.0, most(|p| p.0) * 1.05, LEFT, RIGHT);
    let y = Scale::linear(0.0, most(|p| p.1) * 1.1, BOTTOM, TOP);
    let mut picture = Picture::new(WIDTH, HEIGHT, "latency of a load beside others' traffic");
    for tick in y.ticks() {
        picture.line("grid", LEFT, y.at(tick), RIGHT, y.at(tick));
        picture.words("ytick", LEFT - 8.0, y.at(tick) + 4.0, &time(tick));
    }
    for tick in x.ticks_about(8.0) {
        let words = units.quantity(tick, Unit::BytesPerS);
        picture.words("xtick", x.at(tick), BOTTOM + 17.0, &words);
    }
    picture.line("axis", LEFT, BOTTOM, RIGHT, BOTTOM);
    picture.words("mid", (LEFT + RIGHT) / 2.0, BOTTOM + 34.0, "traffic of the others");
    picture.words("start", 8.0, 12.0, "a load");
    draw(&mut picture, &curves, (&x, &y), |point| {
        format!("{}: {}", units.quantity(point.0, Unit::BytesPerS), time(point.1))
    });
    Some(picture.finish("chart", false))
}

/// A line through each set of points, named at its end; what a dot says is up to `title`.
fn draw(
    picture: &mut Picture,
    curves: &[Curve<'_>],
    (x, y): (&Scale, &Scale),
    title: impl Fn(&(f64, f64)) -> String,
) {
    let placed: Vec<Vec<(f64, f64)>> = curves
        .iter()
        .map(|(_, _, points)| points.iter().map(|p| (x.at(p.0), y.at(p.1))).collect())
        .collect();
    let mut taken = Vec::new();
    for ((name, class, points), line) in curves.iter().zip(&placed) {
        picture.path(&format!("curve {class}"), line);
        for (point, at) in points.iter().zip(line) {
            let words = format!("{name} {}", title(point));
            picture.dot(&format!("point {class}"), at.0, at.1, 2.8, words.trim());
        }
        if let Some(end) = line.last().filter(|_| !name.is_empty()) {
            let spot = spot(*end, name, &placed, &taken);
            picture.words(&format!("start {class}word"), spot.left, spot.baseline, name);
            taken.push(spot);
        }
    }
}
