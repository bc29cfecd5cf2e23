//! Small pictures: shares of a limit, parts of a sum, latency by percentile, sweeps, time series, repeats.

use narrows_model::{Measurement, MetricValue, Series, Unit};
use narrows_stats::Recorder;

use super::fills::swatch;
use super::svg::{Picture, Scale};
use crate::document::Svg;
use crate::print::{Units, percent};
use crate::sum::SumPart;

const WIDTH: f64 = 340.0;
const HEIGHT: f64 = 190.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 330.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 164.0;
/// More repeats than these make a grey cloud that shows nothing more.
const MOST_REPEATS: usize = 12;

/// Achieved over limit as a bar; the whole width is the limit.
pub(crate) fn share_bar(share: f64) -> Svg {
    let mut picture = Picture::new(160.0, 12.0, &format!("{} of the limit", percent(share)));
    picture.bar("track", 0.0, 2.0, 160.0, 8.0);
    picture.bar(
        if share > 1.0 { "over" } else { "fill" },
        0.0,
        2.0,
        160.0 * share.clamp(0.0, 1.0),
        8.0,
    );
    picture.line("limit", 159.0, 0.0, 159.0, 12.0);
    picture.finish("sharebar", true)
}

/// The class that colours a part: the same name has the same colour in every sum.
pub(crate) fn part_class(name: &str) -> &'static str {
    const CLASSES: [(&str, &str); 7] = [
        ("CPU", "p0"),
        ("read", "p1"),
        ("flush", "p2"),
        ("lock", "p3"),
        ("run queue", "p4"),
        ("client", "p5"),
        ("other", "p6"),
    ];
    CLASSES.iter().find(|(word, _)| *word == name).map_or("p6", |(_, class)| class)
}

/// The parts of a sum as one bar; their names and figures stand in the list below it.
pub(crate) fn sum_bar(parts: &[SumPart]) -> Svg {
    let total: f64 = parts.iter().map(|p| p.ns_per_op.max(0.0)).sum();
    let mut picture = Picture::new(1000.0, 20.0, "parts of one operation's time");
    let mut x = 0.0;
    for part in parts {
        let width = if total > 0.0 { part.ns_per_op.max(0.0) / total * 1000.0 } else { 0.0 };
        picture.bar(part_class(&part.name), x, 0.0, (width - 2.0).max(0.5), 20.0);
        x += width;
    }
    picture.finish("sumbar", true)
}

/// Shares of a whole as one bar, and a sample of each fill.
pub(crate) fn part_bar(caption: &str, parts: &[(&str, f64)]) -> (Svg, [Svg; 3]) {
    const WIDTH: f64 = 1000.0;
    const FILLS: [&str; 3] = ["f0", "f1", "f2"];
    let said: Vec<String> =
        parts.iter().map(|(name, share)| format!("{name} {}", percent(*share))).collect();
    let mut picture = Picture::new(WIDTH, 20.0, &format!("{caption}: {}", said.join(", ")));
    let mut x = 0.0;
    for ((_, share), fill) in parts.iter().zip(FILLS) {
        let width = share * WIDTH;
        picture.bar(fill, x, 0.0, (width - 2.0).max(0.5), 20.0);
        x += width;
    }
    (picture.finish("partbar", true), FILLS.map(swatch))
}

/// What was due in a window and came back after it: part of an open loop's latency, kept apart in the run file.
pub(crate) const STRAGGLERS: &str = "latency_stragglers";

/// The histograms of that name that can be read, one per repeat, an open loop's with its stragglers.
pub(super) fn latencies(m: &Measurement, name: &str) -> Vec<Recorder> {
    let read = |name: &str, repeat: u32| {
        let found = m.histograms.iter().find(|h| h.name == name && h.repeat == repeat)?;
        Recorder::from_hdr_v2(&found.hdr_v2).ok()
    };
    let named = m.histograms.iter().filter(|h| h.name == name);
    named
        .filter_map(|h| {
            let mut all = Recorder::from_hdr_v2(&h.hdr_v2).ok()?;
            if name == "latency"
                && let Some(late) = read(STRAGGLERS, h.repeat)
            {
                all.merge(&late);
            }
            (all.count() > 0).then_some(all)
        })
        .collect()
}

