//! In whose machine a medium is: whose power has to be cut to test it.
//!
//! Told from what the kernel says of each device's transport and of the file system. Not here: what is between that
//! medium and a write (`narrows-validity`, durability).

use super::block::THIS_MACHINE;
use super::{BlockDevice, RolePath};

/// Where a medium is, as far as this machine can see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Medium {
    /// In this machine, or fed by it: it loses its power with it.
    Here,
    /// In another one, with the sentence that says which device shows it.
    Elsewhere(String),
    /// That can't be seen, with the reason.
    Unseen(String),
}

/// Transports of drives that are fed by the machine.
const HERE: [&str; 9] = [
    "sata",
    "sas",
    "scsi",
    "mmc",
    "pmem",
    "nvme",
    "nvme (pcie)",
    "nvme (apple-nvme)",
    "nvme (loop)",
];
/// Transports that reach drives in this machine and in boxes beside it alike, and what they can reach.
const EITHER: [(&str, &str); 2] = [
    ("sas (expander)", "an expander is in a backplane of this machine or in a shelf"),
    ("usb", "the drive may be in an enclosure"),
];
/// Models of drives that a provider shows on PCIe, also to machines without a hypervisor, and that are volumes in a network.
const LENT_MODELS: [&str; 1] = ["Amazon Elastic Block Store"];
/// Models of drives that are volumes of a provider's storage network, whatever shows them, by a part of the name: Amazon EBS, Google
/// Persistent Disk and Hyperdisk, Azure managed disks by NVMe and by SCSI, Oracle block volumes.
const CLOUD_MODELS: [&str; 6] = [
    "Amazon Elastic Block Store",
    "PersistentDisk",
    "nvme_card-pd",
    "MSFT NVMe Accelerator",
    "Virtual Disk",
    "BlockVolume",
];
/// And of drives that a hypervisor shows, where only its host knows what is behind them.
const LENT: [&str; 4] = ["virtio", "virtio-scsi", "xen", "vmbus"];
/// Through a switch or a cable to another box with a power supply of its own.
const AWAY: [&str; 7] = [
    "iscsi",
    "srp",
    "fibre channel",
    "channel subsystem",
    "nvme (tcp)",
    "nvme (rdma)",
    "nvme (fc)",
];

impl BlockDevice {
    /// Whether a hypervisor or a provider shows it, and only its host knows what is behind it.
    pub fn is_lent(&self) -> bool {
        let transport = self.transport.as_deref().unwrap_or_default();
        LENT.contains(&transport) || self.is_cloud_volume()
    }

    /// Whether it is a volume of a provider's storage network, by its model.
    pub fn is_cloud_volume(&self) -> bool {
        let model = self.model.as_deref().unwrap_or_default();
        CLOUD_MODELS.iter().any(|part| model.contains(part))
    }

    /// Where this device's medium is, by its transport. A device that only stands on others says `Here`: they are asked.
    pub fn medium(&self) -> Medium {
        let name = &self.name;
        // It goes with the power of the machine, and with everything on it.
        if self.in_memory().is_some() {
            return Medium::Here;
        }
        let Some(transport) = self.transport.as_deref() else {
            return if self.slaves.is_empty() {
                Medium::Unseen(format!("how {name} is attached can't be seen"))
            } else {
                Medium::Here
            };
        };
        let either = EITHER.iter().find(|(known, _)| *known == transport);
        if let Some(model) = self.model.as_deref().filter(|model| LENT_MODELS.contains(model)) {
            Medium::Elsewhere(format!(
                "{name} is a volume in a provider's network ({model}): the drives behind it are in other machines, whose power \
                 has to be cut"
            ))
        } else if let Some((_, where_to)) = either {
            Medium::Unseen(format!(
                "{name} is attached by {transport}: {where_to} with a power supply of its own, which can't be seen"
            ))
        } else if transport.ends_with(THIS_MACHINE) && !self.slaves.is_empty() {
            Medium::Here
        } else if transport.ends_with(THIS_MACHINE) {
            Medium::Unseen(format!(
                "{name} is served by this machine to itself ({transport}): what is behind the target can't be seen from here"
            ))
        } else if HERE.contains(&transport) {
            Medium::Here
        } else if LENT.contains(&transport) {
            Medium::Elsewhere(format!(
                "{name} is lent by a hypervisor ({transport}): the drive is its host's, whose power has to be cut; to kill or \
                 reset this machine cuts none"
            ))
        } else if AWAY.contains(&transport) || transport.starts_with("network") {
            Medium::Elsewhere(format!(
                "{name} is attached by {transport}: the drive is in another machine, and its own power has to be cut"
            ))
        } else {
            Medium::Unseen(format!("what is behind {name} ({transport}) can't be seen"))
        }
    }
}

