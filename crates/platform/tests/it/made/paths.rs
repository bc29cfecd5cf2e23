//! Paths of roles from the folder to the drives, on machines made of files.

use std::path::Path;

use crate::made::machine::Machine;
use narrows_facts::{Call, Recorder, Replay};
use narrows_model::{BlockDevice, DeviceKind, Platform, Role, RolePath};

fn discover(machine: &Machine, folder: &str) -> Platform {
    narrows_platform::discover(&machine.tree(), &[(Role::Data, Path::new(folder))])
}

fn names(path: &RolePath) -> Vec<&str> {
    path.devices.iter().map(|device| device.name.as_str()).collect()
}

fn device<'a>(path: &'a RolePath, name: &str) -> &'a BlockDevice {
    path.devices.iter().find(|device| device.name == name).unwrap()
}

fn unknown(platform: &Platform, part: &str) -> usize {
    platform.unknown.iter().filter(|unknown| unknown.what.contains(part)).count()
}

/// Two NVMe drives behind a port each; the second drive trained down to half its lanes.
fn nvme(machine: &Machine) {
    for (index, (port, bus, width)) in
        [("0000:00:01.1", "0000:01:00.0", "4"), ("0000:00:03.1", "10000:02:00.0", "2")]
            .into_iter()
            .enumerate()
    {
        let port = format!("/sys/devices/pci0000:00/{port}");
        let function = format!("{port}/{bus}");
        let links = |now: &'static str, lanes: &'static str, max: &'static str| {
            [
                ("current_link_speed", now),
                ("current_link_width", lanes),
                ("max_link_speed", max),
                ("max_link_width", "4"),
            ]
        };
        machine.files(&port, &links("8.0 GT/s PCIe", width, "8 GT/s"));
        machine.files(&function, &links("8.0 GT/s PCIe", width, "16.0 GT/s PCIe"));
        machine.file(&format!("{port}/numa_node"), "-1\n");
        machine.file(&format!("{function}/numa_node"), if index == 0 { "1\n" } else { "-1\n" });
        let controller = format!("{function}/nvme/nvme{index}");
        machine.files(&controller, &[("model", "FAST DRIVE 3  \n"), ("transport", "pcie\n")]);
        machine.link(&format!("/sys/class/nvme/nvme{index}"), &controller);
        let disk = format!("{controller}/nvme{index}n1");
        machine.device(&disk, &format!("259:{}", index * 4), 1 << 21);
        machine.link(
            &format!("{disk}/device"),
            "../../nvme".replace("nvme", &format!("nvme{index}")).as_str(),
        );
        machine.files(
            &format!("{disk}/queue"),
            &[
                ("scheduler", "[none] mq-deadline\n"),
                ("nr_requests", "1023\n"),
                ("logical_block_size", "512\n"),
                ("physical_block_size", "4096\n"),
                ("rotational", "0\n"),
                ("write_cache", "write through\n"),
                ("fua", "1\n"),
                ("max_sectors_kb", "1280\n"),
                ("read_ahead_kb", "128\n"),
                ("wbt_lat_usec", "0\n"),
                ("nomerges", "2\n"),
                ("iostats", "0\n"),
            ],
        );
        machine.file(&format!("{disk}/mq/0/nr_tags"), "1023\n");
        machine.file(&format!("{disk}/mq/1/nr_tags"), "1023\n");
        let partition = format!("{disk}/nvme{index}n1p2");
        machine.device(&partition, &format!("259:{}", index * 4 + 2), 1 << 20);
        machine.file(&format!("{partition}/partition"), "2\n");
    }
}

fn raid(machine: &Machine) {
    nvme(machine);
    let md = "/sys/devices/virtual/block/md0";
    machine.device(md, "9:0", 1 << 21).file(&format!("{md}/md/level"), "raid1\n");
    for index in 0..2 {
        let target = format!("/sys/dev/block/259:{}", index * 4 + 2);
        machine.link(&format!("{md}/slaves/nvme{index}n1p2"), &target);
    }
}

