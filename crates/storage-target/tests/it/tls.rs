//! Hosts that come by TLS, those that should and don't, and those whose key is another's.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use narrows_initiator::{Address, Association, HostError, NvmeTcpPath, PathOptions};
use narrows_io::{Arena, DevicePath, Op};
use narrows_nvme::command::{AdminCommand, DYNAMIC_CONTROLLER, FabricsCommand, LogRequest};
use narrows_nvme::digest::Digests;
use narrows_nvme::log::{DISCOVERY_RECORD, DiscoveryLog, page};
use narrows_nvme::pdu::{COMMON_BYTES, CommonHeader, Framing, IcReq, Pdu, Side};
use narrows_nvme::tls::{ConfiguredKey, PskHash, PskIdentity, TlsPsk, Version};
use narrows_nvme::{CompletionEntry, DISCOVERY_NQN, DataPointer, Nqn, Status};
use narrows_nvme_tls::{KeyRing, NoKeys, Session, TlsError};

use crate::authentication::Keys;
use crate::cutter::Relay;
use crate::data::{all, hold_against_a_copy, one, pattern};
use crate::misuse::Stranger;
use crate::program::{NQN, Program, connect, refusal};

const HOST: &str = "nqn.2026-11.org.example:host";
const OTHER: &str = "nqn.2026-11.org.example:other";
/// The name of [`connect`] and [`Stranger`].
const STRANGER: &str = "nqn.2026-11.org.example:stranger";

pub(crate) fn key(byte: u8) -> ConfiguredKey {
    ConfiguredKey::new(Some(PskHash::Sha256), &[byte; 32]).unwrap()
}

/// Files of keys: `key`, `wrong`, `long` (of SHA-384), `plain` (bound to no host).
pub(crate) struct TlsFiles(tempfile::TempDir);

impl TlsFiles {
    pub(crate) fn new() -> TlsFiles {
        let files = TlsFiles(tempfile::tempdir().unwrap());
        files.put("key", &key(1).to_text());
        files.put("wrong", &key(2).to_text());
        let long = ConfiguredKey::new(Some(PskHash::Sha384), &[3; 48]).unwrap();
        files.put("long", &long.to_text());
        files.put("plain", &ConfiguredKey::new(None, &[4; 32]).unwrap().to_text());
        files
    }

