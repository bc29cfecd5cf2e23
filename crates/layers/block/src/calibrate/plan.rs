//! What is searched for, and how much time and writing that may take: decided and printed before the first operation.

use std::time::Duration;

use narrows_engine::Arrivals;
use narrows_engine::rate_search::{Goal, Settings};
use narrows_io::Access;
use narrows_model::{Layer, PlannedStep};
use narrows_units::{Bytes, Nanos};

use crate::BlockError;
use crate::deepest;
use crate::describe::size_word;
use crate::scenario::{Mix, Region};

/// A window of the search is at most this part of the time allowed for all. In the simulation a search took as long as 36 of its
/// longest windows; on a machine that is shared it takes more, and there is room for nearly twice as many.
const PART_OF_BUDGET: u32 = 110;
/// A window that decides on a volume of a provider, where the budget allows it, and its part of the budget: twelve to twenty-four of them, and
/// a curve of eighteen of six tenths.
const CLOUD_WINDOW: Duration = Duration::from_secs(60);
const CLOUD_PART_OF_BUDGET: u32 = 45;
/// Fill is planned with that.
const FILL_BYTES_PER_S: f64 = 400e6;
/// Bytes the load may write when nobody says.
const WRITE_BUDGET: u64 = 16 << 30;
const LARGE_S: f64 = 5.0;
/// Expected length of the ramp, s; its windows are [`CalibratePlan::probe`].
const RAMP_WINDOWS: f64 = 12.0;
/// Windows of the closed loop at the end, and as many of large reads.
const AGAIN_WINDOWS: f64 = 3.0;
/// Starting threads, filling buffers, sentinels, counters: what a window takes besides, s.
const OVERHEAD_S: f64 = 0.08;

/// A durable log beside the load: sequential writes over a region of its own, each made durable (`fdatasync`) before
/// the next one, at a fixed rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogStream {
    /// Bytes of a write.
    pub block_bytes: u32,
    /// Writes per second; as far as the device keeps up, which the measurement of the stream shows.
    pub rate_per_s: f64,
}

impl Default for LogStream {
    /// 8 KiB, 200 times per second: a modest server's commits.
    fn default() -> Self {
        LogStream { block_bytes: 8192, rate_per_s: 200.0 }
    }
}

/// What to search for.
#[derive(Debug, Clone)]
pub struct CalibratePlan {
    /// Bytes of an operation.
    pub block_bytes: u32,
    /// Read percentage, 0 to 100; the rest are writes at random places.
    pub read_percent: u32,
    /// The limit that the percentile must keep.
    pub goal: Goal,
    /// How operations arrive.
    pub arrivals: Arrivals,
    /// A log stream in every window; needs [`CalibrationTarget::log`].
    pub beside: Option<LogStream>,
    /// By which way to the device.
    pub access: Access,
    /// Deepest queue that the search for the ceiling tries.
    pub max_depth: u32,
    /// Drives under the target: buffers in flight are allowed for each.
    pub drives: u32,
    /// Processors the threads are bound to; empty: wherever the process may run.
    pub cpus: Vec<u32>,
    /// Processors of several generator threads, one each, in this order ([`crate::generator_cpus`]); empty: those above.
    pub generator_cpus: Vec<u32>,
    /// Whether 1 MiB reads are measured (MB/s, one process, Oracle's numbers).
    pub large: bool,
    /// Time for all of it, without writing the file. What is not decided by then is reported as unfinished.
    pub budget: Duration,
    /// Most bytes that the load may write, where it writes; `None`: 16 GiB.
    pub write_budget_bytes: Option<u64>,
    /// Time without a load before the closed loop is done once more at the end, besides the budget; zero: none.
    pub idle: Duration,
    /// How the search goes about it; [`CalibratePlan::within`] makes windows fit the budget.
    pub settings: Settings,
}

