//! A namespace with a log on peers: memory of other targets, which end, come back empty, don't answer, or are taken by somebody else.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use narrows_initiator::{Association, ReservationState};
use narrows_io::{DevicePath, Op};
use narrows_nvme::HostId;

use crate::logged::{BLOCK, Model, all, fill, kills, number_of, path_to, read, refuse, write};
use crate::program::{NQN, Program, log_command, tier_command as tier};
use crate::tls::TlsFiles;

/// A peer: as much memory as the smallest log takes, or a little more.
fn peer_at(port: u16) -> Program {
    peer_with(port, "ram:6MiB")
}

fn peer_with(port: u16, namespace: &str) -> Program {
    let listen = format!("127.0.0.1:{port}");
    let arguments =
        ["--listen", &listen, "--subsystem", NQN, "--allow-any-host", "--namespace", namespace];
    Program::at(&arguments.map(ToString::to_string))
}

/// A file with a log on peers.
struct OnPeers {
    folder: tempfile::TempDir,
    file: PathBuf,
    peers: Vec<Program>,
    /// How long a peer may take for an answer, s.
    io_timeout: u32,
    /// Further options of the peers' addresses.
    options: String,
}

impl OnPeers {
    fn new(peers: usize, copies: &str) -> OnPeers {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("disk");
        std::fs::write(&file, vec![0; 64 * BLOCK]).unwrap();
        let peers = (0..peers).map(|_| peer_at(0)).collect();
        let disk = OnPeers { folder, file, peers, io_timeout: 1, options: String::new() };
        let (said, code) = disk.make(copies);
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains(&format!("{copies} peers lose their power")), "{said}");
        disk
    }

    fn make(&self, copies: &str) -> (String, Option<i32>) {
        self.log(&["make", "--copies", copies, "--separate-power"])
    }

    fn addresses(&self) -> Vec<String> {
        let (timeout, more) = (self.io_timeout, &self.options);
        let address = |peer: &Program| {
            format!("nvme-tcp://127.0.0.1:{}/{NQN}?ns=1&io-timeout={timeout}{more}", peer.port)
        };
        self.peers.iter().map(address).collect()
    }

    fn namespace(&self) -> String {
        let log: String =
            self.addresses().iter().map(|address| format!(",log={address}")).collect();
        format!("{}{log}", self.file.display())
    }

    fn serve(&self) -> Program {
        let control = self.control();
        Program::serving(&[&self.namespace()], &["--threads", "2", "--control", &control])
    }

    fn control(&self) -> String {
        self.folder.path().join("control").display().to_string()
    }

    /// What a target that serves says of the log.
    fn listed(&self) -> serde_json::Value {
        let (said, code) = tier(&["list", "--json", "--control", &self.control()]);
        assert_eq!(code, Some(0), "{said}");
        let list: serde_json::Value = serde_json::from_str(&said).unwrap();
        list["namespaces"][0]["log"].clone()
    }

    fn log(&self, verb: &[&str]) -> (String, Option<i32>) {
        let (file, addresses) = (self.file.display().to_string(), self.addresses());
        let log = addresses.iter().flat_map(|address| ["--log", address]);
        let arguments: Vec<&str> =
            verb.iter().copied().chain(["--for", &file]).chain(log).collect();
        log_command(&arguments)
    }

    fn status(&self, more: &[&str]) -> String {
        let addresses = self.addresses();
        let addresses = addresses.iter().map(String::as_str);
        let arguments: Vec<&str> =
            ["status"].into_iter().chain(more.iter().copied()).chain(addresses).collect();
        let (said, code) = log_command(&arguments);
        assert_eq!(code, Some(0), "{said}");
        said
    }

    /// Ends a peer, with what it holds.
    fn end(&mut self, peer: usize) {
        self.peers[peer].kill();
    }

    /// Starts it again, at the same address and empty.
    fn start_again(&mut self, peer: usize) {
        self.start_as(peer, "ram:6MiB");
    }

    fn start_as(&mut self, peer: usize, namespace: &str) {
        let port = self.peers[peer].port;
        // Its port is free once it was waited for.
        let last = self.peers.len() - 1;
        self.peers.swap(peer, last);
        drop(self.peers.pop());
        self.peers.push(peer_with(port, namespace));
        self.peers.swap(peer, last);
    }

    fn block(&self, block: usize) -> u64 {
        number_of(&std::fs::read(&self.file).unwrap()[block * BLOCK..(block + 1) * BLOCK])
    }
}

