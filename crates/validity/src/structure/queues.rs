//! Queues of devices, and who serves their interrupts.

use narrows_model::{FindingPlace, PciKind, Platform};

use super::{links, place};

/// A port from here on can fill one processor with arriving packets.
pub(super) const FAST_BITS_PER_S: u64 = 10_000_000_000;

/// Drives with fewer queues than processors, and ports with one.
pub(super) fn few(platform: &Platform) -> Vec<FindingPlace> {
    let cpus = platform.cpu.online.len();
    let fewer = |queues: Option<u32>| queues.filter(|queues| (*queues as usize) < cpus);
    let devices = &platform.devices;
    let at = |name: &str, shown: String| place(vec![name.to_string()], format!("{name}: {shown}"));
    let nvme = devices.nvme_controllers.iter().filter_map(|controller| {
        let queues = fewer(controller.queues)?;
        Some(at(&controller.name, format!("{} for {cpus} CPUs", counted(queues, "queue"))))
    });
    let lent = devices.drives.iter().filter(|drive| drive.transport.as_deref() == Some("virtio"));
    let lent = lent.filter_map(|drive| {
        let queues = fewer(drive.queues)?;
        Some(at(&drive.name, format!("{} for {cpus} CPUs", counted(queues, "queue"))))
    });
    let ports = devices.network.iter().filter(|port| {
        let fast = port.bits_per_s.is_some_and(|bits| bits >= FAST_BITS_PER_S);
        let lent = port.driver.as_deref() == Some("virtio_net");
        (fast || lent) && port.receive_queues == Some(1) && cpus > 1
    });
    let ports = ports.map(|port| at(&port.name, format!("1 receive queue for {cpus} CPUs")));
    nvme.chain(lent).chain(ports).collect()
}

/// Devices of which one processor serves all interrupts.
pub(super) fn one_cpu_serves(platform: &Platform, least: u64) -> Vec<FindingPlace> {
    if platform.cpu.online.len() < 2 {
        return Vec::new();
    }
    let devices = &platform.devices;
    let kinds = [PciKind::Nvme, PciKind::Storage, PciKind::Ethernet, PciKind::Infiniband];
    let functions = devices.pci.iter().filter(|function| kinds.contains(&function.kind));
    let found = functions.filter_map(|function| {
        let interrupts = function.interrupts.as_ref().filter(|found| found.count >= least)?;
        let [cpu] = interrupts.cpus.ids() else { return None };
        let shown = format!(
            "{}: CPU {cpu} serves {}, {} since the start",
            links::name(devices, function),
            counted(interrupts.busy_vectors, "busy vector"),
            counted(interrupts.count, "interrupt"),
        );
        Some(place(links::parts(devices, function), shown))
    });
    found.collect()
}

fn counted(count: impl Into<u64>, what: &str) -> String {
    let count: u64 = count.into();
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