#[test]
fn raid_over_two_nvme_partitions() {
    let machine = Machine::new();
    raid(&machine);
    machine.folder("/data/pg").file(
        "/proc/self/mountinfo",
        "25 1 259:1 / / rw - ext4 /dev/root rw\n26 25 9:0 / /data rw,noatime - xfs /dev/md0 rw,ro\n",
    );
    let platform = discover(&machine, "/data/pg/not/made/yet");
    let path = &platform.roles[0];
    assert_eq!(path.path, "/data/pg/not/made/yet");
    assert_eq!(
        (path.file_system.kind.as_str(), path.file_system.mount_point.as_str()),
        ("xfs", "/data")
    );
    assert!(path.file_system.read_only && !path.file_system.volatile && !path.file_system.network);
    assert_eq!(path.file_system.total_bytes, None);
    assert_eq!(names(path), ["md0", "nvme0n1p2", "nvme0n1", "nvme1n1p2", "nvme1n1"]);
    let drives: Vec<&str> = path.drives().map(|drive| drive.name.as_str()).collect();
    assert_eq!(drives, ["nvme0n1", "nvme1n1"]);

    let md = device(path, "md0");
    assert_eq!(
        (md.kind, md.level.as_deref(), md.number.as_str()),
        (DeviceKind::Raid, Some("raid1"), "9:0")
    );
    assert_eq!((md.size_bytes, md.transport.as_deref()), (Some(1 << 30), None));
    assert_eq!(md.slaves, ["nvme0n1p2", "nvme1n1p2"]);
    let partition = device(path, "nvme1n1p2");
    assert_eq!(
        (partition.kind, partition.slaves.as_slice()),
        (DeviceKind::Partition, ["nvme1n1".to_string()].as_slice())
    );
    assert!(partition.queue.is_none() && partition.pcie.is_empty());

    let near = device(path, "nvme0n1");
    assert_eq!((near.kind, near.numa_node), (DeviceKind::Disk, Some(1)));
    assert_eq!(near.model.as_deref(), Some("FAST DRIVE 3"));
    assert_eq!(near.transport.as_deref(), Some("nvme (pcie)"));
    let queue = near.queue.as_ref().unwrap();
    assert_eq!((queue.scheduler.as_deref(), queue.nr_requests), (Some("none"), Some(1023)));
    assert_eq!(queue.hardware_queues, Some(2));
    assert_eq!(
        (queue.fua, queue.rotational, queue.iostats),
        (Some(true), Some(false), Some(false))
    );
    assert_eq!((queue.write_cache.as_deref(), queue.nomerges), (Some("write through"), Some(2)));

    let far = device(path, "nvme1n1");
    assert_eq!(far.numa_node, None, "-1 is not a node");
    let addresses: Vec<&str> = far.pcie.iter().map(|link| link.address.as_str()).collect();
    assert_eq!(addresses, ["10000:02:00.0", "0000:00:03.1"]);
    // The drive could do 16 GT/s, its port only 8; and it runs on two lanes of four.
    assert_eq!((far.pcie[0].max_gts, far.pcie[1].max_gts), (Some(16.0), Some(8.0)));
    assert_eq!((far.pcie[0].current_gts, far.pcie[0].current_width), (Some(8.0), Some(2)));
    assert_eq!(unknown(&platform, "PCIe"), 0);
    assert_eq!(unknown(&platform, "wear"), 1, "one line for both drives");
}

