//! What to run, as data: streams of operations under one common window.
//!
//! A [`Stream`] is one kind of user of the storage: where it works ([`Region`]), what it does ([`Mix`], [`Sizes`]), where
//! the next operation goes ([`AccessPattern`]), how hard it pushes ([`Load`]), and by which way ([`Access`], [`Route`]).
//! Everything is decided here, before the window; [`crate::run_scenario`] only executes it.

mod access_pattern;
mod begin;
mod buffers;
mod choice;
mod depth_search;
mod flow;
mod judge;
mod load;
mod overlap;
mod priorities;
mod recorded;
mod region;
mod verify;
mod zones;

use std::sync::Arc;
use std::time::Duration;

use narrows_facts::memory_policy;
use narrows_io::{Access, Op};

pub use access_pattern::{AccessPattern, Distribution, Jumping, Zone};
pub use begin::{Begin, Ended};
pub(crate) use buffers::Slots;
pub(crate) use choice::divisor;
pub use choice::{Mix, Share, Sizes};
pub use depth_search::{DepthFound, DepthSearch};
pub(crate) use depth_search::{Searching, Turn};
pub use flow::{Flow, FlowGroup};
pub(crate) use judge::Cell;
pub use judge::{
    Judge, Judged, MinimumRate, Missed, Rule, SteadyRule, SteadySeen, SteadyValue, Verdict,
};
pub use load::Load;
pub use overlap::{RangesInFlight, Serialize};
pub use priorities::{Priorities, PriorityShare};
pub use recorded::{RecordedOperation, RecordedOperations};
pub use region::Region;
pub use verify::{Backlog, BlockFormat, BlockMismatch, ReadList, Verify, WrittenBlock};
pub use zones::{ListedBlocks, StridedZones, ZoneOrder};

use crate::BlockError;
use crate::cpu_load::CpuLoad;

/// Buffers of one stream may take this much memory, all threads together, bytes.
const MOST_BUFFER_BYTES: u64 = 4 << 30;
const MOST_THREADS: u32 = 4096;

/// Several streams under one common window.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// At least one, with names that differ.
    pub streams: Vec<Stream>,
    /// The same work, unmeasured, before the window.
    pub warm_up: Duration,
    /// The window.
    pub length: Duration,
    /// Length of one slice of the series.
    pub slice: Duration,
    /// Of every random choice; each stream and thread draws its own from it. A new one for every run: a repeated
    /// order of reads finds what the run before left in caches.
    pub seed: u64,
    /// Threads that keep processors busy meanwhile.
    pub cpu_loads: Vec<CpuLoad>,
}

impl Scenario {
    /// One stream; slices of 0.1 s.
    pub fn of(stream: Stream, warm_up: Duration, length: Duration, seed: u64) -> Self {
        let slice = Duration::from_millis(100);
        Scenario { streams: vec![stream], warm_up, length, slice, seed, cpu_loads: Vec::new() }
    }

    /// Whether it can be run.
    ///
    /// # Errors
    /// [`BlockError::Scenario`] with the stream and the reason; [`BlockError::TooSmall`].
    pub fn check(&self) -> Result<(), BlockError> {
        let Some(first) = self.streams.first() else {
            return Err(refuse("(none)", "a scenario needs a stream", "add one"));
        };
        if self.slice.is_zero() {
            return Err(refuse(&first.name, "slices have no length", "use 100 ms"));
        }
        for (number, stream) in self.streams.iter().enumerate() {
            if self.streams[..number].iter().any(|other| other.name == stream.name) {
                return Err(refuse(&stream.name, "two streams have this name", "rename one"));
            }
            stream.check()?;
        }
        Ok(())
    }
}

/// By which way through the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Route {
    /// Past the page cache where the file system can, else through it ([`Region::direct_refused`] says why).
    Direct,
    /// Through the page cache; each thread has a descriptor of its own, as sessions have.
    Buffered,
}

/// What ends a stream before its window is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Limit {
    /// Operations of all its threads, syncs not counted.
    pub operations: u64,
    /// What then happens.
    pub then: Then,
}

/// What happens when a stream has reached its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Then {
    /// The window ends for everybody; an eighth of the limit may go into the warm-up.
    CloseWindow,
    /// This stream ends, the others go on; the window ends with the last of them.
    EndStream,
}

/// Pauses of a closed loop. They are no latency; they lower the rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Think {
    /// How long.
    pub pause: Duration,
    /// How much of it the processor is kept busy.
    pub spin: Duration,
    /// Operations of a thread from one pause to the next; `None`: they are not counted.
    pub after: Option<u32>,
    /// Whether these are counted when they have come back; else when they start, so that just so many lie between two pauses.
    pub counts_completed: bool,
    /// It also pauses when so much time has passed since the last pause, or the beginning.
    pub every: Option<Duration>,
}

