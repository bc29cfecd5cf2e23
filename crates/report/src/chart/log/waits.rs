//! What a commit waits for, by the number of sessions: its turn, the write with its flush, waking up; and what the law of group
//! commit explains of it.

use narrows_model::Validity;

use crate::chart::svg::{Picture, Scale};
use crate::document::Svg;
use crate::log::CommitsRow;
use crate::print::{count, rate, time};

const WIDTH: f64 = 1030.0;
const LEFT: f64 = 92.0;
const RIGHT: f64 = 840.0;
const TOP: f64 = 22.0;
const ROW: f64 = 24.0;
const BAR: f64 = 15.0;

/// Names of the parts with their classes, in the order of time.
pub(super) const PARTS: [(&str, &str); 3] =
    [("waits for its turn", "p1"), ("write and flush", "p0"), ("wakes up", "p3")];

/// Times of the parts, ns. Turn and wake-up are what was measured; the rest of the wait is the flush that covered it.
fn parts(row: &CommitsRow) -> Option<[f64; 3]> {
    let (queued, woken) = (row.queued_ns?, row.wake_up_ns?);
    let flush = row.sync_ns? - queued - woken;
    let all = [queued, flush, woken];
    all.iter().all(|ns| ns.is_finite() && *ns >= 0.0).then_some(all)
}

/// The picture; `None` where no wait is known in its parts.
pub(super) fn picture(rows: &[CommitsRow]) -> Option<Svg> {
    let known: Vec<(&CommitsRow, [f64; 3])> = rows
        .iter()
        .filter(|row| row.validity != Validity::Invalid)
        .filter_map(|row| Some((row, parts(row)?)))
        .collect();
    let longest = known
        .iter()
        .map(|(row, parts)| parts.iter().sum::<f64>().max(row.model_ns.unwrap_or(0.0)))
        .max_by(f64::total_cmp)?;
    let x = Scale::linear(0.0, longest, LEFT, RIGHT);
    let bottom = TOP + known.len() as f64 * ROW;
    let mut picture =
        Picture::new(WIDTH, bottom + 36.0, "parts of a commit's wait by the number of sessions");
    picture.words("start", 0.0, 12.0, "sessions");
    for tick in x.ticks_about(6.0) {
        let label = if tick == 0.0 { "0".to_string() } else { time(tick) };
        picture.line("grid", x.at(tick), TOP, x.at(tick), bottom);
        picture.words("xtick", x.at(tick), bottom + 16.0, &label);
    }
    picture.words("mid", (LEFT + RIGHT) / 2.0, bottom + 32.0, "mean wait of a commit");
    for (i, (row, parts)) in known.iter().enumerate() {
        one(&mut picture, row, parts, &x, TOP + i as f64 * ROW + (ROW - BAR) / 2.0);
    }
    Some(picture.finish("chart", false))
}

fn one(picture: &mut Picture, row: &CommitsRow, parts: &[f64; 3], x: &Scale, y: f64) {
    let mark = if row.validity == Validity::Suspect { "? " } else { "" };
    let name = format!("{mark}{}", count(row.sessions));
    picture.words("end strongword", LEFT - 10.0, y + BAR - 3.5, &name);
    let mut at = 0.0;
    for (ns, (name, class)) in parts.iter().zip(PARTS) {
        let title = format!("{} sessions, {name}: {}", count(row.sessions), time(*ns));
        let width = x.at(at + ns) - x.at(at);
        picture.titled_bar(class, (x.at(at), y), (width, BAR), &title);
        at += ns;
    }
    let mut end = at;
    if let Some(law) = row.model_ns.filter(|ns| ns.is_finite() && *ns > 0.0) {
        picture.line("lawline", x.at(law), y - 2.5, x.at(law), y + BAR + 2.5);
        end = end.max(law);
    }
    let per_s = row.rate_per_s.map_or(String::new(), |per_s| format!(" · {}", rate(per_s)));
    picture.words("start", x.at(end) + 8.0, y + BAR - 3.5, &format!("{}{per_s}", time(at)));
}
