//! Several WAL streams on one device: latency against their number.

use narrows_model::Validity;

use super::{Named, draw};
use crate::chart::svg::{Picture, Scale};
use crate::document::{Block, Svg};
use crate::log::{Streams, StreamsRow};
use crate::print::{count, time};

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = 770.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 298.0;

/// The wait by the number of logs.
pub(crate) fn streams(streams: &Streams) -> Option<Block> {
    let how =
        "from the scheduled start of a write until it was durable; small dots are the repeats";
    Some(Block::figure("Wait against the number of WAL streams", how, picture(streams)?))
}

fn usable(streams: &Streams) -> Vec<&StreamsRow> {
    streams.rows.iter().filter(|row| row.validity != Validity::Invalid).collect()
}

/// The picture; `None` with fewer than two numbers of logs.
fn picture(streams: &Streams) -> Option<Svg> {
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
    let mut picture =
        Picture::new(WIDTH, HEIGHT, "wait against the number of WAL streams on one device");
    for tick in y.ticks() {
        picture.line("grid", LEFT, y.at(tick), RIGHT, y.at(tick));
        picture.words("ytick", LEFT - 8.0, y.at(tick) + 4.0, &time(tick));
    }
    for tick in x.ticks_about(10.0).iter().filter(|n| n.fract() == 0.0) {
        picture.words("xtick", x.at(*tick), BOTTOM + 17.0, &count(*tick));
    }
    picture.line("axis", LEFT, BOTTOM, RIGHT, BOTTOM);
    picture.words("mid", (LEFT + RIGHT) / 2.0, BOTTOM + 34.0, "WAL streams on the device");
    picture.words("start", 8.0, 12.0, "latency, from scheduled start");
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
            let title = format!("{} streams, {name}: {}", count(*n), time(*ns));
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
