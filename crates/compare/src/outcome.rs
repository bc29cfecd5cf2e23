//! The word of each row: by tests on the runs, corrected for their number.

use narrows_model::{Interval, Measurement, Metric, condition, metric};
use narrows_stats::{Design, Difference, difference, geometric_mean, holm};

use crate::pairing::{Pair, Unpaired};
use crate::{ComparedRow, Judgement, MetricPair, Question, SIGNIFICANCE};

/// What a measurement is judged by: the first of these that both sides have.
const LEADING: [Metric; 6] = [
    metric::THROUGHPUT,
    metric::BANDWIDTH,
    metric::COST,
    metric::LATENCY_MEAN,
    metric::LATENCY_P50,
    metric::SMT_YIELD,
];
/// Where a load comes by a schedule, its rate is no result.
const LEADING_OPEN: [Metric; 2] = [metric::LATENCY_P99, metric::LATENCY_MEAN];
/// What the field's tables of an improvement have beside it.
const SHOWN: [Metric; 8] = [
    metric::THROUGHPUT,
    metric::BANDWIDTH,
    metric::LATENCY_MEAN,
    metric::LATENCY_P50,
    metric::LATENCY_P99,
    metric::SERVER_FLUSH_TIME,
    metric::CPU_PER_OP,
    metric::SERVER_CPU_PER_OP,
];

/// A row for each pair that has a leading metric, and those whose leading metric can't be compared.
pub(crate) fn rows(pairs: &[Pair<'_>], question: &Question) -> (Vec<ComparedRow>, Vec<Unpaired>) {
    let mut left = Vec::new();
    let judged: Vec<(&Pair<'_>, MetricPair, Difference)> = pairs
        .iter()
        .filter_map(|pair| {
            let metric = leading_metric(pair)?;
            let found = of_both(pair, metric, question);
            if found.is_none() {
                let why =
                    format!("its {metric} is not above zero in every run, or no pair has both");
                left.push(Unpaired { measurement: pair.id.to_string(), why, missing: false });
            }
            found.map(|(metric, found)| (pair, metric, found))
        })
        .collect();
    let tested = |p: fn(&Difference, f64) -> Option<f64>| -> Vec<Option<f64>> {
        let values: Vec<Option<f64>> =
            judged.iter().map(|(_, _, d)| p(d, question.margin)).collect();
        let known: Vec<f64> = values.iter().flatten().copied().collect();
        let mut corrected = holm(&known).into_iter();
        values.iter().map(|value| value.and_then(|_| corrected.next())).collect()
    };
    let differ = tested(|d, _| d.p_value());
    let alike = tested(Difference::p_equivalent);
    let tests = differ.iter().flatten().count().max(1) as f64;
    let each = judged.into_iter().zip(differ.into_iter().zip(alike));
    let rows = each.map(|((pair, leading, found), (p_value, p_equivalent))| {
        let (judgement, why) = judgement_of(pair, &leading, p_value, p_equivalent);
        ComparedRow {
            measurement: pair.id.to_string(),
            layer: pair.base[0].layer,
            judgement,
            why,
            p_value,
            p_equivalent,
            smallest_found: found.smallest_found(SIGNIFICANCE / tests),
            pair_scatter: question
                .paired
                .then(|| found.scatter.map(|s| s.standard_error * (s.df + 1.0).sqrt()))
                .flatten(),
            scatter_that_hides_it: found.scatter.is_none().then(|| found.scatter_that_hides_it()),
            others: others(pair, &leading, question),
            suspect: pair.suspect.clone(),
            leading,
        }
    });
    (rows.collect(), left)
}

fn judgement_of(
    pair: &Pair<'_>,
    leading: &MetricPair,
    p_value: Option<f64>,
    p_equivalent: Option<f64>,
) -> (Judgement, String) {
    let (Some(p_value), Some(p_equivalent)) = (p_value, p_equivalent) else {
        return (Judgement::Unresolved, "fewer than three runs of a side".to_string());
    };
    if let Some(suspect) = &pair.suspect {
        return (Judgement::Unresolved, suspect.clone());
    }
    let good = leading.good();
    // What differs by less than matters is as good as the same.
    if p_equivalent < SIGNIFICANCE {
        (Judgement::Equivalent, String::new())
    } else if p_value < SIGNIFICANCE && good.is_some() {
        (if good == Some(true) { Judgement::Better } else { Judgement::Worse }, String::new())
    } else {
        (Judgement::Unresolved, "within the scatter of the runs".to_string())
    }
}

/// What a measurement is judged by, the first that it has.
pub(crate) fn leading_metrics(measurement: &Measurement) -> &'static [Metric] {
    match measurement.text(condition::LOOP) {
        Some("open") => &LEADING_OPEN,
        _ => &LEADING,
    }
}

/// The first of them that all of the pair's measurements have: what one run lost is not judged by something else.
fn leading_metric(pair: &Pair<'_>) -> Option<Metric> {
    let all = || pair.base.iter().chain(&pair.other);
    let has = |metric: &&Metric| all().all(|measurement| measurement.value(**metric).is_some());
    leading_metrics(pair.base[0]).iter().find(has).copied()
}

fn others(pair: &Pair<'_>, leading: &MetricPair, question: &Question) -> Vec<MetricPair> {
    let others = SHOWN.iter().filter(|metric| leading.metric != metric.name);
    others.filter_map(|metric| Some(of_both(pair, *metric, question)?.0)).collect()
}

/// That metric of all runs of both sides; `None` where one lacks it or it is not above zero. Of pairs those in which both have it once.
fn of_both(
    pair: &Pair<'_>,
    metric: Metric,
    question: &Question,
) -> Option<(MetricPair, Difference)> {
    let values = |side: &[&Measurement]| -> Option<Vec<f64>> {
        side.iter().map(|measurement| measurement.value(metric)).collect()
    };
    let (mut base_runs, mut other_runs) = (values(&pair.base)?, values(&pair.other)?);
    let mut design = Design::Independent;
    if question.paired {
        let only = |runs: &[usize], values: &[f64], run: usize| {
            let mut of = runs.iter().zip(values).filter(|(at, _)| **at == run);
            let first = of.next().map(|(_, value)| *value);
            first.filter(|_| of.next().is_none())
        };
        let last = pair.base_run.iter().chain(&pair.other_run).max().copied().unwrap_or(0);
        let both = (0..=last).filter_map(|run| {
            let base = only(&pair.base_run, &base_runs, run)?;
            Some((base, only(&pair.other_run, &other_runs, run)?))
        });
        (base_runs, other_runs) = both.collect::<Vec<_>>().into_iter().unzip();
        design = Design::Paired;
    }
    let found = difference(&base_runs, &other_runs, design)?;
    let pair = MetricPair {
        metric: metric.name.to_string(),
        unit: metric.unit,
        better: metric.better,
        base: geometric_mean(&base_runs)?,
        other: geometric_mean(&other_runs)?,
        growth: found.ratio - 1.0,
        interval_95: found.interval_95().map(less_one),
        base_runs,
        other_runs,
    };
    Some((pair, found))
}

/// Of a ratio, as a growth.
fn less_one(ratio: Interval) -> Interval {
    Interval { low: ratio.low - 1.0, high: ratio.high - 1.0, method: ratio.method }
}
