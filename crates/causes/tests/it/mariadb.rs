//! MariaDB's rules, each on a server on which it fires and on a near miss; no rule speaks of the other kind of server.

use std::collections::BTreeSet;

use narrows_causes::{causes, rules};
use narrows_model::{
    ActivityState::*, ConsumerKind, HorizonKind, LiveSetting, MariaDbStatement, MariaDbUse,
    QueuedSession, Run, StatementFigures, TableUse,
};

use crate::built::*;
use crate::pairs::{PAIRS as OF_POSTGRES, Pair};

const MINUTE: f64 = 60.0;

/// A minute of a MariaDB with nothing to say of it.
fn mariadb() -> Run {
    let mut run = healthy();
    let seen = seen(&mut run);
    seen.version = "MariaDB 10.11.19".into();
    seen.address = "mariadb://me@/?socket=/run/mysqld/mysqld.sock".into();
    seen.processes = None;
    let setting = |(name, value): (&str, &str)| LiveSetting {
        name: name.into(),
        value: value.into(),
        source: "default".into(),
    };
    seen.settings = [
        ("innodb_buffer_pool_size", "134217728"),
        ("innodb_flush_log_at_trx_commit", "1"),
        ("innodb_log_file_size", "100663296"),
        ("log_bin", "OFF"),
        ("max_heap_table_size", "16777216"),
        ("sort_buffer_size", "2097152"),
        ("sync_binlog", "0"),
        ("thread_cache_size", "151"),
        ("tmp_memory_table_size", "16777216"),
    ]
    .map(setting)
    .into();
    run.verdicts.clear();
    consumers(&mut run).database = String::new();
    consumers(&mut run).mariadb = Some(MariaDbUse {
        performance_schema: true,
        grown: [
            ("Connections", 100.0),
            ("Created_tmp_disk_tables", 10.0),
            ("Created_tmp_tables", 1000.0),
            ("Handler_read_rnd_next", 1000.0),
            ("Innodb_buffer_pool_read_requests", 60e6),
            ("Innodb_buffer_pool_reads", 600.0),
            ("Innodb_deadlocks", 0.0),
            ("Innodb_lsn_current", 60e6),
            ("Questions", 120e3),
            ("Select_full_join", 0.0),
            ("Select_scan", 10.0),
            ("Sort_merge_passes", 0.0),
            ("Threads_created", 0.0),
        ]
        .map(|(name, n)| (name.to_string(), n))
        .into(),
        level: [
            ("Innodb_buffer_pool_pages_free", 4000.0),
            ("Innodb_buffer_pool_pages_total", 8000.0),
            ("Innodb_checkpoint_age", 10e6),
            ("Innodb_checkpoint_max_age", 80e6),
            ("Innodb_history_list_length", 500.0),
        ]
        .map(|(name, n)| (name.to_string(), n))
        .into(),
        highest: [("Innodb_checkpoint_age".to_string(), 10e6)].into(),
        ..MariaDbUse::default()
    });
    run
}

fn of(run: &mut Run) -> &mut MariaDbUse {
    consumers(run).mariadb.as_mut().unwrap()
}

fn grew(run: &mut Run, name: &str, by: f64) {
    of(run).grown.insert(name.into(), by);
}

fn level(run: &mut Run, name: &str, at: f64) {
    of(run).level.insert(name.into(), at);
    of(run).highest.insert(name.into(), at);
}

/// A statement with its figures: calls of a minute, their time, rows read and returned by each.
fn digest(run: &mut Run, id: &str, text: &str, n: f64, each_ns: f64, read: f64, sent: f64) {
    statement(run, id, text, StatementFigures { rows: n * sent, ..calls(n, each_ns) });
    of(run).statements.push(MariaDbStatement {
        id: id.into(),
        calls: n,
        rows_examined: n * read,
        rows_sent: n * sent,
        no_index: n,
        ..MariaDbStatement::default()
    });
}

const BY_CUSTOMER: &str = "SELECT * FROM `orders` WHERE `customer` = ?";

