//! With a real server where the machine has one; skipped loudly elsewhere. The load runs where a look tells of its windows, so that
//! it is known to the last statement what lies between the two readings.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Mutex;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use narrows_engine::{Phase, Progress, Stop};
use narrows_model::{ActivityState, ConsumerKind, Consumers, HorizonKind, Layer, Observation};

use crate::observe::testing::OneLook;
use crate::observe::{Around, Monitor};
use crate::server::{Cluster, Options, ServerUser, find};
use crate::{Address, Connection, Endpoint};

/// In literals alone, and so nowhere in what is kept.
const SECRET: &str = "s3cr3tplanted";

pub(super) fn until(what: &str, mut done: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !done() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A running server, and where it is; `None` where the machine has none.
pub(super) fn server(folder: &Path, settings: &[(&str, &str)]) -> Option<(Cluster, Address)> {
    let user = ServerUser::choose().unwrap();
    let found = match find(None, &user, None, &Stop::new()) {
        Ok(found) => found,
        Err(error) => {
            eprintln!("SKIPPED: {error}");
            return None;
        }
    };
    if found.version.major < 14 {
        eprintln!("SKIPPED: before PostgreSQL 14 sessions don't tell the id of their statement");
        return None;
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    let own = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
    let settings: Vec<_> = settings.iter().map(own).collect();
    let (data, wal) = (folder.join("data"), folder.join("wal"));
    let options = Options { settings: &settings, ..Options::new(&data, &wal) };
    let mut cluster = Cluster::create(&found, &user, &options, &Stop::new()).unwrap();
    let preloads = settings.iter().any(|(name, _)| name == "shared_preload_libraries");
    match cluster.start(&Stop::new()) {
        Err(error) if preloads && error.to_string().contains("pg_stat_statements") => {
            eprintln!("SKIPPED: this PostgreSQL comes without pg_stat_statements");
            return None;
        }
        started => started.unwrap(),
    }
    let address = Address {
        endpoint: Endpoint::Unix { folder: cluster.socket_dir().into(), port: cluster.port() },
        user: Cluster::USER.into(),
        password: None,
        database: Cluster::DATABASE.into(),
        session: Default::default(),
    };
    let available = "SELECT 1 FROM pg_available_extensions WHERE name = 'pg_stat_statements'";
    if open(&address, "control").one(available).unwrap().is_none() {
        eprintln!("SKIPPED: this PostgreSQL comes without pg_stat_statements");
        return None;
    }
    Some((cluster, address))
}

pub(super) fn open(address: &Address, name: &str) -> Connection {
    let mut connection = Connection::open(address, &[("application_name", name)]).unwrap();
    connection.execute("SET search_path = public").unwrap();
    connection
}

/// Waits until the server's statistics have so many deletions of `parent` and scans of `scanned`: sessions report a moment later.
fn until_counted(control: &mut Connection, deleted: u32, scans: u32) {
    let sql = "SELECT (SELECT n_tup_del FROM pg_stat_user_tables WHERE relname = 'parent') || ' ' || \
               (SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'scanned')";
    let counted = format!("{deleted} {scans}");
    until("it is counted", || control.one(sql).unwrap().as_deref() == Some(&counted));
}

fn prepare(address: &Address) {
    let mut control = open(address, "control");
    control.execute(SCHEMA).unwrap();
    control.execute("CREATE DATABASE without_it").unwrap();
    drop(control);
    let mut control = open(address, "control");
    let others = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'control'";
    until("it has ended", || control.one(others).unwrap().as_deref() == Some("1"));
    control.execute("SELECT pg_stat_reset()").unwrap();
}

/// Does something at the beginning of each window, which it is given from 1 on.
struct AtWindow<F>(Mutex<(u32, F)>);

impl<F: FnMut(u32) + Send> Progress for AtWindow<F> {
    fn phase(&self, _: Layer, phase: Phase, _: &str) {
        if phase == Phase::Measure {
            let mut state = self.0.lock().unwrap();
            state.0 += 1;
            let window = state.0;
            (state.1)(window);
        }
    }
}

pub(super) fn at_window(load: impl FnMut(u32) + Send) -> impl Progress {
    AtWindow(Mutex::new((0, load)))
}

/// Looks for six windows of half a second.
pub(super) fn look(address: &Address, load: impl FnMut(u32) + Send) -> Observation {
    let monitor = Monitor::open(address).unwrap();
    let progress = at_window(load);
    let seen = monitor.observe(
        Duration::from_secs(3),
        7,
        Around::default(),
        &mut OneLook,
        &Stop::new(),
        &progress,
    );
    let seen = seen.unwrap();
    assert_eq!(seen.cut_short, None);
    seen.observation
}

pub(super) fn of(observation: &Observation) -> &Consumers {
    observation.consumers.as_ref().expect("it was asked")
}

pub(super) fn needs<'a>(observation: &'a Observation, what: &str) -> Option<&'a str> {
    let mut unknown = observation.unknown.iter();
    unknown.find(|unknown| unknown.what.contains(what)).map(|unknown| unknown.needs.as_str())
}

