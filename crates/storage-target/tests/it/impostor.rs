//! What stands in a target's place and hasn't its secret: what a host that authenticates takes of it, and what it tells it.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;

use narrows_initiator::{Address, Association, HostError};
use narrows_nvme::authentication::{
    Challenge, Explanation, Failure, Group, Hash, Message, Reply, Requirement, Success1,
};
use narrows_nvme::command::{FabricsCommand, fabrics_command};
use narrows_nvme::digest::Digests;
use narrows_nvme::pdu::{DataTransfer, IcResp, Pdu};
use narrows_nvme::{CompletionEntry, Status, SubmissionEntry};

use crate::authentication::Keys;
use crate::cutter::{self, next_pdu};
use crate::program::NQN;

/// The message after what the host has told so far.
type Says = fn(&[Message]) -> Message;

/// Where it listens, and what the host told it in the end: its messages, and whether it wanted anything else.
struct Impostor {
    port: u16,
    told: JoinHandle<(Vec<Message>, bool)>,
}

impl Impostor {
    /// One that says the first, then the second, whatever it is told.
    fn saying(says: [Says; 2]) -> Impostor {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let told = std::thread::spawn(move || serve(&listener.accept().unwrap().0, &says));
        Impostor { port, told }
    }
}

fn send(mut to: &TcpStream, pdu: &Pdu, data: &[u8]) {
    let mut bytes = Vec::new();
    pdu.write(data.len(), Digests::NONE, 4, &mut bytes);
    bytes.extend_from_slice(data);
    // The host may have left.
    let _ = to.write_all(&bytes);
}

fn serve(host: &TcpStream, says: &[Says]) -> (Vec<Message>, bool) {
    let (mut told, mut said, mut other) = (Vec::new(), says.iter(), false);
    while let Some(pdu) = next_pdu(host) {
        if pdu[0] != cutter::COMMAND {
            let (format, alignment, max_h2c_data) = (0, 0, 4096);
            let response = IcResp { format, alignment, digests: Digests::NONE, max_h2c_data };
            send(host, &Pdu::IcResp(response), &[]);
            continue;
        }
        let entry = SubmissionEntry::from_bytes(pdu[8..72].try_into().unwrap());
        let answer = |result| CompletionEntry::new(entry.command_id(), Status::SUCCESS, result);
        match fabrics_command(&entry) {
            Some(FabricsCommand::Connect(_)) => {
                let demands = Requirement { authentication: true, secure_channel: false };
                send(host, &Pdu::CapsuleResp(answer(1 | demands.to_result())), &[]);
            }
            Some(FabricsCommand::AuthenticationSend { .. }) => {
                told.push(Message::parse(&pdu[72..]).unwrap());
                send(host, &Pdu::CapsuleResp(answer(0)), &[]);
            }
            Some(FabricsCommand::AuthenticationReceive { length, .. }) => {
                let Some(message) = said.next() else { break };
                let mut data = message(&told).to_bytes();
                data.resize(length as usize, 0);
                let command_id = entry.command_id();
                let transfer = DataTransfer { command_id, transfer_tag: 0, offset: 0, length };
                send(host, &Pdu::C2hData { transfer, last: true, success: true }, &data);
            }
            _ => {
                other = true;
                break;
            }
        }
    }
    (told, other)
}

fn challenge_of(told: &[Message], group: Group, public: Vec<u8>) -> Message {
    Message::Challenge(Challenge {
        transaction: told[0].transaction(),
        hash: Hash::Sha256,
        group,
        sequence: 1,
        challenge: vec![7; Hash::Sha256.bytes()],
        public,
    })
}

fn challenge(told: &[Message]) -> Message {
    challenge_of(told, Group::Null, Vec::new())
}

fn success(told: &[Message], response: Option<Vec<u8>>) -> Message {
    let transaction = told[0].transaction();
    Message::Success1(Success1 { transaction, hash: Hash::Sha256, response })
}

fn reply(told: &[Message]) -> &Reply {
    let Message::Reply(reply) = &told[1] else { panic!("{:?}", told[1]) };
    reply
}

