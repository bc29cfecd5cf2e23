//! What is told first, what is an effect of something else, and what it gives at most.

use narrows_causes::causes;
use narrows_model::{
    ActivityState::*, Bottleneck, Bound, Cause, CauseShare, ConsumerKind, Headroom, HorizonKind,
    ObservedSituation, PlanNode, Provenance, Run, StatementFigures, StatementPlan, TableUse,
    Urgency,
};

use crate::built::*;

fn ids(run: &Run) -> Vec<String> {
    causes(run).into_iter().map(|cause| cause.id).collect()
}

fn of(run: &Run, id: &str) -> Cause {
    let found = causes(run).into_iter().find(|cause| cause.id == id);
    found.unwrap_or_else(|| panic!("no {id}: {:?}", ids(run)))
}

#[test]
fn a_full_file_system_says_what_of_it_is_wal() {
    let mut run = healthy();
    room(&mut run, 0.0);
    file_systems(&mut run)[0].total_bytes = 1e9;
    reserves(&mut run).wal_bytes = Some(6.4e8);
    set(&mut run, "max_wal_size", "4GB");
    let full = of(&run, "file-system-full").action;
    assert!(full.starts_with("pg_wal has 640 MB of it; make room"), "{full}");
    assert!(full.ends_with("lower max_wal_size: its 4.29 GB are more than the whole file system"));
    set(&mut run, "max_wal_size", "512MB");
    let full = of(&run, "file-system-full");
    assert!(full.action.starts_with("pg_wal has") && !full.action.contains("max_wal_size"));
    assert!(full.statement.is_some_and(|slots| slots.contains("pg_replication_slots")));
    reserves(&mut run).wal_bytes = Some(6.4e7);
    let full = of(&run, "file-system-full");
    assert!(full.action.contains("not what fills it") && full.statement.is_none(), "{full:?}");
    // Of another file system's size it says nothing.
    file_systems(&mut run)[0].roles = vec![narrows_model::Role::Data];
    let full = of(&run, "file-system-full").action;
    assert!(full.starts_with("make room"), "{full}");
}

#[test]
fn storage_that_is_silent_is_looked_for_where_its_requests_are() {
    let action = |in_flight: Option<f64>| {
        let mut run = healthy();
        at(&mut run, Log, 8.0, "IO:WalSync");
        counted(&mut run).flushes = Some(0.0);
        room(&mut run, 50e9);
        file_systems(&mut run)[0].requests_in_flight = in_flight;
        causes(&run)[0].action.clone()
    };
    assert!(action(Some(0.0)).starts_with("no request is on its way"), "frozen");
    assert!(action(Some(3.0)).starts_with("3 requests are on the way to the drive of pg_wal"));
    assert!(action(None).starts_with("find out what pg_wal lies on"), "nothing is known");
}

#[test]
fn what_stands_still_is_first_by_those_behind_it_then_shares_then_risks() {
    let mut run = healthy();
    reserves(&mut run).archive_failures = Some(3.0);
    running(&mut run, 2.0);
    at(&mut run, Client, 3.0, "Client:ClientWrite");
    at(&mut run, Latch, 5.0, "LWLock:SubtransSLRU");
    queued(&mut run, session(7, &[], "idle in transaction", 30.0));
    queued(&mut run, waiter(8, 7));
    queued(&mut run, session(17, &[], "active", 30.0));
    for pid in 18..22 {
        queued(&mut run, waiter(pid, 17));
    }
    let found = ids(&run);
    let expected = [
        "lock-queue",
        "idle-in-transaction-blocks",
        "subtransactions",
        "slow-reader",
        "archiver-failing",
    ];
    assert_eq!(found, expected);
}

#[test]
fn the_session_at_the_head_is_named_and_how_many_wait_behind_it() {
    let mut run = healthy();
    queued(&mut run, session(4711, &[], "idle in transaction", 26.0));
    queued(&mut run, waiter(8, 4711));
    for pid in 9..20 {
        queued(&mut run, waiter(pid, 8));
    }
    let cause = of(&run, "idle-in-transaction-blocks");
    assert_eq!(
        cause.summary,
        "pid 4711 (app, pgbench), idle in transaction for 26.0 s, blocks 12 sessions on public.accounts"
    );
    assert_eq!(
        cause.statement.as_deref(),
        Some(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = 4711 \
             AND state LIKE 'idle in transaction%' AND state_change < now() - interval '26 s'"
        )
    );
    assert!(cause.undo.contains("rolled back"), "{}", cause.undo);
    assert_eq!(cause.gain_at_most, None);
}

