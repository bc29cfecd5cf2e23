//! With a real server where the machine has one; skipped loudly elsewhere. One load serves all that is shown, because it is
//! what takes time.

mod cut;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use narrows_engine::{Context, Phase, Progress, Silent, Stop};
use narrows_model::Layer;

use super::crash::missing;
use super::session_account::{Acknowledged, Shared};
use super::*;
use crate::server::{Cluster, Options, ServerUser, find};
use crate::{Address, Connection, Endpoint};
use narrows_layer_database::load::{self, LoadPlan, LoadResult};

const WAREHOUSES: u32 = 1;

struct Bench {
    // The server ends before its folder goes.
    cluster: Cluster,
    address: Address,
    _dir: tempfile::TempDir,
}

impl Bench {
    /// `None` after saying why, if the machine has no server.
    fn new() -> Option<Bench> {
        let user = ServerUser::choose().unwrap();
        let found = match find(None, &user, None, &narrows_engine::Stop::new()) {
            Ok(found) => found,
            Err(error) => {
                eprintln!("SKIPPED: {error}");
                return None;
            }
        };
        let dir = tempfile::tempdir_in("/tmp").unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let (data, wal) = (dir.path().join("data"), dir.path().join("wal"));
        let settings = [
            // All tables fit: what pushes a changed block out of the pool flushes the log first.
            ("shared_buffers", "384MB"),
            ("max_wal_size", "2GB"),
            ("log_min_messages", "log"),
            ("wal_buffers", "32MB"),
        ]
        .map(|(name, value)| (name.to_string(), value.to_string()));
        let options = Options { settings: &settings, ..Options::new(&data, &wal) };
        let mut cluster = Cluster::create(&found, &user, &options, &Stop::new()).unwrap();
        cluster.start(&Stop::new()).unwrap();
        let folder = cluster.socket_dir().to_path_buf();
        let address = Address {
            endpoint: Endpoint::Unix { folder, port: cluster.port() },
            database: Cluster::DATABASE.into(),
            ..Address::parse("postgres://narrows@/postgres").unwrap()
        };
        Some(Bench { cluster, address, _dir: dir })
    }

    fn control(&self) -> Connection {
        Connection::open(&self.address, &[]).unwrap()
    }

    fn wanted(&self) -> LoadOrders<'_> {
        LoadOrders { address: &self.address, warehouses: WAREHOUSES, connections: 2 }
    }

    /// The mix for a moment in a closed loop.
    fn run(&self, orders: &Orders, settings: &[String], window_ms: u64) -> LoadResult {
        let cpus = narrows_facts::affinity::current();
        let plan = LoadPlan {
            server: &self.address,
            settings,
            programs: orders,
            sessions: 4,
            cpus: &cpus[..1],
            open_rate_per_s: None,
            warm_up: Duration::ZERO,
            window: Duration::from_millis(window_ms),
            seed: 5,
        };
        load::run(&plan, &Stop::new(), |_, _| Ok(())).unwrap().0
    }
}

fn context<'a>(stop: &'a Stop, progress: &'a dyn Progress) -> Context<'a> {
    Context { stop, progress, seed: 3, repeats: 1, quick: true, window: Duration::from_secs(1) }
}

/// Stops a load once rows are on their way.
struct Cut<'a> {
    stop: &'a Stop,
    told: AtomicU32,
}

impl Progress for Cut<'_> {
    fn phase(&self, _: Layer, phase: Phase, detail: &str) {
        if phase == Phase::Fill && detail.starts_with("rows") {
            self.told.fetch_add(1, Ordering::Relaxed);
            self.stop.set();
        }
    }
}

fn mix(calls: Calls) -> Orders {
    let constants = Constants { last_name: 200, customer: 17, item: 4000 };
    Orders {
        calls,
        warehouses: WAREHOUSES,
        homes: Homes::All,
        paced: false,
        constants,
        remember: true,
        seen: Shared::default(),
    }
}