impl Default for CalibratePlan {
    /// p99 within 1 ms, 8 KiB reads, Poisson arrivals, the best way, 112 s.
    fn default() -> Self {
        CalibratePlan {
            block_bytes: 8192,
            read_percent: 100,
            goal: Goal { quantile: 0.99, limit_ns: 1_000_000 },
            arrivals: Arrivals::Poisson,
            beside: None,
            access: Access::best(),
            max_depth: deepest::by_drives(1),
            drives: 1,
            cpus: Vec::new(),
            generator_cpus: Vec::new(),
            large: true,
            budget: Duration::ZERO,
            write_budget_bytes: None,
            idle: Duration::ZERO,
            settings: Settings::default(),
        }
        .within(Duration::from_secs(112))
    }
}

impl CalibratePlan {
    /// The same with so much time for all, writing the file not counted: windows get their part of it.
    #[must_use]
    pub fn within(mut self, budget: Duration) -> Self {
        self.budget = budget;
        self.settings.longest_window = budget / PART_OF_BUDGET;
        self.settings.shortest_window = budget / (4 * PART_OF_BUDGET);
        self
    }

    /// The same for a volume of a provider's storage network: what it does every minute must be in each window that decides. They last
    /// a minute where the budget allows it (45 minutes and more), else their part of it.
    #[must_use]
    pub fn on_cloud_volume(mut self) -> Self {
        let window = (self.budget / CLOUD_PART_OF_BUDGET).min(CLOUD_WINDOW);
        self.settings.shortest_confirm = window;
        self.settings.longest_window = self.settings.longest_window.max(window);
        self
    }

    /// What the load does.
    pub fn mix(&self) -> Mix {
        Mix::read_percent(self.read_percent)
    }

    /// `block.calibrate.read.8k` and the like: the calibration's id, and the beginning of its measurements'.
    pub fn id(&self) -> String {
        let what = match self.mix().single() {
            Some(_) => self.mix().word().to_string(),
            None => format!("mixed{}", self.read_percent.min(100)),
        };
        let size = size_word(self.block_bytes);
        let beside = if self.beside.is_some() { ".beside_log" } else { "" };
        format!("block.calibrate.{what}.{size}{beside}")
    }

    /// Most bytes that the load may write; `None` where it doesn't.
    pub fn write_budget(&self) -> Option<u64> {
        self.mix().writes().then(|| self.write_budget_bytes.unwrap_or(WRITE_BUDGET))
    }

    /// Whether it can be run on `target`.
    pub(super) fn check(&self, target: &CalibrationTarget) -> Result<(), BlockError> {
        let refuse = |reason: &str, hint| {
            Err(BlockError::Scenario { stream: self.id(), reason: reason.to_string(), hint })
        };
        if !(self.goal.quantile > 0.0 && self.goal.quantile < 1.0) || self.goal.limit_ns == 0 {
            return refuse(
                "its goal is no percentile within a time",
                "give a percentile between 0 and 100 and a limit above 0",
            );
        }
        if self.mix().writes() && !target.data.writable() {
            return refuse(
                "it writes, and its target may only be read",
                "let narrows make the file, or consent to writing to the device",
            );
        }
        match (&self.beside, &target.log) {
            (None, _) => Ok(()),
            (Some(_), None) => refuse("it has a log and no place for it", "give the log a region"),
            (Some(_), Some(log)) if !log.writable() => {
                refuse("the log's target may only be read", "let narrows make its file")
            }
            (Some(log), _) if !(log.rate_per_s.is_finite() && log.rate_per_s > 0.0) => {
                refuse("its log has no rate", "give writes per second above 0")
            }
            (Some(_), Some(log)) if log.overlaps(&target.data) => {
                refuse("the log lies in the data", "give it a region of its own")
            }
            _ => Ok(()),
        }
    }

    /// One window of the closed loop, and of the 1 MiB reads.
    pub(super) fn probe(&self) -> Duration {
        self.settings.shortest_window.min(Duration::from_millis(400))
    }

    /// One window of the curve.
    pub(super) fn curve_window(&self) -> Duration {
        (self.budget / PART_OF_BUDGET).mul_f64(0.6)
    }

