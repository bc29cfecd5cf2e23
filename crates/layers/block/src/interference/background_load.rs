//! What runs beside the reads: nothing, random writes, a durable log; each of them lightly and heavily.

use narrows_engine::Arrivals;
use narrows_io::{Access, Op};
use narrows_units::{Bytes, OpsPerSecond};

use super::plan::{InterferenceGround, InterferencePlan};
use crate::plan::MAX_BLOCKING_DEPTH;
use crate::scenario::{AccessPattern, Load, Mix, Stream};

/// Random writes in flight, in the closed loop; the cap of the open one is far above.
pub(super) const WRITE_DEPTH: u32 = 16;
/// Cap on random writes and on reads in flight in the open loops.
pub(super) const MOST_IN_FLIGHT: u32 = 1024;

/// The kind of work beside the reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    Nothing,
    Writes,
    Log,
}

/// One of the rows: a kind of work, and how much of what it reaches alone it is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BackgroundLoad {
    /// Part of ids.
    pub word: &'static str,
    pub work: Work,
    pub share: f64,
}

/// The rows.
pub(super) const BACKGROUND_LOADS: [BackgroundLoad; 5] = [
    BackgroundLoad { word: "alone", work: Work::Nothing, share: 0.0 },
    BackgroundLoad { word: "writes_light", work: Work::Writes, share: 0.25 },
    BackgroundLoad { word: "writes_heavy", work: Work::Writes, share: 0.75 },
    BackgroundLoad { word: "log_light", work: Work::Log, share: 0.25 },
    BackgroundLoad { word: "log_heavy", work: Work::Log, share: 0.75 },
];

impl BackgroundLoad {
    /// `random 8 KiB writes, 2.30k/s`; `nothing`.
    pub(super) fn words(self, block_bytes: u32, rate_per_s: f64) -> String {
        let (size, rate) = (Bytes(u64::from(block_bytes)).iec(), OpsPerSecond(rate_per_s));
        match self.work {
            Work::Nothing => "nothing".to_string(),
            Work::Writes => format!("random {size} writes, {rate}"),
            Work::Log => format!("a WAL-like stream of {size}, {rate}"),
        }
    }
}

/// The stream of that work; `None` for nothing.
pub(super) fn stream(
    work: Work,
    load: Load,
    plan: &InterferencePlan,
    ground: &InterferenceGround,
) -> Option<Stream> {
    let (region, place, sync_after) = match work {
        Work::Nothing => return None,
        Work::Writes => (&ground.writes, None, None),
        Work::Log => (&ground.log, Some(AccessPattern::Sequential), Some(1)),
    };
    let (access, depth) = (plan.access.clone(), load.in_flight());
    let reads = Stream::reads("beside", region.clone(), plan.block_bytes, depth, access);
    Some(Stream {
        mix: Mix::only(Op::Write),
        place: place.unwrap_or(reads.place.clone()),
        load,
        cpus: plan.cpus.clone(),
        sync_after,
        ..reads
    })
}

/// The same work, when it is due; a log is written by one, in order.
pub(super) fn open_load(work: Work, rate_per_s: f64, access: &Access) -> Load {
    // Blocking calls take a thread for each operation in flight.
    let blocking = access.depth_per_thread().is_some();
    let most = if blocking { MOST_IN_FLIGHT.min(MAX_BLOCKING_DEPTH) } else { MOST_IN_FLIGHT };
    let (arrivals, most_in_flight) = match work {
        Work::Log => (Arrivals::Constant, 1),
        Work::Nothing | Work::Writes => (Arrivals::Poisson, most),
    };
    Load::Open { rate_per_s, arrivals, most_in_flight }
}