impl RolePath {
    /// Where the medium is: elsewhere if any of its devices is.
    pub fn medium(&self) -> Medium {
        let fs = &self.file_system;
        if fs.this_machine {
            let why = self.served_here().unwrap_or_default();
            return Medium::Unseen(format!("{why}: what is behind it can't be seen from here"));
        }
        if fs.network {
            return Medium::Elsewhere(format!(
                "{} is reached over a network or through a program: the drive is elsewhere, and its own power has to be cut",
                fs.kind
            ));
        }
        if fs.volatile {
            return Medium::Here;
        }
        if self.devices.is_empty() {
            return Medium::Unseen(format!("the drives beneath {} can't be seen", fs.kind));
        }
        Medium::of(&self.devices)
    }
}

impl Medium {
    /// Of a stack of devices: elsewhere if any of them is.
    pub fn of(devices: &[BlockDevice]) -> Medium {
        let mut worst = Medium::Here;
        for medium in devices.iter().map(BlockDevice::medium) {
            match medium {
                Medium::Elsewhere(_) => return medium,
                Medium::Unseen(_) if worst == Medium::Here => worst = medium,
                Medium::Unseen(_) | Medium::Here => {}
            }
        }
        worst
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DeviceKind, FileSystem, Queue, Role};

    fn device(name: &str, kind: DeviceKind, transport: Option<&str>) -> BlockDevice {
        BlockDevice {
            name: name.to_string(),
            number: String::new(),
            kind,
            level: None,
            model: None,
            transport: transport.map(String::from),
            size_bytes: None,
            slaves: if kind == DeviceKind::Raid { vec!["sdb".to_string()] } else { Vec::new() },
            queue: None,
            numa_node: None,
            pcie: Vec::new(),
        }
    }

    fn path(kind: &str, network: bool, devices: Vec<BlockDevice>) -> RolePath {
        let file_system = FileSystem { kind: kind.to_string(), network, ..FileSystem::default() };
        RolePath { role: Role::Wal, path: "/wal".to_string(), file_system, devices }
    }

    #[test]
    fn every_transport_has_its_place() {
        let disk = |transport| device("sda", DeviceKind::Disk, transport).medium();
        for local in HERE {
            assert_eq!(disk(Some(local)), Medium::Here, "{local}");
        }
        for away in ["iscsi", "srp", "fibre channel", "nvme (tcp)", "nvme (rdma)", "network (nbd)"]
        {
            let Medium::Elsewhere(why) = disk(Some(away)) else { panic!("{away}") };
            assert!(why.contains("its own power") && why.contains(away), "{why}");
        }
        let Medium::Elsewhere(why) = disk(Some("virtio")) else { panic!("virtio") };
        assert!(why.contains("its host's") && why.contains("to kill or reset"), "{why}");
        for (either, whose) in [("usb", "enclosure"), ("sas (expander)", "shelf")] {
            let Medium::Unseen(why) = disk(Some(either)) else { panic!("{either}") };
            assert!(why.contains(whose) && why.contains("power supply of its own"), "{why}");
        }
        for unseen in [Some("program (ublk)"), Some("nvme (quantum)"), None] {
            assert!(matches!(disk(unseen), Medium::Unseen(_)), "{unseen:?}");
        }
    }

    #[test]
    fn a_volume_of_a_provider_is_elsewhere_even_on_bare_metal() {
        let of = |model: &str| {
            let model = Some(model.to_string());
            let drive = device("nvme0n1", DeviceKind::Disk, Some("nvme (pcie)"));
            BlockDevice { model, ..drive }.medium()
        };
        let Medium::Elsewhere(why) = of("Amazon Elastic Block Store") else { panic!("here") };
        assert!(why.contains("nvme0n1") && why.contains("provider's network"), "{why}");
        assert_eq!(of("Amazon EC2 NVMe Instance Storage"), Medium::Here);
    }

