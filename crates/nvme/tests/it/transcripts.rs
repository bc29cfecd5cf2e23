//! What the host of Linux 6.12 said to a target, recorded in the lab (nvme-cli 2.3: discover, connect, writes that are durable,
//! in the capsule and by R2T, a read, discard, zeroes, flush, keep-alive, disconnect): read whole, and written again to the same bytes.

use narrows_nvme::command::{
    AdminCommand, ConnectData, FabricsCommand, Identify, IoCommand, fabrics_command,
};
use narrows_nvme::digest::Digests;
use narrows_nvme::intake::{DataIntake, Intake};
use narrows_nvme::pdu::{Framing, Pdu, Side};
use narrows_nvme::property::{CC, Configuration};
use narrows_nvme::{DataPointer, SubmissionEntry, feature};

const BOTH: Digests = Digests { header: true, data: true };

/// A PDU of the host with its data.
struct Said {
    pdu: Pdu,
    data: Vec<u8>,
}

/// All of a transcript. Digests hold from the second PDU on.
fn pdus(transcript: &[u8], agreed: Digests) -> Vec<Said> {
    let mut rest = transcript;
    let mut said: Vec<Said> = Vec::new();
    while !rest.is_empty() {
        let digests = if said.is_empty() { Digests::NONE } else { agreed };
        let framing = Framing {
            sender: Side::Host,
            digests,
            alignment: 4,
            capsule_data: 16 << 10,
            transfer_data: 1 << 20,
        };
        let Intake::Header(mut header) = Intake::<()>::new() else { unreachable!() };
        let before = rest;
        let (pdu, layout) = header.take(&mut rest, &framing).unwrap().expect("a whole header");
        let mut data = vec![0; layout.data];
        if layout.data > 0 {
            let mut intake = DataIntake::new(pdu.clone(), layout, ());
            assert!(intake.copy(&mut rest, &mut data), "whole data");
            assert!(intake.is_intact(), "the digest is that of the data");
        }
        let mut written = Vec::new();
        pdu.write(data.len(), digests, 4, &mut written);
        assert_eq!(written, before[..written.len()], "{pdu:?}");
        said.push(Said { pdu, data });
    }
    said
}

fn entries(said: &[Said]) -> Vec<(SubmissionEntry, &[u8])> {
    let entry = |one: &Said| match one.pdu {
        Pdu::CapsuleCmd(entry) => Some(entry),
        _ => None,
    };
    said.iter().filter_map(|one| Some((entry(one)?, &one.data[..]))).collect()
}

/// The words of an admin queue, and that each command is written to the same entry.
fn admin_words(said: &[Said]) -> Vec<String> {
    let word = |(entry, data): (SubmissionEntry, &[u8])| {
        if let Some(command) = fabrics_command(&entry) {
            assert_eq!(command.to_entry(entry.command_id(), entry.data()), entry, "{command:?}");
            return match command {
                FabricsCommand::Connect(connect) => {
                    let data: &[u8; 1024] = data.try_into().expect("Connect's data");
                    let asked = ConnectData::parse(data).unwrap();
                    assert_eq!(asked.to_bytes(), *data);
                    format!("connect {} {}", connect.queue, asked.host)
                }
                FabricsCommand::PropertyGet { offset, .. } => format!("get {offset:#x}"),
                FabricsCommand::PropertySet { offset, value, .. } => {
                    format!("set {offset:#x} {value:#x}")
                }
                other => format!("{other:?}"),
            };
        }
        let command = AdminCommand::parse(&entry);
        match command {
            AdminCommand::Identify(identify) => format!("identify {}", identify.structure),
            AdminCommand::GetLogPage(log) => format!("log {:#x}", log.page),
            AdminCommand::SetFeatures { feature, .. } => format!("feature {feature:#x}"),
            AdminCommand::AsyncEventRequest => "event".to_string(),
            AdminCommand::KeepAlive => "alive".to_string(),
            other => panic!("{other:?}"),
        }
    };
    entries(said).into_iter().map(word).collect()
}

#[test]
fn a_connection_of_linux_is_the_sequence_that_is_documented() {
    for (transcript, digests) in [
        (&include_bytes!("../transcripts/admin.bin")[..], Digests::NONE),
        (&include_bytes!("../transcripts/admin-digests.bin")[..], BOTH),
    ] {
        let said = pdus(transcript, digests);
        let Pdu::IcReq(request) = said[0].pdu else { panic!("no ICReq") };
        assert_eq!((request.digests, request.max_r2t, request.alignment), (digests, 0, 0));
        let words = admin_words(&said);
        let begin = [
            "connect 0 nqn.2026-11.org.example:host",
            "get 0x0",
            "set 0x14 0x460000",
            "get 0x0",
            "set 0x14 0x460001",
            "get 0x1c",
            "get 0x8",
        ];
        assert_eq!(words[..begin.len()], begin);
        let identify = format!("identify {}", Identify::CONTROLLER);
        assert_eq!(words[begin.len()], identify);
        let queues = format!("feature {:#x}", feature::NUMBER_OF_QUEUES);
        for later in [queues.as_str(), "event", "identify 2", "identify 3", "identify 0", "alive"] {
            assert!(words.iter().any(|word| word == later), "{later}: {words:?}");
        }
        // It ends by a shutdown that is asked for, and waited for.
        let shutdown = format!("set {CC:#x} {:#x}", Configuration::ENABLED.shutdown().0);
        assert_eq!(words[words.len() - 2..], [shutdown, "get 0x1c".to_string()]);
    }
}

#[test]
fn discovery_reads_its_log_in_pieces() {
    let said = pdus(include_bytes!("../transcripts/discovery.bin"), Digests::NONE);
    let words = admin_words(&said);
    assert!(words.iter().filter(|word| *word == "log 0x70").count() >= 2, "{words:?}");
}

#[test]
fn an_i_o_queue_of_linux_is_read_command_by_command() {
    for (transcript, digests) in [
        (&include_bytes!("../transcripts/io.bin")[..], Digests::NONE),
        (&include_bytes!("../transcripts/io-digests.bin")[..], BOTH),
    ] {
        let said = pdus(transcript, digests);
        let all = entries(&said);
        let Some(FabricsCommand::Connect(connect)) = fabrics_command(&all[0].0) else {
            panic!("no Connect")
        };
        assert_eq!((connect.queue, connect.no_flow_control), (1, false));
        let mut durable = 0;
        let mut kinds = [0; 4];
        for (entry, data) in &all[1..] {
            let command = IoCommand::parse(entry);
            match command {
                IoCommand::Read(_) => kinds[0] += 1,
                IoCommand::Write(_) => {
                    durable += u32::from(command.is_durable());
                    let in_capsule = matches!(entry.data(), DataPointer::InCapsule { .. });
                    assert_eq!(in_capsule, !data.is_empty());
                    kinds[1 + usize::from(!in_capsule)] += 1;
                }
                IoCommand::DatasetManagement { .. }
                | IoCommand::WriteZeroes { .. }
                | IoCommand::Flush => kinds[3] += 1,
                other => panic!("{other:?}"),
            }
        }
        assert!(kinds.iter().all(|kind| *kind > 0) && durable > 0, "{kinds:?}, {durable}");
        // What does not fit into a capsule comes after an R2T, whole and marked as the last.
        let transfers: Vec<_> = said
            .iter()
            .filter_map(|one| match one.pdu {
                Pdu::H2cData { transfer, last } => Some((transfer, last)),
                _ => None,
            })
            .collect();
        assert!(!transfers.is_empty() && transfers.last().unwrap().1);
    }
}
