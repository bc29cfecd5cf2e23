//! The load's own sessions against the null server.

use std::os::unix::net::UnixStream;
use std::time::Duration;

use std::io::{Read, Write};

use narrows_engine::rate_search::{Goal, Settings};
use narrows_engine::{Context, Silent, Stop};
use narrows_layer_database::{HighestPlan, SearchWindow, highest};
use narrows_model::metric;
use narrows_stats::Recorder;

use super::{ClientPlan, Hears, NullServer, Pace, floor};
use crate::wire::Connection;
use narrows_layer_database::load::{self, ByKey, LoadPlan, LoadResult};

fn loaded(server: &NullServer, sessions: u32, open_rate_per_s: Option<f64>) -> LoadResult {
    let stop = Stop::new();
    let plan = LoadPlan {
        server: server.address(),
        settings: &["jit = off".to_string()],
        programs: &ByKey::select("SELECT v FROM rows WHERE k = $1", 10),
        sessions,
        cpus: &[],
        open_rate_per_s,
        warm_up: Duration::from_millis(5),
        window: Duration::from_millis(50),
        seed: 1,
    };
    load::run(&plan, &stop, |window, _| Ok(window.wait_end(&stop)?)).unwrap().0
}

#[test]
fn sessions_on_all_its_threads_are_answered_with_one_row_each() {
    let folder = tempfile::tempdir().unwrap();
    let cpu = narrows_facts::affinity::current()[0];
    let server = NullServer::start(folder.path(), 1, &[cpu, cpu, cpu], 8).unwrap();
    let mut answered = 0;
    while answered < 100 {
        let seen = loaded(&server, 8, None);
        assert_eq!((seen.errors, seen.wrong, seen.first_error), (0, 0, None));
        answered += seen.span_operations;
    }
}

#[test]
fn an_open_loop_sends_all_that_is_due() {
    let folder = tempfile::tempdir().unwrap();
    let server = NullServer::start(folder.path(), 1, &[], 2).unwrap();
    // What a busy machine kept from being sent in time is told, and nothing is due that is neither.
    let mut sent = 0;
    while sent == 0 {
        let seen = loaded(&server, 2, Some(1000.0));
        assert!(seen.due > 0);
        assert_eq!(seen.lateness.count() + seen.skipped, seen.due);
        sent += seen.lateness.count();
    }
}

#[test]
fn what_was_started_is_gone_after_the_drop() {
    let folder = tempfile::tempdir().unwrap();
    let server = NullServer::start(folder.path(), 1, &[], 1).unwrap();
    assert!(NullServer::start(folder.path(), 1, &[], 1).is_err(), "the port is in use");
    let mut left_open = Connection::open(server.address(), &[]).unwrap();
    left_open.execute("SET jit = off").unwrap();
    let said = left_open.execute("DROP TABLE rows").unwrap_err();
    assert_eq!(said.code(), Some("0A000"), "{said}");
    drop(server);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    assert!(left_open.execute("SET jit = off").is_err(), "its threads still answer");
}

#[test]
fn who_speaks_something_else_is_let_go_and_others_stay() {
    let folder = tempfile::tempdir().unwrap();
    let server = NullServer::start(folder.path(), 1, &[], 1).unwrap();
    let mut session = Connection::open(server.address(), &[]).unwrap();
    let mut stranger = UnixStream::connect(folder.path().join(".s.PGSQL.1")).unwrap();
    stranger.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    // Its connection ends, with or without what it sent being read to the end.
    let _ = stranger.read_to_end(&mut answer);
    assert!(answer.starts_with(b"E"), "{answer:?}");
    session.execute("SET jit = off").unwrap();
}

#[test]
fn the_floor_moves_as_many_bytes_as_a_session() {
    let cpus = narrows_facts::affinity::current();
    let mut window = Duration::from_millis(5);
    let floor = loop {
        let cpu = &cpus[..1];
        let floor = floor(3, cpu, cpu, Pace::default(), Hears::InTurn, window).unwrap();
        if floor.rate_per_s > 0.0 {
            break floor;
        }
        window *= 2;
    };
    assert!(floor.cpu_per_op_ns > 0.0, "{floor:?}");
    // Bind with a name of two letters, Execute, Sync; BindComplete, DataRow, CommandComplete, ReadyForQuery.
    assert_eq!((floor.request_bytes, floor.answer_bytes), (46, 44));
}

#[test]
fn the_client_is_measured_in_both_loops_beside_the_floor() {
    let folder = tempfile::tempdir().unwrap();
    let cpus = narrows_facts::affinity::current();
    let stop = Stop::new();
    let ctx = Context {
        stop: &stop,
        progress: &Silent,
        seed: 1,
        repeats: 1,
        quick: true,
        window: Duration::ZERO,
    };
    let plan = ClientPlan {
        folder: folder.path(),
        port: 1,
        sessions: 4,
        client_cpus: &cpus[..1],
        server_cpus: &cpus[cpus.len() - 1..],
    };
    let [closed, open] = &plan.measure(&ctx).unwrap()[..] else { panic!("two loops") };
    let rate = closed.value(metric::THROUGHPUT).unwrap();
    assert_eq!(open.value(metric::ASKED_RATE), Some(rate / 2.0));
    assert!(closed.value(metric::CLIENT_FLOOR_CPU_PER_OP).unwrap() > 0.0);
    for measured in [closed, open] {
        assert!(measured.value(metric::CLIENT_CPU_PER_OP).unwrap() > 0.0);
        assert_eq!(measured.value(metric::ERRORS), Some(0.0));
    }
    stop.set();
    assert!(plan.measure(&ctx).unwrap_err().is_stop());
}

#[test]
fn no_rate_keeps_a_limit_below_the_time_that_a_server_takes() {
    let folder = tempfile::tempdir().unwrap();
    let takes = Duration::from_millis(4);
    let server = NullServer::start_slow(folder.path(), 1, &[], 4, takes).unwrap();
    let goal = Goal { quantile: 0.99, limit_ns: 2_000_000 };
    let settings = Settings {
        shortest_window: Duration::from_millis(10),
        longest_window: Duration::from_millis(20),
        floor_share: 0.05,
        most_windows: 10,
        ..Settings::default()
    };
    let plan = HighestPlan { goal, settings, budget: Duration::from_secs(60) };
    let (stop, mut slowest) = (Stop::new(), Recorder::new());
    let highest = highest(&plan, 4.0 / takes.as_secs_f64(), |step| {
        let load = LoadPlan {
            server: server.address(),
            settings: &[],
            programs: &ByKey::select("SELECT v FROM rows WHERE k = $1", 10),
            sessions: 4,
            cpus: &[],
            open_rate_per_s: Some(step.rate_per_s),
            warm_up: step.warm_up,
            window: step.window,
            seed: 3,
        };
        let limit_ns = plan.goal.limit_ns;
        let during = |window: &narrows_engine::Window, _: &[u32]| Ok(window.wait_end(&stop)?);
        let (load, ()) = load::run_within(&load, limit_ns, &stop, during)?;
        slowest.merge(&load.latency);
        Ok::<_, load::LoadError>(SearchWindow { load, spoiled: None, kept: () })
    })
    .unwrap();
    assert!(slowest.min().unwrap() >= takes.as_nanos() as u64, "{slowest:?}");
    // A machine that is busy besides may hide that the server is what is slow, but no rate passes.
    assert_eq!(highest.outcome.passed_per_s(), None, "{:?}", highest.outcome);
    assert!(highest.windows > 0);
}
