//! Commands: typed and as bytes.

use narrows_nvme::command::{
    AdminCommand, Connect, ConnectData, DYNAMIC_CONTROLLER, DeallocatedRange, Extent,
    FABRICS_OPCODE, FabricsCommand, Identify, IoCommand, LogRequest, ReservationAction,
    fabrics_command,
};
use narrows_nvme::{DataPointer, HostId, Nqn, SubmissionEntry};
use proptest::prelude::*;

fn pointer() -> impl Strategy<Value = DataPointer> {
    prop_oneof![
        (any::<u64>(), any::<u32>())
            .prop_map(|(offset, length)| DataPointer::InCapsule { offset, length }),
        any::<u32>().prop_map(|length| DataPointer::Transport { length }),
        any::<[u8; 15]>().prop_map(|rest| DataPointer::Other { identifier: 0x40, rest }),
    ]
}

fn extent() -> impl Strategy<Value = Extent> {
    (any::<u64>(), any::<u16>(), any::<bool>()).prop_map(
        |(first_block, blocks_less_one, force_unit_access)| Extent {
            first_block,
            blocks_less_one,
            force_unit_access,
        },
    )
}

fn action() -> impl Strategy<Value = ReservationAction> {
    (0u8..8, any::<bool>(), 0u8..4, any::<u8>()).prop_map(
        |(action, ignore_key, persistence, reservation_type)| ReservationAction {
            action,
            ignore_key,
            persistence,
            reservation_type,
        },
    )
}

fn io_command() -> impl Strategy<Value = IoCommand> {
    prop_oneof![
        Just(IoCommand::Flush),
        extent().prop_map(IoCommand::Write),
        extent().prop_map(IoCommand::Read),
        extent().prop_map(IoCommand::Compare),
        (extent(), any::<bool>())
            .prop_map(|(extent, deallocate)| IoCommand::WriteZeroes { extent, deallocate }),
        (any::<u8>(), any::<bool>()).prop_map(|(ranges_less_one, deallocate)| {
            IoCommand::DatasetManagement { ranges_less_one, deallocate }
        }),
        action().prop_map(IoCommand::ReservationRegister),
        action().prop_map(IoCommand::ReservationAcquire),
        action().prop_map(IoCommand::ReservationRelease),
        (any::<u32>(), any::<bool>()).prop_map(|(dwords_less_one, extended)| {
            IoCommand::ReservationReport { dwords_less_one, extended }
        }),
        (0x80u8..0xFF).prop_map(IoCommand::Unknown),
    ]
}

fn admin_command() -> impl Strategy<Value = AdminCommand> {
    let feature = (any::<u8>(), any::<bool>(), 0u8..8, any::<u32>(), any::<u32>());
    prop_oneof![
        (any::<u8>(), 0u8..128, any::<bool>(), any::<u32>(), any::<u64>(), any::<u32>()).prop_map(
            |(page, specific, retain_event, dwords_less_one, offset, namespace)| {
                AdminCommand::GetLogPage(LogRequest {
                    page,
                    specific,
                    retain_event,
                    dwords_less_one,
                    offset,
                    namespace,
                })
            }
        ),
        (any::<u8>(), any::<u16>(), any::<u8>(), any::<u32>()).prop_map(
            |(structure, controller, command_set, namespace)| {
                AdminCommand::Identify(Identify { structure, controller, command_set, namespace })
            }
        ),
        (any::<u16>(), any::<u16>())
            .prop_map(|(queue, command_id)| AdminCommand::Abort { queue, command_id }),
        feature.clone().prop_map(|(feature, save, _, value, namespace)| {
            AdminCommand::SetFeatures { feature, save, value, namespace }
        }),
        feature.prop_map(|(feature, _, select, value, namespace)| AdminCommand::GetFeatures {
            feature,
            select,
            value,
            namespace
        }),
        Just(AdminCommand::AsyncEventRequest),
        Just(AdminCommand::KeepAlive),
        (0xC0u8..=0xFF).prop_map(AdminCommand::Unknown),
    ]
}

