//! What a machine's structure says before anything is measured: links, slots, modules, queues, nodes.
//!
//! One file per part of the machine. Each gives the places that have a property, with their figures; what isn't known
//! has none.

pub(crate) mod bearing;
mod fabric;
pub(crate) mod links;
mod mitigations;
mod modules;
mod nodes;
mod queues;
mod stacked;

use narrows_model::{FindingPlace, Platform};

/// A property of a machine that costs speed, or that makes figures mean something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Structure {
    /// A PCIe link runs slower or narrower than both of its ends could.
    LinkBelowItsEnds,
    /// A device supports more than the slot it is in.
    SlotBelowDevice,
    /// What hangs on a link could together move more than the link carries.
    LinkOverbooked,
    /// A memory channel has no module.
    ChannelEmpty,
    /// Channels of one socket, or sockets, have different amounts of memory.
    ModulesUneven,
    /// A drive, or a port of a network, has fewer queues than there are processors.
    QueuesFew,
    /// One processor serves a device's interrupts, of which there were at least so many.
    OneCpuServes(u64),
    /// A drive under a role, or a port in use, is on a node of which this process may use no processor.
    FarFromCpus,
    /// The firmware's nodes can't be true.
    NodesLie,
    /// The frequency governor isn't `performance`.
    Governor,
    /// The clock source is one that every reading pays a system call for, and more.
    ClockSlow,
    /// The kernel guards against processors' faults in ways that cost time at each entry or switch.
    Mitigations,
    /// An array lacks members, or is being rebuilt.
    ArrayDegraded,
    /// A way to an NVMe or SCSI drive isn't usable.
    PathDown,
    /// A controller over a network has more than so many times the queues of each port that is up.
    QueuesOverPort(u32),
    /// After a lost connection a controller over a network waits at least so long, s, before it connects again.
    ReconnectsLate(u32),
    /// Of several controllers over a network that lead to a drive one is used.
    OnePathUsed,
    /// A controller is reached by RDMA, and no card does that.
    RdmaInSoftware,
}

impl Structure {
    /// The places that have it, each with its figures.
    pub(crate) fn show(self, platform: &Platform) -> Vec<FindingPlace> {
        match self {
            // In a virtual machine links are the hypervisor's description.
            Structure::LinkBelowItsEnds
            | Structure::SlotBelowDevice
            | Structure::LinkOverbooked
                if platform.hypervisor.is_some() =>
            {
                Vec::new()
            }
            Structure::LinkBelowItsEnds => links::below_its_ends(&platform.devices),
            Structure::SlotBelowDevice => links::slot_below_device(&platform.devices),
            Structure::LinkOverbooked => links::overbooked(&platform.devices),
            Structure::ChannelEmpty => modules::empty(platform),
            Structure::ModulesUneven => modules::uneven(platform),
            Structure::QueuesFew => queues::few(platform),
            Structure::OneCpuServes(least) => queues::one_cpu_serves(platform, least),
            Structure::FarFromCpus => nodes::far(platform),
            Structure::NodesLie => nodes::lies(platform),
            Structure::Governor => nodes::governor(platform),
            Structure::ClockSlow => nodes::clock(platform),
            Structure::Mitigations => mitigations::dear(platform),
            Structure::ArrayDegraded => stacked::degraded(&platform.devices),
            Structure::PathDown => stacked::paths_down(&platform.devices),
            Structure::QueuesOverPort(times) => fabric::queues_over_port(&platform.devices, times),
            Structure::ReconnectsLate(least_s) => {
                fabric::reconnects_late(&platform.devices, least_s)
            }
            Structure::OnePathUsed => fabric::one_path_used(&platform.devices),
            Structure::RdmaInSoftware => fabric::rdma_in_software(&platform.devices),
        }
    }

    /// As a condition.
    pub(crate) fn phrase(self) -> String {
        match self {
            Structure::LinkBelowItsEnds => {
                "a PCIe link runs slower or narrower than both of its ends support".to_string()
            }
            Structure::SlotBelowDevice => {
                "a device's own end of its PCIe link supports more than the port's".to_string()
            }
            Structure::LinkOverbooked => {
                "ports and NVMe drives behind a PCIe link could together move more than it carries".to_string()
            }
            Structure::ChannelEmpty => {
                "no slot of a memory channel has a module, by the slots' labels".to_string()
            }
            Structure::ModulesUneven => {
                "the filled channels of a socket, or the sockets, have different amounts of memory, by the slots' labels"
                    .to_string()
            }
            Structure::QueuesFew => format!(
                "an NVMe or virtio drive has fewer hardware queues than there are CPUs, or a network port of {} Gb/s or more, or a virtual one, has a single receive queue",
                queues::FAST_BITS_PER_S / 1_000_000_000
            ),
            Structure::OneCpuServes(least) => format!(
                "there are several CPUs, and one serves all of the {least} or more interrupts of a drive's or a \
                 network's device"
            ),
            Structure::FarFromCpus => {
                "there are several NUMA nodes, and a drive of data or WAL, or a network port that is up, is on one of which this process may use no CPU"
                    .to_string()
            }
            Structure::NodesLie => format!(
                "a node is not nearest to itself, or all are equally near, or more than {} sockets are equally far from \
                 each other, or a CPU is in no node or in two",
                nodes::FULL_MESH
            ),
            Structure::Governor => "all CPUs' frequency governor is not `performance`".to_string(),
            Structure::ClockSlow => format!("the clock source is {}", nodes::SLOW_CLOCKS.join(" or ")),
            Structure::Mitigations => format!(
                "the kernel reports one of these for a CPU vulnerability: {}",
                mitigations::DEAR.map(|(word, _)| word).join(", ")
            ),
            Structure::ArrayDegraded => {
                "a software RAID lacks members, or is being rebuilt".to_string()
            }
            Structure::QueuesOverPort(times) => format!(
                "an NVMe controller over TCP or RDMA has more than {times} times the I/O queues that each network port that is up has for receiving"
            ),
            Structure::ReconnectsLate(least_s) => format!(
                "an NVMe controller over a network has a `reconnect_delay` of {least_s} s or more"
            ),
            Structure::OnePathUsed => {
                "several live controllers over a network lead to an NVMe subsystem whose `iopolicy` is `numa`".to_string()
            }
            Structure::RdmaInSoftware => {
                "an NVMe controller is reached by RDMA, and every RDMA port that is active is of the driver `rxe` or `siw`".to_string()
            }
            Structure::PathDown => {
                "an NVMe controller is not live, or a path to an NVMe or SCSI drive is down".to_string()
            }
        }
    }
}

fn place(parts: Vec<String>, evidence: String) -> FindingPlace {
    FindingPlace { parts, evidence }
}

/// Of the machine as a whole.
fn whole(evidence: String) -> FindingPlace {
    place(Vec::new(), evidence)
}
