//! Messages of NVMe's in-band authentication: read by themselves, and said to a target that demands it, before and instead of what
//! it expects.

use narrows_nvme::authentication::{Group, Hash, Message, PROTOCOL, Secret};
use narrows_nvme::command::{Connect, ConnectData, DYNAMIC_CONTROLLER, FabricsCommand};
use narrows_nvme::digest::Digests;
use narrows_nvme::pdu::{IcReq, Pdu};
use narrows_nvme::{DataPointer, HostId, Nqn};
use narrows_target::{Credentials, InMemoryTarget, namespace_of};

use super::text;
use crate::property;

const NQN: &str = "nqn.2026-11.org.example:fuzz";
/// Memory for data in flight, bytes.
const MEMORY: usize = 2 << 20;
/// Data that an answer may have, bytes.
const ROOM: u32 = 4096;
/// The longest message that is said, bytes.
const LONGEST: usize = 2048;

/// The first byte says what the target demands; then come messages, each with its length in two bytes.
pub fn check(data: &[u8]) {
    let Some((how, rest)) = data.split_first() else { return };
    read(rest);
    let nqn: Nqn = NQN.parse().expect("a name");
    let spec = namespace_of("ram:1MiB").expect("a namespace");
    let secret = |byte| Secret::new(Some(Hash::Sha256), &[byte; 32]).expect("a key");
    let credentials = Credentials {
        host: secret(1),
        controller: (how & 2 != 0).then(|| secret(2)),
        hash: Hash::ALL[usize::from(how >> 2) % Hash::ALL.len()],
        group: if how & 1 == 0 { Group::Null } else { Group::Ffdhe2048 },
    };
    let made = InMemoryTarget::authenticating(&nqn, &[spec], MEMORY, Some(credentials));
    let mut target = made.expect("memory");
    let number = target.connect();
    target.input(number, &opening());
    let mut left = rest;
    while let Some((length, behind)) = left.split_first_chunk::<2>() {
        let length = usize::from(u16::from_le_bytes(*length)) % LONGEST;
        let (message, behind) = behind.split_at(length.min(behind.len()));
        left = behind;
        if !message.is_empty() {
            target.input(number, &send(message));
        }
        target.input(number, &receive());
        let said = target.output(number, usize::MAX);
        assert!(said.len() <= 64 << 10, "an answer has a bound");
        if target.is_over(number) {
            break;
        }
    }
    target.cut(number);
    assert_eq!(target.memory_in_use(), 0, "nothing is kept for who is gone");
}

/// What is read is written to what is read as the same.
fn read(data: &[u8]) {
    if let Ok(message) = Message::parse(data) {
        assert_eq!(Message::parse(&message.to_bytes()), Ok(message));
    }
    let text = text(data);
    match text.parse::<Secret>() {
        Ok(secret) => assert_eq!(secret.to_text(), text),
        Err(why) => property::told(&why.to_string(), ""),
    }
}

fn opening() -> Vec<u8> {
    let mut bytes = Vec::new();
    Pdu::IcReq(IcReq::new(Digests::NONE)).write(0, Digests::NONE, 4, &mut bytes);
    let connect = Connect {
        format: 0,
        queue: 0,
        queue_size: 31,
        priority: 0,
        no_flow_control: true,
        keep_alive_ms: 0,
    };
    let data = ConnectData {
        host_id: HostId([1; 16]),
        controller: DYNAMIC_CONTROLLER,
        subsystem: NQN.parse().expect("a name"),
        host: "nqn.2026-11.org.example:host".parse().expect("a name"),
    };
    let pointer = DataPointer::InCapsule { offset: 0, length: 1024 };
    let entry = FabricsCommand::Connect(connect).to_entry(1, pointer);
    Pdu::CapsuleCmd(entry).write(1024, Digests::NONE, 4, &mut bytes);
    bytes.extend_from_slice(&data.to_bytes());
    bytes
}

fn send(message: &[u8]) -> Vec<u8> {
    let length = message.len() as u32;
    let command = FabricsCommand::AuthenticationSend { protocol: PROTOCOL, length };
    let entry = command.to_entry(2, DataPointer::InCapsule { offset: 0, length });
    let mut bytes = Vec::new();
    Pdu::CapsuleCmd(entry).write(message.len(), Digests::NONE, 4, &mut bytes);
    bytes.extend_from_slice(message);
    bytes
}

fn receive() -> Vec<u8> {
    let command = FabricsCommand::AuthenticationReceive { protocol: PROTOCOL, length: ROOM };
    let entry = command.to_entry(3, DataPointer::Transport { length: ROOM });
    let mut bytes = Vec::new();
    Pdu::CapsuleCmd(entry).write(0, Digests::NONE, 4, &mut bytes);
    bytes
}
