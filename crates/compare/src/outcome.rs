//! The word of each row: by tests on the runs, corrected for their number.

use narrows_model::{Interval, Measurement, Metric, condition, metric};
use narrows_stats::{
    Design, Difference, FEWEST_RUNS, benjamini_hochberg, bootstrap_interval_95, difference,
    geometric_mean, hodges_lehmann, holm, permutation_p,
};

use crate::pairing::{Pair, Unpaired};
use crate::{
    ComparedRow, Correction, DistributionFree, Judgement, MetricPair, Question, SIGNIFICANCE,
};

/// What a measurement is judged by: the first of these that both sides have.
const LEADING: [Metric; 7] = [
    metric::THROUGHPUT,
    metric::BANDWIDTH,
    metric::COST,
    metric::LATENCY_MEAN,
    metric::LATENCY_P50,
    metric::SMT_YIELD,
    metric::CPU_BUSY,
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
        let corrected = match question.correction {
            Correction::Holm => holm(&known),
            Correction::BenjaminiHochberg => benjamini_hochberg(&known),
        };
        // What looks before this one used up makes each p-value larger, so that one level is for all.
        let looks = SIGNIFICANCE / question.level();
        let mut corrected = corrected.into_iter().map(|p| (p * looks).min(1.0));
        values.iter().map(|value| value.and_then(|_| corrected.next())).collect()
    };
    let differ = tested(|d, _| d.p_value());
    let alike = tested(Difference::p_equivalent);
    let tests = differ.iter().flatten().count().max(1) as f64;
    let each = judged.into_iter().zip(differ.into_iter().zip(alike));
    let rows = each.map(|((pair, leading, found), (p_value, p_equivalent))| {
        let (judgement, why) =
            judgement_of(pair, &leading, (p_value, p_equivalent), question.look.is_some());
        ComparedRow {
            measurement: pair.id.to_string(),
            layer: pair.base[0].layer,
            judgement,
            why,
            p_value,
            p_equivalent,
            smallest_found: found.smallest_found(question.level() / tests),
            pair_scatter: question
                .paired
                .then(|| found.scatter.map(|s| s.standard_error * (s.df + 1.0).sqrt()))
                .flatten(),
            scatter_that_hides_it: found.scatter.is_none().then(|| found.scatter_that_hides_it()),
            distribution_free: distribution_free(&leading, question),
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
    p_values: (Option<f64>, Option<f64>),
    of_looks: bool,
) -> (Judgement, String) {
    let (Some(p_value), Some(p_equivalent)) = p_values else {
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
    } else if p_value < SIGNIFICANCE {
        (Judgement::Unresolved, "it differs, and neither direction is the good one".to_string())
    } else if leading.interval_95.is_some_and(|i| i.low > 0.0 || i.high < 0.0) {
        let looks = if of_looks { " and of results" } else { "" };
        let why = "shown by itself, not after the correction for the number of measurements";
        (Judgement::Unresolved, format!("{why}{looks}"))
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

/// Of runs with which a test exists.
fn distribution_free(pair: &MetricPair, question: &Question) -> Option<DistributionFree> {
    let design = if question.paired { Design::Paired } else { Design::Independent };
    let (base, other) = (&pair.base_runs, &pair.other_runs);
    if base.len().min(other.len()) < FEWEST_RUNS {
        return None;
    }
    Some(DistributionFree {
        growth: hodges_lehmann(base, other, design)? - 1.0,
        p_permutation: permutation_p(base, other, design),
        bootstrap_95: bootstrap_interval_95(base, other, design).map(less_one),
    })
}

/// Of a ratio, as a growth.
fn less_one(ratio: Interval) -> Interval {
    Interval { low: ratio.low - 1.0, high: ratio.high - 1.0, method: ratio.method }
}