fn states(log: &serde_json::Value) -> Vec<&str> {
    log["peers"].as_array().unwrap().iter().map(|peer| peer["state"].as_str().unwrap()).collect()
}

#[test]
fn what_was_acknowledged_outlives_a_peer_and_the_target_each_time_again() {
    let mut disk = OnPeers::new(3, "2");
    let mut model = Model::new(32);
    for round in 1..=kills() {
        let program = disk.serve();
        let mut path = path_to(&program);
        model.hold_against(&mut path, round);
        if round > 1 {
            assert!(program.said_before_listening("log-recovered"), "round {round}");
            assert!(program.said_before_listening("log-peer-joins"), "round {round}");
        }
        // Under load one peer ends, with all that it held.
        let ends = round as usize % 3;
        let signal = disk.peers[ends].signaller();
        let under_way = model.write_many(&mut path, (round, 120), &mut |number| {
            if number == 60 {
                signal(libc::SIGKILL);
            }
        });
        program.signal(libc::SIGKILL);
        model.take_answers(&mut path, &under_way);
        drop((path, program));
        disk.start_again(ends);
    }
    let program = disk.serve();
    model.hold_against(&mut path_to(&program), u64::MAX);
    let log = disk.listed();
    assert_eq!((log["state"].as_str(), log["copies"].as_u64()), (Some("healthy"), Some(2)));
    assert_eq!(states(&log), ["ok", "ok", "ok"]);
    program.stop();
    assert!(disk.status(&[]).contains("no records"), "{}", disk.status(&[]));
    // All of it is in the file, which is served without its log.
    let alone = Program::serving(&[disk.file.to_str().unwrap()], &[]);
    model.hold_against(&mut path_to(&alone), u64::MAX);
}

#[test]
fn a_target_that_ends_around_the_moment_in_which_a_peer_joins_loses_nothing() {
    let mut disk = OnPeers::new(3, "2");
    let mut model = Model::new(32);
    for round in 1..=kills() {
        let program = disk.serve();
        let mut path = path_to(&program);
        model.hold_against(&mut path, round);
        let peer = round as usize % 3;
        // Peers are looked for every 2 s: from before that until after, by rounds.
        let last = 700 + round * 137 % 700;
        let under_way = model.write_many(&mut path, (round, last), &mut |number| match number {
            30 => disk.end(peer),
            60 => disk.start_again(peer),
            _ => std::thread::sleep(Duration::from_millis(2)),
        });
        program.signal(libc::SIGKILL);
        model.take_answers(&mut path, &under_way);
    }
    let program = disk.serve();
    model.hold_against(&mut path_to(&program), u64::MAX);
    program.stop();
}

#[test]
fn a_peer_that_is_lost_is_left_out_and_one_that_was_absent_joins_at_a_start() {
    let mut disk = OnPeers::new(3, "2");
    let program = disk.serve();
    assert!(program.said_before_listening("copies"), "the journal has the sentence on power");
    let association = Association::connect(&program.address(""), 1).unwrap();
    assert_eq!(association.reached().controller.write_cache & 1, 0);
    let mut path = path_to(&program);
    write(&mut path, 0, &[1, 2]);
    disk.end(1);
    write(&mut path, 2, &[3, 4, 5]);
    program.line_with("log-peer-lost");
    let log = disk.listed();
    assert_eq!((log["state"].as_str(), states(&log)), (Some("degraded"), vec!["ok", "lost", "ok"]));
    assert!(log["peers"][1]["reason"].is_string() && log["peers_power"].is_string(), "{log}");
    let (text, _) = tier(&["list", "--control", &disk.control()]);
    assert!(text.contains(": lost, because"), "{text}");
    // What it lacks is moved all the same.
    let (said, code) = tier(&["flush", "--control", &disk.control()]);
    assert!(code == Some(0), "{said}");
    assert_eq!([disk.block(0), disk.block(4)], [1, 5]);
    drop((path, association));
    program.stop();
    // A start without it, and one with it.
    let program = disk.serve();
    assert!(program.said_before_listening("log-peer-absent"));
    assert_eq!(states(&disk.listed()), ["ok", "absent", "ok"]);
    let mut path = path_to(&program);
    write(&mut path, 0, &[7]);
    drop(path);
    program.stop();
    disk.start_again(1);
    let program = disk.serve();
    assert!(program.said_before_listening("log-peer-joins"));
    assert_eq!(states(&disk.listed()), ["ok", "ok", "ok"]);
    assert_eq!(read(&mut path_to(&program), 0), 7);
    program.stop();
}

