//! What one window gave, by stream.

use narrows_engine::{Arrivals, LiveValue};
use narrows_facts::Usage;
use narrows_io::{Method, Op, Outages, Refusal};
use narrows_observe::HostWindow;
use narrows_stats::Recorder;

use crate::contents::Contents;
use crate::read_back::ReadBack;
use crate::scenario::{BlockMismatch, DepthFound, Load, WrittenBlock};
use crate::stalls::HeldUp;
use crate::worker::Foreign;

/// Latency in two parts, of streams whose submissions are timed ([`crate::Stream::time_submissions`]), ns.
#[derive(Debug, Clone, Default)]
pub struct SplitLatency {
    /// From the call that hands an operation over to the end of that call.
    pub submission: Recorder,
    /// From then to when its completion was seen.
    pub completion: Recorder,
}

/// What one kind of operation came to, in the window. `latency.count() == operations` always.
#[derive(Debug, Clone, Default)]
pub struct Counted {
    /// Operations that succeeded, short ones included.
    pub operations: u64,
    /// Bytes these moved.
    pub bytes: u64,
    /// Bytes these were asked to move.
    pub asked_bytes: u64,
    /// Of these, moved fewer bytes than asked.
    pub short: u64,
    /// Operations that failed.
    pub failed: u64,
    /// Closed loop: from submission; open loop: from when it was due. To when its completion was seen, ns.
    pub latency: Recorder,
    /// Its two parts, of as many operations, where submissions are timed.
    pub split: Option<Box<SplitLatency>>,
}

impl Counted {
    /// The row of `op` where kinds are kept in an array.
    #[inline]
    pub(crate) fn index(op: Op) -> usize {
        match op {
            Op::Read => 0,
            Op::Write => 1,
            Op::Trim => 2,
            Op::Sync => 3,
        }
    }

    /// With what another came to.
    pub fn add(&mut self, other: &Counted) {
        self.operations += other.operations;
        self.bytes += other.bytes;
        self.asked_bytes += other.asked_bytes;
        self.short += other.short;
        self.failed += other.failed;
        self.latency.merge(&other.latency);
        if let Some(other) = &other.split {
            let split = self.split.get_or_insert_default();
            split.submission.merge(&other.submission);
            split.completion.merge(&other.completion);
        }
    }
}

/// Latency of the operations of one kind and priority, in the window, ns; of streams whose operations have their own
/// ([`crate::Stream::priorities`]).
#[derive(Debug, Clone)]
pub struct PriorityLatency {
    /// Their kind.
    pub op: Op,
    /// In the kernel's form; `None`: that of their thread.
    pub priority: Option<u16>,
    /// As in [`Counted`].
    pub latency: Recorder,
}

impl PriorityLatency {
    /// Adds those of another to a list of them.
    pub(crate) fn add(all: &mut Vec<PriorityLatency>, more: &[PriorityLatency]) {
        for one in more {
            let same =
                |other: &&mut PriorityLatency| (other.op, other.priority) == (one.op, one.priority);
            match all.iter_mut().find(same) {
                Some(other) => other.latency.merge(&one.latency),
                None => all.push(one.clone()),
            }
        }
    }
}

/// A slice of the window. Syncs are not in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Slice {
    /// Operations that completed in it.
    pub operations: u64,
    /// Bytes these moved.
    pub bytes: u64,
    /// Sum of their latencies, ns.
    pub latency_sum_ns: u64,
    /// The longest of them, ns.
    pub latency_max_ns: u64,
    /// Open loop: operations that were due in it, whatever became of them.
    pub due: u64,
    /// Of these (closed loop: of those completed), took longer than [`crate::Stream::over_ns`]; those that never came back
    /// are among them.
    pub over: u64,
}

impl Slice {
    pub(crate) fn add(&mut self, other: &Slice) {
        self.operations += other.operations;
        self.bytes += other.bytes;
        self.latency_sum_ns += other.latency_sum_ns;
        self.latency_max_ns = self.latency_max_ns.max(other.latency_max_ns);
        self.due += other.due;
        self.over += other.over;
    }
}

