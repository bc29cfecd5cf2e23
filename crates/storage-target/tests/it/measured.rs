//! What the tool does with a namespace that it reaches over the network.

use narrows_engine::Stop;
use narrows_io::{Arena, Op};
use narrows_layer_wal::LogNamespace;
use narrows_runner::block::device::look_at_namespace;
use narrows_runner::block::remote::RemoteNamespace;
use narrows_runner::log::target_dirs::{LogSpace, TargetDirs};
use narrows_runner::request::block::DeviceConsent;
use narrows_runner::request::log::{LogDirs, LogMediumSpec};

use crate::program::Program;

fn consent(program: &Program, options: &str, serial: &str) -> DeviceConsent {
    DeviceConsent {
        device: program.address(options).to_string(),
        serial: serial.to_string(),
        accepted: Vec::new(),
    }
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

/// What is measured is this machine's memory, and its path says so in every role; of a file it says less.
#[test]
fn a_namespace_of_this_machine_itself_is_told_as_that() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disk");
    std::fs::write(&file, vec![1; 1 << 20]).unwrap();
    let program = Program::serving(&["ram:1MiB", file.to_str().unwrap()], &[]);
    let role = |options: &str| {
        RemoteNamespace::connect(&program.address(options).to_string()).unwrap().role()
    };
    let (memory, on_a_drive) = (role("ns=1"), role("ns=2"));
    for path in [&memory, &on_a_drive] {
        assert!(path.served_here().is_some_and(|why| why.contains("this machine to itself")));
    }
    assert_eq!(memory.file_system.behind.as_deref(), Some("memory"));
    assert_ne!(on_a_drive.file_system.behind.as_deref(), Some("memory"));
    drop((memory, on_a_drive));
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
fn a_look_tells_what_consent_needs() {
    let program = Program::serving(&["ram:4MiB", "ram:1MiB,readonly,block=4096"], &[]);
    let serial = serial(&program);
    let look =
        |options: &str| look_at_namespace(&program.address(options).to_string()).unwrap().unwrap();
    let first = look("");
    assert_eq!((first.size_bytes, first.block_bytes), (4 << 20, 512));
    assert_eq!((first.serial.as_str(), first.model.as_str()), (&*serial, "narrows-target"));
    assert_eq!((first.volatile_cache, first.queues, first.in_capsule_bytes), (true, 64, 16 << 10));
    assert!(first.contents.contains("No file system") && !first.write_protected);
    assert_eq!(first.storage, Some("memory"));
    let second = look("ns=2");
    assert_eq!((second.write_protected, second.block_bytes), (true, 4096));
    assert_eq!(look_at_namespace("/dev/sda").unwrap(), None);
    let device = DeviceConsent {
        device: first.address.clone(),
        serial: first.serial.clone(),
        accepted: Vec::new(),
    };
    assert!(RemoteNamespace::consented(&device).unwrap().is_writable());
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

#[test]
fn a_load_has_as_many_queues_as_the_address_names_and_no_more_than_are_granted() {
    let program = Program::serving(&["ram:1MiB"], &[]);
    let ways = |options: &str| {
        let namespace = RemoteNamespace::connect(&program.address(options).to_string());
        namespace.map(|namespace| namespace.access().ways())
    };
    assert_eq!(ways("").unwrap(), (1, 63), "one is for what goes on beside");
    assert_eq!(ways("queues=4").unwrap(), (4, 4));
    let more = ways("queues=65").unwrap_err();
    assert!(more.to_string().contains("grants 64 I/O queues, and `queues=65`"), "{more:?}");
    program.stop();
}

fn log_on(place: LogMediumSpec) -> Result<LogSpace, String> {
    let dirs = TargetDirs::find(&place).map_err(|error| format!("{error:?}"))?;
    assert!(dirs.folders().is_empty(), "nothing is made on this machine");
    dirs.space("run", &Stop::new()).map_err(|error| error.to_string())
}

#[test]
fn a_log_on_a_namespace_is_commands_and_needs_consent() {
    // Memory is told as a volatile cache.
    let program = Program::serving(&["ram:4MiB"], &[]);
    let serial = serial(&program);
    let place = |serial: &str| LogMediumSpec::Namespace(consent(&program, "digest=data", serial));
    assert!(log_on(place("no")).err().unwrap().contains(&serial));
    let LogSpace::Namespace(log) = log_on(place(&serial)).unwrap() else { panic!("no namespace") };
    assert!(log.has_volatile_cache());
    assert_eq!((log.bytes(), log.block_bytes(), log.most_bytes()), (4 << 20, 512, 1 << 20));
    let mut queue = log.open().unwrap();
    let mut found = [0; 8192];
    for (number, durable) in [(1, false), (2, true)] {
        queue.write(8192 * number, &[number as u8; 8192], durable).unwrap();
        queue.flush().unwrap();
        queue.read(8192 * number, &mut found).unwrap();
        assert_eq!(found, [number as u8; 8192]);
    }
    assert!(queue.write((4 << 20) - 4096, &[1; 8192], false).is_err());
    // A target that is gone is an error, not a wait.
    drop(program);
    assert!(queue.flush().is_err());
}

#[test]
fn a_stop_leaves_a_command_that_is_not_answered() {
    let program = Program::serving(&["ram:4MiB"], &[]);
    let options = "reconnect-delay=600&ctrl-loss-tmo=6000";
    let place = LogMediumSpec::Namespace(consent(&program, options, &serial(&program)));
    let (stop, dirs) = (Stop::new(), TargetDirs::find(&place).unwrap());
    let LogSpace::Namespace(log) = dirs.space("run", &stop).unwrap() else { panic!("a folder") };
    let mut queue = log.open().unwrap();
    queue.flush().unwrap();
    drop(program);
    stop.set();
    let error = queue.write(0, &[1; 4096], true).unwrap_err();
    assert!(error.to_string().contains("stopped"), "{error}");
}

#[test]
fn where_a_log_can_not_be_is_told_with_what_to_type() {
    let error = |place| log_on(place).err().expect("it is refused");
    let address = "nvme-tcp://192.0.2.1/nqn.2026-11.org.example:a";
    let wal = LogMediumSpec::Folders(LogDirs { wal: address.into(), data: None });
    assert!(error(wal).contains("--write-to-device"));
    let raw =
        DeviceConsent { device: "/dev/nvme0n1".into(), serial: "S".into(), accepted: Vec::new() };
    assert!(error(LogMediumSpec::Namespace(raw)).contains("--wal DIR"));
}
