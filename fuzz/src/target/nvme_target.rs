//! What a host says to the storage target, or something that found its port: before it is connected, on its admin queue, on
//! an I/O queue.

use narrows_nvme::command::{Connect, ConnectData, DYNAMIC_CONTROLLER, FabricsCommand};
use narrows_nvme::digest::Digests;
use narrows_nvme::pdu::{COMMON_BYTES, CommonHeader, Framing, IcReq, Pdu, Side};
use narrows_nvme::property::{CC, Configuration};
use narrows_nvme::{DataPointer, HostId, Nqn};
use narrows_target::{InMemoryTarget, namespace_of};

const NQN: &str = "nqn.2026-11.org.example:fuzz";
/// Memory for data in flight, bytes.
const MEMORY: usize = 2 << 20;
/// The target's first controller.
const CONTROLLER: u16 = 1;

/// The first byte says how far the connection is and in which pieces the rest comes.
pub fn check(data: &[u8]) {
    let Some((how, rest)) = data.split_first() else { return };
    let nqn: Nqn = NQN.parse().expect("a name");
    let spec = namespace_of("ram:1MiB").expect("a namespace");
    let mut target = InMemoryTarget::new(&nqn, &[spec], MEMORY).expect("memory");
    let mut number = target.connect();
    let mut said = Vec::new();
    let digests = Digests { header: how & 4 != 0, data: how & 8 != 0 };
    if how & 1 != 0 {
        target.input(number, &opening(0, DYNAMIC_CONTROLLER, Digests::NONE));
        target.input(number, &enabling());
        if how & 2 != 0 {
            number = target.connect();
            target.input(number, &opening(1, CONTROLLER, digests));
        }
    }
    let piece = 1 + usize::from(how >> 4) * 97;
    for bytes in rest.chunks(piece) {
        target.input(number, bytes);
        said.extend(target.output(number, usize::MAX));
        assert!(target.memory_in_use() <= MEMORY + (64 << 20), "memory has a bound");
        if target.is_over(number) {
            break;
        }
    }
    well_formed(&said, if how & 2 != 0 && how & 1 != 0 { digests } else { Digests::NONE });
    for connection in 0..=number {
        target.cut(connection);
    }
    assert_eq!(target.memory_in_use(), 0, "nothing is kept for who is gone");
}

/// Whatever was said to it, the target says PDUs.
fn well_formed(said: &[u8], digests: Digests) {
    let mut rest = said;
    let mut first = true;
    while !rest.is_empty() {
        // ICResp and terminations have no digest, and what the stranger agreed on isn't known here.
        let known = Framing {
            sender: Side::Controller,
            digests,
            alignment: 4,
            capsule_data: 0,
            transfer_data: 1 << 20,
        };
        let common = rest[..COMMON_BYTES].try_into().expect("a whole header");
        let parsed = CommonHeader::parse(&common, &known);
        let Ok((_, layout)) = parsed else {
            assert!(first || digests != Digests::NONE || rest[1] & 3 != 0, "{parsed:?}");
            return;
        };
        assert!(layout.pdu_bytes() <= rest.len(), "a whole PDU");
        rest = &rest[layout.pdu_bytes()..];
        first = false;
    }
}

fn opening(queue: u16, controller: u16, digests: Digests) -> Vec<u8> {
    let mut bytes = Vec::new();
    Pdu::IcReq(IcReq::new(digests)).write(0, Digests::NONE, 4, &mut bytes);
    let connect = Connect {
        format: 0,
        queue,
        queue_size: 31,
        priority: 0,
        no_flow_control: true,
        keep_alive_ms: 0,
    };
    let data = ConnectData {
        host_id: HostId([1; 16]),
        controller,
        subsystem: NQN.parse().expect("a name"),
        host: "nqn.2026-11.org.example:host".parse().expect("a name"),
    };
    let pointer = DataPointer::InCapsule { offset: 0, length: 1024 };
    let entry = FabricsCommand::Connect(connect).to_entry(1, pointer);
    Pdu::CapsuleCmd(entry).write(1024, digests, 4, &mut bytes);
    bytes.extend_from_slice(&data.to_bytes());
    if digests.data {
        bytes.extend_from_slice(&narrows_nvme::digest::digest(&data.to_bytes()).to_le_bytes());
    }
    bytes
}

fn enabling() -> Vec<u8> {
    let value = Configuration::ENABLED.0.into();
    let command = FabricsCommand::PropertySet { offset: CC, wide: false, value };
    let mut bytes = Vec::new();
    let pdu = Pdu::CapsuleCmd(command.to_entry(2, DataPointer::NONE));
    pdu.write(0, Digests::NONE, 4, &mut bytes);
    bytes
}