#[test]
fn of_a_queue_behind_ddl_both_are_named_and_the_ddl_is_cancelled() {
    let mut run = healthy();
    queued(&mut run, session(7, &[], "idle in transaction", 26.0));
    ddl(&mut run, 7, 20.0);
    assert_eq!(ids(&run), ["ddl-queue"]);
    let cause = of(&run, "ddl-queue");
    assert!(
        cause
            .summary
            .contains("pid 50 waits for AccessExclusiveLock on public.orders behind pid 7"),
        "{}",
        cause.summary
    );
    assert!(cause.summary.contains("and 2 sessions wait behind it"), "{}", cause.summary);
    assert_eq!(
        cause.statement.as_deref(),
        Some(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pid = 50 \
             AND state = 'active' AND wait_event_type = 'Lock' AND query_start < now() - interval '20 s'"
        )
    );
}

#[test]
fn sessions_that_wait_for_each_other_have_no_head_and_no_end() {
    let mut run = healthy();
    queued(&mut run, waiter(8, 9));
    queued(&mut run, waiter(9, 8));
    queued(&mut run, waiter(10, 10));
    assert!(ids(&run).is_empty());
}

#[test]
fn an_autovacuum_at_the_head_is_not_cancelled() {
    let mut run = healthy();
    let mut head = session(7, &[], "active", 30.0);
    head.backend_type = "autovacuum worker".into();
    queued(&mut run, head);
    queued(&mut run, waiter(8, 7));
    queued(&mut run, waiter(9, 7));
    assert_eq!(of(&run, "lock-queue").statement, None);
}

#[test]
fn effects_are_left_out() {
    // Row locks behind a session that keeps one; the old snapshot that it has, and the dead rows that this keeps.
    let mut run = healthy();
    running(&mut run, 1.0);
    at(&mut run, Lock, 12.0, "Lock:transactionid");
    queued(&mut run, session(77, &[], "idle in transaction", 30.0));
    queued(&mut run, waiter(8, 77));
    table(&mut run, TableUse { live_rows: 4e3, dead_rows: 300e3, ..orders() });
    consumers(&mut run).horizon.push(holder(HorizonKind::Session, "77", Some(30e9), 50e3));
    assert_eq!(ids(&run), ["idle-in-transaction-blocks"]);
    // Another session has the snapshot: that is a cause of its own.
    consumers(&mut run).horizon[0].name = "78".into();
    assert_eq!(ids(&run), ["idle-in-transaction-blocks", "horizon-held"]);
    assert!(
        of(&run, "horizon-held")
            .against
            .contains("VACUUM, or other settings of autovacuum, gain nothing")
    );
}

/// Orders are read as a whole by one statement that takes nine tenths of full CPUs, beside others.
fn index_missing() -> Run {
    let mut run = healthy();
    full_cpus(&mut run);
    running(&mut run, 16.0);
    let wide = StatementFigures { blocks_hit: 100.0 * 2000.0, ..calls(100.0, 0.1e9) };
    for (id, text, took, share) in [
        ("1", "SELECT * FROM orders WHERE customer = $1", wide, 0.8),
        ("2", "SELECT * FROM customers WHERE id = $1", calls(1e5, 1e4), 0.1),
        ("3", "UPDATE customers SET seen = $1 WHERE id = $2", calls(1e5, 1e4), 0.1),
    ] {
        statement(&mut run, id, text, took);
        group(&mut run, ConsumerKind::Statement, id, Running, 16.0 * share, "");
    }
    table(
        &mut run,
        TableUse { sequential_scans: 100.0, sequential_rows: 100.0 * 100e3, ..orders() },
    );
    run
}

#[test]
fn a_statement_without_its_index_is_told_once_with_the_index() {
    let run = index_missing();
    assert_eq!(ids(&run), ["index-missing"]);
    let cause = of(&run, "index-missing");
    assert_eq!(
        cause.statement.as_deref(),
        Some("CREATE INDEX CONCURRENTLY ON public.orders (customer)")
    );
    assert_eq!(cause.statement_id, "1");
}

