//! Pictures of a calibration's windows: percentile curves at several rates beside the limit, latency over time at the
//! answer, reads with and without what ran beside them.

use narrows_model::{Calibration, Measurement, Metric, Run, Validity, condition, metric};
use narrows_stats::Recorder;

use super::charts::{latencies, percentile_points};
use super::names::{LabelPosition, spot};
use super::svg::{Picture, Scale};
use crate::calibration::{exact_time, percentile, windows};
use crate::document::Svg;
use crate::print::{rate, time};

const WIDTH: f64 = 520.0;
const HEIGHT: f64 = 280.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 436.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 246.0;
/// More lines than these cannot be told apart.
const MOST_LINES: usize = 4;
/// More repeats than these make a grey cloud.
const MOST_REPEATS: usize = 6;

/// A named line through points of (abscissa, ns).
pub(super) struct NamedLine {
    /// At its end.
    pub name: String,
    /// Whether it is what the picture is about.
    pub strong: bool,
    /// By abscissa.
    pub points: Vec<(f64, f64)>,
}

/// The open-loop windows of the load itself that may be drawn; what ran beside it has a rate of its own.
fn usable<'a>(run: &'a Run, c: &'a Calibration) -> impl Iterator<Item = &'a Measurement> {
    let other = |m: &Measurement| m.id.ends_with(".log") || m.id.ends_with(".together");
    let open = |m: &Measurement| m.text(condition::LOOP) == Some("open");
    windows(run, c).filter(move |m| m.validity != Validity::Invalid && open(m) && !other(m))
}

fn asked(m: &Measurement) -> Option<f64> {
    m.value(metric::ASKED_RATE)
        .or(m.value(metric::THROUGHPUT))
        .filter(|rate| rate.is_finite() && *rate > 0.0)
}

/// Percentile curves: what the answer rests on, and windows far from it.
pub(super) fn percentiles(run: &Run, c: &Calibration) -> Option<Svg> {
    let mut lines: Vec<(f64, bool, NamedLine)> = usable(run, c)
        .filter_map(|m| {
            let mut all = Recorder::new();
            latencies(m, "latency").iter().for_each(|repeat| all.merge(repeat));
            let rests = c.rests_on(&m.id);
            let points = percentile_points(&all);
            let asked = asked(m)?;
            let kept = c.rate_per_s.is_some_and(|rate| (asked / rate - 1.0).abs() < 0.01);
            (points.len() > 1).then(|| {
                (asked, rests, NamedLine { name: rate(asked), strong: rests && kept, points })
            })
        })
        .collect();
    lines.sort_by(|a, b| a.0.total_cmp(&b.0));
    let lines = spread(lines);
    let nines = lines.iter().flat_map(|l| l.points.last()).map(|p| p.0).fold(1.0, f64::max);
    let x = Scale::linear(0.0, nines, LEFT, RIGHT);
    let label = format!("latency by percentile at several rates of {}", c.goal.what);
    let mut picture = frame(&label, &lines, c)?;
    let y = picture.1;
    let mut mark = |nine: f64, label: &str| {
        if nine <= nines + 1e-9 {
            picture.0.line("grid", x.at(nine), TOP, x.at(nine), BOTTOM);
            picture.0.words("xtick", x.at(nine), BOTTOM + 17.0, label);
        }
    };
    mark(-(0.5f64.log10()), "50");
    for (nine, label) in ["90", "99", "99.9", "99.99", "99.999"].iter().enumerate() {
        mark((nine + 1) as f64, label);
    }
    let sought = -(1.0 - c.goal.quantile).max(1e-9).log10();
    if sought.is_finite() && sought <= nines {
        picture.0.line("target", x.at(sought), TOP, x.at(sought), BOTTOM);
    }
    picture.0.words("mid", (LEFT + RIGHT) / 2.0, BOTTOM + 32.0, "percentile, on a scale of nines");
    draw(&mut picture.0, &lines, c, &x, &y, false);
    Some(picture.0.finish("chart", false))
}

/// At most [`MOST_LINES`]: those that the answer rests on first, then the lowest, the highest, the middle. By rate.
fn spread(mut lines: Vec<(f64, bool, NamedLine)>) -> Vec<NamedLine> {
    while lines.len() > MOST_LINES {
        // The one whose neighbours are nearest says least.
        let gap = |i: usize| (lines[i + 1].0 / lines[i - 1].0).ln();
        let inner = (1..lines.len() - 1).filter(|i| !lines[*i].1);
        let least = inner.min_by(|a, b| gap(*a).total_cmp(&gap(*b)));
        match least {
            Some(i) => drop(lines.remove(i)),
            None => drop(lines.pop()),
        }
    }
    lines.into_iter().map(|(_, _, line)| line).collect()
}

