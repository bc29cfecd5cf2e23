//! Each rule on a server on which it fires and on a near miss on which it stays silent.

use std::collections::BTreeSet;

use narrows_causes::{causes, rules};
use narrows_model::{
    ActivityState::*, Bottleneck, ConsumerKind, HorizonKind, LockHolders, ProcessClass, Run,
    StatementFigures, TableUse, UnindexedKey, metric,
};

use crate::built::*;

pub struct Pair {
    pub rule: &'static str,
    pub fires: fn(&mut Run),
    pub silent: fn(&mut Run),
}

#[rustfmt::skip]
pub const PAIRS: &[Pair] = &[
    Pair { rule: "ddl-queue",
        fires: |r| { queued(r, session(7, &[], "active", 30.0)); ddl(r, 7, 2.0) },
        // It has waited for no longer than its own lock_timeout should be.
        silent: |r| { queued(r, session(7, &[], "active", 30.0)); ddl(r, 7, 1.9) } },
    Pair { rule: "ddl-queue",
        fires: |r| { queued(r, session(7, &[], "idle in transaction", 30.0)); ddl(r, 7, 20.0) },
        // Weak locks behind a strong one that is held, and no strong one that waits.
        silent: |r| { ddl(r, 7, 20.0); consumers(r).lock_queue[0].mode = Some("RowExclusiveLock".into()) } },
    Pair { rule: "idle-in-transaction-blocks",
        fires: |r| { queued(r, session(7, &[], "idle in transaction", 5.0)); queued(r, waiter(8, 7)) },
        silent: |r| { queued(r, session(7, &[], "idle in transaction", 4.9)); queued(r, waiter(8, 7)) } },
    Pair { rule: "idle-in-transaction-blocks",
        fires: |r| { queued(r, session(7, &[], "idle in transaction (aborted)", 90.0)); queued(r, waiter(8, 7)); ddl(r, 7, 20.0) },
        // Nobody waits but the DDL statement and those behind it: cancelling that lets them go.
        silent: |r| { queued(r, session(7, &[], "idle in transaction", 90.0)); ddl(r, 7, 20.0) } },
    Pair { rule: "prepared-transaction-blocks",
        fires: |r| { queued(r, session(0, &[], "", 0.0)); queued(r, waiter(8, 0)) },
        // It holds a snapshot, and nobody waits for it.
        silent: |r| consumers(r).horizon.push(holder(HorizonKind::Prepared, "two", Some(90e9), 1e3)) },
    Pair { rule: "lock-queue",
        fires: |r| { queued(r, session(7, &[], "active", 5.0)); queued(r, waiter(8, 7)); queued(r, waiter(9, 8)) },
        silent: |r| { queued(r, session(7, &[], "active", 4.9)); queued(r, waiter(8, 7)); queued(r, waiter(9, 8)) } },
    Pair { rule: "hot-row",
        fires: |r| { running(r, 6.9); at(r, Lock, 2.0, "Lock:transactionid"); at(r, Lock, 1.1, "Lock:tuple") },
        silent: |r| { running(r, 7.1); at(r, Lock, 1.9, "Lock:transactionid"); at(r, Lock, 1.0, "Lock:tuple") } },
    Pair { rule: "hot-row",
        fires: |r| {
            at(r, Lock, 8.0, "Lock:transactionid");
            seen(r).sessions.holders = Some(LockHolders { answers: 10, in_flush: 8, on_cpu: 2, for_client: 0 });
        },
        // Somebody keeps the lock: that is the cause.
        silent: |r| { at(r, Lock, 8.0, "Lock:transactionid"); queued(r, session(7, &[], "idle in transaction", 30.0)); queued(r, waiter(8, 7)) } },
    Pair { rule: "advisory-lock",
        fires: |r| { running(r, 3.0); at(r, Lock, 1.0, "Lock:advisory") },
        silent: |r| { running(r, 4.2); at(r, Lock, 1.0, "Lock:advisory") } },
    Pair { rule: "advisory-lock",
        // By few samples a share counts at the lower end of its interval.
        fires: |r| { running(r, 1.0); at(r, Lock, 1.0, "Lock:advisory"); seen(r).activity.samples = 20 },
        silent: |r| { running(r, 3.0); at(r, Lock, 1.0, "Lock:advisory"); seen(r).activity.samples = 20 } },
    Pair { rule: "storage-silent",
        fires: |r| { running(r, 2.0); at(r, Log, 0.6, "IO:WALSync"); at(r, Log, 0.4, "LWLock:WALWrite"); counted(r).flushes = Some(0.0) },
        // A method that counts no flushes.
        silent: |r| { running(r, 2.0); at(r, Log, 1.0, "IO:WALSync"); counted(r).flushes = Some(0.0); set(r, "wal_sync_method", "open_datasync") } },
    Pair { rule: "storage-silent",
        fires: |r| { at(r, Log, 8.0, "IO:WalSync"); counted(r).flushes = Some(0.0) },
        silent: |r| { at(r, Log, 8.0, "IO:WalSync"); counted(r).flushes = Some(1.0) } },
    Pair { rule: "storage-silent",
        fires: |r| { at(r, Log, 8.0, "LWLock:WALWrite"); counted(r).flushes = Some(0.0); set(r, "fsync", "on") },
        // Nothing is flushed, and writes go on.
        silent: |r| { at(r, Log, 8.0, "LWLock:WALWrite"); counted(r).flushes = Some(0.0); set(r, "fsync", "off") } },
    Pair { rule: "storage-silent",
        // A short look at a server that is slow to answer.
        fires: |r| { at(r, Log, 8.0, "LWLock:WALWrite"); counted(r).flushes = Some(0.0); seen(r).activity.samples = 5 },
        silent: |r| { at(r, Log, 8.0, "LWLock:WALWrite"); counted(r).flushes = Some(0.0); seen(r).activity.samples = 4 } },
    Pair { rule: "storage-silent",
        fires: |r| { at(r, Read, 8.0, "IO:DataFileRead"); nothing_ends(r); processes(r).drive_read_bytes = Some(0.0) },
        // A long scan.
        silent: |r| { at(r, Read, 8.0, "IO:DataFileRead"); nothing_ends(r); processes(r).drive_read_bytes = Some(8192.0) } },
    Pair { rule: "file-system-full",
        fires: |r| room(r, 31e6),
        silent: |r| room(r, 34e6) },
    Pair { rule: "file-system-full",
        fires: |r| { room(r, 9e9); file_systems(r)[0].available_files = Some(99.0) },
        silent: |r| { room(r, 9e9); file_systems(r)[0].available_files = Some(101.0) } },
    Pair { rule: "file-system-nearly-full",
        fires: |r| room(r, 1.0e9),
        silent: |r| room(r, 1.1e9) },
    Pair { rule: "file-system-nearly-full",
        fires: |r| { room(r, 4.2e9); set(r, "max_wal_size", "4GB") },
        silent: |r| { room(r, 4.3e9); set(r, "max_wal_size", "4GB") } },
    Pair { rule: "replay-conflicts",
        fires: |r| counted(r).replay_conflicts = Some(1.0),
        silent: |r| counted(r).replay_conflicts = Some(0.0) },
    Pair { rule: "deadlocks",
        fires: |r| counted(r).deadlocks = Some(2.0),
        silent: |r| counted(r).deadlocks = Some(1.0) },
    Pair { rule: "standby-missing",
        fires: |r| { at(r, Log, 8.0, "IPC:SyncRep"); seen(r).sessions.log_senders = Some(0.0) },
        // Less than half of the sessions commit.
        silent: |r| { running(r, 9.0); at(r, Log, 8.0, "IPC:SyncRep"); seen(r).sessions.log_senders = Some(0.0) } },
    Pair { rule: "standby-missing",
        fires: |r| { at(r, Log, 8.0, "IPC:SyncRep"); counted(r).writers = Some(47.0) },
        // 9.8 s a commit: slow, and answered.
        silent: |r| { at(r, Log, 8.0, "IPC:SyncRep"); counted(r).writers = Some(49.0) } },
    Pair { rule: "standby-slow",
        fires: |r| { running(r, 3.9); at(r, Log, 1.0, "IPC:SyncRep") },
        silent: |r| { running(r, 4.1); at(r, Log, 1.0, "IPC:SyncRep") } },
    Pair { rule: "commit-delay",
        fires: |r| { running(r, 8.0); at(r, Log, 1.0, "LWLock:WALWrite"); set(r, "commit_delay", "5000") },
        // Shorter than a flush.
        silent: |r| { running(r, 8.0); at(r, Log, 1.0, "LWLock:WALWrite"); set(r, "commit_delay", "900") } },
    Pair { rule: "flushes",
        fires: |r| { running(r, 1.0); at(r, Log, 0.6, "IO:WALSync"); at(r, Log, 0.5, "LWLock:WALWrite"); bound_by(r, Bottleneck::CommitWait) },
        // A setting makes them wait.
        silent: |r| { running(r, 1.0); at(r, Log, 1.1, "IO:WALSync"); bound_by(r, Bottleneck::CommitWait); set(r, "commit_delay", "5000") } },
    Pair { rule: "flushes",
        fires: |r| { running(r, 1.0); at(r, Log, 1.1, "IO:WalSync"); bound_by(r, Bottleneck::CommitInsideServer) },
        // The clients are what it waits for.
        silent: |r| { running(r, 1.0); at(r, Log, 1.1, "IO:WalSync") } },
    Pair { rule: "checkpoints-frequent",
        fires: |r| checkpoints(r, 2.0, 1.0, 0.51),
        silent: |r| checkpoints(r, 2.0, 2.0, 0.51) },
    Pair { rule: "checkpoints-frequent",
        fires: |r| checkpoints(r, 9.0, 0.0, 0.51),
        // New pages: a load needs no images.
        silent: |r| checkpoints(r, 9.0, 0.0, 0.49) },
    Pair { rule: "rolled-back",
        fires: |r| { counted(r).commits = Some(69e3); counted(r).rollbacks = Some(31e3) },
        silent: |r| { counted(r).commits = Some(71e3); counted(r).rollbacks = Some(29e3) } },
    Pair { rule: "unindexed-foreign-key",
        fires: |r| foreign_key(r, 100.0, 10e3),
        silent: |r| foreign_key(r, 100.0, 9.9e3) },
    Pair { rule: "unindexed-foreign-key",
        fires: |r| { foreign_key(r, 190.0, 50e3); statement(r, "9", "SELECT * FROM lines WHERE a = $1", calls(10.0, 1e6)) },
        // A statement of its own reads the table, and rows that went explain fewer than half.
        silent: |r| { foreign_key(r, 210.0, 50e3); statement(r, "9", "SELECT * FROM lines WHERE a = $1", calls(10.0, 1e6)) } },
    Pair { rule: "unindexed-foreign-key",
        fires: |r| foreign_key(r, 100.0, 50e3),
        // Whoever deletes reads four blocks: something else scans.
        silent: |r| { foreign_key(r, 100.0, 50e3); books(r).list[0].took.blocks_hit = 400.0 } },
    Pair { rule: "index-missing",
        fires: |r| scanned(r, 10e3, "SELECT * FROM orders WHERE customer = $1"),
        silent: |r| scanned(r, 9.9e3, "SELECT * FROM orders WHERE customer = $1") },
    Pair { rule: "index-missing",
        fires: |r| scanned(r, 100e3, "UPDATE orders SET state = $1 WHERE customer = $2"),
        // All of it is asked for.
        silent: |r| scanned(r, 100e3, "SELECT sum(total) FROM orders") },
    Pair { rule: "index-missing",
        fires: |r| scanned(r, 100e3, "SELECT * FROM public.orders WHERE customer = $1 AND state = $2"),
        // It returns most of what it reads.
        silent: |r| { scanned(r, 100e3, "SELECT * FROM orders WHERE total > $1"); books(r).list[0].took.rows = 100.0 * 50e3 } },
    Pair { rule: "index-missing",
        fires: |r| { scanned(r, 100e3, "SELECT * FROM orders WHERE customer = $1"); statement(r, "3", "SELECT sum(total) FROM orders", calls(100.0, 1e6)) },
        // Its rows are found by an index; what scans is the sum beside it.
        silent: |r| {
            scanned(r, 100e3, "SELECT * FROM orders WHERE id = $1");
            books(r).list[0].took = calls(100e3, 1e6);
            statement(r, "3", "SELECT sum(total) FROM orders", StatementFigures { blocks_hit: 2000.0 * 100.0, ..calls(100.0, 1e6) });
        } },
    Pair { rule: "index-missing",
        // With workers about, 100 scans of 10,000 rows may be 33 of 30,000.
        fires: |r| { scanned(r, 10e3, "SELECT * FROM orders WHERE customer = $1"); workers_beside(r, 10e3) },
        // The table has no more rows than that.
        silent: |r| { scanned(r, 9.9e3, "SELECT * FROM orders WHERE customer = $1"); workers_beside(r, 9.9e3) } },
    Pair { rule: "index-missing",
        // Samples alone, and one statement that names it.
        fires: |r| { scanned(r, 100e3, ""); sampled(r, "SELECT * FROM orders WHERE customer = $1", "SELECT 1") },
        silent: |r| { scanned(r, 100e3, ""); sampled(r, "SELECT * FROM orders WHERE customer = $1", "SELECT sum(total) FROM orders") } },
    Pair { rule: "index-missing",
        // Nobody counts statements.
        fires: |r| { scanned(r, 100e3, ""); consumers(r).statements = None },
        silent: |r| { scanned(r, 100e3, ""); consumers(r).statements = None; consumers(r).tables[0].sequential_scans = 59.0 } },
    Pair { rule: "table-scan-report",
        fires: |r| { full_cpus(r); report(r, 0.31) },
        silent: |r| { full_cpus(r); report(r, 0.29) } },
    Pair { rule: "table-scan-report",
        fires: |r| { full_cpus(r); report_by(r, "SELECT sum(o.total) FROM orders o CROSS JOIN regions g WHERE g.name = $1") },
        // The condition may be one on the table.
        silent: |r| { full_cpus(r); report_by(r, "WITH x AS (SELECT * FROM orders WHERE customer = $1) SELECT sum(total) FROM x") } },
    Pair { rule: "table-scan-report",
        fires: |r| { full_cpus(r); report(r, 0.9); books(r).list[0].took.blocks_hit = 2.0 * 344.0 },
        // It reads fewer blocks than the scans do: those are another's.
        silent: |r| { full_cpus(r); report(r, 0.9); books(r).list[0].took.blocks_hit = 2.0 * 343.0 } },
    Pair { rule: "table-scan-report",
        fires: |r| { full_cpus(r); report(r, 0.9) },
        // There is room for it.
        silent: |r| report(r, 0.9) },
    Pair { rule: "statistics-stale",
        fires: |r| stale(r, 51e3, Some(301.0)),
        silent: |r| stale(r, 49e3, Some(301.0)) },
    Pair { rule: "statistics-stale",
        fires: |r| stale(r, 51e3, None),
        // After a crash the server remembers neither.
        silent: |r| stale(r, 0.0, None) },
    Pair { rule: "statistics-stale",
        fires: |r| stale(r, 90e3, Some(301.0)),
        // Autovacuum is due.
        silent: |r| stale(r, 90e3, Some(299.0)) },
    Pair { rule: "statistics-stale",
        fires: |r| stale_by(r, 90e3, Some(301.0), 1.1e6),
        // Over at once: its plan is not bad.
        silent: |r| stale_by(r, 90e3, Some(301.0), 0.9e6) },
    Pair { rule: "sort-spills",
        fires: |r| spill(r, "SELECT * FROM orders ORDER BY total", 80e3),
        silent: |r| spill(r, "SELECT * FROM orders ORDER BY total", 70e3) },
    Pair { rule: "sort-spills",
        fires: |r| spill(r, "SELECT * FROM orders ORDER BY total", 800e3),
        // By maintenance_work_mem.
        silent: |r| spill(r, "CREATE INDEX ON orders (total)", 800e3) },
    Pair { rule: "sort-spills",
        fires: |r| { spill(r, "SELECT * FROM orders ORDER BY total", 80e3); books(r).all.temp_blocks = 790e3 },
        // Others write them.
        silent: |r| { spill(r, "SELECT * FROM orders ORDER BY total", 80e3); books(r).all.temp_blocks = 810e3 } },
    Pair { rule: "sort-spills",
        fires: |r| counted(r).temp_bytes = Some(601e6),
        silent: |r| counted(r).temp_bytes = Some(599e6) },
    Pair { rule: "shared-buffers-small",
        fires: |r| { small_pool(r); counted(r).read_ns = Some(100e3 * 100e3) },
        // The page cache has them.
        silent: |r| { small_pool(r); counted(r).read_ns = Some(100e3 * 99e3) } },
    Pair { rule: "shared-buffers-small",
        fires: |r| { small_pool(r); at(r, Latch, 1.0, "LWLock:BufferMapping") },
        // The tables fit.
        silent: |r| { small_pool(r); at(r, Latch, 1.0, "LWLock:BufferMapping"); set(r, "shared_buffers", "17MB") } },
    Pair { rule: "horizon-held",
        fires: |r| { dead(r, 10e3); consumers(r).horizon.push(holder(HorizonKind::Session, "77", Some(10e9), 50.0)) },
        silent: |r| { dead(r, 10e3); consumers(r).horizon.push(holder(HorizonKind::Session, "77", Some(9.9e9), 50.0)) } },
    Pair { rule: "horizon-held",
        fires: |r| { table(r, TableUse { dead_rows: 20e3, ..orders() }); consumers(r).horizon.push(holder(HorizonKind::Slot, "old", None, 1e6)) },
        // No dead rows are in anybody's way.
        silent: |r| { table(r, TableUse { dead_rows: 19e3, ..orders() }); consumers(r).horizon.push(holder(HorizonKind::Slot, "old", None, 1e7)) } },
    Pair { rule: "dead-rows",
        fires: |r| dead(r, 10e3),
        silent: |r| dead(r, 9.9e3) },
    Pair { rule: "dead-rows",
        fires: |r| dead(r, 300e3),
        // What keeps them is told instead.
        silent: |r| { dead(r, 300e3); consumers(r).horizon.push(holder(HorizonKind::Standby, "s1", None, 1e6)) } },
    Pair { rule: "autovacuum-busy",
        fires: |r| { full_cpus(r); processes(r).classes[0].cpus = 5.9; processes(r).classes[1].cpus = 1.5 },
        silent: |r| { full_cpus(r); processes(r).classes[0].cpus = 6.1; processes(r).classes[1].cpus = 1.5 } },
    Pair { rule: "autovacuum-busy",
        fires: |r| { running(r, 1.0); of_class(r, ProcessClass::Autovacuum, Running, 2.7, "") },
        silent: |r| { running(r, 1.0); of_class(r, ProcessClass::Autovacuum, Running, 2.6, "") } },
    Pair { rule: "autovacuum-off",
        fires: |r| set(r, "autovacuum", "off"),
        silent: |r| set(r, "autovacuum", "on") },
    Pair { rule: "autovacuum-off",
        fires: |r| table(r, TableUse { autovacuum_off: true, dead_rows: 20e3, ..orders() }),
        silent: |r| table(r, TableUse { autovacuum_off: true, dead_rows: 19e3, ..orders() }) },
    Pair { rule: "jit-overhead",
        fires: |r| statement(r, "1", "SELECT sum(total) FROM orders", StatementFigures { jit_ns: Some(0.11e9), ..calls(10.0, 0.1e9) }),
        silent: |r| statement(r, "1", "SELECT sum(total) FROM orders", StatementFigures { jit_ns: Some(0.09e9), ..calls(10.0, 0.1e9) }) },
    Pair { rule: "jit-overhead",
        fires: |r| { full_cpus(r); set(r, "jit", "on"); set(r, "jit_above_cost", "10") },
        silent: |r| { full_cpus(r); set(r, "jit", "on"); set(r, "jit_above_cost", "100000") } },
    Pair { rule: "planning-dominates",
        fires: |r| { statement(r, "1", "SELECT 1", StatementFigures { plan_ns: Some(0.6e9), ..calls(1e3, 0.5e6) }); books(r).planning_counted = true },
        // As short as any: that it is planned for longer than it runs is no news.
        silent: |r| { statement(r, "1", "SELECT 1", StatementFigures { plan_ns: Some(0.4e9), ..calls(1e3, 0.1e6) }); books(r).planning_counted = true } },
    Pair { rule: "maintenance",
        fires: |r| { running(r, 1.0); statements_of(r, 6.9); group(r, ConsumerKind::Application, "pg_dump", Running, 3.1, "") },
        silent: |r| { running(r, 1.0); statements_of(r, 15.6); group(r, ConsumerKind::Application, "pg_dump", Running, 3.1, "") } },
    Pair { rule: "maintenance",
        fires: |r| {
            running(r, 2.0);
            group(r, ConsumerKind::Statement, "1", Running, 1.0, "");
            statements_of(r, 1.0);
            statement(r, "1", "CREATE INDEX ON orders (total)", calls(0.0, 0.0));
        },
        // The load itself.
        silent: |r| {
            running(r, 2.0);
            group(r, ConsumerKind::Statement, "1", Running, 1.0, "");
            statement(r, "1", "COPY orders FROM STDIN", calls(0.0, 0.0));
            rate(r, 9.9);
        } },
    Pair { rule: "parallel-workers-missing",
        fires: |r| { running(r, 2.0); of_class(r, ProcessClass::ParallelWorker, Running, 1.8, ""); set(r, "max_parallel_workers", "2") },
        silent: |r| { running(r, 2.0); of_class(r, ProcessClass::ParallelWorker, Running, 1.7, ""); set(r, "max_parallel_workers", "2") } },
    Pair { rule: "statement-dominates",
        fires: |r| { full_cpus(r); several(r, 51.0, 25.0) },
        silent: |r| { full_cpus(r); several(r, 49.0, 25.5) } },
    Pair { rule: "statement-dominates",
        fires: |r| { full_cpus(r); several(r, 90.0, 5.0) },
        // The CPUs have room, and no plan could read fewer blocks.
        silent: |r| several(r, 90.0, 5.0) },
    Pair { rule: "statement-dominates",
        fires: |r| statement(r, "1", "SELECT * FROM v WHERE a = $1", StatementFigures { blocks_hit: 1000.0 * 100.0, ..calls(100.0, 1e6) }),
        silent: |r| statement(r, "1", "SELECT * FROM v WHERE a = $1", StatementFigures { blocks_hit: 999.0 * 100.0, ..calls(100.0, 1e6) }) },
    Pair { rule: "statement-dominates",
        fires: |r| statement(r, "1", "SELECT * FROM v WHERE a = $1", StatementFigures { blocks_hit: 12e3 * 1e4, ..calls(12.0, 1e9) }),
        // A report that somebody asks for now and then.
        silent: |r| statement(r, "1", "SELECT * FROM v WHERE a = $1", StatementFigures { blocks_hit: 11e3 * 1e4, ..calls(11.0, 1e9) }) },
    Pair { rule: "statement-dominates",
        fires: |r| { statement(r, "1", "SELECT * FROM v WHERE a = $1", StatementFigures { blocks_hit: 1e6, ..calls(100.0, 1e6) }) },
        // All rows are asked for.
        silent: |r| { statement(r, "1", "SELECT sum(a) FROM v", StatementFigures { blocks_hit: 1e6, ..calls(100.0, 1e6) }) } },
    Pair { rule: "connection-churn",
        fires: |r| { counted(r).commits = Some(3000.0); counted(r).connections = Some(650.0) },
        // One for each health check.
        silent: |r| { counted(r).commits = Some(3000.0); counted(r).connections = Some(599.0) } },
    Pair { rule: "too-many-active",
        fires: |r| { running(r, 64.0); processes(r).classes[0].run_queue = Some(32.0) },
        silent: |r| { running(r, 64.0); processes(r).classes[0].run_queue = Some(31.0) } },
    Pair { rule: "too-many-active",
        // Idle by the server's word, and waiting for a CPU by the kernel's.
        fires: |r| { running(r, 1.0); processes(r).classes[0].run_queue = Some(64.0) },
        silent: |r| { running(r, 1.0); processes(r).classes[0].run_queue = Some(63.0) } },
    Pair { rule: "chatty-transactions",
        fires: |r| chatty(r, 10.0),
        silent: |r| chatty(r, 9.9) },
    Pair { rule: "slow-reader",
        fires: |r| { running(r, 2.0); at(r, Client, 0.51, "Client:ClientWrite") },
        // It waits to be told more, by a COPY.
        silent: |r| { running(r, 2.0); at(r, Client, 1.0, "Client:ClientRead") } },
    Pair { rule: "subtransactions",
        fires: |r| { running(r, 8.9); at(r, Latch, 1.0, "LWLock:SubtransSLRU") },
        silent: |r| { running(r, 9.1); at(r, Latch, 1.0, "LWLock:SubtransSLRU") } },
    Pair { rule: "multixact",
        fires: |r| { running(r, 1.7); at(r, Latch, 0.2, "LWLock:MultiXactMemberBuffer") },
        silent: |r| { running(r, 1.7); at(r, Latch, 0.19, "LWLock:MultiXactMemberBuffer") } },
    Pair { rule: "lock-manager",
        fires: |r| { running(r, 8.9); at(r, Latch, 1.0, "LWLock:LockManager") },
        silent: |r| { running(r, 9.1); at(r, Latch, 1.0, "LWLock:LockManager") } },
    Pair { rule: "procarray",
        fires: |r| { running(r, 8.9); at(r, Latch, 1.0, "LWLock:ProcArray") },
        // The CPUs are too few, and whoever holds it isn't running.
        silent: |r| { running(r, 70.0); at(r, Latch, 10.0, "LWLock:ProcArray"); processes(r).classes[0].run_queue = Some(40.0) } },
    Pair { rule: "wal-insert",
        fires: |r| { running(r, 8.9); at(r, Latch, 1.0, "LWLock:WALInsert") },
        silent: |r| { running(r, 9.1); at(r, Latch, 1.0, "LWLock:WALInsert") } },
    Pair { rule: "buffer-content",
        fires: |r| { running(r, 8.9); at(r, Latch, 1.0, "LWLock:BufferContent") },
        silent: |r| { running(r, 9.1); at(r, Latch, 1.0, "LWLock:BufferContent") } },
    Pair { rule: "extension-lock",
        fires: |r| { running(r, 8.9); at(r, Write, 1.0, "Lock:extend") },
        silent: |r| { running(r, 8.9); at(r, Write, 1.0, "IO:DataFileExtend") } },
    Pair { rule: "wraparound-near",
        fires: |r| reserves(r).oldest_database = Some(("shop".into(), 1e9)),
        silent: |r| reserves(r).oldest_database = Some(("shop".into(), 0.99e9)) },
    Pair { rule: "wraparound-near",
        fires: |r| { reserves(r).oldest_database = Some(("shop".into(), 1.9e9)); set(r, "autovacuum_freeze_max_age", "1800000000") },
        silent: |r| { reserves(r).oldest_database = Some(("shop".into(), 1.6e9)); set(r, "autovacuum_freeze_max_age", "1500000000") } },
    Pair { rule: "slot-keeps-wal",
        fires: |r| reserves(r).unread_slots.push(("old".into(), 1.1e9)),
        silent: |r| { reserves(r).unread_slots.push(("old".into(), 1.1e9)); set(r, "max_wal_size", "4GB") } },
    Pair { rule: "archiver-failing",
        fires: |r| reserves(r).archive_failures = Some(1.0),
        silent: |r| reserves(r).archive_failures = None },
    Pair { rule: "filtered-after-index",
        fires: |r| filtered(r, 1000.0, 100.0),
        silent: |r| filtered(r, 999.0, 100.0) },
    Pair { rule: "filtered-after-index",
        fires: |r| { filtered(r, 1000.0, 100.0); books(r).list[0].took.rows = 100.0 * 10.0 },
        // It returns more than a hundredth of what the index finds.
        silent: |r| { filtered(r, 1000.0, 100.0); books(r).list[0].took.rows = 100.0 * 10.1 } },
    Pair { rule: "filtered-after-index",
        fires: |r| filtered(r, 5000.0, 200.0),
        // Others use the index.
        silent: |r| filtered(r, 5000.0, 201.0) },
    Pair { rule: "filtered-after-index",
        fires: |r| { filtered(r, 5000.0, 100.0); consumers(r).plans[0].nodes[0].kind = "Aggregate".into(); books(r).list[0].took.rows = 1e6 },
        // All that the index finds is summed up.
        silent: |r| { filtered(r, 5000.0, 100.0); consumers(r).plans[0].nodes[0].kind = "Aggregate".into(); consumers(r).plans[0].nodes[1].rows = 4000.0 } },
    Pair { rule: "statement-slower",
        fires: |r| slower(r, 5.0, 5.0),
        silent: |r| slower(r, 4.9, 5.0) },
    Pair { rule: "statement-slower",
        fires: |r| slower(r, 9.0, 5.0),
        // As many blocks as ever: the cache is cold, or it waits.
        silent: |r| slower(r, 9.0, 4.9) },
    Pair { rule: "statement-slower",
        fires: |r| { slower(r, 9.0, 9.0); books(r).list[0].took.rows *= 2.0 },
        // It returns more.
        silent: |r| { slower(r, 9.0, 9.0); books(r).list[0].took.rows *= 2.1 } },
    Pair { rule: "statement-slower",
        fires: |r| slower(r, 9.0, 9.0),
        // Nobody knows its mean of before.
        silent: |r| { slower(r, 9.0, 9.0); books(r).list[0].before = Some(calls(99.0, 1e6)) } },
    Pair { rule: "index-invalid",
        fires: |r| index(r, 0.0, 0.0).invalid = true,
        // It is being built.
        silent: |r| { let index = index(r, 0.0, 0.0); index.invalid = true; index.in_progress = true } },
    Pair { rule: "index-unused",
        fires: |r| unused(r, 7.0),
        silent: |r| unused(r, 6.9) },
    Pair { rule: "index-unused",
        fires: |r| unused(r, 30.0),
        // It keeps rows unique.
        silent: |r| { unused(r, 30.0); consumers(r).indexes[0].unique = true } },
    Pair { rule: "index-unused",
        fires: |r| unused(r, 30.0),
        // Nobody writes it.
        silent: |r| { unused(r, 30.0); consumers(r).tables[0].updated = consumers(r).tables[0].hot_updated } },
    Pair { rule: "index-bloat",
        fires: |r| { let index = index(r, 10.0, 1.0); (index.blocks, index.expected_blocks) = (Some(300e3), Some(100e3)) },
        silent: |r| { let index = index(r, 10.0, 1.0); (index.blocks, index.expected_blocks) = (Some(300e3), Some(101e3)) } },
    Pair { rule: "index-bloat",
        fires: |r| { let index = index(r, 10.0, 1.0); (index.blocks, index.expected_blocks) = (Some(123e3), Some(1e3)) },
        // Small, whatever it is full of.
        silent: |r| { let index = index(r, 10.0, 1.0); (index.blocks, index.expected_blocks) = (Some(122e3), Some(1e3)) } },
    Pair { rule: "sequence-near-end",
        fires: |r| sequence(r, 1_610_612_736.0, 2_147_483_647.0, true),
        silent: |r| sequence(r, 1_610_612_735.0, 2_147_483_647.0, true) },
    Pair { rule: "connections-near-limit",
        fires: |r| seen(r).sessions.most_open = Some(90.0),
        silent: |r| seen(r).sessions.most_open = Some(89.0) },
];