/// What an open loop gave besides.
#[derive(Debug, Clone)]
pub struct OpenOutcome {
    /// The rate asked for, per second.
    pub rate_per_s: f64,
    /// How operations arrived.
    pub arrivals: Arrivals,
    /// Operations due in the window, by the schedule.
    pub due: u64,
    /// Operations sent in the window.
    pub sent: u64,
    /// Of these, had to wait because the cap on operations in flight was reached when they were due: what the device
    /// could not take. Without any, all lateness is the generator's.
    pub held: u64,
    /// Operations due before the end of the window and never sent.
    pub unsent: u64,
    /// Operations sent and never seen to come back, though they were waited for.
    pub unfinished: u64,
    /// Operations due and not completed when the window began.
    pub backlog_before: u64,
    /// Operations due and not completed when the window ended.
    pub backlog_after: u64,
    /// From due to submitted, of the operations completed in the window (as many as those), ns.
    pub lateness: Recorder,
    /// The same without the time in which a call to the device held up the thread that was to send them, ns.
    pub own_lateness: Recorder,
    /// Latency of these operations without their lateness, ns.
    pub on_time: Recorder,
    /// The same without their own lateness alone, ns.
    pub own_on_time: Recorder,
    /// Time in which such calls did, by whose doing, all threads together.
    pub held_up: HeldUp,
    /// Latency of operations due before the window's end that came back after it, ns: what a percentile of a queue
    /// that grows must not leave out.
    pub stragglers: Recorder,
}

impl OpenOutcome {
    /// How late the load generator was by its own doing, and latency without that. Calls to the device that held it up are the device's doing.
    pub fn of_generator(&self) -> (&Recorder, &Recorder) {
        if self.held_up.by_device() {
            (&self.own_lateness, &self.own_on_time)
        } else {
            (&self.lateness, &self.on_time)
        }
    }
}

/// What verification came to, of the whole time and not of the window alone.
#[derive(Debug, Clone, Default)]
pub struct Verified {
    /// Blocks that were read and compared.
    pub blocks: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Of these, not what was written.
    pub wrong: u64,
    /// The first of these.
    pub first: Vec<BlockMismatch>,
    /// Reads beside the stream's own, in the window.
    pub reads: Counted,
}

impl Verified {
    /// With what another came to.
    pub fn add(&mut self, other: &Verified) {
        self.blocks += other.blocks;
        self.bytes += other.bytes;
        self.wrong += other.wrong;
        self.first.extend_from_slice(&other.first);
        self.reads.add(&other.reads);
    }
}

