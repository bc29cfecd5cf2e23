//! One thread of a stream: prepares (allocate, open, register, bind), waits for the others, and runs the hot loop.

mod begin;
mod clock;
mod due;
mod foreign;
mod history;
mod hot;
mod jumps;
mod listed_walk;
mod offset_sequence;
mod operation_generator;
mod priority_choice;
mod sequential_walk;
mod shared;
mod slots;
mod tally;
pub(crate) mod unique;
mod verifying;
mod wake_up;
mod weighted_choice;
mod wrote;
mod zone_walk;

use std::fs::File;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::Duration;

use narrows_engine::Stopped;
use narrows_facts::{affinity, io_priority, memory_policy, process};
use narrows_io::{Arena, DevicePath, Method, Pattern};

use self::clock::{Clock, Monotonic};
use self::due::Due;
use self::hot::{Orders, Pace};
use self::operation_generator::OperationGenerator;
use self::priority_choice::PriorityChoice;
use self::tally::Expected;
use self::verifying::Verifying;
use crate::BlockError;
use crate::scenario::{BufferNodes, Serialize, Slots, Stream};

pub(crate) use self::due::{Queue, Source};
pub(crate) use self::foreign::Foreign;
pub(crate) use self::hot::FAILURES;
pub(crate) use self::shared::Shared;
pub(crate) use self::tally::Tally;

/// What one thread does.
pub(crate) struct Job<'a> {
    pub stream: &'a Stream,
    pub thread: u32,
    pub file: Arc<File>,
    /// Of the order of places; the same for all threads of the stream.
    pub order_seed: u64,
    /// Of everything else; this thread's own.
    pub seed: u64,
    /// Of an open loop.
    pub source: Option<Source<'a>>,
    /// Whether a stream of the scenario writes where this one works.
    pub written: bool,
    pub warm_up: Duration,
    pub slice_ns: u64,
    pub slices: usize,
}

/// Prepares, waits for the others, runs.
pub(crate) fn work(job: Job<'_>, shared: &Shared<'_>) -> Result<Tally, BlockError> {
    let prepared = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| prepare(&job)));
    let prepared = match prepared {
        Ok(Ok(prepared)) => prepared,
        Ok(Err(error)) => {
            shared.gate.fail();
            return Err(error);
        }
        Err(panic) => {
            shared.gate.fail();
            std::panic::resume_unwind(panic);
        }
    };
    let Prepared { mut path, chooser, payload, read_slots, write_slots } = prepared;
    // A sibling that failed reports its own error.
    let Ok(window) = shared.gate.ready() else { return Err(Stopped.into()) };
    let stream = job.stream;
    let Some((epoch_ns, window)) = begin::own_time(&job, window, shared)? else {
        // It ended before this one's turn came.
        return Ok(Tally::new(0, job.source.is_some()));
    };
    let limit = stream.limit.map(|limit| {
        let part = stream.share(limit.operations, job.thread).max(1);
        (part, limit.then)
    });
    let orders = Orders {
        chooser,
        depth: stream.depth_of(job.thread),
        read_slots,
        write_slots,
        sync_after: stream.sync_after,
        limit,
        ends_after: stream.ends_after,
        think: stream.think,
        payload,
        expected: Expected { pattern: stream.region.pattern(), written: job.written },
        over_ns: stream.over_ns,
        depth_search: stream.depth_search,
        judged: stream.judged.iter().map(|judged| judged.cell(job.thread)).collect(),
        // Where each operation is executed in the call, there is nothing besides it.
        time_submissions: stream.time_submissions && path.method() != Method::Blocking,
        slice_ns: job.slice_ns,
        slices: job.slices,
        verifying: stream.verify.as_ref().map(|verify| {
            let real = stream.access.method() != Method::Null;
            Verifying::new(verify, real, read_slots + write_slots)
        }),
        name: stream.region.name(),
        flow: stream.flow.clone(),
        priorities: stream.priorities.as_ref().map(|all| PriorityChoice::new(all, job.seed)),
        ranges: stream.serialize.as_ref().map(Serialize::ranges),
        pace: job.source.map_or(Pace::Closed, |source| Pace::Open(Due::new(source, epoch_ns))),
        epoch_ns,
        cpu_ns: process::thread_cpu_ns,
        run_delay_ns: process::thread_run_delay_ns,
    };
    let began_on = affinity::current_cpu();
    let mut result = hot::run(orders, &mut *path, window, shared, &Monotonic);
    if let Ok(tally) = &mut result {
        tally.wrote.carried = payload;
        tally.cpu = began_on.filter(|_| affinity::current_cpu() == began_on);
    }
    if let Some(flow) = &stream.flow {
        flow.leave();
    }
    stream.judged.iter().for_each(|judged| judged.leave(job.thread));
    if let Some(ended) = &stream.ended {
        ended.leave(Monotonic.now_ns());
    }
    if result.is_err() {
        shared.close(0);
    }
    result
}

