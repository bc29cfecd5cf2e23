//! `narrows fabric` as users meet it: addresses that are none, nobody at the other end, an echo from its start to its end.

use std::net::TcpListener;
use std::process::{Command, Output, Stdio};

use crate::common::program;
use crate::common::started::Started;

fn narrows(args: &[&str]) -> (Option<i32>, String) {
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(program());
    command.args(args).env("XDG_DATA_HOME", home.path());
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert!(stdout.is_empty(), "{args:?}: {}", String::from_utf8_lossy(&stdout));
    (status.code(), String::from_utf8_lossy(&stderr).into_owned())
}

#[test]
fn what_cannot_be_divided_is_told_with_a_way_out() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let nobody = format!("nvme-tcp://{free}/nqn.2026-11.org.example:disk");
    for (args, parts) in [
        (vec!["split"], ["ADDRESS", "hint:"]),
        (vec!["split", "/dev/nvme0n1"], ["/dev/nvme0n1", "nvme-tcp://192.0.2.10:4420"]),
        (vec!["split", "nvme-tcp://h/x"], ["`nvme-tcp://h/x`", "begins with `nqn.`"]),
        (vec!["split", &nobody], [&nobody, "nothing listens there"]),
        (vec!["split", "--write-to-device", &nobody], ["--serial", "hint"]),
        (vec!["echo", "--listen", "192.0.2.77:4430"], ["192.0.2.77:4430", "ip address"]),
        (vec!["echo", "--listen", "here"], ["here", "--listen"]),
    ] {
        let (code, said) = narrows(&[&["fabric"], &args[..]].concat());
        assert_eq!(code, Some(2), "{args:?}: {said}");
        for part in parts {
            assert!(said.contains(part), "{args:?}: `{part}` is missing in:\n{said}");
        }
    }
}

#[test]
fn an_echo_says_where_it_is_and_ends_when_it_is_asked_to() {
    let mut command = Command::new(program());
    command.args(["fabric", "echo", "--listen", "127.0.0.1:0"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut echo = Started::new(child);
    let line = echo.wait_for("echo at 127.0.0.1:");
    let address = line.split_whitespace().nth(2).unwrap().trim_end_matches(';').to_string();
    let taken = narrows(&["fabric", "echo", "--listen", &address]);
    assert_eq!(taken.0, Some(2));
    assert!(taken.1.contains("ss -ltnp"), "{}", taken.1);
    // Somebody who says nothing does not keep it.
    let _silent = std::net::TcpStream::connect(&address).unwrap();
    echo.wait_for("connected");
    echo.signal(libc::SIGINT);
    let ended = echo.end();
    assert_eq!((ended.code(), ended.stdout.as_str()), (Some(0), ""), "{}", ended.stderr);
}
