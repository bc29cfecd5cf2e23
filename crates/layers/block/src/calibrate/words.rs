//! The answer in words.

use narrows_engine::rate_search::{Because, Goal, Outcome};
use narrows_units::{Bytes, Nanos, OpsPerSecond};

use super::plan::CalibratePlan;
use super::search::Searched;

/// `8 KiB random reads`.
pub(super) fn what(plan: &CalibratePlan) -> String {
    let size = Bytes(u64::from(plan.block_bytes)).iec();
    match plan.read_percent.min(100) {
        100 => format!("{size} random reads"),
        0 => format!("{size} random writes"),
        reads => format!("{size} random reads and writes, {reads}:{}", 100 - reads),
    }
}

/// `a durable 8 KiB log stream, 200 writes per second`.
pub(super) fn beside(plan: &CalibratePlan) -> Option<String> {
    let log = plan.beside?;
    let size = Bytes(u64::from(log.block_bytes)).iec();
    Some(format!("a durable {size} log stream, {:.0} writes per second", log.rate_per_s))
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

/// How the search ended, in one sentence with its figures.
pub(super) fn sentence(plan: &CalibratePlan, searched: &Searched) -> String {
    let ended = ended(&plan.goal, searched);
    if plan.mix().writes() {
        // The rate of an open loop is its schedule's: no search this short sees what a full drive does.
        return format!("{ended}; for writes this is a burst: minutes, not hours");
    }
    ended
}

fn ended(goal: &Goal, searched: &Searched) -> String {
    let promise = promise(goal);
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
            "{promise} is kept up to the ceiling, {}{}: something else than latency ends the growth",
            rate(*rate_per_s),
            at(*quantile_ns)
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
        Outcome::Unfinished { because, passed_per_s, failed_per_s } => {
            unfinished(&promise, *because, (*passed_per_s, *failed_per_s), searched)
        }
    }
}

fn unfinished(
    promise: &str,
    because: Because,
    (passed_per_s, failed_per_s): (Option<f64>, Option<f64>),
    searched: &Searched,
) -> String {
    let why = match because {
        Because::Windows => format!("the {} windows allowed were used up", searched.windows),
        Because::Time => {
            format!("the time allowed was used up, after {} windows", searched.windows)
        }
        Because::Bytes => "the bytes that may be written were used up".to_string(),
        Because::Unusable => {
            let worst = searched.spoiled.iter().max_by_key(|(_, count)| **count);
            let cause = worst.map_or("were disturbed", |(spoiled, _)| spoiled.words());
            format!("{} of {} windows {cause}", searched.unusable(), searched.windows)
        }
    };
    let so_far = match (passed_per_s, failed_per_s) {
        (Some(passed), Some(failed)) if failed <= passed * 1.001 => {
            format!("; so far kept and missed around {}", rate(failed))
        }
        (Some(passed), Some(failed)) => {
            format!("; so far kept at {} and missed at {}", rate(passed), rate(failed))
        }
        (Some(passed), None) => format!("; so far kept at {}", rate(passed)),
        (None, Some(failed)) => format!("; so far missed at {}", rate(failed)),
        (None, None) => String::new(),
    };
    format!("no answer on {promise}: {why}{so_far}")
}
