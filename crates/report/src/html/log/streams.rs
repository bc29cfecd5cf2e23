//! Several logs on one device: latency against their number, and the figures as a table.

use narrows_model::Validity;
use narrows_units::significant;

use super::{Named, draw, figure};
use crate::html::escape::text;
use crate::html::sections::marks;
use crate::html::svg::{Picture, Scale};
use crate::html::table;
use crate::log::{Streams, StreamsRow};
use crate::print::{count, percent, rate, time};
use crate::report::Report;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = 770.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 298.0;

/// The section.
pub(super) fn section(report: &Report) -> String {
    let Some(streams) = &report.streams else { return String::new() };
    let mut out =
        "<section id=\"streams\"><h2>Several logs on one device</h2><p class=\"soft\">Each has its own file, its own writer \
         and its own schedule.</p>"
            .to_string();
    if let Some(chart) = picture(streams) {
        out += &figure(
            "Wait against the number of logs",
            "from when a write was due until it was durable; small dots are the repeats",
            &chart,
        );
    }
    out + &rows(report, streams) + "</section>"
}

fn usable(streams: &Streams) -> Vec<&StreamsRow> {
    streams.rows.iter().filter(|row| row.validity != Validity::Invalid).collect()
}

/// The picture; `None` with fewer than two numbers of logs.
fn picture(streams: &Streams) -> Option<String> {
    let rows = usable(streams);
    let drawable = |ns: Option<f64>| ns.filter(|ns| ns.is_finite() && *ns > 0.0);
    let target = (streams.target_ns > 0).then_some(streams.target_ns as f64);
    let line = |pick: &dyn Fn(&StreamsRow) -> Option<f64>| -> Vec<(f64, f64)> {
        rows.iter().filter_map(|row| Some((row.streams, drawable(pick(row))?))).collect()
    };
    let lines = [
        ("p50", "c0", line(&|row| row.wait_p50_ns)),
        (streams.tail(), "c1", line(&|row| row.tail_ns(streams))),
        ("write, flush", "c3", line(&|row| row.write_ns)),
    ];
    let values = || {
        let own = lines.iter().flat_map(|(_, _, line)| line).map(|(_, ns)| *ns);
        let samples = rows.iter().flat_map(|row| row.sought_samples_ns.iter().copied());
        own.chain(samples.filter(|ns| drawable(Some(*ns)).is_some())).chain(target)
    };
    if rows.len() < 2 || lines.iter().all(|(_, _, line)| line.len() < 2) {
        return None;
    }
    let last = rows.iter().map(|row| row.streams).fold(1.0, f64::max);
    let x = Scale::linear(0.0, last * 1.04, LEFT, RIGHT);
    let y = Scale::log(
        values().fold(f64::INFINITY, f64::min) * 0.7,
        values().fold(0.0, f64::max) * 1.5,
        BOTTOM,
        TOP,
    );
    let mut picture = Picture::new(WIDTH, HEIGHT, "wait against the number of logs on one device");
    for tick in y.ticks() {
        picture.line("grid", LEFT, y.at(tick), RIGHT, y.at(tick));
        picture.words("ytick", LEFT - 8.0, y.at(tick) + 4.0, &time(tick));
    }
    for tick in x.ticks_about(10.0).iter().filter(|n| n.fract() == 0.0) {
        picture.words("xtick", x.at(*tick), BOTTOM + 17.0, &count(*tick));
    }
    picture.line("axis", LEFT, BOTTOM, RIGHT, BOTTOM);
    picture.words("mid", (LEFT + RIGHT) / 2.0, BOTTOM + 34.0, "logs on the device");
    picture.words("start", 8.0, 12.0, "latency, from when due");
    if let Some(target) = target {
        picture.line("target", LEFT, y.at(target), RIGHT, y.at(target));
        picture.words("start", LEFT + 6.0, y.at(target) - 5.0, &streams.goal());
    }
    for row in &rows {
        for ns in row.sought_samples_ns.iter().filter(|ns| drawable(Some(**ns)).is_some()) {
            picture.dot("point c4", x.at(row.streams), y.at(*ns), 1.8, &time(*ns));
        }
    }
    for (name, class, line) in &lines {
        for (n, ns) in line {
            let title = format!("{} logs, {name}: {}", count(*n), time(*ns));
            picture.dot(&format!("point {class}"), x.at(*n), y.at(*ns), 2.8, &title);
        }
    }
    let lines = lines.map(|(name, class, line)| {
        let points = line.iter().map(|(n, ns)| (x.at(*n), y.at(*ns))).collect();
        Named { name, class, points }
    });
    draw(&mut picture, &lines);
    Some(picture.finish("chart", false))
}

fn rows(report: &Report, streams: &Streams) -> String {
    let tail = format!("{} wait>", streams.tail());
    let over = format!("over {}>", crate::calibration::exact_time(streams.target_ns));
    let headers =
        ["logs>", "bytes>", "writes>", "p50 wait>", &tail, &over, "write, flush>", "to alone>", ""];
    let rows: Vec<Vec<String>> = streams.rows.iter().map(|r| row(report, streams, r)).collect();
    table(&headers, &rows)
}

fn row(report: &Report, streams: &Streams, row: &StreamsRow) -> Vec<String> {
    let dash = || "-".to_string();
    let ns = |ns: Option<f64>| ns.map_or_else(dash, time);
    let mark = match row.validity {
        Validity::Suspect => " <span class=\"mark\">?</span>",
        Validity::Invalid => " <span class=\"bad\">invalid</span>",
        Validity::Valid => "",
    };
    let bytes = row.bandwidth_bytes_per_s.map(|b| text(&report.units.bytes_per_s(b)));
    vec![
        format!("{}{mark}", count(row.streams)),
        bytes.unwrap_or_else(dash),
        row.writes_per_s.map_or_else(dash, |per_s| text(&rate(per_s))),
        ns(row.wait_p50_ns),
        format!("<span class=\"strong\">{}</span>", ns(row.tail_ns(streams))),
        row.over_share.map_or_else(dash, percent),
        ns(row.write_ns),
        row.to_alone.map_or_else(dash, |ratio| format!("× {}", significant(ratio, 3))),
        marks(&row.notes),
    ]
}
