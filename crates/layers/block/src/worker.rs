//! The loop that keeps requests in flight, on one thread, and counts what completes inside the window.
//!
//! Everything it needs is allocated before the window. Time is read once per reaped batch; at depth up to 4, where
//! one batch is mostly one completion, once more before each submission, so that the generator's own time
//! between two requests is not taken for the device's.
//!
//! A completion counts when it was *seen* inside the window; what was reaped after its end does not, though the
//! device may have ended it just before. With d requests in flight that moves at most d operations at each
//! border, and both borders the same way.

use std::fs::File;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use narrows_engine::{Gate, Stop, Stopped, Window, now_ns};
use narrows_facts::{affinity, process};
use narrows_io::{Access, Arena, Completion, DevicePath, Op, Tag, TestFile};
use narrows_stats::Recorder;

use crate::BlockError;
use crate::offsets::Offsets;

/// Length of one slice of the throughput series, ns.
pub(crate) const SLICE_NS: u64 = 100_000_000;
/// Up to this depth every submission gets its own time stamp.
const STAMP_EACH: u32 = 4;
/// Of that many completed reads one has its contents looked at.
const LOOK_AT: u64 = 64;
/// After so many failures a worker gives up.
pub(crate) const FAILURES: u64 = 100;
/// Payload that lies between two uses of a write buffer, all threads together, bytes.
const POOL_BYTES: u64 = 64 << 20;
/// Of a limited number of operations, this part may go into the warm-up.
const WARM_UP_PART: u64 = 8;
const IDLE: Duration = Duration::from_micros(200);

/// What one thread does.
pub(crate) struct Job<'a> {
    pub file: &'a TestFile,
    pub target: Arc<File>,
    pub access: &'a Access,
    pub op: Op,
    pub block_bytes: u32,
    pub depth: u32,
    pub threads: u32,
    pub offsets: Offsets,
    /// Operations after which the window closes early: distinct blocks are used up, or the volume to write.
    pub most: Option<u64>,
    pub cpus: &'a [u32],
    pub slices: usize,
}

/// What the threads of one window share.
pub(crate) struct Shared<'a> {
    pub gate: Gate,
    pub stop: &'a Stop,
    /// End of the window; only ever moved forward in time by those who must close early.
    end_ns: AtomicU64,
}

impl<'a> Shared<'a> {
    pub(crate) fn new(threads: u32, stop: &'a Stop) -> Self {
        Shared { gate: Gate::new(threads as usize), stop, end_ns: AtomicU64::new(u64::MAX) }
    }

    /// The window ends at `at_ns` for everybody, unless it ended before.
    pub(crate) fn close(&self, at_ns: u64) {
        self.end_ns.fetch_min(at_ns, Ordering::Relaxed);
    }

    /// End of the window.
    #[inline]
    pub(crate) fn end_ns(&self) -> u64 {
        self.end_ns.load(Ordering::Relaxed)
    }
}

/// What one thread counted, all inside the window except `issued`.
#[derive(Debug)]
pub(crate) struct Tally {
    pub operations: u64,
    pub bytes: u64,
    pub short: u64,
    pub failed: u64,
    pub first_failure: Option<(u64, io::Error)>,
    /// Reads whose contents were looked at; of these, zeros, and not what belongs there.
    pub looked_at: u64,
    pub zeros: u64,
    pub wrong: u64,
    pub latency: Recorder,
    pub slices: Vec<u64>,
    /// Processor time of this thread over the window, ns.
    pub cpu_ns: u64,
    /// Operations submitted since the start of the warm-up.
    pub issued: u64,
    /// Whether the kernel granted pinned buffers, where there is such a thing.
    pub registered_buffers: Option<bool>,
}

/// Slots that are not in flight: first in, first out, so that a pool's payloads repeat as late as possible.
struct Free {
    ring: Box<[u32]>,
    head: usize,
    count: usize,
}

impl Free {
    fn new(slots: u32) -> Self {
        Free { ring: (0..slots).collect(), head: 0, count: slots as usize }
    }

    #[inline]
    fn take(&mut self) -> u32 {
        debug_assert!(self.count > 0, "there are at least as many slots as requests in flight");
        let slot = self.ring[self.head];
        self.head = if self.head + 1 == self.ring.len() { 0 } else { self.head + 1 };
        self.count -= 1;
        slot
    }

    #[inline]
    fn give(&mut self, slot: u32) {
        let mut at = self.head + self.count;
        if at >= self.ring.len() {
            at -= self.ring.len();
        }
        self.ring[at] = slot;
        self.count += 1;
    }
}

/// Prepares, waits for the others, runs.
pub(crate) fn work(job: Job<'_>, shared: &Shared<'_>) -> Result<Tally, BlockError> {
    let prepared = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| prepare(&job)));
    let mut path = match prepared {
        Ok(Ok(path)) => path,
        Ok(Err(error)) => {
            shared.gate.fail();
            return Err(error);
        }
        Err(panic) => {
            shared.gate.fail();
            std::panic::resume_unwind(panic);
        }
    };
    // A sibling that failed reports its own error.
    let Ok(window) = shared.gate.ready() else { return Err(Stopped.into()) };
    let result = run(job, &mut *path, window, shared);
    if result.is_err() {
        shared.close(0);
    }
    result
}

