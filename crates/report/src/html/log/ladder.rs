//! The ladder: its pictures, and all rungs as a table.

use narrows_model::Validity;

use super::{figure, steps, ways};
use crate::html::escape::text;
use crate::html::sections::marks;
use crate::html::table;
use crate::log::{RungFigures, RungRow, signed};
use crate::print::time;
use crate::report::Report;

/// The section.
pub(super) fn section(report: &Report) -> String {
    if report.ladder.is_empty() {
        return String::new();
    }
    let mut out = "<section id=\"ladder\"><h2>The ladder</h2><p class=\"soft\">One durable write after another by one \
                   thread, from the device's flush to the database's commit; all rungs take turns in each repeat. What a rung \
                   adds is the difference to the one below it in the same repeat.</p>"
        .to_string();
    match steps::picture(&report.ladder) {
        Some(chart) => {
            out += &figure(
                "What each rung adds",
                "the coloured part, with its 95 % interval; the pale part is what lies below it; a frame is less than \
                 below",
                &chart,
            );
        }
        None => {
            out += "<p class=\"soft\">No picture: fewer than two rungs stand on each other.</p>"
        }
    }
    if let Some(chart) = ways::picture(&report.ladder) {
        out += &figure(
            "Other ways to make a write durable",
            "dot p50, bar p99, short bar p99.9; the first line is the ladder's own write",
            &chart,
        );
    }
    out + &rungs(report) + "</section>"
}

fn rungs(report: &Report) -> String {
    let beside = report.ladder.iter().any(|row| row.beside.is_some());
    let rows: Vec<Vec<String>> = report.ladder.iter().map(|row| cells(row, beside)).collect();
    let mut headers = vec!["rung", "p50>", "adds>", "p99>", "adds>", "p99.9>"];
    if beside {
        headers.extend(["p50 beside>", "p99 beside>", "p99.9 beside>"]);
    }
    headers.push("remark");
    table(&headers, &rows)
}

fn cells(row: &RungRow, beside: bool) -> Vec<String> {
    let both = [row.alone.as_ref(), row.beside.as_ref()];
    let suspect = both.into_iter().flatten().any(|f| f.validity == Validity::Suspect);
    let mark = if suspect { " <span class=\"mark\">?</span>" } else { "" };
    // A name on one line keeps the rows apart.
    let mut cells = vec![format!("{}{mark}", text(&row.name).replace(' ', "\u{a0}"))];
    let [p50, adds_p50, p99, adds_p99, p999] = figures(row.alone.as_ref());
    cells.extend([p50, adds_p50, p99, adds_p99, p999]);
    if beside {
        let [p50, _, p99, _, p999] = figures(row.beside.as_ref());
        cells.extend([p50, p99, p999]);
    }
    cells.push(format!("{}{}", text(&row.remark), marks(&row.notes)));
    cells
}

fn figures(figures: Option<&RungFigures>) -> [String; 5] {
    let Some(f) = figures else { return ["-", "", "-", "", "-"].map(String::from) };
    if f.validity == Validity::Invalid {
        let invalid = "<span class=\"bad\">invalid</span>";
        return [invalid, "", "", "", ""].map(String::from);
    }
    let plain = |ns: Option<f64>| ns.map_or_else(|| "-".to_string(), time);
    let added = |ns: Option<f64>| ns.map_or_else(String::new, signed);
    [
        format!("<span class=\"strong\">{}</span>", plain(f.p50_ns)),
        added(f.added_p50_ns),
        plain(f.p99_ns),
        added(f.added_p99_ns),
        plain(f.p999_ns),
    ]
}