#[test]
fn a_log_on_peers_by_tls_is_made_served_and_recovered_and_without_its_key_is_not() {
    let keys = TlsFiles::new();
    let key = keys.path("key");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disk");
    std::fs::write(&file, vec![0; 64 * BLOCK]).unwrap();
    let peers = (0..2).map(|_| Program::serving(&["ram:6MiB"], &["--tls-key-file", &key]));
    let mut disk =
        OnPeers { folder, file, peers: peers.collect(), io_timeout: 5, options: String::new() };
    let (said, code) = disk.make("2");
    assert!(code == Some(2) && said.contains("TLS"), "without a key: {said}");
    disk.options = format!("&tls-key-file={key}");
    let (said, code) = disk.make("2");
    assert_eq!(code, Some(0), "{said}");
    let program = disk.serve();
    let mut path = path_to(&program);
    write(&mut path, 0, &[1, 2, 3]);
    assert_eq!(states(&disk.listed()), ["ok", "ok"]);
    for peer in &disk.peers {
        // What `log make` opened, and what the target did.
        let lines = [peer.line_with("encrypted"), peer.line_with("encrypted")];
        assert!(
            lines.iter().all(|line| line.contains("suite=TLS_AES_128_GCM_SHA256")),
            "{lines:?}"
        );
    }
    // The records are on the peers alone, unless they were moved by then.
    program.signal(libc::SIGKILL);
    drop((path, program));
    let program = disk.serve();
    let mut path = path_to(&program);
    let found: Vec<u64> = (0..3).map(|block| read(&mut path, block)).collect();
    assert_eq!(found, [1, 2, 3]);
    drop(path);
    program.stop();
    assert!(disk.status(&[]).contains("no records"), "{}", disk.status(&[]));
}

#[test]
fn a_peer_that_comes_back_empty_joins_while_the_log_is_served() {
    let mut disk = OnPeers::new(3, "2");
    let program = disk.serve();
    let mut path = path_to(&program);
    write(&mut path, 0, &[1, 2, 3]);
    disk.end(1);
    write(&mut path, 3, &[4]);
    program.line_with("log-peer-lost");
    disk.start_again(1);
    // Hosts wait for a moment, and none of their writes fails.
    let mut number = 4;
    while disk.listed()["state"] != "healthy" {
        number += 1;
        assert!(number < 10_000, "{}", disk.listed());
        write(&mut path, 4, &[number]);
    }
    program.line_with("log-peer-joins");
    assert_eq!(states(&disk.listed()), ["ok", "ok", "ok"]);
    write(&mut path, 5, &[6]);
    // It counts: another one may go.
    disk.end(0);
    write(&mut path, 6, &[7]);
    program.signal(libc::SIGKILL);
    drop((path, program));
    disk.start_again(0);
    let program = disk.serve();
    let mut path = path_to(&program);
    let found: Vec<u64> = (0..7).map(|block| read(&mut path, block)).collect();
    assert_eq!(found, [1, 2, 3, 4, number, 6, 7]);
}

