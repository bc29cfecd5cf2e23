//! Distributions of latency on two logarithmic scales, alone and beside the load, with their humps.
//!
//! A drive that answers in 130 µs and every hundredth time in 2 ms has two humps: a mean says neither, and the second is what
//! sessions wait for.

use narrows_model::Validity;
use narrows_stats::{LogBins, Mode, Recorder};

use crate::chart::charts::latencies;
use crate::chart::svg::{Picture, Scale};
use crate::document::{Figure, Svg};
use crate::log::StepRow;
use crate::print::{percent, time};
use crate::report::Report;

const WIDTH: f64 = 340.0;
const HEIGHT: f64 = 200.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 330.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 168.0;
/// Shares below this are not drawn.
const LEAST: f64 = 1e-5;

/// One state of a step.
struct Spread {
    bins: LogBins,
    count: u64,
}

impl Spread {
    fn modes(&self) -> Vec<Mode> {
        self.bins.modes()
    }

    /// Middle of each bin and its share of all.
    fn shares(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let all = self.count.max(1) as f64;
        self.bins.points().map(move |(ns, count)| (ns, count / all))
    }

    /// `one hump at 130 µs`, `humps at 130 µs (97 %) and 1.50 ms (3.0 %)`.
    fn sentence(&self) -> String {
        let modes = self.modes();
        match modes.as_slice() {
            [one] => format!("one hump at {}", time(one.at_ns)),
            several => {
                let said = |mode: &Mode| format!("{} ({})", time(mode.at_ns), percent(mode.share));
                format!("humps at {}", several.iter().map(said).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// A picture for each step, with its humps in words.
pub(crate) fn spreads(report: &Report) -> Vec<Figure> {
    report.ladder.iter().filter_map(|row| one(report, row)).collect()
}

fn one(report: &Report, row: &StepRow) -> Option<Figure> {
    let [alone, beside] = ["alone", "beside"].map(|state| spread(report, row, state));
    let svg = picture(row, alone.as_ref(), beside.as_ref())?;
    let said = |word: &str, spread: &Option<Spread>| {
        spread.as_ref().map(|spread| format!("{word} {}", spread.sentence()))
    };
    let parts: Vec<String> =
        [said("alone", &alone), said("beside", &beside)].into_iter().flatten().collect();
    Some(Figure::new(row.name.as_str(), parts.join("; "), svg))
}

/// All repeats of a step in one state together; `None` where they are invalid or kept no distribution.
fn spread(report: &Report, row: &StepRow, state: &str) -> Option<Spread> {
    let m = report.run.measurement(&format!("log.ladder.{}.{state}", row.step))?;
    if m.validity == Validity::Invalid {
        return None;
    }
    let mut all = Recorder::new();
    latencies(m, "latency").iter().for_each(|repeat| all.merge(repeat));
    Some(Spread { bins: LogBins::of(&all)?, count: all.count() })
}

fn picture(row: &StepRow, alone: Option<&Spread>, beside: Option<&Spread>) -> Option<Svg> {
    let both = || [alone, beside].into_iter().flatten();
    let points = || both().flat_map(Spread::shares).filter(|(_, share)| *share > 0.0);
    let first = points().map(|(ns, _)| ns).min_by(f64::total_cmp)?;
    let last = points().map(|(ns, _)| ns).max_by(f64::total_cmp)?;
    let most = points().map(|(_, share)| share).max_by(f64::total_cmp)?;
    let fewest = both().map(|spread| 1.0 / spread.count.max(1) as f64).min_by(f64::total_cmp)?;
    let half = LogBins::width().sqrt();
    let x = Scale::log(first / half, last * half, LEFT, RIGHT);
    let y = Scale::log(fewest.max(LEAST) * 0.7, most * 1.3, BOTTOM, TOP);
    let mut picture = Picture::new(WIDTH, HEIGHT, &format!("distribution of {}", row.name));
    for tick in apart(y.ticks(), &y, 15.0) {
        picture.line("grid", LEFT, y.at(tick), RIGHT, y.at(tick));
        picture.words("ytick", LEFT - 6.0, y.at(tick) + 3.5, &share(tick));
    }
    let whole = x.ticks().into_iter().filter(|tick| x.at(*tick) <= RIGHT - 16.0).collect();
    for tick in apart(whole, &x, 46.0) {
        picture.words("xtick", x.at(tick), BOTTOM + 15.0, &time(tick));
    }
    for (spread, class) in [(alone, "hump"), (beside, "curve c2 thinner")] {
        let Some(spread) = spread else { continue };
        let outline = outline(spread, (&x, &y), half);
        if class == "hump" {
            picture.area(class, &outline);
        } else {
            picture.path(class, &outline);
        }
    }
    picture.line("axis", LEFT, BOTTOM, RIGHT, BOTTOM);
    for (spread, class, height) in [(alone, "c0", TOP - 12.0), (beside, "c2", TOP)] {
        let Some(spread) = spread else { continue };
        for mode in spread.modes().iter().filter(|_| spread.modes().len() > 1) {
            let at = x.at(mode.at_ns);
            picture.line(&format!("range dashed {class}"), at, height + 3.0, at, BOTTOM);
            picture.words(&format!("mid {class}word"), at, height, &percent(mode.share));
        }
    }
    Some(picture.finish("chart", false))
}

/// Those of the ticks that have room for their words.
fn apart(ticks: Vec<f64>, scale: &Scale, room: f64) -> Vec<f64> {
    let mut kept: Vec<f64> = Vec::new();
    for tick in ticks {
        if kept.last().is_none_or(|last| (scale.at(tick) - scale.at(*last)).abs() >= room) {
            kept.push(tick);
        }
    }
    kept
}

/// `1 %`, `0.01 %`.
fn share(share: f64) -> String {
    format!("{} %", narrows_units::significant(share * 100.0, 1))
}

/// The tops of the bins from left to right, with both ends on the axis; what is less than one operation lies on it too.
fn outline(spread: &Spread, (x, y): (&Scale, &Scale), half: f64) -> Vec<(f64, f64)> {
    let floor = (1.0 / spread.count.max(1) as f64).max(LEAST) * 0.7;
    let mut points: Vec<(f64, f64)> = Vec::new();
    for (ns, share) in spread.shares() {
        let height = y.at(share.max(floor)).clamp(TOP, BOTTOM);
        let (from, to) = (x.at(ns / half), x.at(ns * half));
        if points.is_empty() {
            points.push((from, BOTTOM));
        }
        points.extend([(from, height), (to, height)]);
    }
    if let Some(last) = points.last().copied() {
        points.push((last.0, BOTTOM));
    }
    points
}
