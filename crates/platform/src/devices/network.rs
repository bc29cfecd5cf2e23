//! Ports of networks (Linux `Documentation/ABI/testing/sysfs-class-net`, `Documentation/ABI/stable/sysfs-class-infiniband`).
//! Addresses and identifiers are not read.

use narrows_facts::Source;
use narrows_model::{NetworkPort, RdmaPort};

use super::{by_number, driver, names};
use crate::block::last;
use crate::pcie;

const INTERFACES: &str = "/sys/class/net";
const RDMA: &str = "/sys/class/infiniband";

/// Interfaces with a device behind them.
pub(super) fn ports(source: &dyn Source) -> Vec<NetworkPort> {
    let mut names = names(source, INTERFACES);
    names.sort_by(|a, b| by_number(a).cmp(&by_number(b)));
    names.into_iter().filter_map(|name| port(source, name)).collect()
}

fn port(source: &dyn Source, name: String) -> Option<NetworkPort> {
    let folder = source.real_path(&format!("{INTERFACES}/{name}")).ok()?;
    // Bridges, tunnels, VLANs; the folder of their class may be the only trace of a device in a copy.
    if folder.contains("/virtual/") || name == "lo" {
        return None;
    }
    let device = format!("{folder}/device");
    let text = |file: &str| source.text(&format!("{folder}/{file}"));
    let queues = |prefix: &str| {
        let entries = names(source, &format!("{folder}/queues"));
        let count = entries.iter().filter(|entry| entry.starts_with(prefix)).count();
        u32::try_from(count).ok().filter(|count| *count > 0)
    };
    let megabits = source.number::<u64>(&format!("{folder}/speed"));
    Some(NetworkPort {
        driver: driver(source, &device),
        state: text("operstate").filter(|state| state != "unknown"),
        // -1, or 2³²-1 of old kernels, is unknown.
        bits_per_s: megabits
            .filter(|n| (1..u64::from(u32::MAX)).contains(n))
            .map(|n| n * 1_000_000),
        duplex: text("duplex").filter(|duplex| duplex != "unknown"),
        mtu_bytes: source.number(&format!("{folder}/mtu")),
        receive_queues: queues("rx-"),
        send_queues: queues("tx-"),
        part_of: source.link(&format!("{folder}/master")).ok().map(|link| last(&link).to_string()),
        virtual_function: source.exists(&format!("{device}/physfn")),
        numa_node: pcie::numa_node(source, &folder),
        pci: pcie::nearest(&folder),
        name,
    })
}

/// Ports that do RDMA.
pub(super) fn rdma(source: &dyn Source) -> Vec<RdmaPort> {
    let mut found = Vec::new();
    for device in names(source, RDMA) {
        let Ok(folder) = source.real_path(&format!("{RDMA}/{device}")) else { continue };
        let mut ports: Vec<u32> = names(source, &format!("{folder}/ports"))
            .iter()
            .filter_map(|name| name.parse().ok())
            .collect();
        ports.sort_unstable();
        found.extend(ports.into_iter().map(|port| rdma_port(source, &device, &folder, port)));
    }
    found
}

fn rdma_port(source: &dyn Source, device: &str, folder: &str, port: u32) -> RdmaPort {
    let text = |file: &str| source.text(&format!("{folder}/ports/{port}/{file}"));
    let rate = text("rate");
    let link_layer = text("link_layer");
    RdmaPort {
        device: device.to_string(),
        port,
        // `4: ACTIVE`.
        state: text("state").map(|state| state.rsplit(": ").next().unwrap_or_default().to_string()),
        bits_per_s: rate
            .as_deref()
            .and_then(|rate| bits_per_s(rate, link_layer.as_deref().unwrap_or("InfiniBand"))),
        rate,
        link_layer,
        in_software: in_software(source, device, folder).map(str::to_string),
        interface: interface(source, folder, port),
        numa_node: pcie::numa_node(source, folder),
        pci: pcie::nearest(folder),
    }
}

/// Of `100 Gb/sec (4X EDR)`, `40 Gb/sec (4X QDR)`. InfiniBand's first three speeds are written as on the wire, with 8b/10b,
/// and FDR with 64b/66b (InfiniBand Architecture Specification, volume 2); the later ones, and Ethernet's, without.
fn bits_per_s(rate: &str, link_layer: &str) -> Option<u64> {
    let (number, speed) = rate.split_once(" Gb/sec")?;
    let number: f64 = number.parse().ok()?;
    let is = |word: &str| link_layer == "InfiniBand" && speed.ends_with(&format!(" {word})"));
    let left = match () {
        () if ["SDR", "DDR", "QDR"].into_iter().any(is) => 0.8,
        () if is("FDR") => 64.0 / 66.0,
        () => 1.0,
    };
    (number > 0.0 && number < 1e6).then_some((number * 1e9 * left) as u64)
}

/// Which of the kernel's two drivers without a card a device is of (Linux drivers/infiniband/sw): RoCE by `rxe`, iWARP by `siw`. Their devices
/// have any name, mostly one that begins so; `rxe` shows the interface that it is over in a file that no card has.
fn in_software(source: &dyn Source, device: &str, folder: &str) -> Option<&'static str> {
    // `4: RNIC`, which is iWARP's; `1: CA`.
    let iwarp = || source.text(&format!("{folder}/node_type")).is_some_and(|t| t.starts_with('4'));
    if device.starts_with("rxe") || source.exists(&format!("{folder}/parent")) {
        Some("rxe")
    } else if device.starts_with("siw") {
        Some("siw")
    } else if folder.starts_with("/sys/devices/virtual/") {
        Some(if iwarp() { "siw" } else { "rxe" })
    } else {
        None
    }
}

/// The interface of the same function whose port it is, counted from 0 there.
fn interface(source: &dyn Source, folder: &str, port: u32) -> Option<String> {
    let list = format!("{folder}/device/net");
    let is_its = |name: &String| {
        let number: Option<u32> = source.number(&format!("{list}/{name}/dev_port"));
        number.is_none_or(|number| number.checked_add(1) == Some(port))
    };
    names(source, &list).into_iter().find(is_its)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_as_the_kernel_writes_them() {
        for (rate, layer, wanted) in [
            ("56 Gb/sec (4X FDR)", "InfiniBand", 54_303_030_303),
            ("40 Gb/sec (4X QDR)", "InfiniBand", 32_000_000_000),
            ("40 Gb/sec (4X QDR)", "Ethernet", 40_000_000_000),
            ("40 Gb/sec (4X FDR10)", "InfiniBand", 40_000_000_000),
            ("2.5 Gb/sec (1X SDR)", "InfiniBand", 2_000_000_000),
            ("100 Gb/sec (4X EDR)", "InfiniBand", 100_000_000_000),
        ] {
            assert_eq!(bits_per_s(rate, layer), Some(wanted), "{rate} {layer}");
        }
        for other in ["", "Gb/sec", "-1 Gb/sec", "100 Mb/sec", "nan Gb/sec", "1e300 Gb/sec"] {
            assert_eq!(bits_per_s(other, "Ethernet"), None, "{other}");
        }
    }
}