/// Latency against percentile on a scale of nines, a thin line per repeat and a bold one for all together. A
/// curve ends where fewer than ten samples lie beyond. `None` without a readable histogram.
pub(crate) fn percentiles(m: &Measurement, name: &str, units: Units) -> Option<Svg> {
    let repeats = latencies(m, name);
    let mut all = Recorder::new();
    for recorder in &repeats {
        all.merge(recorder);
    }
    let bold = percentile_points(&all);
    let low = bold.first().map(|(_, ns)| *ns)?.max(1.0);
    let high = bold.iter().map(|(_, ns)| *ns).fold(low, f64::max);
    let nines = bold.last().map(|(u, _)| *u)?.max(1.0);
    let x = Scale::linear(0.0, nines, LEFT, RIGHT);
    let y = Scale::log(low * 0.8, high * 1.25, BOTTOM, TOP);
    let mut picture = Picture::new(WIDTH, HEIGHT, &format!("latency by percentile of {}", m.id));
    y_axis(&mut picture, &y, |v| units.quantity(v, Unit::Ns));
    let higher = ["90", "99", "99.9", "99.99", "99.999", "99.9999"].into_iter().enumerate();
    let marks: Vec<(f64, &str)> = [(0.0, "0"), (-(0.5f64.log10()), "50")]
        .into_iter()
        .chain(higher.map(|(nine, label)| ((nine + 1) as f64, label)))
        .filter(|(u, _)| *u <= nines + 1e-9)
        .collect();
    picture.lines("grid", marks.iter().map(|(u, _)| [x.at(*u), TOP, x.at(*u), BOTTOM]));
    for (u, label) in marks {
        picture.words("xtick", x.at(u), BOTTOM + 15.0, label);
    }
    let place = |points: &[(f64, f64)]| -> Vec<(f64, f64)> {
        points.iter().map(|(u, ns)| (x.at(*u), y.at(ns.max(low * 0.8).min(high * 1.25)))).collect()
    };
    if repeats.len() > 1 {
        let first = repeats.iter().take(MOST_REPEATS);
        let each: Vec<_> = first.map(|recorder| place(&percentile_points(recorder))).collect();
        picture.paths("thin", &each);
    }
    picture.path("bold", &place(&bold));
    Some(picture.finish("chart", false))
}

/// (nines, ns) up to the percentile that ten samples exceed.
pub(super) fn percentile_points(recorder: &Recorder) -> Vec<(f64, f64)> {
    const STEPS: usize = 48;
    let last = (recorder.count() as f64 / 10.0).log10().max(0.3);
    (0..=STEPS)
        .map(|i| last * i as f64 / STEPS as f64)
        .filter_map(|u| Some((u, recorder.quantile(1.0 - 10f64.powf(-u))? as f64)))
        .collect()
}

/// A sweep: the value at each depth, from zero.
pub(crate) fn sweep(sweeps: &[&Series], chosen: Option<f64>, units: Units) -> Option<Svg> {
    let points: Vec<(f64, f64)> = sweeps
        .iter()
        .flat_map(|s| s.x.iter().copied().zip(s.values.iter().copied()))
        .filter(|(x, y)| x.is_finite() && y.is_finite() && *x > 0.0)
        .collect();
    let low = points.iter().map(|p| p.0).fold(f64::INFINITY, f64::min);
    let high = points.iter().map(|p| p.0).fold(0.0, f64::max);
    if points.len() < 2 || high <= low {
        return None;
    }
    let top = points.iter().map(|p| p.1).fold(0.0, f64::max);
    let x = Scale::log(low, high, LEFT + 8.0, RIGHT - 8.0);
    let y = Scale::linear(0.0, top * 1.08, BOTTOM, TOP);
    let unit = sweeps[0].unit;
    let mut picture = Picture::new(WIDTH, HEIGHT, &format!("{} at each step", sweeps[0].name));
    y_axis(&mut picture, &y, |v| units.quantity(v, unit));
    let mut steps: Vec<f64> = points.iter().map(|p| p.0).collect();
    steps.sort_by(f64::total_cmp);
    steps.dedup();
    let stride = steps.len().div_ceil(8);
    for step in steps.iter().step_by(stride) {
        picture.words("xtick", x.at(*step), BOTTOM + 15.0, &crate::print::count(*step));
    }
    if let Some(chosen) = chosen.filter(|c| *c >= low && *c <= high) {
        picture.line("chosen", x.at(chosen), TOP, x.at(chosen), BOTTOM);
    }
    for series in sweeps {
        let line: Vec<(f64, f64)> =
            series.x.iter().zip(&series.values).map(|(a, b)| (x.at(*a), y.at(*b))).collect();
        picture.path(if sweeps.len() > 1 { "thin" } else { "bold" }, &line);
        for (a, b) in series.x.iter().zip(&series.values) {
            let title = format!("{}: {}", crate::print::count(*a), units.quantity(*b, unit));
            picture.dot("dot", x.at(*a), y.at(*b), 2.6, &title);
        }
    }
    Some(picture.finish("chart", false))
}

