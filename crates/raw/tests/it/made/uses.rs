//! Every use is found on the device, on what shares blocks with it, and nowhere else.

use narrows_raw::{Use, refusals};

use crate::made::machine::{Machine, SIZE_BYTES};

const NONE: [&str; 0] = [];

#[test]
fn an_idle_empty_device_is_free() {
    let mut machine = Machine::new();
    machine.drive("sda");
    machine.drive("sdb");
    machine.mounts("30 1 8:0 / / rw - ext4 /dev/sda rw\n");
    assert_eq!(machine.refused("/dev/sdb"), NONE);
    assert_eq!(machine.refused("/dev/sda"), ["sda holds the running machine's /"]);
}

#[test]
fn a_mounted_partition_keeps_the_disk_and_not_its_neighbour() {
    let mut machine = Machine::new();
    machine.drive("sda");
    machine.partition("sda", "sda1", 1, "8:1");
    machine.partition("sda", "sda2", 2, "8:2");
    machine.mounts("30 1 8:1 / /srv/my\\040data rw - ext4 /dev/sda1 rw\n");
    assert_eq!(
        machine.refused("/dev/sda"),
        ["sda1 is mounted at /srv/my data", "it has partitions: sda1, sda2"]
    );
    assert_eq!(machine.refused("/dev/sda1"), ["sda1 is mounted at /srv/my data"]);
    assert_eq!(machine.refused("/dev/sda2"), NONE);
}

#[test]
fn a_disk_mounted_as_a_whole_keeps_its_partitions() {
    let mut machine = Machine::new();
    machine.drive("sda");
    machine.partition("sda", "sda1", 1, "8:1");
    machine.mounts("30 1 8:0 / /srv rw - ext4 /dev/sda rw\n");
    assert_eq!(machine.refused("/dev/sda1"), ["sda is mounted at /srv"]);
}

#[test]
fn what_is_mounted_far_above_keeps_every_device_beneath() {
    let mut machine = Machine::new();
    machine.drive("sda");
    machine.drive("sdb");
    machine.drive("sdc");
    machine.partition("sda", "sda1", 1, "8:1");
    machine.mapper("dm-0", "253:0", &["sda1", "sdb"]);
    machine.mapper("dm-1", "253:1", &["dm-0"]);
    machine.mounts("30 1 253:1 / /srv rw - xfs /dev/mapper/x rw\n");
    let mounted = "dm-1 is mounted at /srv".to_string();
    for (device, holder) in [("sda1", "sda1"), ("sdb", "sdb"), ("sda", "sda1"), ("dm-0", "dm-0")] {
        let refused = machine.refused(&format!("/dev/{device}"));
        assert!(refused.contains(&mounted), "{device}: {refused:?}");
        let upper = if holder == "dm-0" { "dm-1" } else { "dm-0" };
        assert!(refused.contains(&format!("{upper} is built on {holder}")), "{refused:?}");
    }
    assert_eq!(machine.refused("/dev/dm-1"), [mounted]);
    assert_eq!(machine.refused("/dev/sdc"), NONE);
}

#[test]
fn mounts_of_other_namespaces_count() {
    let mut machine = Machine::new();
    machine.drive("sda");
    machine.drive("sdb");
    let ours = "20 1 0:5 / /dev rw - devtmpfs devtmpfs rw\n";
    machine.process(77, "container");
    machine.file("/proc/77/mountinfo", &format!("{ours}40 1 8:0 / /data rw - xfs /dev/sda rw\n"));
    machine.link("/proc/77/ns/mnt", "mnt:[2]");
    // Thousands of processes share a namespace; only one of them is read.
    machine.process(78, "container");
    machine.file("/proc/78/mountinfo", "50 1 8:16 / /never-read rw - xfs /dev/sdb rw\n");
    machine.link("/proc/78/ns/mnt", "mnt:[2]");
    assert_eq!(machine.refused("/dev/sda"), ["sda is mounted at /data for process 77"]);
    assert_eq!(machine.refused("/dev/sdb"), NONE);
}