fn calls(consumers: &Consumers, part: &str) -> Vec<f64> {
    let list = consumers.statements.iter().flat_map(|all| &all.list);
    let these = list.filter(|one| one.text.as_deref().is_some_and(|text| text.contains(part)));
    these.map(|one| one.took.calls).collect()
}

const SCHEMA: &str = "\
CREATE SCHEMA \"Of stats\"; CREATE EXTENSION pg_stat_statements SCHEMA \"Of stats\"; \
CREATE TABLE scanned AS SELECT n FROM generate_series(1, 1000) AS n; \
CREATE TABLE parent (id int PRIMARY KEY, other int UNIQUE); INSERT INTO parent SELECT n, n FROM generate_series(1, 50) AS n; \
CREATE TABLE \"Child\" (\"Parent\" int CONSTRAINT without REFERENCES parent, note int); \
CREATE TABLE indexed (parent int CONSTRAINT with_one REFERENCES parent); CREATE INDEX ON indexed (parent); \
CREATE TABLE quiet (id int PRIMARY KEY); CREATE TABLE of_quiet (id int CONSTRAINT of_none REFERENCES quiet); \
CREATE TABLE hot (id int PRIMARY KEY, a text) WITH (autovacuum_enabled = off); INSERT INTO hot VALUES (1, 'x'); \
CREATE FUNCTION nested() RETURNS bigint LANGUAGE plpgsql AS $$BEGIN RETURN (SELECT count(*) FROM scanned WHERE n < 5); END$$; \
CREATE ROLE plain LOGIN";

/// Statements of known numbers, and literals in all of them.
fn run_load(address: &Address) {
    let mut load = open(address, "load");
    for n in 0..10 {
        load.execute(&format!("SELECT count(*) AS thrice FROM scanned WHERE n > {n}")).unwrap();
        load.execute(&format!("INSERT INTO parent VALUES ({}, NULL) -- {SECRET}", 1000 + n))
            .unwrap();
        load.execute("SELECT nested()").unwrap();
    }
    for n in 0..20 {
        load.execute(&format!("SELECT count(*) AS thrice FROM scanned WHERE n > {n}")).unwrap();
        load.execute(&format!("SELECT '{SECRET}' || {n} /* {SECRET} */")).unwrap();
    }
    load.execute("DELETE FROM parent WHERE id < 4").unwrap();
    load.execute(&format!("ALTER ROLE plain PASSWORD '{SECRET}'")).unwrap();
    load.execute(&format!("DO $${SECRET}: BEGIN END; BEGIN NULL; END$$")).unwrap_err();
    load.execute(&format!("DO $x$BEGIN PERFORM '{SECRET}'; END$x$")).unwrap();
}

/// A session idle in a transaction that holds a row, and two that wait for it, one behind the other.
struct Queue {
    head: Connection,
    waiters: Vec<JoinHandle<()>>,
    pids: [u32; 3],
}

impl Queue {
    fn begin(address: &Address, control: &mut Connection) -> Queue {
        let update = |n: u32| format!("UPDATE hot SET a = '{SECRET}{n}' WHERE id = 1");
        let mut head = open(address, "head of it");
        head.execute("BEGIN").unwrap();
        head.execute(&update(0)).unwrap();
        let mut pids = [head.pid(), 0, 0];
        let mut waiters = Vec::new();
        for waiter in [1, 2] {
            let mut connection = open(address, "one behind");
            pids[waiter] = connection.pid();
            let sql = update(waiter as u32);
            waiters.push(std::thread::spawn(move || connection.execute(&sql).unwrap()));
            let waits = format!(
                "SELECT count(*) FROM pg_stat_activity WHERE pid = {} AND wait_event_type = 'Lock'",
                pids[waiter]
            );
            until("it waits", || control.one(&waits).unwrap().as_deref() == Some("1"));
        }
        Queue { head, waiters, pids }
    }

    fn end(mut self) {
        self.head.execute("COMMIT").unwrap();
        self.waiters.into_iter().for_each(|waiter| waiter.join().unwrap());
    }
}

