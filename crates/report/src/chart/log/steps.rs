//! The ladder as steps: a row for each step, in which the coloured part is what it adds to the one above it in the picture.
//!
//! One panel for each percentile, each with a scale of its own. A step ends at what was measured and is as long as the
//! repeats' differences say, so that its beginning may lie a little off the end of the step before: percentiles don't
//! add up exactly.

use narrows_model::Validity;

use crate::chart::svg::{Picture, Scale};
use crate::document::Svg;
use crate::log::{StepFigures, StepRow, signed};
use crate::print::time;

const WIDTH: f64 = 1030.0;
/// Names of the steps end before it, and the panels begin.
const LEFT: f64 = 258.0;
const GAP: f64 = 14.0;
/// Room for a figure behind the longest bar.
const ROOM: f64 = 82.0;
const TOP: f64 = 46.0;
const BAR: f64 = 11.0;
/// From one bar of a row to the next.
const PITCH: f64 = 15.0;
/// Between two rows.
const ROWS: f64 = 13.0;
const CAP: f64 = 3.0;

/// What of a step one panel shows.
#[derive(Clone, Copy)]
struct Panel {
    name: &'static str,
    value: fn(&StepFigures) -> Option<f64>,
    added: fn(&StepFigures) -> Option<f64>,
    range: fn(&StepFigures) -> Option<(f64, f64)>,
}

const PANELS: [Panel; 3] = [
    Panel {
        name: "p50",
        value: |f| f.p50_ns,
        added: |f| f.added_p50_ns,
        range: |f| f.added_p50_range_ns,
    },
    Panel {
        name: "p99",
        value: |f| f.p99_ns,
        added: |f| f.added_p99_ns,
        range: |f| f.added_p99_range_ns,
    },
    Panel { name: "p99.9", value: |f| f.p999_ns, added: |f| f.added_p999_ns, range: |_| None },
];

/// Name and class of the bars, first alone.
const STATES: [(&str, &str); 2] = [("alone", "alone"), ("beside", "beside")];

fn usable(figures: Option<&StepFigures>) -> Option<&StepFigures> {
    figures.filter(|figures| figures.validity != Validity::Invalid)
}

fn positive(ns: Option<f64>) -> Option<f64> {
    ns.filter(|ns| ns.is_finite() && *ns > 0.0)
}

/// The picture; `None` with fewer than two steps that stand on each other.
pub(super) fn picture(ladder: &[StepRow]) -> Option<Svg> {
    let rows: Vec<&StepRow> = ladder.iter().filter(|row| row.in_chain).collect();
    let largest = |panel: &Panel| {
        let states = rows.iter().flat_map(|row| [row.alone.as_ref(), row.beside.as_ref()]);
        let values = states.filter_map(|f| positive((panel.value)(usable(f)?)));
        values.max_by(f64::total_cmp)
    };
    let panels: Vec<(&Panel, f64)> =
        PANELS.iter().filter_map(|panel| Some((panel, largest(panel)?))).collect();
    if rows.len() < 2 || panels.is_empty() {
        return None;
    }
    let states = if rows.iter().any(|row| row.beside.is_some()) { 2 } else { 1 };
    let row_height = states as f64 * PITCH + ROWS;
    let height = TOP + rows.len() as f64 * row_height + 6.0;
    let mut picture = Picture::new(WIDTH, height, "what each step adds, by percentile");
    for (i, row) in rows.iter().enumerate() {
        let top = TOP + i as f64 * row_height;
        let middle = top + (states as f64 * PITCH) / 2.0 + 2.0;
        picture.line("grid", 0.0, top - ROWS / 2.0, WIDTH, top - ROWS / 2.0);
        picture.words("start strongword", 0.0, middle, &row.name);
        for (s, (state, class)) in STATES.iter().take(states).enumerate() {
            let y = top + s as f64 * PITCH + BAR - 1.5;
            picture.words(&format!("end {class}word"), LEFT - 8.0, y, state);
        }
    }
    let width = (WIDTH - LEFT - GAP * (panels.len() - 1) as f64) / panels.len() as f64;
    for (p, (panel, largest)) in panels.iter().enumerate() {
        let from = LEFT + p as f64 * (width + GAP);
        let x = Scale::linear(0.0, *largest, from, from + width - ROOM);
        axis(&mut picture, panel, &x, from, height);
        for (i, row) in rows.iter().enumerate() {
            let top = TOP + i as f64 * row_height;
            let both = [row.alone.as_ref(), row.beside.as_ref()];
            for (s, figures) in both.into_iter().take(states).enumerate() {
                let y = top + s as f64 * PITCH;
                bar(&mut picture, panel, (row, STATES[s]), figures, &x, y);
            }
        }
    }
    Some(picture.finish("chart", false))
}

