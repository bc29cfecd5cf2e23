//! Places for the log beside each other: prediction and measurement with their intervals as a picture.

use narrows_model::{CommitFigure, Comparison, DurabilityWord, Placement, Validity};

use crate::chart::svg::{Picture, Scale};
use crate::document::{Block, Svg};
use crate::log::held;
use crate::print::rate;

const WIDTH: f64 = 1030.0;
const LEFT: f64 = 330.0;
const RIGHT: f64 = 850.0;
const TOP: f64 = 22.0;
const ROW: f64 = 58.0;
/// Prediction and measurement lie so far from the middle of a row.
const ASIDE: f64 = 10.0;
const CAP: f64 = 4.0;
/// Characters of a folder that fit beside the picture.
const NAME: usize = 44;
/// Rates further apart than this need a logarithmic scale.
const FAR: f64 = 30.0;

/// Rates predicted and measured; `None` where none is known.
pub(crate) fn block(comparison: &Comparison) -> Option<Block> {
    let how = "predicted above, measured below, each with its 95 % interval; the first location is the one on which the workload was measured";
    Some(Block::figure("Commits per second", how, picture(comparison)?))
}

fn usable(place: &Placement) -> bool {
    place.validity != Validity::Invalid
}

/// What is said of a place; of the first one the emulation is all there is to predict.
fn commit_figures(comparison: &Comparison, place: &Placement) -> [Option<CommitFigure>; 2] {
    let first = comparison.placements.first().is_some_and(|first| first.name == place.name);
    let drawable = |figure: &CommitFigure| figure.rate_per_s.is_finite() && figure.rate_per_s > 0.0;
    let predicted = place.predicted.filter(|_| !first);
    let measured = place.measured.as_ref().map(|measured| measured.commits);
    [predicted, measured].map(|figure| figure.filter(|figure| usable(place) && drawable(figure)))
}

/// Rate and ends of the interval.
fn ends(figure: &CommitFigure) -> impl Iterator<Item = f64> {
    let interval = figure.interval_95.as_ref().map(|i| [i.low, i.high]);
    std::iter::once(figure.rate_per_s).chain(interval.into_iter().flatten())
}

/// The picture; `None` where no rate is known.
fn picture(comparison: &Comparison) -> Option<Svg> {
    let places = &comparison.placements;
    let all = || {
        let own = places.iter().flat_map(|place| commit_figures(comparison, place)).flatten();
        let figures = own.chain(comparison.ceiling);
        figures.flat_map(|f| ends(&f).collect::<Vec<_>>()).filter(|v| v.is_finite() && *v > 0.0)
    };
    let (low, high) = (all().min_by(f64::total_cmp)?, all().max_by(f64::total_cmp)?);
    let x = if high / low > FAR {
        Scale::log(low * 0.8, high * 1.1, LEFT, RIGHT)
    } else {
        Scale::linear(0.0, high * 1.05, LEFT, RIGHT)
    };
    let bottom = TOP + places.len() as f64 * ROW;
    let mut picture = Picture::new(
        WIDTH,
        bottom + 38.0,
        "commits per second on each location, predicted and measured",
    );
    for tick in x.ticks_about(6.0) {
        picture.line("grid", x.at(tick), TOP, x.at(tick), bottom);
        picture.words("xtick", x.at(tick), bottom + 16.0, &rate(tick));
    }
    picture.words("mid", (LEFT + RIGHT) / 2.0, bottom + 32.0, "commits per second");
    if let Some(ceiling) = comparison.ceiling.map(|c| c.rate_per_s).filter(|rate| *rate > 0.0) {
        let at = x.at(ceiling);
        picture.line("edge", at, TOP, at, bottom);
        let name = format!("with fsync off {}", rate(ceiling));
        picture.words("end", at + 4.0, TOP - 6.0, &name);
    }
    for (i, place) in places.iter().enumerate() {
        let top = TOP + i as f64 * ROW;
        picture.line("grid", 0.0, top, WIDTH, top);
        name(&mut picture, place, top);
        if !usable(place) {
            picture.words("start badword", LEFT + 5.0, top + ROW / 2.0, "invalid");
        }
        let figures = commit_figures(comparison, place);
        let forms = [("predicted", "c2", -ASIDE), ("measured", "c0", ASIDE)];
        for (figure, (word, class, off)) in figures.into_iter().zip(forms) {
            let Some(figure) = figure else { continue };
            let held = if word == "measured" { verdict(place) } else { String::new() };
            one(&mut picture, &figure, (word, class, &held), &x, top + ROW / 2.0 + off);
        }
    }
    Some(picture.finish("chart", false))
}

fn name(picture: &mut Picture, place: &Placement, top: f64) {
    let mark = if place.validity == Validity::Suspect { " ?" } else { "" };
    let folder = format!("{}{mark}  {}", place.name, place.folder);
    picture.words("start strongword", 0.0, top + 20.0, &short(&folder));
    picture.words("start", 0.0, top + 35.0, &short(&place.file_system));
    let class = if place.in_memory || place.durability == DurabilityWord::Refuted {
        "start badword"
    } else {
        "start"
    };
    picture.words(class, 0.0, top + 50.0, &durability(place));
}

/// The beginning of what is too long; the table has all of it.
fn short(name: &str) -> String {
    if name.chars().count() <= NAME {
        return name.to_string();
    }
    let start: String = name.chars().take(NAME - 1).collect();
    format!("{start}…")
}

fn durability(place: &Placement) -> String {
    match place.durability {
        _ if place.in_memory => "not durable".to_string(),
        word => format!("durability {}", word.words()),
    }
}

/// Whether the proof confirms the prediction.
fn verdict(place: &Placement) -> String {
    match held(place) {
        "" => String::new(),
        word => format!(": {word}"),
    }
}

fn one(
    picture: &mut Picture,
    figure: &CommitFigure,
    (word, class, held): (&str, &str, &str),
    x: &Scale,
    y: f64,
) {
    let at = x.at(figure.rate_per_s);
    let mut right = at + 4.0;
    if let Some(i) = figure.interval_95.as_ref().filter(|i| i.low.is_finite() && i.high.is_finite())
    {
        let (low, high) = (x.at(i.low).max(LEFT), x.at(i.high));
        let range = format!("range {class}");
        picture.line(&range, low, y, high, y);
        picture.line(&range, low, y - CAP, low, y + CAP);
        picture.line(&range, high, y - CAP, high, y + CAP);
        right = right.max(high);
    }
    let title = format!("{word}: {}", rate(figure.rate_per_s));
    picture.dot(&format!("point {class}"), at, y, 3.6, &title);
    picture.words(
        &format!("start {class}word"),
        right + 6.0,
        y + 4.0,
        &format!("{word} {}{held}", rate(figure.rate_per_s)),
    );
}
