//! What can't be known counts as a reason, and two doubts can be taken upon oneself by name.

use narrows_raw::{Doubt, Refusal, consent, consent_accepting, refusals};

use crate::made::machine::{Machine, SIZE_BYTES};

fn drive(serial: &str) -> Machine {
    let mut machine = Machine::new();
    machine.drive("sda");
    machine.file("/sys/class/block/sda/device/serial", serial);
    machine
}

#[test]
fn in_a_container_other_users_cannot_be_seen() {
    let machine = drive("S3X1\n");
    machine.link("/proc/self/ns/pid", "pid:[4026531836]");
    assert_eq!(refusals(&machine.inspect("/dev/sda")), []);
    let machine = drive("S3X1\n");
    machine.link("/proc/self/ns/pid", "pid:[4026532451]");
    let device = machine.inspect("/dev/sda");
    let said = consent(&device, "S3X1").unwrap_err().to_string();
    assert!(said.contains("outside of this process namespace"), "{said}");
    assert!(said.contains("--accept unseen-users"), "{said}");
    assert!(consent_accepting(&device, "S3X1", &[Doubt::UnknownContents]).is_err());
    assert!(consent_accepting(&device, "S3X1", &[Doubt::UnseenUsers]).is_ok());
}

#[test]
fn data_without_a_mark_needs_a_yes_of_its_own() {
    let machine = drive("S3X1\n");
    let mut image = vec![0; SIZE_BYTES as usize];
    for (at, byte) in image.iter_mut().enumerate().skip(SIZE_BYTES as usize / 2) {
        *byte = (at % 251) as u8;
    }
    let device = machine.inspect_image("/dev/sda", image);
    let [Refusal::DataUnknown { samples: 64, unknown }] = refusals(&device)[..] else {
        panic!("{:?}", refusals(&device))
    };
    assert_eq!(unknown, 32);
    assert!(consent(&device, "S3X1").is_err());
    assert!(consent_accepting(&device, "S3X1", &[Doubt::UnknownContents]).is_ok());
    // One value all over is what a drive answers for blocks that were trimmed.
    let trimmed = machine.inspect_image("/dev/sda", vec![0xff; SIZE_BYTES as usize]);
    assert_eq!(refusals(&trimmed), []);
}

#[test]
fn what_an_earlier_test_of_ours_left_is_no_reason() {
    let machine = drive("S3X1\n");
    let mut image = vec![0x5a; SIZE_BYTES as usize];
    let (id, generation) = (7u64, 3u64);
    for (number, sector) in (0u64..).zip(image.chunks_mut(512)) {
        let check = narrows_facts::pattern::check_word(id, number, generation);
        for (bytes, word) in sector.chunks_mut(8).zip([id, number, generation, check]) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
    }
    assert_eq!(refusals(&machine.inspect_image("/dev/sda", image)), []);
}

#[test]
fn volumes_that_share_space_are_refused_and_plain_ones_are_not() {
    for (uuid, below, refused) in [
        ("LVM-abcdef", "LVM-abcdef-tpool", Some("a thin pool")),
        ("LVM-abcdef", "LVM-abcdef-real", Some("the origin of a snapshot")),
        ("LVM-abcdef", "LVM-abcdef-cow", Some("a snapshot")),
        ("LVM-abcdef", "LVM-abcdef-cdata", Some("a cache")),
        ("VDO-abcdef", "LVM-abcdef", Some("a VDO volume")),
        ("LVM-abcdef", "LVM-abcdef", None),
        ("LVM-abcdef", "CRYPT-LUKS2-abcdef-real", None),
    ] {
        let mut machine = Machine::new();
        machine.drive("sda");
        machine.mapper("dm-1", "253:1", &["sda"]);
        machine.mapper("dm-0", "253:0", &["dm-1"]);
        machine.file("/sys/class/block/dm-0/dm/uuid", uuid);
        machine.file("/sys/class/block/dm-1/dm/uuid", below);
        let found = refusals(&machine.inspect("/dev/dm-0"));
        let pooled = found.iter().find_map(|reason| match reason {
            Refusal::Pooled(what) => Some(what.clone()),
            _ => None,
        });
        assert_eq!(pooled.is_some(), refused.is_some(), "{uuid} over {below}: {found:?}");
        if let Some(what) = refused {
            assert!(pooled.unwrap().contains(what), "{uuid} over {below}");
        }
    }
}

#[test]
fn two_drives_that_no_serial_tells_apart_are_refused() {
    let mut machine = Machine::new();
    machine.drive("vdb");
    machine.drive("vdc");
    let found = |machine: &Machine| refusals(&machine.inspect("/dev/vdb"));
    assert_eq!(found(&machine), [Refusal::SameIdentity(vec!["vdc".to_string()])]);
    machine.file("/sys/class/block/vdb/serial", "b\n");
    assert_eq!(found(&machine), []);
    machine.file("/sys/class/block/vdc/serial", "b\n");
    assert_eq!(found(&machine).len(), 1, "one serial for both");
}