    fn put(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, format!("{text}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        path
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    fn serving(&self, namespaces: &[&str], more: &[&str]) -> Program {
        Program::serving(namespaces, &[&["--tls-key-file", &self.path("key")], more].concat())
    }

    fn address(&self, program: &Program, key: &str, more: &str) -> Address {
        let key = self.path(key);
        program.address(&format!("hostnqn={HOST}&tls-key-file={key}{more}"))
    }
}

fn path_of(address: &Address, slots: u32) -> NvmeTcpPath {
    let association = Arc::new(Association::connect(address, 4).unwrap());
    association.path(Arena::new(slots, 1 << 20, 4096).unwrap(), PathOptions::default()).unwrap()
}

fn refused(address: &Address) -> HostError {
    Association::connect(address, 1).unwrap_err()
}

#[test]
fn what_is_written_by_tls_is_what_is_read() {
    let files = TlsFiles::new();
    let disk = files.0.path().join("disk");
    std::fs::File::create(&disk).unwrap().set_len(16 << 20).unwrap();
    let metrics = files.path("metrics");
    let namespaces = ["ram:16MiB", disk.to_str().unwrap(), "null:16MiB", "ram:16MiB"];
    let program = files.serving(&namespaces, &["--threads", "2", "--metrics", &metrics]);
    assert!(program.said_before_listening("requires-tls"));
    assert!(program.said_before_listening("zero-copy=off"));
    for options in ["&ns=1", "&ns=2&digest=both", "&ns=4&digest=data"] {
        let mut path = path_of(&files.address(&program, "key", options), 8);
        hold_against_a_copy(&mut path, 16 << 20, 20);
    }
    let line = program.line_with("encrypted");
    assert!(line.contains(HOST) && line.contains("suite=TLS_AES_128_GCM_SHA256"), "{line}");
    // Eight megabytes at once, each way, over many records.
    let mut path = path_of(&files.address(&program, "key", ""), 8);
    for (op, seed) in [(Op::Write, 7), (Op::Read, 0)] {
        for slot in 0..8u32 {
            let data = pattern(seed + u64::from(slot), 1 << 20);
            path.buffer(slot).copy_from_slice(&data);
            path.submit(op, slot, u64::from(slot) << 20, 1 << 20);
        }
        assert!(all(&mut path).iter().all(|done| done.result == 1 << 20));
    }
    for slot in 0..8u32 {
        assert!(path.buffer(slot)[..] == pattern(7 + u64::from(slot), 1 << 20), "slot {slot}");
    }
    let mut zeros = path_of(&files.address(&program, "key", "&ns=3"), 1);
    zeros.buffer(0).fill(9);
    assert_eq!(one(&mut zeros, Op::Read, 0, 1 << 20), 1 << 20);
    assert!(zeros.buffer(0).iter().all(|byte| *byte == 0));
    // Two associations, of an admin queue and an I/O queue each, and three before them.
    program.stop();
    let text = std::fs::read_to_string(metrics).unwrap();
    let now = text.lines().find_map(|line| line.strip_prefix("narrows_target_tls_connections "));
    let now: u64 = now.expect("it is told").parse().unwrap();
    // While it ends, they end one by one; none of them is taken off twice.
    assert!(now <= 10, "{text}");
    assert!(text.contains("narrows_target_tls_handshakes_total 10\n"), "{text}");
    assert!(text.contains("narrows_target_tls_failures_total 0\n"), "{text}");
}

#[test]
fn each_kind_of_key_and_authentication_over_it() {
    let files = TlsFiles::new();
    let secrets = Keys::new();
    let secret = secrets.path("host").display().to_string();
    for (name, suite) in
        [("long", "AES_256_GCM_SHA384"), ("plain", "AES_128_GCM_SHA256"), ("key", "AES_128")]
    {
        let file = files.path(name);
        let arguments = ["--tls-key-file", &file, "--dhchap-key-file", &secret];
        let program = Program::serving(&["ram:1MiB"], &arguments);
        let mut address = files.address(&program, name, "");
        let error = refused(&address);
        assert!(matches!(error, HostError::NoSecret { .. }), "{error}");
        address.key_file = Some(secrets.path("host"));
        let mut path = path_of(&address, 1);
        path.buffer(0).fill(5);
        assert_eq!(one(&mut path, Op::Write, 0, 65_536), 65_536);
        assert!(program.line_with("encrypted").contains(suite));
        program.stop();
    }
}

#[test]
fn who_comes_without_tls_or_by_another_key_is_told_and_so_is_the_journal() {
    let files = TlsFiles::new();
    let program = files.serving(&["ram:1MiB"], &[]);
    let plain = program.address(&format!("hostnqn={HOST}"));
    let error = refused(&plain);
    assert!(matches!(&error, HostError::TlsRequired { host, .. } if host.as_str() == HOST));
    assert!(error.hint().unwrap().contains("&tls-key-file=FILE"));
    let line = program.line_with("came without");
    assert!(line.contains("from=127.0.0.1:") && line.contains(HOST), "{line}");
    assert!(line.contains("nvme connect --tls"), "{line}");
    let error = refused(&files.address(&program, "wrong", ""));
    assert!(matches!(error, HostError::Tls(TlsError::Refused(_))), "{error}");
    assert!(error.hint().unwrap().contains("is the key the one"), "{error}");
    let line = program.line_with("TLS: the host has another key");
    assert!(line.contains(HOST) && line.contains("from=127.0.0.1:"), "{line}");
    let error = refused(&files.address(&program, "long", ""));
    assert!(error.to_string().contains("unknown_psk_identity"), "{error}");
    let line = program.line_with("TLS: there is no key for");
    assert!(line.contains("NVMe1R02") && line.contains(HOST), "{line}");
    let mut address = files.address(&program, "key", "");
    address.subsystem = OTHER.parse().unwrap();
    assert!(matches!(refused(&address), HostError::Tls(TlsError::Refused(_))));
    assert!(program.line_with(OTHER).contains("TLS: there is no key for"));
    // And the right one is served as before.
    path_of(&files.address(&program, "key", ""), 1);
    program.stop();
}

#[test]
fn a_target_without_a_key_and_one_that_is_none_are_told_from_another_key() {
    let files = TlsFiles::new();
    let program = Program::serving(&["ram:1MiB"], &[]);
    let error = refused(&files.address(&program, "key", ""));
    assert!(matches!(error, HostError::TlsUnanswered), "{error}");
    assert!(error.hint().unwrap().contains("leave `tls-key-file` out"));
    let line = program.line_with("the host speaks TLS, and no key is named here");
    assert!(line.contains("from=127.0.0.1:"), "{line}");
    program.stop();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let other = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let _ = socket.read(&mut [0; 4096]).unwrap();
        socket.write_all(b"SSH-2.0-OpenSSH\r\n").unwrap();
        let _ = socket.read(&mut [0; 4096]);
    });
    let key = files.path("key");
    let address = format!("nvme-tcp://127.0.0.1:{port}/{NQN}?tls-key-file={key}");
    let error = refused(&address.parse().unwrap());
    other.join().unwrap();
    assert!(matches!(error, HostError::Tls(TlsError::NotTls)), "{error}");
}

