//! Places for the log beside each other: prediction and measurement with their intervals as a picture, all figures as tables.

use narrows_model::{CommitFigure, Comparison, DurabilityWord, Placement, Validity};

use super::figure;
use crate::html::escape::text;
use crate::html::svg::{Picture, Scale};
use crate::html::table;
use crate::log::{Tier, held, measured_over_predicted, tiers};
use crate::print::{half_width, percent, rate, time};
use crate::report::Report;

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

/// The section.
pub(super) fn section(report: &Report) -> String {
    let Some(comparison) = &report.run.comparison else { return String::new() };
    let sentences: String =
        comparison.sentences.iter().map(|s| format!("<p>{}</p>", text(s))).collect();
    let mut out = format!(
        "<section id=\"places\"><h2>Places for the log</h2><article class=\"answer\">{sentences}</article>"
    );
    if let Some(chart) = picture(comparison) {
        out += &figure(
            "Commits per second",
            "predicted above, measured below, each with its 95 % interval; the first place is the one on which the workload \
             was measured",
            &chart,
        );
    }
    out += &figures(comparison);
    out += &ladders(comparison);
    let tiers: String = tiers(comparison).iter().map(tier).collect();
    out + &tiers + "</section>"
}

fn usable(place: &Placement) -> bool {
    place.validity != Validity::Invalid
}

/// What is said of a place; of the first one the emulation is all there is to predict.
fn said(comparison: &Comparison, place: &Placement) -> [Option<CommitFigure>; 2] {
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
fn picture(comparison: &Comparison) -> Option<String> {
    let places = &comparison.placements;
    let all = || {
        let own = places.iter().flat_map(|place| said(comparison, place)).flatten();
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
        "commits per second on each place, predicted and measured",
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
        let figures = said(comparison, place);
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

/// Whether the sentence says the word already: `not durable by construction`.
fn repeats(place: &Placement) -> bool {
    place.durability_sentence.starts_with(&durability(place))
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

fn figures(comparison: &Comparison) -> String {
    let rows: Vec<Vec<String>> =
        comparison.placements.iter().map(|place| row(comparison, place)).collect();
    let headers = [
        "place",
        "write, flush>",
        "wait>",
        "emulated>",
        "predicted>",
        "± 95 %>",
        "measured>",
        "± 95 %>",
        "p99>",
        "measured ÷ predicted",
        "durability, remark",
    ];
    table(&headers, &rows)
}

fn row(comparison: &Comparison, place: &Placement) -> Vec<String> {
    let dash = || "-".to_string();
    let mark = match place.validity {
        Validity::Valid => "",
        Validity::Suspect => " <span class=\"mark\">?</span>",
        Validity::Invalid => " <span class=\"bad\">invalid</span>",
    };
    let ns = |ns: Option<f64>| ns.filter(|_| usable(place)).map_or_else(dash, time);
    let per_s = |f: Option<CommitFigure>| f.map_or_else(dash, |f| text(&rate(f.rate_per_s)));
    let half = |f: Option<CommitFigure>| {
        f.and_then(|f| half_width(f.interval_95.as_ref())).map_or_else(dash, percent)
    };
    let emulated = place.emulated.as_ref().filter(|_| usable(place));
    let [predicted, measured] = said(comparison, place);
    let mut remark = if repeats(place) {
        format!("<span class=\"strong\">{}</span>", text(&place.durability_sentence))
    } else {
        let (word, why) = (text(&durability(place)), text(&place.durability_sentence));
        format!("<span class=\"strong\">{word}</span>: {why}")
    };
    if let Some(reason) = &place.reason {
        remark += &format!("<br>{}", text(reason));
    }
    vec![
        format!(
            "<span class=\"strong\">{}</span>{mark}<br>{}<br><span class=\"soft\">{}</span>",
            text(&place.name),
            text(&place.folder),
            text(&place.file_system)
        ),
        ns(emulated.and_then(|e| e.parallel_write_ns)),
        ns(emulated.and_then(|e| e.log_file_sync_ns)),
        per_s(emulated.map(|e| e.commits)),
        format!("<span class=\"strong\">{}</span>", per_s(predicted)),
        half(predicted),
        format!("<span class=\"strong\">{}</span>", per_s(measured)),
        half(measured),
        ns(place.measured.as_ref().and_then(|m| m.latency_p99_ns)),
        [measured_over_predicted(place).unwrap_or_default(), held(place).to_string()].join(" "),
        remark,
    ]
}

/// The short ladders, a column for each place.
fn ladders(comparison: &Comparison) -> String {
    let places: Vec<&Placement> =
        comparison.placements.iter().filter(|place| usable(place)).collect();
    let mut rungs: Vec<&str> = Vec::new();
    for rung in places.iter().flat_map(|place| &place.ladder) {
        if !rungs.contains(&rung.rung.as_str()) {
            rungs.push(&rung.rung);
        }
    }
    if rungs.is_empty() {
        return String::new();
    }
    let names: Vec<String> = places.iter().map(|place| format!("{}>", place.name)).collect();
    let mut headers = vec!["rung, p50 and p99"];
    headers.extend(names.iter().map(String::as_str));
    let cell = |ns: Option<f64>| ns.map_or_else(|| "-".to_string(), time);
    let rows: Vec<Vec<String>> = rungs
        .iter()
        .map(|name| {
            let figures = places.iter().map(|place| {
                let rung = place.ladder.iter().find(|rung| rung.rung == *name);
                rung.map_or_else(
                    || "-".to_string(),
                    |r| {
                        format!(
                            "<span class=\"strong\">{}</span>, {}",
                            cell(r.p50_ns),
                            cell(r.p99_ns)
                        )
                    },
                )
            });
            std::iter::once(format!("<code>{}</code>", text(name))).chain(figures).collect()
        })
        .collect();
    format!("<h3>Short ladders, alone</h3>{}", table(&headers, &rows))
}

fn tier(tier: &Tier) -> String {
    let rows: Vec<Vec<String>> =
        tier.rows.iter().map(|cells| cells.iter().map(|cell| text(cell)).collect()).collect();
    let (off, on) = (format!("{}>", tier.names[0]), format!("{}>", tier.names[1]));
    let headers = ["", &off, &on, "by the figures>"];
    format!(
        "<h3>The log on {} or on {}</h3>{}",
        text(&tier.names[0]),
        text(&tier.names[1]),
        table(&headers, &rows)
    )
}