/// On which NUMA nodes the memory lies that threads touch first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BufferNodes {
    /// In which way.
    pub mode: memory_policy::Mode,
    /// The nodes; none for [`memory_policy::Mode::Local`].
    pub nodes: Vec<u32>,
}

/// As fio and `numactl` write it: `bind:0,1`.
impl std::fmt::Display for BufferNodes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.mode.word())?;
        for (number, node) in self.nodes.iter().enumerate() {
            write!(f, "{}{node}", if number == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}

/// One kind of user of the storage.
#[derive(Debug, Clone)]
pub struct Stream {
    /// Unique in its scenario; a part of ids.
    pub name: String,
    /// Where it works.
    pub region: Region,
    /// What it does.
    pub mix: Mix,
    /// How long its operations are.
    pub sizes: Sizes,
    /// Where the next operation goes.
    pub place: AccessPattern,
    /// How hard it pushes.
    pub load: Load,
    /// By which way to the device.
    pub access: Access,
    /// By which way through the kernel.
    pub route: Route,
    /// Threads; they share load and limit. [`Stream::threads_for`] says how many a depth takes.
    pub threads: u32,
    /// CPUs the threads are bound to; empty: wherever the process may run.
    pub cpus: Vec<u32>,
    /// Whether each thread stays on one of these alone, in their order: threads that spin must not share one.
    pub one_cpu_each: bool,
    /// I/O priority of its threads in the kernel's form ([`narrows_facts::io_priority`]); `None`: as it is.
    pub io_priority: Option<u16>,
    /// NUMA nodes of its threads' buffers; `None`: by the process's own policy.
    pub buffer_nodes: Option<BufferNodes>,
    /// After so many writes a thread waits for them, makes them durable (`fdatasync`), and goes on; `None`: never.
    pub sync_after: Option<u32>,
    /// What ends it early.
    pub limit: Option<Limit>,
    /// It ends so long after the window has begun, while others go on; `None`: with the window.
    pub ends_after: Option<Duration>,
    /// Pauses; for closed loops only.
    pub think: Option<Think>,
    /// Where the places begin: how many operations each thread of an earlier window of this stream issued, so that
    /// the next window touches other blocks ([`crate::StreamOutcome::cursor`]).
    pub cursor: u64,
    /// Seed of the order of places, where it has to stay the same from window to window (with `cursor`); `None`: from
    /// the scenario's.
    pub order_seed: Option<u64>,
    /// Latency from which on operations are counted as over, by slice ([`crate::Slice::over`]); `None`: not counted.
    pub over_ns: Option<u64>,
    /// Whether operations are handed over by a call of their own before each wait, and that call is timed ([`crate::SplitLatency`]): one system
    /// call more per batch. Without effect by a way that executes each operation in the call.
    pub time_submissions: bool,
    /// How its blocks are made and checked; `None`: with narrows' own tags.
    pub verify: Option<Verify>,
    /// Its share in the operations of a group.
    pub flow: Option<Flow>,
    /// I/O priorities of single operations; `None`: all have that of their thread.
    pub priorities: Option<Priorities>,
    /// Whether operations wait for others in flight that they share bytes with; `None`: they don't.
    pub serialize: Option<Serialize>,
    /// When it begins; `None`: with the scenario.
    pub begin: Option<Begin>,
    /// Who is told when its threads have ended.
    pub ended: Option<Arc<Ended>>,
    /// Who ends it by what it does.
    pub judged: Vec<Judged>,
    /// Its depth is searched, up to that of its load; for closed loops of one thread, and `over_ns` is then the target.
    pub depth_search: Option<DepthSearch>,
}

impl Stream {
    /// Random reads of `block_bytes`, each block once, `depth` in flight, with direct I/O.
    pub fn reads(name: &str, region: Region, block_bytes: u32, depth: u32, access: Access) -> Self {
        Stream {
            name: name.to_string(),
            region,
            mix: Mix::only(Op::Read),
            sizes: Sizes::all(block_bytes),
            place: AccessPattern::Random(Distribution::OnceEach),
            load: Load::Closed { depth },
            threads: Stream::threads_for(&access, depth, 1),
            access,
            route: Route::Direct,
            cpus: Vec::new(),
            one_cpu_each: false,
            io_priority: None,
            buffer_nodes: None,
            sync_after: None,
            limit: None,
            ends_after: None,
            think: None,
            cursor: 0,
            order_seed: None,
            over_ns: None,
            time_submissions: false,
            verify: None,
            flow: None,
            priorities: None,
            serialize: None,
            begin: None,
            ended: None,
            judged: Vec::new(),
            depth_search: None,
        }
    }

    /// Threads that `depth` operations in flight take by `access`, where `generators` would do otherwise: blocking
    /// calls need a thread each, and each queue of a target is a thread's.
    pub fn threads_for(access: &Access, depth: u32, generators: u32) -> u32 {
        match access.depth_per_thread() {
            Some(each) => depth.div_ceil(each.max(1)).max(1),
            None => {
                let (least, most) = access.ways();
                generators.max(least).min(most).clamp(1, depth.max(1))
            }
        }
    }

    /// CPUs that a thread is bound to; none: wherever the process may run.
    pub(crate) fn cpus_of(&self, thread: u32) -> &[u32] {
        if !self.one_cpu_each || self.cpus.is_empty() {
            return &self.cpus;
        }
        let own = thread as usize % self.cpus.len();
        &self.cpus[own..=own]
    }

    /// Operations in flight that one thread must have room for.
    pub(crate) fn depth_of(&self, thread: u32) -> u32 {
        let depth = self.share(u64::from(self.load.in_flight()), thread).max(1) as u32;
        self.access.depth_per_thread().map_or(depth, |most| depth.min(most.max(1)))
    }

    /// A thread's part of something that all threads share.
    pub(crate) fn share(&self, total: u64, thread: u32) -> u64 {
        let (thread, threads) = (u128::from(thread), u128::from(self.threads));
        let edge = |i: u128| (u128::from(total) * i / threads) as u64;
        edge(thread + 1) - edge(thread)
    }

    fn check(&self) -> Result<(), BlockError> {
        let refuse = |reason: &str, hint| Err(refuse(&self.name, reason, hint));
        if self.threads == 0 || self.threads > MOST_THREADS {
            return refuse("it has no threads, or more than 4096", "use one per CPU");
        }
        if let Some(reason) = self.mix.reason().or(self.sizes.reason(&self.mix)) {
            return refuse(
                reason,
                "give shares that add up to more than nothing, of sizes above 0",
            );
        }
        if let Some(reason) = self.place.reason() {
            return refuse(reason, "see the book, chapter \"Block storage\", workloads");
        }
        if let AccessPattern::Recorded(record) = &self.place {
            let region =
                (self.region.offset_bytes(), self.region.offset_bytes() + self.region.bytes());
            if let Some(reason) = record.reason(region, self.threads) {
                return refuse(reason, "give each file a stream, with what was recorded of it");
            }
        }
        if let Some(reason) = self.load.reason() {
            return refuse(reason, "give a depth, or a rate and a cap, above 0");
        }
        if let Load::Closed { depth } = self.load {
            let each = self.access.depth_per_thread().unwrap_or(u32::MAX);
            if self.threads > depth || u64::from(self.threads) * u64::from(each) < u64::from(depth)
            {
                return refuse(
                    "its threads cannot keep just its depth in flight",
                    "use no more threads than operations, and one for each where calls block",
                );
            }
        }
        if self.think.is_some() && matches!(self.load, Load::Open { .. }) {
            return refuse(
                "it pauses, and operations of an open loop start when they are due",
                "give a depth, or leave the pauses out",
            );
        }
        if self.depth_search.is_some() && (self.threads > 1 || self.load.is_open()) {
            return refuse(
                "its depth is searched, and it has several threads or a rate",
                "give it one thread and a depth",
            );
        }
        if self.mix.writes() && !self.region.writable() {
            return refuse("it writes, and its file may only be read", "let narrows make the file");
        }
        let largest = u64::from(self.sizes.largest(&self.mix));
        let parts = if self.place.parts() { u64::from(self.threads) } else { 1 };
        if self.region.bytes() / largest.max(1) < parts {
            return Err(BlockError::TooSmall {
                file_bytes: self.region.bytes(),
                block_bytes: largest as u32,
            });
        }
        let buffers = u64::from(self.sizes.largest_moved(&self.mix))
            * u64::from(self.load.in_flight().max(self.threads));
        if buffers > MOST_BUFFER_BYTES {
            return refuse(
                "its buffers would take more than 4 GiB",
                "use less depth or smaller blocks",
            );
        }
        Ok(())
    }
}

fn refuse(stream: &str, reason: &str, hint: &'static str) -> BlockError {
    BlockError::Scenario { stream: stream.to_string(), reason: reason.to_string(), hint }
}