/// A statement that reads `orders` as a whole, beside one that has the rest of the time.
fn scan(run: &mut Run, text: &str, read: f64, share: f64) {
    digest(run, "a1", text, 600.0, share * 1e9, read, 1.0);
    let rest = calls(60e3, (1.0 - share) * 1e7);
    statement(run, "b2", "SELECT `note` FROM `lines` WHERE `id` = ?", rest);
    table(
        run,
        TableUse {
            name: "shop.orders".into(),
            sequential_rows: 600.0 * read,
            ..TableUse::default()
        },
    );
}

/// The same without figures of statements.
fn scan_unseen(run: &mut Run, rows_per_s: f64, scans: f64) {
    of(run).performance_schema = false;
    grew(run, "Handler_read_rnd_next", rows_per_s * MINUTE);
    grew(run, "Select_scan", scans);
    group(run, ConsumerKind::Statement, "text-1", Running, 3.0, "Sending data");
    group(run, ConsumerKind::Statement, "text-2", Running, 1.0, "Updating");
    let sampled = consumers(run).sampled.as_mut().unwrap();
    sampled.texts.push(("text-1".into(), BY_CUSTOMER.into()));
}

/// Executions by the binary protocol, of which there are samples alone.
fn binary(run: &mut Run, rows_per_s: f64, active: f64) {
    group(run, ConsumerKind::Statement, "text-1", Running, active, "Sending data");
    group(run, ConsumerKind::Statement, "text-2", Running, 3.0, "Updating");
    let sampled = consumers(run).sampled.as_mut().unwrap();
    sampled.texts.push(("text-1".into(), "SELECT a FROM orders WHERE customer = ?".into()));
    // What little is counted is no measure.
    statement(run, "a1", "COMMIT", calls(60.0, 1e6));
    table(
        run,
        TableUse {
            name: "shop.orders".into(),
            sequential_rows: rows_per_s * MINUTE,
            ..TableUse::default()
        },
    );
}

/// A session that waits for a row behind another.
fn row_waiter(pid: u32, behind: u32) -> QueuedSession {
    QueuedSession {
        waits_for: Some("InnoDB row lock".into()),
        mode: Some("a row lock (X)".into()),
        table: Some("shop.accounts".into()),
        ..session(pid, &[behind], "Updating", 4.0)
    }
}

/// An ALTER TABLE that waits behind a session, with two readers behind it.
fn alter(run: &mut Run, behind: u32, age_s: f64) {
    let waits = |of: QueuedSession, text: &str| QueuedSession {
        waits_for: Some("Waiting for table metadata lock".into()),
        mode: Some("a metadata lock".into()),
        table: Some("orders".into()),
        text: Some(text.into()),
        ..of
    };
    let state = "Waiting for table metadata lock";
    queued(run, waits(session(50, &[behind], state, age_s), "ALTER TABLE orders ADD note text"));
    for pid in [51, 52] {
        queued(run, waits(session(pid, &[50], state, 1.0), "SELECT * FROM orders"));
    }
}

fn small_pool(run: &mut Run, reads_per_s: f64) {
    running(run, 2.0);
    grew(run, "Innodb_buffer_pool_reads", reads_per_s * MINUTE);
    level(run, "Innodb_buffer_pool_pages_free", 10.0);
}

fn dominant(run: &mut Run, read: f64, share: f64) {
    digest(run, "a1", BY_CUSTOMER, 600.0, share * 1e9, read, read);
    for id in ["b2", "c3"] {
        statement(run, id, "SELECT `a` FROM `b` WHERE `c` = ?", calls(300.0, (1.0 - share) * 1e9));
    }
}

fn merges(run: &mut Run, per_s: f64, each: f64) {
    grew(run, "Sort_merge_passes", per_s * MINUTE);
    digest(run, "a1", "SELECT * FROM `orders` ORDER BY `total`", 60.0, 1e9, 1000.0, 1000.0);
    of(run).statements[0].merge_passes = 60.0 * each;
}

fn old_transaction(run: &mut Run, age_s: f64, history: f64) {
    level(run, "Innodb_history_list_length", history);
    consumers(run).horizon.push(holder(HorizonKind::Session, "12", Some(age_s * 1e9), 0.0));
}