#[test]
fn files_of_keys_that_others_may_read_are_not_used_and_no_key_is_repeated() {
    let files = TlsFiles::new();
    let serve = |option: &str, file: &str| {
        refusal(&["--subsystem", NQN, "--namespace", "null", "--allow-any-host", option, file])
    };
    let path = files.path("key");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    let (said, code) = serve("--tls-key-file", &path);
    assert!(code == Some(2) && said.contains("mode 0640") && said.contains("chmod 600"), "{said}");
    let error =
        refused(&format!("nvme-tcp://127.0.0.1/{NQN}?tls-key-file={path}").parse().unwrap());
    assert!(matches!(error, HostError::TlsKey { .. }), "{error}");
    assert!(error.hint().unwrap().contains("0600"));
    let broken = files.put("broken", "NVMeTLSkey-1:01:S3cretS3cret:").display().to_string();
    let (said, code) = serve("--tls-key-file", &broken);
    assert!(code == Some(2) && said.contains("gen-tls-key") && !said.contains("S3cret"), "{said}");
    let (said, code) = serve("--tls-key", "NVMeTLSkey-1:01:S3cretS3cret:");
    assert!(code == Some(2) && said.contains("stands in a file"), "{said}");
    assert!(!said.contains("S3cret"), "{said}");
}

#[test]
fn a_host_has_its_own_key_beside_hosts_without_and_subsystems_without() {
    let files = TlsFiles::new();
    let open = "nqn.2026-11.org.example:open";
    let config = files.put(
        "config",
        &format!(
            "[[subsystem]]\nnqn = \"{NQN}\"\nnamespaces = [\"ram:1MiB\"]\nhosts = [\"{OTHER}\"]\n\
             tls = \"required\"\n[[subsystem.host]]\nnqn = \"{HOST}\"\ntls-key-file = {:?}\n\
             [[subsystem]]\nnqn = \"{open}\"\nany-host = true\nnamespaces = [\"ram:1MiB\"]\n",
            files.path("key")
        ),
    );
    let program = Program::by(&["--config", config.to_str().unwrap()]);
    assert!(
        program
            .said_before_listening(&format!("connects-without-tls subsystem={NQN} host={OTHER}"))
    );
    path_of(&files.address(&program, "key", ""), 1);
    assert!(matches!(
        refused(&program.address(&format!("hostnqn={HOST}"))),
        HostError::TlsRequired { .. }
    ));
    path_of(&program.address(&format!("hostnqn={OTHER}")), 1);
    // A key of this subsystem opens no other, which has none.
    let mut address = files.address(&program, "key", "");
    address.subsystem = open.parse().unwrap();
    assert!(matches!(refused(&address), HostError::Tls(TlsError::Refused(_))));
    address.tls_key_file = None;
    path_of(&address, 1);
    program.stop();
}

/// A host of its own making, by TLS.
struct Encrypted {
    socket: TcpStream,
    session: Session,
    plain: Vec<u8>,
}

