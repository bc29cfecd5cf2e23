//! In whose machine drives are, and what they say of their own write caches, on machines made of files.

use std::path::Path;

use crate::made::machine::Machine;
use narrows_model::{BlockDevice, DriveCache, Medium, Role, RolePath};

const SATA: &str = "/sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda";
const ISCSI: &str = "/sys/devices/platform/host2/session1/target2:0:0/2:0:0:1/block/sdb";

fn wal(machine: &Machine, number: &str) -> RolePath {
    machine
        .folder("/wal")
        .file("/proc/self/mountinfo", format!("26 1 {number} / / rw - xfs /dev/x rw\n"));
    let mut platform =
        narrows_platform::discover(&machine.tree(), &[(Role::Wal, Path::new("/wal"))]);
    platform.roles.remove(0)
}

fn elsewhere(path: &RolePath) -> String {
    match path.medium() {
        Medium::Elsewhere(why) => why,
        other => panic!("{other:?}"),
    }
}

/// A drive with what it says of itself and what the kernel was told, attached to the machine.
fn drive(machine: &Machine, folder: &str, number: &str, says: &str, kernel: &str) {
    let name = folder.rsplit('/').next().unwrap();
    let scsi = folder.rsplit('/').nth(2).unwrap();
    let device = folder.strip_suffix(&format!("/block/{name}")).unwrap();
    machine
        .device(folder, number, 100)
        .link(&format!("{folder}/device"), device)
        .file(&format!("{device}/scsi_disk/{scsi}/cache_type"), format!("{says}\n"))
        .file(&format!("{folder}/queue/write_cache"), format!("{kernel}\n"));
}

fn mirror(machine: &Machine, members: &[&str]) -> String {
    let md = "/sys/devices/virtual/block/md0";
    machine.device(md, "9:0", 100).file(&format!("{md}/md/level"), "raid1\n");
    for member in members {
        let name = member.rsplit('/').next().unwrap();
        machine.link(&format!("{md}/slaves/{name}"), member);
    }
    "9:0".to_string()
}

fn cache(device: &BlockDevice) -> Option<&DriveCache> {
    device.queue.as_ref()?.drive_cache.as_ref()
}

#[test]
fn a_drive_says_itself_whether_its_cache_is_volatile_whatever_the_kernel_was_told() {
    let machine = Machine::new();
    drive(&machine, SATA, "8:0", "write back", "write through");
    drive(&machine, ISCSI, "8:16", "write through", "write back");
    let number = mirror(&machine, &[SATA, ISCSI]);
    let path = wal(&machine, &number);
    let [md, sda, sdb] = path.devices.as_slice() else { panic!("{:?}", path.devices) };
    assert_eq!(cache(md), None);
    let told = |device: &BlockDevice| device.queue.as_ref().unwrap().write_cache.clone().unwrap();
    assert_eq!((told(sda).as_str(), told(sdb).as_str()), ("write through", "write back"));
    assert!(cache(sda).unwrap().volatile);
    assert_eq!(cache(sda).unwrap().says, "scsi_disk cache_type \"write back\"");
    // Also what the kernel assumes of drives that don't tell.
    assert_eq!(cache(sdb), None);
}

#[test]
fn no_word_of_a_scsi_drive_clears_its_cache() {
    for says in ["write through", "none"] {
        let machine = Machine::new();
        drive(&machine, SATA, "8:0", says, "write through");
        let path = wal(&machine, "8:0");
        assert_eq!(cache(&path.devices[0]), None, "{says}");
    }
}

#[test]
fn a_virtual_drive_says_it_in_its_configuration() {
    let machine = Machine::new();
    let vda = "/sys/devices/pci0000:00/0000:00:02.0/virtio1/block/vda";
    machine
        .device(vda, "254:0", 100)
        .file(&format!("{vda}/cache_type"), "write back\n")
        .file(&format!("{vda}/queue/write_cache"), "write back\n");
    let path = wal(&machine, "254:0");
    assert!(cache(&path.devices[0]).unwrap().volatile);
    machine.file(&format!("{vda}/cache_type"), "write through\n");
    assert!(!cache(&wal(&machine, "254:0").devices[0]).unwrap().volatile);
    assert!(elsewhere(&path).contains("lent by a hypervisor"));
}

