//! Sessions by what they did, over time, stacked: of a server that was looked at, and of loads of our own.
//!
//! Slices in which the server was not asked are gaps, never zeros.

use narrows_model::{ActivityMoment, ActivityState};
use narrows_units::significant;

use super::fills::{of_state, swatch_of};
use super::svg::{Picture, Scale};
use crate::document::{Block, Inline, List, Style, Svg};
use crate::print::count;

/// Bottom up; who is idle in transaction works for nobody and lies on top.
pub(crate) const STACK: [ActivityState; 9] = [
    ActivityState::Running,
    ActivityState::Read,
    ActivityState::Write,
    ActivityState::Log,
    ActivityState::Lock,
    ActivityState::Latch,
    ActivityState::Client,
    ActivityState::Other,
    ActivityState::IdleInTransaction,
];

/// Further than this many slices apart there was a gap.
const GAP: f64 = 1.5;
/// CPUs are drawn where they are at most so many times the highest stack.
const NEAR: f64 = 1.6;

/// What lies upon each other: a fill, and words for those who can't see it.
#[derive(Debug, Clone)]
pub(crate) struct Layer {
    pub(crate) fill: &'static str,
    pub(crate) words: String,
}

/// The height of each layer in one slice.
#[derive(Debug, Clone)]
pub(crate) struct Heights {
    /// Middle of the slice.
    pub(crate) at_ns: f64,
    pub(crate) of: Vec<f64>,
}

/// Layers over time.
#[derive(Debug, Clone)]
pub(crate) struct Stack {
    /// Bottom up.
    pub(crate) layers: Vec<Layer>,
    pub(crate) slices: Vec<Heights>,
    /// What is told of the picture, before the means.
    pub(crate) label: &'static str,
    /// What the abscissa covers at least.
    pub(crate) interval_ns: f64,
    /// Where a picture beside it has the same ordinate: how high that goes.
    pub(crate) highest: f64,
}

impl Stack {
    /// Of the largest stack.
    pub(crate) fn height(&self) -> f64 {
        self.slices.iter().map(|slice| slice.of.iter().sum()).fold(0.0, f64::max)
    }

    /// The states of sessions.
    pub(crate) fn of_states(moments: &[ActivityMoment], interval_ns: f64) -> Stack {
        let asked = moments.iter().filter(|moment| moment.samples > 0);
        let slices = asked.map(|moment| Heights {
            at_ns: moment.at_ns,
            of: STACK.map(|state| sessions(moment, state)).to_vec(),
        });
        Stack {
            layers: STACK.map(of_layer).to_vec(),
            slices: slices.collect(),
            label: "sessions over time by what they were doing",
            interval_ns,
            highest: 0.0,
        }
    }
}

/// The layer of a state.
pub(crate) fn of_layer(state: ActivityState) -> Layer {
    Layer { fill: of_state(state), words: state.words().to_string() }
}

/// The picture for wide and for narrow pages; `None` with fewer than two slices, or nobody in them. `cpus` are drawn as a line where
/// they are near; `interval_ns` is what the abscissa covers at least.
pub(crate) fn pictures(
    moments: &[ActivityMoment],
    interval_ns: f64,
    cpus: Option<f64>,
) -> Option<Svg> {
    stacked(&Stack::of_states(moments, interval_ns), cpus)
}

/// The same of any layers.
pub(crate) fn stacked(stack: &Stack, cpus: Option<f64>) -> Option<Svg> {
    let wide = Frame { width: 1030.0, height: 340.0, left: 46.0 };
    let narrow = Frame { width: 420.0, height: 300.0, left: 40.0 };
    Some(Svg::of_both([picture(stack, cpus, &wide)?, picture(stack, cpus, &narrow)?]))
}

/// A small one, to stand beside another.
pub(crate) fn small(stack: &Stack) -> Option<Svg> {
    picture(stack, None, &Frame { width: 520.0, height: 280.0, left: 40.0 })
}

/// The fills of states, with their words.
pub(crate) fn legend() -> List {
    let items = STACK
        .iter()
        .rev()
        .map(|state| Inline::default().picture(swatch_of(*state)).put(Style::Plain, state.words()));
    List::new(items, 0)
}

/// The pictures with what they show.
pub(crate) fn figure(pictures: Svg) -> Block {
    let caption = "active sessions and their parallel workers by what they were doing";
    Block::figure(caption, "stacked, mean of each slice", pictures)
}

struct Frame {
    width: f64,
    height: f64,
    left: f64,
}

fn sessions(moment: &ActivityMoment, state: ActivityState) -> f64 {
    let of = moment.sessions.iter().find(|(other, _)| *other == state);
    of.map_or(0.0, |(_, n)| if n.is_finite() { n.max(0.0) } else { 0.0 })
}

