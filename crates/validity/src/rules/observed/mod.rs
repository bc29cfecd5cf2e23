//! A server that was only observed: what limits its figures, and what its own counters say against it.

mod figures;

use narrows_model::{Observation, RuleId, Severity, Workload, condition, metric};

use crate::Quantity::Metric;
use crate::{About, Group, Need, Over, Quantity, Rule, Select, Test, When};
use Severity::{Note, Suspect};
use figures::*;

const LOOK: &[&str] = &[Workload::Observed.measurement_id()];
const ABOUT: About = About::Measurement(Select::ids(LOOK));
const SETTINGS: &str = "PostgreSQL documentation: Write Ahead Log, Settings";
const STATISTICS: &str = "PostgreSQL documentation: The Cumulative Statistics System";
const CHECKPOINTS: &str = "PostgreSQL documentation: WAL Configuration";
const VACUUM: &str = "PostgreSQL documentation: Routine Vacuuming";

const fn above(of: Quantity, bound: f64) -> When {
    When::Value { of, over: Over::Median, test: Test::Above(bound) }
}

const fn below(of: Quantity, bound: f64) -> When {
    When::Value { of, over: Over::Median, test: Test::Below(bound) }
}

/// A note or more on the observation.
const fn rule(
    id: &'static str,
    severity: Severity,
    when: When,
    summary: &'static str,
    advice: &'static str,
    reason: &'static str,
    reference: &'static str,
) -> Rule {
    Rule {
        id,
        group: Group::Observed,
        severity,
        about: ABOUT,
        when,
        figures: &[],
        summary,
        advice,
        reason,
        reference,
    }
}

