//! Servers in good order, of which nothing is to be said but what nobody waits for, and what is their capacity.

use narrows_causes::causes;
use narrows_model::{
    ActivityState::*, Bottleneck, ConsumerKind, LockHolders, ProcessClass, QueuedSession, Run,
    StatementFigures, TableUse, Urgency,
};

use crate::built::*;

/// Ids of whatever is worth acting on.
fn fired(run: &Run) -> Vec<String> {
    let found = causes(run).into_iter().filter(|cause| cause.urgency != Urgency::Risk);
    found.map(|cause| format!("{}: {}", cause.id, cause.summary)).collect()
}

fn nothing(run: &Run) {
    assert_eq!(fired(run), Vec::<String>::new());
}

/// The settings that a server shows in any case, at their defaults.
fn defaults(run: &mut Run) {
    for (name, value) in [
        ("autovacuum", "on"),
        ("block_size", "8192"),
        ("checkpoint_completion_target", "0.9"),
        ("checkpoint_timeout", "5min"),
        ("commit_delay", "0"),
        ("jit", "on"),
        ("max_parallel_workers", "8"),
        ("max_parallel_workers_per_gather", "2"),
        ("max_wal_size", "1GB"),
        ("shared_buffers", "128MB"),
        ("synchronous_commit", "on"),
        ("synchronous_standby_names", ""),
        ("work_mem", "4MB"),
    ] {
        set(run, name, value);
    }
}

/// Lookups by a key from memory fill all CPUs: `pgbench -S`, one statement.
fn lookups() -> Run {
    let mut run = healthy();
    defaults(&mut run);
    full_cpus(&mut run);
    running(&mut run, 15.0);
    at(&mut run, Latch, 0.3, "LWLock:BufferContent");
    processes(&mut run).classes[0].run_queue = Some(7.0);
    counted(&mut run).writers = Some(0.0);
    let text = "SELECT abalance FROM pgbench_accounts WHERE aid = $1";
    group(&mut run, ConsumerKind::Statement, "1", Running, 15.0, "");
    // It is planned for longer than it runs, as short statements are.
    statement(
        &mut run,
        "1",
        text,
        StatementFigures { plan_ns: Some(6e6 * 20e3), ..calls(6e6, 15e3) },
    );
    books(&mut run).planning_counted = true;
    table(
        &mut run,
        TableUse {
            name: "public.pgbench_accounts".into(),
            live_rows: 10e6,
            changed_since_analyze: 0.0,
            index_scans: 6e6,
            index_rows: 6e6,
            blocks_hit: 24e6,
            ..orders()
        },
    );
    run
}

