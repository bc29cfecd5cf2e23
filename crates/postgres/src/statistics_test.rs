//! With a real server where the machine has one; skipped loudly elsewhere.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
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

/// A running server, and where it is; `None` where the machine has none.
fn server(folder: &Path, settings: &[(&str, &str)]) -> Option<(Cluster, Address)> {
    let user = ServerUser::choose().unwrap();
    let found = match find(None, &user, None, &narrows_engine::Stop::new()) {
        Ok(found) => found,
        Err(error) => {
            eprintln!("SKIPPED: {error}");
            return None;
        }
    };
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    let own = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
    let has =
        |(name, _): &&(&str, &str)| *name != "track_wal_io_timing" || found.version.major >= 14;
    let settings: Vec<_> = settings.iter().filter(has).map(own).collect();
    let (data, wal) = (folder.join("data"), folder.join("wal"));
    let options = Options { settings: &settings, ..Options::new(&data, &wal) };
    let mut cluster = Cluster::create(&found, &user, &options, &Stop::new()).unwrap();
    cluster.start(&Stop::new()).unwrap();
    let address = Address {
        endpoint: Endpoint::Unix { folder: cluster.socket_dir().into(), port: cluster.port() },
        user: Cluster::USER.into(),
        password: None,
        database: Cluster::DATABASE.into(),
        session: Default::default(),
    };
    Some((cluster, address))
}

#[test]
fn writes_of_the_log_are_timed_and_a_checkpoint_shows_while_it_runs_and_when_it_is_done() {
    let dir = tempfile::tempdir_in("/tmp").unwrap();
    let settings = [("shared_buffers", "32MB"), ("track_wal_io_timing", "on")];
    let Some((_cluster, address)) = server(dir.path(), &settings) else { return };
    let open = || Connection::open(&address, &[]).unwrap();
    let (mut control, monitor, mut other) = (open(), open(), open());
    let version: u32 = control.one("SHOW server_version_num").unwrap().unwrap().parse().unwrap();
    let mut statistics = Statistics::new(monitor, Cluster::DATABASE, version);
    let mut look = || statistics.counters().unwrap();
    until("the checkpointer idles", || look().checkpointing == Some(0.0));
    let before = look();
    // A session that ends reports at once.
    open().execute("CREATE TABLE public.t AS SELECT generate_series(1, 100000) AS n").unwrap();
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
    until("both are counted", || look().since(&before).checkpoints >= Some(1.0));
    let after = look();
    assert!(after.since(&before).checkpoint_pages >= Some(1.0), "{after:?}");
    // A quiet time after it has none of it.
    let quiet = look().since(&after);
    assert_eq!((quiet.checkpoints, quiet.checkpoint_pages), (Some(0.0), Some(0.0)));
    assert_eq!(quiet.checkpointing, Some(0.0));
}

#[test]
fn who_reads_in_the_same_database_does_not_count_itself() {
    let dir = tempfile::tempdir_in("/tmp").unwrap();
    let Some((_cluster, address)) = server(dir.path(), &[]) else { return };
    let open = |name| Connection::open(&address, &[("application_name", name)]).unwrap();
    let mut monitor = open("narrows monitor");
    let version: u32 = monitor.one("SHOW server_version_num").unwrap().unwrap().parse().unwrap();
    let mut statistics = Statistics::new(monitor, Cluster::DATABASE, version);
    let before = statistics.counters().unwrap();
    let mut load = open(APPLICATION_NAME);
    for _ in 0..40 {
        load.query("SELECT 1").unwrap();
    }
    drop(load);
    for _ in 0..300 {
        statistics.monitor.query("SELECT 1").unwrap();
    }
    statistics.settle().unwrap();
    let changed = statistics.counters().unwrap().since(&before);
    // The load's own start is one of them, and autovacuum may look in.
    assert!((40.0..=60.0).contains(&changed.transactions), "{changed:?}");
    assert!(changed.own >= 300.0);
}

#[test]
fn the_servers_words_of_two_generations_mean_the_same() {
    for (kind, event) in
        [("IO", "WALSync"), ("IO", "WalSync"), ("LWLock", "WALWrite"), ("LWLock", "WalWrite")]
    {
        assert_eq!(wait(kind, event, "active"), Wait::Flush, "{kind}:{event}");
    }
    assert_eq!(wait("IO", "DataFileRead", "active"), Wait::Read);
    assert_eq!(wait("IO", "AioIoCompletion", "active"), Wait::Read);
    assert_eq!(wait("LWLock", "WALInsert", "active"), Wait::Lock);
    assert_eq!(wait("Lock", "transactionid", "active"), Wait::Lock);
    assert_eq!(wait("Client", "ClientRead", "idle"), Wait::Client);
    // It takes a request in, or sends an answer off.
    assert_eq!(wait("", "", "idle"), Wait::None);
    assert_eq!(wait("Client", "ClientRead", "idle in transaction"), Wait::Client);
    assert_eq!(wait("", "", "active"), Wait::None);
    assert_eq!(wait("IPC", "ExecuteGather", "active"), Wait::Other);
    // As an observed server's are read.
    assert_eq!(wait("IPC", "BufferIO", "active"), Wait::Read);
    assert_eq!(wait("IPC", "SyncRep", "active"), Wait::Flush);
    assert_eq!(wait("Timeout", "CommitDelay", "active"), Wait::Flush);
    assert_eq!(wait("LWLock", "WALBufMapping", "active"), Wait::Flush);
    assert_eq!(wait("Lock", "extend", "active"), Wait::Other, "for who writes the table's end");
}

#[test]
fn a_row_is_read_in_the_servers_words_and_in_ours() {
    let row = |texts: [&str; 5]| -> Row {
        texts.into_iter().map(|text| (!text.is_empty()).then(|| text.to_string())).collect()
    };
    let flush = standing(&row(["IO", "WALSync", "active", "12", "client backend"]));
    assert_eq!((flush.wait, &*flush.name, flush.pid), (Wait::Flush, "IO:WALSync", Some(12)));
    let worker = standing(&row(["", "", "active", "13", "parallel worker"]));
    assert_eq!((worker.wait, &*worker.name, worker.worker), (Wait::None, "on CPU", true));
    let between = standing(&row(["", "", "idle", "14", "client backend"]));
    assert_eq!((between.wait, &*between.name), (Wait::None, "on CPU between statements"));
}
