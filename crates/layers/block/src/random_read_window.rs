//! The hot loop alone: random reads of any size and depth, for comparisons with other programs.

use std::time::Duration;

use narrows_engine::Context;
use narrows_io::{Access, TestFile};
use narrows_observe::Watch;
use narrows_stats::Recorder;

use crate::BlockError;
use crate::plan::WARM_UP;
use crate::scenario::{Region, Stream};
use crate::setting::run_once;

/// What one window of random reads gave.
#[derive(Debug, Clone)]
pub struct RandomReadWindow {
    /// Operations per second.
    pub throughput_per_s: f64,
    /// Latency of each.
    pub latency: Recorder,
    /// Processor time of this process, kernel included, per operation, ns.
    pub cpu_per_op_ns: f64,
    /// Processor time of the generator's thread over the window.
    pub generator_busy: f64,
    /// Requests in flight by Little's law.
    pub in_flight: f64,
}

/// Reads blocks of `block_bytes` at random places, each once, by `access` and past the page cache where possible,
/// `depth` in flight, for one window.
///
/// # Errors
/// As [`crate::run_scenario`].
pub fn random_read_once(
    ctx: &Context<'_>,
    file: &TestFile,
    access: &Access,
    block_bytes: u32,
    depth: u32,
    window: Duration,
) -> Result<RandomReadWindow, BlockError> {
    let region = Region::of(file);
    let mut stream = Stream::reads("random_read_once", region, block_bytes, depth, access.clone());
    stream.order_seed = Some(ctx.seed);
    let outcome = run_once(ctx, stream, &Watch::none(), (WARM_UP, window))?;
    Ok(RandomReadWindow {
        throughput_per_s: outcome.throughput_per_s(),
        in_flight: outcome.in_flight().unwrap_or(0.0),
        latency: outcome.latency(),
        cpu_per_op_ns: outcome.cpu_per_op_ns,
        generator_busy: outcome.busiest,
    })
}
