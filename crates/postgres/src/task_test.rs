//! Every task on a real server where the machine has one; skipped loudly elsewhere. One server for all: it is what takes
//! the time.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use narrows_engine::{Announced, Context, Phase, Silent, Stop};
use narrows_model::{Key, Measurement, Metric, Platform, condition, metric};
use narrows_observe::Watch;
use serde_json::json;

use crate::address::{Address, Endpoint};
use crate::kind::PostgresServer;
use crate::server::{Cluster, Options, ServerUser, find};
use crate::table::TableError;
use crate::wire::Connection;
use narrows_layer_database::{
    Action, Calls, Contents, Redo, ScanAnswer as Answer, Source, Spread, Task,
};
use narrows_layer_database::{Database, DatabaseError, Settings, Variation};

/// Last-level caches of the machine, for what is said of the working set.
const CACHES: u64 = 3 << 20;
const MIB: u64 = 1 << 20;
const SESSIONS: u32 = 2;

fn control(database: &mut Database) -> &mut Connection {
    &mut PostgresServer::of(database).unwrap().control
}

struct Bench {
    _dir: tempfile::TempDir,
    cluster: Cluster,
    stop: Stop,
}

impl Bench {
    fn new() -> Option<Bench> {
        let user = ServerUser::choose().unwrap();
        let found = match find(None, &user, None, &narrows_engine::Stop::new()) {
            Ok(found) => found,
            Err(error) => {
                eprintln!("SKIPPED: {error}");
                return None;
            }
        };
        // On a drive: what is evicted from a file system in memory stays there.
        let dir = tempfile::tempdir_in("/var/tmp").unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let (data, wal) = (dir.path().join("data"), dir.path().join("wal"));
        let settings: Vec<(String, String)> =
            [("shared_buffers", "16MB"), ("max_worker_processes", "8")]
                .map(|(name, value)| (name.to_string(), value.to_string()))
                .to_vec();
        let options = Options { settings: &settings, ..Options::new(&data, &wal) };
        let stop = Stop::new();
        let mut cluster = Cluster::create(&found, &user, &options, &stop).unwrap();
        cluster.start(&stop).unwrap();
        Some(Bench { _dir: dir, cluster, stop })
    }

    fn database(&self, run: &str, private: Option<u32>, table_bytes: u64) -> Database {
        let endpoint =
            Endpoint::Unix { folder: self.cluster.socket_dir().into(), port: self.cluster.port() };
        let address = Address {
            endpoint,
            user: Cluster::USER.into(),
            password: None,
            database: Cluster::DATABASE.into(),
            session: Default::default(),
        };
        let settings = Settings {
            run_id: run.to_string(),
            monitor_database: Some("template1".to_string()),
            table_bytes,
            cached_bytes: table_bytes / 2,
            contents: Contents { entropy_percent: 50 },
            private,
            memory_bytes: None,
            cache_bytes: Some(CACHES),
            server_cpus: Vec::new(),
            client_cpus: Vec::new(),
            cpu_quota: None,
            quota_covers_client: true,
            data_dir: Some(self.cluster.data_dir().into()),
            claim_bytes: None,
            own_server: true,
            conditions: narrows_model::Conditions::default(),
        };
        let watch = Watch::new(&Platform::default(), &[]);
        let mut database = Database::connect(address, settings, watch, &Stop::new()).unwrap();
        database.prepare(&self.context()).unwrap();
        database
    }

    fn context(&self) -> Context<'_> {
        Context {
            stop: &self.stop,
            progress: &Silent,
            seed: 7,
            repeats: 1,
            quick: true,
            // Long enough for something to be done in it where the drive stands still for a moment.
            window: Duration::from_millis(400),
        }
    }

    fn measure(&self, database: &mut Database, task: Task) -> Measurement {
        let variation = if task.is_scan() {
            Variation::scan("database.scan_n", 2)
        } else {
            Variation::closed(format!("database.{}", task.word()), SESSIONS)
        };
        let measured = database.measure(&self.context(), task, &[variation]);
        let mut measured = measured.unwrap_or_else(|error| panic!("{task:?}: {error}"));
        measured.remove(0)
    }
}

