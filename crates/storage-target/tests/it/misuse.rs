//! Hosts that break the protocol, byte by byte: each is told what it did, and the next is served.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use narrows_nvme::command::{
    AdminCommand, DYNAMIC_CONTROLLER, FabricsCommand, IoCommand, LogRequest,
};
use narrows_nvme::digest::Digests;
use narrows_nvme::pdu::{
    COMMON_BYTES, CommonHeader, DataTransfer, Fatal, Framing, IcReq, Pdu, Side, Violation,
};
use narrows_nvme::{CompletionEntry, DataPointer, Status};

use crate::program::{NQN, Program, connect};

/// A host without manners.
pub(crate) struct Stranger(TcpStream);

impl Stranger {
    fn new(program: &Program) -> Stranger {
        let stream = TcpStream::connect(("127.0.0.1", program.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        Stranger(stream)
    }

    /// One that opened its connection as it should.
    pub(crate) fn polite(program: &Program) -> Stranger {
        let mut stranger = Stranger::new(program);
        stranger.send(&Pdu::IcReq(IcReq::new(Digests::NONE)), &[]);
        assert!(matches!(stranger.receive().unwrap(), Pdu::IcResp(_)));
        stranger
    }

    pub(crate) fn send(&mut self, pdu: &Pdu, data: &[u8]) {
        let mut bytes = Vec::new();
        pdu.write(data.len(), Digests::NONE, 4, &mut bytes);
        bytes.extend_from_slice(data);
        self.0.write_all(&bytes).unwrap();
    }

    /// The next PDU; its data are dropped. `None` at the end.
    pub(crate) fn receive(&mut self) -> Option<Pdu> {
        self.receive_with_data().map(|(pdu, _)| pdu)
    }

    /// The next PDU and its data.
    pub(crate) fn receive_with_data(&mut self) -> Option<(Pdu, Vec<u8>)> {
        let mut bytes = [0; COMMON_BYTES];
        self.0.read_exact(&mut bytes).ok()?;
        let framing = Framing {
            sender: Side::Controller,
            digests: Digests::NONE,
            alignment: 4,
            capsule_data: 0,
            transfer_data: 1 << 20,
        };
        let (header, layout) = CommonHeader::parse(&bytes, &framing).unwrap();
        let mut rest = vec![0; layout.pdu_bytes() - COMMON_BYTES];
        self.0.read_exact(&mut rest).unwrap();
        let whole: Vec<u8> = bytes.into_iter().chain(rest).collect();
        let pdu = Pdu::parse(&header, &layout, &whole[..layout.header]).unwrap();
        Some((pdu, whole[whole.len() - layout.data..].to_vec()))
    }

    fn terminated(&mut self) -> Violation {
        loop {
            match self.receive() {
                Some(Pdu::C2hTermReq(violation)) => {
                    assert!(self.receive().is_none(), "nothing follows, and it is closed");
                    return violation;
                }
                Some(_) => {}
                None => panic!("closed without a word"),
            }
        }
    }

    pub(crate) fn answer(&mut self) -> CompletionEntry {
        match self.receive() {
            Some(Pdu::CapsuleResp(completion)) => completion,
            other => panic!("no answer: {other:?}"),
        }
    }

    pub(crate) fn connect(&mut self, queue: u16, controller: u16) -> CompletionEntry {
        let (connect, data) = connect(queue, 3, controller, NQN.parse().unwrap(), "stranger");
        let pointer = DataPointer::InCapsule { offset: 0, length: 1024 };
        let entry = FabricsCommand::Connect(connect).to_entry(1, pointer);
        self.send(&Pdu::CapsuleCmd(entry), &data.to_bytes());
        self.answer()
    }

    pub(crate) fn enable(&mut self) {
        let offset = narrows_nvme::property::CC;
        let value = u64::from(narrows_nvme::property::Configuration::ENABLED.0);
        let command = FabricsCommand::PropertySet { offset, wide: false, value };
        self.send(&Pdu::CapsuleCmd(command.to_entry(2, DataPointer::NONE)), &[]);
        assert!(self.answer().status.is_success());
    }
}

/// An admin queue and an I/O queue of its controller.
fn queues(program: &Program) -> (Stranger, Stranger) {
    let mut admin = Stranger::polite(program);
    let controller = admin.connect(0, DYNAMIC_CONTROLLER).result as u16;
    admin.enable();
    let mut io = Stranger::polite(program);
    assert!(io.connect(1, controller).status.is_success());
    (admin, io)
}

/// What some hosts leave where a command has no data.
const BLANK: DataPointer = DataPointer::Other { identifier: 0, rest: [0; 15] };

fn write_entry(command_id: u16, blocks: u16, data: DataPointer) -> Pdu {
    let extent = narrows_nvme::command::Extent {
        first_block: 0,
        blocks_less_one: blocks - 1,
        force_unit_access: false,
    };
    Pdu::CapsuleCmd(IoCommand::Write(extent).to_entry(command_id, 1, data))
}

#[test]
fn what_is_no_connection_is_ended_and_others_are_served() {
    let program = Program::serving(&["ram:1MiB"], &[]);
    let mut web = Stranger::new(&program);
    web.0.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    assert_eq!(web.terminated(), Violation::new(Fatal::InvalidHeaderField, 0));
    // A command before the connection is initialized.
    let mut hasty = Stranger::new(&program);
    hasty.send(&write_entry(1, 1, DataPointer::NONE), &[]);
    assert_eq!(hasty.terminated(), Violation::SEQUENCE);
    // A second ICReq.
    let mut twice = Stranger::polite(&program);
    twice.send(&Pdu::IcReq(IcReq::new(Digests::NONE)), &[]);
    assert_eq!(twice.terminated(), Violation::SEQUENCE);
    // A format that nobody knows.
    let mut future = Stranger::new(&program);
    future.send(&Pdu::IcReq(IcReq { format: 1, ..IcReq::new(Digests::NONE) }), &[]);
    assert_eq!(future.terminated(), Violation::new(Fatal::UnsupportedParameter, 8));
    // Four gigabytes of data in one PDU.
    let mut greedy = Stranger::polite(&program);
    let mut bytes = Vec::new();
    write_entry(1, 1, DataPointer::NONE).write(512, Digests::NONE, 4, &mut bytes);
    bytes[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
    greedy.0.write_all(&bytes).unwrap();
    assert_eq!(greedy.terminated(), Violation::new(Fatal::InvalidHeaderField, 4));
    drop(queues(&program));
    program.stop();
}

#[test]
fn data_that_nobody_asked_for_end_the_connection() {
    let program = Program::serving(&["ram:1MiB"], &[]);
    let transfer = DataTransfer { command_id: 5, transfer_tag: 0, offset: 0, length: 512 };
    let (_admin, mut io) = queues(&program);
    io.send(&Pdu::H2cData { transfer, last: true }, &[0; 512]);
    assert_eq!(io.terminated(), Violation::SEQUENCE);
    for (offset, length, last, command_id, expected) in [
        (512, 512, false, 5, Violation::new(Fatal::DataOutOfRange, 0)),
        (0, 40_000, true, 5, Violation::new(Fatal::DataOutOfRange, 0)),
        (0, 512, true, 5, Violation::new(Fatal::InvalidHeaderField, 1)),
        (0, 512, false, 6, Violation::new(Fatal::InvalidHeaderField, 8)),
    ] {
        let (_admin, mut io) = queues(&program);
        io.send(&write_entry(5, 64, DataPointer::Transport { length: 32_768 }), &[]);
        let Some(Pdu::R2t(ready)) = io.receive() else { panic!("no R2T") };
        assert_eq!((ready.command_id, ready.length), (5, 32_768));
        let transfer_tag = ready.transfer_tag;
        let transfer = DataTransfer { command_id, transfer_tag, offset, length };
        io.send(&Pdu::H2cData { transfer, last }, &vec![0; length as usize]);
        assert_eq!(io.terminated(), expected, "{transfer:?}");
    }
    program.stop();
}

#[test]
fn commands_that_can_not_be_are_answered_with_their_status() {
    let program = Program::serving(&["ram:1MiB"], &[]);
    let mut early = Stranger::polite(&program);
    early.send(&write_entry(1, 1, DataPointer::NONE), &[]);
    assert_eq!(early.answer().status, Status::SEQUENCE_ERROR.for_good());
    let (mut admin, mut io) = queues(&program);
    for (pdu, data, expected) in [
        (
            write_entry(1, 2, DataPointer::InCapsule { offset: 0, length: 512 }),
            512,
            Status::SGL_LENGTH_INVALID,
        ),
        (
            write_entry(2, 1, DataPointer::InCapsule { offset: 8, length: 512 }),
            512,
            Status::SGL_OFFSET_INVALID,
        ),
        (write_entry(3, 1, DataPointer::Transport { length: 4096 }), 0, Status::SGL_LENGTH_INVALID),
        (
            write_entry(4, 1, DataPointer::Other { identifier: 0x40, rest: [0; 15] }),
            0,
            Status::SGL_TYPE_INVALID,
        ),
        (
            Pdu::CapsuleCmd(IoCommand::Unknown(0xC5).to_entry(5, 1, DataPointer::NONE)),
            0,
            Status::INVALID_OPCODE,
        ),
        (
            Pdu::CapsuleCmd(IoCommand::Flush.to_entry(6, 2, DataPointer::NONE)),
            0,
            Status::INVALID_NAMESPACE,
        ),
        (write_entry(7, 1, BLANK), 0, Status::SGL_TYPE_INVALID),
    ] {
        io.send(&pdu, &vec![0; data]);
        assert_eq!(io.answer().status, expected.for_good());
    }
    // Nothing is moved, so a descriptor of zeros describes that.
    io.send(&Pdu::CapsuleCmd(IoCommand::Flush.to_entry(8, 1, BLANK)), &[]);
    assert_eq!(io.answer().status, Status::SUCCESS);
    // An I/O queue that is taken, and one of a controller that isn't there.
    let mut second = Stranger::polite(&program);
    assert_eq!(second.connect(1, 1).status.code(), Status::CONNECT_PARAMETERS.code());
    let mut lost = Stranger::polite(&program);
    assert_eq!(lost.connect(1, 999).status.code(), Status::CONNECT_PARAMETERS.code());
    // More commands than the queue has entries.
    for command_id in 0..5 {
        io.send(&write_entry(command_id, 64, DataPointer::Transport { length: 32_768 }), &[]);
    }
    assert_eq!(io.terminated(), Violation::SEQUENCE);
    admin.send(&Pdu::H2cTermReq(Violation::SEQUENCE), &[0; 24]);
    assert!(admin.receive().is_none());
    program.line_with("the host ended the connection");
    program.stop();
}

#[test]
fn the_end_of_an_admin_queue_is_that_of_its_i_o_queues() {
    let program = Program::serving(&["ram:1MiB"], &[]);
    let (admin, mut io) = queues(&program);
    drop(admin);
    assert!(io.receive().is_none());
    program.stop();
}

#[test]
fn a_stranger_who_asks_and_takes_no_answers_is_let_go_before_they_fill_memory() {
    let nqn: narrows_nvme::Nqn = NQN.parse().unwrap();
    let spec = narrows_target::namespace_of("ram:1MiB").unwrap();
    let mut target = narrows_target::InMemoryTarget::new(&nqn, &[spec], 1 << 20).unwrap();
    let number = target.connect();
    let say = |pdu: &Pdu, data: &[u8]| {
        let mut bytes = Vec::new();
        pdu.write(data.len(), Digests::NONE, 4, &mut bytes);
        bytes.extend_from_slice(data);
        bytes
    };
    target.input(number, &say(&Pdu::IcReq(IcReq::new(Digests::NONE)), &[]));
    let discovery = narrows_nvme::Nqn::discovery();
    let (connect, data) = connect(0, 31, DYNAMIC_CONTROLLER, discovery, "stranger");
    let pointer = DataPointer::InCapsule { offset: 0, length: 1024 };
    let entry = FabricsCommand::Connect(connect).to_entry(1, pointer);
    target.input(number, &say(&Pdu::CapsuleCmd(entry), &data.to_bytes()));
    let enable = FabricsCommand::PropertySet {
        offset: narrows_nvme::property::CC,
        wide: false,
        value: narrows_nvme::property::Configuration::ENABLED.0.into(),
    };
    target.input(number, &say(&Pdu::CapsuleCmd(enable.to_entry(2, DataPointer::NONE)), &[]));
    let log = |bytes: u32| {
        let request = LogRequest {
            page: narrows_nvme::log::page::DISCOVERY,
            specific: 0,
            retain_event: false,
            dwords_less_one: bytes / 4 - 1,
            offset: 0,
            namespace: 0,
        };
        let entry =
            AdminCommand::GetLogPage(request).to_entry(3, DataPointer::Transport { length: bytes });
        say(&Pdu::CapsuleCmd(entry), &[])
    };
    // More of a log at once than anybody needs is refused, and all of what may be asked for has an end.
    let before = target.output(number, usize::MAX).len();
    assert!(before > 0);
    target.input(number, &log(1 << 20));
    assert!(target.output(number, usize::MAX).len() < 100);
    let asked = (0..1000).take_while(|_| {
        target.input(number, &log(64 << 10));
        !target.is_over(number)
    });
    assert!(asked.count() < 64);
    assert!(target.output(number, usize::MAX).len() < 4 << 20);
}

#[test]
fn a_controller_that_was_reset_has_no_queues_of_before() {
    let program = Program::serving(&["ram:1MiB"], &[]);
    let (mut admin, mut io) = queues(&program);
    let offset = narrows_nvme::property::CC;
    let disable = FabricsCommand::PropertySet { offset, wide: false, value: 0x0046_0000 };
    admin.send(&Pdu::CapsuleCmd(disable.to_entry(3, DataPointer::NONE)), &[]);
    assert!(admin.answer().status.is_success());
    admin.enable();
    io.send(&write_entry(1, 1, DataPointer::InCapsule { offset: 0, length: 512 }), &[0; 512]);
    assert!(io.receive().is_none());
    let mut again = Stranger::polite(&program);
    assert!(again.connect(1, 1).status.is_success());
    program.stop();
}
