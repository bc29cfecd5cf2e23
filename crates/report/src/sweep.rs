//! Rates by sessions with the law they follow, and the highest rates that keep a percentile of latency.

use narrows_model::{
    CalibrationEnd, HighestRate, Metric, Ranged, Run, Scaling, ScalingLaw, Validity, metric,
};
use narrows_units::significant;

use crate::calibration::{exact_time, percentile};
use crate::document::{AnnotatedTable, Row, Table};
use crate::print::{change, half_width, percent, plus_minus, rate, time};
use crate::words;

/// All of a run.
pub(crate) fn sweeps(run: &Run) -> Vec<AnnotatedTable> {
    let highest = run.highest_rates.iter().map(|found| highest(run, found));
    run.scalings.iter().map(|sweep| scaling(run, sweep)).chain(highest).collect()
}

fn scaling(run: &Run, sweep: &Scaling) -> AnnotatedTable {
    let rows = sweep.points.iter().map(|point| {
        let m = run.measurement(&point.measurement);
        let of = |name: Metric| m.and_then(|m| m.value(name));
        let interval = m.and_then(|m| m.metric(metric::THROUGHPUT)?.interval_95.as_ref());
        let dash = || "-".to_string();
        let gap = point.law_per_s.map(|law| change(point.rate_per_s / law - 1.0));
        let suspect = m.is_some_and(|m| m.validity == Validity::Suspect);
        Row::figures(
            format!("{} sessions", point.sessions),
            [
                rate(point.rate_per_s),
                half_width(interval).map_or_else(dash, plus_minus),
                point.law_per_s.map_or_else(dash, rate),
                gap.unwrap_or_else(dash),
                of(metric::LATENCY_MEAN).map_or_else(dash, time),
            ],
            if suspect { "? suspect".to_string() } else { String::new() },
        )
    });
    let table = Table::figures(
        format!("BY SESSIONS  {}", words::workload(&sweep.workload, None)),
        ["rate", "±95%", "law", "off by", "mean"],
        rows,
    );
    let sentences = match (&sweep.law, &sweep.no_law) {
        (Some(law), _) => law_in_words(law),
        (None, Some(why)) => vec![format!("No law of scaling: {why}.")],
        (None, None) => Vec::new(),
    };
    AnnotatedTable { table, sentences }
}

fn law_in_words(law: &ScalingLaw) -> Vec<String> {
    let range = |of: &Ranged| {
        let (low, high) = of.interval_95;
        let text = |value: f64| significant(value, 3);
        format!("{} (95 %: {} to {})", text(of.value), text(low), text(high))
    };
    let rates = |of: &Ranged| {
        let (low, high) = of.interval_95;
        format!("{} (95 %: {} to {})", rate(of.value), rate(low), rate(high))
    };
    let mut sentences = vec![format!(
        "Law: X(N) = λN / (1 + σ(N − 1) + κN(N − 1)) with λ {}, contention σ {}, coherency κ {}; windows differ from it by {} on average.",
        rates(&law.rate_of_one_per_s),
        range(&law.contention),
        range(&law.coherency),
        percent(law.error)
    )];
    sentences.push(match (&law.peak, &law.furthest) {
        (Some((n, at)), _) => format!("Its peak is at {n} sessions, {}.", rates(at)),
        (None, Some((n, at))) => {
            format!(
                "No peak up to {n} sessions, where it gives {}; it does not hold beyond.",
                rates(at)
            )
        }
        (None, None) => "No peak within twice the range that was measured.".to_string(),
    });
    sentences
}

fn highest(run: &Run, found: &HighestRate) -> AnnotatedTable {
    let stands = found.end == CalibrationEnd::Found && found.validity != Validity::Invalid;
    let rows = found.rests_on.iter().filter_map(|id| run.measurement(id)).map(|m| {
        let of = |name: Metric| m.value(name);
        let dash = || "-".to_string();
        Row::figures(
            m.id.split_once(".p99.").map_or(m.id.as_str(), |(_, name)| name).to_string(),
            [
                of(metric::OFFERED).map_or_else(dash, rate),
                of(metric::LATENCY_P50).map_or_else(dash, time),
                of(metric::LATENCY_P99).map_or_else(dash, time),
            ],
            words::counted(m.repeats as usize, "run"),
        )
    });
    let goal = format!("{} within {}", percentile(found.quantile), exact_time(found.limit_ns));
    let answer = match (found.rate_per_s, stands) {
        (Some(per_s), true) => {
            let interval = found.interval_95.map_or(String::new(), |i| {
                format!(", the crossing between {} and {}", rate(i.low), rate(i.high))
            });
            format!("{} with {goal}{interval}.", rate(per_s))
        }
        _ => format!("No rate found for {goal}."),
    };
    let suspect = if found.validity == Validity::Suspect { " ?" } else { "" };
    let table = Table::figures(
        format!("HIGHEST RATE  {}, {goal}{suspect}", words::workload(&found.workload, None)),
        ["due", "p50", "p99"],
        rows,
    );
    let searched = format!(
        "Open loop over at most {} sessions, below the closed loop's {}; {} windows, {} of them not used.",
        found.sessions,
        rate(found.ceiling_per_s),
        found.windows,
        found.unusable_windows
    );
    AnnotatedTable { table, sentences: vec![answer, found.sentence.clone(), searched] }
}

