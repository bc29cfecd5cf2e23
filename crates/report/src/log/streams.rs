//! Several WAL streams on one device, by their number.

use narrows_model::{Measurement, Metric, Run, Validity, family, metric};

use crate::calibration::{exact_time, percentile};
use crate::notes::{NoteMark, Notes};

/// So many logs together.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamsRow {
    /// Logs.
    pub streams: f64,
    /// Whether the figures may be trusted; of invalid ones there are none.
    pub validity: Validity,
    /// Bytes per second of all together.
    pub bandwidth_bytes_per_s: Option<f64>,
    /// Durable writes per second.
    pub writes_per_s: Option<f64>,
    /// From when a write was due until it was durable, median, ns.
    pub wait_p50_ns: Option<f64>,
    /// 99 %, ns.
    pub wait_p99_ns: Option<f64>,
    /// 99.9 %, ns.
    pub wait_p999_ns: Option<f64>,
    /// The percentile that was to keep the target, in each repeat, ns.
    pub sought_samples_ns: Vec<f64>,
    /// Mean time of write and flush, ns.
    pub write_ns: Option<f64>,
    /// Mean wait over that of one log alone in the same repeat.
    pub to_alone: Option<f64>,
    /// Share of the writes over the target.
    pub over_share: Option<f64>,
    /// Footnotes.
    pub notes: Vec<NoteMark>,
}

/// All numbers that were tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Streams {
    /// The answer, in the run's own sentence; nothing where what it rests on is invalid.
    pub sentence: String,
    /// Target, ns.
    pub target_ns: u64,
    /// The percentile that has to keep it, as a share.
    pub quantile: f64,
    /// By number.
    pub rows: Vec<StreamsRow>,
}

impl Streams {
    /// `p99 within 10 ms`.
    pub(crate) fn goal(&self) -> String {
        format!("{} within {}", percentile(self.quantile), exact_time(self.target_ns))
    }

    /// Whether the column for the tail is p99.9.
    pub(crate) fn tail(&self) -> &'static str {
        if self.quantile >= 0.999 { "p99.9" } else { "p99" }
    }
}

impl StreamsRow {
    /// The percentile of that column.
    pub(crate) fn tail_ns(&self, streams: &Streams) -> Option<f64> {
        if streams.quantile >= 0.999 { self.wait_p999_ns } else { self.wait_p99_ns }
    }
}

/// The streams of a run; `None` where there were none.
pub(crate) fn streams(run: &Run, notes: &mut Notes) -> Option<Streams> {
    let all: Vec<&Measurement> =
        run.measurements.iter().filter(|m| family::LOG_STREAMS.has(&m.id)).collect();
    let first = all.first()?;
    let quantile = first.number(narrows_model::condition::TARGET_QUANTILE).unwrap_or(0.99);
    let target_ns = first.number(narrows_model::condition::TARGET_NS).unwrap_or(0.0) as u64;
    let mut rows: Vec<StreamsRow> = all
        .iter()
        .map(|m| {
            let marks = notes.marks(run, &[&m.id]);
            row(m, quantile, marks)
        })
        .collect();
    rows.sort_by(|a, b| a.streams.total_cmp(&b.streams));
    // A figure that is invalid is printed nowhere, and the sentence has figures of all of them.
    let stands = rows.iter().all(|row| row.validity != Validity::Invalid);
    let sentence = first
        .text(narrows_model::condition::SENTENCE)
        .filter(|_| stands)
        .unwrap_or_default()
        .to_string();
    Some(Streams { sentence, target_ns, quantile, rows })
}

fn row(m: &Measurement, quantile: f64, notes: Vec<NoteMark>) -> StreamsRow {
    let known = |name: Metric| m.metric(name).filter(|_| m.validity != Validity::Invalid);
    let value = |name: Metric| known(name).map(|metric| metric.value);
    let sought = if quantile >= 0.999 { metric::LATENCY_P999 } else { metric::LATENCY_P99 };
    StreamsRow {
        streams: m.number(narrows_model::condition::STREAMS).unwrap_or(0.0),
        validity: m.validity,
        bandwidth_bytes_per_s: value(metric::BANDWIDTH),
        writes_per_s: value(metric::THROUGHPUT),
        wait_p50_ns: value(metric::LATENCY_P50),
        wait_p99_ns: value(metric::LATENCY_P99).or(value(metric::LATENCY_P99_ALL)),
        wait_p999_ns: value(metric::LATENCY_P999).or(value(metric::LATENCY_P999_ALL)),
        sought_samples_ns: known(sought).map(|m| m.samples.clone()).unwrap_or_default(),
        write_ns: value(metric::PARALLEL_WRITE_MEAN),
        to_alone: value(metric::INTERFERENCE),
        over_share: m
            .number(narrows_model::condition::OVER_TARGET_SHARE)
            .filter(|_| m.validity != Validity::Invalid),
        notes,
    }
}
