//! The answer in words.

use narrows_engine::rate_search::{Because, Outcome};
use narrows_units::{Nanos, OpsPerSecond};

use super::closed::Closed;
use super::plan::CommitPlan;
use super::search::Searched;
use crate::writer::Style;

/// Part of the processors above which they are what ends the growth.
const BUSY: f64 = 0.9;

/// `commits of 200 bytes`.
pub fn what(plan: &CommitPlan) -> String {
    let mean = plan.sizes.mean().round() as u64;
    let size = if plan.sizes.is_fixed() {
        format!("commits of {mean} bytes")
    } else {
        format!("commits of {mean} bytes on average")
    };
    let style = match plan.style {
        Style::Leader => "",
        Style::Writer => " to a log writer",
    };
    let delay = match plan.delay.time.as_micros() {
        0 => String::new(),
        us => format!(", delayed by {us} µs"),
    };
    format!("{size}{style}{delay}")
}

/// How the search ended, in one sentence with its figures.
pub fn sentence(plan: &CommitPlan, searched: &Searched) -> String {
    let percent = format!("{:.3}", plan.goal.quantile * 100.0);
    let percent = percent.trim_end_matches('0').trim_end_matches('.');
    let promise = format!("p{percent} within {}", Nanos(plan.goal.limit_ns));
    let rate = |per_s: f64| OpsPerSecond(per_s).to_string();
    let at = |ns: Option<f64>| {
        ns.map_or(String::new(), |ns| format!(" (there it is {})", Nanos(ns as u64)))
    };
    match &searched.outcome {
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
            "{promise} is kept up to the ceiling, {}{}: something else than the wait ends the growth",
            rate(*rate_per_s),
            at(*quantile_ns)
        ),
        Outcome::Unstable { passed_per_s, failed_per_s, .. } => format!(
            "the device changed: {promise} was kept at {} and missed at {}",
            rate(*passed_per_s),
            rate(*failed_per_s)
        ),
        Outcome::GeneratorBound { generator_per_s, .. } => {
            format!("the sessions could not be sent {} on time", rate(*generator_per_s))
        }
        Outcome::Unfinished { because, passed_per_s, failed_per_s } => {
            let windows = searched.windows;
            let why = match because {
                Because::Windows => format!("the {windows} windows allowed were used up"),
                Because::Time => {
                    format!("the time allowed was used up, after {windows} windows")
                }
                Because::Bytes => "the bytes that may be written were used up".to_string(),
                Because::Unusable => {
                    format!("{} of {windows} windows were disturbed", searched.unusable)
                }
            };
            let so_far = [("kept at", passed_per_s), ("missed at", failed_per_s)]
                .iter()
                .filter_map(|(word, per_s)| Some(format!("{word} {}", rate((**per_s)?))))
                .collect::<Vec<_>>()
                .join(" and ");
            let so_far = if so_far.is_empty() { so_far } else { format!("; so far {so_far}") };
            format!("no answer on {promise}: {why}{so_far}")
        }
    }
}

/// What ends the growth of the closed loops, as far as it is known.
pub fn bound(closed: &Closed) -> Option<String> {
    let (used, cpus) = closed.busy;
    if used >= BUSY * cpus as f64 {
        return Some(format!(
            "processors: sessions and log used {used:.1} of {cpus}, most of it to sleep and wake"
        ));
    }
    if closed.still_grew {
        return Some(format!("sessions: it still grew at {}, the most tried", closed.sessions));
    }
    None
}
