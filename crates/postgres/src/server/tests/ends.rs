//! Killed, stuck and left alone.

use super::*;

/// Kills the server with SIGKILL and expects nothing of its shared memory to stay.
pub(super) fn kill_and_look(cluster: Cluster) {
    cluster.check().unwrap();
    // Makes the statistics' own segment appear.
    query(&cluster, "SELECT count(*) FROM pg_stat_all_tables");
    let pid = cluster.pid().unwrap();
    let pid_file = fs::read_to_string(cluster.data_dir().join("postmaster.pid")).unwrap();
    let segment = pid_file.lines().nth(6).unwrap().split_whitespace().nth(1).unwrap();
    // Of all processes: segments that the first one never maps stay as well.
    let shared: Vec<PathBuf> = cluster
        .pids()
        .into_iter()
        .filter_map(|pid| fs::read_to_string(format!("/proc/{pid}/maps")).ok())
        .flat_map(|maps| {
            let path =
                |line: &str| Some(PathBuf::from(&line[line.find("/dev/shm/PostgreSQL.")?..]));
            maps.lines().filter_map(path).collect::<Vec<_>>()
        })
        .collect();
    assert!(!shared.is_empty() && shared.iter().all(|path| path.exists()), "{shared:?}");
    // SAFETY: the server was started by this test and runs.
    unsafe { libc::kill(pid as libc::pid_t, libc::SIGKILL) };
    until("the end is noticed", || cluster.check().is_err());
    let error = cluster.check().unwrap_err();
    assert!(matches!(error, ServerError::Died { when: "by itself", .. }), "{error}");
    drop(cluster);
    let segments = fs::read_to_string("/proc/sysvipc/shm").unwrap_or_default();
    let mut ids = segments.lines().skip(1).filter_map(|line| line.split_whitespace().nth(1));
    assert!(!ids.any(|id| id == segment), "{segments}");
    assert!(shared.iter().all(|path| !path.exists()), "{shared:?}");
}

#[test]
fn a_killed_server_is_reported_and_its_shared_memory_removed() {
    let Some(bench) = Bench::new() else { return };
    kill_and_look(bench.started());
    bench.assert_nothing_left();
}

#[test]
fn a_server_that_lost_a_process_and_recovered_is_reported_and_still_stops_cleanly() {
    let Some(bench) = Bench::new() else { return };
    let mut cluster = bench.started();
    let mut backend: Option<i32> = None;
    // It is among the last that a server starts.
    until("there is a process to kill", || {
        let wanted = "SELECT pid FROM pg_stat_activity WHERE backend_type ~ 'walwriter'";
        backend = query(&cluster, wanted).parse().ok();
        backend.is_some()
    });
    let backend = backend.unwrap();
    // SAFETY: the process belongs to the server that this test started, and runs.
    unsafe { libc::kill(backend, libc::SIGKILL) };
    until("the crash is noticed", || cluster.check().is_err());
    let error = cluster.check().unwrap_err();
    assert!(matches!(error, ServerError::Crashed { .. }), "{error}");
    assert!(error.to_string().contains("cgroup limits"), "{error}");
    let ready = "ready to accept connections";
    until("it recovers", || cluster.log_tail(usize::MAX).matches(ready).count() == 2);
    assert_eq!(cluster.stop().unwrap(), HowStopped::Clean);
    drop(cluster);
    bench.assert_nothing_left();
}

#[test]
fn a_server_that_hangs_is_ended_by_force() {
    let Some(bench) = Bench::new() else { return };
    let cluster = bench.started();
    let pids = cluster.pids();
    // SAFETY: the server was started by this test and runs.
    unsafe { libc::kill(pids[0] as libc::pid_t, libc::SIGSTOP) };
    drop(cluster);
    bench.assert_nothing_left();
    assert!(pids.iter().all(|&pid| process::has_ended(pid).unwrap()));
}

const HOLD_IN: &str = "NARROWS_TEST_HOLD_IN";

/// Not a test by itself: what the next two run in another process.
#[test]
fn holder() {
    let Some(dir) = std::env::var_os(HOLD_IN).map(PathBuf::from) else { return };
    let user = ServerUser::choose().unwrap();
    let found = find(None, &user, None, &narrows_engine::Stop::new()).unwrap();
    let (data, wal) = (dir.join("data"), dir.join("wal"));
    let mut cluster =
        Cluster::create(&found, &user, &Options::new(&data, &wal), &Stop::new()).unwrap();
    cluster.start(&Stop::new()).unwrap();
    assert_eq!(query(&cluster, "SELECT 6 * 7"), "42");
    let pids: Vec<String> = cluster.pids().iter().map(u32::to_string).collect();
    println!("\nHELD {}", pids.join(" "));
    let _ = std::io::stdin().read(&mut [0]);
    assert_eq!(cluster.stop().unwrap(), HowStopped::Clean);
    drop(cluster);
    println!("\nRELEASED");
}

/// Starts [`holder`] from `program` and waits until its server runs.
pub(super) fn hold(
    mut command: Command,
    dir: &Path,
) -> (Child, BufReader<std::process::ChildStdout>, Vec<u32>) {
    command
        .args(["server::tests::ends::holder", "--exact", "--nocapture"])
        .env(HOLD_IN, dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    // A copy of this program that was just written is busy while a process that another test starts has its file open still.
    let mut child = loop {
        match command.spawn() {
            Err(busy) if busy.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            spawned => break spawned.unwrap(),
        }
    };
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let pids = loop {
        let mut line = String::new();
        assert!(lines.read_line(&mut line).unwrap() > 0, "the holder ended: {:?}", child.wait());
        if let Some(pids) = line.strip_prefix("HELD ") {
            break pids.split_whitespace().map(|pid| pid.parse().unwrap()).collect();
        }
    };
    (child, lines, pids)
}

#[test]
fn a_killed_program_leaves_no_server() {
    let Some(bench) = Bench::new() else { return };
    let (mut child, _, pids) =
        hold(Command::new(std::env::current_exe().unwrap()), bench.dir.path());
    assert!(pids.len() > 3);
    child.kill().unwrap();
    child.wait().unwrap();
    until("all server processes end", || pids.iter().all(|&pid| process::has_ended(pid).unwrap()));
    // The folders are in the scratch folder of the killed run, which the next one sweeps.
    assert!(bench.data.exists());
}
