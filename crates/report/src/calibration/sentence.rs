//! The sentence that a reader takes home.

use narrows_model::{Calibration, CalibrationEnd, Validity};
use narrows_units::significant;

use crate::print::rate;

/// The rate and what is said behind it; or no rate and what is said in its place.
pub(super) fn sentence(c: &Calibration) -> (Option<String>, String) {
    if c.validity == Validity::Invalid {
        let text = format!(
            "{}: no answer, because a measurement that it needs is invalid",
            asked(c, "with")
        );
        return (None, text);
    }
    if let Some(per_s) = c.answer_per_s() {
        let mut doubts = Vec::new();
        doubts.extend(
            c.interval_95.as_ref().map(|i| format!("crossing between {}", range(i.low, i.high))),
        );
        let kept = c.quantiles_ns.iter().filter(|ns| **ns <= c.goal.limit_ns as f64).count();
        if !c.quantiles_ns.is_empty() {
            doubts.push(format!("{kept} of {} runs", c.quantiles_ns.len()));
        }
        let doubt =
            if doubts.is_empty() { String::new() } else { format!(" ({})", doubts.join("; ")) };
        return (Some(rate(per_s)), format!("of {}{doubt}", asked(c, "keep")));
    }
    // Of these ends the rate is confirmed by repeats, only not what lies above it.
    let floor = match c.end {
        CalibrationEnd::Unlimited | CalibrationEnd::GeneratorBound => c.rate_per_s,
        _ => None,
    };
    // The run's own sentence has the figures; it names the limit itself.
    let because = c.sentence.trim().trim_end_matches('.');
    let because = if because.is_empty() { ended(c.end) } else { because };
    match floor {
        Some(per_s) => {
            let text = format!("of {}: {because}", asked(c, "keep"));
            (Some(format!("{} or more", rate(per_s))), text)
        }
        None if c.sentence.is_empty() => (None, format!("{}: {because}", asked(c, "with"))),
        None => (None, format!("{}{}: {because}", c.goal.what, beside(c))),
    }
}

/// `62.0k/s and 65.1k/s`.
fn range(low: f64, high: f64) -> String {
    format!("{} and {}", rate(low), rate(high))
}

fn beside(c: &Calibration) -> String {
    c.goal.beside.as_ref().map_or(String::new(), |what| format!(" beside {what}"))
}

/// `8 KiB random reads keep p99 within 1 ms beside a durable log stream`.
fn asked(c: &Calibration, keep: &str) -> String {
    let goal = &c.goal;
    let beside = beside(c);
    format!(
        "{} {keep} {} within {}{beside}",
        goal.what,
        percentile(goal.quantile),
        exact_time(goal.limit_ns)
    )
}

/// How a search ended that found no answer, where the run has no sentence of its own.
fn ended(end: CalibrationEnd) -> &'static str {
    match end {
        CalibrationEnd::Found => "found",
        CalibrationEnd::Unreachable => "no rate is low enough",
        CalibrationEnd::Unlimited => "latency is not what limits it",
        CalibrationEnd::Unstable => "no answer, the device changes with time",
        CalibrationEnd::GeneratorBound => "above that the load generator was too slow",
        CalibrationEnd::Unfinished => "no answer yet, the search did not finish",
    }
}

/// `p99`, `p99.9`, `p50`.
pub(crate) fn percentile(quantile: f64) -> String {
    if !quantile.is_finite() {
        return "the percentile".to_string();
    }
    let percent = (quantile * 100.0 * 1e6).round() / 1e6;
    format!("p{percent}")
}

/// A limit as it was asked for: `1 ms`, `250 µs`, `1.5 ms`.
pub(crate) fn exact_time(ns: u64) -> String {
    let (scale, unit) = match ns {
        0..1_000 => (1.0, "ns"),
        1_000..1_000_000 => (1e3, "µs"),
        1_000_000..1_000_000_000 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    let text = significant(ns as f64 / scale, 6);
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_and_percentiles_print_as_they_were_asked_for() {
        let limits = [
            (1_000_000, "1 ms"),
            (250_000, "250 µs"),
            (1_500_000, "1.5 ms"),
            (20_000_000_000, "20 s"),
        ];
        for (ns, text) in limits {
            assert_eq!(exact_time(ns), text);
        }
        for (share, text) in
            [(0.99, "p99"), (0.999, "p99.9"), (0.5, "p50"), (0.95, "p95"), (0.9999, "p99.99")]
        {
            assert_eq!(percentile(share), text);
        }
    }
}
