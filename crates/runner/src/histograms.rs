//! A run's latency histograms as a log of HdrHistogram.

use anyhow::Result;
use narrows_model::{Run, metric};
use narrows_stats::{LoggedHistogram, interval_log};

use crate::failure::Failure;

/// All histograms of the run one after the other, each tagged with its measurement, its name and its repeat.
///
/// # Errors
/// The run has none, or one is damaged.
pub fn log(run: &Run) -> Result<String> {
    let mut logged = Vec::new();
    // Repeats follow each other; when each began is not stored.
    let mut start_s = 0.0;
    for m in &run.measurements {
        let length_s = m.value(metric::WINDOW).unwrap_or(0.0) / 1e9;
        for histogram in &m.histograms {
            let tag = format!("{}/{}/{}", m.id, histogram.name, histogram.repeat + 1);
            logged.push(LoggedHistogram { tag, start_s, length_s, hdr_v2: &histogram.hdr_v2 });
            start_s += length_s;
        }
    }
    if logged.is_empty() {
        return Err(Failure::hinted(
            format!("run {} has no histograms", run.id),
            "runs of block, log and db have them; a summary that was imported has not",
        ));
    }
    let started = run.started_at.parse::<jiff::Timestamp>().map_or(0.0, |at| at.as_second() as f64);
    Ok(interval_log(started, &logged)?)
}