    /// Time the curve needs.
    pub(super) fn curve_s(&self) -> f64 {
        let windows = narrows_engine::CurvePlan::new(1.0, 0).steps().len() as f64;
        windows * (self.curve_window().as_secs_f64() * 1.2 + OVERHEAD_S)
    }

    /// Time that the closed loop once more at the end needs.
    pub(super) fn again_s(&self) -> f64 {
        let windows = if self.large { 2.0 * AGAIN_WINDOWS } else { AGAIN_WINDOWS };
        windows * (self.probe().as_secs_f64() * 1.2 + OVERHEAD_S)
    }

    fn ramp_s(&self) -> f64 {
        RAMP_WINDOWS * (self.probe().as_secs_f64() * 1.2 + OVERHEAD_S)
    }
}

/// Where it is measured. Whoever made the files removes them.
#[derive(Debug, Clone)]
pub struct CalibrationTarget {
    /// Where the load works; writable, if it writes.
    pub data: Region,
    /// Where the log is written over and over; writable, and no part of `data`.
    pub log: Option<Region>,
}

/// The steps, with the longest they take and the most they write; `file_bytes` is what the files that are written first
/// hold, zero where there is nothing to write.
pub fn planned_calibrate(plan: &CalibratePlan, file_bytes: u64) -> Vec<PlannedStep> {
    let step = |what: String, expected_s: f64, writes_bytes: u64| PlannedStep {
        layer: Layer::Block,
        what,
        expected_s,
        writes_bytes,
    };
    let (ramp_s, curve_s) = (plan.ramp_s(), plan.curve_s() + plan.again_s());
    let large_s = if plan.large { LARGE_S } else { 0.0 };
    let search_s = (plan.budget.as_secs_f64() - ramp_s - curve_s - large_s).max(0.0);
    let mut steps = Vec::new();
    if file_bytes > 0 {
        let fill_s = file_bytes as f64 / FILL_BYTES_PER_S;
        steps.push(step(format!("write files of {}", Bytes(file_bytes)), fill_s, file_bytes));
    }
    let what = format!("ceiling and depth of the closed loop, up to QD{}", plan.max_depth);
    steps.push(step(what, ramp_s, 0));
    if plan.large {
        steps.push(step("1 MiB reads, by all and by one process".to_string(), large_s, 0));
    }
    let goal = plan.goal;
    let sought = format!(
        "search for the highest rate with p{} within {}",
        goal.quantile * 100.0,
        Nanos(goal.limit_ns)
    );
    let log_bytes = plan
        .beside
        .map_or(0.0, |log| f64::from(log.block_bytes) * log.rate_per_s * plan.budget.as_secs_f64());
    let writes = plan.write_budget().unwrap_or(0) + log_bytes as u64;
    steps.push(step(sought, search_s, writes));
    steps.push(step("curve of latency against rate".to_string(), curve_s, 0));
    if !plan.idle.is_zero() {
        let (idle_s, again_s) = (plan.idle.as_secs_f64(), plan.again_s());
        let what = format!("nothing for {}, and the closed loop again", Nanos::from(plan.idle));
        steps.push(step(what, idle_s + again_s, 0));
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_a_providers_volume_a_window_that_decides_lasts_a_minute_where_there_is_time() {
        let of = |minutes: u64| {
            let plan = CalibratePlan::default().within(Duration::from_secs(60 * minutes));
            let plan = plan.on_cloud_volume();
            let confirm_s = plan.settings.shortest_confirm.as_secs_f64();
            // Twenty-four of them with their warm-up, and the curve, fit.
            let all_s = 24.0 * confirm_s * 1.2 + plan.curve_s();
            assert!(all_s < plan.budget.as_secs_f64(), "{all_s} s of {minutes} min");
            assert!(plan.settings.longest_window.as_secs_f64() >= confirm_s);
            confirm_s
        };
        assert_eq!((of(45), of(300)), (60.0, 60.0));
        assert!((2.0..3.0).contains(&of(2)));
        assert_eq!(CalibratePlan::default().settings.shortest_confirm, Duration::ZERO);
    }
}
