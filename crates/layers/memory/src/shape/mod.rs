//! Work shaped like a database's: pages copied out of a pool, an index descended, hash chains under latches, a line that two cores
//! take from each other.
//!
//! Shapes and mixes are judgement, said in each module, and no trace of a server. What they are for is the ratio of two of them on
//! one machine: small pages to large ones, one CPU to all, an even load to a hot one, near to far.

mod chains;
mod line;
mod tree;

use std::time::Duration;

use narrows_engine::Context;
use narrows_model::{Layer, Measurement, Platform, condition, metric};
use narrows_observe::Watch;
use serde_json::json;

use crate::access_path::Site;
use crate::bandwidth::Team;
use crate::mapping::{MapError, Pages};
use crate::sizing::Sizing;
use crate::thread_group::{ThreadGroup, Windows};
use crate::{Measured, MemoryError};

const LONGEST_WINDOW: Duration = Duration::from_millis(250);

fn window_length(ctx: &Context) -> Duration {
    ctx.window.min(LONGEST_WINDOW)
}

/// Expected length of all shapes by so many teams, s, with a pool of so many bytes.
pub fn expected_s(ctx: &Context, teams: usize, pool_bytes: u64) -> f64 {
    let gib = pool_bytes as f64 / (1u64 << 30) as f64;
    let kinds = 2 * tree::KINDS.len() + chains::KINDS.len();
    2.0 * 2.0 * gib + teams as f64 * ThreadGroup::expected_s(ctx, kinds, window_length(ctx))
}

/// All shapes by each of these teams, and the transfer of a line between cores of each distance.
///
/// # Errors
/// When asked to stop, or when a thread can't be kept on its CPU.
pub fn measure(
    ctx: &Context,
    (platform, sites): (&Platform, &[Site]),
    teams: &[Team],
    sizing: &Sizing,
    watch: &Watch,
    measured: &mut Measured,
) -> Result<(), MemoryError> {
    for pages in [Pages::Base, Pages::Huge] {
        tree::measure(ctx, teams, pages, sizing, watch, measured)?;
    }
    for team in teams {
        chains::measure(ctx, team, watch, measured)?;
    }
    line::measure(ctx, platform, sites, watch, measured)
}

/// The measurement of one kind's windows: operations by all threads, how long one takes a thread, and the bytes, if each operation
/// moves so many.
fn shape_measurement(
    ctx: &Context,
    id: &str,
    (team, bytes): (&Team, Option<u64>),
    windows: Windows,
) -> Measurement {
    let mut samples = windows.samples;
    for per_s in windows.per_s {
        samples.add(metric::THROUGHPUT, per_s);
        let ns = team.members.len() as f64 * 1e9 / per_s;
        samples.add(metric::COST, ns);
        if let Some(bytes) = bytes {
            let per_s = per_s * bytes as f64;
            samples.add(metric::BANDWIDTH, per_s);
        }
    }
    let mut measurement = Measurement::new(id, Layer::Memory);
    measurement.repeats = ctx.repeats.max(1);
    measurement.metrics = samples.into_metrics();
    let workload = &mut measurement.workload;
    workload.insert(condition::THREADS, json!(team.members.len()));
    workload.insert(condition::CPUS, json!(team.cpus()));
    workload.insert(condition::SEED, json!(ctx.seed));
    let fairness = windows.slowest_over_fastest;
    measurement.conditions.insert(condition::SLOWEST_OVER_FASTEST_THREAD, json!(fairness));
    team.say_nodes(&mut measurement);
    measurement
}

/// Its memory lies where the first touch put it.
fn unplaced(measurement: &mut Measurement) {
    measurement.conditions.remove(condition::NODE);
    let why = "its memory lies where the first touch put it, on pages as they come";
    measurement.conditions.insert(condition::NODE_NOT_VERIFIED, json!(why));
}

/// Each of `ids` is absent for that reason.
fn leave_out(measured: &mut Measured, ids: &[String], refused: &MapError) {
    for id in ids {
        measured.leave_out(id.clone(), refused);
    }
}
