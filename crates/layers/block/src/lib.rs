//! The block layer: what storage gives through the file system or as a device, under any load that can be described.
//!
//! [`run_scenario`] executes a [`Scenario`]: one or several [`Stream`]s under one common window, in a closed loop by depth
//! or an open loop by rate, and gives a [`StreamOutcome`] for each; [`Record`] makes a measurement of several windows.
//! There is one hot loop, and everything else here uses it:
//!
//! - [`prepare`] writes the file, [`measure()`] runs the catalogue of workloads on it, [`planned`] says beforehand how
//!   long that takes and what it writes.
//! - [`random_read_once`] is the loop with free block size and depth, for comparisons with other programs.
//! - [`after`] asks what the drives do of the mix of reads and writes that a workload had.
//! - [`writers_together_and_apart`] asks whether writers to one file get in each other's way.
//! - [`interference()`] sets reads beside writes, rate by rate.
//! - [`calibrate()`] searches for the highest rate at which a percentile of latency stays within a limit, [`steady()`]
//!   repeats rounds of writes until their rate lasts.
//!
//! Not here: durable appends (the log layer), whether a device may be written, judging.
//!
//! Methods and traps: the book's chapter "Block storage".

#![forbid(unsafe_code)]

mod after;
mod between;
mod block_workload;
mod calibrate;
mod combine;
mod contents;
mod cpu_load;
mod deepest;
mod describe;
mod error;
mod gather;
mod generator_cpus;
mod interference;
mod knee;
mod measure;
mod outcome;
mod plan;
mod processors;
mod random_read_window;
mod read_back;
mod record;
mod run;
mod scenario;
mod seed;
mod setting;
mod stalls;
mod steady;
mod two_places;
mod worker;
mod workload;
mod writers;

pub use after::{Requested, after, after_bytes, after_s};
pub use calibrate::{
    CalibratePlan, Calibrated, CalibrationTarget, LogStream, calibrate, planned_calibrate,
};
pub use cpu_load::{BusyWork, CpuLoad, keep_busy};
pub use deepest::by_drives as deepest_by_drives;
pub use error::BlockError;
pub use generator_cpus::generator_cpus;
pub use interference::{InterferenceGround, InterferencePlan, interference, planned_interference};
pub use measure::{measure, measure_by, prepare, prepare_with};
pub use outcome::{
    Counted, OpenOutcome, PriorityLatency, Slice, SplitLatency, StreamOutcome, Verified,
};
pub use plan::{BlockPlan, planned};
pub use random_read_window::{RandomReadWindow, random_read_once};
pub use record::Record;
pub use run::run_scenario;
pub use scenario::{
    AccessPattern, Backlog, BlockFormat, BlockMismatch, BufferNodes, Distribution, Flow, FlowGroup,
    Jumping, Limit, ListedBlocks, Load, Mix, Priorities, PriorityShare, RangesInFlight, ReadList,
    RecordedOperation, RecordedOperations, Region, Route, Scenario, Serialize, Share, Sizes,
    Stream, StridedZones, Then, Think, Verify, WrittenBlock, Zone, ZoneOrder,
};
pub use scenario::{
    Begin, DepthFound, DepthSearch, Ended, Judge, Judged, MinimumRate, Missed, Rule, SteadyRule,
    SteadySeen, SteadyValue, Verdict,
};
pub use stalls::HeldUp;
pub use steady::{Steadied, SteadyPlan, planned_steady, steady, write_state};
pub use two_places::{ReadPlace, TwoPlaces, TwoPlacesWindow, read_two_places};
pub use writers::{WriterWindows, Writers, writers_together_and_apart};