#[test]
fn file_systems_with_numbers_of_their_own_are_found_by_name() {
    let mut machine = Machine::new();
    for name in ["sda", "sdb", "sdc", "sdd", "sde", "sdf"] {
        machine.drive(name);
    }
    machine.mounts(
        "30 1 0:40 / /a rw - btrfs /dev/sda rw\n\
         31 1 0:41 / /b rw - bcachefs /dev/sdc:/dev/sdd rw\n\
         32 1 0:42 / /c rw - xfs /dev/nothing rw,logdev=/dev/sde\n\
         33 1 0:43 / /d rw - tmpfs /dev/sdf.img rw\n",
    );
    // Only one device of a Btrfs stands in the mount table.
    machine.file("/sys/fs/btrfs/1234/devices/sda", "");
    machine.file("/sys/fs/btrfs/1234/devices/sdb", "");
    assert_eq!(
        machine.refused("/dev/sda"),
        ["sda is mounted at /a", "sda belongs to the mounted Btrfs 1234"]
    );
    assert_eq!(machine.refused("/dev/sdb"), ["sdb belongs to the mounted Btrfs 1234"]);
    assert_eq!(machine.refused("/dev/sdc"), ["sdc is mounted at /b"]);
    assert_eq!(machine.refused("/dev/sdd"), ["sdd is mounted at /b"]);
    assert_eq!(machine.refused("/dev/sde"), ["sde is mounted at /c"]);
    assert_eq!(machine.refused("/dev/sdf"), NONE);
}

#[test]
fn swap_is_found_through_a_link_and_on_a_partition() {
    let mut machine = Machine::new();
    machine.drive("sda");
    machine.drive("sdb");
    machine.partition("sda", "sda1", 1, "8:1");
    machine.link("/dev/disk/by-label/swap", "../../sda1");
    let swaps = "Filename Type Size Used Priority\n\
                 /dev/disk/by-label/swap partition 8 0 -2\n/swapfile file 8 0 -3\n";
    machine.file("/proc/swaps", swaps);
    assert_eq!(machine.refused("/dev/sda1"), ["the machine swaps to sda1"]);
    assert!(machine.refused("/dev/sda").contains(&"the machine swaps to sda1".to_string()));
    assert_eq!(machine.refused("/dev/sdb"), NONE);
}

#[test]
fn services_of_the_kernel_that_claim_nothing_are_found() {
    let mut machine = Machine::new();
    for name in ["sda", "sdb", "sdc", "sdd", "loop0"] {
        machine.drive(name);
    }
    machine.file("/sys/block/loop0/loop/backing_file", "/dev/sda\n");
    let nvme = "/sys/kernel/config/nvmet/subsystems/nqn.x/namespaces/1/device_path";
    machine.file(nvme, "/dev/sdb\n");
    machine.file("/sys/kernel/config/target/core/iblock_0/lun/udev_path", "/dev/sdc\n");
    assert_eq!(machine.refused("/dev/sda"), ["loop device loop0 serves sda"]);
    assert_eq!(machine.refused("/dev/sdb"), ["NVMe target nqn.x serves sdb"]);
    assert_eq!(machine.refused("/dev/sdc"), ["SCSI target iblock_0/lun serves sdc"]);
    assert_eq!(machine.refused("/dev/sdd"), NONE);
}

#[test]
fn writers_refuse_and_readers_are_only_told() {
    let mut machine = Machine::new();
    machine.drive("sda");
    machine.drive("sdb");
    machine.process(5, "qemu").link("/proc/5/fd/3", "/dev/sda");
    machine.file("/proc/5/fdinfo/3", "pos:\t0\nflags:\t02100002\n");
    machine.process(6, "smartd").link("/proc/6/fd/3", "/dev/sdb");
    machine.file("/proc/6/fdinfo/3", "pos:\t0\nflags:\t0100000\n");
    assert_eq!(machine.refused("/dev/sda"), ["qemu (process 5) has sda open for writing"]);
    assert_eq!(machine.refused("/dev/sdb"), NONE);
    let device = machine.inspect("/dev/sdb");
    assert_eq!((device.readers[0].pid, device.readers[0].writes), (6, false));
    // What the kernel doesn't tell is taken for writing.
    machine.process(7, "unknown").link("/proc/7/fd/3", "/dev/sdb");
    assert_eq!(machine.refused("/dev/sdb"), ["unknown (process 7) has sdb open for writing"]);
}