    #[test]
    fn memory_behind_any_device_of_the_bottom_is_the_paths() {
        let zram = device("zram0", DeviceKind::Memory, None);
        let on_tmpfs = device("loop0", DeviceKind::Loop, Some("memory (tmpfs)"));
        let null = device("nullb0", DeviceKind::Disk, Some("memory (null_blk)"));
        for (bottom, says) in [
            (zram, "zram0 is in memory"),
            (on_tmpfs, "loop0 serves a file in memory (tmpfs)"),
            (null, "nullb0 is in memory (null_blk)"),
        ] {
            assert_eq!(bottom.medium(), Medium::Here, "{bottom:?}");
            let mirror = [device("md0", DeviceKind::Raid, None), bottom];
            let path = path("ext4", false, mirror.to_vec());
            assert_eq!(path.in_memory().as_deref(), Some(says));
            assert_eq!(path.served_here(), None);
        }
        // A loop device over a drive's file system stands on that drive, and a drive is a drive.
        let mut upper = device("loop0", DeviceKind::Loop, None);
        upper.slaves = vec!["vda".to_string()];
        let drive = device("vda", DeviceKind::Disk, Some("virtio"));
        assert_eq!(path("ext4", false, vec![upper, drive]).in_memory(), None);
        let tmpfs = FileSystem { kind: "tmpfs".into(), volatile: true, ..FileSystem::default() };
        let tmpfs = RolePath { file_system: tmpfs, ..path("tmpfs", false, vec![]) };
        assert!(tmpfs.in_memory().unwrap().contains("tmpfs"));
    }

    #[test]
    fn what_the_machine_serves_to_itself_is_unseen() {
        for transport in
            ["iscsi (this machine)", "nvme (tcp) (this machine)", "scsi (this machine)"]
        {
            let served = device("sdb", DeviceKind::Disk, Some(transport));
            let Medium::Unseen(why) = served.medium() else { panic!("{transport}") };
            assert!(why.contains("serve") && why.contains("itself"), "{why}");
            assert!(served.served_here().is_some() && served.in_memory().is_none());
        }
        // Where what the target serves can be seen it is asked, and the target is a part of the path all the same.
        let mut upper = device("nvme0n1", DeviceKind::Disk, Some("nvme (tcp) (this machine)"));
        upper.slaves = vec!["ram0".to_string()];
        let seen = path("ext4", false, vec![upper, device("ram0", DeviceKind::Memory, None)]);
        assert_eq!(seen.medium(), Medium::Here);
        assert_eq!(seen.in_memory().as_deref(), Some("ram0 is in memory"));
        assert!(seen.served_here().unwrap().starts_with("nvme0n1 (nvme (tcp)) is served"));
        let in_memory = device("nvme0n1", DeviceKind::Disk, Some("memory (tmpfs) (this machine)"));
        let why = in_memory.in_memory();
        assert_eq!(why.as_deref(), Some("behind nvme0n1 is a file in memory (tmpfs)"));
        assert!(in_memory.served_here().is_some());
        let nbd = device("nbd0", DeviceKind::Disk, Some("network (nbd)"));
        assert!(nbd.served_here().unwrap().contains("may be"));
        let far = device("sdb", DeviceKind::Disk, Some("iscsi"));
        assert_eq!(far.served_here(), None);
        let mut nfs = path("nfs4", true, vec![]);
        assert!(matches!(nfs.medium(), Medium::Elsewhere(_)) && nfs.served_here().is_none());
        nfs.file_system.this_machine = true;
        let Medium::Unseen(why) = nfs.medium() else { panic!("{:?}", nfs.medium()) };
        assert!(why.starts_with("nfs4 is served by this machine to itself"), "{why}");
    }

    #[test]
    fn a_thin_device_anywhere_in_the_stack_makes_the_path_thin() {
        let mut stack = vec![
            device("dm-3", DeviceKind::Mapper, None),
            device("sda", DeviceKind::Disk, Some("sata")),
        ];
        assert_eq!(path("ext4", false, stack.clone()).thin(), None);
        stack[0].queue = Some(Queue { thin: Some("a thin volume".into()), ..Queue::default() });
        let thin = path("ext4", false, stack).thin();
        assert_eq!(thin.as_deref(), Some("dm-3 is a thin volume"));
    }

    #[test]
    fn one_drive_elsewhere_takes_the_whole_path_there() {
        let mirror = |second| {
            vec![
                device("md0", DeviceKind::Raid, None),
                device("nvme0n1", DeviceKind::Disk, Some("nvme (pcie)")),
                device("unknown", DeviceKind::Disk, None),
                device("sdb", DeviceKind::Disk, Some(second)),
            ]
        };
        let Medium::Elsewhere(why) = path("xfs", false, mirror("iscsi")).medium() else {
            panic!("a part of the mirror is in another machine")
        };
        assert!(why.starts_with("sdb "), "{why}");
        assert!(matches!(path("xfs", false, mirror("sata")).medium(), Medium::Unseen(_)));
        let raid = mirror("sata").into_iter().filter(|device| device.name != "unknown");
        assert_eq!(path("xfs", false, raid.collect()).medium(), Medium::Here);
        assert!(matches!(path("btrfs", false, vec![]).medium(), Medium::Unseen(_)));
        assert!(matches!(path("nfs4", true, vec![]).medium(), Medium::Elsewhere(_)));
    }
}
