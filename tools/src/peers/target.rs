//! What was set out to be reached, and whether it was.

use narrows_stats::{RatioEstimate, paired_ratio};

use super::contender::printed;
use super::pooled::pooled_ratio;

/// A side of a figure.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Goal {
    AtMost(f64),
    AtLeast(f64),
    /// No further from the other than this share of it.
    Within(f64),
}

/// A line that says whether `over` / `under`, round by round, keeps to the goal. `words` names the two.
pub(crate) fn line(words: &str, goal: Goal, over: &[f64], under: &[f64]) -> String {
    told(words, goal, paired_ratio(over, under))
}

/// The same of the sums over all rounds, where single rounds are rough or zero.
pub(crate) fn pooled(words: &str, goal: Goal, over: &[f64], under: &[f64]) -> String {
    told(words, goal, pooled_ratio(over, under))
}

fn told(words: &str, goal: Goal, ratio: Option<RatioEstimate>) -> String {
    let Some(ratio) = ratio else {
        return format!("- {words}: not measured.\n");
    };
    let wanted = match goal {
        Goal::AtMost(bound) => format!("at most × {bound:.2}"),
        Goal::AtLeast(bound) => format!("at least × {bound:.2}"),
        Goal::Within(share) => format!("within {:.0} %", share * 100.0),
    };
    let outcome = outcome(&ratio, goal);
    format!("- {words}: {wanted} wanted, {} measured: {outcome}.\n", printed(&ratio))
}

/// Reached or missed where the whole interval lies on one side.
fn outcome(ratio: &RatioEstimate, goal: Goal) -> &'static str {
    let (low, high) = ratio
        .interval_95
        .map_or((ratio.value, ratio.value), |interval| (interval.low, interval.high));
    let (surely, possibly) = match goal {
        Goal::AtMost(bound) => (high <= bound, low <= bound),
        Goal::AtLeast(bound) => (low >= bound, high >= bound),
        Goal::Within(share) => {
            let (least, most) = (1.0 - share, 1.0 + share);
            (low >= least && high <= most, low <= most && high >= least)
        }
    };
    match (surely, possibly) {
        (true, _) => "**reached**",
        (_, true) => "**not distinguishable** from it",
        _ => "**missed**",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_reached_or_missed_only_by_the_whole_interval() {
        let said = |goal, over: [f64; 3]| line("x", goal, &over, &[1.0, 1.0, 1.0]);
        for (goal, below, above) in [
            (Goal::AtMost(1.0), "**reached**", "**missed**"),
            (Goal::AtLeast(1.0), "**missed**", "**reached**"),
        ] {
            assert!(said(goal, [0.90, 0.91, 0.92]).contains(below));
            assert!(said(goal, [1.10, 1.11, 1.12]).contains(above));
            assert!(said(goal, [0.90, 1.00, 1.12]).contains("**not distinguishable**"));
        }
        let near = Goal::Within(0.05);
        assert!(said(near, [0.98, 1.00, 1.02]).contains("within 5 % wanted"));
        assert!(said(near, [0.99, 1.00, 1.01]).contains("**reached**"));
        assert!(said(near, [0.90, 1.00, 1.12]).contains("**not distinguishable**"));
        assert!(said(near, [1.20, 1.21, 1.22]).contains("**missed**"));
        assert!(line("x", Goal::AtMost(1.0), &[], &[]).contains("not measured"));
    }
}