/// A statement of 100 calls that reads orders by an index, and a filter behind it.
fn filtered(run: &mut Run, entries: f64, scans: f64) {
    table(run, orders());
    index(run, scans, entries);
    plan(run, "Index Scan", Some("orders_customer"), "(orders.state = $2)", &["state"]);
    let took = StatementFigures { blocks_hit: 1000.0 * 100.0, ..calls(100.0, 20e6) };
    statement(run, "1", "SELECT * FROM orders WHERE customer = $1 AND state = $2", took);
    statement(run, "2", "SELECT * FROM customers WHERE id = $1", calls(100e3, 10e3));
}

/// A statement that takes so many times as long as before, and so many times the blocks.
fn slower(run: &mut Run, longer: f64, blocks: f64) {
    let before = StatementFigures { blocks_hit: 100.0 * 100.0, ..calls(100.0, 1e6) };
    let took = StatementFigures { blocks_hit: 10.0 * 100.0 * blocks, ..calls(10.0, longer * 1e6) };
    statement(run, "1", "SELECT * FROM v WHERE a = $1", took);
    books(run).list[0].before = Some(before);
}

/// An index of orders that nothing has used for so many days.
fn unused(run: &mut Run, days: f64) {
    table(run, orders());
    let index = index(run, 0.0, 0.0);
    (index.scans_ever, index.statistics_age_s) = (0.0, Some(days * 86_400.0));
}

