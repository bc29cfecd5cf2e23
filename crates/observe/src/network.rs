//! The network under drives: connections that were made again, TCP segments that were sent again, packets that ports dropped.
//!
//! Watched only where a path leads over a network. A connection to an NVMe target that was lost and made again shows in the
//! controller's CNTLID where the target gives the new association another number (narrows-target does; Linux's gives the lowest that
//! is free, so mostly the same), and while it is lost in the controller's state. The kernel counts it nowhere. Segments and ports are counted
//! for all traffic of the machine, so that they tell that packets were lost, and not whose.

use narrows_model::{Platform, RolePath};

use crate::counters::Counters;

/// Of a port's `statistics`. Not `rx_dropped`: packets of protocols that nobody here speaks are in it.
const DROPS: [&str; 4] = ["rx_missed_errors", "rx_errors", "tx_dropped", "tx_errors"];

/// Open counters; none where no path leads over a network.
#[derive(Debug, Default)]
pub(crate) struct NetworkWatch {
    /// CNTLID and state of each controller.
    associations: Vec<[Option<Counters>; 2]>,
    tcp: Option<Counters>,
    ports: Vec<Counters>,
    watches: bool,
}

/// The counters at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct NetworkCounts {
    /// CNTLID of each controller over a network; none while it is not connected.
    associations: Vec<Option<u32>>,
    resent: Option<u64>,
    dropped: Option<u64>,
}

/// What happened between two moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NetworkSeen {
    /// Controllers whose connection was made again; absent without such a controller.
    pub reconnects: Option<u64>,
    /// TCP segments that this machine sent again.
    pub resent: Option<u64>,
    /// Packets that ports which are up dropped, or received damaged.
    pub dropped: Option<u64>,
}

impl NetworkWatch {
    pub(crate) fn open(platform: &Platform, open: impl Fn(&str) -> Option<Counters>) -> Self {
        if !platform.roles.iter().any(over_network) {
            return NetworkWatch::default();
        }
        let devices = &platform.devices;
        let controllers = devices.nvme_controllers.iter().filter(|c| c.fabric.is_some());
        let ports = devices.network.iter().filter(|port| port.state.as_deref() == Some("up"));
        let counters = ports.flat_map(|port| {
            DROPS.map(|name| format!("/sys/class/net/{}/statistics/{name}", port.name))
        });
        NetworkWatch {
            associations: controllers
                .map(|c| {
                    ["cntlid", "state"]
                        .map(|file| open(&format!("/sys/class/nvme/{}/{file}", c.name)))
                })
                .filter(|files| files.iter().all(Option::is_some))
                .collect(),
            tcp: open("/proc/net/snmp"),
            ports: counters.filter_map(|path| open(&path)).collect(),
            watches: true,
        }
    }

    /// `None` where no path leads over a network.
    pub(crate) fn counts(&self) -> Option<NetworkCounts> {
        if !self.watches {
            return None;
        }
        let number = |counters: &Counters| counters.text()?.trim().parse::<u64>().ok();
        let dropped = self.ports.iter().map(number).collect::<Option<Vec<u64>>>();
        Some(NetworkCounts {
            associations: self
                .associations
                .iter()
                .map(|[number, state]| {
                    let text = |counters: &Option<Counters>| counters.as_ref()?.text();
                    let live = text(state)?.trim() == "live";
                    text(number)?.trim().parse().ok().filter(|_| live)
                })
                .collect(),
            resent: self.tcp.as_ref().and_then(Counters::text).and_then(|text| resent(&text)),
            dropped: dropped.filter(|all| !all.is_empty()).map(|all| all.iter().sum()),
        })
    }
}

/// Whether a path's drives or files are elsewhere.
fn over_network(path: &RolePath) -> bool {
    let far = |transport: &str| {
        transport.starts_with("network")
            || ["nvme (tcp)", "nvme (rdma)", "iscsi"].contains(&transport)
    };
    path.file_system.network
        || path.devices.iter().any(|device| device.transport.as_deref().is_some_and(far))
}

/// `RetransSegs` of the two lines `Tcp:` of `/proc/net/snmp`, by the names in the first.
fn resent(text: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("Tcp:"));
    let (names, values) = (lines.next()?, lines.next()?);
    let at = names.split_whitespace().position(|name| name == "RetransSegs")?;
    values.split_whitespace().nth(at)?.parse().ok()
}

