//! Several writers on one file against as many on a file each: is direct I/O concurrent here, or does a lock of the file
//! (its inode's) let one writer in at a time?
//!
//! Both are the same work with the same number of threads and operations in flight, in alternation, so that drift
//! falls on both. Whether the difference is a lock is for whoever judges the two measurements.

use std::time::Duration;

use narrows_engine::Context;
use narrows_io::{Access, Op};
use narrows_observe::Watch;

use crate::BlockError;
use crate::outcome::StreamOutcome;
use crate::run::run_scenario;
use crate::scenario::{
    AccessPattern, Distribution, Load, Mix, Region, Route, Scenario, Sizes, Stream,
};

/// What each writer does.
#[derive(Debug, Clone)]
pub struct Writers {
    /// Bytes of a write.
    pub block_bytes: u32,
    /// Writes that each writer keeps in flight.
    pub depth_each: u32,
    /// By which way to the device.
    pub access: Access,
    /// By which way through the kernel.
    pub route: Route,
    /// Unmeasured lead-in, and length, of each window.
    pub times: (Duration, Duration),
}

impl Writers {
    /// `count` of them on one file, with as many threads each as their depth takes.
    pub fn stream(&self, name: &str, region: &Region, count: u32) -> Stream {
        let depth = count * self.depth_each.max(1);
        let threads = Stream::threads_for(&self.access, depth, count);
        let reads =
            Stream::reads(name, region.clone(), self.block_bytes, depth, self.access.clone());
        Stream {
            mix: Mix::only(Op::Write),
            sizes: Sizes::all(self.block_bytes),
            place: AccessPattern::Random(Distribution::OnceEach),
            load: Load::Closed { depth },
            route: self.route,
            threads,
            ..reads
        }
    }
}

/// The windows of both, in the order of measurement.
#[derive(Debug, Clone, Default)]
pub struct WriterWindows {
    /// All writers on the first file.
    pub together: Vec<StreamOutcome>,
    /// Each writer on a file of its own; one outcome per writer and window.
    pub apart: Vec<Vec<StreamOutcome>>,
}

/// Runs `ctx.repeats` pairs of windows: as many writers as there are `files`, all on the first one, and each on its
/// own. All files must allow writing; regions of equal length make the comparison fair. Bytes written are limited
/// only by the windows' length.
///
/// # Errors
/// As [`run_scenario`]; [`BlockError::Scenario`] with fewer than two files.
pub fn writers_together_and_apart(
    ctx: &Context<'_>,
    files: &[Region],
    writers: &Writers,
    watch: &Watch,
) -> Result<WriterWindows, BlockError> {
    let [first, _, ..] = files else {
        return Err(BlockError::Scenario {
            stream: "writers".to_string(),
            reason: "one writer has nobody to wait for".to_string(),
            hint: "give two files or more",
        });
    };
    let count = files.len() as u32;
    let together = vec![writers.stream("together", first, count)];
    let apart: Vec<Stream> = files
        .iter()
        .enumerate()
        .map(|(number, file)| writers.stream(&format!("apart-{number}"), file, 1))
        .collect();
    let mut windows = WriterWindows::default();
    for repeat in 0..ctx.repeats.max(1) {
        // ABBA: a drift that is straight falls on both alike.
        for half in [repeat % 2, 1 - repeat % 2] {
            ctx.stop.check()?;
            let streams = if half == 0 { &together } else { &apart };
            let (warm_up, length) = writers.times;
            let seed = ctx.seed ^ (u64::from(2 * repeat + half) << 32);
            let scenario = Scenario {
                streams: streams.clone(),
                ..Scenario::of(together[0].clone(), warm_up, length, seed)
            };
            let mut outcomes = run_scenario(ctx, &scenario, watch)?;
            if half == 0 {
                windows.together.push(outcomes.remove(0));
            } else {
                windows.apart.push(outcomes);
            }
        }
    }
    Ok(windows)
}
