//! Plans, indexes and sequences of a real server, where the machine has one.

use narrows_model::Consumers;

use super::live_test::{look, needs, of, open, server, until};
use crate::observe::{Around, Monitor};
use crate::{Address, Connection};

/// In literals alone, and so nowhere in what is kept.
const SECRET: &str = "s3cr3tplanted";

const SCHEMA: &str = "\
CREATE EXTENSION pg_stat_statements; CREATE ROLE app LOGIN; CREATE ROLE monitor LOGIN; GRANT pg_monitor TO monitor; \
CREATE SCHEMA shop; GRANT USAGE ON SCHEMA shop TO app, monitor; ALTER ROLE app SET search_path = shop, public; \
CREATE TABLE shop.orders (id serial PRIMARY KEY, \"Customer\" int, state text, kind int); \
INSERT INTO shop.orders (\"Customer\", state, kind) SELECT n % 20000, n % 7, n % 5 FROM generate_series(1, 40000) AS n; \
CREATE INDEX orders_kind ON shop.orders (kind); \
SELECT setval('shop.orders_id_seq', 2000000000); \
GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA shop TO app; GRANT USAGE ON ALL SEQUENCES IN SCHEMA shop TO app; \
CREATE TABLE shop.twice AS SELECT 1 AS a FROM generate_series(1, 2); \
GRANT CREATE ON SCHEMA public TO app";

fn prepare(control: &mut Connection) {
    control.execute(SCHEMA).unwrap();
    let statements =
        ["VACUUM ANALYZE", "CREATE UNIQUE INDEX CONCURRENTLY failed ON shop.twice (a)"];
    control.execute(statements[0]).unwrap();
    control.execute(statements[1]).unwrap_err();
    control.execute("SELECT pg_stat_reset()").unwrap();
}

fn load(address: &Address, sql: impl Fn(u32) -> String) {
    let user = Address { user: "app".into(), ..address.clone() };
    let mut load = Connection::open(&user, &[("application_name", "load")]).unwrap();
    load.execute("SET search_path = shop, public").unwrap();
    for n in 0..20 {
        load.execute(&sql(n)).unwrap();
    }
}

/// Looks while statements run whose index scans are then reported.
fn looked(address: &Address, sql: impl Fn(u32) -> String + Sync) -> narrows_model::Observation {
    let mut control = open(address, "control");
    look(address, |window| {
        if window == 2 {
            load(address, &sql);
            let ended = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'load'";
            until("it has ended", || control.one(ended).unwrap().as_deref() == Some("0"));
        }
    })
}

fn index<'a>(found: &'a Consumers, name: &str) -> Option<&'a narrows_model::IndexUse> {
    found.indexes.iter().find(|index| index.name == name)
}

#[test]
fn plans_indexes_and_sequences_are_found_and_nothing_is_executed_for_it() {
    let dir = tempfile::tempdir_in("/tmp").unwrap();
    let settings = [("shared_preload_libraries", "pg_stat_statements"), ("autovacuum", "off")];
    let Some((_cluster, address)) = server(dir.path(), &settings) else { return };
    let mut control = open(&address, "control");
    prepare(&mut control);
    let hypopg = "SELECT 1 FROM pg_available_extensions WHERE name = 'hypopg'";
    let hypopg = control.one(hypopg).unwrap().is_some();
    if hypopg {
        control.execute("CREATE EXTENSION hypopg").unwrap();
    } else {
        eprintln!("SKIPPED in part: this PostgreSQL comes without HypoPG");
    }

    // Read as a whole, by names that the search_path of its user has.
    let scanned = |n| {
        format!("SELECT * FROM orders WHERE \"Customer\" = {n} AND state = '{SECRET}' -- {SECRET}")
    };
    let seen = looked(&address, scanned);
    let found = of(&seen);
    let [plan] = &found.plans[..] else { panic!("{:#?}\n{:#?}", found.plans, seen.unknown) };
    let text = found.text(&plan.id).unwrap();
    assert!(text.starts_with("SELECT * FROM orders WHERE"), "{text}");
    let scan = plan.nodes.iter().find(|node| node.kind == "Seq Scan").expect("its scan");
    assert_eq!(scan.table.as_deref(), Some("shop.orders"));
    assert_eq!(scan.filtered_equal, ["\"Customer\"", "state"], "{scan:?}");
    assert!(scan.filter.as_ref().unwrap().contains("\"Customer\" = $1"), "{scan:?}");
    match &plan.tried {
        Some(tried) => {
            assert_eq!((tried.table.as_str(), tried.used), ("shop.orders", true));
            assert_eq!(tried.columns, "\"Customer\", state");
            assert!(tried.cost < plan.cost / 10.0, "{plan:?}");
        }
        None => assert!(!hypopg, "{plan:#?}"),
    }
    let failed = index(found, "shop.failed").expect("one that may not be used");
    assert!(failed.invalid && !failed.in_progress && !failed.needed && failed.unique);
    let [sequence] = &found.sequences[..] else { panic!("{:?}", found.sequences) };
    assert_eq!(
        (sequence.name.as_str(), sequence.table.as_str()),
        ("shop.orders_id_seq", "shop.orders")
    );
    assert_eq!((sequence.column.as_str(), sequence.column_type.as_str()), ("id", "integer"));
    assert_eq!((sequence.last, sequence.largest), (2e9, 2_147_483_647.0));
    assert!(sequence.of_column && sequence.given == 0.0);
    assert_eq!(seen.cost.unanswered, 0, "{:#?}", seen.unknown);
    assert_eq!(needs(&seen, "EXPLAIN"), None);
    assert!(!serde_json::to_string(&seen).unwrap().contains("s3cr3t"));

    // By an index, and a filter behind it; changes are planned and not made.
    let changed = |n| {
        format!(
            "UPDATE orders SET state = '{SECRET}' WHERE kind = 1 AND \"Customer\" = {}",
            90_000 + n
        )
    };
    let seen = looked(&address, changed);
    let found = of(&seen);
    let [plan] = &found.plans[..] else { panic!("{:#?}\n{:#?}", found.plans, seen.unknown) };
    let scan = plan.nodes.iter().find(|node| node.index.is_some()).expect("its scan by an index");
    assert_eq!(scan.index.as_deref(), Some("orders_kind"), "{plan:#?}");
    let kind = index(found, "shop.orders_kind").expect("it was used");
    assert_eq!((kind.scans, kind.columns.as_str()), (20.0, "kind"));
    assert!(kind.entries_read >= 20.0 * 8000.0 && !kind.needed && !kind.invalid, "{kind:?}");
    let expected = kind.expected_blocks.expect("its role reads pg_stats");
    // Few different values: deduplication packs them.
    assert!(kind.blocks.unwrap() < expected && kind.scans_ever == 20.0, "{kind:?}");
    if hypopg {
        let tried = plan.tried.as_ref().expect("behind the columns of the index");
        assert_eq!((tried.columns.as_str(), tried.used), ("kind, \"Customer\"", true));
    }
    let all = found.all_indexes.as_ref().unwrap();
    assert!(all.indexes >= 3.0 && all.scans >= 20.0 && all.entries_read >= kind.entries_read);
    let left = "SELECT count(*) FROM shop.orders WHERE state = 's3cr3tplanted'";
    assert_eq!(control.one(left).unwrap().as_deref(), Some("0"));
}