#[test]
fn drives_in_other_machines_are_known_by_how_they_are_attached() {
    let scsi = "host7/target7:0:0/7:0:0:0/block/sdc";
    let pci = "/sys/devices/pci0000:00/0000:00:05.0";
    for (folder, class, transport) in [
        (ISCSI.to_string(), None, "iscsi"),
        (format!("{pci}/{scsi}"), Some("iscsi_host"), "iscsi"),
        (format!("{pci}/{scsi}"), Some("srp_host"), "srp"),
        (format!("{pci}/{scsi}"), Some("fc_host"), "fibre channel"),
        (format!("{pci}/host7/rport-7:0-1/target7:0:0/7:0:0:0/block/sdc"), None, "fibre channel"),
        ("/sys/devices/virtual/block/nbd3".to_string(), None, "network (nbd)"),
        ("/sys/devices/rbd/0/block/rbd0".to_string(), None, "network (rbd)"),
        ("/sys/devices/virtual/block/drbd12".to_string(), None, "network (drbd)"),
        ("/sys/devices/virtual/block/rnbd0".to_string(), None, "network (rnbd)"),
        ("/sys/devices/virtual/block/etherd!e1.2".to_string(), None, "network (aoe)"),
    ] {
        let machine = Machine::new();
        machine.device(&folder, "8:32", 100);
        if let Some(class) = class {
            machine.folder(&format!("/sys/class/{class}/host7"));
        }
        let path = wal(&machine, "8:32");
        assert_eq!(path.devices[0].transport.as_deref(), Some(transport), "{folder}");
        let why = elsewhere(&path);
        assert!(why.contains("its own power has to be cut"), "{why}");
    }
}

#[test]
fn drives_that_may_have_a_power_supply_of_their_own_are_not_taken_for_local() {
    let sas = "/sys/devices/pci0000:00/0000:00:01.0/0000:02:00.0/host0/port-0:0";
    let usb = "/sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0";
    let drive = "end_device-0:0:5/target0:0:5/0:0:5:0/block/sdc";
    for (folder, transport, here) in [
        (format!("{sas}/{drive}"), "sas", true),
        (format!("{sas}/expander-0:0/port-0:0:5/{drive}"), "sas (expander)", false),
        (format!("{usb}/block/sdc"), "usb", false),
    ] {
        let machine = Machine::new();
        machine.device(&folder, "8:32", 100);
        let path = wal(&machine, "8:32");
        assert_eq!(path.devices[0].transport.as_deref(), Some(transport), "{folder}");
        match path.medium() {
            Medium::Here => assert!(here, "{transport}"),
            Medium::Unseen(why) => assert!(!here && why.contains("power supply"), "{why}"),
            Medium::Elsewhere(why) => panic!("{why}"),
        }
    }
}

#[test]
fn nvme_over_fabrics_is_elsewhere_and_over_pcie_is_here() {
    for (transport, here) in
        [("pcie", true), ("loop", true), ("tcp", false), ("rdma", false), ("fc", false)]
    {
        let machine = Machine::new();
        let controller = "/sys/devices/virtual/nvme-fabrics/ctl/nvme4";
        machine
            .file(&format!("{controller}/transport"), format!("{transport}\n"))
            .link("/sys/class/nvme/nvme4", controller)
            .device(&format!("{controller}/nvme4n1"), "259:0", 100);
        let path = wal(&machine, "259:0");
        assert_eq!(path.medium() == Medium::Here, here, "{transport}");
    }
}

#[test]
fn one_half_of_a_mirror_in_another_machine_is_enough() {
    let machine = Machine::new();
    drive(&machine, SATA, "8:0", "write back", "write back");
    let alone = mirror(&machine, &[SATA]);
    assert_eq!(wal(&machine, &alone).medium(), Medium::Here);
    let machine = Machine::new();
    drive(&machine, SATA, "8:0", "write back", "write back");
    drive(&machine, ISCSI, "8:16", "write back", "write back");
    let both = mirror(&machine, &[SATA, ISCSI]);
    assert!(elsewhere(&wal(&machine, &both)).starts_with("sdb is attached by iscsi"));
}

#[test]
fn a_loop_device_over_a_network_file_is_elsewhere() {
    let machine = Machine::new();
    let looped = "/sys/devices/virtual/block/loop3";
    machine
        .device(looped, "7:3", 99)
        .file(&format!("{looped}/loop/backing_file"), "/images/disk.img\n")
        .file("/images/disk.img", "x")
        .folder("/mnt")
        .file(
            "/proc/self/mountinfo",
            "25 1 0:44 / / rw - nfs4 host:/x rw\n26 25 7:3 / /mnt rw - ext4 /dev/loop3 rw\n",
        );
    let platform = narrows_platform::discover(&machine.tree(), &[(Role::Wal, Path::new("/mnt"))]);
    assert!(elsewhere(&platform.roles[0]).contains("network (nfs4)"));
}

