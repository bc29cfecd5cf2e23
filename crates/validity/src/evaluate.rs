//! Does a condition hold, and which figures show it?

use std::fmt;

use narrows_model::{FindingPlace, Layer, Measurement, Metric, Platform, Role, Run, condition};
use narrows_units::{Ratio, significant};

use crate::drift;
use crate::gaps;
use crate::loaded;
use crate::parts;
use crate::path;
use crate::plateau;
use crate::quantity::{Figure, Quantity, headline};
use crate::rule::{Over, Test, When};
use crate::select::says;
use crate::step;
use crate::stood_still;

/// A measurement in its run.
#[derive(Clone, Copy)]
pub(crate) struct Case<'a> {
    pub run: &'a Run,
    pub measurement: &'a Measurement,
}

impl<'a> Case<'a> {
    /// The machine it was measured on.
    pub fn platform(&self) -> Option<&'a Platform> {
        self.run.hosts.get(self.measurement.host as usize).map(|host| &host.platform)
    }
}

/// The figures a finding rests on.
#[derive(Debug, Clone)]
pub(crate) struct Evidence {
    texts: Vec<String>,
    places: Vec<FindingPlace>,
}

impl Evidence {
    pub fn new(text: impl Into<String>) -> Self {
        Evidence { texts: vec![text.into()], places: Vec::new() }
    }

    /// At a place of the machine.
    pub fn at(place: FindingPlace) -> Self {
        Evidence { texts: vec![place.evidence.clone()], places: vec![place] }
    }

    /// At several; `None` without any.
    pub fn of(places: Vec<FindingPlace>) -> Option<Self> {
        let texts: Vec<String> = places.iter().map(|place| place.evidence.clone()).collect();
        (!places.is_empty()).then_some(Evidence { texts, places })
    }

    /// Where it was found, if at places of the machine.
    pub fn places(&self) -> &[FindingPlace] {
        &self.places
    }

    /// With further figures, those of them that are known.
    pub fn and(mut self, figures: &[Quantity], case: &Case<'_>) -> Self {
        let known = figures.iter().filter_map(|quantity| quantity.resolve(case));
        self.texts.extend(known.map(|figure| figure.show(figure.median())));
        self
    }

    /// With a reason behind it.
    pub fn because(mut self, why: String) -> Self {
        self.texts.push(why);
        self
    }

    /// For a list that quotes several measurements.
    pub fn in_measurement(self, m: &Measurement) -> Self {
        Evidence { texts: vec![format!("{}: {self}", m.id)], places: self.places }
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.texts.join("; "))
    }
}