#[cfg(test)]
mod tests {
    use narrows_model::{Interval, IntervalMethod, Plan, Platform, ScalingPoint};

    use super::*;

    fn at(value: f64) -> Ranged {
        Ranged { value, interval_95: (value * 0.9, value * 1.1) }
    }

    fn sweep(law: Option<ScalingLaw>, no_law: Option<&str>) -> Scaling {
        let point = |sessions| ScalingPoint {
            sessions,
            rate_per_s: 1000.0,
            law_per_s: law.as_ref().map(|_| 1100.0),
            measurement: format!("database.update.sessions_{sessions}"),
        };
        let points = [1, 32].map(point).to_vec();
        Scaling { workload: "update".into(), points, law, no_law: no_law.map(String::from) }
    }

    fn said(sweep: Scaling) -> (AnnotatedTable, String) {
        let run = Run { scalings: vec![sweep], ..Run::blank(Plan::default(), Platform::default()) };
        let view = sweeps(&run).remove(0);
        let text = view.sentences.join(" ");
        (view, text)
    }

    #[test]
    fn a_sweep_says_its_law_how_far_it_is_off_and_how_far_it_goes() {
        let law = ScalingLaw {
            rate_of_one_per_s: at(1000.0),
            contention: at(0.05),
            coherency: at(0.001),
            error: 0.021,
            peak: None,
            furthest: Some((64, at(8000.0))),
        };
        let (view, text) = said(sweep(Some(law.clone()), None));
        assert_eq!(view.table.texts(1)[0], "32 sessions");
        // 1000 measured where the law has 1100.
        assert!(view.table.texts(1)[4].contains("-9"), "{:?}", view.table.rows[1]);
        assert!(text.contains("σ 0.0500 (95 %: 0.0450 to 0.0550)"), "{text}");
        assert!(text.contains("No peak up to 64 sessions"), "{text}");
        let (_, text) = said(sweep(Some(ScalingLaw { peak: Some((31, at(9e3))), ..law }), None));
        assert!(text.contains("peak is at 31 sessions"), "{text}");
        let (view, text) = said(sweep(None, Some("it misses")));
        assert_eq!(view.table.texts(0)[3], "-");
        assert_eq!(text, "No law of scaling: it misses.");
    }

    #[test]
    fn a_rate_is_answered_only_where_it_was_found_and_what_it_rests_on_stands() {
        let mut found = HighestRate {
            workload: "update".into(),
            sessions: 8,
            quantile: 0.99,
            limit_ns: 10_000_000,
            end: CalibrationEnd::Found,
            sentence: "as the search says it".into(),
            rate_per_s: Some(4000.0),
            interval_95: Some(Interval {
                low: 4000.0,
                high: 4200.0,
                method: IntervalMethod::OrderStatistic,
            }),
            quantiles_ns: vec![9e6; 6],
            ceiling_per_s: 6000.0,
            windows: 40,
            unusable_windows: 1,
            rests_on: Vec::new(),
            validity: Validity::Valid,
        };
        let answer = |found: &HighestRate| {
            let run = Run {
                highest_rates: vec![found.clone()],
                ..Run::blank(Plan::default(), Platform::default())
            };
            sweeps(&run).remove(0).sentences.remove(0)
        };
        let text = answer(&found);
        assert!(text.starts_with("4.00k/s with p99 within 10 ms"), "{text}");
        found.validity = Validity::Invalid;
        assert_eq!(answer(&found), "No rate found for p99 within 10 ms.");
        found.validity = Validity::Valid;
        found.end = CalibrationEnd::Unreachable;
        assert_eq!(answer(&found), "No rate found for p99 within 10 ms.");
    }
}
