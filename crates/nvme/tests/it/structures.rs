//! Identify structures and log pages: written and read back, and read from any bytes.

use narrows_nvme::identify::{
    CommandSetController, IDENTIFY_BYTES, IdentifyController, IdentifyNamespace, NamespaceIds,
};
use narrows_nvme::log::{
    AnaGroup, AnaLog, AnaState, CommandEffects, DISCOVERY_RECORD, DiscoveryEntry, DiscoveryLog,
    ErrorEntry, SmartLog, Transport,
};
use narrows_nvme::property::{Capabilities, Configuration, ControllerStatus};
use narrows_nvme::{AsyncEvent, Status};
use proptest::prelude::*;

fn page() -> impl Strategy<Value = Box<[u8; IDENTIFY_BYTES]>> {
    proptest::collection::vec(any::<u8>(), IDENTIFY_BYTES)
        .prop_map(|bytes| Box::new(<[u8; IDENTIFY_BYTES]>::try_from(bytes).unwrap()))
}

proptest! {
    // What is read of any bytes, written and read again is the same: no field is lost or stands in another's way.
    #[test]
    fn a_controller_is_read_back(mut page in page(), name in "nqn\\.[!-~]{0,219}") {
        page[768..1024].fill(0);
        page[768..768 + name.len()].copy_from_slice(name.as_bytes());
        let read = IdentifyController::from_bytes(&page).unwrap();
        prop_assert_eq!(IdentifyController::from_bytes(&read.to_bytes()), Ok(read));
    }

    #[test]
    fn a_namespace_is_read_back(mut page in page()) {
        page[26] = 0;
        let read = IdentifyNamespace::from_bytes(&page);
        prop_assert_eq!(IdentifyNamespace::from_bytes(&read.to_bytes()), read);
    }

    #[test]
    fn identifiers_are_read_back(
        eui64 in any::<Option<[u8; 8]>>(),
        nguid in any::<Option<[u8; 16]>>(),
        uuid in any::<Option<[u8; 16]>>(),
        command_set in any::<Option<u8>>(),
    ) {
        let ids = NamespaceIds { eui64, nguid, uuid, command_set };
        prop_assert_eq!(NamespaceIds::from_bytes(&ids.to_bytes()), ids);
    }

    #[test]
    fn any_page_is_read(page in page()) {
        let _ = IdentifyController::from_bytes(&page);
        let _ = IdentifyNamespace::from_bytes(&page).block_bytes();
        let _ = NamespaceIds::from_bytes(&page);
        let _ = (DiscoveryLog::from_bytes(&*page), AnaLog::from_bytes(&*page));
        let limits = CommandSetController::from_bytes(&page);
        prop_assert_eq!(CommandSetController::from_bytes(&limits.to_bytes()), limits);
        let effects = CommandEffects::from_bytes(&page);
        prop_assert_eq!(&effects.to_bytes()[..2048], &page[..2048]);
    }

    #[test]
    fn small_pages_are_read_back(
        smart in proptest::collection::vec(any::<u8>(), 512),
        error in any::<[[u8; 32]; 2]>(),
        bits in any::<u64>(),
    ) {
        let smart = SmartLog::from_bytes(&smart.try_into().unwrap());
        prop_assert_eq!(SmartLog::from_bytes(&smart.to_bytes()), smart);
        let error = ErrorEntry::from_bytes(&error.concat().try_into().unwrap());
        prop_assert_eq!(ErrorEntry::from_bytes(&error.to_bytes()), error);
        let capabilities = Capabilities::from_bits(bits);
        prop_assert_eq!(Capabilities::from_bits(capabilities.to_bits()), capabilities);
        let status = ControllerStatus::from_bits(bits as u32);
        prop_assert_eq!(ControllerStatus::from_bits(status.to_bits()), status);
        let event = AsyncEvent::from_result(bits as u32);
        prop_assert_eq!(AsyncEvent::from_result(event.to_result()), event);
        let _ = Configuration(bits as u32).is_supported();
    }

    #[test]
    fn groups_are_read_back(
        groups in proptest::collection::vec(
            (any::<u32>(), any::<u64>(), 0usize..5, proptest::collection::vec(any::<u32>(), 0..9)),
            0..5,
        ),
        changes in any::<u64>(),
        cut in any::<prop::sample::Index>(),
    ) {
        let groups = groups.into_iter().map(|(group, changes, state, namespaces)| AnaGroup {
            group, changes, state: AnaState::ALL[state], namespaces,
        });
        let log = AnaLog { changes, groups: groups.collect() };
        let bytes = log.to_bytes();
        prop_assert_eq!(AnaLog::from_bytes(&bytes), Some(log));
        prop_assert_eq!(AnaLog::from_bytes(&bytes[..cut.index(bytes.len())]), None);
    }
}

#[test]
fn a_discovery_log_is_read_back_and_one_that_promises_more_ends_where_it_does() {
    let entry = DiscoveryEntry {
        transport: Transport::Tcp,
        address_family: 1,
        subsystem_type: 2,
        secure_channel: 2,
        port: 1,
        controller: 0xFFFF,
        admin_queue: 32,
        service: "4420".to_string(),
        subsystem: "nqn.2026-11.org.example:a".parse().unwrap(),
        address: "192.0.2.7".to_string(),
        security: 0,
    };
    let log = DiscoveryLog { generation: 3, entries: vec![entry.clone(), entry] };
    let mut bytes = log.to_bytes();
    assert_eq!(DiscoveryLog::from_bytes(&bytes), Ok(log.clone()));
    bytes[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
    assert_eq!(DiscoveryLog::from_bytes(&bytes), Ok(log));
    assert_eq!(DiscoveryLog::from_bytes(&bytes[..100]), Ok(DiscoveryLog::default()));
    let header = bytes[..DISCOVERY_RECORD].try_into().unwrap();
    assert_eq!(DiscoveryLog::header_of(&header), (3, u64::MAX));
}

#[test]
fn sizes_follow_from_what_a_controller_says() {
    let mut page = [0; IDENTIFY_BYTES];
    page[768..772].copy_from_slice(b"nqn.");
    let mut controller = IdentifyController::from_bytes(&page).unwrap();
    assert_eq!(controller.max_transfer_bytes(), None);
    controller.max_transfer = 8;
    // Linux's target: 1028 x 16 bytes.
    controller.command_capsule = 1028;
    assert_eq!(controller.max_transfer_bytes(), Some(1 << 20));
    assert_eq!(controller.in_capsule_bytes(), 16_384);
    controller.max_transfer = 255;
    controller.command_capsule = 0;
    assert_eq!(controller.max_transfer_bytes(), None);
    assert_eq!(controller.in_capsule_bytes(), 0);
}

#[test]
fn supported_commands_are_told() {
    let effects = CommandEffects::none().with_admin(0x06).with_io(0x01, true).with_io(0x02, false);
    assert!(effects.supports_admin(0x06) && !effects.supports_admin(0x01));
    assert!(effects.supports_io(0x01) && effects.supports_io(0x02) && !effects.supports_io(0x06));
    assert_eq!(effects.to_bytes()[1024 + 4], 0b11);
}

#[test]
fn units_of_data_are_rounded_up() {
    assert_eq!(SmartLog::units(0), 0);
    assert_eq!(SmartLog::units(1), 1);
    assert_eq!(SmartLog::units(512_001), 2);
    assert!(Status::SUCCESS.is_success());
}