/// What a device's folder and files make of its transport, and whether that is memory.
fn memory_of(machine: &Machine, number: &str) -> (Option<String>, Option<String>) {
    let path = wal(machine, number);
    (path.devices[0].transport.clone(), path.in_memory())
}

#[test]
fn devices_without_a_medium_are_memory_and_no_drives() {
    for (folder, word) in [
        ("/sys/devices/virtual/block/nullb0", "null_blk"),
        ("/sys/devices/pseudo_0/adapter0/host3/target3:0:0/3:0:0:0/block/sdc", "scsi_debug"),
        ("/sys/devices/platform/e820_pmem/ndbus0/region0/namespace0.0/block/pmem0", "e820 pmem"),
    ] {
        let machine = Machine::new();
        machine.device(folder, "8:32", 100);
        let (transport, memory) = memory_of(&machine, "8:32");
        assert_eq!(transport, Some(format!("memory ({word})")), "{folder}");
        assert!(memory.is_some_and(|why| why.contains(word)), "{folder}");
    }
    for (folder, transport) in [
        ("/sys/devices/LNXSYSTM:00/ACPI0012:00/ndbus0/region0/namespace0.0/block/pmem0", "pmem"),
        ("/sys/devices/pci0000:00/0000:00:05.0/virtio3/ndbus0/region0/ns/block/pmem0", "virtio"),
        (SATA, "sata"),
    ] {
        let machine = Machine::new();
        machine.device(folder, "8:32", 100);
        assert_eq!(memory_of(&machine, "8:32"), (Some(transport.to_string()), None), "{folder}");
    }
    let machine = Machine::new();
    machine.device("/sys/devices/virtual/block/zram1", "252:1", 100);
    assert_eq!(memory_of(&machine, "252:1").1.as_deref(), Some("zram1 is in memory"));
}

#[test]
fn a_loop_device_over_a_file_in_memory_is_memory_however_the_file_is_named() {
    let looped = "/sys/devices/virtual/block/loop3";
    let mounts = "25 1 8:0 / / rw - ext4 /dev/sda rw\n\
                  27 25 0:44 / /t rw - tmpfs t rw\n\
                  28 25 0:45 / /o rw - overlay overlay rw,upperdir=/t/upper\n";
    for (file, memory) in [
        ("/t/image", Some("tmpfs")),
        ("/t/image (deleted)", Some("tmpfs")),
        ("/o/image", Some("tmpfs")),
        ("/memfd:image (deleted)", Some("memfd")),
        ("/srv/image", None),
        ("/srv/image (deleted)", None),
    ] {
        let machine = Machine::new();
        machine
            .device(SATA, "8:0", 99)
            .device(looped, "7:3", 99)
            .file(&format!("{looped}/loop/backing_file"), format!("{file}\n"))
            .folder("/wal")
            .folder("/t/upper")
            .folder("/o")
            .folder("/srv")
            .file(
                "/proc/self/mountinfo",
                format!("{mounts}26 25 7:3 / /wal rw - ext4 /dev/x rw\n"),
            );
        if !file.ends_with("(deleted)") {
            machine.file(file, "x");
        }
        let roles = [(Role::Wal, Path::new("/wal"))];
        let path = narrows_platform::discover(&machine.tree(), &roles).roles.remove(0);
        let why = path.in_memory();
        assert_eq!(why.is_some(), memory.is_some(), "{file}: {why:?}");
        if let Some(memory) = memory {
            assert!(why.unwrap().contains(memory), "{file}");
        } else {
            assert!(path.devices.iter().any(|device| device.name == "sda"), "{file}");
        }
    }
}