#[test]
fn a_column_that_may_be_another_tables_is_no_index_to_make() {
    let mut run = index_missing();
    let text = |run: &mut Run, text: &str| books(run).list[0].text = Some(text.into());
    text(
        &mut run,
        "SELECT * FROM orders o JOIN customers c ON o.customer = c.id WHERE c.name = $1",
    );
    let index = Some("CREATE INDEX CONCURRENTLY ON public.orders (customer)");
    assert_eq!(of(&run, "index-missing").statement.as_deref(), index);
    text(
        &mut run,
        "SELECT * FROM orders o JOIN customers c ON o.customer = c.id WHERE order_no = $1",
    );
    let cause = of(&run, "index-missing");
    assert_eq!(cause.statement, None);
    assert!(cause.action.starts_with("find the column"), "{}", cause.action);
}

#[test]
fn where_cpus_bind_the_share_is_of_their_time_and_the_gain_follows_from_it() {
    let run = index_missing();
    let cause = of(&run, "index-missing");
    let (of_what, share) = cause.share.unwrap();
    // Of the server's CPU time sessions have 7.4 of 7.45.
    assert_eq!(of_what, CauseShare::Cpu);
    assert!((share - 0.8 * 7.4 / 7.45).abs() < 1e-9, "{share}");
    // 79.46 % by 1000 samples is 82.02 % at most.
    assert!((cause.gain_at_most.unwrap() - (1.0 / (1.0 - 0.8202) - 1.0)).abs() < 2e-3);
}

#[test]
fn the_next_limit_caps_the_gain_unless_it_goes_too() {
    let bound = |resource, per_s| Bound {
        resource,
        label: String::new(),
        capacity: 1.0,
        capacity_unit: "commits_per_s".into(),
        demand_per_op: 1.0,
        bound_per_s: per_s,
        interval_95: None,
        provenance: Provenance::Measured,
        measurement: None,
    };
    let mut run = index_missing();
    // The index takes from these reads as well.
    run.verdicts[0].bounds =
        vec![bound(Bottleneck::Cpu, 2050.0), bound(Bottleneck::ReadRate, 2100.0)];
    assert!(of(&run, "index-missing").gain_at_most.unwrap() > 2.0);
    run.verdicts[0].bounds.push(bound(Bottleneck::CommitWait, 3000.0));
    assert_eq!(of(&run, "index-missing").gain_at_most, Some(0.5));
    // What sessions do in the time that a transaction takes now, is no limit of what comes after it.
    let now = Bound { capacity_unit: "sessions".into(), ..bound(Bottleneck::CommitWait, 2100.0) };
    run.verdicts[0].bounds.push(now);
    assert_eq!(of(&run, "index-missing").gain_at_most, Some(0.5));
    let nearest = Headroom {
        resource: Bottleneck::WriteRate,
        label: String::new(),
        utilisation: 0.8,
        factor_at_most: 1.25,
        interval_95: None,
        provenance: Provenance::Measured,
    };
    run.verdicts[0].standing =
        Some(ObservedSituation { nearest: Some(nearest), ..Default::default() });
    assert_eq!(of(&run, "index-missing").gain_at_most, Some(0.25));
}

#[test]
fn where_something_else_binds_no_gain_is_said() {
    let mut run = index_missing();
    bound_by(&mut run, Bottleneck::Client);
    let cause = of(&run, "index-missing");
    assert!(cause.share.is_some());
    assert_eq!(cause.gain_at_most, None);
    run.verdicts.clear();
    assert_eq!(of(&run, "index-missing").gain_at_most, None);
    // Of two that are too close to tell, the bound holds whichever it is.
    let mut run = index_missing();
    run.verdicts[0].narrow = Bottleneck::Client;
    run.verdicts[0].or = Some(Bottleneck::Cpu);
    assert!(of(&run, "index-missing").gain_at_most.is_some());
}