#[rustfmt::skip]
const PAIRS: &[Pair] = &[
    Pair { rule: "mariadb-ddl-queue",
        fires: |r| { queued(r, session(7, &[], "idle in transaction", 30.0)); alter(r, 7, 2.0) },
        silent: |r| { queued(r, session(7, &[], "idle in transaction", 30.0)); alter(r, 7, 1.9) } },
    Pair { rule: "mariadb-ddl-queue",
        fires: |r| { queued(r, session(7, &[], "Sending data", 30.0)); alter(r, 7, 20.0) },
        // Nobody waits behind it.
        silent: |r| { queued(r, session(7, &[], "Sending data", 30.0)); alter(r, 7, 20.0); consumers(r).lock_queue.truncate(2) } },
    Pair { rule: "mariadb-idle-in-transaction-blocks",
        fires: |r| { queued(r, session(7, &[], "idle in transaction", 5.0)); queued(r, row_waiter(8, 7)) },
        silent: |r| { queued(r, session(7, &[], "idle in transaction", 4.9)); queued(r, row_waiter(8, 7)) } },
    Pair { rule: "mariadb-idle-in-transaction-blocks",
        fires: |r| { queued(r, session(7, &[], "idle in transaction", 90.0)); queued(r, row_waiter(8, 7)); alter(r, 7, 20.0) },
        // Nobody waits but the DDL statement and those behind it.
        silent: |r| { queued(r, session(7, &[], "idle in transaction", 90.0)); alter(r, 7, 20.0) } },
    Pair { rule: "mariadb-lock-queue",
        fires: |r| { queued(r, session(7, &[], "Updating", 5.0)); queued(r, row_waiter(8, 7)); queued(r, row_waiter(9, 8)) },
        silent: |r| { queued(r, session(7, &[], "Updating", 4.9)); queued(r, row_waiter(8, 7)); queued(r, row_waiter(9, 8)) } },
    Pair { rule: "mariadb-hot-row",
        fires: |r| { running(r, 6.9); at(r, Lock, 3.1, "InnoDB row lock") },
        silent: |r| { running(r, 7.1); at(r, Lock, 2.9, "InnoDB row lock") } },
    Pair { rule: "mariadb-hot-row",
        fires: |r| { at(r, Lock, 8.0, "InnoDB row lock"); queued(r, session(7, &[], "Updating", 1.0)); queued(r, row_waiter(8, 7)) },
        // Somebody keeps the lock.
        silent: |r| { at(r, Lock, 8.0, "InnoDB row lock"); queued(r, session(7, &[], "idle in transaction", 30.0)); queued(r, row_waiter(8, 7)) } },
    Pair { rule: "mariadb-deadlocks",
        fires: |r| grew(r, "Innodb_deadlocks", 2.0),
        silent: |r| grew(r, "Innodb_deadlocks", 1.0) },
    Pair { rule: "mariadb-index-missing",
        fires: |r| scan(r, BY_CUSTOMER, 10e3, 0.11),
        silent: |r| scan(r, BY_CUSTOMER, 9.9e3, 0.11) },
    Pair { rule: "mariadb-index-missing",
        fires: |r| scan(r, BY_CUSTOMER, 50e3, 0.5),
        // A tenth of the time it has not.
        silent: |r| scan(r, BY_CUSTOMER, 50e3, 0.09) },
    Pair { rule: "mariadb-index-missing",
        fires: |r| scan(r, "UPDATE `orders` SET `state` = ? WHERE `customer` = ?", 50e3, 0.5),
        // All of it is asked for.
        silent: |r| scan(r, "SELECT sum(`total`) FROM `orders`", 50e3, 0.5) },
    Pair { rule: "mariadb-index-missing",
        fires: |r| scan(r, BY_CUSTOMER, 50e3, 0.5),
        // It uses an index, and reads much by it.
        silent: |r| { scan(r, BY_CUSTOMER, 50e3, 0.5); of(r).statements[0].no_index = 200.0 } },
    Pair { rule: "mariadb-index-missing",
        fires: |r| { scan(r, BY_CUSTOMER, 50e3, 0.5); consumers(r).tables[0].sequential_rows *= 0.51 },
        // The table gave its rows by an index; what has none is a derived table.
        silent: |r| { scan(r, BY_CUSTOMER, 50e3, 0.5); consumers(r).tables[0].sequential_rows *= 0.49 } },
    Pair { rule: "mariadb-index-missing",
        fires: |r| binary(r, 101e3, 3.1),
        silent: |r| binary(r, 99e3, 3.1) },
    Pair { rule: "mariadb-index-missing",
        fires: |r| binary(r, 1e6, 3.1),
        // Others have most of the time.
        silent: |r| binary(r, 1e6, 2.9) },
    Pair { rule: "mariadb-index-missing",
        fires: |r| scan_unseen(r, 110e3, 600.0),
        silent: |r| scan_unseen(r, 90e3, 500.0) },
    Pair { rule: "mariadb-index-missing",
        fires: |r| scan_unseen(r, 1e6, 6000.0),
        // Many scans of small tables.
        silent: |r| scan_unseen(r, 1e6, 6100.0) },
    Pair { rule: "mariadb-sort-spills",
        fires: |r| merges(r, 1.0, 1.0),
        silent: |r| merges(r, 0.9, 0.9) },
    Pair { rule: "mariadb-sort-spills",
        fires: |r| { merges(r, 5.0, 1.0); of(r).performance_schema = false },
        // Another statement, of which nothing is known, merges.
        silent: |r| merges(r, 5.0, 0.4) },
    Pair { rule: "mariadb-temporary-tables-on-disk",
        fires: |r| { grew(r, "Created_tmp_tables", 1200.0); grew(r, "Created_tmp_disk_tables", 301.0) },
        silent: |r| { grew(r, "Created_tmp_tables", 1200.0); grew(r, "Created_tmp_disk_tables", 299.0) } },
    Pair { rule: "mariadb-temporary-tables-on-disk",
        fires: |r| { grew(r, "Created_tmp_tables", 4000.0); grew(r, "Created_tmp_disk_tables", 1000.0) },
        silent: |r| { grew(r, "Created_tmp_tables", 4010.0); grew(r, "Created_tmp_disk_tables", 1000.0) } },
    Pair { rule: "mariadb-statement-dominates",
        fires: |r| dominant(r, 10e3, 0.51),
        silent: |r| dominant(r, 10e3, 0.49) },
    Pair { rule: "mariadb-statement-dominates",
        fires: |r| dominant(r, 10e3, 0.9),
        silent: |r| dominant(r, 9.9e3, 0.9) },
    Pair { rule: "mariadb-buffer-pool-small",
        fires: |r| small_pool(r, 1001.0),
        silent: |r| small_pool(r, 990.0) },
    Pair { rule: "mariadb-buffer-pool-small",
        fires: |r| small_pool(r, 5000.0),
        // It is not full yet.
        silent: |r| { small_pool(r, 5000.0); level(r, "Innodb_buffer_pool_pages_free", 401.0) } },
    Pair { rule: "mariadb-buffer-pool-small",
        // The server keeps so many pages free by itself.
        fires: |r| { small_pool(r, 5000.0); level(r, "Innodb_buffer_pool_pages_free", 7000.0); grew(r, "Innodb_buffer_pool_pages_lru_freed", 151e3) },
        silent: |r| { small_pool(r, 5000.0); level(r, "Innodb_buffer_pool_pages_free", 7000.0); grew(r, "Innodb_buffer_pool_pages_lru_freed", 149e3) } },
    Pair { rule: "mariadb-buffer-pool-small",
        fires: |r| small_pool(r, 5000.0),
        // A scan reads them.
        silent: |r| { small_pool(r, 5000.0); scan(r, BY_CUSTOMER, 50e3, 0.5) } },
    Pair { rule: "mariadb-checkpoint-pressure",
        fires: |r| { grew(r, "Innodb_lsn_current", 60e6); level(r, "Innodb_checkpoint_age", 68.1e6) },
        silent: |r| { grew(r, "Innodb_lsn_current", 60e6); level(r, "Innodb_checkpoint_age", 67.9e6) } },
    Pair { rule: "mariadb-checkpoint-pressure",
        fires: |r| { grew(r, "Innodb_lsn_current", 20.2e6); level(r, "Innodb_checkpoint_age", 79e6) },
        // It lasts for five minutes.
        silent: |r| { grew(r, "Innodb_lsn_current", 20.1e6); level(r, "Innodb_checkpoint_age", 79e6) } },
    Pair { rule: "mariadb-durable-commits",
        fires: |r| { running(r, 6.9); at(r, Log, 3.1, "Commit") },
        silent: |r| { running(r, 7.1); at(r, Log, 2.9, "Commit") } },
    Pair { rule: "mariadb-durable-commits",
        fires: |r| at(r, Log, 0.5, "Commit"),
        // Nearly idle.
        silent: |r| at(r, Log, 0.49, "Commit") },
    Pair { rule: "mariadb-durable-commits",
        fires: |r| at(r, Log, 3.0, "Commit"),
        // Nobody waits for a flush.
        silent: |r| { at(r, Log, 3.0, "Commit"); set(r, "innodb_flush_log_at_trx_commit", "2") } },
    Pair { rule: "mariadb-purge-held",
        fires: |r| old_transaction(r, 60.0, 100e3),
        silent: |r| old_transaction(r, 59.0, 100e3) },
    Pair { rule: "mariadb-purge-held",
        fires: |r| old_transaction(r, 600.0, 1e6),
        // It keeps next to nothing.
        silent: |r| old_transaction(r, 600.0, 99e3) },
    Pair { rule: "mariadb-connection-churn",
        fires: |r| { grew(r, "Connections", 1200.0); grew(r, "Questions", 12e3) },
        silent: |r| { grew(r, "Connections", 1190.0); grew(r, "Questions", 12e3) } },
    Pair { rule: "mariadb-connection-churn",
        fires: |r| { grew(r, "Connections", 6000.0); grew(r, "Questions", 119e3) },
        silent: |r| { grew(r, "Connections", 6000.0); grew(r, "Questions", 121e3) } },
];

