//! Latencies in fio's layout: extremes, mean, percentiles, bins; and the shares per class of latency.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::bins::{bin_index, bin_value_ns};
use super::result::Latencies;

/// A latency object; percentiles only if asked for and there are samples, bins only in `json+`.
pub(super) fn object(latencies: &Latencies, percentiles: Option<&[f64]>, bins: bool) -> Value {
    let counted = Counted::from(latencies);
    let mut object = Map::new();
    object.insert("min".into(), json!(counted.min_ns));
    object.insert("max".into(), json!(counted.max_ns));
    object.insert("mean".into(), json!(counted.mean_ns));
    object.insert("stddev".into(), json!(counted.deviation_ns));
    object.insert("N".into(), json!(counted.samples));
    if let Some(percentiles) = percentiles.filter(|_| counted.samples > 0) {
        let named = percentiles.iter().map(|p| (format!("{p:.6}"), json!(counted.percentile(*p))));
        object.insert("percentile".into(), Value::Object(named.collect()));
        if bins {
            let named = counted
                .bins
                .iter()
                .map(|(bin, count)| (bin_value_ns(*bin).to_string(), json!(count)));
            object.insert("bins".into(), Value::Object(named.collect()));
        }
    }
    Value::Object(object)
}

/// The share of operations in each of fio's classes, of nanoseconds, microseconds and milliseconds.
pub(super) fn classes(latencies: &[&Latencies]) -> [(&'static str, Value); 3] {
    const NS: [u64; 10] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000];
    let all = || latencies.iter().flat_map(|latencies| &latencies.counts);
    let samples: u64 = all().map(|(_, count)| count).sum();
    let share = |from_ns: u64, to_ns: u64| {
        let inside = all().filter(|(ns, _)| (from_ns..to_ns).contains(ns));
        percent_of(inside.map(|(_, count)| count).sum(), samples)
    };
    let unit = |factor: u64, edges: &[u64], open: bool| {
        let mut object = Map::new();
        let mut from_ns = if factor == 1 { 0 } else { factor };
        for edge in edges {
            object.insert(edge.to_string(), json!(share(from_ns, edge * factor)));
            from_ns = edge * factor;
        }
        if open {
            let name = format!(">={}", from_ns / factor);
            object.insert(name, json!(share(from_ns, u64::MAX)));
        }
        Value::Object(object)
    };
    let ms: Vec<u64> = NS.iter().copied().chain([2000]).collect();
    [
        ("latency_ns", unit(1, &NS, false)),
        ("latency_us", unit(1000, &NS, false)),
        ("latency_ms", unit(1_000_000, &ms, true)),
    ]
}

/// In per cent; nothing of nothing is 0, as in fio.
pub(super) fn percent_of(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 }
}

/// A histogram in fio's bins, with what is computed from the finer values.
struct Counted {
    bins: BTreeMap<u64, u64>,
    samples: u64,
    min_ns: u64,
    max_ns: u64,
    mean_ns: f64,
    deviation_ns: f64,
}

impl From<&Latencies> for Counted {
    fn from(latencies: &Latencies) -> Self {
        let counts = || latencies.counts.iter().filter(|(_, count)| *count > 0);
        let mut bins = BTreeMap::new();
        let mut samples: u64 = 0;
        let mut sum_ns = 0.0;
        for (ns, count) in counts() {
            *bins.entry(bin_index(*ns)).or_insert(0) += count;
            samples += count;
            sum_ns += *ns as f64 * *count as f64;
        }
        let per_sample = |sum: f64| if samples == 0 { 0.0 } else { sum / samples as f64 };
        let mean_ns = per_sample(latencies.sum_ns.unwrap_or(sum_ns));
        let squares: f64 =
            counts().map(|(ns, count)| (*ns as f64 - mean_ns).powi(2) * *count as f64).sum();
        // fio divides by one less than the samples.
        let deviation_ns = if samples < 2 { 0.0 } else { (squares / (samples - 1) as f64).sqrt() };
        let seen = samples > 0;
        let smallest = counts().map(|(ns, _)| *ns).min().unwrap_or(0);
        let largest = counts().map(|(ns, _)| *ns).max().unwrap_or(0);
        Counted {
            bins,
            samples,
            min_ns: latencies.min_ns.filter(|_| seen).unwrap_or(smallest),
            max_ns: latencies.max_ns.filter(|_| seen).unwrap_or(largest),
            mean_ns,
            deviation_ns,
        }
    }
}

impl Counted {
    /// The middle of the first bin up to which this share lies, as fio has it.
    fn percentile(&self, percent: f64) -> u64 {
        let wanted = percent / 100.0 * self.samples as f64;
        let mut seen = 0;
        for (bin, count) in &self.bins {
            seen += count;
            if seen as f64 >= wanted {
                return bin_value_ns(*bin);
            }
        }
        self.bins.keys().next_back().map_or(0, |bin| bin_value_ns(*bin))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn latencies(counts: &[(u64, u64)]) -> Latencies {
        Latencies { counts: counts.to_vec(), ..Latencies::default() }
    }

    #[test]
    fn percentiles_are_bins_and_counts_are_kept() {
        let of = latencies(&[(100, 90), (1000, 9), (5000, 1)]);
        let object = object(&of, Some(&[50.0, 99.0, 99.9]), true);
        assert_eq!(object["N"], 100);
        assert_eq!(object["percentile"]["50.000000"], 100);
        assert_eq!(object["percentile"]["99.000000"], 1004);
        assert_eq!(object["percentile"]["99.900000"], 5024);
        let bins = object["bins"].as_object().expect("bins");
        let sum: u64 = bins.values().filter_map(Value::as_u64).sum();
        assert_eq!(sum, 100);
        assert_eq!(object["mean"], 230.0);
    }

    #[test]
    fn nothing_seen_has_no_percentiles() {
        let object = object(&Latencies::default(), Some(&[50.0]), true);
        assert_eq!(object.as_object().map(Map::len), Some(5));
        assert_eq!(object["max"], 0);
    }

    #[test]
    fn classes_add_up() {
        let of = latencies(&[(1, 1), (999, 1), (1000, 1), (5_000_000, 1), (3_000_000_000, 1)]);
        let sum: f64 = classes(&[&of])
            .iter()
            .flat_map(|(_, object)| object.as_object().expect("an object").values().cloned())
            .filter_map(|value| value.as_f64())
            .sum();
        assert!((sum - 100.0).abs() < 1e-9, "{sum}");
    }
}