/// A quantity over the window, one line per repeat.
pub(crate) fn over_time(series: &[&Series], units: Units) -> Option<Svg> {
    let end_s = |s: &Series| (s.t0_ns + s.interval_ns * s.values.len() as u64) as f64 / 1e9;
    let last = series.iter().map(|s| end_s(s)).fold(0.0, f64::max);
    let all = || series.iter().flat_map(|s| s.values.iter().copied());
    let top = all().filter(|v| v.is_finite()).fold(0.0, f64::max);
    if series.iter().all(|s| s.values.len() < 2) || top <= 0.0 {
        return None;
    }
    let x = Scale::linear(0.0, last, LEFT, RIGHT);
    let y = Scale::linear(0.0, top * 1.08, BOTTOM, TOP);
    let unit = series[0].unit;
    let mut picture = Picture::new(WIDTH, HEIGHT, &format!("{} over time", series[0].name));
    y_axis(&mut picture, &y, |v| units.quantity(v, unit));
    for tick in x.ticks() {
        let label = format!("{} s", crate::print::count(tick));
        picture.words("xtick", x.at(tick), BOTTOM + 15.0, &label);
    }
    picture.plot([LEFT, TOP, RIGHT, BOTTOM], last, |picture| lines(picture, series, &x, &y));
    Some(picture.finish("chart", false))
}

/// A line for each series.
fn lines(picture: &mut Picture, series: &[&Series], x: &Scale, y: &Scale) {
    let line = |s: &&Series| -> Vec<(f64, f64)> {
        // A long series is thinned by averaging: 200 points are all that a picture this wide can show.
        let chunk = s.values.len().div_ceil(200).max(1);
        let chunks = s.values.chunks(chunk).enumerate().map(|(i, values)| {
            let middle = (i * chunk) as f64 + values.len() as f64 / 2.0;
            let t = (s.t0_ns as f64 + middle * s.interval_ns as f64) / 1e9;
            (x.at(t), y.at(values.iter().sum::<f64>() / values.len() as f64))
        });
        chunks.collect()
    };
    let each: Vec<_> = series.iter().take(MOST_REPEATS).map(line).collect();
    picture.paths(if series.len() > 1 { "thin strong" } else { "bold" }, &each);
}

/// One dot per repeat, the interval as a band, the median as a tick, beside median and interval in figures. `None` where all repeats
/// are alike.
pub(crate) fn repeats(metric: &MetricValue) -> Option<Svg> {
    let mut values = metric.samples.clone();
    values.push(metric.value);
    values.extend(metric.interval_95.iter().flat_map(|i| [i.low, i.high]));
    values.retain(|v| v.is_finite());
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if low >= high {
        return None;
    }
    let mut picture = Picture::ornament();
    // Repeats that agree must look so: the strip spans at least ±5 % around the middle.
    let middle = (low + high) / 2.0;
    let half = ((high - low) / 2.0).max(middle.abs() * 0.05).max(f64::MIN_POSITIVE);
    let x = Scale::linear(middle - half, middle + half, 5.0, 145.0);
    if let Some(i) = &metric.interval_95 {
        picture.across("b", x.at(i.low).round(), 7.0, (x.at(i.high) - x.at(i.low)).round());
    }
    picture.down("m", x.at(metric.value).round(), 1.0, 12.0);
    let finite = metric.samples.iter().filter(|sample| sample.is_finite());
    picture.dots("d", finite.map(|sample| x.at(*sample)), 7.0);
    Some(picture.finish("r", false))
}

fn y_axis(picture: &mut Picture, y: &Scale, label: impl Fn(f64) -> String) {
    let ticks = y.ticks();
    picture.lines("grid", ticks.iter().map(|tick| [LEFT, y.at(*tick), RIGHT, y.at(*tick)]));
    for tick in ticks {
        picture.words("ytick", LEFT - 6.0, y.at(tick) + 3.5, &label(tick));
    }
}