fn fired(change: impl Fn(&mut Run)) -> Vec<narrows_model::Cause> {
    let mut run = mariadb();
    change(&mut run);
    causes(&run)
}

#[test]
fn each_rule_fires_and_is_silent_on_a_near_miss() {
    for (n, pair) in PAIRS.iter().enumerate() {
        let ids = |change: fn(&mut Run)| -> Vec<String> {
            fired(change).into_iter().map(|cause| cause.id).collect()
        };
        let (fires, silent) = (ids(pair.fires), ids(pair.silent));
        assert!(fires.contains(&pair.rule.to_string()), "pair {n}: {}: {fires:?}", pair.rule);
        assert!(!silent.contains(&pair.rule.to_string()), "pair {n}: {}: {silent:?}", pair.rule);
    }
}

#[test]
fn every_rule_of_mariadb_has_a_pair() {
    let with: BTreeSet<&str> = PAIRS.iter().map(|pair| pair.rule).collect();
    let all = rules().iter().map(|rule| rule.id).filter(|id| id.starts_with("mariadb-"));
    assert_eq!(with, all.collect());
}

#[test]
fn a_healthy_server_has_no_cause() {
    assert_eq!(fired(|_| ()), []);
    assert_eq!(fired(|run| running(run, 4.0)), []);
}

