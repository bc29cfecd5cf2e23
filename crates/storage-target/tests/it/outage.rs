//! Lost connections: what a host does that was told to connect again, and what it doesn't.

use std::sync::Arc;
use std::time::{Duration, Instant};

use narrows_initiator::{Address, Association, NvmeTcpPath, PathOptions};
use narrows_io::{Arena, Completion, DevicePath, Op, Outages};

use crate::authentication::Keys;
use crate::cutter::{self, Cut, Cutter};
use crate::program::{NQN, Program};

const SLOT: u32 = 256 << 10;
const SLOTS: u32 = 4;
const SIZE: u64 = 8 << 20;

fn address(port: u16, options: &str) -> Address {
    format!("nvme-tcp://127.0.0.1:{port}/{NQN}?{options}").parse().unwrap()
}

fn path_of(association: &Arc<Association>) -> NvmeTcpPath {
    let arena = Arena::new(SLOTS, SLOT, 4096).unwrap();
    association.path(arena, PathOptions::default()).unwrap()
}

fn path_to(address: &Address) -> (Arc<Association>, NvmeTcpPath) {
    let association = Arc::new(Association::connect(address, 4).unwrap());
    let path = path_of(&association);
    (association, path)
}

fn all(path: &mut NvmeTcpPath) -> Vec<Completion> {
    let mut done = Vec::new();
    while path.in_flight() > 0 {
        path.reap(path.in_flight(), &mut done).unwrap();
    }
    done
}

/// What ends a path.
fn error_of(path: &mut NvmeTcpPath) -> String {
    loop {
        if let Err(error) = path.reap(1, &mut Vec::new()) {
            return error.to_string();
        }
    }
}

fn outages(path: &NvmeTcpPath) -> Outages {
    path.outages().expect("it was told to connect again")
}

/// Bytes that name their place and when they were written.
fn fill(buffer: &mut [u8], offset: u64, round: u64) {
    for (at, word) in buffer.chunks_exact_mut(8).enumerate() {
        word.copy_from_slice(&((round << 40) | (offset + at as u64)).to_le_bytes());
    }
}

/// A round of large and small writes and reads at once beside a copy in memory, each slot in its own quarter.
fn round(path: &mut NvmeTcpPath, copy: &mut [u8], round: u64) {
    let quarter = SIZE / u64::from(SLOTS);
    let mut reads = Vec::new();
    for slot in 0..SLOTS {
        let bytes = if (round + u64::from(slot)).is_multiple_of(2) { SLOT } else { 4096 };
        let place = round * 7919 % (quarter / u64::from(SLOT)) * u64::from(SLOT);
        let offset = quarter * u64::from(slot) + place;
        let range = offset as usize..offset as usize + bytes as usize;
        if (round + u64::from(slot)) % 4 < 2 {
            fill(&mut path.buffer(slot)[..bytes as usize], offset, round);
            copy[range.clone()].copy_from_slice(&path.buffer(slot)[..bytes as usize]);
            path.submit(Op::Write, slot, offset, bytes);
        } else {
            reads.push((slot, range));
            path.submit(Op::Read, slot, offset, bytes);
        }
    }
    let done = all(path);
    assert_eq!(done.len(), SLOTS as usize);
    assert!(done.iter().all(|done| done.result > 0), "{done:?}");
    for (slot, range) in reads {
        assert!(path.buffer(slot)[..range.len()] == copy[range], "round {round}, slot {slot}");
    }
}