#[test]
fn flit_mode_is_asked_of_ends_that_may_have_it_and_unknown_without_root() {
    const PORT: &str = "/sys/devices/pci0000:00/0000:00:01.1";
    const FUNCTION: &str = "0000:01:00.0";
    let machine = Machine::new();
    raid(&machine);
    machine
        .file(&format!("{PORT}/{FUNCTION}/max_link_speed"), "32.0 GT/s PCIe\n")
        .folder("/data")
        .file(
            "/proc/self/mountinfo",
            "25 1 259:1 / / rw - ext4 /dev/root rw\n26 25 9:0 / /data rw - xfs /dev/md0 rw\n",
        );
    let tree = machine.tree();
    let recorder = Recorder::new(&tree);
    let paths = [(Role::Data, Path::new("/data"))];
    let hidden = narrows_platform::discover(&recorder, &paths);
    let mut recording = recorder.finish();
    let asked: Vec<String> = recording
        .calls
        .keys()
        .filter(|(call, _)| *call == Call::PcieFlitMode)
        .map(|(_, of)| of.clone())
        .collect();
    assert_eq!(asked, [FUNCTION], "neither its port at 8 GT/s nor the drive at 16");
    assert_eq!(unknown(&hidden, "flit mode"), 1);

    recording.calls.insert((Call::PcieFlitMode, FUNCTION.into()), Ok("1".into()));
    let read = narrows_platform::discover(&Replay::new(recording), &paths);
    let modes: Vec<Option<bool>> =
        device(&read.roles[0], "nvme0n1").pcie.iter().map(|link| link.flit_mode).collect();
    assert_eq!(modes, [Some(true), None]);
    assert_eq!(unknown(&read, "flit mode"), 0);
}

#[test]
fn encryption_over_a_partition_of_a_virtual_drive() {
    let machine = Machine::new();
    let disk = "/sys/devices/pci0000:00/0000:00:02.0/virtio1/block/vda";
    let partition = format!("{disk}/vda3");
    let crypt = "/sys/devices/virtual/block/dm-0";
    let volume = "/sys/devices/virtual/block/dm-1";
    machine
        .device(disk, "254:0", 100)
        .device(&partition, "254:3", 50)
        .file(&format!("{partition}/partition"), "3\n")
        .device(crypt, "253:0", 40)
        .file(&format!("{crypt}/dm/uuid"), "CRYPT-LUKS2-0123-luks\n")
        .link(&format!("{crypt}/slaves/vda3"), &partition)
        .device(volume, "253:1", 30)
        .file(&format!("{volume}/dm/uuid"), "LVM-abcdef\n")
        .link(&format!("{volume}/slaves/dm-0"), crypt)
        // What virtio functions give.
        .file("/sys/devices/pci0000:00/0000:00:02.0/current_link_speed", "Unknown\n")
        .file("/sys/devices/pci0000:00/0000:00:02.0/current_link_width", "0\n")
        .folder("/d")
        .file("/proc/self/mountinfo", "26 1 253:1 / / rw - ext4 /dev/mapper/x rw\n");
    let platform = discover(&machine, "/d");
    let path = &platform.roles[0];
    assert_eq!(names(path), ["dm-1", "dm-0", "vda3", "vda"]);
    let levels: Vec<Option<&str>> = path.devices.iter().map(|d| d.level.as_deref()).collect();
    assert_eq!(levels, [Some("lvm"), Some("crypt"), None, None]);
    assert_eq!(device(path, "vda").transport.as_deref(), Some("virtio"));
    assert!(device(path, "vda").pcie.is_empty());
    assert_eq!(unknown(&platform, "PCIe"), 1);
}

#[test]
fn an_nvme_drive_with_several_controllers_has_theirs() {
    let machine = Machine::new();
    let function = "/sys/devices/pci0000:40/0000:40:01.1/0000:41:00.0";
    let controller = format!("{function}/nvme/nvme0");
    let subsystem = "/sys/devices/virtual/nvme-subsystem/nvme-subsys0";
    let head = format!("{subsystem}/nvme0n1");
    machine
        .files(function, &[("current_link_speed", "32.0 GT/s PCIe\n"), ("numa_node", "3\n")])
        .file(&format!("{controller}/transport"), "pcie\n")
        .link("/sys/class/nvme/nvme0", &controller)
        .link(&format!("{subsystem}/nvme0"), &controller)
        .link("/sys/class/nvme-subsystem/nvme-subsys0", subsystem)
        .device(&head, "259:0", 8)
        .folder("/d")
        .file("/proc/self/mountinfo", "26 1 259:0 / / rw - xfs /dev/nvme0n1 rw\n");
    let platform = discover(&machine, "/d");
    let drive = device(&platform.roles[0], "nvme0n1");
    assert_eq!((drive.transport.as_deref(), drive.numa_node), (Some("nvme (pcie)"), Some(3)));
    assert_eq!(drive.pcie[0].current_gts, Some(32.0));
    // A second way, first at the same node and then at another.
    let function = "/sys/devices/pci0000:80/0000:80:01.1/0000:81:00.0";
    let controller = format!("{function}/nvme/nvme1");
    machine
        .file(&format!("{function}/numa_node"), "3\n")
        .link("/sys/class/nvme/nvme1", &controller)
        .file(&format!("{controller}/transport"), "pcie\n")
        .link(&format!("{subsystem}/nvme1"), &controller);
    let node = || device(&discover(&machine, "/d").roles[0], "nvme0n1").numa_node;
    assert_eq!(node(), Some(3));
    machine.file(&format!("{function}/numa_node"), "0\n");
    assert_eq!(node(), None, "it is near to both");
}