#[test]
fn orders_are_loaded_run_checked_and_found_again_after_a_crash() {
    let Some(mut bench) = Bench::new() else { return };
    a_cut_load_goes_on(&bench);
    a_second_one_is_refused(&bench);
    for calls in [Calls::Functions, Calls::Statements] {
        the_mix_keeps_the_conditions(&bench, calls);
    }
    serialization_failures_are_tried_again(&bench);
    every_condition_is_found_violated(&bench);
    a_missing_order_is_found(&bench);
    cut::a_check_cut_short_leaves_no_transaction_open(&bench);
    cut::a_check_takes_the_time_it_takes(&bench);
    cut::what_was_measured_outlives_a_check_that_failed(&bench);
    cut::a_crash_under_a_mix_that_does_nothing_proves_nothing(&mut bench);
    cut::a_crash_under_sessions_that_all_ended_proves_nothing(&mut bench);
    acknowledged_orders_outlive_a_crash(&mut bench);
    only_our_own_schema_is_removed(&bench);
}

fn a_cut_load_goes_on(bench: &Bench) {
    let stop = Stop::new();
    let cut = Cut { stop: &stop, told: AtomicU32::new(0) };
    let mut control = bench.control();
    let outcome = load(&mut control, &bench.wanted(), &context(&stop, &cut));
    // A machine fast enough to load everything before the first word is told has nothing to go on with; between that word and
    // the stop a table or a warehouse may still have become whole.
    if cut.told.load(Ordering::Relaxed) > 0 {
        assert!(outcome.unwrap_err().is_stop());
        let state = look(&mut control).unwrap().unwrap();
        assert!(!state.ready, "{state:?}");
    }
    drop(control);
    let mut control = bench.control();
    let stop = Stop::new();
    let setup = look(&mut control).unwrap().unwrap().setup;
    // The seed of the first call goes on, whatever the second one has.
    let ctx = Context { seed: 99, ..context(&stop, &Silent) };
    // Limits of the user on statements are for others.
    control.execute("ALTER ROLE narrows SET statement_timeout = '100ms'").unwrap();
    let loaded = load(&mut control, &bench.wanted(), &ctx).unwrap();
    control.execute("ALTER ROLE narrows RESET statement_timeout").unwrap();
    assert_eq!(loaded.setup, setup);
    assert!(look(&mut control).unwrap().unwrap().ready);
    let checked = check(&mut control, WAREHOUSES, When::AfterLoad, 1).unwrap();
    assert_eq!((checked.conditions.len(), checked.violations), (12, vec![]));
    let asked = format!(
        "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c WHERE relkind = 'r' \
                         AND relnamespace = '{SCHEMA}'::regnamespace"
    );
    let bytes: u64 = control.one(&asked).unwrap().unwrap().parse().unwrap();
    let said = WAREHOUSE_BYTES + ITEM_BYTES;
    assert!(bytes.abs_diff(said) < said / 10, "{bytes} and not about {said}");
}

fn a_second_one_is_refused(bench: &Bench) {
    let mut first = bench.control();
    let stop = Stop::new();
    let ctx = context(&stop, &Silent);
    // All is there already.
    assert_eq!(load(&mut first, &bench.wanted(), &ctx).unwrap().warehouses, 0);
    let error = load(&mut bench.control(), &bench.wanted(), &ctx).unwrap_err();
    assert!(matches!(error, OrdersError::Busy { .. }), "{error}");
    drop(first);
    let other = LoadOrders { warehouses: 2, ..bench.wanted() };
    let error = load(&mut bench.control(), &other, &ctx).unwrap_err();
    assert!(matches!(error, OrdersError::Different { .. }), "{error}");
}

/// Windows until one of them held what is looked for: how much a window holds is the machine's doing.
const WINDOWS_MS: [u64; 4] = [700, 3_000, 12_000, 48_000];

fn the_mix_keeps_the_conditions(bench: &Bench, calls: Calls) {
    let whole = |window_ms: &u64| every_transaction_ran(bench, calls, *window_ms);
    assert!(WINDOWS_MS.iter().any(whole), "{calls:?}: a transaction of the mix never ran");
    let checked = check(&mut bench.control(), WAREHOUSES, When::AfterRun, 1).unwrap();
    assert_eq!((checked.conditions.len(), checked.violations), (11, vec![]), "{calls:?}");
}

