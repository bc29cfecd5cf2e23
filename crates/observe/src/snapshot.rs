//! All counters at one moment.

use std::collections::BTreeMap;
use std::time::Instant;

use narrows_facts::io_limits::IoLimits;
use narrows_units::Nanos;

use crate::counters::MovedPages;
use crate::cpu::CpuTimes;
use crate::drive::DriveCounts;
use crate::group_account::GroupTimes;
use crate::network::NetworkCounts;

/// All counters at one moment.
#[derive(Debug, Clone)]
pub struct Snapshot {
    pub(crate) at: Instant,
    pub(crate) drives: Option<Vec<DriveCounts>>,
    pub(crate) cpus: BTreeMap<u32, CpuTimes>,
    pub(crate) fine_ns: BTreeMap<u32, u64>,
    pub(crate) self_ns: u64,
    /// Time of processes of ours: children that were waited for, and the trees that were named, with what those
    /// have waited for. A process that ends between two snapshots moves from one part to another of this sum.
    pub(crate) ours_ns: u64,
    /// Time of the kernel's own threads, where they were asked for.
    pub(crate) kernel_ns: Option<u64>,
    /// What all tasks ran, by their control groups; absent where these don't say it of the whole machine.
    pub(crate) groups: Option<GroupTimes>,
    pub(crate) cpu_pressure_us: Option<u64>,
    pub(crate) io_pressure_us: Option<u64>,
    pub(crate) throttled: Option<u64>,
    /// Periods and throttled periods of each group with a quota.
    pub(crate) periods: Vec<(u64, u64)>,
    /// How long each of these groups was kept off its CPUs, ns of CPU time; those whose kernel doesn't say are `None`.
    pub(crate) stopped_ns: Vec<Option<u64>>,
    pub(crate) io_limits: Option<IoLimits>,
    /// Whether these limits are about all of the drives' traffic.
    pub(crate) one_drive: bool,
    pub(crate) moved_pages: Option<MovedPages>,
    /// Times processors slowed themselves down.
    pub(crate) heat_stops: Option<u64>,
    /// Of the network under the drives; absent where they are here.
    pub(crate) network: Option<NetworkCounts>,
    /// How often own connections were made again, and how long they were lost, ns.
    pub(crate) connections: Option<(u64, u64)>,
    /// Times that this process was continued after a stop; absent where nobody counts them.
    pub(crate) continued: Option<u64>,
    /// How long its control group was frozen, µs.
    pub(crate) frozen_us: Option<u64>,
    pub(crate) tick_ns: u64,
}

impl Snapshot {
    /// How long ago it was taken: the drives' counters were read before that.
    pub fn age(&self) -> Nanos {
        Nanos::from(self.at.elapsed())
    }
}