#[test]
fn a_target_of_this_machine_itself_is_no_other_machine() {
    for (address, transport) in [
        ("127.0.0.1", "iscsi (this machine)"),
        ("::1", "iscsi (this machine)"),
        ("192.0.2.7", "iscsi"),
    ] {
        let machine = Machine::new();
        machine
            .device(ISCSI, "8:16", 99)
            .file("/sys/class/iscsi_connection/connection1:0/address", format!("{address}\n"));
        let path = wal(&machine, "8:16");
        assert_eq!(path.devices[0].transport.as_deref(), Some(transport));
        assert_eq!(path.served_here().is_some(), transport.ends_with("(this machine)"));
    }
    // The adapter's own address is the target's: no loopback, and this machine all the same.
    for (here, itself) in [("192.0.2.7", true), ("192.0.2.8", false), ("::ffff:192.0.2.7", true)] {
        let machine = Machine::new();
        machine
            .device(ISCSI, "8:16", 99)
            .file("/sys/class/iscsi_connection/connection1:0/address", "192.0.2.7\n")
            .file("/sys/class/iscsi_host/host2/ipaddress", format!("{here}\n"));
        assert_eq!(wal(&machine, "8:16").served_here().is_some(), itself, "{here}");
    }
    for (options, itself) in [
        ("rw,vers=4.2,addr=127.0.0.1,clientaddr=127.0.0.1", true),
        ("rw,vers=4.2,clientaddr=192.0.2.7,addr=192.0.2.7", true),
        ("rw,vers=4.2,addr=192.0.2.9,clientaddr=192.0.2.7", false),
        ("rw,vers=3,addr=192.0.2.9", false),
    ] {
        let machine = Machine::new();
        let mounts = format!("26 1 0:45 / / rw - nfs4 s:/export {options}\n");
        machine.folder("/wal").file("/proc/self/mountinfo", mounts);
        let roles = [(Role::Wal, Path::new("/wal"))];
        let path = narrows_platform::discover(&machine.tree(), &roles).roles.remove(0);
        assert_eq!(path.served_here().is_some(), itself, "{options}");
        assert_eq!(matches!(path.medium(), Medium::Elsewhere(_)), !itself, "{options}");
    }
    let nvme = "/sys/devices/virtual/nvme-fabrics/ctl/nvme3/nvme3n1";
    for (address, own) in [
        ("traddr=127.0.0.1,trsvcid=4420", true),
        ("traddr=192.0.2.7,trsvcid=4420,src_addr=192.0.2.7", true),
        ("traddr=192.0.2.7,trsvcid=4420,src_addr=192.0.2.1", false),
    ] {
        let machine = Machine::new();
        machine
            .device(nvme, "259:7", 99)
            .file("/sys/class/nvme/nvme3/transport", "tcp\n")
            .file("/sys/class/nvme/nvme3/address", format!("{address}\n"));
        let path = wal(&machine, "259:7");
        let wanted = if own { "nvme (tcp) (this machine)" } else { "nvme (tcp)" };
        assert_eq!(path.devices[0].transport.as_deref(), Some(wanted), "{address}");
        assert_eq!(matches!(path.medium(), Medium::Elsewhere(_)), !own, "{address}");
    }
}

/// Linux's target on this machine serves `/dev/ram0`, a drive, or a file; its host is this machine too.
#[test]
fn what_linux_target_serves_to_its_own_machine_is_beneath_the_namespace() {
    const NQN: &str = "nqn.2026-11.org.example:disk";
    let here = "traddr=127.0.0.1,trsvcid=4420";
    let served = |address: &str, settings: &[(&str, &str)]| {
        let machine = Machine::new();
        let nvme = "/sys/devices/virtual/nvme-fabrics/ctl/nvme3/nvme3n1";
        let ram = "/sys/devices/virtual/block/ram0";
        machine
            .device(nvme, "259:7", 99)
            .device(ram, "1:0", 99)
            .device(SATA, "8:0", 99)
            .link("/sys/class/block/ram0", ram)
            .file(&format!("{nvme}/nsid"), "2\n")
            .files(
                "/sys/class/nvme/nvme3",
                &[("transport", "tcp\n"), ("address", address), ("subsysnqn", NQN)],
            )
            .files(
                &format!("/sys/kernel/config/nvmet/subsystems/{NQN}/namespaces/2"),
                &[("enable", "1\n"), ("buffered_io", "0\n"), ("device_path", "/dev/ram0\n")],
            )
            .files(&format!("/sys/kernel/config/nvmet/subsystems/{NQN}/namespaces/2"), settings)
            .file("/dev/ram0", "")
            .file("/t/image", "x")
            .file("/srv/image", "x")
            .folder("/wal")
            .file(
                "/proc/self/mountinfo",
                "25 1 8:0 / / rw - ext4 /dev/sda rw\n\
                 26 25 259:7 / /wal rw - ext4 /dev/nvme3n1 rw\n\
                 27 25 0:44 / /t rw - tmpfs t rw\n",
            );
        let roles = [(Role::Wal, Path::new("/wal"))];
        narrows_platform::discover(&machine.tree(), &roles).roles.remove(0)
    };
    let names = |path: &narrows_model::RolePath| -> Vec<String> {
        path.devices.iter().map(|device| device.name.clone()).collect()
    };
    let file = |path| ("device_path", path);
    let ram = served(here, &[]);
    assert_eq!(names(&ram), ["nvme3n1", "ram0"]);
    assert_eq!(ram.in_memory().as_deref(), Some("ram0 is in memory"));
    assert!(ram.served_here().is_some() && ram.file_system.behind.is_none());
    // Without a word of buffered_io a device has no page cache before it.
    let buffered = ("buffered_io", "1\n");
    assert_eq!(served(here, &[buffered]).file_system.behind, None);
    let tmpfs = served(here, &[file("/t/image")]);
    assert_eq!(tmpfs.in_memory().as_deref(), Some("behind nvme3n1 is a file in memory (tmpfs)"));
    assert!(tmpfs.served_here().is_some());
    let drive = served(here, &[file("/srv/image"), buffered]);
    assert_eq!(names(&drive), ["nvme3n1", "sda"]);
    assert_eq!(drive.in_memory(), None);
    assert_eq!(drive.file_system.behind.as_deref(), Some("page cache"));
    assert!(drive.served_here().is_some());
    assert_eq!(served(here, &[file("/srv/image")]).file_system.behind, None);
    // A namespace that is switched off, and one of another machine whose names are the same.
    for other in [
        served(here, &[("enable", "0\n")]),
        served("traddr=192.0.2.7,trsvcid=4420,src_addr=192.0.2.1", &[buffered, file("/srv/image")]),
    ] {
        assert_eq!(names(&other), ["nvme3n1"]);
        assert_eq!((other.in_memory(), other.file_system.behind), (None, None));
    }
}