/// What one window gave of one stream.
#[derive(Debug, Clone)]
pub struct StreamOutcome {
    /// The stream's name.
    pub name: String,
    /// From the beginning of the scenario's window to that of its own, ns; 0 unless it begins later ([`crate::Begin`]).
    pub begins_ns: u64,
    /// Whether it did operations within the scenario's window that its figures leave out: a lead-in of its own, a search.
    pub did_more: bool,
    /// What its search for a depth came to.
    pub depth_found: Option<DepthFound>,
    /// Length of its window, ns; of a stream that ended before, up to then. 0 where it never began.
    pub window_ns: u64,
    /// How hard it was to push.
    pub load: Load,
    /// Read, write, trim, sync; see [`StreamOutcome::of`].
    pub(crate) kinds: [Counted; 4],
    /// Of an open loop.
    pub open: Option<OpenOutcome>,
    /// Length of a slice, ns.
    pub slice_ns: u64,
    /// The full slices of the window.
    pub slices: Vec<Slice>,
    /// Reads whose contents were looked at.
    pub looked_at: u64,
    /// Of these, nothing but zeros.
    pub zeros: u64,
    /// Of these, not what was written there.
    pub wrong: u64,
    /// Latency by priority, where operations have their own; those without any operation are left out.
    pub priorities: Vec<PriorityLatency>,
    /// What was compared of blocks that are verified.
    pub verified: Verified,
    /// Blocks that were written and are to be read back.
    pub written: Vec<WrittenBlock>,
    /// What those of them are made of that others wrote.
    pub(crate) foreign: Foreign,
    /// What of the window's writes was read back after it.
    pub(crate) read_back: ReadBack,
    /// Processor time of this process per operation, ns; with several streams, this stream's part by the time of its
    /// threads.
    pub cpu_per_op_ns: f64,
    /// What the kernel accounted to its threads over the window; its own threads that work for io_uring are not in it.
    pub usage: Usage,
    /// Processor time of the busiest thread over the window.
    pub busiest: f64,
    /// Of the processors that one of its threads stayed on and used for a good part of the window, the busiest: share of the window in which
    /// it was not idle. Absent where no thread did, or processors were not watched.
    pub cpu_busy: Option<f64>,
    /// Where the next window of this stream goes on, see [`crate::Stream::cursor`].
    pub cursor: u64,
    /// Operations submitted by all threads, warm-up included, syncs not.
    pub issued: u64,
    /// Bytes written, warm-up included.
    pub written_bytes: u64,
    /// The way that was obtained.
    pub method: Method,
    /// Whether the kernel granted pinned buffers to all threads, where there is such a thing.
    pub registered_buffers: Option<bool>,
    /// Time inside calls that only submit, warm-up included, ns; absent where submitting and waiting are one call.
    pub submit_ns: Option<u64>,
    /// Threads of the kernel that, at the end of the window, executed operations because these could not be started
    /// without blocking: the submission was asynchronous in name only. Absent where that can't be learned.
    pub workers: Option<u32>,
    /// What the ways to the device saw of lost connections, from the warm-up to the end of the last wait; absent for ways that don't
    /// make them again.
    pub outages: Option<Outages>,
    /// What was asked of the way to the device and not obtained, once each.
    pub refusals: Vec<Refusal>,
    /// Distinct bytes that the window's reads touched; absent for operations of several lengths.
    pub unique_read_bytes: Option<f64>,
    /// What decides which blocks come in which order: two windows with the same touch the same ones. A seed, and where
    /// in its order the window began.
    pub sequence: (u64, u64),
    /// What was known of its blocks before the window.
    pub(crate) contents: Contents,
    /// Share of the window in which one of its threads was ready to run and waited for a processor, the largest; absent where it has no
    /// processor to itself, and where that isn't counted.
    pub kept_waiting: Option<f64>,
    /// The processors on which its threads were seen.
    pub seen_on: Vec<u32>,
    /// Share of the window in which the program as a whole stood still.
    pub stood_still: f64,
    /// Bytes that the kernel read from storage for this process in the window, all streams together; absent where that isn't counted.
    pub process_read_bytes: Option<u64>,
    /// Whether other streams ran beside it: `seen` is then that of all of them together.
    pub beside_others: bool,
    /// What the machine did in the window.
    pub seen: HostWindow,
    /// Relative change of the sentinel's time.
    pub sentinel_drift: f64,
}

impl StreamOutcome {
    /// What one kind of operation came to.
    pub fn of(&self, op: Op) -> &Counted {
        &self.kinds[Counted::index(op)]
    }

    /// The same with its trims counted as `op`: what is no transfer of data is a trim here, and to others a read or a write.
    #[must_use]
    pub fn counted_as(mut self, op: Op) -> StreamOutcome {
        self.kinds.swap(Counted::index(Op::Trim), Counted::index(op));
        self
    }

    /// Reads, writes and trims together; syncs stand apart.
    fn moves(&self) -> impl Iterator<Item = &Counted> {
        [Op::Read, Op::Write, Op::Trim].into_iter().map(|op| self.of(op))
    }

    /// How near the generator is to its end: its busiest thread, or the processor under it. Kernels that account interrupts precisely take
    /// them out of the thread's time, and a hypervisor's steal is in none.
    pub fn busy(&self) -> f64 {
        self.busiest.max(self.cpu_busy.unwrap_or(0.0))
    }