#[test]
fn wherever_a_connection_is_cut_the_data_are_those_of_a_copy() {
    let program = Program::serving(&["ram:8MiB"], &[]);
    let cutter = Cutter::before(program.port);
    let options = "digest=data&reconnect-delay=1&ctrl-loss-tmo=600";
    let (association, mut path) = path_to(&address(cutter.port, options));
    let begun = Instant::now();
    let mut copy = vec![0; SIZE as usize];
    let mut number = 0;
    let cut = |pdu, number, passes| Cut { pdu, number, passes };
    for cut in [
        // A command that doesn't come to the target, or half of it.
        cut(cutter::COMMAND, 2, 0),
        cut(cutter::COMMAND, 3, 50),
        // The target asks for a write's data, and isn't heard.
        cut(cutter::READY, 1, 0),
        // Half of a write's data.
        cut(cutter::DATA_TO_TARGET, 1, 50),
        // All of a write's data, and no answer that it was written.
        cut(cutter::RESPONSE, 1, 0),
        // A part of a read's data.
        cut(cutter::DATA_TO_HOST, 2, 30),
    ] {
        cutter.plan(cut);
        let before = cutter.cuts();
        // As many rounds as it takes until it is cut, and some after it.
        let mut after = 0;
        while after < 4 {
            round(&mut path, &mut copy, number);
            number += 1;
            after += u32::from(cutter.cuts() > before);
        }
    }
    assert_eq!(outages(&path).reconnects, 6);
    // Between operations.
    cutter.cut();
    for _ in 0..4 {
        round(&mut path, &mut copy, number);
        number += 1;
    }
    let seen = outages(&path);
    assert_eq!((seen.reconnects, seen.disconnected), (7, false));
    // Seven times the delay, and the longest operation the delay at least.
    assert!(
        seen.disconnected_ns >= 7_000_000_000 && seen.longest_stall_ns >= 900_000_000,
        "{seen:?}"
    );
    for offset in (0..SIZE).step_by(SLOT as usize) {
        path.submit(Op::Read, 0, offset, SLOT);
        all(&mut path);
        let range = offset as usize..(offset + u64::from(SLOT)) as usize;
        assert!(path.buffer(0)[..] == copy[range], "at {offset}");
    }
    // The longest of all paths, by when it ended.
    let longest = association.longest_stall_since(begun).as_nanos();
    assert_eq!(longest, u128::from(seen.longest_stall_ns));
    assert_eq!(association.longest_stall_since(Instant::now()), Duration::ZERO);
    // A path that begins later knows of none.
    let later = path_of(&association);
    assert_eq!(outages(&later), Outages::default());
    drop((path, later, association));
    program.stop();
}

#[test]
fn without_the_option_a_lost_connection_is_an_error() {
    let program = Program::serving(&["ram:8MiB"], &[]);
    let cutter = Cutter::before(program.port);
    let (_association, mut path) = path_to(&address(cutter.port, ""));
    assert_eq!(path.outages(), None);
    cutter.plan(Cut { pdu: cutter::RESPONSE, number: 1, passes: 0 });
    path.submit(Op::Write, 0, 0, 4096);
    let error = error_of(&mut path);
    assert!(error.contains("cannot use the NVMe/TCP connection"), "{error}");
    assert_eq!(cutter.cuts(), 1);
}

#[test]
fn a_command_that_is_not_answered_within_the_io_timeout_is_a_lost_connection() {
    let program = Program::serving(&["ram:8MiB"], &[]);
    let cutter = Cutter::before(program.port);
    // Keep Alive is answered all the time.
    let (_association, mut path) = path_to(&address(cutter.port, "io-timeout=1"));
    cutter.withhold(cutter::RESPONSE);
    path.submit(Op::Write, 0, 0, 4096);
    let error = error_of(&mut path);
    assert!(error.contains("no answer to an I/O command for 1 s"), "{error}");
    assert!(!cutter.waits_to_withhold());
}

#[test]
fn one_command_without_an_answer_is_found_beside_others_that_have_theirs() {
    let program = Program::serving(&["ram:8MiB"], &[]);
    let cutter = Cutter::before(program.port);
    let options = "io-timeout=1&reconnect-delay=1&ctrl-loss-tmo=600";
    let (_association, mut path) = path_to(&address(cutter.port, options));
    cutter.withhold(cutter::RESPONSE);
    path.buffer(0)[..4096].fill(7);
    path.submit(Op::Write, 0, 0, 4096);
    let (mut answered, mut others, mut done) = (None, 0, Vec::new());
    path.submit(Op::Read, 1, 4096, 4096);
    while answered.is_none() {
        path.reap(1, &mut done).unwrap();
        for done in done.drain(..) {
            if done.slot == 0 {
                answered = Some(done.result);
            } else {
                assert_eq!(done.result, 4096);
                others += 1;
                path.submit(Op::Read, 1, 4096, 4096);
            }
        }
    }
    all(&mut path);
    assert_eq!((answered, outages(&path).reconnects), (Some(4096), 1));
    assert!(others > 0 && outages(&path).longest_stall_ns >= 1_900_000_000);
    path.submit(Op::Read, 0, 0, 4096);
    all(&mut path);
    assert!(path.buffer(0)[..4096].iter().all(|byte| *byte == 7));
    drop(path);
    program.stop();
}

