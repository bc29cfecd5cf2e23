//! How a workload's rate differs between starts of the server: the first start's measurement and those of the starts after it.
//!
//! The analysis is in `narrows-stats`; here the windows are taken from the run and the answer is put where reports find it.
//! Starts whose measurement is suspect are shown and bear no figure.

use narrows_model::{
    Measurement, MetricValue, OneStart, Ranged, Run, Starts, StartsSpread, Unit, Validity, family,
    metric,
};
use narrows_stats::FEWEST_STARTS;

/// Between a workload's id and the number of the start; the first one is the workload itself.
const START: &str = ".start_";

/// The workloads that were measured on several starts, in the order of the measurements.
pub fn starts(run: &Run) -> Vec<Starts> {
    let mut workloads: Vec<&str> = Vec::new();
    for (workload, _) in run.measurements.iter().filter_map(|m| parts(&m.id)) {
        if !workloads.contains(&workload) {
            workloads.push(workload);
        }
    }
    workloads.into_iter().map(|workload| of_workload(run, workload)).collect()
}

fn parts(id: &str) -> Option<(&str, u32)> {
    let (workload, start) = id.split_once(START)?;
    Some((workload, start.parse().ok()?))
}

fn of_workload(run: &Run, workload: &str) -> Starts {
    let mut all: Vec<(u32, &Measurement)> = run
        .measurements
        .iter()
        .filter(|m| m.validity != Validity::Invalid)
        .filter_map(|m| match parts(&m.id) {
            Some((word, start)) if word == workload => Some((start, m)),
            None if m.id == workload => Some((1, m)),
            _ => None,
        })
        .collect();
    all.sort_by_key(|(start, _)| *start);
    let windows: Vec<&[f64]> = all
        .iter()
        .filter(|(_, m)| m.usable())
        .filter_map(|(_, m)| Some(rate(m)?.samples.as_slice()))
        .collect();
    let spread = narrows_stats::starts(&windows);
    let no_spread = spread.is_none().then(|| why_none(all.len(), windows.len()));
    Starts {
        workload: family::DATABASE.rest(workload).unwrap_or(workload).to_string(),
        unit: all.iter().find_map(|(_, m)| Some(rate(m)?.unit)).unwrap_or(Unit::OpsPerS),
        starts: all
            .iter()
            .map(|(_, m)| OneStart {
                rate_per_s: rate(m).map_or(0.0, |metric| metric.value),
                measurement: m.id.to_string(),
            })
            .collect(),
        spread: spread.map(|found| StartsSpread {
            starts: windows.len() as u32,
            rate_per_s: Ranged { value: found.mean, interval_95: found.interval_95 },
            next_95: found.next_95,
            between: found.between,
            within: found.within,
            p_value: found.p_value,
        }),
        no_spread,
    }
}

/// A scan's is in bytes, which is what its table is measured by.
fn rate(m: &Measurement) -> Option<&MetricValue> {
    m.metric(metric::BANDWIDTH).or_else(|| m.metric(metric::THROUGHPUT))
}

fn why_none(all: usize, usable: usize) -> String {
    if usable >= FEWEST_STARTS {
        return "a start has fewer than two windows with a rate".to_string();
    }
    let suspect = match all - usable {
        0 => String::new(),
        n => format!(", {n} of them suspect and left out"),
    };
    format!("needs {FEWEST_STARTS} starts, and there are {all}{suspect}")
}

#[cfg(test)]
mod tests {
    use narrows_model::{Layer, Plan, Platform};

    use super::*;

    fn measured(id: &str, rates: &[f64]) -> Measurement {
        let mut m = Measurement::new(id, Layer::Database);
        let metric = MetricValue::new(metric::THROUGHPUT, rates[0], None, rates.to_vec());
        m.metrics.push(metric);
        m
    }

    fn of(measurements: Vec<Measurement>) -> Vec<Starts> {
        starts(&Run { measurements, ..Run::blank(Plan::default(), Platform::default()) })
    }

    fn three() -> Vec<Measurement> {
        vec![
            measured("database.update", &[100.0, 102.0]),
            measured("database.update.alone", &[7.0, 7.0]),
            measured("database.update.start_3", &[140.0, 142.0]),
            measured("database.update.start_2", &[120.0, 122.0]),
        ]
    }

    #[test]
    fn the_workload_itself_is_the_first_start() {
        let [found] = &of(three())[..] else { panic!("one workload") };
        assert_eq!(found.workload, "update");
        let rates: Vec<f64> = found.starts.iter().map(|start| start.rate_per_s).collect();
        assert_eq!(rates, [100.0, 120.0, 140.0]);
        let spread = found.spread.as_ref().unwrap();
        assert_eq!(spread.rate_per_s.value, 121.0);
        assert!(spread.p_value < 0.01 && spread.between > 10.0 * spread.within, "{spread:?}");
        assert_eq!(found.no_spread, None);
    }

    #[test]
    fn what_is_suspect_is_shown_and_bears_nothing_and_what_is_invalid_is_not_there() {
        let mut measurements = three();
        measurements[2].validity = Validity::Suspect;
        let found = of(measurements.clone()).remove(0);
        assert_eq!((found.starts.len(), &found.spread), (3, &None));
        let why = found.no_spread.unwrap();
        assert_eq!(why, "needs 3 starts, and there are 3, 1 of them suspect and left out");
        measurements[2].validity = Validity::Invalid;
        let found = of(measurements.clone()).remove(0);
        assert_eq!(found.starts.len(), 2);
        assert_eq!(found.no_spread.unwrap(), "needs 3 starts, and there are 2");
        measurements[2].validity = Validity::Suspect;
        measurements.push(measured("database.update.start_4", &[101.0, 103.0]));
        let found = of(measurements).remove(0);
        assert_eq!((found.starts.len(), found.spread.unwrap().starts), (4, 3));
    }

    #[test]
    fn a_run_on_one_start_has_none() {
        assert_eq!(of(vec![measured("database.update", &[1.0, 2.0])]), vec![]);
    }
}