#[test]
fn thin_storage_is_known_by_its_pool_and_by_the_luns_own_word() {
    let dm = |number: u32| format!("/sys/devices/virtual/block/dm-{number}");
    // Without root the kernel says nothing of the volume, and LVM's mark of the pool beneath is there.
    let machine = Machine::new();
    machine
        .device(SATA, "8:0", 99)
        .device(&dm(2), "253:2", 99)
        .device(&dm(3), "253:3", 99)
        .file(&format!("{}/dm/uuid", dm(2)), "LVM-abcDEF-tpool\n")
        .file(&format!("{}/dm/uuid", dm(3)), "LVM-abcGHI\n")
        .folder(&format!("{}/queue", dm(2)))
        .folder(&format!("{}/queue", dm(3)))
        .link(&format!("{}/slaves/dm-2", dm(3)), &dm(2))
        .link(&format!("{}/slaves/sda", dm(2)), SATA);
    let thin = wal(&machine, "253:3").thin();
    assert_eq!(thin.as_deref(), Some("dm-2 is a thin pool (dm-thin)"));
    machine.file(&format!("{}/dm/uuid", dm(2)), "LVM-abcDEF\n");
    assert_eq!(wal(&machine, "253:3").thin(), None);
    // An array's word for its LUN, and the same page of an SSD that takes TRIM.
    for (page, thin) in
        [([0u8, 0xb2, 0, 4, 0, 0xe4, 2, 0], true), ([0, 0xb2, 0, 4, 0, 0x40, 0, 0], false)]
    {
        let machine = Machine::new();
        let device = ISCSI.strip_suffix("/block/sdb").unwrap();
        machine
            .device(ISCSI, "8:16", 99)
            .folder(&format!("{ISCSI}/queue"))
            .link(&format!("{ISCSI}/device"), device)
            .file(&format!("{device}/vpd_pgb2"), page);
        assert_eq!(wal(&machine, "8:16").thin().is_some(), thin, "{page:?}");
    }
}

#[test]
fn file_systems_on_several_devices_lead_to_all_of_them() {
    let second = "/sys/devices/pci0000:00/0000:00:17.0/ata2/host1/target1:0:0/1:0:0:0/block/sdb";
    for (kind, source, wanted) in [
        ("btrfs", "/dev/sda", vec!["sda", "sdb"]),
        ("bcachefs", "/dev/sda:/dev/sdb", vec!["sda", "sdb"]),
        ("zfs", "tank/data", vec![]),
        ("tmpfs", "/dev/sda", vec![]),
    ] {
        let machine = Machine::new();
        machine
            .device(SATA, "8:0", 99)
            .device(second, "8:16", 99)
            .link("/sys/class/block/sda", SATA)
            .link("/sys/class/block/sdb", second)
            .folder("/sys/fs/btrfs/features")
            .link("/sys/fs/btrfs/1b2e/devices/sda", SATA)
            .link("/sys/fs/btrfs/1b2e/devices/sdb", second)
            .folder("/wal")
            .file("/proc/self/mountinfo", format!("26 1 0:33 / / rw - {kind} {source} rw\n"));
        let roles = [(Role::Wal, Path::new("/wal"))];
        let path = narrows_platform::discover(&machine.tree(), &roles).roles.remove(0);
        let names: Vec<&str> = path.devices.iter().map(|device| device.name.as_str()).collect();
        assert_eq!(names, wanted, "{kind}");
    }
}