/// Whether a condition about one measurement holds. `None` also where a figure it needs is absent.
pub(crate) fn measurement(when: &When, case: &Case<'_>) -> Option<Evidence> {
    match *when {
        When::Ratio { of, to, over, test } => {
            ratio(&of.resolve(case)?, &to.resolve(case)?, over, test)
        }
        When::Value { of, over, test } => value(&of.resolve(case)?, over, test),
        When::Shortfall { done, due, window, share } => {
            shortfall(&done.resolve(case)?, &due.resolve(case)?, &window.resolve(case)?, share)
        }
        When::Excess { of, most, per_min, window } => {
            excess(&of.resolve(case)?, most, &per_min.resolve(case)?, &window.resolve(case)?)
        }
        When::LeftOver { left, rate, latency } => {
            left_over(&left.resolve(case)?, &rate.resolve(case)?, &latency.resolve(case)?)
        }
        When::LinkBelowUnderLoad => loaded::below(case),
        When::LinkCameUp => loaded::came_up(case),
        When::FarFromDrive => crate::node::far_from_drive(case).map(Evidence::new),
        When::SliverRead { turning } => crate::sliver::evidence(case, turning).map(Evidence::new),
        When::CachedDevice => crate::caching::evidence(case).map(Evidence::new),
        When::AboveLimit { network } => {
            crate::above::evidence(case.measurement, network).map(Evidence::new)
        }
        When::Says { key, any_of } => {
            let text = says(case.measurement, key)?;
            any_of
                .contains(&text.as_str())
                .then(|| Evidence::new(format!("{} is {text}", key.words())))
        }
        When::Present(key) => {
            let value = case.measurement.get(key)?;
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_string);
            Some(Evidence::new(format!("{} is {text}", key.words())))
        }
        When::Drift { p_within, p_between, share } => {
            drift::evidence(case.measurement, p_within, p_between, share).map(Evidence::new)
        }
        When::Step { p, share, level } => {
            step::evidence(case.measurement, p, share, level).map(Evidence::new)
        }
        When::Gaps { missing } => gaps::evidence(case.measurement, missing).map(Evidence::new),
        When::StoodStill { share } => stood_still::evidence(case, share),
        When::WideInParts { half_width } => {
            parts::evidence(case.measurement, half_width).map(Evidence::new)
        }
        When::AtVolumeLimit => plateau::evidence(case),
        When::Wide { half_width } => {
            let metric = headline(case.measurement)?;
            let n = metric.samples.len();
            let (width, of) = if n >= ORDER_STATISTICS {
                (metric.interval_95?.relative_half_width(), "interval")
            } else {
                (half_range(&metric.samples)?, "range")
            };
            let name = metric.name.replace('_', " ");
            (width > half_width).then(|| {
                let (width, limit) = (Ratio(width), Ratio(half_width));
                Evidence::new(format!("{name}: {of} ±{width} over {n} repeats, limit ±{limit}"))
            })
        }
        When::Path { role, fact } => {
            let path = path::under(case, role)?;
            fact.holds(path).then(|| Evidence::new(fact.show(path)))
        }
        When::OwnPath(fact) => {
            let path = path::of(case)?;
            fact.holds(path).then(|| Evidence::new(fact.show(path)))
        }
        When::Any(conditions) => conditions.iter().find_map(|when| measurement(when, case)),
        When::Where(need, when) => need.holds(case).then(|| measurement(when, case))?,
        When::AnyPath(_)
        | When::Structure(_)
        | When::DatabaseBeside
        | When::Blind { .. }
        | When::PartOf(_) => None,
    }
}

/// From this many repeats an interval rests on the repeats alone; below, Student's factor for two degrees of freedom
/// (4.3) would call every quick run too wide.
const ORDER_STATISTICS: usize = 6;

/// Half the range over the median.
fn half_range(samples: &[f64]) -> Option<f64> {
    let low = samples.iter().copied().reduce(f64::min)?;
    let high = samples.iter().copied().reduce(f64::max)?;
    let middle = narrows_stats::median(samples).filter(|middle| *middle > 0.0)?;
    (samples.len() > 1).then_some((high - low) / 2.0 / middle)
}

/// Whether a condition about the run as a whole holds.
pub(crate) fn host(when: &When, run: &Run) -> Option<Evidence> {
    match *when {
        When::AnyPath(fact) => {
            let roles = run.hosts.iter().flat_map(|host| &host.platform.roles);
            let shown: Vec<String> =
                roles.filter(|path| fact.holds(path)).map(|path| fact.show(path)).collect();
            (!shown.is_empty()).then(|| Evidence::new(shown.join("; ")))
        }
        When::DatabaseBeside => {
            if only_observed(run) {
                return None;
            }
            let databases = run.hosts.iter().flat_map(|host| &host.platform.databases);
            let shown: Vec<String> = databases
                .filter(|database| !database.shares_role.is_empty())
                .map(|database| {
                    let roles: Vec<&str> = database.shares_role.iter().map(|r| role(*r)).collect();
                    format!("{}, process {}, on {}", database.kind, database.pid, roles.join(", "))
                })
                .collect();
            (!shown.is_empty()).then(|| Evidence::new(shown.join("; ")))
        }
        When::Blind { of, have, lack } => crate::blind::evidence(run, &of, have, lack),
        When::Any(conditions) => conditions.iter().find_map(|when| host(when, run)),
        _ => None,
    }
}

