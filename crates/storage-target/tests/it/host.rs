//! Who may connect, what is found, and what a stop does.

use std::sync::Arc;

use narrows_initiator::{Association, HostError, PathOptions};
use narrows_io::{Arena, DevicePath, Op};

use crate::program::{NQN, Program, refusal};

fn arena(slots: u32) -> Arena {
    Arena::new(slots, 4096, 4096).unwrap()
}

#[test]
fn only_hosts_that_are_named_may_connect() {
    let program =
        Program::serving(&["ram:1MiB"], &["--allow-host", "nqn.2026-11.org.example:friend"]);
    let friend = program.address("hostnqn=nqn.2026-11.org.example:friend");
    Association::connect(&friend, 1).unwrap();
    let stranger = program.address("hostnqn=nqn.2026-11.org.example:stranger");
    let error = Association::connect(&stranger, 1).unwrap_err();
    assert!(matches!(error, HostError::NotAllowed { .. }), "{error}");
    let told = format!("does not allow nqn.2026-11.org.example:stranger to connect to {NQN}");
    assert!(error.to_string().ends_with(&told), "{error}");
    assert!(error.hint().unwrap().contains("--allow-host"));
    let said = program.line_with("is not allowed");
    let told =
        format!("reason=\"nqn.2026-11.org.example:stranger is not allowed to connect to {NQN}");
    assert!(said.contains(&told), "{said}");
    program.stop();
}

#[test]
fn what_is_not_there_is_told_by_name() {
    let program = Program::serving(&["ram:1MiB"], &[]);
    let mut other = program.address("");
    other.subsystem = "nqn.2026-11.org.example:other".parse().unwrap();
    let error = Association::connect(&other, 1).unwrap_err();
    assert!(error.to_string().contains("Connect Invalid Parameters"), "{error}");
    let error = Association::connect(&program.address("ns=9"), 1).unwrap_err();
    assert!(error.to_string().contains("namespace 9: the subsystem has none"), "{error}");
    let mut nobody = program.address("");
    program.stop();
    nobody.host = "127.0.0.1".to_string();
    let error = Association::connect(&nobody, 1).unwrap_err();
    assert!(error.hint().unwrap().contains("nothing listens there"), "{error}");
}

#[test]
fn whoever_asks_for_tls_by_another_name_is_told_the_one_that_it_has() {
    let served = ["--subsystem", NQN, "--namespace", "null", "--allow-any-host"];
    for option in [&["--tls"][..], &["--tls_key", "S3cret"], &["--keyring=.nvme"]] {
        let (said, code) = refusal(&[&served[..], option].concat());
        let name = option[0].split('=').next().unwrap();
        assert!(said.contains(&format!("narrows-target: {name}: there is none of that name")));
        assert!(said.contains("\nhint: `nvme gen-tls-key`"), "{said}");
        assert!(code == Some(2) && said.contains("--tls-key-file") && !said.contains("S3cret"));
    }
    // Any other option that there is none of is the parser's matter.
    let (said, code) = refusal(&[&served[..], &["--timeout"]].concat());
    assert!(code == Some(2) && said.contains("'--timeout'") && !said.contains("TLS"), "{said}");
}

#[test]
fn a_target_that_hangs_up_may_want_tls() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let hangs_up = std::thread::spawn(move || {
        use std::io::Read;
        // All of ICReq is read first: a socket that is closed over unread bytes is reset.
        let (mut socket, _) = listener.accept().unwrap();
        socket.read_exact(&mut [0; 128]).unwrap();
    });
    let address = format!("nvme-tcp://{address}/{NQN}").parse().unwrap();
    let error = Association::connect(&address, 1).unwrap_err();
    hangs_up.join().unwrap();
    assert!(error.to_string().contains("closed the connection before it answered"), "{error}");
    assert!(error.hint().unwrap().contains("TLS"), "{error}");
}