#[test]
fn a_statement_that_may_not_be_planned_is_not_and_why_is_told() {
    let dir = tempfile::tempdir_in("/tmp").unwrap();
    let settings = [("shared_preload_libraries", "pg_stat_statements"), ("autovacuum", "off")];
    let Some((_cluster, address)) = server(dir.path(), &settings) else { return };
    let mut control = open(&address, "control");
    prepare(&mut control);
    // Whoever plans a statement with it would call it, a superuser too.
    let trap = "CREATE FUNCTION public.trap() RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$BEGIN RETURN 7; END$$";
    control.execute(&format!("SET ROLE app; {trap}; RESET ROLE")).unwrap();
    let seen = looked(&address, |n| {
        format!(
            "SELECT count(*) FROM orders WHERE kind + {n} >= 0 AND coalesce(kind, public.\"trap\"()) < 100"
        )
    });
    let needed = needs(&seen, "EXPLAIN").unwrap_or_default();
    assert!(
        needed.starts_with("a statement without trap"),
        "{needed}: {:#?}",
        of(&seen).statements
    );
    assert!(of(&seen).plans.is_empty());

    let scanned = |n| format!("SELECT * FROM orders WHERE \"Customer\" = {n}");
    // Who monitors may not read the tables, nor the sequences.
    let monitor = Address { user: "monitor".into(), ..address.clone() };
    let mut other = open(&address, "control");
    let seen = look(&monitor, |window| {
        if window == 2 {
            load(&address, scanned);
            let ended = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'load'";
            until("it has ended", || other.one(ended).unwrap().as_deref() == Some("0"));
        }
    });
    let needed = needs(&seen, "EXPLAIN").unwrap_or_default();
    assert!(needed.starts_with("rights on the statement's tables: SELECT"), "{needed}");
    assert!(needs(&seen, "numbers that sequences have left").is_some());
    assert!(of(&seen).sequences.is_empty() && of(&seen).plans.is_empty());
    assert!(index(of(&seen), "shop.failed").is_some_and(|index| index.invalid));

    // A view of somebody's with it is enough to plan nothing.
    control
        .execute("SET ROLE app; CREATE VIEW public.trapped AS SELECT trap(); RESET ROLE")
        .unwrap();
    let seen = looked(&address, scanned);
    let needed = needs(&seen, "EXPLAIN").unwrap_or_default();
    assert!(needed.contains("uses public.trap, which planning may call"), "{needed}");

    // And nobody has to be asked.
    control.execute("DROP FUNCTION public.trap CASCADE").unwrap();
    let monitor = Monitor::open(&address).unwrap().without_plans();
    let progress = super::live_test::at_window(|window| {
        if window == 2 {
            load(&address, scanned);
        }
    });
    let seen = monitor
        .observe(
            std::time::Duration::from_secs(3),
            7,
            Around::default(),
            &mut crate::observe::testing::OneLook,
            &narrows_engine::Stop::new(),
            &progress,
        )
        .unwrap()
        .observation;
    assert!(of(&seen).plans.is_empty() && needs(&seen, "EXPLAIN").is_none());
    assert!(of(&seen).statements.is_some());
}