/// Checkpoints beside WAL of 1 GB in the minute, of which images are a share.
fn checkpoints(run: &mut Run, requested: f64, timed: f64, images: f64) {
    let counted = counted(run);
    counted.checkpoints_requested = Some(requested);
    counted.checkpoints_timed = Some(timed);
    counted.log_bytes = Some(1e9);
    counted.full_pages = Some(images * 1e9 / 8192.0);
    set(run, "max_wal_size", "1GB");
    set(run, "checkpoint_timeout", "5min");
}

/// Parents are deleted, and for each its children are read as a whole, 100 times.
fn foreign_key(run: &mut Run, gone: f64, rows: f64) {
    consumers(run).unindexed_keys.push(UnindexedKey {
        name: "lines_order_fkey".into(),
        table: "public.lines".into(),
        columns: "order_id".into(),
        refers_to: "public.orders".into(),
        rows_gone: gone,
    });
    table(
        run,
        TableUse {
            name: "public.lines".into(),
            sequential_scans: 100.0,
            sequential_rows: 100.0 * rows,
            ..orders()
        },
    );
    let took = StatementFigures { blocks_hit: 2000.0 * 100.0, ..calls(100.0, 20e6) };
    statement(run, "1", "DELETE FROM orders WHERE id = $1", took);
}