#[test]
fn where_drives_bind_the_share_is_of_the_blocks_read() {
    let mut run = index_missing();
    processes(&mut run).classes[0].cpus = 2.0;
    processes(&mut run).machine_cpus = 2.5;
    bound_by(&mut run, Bottleneck::ReadRate);
    for (at, read) in [(0, 750e3), (1, 250e3)] {
        books(&mut run).list[at].took.blocks_read = read;
        books(&mut run).all.blocks_read += read;
    }
    let cause = of(&run, "index-missing");
    assert_eq!(cause.share, Some((CauseShare::Reads, 0.75)));
    assert!((cause.gain_at_most.unwrap() - 3.0).abs() < 1e-9);
}

#[test]
fn a_wait_that_binds_gives_what_its_share_is() {
    let mut run = healthy();
    running(&mut run, 4.0);
    at(&mut run, Lock, 4.0, "Lock:transactionid");
    assert_eq!(of(&run, "hot-row").gain_at_most, None);
    bound_by(&mut run, Bottleneck::Lock);
    let cause = of(&run, "hot-row");
    assert_eq!(cause.share, Some((CauseShare::SessionTime, 0.5)));
    // Half by 1000 samples is 53.1 % at most, and by 100 samples 60.3 %.
    assert!((cause.gain_at_most.unwrap() - 1.134).abs() < 1e-3);
    seen(&mut run).activity.samples = 100;
    let few = of(&run, "hot-row").gain_at_most.unwrap();
    assert!((few - 1.519).abs() < 1e-3, "{few}");
}

/// So much WAL in the minute, most of it images.
fn counted_log(run: &mut Run, bytes: f64) {
    let counted = counted(run);
    counted.log_bytes = Some(bytes);
    counted.full_pages = Some(0.7 * bytes / 8192.0);
}

#[test]
fn proposed_sizes_follow_from_figures() {
    let mut run = healthy();
    set(&mut run, "work_mem", "4MB");
    // 3,000 blocks a call: 24.6 MB, read and written.
    statement(
        &mut run,
        "1",
        "SELECT * FROM orders ORDER BY total",
        StatementFigures { temp_blocks: 300e3, ..calls(100.0, 1e8) },
    );
    let cause = of(&run, "sort-spills");
    assert_eq!(cause.statement.as_deref(), Some("ALTER ROLE app SET work_mem = '32MB'"));
    assert!(!cause.evidence.contains("generic plan"), "{}", cause.evidence);
    let node = |depth, kind: &str, table: Option<&str>| PlanNode {
        depth,
        kind: kind.into(),
        table: table.map(str::to_string),
        ..PlanNode::default()
    };
    let (orders, items) = (Some("public.orders"), Some("public.items"));
    let nodes = vec![
        node(0, "Sort", None),
        node(1, "Hash Join", None),
        node(2, "Seq Scan", orders),
        node(2, "Hash", None),
        node(3, "Seq Scan", items),
    ];
    let plan = StatementPlan { id: "1".into(), cost: 12_100.0, nodes, tried: None };
    consumers(&mut run).plans.push(plan);
    let told = "its generic plan: Sort (Hash Join (Seq Scan on public.orders, Hash (Seq Scan on public.items))), planner's cost 12.1k";
    assert!(
        of(&run, "sort-spills").evidence.contains(told),
        "{}",
        of(&run, "sort-spills").evidence
    );
    // A long plan is cut, and its brackets are closed.
    let plan = &mut consumers(&mut run).plans[0];
    plan.nodes.extend([node(1, "Result", None), node(1, "Result", None)]);
    let told = "Hash (Seq Scan on public.items)), Result …), planner's cost";
    assert!(
        of(&run, "sort-spills").evidence.contains(told),
        "{}",
        of(&run, "sort-spills").evidence
    );
    // What no work_mem should be.
    books(&mut run).list[0].took.calls = 1.0;
    let cause = of(&run, "sort-spills");
    assert_eq!(cause.statement, None, "{}", cause.action);
    let mut run = healthy();
    let counted = counted(&mut run);
    counted.checkpoints_requested = Some(5.0);
    counted.checkpoints_timed = Some(0.0);
    // 20 MB/s for 300 s, nine tenths more for the one before: 11.4 GB; a good part of them images that larger steps would save.
    counted.log_bytes = Some(1.2e9);
    counted.full_pages = Some(100e3);
    set(&mut run, "max_wal_size", "1GB");
    let cause = of(&run, "checkpoints-frequent");
    let statement = "ALTER SYSTEM SET max_wal_size = '8GB'; SELECT pg_reload_conf()";
    assert_eq!(cause.statement.as_deref(), Some(statement));
    assert!(cause.action.starts_with("raise max_wal_size to 8GB, 8 times"), "{}", cause.action);
    assert_eq!(cause.undo, "ALTER SYSTEM SET max_wal_size = '1GB'; SELECT pg_reload_conf()");
    assert_eq!(cause.gain_at_most, None, "WAL's bytes are no law of a flush");
    set(&mut run, "max_wal_size", "4GB");
    let cause = of(&run, "checkpoints-frequent");
    let statement = "ALTER SYSTEM SET max_wal_size = '16GB'; SELECT pg_reload_conf()";
    assert_eq!(cause.statement.as_deref(), Some(statement));
    assert!(cause.action.starts_with("raise max_wal_size to 16GB, so that"), "{}", cause.action);
    // What would be set is set.
    counted_log(&mut run, 200.0 * 1e9);
    set(&mut run, "max_wal_size", "256GB");
    let cause = of(&run, "checkpoints-frequent");
    assert_eq!(cause.statement, None);
    assert!(cause.action.starts_with("max_wal_size is large already"), "{}", cause.action);
    assert_eq!(cause.undo, "nothing to take back");
    // What is set isn't known.
    seen(&mut run).settings.retain(|setting| setting.name != "max_wal_size");
    let cause = of(&run, "checkpoints-frequent");
    assert_eq!(cause.statement, None);
    assert!(cause.action.starts_with("raise max_wal_size, "), "{}", cause.action);
}

