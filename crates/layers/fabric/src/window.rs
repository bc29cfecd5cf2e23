//! One window: one operation in flight, over a queue of its own.

use std::sync::Arc;
use std::time::Instant;

use narrows_engine::{Context, Rng};
use narrows_facts::process::thread_cpu_ns;
use narrows_initiator::stamps::realtime_ns;
use narrows_initiator::{Association, NvmeTcpPath, PathOptions, TcpInfo, tcp_info};
use narrows_io::{Arena, Completion, DevicePath};

use crate::FabricError;
use crate::operation::SplitOperation;
use crate::throughput::PATIENCE;
use crate::typical::{OperationTimes, TypicalTimes, typical};

/// Operations before the window: a new connection's first are slow.
const WARM_UP: u32 = 50;
/// The same at most, where the kernel has not begun to stamp.
const MOST_WARM_UP: u32 = 1000;
/// Operations of a window at least, also where they take longer than it.
pub(crate) const FEWEST: usize = 20;
/// Operations of a window at most: room for them is made before it.
pub(crate) const MOST: usize = 1 << 17;
const ALIGNMENT: usize = 4096;

/// How this host waits, and whether the kernel stamps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct HostMode {
    pub(crate) polled: bool,
    pub(crate) stamped: bool,
}

impl HostMode {
    pub(crate) const SLEEPING: HostMode = HostMode { polled: false, stamped: false };
    pub(crate) const SLEEPING_STAMPED: HostMode = HostMode { polled: false, stamped: true };
    pub(crate) const POLLING: HostMode = HostMode { polled: true, stamped: false };
    pub(crate) const POLLING_STAMPED: HostMode = HostMode { polled: true, stamped: true };
    pub(crate) const ALL: [HostMode; 4] = [
        HostMode::SLEEPING,
        HostMode::SLEEPING_STAMPED,
        HostMode::POLLING,
        HostMode::POLLING_STAMPED,
    ];
}

/// What a window gave.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OperationWindow {
    pub(crate) typical: TypicalTimes,
    /// Median, ns.
    pub(crate) median_ns: u64,
    /// 99th percentile, ns, where more than ten operations lie beyond it.
    pub(crate) p99_ns: Option<u64>,
    /// CPU time of this host's thread per operation, ns, kernel included.
    pub(crate) cpu_per_op_ns: f64,
    /// Of the reads that were looked at, those of zeros alone.
    pub(crate) zero_share: f64,
    /// What the kernel knows of the connection.
    pub(crate) tcp: TcpInfo,
}

/// A window of that operation at random places of the namespace's first `region_bytes`.
pub(crate) fn window(
    ctx: &Context<'_>,
    association: &Arc<Association>,
    operation: SplitOperation,
    mode: HostMode,
    region_bytes: u64,
    rng: &mut Rng,
) -> Result<OperationWindow, FabricError> {
    let arena = Arena::new(1, operation.bytes, ALIGNMENT)
        .map_err(|source| FabricError::System { action: "allocate memory for a queue", source })?;
    let options = PathOptions {
        polled: mode.polled,
        stamped: mode.stamped,
        // Durable when it is answered: what a commit waits for.
        force_unit_access: operation.writes,
    };
    let mut path = association.path(arena, options)?;
    rng.fill(path.buffer(0));
    let mut run = OperationRun {
        ctx,
        path: &mut path,
        operation,
        places: region_bytes / u64::from(operation.bytes),
        done: Vec::with_capacity(1),
    };
    for done in 0..MOST_WARM_UP {
        let stamped = run.one(rng)?.received_ns.is_some();
        if done >= WARM_UP && stamped == mode.stamped {
            break;
        }
    }
    // Room for all, so that none waits for memory.
    let mut times = Vec::with_capacity(MOST);
    let cpu_before = thread_cpu_ns();
    let begun = Instant::now();
    while (begun.elapsed() < ctx.window || times.len() < FEWEST) && times.len() < MOST {
        times.push(run.one(rng)?);
    }
    let cpu_ns = thread_cpu_ns() - cpu_before;
    let zero_share = run.zero_share(rng)?;
    let tcp = path.socket().and_then(tcp_info).unwrap_or_default();
    summary(times, cpu_ns, zero_share, tcp).ok_or_else(|| FabricError::Nothing {
        operation: operation.words(),
        seconds: ctx.window.as_secs_f64(),
    })
}

struct OperationRun<'a> {
    ctx: &'a Context<'a>,
    path: &'a mut NvmeTcpPath,
    operation: SplitOperation,
    /// Places of its size in the namespace.
    places: u64,
    done: Vec<Completion>,
}

impl OperationRun<'_> {
    /// Of some more reads at random places, behind the window, the share whose bytes are all zeros: blocks that were never written,
    /// or trimmed. Nothing of writes.
    fn zero_share(&mut self, rng: &mut Rng) -> Result<f64, FabricError> {
        const LOOKED_AT: u32 = 20;
        if self.operation.writes {
            return Ok(0.0);
        }
        let mut zeros = 0;
        for _ in 0..LOOKED_AT {
            self.one(rng)?;
            let bytes = &self.path.buffer(0)[..self.operation.bytes as usize];
            zeros += u32::from(bytes.iter().all(|byte| *byte == 0));
        }
        Ok(f64::from(zeros) / f64::from(LOOKED_AT))
    }

    fn one(&mut self, rng: &mut Rng) -> Result<OperationTimes, FabricError> {
        let bytes = self.operation.bytes;
        let offset = rng.below(self.places) * u64::from(bytes);
        // What came before belongs to no operation of now.
        self.path.take_stamps();
        let submitted = realtime_ns();
        self.path.submit(self.operation.op(), 0, offset, bytes);
        let patience = Instant::now();
        loop {
            self.ctx.stop.check()?;
            self.path.reap(1, &mut self.done)?;
            if !self.done.is_empty() {
                break;
            }
            if patience.elapsed() > PATIENCE {
                return Err(FabricError::Nothing {
                    operation: self.operation.words(),
                    seconds: PATIENCE.as_secs_f64(),
                });
            }
        }
        let ended = realtime_ns();
        for completion in self.done.drain(..) {
            completion.bytes().map_err(|source| FabricError::Operation {
                operation: self.operation.words(),
                source,
            })?;
        }
        let stamps = self.path.take_stamps();
        let after = |stamp: Option<u64>| stamp?.checked_sub(submitted);
        let service = self.path.service_time(0);
        Ok(OperationTimes {
            // The clock may be set back meanwhile; such an operation is the shortest of all and no part of the middle.
            whole_ns: ended.saturating_sub(submitted),
            sent_ns: after(stamps.sent_ns),
            received_ns: after(stamps.received_ns).filter(|ns| submitted + ns <= ended),
            target_ns: service.target_ns.into(),
            storage_ns: service.storage_ns.into(),
        })
    }
}

fn summary(
    times: Vec<OperationTimes>,
    cpu_ns: u64,
    zero_share: f64,
    tcp: TcpInfo,
) -> Option<OperationWindow> {
    /// Operations beyond a percentile.
    const BEYOND: usize = 10;
    let count = times.len();
    let mut wholes: Vec<u64> = times.iter().map(|operation| operation.whole_ns).collect();
    wholes.sort_unstable();
    Some(OperationWindow {
        typical: typical(times)?,
        median_ns: wholes[count / 2],
        p99_ns: (count / 100 >= BEYOND).then(|| wholes[count - 1 - count / 100]),
        cpu_per_op_ns: cpu_ns as f64 / count as f64,
        zero_share,
        tcp,
    })
}