fn text(m: &Measurement, key: Key<str>) -> &str {
    m.workload.get(key).unwrap_or_default()
}

/// Something was done, all of it was right, and client and server counted alike.
fn counted(m: &Measurement) {
    let value = |name: Metric| m.value(name).unwrap_or(f64::NAN);
    assert_eq!(value(metric::ERRORS), 0.0, "{}: {:?}", m.id, m.conditions);
    assert!(value(metric::OPERATIONS) > 0.0, "{}", m.id);
    let share = value(metric::SERVER_TRANSACTIONS) / value(metric::SPAN_OPERATIONS);
    assert!((0.99..1.01).contains(&share), "{}, {}: {share}", m.id, text(m, condition::STATEMENT));
    assert!(!m.conditions.contains(condition::PLAN_AFTER), "{:?}", m.conditions);
}

fn a_second_repeat_is_announced_with_what_the_first_gave(bench: &Bench, database: &mut Database) {
    let told = Announced::default();
    let ctx = Context { progress: &told, repeats: 2, ..bench.context() };
    let lookup = Task::new(Action::Lookup { blocks: 1, calls: Calls::Each }, Source::Pool);
    let closed = [Variation::closed("database.lookup_cached", SESSIONS)];
    database.measure(&ctx, lookup, &closed).unwrap();
    let told = told.of(Phase::Measure);
    let [first, second] = &told[..] else { panic!("{told:?}") };
    assert_eq!(first, "database.lookup_cached, repeat 1 of 2");
    assert!(second.starts_with("database.lookup_cached, repeat 2 of 2, "), "{second}");
    assert!(second.ends_with(" tps so far"), "{second}");
}

