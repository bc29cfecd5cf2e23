//! What streams are asked for, and what that takes.

use std::time::Duration;

use narrows_engine::Context;
use narrows_model::{Layer, PlannedStep};
use narrows_units::{Bytes, Nanos};

use super::LEAD;

/// Each log goes round in so much.
const FILE_BYTES: u64 = 16 << 20;
/// Numbers of streams that the search may try beyond those that were asked for.
const SEARCHED: f64 = 4.0;

/// What to measure.
#[derive(Debug, Clone)]
pub struct StreamsPlan {
    /// Streams together.
    pub streams: u32,
    /// Bytes per second of each.
    pub rate_bytes_per_s: f64,
    /// Bytes of each write, a multiple of 512.
    pub write_bytes: u64,
    /// The percentile of the time from when a write was due until it is durable, as a share.
    pub quantile: f64,
    /// What it has to keep, ns.
    pub limit_ns: u64,
    /// The search stops here.
    pub most_streams: u32,
    /// Size of a cache whose turnover is asked for.
    pub cache_bytes: Option<u64>,
    /// Where the writers run.
    pub cpus: Vec<u32>,
}

impl StreamsPlan {
    /// Time between two writes of a stream, ns.
    pub fn gap_ns(&self) -> f64 {
        self.write_bytes as f64 / self.rate_bytes_per_s * 1e9
    }

    /// Size of each log's file: some writes, whatever their size.
    pub fn file_bytes(&self) -> u64 {
        FILE_BYTES.max(self.write_bytes * 16).next_multiple_of(self.write_bytes)
    }

    /// Numbers that are measured in any case: one, and up to all by doubling.
    pub fn counts(&self) -> Vec<u32> {
        let all = self.streams.max(1);
        let mut counts: Vec<u32> = (0..).map(|power| 1 << power).take_while(|n| *n < all).collect();
        counts.push(all);
        counts
    }

    /// Writes of a stream before the window.
    pub fn warm_up(&self) -> Duration {
        LEAD
    }
}

/// The steps, with the longest they take and the most they write.
pub fn planned_streams(ctx: &Context, plan: &StreamsPlan) -> Vec<PlannedStep> {
    let repeats = f64::from(ctx.repeats.max(1));
    let window_s = (ctx.window + LEAD).as_secs_f64() + 0.1;
    let counts = plan.counts();
    let bytes_of = |n: f64| n * plan.rate_bytes_per_s * window_s * repeats;
    let fixed: f64 = counts.iter().map(|n| bytes_of(f64::from(*n))).sum();
    let most = f64::from(plan.most_streams.max(plan.streams));
    let files = plan.file_bytes() as f64;
    let step = |what: String, expected_s: f64, writes: f64| PlannedStep {
        layer: Layer::Log,
        what,
        expected_s,
        writes_bytes: writes as u64,
    };
    vec![
        step(
            format!(
                "{} WAL streams with {}/s each in writes of {}, and fewer of them",
                plan.streams,
                Bytes(plan.rate_bytes_per_s as u64),
                Bytes(plan.write_bytes).iec()
            ),
            counts.len() as f64 * repeats * window_s + files * f64::from(plan.streams) / 500e6,
            fixed + files * f64::from(plan.streams),
        ),
        step(
            format!(
                "search for the number that keeps p{} within {}, up to {most}",
                plan.quantile * 100.0,
                Nanos(plan.limit_ns)
            ),
            SEARCHED * repeats * window_s,
            SEARCHED * bytes_of(most) + files * (most - f64::from(plan.streams)).max(0.0),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_logs_of_the_casebook() {
        let plan = StreamsPlan {
            streams: 10,
            rate_bytes_per_s: 4_194_304.0,
            write_bytes: 128 << 10,
            quantile: 0.99,
            limit_ns: 1_000_000,
            most_streams: 64,
            cache_bytes: None,
            cpus: Vec::new(),
        };
        // 32 writes per second each, 320 in all.
        assert_eq!(plan.gap_ns(), 31_250_000.0);
        assert_eq!(plan.counts(), [1, 2, 4, 8, 10]);
        assert_eq!(StreamsPlan { streams: 1, ..plan }.counts(), [1]);
    }
}
