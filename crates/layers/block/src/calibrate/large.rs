//! Bytes per second with reads of 1 MiB, or of the most that a target takes in one command: the most, at the depth where it stops growing, and what one thread with blocking
//! calls gets, as one server process would.

use std::time::Duration;

use narrows_engine::KneeSearch;
use narrows_io::{Access, Method};
use narrows_model::{Measurement, condition};
use serde_json::json;

use super::bench::Bench;
use super::windows::CalibrationWindows;
use crate::BlockError;
use crate::scenario::Stream;
use crate::seed::seed_of;

const BLOCK_BYTES: u32 = 1 << 20;
/// Windows at the chosen depth, the search's own among them, and of the one process.
const REPEATS: u32 = 3;
/// Most operations in flight on one drive.
const DEEPEST: u32 = 32;
/// One window, at most.
const WINDOW: Duration = Duration::from_millis(250);

/// Size of the reads: a power of two that the way there takes in one operation.
fn block_bytes(access: &Access) -> u32 {
    let most = access.most_bytes().map_or(BLOCK_BYTES, |most| most.clamp(1, BLOCK_BYTES));
    1 << most.ilog2()
}

/// What these reads gave.
#[derive(Debug)]
pub(super) struct Large {
    pub bytes_per_s: f64,
    pub depth: u32,
    pub process_bytes_per_s: Option<f64>,
    /// The least of the windows at that depth, operations per second.
    pub least_per_s: f64,
    /// Where the next window goes on.
    cursor: u64,
    pub measurements: Vec<Measurement>,
}

/// The same reads at that depth once more, held against the least of before (rule `ceiling-fell`).
pub(super) fn once_more(
    bench: &mut Bench<'_>,
    large: &Large,
    id: &str,
) -> Result<Vec<Measurement>, BlockError> {
    let (mut windows, mut cursor) = (CalibrationWindows::default(), large.cursor);
    for _ in 0..REPEATS {
        bench.tell(&format!("large reads, QD{}, at the end", large.depth));
        let shown = window(bench, &bench.plan.access.clone(), large.depth, &mut cursor)?;
        windows.add(&shown);
    }
    let mut measurements = windows.into_measurements(&format!("{id}.large.again"));
    for measurement in &mut measurements {
        let least = json!(large.least_per_s);
        measurement.conditions.insert(condition::EARLIER_LEAST_PER_S, least);
    }
    Ok(measurements)
}

/// Measures both; `None` where the region holds no block of that size.
pub(super) fn large(bench: &mut Bench<'_>, id: &str) -> Result<Option<Large>, BlockError> {
    let block_bytes = block_bytes(&bench.plan.access);
    if bench.target.data.bytes() < u64::from(block_bytes) {
        return Ok(None);
    }
    let reads = match block_bytes {
        BLOCK_BYTES => "1 MiB reads".to_string(),
        smaller => format!("{} KiB reads", smaller >> 10),
    };
    let mut cursor = 0;
    let mut search = KneeSearch::new(
        DEEPEST.saturating_mul(bench.plan.drives.max(1)).min(bench.deepest(block_bytes)),
    );
    let mut windows = Vec::new();
    while let Some(depth) = search.next_depth() {
        bench.tell(&format!("{reads}, QD{depth}"));
        let shown = window(bench, &bench.plan.access.clone(), depth, &mut cursor)?;
        search.saw(depth, shown.load().bandwidth_bytes_per_s());
        windows.push((depth, shown));
    }
    let depth = search.chosen().unwrap_or(1);
    let (mut kept, mut rates) = (CalibrationWindows::default(), Vec::new());
    for (_, shown) in windows.iter().filter(|(at, _)| *at == depth) {
        rates.push(shown.load().bandwidth_bytes_per_s());
        kept.add(shown);
    }
    let (mut process, mut process_rates) = (CalibrationWindows::default(), Vec::new());
    for repeat in 0..REPEATS {
        if repeat > 0 {
            bench.tell(&format!("{reads}, QD{depth}, again"));
            let shown = window(bench, &bench.plan.access.clone(), depth, &mut cursor)?;
            rates.push(shown.load().bandwidth_bytes_per_s());
            kept.add(&shown);
        }
        bench.tell(&format!("{reads} by one process"));
        let shown = window(bench, &blocking(&bench.plan.access), 1, &mut cursor)?;
        process_rates.push(shown.load().bandwidth_bytes_per_s());
        process.add(&shown);
    }
    let mut measurements = kept.into_measurements(&format!("{id}.large"));
    for mut process in process.into_measurements(&format!("{id}.large.process")) {
        if process.text(condition::METHOD) == Some(Method::Blocking.word()) {
            // Wanted so: nothing stood in for something else.
            process.conditions.insert(condition::METHOD, json!("direct"));
        }
        measurements.push(process);
    }
    Ok(Some(Large {
        bytes_per_s: narrows_stats::median(&rates).unwrap_or(0.0),
        depth,
        process_bytes_per_s: narrows_stats::median(&process_rates),
        least_per_s: rates.iter().copied().reduce(f64::min).unwrap_or_default()
            / f64::from(block_bytes),
        cursor,
        measurements,
    }))
}

/// Blocking calls; without a device that stays so, and over a network there are none.
fn blocking(access: &Access) -> Access {
    match access.method() {
        Method::Null | Method::Nop | Method::NvmeTcp | Method::FileCalls => access.clone(),
        _ => Access::blocking(),
    }
}

fn window(
    bench: &mut Bench<'_>,
    access: &Access,
    depth: u32,
    cursor: &mut u64,
) -> Result<super::bench::BenchWindow, BlockError> {
    let data = bench.target.data.clone();
    let stream = Stream::reads("large", data, block_bytes(access), depth, access.clone());
    let stream = Stream {
        cpus: bench.plan.cpus.clone(),
        cursor: *cursor,
        order_seed: Some(seed_of(bench.ctx.seed, 3, 0)),
        ..stream
    };
    let length = bench.plan.probe().min(WINDOW);
    let shown = bench.run_alone(stream, (length / 5, length))?;
    *cursor = shown.load().cursor;
    Ok(shown)
}
