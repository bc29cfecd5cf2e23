//! How a search ended, in one sentence with its figures.

use narrows_units::{Nanos, OpsPerSecond};

use super::{Because, Goal, Outcome};

/// What the sentence takes from whoever ran the windows.
#[derive(Debug, Clone, Copy)]
pub struct SearchDescription<'a> {
    /// What is limited: `latency`.
    pub limited: &'a str,
    /// Windows that were run.
    pub windows: u32,
    /// Of these, not used.
    pub unusable: u32,
    /// What most of those suffered: `were disturbed`.
    pub disturbed: &'a str,
}

impl Outcome {
    /// The sentence.
    pub fn sentence(&self, goal: &Goal, told: &SearchDescription<'_>) -> String {
        let promise = promise(goal);
        let at = |ns: Option<f64>| {
            ns.map_or(String::new(), |ns| format!(" (there it is {})", Nanos(ns as u64)))
        };
        match self {
            Outcome::Found(answer) if answer.pooled => format!(
                "{} with {promise}, by {} runs there and above; missed at {}, by {} runs there and below; no two rates were decided by their own",
                rate(answer.rate_per_s),
                answer.repeats.0,
                rate(answer.next_failed_per_s),
                answer.repeats.1
            ),
            Outcome::Found(answer) => format!(
                "{} with {promise}, confirmed by {} runs; {} missed it in {}",
                rate(answer.rate_per_s),
                answer.repeats.0,
                rate(answer.next_failed_per_s),
                answer.repeats.1
            ),
            Outcome::Unreachable { lowest_per_s, quantile_ns } => {
                format!("{promise} is not kept even at {}{}", rate(*lowest_per_s), at(*quantile_ns))
            }
            Outcome::Unlimited { rate_per_s, quantile_ns } => format!(
                "{promise} is kept up to the ceiling, {}{}: something else than {} ends the growth",
                rate(*rate_per_s),
                at(*quantile_ns),
                told.limited
            ),
            Outcome::Unstable { passed_per_s, failed_per_s, .. } => format!(
                "the device changed: {promise} was kept at {} and missed at {}",
                rate(*passed_per_s),
                rate(*failed_per_s)
            ),
            Outcome::GeneratorBound { rate_per_s, generator_per_s } => {
                let kept =
                    rate_per_s.map(|per_s| format!(", and {promise} was kept at {}", rate(per_s)));
                format!(
                    "the load generator could not follow at {}{}",
                    rate(*generator_per_s),
                    kept.unwrap_or_default()
                )
            }
            Outcome::Unfinished { because, passed_per_s, failed_per_s, apart_per_s } => {
                let so_far = match apart_per_s {
                    None => so_far(*passed_per_s, *failed_per_s),
                    Some((missed, kept)) => format!(
                        "; single windows missed it at {} and kept it at {}: what holds it up comes and goes whatever the rate, and longer windows \
                         would have it in each",
                        rate(*missed),
                        rate(*kept)
                    ),
                };
                format!("no answer on {promise}: {}{so_far}", why(*because, told))
            }
        }
    }
}

fn why(because: Because, told: &SearchDescription<'_>) -> String {
    let windows = told.windows;
    match because {
        Because::Windows => format!("the {windows} windows allowed were used up"),
        Because::Time => format!("the time allowed was used up, after {windows} windows"),
        Because::Undecided => {
            "its runs disagree up to the highest or down to the lowest rate tried".to_string()
        }
        Because::Bytes => "the bytes that may be written were used up".to_string(),
        Because::TooFew => {
            "its windows hold too few operations for that percentile, fewer than ten beyond it; longer windows or a lower percentile would \
             do"
                .to_string()
        }
        Because::Unusable => format!("{} of {windows} windows {}", told.unusable, told.disturbed),
    }
}

fn so_far(passed_per_s: Option<f64>, failed_per_s: Option<f64>) -> String {
    match (passed_per_s, failed_per_s) {
        (Some(passed), Some(failed)) if failed <= passed * 1.001 => {
            format!("; so far kept and missed around {}", rate(failed))
        }
        (Some(passed), Some(failed)) => {
            format!("; so far kept at {} and missed at {}", rate(passed), rate(failed))
        }
        (Some(passed), None) => format!("; so far kept at {}", rate(passed)),
        (None, Some(failed)) => format!("; so far missed at {}", rate(failed)),
        (None, None) => String::new(),
    }
}

/// `p99 within 1.00 ms`.
fn promise(goal: &Goal) -> String {
    let percent = format!("{:.3}", goal.quantile * 100.0);
    let percent = percent.trim_end_matches('0').trim_end_matches('.');
    format!("p{percent} within {}", Nanos(goal.limit_ns))
}

fn rate(per_s: f64) -> String {
    OpsPerSecond(per_s).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_without_an_answer_says_why_and_how_far_it_came() {
        let goal = Goal { quantile: 0.999, limit_ns: 1_000_000 };
        let told = SearchDescription {
            limited: "latency",
            windows: 60,
            unusable: 16,
            disturbed: "were late",
        };
        let unfinished = |because, passed_per_s, failed_per_s| {
            let apart_per_s = None;
            Outcome::Unfinished { because, passed_per_s, failed_per_s, apart_per_s }
                .sentence(&goal, &told)
        };
        assert_eq!(
            unfinished(Because::Unusable, Some(2e3), None),
            "no answer on p99.9 within 1.00 ms: 16 of 60 windows were late; so far kept at 2.00k/s"
        );
        assert!(unfinished(Because::Time, Some(2e3), Some(2e3)).ends_with("missed around 2.00k/s"));
        assert!(unfinished(Because::Bytes, None, None).ends_with("were used up"));
        let few = unfinished(Because::TooFew, Some(150.0), Some(160.0));
        assert!(few.contains("fewer than ten beyond it") && few.contains("kept at 150/s"), "{few}");
        let (because, apart_per_s) = (Because::Time, Some((2.5e3, 1e4)));
        let (passed_per_s, failed_per_s) = (Some(13e3), Some(13e3));
        let apart = Outcome::Unfinished { because, passed_per_s, failed_per_s, apart_per_s };
        let apart = apart.sentence(&goal, &told);
        assert!(apart.contains("missed it at 2.50k/s and kept it at 10.0k/s"), "{apart}");
    }
}