/// `pgbench` in its default form: seven statements a transaction, commits wait for their flush, some for each other.
fn updates() -> Run {
    let mut run = healthy();
    defaults(&mut run);
    bound_by(&mut run, Bottleneck::CommitWait);
    // Half of the time and a little more is their flush.
    running(&mut run, 1.8);
    at(&mut run, Log, 2.6, "IO:WalSync");
    at(&mut run, Log, 1.0, "LWLock:WALWrite");
    at(&mut run, Lock, 1.2, "Lock:transactionid");
    at(&mut run, Lock, 0.3, "Lock:tuple");
    at(&mut run, Latch, 0.2, "LWLock:WALInsert");
    at(&mut run, IdleInTransaction, 1.5, "Client:ClientRead");
    seen(&mut run).sessions.holders =
        Some(LockHolders { answers: 50, in_flush: 30, on_cpu: 15, for_client: 5 });
    for pid in 12..15 {
        let head = QueuedSession { behind: Vec::new(), ..session(11, &[], "active", 0.001) };
        if pid == 12 {
            queued(&mut run, head);
        }
        queued(&mut run, QueuedSession { state_age_ns: Some(4e6), ..waiter(pid, 11) });
    }
    let n = 120e3;
    for (id, text, ns) in [
        ("1", "UPDATE pgbench_accounts SET abalance = abalance + $1 WHERE aid = $2", 100e3),
        ("2", "SELECT abalance FROM pgbench_accounts WHERE aid = $1", 30e3),
        ("3", "UPDATE pgbench_tellers SET tbalance = tbalance + $1 WHERE tid = $2", 300e3),
        ("4", "UPDATE pgbench_branches SET bbalance = bbalance + $1 WHERE bid = $2", 700e3),
        (
            "5",
            "INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES ($1, $2, $3, $4, CURRENT_TIMESTAMP)",
            40e3,
        ),
        ("6", "BEGIN", 2e3),
        ("7", "END", 2e3),
    ] {
        statement(&mut run, id, text, calls(n, ns));
    }
    let accounts = TableUse {
        name: "public.pgbench_accounts".into(),
        live_rows: 10e6,
        dead_rows: 300e3,
        changed_since_analyze: 400e3,
        ..orders()
    };
    // Small tables: read as a whole, and dead rows for a moment.
    let branches = TableUse {
        name: "public.pgbench_branches".into(),
        live_rows: 100.0,
        dead_rows: 900.0,
        changed_since_analyze: 5e3,
        sequential_scans: n,
        sequential_rows: 100.0 * n,
        index_scans: 0.0,
        vacuum_age_s: Some(30.0),
        analyze_age_s: Some(30.0),
        ..orders()
    };
    let history = TableUse {
        name: "public.pgbench_history".into(),
        live_rows: 500e3,
        changed_since_analyze: 60e3,
        inserted: n,
        index_scans: 0.0,
        ..orders()
    };
    for each in [accounts, branches, history] {
        table(&mut run, each);
    }
    run
}

/// Hundreds of sessions of a pool, hardly any of which does anything.
fn idle_pool() -> Run {
    let mut run = healthy();
    defaults(&mut run);
    let seen = seen(&mut run);
    seen.sessions.open = Some(200.0);
    seen.sessions.most_open = Some(220.0);
    seen.sessions.allowed = Some(500.0);
    seen.counted.commits = Some(3000.0);
    // The driver ends what only read by ROLLBACK now and then.
    seen.counted.rollbacks = Some(500.0);
    // A health check per second connects anew.
    seen.counted.connections = Some(60.0);
    running(&mut run, 0.1);
    at(&mut run, IdleInTransaction, 0.2, "Client:ClientRead");
    for id in ["1", "2", "3"] {
        statement(&mut run, id, "SELECT * FROM orders WHERE id = $1", calls(1000.0, 50e3));
    }
    table(&mut run, TableUse { index_scans: 3e3, index_rows: 3e3, blocks_hit: 12e3, ..orders() });
    run
}

/// COPY fills a table that nobody reads yet: WAL, checkpoints by size, writes, and autovacuum behind it.
fn load() -> Run {
    let mut run = healthy();
    defaults(&mut run);
    bound_by(&mut run, Bottleneck::CpuPerSession);
    running(&mut run, 3.0);
    at(&mut run, Log, 0.6, "IO:WalWrite");
    at(&mut run, Write, 0.4, "IO:DataFileExtend");
    at(&mut run, Client, 0.5, "Client:ClientRead");
    of_class(&mut run, ProcessClass::Autovacuum, Running, 0.8, "");
    let counted = counted(&mut run);
    counted.commits = Some(40.0);
    counted.writers = Some(40.0);
    counted.rollbacks = Some(0.0);
    counted.log_bytes = Some(9e9);
    // New pages need no images.
    counted.full_pages = Some(2e3);
    counted.checkpoints_requested = Some(6.0);
    counted.checkpoints_timed = Some(0.0);
    group(&mut run, ConsumerKind::Statement, "1", Running, 4.0, "");
    group(&mut run, ConsumerKind::Application, "psql", Running, 4.0, "");
    statement(
        &mut run,
        "1",
        "COPY orders FROM STDIN",
        StatementFigures { rows: 20e6, ..calls(40.0, 5e9) },
    );
    table(
        &mut run,
        TableUse {
            live_rows: 20e6,
            dead_rows: 0.0,
            changed_since_analyze: 20e6,
            inserted: 20e6,
            index_scans: 0.0,
            vacuum_age_s: None,
            analyze_age_s: None,
            ..orders()
        },
    );
    run
}