/// The three of a [`Queue`], from its head on.
fn has_queue(found: &Consumers, pids: [u32; 3]) {
    let queued: Vec<u32> = found.lock_queue.iter().map(|session| session.pid).collect();
    assert_eq!(queued, pids, "{:#?}", found.lock_queue);
    let [head, first, second] = &found.lock_queue[..] else { panic!() };
    assert_eq!((head.state.as_str(), head.behind.len()), ("idle in transaction", 0));
    assert_eq!((head.application.as_str(), head.user.as_str()), ("head of it", "narrows"));
    assert_eq!(head.text.as_deref(), Some("UPDATE hot SET a = ? WHERE id = ?"));
    assert_eq!((first.behind.as_slice(), second.behind.first()), (&pids[..1], Some(&pids[1])));
    assert_eq!(first.waits_for.as_deref(), Some("Lock:transactionid"));
    assert_eq!(second.waits_for.as_deref(), Some("Lock:tuple"));
    assert_eq!(first.table.as_deref(), Some("public.hot"));
    assert_eq!(second.table.as_deref(), Some("public.hot"));
    assert_eq!(second.mode.as_deref(), Some("ExclusiveLock"));
    assert!(first.state_age_ns > Some(0.0) && first.backend_type.is_empty());
}

/// The sessions of a [`Queue`], which nobody was active beside.
fn has_groups(found: &Consumers) {
    let sampled = found.sampled.as_ref().unwrap();
    let group = |kind, name: &str| {
        let mut groups = sampled.groups.iter();
        groups.find(|group| group.kind == kind && group.name == name).unwrap()
    };
    // Two waited all the time, from before the first sample on.
    let behind = group(ConsumerKind::Application, "one behind");
    assert!(behind.active > 1.99 && behind.active < 2.01, "{behind:?}");
    assert_eq!(behind.of(ActivityState::Lock), behind.active);
    assert_eq!(behind.events.len(), 2, "{behind:?}");
    let head = group(ConsumerKind::Application, "head of it");
    assert_eq!((head.active, head.states[0].0), (0.0, ActivityState::IdleInTransaction));
    let all = sampled.active;
    for (kind, name) in [
        (ConsumerKind::Database, "postgres"),
        (ConsumerKind::User, "narrows"),
        (ConsumerKind::Client, "local"),
    ] {
        assert_eq!(group(kind, name).active, all);
    }
    let mut statements = sampled.groups.iter().filter(|g| g.kind == ConsumerKind::Statement);
    let statement = statements.next().expect("its id");
    assert!(statement.active >= behind.active && !sampled.by_text, "{sampled:#?}");
    assert_eq!(found.text(&statement.name), Some("UPDATE hot SET a = $1 WHERE id = $2"));
    let texts = sampled.texts.iter().filter(|(id, _)| *id == statement.name);
    let texts: Vec<&str> = texts.map(|(_, text)| text.as_str()).collect();
    assert_eq!(texts, ["UPDATE hot SET a = ? WHERE id = ?"], "as a session has it");
    assert!(sampled.executions >= 2);
}