/// Orders are read as a whole 100 times, by a statement.
fn scanned(run: &mut Run, rows: f64, text: &str) {
    table(run, TableUse { sequential_scans: 100.0, sequential_rows: 100.0 * rows, ..orders() });
    let took = StatementFigures { blocks_hit: 2000.0 * 100.0, ..calls(100.0, 20e6) };
    statement(run, "1", text, took);
    statement(run, "2", "SELECT * FROM customers WHERE id = $1", calls(100e3, 20e3));
}

/// Parallel workers of somebody, beside a table of so many rows.
fn workers_beside(run: &mut Run, rows: f64) {
    of_class(run, ProcessClass::ParallelWorker, Running, 1.0, "");
    let table = &mut consumers(run).tables[0];
    (table.live_rows, table.dead_rows) = (rows, 0.0);
}

/// Two statements that nobody counts, with the same number of sessions.
fn sampled(run: &mut Run, one: &str, other: &str) {
    consumers(run).statements = None;
    for (id, text) in [("1", one), ("2", other)] {
        group(run, ConsumerKind::Statement, id, Running, 1.0, "");
        let sampled = consumers(run).sampled.as_mut().expect("just made");
        sampled.texts.push((id.into(), text.into()));
    }
}

/// One report with a share of the time, beside short statements.
fn report(run: &mut Run, share: f64) {
    let share = share / 7.4 * 7.45;
    running(run, 8.0);
    table(run, TableUse { sequential_scans: 2.0, sequential_rows: 200e3, ..orders() });
    group(run, ConsumerKind::Statement, "1", Running, 8.0 * share, "");
    let took = StatementFigures { blocks_hit: 2.0 * 2000.0, ..calls(2.0, 10e9) };
    statement(run, "1", "SELECT state, sum(total) FROM orders GROUP BY state", took);
    group(run, ConsumerKind::Statement, "2", Running, 8.0 * (1.0 - share), "");
    statement(run, "2", "SELECT * FROM customers WHERE id = $1", calls(120e3, 1e5));
}