#[test]
fn every_task_runs_by_its_plan_and_is_counted_by_client_and_server_alike() {
    let Some(bench) = Bench::new() else { return };
    let mut database = bench.database("7a5c0001", None, 4 * MIB);
    let pool = |action| Task::new(action, Source::Pool);
    let lookup = |blocks, calls| Action::Lookup { blocks, calls };

    for (task, plan, blocks) in [
        (pool(lookup(1, Calls::Each)), "Index Scan", 1.0),
        (pool(lookup(5, Calls::Each)), "Index Scan", 5.0),
        (pool(lookup(16, Calls::Any)), "Index Scan", 16.0),
        (pool(lookup(16, Calls::Inside)), "Index Scan", 16.0),
        (pool(Action::Batch { blocks: 16 }), "Bitmap Heap Scan", 16.0),
        (Task::new(lookup(1, Calls::Each), Source::Drive), "Index Scan", 1.0),
    ] {
        let m = bench.measure(&mut database, task);
        counted(&m);
        assert!(
            text(&m, condition::PLAN).contains(plan),
            "{task:?}: {}",
            text(&m, condition::PLAN)
        );
        assert_eq!(m.value(metric::BLOCKS_PER_OP), Some(blocks));
        let of_caches = m.workload.get(condition::WORKING_SET_BYTES).unwrap() / CACHES as f64;
        assert_eq!(m.workload.get(condition::WORKING_SET_OF_CACHE), Some(of_caches));
        // The server's own account of statements, and what our looking took of its CPUs.
        let since_14 = m.value(metric::FULL_PAGES_PER_OP).is_some();
        let active_ns = m.value(metric::ACTIVE_TIME_PER_OP);
        assert!(active_ns.is_some_and(|ns| ns > 0.0) || !since_14, "{task:?}: {active_ns:?}");
        assert!(m.value(metric::SERVER_CPUS_LOOKING).is_some(), "{task:?}");
        let touched = m.value(metric::BLOCK_HITS_PER_OP).unwrap()
            + m.value(metric::BLOCK_READS_PER_OP).unwrap();
        // Each block of the table and one or more of the index; of the catalogue a little.
        assert!((blocks * 1.5..blocks * 6.0 + 8.0).contains(&touched), "{task:?}: {touched}");
    }

    a_second_repeat_is_announced_with_what_the_first_gave(&bench, &mut database);

    let skewed = Task { spread: Spread::Zipf(3.0), ..pool(lookup(64, Calls::Any)) };
    let m = bench.measure(&mut database, skewed);
    counted(&m);
    let sent = m.value(metric::BLOCKS_PER_OP).unwrap();
    assert!((1.0..40.0).contains(&sent), "64 draws by that law have few keys: {sent}");
    assert_eq!(m.conditions[condition::FROM], "pool");

    let mix = Task {
        spread: Spread::Hot { calls: 0.8, keys: 0.2 },
        think: Duration::from_micros(100),
        ..pool(Action::Update { percent: 30, redo: Redo::Light })
    };
    let light = bench.measure(&mut database, mix);
    counted(&light);
    let commits = light.value(metric::COMMITS_PER_OP).unwrap();
    assert!((0.05..0.7).contains(&commits), "30 % were asked for: {commits}");
    let whole = |redo| pool(Action::Update { percent: 100, redo });
    let [light, heavy] =
        [Redo::Light, Redo::Heavy].map(|redo| bench.measure(&mut database, whole(redo)));
    for m in [&light, &heavy] {
        counted(m);
        assert_eq!(m.value(metric::COMMITS_PER_OP), Some(1.0));
        assert!(m.value(metric::FLUSHES_PER_OP).is_none_or(|flushes| flushes > 0.0));
    }
    let commit = bench.measure(&mut database, pool(Action::Commit));
    counted(&commit);
    let log = |m: &Measurement| m.value(metric::WAL_BYTES_PER_OP).unwrap();
    assert!(log(&heavy) > log(&light) && log(&commit) < 400.0, "{} {}", log(&light), log(&commit));

    for (source, answer, node) in [
        (Source::Pool, Answer::Sum, "Parallel Seq Scan"),
        (Source::Drive, Answer::Sum, "Parallel Seq Scan"),
        (Source::Pool, Answer::Count, "Scan"),
    ] {
        let m = bench.measure(&mut database, Task::new(Action::Scan { answer }, source));
        assert_eq!(m.value(metric::ERRORS), Some(0.0), "{:?}", m.conditions);
        assert!(text(&m, condition::PLAN).contains(node), "{}", text(&m, condition::PLAN));
        let from_index = text(&m, condition::PLAN).contains("Index Only Scan");
        assert_eq!(m.conditions.contains(condition::ANSWERED_FROM), from_index);
        assert_eq!(m.value(metric::BANDWIDTH).is_none(), from_index);
    }
}

