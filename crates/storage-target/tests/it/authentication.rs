//! Hosts that have to authenticate: by every hash and group, one way and both, and those that can't.

use std::fmt::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use narrows_initiator::{Address, Association, HostError, PathOptions};
use narrows_io::{Arena, DevicePath, Op};
use narrows_nvme::authentication::{
    Explanation, Group, Hash, KeyPair, Message, Negotiate, Offer, PROTOCOL, Proof, Prover, Reply,
    Secret,
};
use narrows_nvme::command::{
    AdminCommand, DYNAMIC_CONTROLLER, FabricsCommand, Identify, IoCommand,
};
use narrows_nvme::pdu::Pdu;
use narrows_nvme::{DataPointer, Status, SubmissionEntry};

use crate::misuse::Stranger;
use crate::program::{NQN, Program, refusal};

/// Name of the hosts here; that of [`Stranger`] is another.
const HOST: &str = "nqn.2026-11.org.example:host";
const STRANGER: &str = "nqn.2026-11.org.example:stranger";
/// Data that an Authentication Receive asks for, bytes.
const ROOM: u32 = 4096;

fn secret(byte: u8) -> Secret {
    Secret::new(Some(Hash::Sha256), &[byte; 32]).unwrap()
}

/// Files of secrets: `host`, `target`, `wrong`.
pub(crate) struct Keys(tempfile::TempDir);