#[test]
fn a_running_database_is_named() {
    let mut machine = Machine::new();
    machine.drive("sda");
    machine.partition("sda", "sda1", 1, "8:1");
    machine.partition("sda", "sda2", 2, "8:2");
    machine.mounts("30 1 8:1 / /pg rw - xfs /dev/sda1 rw\n");
    machine.process(9, "postgres").bytes("/proc/9/cmdline", b"postgres\0-D\0/pg/data\0");
    machine.file("/pg/data/PG_VERSION", "17\n");
    let device = machine.inspect("/dev/sda");
    let database = Use::Database {
        device: "sda1".into(),
        kind: "postgresql".into(),
        pid: 9,
        data_dir: Some("/pg/data".into()),
    };
    assert!(device.uses.contains(&database), "{:?}", device.uses);
    assert!(machine.inspect("/dev/sda1").uses.contains(&database));
    assert_eq!(machine.refused("/dev/sda2"), NONE, "the neighbour is nobody's");
}

#[test]
fn another_path_to_the_same_drive_is_no_way_around() {
    let mut machine = Machine::new();
    for name in ["sda", "sdb", "sdc"] {
        machine.drive(name);
        let last = if name == "sdc" { "2" } else { "1" };
        machine.file(&format!("/sys/class/block/{name}/device/wwid"), &format!("naa.5000{last}\n"));
    }
    machine.partition("sda", "sda1", 1, "8:1");
    machine.partition("sdb", "sdb1", 1, "8:17");
    machine.partition("sdb", "sdb2", 2, "8:18");
    machine.mounts("30 1 8:1 / /srv rw - ext4 /dev/sda1 rw\n");
    assert_eq!(machine.inspect("/dev/sdb").other_paths, ["sda"]);
    assert!(machine.refused("/dev/sdb").contains(&"sda1 is mounted at /srv".to_string()));
    assert_eq!(machine.refused("/dev/sdb1"), ["sda1 is mounted at /srv"]);
    assert_eq!(machine.refused("/dev/sdb2"), NONE);
    assert_eq!(machine.refused("/dev/sdc"), NONE);
}

#[test]
fn flags_sizes_and_contents() {
    let mut machine = Machine::new();
    machine.drive("sda");
    let mut image = vec![0; SIZE_BYTES as usize];
    image[..4].copy_from_slice(b"XFSB");
    let reasons = refusals(&machine.inspect_image("/dev/sda", image));
    assert_eq!(reasons.len(), 1);
    assert_eq!(reasons[0].to_string(), "it carries a file system: XFS, at byte 0");
    // Shorter than the kernel says: what the rest holds is not known.
    let reasons = refusals(&machine.inspect_image("/dev/sda", vec![0; 4096]));
    assert!(reasons[0].to_string().starts_with("what is on it is unknown"), "{reasons:?}");
    machine.file("/sys/class/block/sda/ro", "1\n");
    assert_eq!(machine.refused("/dev/sda"), ["it is read-only"]);
    machine.file("/sys/class/block/sda/ro", "0\n").file("/sys/class/block/sda/size", "0\n");
    assert_eq!(machine.refused("/dev/sda"), ["it has no medium, or does not report its size"]);
}

#[test]
fn a_copied_machine_without_contents_is_never_free() {
    let mut machine = Machine::new();
    machine.drive("sda");
    let device = narrows_raw::inspect(&machine.tree(), "/dev/sda").unwrap();
    assert_eq!(refusals(&device).len(), 1);
    assert!(refusals(&device)[0].to_string().contains("unknown"));
}
