//! Rates by sessions with the law they follow, and the highest rates that keep a percentile of latency.

use narrows_model::{
    CalibrationEnd, HighestRate, Ranged, Run, Scaling, ScalingLaw, Validity, metric,
};
use narrows_units::significant;

use crate::calibration::{exact_time, percentile};
use crate::live::{Grid, GridRow};
use crate::print::{change, half_width, percent, rate, time};
use crate::words;

/// One table, and what is said below it.
#[derive(Debug, Clone, PartialEq)]
pub struct SweepView {
    /// The table.
    pub grid: Grid,
    /// What follows from it.
    pub sentences: Vec<String>,
}

/// All of a run.
pub(crate) fn sweeps(run: &Run) -> Vec<SweepView> {
    let highest = run.highest_rates.iter().map(|found| highest(run, found));
    run.scalings.iter().map(|sweep| scaling(run, sweep)).chain(highest).collect()
}

fn scaling(run: &Run, sweep: &Scaling) -> SweepView {
    let rows = sweep.points.iter().map(|point| {
        let m = run.measurement(&point.measurement);
        let of = |name: &str| m.and_then(|m| m.value(name));
        let interval = m.and_then(|m| m.metric(metric::THROUGHPUT)?.interval_95.as_ref());
        let dash = || "-".to_string();
        let gap = point.law_per_s.map(|law| change(point.rate_per_s / law - 1.0));
        let suspect = m.is_some_and(|m| m.validity == Validity::Suspect);
        GridRow {
            name: format!("{} sessions", point.sessions),
            cells: vec![
                rate(point.rate_per_s),
                half_width(interval).map_or_else(dash, percent),
                point.law_per_s.map_or_else(dash, rate),
                gap.unwrap_or_else(dash),
                of(metric::LATENCY_MEAN).map_or_else(dash, time),
            ],
            remark: if suspect { "? suspect".to_string() } else { String::new() },
        }
    });
    let grid = Grid {
        title: format!("BY SESSIONS  {}", words::workload(&sweep.workload, None)),
        columns: ["rate", "±95%", "law", "off by", "mean"].map(String::from).to_vec(),
        remark: String::new(),
        rows: rows.collect(),
    };
    let sentences = match (&sweep.law, &sweep.no_law) {
        (Some(law), _) => law_in_words(law),
        (None, Some(why)) => vec![format!("No law of scaling: {why}.")],
        (None, None) => Vec::new(),
    };
    SweepView { grid, sentences }
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
        "Law: X(N) = λN / (1 + σ(N − 1) + κN(N − 1)) with λ {}, contention σ {}, coherency κ {}; windows are {} off in \
         the mean.",
        rates(&law.rate_of_one_per_s),
        range(&law.contention),
        range(&law.coherency),
        percent(law.error)
    )];
    sentences.push(match (&law.peak, &law.furthest) {
        (Some((n, at)), _) => format!("Its peak is at {n} sessions, {}.", rates(at)),
        (None, Some((n, at))) => {
            format!(
                "No peak up to {n} sessions, where it gives {}; beyond that it says nothing.",
                rates(at)
            )
        }
        (None, None) => "No peak within twice what was measured.".to_string(),
    });
    sentences
}

fn highest(run: &Run, found: &HighestRate) -> SweepView {
    let stands = found.end == CalibrationEnd::Found && found.validity != Validity::Invalid;
    let rows = found.rests_on.iter().filter_map(|id| run.measurement(id)).map(|m| {
        let of = |name: &str| m.value(name);
        let dash = || "-".to_string();
        GridRow {
            name: m.id.split_once(".p99.").map_or(m.id.as_str(), |(_, name)| name).to_string(),
            cells: vec![
                of(metric::OFFERED).map_or_else(dash, rate),
                of(metric::LATENCY_P50).map_or_else(dash, time),
                of(metric::LATENCY_P99).map_or_else(dash, time),
            ],
            remark: words::counted(m.repeats as usize, "run"),
        }
    });
    let goal = format!("{} within {}", percentile(found.quantile), exact_time(found.limit_ns));
    let answer = match (found.rate_per_s, stands) {
        (Some(per_s), true) => {
            let interval = found.interval_95.map_or(String::new(), |i| {
                format!(", the crossing between {} and {}", rate(i.low), rate(i.high))
            });
            format!(
                "{} a second with {goal}{interval}.",
                rate(per_s).trim_end_matches("/s").trim_end()
            )
        }
        _ => format!("No rate is answered for {goal}."),
    };
    let suspect = if found.validity == Validity::Suspect { " ?" } else { "" };
    let grid = Grid {
        title: format!("HIGHEST RATE  {}, {goal}{suspect}", words::workload(&found.workload, None)),
        columns: ["due", "p50", "p99"].map(String::from).to_vec(),
        remark: String::new(),
        rows: rows.collect(),
    };
    let searched = format!(
        "Open loop over at most {} sessions, below the closed loop's {}; {} windows, {} of them not used.",
        found.sessions,
        rate(found.ceiling_per_s),
        found.windows,
        found.unusable_windows
    );
    SweepView { grid, sentences: vec![answer, found.sentence.clone(), searched] }
}
