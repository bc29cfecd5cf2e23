//! A job with everything resolved: what the caller maps to its workloads. No text is left to read.

mod contents;
mod engine;
mod operations;
mod pace;
mod placement;

use narrows_units::Nanos;

pub use contents::*;
pub use engine::*;
pub use operations::*;
pub use pace::*;
pub use placement::*;

use crate::ending_rules::{LatencyTarget, MinimumRate, Steady};
use crate::files::Targets;
pub use crate::iolog::{Replay, Skipped};
pub use crate::nodes::{MemoryPolicy, NodeList};
use crate::operation_rules::{PriorityShare, SerializedOverlap};
use crate::problem::JobFileLine;
use crate::verify::PatternPart;

/// A value for each kind of operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PerDirection<T> {
    /// Reads.
    pub read: T,
    /// Writes.
    pub write: T,
    /// Trims.
    pub trim: T,
}

/// One section, its clones not yet made.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// `name`, or the section's.
    pub name: String,
    /// `description`.
    pub description: Option<String>,
    /// The section's line.
    pub place: JobFileLine,
    /// fio's number of the reporting group, from 0.
    pub group: usize,
    /// Whether all jobs before have to end first.
    pub waits_for_previous: bool,
    /// The job whose clones have to end first, by its name.
    pub waits_for: Option<String>,
    /// Whether clones, and jobs of one group, are reported as one.
    pub group_reporting: bool,
    /// How many run at once; at least 1.
    pub clones: u32,
    /// The files or devices.
    pub targets: Targets,
    /// Which part of them.
    pub region: Region,
    /// Which operations, in which order.
    pub access: Access,
    /// Their sizes.
    pub blocks: PerDirection<Blocks>,
    /// How they reach the kernel.
    pub engine: Engine,
    /// How many are in flight; 1 where the engine can't have more.
    pub depth: u32,
    /// Caches and file preparation.
    pub files: Files,
    /// Flushes.
    pub flushes: Flushes,
    /// Whether each write is stored as a whole or not at all (`RWF_ATOMIC`): then they are of one length, a power of two.
    pub atomic_writes: bool,
    /// When it ends.
    pub ending: Ending,
    /// A rate, where one is asked for: the loop is then open.
    pub rate: Option<Rate>,
    /// A rate below which a clone ends with an error.
    pub minimum: Option<MinimumRate>,
    /// A figure that ends it when it is steady.
    pub steady: Option<Steady>,
    /// The latency for which a depth is searched, up to `depth`.
    pub latency_target: Option<LatencyTarget>,
    /// Whether it writes until nothing more fits.
    pub fills: bool,
    /// Pauses, where they are asked for.
    pub think: Option<Think>,
    /// What is written.
    pub data: BufferContents,
    /// What is written instead, over and over from the beginning of each block; empty: nothing.
    pub buffer_pattern: Vec<PatternPart>,
    /// How it is verified, where it is.
    pub verify: Option<Verify>,
    /// How it waits for the operations of other jobs, where it does.
    pub flow: Option<Flow>,
    /// Reads and writes with a priority of their own.
    pub priorities: Vec<PriorityShare>,
    /// Which operations wait for others that they share bytes with, where they do.
    pub serialized: Option<SerializedOverlap>,
    /// The log whose operations it does again, instead of its own.
    pub replay: Option<Replay>,
    /// Where it runs.
    pub placement: Placement,
    /// What is reported.
    pub report: Report,
    /// What ends with it.
    pub exit: Option<Exit>,
    /// The section's settings as they are written, by fio's names; for fio's JSON.
    pub written: Vec<(String, String)>,
}

/// A share in the operations of a group of jobs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flow {
    /// Of all weights of the group; each clone has it; at least 1.
    pub weight: u32,
    /// The group's number.
    pub group: u32,
    /// Waited where its share is used up; 0: until it isn't.
    pub sleep: Nanos,
}

/// What is reported.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// In per cent, ascending as written.
    pub percentiles: Vec<f64>,
    /// From submission to completion.
    pub completion: bool,
    /// From when it was due to completion.
    pub total: bool,
    /// Of the submission; it is timed only then.
    pub submission: bool,
    /// Reads and writes as one.
    pub unified: Unified,
}

/// Whether reads and writes are reported as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unified {
    /// Apart.
    None,
    /// As one.
    Mixed,
    /// Both ways.
    Both,
}

/// What ends when this job ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The jobs of its group.
    Group,
    /// The jobs up to the next stonewall.
    Stonewall,
    /// All, those to come too.
    All,
}
