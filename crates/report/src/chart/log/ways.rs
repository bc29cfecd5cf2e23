//! Other ways to make a write durable, and what else stands beside the ladder: p50, p99 and p99.9 of each on one scale.

use narrows_model::Validity;

use crate::chart::svg::{Picture, Scale};
use crate::document::Svg;
use crate::log::{StepFigures, StepRow};
use crate::print::time;

const WIDTH: f64 = 1030.0;
const LEFT: f64 = 262.0;
const RIGHT: f64 = 1010.0;
const TOP: f64 = 14.0;
const ROW: f64 = 32.0;
/// The two states of a row lie so far from its middle.
const ASIDE: f64 = 7.0;

const STATES: [(&str, &str); 2] = [("alone", "c0"), ("beside", "c2")];

/// The picture; `None` where nothing stands beside the ladder.
pub(super) fn picture(ladder: &[StepRow]) -> Option<Svg> {
    let own = ladder.iter().find(|row| row.in_chain && row.step.starts_with("write."));
    let others: Vec<&StepRow> = ladder.iter().filter(|row| !row.in_chain).collect();
    let rows: Vec<&StepRow> = own.into_iter().chain(others.iter().copied()).collect();
    let all = || rows.iter().flat_map(|row| states(row)).flat_map(|(f, _)| figures(f));
    let low = all().min_by(f64::total_cmp)?;
    let high = all().max_by(f64::total_cmp)?;
    if others.is_empty() {
        return None;
    }
    let bottom = TOP + rows.len() as f64 * ROW;
    let x = Scale::log(low * 0.85, high * 1.15, LEFT, RIGHT);
    let mut picture =
        Picture::new(WIDTH, bottom + 24.0, "times of other ways to make a write durable");
    for tick in x.ticks() {
        picture.line("grid", x.at(tick), TOP, x.at(tick), bottom);
        picture.words("xtick", x.at(tick), bottom + 16.0, &time(tick));
    }
    for (i, row) in rows.iter().enumerate() {
        let middle = TOP + (i as f64 + 0.5) * ROW;
        picture.words("start strongword", 0.0, middle + 4.0, &row.name);
        for (f, state) in states(row) {
            let (word, class) = STATES[state];
            let y = middle + if row.beside.is_none() { 0.0 } else { [-ASIDE, ASIDE][state] };
            let word_class = if state == 0 { "end aloneword" } else { "end besideword" };
            picture.words(word_class, LEFT - 8.0, y + 4.0, word);
            one(&mut picture, row, f, (word, class), &x, y);
        }
    }
    Some(picture.finish("chart", false))
}

/// Usable figures of a row with the number of their state.
fn states(row: &StepRow) -> impl Iterator<Item = (&StepFigures, usize)> {
    let both = [row.alone.as_ref(), row.beside.as_ref()];
    let known = both.into_iter().enumerate().filter_map(|(i, f)| Some((f?, i)));
    known.filter(|(f, _)| f.validity != Validity::Invalid)
}

fn figures(f: &StepFigures) -> impl Iterator<Item = f64> {
    let all = [f.p50_ns, f.p99_ns, f.p999_ns].into_iter().flatten();
    all.filter(|ns| ns.is_finite() && *ns > 0.0)
}

fn one(
    picture: &mut Picture,
    row: &StepRow,
    f: &StepFigures,
    (word, class): (&str, &str),
    x: &Scale,
    y: f64,
) {
    let ends: Vec<f64> = figures(f).map(|ns| x.at(ns)).collect();
    let (Some(from), Some(to)) =
        (ends.iter().copied().min_by(f64::total_cmp), ends.iter().copied().max_by(f64::total_cmp))
    else {
        return;
    };
    let range = format!("range {class}");
    picture.line(&range, from, y, to, y);
    for (ns, half) in [(f.p99_ns, 5.0), (f.p999_ns, 3.0)] {
        if let Some(ns) = ns {
            picture.line(&range, x.at(ns), y - half, x.at(ns), y + half);
        }
    }
    if let Some(ns) = f.p50_ns {
        let cell = |ns: Option<f64>| ns.map_or_else(|| "-".to_string(), time);
        let title = format!(
            "{}, {word}: p50 {}, p99 {}, p99.9 {}",
            row.name,
            time(ns),
            cell(f.p99_ns),
            cell(f.p999_ns)
        );
        picture.dot(&format!("point {class}"), x.at(ns), y, 3.6, &title);
    }
}