/// A report beside short transactions, and room for both.
fn mixed() -> Run {
    let mut run = healthy();
    defaults(&mut run);
    running(&mut run, 4.0);
    at(&mut run, Read, 0.5, "IO:DataFileRead");
    at(&mut run, Log, 0.8, "IO:WalSync");
    of_class(&mut run, ProcessClass::ParallelWorker, Running, 2.0, "");
    of_class(&mut run, ProcessClass::Autovacuum, Running, 0.3, "");
    processes(&mut run).classes[0].cpus = 4.5;
    processes(&mut run).machine_cpus = 5.0;
    counted(&mut run).temp_bytes = Some(100e6);
    let report = StatementFigures {
        rows: 50.0,
        blocks_hit: 100e3,
        blocks_read: 20e3,
        temp_blocks: 20e3,
        ..calls(3.0, 9e9)
    };
    for (id, text, took, sessions) in [
        (
            "1",
            "SELECT region, sum(total) FROM orders WHERE placed BETWEEN $1 AND $2 GROUP BY region",
            report,
            1.5,
        ),
        ("2", "SELECT * FROM customers WHERE id = $1", calls(120e3, 100e3), 1.4),
        ("3", "UPDATE customers SET seen = $1 WHERE id = $2", calls(60e3, 200e3), 1.4),
        ("4", "INSERT INTO orders (customer, total) VALUES ($1, $2)", calls(20e3, 300e3), 1.0),
    ] {
        statement(&mut run, id, text, took);
        group(&mut run, ConsumerKind::Statement, id, Running, sessions, "");
    }
    table(
        &mut run,
        TableUse {
            sequential_scans: 9.0,
            sequential_rows: 3.0 * 5e6,
            live_rows: 5e6,
            dead_rows: 100e3,
            ..orders()
        },
    );
    table(&mut run, TableUse { name: "public.customers".into(), ..orders() });
    // The report's own snapshot.
    consumers(&mut run).horizon.push(holder(
        narrows_model::HorizonKind::Session,
        "99",
        Some(9e9),
        12e3,
    ));
    run
}

#[test]
fn lookups_that_fill_the_cpus_are_what_the_server_is_for() {
    nothing(&lookups());
}

#[test]
fn updates_that_wait_for_their_flush_are_told_as_that_alone() {
    let run = updates();
    let found: Vec<_> = causes(&run).into_iter().map(|cause| cause.id).collect();
    // Honest: with durable commits that is the capacity.
    assert_eq!(found, ["flushes"], "{:?}", fired(&run));
    let mut open = run;
    bound_by(&mut open, Bottleneck::Client);
    nothing(&open);
}

#[test]
fn a_pool_that_does_nothing_is_no_trouble() {
    nothing(&idle_pool());
}

#[test]
fn a_load_by_copy_is_no_trouble() {
    nothing(&load());
}

#[test]
fn a_report_beside_transactions_with_room_for_both_is_no_trouble() {
    nothing(&mixed());
}

#[test]
fn what_nobody_asked_or_could_see_fires_nothing() {
    let mut run = healthy();
    seen(&mut run).consumers = None;
    seen(&mut run).sessions.most_open = Some(100.0);
    assert!(causes(&run).is_empty(), "nobody asked");
    let mut run = healthy();
    at(&mut run, Lock, 8.0, "Lock:advisory");
    seen(&mut run).activity.samples = 19;
    nothing(&run);
    // Books that were reset.
    let mut run = healthy();
    statement(
        &mut run,
        "1",
        "SELECT f($1)",
        StatementFigures { blocks_hit: 1e6, ..calls(100.0, 1e6) },
    );
    books(&mut run).reset = true;
    nothing(&run);
}