impl Encrypted {
    /// One that has a session by these keys, up to where it takes commands.
    fn open(program: &Program, psks: &[TlsPsk]) -> Encrypted {
        let socket = TcpStream::connect(("127.0.0.1", program.port)).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let session = Session::host(psks).unwrap();
        let mut host = Encrypted { socket, session, plain: Vec::new() };
        while !host.session.is_open() {
            host.flush();
            assert!(host.take(), "closed within the handshake");
        }
        host.send(&Pdu::IcReq(IcReq::new(Digests::NONE)), &[]);
        assert!(matches!(host.receive().unwrap(), Pdu::IcResp(_)));
        host
    }

    fn flush(&mut self) {
        self.socket.write_all(self.session.output()).unwrap();
        self.session.sent(usize::MAX);
    }

    fn take(&mut self) -> bool {
        let mut input = [0; 4096];
        let came = self.socket.read(&mut input).unwrap_or(0);
        self.session.receive(&input[..came], &NoKeys, &mut self.plain).unwrap();
        came > 0
    }

    fn send(&mut self, pdu: &Pdu, data: &[u8]) {
        let mut bytes = Vec::new();
        pdu.write(data.len(), Digests::NONE, 4, &mut bytes);
        bytes.extend_from_slice(data);
        self.session.send(&bytes).unwrap();
        self.flush();
    }

    fn bytes(&mut self, count: usize) -> Option<Vec<u8>> {
        while self.plain.len() < count {
            if !self.take() {
                return None;
            }
        }
        Some(self.plain.drain(..count).collect())
    }

    /// The next PDU without data; `None` at the end.
    fn receive(&mut self) -> Option<Pdu> {
        let framing = Framing {
            sender: Side::Controller,
            digests: Digests::NONE,
            alignment: 4,
            capsule_data: 0,
            transfer_data: 1 << 20,
        };
        let first: [u8; COMMON_BYTES] = self.bytes(COMMON_BYTES)?.try_into().unwrap();
        let (header, layout) = CommonHeader::parse(&first, &framing).unwrap();
        let rest = self.bytes(layout.pdu_bytes() - COMMON_BYTES)?;
        let whole = [&first[..], &rest].concat();
        Some(Pdu::parse(&header, &layout, &whole[..layout.header]).unwrap())
    }

    /// Connects as [`STRANGER`].
    fn connect(&mut self, queue: u16, controller: u16, subsystem: &str) -> CompletionEntry {
        let (connect, data) = connect(queue, 3, controller, subsystem.parse().unwrap(), "stranger");
        let pointer = DataPointer::InCapsule { offset: 0, length: 1024 };
        let entry = FabricsCommand::Connect(connect).to_entry(1, pointer);
        self.send(&Pdu::CapsuleCmd(entry), &data.to_bytes());
        match self.receive() {
            Some(Pdu::CapsuleResp(completion)) => completion,
            other => panic!("no answer: {other:?}"),
        }
    }
}

fn psks(host: &str, subsystem: &str) -> Vec<TlsPsk> {
    let (host, subsystem): (Nqn, Nqn) = (host.parse().unwrap(), subsystem.parse().unwrap());
    key(1).psks(&host, &subsystem)
}

#[test]
fn a_key_opens_what_it_names_and_nothing_else() {
    let files = TlsFiles::new();
    let program = files.serving(&["ram:1MiB"], &[]);
    // Another host's key, under its name, for a Connect of this one.
    let mut thief = Encrypted::open(&program, &psks(HOST, NQN));
    assert_eq!(thief.connect(0, DYNAMIC_CONTROLLER, NQN).status, Status::CONNECT_HOST.for_good());
    drop(thief);
    let line = program.line_with("by the TLS key of");
    assert!(line.contains(STRANGER) && line.contains(HOST), "{line}");
    let mut own = Encrypted::open(&program, &psks(STRANGER, NQN));
    let controller = own.connect(0, DYNAMIC_CONTROLLER, NQN);
    assert!(controller.status.is_success());
    // A queue of that controller that comes without TLS, or by another's key.
    let demanded = Status::AUTHENTICATION_REQUIRED.for_good();
    let mut plain = Stranger::polite(&program);
    assert_eq!(plain.connect(0, DYNAMIC_CONTROLLER).status, demanded);
    let mut plain = Stranger::polite(&program);
    let joined = plain.connect(1, controller.result as u16).status;
    assert!(!joined.is_success(), "{joined}");
    // What there is may be asked for by a key for it, too, and by nothing else that the key is for.
    let mut discovery = Encrypted::open(&program, &psks(STRANGER, DISCOVERY_NQN));
    assert!(discovery.connect(0, DYNAMIC_CONTROLLER, DISCOVERY_NQN).status.is_success());
    let mut wrong = Encrypted::open(&program, &psks(STRANGER, DISCOVERY_NQN));
    assert_eq!(wrong.connect(0, DYNAMIC_CONTROLLER, NQN).status, Status::CONNECT_HOST.for_good());
    // The target's end is one in order.
    let mut last = Encrypted::open(&program, &psks(STRANGER, NQN));
    program.signal(libc::SIGTERM);
    assert!(last.receive().is_none());
    assert!(last.session.is_closed(), "close_notify");
    program.stop();
}

