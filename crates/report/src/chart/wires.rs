//! Wires between the outermost boxes: these stand below each other, and right of them each wire goes from edge to edge in a lane of its
//! own, with its words further right.

use super::nested::{self, LINE, Laid, PAD};
use super::svg::Picture;
use crate::nested_box::NestedBox;

/// With more wires nobody follows one.
pub(super) const MOST: usize = 24;
/// Between two lanes, where there is room.
const LANE: f64 = 12.0;
/// All lanes together.
const LANES: f64 = 96.0;
/// Lanes and words.
const GUTTER: f64 = 340.0;
/// Between lanes and words.
const GAP: f64 = 16.0;

/// A link between two of the outermost boxes, by index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wire {
    pub ends: (usize, usize),
    pub words: String,
    pub marks: Vec<String>,
}

/// Where the wires go.
pub(super) struct Gutter {
    runs: Vec<Run>,
    /// The right edge of the boxes.
    edge: f64,
    words_at: f64,
}

/// One wire: its lane, its ends, and its words with the height at which they begin.
struct Run {
    lane: f64,
    ends: (f64, f64),
    words: Laid,
    top: f64,
}

/// The boxes below each other, all of one width, with room for wires at the right.
pub(super) fn lay(place: &NestedBox, wires: &[Wire], width: f64) -> (Laid, Gutter) {
    let inner = width - 2.0 * PAD - GUTTER;
    let mut laid = nested::own(place, width - 2.0 * PAD);
    let mut y = laid.height - PAD;
    for child in &place.within {
        let mut child = nested::lay(child, inner);
        child.width = inner;
        let height = child.height;
        laid.within.push(((PAD, y), child));
        y += height + PAD;
    }
    let gutter = gutter(&laid, wires, PAD + inner, width - PAD);
    let lowest = gutter.runs.iter().map(|run| run.top + run.words.height).fold(y, f64::max);
    laid.height = lowest + PAD;
    laid.width = width;
    (laid, gutter)
}

fn gutter(laid: &Laid, wires: &[Wire], edge: f64, right: f64) -> Gutter {
    let ends = ends(laid, wires);
    let step = LANE.min(LANES / wires.len().max(1) as f64);
    let words_at = edge + GAP + step * wires.len() as f64 + GAP;
    let mut order: Vec<usize> = (0..wires.len()).collect();
    // Short wires in the inner lanes, so that few cross.
    let span = |index: usize| (ends[index].0 - ends[index].1).abs();
    order.sort_by(|a, b| span(*a).total_cmp(&span(*b)));
    let mut runs: Vec<Run> = order
        .into_iter()
        .enumerate()
        .map(|(lane, index)| {
            let wire = &wires[index];
            let words = NestedBox {
                words: wire.words.clone(),
                marks: wire.marks.clone(),
                within: Vec::new(),
            };
            let words = nested::own(&words, right - words_at - PAD);
            let top = (ends[index].0 + ends[index].1) / 2.0 - words.height / 2.0;
            Run { lane: edge + GAP + step * lane as f64, ends: ends[index], words, top }
        })
        .collect();
    runs.sort_by(|a, b| a.top.total_cmp(&b.top));
    let mut free = laid.within.first().map_or(0.0, |((_, y), _)| *y);
    for run in &mut runs {
        run.top = run.top.max(free);
        free = run.top + run.words.height - PAD;
    }
    Gutter { runs, edge, words_at }
}

/// The heights of each wire's ends: those at one box are spread over its edge.
fn ends(laid: &Laid, wires: &[Wire]) -> Vec<(f64, f64)> {
    let mut ends = vec![(0.0, 0.0); wires.len()];
    for (index, ((_, y), child)) in laid.within.iter().enumerate() {
        let here = |wire: &Wire| wire.ends.0 == index || wire.ends.1 == index;
        let count = wires.iter().filter(|wire| here(wire)).count() as f64;
        let here = wires.iter().enumerate().filter(|(_, wire)| here(wire));
        for (place, (wire, described)) in here.enumerate() {
            let at = y + child.height * (place as f64 + 1.0) / (count + 1.0);
            if described.ends.0 == index {
                ends[wire].0 = at;
            }
            if described.ends.1 == index {
                ends[wire].1 = at;
            }
        }
    }
    ends
}

impl Gutter {
    pub fn draw(&self, (x, y): (f64, f64), picture: &mut Picture) {
        for run in &self.runs {
            let class = if run.words.marks.is_empty() { "wire" } else { "wire marked" };
            let (from, to) = run.ends;
            let corners = [(self.edge, from), (run.lane, from), (run.lane, to), (self.edge, to)];
            picture.path(class, &corners.map(|(dx, dy)| (x + dx, y + dy)));
            for end in [from, to] {
                picture.dot("wireend", x + self.edge, y + end, 3.0, "");
            }
            let middle = run.top + PAD + LINE / 2.0;
            let leaves = middle.clamp(from.min(to), from.max(to));
            let leader = [(run.lane, leaves), (self.words_at - 4.0, middle)];
            picture.path("leader", &leader.map(|(dx, dy)| (x + dx, y + dy)));
            let at = (x + self.words_at, y + run.top);
            nested::words(&run.words.lines, &run.words.marks, at, picture);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_wires_stand_below_each_other_beside_the_boxes() {
        let boxes = (0..5).map(|i| NestedBox::leaf(format!("machine {i}"))).collect();
        let place = NestedBox::of("all", boxes);
        let wires: Vec<Wire> = (0..MOST)
            .map(|i| Wire {
                ends: (i % 5, (i + 1) % 5),
                words: format!("link {i}, {}", "200 Gb/s ".repeat(i % 4)),
                marks: if i % 3 == 0 { vec!["BINDS random read".into()] } else { Vec::new() },
            })
            .collect();
        let (laid, gutter) = lay(&place, &wires, nested::WIDE);
        assert_eq!(gutter.runs.len(), MOST);
        for pair in gutter.runs.windows(2) {
            let lines = pair[0].words.lines.len() + pair[0].words.marks.len();
            assert!(pair[0].top + PAD + LINE * lines as f64 <= pair[1].top + PAD + 0.1);
        }
        for run in &gutter.runs {
            assert!(run.lane > gutter.edge && run.lane < gutter.words_at);
            assert!(gutter.words_at + run.words.width <= nested::WIDE);
            assert!(run.top + run.words.height <= laid.height + 0.1);
        }
        let mut lanes: Vec<f64> = gutter.runs.iter().map(|run| run.lane).collect();
        lanes.sort_by(f64::total_cmp);
        assert!(lanes.windows(2).all(|pair| pair[0] < pair[1]));
        // Every end is on the edge of its own box.
        let ends = ends(&laid, &wires);
        for (wire, ends) in wires.iter().zip(&ends) {
            for (index, y) in [(wire.ends.0, ends.0), (wire.ends.1, ends.1)] {
                let ((_, top), child) = &laid.within[index];
                assert!(y > *top && y < top + child.height);
            }
        }
    }
}