#[test]
fn peers_that_are_restarted_while_nothing_is_written_are_missed_and_join_again() {
    let mut disk = OnPeers::new(3, "2");
    let program = disk.serve();
    let mut path = path_to(&program);
    write(&mut path, 0, &[1]);
    for peer in 0..2 {
        disk.end(peer);
        disk.start_again(peer);
        program.line_with("log-peer-lost");
        program.line_with("log-peer-joins");
    }
    // As many as there are copies were restarted, one after another, and the log goes on.
    write(&mut path, 1, &[2]);
    // Two have it when it is answered; the third may be behind for a moment.
    let begun = std::time::Instant::now();
    while states(&disk.listed()) != ["ok", "ok", "ok"] {
        assert!(begun.elapsed().as_secs() < 30, "{}", disk.listed());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!([0, 1].map(|block| read(&mut path, block)), [1, 2]);
    drop(path);
    program.stop();
}

#[test]
fn why_a_peer_is_not_taken_back_is_said_and_it_is_not_kept_from_others() {
    let mut disk = OnPeers::new(3, "2");
    let program = disk.serve();
    let mut path = path_to(&program);
    write(&mut path, 0, &[1]);
    disk.end(1);
    disk.start_as(1, "ram:1MiB");
    let out = program.line_with("reason=\"it has 1048576 bytes, and the log takes ");
    assert!(out.contains("log-peer-stays-out"), "{out}");
    assert_eq!(states(&disk.listed()), ["ok", "lost", "ok"]);
    let why = disk.listed()["peers"][1]["stays_out"].as_str().unwrap().to_string();
    assert!(why.starts_with("it has 1048576 bytes"), "{why}");
    let (said, _) = tier(&["list", "--control", &disk.control()]);
    assert!(said.contains("; not taken back: it has 1048576 bytes"), "{said}");
    drop(path);
    program.stop();
    let other = Arc::new(Association::connect(&disk.addresses()[1].parse().unwrap(), 1).unwrap());
    let state = other.command_queue().unwrap().reservation().unwrap();
    assert_eq!(state, ReservationState::Free);
}

#[test]
fn a_log_on_peers_keeps_its_size_while_it_serves() {
    let disk = OnPeers::new(2, "2");
    let program = disk.serve();
    let (said, code) = tier(&["resize", "--log", "--size", "8MiB", "--control", &disk.control()]);
    assert!(code == Some(2) && said.contains("a log on peers keeps its size"), "{said}");
    assert!(said.contains("hint: ") && said.contains("log drop"), "{said}");
    program.stop();
}

#[test]
fn a_peer_that_does_not_answer_is_lost_after_the_time_that_was_said() {
    let disk = OnPeers::new(3, "2");
    let program = disk.serve();
    let mut path = path_to(&program);
    disk.peers[2].freeze();
    write(&mut path, 0, &[1, 2, 3]);
    let log = disk.listed();
    // Behind first: nothing is moved meanwhile.
    assert!(["behind", "lost"].contains(&states(&log)[2]), "{log}");
    assert!(program.line_with("log-peer-lost").contains("no answer"));
    write(&mut path, 3, &[4]);
    let (said, code) = tier(&["flush", "--control", &disk.control()]);
    assert!(code == Some(0), "{said}");
    disk.peers[2].signal(libc::SIGCONT);
    drop(path);
    program.stop();
    assert_eq!([disk.block(0), disk.block(3)], [1, 4]);
}

#[test]
fn as_many_peers_as_have_a_copy_are_not_done_without() {
    let mut disk = OnPeers::new(3, "2");
    let program = disk.serve();
    let mut path = path_to(&program);
    write(&mut path, 0, &[1, 2, 3]);
    program.signal(libc::SIGKILL);
    drop((path, program));
    for peer in [0, 1] {
        disk.end(peer);
        disk.start_again(peer);
    }
    let said = refuse(&disk.namespace());
    assert!(said.contains("media 0, 1 of the log's 3 are missing or have lost"), "{said}");
    let json: serde_json::Value = serde_json::from_str(&disk.status(&["--json"])).unwrap();
    assert_eq!(states(&json), ["gone", "gone", "ok"]);
    assert!(json["records"].is_null() && json["state"] == "not read whole", "{json}");
    assert!(disk.status(&[]).contains("what it holds is not known"));
    let (said, code) = disk.log(&["flush"]);
    assert!(code == Some(2) && said.contains("--without-missing"), "{said}");
    // The one that stayed has what it was given.
    let (said, code) = disk.log(&["flush", "--without-missing"]);
    assert_eq!(code, Some(0), "{said}");
    let program = disk.serve();
    let mut path = path_to(&program);
    write(&mut path, 5, &[9]);
    assert_eq!(read(&mut path, 5), 9);
    drop(path);
    program.stop();
}

#[test]
fn a_peer_that_was_lost_before_has_nothing_that_is_moved_over_newer_data() {
    let mut disk = OnPeers::new(3, "2");
    disk.io_timeout = 5;
    let program = disk.serve();
    let mut path = path_to(&program);
    // The third has the first record, because the second does not answer yet.
    disk.peers[1].freeze();
    write(&mut path, 0, &[1]);
    disk.peers[2].freeze();
    disk.peers[1].signal(libc::SIGCONT);
    write(&mut path, 0, &[5]);
    program.line_with("log-peer-lost");
    let (said, code) = tier(&["flush", "--control", &disk.control()]);
    assert!(code == Some(0), "{said}");
    write(&mut path, 1, &[6]);
    program.signal(libc::SIGKILL);
    drop((path, program));
    for peer in [0, 1] {
        disk.end(peer);
        disk.start_again(peer);
    }
    disk.peers[2].signal(libc::SIGCONT);
    let (said, code) = disk.log(&["flush", "--without-missing"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("had been lost before it was last written"), "{said}");
    assert_eq!(disk.block(0), 5);
    // What the hint says.
    let id = said_id(&disk);
    let (said, code) =
        log_command(&["drop", "--for", &disk.file.display().to_string(), "--lost", &id]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(disk.block(0), 5);
}

/// The log's identity, as a peer that has it says.
fn said_id(disk: &OnPeers) -> String {
    let json: serde_json::Value = serde_json::from_str(&disk.status(&["--json"])).unwrap();
    json["log"].as_str().unwrap_or_else(|| panic!("{json}")).to_string()
}

#[test]
fn where_fewer_answer_than_have_a_copy_writes_fail_and_what_was_acknowledged_stays() {
    let mut disk = OnPeers::new(2, "2");
    let program = disk.serve();
    let mut path = path_to(&program);
    write(&mut path, 0, &[1, 2]);
    disk.end(0);
    // The one that finds it fails, and all after it.
    for _ in 0..2 {
        fill(&mut path.buffer(0)[..BLOCK], 3);
        path.submit(Op::Write, 0, 0, BLOCK as u32);
        assert!(all(&mut path)[0].result < 0);
    }
    assert_eq!([read(&mut path, 0), read(&mut path, 1)], [1, 2]);
    assert_eq!(disk.listed()["state"], "failed");
    drop(path);
    program.signal(libc::SIGTERM);
    program.line_with("has all that was acknowledged");
    drop(program);
    assert_eq!([disk.block(0), disk.block(1)], [1, 2]);
    let said = refuse(&disk.namespace());
    assert!(said.contains("has to be on 2 peers, and so many are reached: 1;"), "{said}");
    // Who is missing is named.
    assert!(said.contains(&format!("not reached: {}", disk.addresses()[0])), "{said}");
    disk.start_again(0);
    let program = disk.serve();
    let mut path = path_to(&program);
    assert_eq!(read(&mut path, 0), 1);
    write(&mut path, 0, &[4]);
    drop(path);
    program.stop();
    assert_eq!(disk.block(0), 4);
}

#[test]
fn a_target_whose_peer_is_taken_acknowledges_nothing_more() {
    let disk = OnPeers::new(3, "2");
    let program = disk.serve();
    let mut path = path_to(&program);
    write(&mut path, 0, &[1]);
    let reach = |peer: usize, host: u8| {
        let address = disk.addresses()[peer].parse().unwrap();
        let association = Association::connect_as(&address, 1, HostId([host; 16])).unwrap();
        Arc::new(association).command_queue().unwrap()
    };
    // Another key takes nothing, and reading is nobody's business.
    let mut stranger = reach(0, 1);
    stranger.register(77).unwrap();
    let error = stranger.reserve(77).unwrap_err();
    assert!(error.is_reservation_conflict(), "{error}");
    assert!(stranger.write(0, &[0; BLOCK]).unwrap_err().is_reservation_conflict());
    assert!(disk.status(&[]).contains("in use by a target now"));
    write(&mut path, 0, &[2]);
    // A log for another file on the same peers.
    let other = disk.folder.path().join("other");
    std::fs::write(&other, vec![0; BLOCK]).unwrap();
    let addresses = disk.addresses();
    let log = addresses.iter().flat_map(|address| ["--log", address]);
    let make = ["make", "--copies", "2", "--separate-power", "--for", other.to_str().unwrap()];
    let (said, code) = log_command(&make.into_iter().chain(log).collect::<Vec<_>>());
    assert!(code == Some(2) && said.contains("another host has reserved it"), "{said}");
    // The same file's, from a machine that could lock it as well.
    let mut again = reach(0, 2);
    let ReservationState::Held(key) = again.reservation().unwrap() else { panic!("it is held") };
    again.register(key).unwrap();
    again.reserve(key).unwrap();
    fill(&mut path.buffer(0)[..BLOCK], 3);
    path.submit(Op::Write, 0, 0, BLOCK as u32);
    let first = all(&mut path)[0].result;
    program.line_with("log-peer-taken");
    path.submit(Op::Write, 0, 0, BLOCK as u32);
    // The first may have been on the two others by then.
    assert!(all(&mut path)[0].result < 0, "after {first}");
    assert_eq!(states(&disk.listed())[0], "reserved by another host");
}

#[test]
fn a_log_on_peers_is_made_of_what_is_said_and_of_nothing_else() {
    let disk = OnPeers::new(2, "2");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disk");
    std::fs::write(&file, vec![0; BLOCK]).unwrap();
    let addresses = disk.addresses();
    let make = |log: &[&str], more: &[&str]| {
        let log = log.iter().flat_map(|address| ["--log", address]);
        let fixed = ["make", "--for", file.to_str().unwrap()];
        let (said, code) = log_command(
            &fixed.into_iter().chain(log).chain(more.iter().copied()).collect::<Vec<_>>(),
        );
        (code == Some(0), said)
    };
    let two = [addresses[0].as_str(), addresses[1].as_str()];
    let why = |log: &[&str], more: &[&str]| {
        let (made, said) = make(log, more);
        assert!(!made, "{said}");
        said
    };
    let said = why(&two, &["--copies", "2"]);
    assert!(said.contains("--separate-power") && said.contains("lose their power"), "{said}");
    assert!(why(&two, &[]).contains("hint: --copies 2"));
    let all = ["--copies", "2", "--separate-power"];
    assert!(why(&two, &["--copies", "1", "--separate-power"]).contains("2 to 2"));
    assert!(why(&two, &["--copies", "3", "--separate-power"]).contains("2 to 2"));
    assert!(why(&two[..1], &all).contains("2 to 8 of them, 1 are named"));
    assert!(why(&[two[0], two[0]], &all).contains("same namespace"));
    assert!(why(&[two[0], "/tmp/log"], &all).contains("on peers, or on files"));
    // Not over what somebody put there.
    let address = addresses[0].parse().unwrap();
    let association = Arc::new(Association::connect(&address, 1).unwrap());
    let mut queue = association.command_queue().unwrap();
    queue.write(0, &[7; 2 * BLOCK]).unwrap();
    assert!(why(&two, &all).contains("holds something, and no log"));
    assert!(refuse(&disk.namespace()).contains("holds something, and no log"));
    queue.write(0, &[0; 2 * BLOCK]).unwrap();
    let (made, said) = make(&two, &all);
    assert!(made && said.contains("--namespace '"), "{said}");
    // And dropped again.
    let log = addresses.iter().flat_map(|address| ["--log", address]);
    let dropped = ["drop", "--for", file.to_str().unwrap()];
    let (said, code) = log_command(&dropped.into_iter().chain(log).collect::<Vec<_>>());
    assert!(code == Some(0) && said.contains("is gone"), "{said}");
}
