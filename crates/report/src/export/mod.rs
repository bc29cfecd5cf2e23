//! Figures of runs for other programs: OpenMetrics for a collector, and a tidy table, as CSV or Parquet, for whoever computes with many
//! runs.
//!
//! Not here: forms of a document, which say what a person reads.

mod openmetrics;
#[cfg(feature = "parquet")]
mod parquet;
mod tidy;

use narrows_model::Run;

pub use openmetrics::openmetrics;
#[cfg(feature = "parquet")]
pub use parquet::{ParquetError, parquet};
pub use tidy::tidy;

fn host(run: &Run) -> &str {
    run.platform().and_then(|platform| platform.hostname.as_deref()).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use narrows_model::{Layer, Measurement, MetricValue, Plan, Platform, metric};

    use super::*;

    pub(super) fn run() -> Run {
        let mut run = Run::blank(Plan::default(), Platform::default());
        run.id = "1f3a".to_string();
        let mut m = Measurement::new("block.a\"b\\c\nd", Layer::Block);
        m.metrics.push(MetricValue::new(metric::LATENCY_P99, 2.5e6, None, vec![2e6, 3e6]));
        m.metrics.push(MetricValue::new(metric::THROUGHPUT, 100.0, None, vec![100.0]));
        run.measurements.push(m);
        run
    }
}
