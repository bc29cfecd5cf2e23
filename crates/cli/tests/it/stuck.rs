//! A server that is there and does nothing any more: a stop ends what waits for it, and a question ends by itself.

use std::net::TcpListener;
use std::process::{Command, Stdio};

use crate::common::machine::shared;
use crate::common::server::TheirServer;
use crate::common::started::{Ended, Started};
use crate::common::{Fixture, LEAST, program};

fn start(fixture: &Fixture, args: &[&str]) -> Started {
    let mut command = Command::new(program());
    command.env("XDG_DATA_HOME", fixture.home()).env_remove("PGPASSWORD").args(args);
    command.env(LEAST.0, LEAST.1);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Started::new(command.spawn().unwrap())
}

/// All processes of a server, stopped until dropped.
struct Frozen(Vec<u32>);

impl Frozen {
    fn of(server: &TheirServer) -> Frozen {
        let main = server.postmaster();
        let mut frozen = Frozen(Vec::new());
        // The main process first, so that nobody is added.
        frozen.stop(main);
        for pid in narrows_facts::process::all() {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let parent = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1));
            if parent.and_then(|text| text.parse().ok()) == Some(main) {
                frozen.stop(pid);
            }
        }
        assert!(frozen.0.len() > 3, "{:?}", frozen.0);
        frozen
    }

    fn stop(&mut self, pid: u32) {
        signal(pid, libc::SIGSTOP);
        self.0.push(pid);
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        for pid in self.0.iter().rev() {
            signal(*pid, libc::SIGCONT);
        }
    }
}

fn signal(pid: u32, number: i32) {
    // SAFETY: no memory is involved.
    unsafe { libc::kill(pid as libc::pid_t, number) };
}

/// Ends while the server stands still, or not at all.
fn stopped_by_hand(mut run: Started, server: &TheirServer, phase: &str) -> Ended {
    run.wait_for(phase);
    let frozen = Frozen::of(server);
    run.signal(libc::SIGINT);
    let ended = run.end();
    drop(frozen);
    ended
}

#[test]
fn a_stop_ends_a_load_and_a_look_at_a_server_that_stands_still() {
    let _machine = shared();
    let fixture = Fixture::new();
    let Some(server) = TheirServer::start(&fixture) else {
        eprintln!("SKIPPED: no PostgreSQL on this machine");
        return;
    };
    let before = server.everything();
    let (data, url) = (fixture.data().display().to_string(), server.app());
    let update = [
        "db",
        "update",
        "--load-here",
        "--layers",
        "database",
        "--table",
        "4G",
        "--data",
        &data,
        &url,
    ];
    // In COPY: the table takes longer to fill than anybody takes to say so.
    let ended = stopped_by_hand(start(&fixture, &update), &server, "database fill");
    assert_eq!(ended.code(), Some(130), "{}", ended.stderr);
    // It could not be removed, and that is said with what removes it.
    assert!(ended.stderr.contains("is left on"), "{}", ended.stderr);
    assert!(ended.stderr.contains("narrows db clean --remove"), "{}", ended.stderr);
    assert_eq!(server.sessions_left(), "");
    let cleaned = start(&fixture, &["db", "clean", "--remove", &url]).end();
    assert_eq!(cleaned.code(), Some(0), "{}", cleaned.stderr);
    assert_eq!(server.everything(), before);
    for look in [
        &["run", "--observe", &url, "--for", "10min"][..],
        &["log", "postgres", &url, "--for", "10min"],
    ] {
        let ended = stopped_by_hand(start(&fixture, look), &server, "window 1 of");
        assert!(matches!(ended.code(), Some(2 | 4 | 130)), "{:?}: {}", ended.code(), ended.stderr);
        assert_eq!(server.sessions_left(), "");
    }
}

#[test]
fn who_accepts_and_says_nothing_is_given_up() {
    let fixture = Fixture::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!(
        "postgres://app@127.0.0.1:{}/shop?sslmode=disable",
        listener.local_addr().unwrap().port()
    );
    let ended = start(&fixture, &["db", "clean", &url]).end();
    assert_eq!(ended.code(), Some(2), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("within 20 s") && ended.stderr.contains("hint: "),
        "{}",
        ended.stderr
    );
}
