//! Where the serial stands, by kind of drive, and what stands in for it.

use narrows_raw::{Identity, InspectError, NodeKind, inspect};

use crate::made::machine::{Machine, SIZE_BYTES};

fn identity(machine: &Machine, path: &str) -> Identity {
    machine.inspect(path).identity
}

fn serial(text: &str) -> Identity {
    Identity::Serial(text.to_string())
}

#[test]
fn each_kind_of_drive_keeps_its_serial_elsewhere() {
    let mut machine = Machine::new();
    for name in ["vda", "nvme0n1", "sda", "sdb", "sdc"] {
        machine.drive(name);
    }
    machine.file("/sys/class/block/vda/serial", "disk-1\n");
    machine.file("/sys/class/block/nvme0n1/device/serial", "S3X9        \n");
    machine.file("/sys/class/block/nvme0n1/wwid", "eui.0025\n");
    machine.bytes("/sys/class/block/sda/device/vpd_pg80", b"\0\x80\0\x06WD-123");
    machine.file("/sys/devices/pci/usb1/1-2/idVendor", "0bda\n");
    machine.file("/sys/devices/pci/usb1/1-2/serial", "USB7\n");
    machine.file("/sys/devices/pci/usb1/1-2/host0/target/vendor", "x\n");
    machine.link("/sys/class/block/sdb/device", "/sys/devices/pci/usb1/1-2/host0/target");
    machine.file("/run/udev/data/b8:64", "S:disk/x\nE:ID_SERIAL_SHORT=OLD5\n");
    assert_eq!(identity(&machine, "/dev/vda"), serial("disk-1"));
    assert_eq!(identity(&machine, "/dev/nvme0n1"), serial("S3X9"));
    assert_eq!(identity(&machine, "/dev/sda"), serial("WD-123"));
    assert_eq!(identity(&machine, "/dev/sdb"), serial("USB7"));
    assert_eq!(identity(&machine, "/dev/sdc"), serial("OLD5"));
}

#[test]
fn without_a_serial_the_name_then_the_size_stands_in() {
    let mut machine = Machine::new();
    machine.drive("sda");
    machine.drive("loop0");
    machine.drive("sdb");
    machine.mapper("dm-0", "253:0", &["sdb"]);
    machine.file("/sys/class/block/sda/device/wwid", "naa.5000c5\n");
    // A bridge that invents one.
    machine.file("/sys/class/block/sda/device/serial", "000000000000\n");
    assert_eq!(identity(&machine, "/dev/sda"), Identity::WorldWideName("naa.5000c5".into()));
    assert_eq!(identity(&machine, "/dev/loop0"), Identity::NoSerial { size_bytes: SIZE_BYTES });
    assert_eq!(identity(&machine, "/dev/dm-0"), Identity::Uuid("LVM-dm-0".into()));
    assert_eq!(identity(&machine, "/dev/loop0").phrase(), "size=1048576");
}

#[test]
fn a_partition_has_its_disks_serial_and_model() {
    let mut machine = Machine::new();
    machine.drive("sda");
    machine.partition("sda", "sda1", 1, "8:1");
    machine.file("/sys/class/block/sda/device/serial", "S1\n");
    machine.file("/sys/class/block/sda/device/model", "Model X\n");
    machine.file("/sys/class/block/sda/queue/rotational", "1\n");
    machine.file("/sys/class/block/sda/queue/physical_block_size", "4096\n");
    let device = machine.inspect("/dev/sda1");
    assert_eq!(device.identity, serial("S1"));
    assert_eq!(device.model.as_deref(), Some("Model X"));
    assert_eq!(device.partition_of.as_deref(), Some("sda"));
    assert_eq!(device.rotational, Some(true));
    assert_eq!((device.logical_block_bytes, device.physical_block_bytes), (Some(512), Some(4096)));
    assert_eq!(device.wear, None);
}

#[test]
fn names_with_slashes_and_links() {
    let mut machine = Machine::new();
    machine.drive("cciss!c0d0");
    std::fs::create_dir_all(machine.tree().root().join("dev/cciss")).unwrap();
    machine.file("/dev/cciss/c0d0", "").link("/dev/disk/by-id/raid", "../../cciss/c0d0");
    let device = machine.inspect("/dev/disk/by-id/raid");
    assert_eq!((device.name.as_str(), device.node.as_str()), ("cciss!c0d0", "/dev/cciss/c0d0"));
    assert_eq!(device.path, "/dev/disk/by-id/raid");
}

#[test]
fn what_is_no_block_device_is_named() {
    let machine = Machine::new();
    machine.file("/dev/sdx", "data").file("/srv/file", "data");
    for (path, kind) in
        [("/dev/sdx", NodeKind::File), ("/srv/file", NodeKind::File), ("/srv", NodeKind::Folder)]
    {
        match inspect(&machine.tree(), path) {
            Err(InspectError::NotABlockDevice { kind: found, .. }) => assert_eq!(found, kind),
            other => panic!("{path}: {other:?}"),
        }
    }
    assert!(matches!(inspect(&machine.tree(), "/dev/no"), Err(InspectError::Unreachable { .. })));
}
