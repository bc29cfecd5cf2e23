//! What two snapshots say about the time between them.

use narrows_model::{LoadedLink, Metric, metric};
use narrows_units::Nanos;

use crate::cpu;
use crate::drive::{self, DriveSeen};
use crate::io_limits;
use crate::network::{self, NetworkSeen};
use crate::snapshot::Snapshot;

/// What happened in a window.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HostWindow {
    /// Its length.
    pub window: Nanos,
    /// What the named drives did together; absent if none was named or one of them has no counters.
    pub drives: Option<DriveSeen>,
    /// Requests that the hardware queues of the named drives hold together; absent where one of them has no such queues.
    pub tags: Option<u64>,
    /// Share of the processors' time that the hypervisor gave to others; absent where it is not counted.
    pub steal: Option<f64>,
    /// Processors in use on average, interrupts included. 0 if `per_cpu` is empty, which means unknown.
    pub cpus_busy: f64,
    /// Processors this process used, all threads, user and kernel.
    pub self_cpus: f64,
    /// Processors that threads of the kernel used, whoever made them work; they are not others. Absent where they were not asked for.
    pub kernel_cpus: Option<f64>,
    /// Processors that tasks of others used, never negative. Interrupts belong to nobody: on a machine under test
    /// they are mostly the test's own I/O. By the control groups where these show the whole machine, otherwise by the time that CPUs were
    /// not idle. 0 if `per_cpu` is empty, which means unknown.
    pub other_cpus: f64,
    /// Share of the window in which some task on the machine waited for a processor.
    pub cpu_pressure: Option<f64>,
    /// Share of the window in which some task on the machine waited for I/O.
    pub io_pressure: Option<f64>,
    /// Times the own control group, or one above it, was stopped by its quota.
    pub throttled: Option<u64>,
    /// Of the quota's periods, the share in which it stopped the own control group or one above it; the worst of them.
    /// Absent where no quota's period passed.
    pub throttled_share: Option<f64>,
    /// CPUs, on average over the window, that had work of the own control group (or of one above it) and were kept from it by the quota;
    /// the worst of them. Absent where the kernel counts no such time.
    pub quota_stopped_cpus: Option<f64>,
    /// Times that this process was stopped and continued (SIGCONT); absent where nobody counts them.
    pub continued: Option<u64>,
    /// Share of the window in which its control group was frozen; absent where the kernel doesn't count that.
    pub frozen: Option<f64>,
    /// Share of the window that is in no counter of a processor (tasks, interrupts, idle, steal), the largest: it did not run, as in a
    /// guest that was paused. Absent where it is less than the counters' own steps, in windows shorter than twenty of these.
    pub cpu_time_missing: Option<f64>,
    /// Whether the control group's I/O limits on the drives were others after the window than before; absent where such
    /// limits can't be read.
    pub io_limit_changed: Option<bool>,
    /// What the drives did over the nearest of these limits; absent without one, where it changed, and where it is
    /// about a part of the drives.
    pub io_limit_share: Option<f64>,
    /// Pages that went to swap or came from it, the whole machine's.
    pub swapped_pages: Option<u64>,
    /// Pages that automatic NUMA balancing moved to another node, the whole machine's; absent where the kernel has none.
    pub balanced_pages: Option<u64>,
    /// Times processors slowed themselves down because they were hot; absent where that isn't counted.
    pub heat_stops: Option<u64>,
    /// Temperature of the hottest drive at the end over the limit from which on it warns; absent without such a sensor.
    pub drive_heat: Option<f64>,
    /// The drives' PCIe links at the end that are, or were before the run, below what both their ends could do.
    pub links: Vec<LoadedLink>,
    /// What the network under the drives did; absent where they are here.
    pub network: Option<NetworkSeen>,
    /// How often own connections to storage were made again, and how long they were lost, ns; absent without such.
    pub connections: Option<(u64, u64)>,
    /// The longest that one of the operations took that stood still while these were lost, ns; absent without such connections.
    pub longest_stall_ns: Option<u64>,
    /// Each processor that was on-line at both ends.
    pub per_cpu: Vec<CpuSeen>,
}