#[test]
fn discovery_says_that_tls_is_required() {
    let files = TlsFiles::new();
    let told = |program: &Program| {
        let mut host = Stranger::polite(program);
        let subsystem = DISCOVERY_NQN.parse().unwrap();
        let (connect, data) = connect(0, 31, DYNAMIC_CONTROLLER, subsystem, "stranger");
        let pointer = DataPointer::InCapsule { offset: 0, length: 1024 };
        let entry = FabricsCommand::Connect(connect).to_entry(1, pointer);
        host.send(&Pdu::CapsuleCmd(entry), &data.to_bytes());
        assert!(host.answer().status.is_success());
        host.enable();
        let bytes = DISCOVERY_RECORD * 3;
        let request = LogRequest {
            page: page::DISCOVERY,
            specific: 0,
            retain_event: true,
            dwords_less_one: (bytes / 4) as u32 - 1,
            offset: 0,
            namespace: 0,
        };
        let pointer = DataPointer::Transport { length: bytes as u32 };
        let entry = AdminCommand::GetLogPage(request).to_entry(3, pointer);
        host.send(&Pdu::CapsuleCmd(entry), &[]);
        let (_, data) = host.receive_with_data().unwrap();
        let log = DiscoveryLog::from_bytes(&data).unwrap();
        let entry = log.entries.into_iter().find(|entry| entry.subsystem.as_str() == NQN).unwrap();
        (entry.secure_channel, entry.security)
    };
    let program = files.serving(&["null"], &[]);
    assert_eq!(told(&program), (1, 2));
    program.stop();
    let program = Program::serving(&["null"], &[]);
    assert_eq!(told(&program), (2, 0));
    program.stop();
}

#[test]
fn handshakes_that_never_end_and_garbage_keep_nobody_from_being_served() {
    let files = TlsFiles::new();
    let program = files.serving(&["ram:1MiB"], &[]);
    let mut session = Session::host(&psks(HOST, NQN)).unwrap();
    let hello = session.output().to_vec();
    session.sent(hello.len());
    let mut waiting = Vec::new();
    for cut in (0..hello.len()).step_by(hello.len() / 40) {
        let mut socket = TcpStream::connect(("127.0.0.1", program.port)).unwrap();
        socket.write_all(&hello[..cut]).unwrap();
        waiting.push(socket);
    }
    // A whole first message that has been heard before, and what is no handshake.
    for input in [hello.as_slice(), &[22; 600], &[22, 3, 1, 255, 255], &[21, 3, 3, 0, 2, 2, 40]] {
        let mut socket = TcpStream::connect(("127.0.0.1", program.port)).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        socket.write_all(input).unwrap();
        if input != hello.as_slice() {
            // A reason may come; then the end does.
            let end = socket.read_to_end(&mut Vec::new());
            assert!(
                end.is_ok()
                    || end.is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionReset)
            );
        }
        waiting.push(socket);
    }
    let mut path = path_of(&files.address(&program, "key", ""), 1);
    assert_eq!(one(&mut path, Op::Write, 0, 4096), 4096);
    drop(waiting);
    assert_eq!(one(&mut path, Op::Read, 0, 4096), 4096);
    program.stop();
}