#[test]
fn a_loop_device_lies_on_the_device_of_its_file() {
    let machine = Machine::new();
    raid(&machine);
    let looped = "/sys/devices/virtual/block/loop3";
    machine
        .device(looped, "7:3", 99)
        .file(&format!("{looped}/loop/backing_file"), "/images/disk.img\n")
        .file("/images/disk.img", "x")
        .folder("/mnt")
        .file(
            "/proc/self/mountinfo",
            "25 1 259:0 / / rw - ext4 /dev/root rw\n26 25 7:3 / /mnt rw - ext4 /dev/loop3 rw\n",
        );
    let platform = discover(&machine, "/mnt");
    assert_eq!(names(&platform.roles[0]), ["loop3", "nvme0n1"]);
    assert_eq!(device(&platform.roles[0], "loop3").kind, DeviceKind::Loop);
    assert_eq!(device(&platform.roles[0], "loop3").slaves, ["nvme0n1"]);
}

#[test]
fn overlays_are_followed_where_they_can_be() {
    let machine = Machine::new();
    nvme(&machine);
    machine.folder("/data").folder("/host/upper").file(
        "/proc/self/mountinfo",
        "25 1 0:50 / / rw - overlay overlay rw,lowerdir=/l,upperdir=/host/upper,workdir=/w\n\
         26 25 259:4 / /host rw - ext4 /dev/nvme1n1 rw\n\
         27 25 0:51 / /deaf rw - overlay overlay rw,upperdir=/not/here\n",
    );
    let platform = discover(&machine, "/data");
    assert!(platform.roles[0].file_system.overlay);
    assert_eq!(names(&platform.roles[0]), ["nvme1n1"]);
    assert_eq!(unknown(&platform, "drives under"), 0);
    machine.folder("/deaf");
    let platform = discover(&machine, "/deaf");
    assert!(platform.roles[0].devices.is_empty());
    assert_eq!(unknown(&platform, "drives under /deaf"), 1);
}

#[test]
fn what_has_no_drive_says_why() {
    let cases = [
        ("btrfs", "/dev/sda1", false, false, 1),
        ("zfs", "tank/x", false, false, 1),
        ("nfs4", "host:/x", false, true, 1),
        ("fuse.sshfs", "host:", false, true, 1),
        ("tmpfs", "tmpfs", true, false, 0),
    ];
    for (kind, source, volatile, network, said) in cases {
        let machine = Machine::new();
        let line = format!("26 1 0:44 / / rw - {kind} {source} rw\n");
        machine.folder("/d").file("/proc/self/mountinfo", line);
        let platform = discover(&machine, "/d");
        let file_system = &platform.roles[0].file_system;
        assert!(platform.roles[0].devices.is_empty(), "{kind}");
        assert_eq!((file_system.volatile, file_system.network), (volatile, network), "{kind}");
        assert_eq!(unknown(&platform, "drives under /"), said, "{kind}");
    }
}

#[test]
fn a_machine_that_shows_nothing_is_still_examined() {
    let platform = discover(&Machine::new(), "/d");
    assert_eq!(platform.roles[0].path, "/d");
    assert_eq!(unknown(&platform, "file system of /d"), 1);
    assert!(platform.hypervisor.is_none() && platform.nodes.is_empty());
    assert_eq!(platform.cpu.sockets, 0);
}
