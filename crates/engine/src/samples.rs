//! Collects one value per repeat and metric, and turns them into metrics with medians and intervals.

use narrows_model::{Metric, MetricValue, metric};
use narrows_stats::Recorder;

/// A percentile is reported only with that many samples beyond it.
pub(crate) const SAMPLES_BEYOND: f64 = 10.0;

/// Metrics in the making.
#[derive(Debug, Clone, Default)]
pub struct Samples(Vec<MetricValue>);

impl Samples {
    /// None yet.
    pub fn new() -> Self {
        Samples::default()
    }

    /// Adds this repeat's value; values that are not finite are left out, because unknown is not zero.
    pub fn add(&mut self, metric: Metric, value: f64) {
        if !value.is_finite() {
            return;
        }
        match self.0.iter_mut().find(|known| known.name == metric) {
            Some(known) => known.samples.push(value),
            None => self.0.push(MetricValue::new(metric, value, None, vec![value])),
        }
    }

    /// Adds several.
    pub fn extend(&mut self, values: impl IntoIterator<Item = (Metric, f64)>) {
        for (metric, value) in values {
            self.add(metric, value);
        }
    }

    /// The samples so far of one metric.
    pub fn get(&self, metric: Metric) -> &[f64] {
        self.0.iter().find(|known| known.name == metric).map_or(&[], |known| &known.samples)
    }

    /// The value of one metric as it forms: the median of the samples so far, `None` before the first.
    pub fn so_far(&self, metric: Metric) -> Option<f64> {
        narrows_stats::median(self.get(metric))
    }

    /// Removes metrics with all their samples.
    pub fn remove(&mut self, which: impl Fn(Metric) -> bool) {
        self.0.retain(|known| !Metric::named(&known.name).is_some_and(&which));
    }

    /// The metrics, with the median of the samples as value and an interval where one exists.
    pub fn into_metrics(mut self) -> Vec<MetricValue> {
        for metric in &mut self.0 {
            metric.value = narrows_stats::median(&metric.samples).unwrap_or(metric.value);
            metric.interval_95 = narrows_stats::interval_95(&metric.samples);
        }
        self.0
    }
}

/// A percentile, where ten samples lie beyond it: with fewer it is the place of a few of them, and says little of the next window.
pub fn held_quantile(recorder: &Recorder, quantile: f64) -> Option<f64> {
    // 100 samples have ten beyond the 90th, though not in binary fractions.
    let beyond = recorder.count() as f64 * (1.0 - quantile) + 1e-6;
    if beyond < SAMPLES_BEYOND { None } else { recorder.quantile(quantile).map(|ns| ns as f64) }
}

/// Adds mean and percentiles of one repeat's latencies, those that it holds ([`held_quantile`]).
pub fn record_latency(samples: &mut Samples, latency: &Recorder) {
    if let Some(mean) = latency.mean() {
        samples.add(metric::LATENCY_MEAN, mean);
    }
    for (name, quantile) in
        [(metric::LATENCY_P50, 0.5), (metric::LATENCY_P99, 0.99), (metric::LATENCY_P999, 0.999)]
    {
        if let Some(value) = held_quantile(latency, quantile) {
            samples.add(name, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_repeats_get_an_interval_and_the_median() {
        let mut samples = Samples::new();
        for value in [5.0, 1.0, 4.0, 2.0, 6.0, 3.0] {
            samples.add(metric::THROUGHPUT, value);
        }
        let metrics = samples.into_metrics();
        assert_eq!(metrics[0].value, 3.5);
        let interval = metrics[0].interval_95.unwrap();
        assert_eq!((interval.low, interval.high), (1.0, 6.0));
    }

    #[test]
    fn what_is_not_a_number_is_absent_not_zero() {
        let mut samples = Samples::new();
        samples.add(metric::STEAL, f64::NAN);
        assert!(samples.into_metrics().is_empty());
    }

    #[test]
    fn a_percentile_needs_samples_beyond_it() {
        let mut latency = Recorder::new();
        for i in 0..500 {
            latency.record(1000 + i);
        }
        let mut samples = Samples::new();
        record_latency(&mut samples, &latency);
        assert_eq!(samples.get(metric::LATENCY_P50).len(), 1);
        assert!(samples.get(metric::LATENCY_P99).is_empty());
    }

    #[test]
    fn a_percentile_is_held_from_ten_samples_beyond_it() {
        for (quantile, fewest) in [(0.5, 20), (0.9, 100), (0.99, 1000), (0.999, 10_000)] {
            let mut recorder = Recorder::new();
            for i in 1..fewest {
                recorder.record(i);
            }
            assert_eq!(held_quantile(&recorder, quantile), None, "{quantile}");
            recorder.record(fewest);
            let value = held_quantile(&recorder, quantile).expect("now there are ten");
            assert!((value / (fewest as f64 * quantile) - 1.0).abs() < 0.02, "{quantile}: {value}");
        }
        assert_eq!(held_quantile(&Recorder::new(), 0.5), None);
    }
}
