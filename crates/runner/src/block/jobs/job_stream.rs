//! A stream of a job before its file is open: everything decided but the region's handles.

use std::path::PathBuf;
use std::time::Duration;

use narrows_io::{Access, Durable, Op};
use narrows_layer_block::{
    AccessPattern, Flow, Limit, Load, Mix, Region, Route, Sizes, Stream, Think, Verify,
};

/// One stream of a job: all its clones where they share what they work on, else one of them; on one file.
#[derive(Debug, Clone)]
pub struct JobStream {
    /// Number of the job in the plan.
    pub job: usize,
    /// Unique in its stage.
    pub name: String,
    /// Number of the clone, where it has a stream of its own.
    pub clone: Option<u32>,
    /// The file or device.
    pub file: PathBuf,
    /// Where in it the region begins, bytes.
    pub offset_bytes: u64,
    /// How long the region is, bytes.
    pub bytes: u64,
    /// Reads, writes, trims.
    pub mix: Mix,
    /// Their lengths.
    pub sizes: Sizes,
    /// Where they go.
    pub place: AccessPattern,
    /// How hard it pushes.
    pub load: Load,
    /// By which way.
    pub access: Access,
    /// Direct or buffered.
    pub route: Route,
    /// Threads.
    pub threads: u32,
    /// Where they may run; empty: everywhere.
    pub cpus: Vec<u32>,
    /// I/O priority of its threads, in the kernel's form.
    pub io_priority: Option<u16>,
    /// Durable after so many writes.
    pub sync_after: Option<u32>,
    /// What ends it early.
    pub limit: Option<Limit>,
    /// When it ends, where others beside it go on.
    pub ends_after: Option<Duration>,
    /// Pauses.
    pub think: Option<Think>,
    /// Whether each write is durable by itself.
    pub durable: Durable,
    /// Of its order, where that has to be the same in every run.
    pub order_seed: Option<u64>,
    /// Whether cached pages are dropped before.
    pub invalidate: bool,
    /// Whether the file is made durable after the window.
    pub sync_at_end: bool,
    /// How its blocks are made and checked, where fio's are.
    pub verify: Option<Verify>,
    /// Its share in the operations of a group, by weight.
    pub flow: Option<Flow>,
    /// Whether each submission is timed.
    pub time_submissions: bool,
}

impl JobStream {
    /// The stream on its region.
    pub fn stream(&self, region: Region) -> Stream {
        Stream {
            name: self.name.clone(),
            region,
            mix: self.mix,
            sizes: self.sizes.clone(),
            place: self.place.clone(),
            load: self.load,
            access: self.access.clone(),
            route: self.route,
            threads: self.threads,
            cpus: self.cpus.clone(),
            io_priority: self.io_priority,
            sync_after: self.sync_after,
            limit: self.limit,
            ends_after: self.ends_after,
            think: self.think,
            cursor: 0,
            order_seed: self.order_seed,
            over_ns: None,
            time_submissions: self.time_submissions,
            one_cpu_each: false,
            verify: self.verify.clone(),
            flow: self.flow.clone(),
        }
    }

    /// All lengths that its offsets are made of, with a word for each, bytes.
    pub fn steps(&self) -> impl Iterator<Item = (&'static str, u64)> + use<'_> {
        let kinds = [Op::Read, Op::Write, Op::Trim].into_iter();
        let blocks = kinds
            .filter(|op| self.mix.weight(*op) > 0)
            .flat_map(|op| self.sizes.of(op))
            .map(|share| ("blocks", u64::from(share.what)));
        let other: Vec<(&'static str, u64)> = match &self.place {
            AccessPattern::Stepped { gap_bytes } => vec![("gaps", gap_bytes.unsigned_abs())],
            AccessPattern::Jumping(jumping) => jumping
                .align_bytes
                .iter()
                .map(|bytes| ("a blockalign", u64::from(*bytes)))
                .collect(),
            AccessPattern::Random(_) | AccessPattern::Sequential | AccessPattern::SameOffsets => {
                Vec::new()
            }
        };
        blocks.chain(other)
    }

    /// Bytes it writes at most; `None` where only time ends it.
    pub fn writes_bytes(&self) -> Option<u64> {
        if !self.mix.writes() {
            return Some(0);
        }
        let operations = self.limit?.operations;
        let largest = self.sizes.write.iter().map(|share| share.what).max().unwrap_or(0);
        Some(operations.saturating_mul(u64::from(largest)))
    }
}