struct Prepared {
    path: Box<dyn DevicePath>,
    chooser: OperationGenerator,
    payload: Option<(Pattern, u64)>,
    read_slots: u32,
    write_slots: u32,
}

fn prepare(job: &Job<'_>) -> Result<Prepared, BlockError> {
    let (stream, region) = (job.stream, &job.stream.region);
    if !stream.cpus.is_empty() {
        let cpus = stream.cpus_of(job.thread);
        affinity::pin(cpus).map_err(|source| BlockError::Thread {
            action: format!("bind a thread to CPUs {cpus:?}"),
            source,
            hint: "name CPUs of this process's own set (taskset -p $$)",
        })?;
    }
    if let Some(priority) = stream.io_priority {
        io_priority::set(priority).map_err(|source| BlockError::Thread {
            action: format!("give a thread the I/O priority {}", io_priority::words(priority)),
            source,
            hint: "the real-time class takes root (CAP_SYS_NICE); best effort is prioclass=2",
        })?;
    }
    if let Some(priorities) = &stream.priorities {
        may_give(&priorities.distinct())?;
    }
    if let Some(BufferNodes { mode, nodes }) = &stream.buffer_nodes {
        memory_policy::set(*mode, nodes).map_err(|source| BlockError::Thread {
            action: format!("put a thread's memory on nodes {nodes:?} ({})", mode.word()),
            source,
            hint: "name nodes of this process's own set (numactl --show); a container's filter may refuse it",
        })?;
    }
    let waits = stream.think.is_some() || stream.flow.is_some() || stream.serialize.is_some();
    if job.source.is_some() || waits {
        wake_on_time();
    }
    let depth = stream.depth_of(job.thread);
    let Slots { read: read_slots, write: write_slots, bytes: slot_bytes } =
        stream.slots_of(job.thread);
    let slots = read_slots + write_slots;
    let alignment = region.target().memory_alignment();
    let arena = Arena::new(slots, slot_bytes, alignment).map_err(|source| {
        let wanted = Arena::mapped_bytes(slots, slot_bytes, alignment);
        narrows_io::Error::buffers(wanted, region.name(), source)
    })?;
    let file = Arc::clone(&job.file);
    let mut path = stream.access.open(file, region.name(), arena, depth)?;
    let payload = (write_slots > 0 && stream.verify.is_none()).then(|| {
        let pattern = region.pattern().unwrap_or(Pattern::new(job.order_seed));
        let generation = region.target().next_generation();
        for slot in read_slots..slots {
            let place = u64::from(slot) * u64::from(slot_bytes);
            pattern.fill(path.buffer(slot), place, generation);
        }
        (pattern, region.target().next_generation())
    });
    let chooser = OperationGenerator::new(stream, job.thread, job.order_seed, job.seed);
    Ok(Prepared { path, chooser, payload, read_slots, write_slots })
}

/// Asks the kernel whether single operations may have these priorities: it has the same rule for them as for threads, and its
/// refusal in the midst of a window would be an error of the operation. By a thread of its own, which takes them along.
fn may_give(priorities: &[u16]) -> Result<(), BlockError> {
    let one = |&priority: &u16| {
        io_priority::set(priority).map_err(|source| BlockError::Thread {
            action: format!("give operations the I/O priority {}", io_priority::words(priority)),
            source,
            hint: "the real-time class, which cmdprio_class is unless it is given, takes root (CAP_SYS_NICE); best effort is 2",
        })
    };
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| priorities.iter().try_for_each(one));
        asking.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Asks for wake-ups without slack (50 µs by default), for this thread alone.
fn wake_on_time() {
    process::wake_within_ns(NonZeroU64::MIN);
}