#[test]
fn a_namespace_is_the_same_after_a_restart_and_another_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disk");
    std::fs::write(&file, vec![0; 1 << 20]).unwrap();
    let file = file.to_str().unwrap();
    let seen = |namespaces: &[&str], number: &str| {
        let program = Program::serving(namespaces, &[]);
        let association = Association::connect(&program.address(number), 1).unwrap();
        let reached = association.reached().clone();
        drop(association);
        program.stop();
        reached
    };
    let first = seen(&[file, "ram:1MiB"], "ns=1");
    let again = seen(&[file], "ns=1");
    assert_eq!(first.namespace.nguid, again.namespace.nguid);
    assert_eq!(first.controller.serial, again.controller.serial);
    assert_eq!(first.controller.model, "narrows-target");
    // Memory is empty after a restart: who wrote to it must not take it for what it was.
    let memory = || seen(&[file, "ram:1MiB"], "ns=2").namespace.nguid;
    let other = memory();
    assert!(first.namespace.nguid != other && other != memory());
    // Memory is no media that keep what is written.
    assert_eq!(first.controller.write_cache & 1, 1);
    assert_eq!((first.bytes(), first.block_bytes), (1 << 20, 512));
}

#[test]
fn as_many_queues_as_were_granted_and_no_more() {
    let program = Program::serving(&["ram:1MiB"], &["--threads", "2"]);
    let association = Arc::new(Association::connect(&program.address(""), 3).unwrap());
    let mut paths: Vec<_> =
        (0..3).map(|_| association.path(arena(1), PathOptions::default()).unwrap()).collect();
    let refused = association.path(arena(1), PathOptions::default()).err().unwrap();
    assert!(refused.to_string().contains("grants 3 queues"), "{refused}");
    for (index, path) in paths.iter_mut().enumerate() {
        path.buffer(0).fill(index as u8);
        path.submit(Op::Write, 0, index as u64 * 4096, 4096);
    }
    for path in &mut paths {
        let mut done = Vec::new();
        while done.is_empty() {
            path.reap(1, &mut done).unwrap();
        }
        assert_eq!(done[0].result, 4096);
    }
    drop(paths.pop());
    association.path(arena(1), PathOptions::default()).unwrap();
    program.stop();
}

#[test]
fn a_stop_answers_what_is_here_and_connections_end() {
    let program = Program::serving(&["ram:1MiB"], &[]);
    let association = Arc::new(Association::connect(&program.address(""), 1).unwrap());
    let mut path = association.path(arena(1), PathOptions::default()).unwrap();
    path.submit(Op::Write, 0, 0, 4096);
    let mut done = Vec::new();
    while done.is_empty() {
        path.reap(1, &mut done).unwrap();
    }
    program.stop();
    path.submit(Op::Read, 0, 0, 4096);
    let ended = loop {
        match path.reap(1, &mut done) {
            Ok(()) => {}
            Err(error) => break error,
        }
    };
    assert!(ended.to_string().contains("NVMe/TCP connection"), "{ended}");
}

#[test]
fn several_subsystems_have_their_own_hosts_and_namespaces() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("target.toml");
    let text = format!(
        "[[subsystem]]\nnqn = \"{NQN}\"\nany-host = true\nnamespaces = [\"ram:1MiB\"]\n\
         [[subsystem]]\nnqn = \"{NQN}-b\"\nhosts = [\"nqn.2026-11.org.example:friend\"]\n\
         namespaces = [\"ram:2MiB,nsid=5\"]\n"
    );
    std::fs::write(&file, text).unwrap();
    let program = Program::by(&["--config", file.to_str().unwrap()]);
    let first = Association::connect(&program.address(""), 1).unwrap();
    assert_eq!(first.reached().bytes(), 1 << 20);
    let mut other = program.address("ns=5");
    other.subsystem = format!("{NQN}-b").parse().unwrap();
    assert!(Association::connect(&other, 1).is_err());
    other.host_nqn = Some("nqn.2026-11.org.example:friend".parse().unwrap());
    let second = Association::connect(&other, 1).unwrap();
    assert_eq!(second.reached().bytes(), 2 << 20);
    assert_ne!(first.reached().controller.serial, second.reached().controller.serial);
    drop((first, second));
    program.stop();
    let (text, code) = refusal(&["--config", "/nowhere/target.toml"]);
    assert!(text.contains("/nowhere/target.toml") && code == Some(2), "{text}");
}

#[test]
fn a_target_that_is_gone_is_told_more_than_once_and_left_without_a_panic() {
    let program = Program::serving(&["ram:1MiB"], &[]);
    let association = Association::connect(&program.address(""), 1).unwrap();
    assert!(association.ask_for_service_time());
    drop(program);
    assert!(!association.ask_for_service_time());
    assert!(!association.ask_for_service_time());
    drop(association);
}

