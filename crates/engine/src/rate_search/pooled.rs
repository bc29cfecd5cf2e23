//! What all windows together say, where the search ended before the repeats at two single rates were decided.
//!
//! Latency does not fall when the rate grows. So a window that kept the goal at a higher rate speaks for the rates below it, and one
//! that missed it at a lower rate speaks against those above: windows of neighbouring rates may be counted as runs of the one at
//! their end, and what they decide of it errs to the safe side. That the closest two rates are taken of all that are decided errs to the
//! other, and only the simulation of stalls says how far (`docs/src/methods/calibrate.md`). It is what a machine needs whose stalls come and go: many
//! rates were tried there, and none often enough.

use std::time::Duration;

use narrows_stats::{Exceedance, Side};

use super::count::Count;
use super::{Stage, Tried, WindowJudgement, same_rate};

/// How far a rate may lie from the one that it speaks for. Further off, what is shown is only that the interval is wide.
const BAND: f64 = 2.0;

/// Two rates that enclose the crossing, and the windows that say so.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pooled {
    /// A rate with repeats of its own that is kept.
    pub kept_per_s: f64,
    /// A higher one that is missed.
    pub missed_per_s: f64,
    /// The highest rate that had to speak for the lower one.
    pub kept_to_per_s: f64,
    /// The lowest that had to speak against the higher one.
    pub missed_from_per_s: f64,
    /// Windows that speak for each.
    pub windows: (u32, u32),
    /// The share over the limit in those that speak for the lower.
    pub share_over: Option<Exceedance>,
}

/// The closest two such rates, from windows that are at least so long; `None` where the windows do not tell, or contradict
/// themselves.
pub(super) fn pooled(tried: &[Tried], shortest: Duration, allowed_over: f64) -> Option<Pooled> {
    let rates = by_rate(tried, shortest);
    let own = |at: &usize| rates[*at].1.iter().any(|t| t.step.stage == Stage::Confirm);
    let kept: Decided = (0..rates.len())
        .filter(own)
        .filter_map(|at| Some((at, kept_from(&rates, at, allowed_over)?)))
        .collect();
    let missed: Decided = (0..rates.len())
        .filter_map(|at| Some((at, missed_up_to(&rates, at, allowed_over)?)))
        .collect();
    // Where luck or a change made a rate pass above one that failed, both lie inside.
    let (highest_kept, lowest_missed) = (kept.last()?.0, missed.first()?.0);
    let (low, below) = kept.iter().rfind(|(at, _)| *at < lowest_missed)?;
    let (high, above) = missed.iter().find(|(at, _)| *at > highest_kept)?;
    Some(Pooled {
        kept_per_s: rates[*low].0,
        missed_per_s: rates[*high].0,
        kept_to_per_s: below.to_per_s,
        missed_from_per_s: above.to_per_s,
        windows: (below.count.runs() as u32, above.count.runs() as u32),
        share_over: below.count.together(),
    })
}

/// Rates by their place, with the windows that decided them.
type Decided = Vec<(usize, Spoken)>;

/// What decided a rate.
struct Spoken {
    count: Count,
    /// The rate furthest from it that it took.
    to_per_s: f64,
}

type ByRate<'a> = Vec<(f64, Vec<&'a Tried>)>;

/// Usable windows by rate, in rising order.
fn by_rate(tried: &[Tried], shortest: Duration) -> ByRate<'_> {
    let mut usable: Vec<&Tried> = tried
        .iter()
        .filter(|t| t.said != WindowJudgement::Nothing && t.step.window >= shortest)
        .collect();
    usable.sort_by(|a, b| a.step.rate_per_s.total_cmp(&b.step.rate_per_s));
    let mut rates: ByRate<'_> = Vec::new();
    for window in usable {
        match rates.last_mut().filter(|(rate, _)| same_rate(*rate, window.step.rate_per_s)) {
            Some((_, windows)) => windows.push(window),
            None => rates.push((window.step.rate_per_s, vec![window])),
        }
    }
    rates
}

/// What says that a rate is kept: its windows and those above it, rate by rate, until they suffice or the band ends.
fn kept_from(rates: &ByRate<'_>, at: usize, allowed_over: f64) -> Option<Spoken> {
    let near = rates[at..].iter().take_while(|(rate, _)| *rate <= rates[at].0 * BAND);
    first(near, |count| count.decide(allowed_over) == Side::Below)
}

/// What says that a rate is missed: its windows and those below it.
fn missed_up_to(rates: &ByRate<'_>, at: usize, allowed_over: f64) -> Option<Spoken> {
    let near = rates[..=at].iter().rev().take_while(|(rate, _)| *rate * BAND >= rates[at].0);
    first(near, |count| count.of_the_device().decide(allowed_over) == Side::Above)
}

