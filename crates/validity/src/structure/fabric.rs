//! NVMe controllers over a network: queues against those of the ports, what happens when a connection is lost, which paths are used, and
//! whether RDMA is what it is called.

use narrows_model::{Devices, FindingPlace, NvmeController};

use super::place;

/// Whether it is reached over a network port of this machine.
fn over_network(controller: &NvmeController) -> bool {
    matches!(controller.transport.as_deref(), Some("tcp" | "rdma"))
}

/// Controllers with more than so many times the queues of each port that is up. By which port one is reached isn't known, so all
/// have to have fewer.
pub(super) fn queues_over_port(devices: &Devices, times: u32) -> Vec<FindingPlace> {
    let up = devices.network.iter().filter(|port| port.state.as_deref() == Some("up"));
    let queues: Option<Vec<u32>> = up.map(|port| port.receive_queues).collect();
    let Some(most) = queues.and_then(|queues| queues.into_iter().max()) else { return Vec::new() };
    let all = devices.nvme_controllers.iter().filter(|controller| over_network(controller));
    let found = all.filter_map(|controller| {
        let queues = controller.queues.filter(|queues| *queues > most.saturating_mul(times))?;
        let of_port = if most == 1 {
            "1 receive queue".to_string()
        } else {
            format!("{most} receive queues")
        };
        let shown =
            format!("{}: {queues} I/O queues over ports with {of_port} at most", controller.name);
        Some(place(vec![controller.name.clone()], shown))
    });
    found.collect()
}

/// Controllers that wait so long, s, before they connect again.
pub(super) fn reconnects_late(devices: &Devices, least_s: u32) -> Vec<FindingPlace> {
    let found = devices.nvme_controllers.iter().filter_map(|controller| {
        let fabric = controller.fabric?;
        let delay_s = fabric.reconnect_delay_s.filter(|delay_s| *delay_s >= least_s)?;
        let kept = fabric.keep_alive_s.map_or(String::new(), |s| format!(", kato {s} s"));
        let fails = match fabric.fast_io_fail_s {
            Some(s) => format!(", fast_io_fail_tmo {s} s"),
            None => ", fast_io_fail_tmo off".to_string(),
        };
        let shown = format!("{}: reconnect_delay {delay_s} s{kept}{fails}", controller.name);
        Some(place(vec![controller.name.clone()], shown))
    });
    found.collect()
}

/// Subsystems of which one of several paths over a network is used.
pub(super) fn one_path_used(devices: &Devices) -> Vec<FindingPlace> {
    let found = devices.nvme_subsystems.iter().filter_map(|subsystem| {
        let numa = subsystem.io_policy.as_deref() == Some("numa");
        let live = devices.nvme_controllers.iter().filter(|controller| {
            over_network(controller)
                && controller.state.as_deref() == Some("live")
                && subsystem.controllers.contains(&controller.name)
        });
        let live: Vec<String> = live.map(|controller| controller.name.clone()).collect();
        (numa && live.len() > 1).then(|| {
            let shown = format!("{}: iopolicy numa, {} paths", subsystem.name, live.len());
            place(live, shown)
        })
    });
    found.collect()
}

/// Controllers reached by RDMA where each port that does RDMA and is up is the kernel's own. By which one a controller is reached isn't
/// known, so none may be a card's.
pub(super) fn rdma_in_software(devices: &Devices) -> Vec<FindingPlace> {
    let up = devices.rdma.iter().filter(|port| port.state.as_deref().is_none_or(|s| s == "ACTIVE"));
    let software: Option<Vec<String>> = up
        .map(|port| port.in_software.as_ref().map(|by| format!("{} ({by})", port.device)))
        .collect();
    let Some(software) = software.filter(|all| !all.is_empty()) else { return Vec::new() };
    let all = devices.nvme_controllers.iter();
    let by_rdma = all.filter(|controller| controller.transport.as_deref() == Some("rdma"));
    let found = by_rdma.map(|controller| {
        let shown = format!("{}: transport rdma over {}", controller.name, software.join(", "));
        place(vec![controller.name.clone()], shown)
    });
    found.collect()
}