/// Waits until the host knows that it is cut off.
fn until_disconnected(path: &mut NvmeTcpPath, done: &mut Vec<Completion>) {
    while !outages(path).disconnected {
        path.reap(0, done).unwrap();
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn served(file: &std::path::Path, port: u16, host: &str) -> Vec<String> {
    let listen = format!("127.0.0.1:{port}");
    let file = file.to_str().unwrap();
    ["--subsystem", NQN, "--namespace", file, "--listen", &listen, "--allow-host", host]
        .map(str::to_string)
        .to_vec()
}

const FRIEND: &str = "nqn.2026-11.org.example:friend";

#[test]
fn a_target_that_is_killed_and_comes_back_has_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disk");
    std::fs::write(&file, vec![0; SIZE as usize]).unwrap();
    let program = Program::at(&served(&file, 0, FRIEND));
    let port = program.port;
    let options = format!("hostnqn={FRIEND}&reconnect-delay=1&ctrl-loss-tmo=600");
    let (association, mut path) = path_to(&address(port, &options));
    let mut copy = vec![0; SIZE as usize];
    let mut number = 0;
    let mut program = Some(program);
    for restarts in 1..=2 {
        round(&mut path, &mut copy, number);
        drop(program.take());
        // It begins while nobody is there, after as much as one attempt that is refused.
        path.buffer(0)[..4096].fill(restarts as u8);
        path.submit(Op::Write, 0, 0, 4096);
        copy[..4096].fill(restarts as u8);
        let mut done = Vec::new();
        until_disconnected(&mut path, &mut done);
        // A path of its own may begin meanwhile.
        let mut other = path_of(&association);
        other.submit(Op::Read, 0, SIZE / 2, 4096);
        program = Some(Program::at(&served(&file, port, FRIEND)));
        done.extend(all(&mut path));
        assert_eq!(done.iter().map(|done| done.result).collect::<Vec<_>>(), [4096]);
        assert_eq!(all(&mut other)[0].result, 4096);
        assert!(other.buffer(0)[..4096] == copy[SIZE as usize / 2..][..4096]);
        number += 1;
        round(&mut path, &mut copy, number);
        number += 1;
        assert_eq!(outages(&path).reconnects, restarts);
    }
    path.submit(Op::Sync, 0, 0, 0);
    assert_eq!(all(&mut path)[0].result, 0);
    drop((path, association));
    program.unwrap().stop();
    assert!(std::fs::read(&file).unwrap() == copy);
}

/// What a host says that is cut off from a target, and finds another.
fn after(first: &[String], second: Option<&dyn Fn(u16) -> Vec<String>>, options: &str) -> String {
    let program = Program::at(first);
    let port = program.port;
    let (_association, mut path) = path_to(&address(port, options));
    drop(program);
    let _second = second.map(|arguments| Program::at(&arguments(port)));
    path.submit(Op::Read, 0, 0, 4096);
    error_of(&mut path)
}

#[test]
fn a_target_that_is_gone_for_good_is_given_up_after_as_many_attempts_as_may_be() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disk");
    std::fs::write(&file, vec![0; SIZE as usize]).unwrap();
    let options = format!("hostnqn={FRIEND}&reconnect-delay=1&ctrl-loss-tmo=3");
    let error = after(&served(&file, 0, FRIEND), None, &options);
    assert!(error.contains("(attempts: 3, the last: cannot connect to the target"), "{error}");
}

#[test]
fn a_connect_that_is_refused_for_good_is_tried_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disk");
    std::fs::write(&file, vec![0; SIZE as usize]).unwrap();
    let options = format!("hostnqn={FRIEND}&reconnect-delay=1&ctrl-loss-tmo=600");
    let stranger = |port| served(&file, port, "nqn.2026-11.org.example:stranger");
    let error = after(&served(&file, 0, FRIEND), Some(&stranger), &options);
    assert!(error.contains("(attempts: 1, the last: the target does not allow"), "{error}");
}

#[test]
fn where_authentication_fails_after_a_loss_the_reason_is_told_and_nothing_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disk");
    std::fs::write(&file, vec![0; SIZE as usize]).unwrap();
    let keys = Keys::new();
    let served_by = |port: u16, host: Option<&str>, target: Option<&str>| {
        let mut arguments = served(&file, port, FRIEND);
        for (option, name) in [("--dhchap-key-file", host), ("--dhchap-ctrl-key-file", target)] {
            arguments.extend(name.into_iter().flat_map(|name| {
                [option.to_string(), keys.path(name).to_str().unwrap().to_string()]
            }));
        }
        arguments
    };
    let both = |host: &str, target: Option<&str>| {
        let file = |name: &str| keys.path(name).display().to_string();
        let target = target.map(|name| format!("&dhchap-ctrl-key-file={}", file(name)));
        let target = target.unwrap_or_default();
        format!(
            "hostnqn={FRIEND}&reconnect-delay=1&ctrl-loss-tmo=600&dhchap-key-file={}{target}",
            file(host)
        )
    };
    let none = format!("hostnqn={FRIEND}&reconnect-delay=1&ctrl-loss-tmo=600");
    let (host, target) = (Some("host"), Some("target"));
    for (first, second, options, says) in [
        ((host, None), (Some("wrong"), None), both("host", None), "the target refused"),
        ((host, target), (host, Some("wrong")), both("host", target), "has another secret"),
        ((host, target), (None, None), both("host", target), "demands no authentication"),
        ((None, None), (host, None), none, "the target demands authentication"),
    ] {
        let again = |port| served_by(port, second.0, second.1);
        let error = after(&served_by(0, first.0, first.1), Some(&again), &options);
        assert!(error.contains("(attempts: 1, the last: ") && error.contains(says), "{error}");
    }
}