/// Whether a server was observed, and no drive of this machine measured now.
fn only_observed(run: &Run) -> bool {
    let of_drives = |m: &&Measurement| matches!(m.layer, Layer::Block | Layer::Log);
    let elsewhere = |m: &&Measurement| {
        m.conditions.contains(condition::TAKEN_FROM)
            || m.conditions.contains(condition::IMPORTED_FROM)
    };
    !run.observations.is_empty() && run.measurements.iter().filter(of_drives).all(|m| elsewhere(&m))
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Data => "the data drives",
        Role::Wal => "the WAL drives",
    }
}

fn ratio(of: &Figure, to: &Figure, over: Over, test: Test) -> Option<Evidence> {
    // Pairs of one repeat where both figures have the same repeats, else one pair of medians.
    let pairs: Vec<(f64, f64)> = match (of.values.len(), to.values.len(), over) {
        (_, _, Over::Total) => vec![(of.values.iter().sum(), to.values.iter().sum())],
        (n, m, _) if n == m => of.values.iter().copied().zip(to.values.iter().copied()).collect(),
        (_, 1, _) => of.values.iter().map(|v| (*v, to.values[0])).collect(),
        (1, _, _) => to.values.iter().map(|v| (of.values[0], *v)).collect(),
        _ => vec![(of.median(), to.median())],
    };
    let pairs: Vec<(f64, f64)> = pairs.into_iter().filter(|(_, to)| *to != 0.0).collect();
    let (repeat, value) = decide(pairs.iter().map(|(of, to)| of / to), over, test)?;
    // The median ratio belongs to no repeat; its evidence quotes the medians.
    let (a, b) = repeat.map_or_else(
        || if pairs.len() == 1 { pairs[0] } else { (of.median(), to.median()) },
        |index| pairs[index],
    );
    let place = place(repeat, pairs.len());
    Some(Evidence::new(format!(
        "{} against {}{place}: ratio {}, {}",
        of.show(a),
        to.show(b),
        significant(value, 3),
        wanted(test, |bound| bound.to_string()),
    )))
}

pub(crate) fn value(of: &Figure, over: Over, test: Test) -> Option<Evidence> {
    let total: Vec<f64>;
    let values = if over == Over::Total {
        total = vec![of.values.iter().sum()];
        &total
    } else {
        &of.values
    };
    let (repeat, value) = decide(values.iter().copied(), over, test)?;
    let place = place(repeat, values.len());
    let bound = |bound: f64| crate::quantity::with_unit(bound, of.unit);
    Some(Evidence::new(format!("{}{place}, {}", of.show(value), wanted(test, bound))))
}

/// The value that decides, and the repeat it belongs to, if the test fires on it.
fn decide(
    values: impl Iterator<Item = f64>,
    over: Over,
    test: Test,
) -> Option<(Option<usize>, f64)> {
    let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    let (repeat, value) = match over {
        Over::Median | Over::Total => (None, narrows_stats::median(&values)?),
        Over::Third => {
            let mut order: Vec<(usize, f64)> = values.iter().copied().enumerate().collect();
            order.sort_by(|a, b| test.badness(b.1).total_cmp(&test.badness(a.1)));
            // More than a third of them are as bad as this one.
            let (index, value) = *order.get(order.len() / 3)?;
            (Some(index), value)
        }
        Over::Worst | Over::All => {
            let worst = |a: &(usize, &f64), b: &(usize, &f64)| {
                test.badness(*a.1).total_cmp(&test.badness(*b.1))
            };
            let (index, value) = match over {
                Over::All => values.iter().enumerate().min_by(worst)?,
                _ => values.iter().enumerate().max_by(worst)?,
            };
            (Some(index), *value)
        }
    };
    test.fires(value).then_some((repeat, value))
}

