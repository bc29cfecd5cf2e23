//! Usable throughput against cost: a point for each platform, and a line at what is needed.

use narrows_cost::{Sizing, number};

use super::svg::{Picture, Scale};
use crate::document::Svg;
use crate::print::rate;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 350.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 820.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 300.0;

/// The picture; `None` where costs can't be compared, or of a platform it isn't known how much may be used.
pub(crate) fn figure(sizing: &Sizing) -> Option<Svg> {
    if sizing.not_by_cost.is_some() || sizing.platforms.is_empty() {
        return None;
    }
    let points: Option<Vec<(f64, f64, &str)>> = sizing
        .platforms
        .iter()
        .map(|platform| {
            let rate = platform.usable_per_s?.value;
            Some((platform.total()?, rate, platform.name.as_str()))
        })
        .collect();
    let points = points?;
    let dearest = points.iter().map(|point| point.0).fold(0.0, f64::max);
    let fastest = points.iter().map(|point| point.1).fold(sizing.needs_per_s.value, f64::max);
    if dearest <= 0.0 || fastest <= 0.0 {
        return None;
    }
    let x = Scale::linear(0.0, dearest * 1.1, LEFT, RIGHT);
    let y = Scale::linear(0.0, fastest * 1.15, BOTTOM, TOP);
    let label = format!("{}: usable throughput against cost", sizing.demand);
    let mut picture = Picture::new(WIDTH, HEIGHT, &label);
    for tick in y.ticks_about(5.0) {
        picture.line("grid", LEFT, y.at(tick), RIGHT, y.at(tick));
        picture.words("ytick", LEFT - 8.0, y.at(tick) + 4.0, &rate(tick));
    }
    for tick in x.ticks_about(6.0) {
        picture.words("xtick", x.at(tick), BOTTOM + 17.0, &number(tick));
    }
    picture.line("axis", LEFT, BOTTOM, RIGHT, BOTTOM);
    let currency = sizing.platforms[0].cost.as_ref().map_or("", |cost| cost.currency.as_str());
    let words = format!("cost over the years, {currency}");
    picture.words("mid", (LEFT + RIGHT) / 2.0, BOTTOM + 36.0, &words);
    picture.words("start", 8.0, 12.0, "operations per second, usable");
    picture.line(
        "target",
        LEFT,
        y.at(sizing.needs_per_s.value),
        RIGHT,
        y.at(sizing.needs_per_s.value),
    );
    let needed = format!("needed {}", rate(sizing.needs_per_s.value));
    picture.words("start", LEFT + 6.0, y.at(sizing.needs_per_s.value) - 5.0, &needed);
    for (cost, usable, name) in points {
        let said = format!("{name}: {}, {} {currency}", rate(usable), number(cost.round()));
        picture.dot("dot", x.at(cost), y.at(usable), 5.0, &said);
        let (class, aside) = if cost > dearest * 0.7 { ("end", -9.0) } else { ("start", 9.0) };
        picture.words(class, x.at(cost) + aside, y.at(usable) + 4.0, name);
    }
    Some(picture.finish("chart", false))
}
