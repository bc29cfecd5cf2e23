//! An observed MariaDB on the screen: its own words, no bottleneck, and who waits for whom.

use crate::common::observed::observed;
use narrows_model::*;
use narrows_report::{Report, Units, text};

/// A MariaDB with two sessions in a statement, whose sums have their time.
fn mariadb(exec_ns: f64) -> Run {
    let mut run = observed();
    let seen = &mut run.observations[0];
    seen.version = "MariaDB 10.11.19".into();
    seen.address = "mariadb://me@/?socket=/run/mysqld/mysqld.sock".into();
    seen.processes = None;
    seen.counted = ObservedCounts { log_bytes: Some(1e6), ..ObservedCounts::default() };
    let at = |state, processes| ActivityWhere {
        class: ProcessClass::Session,
        state,
        processes,
        interval_95: None,
        windows: Vec::new(),
        events: Vec::new(),
    };
    seen.activity.found = vec![at(ActivityState::Running, 1.5), at(ActivityState::Log, 0.5)];
    let took =
        StatementFigures { calls: 600.0, exec_ns, rows: 600.0, ..StatementFigures::default() };
    let text = "SELECT a FROM `orders` WHERE `customer` = ?";
    let group = |name: &str| SampledGroup {
        kind: ConsumerKind::Statement,
        name: name.into(),
        active: 2.0,
        interval_95: None,
        states: vec![(ActivityState::Running, 2.0)],
        events: Vec::new(),
    };
    seen.consumers = Some(Consumers {
        statements: Some(StatementStatistics {
            list: vec![StatementUse {
                id: "a1".into(),
                text: Some(text.into()),
                took,
                ..StatementUse::default()
            }],
            all: took,
            ..StatementStatistics::default()
        }),
        sampled: Some(SampledConsumers {
            samples: 300,
            active: 2.0,
            groups: vec![group("text-9")],
            texts: vec![("text-9".into(), "SELECT b FROM t".into())],
            ..SampledConsumers::default()
        }),
        tables: vec![TableUse {
            name: "shop.orders".into(),
            sequential_rows: 6e6,
            ..TableUse::default()
        }],
        mariadb: Some(MariaDbUse {
            performance_schema: true,
            statements: vec![MariaDbStatement {
                id: "a1".into(),
                calls: 600.0,
                rows_examined: 6e6,
                ..MariaDbStatement::default()
            }],
            ..MariaDbUse::default()
        }),
        ..Consumers::default()
    });
    // As the verdict is of any MariaDB.
    run.verdicts.truncate(1);
    let verdict = &mut run.verdicts[0];
    verdict.narrow = Bottleneck::Unknown;
    verdict.grade = Grade::Undecided;
    verdict.phrase = "2.0 of 4 sessions active, mostly computing or reading".into();
    verdict.reasons = vec!["no bottleneck is named of a MariaDB".into()];
    verdict.standing = Some(ObservedSituation {
        step: Some(Step {
            action: "no cause was found; WHO TAKES IT names the statements".into(),
            prove: "narrows observe".into(),
        }),
        ..ObservedSituation::default()
    });
    run
}

fn screen(run: &Run) -> String {
    text(&Report::new(run, Units::Si), 100, false)
}

#[test]
fn its_words_are_mariadbs_and_no_bottleneck_is_named() {
    let text = screen(&mariadb(120e9));
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("sessions active, mostly computing or reading"), "{text}");
    assert!(flat.contains("no bottleneck is named of a MariaDB"), "{text}");
    assert!(text.contains("committing") && text.contains("redo log"), "{text}");
    assert!(text.contains("examined/call") && text.contains("10000"), "{text}");
    assert!(text.contains("\nTABLES ") && text.contains("without index"), "{text}");
    let (_, of_it) = text.split_once("RESULT").unwrap();
    let (of_it, _) = of_it.split_once("CAPACITIES").unwrap();
    for other in ["WAL", "pg_", "dead rows", "tps", "blocks/call", "running, or ready"] {
        assert!(!of_it.contains(other), "{other} in {text}");
    }
}