fn place(repeat: Option<usize>, repeats: usize) -> String {
    match repeat {
        Some(index) if repeats > 1 => format!(" in repeat {} of {repeats}", index + 1),
        _ => String::new(),
    }
}

fn wanted(test: Test, bound: impl Fn(f64) -> String) -> String {
    match test {
        Test::Below(least) => format!("wanted at least {}", bound(least)),
        Test::Above(0.0) => "wanted none".to_string(),
        Test::Above(most) => format!("wanted at most {}", bound(most)),
        Test::Outside(low, high) => format!("wanted {} to {}", bound(low), bound(high)),
        Test::Between(low, _) => format!("wanted at most {}", bound(low)),
    }
}

fn shortfall(done: &Figure, due: &Figure, window: &Figure, share: f64) -> Option<Evidence> {
    let seconds = window.median() / 1e9;
    let repeats = due.values.len() as f64;
    let (rate_done, rate_due) = (done.median(), due.median());
    let (count_done, count_due) = (rate_done * seconds * repeats, rate_due * seconds * repeats);
    // Arrivals are a Poisson process: their count has its mean as variance.
    let chance = 3.0 * count_due.sqrt();
    (count_due > 0.0 && count_due - count_done > (share * count_due).max(chance)).then(|| {
        Evidence::new(format!(
            "{} against {}: {} of those scheduled, expected at least {}",
            done.show(rate_done),
            due.show(rate_due),
            Ratio(rate_done / rate_due),
            Ratio(1.0 - share),
        ))
    })
}

fn excess(of: &Figure, most: f64, per_min: &Figure, window: &Figure) -> Option<Evidence> {
    let mean = |figure: &Figure| figure.values.iter().sum::<f64>() / figure.values.len() as f64;
    let rate = mean(of);
    let minutes = window.median() / 60e9;
    let counted = per_min.values.iter().sum::<f64>() * minutes;
    let possible = counted * most / rate;
    let allowed = most * (1.0 + 3.0 / possible.sqrt());
    (possible > 0.0 && rate > allowed).then(|| {
        Evidence::new(format!(
            "{} over {} counted, expected at most {most}, and by chance {}",
            of.show(rate),
            significant(counted, 3),
            significant(allowed, 4),
        ))
    })
}

fn left_over(left: &Figure, rate: &Figure, latency: &Figure) -> Option<Evidence> {
    let windows = left.values.len() as f64;
    let total: f64 = left.values.iter().sum();
    let waiting = rate.median() * latency.median() / 1e9 + 1.0;
    let allowed = waiting * (windows + 3.0 * windows.sqrt());
    (total > allowed).then(|| {
        Evidence::new(format!(
            "{} at the ends of {windows} windows; {} and {} leave {} at each, expected at most {allowed:.0} in all",
            left.show(total),
            rate.show(rate.median()),
            latency.show(latency.median()),
            significant(waiting, 2),
        ))
    })
}