/// Reads the table every second.
fn report_by(run: &mut Run, text: &str) {
    report(run, 0.9);
    let list = &mut books(run).list;
    list[0].text = Some(text.into());
    list[0].took = StatementFigures { blocks_hit: 60.0 * 2000.0, ..calls(60.0, 0.3e9) };
}

/// A table in use, of 100,000 rows.
fn stale(run: &mut Run, changed: f64, age_s: Option<f64>) {
    stale_by(run, changed, age_s, 2e6);
}

/// So many transactions per second.
fn rate(run: &mut Run, per_s: f64) {
    let of = run.measurements.iter_mut().flat_map(|m| &mut m.metrics);
    of.filter(|of| of.name == metric::THROUGHPUT).for_each(|of| of.value = per_s);
}

/// With so many ns per call of the statement that reads it.
fn stale_by(run: &mut Run, changed: f64, age_s: Option<f64>, ns: f64) {
    table(run, TableUse { changed_since_analyze: changed, analyze_age_s: age_s, ..orders() });
    statement(run, "1", "SELECT * FROM orders WHERE customer = $1", calls(5e3, ns));
}

/// A statement that writes temporary blocks.
fn spill(run: &mut Run, text: &str, blocks: f64) {
    let took = StatementFigures { temp_blocks: blocks, ..calls(10.0, 1e9) };
    statement(run, "1", text, took);
}

