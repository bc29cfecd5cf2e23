//! PostgreSQL on the laboratory's honest drive: with `fsync=off` acknowledged rows are lost at a cut, with `fsync=on` none.

use crate::common::crash;

use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::common::{in_lab, until};
use crash::{Listening, Writing, judged, list_in};
use narrows_crashtest::{Acknowledged, TableCheck, check_table, write_table};
use narrows_lab_drive::{DriveContents, Lab};
use narrows_model::{CrashTest, CrashTestOutcome};
use narrows_postgres::{Address, Connection};

/// The newest PostgreSQL of the distribution.
fn programs() -> Option<PathBuf> {
    let folders = fs::read_dir("/usr/lib/postgresql").ok()?.flatten();
    let mut found: Vec<PathBuf> = folders
        .map(|entry| entry.path().join("bin"))
        .filter(|bin| bin.join("initdb").exists())
        .collect();
    found.sort();
    found.pop()
}

/// (user, group) of `postgres` or `nobody`: a server doesn't run as root.
fn ordinary_user() -> Option<(u32, u32)> {
    let users = fs::read_to_string("/etc/passwd").ok()?;
    ["postgres", "nobody"].iter().find_map(|name| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut ids = line.split(':').skip(2).map(|id| id.parse().ok());
        Some((ids.next()??, ids.next()??))
    })
}

/// A server; dropped, all of it is killed.
struct Server {
    child: Child,
    address: Address,
}

impl Server {
    fn start(bin: &Path, user: (u32, u32), data: &Path, socket: &Path, fsync: &str) -> Server {
        let mut command = Command::new(bin.join("postgres"));
        command.arg("-D").arg(data).arg("-k").arg(socket);
        for setting in ["listen_addresses=", "shared_buffers=16MB", "max_connections=10"] {
            command.args(["-c", setting]);
        }
        // Shared memory of such a server is in its folder, and gone with it, but for the segment that keeps a second one away.
        command.args(["-c", "dynamic_shared_memory_type=mmap", "-c", &format!("fsync={fsync}")]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.gid(user.1).uid(user.0).current_dir("/");
        let child = command.spawn().unwrap();
        let url = format!("postgres://owner@/postgres?host={}", socket.display());
        let server = Server { child, address: Address::parse(&url).unwrap() };
        let up = until(|| Connection::open(&server.address, &[]).is_ok());
        assert!(up, "the server does not start with fsync={fsync}");
        server
    }
}

impl Drop for Server {
    /// As the power would. Its processes are session leaders: no signal to a group reaches them all.
    fn drop(&mut self) {
        let signal = |pid: u32, number| {
            // SAFETY: no memory is involved; the postmaster was not waited for, so it and its children are its own.
            unsafe { libc::kill(pid as libc::pid_t, number) };
        };
        let postmaster = self.child.id();
        // So that it starts no more of them.
        signal(postmaster, libc::SIGSTOP);
        for child in narrows_facts::process::children(postmaster) {
            signal(child, libc::SIGKILL);
        }
        signal(postmaster, libc::SIGKILL);
        for segment in segments_of(postmaster) {
            // SAFETY: no memory is passed; the one who made it has not been waited for, so its number is its own.
            unsafe { libc::shmctl(segment, libc::IPC_RMID, std::ptr::null_mut()) };
        }
        let _ = self.child.wait();
    }
}

/// The System V segments that a process made (proc(5), /proc/sysvipc/shm): killed, it leaves them.
fn segments_of(process: u32) -> Vec<i32> {
    let listed = fs::read_to_string("/proc/sysvipc/shm").unwrap_or_default();
    let of = |line: &str| -> Option<i32> {
        let mut words = line.split_whitespace().skip(1);
        let (segment, maker) = (words.next()?, words.nth(2)?);
        (maker.parse() == Ok(process)).then(|| segment.parse().ok())?
    };
    listed.lines().skip(1).filter_map(of).collect()
}

fn initdb(bin: &Path, user: (u32, u32), data: &Path) {
    let mut command = Command::new(bin.join("initdb"));
    command.arg("-D").arg(data).args(["-U", "owner", "-A", "trust", "--no-sync"]);
    command.args(["--no-locale", "-E", "UTF8", "--wal-segsize=1"]).gid(user.1).uid(user.0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).current_dir("/");
    assert!(command.status().unwrap().success());
}

/// Commits rows, cuts the drive's power, starts the server on what is left, and looks for the rows.
fn crash(
    lab: &mut Lab,
    beside: &Path,
    fsync: &'static str,
    seed: Option<u64>,
) -> Option<CrashTest> {
    let (Some(bin), Some(user)) = (programs(), ordinary_user()) else {
        eprintln!("SKIPPED: no PostgreSQL of the distribution");
        return None;
    };
    for folder in [&lab.files(), beside] {
        chown(folder, Some(user.0), Some(user.1)).unwrap();
    }
    let data = lab.files().join("data");
    initdb(&bin, user, &data);
    let server = Server::start(&bin, user, &data, beside, fsync);
    let listening = Listening::start(list_in(beside));
    let (address, collector) = (server.address.clone(), listening.address.clone());
    let writing = Writing::start(move |stop| {
        write_table(&address, 2, &collector, true, None, stop, &mut |_| {}).unwrap()
    });
    listening.wait_for(50);
    // So that the cluster and the table are there after the cut with fsync=off too.
    lab.sync().unwrap();
    listening.wait_for_more(300);
    if fsync == "on" {
        lab.cut(seed).unwrap();
        drop(server);
        writing.end();
    } else {
        // Nothing tells this server that the drive has gone: it would acknowledge more.
        writing.stop();
        answers_from_memory(&server.address, &list_in(beside));
        lab.cut(seed).unwrap();
        drop(server);
    }
    let list = listening.end();
    assert_eq!(list.terms.flushes, fsync == "on", "{}", list.terms.method);
    lab.mount_afresh().unwrap();
    let server = Server::start(&bin, user, &data, beside, "on");
    let how = TableCheck { drop: true, ..TableCheck::default() };
    let counts = check_table(&server.address, &list_in(beside), &list, how).unwrap();
    // The server was started after the cut, and its device attached anew.
    assert_eq!(counts.server_memory, None);
    assert_eq!(counts.checked, list.total());
    drop(server);
    Some(judged(&list, counts))
}

/// A server that was not started since has all rows, whatever a drive kept, and that counts for nothing.
fn answers_from_memory(address: &Address, list_path: &Path) {
    let list = Acknowledged::read(list_path).unwrap();
    let how = TableCheck { remounted: true, ..TableCheck::default() };
    let counts = check_table(address, list_path, &list, how).unwrap();
    assert_eq!(counts.missing, 0);
    let why = counts.server_memory.as_deref().unwrap_or_default();
    assert!(why.contains("not started after the last acknowledged row"), "{why}");
    assert_eq!(judged(&list, counts).outcome, CrashTestOutcome::Inconclusive);
}

#[test]
fn with_fsync_no_acknowledged_row_is_lost() {
    in_lab(DriveContents::Ext4, |lab, beside| {
        let Some(test) = crash(lab, beside, "on", Some(8)) else { return };
        assert_eq!(test.outcome, CrashTestOutcome::Shown, "{test:?}");
    });
}

#[test]
fn without_fsync_acknowledged_rows_are_lost_on_an_honest_drive() {
    in_lab(DriveContents::Ext4, |lab, beside| {
        let Some(test) = crash(lab, beside, "off", None) else { return };
        assert_eq!(test.outcome, CrashTestOutcome::Refuted, "{test:?}");
        assert!(test.missing > 0);
    });
}