/// Whether a measurement has this metric.
pub(crate) fn has(m: &Measurement, name: Metric) -> bool {
    m.metric(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_model::{Unit, metric};

    fn figure(values: &[f64]) -> Figure {
        Figure {
            label: metric::ERRORS.to_string(),
            unit: Some(Unit::Count),
            values: values.to_vec(),
        }
    }

    #[test]
    fn one_bad_repeat_decides_the_worst_and_not_the_median() {
        let figures = (figure(&[10.0, 10.0, 1.0]), figure(&[10.0, 10.0, 10.0]));
        let test = Test::Below(0.9);
        assert!(ratio(&figures.0, &figures.1, Over::Median, test).is_none());
        let evidence = ratio(&figures.0, &figures.1, Over::Worst, test).expect("it fires");
        assert!(evidence.to_string().contains("repeat 3 of 3"), "{evidence}");
    }

    #[test]
    fn what_must_be_so_in_all_repeats_is_decided_by_the_one_that_fails_least() {
        let fires = |values: &[f64]| value(&figure(values), Over::All, Test::Below(0.8)).is_some();
        assert!(fires(&[0.1, 0.79, 0.3]) && fires(&[0.5]));
        assert!(!fires(&[0.1, 0.81, 0.3]) && !fires(&[]));
    }

    #[test]
    fn more_than_a_third_of_the_repeats_decide_where_the_median_would_not() {
        let fires =
            |values: &[f64]| value(&figure(values), Over::Third, Test::Above(5.0)).is_some();
        assert!(fires(&[9.0]) && fires(&[9.0, 9.0]) && !fires(&[5.0]));
        assert!(fires(&[0.0, 9.0]), "one of two");
        assert!(!fires(&[9.0, 0.0, 0.0]), "one of three moves no median");
        assert!(fires(&[9.0, 0.0, 9.0]));
        assert!(fires(&[9.0, 0.0, 9.0, 0.0, 9.0, 0.0, 0.0]), "three of seven");
        assert!(!fires(&[9.0, 0.0, 9.0, 0.0, 0.0, 0.0]), "two of six");
    }

    #[test]
    fn a_total_forgives_what_one_window_lent_to_the_next() {
        let (of, to) = (figure(&[8.0, 12.0]), figure(&[10.0, 10.0]));
        assert!(ratio(&of, &to, Over::Worst, Test::Outside(0.9, 1.1)).is_some());
        assert!(ratio(&of, &to, Over::Total, Test::Outside(0.9, 1.1)).is_none());
    }

    #[test]
    fn a_zero_denominator_answers_nothing() {
        assert!(ratio(&figure(&[1.0]), &figure(&[0.0]), Over::Worst, Test::Above(0.0)).is_none());
    }

    #[test]
    fn the_ends_of_windows_may_leave_over_what_stands_there_at_any_moment() {
        // 1000 per second of 9 ms: nine under way and one just due.
        let rate = Figure { unit: Some(Unit::OpsPerS), ..figure(&[1000.0]) };
        let latency = Figure { unit: Some(Unit::Ns), ..figure(&[9e6]) };
        let left = |values: &[f64]| left_over(&figure(values), &rate, &latency);
        assert!(left(&[40.0]).is_none());
        assert!(left(&[41.0]).is_some());
        // Four windows: a mean of forty, and three times twice ten.
        assert!(left(&[100.0, 0.0, 0.0, 0.0]).is_none());
        let evidence = left(&[101.0, 0.0, 0.0, 0.0]).expect("it fires").to_string();
        assert!(evidence.contains("101") && evidence.contains("at most 100"), "{evidence}");
    }

    #[test]
    fn few_counts_may_exceed_by_chance_what_is_possible_and_many_may_not() {
        // 12.86 per minute for each of so many warehouses is the most; two windows of a minute.
        let excess_of = |each: f64, warehouses: f64| {
            let all = each * warehouses;
            excess(&figure(&[each, each]), 12.86, &figure(&[all, all]), &figure(&[60e9]))
        };
        assert!(excess_of(13.5, 10.0).is_none());
        assert!(excess_of(13.5, 1000.0).is_some());
        assert!(excess_of(16.0, 10.0).is_some());
        assert!(excess_of(12.8, 1e6).is_none() && excess_of(0.0, 10.0).is_none());
    }

    #[test]
    fn few_arrivals_may_fall_short_by_chance_and_many_may_not() {
        let due = |rate: f64| Figure { unit: Some(Unit::OpsPerS), ..figure(&[rate]) };
        let window = figure(&[10e9]);
        assert!(shortfall(&due(97.0), &due(100.0), &window, 0.01).is_none());
        assert!(shortfall(&due(97_000.0), &due(100_000.0), &window, 0.01).is_some());
    }
}