/// 16 MB for a table of 16.4 MB, read again and again.
fn small_pool(run: &mut Run) {
    set(run, "shared_buffers", "15MB");
    running(run, 2.0);
    at(run, Read, 1.0, "IO:DataFileRead");
    counted(run).block_hits = Some(900e3);
    counted(run).block_reads = Some(100e3);
    table(run, orders());
}

/// Dead rows as many as live ones or more.
fn dead(run: &mut Run, rows: f64) {
    table(run, TableUse { live_rows: rows.min(4000.0), dead_rows: rows, ..orders() });
}

/// Statements with so many sessions in them.
fn statements_of(run: &mut Run, sessions: f64) {
    group(run, ConsumerKind::Statement, "100", Running, sessions, "");
}

/// Three statements that run.
fn several(run: &mut Run, one: f64, others: f64) {
    running(run, 8.0);
    for (id, share) in [("1", one), ("2", others), ("3", others)] {
        group(run, ConsumerKind::Statement, id, Running, 8.0 * share / 100.0, "");
        statement(run, id, &format!("SELECT f{id}($1)"), calls(1e3 * share, 1e5));
    }
}

/// A statement that is called again and again in each transaction.
fn chatty(run: &mut Run, each: f64) {
    running(run, 1.0);
    at(run, IdleInTransaction, 5.0, "Client:ClientRead");
    let transactions = counted(run).transactions().unwrap();
    statement(run, "1", "SELECT * FROM lines WHERE id = $1", calls(each * transactions, 20e3));
}

