//! What the tool does with a namespace that it reaches over the network.

use narrows_io::{Arena, Op};
use narrows_runner::block::remote::RemoteNamespace;
use narrows_runner::request::block::DeviceConsent;

use crate::program::Program;

fn consent(program: &Program, options: &str, serial: &str) -> DeviceConsent {
    DeviceConsent { device: program.address(options).to_string(), serial: serial.to_string() }
}

/// The serial number that a refusal shows.
fn serial(program: &Program) -> String {
    let refused = RemoteNamespace::consented(&consent(program, "", "no")).unwrap_err();
    let text = format!("{refused:?}");
    text.split('`').nth(3).expect("`no`, then the serial number").to_string()
}

#[test]
fn writing_needs_the_serial_number_of_the_subsystem() {
    let program = Program::serving(&["ram:1MiB", "ram:1MiB,readonly"], &[]);
    let serial = serial(&program);
    let namespace = RemoteNamespace::consented(&consent(&program, "", &serial)).unwrap();
    assert!(namespace.is_writable());
    assert_eq!(namespace.bytes(), 1 << 20);
    let read = RemoteNamespace::connect(&program.address("").to_string()).unwrap();
    assert!(!read.is_writable() && read.losses(1 << 20).is_empty());
    let protected = RemoteNamespace::consented(&consent(&program, "ns=2", &serial)).unwrap_err();
    assert!(protected.to_string().contains("write-protected"), "{protected}");
    program.stop();
}

#[test]
fn what_would_be_lost_is_read_over_the_network() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disk");
    let mut image = vec![0; 4 << 20];
    // The mark of an ext file system, with a revision.
    image[1024 + 56..1024 + 58].copy_from_slice(&[0x53, 0xEF]);
    std::fs::write(&file, &image).unwrap();
    let program = Program::serving(&[file.to_str().unwrap(), "ram:4MiB"], &[]);
    let serial = serial(&program);
    let losses = |options: &str| {
        let namespace = RemoteNamespace::consented(&consent(&program, options, &serial)).unwrap();
        namespace.losses(4 << 20).join("\n")
    };
    assert!(losses("ns=1").contains("It holds: ext"), "{}", losses("ns=1"));
    assert!(losses("ns=2").contains("No file system"), "{}", losses("ns=2"));
    assert!(losses("ns=2").contains("another host uses it"));
    program.stop();
}

#[test]
fn an_address_that_is_none_is_told_with_an_example() {
    let error = RemoteNamespace::connect("nvme-tcp://127.0.0.1").unwrap_err();
    assert!(format!("{error:?}").contains("nqn.2026-11.org.example"), "{error:?}");
}

#[test]
fn the_engine_s_ways_reach_the_namespace() {
    let program = Program::serving(&["ram:1MiB"], &[]);
    let namespace = RemoteNamespace::consented(&consent(&program, "", &serial(&program))).unwrap();
    let target = namespace.target().unwrap();
    assert_eq!((target.bytes(), target.offset_alignment()), (1 << 20, 512));
    let access = namespace.access();
    let file = target.direct_file().unwrap();
    let arena = Arena::new(2, 8192, 4096).unwrap();
    let mut path = access.open(file, target.path(), arena, 2).unwrap();
    path.buffer(0).fill(9);
    path.submit(Op::Write, 0, 8192, 8192);
    let mut done = Vec::new();
    while done.is_empty() {
        path.reap(1, &mut done).unwrap();
    }
    path.submit(Op::Read, 1, 8192, 8192);
    while done.len() < 2 {
        path.reap(1, &mut done).unwrap();
    }
    assert!(done.iter().all(|done| done.result == 8192));
    assert!(path.buffer(1).iter().all(|byte| *byte == 9));
    drop(path);
    program.stop();
}