    /// Operations completed in the window.
    pub fn operations(&self) -> u64 {
        self.moves().map(|kind| kind.operations).sum()
    }

    /// Bytes moved in the window.
    pub fn bytes(&self) -> u64 {
        self.moves().map(|kind| kind.bytes).sum()
    }

    /// Operations that moved fewer bytes than asked.
    pub fn short(&self) -> u64 {
        self.moves().map(|kind| kind.short).sum()
    }

    /// Operations that failed, syncs included.
    pub fn failed(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.failed).sum()
    }

    /// Operations per second; zero if the window was empty.
    pub fn throughput_per_s(&self) -> f64 {
        self.per_s(self.operations())
    }

    /// Bytes per second; zero if the window was empty.
    pub fn bandwidth_bytes_per_s(&self) -> f64 {
        self.per_s(self.bytes())
    }

    /// Its rate, as progress tells it.
    pub fn live_value(&self) -> LiveValue {
        LiveValue::of_requests(self.throughput_per_s(), self.bandwidth_bytes_per_s())
    }

    /// Share of the window that the hypervisor took from one of the processors on which its threads were seen, the largest. Steal is
    /// counted in steps of 10 ms: a window that is shorter than 200 ms tells nothing.
    pub fn stolen(&self) -> Option<f64> {
        const SHORTEST_NS: u64 = 200_000_000;
        let window_ns = self.seen.window.0;
        self.seen.steal.filter(|_| window_ns >= SHORTEST_NS)?;
        let cpus = self.seen.per_cpu.iter().filter(|cpu| self.seen_on.contains(&cpu.id));
        cpus.map(|cpu| cpu.steal_ns as f64 / window_ns as f64).reduce(f64::max)
    }

    fn per_s(&self, count: u64) -> f64 {
        if self.window_ns == 0 { 0.0 } else { count as f64 * 1e9 / self.window_ns as f64 }
    }

    /// Latency of all operations but syncs, ns. As many as [`StreamOutcome::operations`].
    pub fn latency(&self) -> Recorder {
        let mut all = Recorder::new();
        self.moves().for_each(|kind| all.merge(&kind.latency));
        all
    }

    /// Of an open loop: latency of everything that came back, also after the end of the window; what a search for a rate
    /// judges. Else the same as [`StreamOutcome::latency`].
    pub fn latency_with_stragglers(&self) -> Recorder {
        let mut all = self.latency();
        if let Some(open) = &self.open {
            all.merge(&open.stragglers);
        }
        all
    }

    /// Operations in flight by Little's law, rate times mean time from submission to completion; `None` if nothing
    /// completed.
    pub fn in_flight(&self) -> Option<f64> {
        let late_ns = self.open.as_ref().and_then(|open| open.lateness.mean()).unwrap_or(0.0);
        let mean_ns = self.latency().mean()? - late_ns;
        Some(self.throughput_per_s() * mean_ns / 1e9)
    }

    /// Of an open loop: operations due and not completed at the end of each slice; else empty.
    pub fn waiting_by_slice(&self) -> Vec<u64> {
        let Some(open) = &self.open else { return Vec::new() };
        let mut waiting = open.backlog_before;
        self.slices
            .iter()
            .map(|slice| {
                waiting = (waiting + slice.due).saturating_sub(slice.operations);
                waiting
            })
            .collect()
    }

    /// Of an open loop: how many more operations were waiting in the last quarter of the window than in the first, by
    /// the medians of the slices; `None` with fewer than four slices.
    pub fn backlog_growth(&self) -> Option<f64> {
        let waiting: Vec<f64> =
            self.waiting_by_slice().into_iter().map(|count| count as f64).collect();
        let quarter = waiting.len() / 4;
        let first = narrows_stats::median(&waiting[..quarter])?;
        let last = narrows_stats::median(&waiting[waiting.len() - quarter..])?;
        Some(last - first)
    }
}
