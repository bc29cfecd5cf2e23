//! A stream of a job before its file is open: everything decided but the region's handles.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use narrows_io::{Access, Durable, Op};
use narrows_layer_block::{
    AccessPattern, Begin, BufferNodes, DepthSearch, Ended, Flow, Judged, Limit, Load, Mix,
    Priorities, Region, Route, Serialize, Sizes, Stream, Think, Verify,
};

use super::verify_state::SavedPart;
use super::whole_files::FileSet;

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
    /// The files that its operations are calls on, where each is on one of them.
    pub set: Option<Arc<FileSet>>,
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
    /// NUMA nodes of its buffers.
    pub buffer_nodes: Option<BufferNodes>,
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
    /// Seed of its blocks, where they are verified.
    pub verify_seed: u64,
    /// The state that is saved of what it wrote.
    pub saves: Option<SavedPart>,
    /// Its share in the operations of a group, by weight.
    pub flow: Option<Flow>,
    /// Priorities of single operations.
    pub priorities: Option<Priorities>,
    /// Which of its operations wait for others.
    pub serialize: Option<Serialize>,
    /// Whether each submission is timed.
    pub time_submissions: bool,
    /// When it begins, where that is not with its stage.
    pub begin: Option<Begin>,
    /// Who is told when it has ended.
    pub ended: Option<Arc<Ended>>,
    /// Who ends it by what it does.
    pub judged: Vec<Judged>,
    /// Its depth is searched.
    pub depth_search: Option<DepthSearch>,
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
            buffer_nodes: self.buffer_nodes.clone(),
            sync_after: self.sync_after,
            limit: self.limit,
            ends_after: self.ends_after,
            think: self.think,
            cursor: 0,
            order_seed: self.order_seed,
            over_ns: self.depth_search.map(|search| search.target.as_nanos() as u64),
            time_submissions: self.time_submissions,
            one_cpu_each: false,
            verify: self.verify.clone(),
            flow: self.flow.clone(),
            priorities: self.priorities.clone(),
            serialize: self.serialize.clone(),
            begin: self.begin.clone(),
            ended: self.ended.clone(),
            judged: self.judged.clone(),
            depth_search: self.depth_search,
        }
    }

    /// All lengths that its offsets are made of, with a word for each, bytes.
    pub fn steps(&self) -> impl Iterator<Item = (&'static str, u64)> + use<'_> {
        let kinds = [Op::Read, Op::Write, Op::Trim].into_iter();
        let blocks = kinds
            .filter(|op| self.mix.weight(*op) > 0)
            .flat_map(|op| self.sizes.of(op))
            .map(|share| ("blocks", u64::from(share.what)));
        let place = match &self.place {
            AccessPattern::TrimThenWrite(inner) => inner.as_ref(),
            place => place,
        };
        let other: Vec<(&'static str, u64)> = match place {
            AccessPattern::Stepped { gap_bytes } => vec![("gaps", gap_bytes.unsigned_abs())],
            AccessPattern::Jumping(jumping) => jumping
                .align_bytes
                .iter()
                .map(|bytes| ("a blockalign", u64::from(*bytes)))
                .collect(),
            AccessPattern::Recorded(record) => vec![("offsets", record.offsets_divisor())],
            AccessPattern::Zones(zones) => {
                vec![("zones", zones.range_bytes), ("a zoneskip", zones.skip_bytes)]
            }
            AccessPattern::Listed(listed) => {
                listed.align_bytes.iter().map(|bytes| ("blocks", u64::from(*bytes))).collect()
            }
            AccessPattern::TrimThenWrite(_) => Vec::new(),
            AccessPattern::Random(_) | AccessPattern::Sequential | AccessPattern::SameOffsets => {
                Vec::new()
            }
        };
        blocks.chain(other)
    }

    /// Bytes it writes at most; `None` where only time ends it.
    pub fn writes_bytes(&self) -> Option<u64> {
        if !self.mix.writes() || !self.access.method().moves_data() {
            return Some(0);
        }
        let operations = self.limit?.operations;
        let largest = self.sizes.write.iter().map(|share| share.what).max().unwrap_or(0);
        Some(operations.saturating_mul(u64::from(largest)))
    }
}