/// One processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuSeen {
    /// Its number.
    pub id: u32,
    /// Time in tasks and interrupts, ns.
    pub busy_ns: u64,
    /// Time the hypervisor gave to others, ns; 0 also where that is not counted, see [`HostWindow::steal`].
    pub steal_ns: u64,
}

impl HostWindow {
    /// As metrics, under the names of [`narrows_model::metric`]. What is unknown is left out. The window's own
    /// length is not among them: the layer knows it better.
    pub fn metrics(&self) -> Vec<(Metric, f64)> {
        let mut metrics = Vec::new();
        let mut add = |metric, value: Option<f64>| {
            metrics.extend(value.map(|value: f64| (metric, value)));
        };
        let drives = self.drives.as_ref();
        let drive = |get: fn(&DriveSeen) -> u64| drives.map(|drives| get(drives) as f64);
        let flushes = drives.and_then(|drives| drives.flushes).map(|count| count as f64);
        let described = [
            (metric::DEVICE_READ_BYTES, drive(|drives| drives.read_bytes)),
            (metric::DEVICE_WRITE_BYTES, drive(|drives| drives.write_bytes)),
            (metric::DEVICE_READS, drive(|drives| drives.reads)),
            (metric::DEVICE_WRITES, drive(|drives| drives.writes)),
            (metric::DEVICE_FLUSHES, flushes),
            (
                metric::DEVICE_FLUSHES_LEAST,
                drives.and_then(|drives| drives.least_flushes).map(|count| count as f64),
            ),
            (metric::DEVICE_IN_FLIGHT, drives.map(|drives| drives.in_flight)),
            (metric::DEVICE_TAGS, drives.and(self.tags).map(|tags| tags as f64)),
            (metric::DEVICE_MERGES, drive(|drives| drives.merges)),
            (metric::DEVICE_BUSY, drives.map(|drives| drives.busy)),
        ];
        for (metric, value) in described {
            add(metric, value);
        }
        let others = (!self.per_cpu.is_empty()).then_some(self.other_cpus);
        let disturbances = [
            (metric::STEAL, self.steal),
            (metric::OTHER_CPUS, others),
            (metric::KERNEL_CPUS, self.kernel_cpus),
            (metric::CPU_PRESSURE, self.cpu_pressure),
            (metric::IO_PRESSURE, self.io_pressure),
            (metric::THROTTLED, self.throttled.map(|count| count as f64)),
            (metric::THROTTLED_SHARE, self.throttled_share),
            (metric::THROTTLED_CPUS, self.quota_stopped_cpus),
            (metric::SWAPPED_PAGES, self.swapped_pages.map(|count| count as f64)),
            (metric::BALANCED_PAGES, self.balanced_pages.map(|count| count as f64)),
            (metric::CONTINUED, self.continued.map(|count| count as f64)),
            (metric::FROZEN, self.frozen),
            (metric::HEAT_STOPS, self.heat_stops.map(|count| count as f64)),
            (metric::DRIVE_HEAT, self.drive_heat),
        ];
        for (metric, value) in disturbances {
            add(metric, value);
        }
        let changed = self.io_limit_changed.map(|changed| f64::from(u8::from(changed)));
        add(metric::IO_LIMIT_CHANGED, changed);
        add(metric::IO_LIMIT_SHARE, self.io_limit_share);
        let network = self.network.unwrap_or_default();
        for (metric, count) in [
            (metric::RECONNECTS, network.reconnects),
            (metric::RETRANSMITS, network.resent),
            (metric::PORT_DROPS, network.dropped),
        ] {
            add(metric, count.map(|count| count as f64));
        }
        if let Some((reconnects, disconnected_ns)) = self.connections {
            metrics.push((metric::RECONNECTS, reconnects as f64));
            metrics.push((metric::DISCONNECTED, disconnected_ns as f64));
        }
        metrics.extend(self.longest_stall_ns.map(|ns| (metric::LONGEST_STALL, ns as f64)));
        metrics
    }
}

/// A look that missed more of a window than this share did not see the drives at work in all of it.
const MISSED: f64 = 0.03;

