//! Devices that share bytes without the kernel's saying so: loop devices on one file, volumes and arrays over them.

use crate::made::machine::Machine;

const NONE: [&str; 0] = [];

/// A machine with loop devices on files: name, file, offset, limit.
fn machine(loops: &[(&str, &str, u64, u64)]) -> Machine {
    let mut machine = Machine::new();
    for (name, file, offset, limit) in loops {
        machine.drive(name);
        let folder = format!("/sys/block/{name}/loop");
        machine.file(&format!("{folder}/backing_file"), &format!("{file}\n"));
        machine.file(&format!("{folder}/offset"), &format!("{offset}\n"));
        machine.file(&format!("{folder}/sizelimit"), &format!("{limit}\n"));
        if !file.starts_with("/dev/") && !file.starts_with("/elsewhere") {
            machine.file(file, "");
        }
    }
    machine
}

fn same(device: &str, file: &str) -> String {
    format!("loop device {device} serves the same bytes of {file}")
}

#[test]
fn ranges_and_links_decide() {
    let machine = machine(&[
        ("loop0", "/srv/image", 0, 1 << 20),
        ("loop1", "/srv/image", 1 << 20, 0),
        ("loop2", "/srv/link", 5 << 20, 4096),
        ("loop3", "/srv/other", 0, 0),
    ]);
    std::fs::remove_file(machine.at("/srv/link")).unwrap();
    machine.link("/srv/link", "image");
    assert_eq!(machine.refused("/dev/loop0"), NONE);
    // The drives here are of one MiB: what comes after it is reached only through a loop device without a limit.
    assert_eq!(machine.refused("/dev/loop1"), NONE);
    assert_eq!(machine.refused("/dev/loop2"), [same("loop1", "/srv/image")]);
    assert_eq!(machine.refused("/dev/loop3"), NONE);
}

#[test]
fn a_volume_over_a_loop_device_keeps_the_image_and_is_kept_by_it() {
    let mut machine = machine(&[("loop0", "/srv/image", 0, 0), ("loop1", "/srv/image", 0, 0)]);
    machine.drive("sdb");
    machine.mapper("dm-0", "253:0", &["loop0", "sdb"]);
    machine.mapper("dm-1", "253:1", &["sdb"]);
    machine.mounts("30 1 253:0 / /srv/a rw - xfs /dev/mapper/x rw\n");
    let refused = machine.refused("/dev/loop1");
    assert!(refused.contains(&"dm-0 is mounted at /srv/a".to_string()), "{refused:?}");
    assert!(refused.contains(&"dm-0 is built on loop0".to_string()), "{refused:?}");
    assert!(refused.contains(&same("loop0", "/srv/image")), "{refused:?}");
    // From above: a second way to a part of the volume.
    let refused = machine.refused("/dev/dm-0");
    assert!(refused.contains(&same("loop1", "/srv/image")), "{refused:?}");
    // Another volume on the same drive is nobody's affair, and its neighbour's users are none of its own.
    assert_eq!(machine.refused("/dev/dm-1"), NONE);
    machine.process(5, "mdmon").link("/proc/5/fd/3", "/dev/sdb");
    assert_eq!(machine.refused("/dev/dm-1"), NONE, "who looks after the drive may");
    machine.file("/sys/kernel/config/nvmet/subsystems/nqn.x/namespaces/1/device_path", "/dev/sdb");
    assert_eq!(machine.refused("/dev/dm-1"), ["NVMe target nqn.x serves sdb"]);
}

#[test]
fn a_loop_device_on_a_disk_is_kept_by_the_partitions_that_it_reaches() {
    let mut machine = machine(&[("loop0", "/dev/sda", 1 << 19, 0)]);
    machine.drive("sda");
    machine.partition("sda", "sda1", 1, "8:201");
    machine.partition("sda", "sda2", 2, "8:202");
    for (name, start, size) in [("sda1", 0, 1 << 10), ("sda2", 1 << 10, 1 << 10)] {
        machine.file(&format!("/sys/class/block/{name}/start"), &format!("{start}\n"));
        machine.file(&format!("/sys/class/block/{name}/size"), &format!("{size}\n"));
    }
    assert_eq!(machine.refused("/dev/loop0"), NONE);
    machine.mounts("30 1 8:201 / /one rw - ext4 /dev/sda1 rw\n");
    assert_eq!(machine.refused("/dev/loop0"), NONE, "the range begins after it");
    machine.mounts("31 1 8:202 / /two rw - ext4 /dev/sda2 rw\n");
    assert_eq!(machine.refused("/dev/loop0"), ["sda2 is mounted at /two"]);
    let serves = "loop device loop0 serves sda".to_string();
    assert!(machine.refused("/dev/sda2").contains(&serves));
    assert_eq!(machine.refused("/dev/sda1"), ["sda1 is mounted at /one"]);
}