/// Between two moments; a count that fell was begun anew, and tells nothing.
pub(crate) fn between(before: &NetworkCounts, after: &NetworkCounts) -> NetworkSeen {
    let since = |before: Option<u64>, after: Option<u64>| after?.checked_sub(before?);
    let pairs = before.associations.iter().zip(&after.associations);
    let again = pairs.filter(|(before, after)| before != after).count() as u64;
    NetworkSeen {
        reconnects: (!after.associations.is_empty()).then_some(again),
        resent: since(before.resent, after.resent),
        dropped: since(before.dropped, after.dropped),
    }
}

#[cfg(test)]
mod tests {
    use narrows_model::{
        BlockDevice, DeviceKind, FileSystem, NetworkPort, NvmeController, NvmeFabric, Role,
    };

    use super::*;

    fn platform(transport: &str) -> Platform {
        let device = BlockDevice {
            name: "nvme1n1".into(),
            number: "259:1".into(),
            kind: DeviceKind::Disk,
            level: None,
            model: None,
            transport: Some(transport.into()),
            size_bytes: None,
            slaves: Vec::new(),
            queue: None,
            numa_node: None,
            pcie: Vec::new(),
        };
        let mut platform = Platform::default();
        platform.roles.push(RolePath {
            role: Role::Data,
            path: "/data".into(),
            file_system: FileSystem::default(),
            devices: vec![device],
        });
        let fabric = Some(NvmeFabric::default());
        let controller = |name: &str, fabric| NvmeController {
            name: name.into(),
            fabric,
            ..NvmeController::default()
        };
        platform.devices.nvme_controllers =
            vec![controller("nvme0", None), controller("nvme1", fabric)];
        let port = |name: &str, state: &str| NetworkPort {
            name: name.into(),
            state: Some(state.into()),
            ..NetworkPort::default()
        };
        platform.devices.network = vec![port("eth0", "up"), port("eth1", "down")];
        platform
    }

    #[test]
    fn only_a_path_over_a_network_is_watched_and_of_it_what_can_be_in_the_way() {
        let asked = std::cell::RefCell::new(Vec::new());
        let open = |path: &str| {
            asked.borrow_mut().push(path.to_string());
            None
        };
        assert_eq!(NetworkWatch::open(&platform("nvme (pcie)"), open).counts(), None);
        assert!(asked.borrow().is_empty());
        let watch = NetworkWatch::open(&platform("nvme (tcp)"), open);
        assert_eq!(watch.counts(), Some(NetworkCounts::default()));
        let mut files =
            ["/sys/class/nvme/nvme1/cntlid", "/sys/class/nvme/nvme1/state", "/proc/net/snmp"]
                .map(str::to_string)
                .to_vec();
        files.extend(DROPS.map(|name| format!("/sys/class/net/eth0/statistics/{name}")));
        assert_eq!(*asked.borrow(), files);
    }

    #[test]
    fn segments_are_found_by_their_name() {
        let text = "Ip: A B\nIp: 1 2\nTcp: RtoAlgorithm OutSegs RetransSegs InErrs\nTcp: 1 900 7 0\nUdp: X\nUdp: 3\n";
        assert_eq!(resent(text), Some(7));
        assert_eq!(resent("Tcp: OutSegs\nTcp: 5\n"), None);
        assert_eq!(resent(""), None);
    }

    #[test]
    fn another_association_is_a_reconnect_and_counts_that_fell_are_unknown() {
        let counts = |ids: &[Option<u32>], resent, dropped| NetworkCounts {
            associations: ids.to_vec(),
            resent,
            dropped,
        };
        let before = counts(&[Some(1), Some(2), Some(3)], Some(5), Some(9));
        let after = counts(&[Some(1), Some(4), None], Some(8), Some(3));
        let seen = NetworkSeen { reconnects: Some(2), resent: Some(3), dropped: None };
        assert_eq!(between(&before, &after), seen);
        assert_eq!(
            between(&NetworkCounts::default(), &NetworkCounts::default()),
            NetworkSeen::default()
        );
    }
}