fn prepare(job: &Job<'_>) -> Result<Box<dyn DevicePath>, BlockError> {
    if !job.cpus.is_empty() {
        affinity::pin(job.cpus).map_err(|source| BlockError::Thread {
            action: format!("bind a thread to CPUs {:?}", job.cpus),
            source,
            hint: "name CPUs of this process's own set (taskset -p $$)",
        })?;
    }
    let slots = match job.op {
        Op::Read | Op::Trim | Op::Sync => job.depth,
        Op::Write => {
            let pool = POOL_BYTES / u64::from(job.threads) / u64::from(job.block_bytes);
            (pool as u32).max(2 * job.depth)
        }
    };
    let arena =
        Arena::new(slots, job.block_bytes, job.file.memory_alignment()).map_err(|source| {
            narrows_io::Error::system("allocate buffers for", job.file.path(), source)
        })?;
    let mut path = job.access.open(Arc::clone(&job.target), job.file.path(), arena, job.depth)?;
    if let (Op::Write, Some(pattern)) = (job.op, job.file.pattern()) {
        let generation = job.file.next_generation();
        for slot in 0..slots {
            let place = u64::from(slot) * u64::from(job.block_bytes);
            pattern.fill(path.buffer(slot), place, generation);
        }
    }
    Ok(path)
}

fn run(
    mut job: Job<'_>,
    path: &mut dyn DevicePath,
    window: Window,
    shared: &Shared<'_>,
) -> Result<Tally, BlockError> {
    shared.close(window.end_ns);
    let depth = job.depth;
    let batch = batch(depth);
    let stamp_each = depth <= STAMP_EACH;
    let pattern = job.file.pattern();
    let mut generation = job.file.next_generation();
    let slots = path.slots();
    let mut free = Free::new(slots);
    let mut flight = vec![(0u64, 0u64); slots as usize];
    let mut out: Vec<Completion> = Vec::with_capacity(2 * depth as usize + 2);
    let mut tally = Tally {
        operations: 0,
        bytes: 0,
        short: 0,
        failed: 0,
        first_failure: None,
        looked_at: 0,
        zeros: 0,
        wrong: 0,
        latency: Recorder::new(),
        slices: vec![0; job.slices],
        cpu_ns: 0,
        issued: 0,
        registered_buffers: path.registered_buffers(),
    };
    let most = job.most.unwrap_or(u64::MAX);
    let mut may_issue = if job.most.is_some() { most / WARM_UP_PART } else { most };
    let mut in_flight = 0;
    let mut began_cpu_ns = None;
    let mut now = now_ns();
    loop {
        while in_flight < depth && tally.issued < may_issue {
            let slot = free.take();
            let offset = job.offsets.next();
            if job.op == Op::Write
                && let Some(pattern) = pattern
            {
                generation += 1;
                pattern.stamp(path.buffer(slot), offset, generation);
            }
            flight[slot as usize] = (offset, if stamp_each { now_ns() } else { now });
            path.submit(job.op, slot, offset, job.block_bytes);
            tally.issued += 1;
            in_flight += 1;
        }
        if in_flight < depth && began_cpu_ns.is_some() {
            // The depth can't be held any more, so the figures end here for everybody.
            shared.close(now);
        }
        out.clear();
        if in_flight > 0 {
            path.reap(batch.min(in_flight), &mut out)?;
        } else {
            std::thread::sleep(IDLE);
        }
        now = now_ns();
        if now >= shared.end_ns() {
            break;
        }
        if shared.stop.is_set() {
            return Err(Stopped.into());
        }
        if began_cpu_ns.is_none() && now >= window.start_ns {
            began_cpu_ns = Some(process::thread_cpu_ns());
            may_issue = most;
        }
        let counts = began_cpu_ns.is_some();
        let mut done = 0;
        for completion in &out {
            let slot = completion.slot;
            let (offset, submitted_ns) = flight[slot as usize];
            if counts {
                match completion.bytes() {
                    Ok(bytes) => {
                        done += 1;
                        tally.bytes += u64::from(bytes);
                        tally.short += u64::from(bytes < job.block_bytes);
                        tally.latency.record(now - submitted_ns);
                    }
                    Err(error) => {
                        tally.failed += 1;
                        tally.first_failure.get_or_insert((offset, error));
                    }
                }
                if job.op == Op::Read && (tally.operations + done).is_multiple_of(LOOK_AT) {
                    look(&mut tally, path.buffer(slot), pattern, offset);
                }
            } else if let Err(error) = completion.bytes() {
                tally.failed += 1;
                tally.first_failure.get_or_insert((offset, error));
            }
            free.give(slot);
        }
        in_flight -= out.len() as u32;
        tally.operations += done;
        if counts
            && let Some(slice) = tally.slices.get_mut(((now - window.start_ns) / SLICE_NS) as usize)
        {
            *slice += done;
        }
        if tally.failed >= FAILURES {
            shared.close(0);
            break;
        }
    }
    if let Some(began) = began_cpu_ns {
        tally.cpu_ns = process::thread_cpu_ns() - began;
    }
    Ok(tally)
}

/// Completions to wait for at once: one while requests are few, then a small part of the depth, because a wake-up
/// per completion costs more than the wait for the second adds.
pub(crate) fn batch(depth: u32) -> u32 {
    (depth / 8).max(1)
}

fn look(tally: &mut Tally, buffer: &[u8], pattern: Option<narrows_io::Pattern>, offset: u64) {
    tally.looked_at += 1;
    let known = pattern.is_some();
    match pattern.unwrap_or(narrows_io::Pattern::new(0)).tag(buffer, offset) {
        Tag::Ours { .. } => {}
        Tag::Zeros => tally.zeros += 1,
        Tag::Displaced { .. } | Tag::Foreign => tally.wrong += u64::from(known),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_come_back_in_the_order_they_were_given() {
        let mut free = Free::new(3);
        let first: Vec<u32> = (0..3).map(|_| free.take()).collect();
        assert_eq!(first, [0, 1, 2]);
        for slot in [2, 0, 1] {
            free.give(slot);
        }
        assert_eq!([free.take(), free.take()], [2, 0]);
        free.give(0);
        assert_eq!([free.take(), free.take()], [1, 0]);
    }
}