/// Whether a look that began so late missed more of a window than its counts may miss.
pub fn begun_too_late(late: Nanos, window: Nanos) -> bool {
    late.0 as f64 > window.0 as f64 * MISSED
}

impl HostWindow {
    /// The same without the drives' counts, where the look began so late that it missed a part of the window that it was to cover. On a
    /// busy machine whoever looks wakes late, at the end as well, so that lengths alone don't tell: requests before the look are not in
    /// the counts, which then are no counts of the window.
    pub fn begun_late(self, late: Nanos, window: Nanos) -> HostWindow {
        let covered = !begun_too_late(late, window);
        HostWindow { drives: self.drives.filter(|_| covered), ..self }
    }
}

impl Snapshot {
    /// What happened between `earlier` and this one.
    pub fn since(&self, earlier: &Snapshot) -> HostWindow {
        between(earlier, self)
    }
}

fn between(before: &Snapshot, after: &Snapshot) -> HostWindow {
    let window = Nanos::from(after.at.saturating_duration_since(before.at));
    let seconds = window.as_secs_f64();
    let share = |ns: f64| if window.0 == 0 { 0.0 } else { ns / window.0 as f64 };

    let mut per_cpu = Vec::new();
    let mut missing_ns = None::<u64>;
    let (mut tasks_ns, mut steal_ns) = (0u64, None::<u64>);
    for (id, now) in &after.cpus {
        let Some(then) = before.cpus.get(id) else { continue };
        let fine = before.fine_ns.get(id).copied().zip(after.fine_ns.get(id).copied());
        let delta = cpu::delta((then, now), fine, window.0, after.tick_ns);
        tasks_ns += delta.tasks_ns;
        missing_ns = missing_ns.max(Some(delta.missing_ns));
        steal_ns = match (steal_ns, delta.steal_ns) {
            (sum, None) => sum,
            (sum, Some(steal)) => Some(sum.unwrap_or(0) + steal),
        };
        per_cpu.push(CpuSeen {
            id: *id,
            busy_ns: delta.tasks_ns + delta.interrupts_ns,
            steal_ns: delta.steal_ns.unwrap_or(0),
        });
    }
    let self_ns = after.self_ns.saturating_sub(before.self_ns);
    let ours_ns = after.ours_ns.saturating_sub(before.ours_ns);
    let kernel = before.kernel_ns.zip(after.kernel_ns);
    let kernel_ns = kernel.map(|(before, after)| after.saturating_sub(before));
    // What was not idle is the most that tasks can have run.
    let by_groups = before.groups.as_ref().zip(after.groups.as_ref());
    let by_groups = by_groups.and_then(|(then, now)| now.since(then, kernel_ns));
    let others_ns = tasks_ns
        .saturating_sub(kernel_ns.unwrap_or(0))
        .min(by_groups.unwrap_or(u64::MAX))
        .saturating_sub(self_ns + ours_ns);
    let busy_ns: u64 = per_cpu.iter().map(|cpu| cpu.busy_ns).sum();
    let pressure = |before: Option<u64>, after: Option<u64>| {
        let us = after?.checked_sub(before?)?;
        // Read a moment after the clock, so that a short window can get a little more than its own length.
        Some(share(us as f64 * 1000.0).min(1.0))
    };
    let drives = drive::between(before.drives.as_deref(), after.drives.as_deref(), seconds);
    let limits = before.io_limits.as_ref().zip(after.io_limits.as_ref());
    let io_limit_changed = limits.map(|(before, after)| before != after);
    let io_limit_share = drives
        .as_ref()
        .zip(after.io_limits.as_ref())
        .filter(|_| after.one_drive && io_limit_changed == Some(false))
        .and_then(|(drives, limits)| io_limits::share(limits, drives, seconds));
    let moved = before.moved_pages.zip(after.moved_pages);
    HostWindow {
        window,
        drives,
        tags: None,
        steal: steal_ns.map(|ns| share(ns as f64) / per_cpu.len() as f64),
        cpus_busy: share(busy_ns as f64),
        self_cpus: share(self_ns as f64),
        kernel_cpus: kernel_ns.map(|ns| share(ns as f64)),
        other_cpus: share(others_ns as f64),
        cpu_pressure: pressure(before.cpu_pressure_us, after.cpu_pressure_us),
        io_pressure: pressure(before.io_pressure_us, after.io_pressure_us),
        throttled: after.throttled.zip(before.throttled).map(|(a, b)| a.saturating_sub(b)),
        throttled_share: throttled_share(&before.periods, &after.periods),
        quota_stopped_cpus: stopped_ns(&before.stopped_ns, &after.stopped_ns)
            .map(|ns| share(ns as f64)),
        continued: after.continued.zip(before.continued).and_then(|(a, b)| a.checked_sub(b)),
        frozen: after
            .frozen_us
            .zip(before.frozen_us)
            .and_then(|(after, before)| after.checked_sub(before))
            .map(|us| share(us as f64 * 1000.0).min(1.0)),
        cpu_time_missing: missing_ns
            .filter(|_| window.0 >= STEPS * after.tick_ns)
            .map(|ns| share(ns as f64)),
        io_limit_changed,
        io_limit_share,
        swapped_pages: moved.and_then(|(before, after)| after.swapped.checked_sub(before.swapped)),
        balanced_pages: moved.and_then(|(b, a)| a.balanced?.checked_sub(b.balanced?)),
        heat_stops: after.heat_stops.zip(before.heat_stops).and_then(|(a, b)| a.checked_sub(b)),
        drive_heat: None,
        links: Vec::new(),
        network: before
            .network
            .as_ref()
            .zip(after.network.as_ref())
            .map(|(before, after)| network::between(before, after)),
        connections: before
            .connections
            .zip(after.connections)
            .map(|(before, after)| (after.0 - before.0, after.1.saturating_sub(before.1))),
        longest_stall_ns: None,
        per_cpu,
    }
}