#[test]
fn a_load_of_known_statements_is_found_with_its_tables_keys_and_queue() {
    let dir = tempfile::tempdir_in("/tmp").unwrap();
    let settings = [
        ("shared_preload_libraries", "pg_stat_statements"),
        ("pg_stat_statements.track", "all"),
        ("autovacuum", "off"),
    ];
    let Some((_cluster, address)) = server(dir.path(), &settings) else { return };
    prepare(&address);
    let mut control = open(&address, "control");
    let mut queue = None;
    let observation = look(&address, |window| match window {
        1 => queue = Some(Queue::begin(&address, &mut control)),
        2 => {
            run_load(&address);
            until_counted(&mut control, 3, 40);
        }
        _ => {}
    });
    let queue = queue.unwrap();
    let pids = queue.pids;
    queue.end();
    let found = of(&observation);
    assert_eq!(found.database, "postgres");

    // Statements: so many calls each, with their callers and not beside them, and none of ours.
    assert_eq!(calls(found, "AS thrice"), [30.0]);
    assert_eq!(calls(found, "INSERT INTO parent"), [10.0]);
    assert_eq!(calls(found, "SELECT nested()"), [10.0]);
    assert_eq!(calls(found, "WHERE n < "), [0.0; 0], "inside of the function");
    let statements = found.statements.as_ref().unwrap();
    assert!(!statements.evicted && !statements.reset && !statements.planning_counted);
    let named =
        |one: &&narrows_model::StatementUse| one.user == "narrows" && one.database == "postgres";
    assert_eq!(statements.list.iter().filter(named).count(), statements.list.len());
    // The control's and the load's other ones; of ours, which ran more often, none.
    assert!(calls(found, "narrows_").is_empty() && calls(found, "numbackends").is_empty());
    assert!(statements.counted < 30, "{statements:#?}");
    let wal = statements.list.iter().max_by(|a, b| a.took.wal_bytes.total_cmp(&b.took.wal_bytes));
    assert!(wal.unwrap().text.as_ref().unwrap().contains("parent"), "{wal:?}");

    let table = |name: &str| found.tables.iter().find(|table| table.name == name);
    let scanned = table("public.scanned").expect("it was read");
    assert_eq!((scanned.sequential_scans, scanned.sequential_rows), (40.0, 40_000.0));
    let parent = table("public.parent").expect("it was changed");
    assert_eq!((parent.inserted, parent.deleted, parent.updated), (10.0, 3.0, 0.0));
    assert!(table("public.hot").is_none_or(|hot| hot.autovacuum_off));
    assert!(table("public.quiet").is_none() && table("public.of_quiet").is_none());
    let child = table("public.\"Child\"").expect("three rows went from what it refers to");
    assert_eq!(child.sequential_scans, 3.0);
    let [key] = &found.unindexed_keys[..] else { panic!("{:?}", found.unindexed_keys) };
    assert_eq!((key.name.as_str(), key.table.as_str()), ("without", "public.\"Child\""));
    assert_eq!((key.columns.as_str(), key.refers_to.as_str()), ("\"Parent\"", "public.parent"));
    assert_eq!(key.rows_gone, 3.0);

    has_queue(found, pids);
    let oldest = &found.horizon[0];
    assert_eq!((oldest.kind, oldest.name.clone()), (HorizonKind::Session, pids[0].to_string()));
    assert!(oldest.transactions > 10.0 && oldest.state == "idle in transaction", "{oldest:?}");
    let reserves = found.reserves.as_ref().unwrap();
    assert!(reserves.oldest_database.as_ref().is_some_and(|(_, age)| *age > 0.0));
    assert!(reserves.unread_slots.is_empty() && reserves.archive_failures.is_none());

    has_groups(found);
    assert!(found.sampled.as_ref().unwrap().samples < observation.activity.samples);

    let kept = serde_json::to_string(&observation).unwrap();
    assert!(kept.contains("ALTER ROLE plain PASSWORD ?"), "the statement is there");
    assert!(!kept.contains(SECRET) && !kept.contains("s3cr3t"));
    assert_eq!(needs(&observation, "pg_stat_statements"), None);
    assert_eq!(observation.cost.unanswered, 0);
}

#[test]
fn who_lacks_a_right_or_an_extension_is_told_and_gets_the_rest() {
    let dir = tempfile::tempdir_in("/tmp").unwrap();
    let Some((_cluster, address)) = server(dir.path(), &[("autovacuum", "off")]) else { return };
    prepare(&address);
    let mut control = open(&address, "control");
    let work = |sql: &str| open(&address, "work").execute(sql).unwrap();
    // Its library isn't loaded.
    let here = look(&address, |window| {
        if window == 1 {
            work("SELECT count(*) FROM scanned");
            work("DELETE FROM parent WHERE id < 3");
            until_counted(&mut control, 2, 1);
        }
    });
    let needed = needs(&here, "what statements take").unwrap();
    assert!(needed.starts_with("pg_stat_statements in shared_preload_libraries"), "{needed}");
    assert!(of(&here).statements.is_none() && of(&here).tables.len() == 4, "{:#?}", of(&here));
    assert_eq!(of(&here).unindexed_keys.len(), 1);
    assert_eq!(here.cost.unanswered, 1);

    let elsewhere = look(&Address { database: "without_it".into(), ..address.clone() }, |_| ());
    let needed = needs(&elsewhere, "what statements take").unwrap();
    assert!(needed.starts_with("CREATE EXTENSION pg_stat_statements in database without_it, and"));
    assert!(of(&elsewhere).tables.is_empty() && of(&elsewhere).database == "without_it");

    let plain = look(&Address { user: "plain".into(), ..address.clone() }, |window| {
        if window == 1 {
            work("SELECT count(*) FROM scanned");
            until_counted(&mut control, 2, 2);
        }
    });
    assert_eq!(needs(&plain, "what statements take"), Some("GRANT pg_monitor TO plain"));
    assert_eq!(of(&plain).tables.len(), 1, "{:#?}", of(&plain).tables);
    assert!(of(&plain).reserves.is_some() && of(&plain).statements.is_none());
}
