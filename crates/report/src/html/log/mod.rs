//! The commit log as page sections: in short, the ladder with its picture, distributions, sessions, several logs on one device.

mod ladder;
mod places;
mod sessions;
mod sharing;
mod spreads;
mod steps;
mod streams;
mod waits;
mod ways;

use super::escape::text;
use super::names::spot;
use super::svg::Picture;
use crate::report::Report;

/// What a reader takes home.
pub(super) fn short(report: &Report) -> String {
    let Some((first, rest)) = report.short.split_first() else { return String::new() };
    let mut out = format!(
        "<section id=\"commit\"><h2>{}</h2><article class=\"answer\"><header><span class=\"phrase strong\">{}</span>\
         </header><dl class=\"facts-of\">",
        if report.streams.is_some() { "Logs on one device" } else { "What a commit costs" },
        text(&first.text)
    );
    for fact in rest {
        out += &format!("<dt>{}</dt><dd>{}</dd>", fact.label, text(&fact.text));
    }
    out + "</dl></article></section>"
}

/// Everything behind it, in the order of the layers.
pub(super) fn sections(report: &Report) -> String {
    [
        places::section(report),
        ladder::section(report),
        spreads::section(report),
        sessions::section(report),
        streams::section(report),
    ]
    .concat()
}

fn figure(caption: &str, sub: &str, chart: &str) -> String {
    format!(
        "<figure><figcaption>{} <span class=\"soft\">{}</span></figcaption>{chart}</figure>",
        text(caption),
        text(sub)
    )
}

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
