//! What a step adds to the one below it.
//!
//! The difference of the same percentile of both, in the same repeat and the same state: not the percentile of a difference, which
//! nobody can measure, because the steps don't run at the same time. Its interval is that of the repeats' differences.

use narrows_model::{Measurement, Metric, MetricValue, family, metric};

/// Which percentile gives which increment: repeat by repeat, or where windows are too short for that of all repeats together.
const STEPS: [(&[Metric], Metric); 3] = [
    (&[metric::LATENCY_P50], metric::ADDED_P50),
    (&[metric::LATENCY_P99, metric::LATENCY_P99_ALL], metric::ADDED_P99),
    (&[metric::LATENCY_P999_ALL], metric::ADDED_P999),
];

/// Adds the increments to all of `log.ladder.*`; `above` gives the name of the step below a step.
pub fn add(measurements: &mut [Measurement], above: &dyn Fn(&str) -> Option<String>) {
    for at in 0..measurements.len() {
        let Some((name, state)) = parts(&measurements[at].id) else { continue };
        let Some(lower) = above(name) else { continue };
        let lower = format!("log.ladder.{lower}.{state}");
        let Some(lower) = measurements.iter().position(|m| m.id == lower) else { continue };
        let metrics: Vec<MetricValue> = STEPS
            .iter()
            .filter_map(|(of, added)| {
                of.iter().find_map(|of| {
                    let (upper, lower) =
                        (measurements[at].metric(*of)?, measurements[lower].metric(*of)?);
                    difference(*added, &upper.samples, &lower.samples)
                })
            })
            .collect();
        let lower = measurements[lower].id.to_string();
        measurements[at].metrics.extend(metrics);
        measurements[at].conditions.insert(narrows_model::condition::STANDS_ON, lower);
    }
}

/// The step and the state in `log.ladder.STEP.STATE`.
fn parts(id: &str) -> Option<(&str, &str)> {
    family::LOG_LADDER.rest(id)?.rsplit_once('.')
}

/// Repeat by repeat; `None` where one of them lacks a repeat.
fn difference(added: Metric, upper: &[f64], lower: &[f64]) -> Option<MetricValue> {
    if upper.len() != lower.len() {
        return None;
    }
    let samples: Vec<f64> = upper.iter().zip(lower).map(|(upper, lower)| upper - lower).collect();
    let interval_95 = narrows_stats::interval_95(&samples);
    Some(MetricValue::new(added, narrows_stats::median(&samples)?, interval_95, samples))
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_model::Layer;

    fn step(id: &str, p50: &[f64]) -> Measurement {
        let mut measurement = Measurement::new(id, Layer::Log);
        let median = narrows_stats::median(p50).unwrap();
        measurement.metrics.push(MetricValue::new(metric::LATENCY_P50, median, None, p50.to_vec()));
        measurement
    }

    #[test]
    fn a_drift_of_the_device_is_in_no_increment() {
        // The device becomes three times as slow; what the step adds stays 20.
        let device = [100.0, 150.0, 200.0, 250.0, 280.0, 300.0];
        let write = device.map(|ns| ns + 20.0);
        let mut all = [
            step("log.ladder.flush.alone", &device),
            step("log.ladder.write.fdatasync.overwrite.8k.alone", &write),
            step("log.ladder.leader.beside", &[9.0]),
        ];
        add(&mut all, &|name| (name != "flush").then(|| "flush".to_string()));
        let added = all[1].metric(metric::ADDED_P50).unwrap();
        assert_eq!(added.value, 20.0);
        assert_eq!(added.interval_95.map(|i| (i.low, i.high)), Some((20.0, 20.0)));
        assert_eq!(
            all[1].text(narrows_model::condition::STANDS_ON),
            Some("log.ladder.flush.alone")
        );
        assert!(all[0].metric(metric::ADDED_P50).is_none(), "nothing is below it");
        assert!(all[2].metric(metric::ADDED_P50).is_none(), "its floor was not measured beside");
    }

    #[test]
    fn repeats_that_do_not_pair_give_nothing() {
        assert!(difference(metric::ADDED_P50, &[1.0, 2.0], &[1.0]).is_none());
        assert!(difference(metric::ADDED_P50, &[], &[]).is_none());
    }
}