/// Runs the mix, whose counts have to be right, and says whether every transaction of it came.
fn every_transaction_ran(bench: &Bench, calls: Calls, window_ms: u64) -> bool {
    let orders = mix(calls);
    let mut control = bench.control();
    let before = entered(&mut control).unwrap();
    let result = bench.run(&orders, &[], window_ms);
    assert_eq!((result.errors, result.wrong), (0, 0), "{calls:?}: {:?}", result.first_error);
    let seen = orders.seen.take();
    let counts = Counts::new(before, entered(&mut control).unwrap(), &seen);
    assert!(counts.agree() && counts.in_doubt == 0, "{calls:?}: {counts:?}");
    let entered_here = &result.classes[TransactionKind::NewOrder as usize];
    assert_eq!(entered_here.span_operations - entered_here.rolled_back, seen.new_orders);
    counts.client > 0 && result.classes.iter().all(|class| class.span_operations > 0)
}

fn serialization_failures_are_tried_again(bench: &Bench) {
    let settings = ["default_transaction_isolation = 'repeatable read'".to_string()];
    let met = |window_ms: &u64| {
        let result = bench.run(&mix(Calls::Functions), &settings, *window_ms);
        assert_eq!((result.errors, result.wrong), (0, 0), "{:?}", result.first_error);
        // One warehouse, four sessions: payments meet on its row all the time.
        let failures: u64 = result.classes.iter().map(|class| class.serialization_failures).sum();
        let retries: u64 = result.classes.iter().map(|class| class.retries).sum();
        failures > 0 && retries > 0
    };
    assert!(WINDOWS_MS.iter().any(met), "no transaction was tried again");
    let checked = check(&mut bench.control(), WAREHOUSES, When::AfterRun, 1).unwrap();
    assert_eq!(checked.violations, vec![]);
}

/// What breaks a condition, and which ones see it.
const BREAKS: [(&str, &[u32]); 11] = [
    ("UPDATE {s}.warehouse SET ytd = ytd + 1", &[1, 8]),
    ("UPDATE {s}.district SET next_order = next_order + 1 WHERE d = 3", &[2]),
    (
        "DELETE FROM {s}.pending WHERE (w, d, o) = (SELECT w, d, o + 1 FROM {s}.pending ORDER BY w, d, o LIMIT 1)",
        &[3, 5],
    ),
    ("DELETE FROM {s}.line WHERE d = 1 AND o = 5 AND n = 1", &[4, 6]),
    ("UPDATE {s}.orders SET carrier = NULL WHERE d = 2 AND o = 7", &[5, 7]),
    ("UPDATE {s}.orders SET lines = lines + 1 WHERE d = 2 AND o = 7", &[4, 6]),
    ("UPDATE {s}.line SET delivered = NULL WHERE d = 2 AND o = 7 AND n = 2", &[7]),
    ("UPDATE {s}.payment SET amount = amount + 1 WHERE d = 4 AND c = 8 AND c_d = 4", &[8, 9, 10]),
    ("UPDATE {s}.district SET ytd = ytd + 1 WHERE d = 3", &[1, 9]),
    ("UPDATE {s}.customer SET balance = balance + 1 WHERE d = 3 AND c = 9", &[10, 12]),
    ("UPDATE {s}.customer SET paid = paid + 1 WHERE d = 3 AND c = 9", &[12]),
];

/// Each in a transaction that is rolled back; the check's own transaction is the same one, which only warns.
fn every_condition_is_found_violated(bench: &Bench) {
    let mut control = bench.control();
    let mut found = std::collections::BTreeSet::new();
    for (break_it, wanted) in BREAKS {
        control
            .execute(&format!("BEGIN ISOLATION LEVEL REPEATABLE READ; {}", place::sql(break_it)))
            .unwrap();
        let violations =
            checks::violations(&mut control, WAREHOUSES, When::AfterRun, 1).unwrap().violations;
        control.execute("ROLLBACK").unwrap();
        let numbers: Vec<u32> = violations.iter().map(|violation| violation.condition).collect();
        assert!(wanted.iter().all(|n| numbers.contains(n)), "{break_it}: {violations:?}");
        assert!(violations.iter().all(|v| v.rows > 0 && !v.example.is_empty()), "{violations:?}");
        found.extend(numbers);
    }
    let all: Vec<u32> = (1..=10).chain([12]).collect();
    assert_eq!(found.into_iter().collect::<Vec<_>>(), all);
}

