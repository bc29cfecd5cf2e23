//! What is watched, and one look at it.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use narrows_facts::{Live, cgroup, process};
use narrows_model::{DeviceKind, Platform};

use crate::counters::{Counters, parse_moved, parse_pressure};
use crate::cpu;
use crate::drive::{self, DriveCounters};
use crate::group_account::GroupAccount;
use crate::heat::HeatWatch;
use crate::host_window::HostWindow;
use crate::io_limits::LimitWatch;
use crate::kernel_threads::{KTHREADD, KernelThreads};
use crate::links::LinkWatch;
use crate::network::NetworkWatch;
use crate::snapshot::Snapshot;

/// Connections to storage that this program has made itself, and makes again when they are lost.
pub trait Connections: fmt::Debug + Send + Sync {
    /// How often they were made again so far, and how long they were lost, ns; a loss that lasts is part of it.
    fn lost(&self) -> (u64, u64);

    /// Of the operations that ended since then: the longest that one took which stood still while they were lost, ns; 0 without such.
    fn longest_stall_ns(&self, since: Instant) -> u64;
}

/// Open counter files. Making one costs some file opens; keep it over the repeats of a measurement.
#[derive(Debug, Default)]
pub struct Watch {
    /// One per drive; `None` if a drive was named and one of them has no counters: part of a sum is no sum.
    drives: Option<Vec<DriveCounters>>,
    /// Requests that their hardware queues hold together; `None` where one has none.
    tags: Option<u64>,
    stat: Option<Counters>,
    schedstat: Option<Counters>,
    cpu_pressure: Option<Counters>,
    io_pressure: Option<Counters>,
    throttling: Vec<Counters>,
    vmstat: Option<Counters>,
    frozen: Option<Counters>,
    io_limits: LimitWatch,
    heat: HeatWatch,
    links: LinkWatch,
    network: NetworkWatch,
    connections: Option<Arc<dyn Connections>>,
    pids: Vec<u32>,
    kernel: Option<KernelThreads>,
    groups: Option<GroupAccount>,
}

impl Watch {
    /// Watches the machine's processors, pressure and throttling, and the sum of `drives` (kernel names of the
    /// devices at the bottom of the stack; each counts once, even if named twice). Without drives, [`crate::HostWindow::drives`]
    /// is absent, and so it is where a loop device stands beside others: whatever it does may be done by one of them
    /// too, and the sum would count it twice.
    pub fn new(platform: &Platform, drives: &[String]) -> Self {
        Watch::in_groups_of("self", platform, drives)
    }

    /// The same with the control groups of another process, by its number: its throttling and its I/O limits.
    pub fn in_groups_of(process: &str, platform: &Platform, drives: &[String]) -> Self {
        let mut names: Vec<&String> = drives.iter().collect();
        names.sort_unstable();
        names.dedup();
        let counted = |name: &str| {
            // What discovery already knows to be switched off needs no second look.
            let known = platform
                .roles
                .iter()
                .flat_map(|role| &role.devices)
                .find(|device| device.name == name)
                .and_then(|device| device.queue.as_ref()?.iostats);
            known != Some(false)
        };
        let open = |name: &&String| counted(name).then(|| DriveCounters::open(name)).flatten();
        let io_limits = LimitWatch::open(process, platform, &names);
        let heat = HeatWatch::open(&Live, &names, Counters::open);
        let links = LinkWatch::open(platform, &names, Counters::open);
        let countable = !names.is_empty() && !counts_twice(platform, &names);
        let drives = if countable { names.iter().map(open).collect() } else { None };
        let throttling = cgroup::cpu_stat_files_of(&Live, process);
        let tags: Option<Vec<u64>> = names.iter().map(|name| drive::tags(name)).collect();
        Watch {
            drives,
            tags: tags.map(|tags| tags.iter().sum()).filter(|_| countable),
            stat: Counters::open("/proc/stat"),
            schedstat: Counters::open("/proc/schedstat"),
            cpu_pressure: Counters::open("/proc/pressure/cpu"),
            io_pressure: Counters::open("/proc/pressure/io"),
            throttling: throttling.iter().filter_map(|file| Counters::open(file)).collect(),
            vmstat: Counters::open("/proc/vmstat"),
            frozen: cgroup::frozen_file(&Live).and_then(|file| Counters::open(&file)),
            io_limits,
            heat,
            links,
            network: NetworkWatch::open(platform, Counters::open),
            connections: None,
            pids: Vec::new(),
            kernel: None,
            groups: GroupAccount::find(&Live),
        }
    }