#[test]
fn more_workers_than_cpus_or_places_are_not_proposed() {
    let with = |most: &str, places: Option<&str>| {
        let mut run = healthy();
        running(&mut run, 2.0);
        let n = most.parse().unwrap();
        of_class(&mut run, narrows_model::ProcessClass::ParallelWorker, Running, n, "");
        set(&mut run, "max_parallel_workers", most);
        if let Some(places) = places {
            set(&mut run, "max_worker_processes", places);
        }
        of(&run, "parallel-workers-missing")
    };
    let statement =
        |n| Some(format!("ALTER SYSTEM SET max_parallel_workers = {n}; SELECT pg_reload_conf()"));
    assert_eq!(with("2", None).statement, statement(8));
    assert_eq!(with("2", Some("4")).statement, statement(4));
    // Eight places by default, on eight CPUs.
    assert_eq!(with("8", None).statement, None);
    let full = with("4", Some("4"));
    assert_eq!(full.statement, None);
    assert!(full.action.starts_with("raise max_worker_processes"), "{}", full.action);
    let all_cpus = with("8", Some("16"));
    assert_eq!(all_cpus.statement, None);
    assert!(all_cpus.action.contains("as many workers as CPUs"), "{}", all_cpus.action);
}

#[test]
fn a_vacuum_that_would_remove_nothing_is_no_statement_to_paste() {
    let mut run = healthy();
    table(&mut run, TableUse { live_rows: 4e3, dead_rows: 300e3, ..orders() });
    let vacuum = Some("VACUUM (ANALYZE, VERBOSE) public.orders".to_string());
    assert_eq!(of(&run, "dead-rows").statement, vacuum);
    consumers(&mut run).horizon.push(holder(HorizonKind::Session, "77", Some(4.9e9), 50.0));
    assert_eq!(of(&run, "dead-rows").statement, vacuum);
    consumers(&mut run).horizon[0].age_ns = Some(5e9);
    let held = of(&run, "dead-rows");
    assert_eq!(held.statement, None);
    assert!(held.action.starts_with("end the session of pid 77"), "{}", held.action);
}

#[test]
fn what_a_configuration_file_sets_is_not_reset_but_set() {
    let mut run = healthy();
    full_cpus(&mut run);
    set(&mut run, "jit", "on");
    set(&mut run, "jit_above_cost", "10");
    let cause = of(&run, "jit-overhead");
    let statement = "ALTER SYSTEM SET jit_above_cost = 100000; SELECT pg_reload_conf()";
    assert_eq!(cause.statement.as_deref(), Some(statement));
    assert_eq!(cause.undo, "ALTER SYSTEM SET jit_above_cost = 10; SELECT pg_reload_conf()");
}

