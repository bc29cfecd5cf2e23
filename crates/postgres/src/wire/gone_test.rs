//! A server that notices that we are gone, with a real one.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use narrows_engine::Stop;

use super::Connection;
use crate::address::{Address, Endpoint};
use crate::schema::Schema;
use crate::server::{Cluster, Options, ServerUser, find};

/// A killed process ends its connections without a word; its session is in the middle of a long statement.
#[test]
fn the_schema_of_a_run_that_was_killed_in_a_long_statement_is_soon_free() {
    let user = ServerUser::choose().unwrap();
    let found = match find(None, &user, None, &narrows_engine::Stop::new()) {
        Ok(found) if found.version.major >= 14 => found,
        Ok(found) => return eprintln!("SKIPPED: version {} can't look", found.version.major),
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
        database: Cluster::DATABASE.into(),
        ..Address::parse("postgres://narrows@/postgres").unwrap()
    };
    let open = || Connection::open(&address, &[]).unwrap();

    let schema = Schema::of_run("0badcafe");
    let mut killed = open();
    killed.end_with_us().unwrap();
    schema.create(&mut killed).unwrap();
    let pid = killed.pid();
    // An hour in the server, which nobody here waits for.
    killed.say("SELECT pg_catalog.pg_sleep(3600)", killed.limits.work).unwrap();
    let mut other = open();
    let asleep = format!(
        "SELECT pg_catalog.count(*) FROM pg_catalog.pg_stat_activity WHERE pid = {pid} AND wait_event = 'PgSleep'"
    );
    let until = |what: &str, done: &mut dyn FnMut() -> bool| {
        let end = Instant::now() + Duration::from_secs(60);
        while !done() {
            assert!(Instant::now() < end, "{what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    until("the session sleeps", &mut || other.one(&asleep).unwrap().as_deref() == Some("1"));
    assert_eq!(Schema::sweep(&mut other).unwrap(), Vec::<String>::new(), "its run lives");
    drop(killed);
    until("the server notices", &mut || Schema::sweep(&mut other).unwrap() == [schema.name()]);
}