#[test]
fn a_cause_says_all_that_it_has_to_in_mariadbs_words() {
    for pair in PAIRS {
        for cause in fired(pair.fires) {
            let of_postgres = ["pg_", "VACUUM", "WAL", "CONCURRENTLY", "shared_buffers", "pid "];
            let texts =
                [&cause.summary, &cause.evidence, &cause.action, &cause.undo, &cause.verify];
            for text in texts.into_iter().chain(&cause.statement) {
                assert!(!text.is_empty(), "{cause:#?}");
                assert!(!text.ends_with('.') && !text.contains("  "), "{text}");
                let said = of_postgres.iter().find(|word| text.contains(**word));
                assert_eq!(said, None, "{}: {text}", cause.id);
            }
            let begins =
                ["KILL ", "SET GLOBAL ", "SET STATEMENT lock_wait_timeout=2 FOR CREATE INDEX "];
            let statement = cause.statement.unwrap_or_else(|| begins[0].to_string());
            assert!(begins.iter().any(|begin| statement.starts_with(begin)), "{statement}");
            assert!(!statement.contains(';'), "{statement}");
        }
    }
}

#[test]
fn a_ddl_statement_gets_its_lock_when_the_head_has_ended_and_not_by_trying_again() {
    let said = |state: &str, ddl: &str, known: bool| {
        let session = |pid, behind: &[u32], state: &str, text: &str| QueuedSession {
            pid,
            behind: behind.into(),
            state: state.into(),
            state_age_ns: Some(30e9),
            waits_for: (!behind.is_empty()).then(|| "Waiting for table metadata lock".into()),
            text: Some(text.into()),
            ..QueuedSession::default()
        };
        let mut run = mariadb();
        of(&mut run).metadata_locks_known = known;
        consumers(&mut run).lock_queue = vec![
            session(5, &[], state, "SELECT 1"),
            session(6, &[5], "Waiting for table metadata lock", ddl),
            session(7, &[6], "Waiting for table metadata lock", "SELECT 1 FROM t"),
        ];
        let found = causes(&run);
        let ddl = found.into_iter().find(|cause| cause.id == "mariadb-ddl-queue").unwrap();
        assert_eq!(ddl.sessions_behind, Some(1.0));
        ddl.action
    };
    let copy = "ALTER TABLE t ADD x int, ALGORITHM = COPY";
    let idle = said("idle in transaction", copy, true);
    assert!(idle.contains("or KILL 5") && idle.contains("ALGORITHM=INSTANT"), "{idle}");
    // Whom ages alone accuse nobody is told to kill.
    let guessed = said("idle in transaction", copy, false);
    assert!(guessed.contains("concluded from ages") && !guessed.contains("KILL 5"), "{guessed}");
    let works = said("Sending data", "ALTER TABLE t ADD x int", true);
    assert!(works.contains("before connection 5 has ended"), "{works}");
    assert!(!works.contains("KILL 5") && !works.contains("ALGORITHM"), "{works}");
}