#[test]
fn what_can_not_be_served_is_told_with_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty");
    std::fs::write(&empty, "").unwrap();
    let any = ["--subsystem", NQN, "--allow-any-host", "--listen", "127.0.0.1:0", "--namespace"];
    let with = |namespace: &str| {
        let arguments: Vec<&str> = any.into_iter().chain([namespace]).collect();
        refusal(&arguments)
    };
    for (namespace, says) in [
        (empty.to_str().unwrap(), "it is empty"),
        (folder.path().to_str().unwrap(), "neither a file nor a block device"),
        ("/nowhere/at/all", "cannot look at"),
        ("ram:1MiB,size=3", "`size=3` is none of"),
    ] {
        let (text, code) = with(namespace);
        assert!(text.contains(says) && code == Some(2), "{namespace}: {text}");
    }
    // The system's word stands once.
    let (text, _) = with("/nowhere/at/all");
    assert_eq!(text.matches("No such file").count(), 1, "{text}");
    let (text, code) = refusal(&["--subsystem", NQN, "--namespace", "null"]);
    assert!(text.contains("no host may connect") && text.contains("hint:"), "{text}");
    assert_eq!(code, Some(2));
}

#[test]
fn metrics_take_the_place_of_nothing_but_metrics() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let (disk, other, metrics) = (file("disk"), file("other"), file("metrics"));
    std::fs::write(&disk, vec![0; 1 << 20]).unwrap();
    std::fs::write(&other, "somebody's").unwrap();
    let any = ["--subsystem", NQN, "--allow-any-host", "--listen", "127.0.0.1:0"];
    let refused = |place: &str, says: &str| {
        let more = ["--namespace", &disk, "--metrics", place];
        let arguments: Vec<&str> = any.into_iter().chain(more).collect();
        let (text, code) = refusal(&arguments);
        assert!(text.contains(says) && text.contains("hint:") && code == Some(2), "{text}");
    };
    refused(&disk, "something else is there");
    refused(&other, "something else is there");
    refused(&file("nowhere/metrics"), "its folder isn't there");
    assert_eq!(std::fs::read(&disk).unwrap(), vec![0; 1 << 20]);
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "somebody's");
    // Its own of before are.
    for _ in 0..2 {
        Program::serving(&[&disk], &["--metrics", &metrics]).stop();
        assert!(std::fs::read_to_string(&metrics).unwrap().starts_with("# TYPE narrows_target_"));
    }
}

#[test]
fn what_is_named_twice_or_can_not_be_meant_is_refused_before_anything_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let (disk, short) = (file("disk"), file("short"));
    std::fs::write(&disk, vec![0; 1 << 20]).unwrap();
    std::fs::write(&short, vec![0; 1000]).unwrap();
    let link = file("link");
    std::os::unix::fs::symlink(&disk, &link).unwrap();
    let any = ["--subsystem", NQN, "--allow-any-host", "--listen", "127.0.0.1:0"];
    let nowhere = file("nowhere");
    let cases: [(Vec<String>, &str); 8] = [
        (vec![disk.clone(), disk.clone()], "it is named twice"),
        (vec![format!("{disk},serial=X")], "it is a file, and a serial number is said"),
        (vec![format!("{short},block=4096")], "it has 1000 bytes, and a block has 4096"),
        (vec!["ram:1000T".to_string()], "MiB of memory are available here"),
        (vec![format!("{disk},cache=ram:1000T")], "MiB of memory are available here"),
        (vec![link], "name the file itself"),
        (vec![format!("{disk},log={nowhere}")], "the log may hold writes that the file lacks"),
        (vec![format!("{disk},cache={nowhere}")], "without it nothing is lost"),
    ];
    for (namespaces, says) in cases {
        let named = namespaces.iter().flat_map(|namespace| ["--namespace", namespace]);
        let arguments: Vec<&str> = any.into_iter().chain(named).collect();
        let (text, code) = refusal(&arguments);
        assert!(text.contains(says) && text.contains("hint:") && code == Some(2), "{text}");
    }
}

#[test]
fn a_file_is_served_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disk");
    std::fs::write(&file, vec![0; 1 << 20]).unwrap();
    let file = file.to_str().unwrap();
    let program = Program::serving(&[file], &[]);
    let arguments = ["--subsystem", NQN, "--allow-any-host", "--listen", "127.0.0.1:0"];
    let arguments: Vec<&str> = arguments.into_iter().chain(["--namespace", file]).collect();
    let (text, code) = refusal(&arguments);
    assert!(text.contains("is not served") && code == Some(2), "{text}");
    program.stop();
}
