//! Somebody's server whose flushes are slow, or whose sessions want one row, or whose commits wait for nothing: what
//! `narrows log postgres` says of each.

use narrows_model::{Grade, LiveBound};

use crate::common::Fixture;
use crate::common::machine::{alone, quiet};
use crate::common::server::{PASSWORD, TheirServer};
use crate::live::{fired, live, look, theirs};

/// What a planted flush takes longer, µs: more than any drive that tests run on.
const DELAY_US: u32 = 10_000;

/// Sets it for all sessions, those that are open too.
fn set(server: &TheirServer, name: &str, value: &str) {
    server.ask("postgres", &format!("ALTER SYSTEM SET {name} = {value}"));
    server.ask("postgres", "SELECT pg_reload_conf()");
}

#[test]
fn a_slow_flush_is_named_and_what_commits_do_not_wait_for_is_not() {
    if !quiet("a server with slow flushes") {
        return;
    }
    let _machine = alone();
    let f = Fixture::new();
    let library = crate::common::slow_flush(&f.public("plant"));
    let Some(server) = theirs(&f, "", Some((library, DELAY_US))) else { return };
    set(&server, "track_wal_io_timing", "on");
    server.ask("postgres", "CREATE ROLE monitor LOGIN PASSWORD 'x' IN ROLE pg_monitor");
    server.ask("postgres", &format!("ALTER ROLE monitor PASSWORD '{PASSWORD}'"));
    let before = server.everything();
    server.prepare_load();
    let load = server.load(4);

    let (run, _) = look(&f, &server, "monitor");
    let (log, verdict) = live(&run);
    let planted_ns = f64::from(DELAY_US) * 1e3;
    assert!(matches!(verdict.bound, LiveBound::FlushTime | LiveBound::FlushBusy), "{verdict:#?}");
    let model = verdict.model.as_ref().expect("flushes are counted and timed");
    assert!(model.from == "counted" && model.flush_ns >= planted_ns, "{model:?}");
    // A commit meets at least most of a flush; some ride on one that is under way.
    assert!(verdict.wait_ns.unwrap() > 0.5 * planted_ns, "{verdict:#?}");
    assert!(verdict.share.unwrap() > 0.5, "{verdict:#?}");
    assert!(log.counted.writers.unwrap() > 20.0 && log.counted.log_bytes.unwrap() > 1000.0);
    assert!(log.unknown.iter().all(|unknown| unknown.what != "what sessions wait for"));
    assert!(log.cost.statements > 10);
    let cpus = log.cpus.as_ref().expect("the server's processes are here");
    assert!(cpus.used > 0.0 && cpus.available >= cpus.used, "{cpus:?}");
    assert!((4.0..6.0).contains(&cpus.sessions.unwrap()), "{cpus:?}");

    // Who may not see what others do gets the counters, and is told what is missing.
    let (run, code) = look(&f, &server, "nobody2");
    let (log, verdict) = live(&run);
    assert_eq!((verdict.bound, verdict.grade), (LiveBound::Unknown, Grade::Undecided));
    assert_eq!((code, log.waits.samples, verdict.wait_ns), (Some(4), 0, None));
    let missing = log.unknown.iter().find(|unknown| unknown.what == "what sessions wait for");
    assert_eq!(missing.unwrap().needs, "GRANT pg_monitor TO nobody2");
    assert!(verdict.model.as_ref().unwrap().flush_ns >= planted_ns);

    // Twenty sessions want one row: one flushes, the others wait for its lock. Our own commits would not wait, which is
    // nothing to do with theirs.
    drop(load);
    server.ask("postgres", "ALTER ROLE monitor SET synchronous_commit = off");
    let load = server.hot_row_load(20);
    let (run, code) = look(&f, &server, "monitor");
    let (log, verdict) = live(&run);
    assert_eq!(
        (verdict.bound, verdict.grade),
        (LiveBound::Locks, Grade::Undecided),
        "{verdict:#?}"
    );
    assert_eq!((code, verdict.gain_at_most), (Some(4), None));
    assert!(log.waits.locked().unwrap() > 10.0, "{:#?}", log.waits);
    assert!(!fired(&run, "live-commits-do-not-wait"));
    server.ask("postgres", "ALTER ROLE monitor RESET synchronous_commit");

    // The same server, whose commits no longer wait.
    set(&server, "synchronous_commit", "off");
    set(&server, "track_wal_io_timing", "off");
    let (run, _) = look(&f, &server, "monitor");
    let (log, verdict) = live(&run);
    assert_eq!(verdict.bound, LiveBound::NotWaitedFor, "{verdict:#?}");
    assert_eq!(log.counted.flush_ns, None, "times that nobody takes are unknown, not zero");
    assert!(fired(&run, "live-commits-do-not-wait") && fired(&run, "live-no-times"));
    drop(load);
    assert_eq!(server.everything(), before);
}