fn first<'a, 'b: 'a>(
    rates: impl Iterator<Item = &'a (f64, Vec<&'b Tried>)>,
    enough: impl Fn(&Count) -> bool,
) -> Option<Spoken> {
    let mut count = Count::default();
    for (rate, windows) in rates {
        windows.iter().for_each(|window| count.add(window.said, &window.seen.slices));
        if enough(&count) {
            return Some(Spoken { count, to_per_s: *rate });
        }
    }
    None
}

#[cfg(test)]
pub(super) mod tests {
    use narrows_stats::Slice;

    use super::super::{Backlog, RateSeen, RateStep};
    use super::*;

    const ALLOWED: f64 = 0.01;
    const WINDOW: Duration = Duration::from_secs(1);

    /// A window of the confirmation.
    pub(in super::super) fn tried(rate_per_s: f64, over: u64) -> Tried {
        let slices = vec![Slice { operations: 1000, over }; 20];
        let said = match over {
            0..=10 => WindowJudgement::Passed { clear: over < 8 },
            _ => WindowJudgement::Failed { clear: over > 12 },
        };
        let seen = RateSeen {
            due_per_s: rate_per_s,
            sent_per_s: rate_per_s,
            achieved_per_s: rate_per_s,
            slices,
            quantile_ns: Some(1),
            mean_ns: None,
            lateness_ns: None,
            lateness_median_ns: None,
            backlog: Backlog::Bounded,
            usable: true,
        };
        let step =
            RateStep { stage: Stage::Confirm, rate_per_s, warm_up: WINDOW / 5, window: WINDOW };
        Tried { step, seen, said, point: Some(0) }
    }

    /// Three windows at each rate: none of them could decide alone.
    fn thrice(rates: &[(f64, u64)]) -> Vec<Tried> {
        rates.iter().flat_map(|(rate, over)| vec![tried(*rate, *over); 3]).collect()
    }

    #[test]
    fn neighbours_decide_what_no_rate_decides_alone() {
        let windows = thrice(&[(100.0, 1), (110.0, 2), (120.0, 40), (130.0, 50)]);
        let found = pooled(&windows, WINDOW, ALLOWED).unwrap();
        assert_eq!((found.kept_per_s, found.missed_per_s), (100.0, 130.0));
        assert_eq!((found.kept_to_per_s, found.missed_from_per_s), (110.0, 120.0));
        assert_eq!(found.windows, (6, 6));
        assert!((found.share_over.unwrap().share - 0.0015).abs() < 1e-9);
    }

    #[test]
    fn what_is_far_off_or_too_short_does_not_speak() {
        let far = thrice(&[(40.0, 1), (110.0, 2), (120.0, 40), (130.0, 50)]);
        assert_eq!(pooled(&far, WINDOW, ALLOWED), None, "110 alone has three windows");
        let windows = thrice(&[(100.0, 1), (110.0, 2), (120.0, 40), (130.0, 50)]);
        assert_eq!(pooled(&windows, WINDOW * 2, ALLOWED), None);
    }

    #[test]
    fn windows_of_the_search_speak_but_are_not_the_answer() {
        let mut windows = thrice(&[(100.0, 1), (110.0, 2), (120.0, 40), (130.0, 50)]);
        windows.iter_mut().take(3).for_each(|t| t.step.stage = Stage::Bracket);
        assert_eq!(
            pooled(&windows, WINDOW, ALLOWED),
            None,
            "110 has no six windows from it upwards that kept it"
        );
        windows.extend(vec![tried(90.0, 1)]);
        assert_eq!(pooled(&windows, WINDOW, ALLOWED).unwrap().kept_per_s, 90.0);
    }

    #[test]
    fn a_contradiction_lies_inside_and_the_generator_convicts_nobody() {
        let twice = |rates: &[(f64, u64)]| [thrice(rates), thrice(rates)].concat();
        let windows = twice(&[(100.0, 1), (110.0, 40), (120.0, 1), (130.0, 50)]);
        let found = pooled(&windows, WINDOW, ALLOWED).unwrap();
        assert_eq!((found.kept_per_s, found.missed_per_s), (100.0, 130.0));
        let mut spoiled = twice(&[(100.0, 1), (130.0, 50)]);
        spoiled
            .iter_mut()
            .filter(|t| t.step.rate_per_s > 101.0)
            .for_each(|t| t.said = WindowJudgement::Generator);
        assert_eq!(pooled(&spoiled, WINDOW, ALLOWED), None);
    }
}