#[test]
fn a_file_that_cannot_be_looked_at_may_be_any() {
    let machine =
        machine(&[("loop0", "/srv/image", 0, 0), ("loop1", "/elsewhere/image (deleted)", 0, 0)]);
    let sentence = "loop device loop1 may serve the same bytes: its file /elsewhere/image (deleted) cannot be read from here";
    assert_eq!(machine.refused("/dev/loop0"), [sentence]);
    let mut other = machine;
    other.drive("sda");
    assert_eq!(other.refused("/dev/sda"), NONE, "a drive is no file");
}

#[test]
fn whoever_uses_the_file_itself() {
    let machine = machine(&[("loop0", "/srv/image", 0, 0)]);
    machine.process(5, "qemu").link("/proc/5/fd/3", "/srv/image");
    machine.file("/proc/5/fdinfo/3", "flags:\t02100002\n");
    assert_eq!(machine.refused("/dev/loop0"), ["qemu (process 5) has /srv/image open for writing"]);
    machine.file("/proc/5/fdinfo/3", "flags:\t0100000\n");
    assert_eq!(machine.refused("/dev/loop0"), NONE);
    machine.file("/proc/5/maps", "7f00-7f10 rw-s 00000000 07:00 12  /srv/image\n");
    assert_eq!(machine.refused("/dev/loop0"), ["qemu (process 5) has /srv/image open for writing"]);
    machine.file("/proc/5/maps", "7f00-7f10 r--s 00000000 07:00 12  /srv/image\n");
    machine.file("/proc/5/smaps", "7f00-7f10 r--s 0 07:00 12  /srv/image\nVmFlags: rd mr me ms \n");
    assert_eq!(machine.refused("/dev/loop0"), NONE);
    machine.mounts("30 1 0:70 / /m ro - erofs /srv/image ro\n");
    assert_eq!(machine.refused("/dev/loop0"), ["/srv/image is mounted at /m"]);
}

#[test]
fn services_of_the_kernel_on_a_file_or_on_a_drive() {
    let mut machine = machine(&[("loop0", "/srv/an image", 0, 0), ("loop1", "/srv/b", 0, 0)]);
    for name in ["zram0", "nbd0", "nbd1", "nbd2"] {
        machine.drive(name);
    }
    machine.file("/sys/kernel/config/usb_gadget/g1/functions/mass_storage.0/lun.0/file", "/srv/b");
    machine.file("/sys/block/zram0/backing_dev", "/dev/loop1\n");
    machine.file("/proc/swaps", "Filename\n/srv/an\\040image file 8 0 -3\n");
    assert_eq!(machine.refused("/dev/loop0"), ["the machine swaps to /srv/an image"]);
    assert_eq!(
        machine.refused("/dev/loop1"),
        ["compressed memory zram0 serves loop1", "USB target g1/mass_storage.0 serves /srv/b"]
    );
    // Two clients of one export.
    for (name, export) in [("nbd0", "one"), ("nbd1", "one"), ("nbd2", "two")] {
        machine.file(&format!("/sys/class/block/{name}/backend"), &format!("{export}\n"));
    }
    let numbers: Vec<String> =
        ["nbd0", "nbd1"].iter().map(|n| machine.inspect(&format!("/dev/{n}")).number).collect();
    machine.mounts(&format!("30 1 {} / /n rw - xfs /dev/nbd0 rw\n", numbers[0]));
    assert_eq!(machine.refused("/dev/nbd1"), ["nbd0 is mounted at /n"]);
    assert_eq!(machine.refused("/dev/nbd2"), NONE);
}
