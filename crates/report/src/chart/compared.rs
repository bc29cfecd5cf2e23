//! Sides beside each other: the change of each measurement on one scale, the runs of both sides on one scale, and a figure over time.

use narrows_compare::trend::Trend;
use narrows_compare::{Against, ComparedRow, Judgement, MetricPair};
use narrows_model::Interval;

use super::svg::{Picture, Scale};
use crate::document::{Figure, Svg};
use crate::print::{self, Units};

/// Two sides on one scale.
const STRIP_WIDTH: f64 = 340.0;
const STRIP_HEIGHT: f64 = 74.0;
/// A figure over time.
const TREND_HEIGHT: f64 = 150.0;
const LEFT: f64 = 58.0;
/// Changes beyond ± this are drawn at the edge: growth without a bound would squeeze all others.
const FARTHEST: f64 = 3.0;
/// Measurements with a picture of their runs; the table has all.
const MOST_STRIPS: usize = 24;

/// The change of every measurement with its interval, on one logarithmic scale on which twice and half are as far from no change.
pub(crate) fn changes(against: &Against) -> Option<Figure> {
    if against.rows.is_empty() {
        return None;
    }
    let ends = |pair: &MetricPair| {
        let Interval { low, high, .. } = pair.interval_95?;
        Some([low, high])
    };
    let all = against
        .rows
        .iter()
        .flat_map(|row| ends(&row.leading).into_iter().flatten().chain([row.leading.growth]));
    let farthest = all.map(|growth| factor(growth).ln().abs()).fold(0.1_f64.ln_1p(), f64::max);
    let both = [WIDE, NARROW].map(|frame| drawn(against, farthest, &frame));
    let mut figure = Figure::new(
        format!("{} against the first side", against.name),
        "a dot is the change of a measurement, the line its 95 % interval; what crosses the middle may be no change",
        Svg::of_both(both),
    );
    figure.wide = true;
    Some(figure)
}

/// Room for the changes.
struct Frame {
    width: f64,
    /// Of a measurement.
    row: f64,
    /// Where names end: before the scale, or, where they stand above their lines, at its end.
    names: f64,
    /// Where the scale begins.
    left: f64,
    /// How far names stand above their lines.
    above: f64,
}

const WIDE: Frame = Frame { width: 900.0, row: 18.0, names: 300.0, left: 310.0, above: -3.5 };
const NARROW: Frame = Frame { width: 340.0, row: 34.0, names: 330.0, left: 10.0, above: 9.0 };

fn drawn(against: &Against, farthest: f64, frame: &Frame) -> Svg {
    let rows = against.rows.len();
    let bottom = frame.row * (rows as f64 + 0.5);
    let x = Scale::linear(-farthest * 1.05, farthest * 1.05, frame.left, frame.width - 10.0);
    let label = format!("change of {rows} measurements against the first side");
    let mut picture = Picture::new(frame.width, bottom + 18.0, &label);
    let ticks = ticks(farthest);
    picture.lines(
        "grid",
        ticks.iter().map(|growth| {
            let at = x.at(factor(*growth).ln());
            [at, 4.0, at, bottom]
        }),
    );
    for growth in ticks {
        picture.words("xtick", x.at(factor(growth).ln()), bottom + 14.0, &print::change(growth));
    }
    picture.line("limit", x.at(0.0), 4.0, x.at(0.0), bottom);
    for (at, row) in against.rows.iter().enumerate() {
        let y = frame.row * (at as f64 + 1.0);
        picture.words("ytick", frame.names, y - frame.above, &short(&row.measurement));
        change(&mut picture, &x, y, row);
    }
    picture.finish("chart", false)
}

fn change(picture: &mut Picture, x: &Scale, y: f64, row: &ComparedRow) {
    let pair = &row.leading;
    let word = row.judgement.word();
    let at = |growth: f64| x.at(factor(growth).ln());
    if let Some(interval) = &pair.interval_95 {
        picture.line("interval", at(interval.low), y, at(interval.high), y);
    }
    let class = match row.judgement {
        Judgement::Better => "dot good",
        Judgement::Worse => "dot bad",
        Judgement::Equivalent | Judgement::Unresolved => "dot",
    };
    let interval = pair.interval_95.as_ref().map_or(String::new(), |interval| {
        format!(" ({} to {})", print::change(interval.low), print::change(interval.high))
    });
    let title = format!("{} {}{interval}: {word}", row.measurement, print::change(pair.growth));
    picture.dot(class, at(pair.growth), y, 4.0, &title);
}

/// New over old, as far as it is drawn.
fn factor(growth: f64) -> f64 {
    let edge = FARTHEST.exp();
    (1.0 + growth).clamp(1.0 / edge, edge)
}

/// Round changes inside the scale.
fn ticks(farthest: f64) -> Vec<f64> {
    const ROUND: [f64; 9] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 4.0, 9.0];
    let inside = |growth: &f64| factor(*growth).ln() <= farthest * 1.05;
    // Three of each side are enough to read by.
    let up: Vec<f64> = ROUND.into_iter().filter(inside).collect();
    let up = &up[up.len().saturating_sub(3)..];
    let down = up.iter().map(|growth| 1.0 / (1.0 + growth) - 1.0);
    down.chain([0.0]).chain(up.iter().copied()).collect()
}

/// The runs of both sides of each measurement on one scale.
pub(crate) fn strips(base: &str, against: &Against, units: Units) -> Vec<Figure> {
    let several =
        |row: &&ComparedRow| row.leading.base_runs.len() + row.leading.other_runs.len() > 2;
    let rows = against.rows.iter().filter(several).take(MOST_STRIPS);
    rows.filter_map(|row| strip(base, &against.name, row, units)).collect()
}