pub(super) const RULES: &[Rule] = &[
    rule(
        RuleId::OBSERVED_TOO_SHORT.as_str(),
        Suspect,
        below(LENGTH, 10e9),
        "Observed for less than ten seconds",
        "Observe for a minute or more (--for 60s)",
        "Sessions report their counts up to a second late, so a tenth of a short interval may belong to another time",
        "PostgreSQL source, PGSTAT_MIN_INTERVAL",
    ),
    Rule {
        figures: &[LENGTH],
        ..rule(
            RuleId::OBSERVED_FEW_SAMPLES.as_str(),
            Suspect,
            below(SAMPLES, Observation::LEAST_SAMPLES),
            "Too few samples of sessions to say what they wait for",
            "Observe longer, and with a role that is a member of pg_monitor",
            "With 200 samples a share of one half is known to ± 7 points; the counters do not depend on it, but the sum does",
            "binomial proportion, normal approximation",
        )
    },
    Rule {
        figures: &[LENGTH],
        ..rule(
            RuleId::OBSERVED_FEW_TRANSACTIONS.as_str(),
            Suspect,
            below(TRANSACTIONS, Observation::LEAST_TRANSACTIONS),
            "Few transactions ended while observed",
            "Observe longer, or when the server is in use",
            "The time per transaction is then largely chance: the mean of 100 is known to a tenth at best",
            "Poisson: one over the root of the count",
        )
    },
    Rule {
        about: About::Measurement(Select::ids(LOOK).needs(&[Need::AtLeast(AT_WORK, 0.5)])),
        figures: &[LENGTH],
        ..rule(
            "observed-work-without-transactions",
            Suspect,
            When::Ratio {
                of: TRANSACTIONS,
                to: AT_WORK,
                over: Over::Median,
                test: Test::Below(1.0),
            },
            "Fewer transactions ended than there were active sessions",
            "Check what they wait for: for locks, SELECT pid, pg_blocking_pids(pid) FROM pg_stat_activity shows the blocker",
            "They hang, each of their transactions lasts longer than the interval, or their end is not counted: PostgreSQL 15 reports no transaction that touched no table. The rate is then unknown, not zero",
            STATISTICS,
        )
    },
    Rule {
        figures: &[LENGTH],
        ..rule(
            "observed-more-time-than-sessions",
            Suspect,
            When::Ratio {
                of: Metric(metric::SUMMED_SESSIONS),
                to: LASTING_SESSIONS,
                over: Over::Median,
                test: Test::Above(1.02),
            },
            "CPU time, run queue and waits exceed the number of sessions: some time was counted twice",
            "Observe again; on a machine with few CPUs the sampling itself takes CPU time from the sessions",
            "One session-second per second is one session: more of them than sessions cannot be, so the parts are wrong by as much",
            "Denning and Buzen, The Operational Analysis of Queueing Network Models, 1978",
        )
    },
    Rule {
        figures: &[LENGTH],
        ..rule(
            "observed-more-account-than-sessions",
            Suspect,
            When::Ratio {
                of: IN_STATEMENTS,
                to: SESSIONS_THERE,
                over: Over::Median,
                test: Test::Above(1.05),
            },
            "The server counts more sessions in statements than there were",
            "Observe longer than the longest statement lasts",
            "A statement is counted with all of its time when it ends: one that began long before the interval brings that along",
            STATISTICS,
        )
    },
    Rule {
        figures: &[TRANSACTIONS],
        ..rule(
            "observed-workers-counted",
            Note,
            above(WORKERS, 0.05),
            "Parallel worker starts count as two transactions each: clients see a lower rate",
            "Use the clients' own rate, or the calls in pg_stat_statements",
            "The server counts what a worker does to start and to end as transactions; time per transaction is too low by as much",
            STATISTICS,
        )
    },
    rule(
        RuleId::OBSERVED_COUNTERS_RESET.as_str(),
        Suspect,
        above(RESET, 0.0),
        "Statistics were reset while observed, or the server restarted",
        "Observe again",
        "Counts from before the reset are lost, so rates and times per transaction are of another time than the samples",
        STATISTICS,
    ),
    rule(
        "observed-load-changed",
        Note,
        When::Any(&[
            When::Drift { p_within: 0.01, p_between: 0.05, share: 0.10 },
            When::Wide { half_width: 0.25 },
        ]),
        "The load changed while observed: the figures are means of it",
        "Observe again when it is steady, or longer",
        "Clients set the load, and its mean is true; for a moment of it look at the history",
        "Mann 1945, Kendall 1975",
    ),
    Rule {
        figures: &[RATE_BEFORE, RATE_SINCE, LENGTH],
        ..rule(
            "observed-again",
            Note,
            above(BEFORE, 0.0),
            "Observed a second time, because the load had changed: the figures are of the time after that",
            "For a verdict on the load before, observe again when it is back",
            "A mean of two loads, or of the time before and after a limit, belongs to neither",
            "Denning and Buzen, The Operational Analysis of Queueing Network Models, 1978, homogeneity",
        )
    },
    Rule {
        figures: &[REQUESTED, TIMED, LENGTH],
        ..rule(
            "observed-checkpoints-requested",
            Note,
            above(REQUESTED_BEYOND_TIMED, 0.0),
            "More checkpoints were requested than timed: max_wal_size is too small for this load",
            "Raise max_wal_size until checkpoints come by checkpoint_timeout",
            "After each checkpoint the next change of every page writes the whole page to WAL, and a requested one has less time for its writes",
            CHECKPOINTS,
        )
    },
    Rule {
        about: About::Measurement(Select::ids(LOOK).needs(&[Need::AtLeast(WRITERS, 1.0)])),
        figures: &[LENGTH, Metric(metric::WAL_BYTES_PER_OP)],
        ..rule(
            "observed-no-checkpoint",
            Note,
            below(ALL_CHECKPOINTS, 1.0),
            "No checkpoint began while observed: WAL and writes show a part of the cycle",
            "To see all of it, observe longer than checkpoint_timeout",
            "After a checkpoint full-page images go to WAL, fewer with time; the figures are true for their time",
            CHECKPOINTS,
        )
    },
    Rule {
        figures: &[Metric(metric::WAL_BYTES_PER_OP), ALL_CHECKPOINTS],
        ..rule(
            "observed-full-pages",
            Note,
            above(Metric(metric::FULL_PAGE_SHARE), 0.5),
            "WAL is mostly full-page images: the last checkpoint is recent, or they are too frequent",
            "Raise checkpoint_timeout and max_wal_size, or try wal_compression",
            "Pages are counted, not their bytes: with compression or much free space in them it is less",
            "PostgreSQL documentation: full_page_writes, WAL Configuration",
        )
    },
    rule(
        "observed-log-buffers-full",
        Note,
        above(BUFFERS_FULL, 0.1),
        "Sessions write WAL before they commit because wal_buffers is full",
        "Raise wal_buffers (the automatic setting ends at 16 MB), or write less WAL",
        "Such a write delays statements, which no figure about commits shows",
        STATISTICS,
    ),
    rule(
        "observed-sessions-write",
        Note,
        above(WRITTEN_BY_SESSIONS, 0.2),
        "Backends write dirty buffers themselves: the background writer is too slow",
        "Raise shared_buffers, or bgwriter_lru_maxpages and bgwriter_lru_multiplier; bulk loads write their own blocks by design",
        "The backend waits for the write in the middle of a statement",
        "PostgreSQL documentation: Background Writer",
    ),
    rule(
        "observed-temporary-files",
        Note,
        above(TEMPORARY, 1e6),
        "Sorts and hashes spill to temporary files",
        "Raise work_mem for the statements that do (log_temp_files lists them)",
        "Their writes and reads share drives and page cache with the tables",
        "PostgreSQL documentation: Resource Consumption, work_mem",
    ),
    Rule {
        about: About::Measurement(
            Select::ids(LOOK).needs(&[Need::Less(POOL, Quantity::QuarterOfMemory)]),
        ),
        figures: &[POOL, Quantity::MemoryBytes, Metric(metric::BLOCK_READS_PER_OP)],
        ..rule(
            "observed-buffer-pool-small",
            Note,
            below(HITS, 0.95),
            "The buffer hit ratio is low, and shared_buffers is small for this memory",
            "Check first where the time goes: a miss that the page cache answers costs a copy, not a read from a drive",
            "A ratio is no verdict: whether it costs anything shows in the waits for reads",
            "PostgreSQL documentation: Resource Consumption, shared_buffers",
        )
    },
    rule(
        "observed-idle-in-transaction",
        Note,
        above(IDLE_IN_TRANSACTION, MINUTE_NS),
        "A session was idle in transaction for more than a minute",
        "Find the client that does not end it; idle_in_transaction_session_timeout ends such sessions",
        "It holds its locks, and keeps vacuum from removing what it might still see",
        VACUUM,
    ),
    rule(
        "observed-old-transaction",
        Note,
        above(OLDEST, 10.0 * MINUTE_NS),
        "A transaction has been open for more than ten minutes",
        "Check whether its statement must run here and now; a standby may serve it",
        "Vacuum removes nothing that died since it began, so tables and indexes grow with every update",
        VACUUM,
    ),
    rule(
        "observed-prepared-transaction",
        Note,
        above(PREPARED, 10.0 * MINUTE_NS),
        "A prepared transaction has waited for its second phase for more than ten minutes",
        "Find its transaction manager; pg_prepared_xacts lists it, COMMIT PREPARED or ROLLBACK PREPARED ends it",
        "It holds its locks and holds vacuum back even when nobody is connected, and survives a restart",
        "PostgreSQL documentation: PREPARE TRANSACTION",
    ),
    rule(
        "observed-slot-holds",
        Note,
        above(SLOT_HOLDS, 1e6),
        "A replication slot keeps vacuum from removing rows that died since an old snapshot",
        "Find its reader in pg_replication_slots; pg_drop_replication_slot where there is none",
        "Tables and indexes grow with every update, and reads pass over more and more dead rows",
        "PostgreSQL documentation: pg_replication_slots, xmin and catalog_xmin",
    ),
    rule(
        "observed-autovacuum",
        Note,
        above(AUTOVACUUM, 0.5),
        "Autovacuum was active for most of the time",
        "Its CPU and I/O are a line of their own; observe again without it to see the difference",
        "Its work is part of this load's cost, but not at all times; another observation may see none",
        VACUUM,
    ),
    rule(
        "observed-deadlocks",
        Note,
        above(DEADLOCKS, 0.0),
        "Transactions were cancelled in deadlocks",
        "Take locks in the same order everywhere; the server log names the statements",
        "A deadlock is found after deadlock_timeout (1 s by default), and both waited until then",
        "PostgreSQL documentation: Explicit Locking, Deadlocks",
    ),
    rule(
        "observed-lock-queue",
        Note,
        above(BEHIND_ONE, 4.0),
        "Many sessions waited behind one that held a lock",
        "Check what its transaction does while it holds the lock: fewer statements, and no waiting for the client in between",
        "They continue one after the other, so neither CPUs nor drives would help them",
        "PostgreSQL documentation: pg_blocking_pids",
    ),
    rule(
        "observed-connections-near",
        Note,
        above(CONNECTED, 0.9),
        "Connections are close to max_connections",
        "Use a connection pool, or raise max_connections",
        "The next connection is refused, whatever capacity the server has left",
        "PostgreSQL documentation: Connections and Authentication",
    ),
    Rule {
        about: About::Measurement(Select::ids(LOOK).needs(&[Need::AtLeast(CONNECTIONS, 1.0)])),
        figures: &[CONNECTIONS],
        ..rule(
            "observed-connection-storm",
            Note,
            above(CONNECTIONS_EACH, SHORT_LIVED),
            "Connections last for a few transactions only",
            "Keep connections open, or use a connection pool",
            "Each one starts a process, which takes more CPU time than a short transaction",
            STATISTICS,
        )
    },
    rule(
        "observed-quota-stops",
        Note,
        above(STOPPED, 0.05),
        "A CPU quota throttled the server again and again",
        "Raise the quota of its control group if the verdict names it",
        "A quota is a configured limit; a throttled process waits for the rest of its period, even where CPUs are idle on average",
        "Linux Documentation/scheduler/sched-bwc.rst, nr_throttled",
    ),
    rule(
        "observed-other-programs",
        Note,
        above(OTHERS, 0.15),
        "Other programs use the server's CPUs",
        "Move them, or plan with them",
        "Their CPU time is missing from the server's capacity now; at another time it may be there",
        "proc(5), /proc/stat less the server's processes",
    ),
    rule(
        "observed-hot-process",
        Note,
        above(HOTTEST, 0.95),
        "One process of the server was on a CPU all the time",
        "Find which it is: a session's statement cannot be faster than one CPU without parallel workers",
        "More CPUs do not help a single process; whether others wait for it is for the verdict to say",
        "proc(5), schedstat",
    ),
    rule(
        "observed-fsync-off",
        Suspect,
        When::Says { key: condition::FSYNC.any(), any_of: &["off"] },
        "fsync is off: nothing is flushed, and commits are not durable",
        "Turn fsync on and observe again; without it a crash of the machine can destroy the whole database",
        "The rates are true, and no verdict on them holds for a server with durable commits",
        SETTINGS,
    ),
    rule(
        "observed-no-full-pages",
        Note,
        When::Says { key: condition::FULL_PAGE_WRITES.any(), any_of: &["off"] },
        "full_page_writes is off: WAL cannot repair a page torn by a crash",
        "Make sure that the storage writes database pages whole or not at all",
        "The server writes less WAL, and on storage that tears pages the database is not safe",
        SETTINGS,
    ),
    rule(
        "observed-commits-do-not-wait",
        Note,
        When::Says { key: condition::SYNCHRONOUS_COMMIT.any(), any_of: &["off"] },
        "synchronous_commit is off: commits return before they are durable",
        "Check whether all users of the server can afford to lose the last commits in a crash",
        "An administrator may choose it; then no session waits for WAL, and the verdict has no limit for it",
        SETTINGS,
    ),
    rule(
        "observed-no-read-times",
        Note,
        When::Says { key: condition::TRACK_IO_TIMING.any(), any_of: &["off"] },
        "track_io_timing is off: times of reads and writes are not counted",
        "Turn it on if pg_test_timing shows a fast clock; it needs no restart",
        "The time in reads is then known from samples only, and the time of one read not at all",
        STATISTICS,
    ),
    rule(
        "observed-no-flush-times",
        Note,
        When::Says { key: condition::TRACK_WAL_IO_TIMING.any(), any_of: &["off"] },
        "track_wal_io_timing is off: the time of WAL flushes is not counted",
        "Turn it on if pg_test_timing shows a fast clock; it needs no restart",
        "Without it, a flush that is slow in the server cannot be told from one that is slow at the device",
        STATISTICS,
    ),
    rule(
        "observed-jit-early",
        Note,
        below(JIT_FROM, 100_000.0),
        "Statements are compiled (jit) at a lower cost than the default",
        "Check with EXPLAIN ANALYZE whether compiling takes more than it saves",
        "Compiling takes tens of milliseconds of CPU time per execution, and samples show it as no wait",
        "PostgreSQL documentation: Just-in-Time Compilation",
    ),
    rule(
        "observed-assertions",
        Note,
        When::Says { key: condition::DEBUG_ASSERTIONS.any(), any_of: &["on"] },
        "The server was built with assertions, which cost CPU time everywhere",
        "Use a build for production",
        "The figures are this build's and cannot be compared with another's",
        "PostgreSQL documentation: Preset Options, debug_assertions",
    ),
    rule(
        "observed-unoptimised",
        Note,
        above(UNOPTIMISED, 0.0),
        "The server was built without optimisation, or for size",
        "Use a build with -O2",
        "The figures are this build's and cannot be compared with another's",
        "PostgreSQL documentation: pg_config",
    ),
];