    /// Watches the machine's processors and nothing else: what a probe of a few tenths of a second needs.
    pub fn cpus() -> Self {
        Watch {
            stat: Counters::open("/proc/stat"),
            schedstat: Counters::open("/proc/schedstat"),
            ..Watch::default()
        }
    }

    /// Watches nothing but time and this process's own processor time.
    pub fn none() -> Self {
        Watch::default()
    }

    /// Counts these processes and all that descend from them as ours, so that they are not others: a server that
    /// was started for the measurement. Children of this process that ended and were waited for always
    /// count as ours. The parent of the kernel's threads (2) stands for all of these: what they do is told apart
    /// ([`crate::HostWindow::kernel_cpus`]).
    #[must_use]
    pub fn with_pids(mut self, pids: Vec<u32>) -> Self {
        let is_kernel = |pid: &u32| *pid == KTHREADD;
        self.kernel = pids.iter().any(is_kernel).then(KernelThreads::default);
        self.pids = pids;
        self.pids.retain(|pid| !is_kernel(pid));
        self
    }

    /// Watches these connections, too.
    #[must_use]
    pub fn with_connections(mut self, connections: Arc<dyn Connections>) -> Self {
        self.connections = Some(connections);
        self
    }

    /// What happened since `before`. The drives' links and sensors are read only here, behind the counters: asking one may send
    /// its drive a command, which has no place in a window. Links come first, before they have had time to rest.
    pub fn since(&self, before: &Snapshot) -> HostWindow {
        let seen = self.snapshot().since(before);
        let links = self.links.read();
        let stalled = |connections: &Arc<dyn Connections>| connections.longest_stall_ns(before.at);
        HostWindow {
            drive_heat: self.heat.drives(),
            links,
            tags: self.tags,
            longest_stall_ns: self.connections.as_ref().map(stalled),
            ..seen
        }
    }

    /// Requests that the hardware queues of the drives hold together; absent where one of them has no such queues.
    pub fn tags(&self) -> Option<u64> {
        self.tags
    }

    /// Whether the I/O limits are others now than at `before`: a look that is cheap enough to be made again and again within a window, for a
    /// limit that is set and lifted between its two ends. Absent where there are no such limits to read.
    pub fn io_limits_changed(&self, before: &Snapshot) -> Option<bool> {
        Some(self.io_limits.read()? != *before.io_limits.as_ref()?)
    }

    /// Looks at all counters once.
    pub fn snapshot(&self) -> Snapshot {
        let text = |counters: &Option<Counters>| counters.as_ref().and_then(Counters::text);
        let tick_ns = process::tick_ns();
        let drives = self
            .drives
            .as_ref()
            .and_then(|drives| drives.iter().map(DriveCounters::read).collect::<Option<Vec<_>>>());
        let quotas = self.throttling.iter().filter_map(|file| {
            let text = file.text()?;
            let periods = (cgroup::parse_periods(&text)?, cgroup::parse_throttled(&text)?);
            Some((periods, cgroup::parse_throttled_ns(&text)))
        });
        let (periods, stopped_ns): (Vec<(u64, u64)>, Vec<Option<u64>>) = quotas.unzip();
        let throttled =
            periods.iter().map(|(_, throttled)| throttled).copied().reduce(|a, b| a + b);
        let trees = if self.pids.is_empty() { Vec::new() } else { process::trees(&self.pids) };
        let own = std::process::id();
        let of_trees: u64 = trees
            .iter()
            .filter(|&&pid| pid != own)
            .filter_map(|&pid| {
                Some(process::cpu_ns(pid)? + process::reaped_children_cpu_ns(pid).unwrap_or(0))
            })
            .sum();
        let kernel_ns = self.kernel.as_ref().map(KernelThreads::cpu_ns);
        // Those that are subtracted from each other are read next to each other.
        let groups = self.groups.as_ref().and_then(|account| account.read(&Live));
        let at = Instant::now();
        let stat = text(&self.stat).unwrap_or_default();
        let schedstat = text(&self.schedstat).unwrap_or_default();
        let self_ns = process::self_cpu_ns();
        Snapshot {
            at,
            drives,
            cpus: cpu::parse_stat(&stat, tick_ns),
            fine_ns: cpu::parse_schedstat(&schedstat),
            self_ns,
            kernel_ns,
            groups,
            ours_ns: process::self_reaped_children_cpu_ns() + of_trees,
            cpu_pressure_us: text(&self.cpu_pressure).and_then(|text| parse_pressure(&text)),
            io_pressure_us: text(&self.io_pressure).and_then(|text| parse_pressure(&text)),
            throttled,
            periods,
            stopped_ns,
            io_limits: self.io_limits.read(),
            one_drive: self.io_limits.one_drive(),
            moved_pages: text(&self.vmstat).and_then(|text| parse_moved(&text)),
            heat_stops: self.heat.stops(),
            network: self.network.counts(),
            connections: self.connections.as_ref().map(|connections| connections.lost()),
            continued: process::continued(),
            frozen_us: text(&self.frozen).and_then(|text| cgroup::parse_frozen_us(&text)),
            tick_ns,
        }
    }
}