/// Latency over the windows that the answer rests on: mean of each slice and the longest in it.
pub(super) fn over_time(run: &Run, c: &Calibration) -> Option<Svg> {
    let m = usable(run, c)
        .find(|m| c.rests_on(&m.id) && m.series.iter().any(|s| s.name == metric::LATENCY_MEAN))?;
    let lines = |name: Metric| -> Vec<NamedLine> {
        let of_name =
            m.series.iter().filter(|s| s.name == name && s.x.is_empty() && s.interval_ns > 0);
        of_name
            .take(MOST_REPEATS)
            .map(|s| {
                let t = |i: usize| (s.t0_ns as f64 + (i as f64 + 0.5) * s.interval_ns as f64) / 1e9;
                let points = s.values.iter().enumerate().map(|(i, ns)| (t(i), *ns)).collect();
                NamedLine { name: String::new(), strong: false, points }
            })
            .collect()
    };
    let (means, longest) = (lines(metric::LATENCY_MEAN), lines(metric::LATENCY_MAX));
    let last = means.iter().flat_map(|l| l.points.last()).map(|p| p.0).fold(0.0, f64::max);
    if last <= 0.0 || means.iter().all(|line| line.points.len() < 2) {
        return None;
    }
    let x = Scale::linear(0.0, last * 1.02, LEFT, RIGHT);
    let label = format!("latency over time at the answer of {}", c.goal.what);
    let all: Vec<&NamedLine> = means.iter().chain(&longest).collect();
    let (mut picture, y) = frame_of(&label, &all, c)?;
    for tick in x.ticks() {
        let label = match (tick * 1e9).round() as u64 {
            0 => "0".to_string(),
            ns => exact_time(ns),
        };
        picture.words("xtick", x.at(tick), BOTTOM + 17.0, &label);
    }
    picture.words("mid", (LEFT + RIGHT) / 2.0, BOTTOM + 32.0, "time since the window began");
    for (lines, class, name) in [(&means, "c1", "mean"), (&longest, "c2", "longest")] {
        for line in lines.iter() {
            picture.path(&format!("curve thinner {class}"), &place(line, &x, &y));
        }
        let ends = lines.iter().flat_map(|line| place(line, &x, &y).last().copied());
        if let Some(end) = ends.map(|(_, height)| height).min_by(f64::total_cmp) {
            picture.words(&format!("start {class}word"), RIGHT + 6.0, end + 4.0, name);
        }
    }
    Some(picture.finish("chart", false))
}

/// p99 of each kind of operation against its rate.
pub(super) fn interference(lines: &[NamedLine], c: &Calibration) -> Option<Svg> {
    let last = lines.iter().flat_map(|l| &l.points).map(|p| p.0).fold(0.0, f64::max);
    let x = Scale::linear(0.0, last * 1.04, LEFT, RIGHT);
    let (mut picture, y) = frame("p99 with and without what runs beside", lines, c)?;
    for tick in x.ticks() {
        picture.words("xtick", x.at(tick), BOTTOM + 17.0, &rate(tick));
    }
    picture.words("mid", (LEFT + RIGHT) / 2.0, BOTTOM + 32.0, "operations of that kind per second");
    draw(&mut picture, lines, c, &x, &y, true);
    Some(picture.finish("chart", false))
}

fn frame(label: &str, lines: &[NamedLine], c: &Calibration) -> Option<(Picture, Scale)> {
    frame_of(label, &lines.iter().collect::<Vec<_>>(), c)
}

/// Grid, latency axis and limit around these lines; `None` where there is nothing to draw.
fn frame_of(label: &str, lines: &[&NamedLine], c: &Calibration) -> Option<(Picture, Scale)> {
    let limit = c.goal.limit_ns.max(1) as f64;
    let all = || {
        lines.iter().flat_map(|l| &l.points).map(|p| p.1).filter(|ns| ns.is_finite() && *ns > 0.0)
    };
    if all().count() < 2 {
        return None;
    }
    let y = Scale::log(
        all().fold(limit, f64::min) * 0.7,
        all().fold(limit, f64::max) * 1.4,
        BOTTOM,
        TOP,
    );
    let mut picture = Picture::new(WIDTH, HEIGHT, label);
    for tick in y.ticks() {
        picture.line("grid", LEFT, y.at(tick), RIGHT, y.at(tick));
        picture.words("ytick", LEFT - 8.0, y.at(tick) + 4.0, &time(tick));
    }
    picture.line("axis", LEFT, BOTTOM, RIGHT, BOTTOM);
    picture.words("start", 8.0, TOP - 12.0, "latency, from scheduled start");
    picture.line("target", LEFT, y.at(limit), RIGHT, y.at(limit));
    let name = format!("{} limit {}", percentile(c.goal.quantile), exact_time(c.goal.limit_ns));
    picture.words("start", LEFT + 6.0, y.at(limit) - 5.0, &name);
    Some((picture, y))
}

fn place(line: &NamedLine, x: &Scale, y: &Scale) -> Vec<(f64, f64)> {
    let drawable = |p: &&(f64, f64)| p.0.is_finite() && p.1.is_finite() && p.1 > 0.0;
    line.points.iter().filter(drawable).map(|(a, b)| (x.at(*a), y.at(*b))).collect()
}

/// Lines with their names; the strong ones stand out.
fn draw(
    picture: &mut Picture,
    lines: &[NamedLine],
    c: &Calibration,
    x: &Scale,
    y: &Scale,
    dots: bool,
) {
    let placed: Vec<Vec<(f64, f64)>> = lines.iter().map(|line| place(line, x, y)).collect();
    let limit = y.at(c.goal.limit_ns.max(1) as f64);
    let mut obstacles = placed.clone();
    obstacles.push(vec![(LEFT, limit), (RIGHT, limit)]);
    let mut taken: Vec<LabelPosition> = Vec::new();
    let mut others = ["c0", "c2", "c3", "c4"].into_iter().cycle();
    for (line, points) in lines.iter().zip(&placed) {
        let class = if line.strong { "c1" } else { others.next().unwrap_or("c0") };
        picture.path(&format!("curve {class}"), points);
        if dots {
            for ((at, height), (abscissa, ns)) in points.iter().zip(&line.points) {
                let title = format!("{} {}: {}", line.name, rate(*abscissa), time(*ns));
                picture.dot(&format!("point {class}"), *at, *height, 2.6, &title);
            }
        }
        if let Some(end) = points.last() {
            let spot = spot(*end, &line.name, &obstacles, &taken);
            picture.words(&format!("start {class}word"), spot.left, spot.baseline, &line.name);
            taken.push(spot);
        }
    }
}
