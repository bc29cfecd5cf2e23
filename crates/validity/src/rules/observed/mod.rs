//! Somebody's server, looked at: what bears on its figures, and what its own counters say against it.

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

/// A note or more on the look.
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
        "The look was shorter than ten seconds",
        "Look for a minute or more (--for 60s)",
        "Sessions report their counts up to a second late, so that a tenth of a short look may belong to another time",
        "PostgreSQL source, PGSTAT_MIN_INTERVAL",
    ),
    Rule {
        figures: &[LENGTH],
        ..rule(
            RuleId::OBSERVED_FEW_SAMPLES.as_str(),
            Suspect,
            below(SAMPLES, Observation::LEAST_SAMPLES),
            "Sessions were looked at too rarely to say what they wait for",
            "Look for longer, and with a role that is a member of pg_monitor",
            "With 200 samples a share of one half is known to ± 7 points; the counters don't depend on it, but the sum does",
            "binomial proportion, normal approximation",
        )
    },
    Rule {
        figures: &[LENGTH],
        ..rule(
            RuleId::OBSERVED_FEW_TRANSACTIONS.as_str(),
            Suspect,
            below(TRANSACTIONS, Observation::LEAST_TRANSACTIONS),
            "Few transactions ended in the look",
            "Look for longer, or when the server is used",
            "What a transaction took is then told by chance: of 100 the mean is known to a tenth at best",
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
            "Sessions were at work, and fewer transactions ended than there were sessions",
            "Look at what they wait for: at a lock, SELECT pid, pg_blocking_pids(pid) FROM pg_stat_activity says who holds it",
            "They hang, each of their transactions lasts longer than the look, or they end uncounted: PostgreSQL 15 \
             reports no transaction that touched no table. The rate is then no zero but unknown",
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
                to: SESSIONS_THERE,
                over: Over::Median,
                test: Test::Above(1.02),
            },
            "CPU time, run queue and waits come to more sessions than there were: some time was counted twice",
            "Look again; on a machine of few CPUs the samples themselves take a CPU from those who are looked at",
            "A session-second per second is one session: more of them than sessions are no time, so that the parts are wrong by as much",
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
            "By the server's account more sessions were in statements than there were",
            "Look for longer than the longest statement",
            "A statement is counted when it ends, with all of its time: one that began long before the look brings that along",
            STATISTICS,
        )
    },
    Rule {
        figures: &[TRANSACTIONS],
        ..rule(
            "observed-workers-counted",
            Note,
            above(WORKERS, 0.05),
            "Starts of parallel workers are among the transactions, two of each: clients see a lower rate",
            "Take the clients' own rate, or the calls in pg_stat_statements",
            "The server counts what a worker does to begin and to end as transactions; time per transaction is too low by as much",
            STATISTICS,
        )
    },
    rule(
        RuleId::OBSERVED_COUNTERS_RESET.as_str(),
        Suspect,
        above(RESET, 0.0),
        "Counters were reset during the look, or the server started again",
        "Look again",
        "What was counted before the reset is lost, so that rates and times per transaction are of another time than the samples",
        STATISTICS,
    ),
    rule(
        "observed-load-changed",
        Note,
        When::Any(&[
            When::Drift { p_within: 0.01, p_between: 0.05, share: 0.10 },
            When::Wide { half_width: 0.25 },
        ]),
        "The load changed during the look: its figures are means of it",
        "Look again when it is steady, or for longer",
        "Clients choose the load, and a mean over it is a true one; for a moment of it look at the history",
        "Mann 1945, Kendall 1975",
    ),
    Rule {
        figures: &[REQUESTED, TIMED, LENGTH],
        ..rule(
            "observed-checkpoints-requested",
            Note,
            above(REQUESTED_BEYOND_TIMED, 0.0),
            "More checkpoints were requested than came by time: max_wal_size is too small for this load",
            "Raise max_wal_size until checkpoints come by checkpoint_timeout",
            "Each one makes the next change of every page write all of it to the log, and forces its writes into less time",
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
            "No checkpoint began during the look: log and writes are those of a part of the cycle",
            "Look for longer than checkpoint_timeout to see all of it",
            "After a checkpoint pages go to the log whole, and that falls off with time; the figures are true for their time",
            CHECKPOINTS,
        )
    },
    Rule {
        figures: &[Metric(metric::WAL_BYTES_PER_OP), ALL_CHECKPOINTS],
        ..rule(
            "observed-full-pages",
            Note,
            above(Metric(metric::FULL_PAGE_SHARE), 0.5),
            "Most of the log may be whole pages: a checkpoint was not long ago, or they come too often",
            "Lengthen checkpoint_timeout and max_wal_size, or try wal_compression",
            "Pages are counted, not their bytes: with compression or much free space in them it is less",
            "PostgreSQL documentation: full_page_writes, WAL Configuration",
        )
    },
    rule(
        "observed-log-buffers-full",
        Note,
        above(BUFFERS_FULL, 0.1),
        "Sessions write the log because its buffers are full, before they commit",
        "Raise wal_buffers (16 MB is the most that is chosen by itself), or log less",
        "Such a write holds up statements, which no figure of commits shows",
        STATISTICS,
    ),
    rule(
        "observed-sessions-write",
        Note,
        above(WRITTEN_BY_SESSIONS, 0.2),
        "Sessions write blocks themselves to make room: the background writer doesn't keep up",
        "Raise shared_buffers, or bgwriter_lru_maxpages and bgwriter_lru_multiplier; bulk loads write for themselves by design",
        "Who writes waits for it, in the middle of a statement",
        "PostgreSQL documentation: Background Writer",
    ),
    rule(
        "observed-temporary-files",
        Note,
        above(TEMPORARY, 1e6),
        "Sorts and hashes spill to temporary files",
        "Raise work_mem for the statements that do (log_temp_files names them)",
        "Their writes and reads share drives and page cache with the tables",
        "PostgreSQL documentation: Resource Consumption, work_mem",
    ),
    Rule {
        about: About::Measurement(
            Select::ids(LOOK).needs(&[Need::Less(POOL, Quantity::QuarterOfMemory)]),
        ),
        figures: &[POOL, Quantity::MemoryBytes, Metric(metric::BLOCK_READS_PER_OP)],
        ..rule(
            "observed-pool-small",
            Note,
            below(HITS, 0.95),
            "Blocks are often missed in a buffer pool that is small beside the memory",
            "Look where the time goes first: a miss that the page cache answers costs a copy, not a read",
            "A ratio is no verdict: whether it costs anything is in the waits for reads",
            "PostgreSQL documentation: Resource Consumption, shared_buffers",
        )
    },
    rule(
        "observed-idle-in-transaction",
        Note,
        above(IDLE_IN_TRANSACTION, MINUTE_NS),
        "A session was idle in its transaction for more than a minute",
        "Find the client that doesn't end it; idle_in_transaction_session_timeout ends it for them",
        "It holds its locks, and keeps vacuum from removing what it might still see",
        VACUUM,
    ),
    rule(
        "observed-old-transaction",
        Note,
        above(OLDEST, 10.0 * MINUTE_NS),
        "A transaction has been open for more than ten minutes",
        "See whether its statement has to run here and now; a standby may serve it",
        "Vacuum removes nothing that died since it began, so that tables and indexes grow with every update",
        VACUUM,
    ),
    rule(
        "observed-prepared-transaction",
        Note,
        above(PREPARED, 10.0 * MINUTE_NS),
        "A prepared transaction has waited for its second phase for more than ten minutes",
        "Find its transaction manager; pg_prepared_xacts names it, COMMIT PREPARED or ROLLBACK PREPARED ends it",
        "It holds its locks and keeps vacuum back also when nobody is connected, and survives a restart",
        "PostgreSQL documentation: PREPARE TRANSACTION",
    ),
    rule(
        "observed-slot-holds",
        Note,
        above(SLOT_HOLDS, 1e6),
        "A replication slot keeps vacuum from what died since an old snapshot",
        "See in pg_replication_slots who should read it; pg_drop_replication_slot where nobody will",
        "Tables and indexes grow with every update, and reads pass over more and more dead rows",
        "PostgreSQL documentation: pg_replication_slots, xmin and catalog_xmin",
    ),
    rule(
        "observed-autovacuum",
        Note,
        above(AUTOVACUUM, 0.5),
        "Autovacuum was at work for much of the look",
        "What it takes of CPU and drives is a line of its own; look again without it to see the difference",
        "Its work is part of this load's price, but comes in stretches, and another look may meet none",
        VACUUM,
    ),
    rule(
        "observed-deadlocks",
        Note,
        above(DEADLOCKS, 0.0),
        "Transactions were cancelled because they waited for each other",
        "Take locks in one order in all of them; the server's log names the statements",
        "A deadlock is found after deadlock_timeout (1 s by default), and both waited until then",
        "PostgreSQL documentation: Explicit Locking, Deadlocks",
    ),
    rule(
        "observed-lock-queue",
        Note,
        above(BEHIND_ONE, 4.0),
        "Many sessions waited behind one that held a lock",
        "See what its transaction does while it holds it: fewer statements, or none of the client's thinking, in between",
        "They go on one after the other, so that neither CPUs nor drives would help them",
        "PostgreSQL documentation: pg_blocking_pids",
    ),
    rule(
        "observed-connections-near",
        Note,
        above(CONNECTED, 0.9),
        "Almost as many sessions were connected as are allowed",
        "Put a pool of connections in front, or raise max_connections",
        "The next one is refused, whatever the server could still do",
        "PostgreSQL documentation: Connections and Authentication",
    ),
    Rule {
        about: About::Measurement(Select::ids(LOOK).needs(&[Need::AtLeast(CONNECTIONS, 1.0)])),
        figures: &[CONNECTIONS],
        ..rule(
            "observed-connection-storm",
            Note,
            above(CONNECTIONS_EACH, 0.2),
            "A connection is made for a few transactions only",
            "Keep connections, or put a pool in front of the server",
            "Each one starts a process, which takes more CPU time than a short transaction",
            STATISTICS,
        )
    },
    rule(
        "observed-quota-stops",
        Note,
        above(STOPPED, 0.05),
        "A CPU quota stopped the server again and again",
        "Raise the quota of its control group if the verdict names it",
        "A quota is a configured limit; who is stopped waits for the rest of its period, also where CPUs are idle on average",
        "Linux Documentation/scheduler/sched-bwc.rst, nr_throttled",
    ),
    rule(
        "observed-others",
        Note,
        above(OTHERS, 0.15),
        "Processes of others use the server's CPUs",
        "Move them, or count them in",
        "What they take is missing from the server's capacity, now; at another time it may be there",
        "proc(5), /proc/stat less the server's processes",
    ),
    rule(
        "observed-hot-process",
        Note,
        above(HOTTEST, 0.95),
        "One process of the server was on a CPU all the time",
        "See which it is: a session's statement can't go faster than one CPU unless it is given parallel workers",
        "More CPUs don't help a process that is one; whether others wait for it is for the verdict to say",
        "proc(5), schedstat",
    ),
    rule(
        "observed-fsync-off",
        Suspect,
        When::Says { key: condition::FSYNC.any(), any_of: &["off"] },
        "fsync is off: nothing is flushed, and commits are not durable",
        "Switch fsync on and look again; a crash of the machine can destroy the whole database as it is",
        "The rates are true, and no verdict on them holds for a server whose commits last",
        SETTINGS,
    ),
    rule(
        "observed-no-full-pages",
        Note,
        When::Says { key: condition::FULL_PAGE_WRITES.any(), any_of: &["off"] },
        "full_page_writes is off: a page torn by a crash can't be repaired from the log",
        "Make sure that the storage writes whole database pages or none of one",
        "The log is smaller than it would be, and on storage that tears pages the database is not safe",
        SETTINGS,
    ),
    rule(
        "observed-commits-do-not-wait",
        Note,
        When::Says { key: condition::SYNCHRONOUS_COMMIT.any(), any_of: &["off"] },
        "synchronous_commit is off: commits return before they are durable",
        "Look whether losing the last commits in a crash is bearable for all who use the server",
        "It is a choice that an administrator may make; the log is then nobody's wait, and the verdict has no bound for it",
        SETTINGS,
    ),
    rule(
        "observed-no-read-times",
        Note,
        When::Says { key: condition::TRACK_IO_TIMING.any(), any_of: &["off"] },
        "track_io_timing is off: how long reads and writes take isn't counted",
        "Switch it on if pg_test_timing shows a cheap clock; it needs no restart",
        "The time in reads is then known by samples alone, and a read's own time not at all",
        STATISTICS,
    ),
    rule(
        "observed-no-flush-times",
        Note,
        When::Says { key: condition::TRACK_WAL_IO_TIMING.any(), any_of: &["off"] },
        "track_wal_io_timing is off: how long a flush of the log takes isn't counted",
        "Switch it on if pg_test_timing shows a cheap clock; it needs no restart",
        "Whether the flush is slow in the server or at the device can't be told without it",
        STATISTICS,
    ),
    rule(
        "observed-jit-early",
        Note,
        below(JIT_FROM, 100_000.0),
        "Statements are compiled (jit) at a lower cost than the default",
        "See in EXPLAIN ANALYZE whether compiling takes more than it saves",
        "Compiling takes tens of milliseconds of CPU time for each execution, and is no wait that samples show",
        "PostgreSQL documentation: Just-in-Time Compilation",
    ),
    rule(
        "observed-assertions",
        Note,
        When::Says { key: condition::DEBUG_ASSERTIONS.any(), any_of: &["on"] },
        "The server was built with assertions, which cost CPU time everywhere",
        "Use a build for production",
        "The figures are this build's and can't be compared with another's",
        "PostgreSQL documentation: Preset Options, debug_assertions",
    ),
    rule(
        "observed-unoptimised",
        Note,
        above(UNOPTIMISED, 0.0),
        "The server was built without optimisation, or for size",
        "Use a build with -O2",
        "The figures are this build's and can't be compared with another's",
        "PostgreSQL documentation: pg_config",
    ),
];