fn axis(picture: &mut Picture, panel: &Panel, x: &Scale, from: f64, height: f64) {
    picture.words("start strongword", from, 12.0, panel.name);
    picture.line("axis", from, TOP - ROWS / 2.0, from, height);
    for tick in x.ticks_about(3.0) {
        let label = if tick == 0.0 { "0".to_string() } else { time(tick) };
        picture.line("grid", x.at(tick), TOP - ROWS / 2.0, x.at(tick), height);
        picture.words("xtick", x.at(tick), TOP - 14.0, &label);
    }
}

fn bar(
    picture: &mut Picture,
    panel: &Panel,
    (row, (state, class)): (&StepRow, (&str, &str)),
    figures: Option<&StepFigures>,
    x: &Scale,
    y: f64,
) {
    let zero = x.at(0.0);
    let said = |picture: &mut Picture, at: f64, class: &str, words: &str| {
        picture.words(class, at + 5.0, y + BAR - 1.5, words);
    };
    let Some(f) = figures else { return said(picture, zero, "start", "-") };
    if f.validity == Validity::Invalid {
        return said(picture, zero, "start badword", "invalid");
    }
    let Some(value) = positive((panel.value)(f)) else { return said(picture, zero, "start", "-") };
    let end = x.at(value);
    let mark = if f.validity == Validity::Suspect { " ?" } else { "" };
    let Some(added) = (panel.added)(f).filter(|added| added.is_finite()) else {
        // The lowest step adds all of it; of another it isn't known what it adds.
        let lowest = row.alone.as_ref().is_none_or(|f| f.added_p50_ns.is_none());
        let class = if lowest { format!("step {class}") } else { "under".to_string() };
        picture.titled_bar(&class, (zero, y), (end - zero, BAR), &title(row, state, value, None));
        return said(picture, end, "start", &format!("{}{mark}", time(value)));
    };
    let below = x.at(value - added).max(zero);
    let title = title(row, state, value, Some(added));
    picture.bar("under", zero, y, end.min(below) - zero, BAR);
    if added >= 0.0 {
        picture.titled_bar(
            &format!("step {class}"),
            (below, y),
            ((end - below).max(1.0), BAR),
            &title,
        );
    } else {
        picture.titled_bar(
            &format!("step less {class}"),
            (end, y),
            ((below - end).max(1.0), BAR),
            &title,
        );
    }
    let mut right = end.max(below);
    if let Some((low, high)) = (panel.range)(f) {
        let middle = y + BAR / 2.0;
        let at = |difference: f64| x.at(value - added + difference).max(zero);
        let (low, high) = (at(low), at(high));
        picture.line("whisker", low, middle, high, middle);
        picture.line("whisker", low, middle - CAP, low, middle + CAP);
        picture.line("whisker", high, middle - CAP, high, middle + CAP);
        right = right.max(high);
    }
    said(picture, right, "start", &format!("{}{mark}", signed(added)));
}

fn title(row: &StepRow, state: &str, value: f64, added: Option<f64>) -> String {
    let adds = added.map_or(String::new(), |added| format!(", adds {}", signed(added)));
    format!("{}, {state}: {}{adds}", row.name, time(value))
}