/// A host that comes back, with one slot of so many bytes, by what changes or cuts its connections.
fn through_relay(
    files: &TlsFiles,
    program: &Program,
    slot_bytes: u32,
) -> (Relay, Arc<Association>, NvmeTcpPath) {
    let relay = Relay::before(program.port);
    let mut address = files.address(program, "key", "&reconnect-delay=1&ctrl-loss-tmo=600");
    address.port = relay.port;
    let association = Arc::new(Association::connect(&address, 2).unwrap());
    let arena = Arena::new(1, slot_bytes, 4096).unwrap();
    let path = association.path(arena, PathOptions::default()).unwrap();
    (relay, association, path)
}

#[test]
fn a_byte_that_is_changed_on_the_way_ends_the_connection_and_is_never_written() {
    let files = TlsFiles::new();
    let program = files.serving(&["ram:8MiB"], &[]);
    let (relay, association, mut path) = through_relay(&files, &program, 1 << 20);
    let data = pattern(3, 1 << 20);
    path.buffer(0).copy_from_slice(&data);
    assert_eq!(one(&mut path, Op::Write, 0, 1 << 20), 1 << 20);
    for round in 0..3u32 {
        // In the middle of a write's data, or of a read's.
        relay.damage_after(300_000 + 100 * u64::from(round), round % 2 == 0);
        let op = if round % 2 == 0 { Op::Write } else { Op::Read };
        assert_eq!(
            one(&mut path, op, 0, 1 << 20),
            1 << 20,
            "sent again over a connection made again"
        );
        assert!(path.buffer(0)[..] == data[..], "round {round}");
        assert_eq!(relay.damaged(), round + 1);
        assert_eq!(association.outages().reconnects, round + 1);
    }
    assert_eq!(association.reached().suite.as_deref(), Some("TLS_AES_128_GCM_SHA256"));
    program.stop();
}

#[test]
fn connections_that_are_cut_are_made_again_by_tls() {
    let files = TlsFiles::new();
    let program = files.serving(&["ram:8MiB"], &[]);
    let (relay, association, mut path) = through_relay(&files, &program, 4096);
    for round in 0..2u8 {
        path.buffer(0).fill(round);
        assert_eq!(one(&mut path, Op::Write, 0, 4096), 4096);
        relay.cut();
        path.buffer(0).fill(9);
        assert_eq!(one(&mut path, Op::Read, 0, 4096), 4096);
        assert!(path.buffer(0).iter().all(|byte| *byte == round));
    }
    assert_eq!(association.outages().reconnects, 2);
    program.stop();
}

/// Keys by the older form of their names alone.
struct OlderNames;

impl KeyRing for OlderNames {
    fn psk(&self, identity: &PskIdentity) -> Option<TlsPsk> {
        key(1).psk_of(identity).filter(|_| identity.version == Version::Zero)
    }
}

#[test]
fn a_name_that_a_target_does_not_know_is_followed_by_the_other_over_another_connection() {
    let files = TlsFiles::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let target = std::thread::spawn(move || {
        let results = [(); 2].map(|()| {
            let (mut socket, _) = listener.accept().unwrap();
            let (mut session, mut plain) = (Session::target(), Vec::new());
            let mut input = [0; 4096];
            loop {
                let came = socket.read(&mut input).unwrap();
                let taken = session.receive(&input[..came], &OlderNames, &mut plain);
                socket.write_all(session.output()).unwrap();
                session.sent(usize::MAX);
                match session.identity() {
                    _ if taken.is_err() => return taken.map(|()| String::new()),
                    Some(identity) => return Ok(identity.to_string()),
                    None => assert!(came > 0),
                }
            }
        });
        // Nobody else comes.
        listener.set_nonblocking(true).unwrap();
        assert!(listener.accept().is_err());
        results
    });
    let key = files.path("key");
    let address = format!("nvme-tcp://127.0.0.1:{port}/{NQN}?hostnqn={HOST}&tls-key-file={key}");
    // The target leaves once it knows who came.
    assert!(matches!(
        refused(&address.parse().unwrap()),
        HostError::Closed(_) | HostError::System { .. }
    ));
    let [first, second] = target.join().unwrap();
    assert!(matches!(&first, Err(TlsError::NoKey(name)) if name.starts_with("NVMe1R01 ")));
    assert_eq!(second.unwrap(), format!("NVMe0R01 {HOST} {NQN}"));
}