#[test]
fn a_pool_that_cannot_grow_while_the_server_runs_has_no_statement() {
    let pair = PAIRS.iter().find(|pair| pair.rule == "mariadb-buffer-pool-small").unwrap();
    let with = |most: &str| {
        let mut run = mariadb();
        (pair.fires)(&mut run);
        set(&mut run, "innodb_buffer_pool_size_max", most);
        let found = causes(&run).into_iter().find(|cause| cause.id == pair.rule);
        found.unwrap()
    };
    assert!(with("0").statement.is_some() && with("8796093022208").statement.is_some());
    let bound = with("134217728");
    assert_eq!(bound.statement, None);
    assert!(bound.action.contains("and a restart"), "{}", bound.action);
    assert!(bound.undo.contains("and a restart"), "{}", bound.undo);
}

#[test]
fn no_rule_is_asked_of_the_other_kind_of_server() {
    for pair in OF_POSTGRES {
        let mut run = healthy();
        (pair.fires)(&mut run);
        consumers(&mut run).mariadb = consumers(&mut mariadb()).mariadb.clone();
        let found = causes(&run);
        let others = found.iter().find(|cause| !cause.id.starts_with("mariadb-"));
        assert_eq!(others, None, "{}", pair.rule);
    }
    for pair in PAIRS {
        let mut run = mariadb();
        (pair.fires)(&mut run);
        consumers(&mut run).mariadb = None;
        let found = causes(&run);
        assert_eq!(found.iter().find(|cause| cause.id.starts_with("mariadb-")), None);
    }
}

#[test]
fn an_index_is_made_of_the_only_column_and_a_hostile_name_stays_a_name() {
    let statement = |change: fn(&mut Run)| fired(change)[0].statement.clone();
    let made = statement(|run| scan(run, BY_CUSTOMER, 50e3, 0.5));
    let wanted = "SET STATEMENT lock_wait_timeout=2 FOR CREATE INDEX `ix_orders_customer` ON `shop`.`orders` (`customer`) ALGORITHM=INPLACE LOCK=NONE";
    assert_eq!(made.as_deref(), Some(wanted));
    // Which of two columns leaves fewer rows nobody knows.
    let two = "SELECT * FROM `orders` WHERE `customer` = ? AND `state` = ?";
    let mut run = mariadb();
    scan(&mut run, two, 50e3, 0.5);
    let found = causes(&run);
    assert_eq!(found[0].statement, None);
    assert!(found[0].action.contains("customer, state"), "{}", found[0].action);
    let mut run = mariadb();
    scan(&mut run, "SELECT * FROM `orders` WHERE `a``; DROP TABLE x; --` = ?", 50e3, 0.5);
    for cause in causes(&run) {
        let bare = cause.statement.unwrap_or_default();
        let outside: String = bare.split('`').step_by(2).collect();
        assert!(!outside.contains("DROP"), "{bare}");
    }
}
