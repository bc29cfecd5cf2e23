//! Checks, measurements and crashes that are cut short, limited, or have nothing to look at.

use narrows_model::{Platform, orders as names};
use narrows_observe::Watch;

use super::super::measure::OrdersDatabase as _;
use super::*;
use crate::wire::Limits;
use narrows_layer_database::Contents;
use narrows_layer_database::{Database, Settings, Variation};

pub fn a_check_cut_short_leaves_no_transaction_open(bench: &Bench) {
    let mut control = bench.control();
    control.execute(&place::sql("ALTER TABLE {s}.payment RENAME TO elsewhere")).unwrap();
    let error = check(&mut control, WAREHOUSES, When::AfterRun, 1).unwrap_err();
    assert!(error.to_string().contains("payment"), "{error}");
    control.execute(&place::sql("ALTER TABLE {s}.elsewhere RENAME TO payment")).unwrap();
}

pub fn a_check_takes_the_time_it_takes(bench: &Bench) {
    let mut control = bench.control();
    control.execute("SET statement_timeout = '1ms'").unwrap();
    let checked = check(&mut control, WAREHOUSES, When::AfterRun, 1).unwrap();
    assert_eq!(checked.conditions.len(), 11);
    let short = Limits::hours(Duration::from_secs(9));
    let usual = control.limit(short);
    let during = patience::during(&mut control, |control| Ok(control.limit(short)));
    assert_eq!(during.unwrap(), Limits::hours(Duration::from_secs(24 * 3600)));
    assert_eq!(control.limit(usual), short);
}

/// Ends the control connection when the check begins.
struct Cutter {
    address: Address,
    pid: u32,
}

impl Progress for Cutter {
    fn phase(&self, _: Layer, phase: Phase, _: &str) {
        if phase == Phase::Verify {
            let mut other = Connection::open(&self.address, &[]).unwrap();
            other.execute(&format!("SELECT pg_terminate_backend({})", self.pid)).unwrap();
        }
    }
}

pub fn what_was_measured_outlives_a_check_that_failed(bench: &Bench) {
    let settings = Settings {
        run_id: "orders-test".into(),
        monitor_database: Some("template1".into()),
        table_bytes: 1 << 20,
        cached_bytes: 1 << 20,
        contents: Contents { entropy_percent: 50 },
        private: None,
        memory_bytes: None,
        cache_bytes: None,
        server_cpus: Vec::new(),
        client_cpus: Vec::new(),
        cpu_quota: None,
        quota_covers_client: true,
        data_dir: None,
        claim_bytes: None,
        own_server: false,
        conditions: narrows_model::Conditions::default(),
    };
    let watch = Watch::new(&Platform::default(), &[]);
    let mut database =
        Database::connect(bench.address.clone(), settings, watch, &Stop::new()).unwrap();
    let setup = database.orders_state().unwrap().unwrap().setup;
    let plan = OrdersPlan {
        setup,
        calls: Calls::Functions,
        isolation: "read committed",
        homes: Homes::All,
        paced: false,
        warm_up: Duration::from_millis(50),
        check: true,
    };
    let stop = Stop::new();
    let control = crate::kind::PostgresServer::of(&mut database).unwrap();
    let cutter = Cutter { address: bench.address.clone(), pid: control.control.pid() };
    let ctx = Context { window: Duration::from_millis(300), ..context(&stop, &cutter) };
    let measured =
        database.measure_orders(&ctx, &plan, &[Variation::closed(names::ID, 2)]).unwrap();
    let [mix] = &measured[..] else { panic!("{measured:?}") };
    // None where the window held none, which is the machine's doing.
    assert!(mix.value(names::NEW_ORDERS_PER_MIN).is_some_and(|rate| rate >= 0.0), "{mix:?}");
    assert!(mix.conditions[names::NOT_CHECKED].is_string(), "{:?}", mix.conditions);
    assert_eq!(mix.value(names::VIOLATED), None);
}

pub fn a_crash_under_a_mix_that_does_nothing_proves_nothing(bench: &mut Bench) {
    let (orders, stop) = (mix(Calls::Functions), Stop::new());
    let (address, cpus) = (bench.address.clone(), narrows_facts::affinity::current());
    // Every new order is refused.
    let settings = ["default_transaction_read_only = on".to_string()];
    let refused = CrashLoad {
        address: &address,
        settings: &settings,
        sessions: 4,
        cpus: &cpus,
        length: Duration::from_millis(200),
    };
    let error = crash(&mut bench.cluster, &refused, &orders, &context(&stop, &Silent)).unwrap_err();
    assert!(matches!(error, OrdersError::NothingAcknowledged { .. }), "{error}");
    // The server is up again.
    bench.control();
}

pub fn a_crash_under_sessions_that_all_ended_proves_nothing(bench: &mut Bench) {
    let (orders, stop) = (mix(Calls::Functions), Stop::new());
    let (address, cpus) = (bench.address.clone(), narrows_facts::affinity::current());
    // Until the sessions were ended before the kill: when they come is the machine's doing.
    let ended_before_it = WINDOWS_MS.iter().any(|window_ms| {
        let length = Duration::from_millis(2 * window_ms);
        let load = CrashLoad { address: &address, settings: &[], sessions: 4, cpus: &cpus, length };
        let outcome = std::thread::scope(|scope| {
            let ended = scope.spawn(|| end_sessions(&address, 4, 2 * length));
            let outcome = crash(&mut bench.cluster, &load, &orders, &context(&stop, &Silent));
            ended.join().unwrap().then_some(outcome)
        });
        match outcome {
            Some(Err(OrdersError::Load(_) | OrdersError::NoSessions)) => true,
            Some(Err(OrdersError::NothingAcknowledged { .. }) | Ok(_)) | None => false,
            Some(Err(error)) => panic!("{error}"),
        }
    });
    assert!(ended_before_it, "no four sessions came in {WINDOWS_MS:?} ms");
}

/// Waits for so many sessions, lets them work for a moment, and ends them; false where the server was killed first.
fn end_sessions(address: &Address, sessions: u64, patience: Duration) -> bool {
    let others = "FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() \
                  AND datname = current_database()";
    let end = || -> Result<bool, crate::WireError> {
        let mut other = Connection::open(address, &[])?;
        let begun = std::time::Instant::now();
        while other.one(&format!("SELECT count(*) {others}"))?.unwrap().parse::<u64>().unwrap()
            < sessions
        {
            if begun.elapsed() > patience {
                return Ok(false);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_millis(100));
        other.execute(&format!("SELECT pg_terminate_backend(pid) {others}"))?;
        Ok(true)
    };
    end().unwrap_or(false)
}