#[test]
fn where_the_sums_lack_most_of_the_time_samples_speak() {
    let with = |exec_ns: f64| screen(&mariadb(exec_ns));
    // Two sessions for a minute.
    let (sums, samples) = (with(61e9), with(59e9));
    assert!(sums.contains("FROM `orders`") && !sums.contains("SELECT b FROM t"), "{sums}");
    // What no sample found and the server counted has its part beside them.
    let (found, counted) = (samples.find("SELECT b FROM t"), samples.find("FROM `orders`"));
    assert!(found.is_some() && found < counted, "{samples}");
    assert!(samples.contains(" 67 % ") && samples.contains(" 33 % "), "{samples}");
}

#[test]
fn a_statement_that_samples_have_by_another_id_is_counted_once() {
    let mut run = mariadb(59e9);
    let consumers = run.observations[0].consumers.as_mut().unwrap();
    // The beginning of it, as sessions show it.
    consumers.sampled.as_mut().unwrap().texts[0].1 = "select a from orders where cust".into();
    let text = screen(&run);
    assert!(!text.contains("`orders`") && text.contains("100 %"), "{text}");
}

#[test]
fn what_its_process_takes_is_told_where_it_is_seen() {
    let mut run = mariadb(120e9);
    assert!(!screen(&run).contains("that its process may run on"), "{}", screen(&run));
    run.observations[0].counted.block_reads = Some(6e5);
    let mariadb = run.observations[0].consumers.as_mut().unwrap().mariadb.as_mut().unwrap();
    mariadb.process =
        Some(MariaDbProcess { cpus: 0.97, allowed_cpus: 1.0, drive_read_bytes: Some(6e9) });
    let text = screen(&run);
    assert!(text.contains("0.970 CPUs") && text.contains("of 1 that its process"), "{text}");
    assert!(text.contains("100 MB/s from drives"), "{text}");
}

#[test]
fn a_cause_is_told_in_place_of_that_none_was_found() {
    let mut run = mariadb(120e9);
    let flat = |run: &Run| screen(run).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat(&run).contains("No cause was found"), "{}", screen(&run));
    run.causes = vec![Cause {
        id: "mariadb-sort-spills".into(),
        measurement: "database.observed".into(),
        urgency: Urgency::Performance,
        summary: "sorts do not fit into sort_buffer_size".into(),
        evidence: "2 merge passes per second".into(),
        against: String::new(),
        action: "a larger buffer".into(),
        statement: Some("SET GLOBAL sort_buffer_size = 4194304".into()),
        undo: "SET GLOBAL sort_buffer_size = 2097152".into(),
        verify: "narrows observe".into(),
        share: None,
        gain_at_most: None,
        has_reason: true,
        statement_id: String::new(),
        sessions_behind: None,
    }];
    let text = screen(&run);
    assert!(!flat(&run).to_lowercase().contains("no cause was found"), "{text}");
    assert!(text.contains("SET GLOBAL sort_buffer_size = 4194304"), "{text}");
}

#[test]
fn who_waits_is_named_by_the_number_that_kill_takes() {
    let mut run = mariadb(120e9);
    let session = |pid: u32, behind: &[u32]| QueuedSession {
        pid,
        behind: behind.to_vec(),
        state: "idle in transaction".into(),
        mode: Some("a row lock (X)".into()),
        ..QueuedSession::default()
    };
    let consumers = run.observations[0].consumers.as_mut().unwrap();
    consumers.lock_queue = vec![session(24, &[]), session(25, &[24])];
    let text = screen(&run).to_lowercase();
    assert!(text.contains("conn 24") && text.contains("waits for a row lock (x)"), "{text}");
    assert!(!text.contains("pid 24"), "{text}");
}
