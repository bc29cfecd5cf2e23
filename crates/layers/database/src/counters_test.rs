//! With a real server where the machine has one; skipped loudly elsewhere.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use narrows_engine::Stop;

use super::*;
use crate::server::{Cluster, Options, ServerUser, find};
use crate::{Address, Endpoint};

fn until(what: &str, mut done: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while !done() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn writes_of_the_log_are_timed_and_a_checkpoint_shows_while_it_runs_and_when_it_is_done() {
    let user = ServerUser::choose().unwrap();
    let found = match find(None, &user, None) {
        Ok(found) => found,
        Err(error) => return eprintln!("SKIPPED: {error}"),
    };
    let dir = tempfile::tempdir_in("/tmp").unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let settings = [("shared_buffers", "32MB"), ("track_wal_io_timing", "on")]
        .map(|(name, value)| (name.to_string(), value.to_string()));
    let settings = &settings[..if found.version.major >= 14 { 2 } else { 1 }];
    let (data, wal) = (dir.path().join("data"), dir.path().join("wal"));
    let options = Options { settings, ..Options::new(&data, &wal) };
    let mut cluster = Cluster::create(&found, &user, &options, &Stop::new()).unwrap();
    cluster.start(&Stop::new()).unwrap();
    let address = Address {
        endpoint: Endpoint::Unix { folder: cluster.socket_dir().into(), port: cluster.port() },
        user: Cluster::USER.into(),
        password: None,
        database: Cluster::DATABASE.into(),
    };
    let open = || Connection::open(&address, &[]).unwrap();
    let (mut control, mut monitor, mut other) = (open(), open(), open());
    let version: u32 = control.one("SHOW server_version_num").unwrap().unwrap().parse().unwrap();
    let mut look = || read(&mut monitor, Cluster::DATABASE, version).unwrap();
    until("the checkpointer idles", || look().checkpointing == Some(0.0));
    let before = look();
    // A session that ends reports at once.
    open().execute("CREATE TABLE t AS SELECT generate_series(1, 100000) AS n").unwrap();
    if version >= 140_000 {
        let timed = |now: Counters| now.since(&before).write_time_ns.is_some_and(|ns| ns > 0.0);
        until("the log's writes are timed", || timed(look()));
    }
    // A backup that isn't in a hurry waits for a checkpoint that isn't either.
    let name = if version < 150_000 { "pg_start_backup" } else { "pg_backup_start" };
    let backup = format!("SELECT {name}('test', false)");
    let spread = std::thread::spawn(move || other.execute(&backup));
    until("the checkpointer works", || look().checkpointing == Some(1.0));
    let during = look().since(&before);
    assert_eq!(during.checkpointing, Some(1.0));
    // One that is hurries the other.
    control.execute("CHECKPOINT").unwrap();
    spread.join().unwrap().unwrap();
    until("the checkpointer idles again", || look().checkpointing == Some(0.0));
    until("both are counted", || look().since(&before).checkpoints >= 1.0);
    let after = look();
    assert!(after.since(&before).checkpoint_pages >= 1.0, "{after:?}");
    // A quiet time after it has none of it.
    let quiet = look().since(&after);
    assert_eq!((quiet.checkpoints, quiet.checkpoint_pages), (0.0, 0.0));
    assert_eq!(quiet.checkpointing, Some(0.0));
}

#[test]
fn who_reads_in_the_same_database_does_not_count_itself() {
    let user = ServerUser::choose().unwrap();
    let found = match find(None, &user, None) {
        Ok(found) => found,
        Err(error) => return eprintln!("SKIPPED: {error}"),
    };
    let dir = tempfile::tempdir_in("/tmp").unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let (data, wal) = (dir.path().join("data"), dir.path().join("wal"));
    let mut cluster =
        Cluster::create(&found, &user, &Options::new(&data, &wal), &Stop::new()).unwrap();
    cluster.start(&Stop::new()).unwrap();
    let address = Address {
        endpoint: Endpoint::Unix { folder: cluster.socket_dir().into(), port: cluster.port() },
        user: Cluster::USER.into(),
        password: None,
        database: Cluster::DATABASE.into(),
    };
    let open = |name| Connection::open(&address, &[("application_name", name)]).unwrap();
    let mut monitor = open("narrows monitor");
    let version: u32 = monitor.one("SHOW server_version_num").unwrap().unwrap().parse().unwrap();
    let before = read(&mut monitor, Cluster::DATABASE, version).unwrap();
    let mut load = open(APPLICATION_NAME);
    for _ in 0..40 {
        load.query("SELECT 1").unwrap();
    }
    drop(load);
    for _ in 0..300 {
        monitor.query("SELECT 1").unwrap();
    }
    settle(&mut monitor, version).unwrap();
    let changed = read(&mut monitor, Cluster::DATABASE, version).unwrap().since(&before);
    // The load's own start is one of them, and autovacuum may look in.
    assert!((40.0..=60.0).contains(&changed.transactions), "{changed:?}");
    assert!(changed.own >= 300.0);
}