fn fabrics() -> impl Strategy<Value = FabricsCommand> {
    let connect = (any::<[u16; 3]>(), 0u8..4, any::<bool>(), any::<u32>());
    let protocol = (any::<[u8; 3]>(), any::<u32>());
    prop_oneof![
        (any::<u32>(), any::<bool>(), any::<u64>()).prop_map(|(offset, wide, value)| {
            FabricsCommand::PropertySet { offset, wide, value }
        }),
        (any::<u32>(), any::<bool>())
            .prop_map(|(offset, wide)| FabricsCommand::PropertyGet { offset, wide }),
        connect.prop_map(
            |([format, queue, queue_size], priority, no_flow_control, keep_alive_ms)| {
                FabricsCommand::Connect(Connect {
                    format,
                    queue,
                    queue_size,
                    priority,
                    no_flow_control,
                    keep_alive_ms,
                })
            }
        ),
        protocol
            .prop_map(|(protocol, length)| FabricsCommand::AuthenticationSend { protocol, length }),
        protocol.prop_map(|(protocol, length)| FabricsCommand::AuthenticationReceive {
            protocol,
            length
        }),
        Just(FabricsCommand::Disconnect),
        (0x20u8..=0xFF).prop_map(FabricsCommand::Unknown),
    ]
}

proptest! {
    #[test]
    fn io_commands_are_read_back(
        command in io_command(),
        id in any::<u16>(),
        namespace in any::<u32>(),
        data in pointer(),
    ) {
        let entry = command.to_entry(id, namespace, data);
        prop_assert_eq!(IoCommand::parse(&entry), command);
        prop_assert_eq!((entry.command_id(), entry.namespace()), (id, namespace));
        prop_assert_eq!(entry.data(), data);
        prop_assert!(entry.has_sgl() && !entry.is_fused());
    }

    #[test]
    fn admin_commands_are_read_back(
        command in admin_command(),
        id in any::<u16>(),
        data in pointer(),
    ) {
        let entry = command.to_entry(id, data);
        prop_assert_eq!(AdminCommand::parse(&entry), command);
        prop_assert_eq!((entry.command_id(), entry.data()), (id, data));
        prop_assert_eq!(fabrics_command(&entry), None);
    }

    #[test]
    fn fabrics_commands_are_read_back(
        command in fabrics(),
        id in any::<u16>(),
        data in pointer(),
    ) {
        let entry = command.to_entry(id, data);
        prop_assert_eq!(fabrics_command(&entry), Some(command));
        prop_assert_eq!((entry.command_id(), entry.data()), (id, data));
    }

    #[test]
    fn any_entry_means_something(halves in any::<[[u8; 32]; 2]>()) {
        let entry = SubmissionEntry::from_bytes(halves.concat().try_into().unwrap());
        let _ = (IoCommand::parse(&entry), AdminCommand::parse(&entry), entry.data());
        let _ = (FabricsCommand::parse(&entry), format!("{entry:?}"));
    }

    #[test]
    fn the_data_of_connect_are_read_back(
        host_id in any::<[u8; 16]>(),
        controller in any::<u16>(),
        subsystem in "nqn\\.[!-~]{0,219}",
        host in "nqn\\.[!-~]{0,219}",
    ) {
        let data = ConnectData {
            host_id: HostId(host_id),
            controller,
            subsystem: subsystem.parse().unwrap(),
            host: host.parse().unwrap(),
        };
        prop_assert_eq!(ConnectData::parse(&data.to_bytes()), Ok(data));
    }

    #[test]
    fn ranges_are_read_back(bytes in any::<[u8; 16]>()) {
        prop_assert_eq!(DeallocatedRange::from_bytes(&bytes).to_bytes(), bytes);
    }
}

#[test]
fn a_name_that_is_none_is_told_by_its_offset() {
    let mut data = ConnectData {
        host_id: HostId([0; 16]),
        controller: DYNAMIC_CONTROLLER,
        subsystem: Nqn::discovery(),
        host: "nqn.2014-08.org.example:host".parse().unwrap(),
    }
    .to_bytes();
    data[512] = 0;
    assert_eq!(ConnectData::parse(&data).unwrap_err().0, ConnectData::HOST_AT);
}

#[test]
fn a_durable_write_of_linux_has_force_unit_access() {
    // WRITE of 8 KiB at block 16, as the host of Linux 6.12 sends it for a write with O_DSYNC: control 4000h.
    let mut bytes = [0; 64];
    bytes[0] = 1;
    bytes[1] = 0x40;
    bytes[4] = 1;
    bytes[32..36].copy_from_slice(&8192u32.to_le_bytes());
    bytes[39] = 1;
    bytes[40] = 16;
    bytes[48] = 15;
    bytes[51] = 0x40;
    let entry = SubmissionEntry::from_bytes(bytes);
    let IoCommand::Write(extent) = IoCommand::parse(&entry) else { panic!("no write") };
    assert!(extent.force_unit_access);
    assert_eq!((extent.first_block, extent.blocks()), (16, 16));
    assert_eq!(entry.data(), DataPointer::InCapsule { offset: 0, length: 8192 });
    assert_ne!(entry.opcode(), FABRICS_OPCODE);
}