#[test]
fn sessions_with_tables_of_their_own_share_none_and_another_plan_is_refused_or_told() {
    let Some(bench) = Bench::new() else { return };
    let mut database = bench.database("7a5c0002", Some(SESSIONS), 2 * MIB);
    let task = Task::new(Action::Lookup { blocks: 1, calls: Calls::Each }, Source::Pool);
    let m = bench.measure(&mut database, task);
    counted(&m);
    assert_eq!(m.workload[condition::PRIVATE_TABLES], SESSIONS);
    let names = [1, 2].map(|n| format!("narrows_scratch_7a5c0002.rows_{n}"));
    for name in &names {
        // The sessions have ended, so that what they scanned is counted.
        let scans = format!(
            "SELECT idx_scan > 10 FROM pg_stat_all_tables WHERE relid = '{name}'::regclass"
        );
        let scanned = (0..50).any(|_| {
            std::thread::sleep(Duration::from_millis(100));
            control(&mut database).one(&scans).unwrap().as_deref() == Some("t")
        });
        assert!(scanned, "{name} was not read");
    }

    let ctx = bench.context();
    let mut of = |sessions| {
        let variation = Variation::closed("database.lookup_cached", sessions);
        database.begin_turns(&ctx, task, variation).unwrap().finish().workload
    };
    let (one, two, four) = (of(1), of(2), of(4));
    // 1 MiB of the 2, and a table of it for each session.
    assert_eq!(
        (&one[condition::KEYS], &two[condition::KEYS], &four[condition::KEYS]),
        (&json!(64), &json!(128), &json!(128))
    );
    assert_eq!(one[condition::WORKING_SET_BYTES], MIB / 2);
    assert_eq!(two[condition::PRIVATE_TABLES_SHARED], false);
    assert_eq!(four[condition::PRIVATE_TABLES_SHARED], true);

    let variation = Variation::closed("database.lookup_cached", SESSIONS);
    let mut turns = database.begin_turns(&ctx, task, variation.clone()).unwrap();
    database.turn(&ctx, &mut turns).unwrap();
    assert!(!turns.finish().conditions.contains(condition::PLAN_AFTER));
    let mut turns = database.begin_turns(&ctx, task, variation.clone()).unwrap();
    // Without the index of any of the tables the statement has another way to its block.
    control(&mut database).execute(&format!("DROP INDEX {}_k_idx", names[1])).unwrap();
    database.turn(&ctx, &mut turns).unwrap();
    assert_eq!(turns.finish().conditions[condition::PLAN_AFTER], "other");
    let refused = database.measure(&ctx, task, &[variation]).unwrap_err();
    let DatabaseError::Kind(kind) = &refused else { panic!("{refused}") };
    let Some(TableError::Plan { plan, wanted, .. }) = kind.downcast_ref() else {
        panic!("{refused}")
    };
    assert!(plan.contains("Seq Scan") && wanted == "Index Scan", "{refused}");
}

#[test]
fn windows_one_by_one_read_a_table_that_is_larger_than_the_pool_and_its_reads_are_counted_apart() {
    let Some(bench) = Bench::new() else { return };
    // Three times the pool.
    let mut database = bench.database("7a5c0009", None, 48 * MIB);
    let ctx = bench.context();
    let lookup = |source| Task::new(Action::Lookup { blocks: 1, calls: Calls::Each }, source);
    let variation =
        |name: &str| Variation::closed(format!("database.lookup_tier.{name}"), SESSIONS);
    let mut all = database.begin_turns(&ctx, lookup(Source::Drive), variation("off")).unwrap();
    let few = Task { working_set_bytes: Some(MIB), ..lookup(Source::Drive) };
    let mut few = database.begin_turns(&ctx, few, variation("hit")).unwrap();
    for _ in 0..2 {
        database.turn(&ctx, &mut all).unwrap();
        database.turn(&ctx, &mut few).unwrap();
    }
    let [all, few] = [all, few].map(narrows_layer_database::Turns::finish);
    let value = |m: &Measurement, metric: Metric| m.value(metric).unwrap_or(f64::NAN);
    for m in [&all, &few] {
        counted(m);
        assert_eq!(m.repeats, 2);
        // What opening the sessions reads of the catalogs is in the one and not in the other.
        let apart = value(m, metric::TABLE_READS_PER_OP);
        assert!(apart <= value(m, metric::BLOCK_READS_PER_OP), "{}: {apart}", m.id);
        assert_eq!(m.conditions.get(condition::METHOD), Some("buffered"));
        assert!(m.value(metric::RESIDENT_BEFORE).is_some_and(|share| share < 0.02), "{}", m.id);
    }
    // A third of the table fits, and so do all of the few rows. Of a block per lookup, and the index besides.
    let reads = value(&all, metric::TABLE_READS_PER_OP);
    assert!((0.5..1.2).contains(&reads), "{reads}");
    assert!(value(&few, metric::TABLE_READS_PER_OP) < 0.5 * reads, "{few:?}");
    // Windows from the pool are not asked.
    let pool =
        bench.measure(&mut database, Task { working_set_bytes: Some(MIB), ..lookup(Source::Pool) });
    assert_eq!(pool.value(metric::TABLE_READS_PER_OP), None);
}
