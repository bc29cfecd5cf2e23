//! Consent needs device and serial, and a device against which nothing speaks; what would be lost is told before.

use narrows_raw::{ConsentError, Refusal, consent, consent_keeping_contents, would_lose};

use crate::made::machine::{Machine, SIZE_BYTES};

fn with_serial() -> Machine {
    let mut machine = Machine::new();
    machine.drive("sda");
    machine.file("/sys/class/block/sda/device/serial", "S3X1\n");
    machine.file("/sys/class/block/sda/device/model", "Model X\n");
    machine
}

#[test]
fn only_the_right_serial_is_consent() {
    let device = with_serial().inspect("/dev/sda");
    for wrong in ["", "S3X", "s3x1", "S3X12", "size=1048576", "yes"] {
        match consent(&device, wrong) {
            Err(ConsentError::WrongSerial { given, .. }) => assert_eq!(given, wrong),
            other => panic!("{wrong}: {other:?}"),
        }
    }
    let consent = consent(&device, " S3X1\n").unwrap();
    assert_eq!((consent.path(), consent.size_bytes()), ("/dev/sda", SIZE_BYTES));
}

#[test]
fn without_a_serial_the_size_has_to_be_said() {
    let mut machine = Machine::new();
    machine.drive("loop0");
    let device = machine.inspect("/dev/loop0");
    assert!(consent(&device, "").is_err() && consent(&device, "1048576").is_err());
    assert!(consent(&device, "size=1048576").is_ok());
}

#[test]
fn the_right_serial_doesnt_help_a_device_in_use() {
    let machine = with_serial();
    machine.mounts("30 1 8:0 / /srv rw - ext4 /dev/sda rw\n");
    let error = consent(&machine.inspect("/dev/sda"), "S3X1").unwrap_err();
    assert!(matches!(error, ConsentError::Refused { .. }));
    let text = error.to_string();
    assert!(text.starts_with("refusing to write to /dev/sda:\n  sda is mounted at /srv"), "{text}");
    assert!(text.contains("\nhint: unmount it"), "{text}");
    let text = consent(&with_serial().inspect("/dev/sda"), "other").unwrap_err().to_string();
    assert!(text.ends_with("--serial S3X1"), "{text}");
}

/// A disk with swap space on it, as a host of a target would have written it, and a partition.
fn with_contents(machine: &Machine) -> narrows_raw::Device {
    machine.partition("sda", "sda1", 1, "8:1");
    let mut image = vec![0; SIZE_BYTES as usize];
    image[4086..4096].copy_from_slice(b"SWAPSPACE2");
    machine.inspect_image("/dev/sda", image)
}

#[test]
fn who_keeps_what_is_there_may_have_it_if_nothing_of_it_is_used() {
    let device = with_contents(&with_serial());
    let Err(ConsentError::Refused { reasons, .. }) = consent(&device, "S3X1") else {
        panic!("its contents speak against it")
    };
    let kinds = |wanted: fn(&Refusal) -> bool| reasons.iter().filter(|one| wanted(one)).count();
    assert_eq!(kinds(|one| matches!(one, Refusal::Marked(_))), 1, "{reasons:?}");
    assert_eq!(kinds(|one| matches!(one, Refusal::Partitioned(_))), 1, "{reasons:?}");
    assert!(consent_keeping_contents(&device, "S3X1").is_ok());
    assert!(consent_keeping_contents(&device, "other").is_err());
    let used = with_serial();
    used.mounts("30 1 8:1 / /srv rw - ext4 /dev/sda1 rw\n");
    let error = consent_keeping_contents(&with_contents(&used), "S3X1").unwrap_err().to_string();
    assert!(error.contains("sda1 is mounted at /srv"), "{error}");
    assert!(!error.contains("swap space"), "{error}");
}

#[test]
fn what_would_be_lost_is_told() {
    let machine = with_serial();
    let empty = would_lose(&machine.inspect("/dev/sda"), SIZE_BYTES / 2).join("\n");
    assert_eq!(
        empty,
        "Everything on /dev/sda is lost: 1.05 MB, Model X, serial S3X1.\nIt has no known signature of an owner.\nIts first megabyte and 64 blocks spread over it are all zeros.\n524 kB will be written, 0.50 times its size; its wear is unknown"
    );
    let mut image = vec![0; SIZE_BYTES as usize];
    image[4096 + 24..4096 + 40]
        .copy_from_slice(b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81");
    image[SIZE_BYTES as usize / 2..].fill(1);
    machine.process(6, "smartd").link("/proc/6/fd/3", "/dev/sda");
    machine.file("/proc/6/fdinfo/3", "flags:\t0100000\n");
    let full = would_lose(&machine.inspect_image("/dev/sda", image), 0).join("\n");
    assert!(full.contains("It carries a volume, pool or cache member: bcache."), "{full}");
    assert!(full.contains("50 % of the bytes"), "{full}");
    assert!(full.contains("32 of 64 blocks"), "{full}");
    assert!(full.contains("smartd (process 6) has sda open for reading."), "{full}");
}

#[test]
fn wear_is_weighed_against_what_will_be_written() {
    let mut device = with_serial().inspect("/dev/sda");
    device.wear = Some(narrows_raw::Wear {
        life_used_percent: 4,
        spare_percent: 99,
        written_bytes: 40_000_000_000_000,
        warnings: 4,
    });
    let text = would_lose(&device, 5_000_000_000_000).join("\n");
    assert!(text.contains("4 % of its rated life used, after 40.0 TB written"), "{text}");
    assert!(text.contains("about 0.50 % more"), "{text}");
    assert!(text.contains("critical warning 0x04"), "{text}");
}