/// Whether what one of these drives does could be the work of another: a loop device whose file could not be followed
/// to its drive stands among them.
fn counts_twice(platform: &Platform, names: &[&String]) -> bool {
    let mut devices = platform.roles.iter().flat_map(|role| &role.devices);
    names.len() > 1
        && devices.any(|device| device.kind == DeviceKind::Loop && names.contains(&&device.name))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Duration;

    use narrows_model::{BlockDevice, Role, RolePath, metric};

    use super::*;

    /// One outage, and when the operation that spanned it ended.
    #[derive(Debug, Default)]
    struct OneOutage(Mutex<Option<Instant>>);

    impl Connections for OneOutage {
        fn lost(&self) -> (u64, u64) {
            if self.0.lock().unwrap().is_some() { (1, 1_000_000_000) } else { (0, 0) }
        }

        fn longest_stall_ns(&self, since: Instant) -> u64 {
            let ended = *self.0.lock().unwrap();
            ended.filter(|ended| *ended >= since).map_or(0, |_| 1_200_000_000)
        }
    }

    #[test]
    fn an_outage_of_own_connections_is_of_the_window_in_which_it_ended() {
        let outage = Arc::new(OneOutage::default());
        let watch = Watch::none().with_connections(outage.clone());
        let window = |happens: bool| {
            let before = watch.snapshot();
            if happens {
                *outage.0.lock().unwrap() = Some(Instant::now());
            }
            std::thread::sleep(Duration::from_millis(1));
            let metrics = watch.since(&before).metrics();
            let of = |name| metrics.iter().find(|(metric, _)| *metric == name).map(|it| it.1);
            [metric::RECONNECTS, metric::DISCONNECTED, metric::LONGEST_STALL].map(of)
        };
        assert_eq!(window(false), [Some(0.0); 3]);
        assert_eq!(window(true), [Some(1.0), Some(1e9), Some(1.2e9)]);
        assert_eq!(window(false), [Some(0.0); 3]);
        let before = Watch::none().snapshot();
        let none = Watch::none().since(&before).metrics();
        assert!(none.iter().all(|(name, _)| *name != metric::LONGEST_STALL));
    }

    #[test]
    fn a_loop_device_is_counted_alone_or_not_at_all() {
        let device = |name: &str, kind| BlockDevice {
            name: name.to_string(),
            number: String::new(),
            kind,
            level: None,
            model: None,
            transport: None,
            size_bytes: None,
            slaves: Vec::new(),
            queue: None,
            numa_node: None,
            pcie: Vec::new(),
        };
        let devices = vec![device("loop0", DeviceKind::Loop), device("vda", DeviceKind::Disk)];
        let (path, file_system) = (String::new(), Default::default());
        let role = RolePath { role: Role::Data, path, file_system, devices };
        let platform = Platform { roles: vec![role], ..Platform::default() };
        let [one, disk, other] = ["loop0", "vda", "vdb"].map(str::to_string);
        assert!(counts_twice(&platform, &[&one, &disk]));
        assert!(!counts_twice(&platform, &[&one]));
        assert!(!counts_twice(&platform, &[&disk, &other]));
    }
}