#[test]
fn freezing_does_no_more_than_is_needed() {
    let mut run = healthy();
    reserves(&mut run).oldest_database = Some(("shop".into(), 1.9e9));
    let cause = of(&run, "wraparound-near");
    // Of 2,144 million.
    assert!(cause.summary.ends_with("and 244M are left"), "{}", cause.summary);
    assert!(cause.action.contains("by plain VACUUM"), "{}", cause.action);
}

#[test]
fn scans_are_of_no_more_rows_than_the_table_has() {
    let mut run = index_missing();
    let evidence = |run: &Run| of(run, "index-missing").evidence;
    let alone = evidence(&run);
    assert!(alone.starts_with("100 sequential scans of 100k rows each"), "{alone}");
    // Workers of somebody: by three to a scan these would be 33 of 300,000 rows.
    of_class(&mut run, narrows_model::ProcessClass::ParallelWorker, Running, 1.0, "");
    let table = &mut consumers(&mut run).tables[0];
    (table.live_rows, table.dead_rows) = (100e3, 0.0);
    assert_eq!(evidence(&run), alone);
    let table = &mut consumers(&mut run).tables[0];
    table.live_rows = 300e3;
    let divided = evidence(&run);
    assert!(divided.starts_with("33.3 sequential scans of 300k rows each"), "{divided}");
}

#[test]
fn shared_buffers_are_a_quarter_of_the_memory_at_most_and_unknown_without_it() {
    const MIB: u64 = 1024 * 1024;
    let mut run = healthy();
    set(&mut run, "shared_buffers", "16MB");
    running(&mut run, 1.0);
    at(&mut run, Read, 1.0, "IO:DataFileRead");
    counted(&mut run).block_hits = Some(900e3);
    counted(&mut run).block_reads = Some(100e3);
    counted(&mut run).read_ns = Some(100e3 * 200e3);
    // 156 MB of table, so that 128 MB are a step.
    table(&mut run, TableUse { blocks: Some(20e3), ..orders() });
    let said = |run: &Run| of(run, "shared-buffers-small");
    let unknown = said(&run);
    assert_eq!(unknown.statement, None);
    assert!(unknown.action.contains("a quarter of the server's memory, which was not seen"));
    run.hosts[0].platform.memory.total_bytes = 1024 * MIB;
    let statement = |size: &str| Some(format!("ALTER SYSTEM SET shared_buffers = '{size}'"));
    assert_eq!(said(&run).statement, statement("128MB"));
    run.hosts[0].platform.cgroup.memory_limit_bytes = Some(400 * MIB);
    assert_eq!(said(&run).statement, statement("100MB"));
    assert_eq!(said(&run).undo, "ALTER SYSTEM SET shared_buffers = '16MB' and a restart");
    run.hosts[0].platform.cgroup.memory_limit_bytes = Some(64 * MIB);
    let full = said(&run);
    assert_eq!(full.statement, None);
    assert!(full.action.starts_with("shared_buffers are a quarter"), "{}", full.action);
    // A limit around another container.
    run.hosts[0].platform.cgroup.hidden = vec!["memory".into()];
    run.hosts[0].platform.cgroup.memory_limit_bytes = None;
    assert_eq!(said(&run).statement, None);
    run.hosts[0].platform.cgroup.hidden.clear();
    assert!(said(&run).statement.is_some());
    // Our own memory is none of a server's on another machine.
    seen(&mut run).processes = None;
    assert_eq!(said(&run).statement, None);
}

#[test]
fn what_is_rolled_back_is_no_share_and_explains_a_statement_only_where_it_wrote() {
    // A driver that ends what only reads by ROLLBACK, and a statement that has the CPUs.
    let mut run = index_missing();
    consumers(&mut run).tables.clear();
    counted(&mut run).commits = Some(40e3);
    counted(&mut run).rollbacks = Some(60e3);
    counted(&mut run).writers = Some(69e3);
    assert_eq!(ids(&run), ["statement-dominates", "rolled-back"]);
    let cause = of(&run, "rolled-back");
    assert_eq!((cause.share, cause.gain_at_most), (None, None));
    assert!(cause.against.contains("cost nothing"), "{}", cause.against);
    counted(&mut run).writers = Some(71e3);
    assert_eq!(ids(&run), ["rolled-back"]);
    let cause = of(&run, "rolled-back");
    assert_eq!((cause.share, cause.gain_at_most), (None, None));
    assert!(cause.evidence.contains("31.0k more transaction ids"), "{}", cause.evidence);
}