/// Counters of processors go in steps of a tick, each of four or so: of fewer steps a share of these would be missing by chance.
const STEPS: u64 = 20;

fn stopped_ns(before: &[Option<u64>], after: &[Option<u64>]) -> Option<u64> {
    if before.len() != after.len() {
        return None;
    }
    let pairs = before.iter().zip(after);
    pairs.filter_map(|(before, after)| (*after)?.checked_sub((*before)?)).max()
}

fn throttled_share(before: &[(u64, u64)], after: &[(u64, u64)]) -> Option<f64> {
    // A group that appeared or vanished meanwhile would shift the pairs.
    if before.len() != after.len() {
        return None;
    }
    let shares = before.iter().zip(after).filter_map(|(before, after)| {
        let periods = after.0.checked_sub(before.0).filter(|periods| *periods > 0)?;
        Some(after.1.checked_sub(before.1)? as f64 / periods as f64)
    });
    shares.reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::{Duration, Instant};

    use super::*;
    use narrows_facts::io_limits::IoLimits;

    use crate::cpu::CpuTimes;
    use crate::drive::DriveCounts;
    use crate::group_account::GroupTimes;

    const MS: u64 = 1_000_000;

    fn snapshot(at: Instant) -> Snapshot {
        Snapshot {
            at,
            drives: None,
            cpus: BTreeMap::new(),
            fine_ns: BTreeMap::new(),
            self_ns: 0,
            ours_ns: 0,
            kernel_ns: None,
            groups: None,
            cpu_pressure_us: None,
            io_pressure_us: None,
            throttled: None,
            periods: Vec::new(),
            stopped_ns: Vec::new(),
            io_limits: None,
            one_drive: true,
            moved_pages: None,
            heat_stops: None,
            network: None,
            connections: None,
            continued: None,
            frozen_us: None,
            tick_ns: 10 * MS,
        }
    }

    /// So long after the start; what is not busy is idle.
    fn cpu(at_ms: u64, [tasks_ms, interrupts_ms, steal_ms]: [u64; 3]) -> CpuTimes {
        CpuTimes {
            tasks_ns: tasks_ms * MS,
            interrupts_ns: interrupts_ms * MS,
            idle_ns: (at_ms - tasks_ms - interrupts_ms - steal_ms) * MS,
            steal_ns: Some(steal_ms * MS),
        }
    }

    #[test]
    fn others_ran_no_more_than_their_control_groups_say() {
        let start = Instant::now();
        let (mut before, mut after) = (snapshot(start), snapshot(start + Duration::from_secs(1)));
        before.cpus = BTreeMap::from([(0, cpu(0, [0, 0, 0]))]);
        after.cpus = BTreeMap::from([(0, cpu(1000, [500, 0, 0]))]);
        (after.self_ns, before.kernel_ns, after.kernel_ns) = (200 * MS, Some(0), Some(100 * MS));
        let mut others = |groups_ms: Option<u64>| {
            before.groups = Some(GroupTimes::Whole(7));
            after.groups = groups_ms.map(|ms| GroupTimes::Whole(7 + ms * MS));
            after.since(&before).other_cpus
        };
        // 300 ms of ours and the kernel's threads; the rest of what was not idle is no task's.
        assert!((others(Some(320)) - 0.02).abs() < 1e-9);
        assert!((others(None) - 0.2).abs() < 1e-9);
        // Stolen time may look like work in them.
        assert!((others(Some(900)) - 0.2).abs() < 1e-9);
        // Read a moment apart, they can be less than the parts.
        assert_eq!(others(Some(250)), 0.0);
    }

    #[test]
    fn counts_that_miss_the_start_of_a_window_are_not_its_counts() {
        let drives = DriveSeen { read_bytes: 950, reads: 95, ..DriveSeen::default() };
        // However long the look went on.
        let seen =
            HostWindow { window: Nanos(2000), drives: Some(drives), ..HostWindow::default() };
        assert_eq!(seen.clone().begun_late(Nanos(50), Nanos(1000)).drives, None);
        assert_eq!(seen.clone().begun_late(Nanos(30), Nanos(1000)).drives.unwrap().reads, 95);
        assert_eq!(seen.begun_late(Nanos(0), Nanos(1)).drives.unwrap().reads, 95);
    }

    #[test]
    fn a_window_by_hand() {
        let start = Instant::now();
        let mut before = snapshot(start);
        before.cpus = BTreeMap::from([(0, cpu(100, [100, 0, 0])), (3, cpu(100, [50, 0, 0]))]);
        let mut after = snapshot(start + Duration::from_secs(2));
        after.cpus = BTreeMap::from([
            (0, cpu(2100, [1900, 100, 100])),
            (3, cpu(2100, [450, 0, 0])),
            (4, cpu(2100, [9, 9, 9])),
        ]);
        after.self_ns = 1200 * MS;
        after.ours_ns = 300 * MS;
        (before.kernel_ns, after.kernel_ns) = (Some(50 * MS), Some(150 * MS));
        (before.cpu_pressure_us, after.cpu_pressure_us) = (Some(1000), Some(501_000));
        (before.throttled, after.throttled) = (Some(3), Some(5));
        (before.periods, after.periods) = (vec![(10, 3), (0, 0)], vec![(15, 5), (0, 0)]);
        (before.stopped_ns, after.stopped_ns) =
            (vec![Some(7), None], vec![Some(7 + 500 * MS), None]);
        let seen = after.since(&before);
        // Tasks 1.8 s + 0.4 s, interrupts 0.1 s, in 2 s; 1.6 s of the tasks are ours, 0.1 s of these the kernel's threads'.
        assert!((seen.cpus_busy - 1.15).abs() < 1e-9);
        assert!((seen.self_cpus - 0.6).abs() < 1e-9);
        assert!((seen.other_cpus - 0.3).abs() < 1e-9);
        assert!((seen.kernel_cpus.unwrap() - 0.05).abs() < 1e-9);
        assert!((seen.steal.unwrap() - 0.025).abs() < 1e-9);
        assert!((seen.cpu_pressure.unwrap() - 0.25).abs() < 1e-9);
        assert_eq!((seen.io_pressure, seen.throttled), (None, Some(2)));
        assert_eq!(seen.throttled_share, Some(0.4));
        // Half a second of CPU time in two seconds; a group that says nothing takes no part.
        assert_eq!(seen.quota_stopped_cpus, Some(0.25));
        assert_eq!(seen.per_cpu.iter().map(|cpu| cpu.id).collect::<Vec<_>>(), [0, 3]);
        assert_eq!(seen.per_cpu[0].busy_ns, 1900 * MS);
        let names: Vec<Metric> = seen.metrics().iter().map(|metric| metric.0).collect();
        assert_eq!(
            names,
            [
                metric::STEAL,
                metric::OTHER_CPUS,
                metric::KERNEL_CPUS,
                metric::CPU_PRESSURE,
                metric::THROTTLED,
                metric::THROTTLED_SHARE,
                metric::THROTTLED_CPUS
            ]
        );
    }

    #[test]
    fn what_stops_a_program_is_told_by_a_counter_of_its_own() {
        let start = Instant::now();
        let mut before = snapshot(start);
        before.cpus = BTreeMap::from([(0, cpu(0, [0, 0, 0])), (1, cpu(0, [0, 0, 0]))]);
        let mut after = snapshot(start + Duration::from_secs(2));
        // Stopped by a signal: the processors idle, and account for all of their time.
        after.cpus = BTreeMap::from([(0, cpu(2000, [900, 0, 0])), (1, cpu(2000, [0, 0, 0]))]);
        (before.continued, after.continued) = (Some(4), Some(5));
        let stopped = after.since(&before);
        assert_eq!((stopped.continued, stopped.frozen), (Some(1), None));
        assert_eq!(stopped.cpu_time_missing, Some(0.0));
        // Frozen.
        (before.frozen_us, after.frozen_us) = (Some(7), Some(1_000_007));
        let frozen = after.since(&before);
        assert_eq!(frozen.frozen, Some(0.5));
        let told = frozen.metrics();
        assert!(told.contains(&(metric::CONTINUED, 1.0)) && told.contains(&(metric::FROZEN, 0.5)));
        // Paused with the guest while the clock went on: one processor was idle, the other one worked, and its time is nowhere.
        after.cpus = BTreeMap::from([(0, cpu(1200, [900, 0, 0])), (1, cpu(2000, [0, 0, 0]))]);
        let paused = after.since(&before);
        assert!((paused.cpu_time_missing.unwrap() - 0.4).abs() < 1e-9);
        // A window of few steps tells nothing.
        after.at = start + Duration::from_millis(190);
        assert_eq!(after.since(&before).cpu_time_missing, None);
    }

    #[test]
    fn a_limit_is_compared_before_and_after_and_with_what_the_drives_did() {
        let start = Instant::now();
        let limits =
            |riops| Some(IoLimits::from([((String::from("8:0"), String::from("riops")), riops)]));
        let counts = |reads| Some(vec![DriveCounts { reads, ..DriveCounts::default() }]);
        let mut before = snapshot(start);
        (before.io_limits, before.drives) = (limits(1000), counts(0));
        let mut after = snapshot(start + Duration::from_secs(2));
        (after.io_limits, after.drives) = (limits(1000), counts(1900));
        let seen = after.since(&before);
        assert_eq!((seen.io_limit_changed, seen.io_limit_share), (Some(false), Some(0.95)));
        after.io_limits = limits(500);
        let tightened = after.since(&before);
        assert_eq!((tightened.io_limit_changed, tightened.io_limit_share), (Some(true), None));
        after.io_limits = Some(IoLimits::new());
        let lifted = after.since(&before);
        assert_eq!((lifted.io_limit_changed, lifted.io_limit_share), (Some(true), None));
        after.io_limits = None;
        assert_eq!(after.since(&before).io_limit_changed, None);
    }

    #[test]
    fn others_are_never_negative_and_unknown_is_left_out() {
        let start = Instant::now();
        let mut before = snapshot(start);
        let mut after = snapshot(start + Duration::from_secs(1));
        after.self_ns = 500 * MS;
        let seen = after.since(&before);
        assert!(seen.metrics().is_empty() && seen.steal.is_none());
        before.cpus.insert(0, cpu(0, [0, 0, 0]));
        after.cpus.insert(0, cpu(1000, [490, 0, 0]));
        assert_eq!(after.since(&before).other_cpus, 0.0);
    }
}