fn fired(change: fn(&mut Run)) -> Vec<String> {
    let mut run = healthy();
    change(&mut run);
    causes(&run).into_iter().map(|cause| cause.id).collect()
}

#[test]
fn each_rule_fires_and_is_silent_on_a_near_miss() {
    for (n, pair) in PAIRS.iter().enumerate() {
        let id = pair.rule.to_string();
        let (fires, silent) = (fired(pair.fires), fired(pair.silent));
        assert!(fires.contains(&id), "pair {n}: {id} does not fire: {fires:?}");
        assert!(!silent.contains(&id), "pair {n}: {id} fires on its near miss: {silent:?}");
    }
}

#[test]
fn every_rule_has_a_pair_and_no_id_is_there_twice() {
    let with: BTreeSet<&str> = PAIRS.iter().map(|pair| pair.rule).collect();
    let ids: Vec<&str> = rules().iter().map(|rule| rule.id).collect();
    let unique: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len());
    // MariaDB's have theirs beside them.
    let these = unique.into_iter().filter(|id| !id.starts_with("mariadb-")).collect();
    assert_eq!(with, these);
}

#[test]
fn what_only_names_a_consumer_or_a_wait_is_told_as_that() {
    let without: Vec<&str> =
        rules().iter().filter(|rule| !rule.has_reason).map(|rule| rule.id).collect();
    assert_eq!(
        without,
        [
            "flushes",
            "statement-dominates",
            "mariadb-statement-dominates",
            "mariadb-durable-commits"
        ]
    );
    for pair in PAIRS {
        let mut run = healthy();
        (pair.fires)(&mut run);
        for cause in causes(&run) {
            assert_eq!(cause.has_reason, !without.contains(&cause.id.as_str()), "{}", cause.id);
        }
    }
}

#[test]
fn what_a_rule_supersedes_is_a_rule() {
    let ids: BTreeSet<&str> = rules().iter().map(|rule| rule.id).collect();
    for rule in rules() {
        for other in rule.supersedes {
            assert!(ids.contains(other) && *other != rule.id, "{}: {other}", rule.id);
        }
    }
}

#[test]
fn a_cause_says_all_that_it_has_to() {
    for pair in PAIRS {
        let mut run = healthy();
        (pair.fires)(&mut run);
        for cause in causes(&run).iter().filter(|cause| cause.id == pair.rule) {
            for text in [&cause.summary, &cause.evidence, &cause.action, &cause.undo, &cause.verify]
            {
                assert!(!text.is_empty(), "{cause:#?}");
                assert!(!text.contains("1 sessions") && !text.contains("-0"), "{text}");
                assert!(!text.ends_with('.') && !text.contains("  "), "{text}");
            }
            assert_eq!(cause.measurement, ID);
        }
    }
}
