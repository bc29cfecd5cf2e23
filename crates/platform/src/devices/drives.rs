//! Whole drives, and the devices that are made of others (Linux `Documentation/ABI/stable/sysfs-block`).

use narrows_facts::Source;
use narrows_model::{DeviceKind, Drive, MapperDevice, MdArray};

use super::{by_number, drive_link, names, stacked};
use crate::block::{self, transport};
use crate::pcie;

/// Drives, arrays and mapped devices, each by name.
pub(super) fn read(source: &dyn Source) -> (Vec<Drive>, Vec<MdArray>, Vec<MapperDevice>) {
    let (mut drives, mut arrays, mut mapped) = (Vec::new(), Vec::new(), Vec::new());
    for (name, folder) in folders(source) {
        match block::kind(source, &folder, &name) {
            DeviceKind::Disk if is_removable(&name) => {}
            DeviceKind::Disk => drives.push(drive(source, name, &folder)),
            DeviceKind::Raid => arrays.push(stacked::array(source, name, &folder)),
            DeviceKind::Mapper => mapped.push(stacked::mapped(source, name, &folder)),
            DeviceKind::Partition | DeviceKind::Loop | DeviceKind::Memory => {}
        }
    }
    (drives, arrays, mapped)
}

/// All block devices; before Linux 2.6.26 there is no class of them.
fn folders(source: &dyn Source) -> Vec<(String, String)> {
    let list = |folder: &str| -> Vec<(String, String)> {
        let mut names = names(source, folder);
        names.sort_by(|a, b| by_number(a).cmp(&by_number(b)));
        let of = |name: String| {
            let path = source.real_path(&format!("{folder}/{name}")).ok()?;
            // One of several ways to a drive that is listed itself.
            let hidden = source.text(&format!("{path}/hidden")).is_some_and(|text| text == "1");
            (!hidden).then_some((name, path))
        };
        names.into_iter().filter_map(of).collect()
    };
    let found = list("/sys/class/block");
    if found.is_empty() { list("/sys/block") } else { found }
}

/// Optical and floppy drives.
fn is_removable(name: &str) -> bool {
    ["sr", "fd"].iter().any(|kind| transport::is_numbered(name, kind))
}

fn drive(source: &dyn Source, name: String, folder: &str) -> Drive {
    let hardware = transport::hardware_paths(source, folder);
    let mut pci: Vec<String> = hardware.iter().filter_map(|path| pcie::nearest(path)).collect();
    pci.dedup();
    Drive {
        model: transport::model(source, folder),
        transport: transport::name(source, &name, folder, &hardware),
        size_bytes: source
            .number::<u64>(&format!("{folder}/size"))
            .and_then(|n| n.checked_mul(512)),
        numa_node: pcie::common_node(source, &hardware),
        queues: block::hardware_queues(source, &format!("{folder}/queue")),
        controller: hardware.iter().find_map(|path| controller(path)),
        link: hardware.first().and_then(|path| drive_link::read(source, path)),
        pci,
        name,
    }
}

/// What the drive hangs on: the deepest folder that is a controller's.
fn controller(path: &str) -> Option<String> {
    let kinds = ["nvme", "host", "virtio"];
    let is_one = |part: &&str| kinds.iter().any(|kind| transport::is_numbered(part, kind));
    path.rsplit('/').find(is_one).map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deepest_controller_counts() {
        let of = |path| controller(path);
        assert_eq!(
            of("/sys/devices/pci0000:00/0000:00:04.0/virtio1/block/vda").as_deref(),
            Some("virtio1")
        );
        assert_eq!(
            of("/sys/devices/pci0000:00/0000:00:04.0/virtio1/host2/target2:0:0/2:0:0:0/block/sda")
                .as_deref(),
            Some("host2")
        );
        assert_eq!(
            of("/sys/devices/pci0000:00/0000:01:00.0/nvme/nvme3/nvme3n1").as_deref(),
            Some("nvme3")
        );
        assert_eq!(of("/sys/devices/virtual/block/nbd0"), None);
    }
}