/// What the host says of it, and the messages that it told.
fn met(says: [Says; 2], proves: bool) -> (HostError, Vec<Message>) {
    let keys = Keys::new();
    let impostor = Impostor::saying(says);
    let port = impostor.port;
    let mut address: Address = format!("nvme-tcp://127.0.0.1:{port}/{NQN}").parse().unwrap();
    address.key_file = Some(keys.path("host"));
    address.ctrl_key_file = proves.then(|| keys.path("target"));
    let error = Association::connect(&address, 1).unwrap_err();
    let (told, other) = impostor.told.join().unwrap();
    assert!(!other, "a command after {error}");
    (error, told)
}

fn failure(told: &[Message]) -> Explanation {
    let Some(Message::Failure2(failure)) = told.last() else { panic!("{told:?}") };
    failure.explanation
}

#[test]
fn a_challenge_that_can_not_be_is_not_answered() {
    let says: [(Says, Explanation); 6] = [
        // Public values with which the key of both would be known to everybody.
        (
            |told| challenge_of(told, Group::Ffdhe2048, vec![0; Group::Ffdhe2048.bytes()]),
            Explanation::PAYLOAD,
        ),
        (
            |told| {
                let mut one = vec![0; Group::Ffdhe2048.bytes()];
                one[255] = 1;
                challenge_of(told, Group::Ffdhe2048, one)
            },
            Explanation::PAYLOAD,
        ),
        (
            |told| challenge_of(told, Group::Ffdhe2048, vec![0xFF; Group::Ffdhe2048.bytes()]),
            Explanation::PAYLOAD,
        ),
        // Another exchange's, the end of one, a message of the host's.
        (
            |told| match challenge(told) {
                Message::Challenge(challenge) => Message::Challenge(Challenge {
                    transaction: challenge.transaction.wrapping_add(1),
                    ..challenge
                }),
                other => other,
            },
            Explanation::PAYLOAD,
        ),
        (|told| success(told, None), Explanation::MESSAGE),
        (|told| told[0].clone(), Explanation::MESSAGE),
    ];
    for (index, (says, expected)) in says.into_iter().enumerate() {
        let (error, told) = met([says, challenge], false);
        assert!(matches!(error, HostError::Broken(_)), "{index}: {error}");
        // Nothing that is made of the secret.
        assert_eq!((told.len(), failure(&told)), (2, expected), "{index}: {error}");
    }
}

#[test]
fn who_gives_the_hosts_own_values_back_or_none_has_not_proved_its_secret() {
    let says: [(Says, bool); 4] = [
        (|told| success(told, None), false),
        (|told| success(told, Some(reply(told).response.clone())), true),
        (|told| success(told, reply(told).challenge.clone()), true),
        // A response of another hash.
        (
            |told| {
                let (transaction, hash) = (told[0].transaction(), Hash::Sha512);
                Message::Success1(Success1 { transaction, hash, response: Some(vec![0; 64]) })
            },
            true,
        ),
    ];
    for (says, answers) in says {
        let (error, told) = met([challenge, says], true);
        let HostError::TargetUnproven { answered } = error else { panic!("{error}") };
        assert_eq!((answered, failure(&told)), (answers, Explanation::FAILED));
        assert_ne!(reply(&told).challenge.as_deref(), Some(&[7; 32][..]), "a challenge of its own");
    }
}

#[test]
fn a_failure_is_told_with_its_reason_and_ends_it() {
    for second in [false, true] {
        let refuses: Says = |told| {
            let transaction = told[0].transaction();
            Message::Failure1(Failure { transaction, explanation: Explanation::GROUP })
        };
        let says = if second { [challenge, refuses] } else { [refuses, challenge] };
        let (error, told) = met(says, false);
        let HostError::Refused { explanation, .. } = &error else { panic!("{error}") };
        assert_eq!((*explanation, told.len()), (Explanation::GROUP, 1 + usize::from(second)));
        assert!(error.hint().unwrap().contains("ffdhe8192"));
    }
}