fn acknowledged_orders_outlive_a_crash(bench: &mut Bench) {
    let recovery = crash_after_orders(bench, &[], |_| ());
    assert!(recovery.holds() && recovery.counts.client > 0, "{recovery:?}");
    // Commits that don't wait for their flush are lost, which the same check has to see.
    let mut control = bench.control();
    for setting in QUIET {
        control.execute(&format!("ALTER SYSTEM SET {setting}")).unwrap();
    }
    control.execute("SELECT pg_reload_conf()").unwrap();
    drop(control);
    let careless = ["synchronous_commit = off".to_string()];
    let recovery = crash_after_orders(bench, &careless, stop_the_log_writer);
    assert!(recovery.lost > 0 && !recovery.holds() && recovery.example.is_some(), "{recovery:?}");
    assert!(!recovery.counts.agree(), "{recovery:?}");
}

/// Crashes under the mix until one of them came after an acknowledged order: when the first comes is the machine's doing.
fn crash_after_orders(bench: &mut Bench, settings: &[String], prepare: fn(&Bench)) -> Recovery {
    let (orders, cpus, stop) =
        (mix(Calls::Functions), narrows_facts::affinity::current(), Stop::new());
    let address = bench.address.clone();
    for window_ms in WINDOWS_MS {
        prepare(bench);
        let length = Duration::from_millis(window_ms);
        let load = CrashLoad { address: &address, settings, sessions: 4, cpus: &cpus, length };
        match crash(&mut bench.cluster, &load, &orders, &context(&stop, &Silent)) {
            Err(OrdersError::NothingAcknowledged { .. }) => {}
            recovery => return recovery.unwrap(),
        }
    }
    panic!("no order was acknowledged in {WINDOWS_MS:?} ms");
}

/// Nobody writes the log but who commits: the log writer sleeps, and no buffer is freed nor vacuumed.
const QUIET: [&str; 3] =
    ["wal_writer_delay = '10s'", "bgwriter_lru_maxpages = 0", "autovacuum = off"];

/// Up to version 15 every commit wakes it for a full page, whatever its delay; what it wrote outlives a killed server.
fn stop_the_log_writer(bench: &Bench) {
    let query = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'";
    let pid: libc::pid_t = bench.control().one(query).unwrap().unwrap().parse().unwrap();
    // SAFETY: A process of our own server, which is killed at the end.
    assert_eq!(unsafe { libc::kill(pid, libc::SIGSTOP) }, 0);
}

/// One that was acknowledged and is not there, one that has a line less, and one that is whole.
fn a_missing_order_is_found(bench: &Bench) {
    let mut control = bench.control();
    let row = control
        .query(&place::sql("SELECT w, d, o, lines FROM {s}.orders ORDER BY w, d, o LIMIT 1"))
        .unwrap()
        .remove(0);
    let number = |column: usize| row[column].as_deref().unwrap().parse::<i32>().unwrap();
    let whole =
        Acknowledged { w: number(0), d: number(1) as i16, o: number(2), lines: number(3) as i16 };
    let absent = Acknowledged { o: 9_999_999, ..whole };
    let shorter = Acknowledged { lines: whole.lines + 1, ..whole };
    for (orders, wanted) in [
        (vec![whole], (0, None)),
        (vec![whole, absent], (1, Some(absent))),
        (vec![shorter], (1, Some(shorter))),
        (vec![], (0, None)),
    ] {
        // Each by a session of its own, as the list is a table of the session.
        assert_eq!(missing(&mut bench.control(), &orders).unwrap(), wanted, "{orders:?}");
    }
}

fn only_our_own_schema_is_removed(bench: &Bench) {
    let mut control = bench.control();
    assert!(remove(&mut control).unwrap());
    assert!(!remove(&mut control).unwrap());
    control.execute(&format!("CREATE SCHEMA {SCHEMA}; CREATE TABLE {SCHEMA}.mine ()")).unwrap();
    let error = remove(&mut control).unwrap_err();
    assert!(matches!(error, OrdersError::NotOurs { .. }), "{error}");
    control.execute(&format!("SELECT FROM {SCHEMA}.mine")).unwrap();
}