#[test]
fn of_one_rule_the_largest_three_are_told() {
    let mut run = healthy();
    for n in 0..9 {
        reserves(&mut run).unread_slots.push((format!("s{n}"), 2e9));
    }
    assert_eq!(ids(&run).len(), 3);
    assert!(causes(&run).iter().all(|cause| cause.urgency == Urgency::Risk));
}

#[test]
fn tables_of_another_database_are_not_those_of_a_statement() {
    let mut run = index_missing();
    for used in &mut books(&mut run).list {
        used.database = "other".into();
    }
    // Whoever reads the table of this database as a whole was not seen; the statement has most of the CPUs all the same.
    assert!(!causes(&run).iter().any(|cause| cause.statement.is_some()), "{:?}", ids(&run));
    assert!(ids(&run).contains(&"statement-dominates".to_string()));
}

/// Orders are read as a whole by a statement with two conditions.
fn scanned_by_two() -> Run {
    let mut run = healthy();
    table(
        &mut run,
        TableUse { sequential_scans: 100.0, sequential_rows: 100.0 * 100e3, ..orders() },
    );
    let took = StatementFigures { blocks_hit: 2000.0 * 100.0, ..calls(100.0, 20e6) };
    statement(&mut run, "1", "SELECT * FROM orders WHERE customer = $1 AND state = $2", took);
    run
}

#[test]
fn an_index_that_the_planner_was_seen_to_use_is_proposed_and_one_that_it_has_is_not() {
    let mut run = scanned_by_two();
    assert_eq!(of(&run, "index-missing").statement, None, "which column, nobody knows");
    let filter = "((orders.customer = $1) AND (orders.state = $2))";
    plan(&mut run, "Seq Scan", None, filter, &["customer", "state"]);
    let cause = of(&run, "index-missing");
    assert_eq!(cause.statement, None);
    let shown = format!("its generic plan: Seq Scan, Filter {filter}, planner's cost 12.1k");
    assert!(cause.evidence.contains(&shown), "{}", cause.evidence);
    tried(&mut run, "customer, state", true, 8.31);
    let cause = of(&run, "index-missing");
    let index = "CREATE INDEX CONCURRENTLY ON public.orders (customer, state)";
    assert_eq!(cause.statement.as_deref(), Some(index));
    let cost = "planner's cost 12.1k → 8.3 with an index on (customer, state)";
    assert!(cause.evidence.contains(cost), "{}", cause.evidence);
    // The planner gains little by it, or doesn't take it.
    for (used, cost) in [(true, 7000.0), (false, 12_100.0)] {
        tried(&mut run, "customer, state", used, cost);
        assert_eq!(of(&run, "index-missing").statement, None);
    }
    // It has one already.
    let mut run = scanned_by_two();
    let text = "SELECT * FROM orders WHERE customer = $1";
    books(&mut run).list[0].text = Some(text.into());
    assert!(of(&run, "index-missing").statement.is_some());
    plan(&mut run, "Index Scan", Some("orders_customer"), "", &[]);
    let cause = of(&run, "index-missing");
    assert_eq!(cause.statement, None);
    assert!(cause.against.contains("by the index orders_customer"), "{}", cause.against);
}

#[test]
fn a_sequence_says_how_long_it_lasts_and_what_its_column_takes() {
    let mut run = healthy();
    sequence(&mut run, 2e9, 2_147_483_647.0, true);
    let cause = of(&run, "sequence-near-end");
    assert_eq!(
        cause.summary,
        "public.orders_id_seq has given 93 % of its numbers, for public.orders.id (integer)"
    );
    // 147 million at 100 per second.
    let figures = "2000000000 of 2147483647; 100 per second; at the rate of now the last one is given in 17 days";
    assert_eq!(cause.evidence, figures);
    assert_eq!(cause.statement, None, "a rewrite under a lock is not to be pasted");
    let alter = "ALTER TABLE public.orders ALTER COLUMN id TYPE bigint rewrites the table";
    assert!(cause.action.contains(alter), "{}", cause.action);
    assert_eq!(cause.urgency, Urgency::Risk);
}