impl Keys {
    pub(crate) fn new() -> Keys {
        let keys = Keys(tempfile::tempdir().unwrap());
        for (name, byte) in [("host", 1), ("target", 2), ("wrong", 3)] {
            let path = keys.path(name);
            std::fs::write(&path, secret(byte).to_text() + "\n").unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
        keys
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A target of one subsystem, by these files.
    fn program(&self, target: bool, more: &[&str]) -> Program {
        let (host, own) = (self.path("host"), self.path("target"));
        let mut arguments = vec!["--dhchap-key-file", host.to_str().unwrap()];
        if target {
            arguments.extend(["--dhchap-ctrl-key-file", own.to_str().unwrap()]);
        }
        arguments.extend(more);
        Program::serving(&["ram:1MiB"], &arguments)
    }

    fn address(&self, program: &Program, host: Option<&str>, target: Option<&str>) -> Address {
        let mut address = program.address(&format!("hostnqn={HOST}"));
        address.key_file = host.map(|name| self.path(name));
        address.ctrl_key_file = target.map(|name| self.path(name));
        address
    }
}

/// Connects, writes and reads over a queue of its own.
fn works(address: &Address) {
    let association = Arc::new(Association::connect(address, 1).unwrap());
    let arena = Arena::new(1, 4096, 4096).unwrap();
    let mut path = association.path(arena, PathOptions::default()).unwrap();
    path.buffer(0).fill(7);
    for op in [Op::Write, Op::Read] {
        path.submit(op, 0, 4096, 4096);
        let mut done = Vec::new();
        path.reap(1, &mut done).unwrap();
        assert_eq!(done[0].result, 4096);
        assert!(op == Op::Write || path.buffer(0).iter().all(|byte| *byte == 7));
        path.buffer(0).fill(7 * u8::from(op == Op::Read));
    }
}

fn refused(address: &Address) -> HostError {
    Association::connect(address, 1).unwrap_err()
}

#[test]
fn every_hash_and_group_one_way_and_both() {
    let keys = Keys::new();
    let mut config = String::new();
    let all: Vec<(Hash, Group)> =
        Hash::ALL.into_iter().flat_map(|hash| Group::ALL.map(|group| (hash, group))).collect();
    for (hash, group) in &all {
        let (host, target) = (keys.path("host"), keys.path("target"));
        let _ = write!(
            config,
            "[[subsystem]]\nnqn = \"{NQN}.{hash}.{group}\"\nany-host = true\nnamespaces = [\"ram:1MiB\"]\n\
             dhchap-key-file = {host:?}\ndhchap-ctrl-key-file = {target:?}\n\
             dhchap-hash = \"{hash}\"\ndhchap-group = \"{group}\"\n"
        );
    }
    let file = keys.path("config");
    std::fs::write(&file, config).unwrap();
    let program = Program::by(&["--config", file.to_str().unwrap()]);
    for (hash, group) in all {
        for target in [None, Some("target")] {
            let mut address = keys.address(&program, Some("host"), target);
            address.subsystem = format!("{NQN}.{hash}.{group}").parse().unwrap();
            works(&address);
        }
    }
    program.stop();
}

#[test]
fn who_has_not_the_secret_is_told_what_to_do() {
    let keys = Keys::new();
    let metrics = keys.path("metrics");
    let program = keys.program(true, &["--metrics", metrics.to_str().unwrap()]);
    let failed = |reason: &str| {
        let line = program.line_with("authentication-failed");
        assert!(line.contains(reason) && line.contains(HOST), "{line}");
    };
    let error = refused(&keys.address(&program, None, None));
    assert!(matches!(&error, HostError::NoSecret { host } if host.as_str() == HOST), "{error}");
    assert!(error.hint().unwrap().contains("&dhchap-key-file=FILE"));
    let error = refused(&keys.address(&program, Some("wrong"), None));
    assert!(
        matches!(error, HostError::Refused { explanation: Explanation::FAILED, .. }),
        "{error}"
    );
    failed("another secret");
    let error = refused(&keys.address(&program, Some("host"), Some("wrong")));
    assert!(matches!(error, HostError::TargetUnproven { answered: true }), "{error}");
    failed("the host refused the target");
    let error = refused(&keys.address(&program, Some("none"), None));
    assert!(error.to_string().contains("none: ") && error.hint().unwrap().contains("0600"));
    works(&keys.address(&program, Some("host"), Some("target")));
    program.stop();
    let text = std::fs::read_to_string(metrics).unwrap();
    assert!(text.contains("narrows_target_authentication_failures_total 2\n"), "{text}");
    // Both queues of the one that might.
    assert!(text.contains("narrows_target_authentications_total 2\n"), "{text}");
}

#[test]
fn a_target_that_can_not_prove_itself_is_left() {
    let keys = Keys::new();
    let program = keys.program(false, &[]);
    let error = refused(&keys.address(&program, Some("host"), Some("target")));
    assert!(matches!(error, HostError::Refused { .. }), "{error}");
    assert!(program.line_with("authentication-failed").contains("dhchap-ctrl-key-file"));
    program.stop();
    // One that demands nothing proves nothing.
    let open = Program::serving(&["ram:1MiB"], &[]);
    let error = refused(&keys.address(&open, Some("host"), Some("target")));
    assert!(matches!(error, HostError::NoAuthentication), "{error}");
    works(&keys.address(&open, Some("host"), None));
    open.stop();
}

#[test]
fn files_of_secrets_that_others_may_read_are_not_used() {
    let keys = Keys::new();
    let serve = |file: &Path| {
        let file = file.to_str().unwrap();
        refusal(
            &["--subsystem", NQN, "--namespace", "null", "--allow-any-host"]
                .into_iter()
                .chain(["--dhchap-key-file", file])
                .collect::<Vec<_>>(),
        )
    };
    let path = keys.path("host");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let (said, code) = serve(&path);
    assert!(code == Some(2) && said.contains("mode 0644") && said.contains("chmod 600"), "{said}");
    let path = keys.path("wrong");
    std::fs::write(&path, "DHHC-1:01:S3cretS3cret:").unwrap();
    let (said, code) = serve(&path);
    assert!(code == Some(2) && said.contains("gen-dhchap-key"), "{said}");
    assert!(!said.contains("S3cret"), "{said}");
}

#[test]
fn an_option_of_authentication_that_nothing_would_come_of_is_refused() {
    let keys = Keys::new();
    let (config, key) = (keys.path("config"), keys.path("host"));
    let text =
        format!("[[subsystem]]\nnqn = \"{NQN}\"\nany-host = true\nnamespaces = [\"null\"]\n");
    std::fs::write(&config, text).unwrap();
    let key = key.to_str().unwrap();
    for option in [
        ["--dhchap-key-file", key],
        ["--dhchap-ctrl-key-file", key],
        ["--dhchap-hash", "sha512"],
        ["--dhchap-group", "null"],
    ] {
        let (said, code) = refusal(&["--config", config.to_str().unwrap(), option[0], option[1]]);
        assert!(code == Some(2) && said.contains("cannot be used with"), "{option:?}: {said}");
    }
}

fn send_entry(message: &[u8]) -> SubmissionEntry {
    let length = message.len() as u32;
    let command = FabricsCommand::AuthenticationSend { protocol: PROTOCOL, length };
    command.to_entry(3, DataPointer::InCapsule { offset: 0, length })
}

fn send(host: &mut Stranger, message: &Message) -> Status {
    let bytes = message.to_bytes();
    host.send(&Pdu::CapsuleCmd(send_entry(&bytes)), &bytes);
    host.answer().status
}

fn receive(host: &mut Stranger) -> Message {
    let command = FabricsCommand::AuthenticationReceive { protocol: PROTOCOL, length: ROOM };
    let entry = command.to_entry(4, DataPointer::Transport { length: ROOM });
    host.send(&Pdu::CapsuleCmd(entry), &[]);
    let (pdu, data) = host.receive_with_data().unwrap();
    let Pdu::C2hData { success, .. } = pdu else { panic!("{pdu:?}") };
    if !success {
        assert!(host.answer().status.is_success());
    }
    Message::parse(&data).unwrap()
}

fn negotiate(transaction: u16) -> Message {
    Message::Negotiate(Negotiate { transaction, secure_channel: 0, offer: Some(Offer::all()) })
}

/// What the target says at the end of an exchange, before it closes the connection.
fn failure(host: &mut Stranger) -> Explanation {
    let Message::Failure1(failure) = receive(host) else { panic!("no failure") };
    assert!(host.receive().is_none(), "and it closes");
    failure.explanation
}

fn stranger(program: &Program) -> (Stranger, u16) {
    let mut host = Stranger::polite(program);
    let completion = host.connect(0, DYNAMIC_CONTROLLER);
    assert_eq!(completion.result >> 16, 0b10, "ATR");
    (host, completion.result as u16)
}

/// Goes through an exchange with the right secret.
fn authenticate(host: &mut Stranger, transaction: u16) {
    assert!(send(host, &negotiate(transaction)).is_success());
    let reply = reply_to(receive(host), 1);
    assert!(send(host, &Message::Reply(reply)).is_success());
    assert!(matches!(receive(host), Message::Success1(success) if success.response.is_none()));
}

fn reply_to(message: Message, byte: u8) -> Reply {
    let Message::Challenge(challenge) = message else { panic!("{message:?}") };
    let key = KeyPair::new(challenge.group, &[byte; 64]);
    let shared = key.as_ref().map(|key| key.shared(&challenge.public).unwrap());
    let proof = Proof {
        prover: Prover::Host,
        secret: &secret(byte),
        hash: challenge.hash,
        host: &STRANGER.parse().unwrap(),
        subsystem: &NQN.parse().unwrap(),
        transaction: challenge.transaction,
        sequence: challenge.sequence,
        challenge: &challenge.challenge,
        shared: shared.as_ref(),
    };
    Reply {
        transaction: challenge.transaction,
        sequence: 7,
        response: proof.response(),
        challenge: None,
        public: key.map_or_else(Vec::new, |key| key.public().to_vec()),
    }
}

#[test]
fn a_queue_does_nothing_before_its_host_has_authenticated() {
    let keys = Keys::new();
    let program = keys.program(false, &["--dhchap-group", "ffdhe2048"]);
    let (mut admin, controller) = stranger(&program);
    let get = FabricsCommand::PropertyGet { offset: narrows_nvme::property::CAP, wide: true };
    let identify =
        Identify { structure: Identify::CONTROLLER, controller: 0, command_set: 0, namespace: 0 };
    let demanded = Status::AUTHENTICATION_REQUIRED.for_good();
    for entry in [
        get.to_entry(1, DataPointer::NONE),
        AdminCommand::Identify(identify).to_entry(1, DataPointer::Transport { length: 4096 }),
        AdminCommand::KeepAlive.to_entry(1, DataPointer::NONE),
        AdminCommand::AsyncEventRequest.to_entry(1, DataPointer::NONE),
    ] {
        admin.send(&Pdu::CapsuleCmd(entry), &[]);
        assert_eq!(admin.answer().status, demanded);
    }
    authenticate(&mut admin, 1);
    admin.enable();
    // An I/O queue, too; and who hasn't authenticated keeps nobody from being that queue.
    let mut squatter = Stranger::polite(&program);
    assert_eq!(squatter.connect(1, controller).result >> 16, 0b10);
    let mut io = Stranger::polite(&program);
    assert!(io.connect(1, controller).status.is_success());
    let flush = Pdu::CapsuleCmd(IoCommand::Flush.to_entry(1, 1, DataPointer::NONE));
    io.send(&flush, &[]);
    assert_eq!(io.answer().status, demanded);
    authenticate(&mut io, 2);
    io.send(&flush, &[]);
    assert!(io.answer().status.is_success());
    // The other has come too late, and its end changes nothing.
    assert!(send(&mut squatter, &negotiate(3)).is_success());
    let reply = reply_to(receive(&mut squatter), 1);
    assert!(send(&mut squatter, &Message::Reply(reply)).is_success());
    assert_eq!(failure(&mut squatter), Explanation::FAILED);
    let mut third = Stranger::polite(&program);
    assert_eq!(third.connect(1, controller).status.code(), Status::CONNECT_PARAMETERS.code());
    // Again, while the queue works on.
    authenticate(&mut io, 4);
    assert!(send(&mut io, &negotiate(5)).is_success());
    io.send(&flush, &[]);
    assert!(io.answer().status.is_success());
    let wrong = reply_to(receive(&mut io), 3);
    assert!(send(&mut io, &Message::Reply(wrong)).is_success());
    assert_eq!(failure(&mut io), Explanation::FAILED);
    program.stop();
}

#[test]
fn messages_that_can_not_be_end_the_connection_with_a_reason() {
    let keys = Keys::new();
    let program = keys.program(false, &["--dhchap-group", "ffdhe2048", "--dhchap-hash", "sha384"]);
    // What is offered.
    let offer = |hashes: &[u8], groups: &[u8]| {
        Some(Offer { hashes: hashes.to_vec(), groups: groups.to_vec() })
    };
    for (secure_channel, offer, expected) in [
        (1, offer(&[2], &[1]), Explanation::SECURE_CHANNEL),
        (0, None, Explanation::PROTOCOL),
        (0, offer(&[1, 3, 200], &[1]), Explanation::HASH),
        (0, offer(&[2], &[0, 2, 5, 99]), Explanation::GROUP),
        (0, offer(&[], &[]), Explanation::HASH),
    ] {
        let (mut host, _) = stranger(&program);
        let negotiate = Negotiate { transaction: 1, secure_channel, offer };
        assert!(send(&mut host, &Message::Negotiate(negotiate)).is_success());
        assert_eq!(failure(&mut host), expected);
    }
    // Out of order: no Negotiate, a second one, a message of the other side, of another exchange.
    let (mut host, _) = stranger(&program);
    assert!(send(&mut host, &Message::Success2 { transaction: 1 }).is_success());
    assert_eq!(failure(&mut host), Explanation::MESSAGE);
    let (mut host, _) = stranger(&program);
    assert_eq!(failure(&mut host), Explanation::MESSAGE);
    let (mut host, _) = stranger(&program);
    for _ in 0..2 {
        assert!(send(&mut host, &negotiate(1)).is_success());
    }
    assert_eq!(failure(&mut host), Explanation::MESSAGE);
    for (change, expected) in [
        (0, Explanation::PAYLOAD),
        (1, Explanation::PAYLOAD),
        (2, Explanation::PAYLOAD),
        (3, Explanation::PAYLOAD),
        (4, Explanation::PAYLOAD),
        (5, Explanation::FAILED),
    ] {
        let (mut host, _) = stranger(&program);
        assert!(send(&mut host, &negotiate(1)).is_success());
        let mut reply = reply_to(receive(&mut host), 1);
        match change {
            0 => reply.transaction = 2,
            1 => reply.response.truncate(32),
            2 => reply.public.clear(),
            // Values with which the key of both would be known to everybody.
            3 => reply.public = (0..256).map(|at| u8::from(at == 255)).collect(),
            4 => reply.public = vec![0xFF; 256],
            _ => reply.response[0] ^= 1,
        }
        assert!(send(&mut host, &Message::Reply(reply)).is_success());
        assert_eq!(failure(&mut host), expected, "{change}");
    }
    // Commands whose lengths or protocol are others.
    let (mut host, _) = stranger(&program);
    let bytes = negotiate(1).to_bytes();
    let other = FabricsCommand::AuthenticationSend { protocol: [0, 0, 0xEE], length: 72 };
    let other = other.to_entry(3, DataPointer::InCapsule { offset: 0, length: 72 });
    host.send(&Pdu::CapsuleCmd(other), &bytes);
    assert_eq!(host.answer().status, Status::INVALID_FIELD.for_good());
    let longer = send_entry(&[0; 80]).with_data(DataPointer::InCapsule { offset: 0, length: 72 });
    host.send(&Pdu::CapsuleCmd(longer), &bytes);
    assert_eq!(host.answer().status, Status::SGL_LENGTH_INVALID.for_good());
    for length in [16, 1 << 20] {
        let command = FabricsCommand::AuthenticationReceive { protocol: PROTOCOL, length };
        let entry = command.to_entry(4, DataPointer::Transport { length });
        host.send(&Pdu::CapsuleCmd(entry), &[]);
        assert_eq!(host.answer().status, Status::INVALID_FIELD.for_good());
    }
    authenticate(&mut host, 1);
    program.stop();
}

#[test]
fn those_who_have_yet_to_authenticate_have_a_limit() {
    let keys = Keys::new();
    let program = keys.program(false, &[]);
    let mut waiting: Vec<_> = (0..32).map(|_| stranger(&program).0).collect();
    let mut late = Stranger::polite(&program);
    let busy = late.connect(0, DYNAMIC_CONTROLLER).status;
    assert_eq!(busy, Status::CONTROLLER_BUSY, "to be tried again");
    // One that authenticates makes room, and so does one that leaves.
    authenticate(&mut waiting[0], 1);
    let (_second, _) = stranger(&program);
    drop(waiting);
    for _ in 0..1000 {
        let mut host = Stranger::polite(&program);
        if host.connect(0, DYNAMIC_CONTROLLER).status.is_success() {
            authenticate(&mut host, 1);
            program.stop();
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("nobody made room");
}
