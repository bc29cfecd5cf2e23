//! With a real server where the machine has one; skipped loudly elsewhere.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use narrows_engine::{Context, Silent, Stop};
use narrows_layer_database::{
    Action, Calls, Contents, Database, Provisioner, Redo, ScanAnswer, Settings, Source, Task,
    Variation,
};
use narrows_model::{Measurement, Platform, metric};
use narrows_observe::Watch;

use crate::{ManagedMariaDb, MariaError, ServerSettings, find};

const MIB: u64 = 1 << 20;

struct Bench {
    server: ManagedMariaDb,
    dir: tempfile::TempDir,
    stop: Stop,
}

impl Bench {
    fn new() -> Option<Bench> {
        let stop = Stop::new();
        let found = match find(&stop) {
            Ok(found) => found,
            Err(error @ MariaError::NotFound) => {
                eprintln!("SKIPPED: {error}");
                return None;
            }
            Err(error) => panic!("{error}"),
        };
        let dir = tempfile::tempdir_in("/var/tmp").unwrap();
        std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        let settings = ServerSettings { pool_mb: 16, log_mb: 64, connections: 20, cpus: &[] };
        let server =
            ManagedMariaDb::start_new(&found, dir.path(), "maria", settings, &stop).unwrap();
        Some(Bench { server, dir, stop })
    }

    fn database(&self, table_bytes: u64) -> Database {
        let settings = Settings {
            run_id: "7a5c0009".into(),
            monitor_database: None,
            table_bytes,
            cached_bytes: table_bytes / 2,
            contents: Contents { entropy_percent: 50 },
            private: None,
            memory_bytes: None,
            cache_bytes: None,
            server_cpus: Vec::new(),
            client_cpus: Vec::new(),
            cpu_quota: None,
            quota_covers_client: true,
            data_dir: Some(self.server.data_dir().into()),
            claim_bytes: None,
            own_server: true,
            conditions: narrows_model::Conditions::default(),
        };
        let watch = Watch::new(&Platform::default(), &[]);
        Database::connect(self.server.kind(), settings, watch, &self.stop).unwrap()
    }

    fn context(&self) -> Context<'_> {
        Context {
            quick: false,
            repeats: 2,
            window: Duration::from_millis(400),
            seed: 5,
            stop: &self.stop,
            progress: &Silent,
        }
    }

    fn measure(&self, database: &mut Database, action: Action, source: Source) -> Measurement {
        let task = Task::new(action, source);
        let variation = Variation::closed(format!("database.{}", task.word()), 2);
        let mut measured = database.measure(&self.context(), task, &[variation]).unwrap();
        measured.remove(0)
    }
}

fn right(m: &Measurement) {
    assert!(m.value(metric::OPERATIONS).unwrap() > 0.0, "{m:?}");
    assert_eq!(m.value(metric::ERRORS), Some(0.0), "{:?}", m.conditions);
}

#[test]
fn lookups_updates_and_commits_are_what_the_server_counted_too() {
    let Some(mut bench) = Bench::new() else { return };
    let mut database = bench.database(4 * MIB);
    database.prepare(&bench.context()).unwrap();
    assert!(database.sees_processes());
    let lookup = |blocks| Action::Lookup { blocks, calls: Calls::Each };
    let cached = bench.measure(&mut database, lookup(2), Source::Pool);
    right(&cached);
    // A page that the pool has is not read.
    assert!(cached.value(metric::BLOCK_READS_PER_OP).unwrap() < 0.01);
    let counted = |m: &Measurement| {
        m.value(metric::SERVER_TRANSACTIONS).unwrap() / m.value(metric::SPAN_OPERATIONS).unwrap()
    };
    assert!((counted(&cached) - 1.0).abs() < 0.001, "{}", counted(&cached));
    // Of each of two rows two levels and the leaf, and the neighbour's leaf where a row is at an edge of its page, as two in 16 are.
    let looked_at = cached.value(metric::BLOCK_HITS_PER_OP).unwrap() / 2.0;
    assert!((3.0..3.25).contains(&looked_at), "{looked_at}");
    assert!(cached.value(metric::SERVER_CPU_PER_OP).unwrap() > 0.0);
    let light = Action::Update { percent: 100, redo: Redo::Light };
    let heavy = Action::Update { percent: 100, redo: Redo::Heavy };
    let log = |m: &Measurement| m.value(metric::WAL_BYTES_PER_OP).unwrap();
    let [light, heavy, commit] = [light, heavy, Action::Commit]
        .map(|action| bench.measure(&mut database, action, Source::Pool));
    for m in [&light, &heavy, &commit] {
        right(m);
        assert!((counted(m) - 1.0).abs() < 0.001, "{}", counted(m));
        // Durable: two sessions share a flush at most.
        assert!(m.value(metric::FLUSHES_PER_OP).unwrap() > 0.4, "{m:?}");
    }
    assert!(log(&heavy) > log(&light) + 300.0, "{} {}", log(&light), log(&heavy));
    let uncached = bench.measure(&mut database, lookup(1), Source::Drive);
    right(&uncached);
    // What this kind doesn't have is refused, and nothing is measured in its place.
    let scan = Task::new(Action::Scan { answer: ScanAnswer::Sum }, Source::Pool);
    let error = database.measure(&bench.context(), scan, &[Variation::scan("x", 1)]).unwrap_err();
    assert!(error.to_string().contains("\nhint: lookup, update and commit"), "{error}");
    // Started again it holds what it held.
    let stop = bench.stop.clone();
    let ctx = Context {
        quick: false,
        repeats: 1,
        window: Duration::from_millis(200),
        seed: 5,
        stop: &stop,
        progress: &Silent,
    };
    database.restart(&mut bench.server, &ctx).unwrap();
    right(&bench.measure(&mut database, lookup(1), Source::Pool));
    drop(database);
    let pid = bench.server.pid().unwrap();
    bench.server.stop().unwrap();
    assert!(bench.server.check().is_err());
    drop(bench.server);
    assert!(narrows_facts::process::name(pid).is_none());
    let left: Vec<_> = std::fs::read_dir(bench.dir.path()).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}