fn strip(base: &str, other: &str, row: &ComparedRow, units: Units) -> Option<Figure> {
    let pair = &row.leading;
    let values =
        || pair.base_runs.iter().chain(&pair.other_runs).copied().filter(|v| v.is_finite());
    let low = values().fold(f64::INFINITY, f64::min);
    let high = values().fold(f64::NEG_INFINITY, f64::max);
    if !(low > 0.0 && high.is_finite()) {
        return None;
    }
    // From zero, so that lengths compare; where all lie close together, around them.
    let from = if low > high * 0.5 { low - (high - low).max(high * 0.02) } else { 0.0 };
    let x = Scale::linear(from, high + (high - from) * 0.05, 70.0, STRIP_WIDTH - 8.0);
    let what = format!("{} {}", row.measurement, pair.metric.replace('_', " "));
    let mut picture =
        Picture::new(STRIP_WIDTH, STRIP_HEIGHT, &format!("runs of both sides: {what}"));
    let ticks = x.ticks_about(3.0);
    picture.lines("grid", ticks.iter().map(|tick| [x.at(*tick), 4.0, x.at(*tick), 54.0]));
    for tick in ticks {
        picture.words("xtick", x.at(tick), 68.0, &units.quantity(tick, pair.unit));
    }
    for (name, runs, mean, y) in
        [(base, &pair.base_runs, pair.base, 18.0), (other, &pair.other_runs, pair.other, 42.0)]
    {
        picture.words("ytick", 62.0, y + 3.5, name);
        picture.line("limit", x.at(mean), y - 9.0, x.at(mean), y + 9.0);
        for run in runs.iter().filter(|run| run.is_finite()) {
            picture.dot("dot", x.at(*run), y, 3.0, &units.quantity(*run, pair.unit));
        }
    }
    let caption = format!("{what}: {}", print::change(pair.growth));
    Some(Figure::new(caption, "a dot is a run, the tick the mean", picture.finish("chart", false)))
}

/// A figure over all runs, with its levels.
pub(crate) fn trend(trend: &Trend, units: Units) -> Option<Svg> {
    let values = || trend.points.iter().map(|point| point.value).filter(|value| value.is_finite());
    let high = values().fold(f64::NEG_INFINITY, f64::max);
    if trend.points.len() < 2 || !high.is_finite() {
        return None;
    }
    let low = values().fold(f64::INFINITY, f64::min);
    let from = if low > high * 0.5 { low - (high - low).max(high * 0.02) } else { low.min(0.0) };
    let last = trend.points.len() as f64 - 1.0;
    let x = Scale::linear(0.0, last, LEFT, STRIP_WIDTH - 10.0);
    let y = Scale::linear(from, high + (high - from) * 0.08, TREND_HEIGHT - 24.0, 8.0);
    let label = format!("{} {} over {} runs", trend.measurement, trend.metric, trend.points.len());
    let mut picture = Picture::new(STRIP_WIDTH, TREND_HEIGHT, &label);
    let ticks = y.ticks();
    picture.lines(
        "grid",
        ticks.iter().map(|tick| [LEFT, y.at(*tick), STRIP_WIDTH - 10.0, y.at(*tick)]),
    );
    for tick in ticks {
        picture.words("ytick", LEFT - 6.0, y.at(tick) + 3.5, &units.quantity(tick, trend.unit));
    }
    let day = |at: usize| trend.points[at].started_at.get(..10).unwrap_or_default().to_string();
    picture.words("xtick", LEFT + 24.0, TREND_HEIGHT - 8.0, &day(0));
    picture.words("xtick", STRIP_WIDTH - 40.0, TREND_HEIGHT - 8.0, &day(trend.points.len() - 1));
    for change in &trend.changes {
        if let Some(at) = trend.points.iter().position(|point| point.run == change.run) {
            let between = x.at(at as f64 - 0.5);
            picture.line("limit", between, 8.0, between, TREND_HEIGHT - 24.0);
        }
    }
    for (at, point) in trend.points.iter().enumerate().filter(|(_, point)| point.value.is_finite())
    {
        let title =
            format!("{} {}: {}", point.run, day(at), units.quantity(point.value, trend.unit));
        picture.dot("dot", x.at(at as f64), y.at(point.value), 2.5, &title);
    }
    Some(picture.finish("chart", false))
}

/// The end of a long id says more than its beginning.
fn short(id: &str) -> String {
    const MOST: usize = 46;
    let letters: Vec<char> = id.chars().collect();
    if letters.len() <= MOST {
        return id.to_string();
    }
    let end: String = letters[letters.len() - MOST + 1..].iter().collect();
    format!("…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_and_half_are_as_far_from_no_change() {
        assert!((factor(1.0).ln() + factor(-0.5).ln()).abs() < 1e-12);
        assert_eq!(factor(f64::INFINITY), FARTHEST.exp());
        let ticks = ticks(0.7);
        assert_eq!(ticks.len(), 7, "{ticks:?}");
        assert!(ticks.contains(&0.0) && ticks.contains(&0.5), "{ticks:?}");
    }

    #[test]
    fn long_ids_keep_their_end() {
        let long = format!("{}.random.8k", "a".repeat(60));
        assert!(short(&long).ends_with(".random.8k") && short(&long).chars().count() == 46);
        assert_eq!(short("block.read"), "block.read");
    }
}