#[test]
fn another_namespace_in_the_same_place_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["disk", "other"].map(|name| folder.path().join(name));
    for file in &files {
        std::fs::write(file, vec![7; SIZE as usize]).unwrap();
    }
    let options = format!("hostnqn={FRIEND}&reconnect-delay=1&ctrl-loss-tmo=600");
    let (first, second) = (served(&files[0], 0, FRIEND), |port| served(&files[1], port, FRIEND));
    let error = after(&first, Some(&second), &options);
    assert!(error.contains("attempts: 1, the last: after a reconnect the namespace"), "{error}");
    assert!(std::fs::read(&files[1]).unwrap().iter().all(|byte| *byte == 7));
}

#[test]
fn a_target_that_is_silent_for_longer_than_the_keep_alive_timeout_is_left_and_found_again() {
    let program = Program::serving(&["ram:8MiB"], &[]);
    let options = "keep-alive-tmo=1&reconnect-delay=1&ctrl-loss-tmo=600";
    let (association, mut path) = path_to(&program.address(options));
    let mut copy = vec![0; SIZE as usize];
    round(&mut path, &mut copy, 0);
    program.freeze();
    // Its kernel takes the commands meanwhile.
    for slot in 0..SLOTS {
        path.buffer(slot)[..4096].fill(1);
        path.submit(Op::Write, slot, u64::from(slot) * 4096, 4096);
    }
    let mut done = Vec::new();
    until_disconnected(&mut path, &mut done);
    program.signal(libc::SIGCONT);
    done.extend(all(&mut path));
    assert_eq!(done.len(), SLOTS as usize);
    assert!(done.iter().all(|done| done.result == 4096), "{done:?}");
    copy[..SLOTS as usize * 4096].fill(1);
    // What was in its way before the outage must not come after this.
    for number in 1..5 {
        round(&mut path, &mut copy, number);
    }
    assert!(outages(&path).reconnects >= 1);
    for offset in (0..SIZE).step_by(SLOT as usize) {
        path.submit(Op::Read, 0, offset, SLOT);
        all(&mut path);
        let range = offset as usize..(offset + u64::from(SLOT)) as usize;
        assert!(path.buffer(0)[..] == copy[range], "at {offset}");
    }
    drop((path, association));
    program.stop();
}

#[test]
fn a_path_that_begins_while_its_target_is_silent_comes_with_the_connections_that_are_made_again() {
    let program = Program::serving(&["ram:8MiB"], &[]);
    let options = "keep-alive-tmo=1&reconnect-delay=1&ctrl-loss-tmo=600";
    let association = Arc::new(Association::connect(&address(program.port, options), 4).unwrap());
    program.freeze();
    let other = Arc::clone(&association);
    // Its Connect names a controller that the target ends as soon as it goes on.
    let path = std::thread::spawn(move || path_of(&other));
    while !association.outages().disconnected {
        std::thread::sleep(Duration::from_millis(10));
    }
    program.signal(libc::SIGCONT);
    let mut path = path.join().unwrap();
    path.submit(Op::Read, 0, 0, 4096);
    assert_eq!(all(&mut path)[0].result, 4096);
    drop((path, association));
    program.stop();
}

#[test]
fn who_stops_does_not_wait_for_a_target_that_is_silent() {
    let program = Program::serving(&["ram:8MiB"], &[]);
    // An answer may take most of a day.
    let (association, mut path) = path_to(&program.address("keep-alive-tmo=86400"));
    path.submit(Op::Read, 0, 0, 4096);
    assert_eq!(all(&mut path)[0].result, 4096);
    program.freeze();
    drop((path, association));
    program.signal(libc::SIGCONT);
    program.stop();
}