fn picture(stack: &Stack, cpus: Option<f64>, frame: &Frame) -> Option<Svg> {
    let slices = &stack.slices;
    let steps = slices.windows(2).map(|two| two[1].at_ns - two[0].at_ns);
    let slice_ns = steps.filter(|ns| *ns > 0.0).reduce(f64::min)?;
    if stack.height() <= 0.0 {
        return None;
    }
    let highest = stack.height().max(stack.highest);
    let cpus = cpus.filter(|cpus| *cpus <= highest * NEAR);
    let (top, bottom) = (26.0, frame.height - 30.0);
    // Room for half of the last tick's words.
    let right = frame.width - 18.0;
    let last_ns = slices.last().map_or(0.0, |slice| slice.at_ns + slice_ns / 2.0);
    let seconds = last_ns.max(stack.interval_ns) / 1e9;
    let x = Scale::linear(0.0, seconds, frame.left, right);
    let y = Scale::linear(0.0, highest.max(cpus.unwrap_or(0.0)) * 1.06, bottom, top);
    let mut picture = Picture::new(frame.width, frame.height, &label(stack));
    let ticks = y.ticks();
    picture.lines("grid", ticks.iter().map(|tick| [frame.left, y.at(*tick), right, y.at(*tick)]));
    for tick in ticks {
        picture.words("ytick", frame.left - 6.0, y.at(tick) + 3.5, &count(tick));
    }
    for tick in x.ticks_about(6.0) {
        picture.words("xtick", x.at(tick), bottom + 16.0, &format!("{} s", count(tick)));
    }
    picture.words("start", 4.0, top - 12.0, "sessions");
    picture.plot([frame.left, top, right, bottom], seconds, |picture| {
        for run in runs(slices, slice_ns) {
            areas(picture, &stack.layers, run, slice_ns, &x, &y);
        }
    });
    picture.line("axis", frame.left, bottom, right, bottom);
    if let Some(cpus) = cpus {
        picture.line("target", frame.left, y.at(cpus), right, y.at(cpus));
        let words = format!("{} CPUs for the server", count(cpus));
        // Half an em a letter, and some room.
        let begins = right - 7.0 * words.len() as f64;
        picture.line("target", begins - 30.0, top - 16.0, begins - 6.0, top - 16.0);
        picture.words("start", begins, top - 12.0, &words);
    }
    Some(picture.finish("chart", false))
}

fn label(stack: &Stack) -> String {
    let slices = stack.slices.len().max(1) as f64;
    let mean =
        |at: usize| stack.slices.iter().filter_map(|slice| slice.of.get(at)).sum::<f64>() / slices;
    let means = stack.layers.iter().enumerate().map(|(at, layer)| (&layer.words, mean(at)));
    let texts: Vec<String> = means
        .filter(|(_, n)| *n > 0.0)
        .map(|(words, n)| format!("{words} {}", significant(n, 3)))
        .collect();
    format!("{}; on average {}", stack.label, texts.join(", "))
}

/// Neighbouring slices without a gap between them.
fn runs(slices: &[Heights], slice_ns: f64) -> Vec<&[Heights]> {
    slices.chunk_by(|a, b| b.at_ns - a.at_ns <= slice_ns * GAP).collect()
}

/// One area for each layer, in steps.
fn areas(
    picture: &mut Picture,
    layers: &[Layer],
    run: &[Heights],
    slice_ns: f64,
    x: &Scale,
    y: &Scale,
) {
    let mut lower = vec![0.0; run.len()];
    for (at, layer) in layers.iter().enumerate() {
        let height = |slice: &Heights| slice.of.get(at).copied().unwrap_or(0.0);
        let upper: Vec<f64> =
            run.iter().zip(&lower).map(|(slice, low)| low + height(slice)).collect();
        if upper != lower {
            let steps = |heights: &[f64]| -> Vec<(f64, f64)> {
                let ends = |(slice, height): (&Heights, &f64)| {
                    let at = |ns: f64| (x.at(ns / 1e9), y.at(*height));
                    [at((slice.at_ns - slice_ns / 2.0).max(0.0)), at(slice.at_ns + slice_ns / 2.0)]
                };
                run.iter().zip(heights).flat_map(ends).collect()
            };
            let mut corners = steps(&upper);
            corners.extend(steps(&lower).into_iter().rev());
            picture.area(layer.fill, &corners);
        }
        lower = upper;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(at_ns: f64) -> ActivityMoment {
        ActivityMoment { at_ns, samples: 10, sessions: vec![(ActivityState::Log, 2.0)] }
    }

    #[test]
    fn slices_that_are_missing_part_the_areas() {
        let all = Stack::of_states(&[0.5e9, 1.5e9, 4.5e9, 5.5e9].map(moment), 0.0);
        let lengths: Vec<usize> = runs(&all.slices, 1e9).iter().map(|run| run.len()).collect();
        assert_eq!(lengths, [2, 2]);
        let mut picture = Picture::new(100.0, 100.0, "");
        let (x, y) = (Scale::linear(0.0, 6.0, 0.0, 60.0), Scale::linear(0.0, 10.0, 100.0, 0.0));
        for run in runs(&all.slices, 1e9) {
            areas(&mut picture, &all.layers, run, 1e9, &x, &y);
        }
        let svg = picture.finish("chart", false);
        assert_eq!(svg.matches("z\"/>").count(), 2, "{svg}");
        // From 0 to 2 s at the height of two of ten sessions.
        assert!(svg.contains("\"M0 80l20 0 0 20-20 0z\""), "{svg}");
    }
}
