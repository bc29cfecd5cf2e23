//! PCI functions (Linux `Documentation/ABI/testing/sysfs-bus-pci`): what each is, where, and its link.

use std::collections::BTreeMap;

use narrows_facts::Source;
use narrows_model::{PciDevice, PciKind, VirtioDevice};

use super::interrupts::Counts;
use super::{driver, names};
use crate::pcie;

const FUNCTIONS: &str = "/sys/bus/pci/devices";
const SLOTS: &str = "/sys/bus/pci/slots";
const VIRTIO: &str = "/sys/bus/virtio/devices";

/// Bridges, and the functions that move data, by address.
pub(super) fn read(source: &dyn Source, online: &[u32]) -> Vec<PciDevice> {
    let slots = slots(source);
    let counts = Counts::read(source);
    names(source, FUNCTIONS)
        .into_iter()
        .filter_map(|address| {
            let folder = source.real_path(&format!("{FUNCTIONS}/{address}")).ok()?;
            let kind = kind(&source.text(&format!("{folder}/class"))?)?;
            Some(PciDevice {
                above: pcie::functions(&folder)
                    .nth(1)
                    .map(|above| crate::block::last(above).into()),
                kind,
                id: id(source, &folder),
                driver: driver(source, &folder),
                numa_node: pcie::numa_node(source, &folder),
                local_cpus: pcie::local_cpus(source, &address, online).unwrap_or_default(),
                link: pcie::link(source, &folder),
                slot: slots.get(device(&address)).cloned(),
                // A port's are about what is plugged in and out.
                interrupts: (kind != PciKind::Bridge).then(|| counts.of(source, &folder)).flatten(),
                address,
            })
        })
        .collect()
}

/// Class, subclass and interface of a class code such as `0x010802`; `None` for what moves no data of databases.
fn kind(class: &str) -> Option<PciKind> {
    let code = u32::from_str_radix(class.trim_start_matches("0x"), 16).ok()?;
    Some(match (code >> 16 & 0xff, code >> 8 & 0xff) {
        (0x06, 0x04) => PciKind::Bridge,
        (0x01, 0x08) => PciKind::Nvme,
        // InfiniBand cards of old kernels stand among mass storage as Fibre Channel does.
        (0x01, _) => PciKind::Storage,
        (0x02, 0x00) => PciKind::Ethernet,
        // Cards that can be either call themselves "other network".
        (0x02, 0x07 | 0x80) | (0x0c, 0x06) => PciKind::Infiniband,
        (0x0c, 0x04) => PciKind::Storage,
        (0x03, _) => PciKind::Graphics,
        (0x12, _) | (0x0b, 0x40) => PciKind::Accelerator,
        (0x05, _) => PciKind::Memory,
        _ => return None,
    })
}

fn id(source: &dyn Source, folder: &str) -> Option<String> {
    let part = |file| {
        let text = source.text(&format!("{folder}/{file}"))?;
        Some(text.trim_start_matches("0x").to_string())
    };
    Some(format!("{}:{}", part("vendor")?, part("device")?))
}

/// An address without its function.
fn device(address: &str) -> &str {
    address.rsplit_once('.').map_or(address, |(device, _)| device)
}

/// The names of slots by the address in them.
fn slots(source: &dyn Source) -> BTreeMap<String, String> {
    let of = |name: String| Some((source.text(&format!("{SLOTS}/{name}/address"))?, name));
    names(source, SLOTS).into_iter().filter_map(of).collect()
}

/// What a hypervisor lends.
pub(super) fn virtio(source: &dyn Source) -> Vec<VirtioDevice> {
    let device = |name: String| {
        let folder = source.real_path(&format!("{VIRTIO}/{name}")).ok()?;
        let number = source.text(&format!("{folder}/device"))?;
        let kind = u32::from_str_radix(number.trim_start_matches("0x"), 16).ok()?;
        Some(VirtioDevice { name, kind: virtio_kind(kind), pci: pcie::nearest(&folder) })
    };
    let mut devices: Vec<VirtioDevice> =
        names(source, VIRTIO).into_iter().filter_map(device).collect();
    devices.sort_by(|a, b| super::by_number(&a.name).cmp(&super::by_number(&b.name)));
    devices
}

/// VIRTIO 1.2, section 5.
fn virtio_kind(number: u32) -> String {
    let word = match number {
        1 => "network",
        2 => "block",
        3 => "console",
        4 => "entropy",
        5 => "balloon",
        8 => "SCSI",
        9 | 26 => "file system",
        16 => "graphics",
        19 => "socket",
        24 => "memory",
        27 => "persistent memory",
        _ => return format!("kind {number}"),
    };
    word.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_that_matter_and_others() {
        for (class, wanted) in [
            ("0x060400", Some(PciKind::Bridge)),
            ("0x060000", None),
            ("0x010802", Some(PciKind::Nvme)),
            ("0x010400", Some(PciKind::Storage)),
            ("0x010700", Some(PciKind::Storage)),
            ("0x0c0400", Some(PciKind::Storage)),
            ("0x020000", Some(PciKind::Ethernet)),
            ("0x020700", Some(PciKind::Infiniband)),
            ("0x028000", Some(PciKind::Infiniband)),
            ("0x030200", Some(PciKind::Graphics)),
            ("0x120000", Some(PciKind::Accelerator)),
            ("0x050210", Some(PciKind::Memory)),
            ("0x088000", None),
            ("class", None),
        ] {
            assert_eq!(kind(class), wanted, "{class}");
        }
    }
}
