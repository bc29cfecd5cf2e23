//! The server's own counters against ours and the device's.

use narrows_model::{Key, Layer, Role, Severity, Workload, condition, metric, workload};

use crate::Quantity::{Constant, Metric, MetricOr, Number, Product, Total};
use crate::{About, Group, Need, Over, PathFact, Rule, Select, Test, When};

/// Where the layer keeps settings of the server that are not the default.
const WAL_SYNC_METHOD: Key<str> = condition::WAL_SYNC_METHOD.inside(condition::SERVER_SETTINGS);
const UPDATE: &[&str] = &["database.update"];
const STATISTICS: &str = "PostgreSQL documentation, The Cumulative Statistics System";

const OBSERVED: &str = Workload::Observed.measurement_id();

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "server-counts-differ",
        group: Group::Database,
        severity: Severity::Invalid,
        about: About::Measurement(Select::ids(workload::ONE_TRANSACTION)),
        when: When::Ratio {
            of: Metric(metric::SERVER_TRANSACTIONS),
            to: Metric(metric::SPAN_OPERATIONS),
            over: Over::Total,
            test: Test::Outside(0.99, 1.01),
        },
        figures: &[],
        summary: "Client and server counted different numbers of transactions",
        advice: "Look for other users of the database, or for transactions that were rolled back",
        reason: "Every figure per operation divides the server's counters by the client's count. All repeats together, because the server updates its counters with a delay",
        reference: STATISTICS,
    },
    Rule {
        id: "cached-lookups-read",
        group: Group::Database,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(&["database.lookup_cached*"])),
        when: When::Ratio {
            of: Metric(metric::BLOCK_READS_PER_OP),
            to: MetricOr(metric::BLOCKS_PER_OP, 1.0),
            over: Over::Median,
            test: Test::Above(0.01),
        },
        figures: &[Metric(metric::DEVICE_READ_BYTES)],
        summary: "Cached lookups missed shared_buffers",
        advice: "Warm up longer, or make the table smaller than shared_buffers",
        reason: "On a slow drive one miss in a hundred costs as much as many hits; the rate is true, but not that of a cached workload",
        reference: STATISTICS,
    },
    Rule {
        id: "cached-rows-in-cpu-caches",
        group: Group::Database,
        severity: Severity::Note,
        about: About::Measurement(
            Select::ids(&["database.lookup_cached*"]).except(&["*.open", "*.test.*"]),
        ),
        when: When::Ratio {
            of: Product(&[
                Number(condition::KEYS),
                Constant(TOUCHED_BYTES),
                Number(condition::WORKING_SET_OF_CACHE),
            ]),
            to: Number(condition::WORKING_SET_BYTES),
            over: Over::Median,
            test: Test::Below(2.0),
        },
        figures: &[Number(condition::KEYS), Number(condition::WORKING_SET_OF_CACHE)],
        summary: "The rows of cached lookups may fit into the CPU caches",
        advice: "For rows that come from memory: narrows db lookup --pool 8g --working-set 4g",
        reason: "A lookup touches about 512 bytes: the page's head, the row, its part of the index, the buffer's descriptor and its \
                 entry in the hash table. Below twice the last-level caches they are found there; a pool of 100 GB sends \
                 the same lookup to memory, which takes more CPU time. The rate is true for its rows",
        reference: "PostgreSQL documentation, Database Page Layout; cache lines of 64 bytes, counted",
    },
    Rule {
        id: "pool-missed",
        group: Group::Database,
        severity: Severity::Suspect,
        about: About::Measurement(
            Select::ids(&["database.batch*"])
                .needs(&[Need::Says(condition::FROM.any(), &["pool"])]),
        ),
        when: When::Ratio {
            of: Metric(metric::BLOCK_READS_PER_OP),
            to: MetricOr(metric::BLOCKS_PER_OP, 1.0),
            over: Over::Median,
            test: Test::Above(0.01),
        },
        figures: &[Metric(metric::DEVICE_READ_BYTES)],
        summary: "Blocks that should be in shared_buffers were read into it",
        advice: "Use a smaller --working-set or a larger pool, or read from the drive with --from drive",
        reason: "As for cached lookups: one miss in a hundred costs as much as many hits; the rate is true, but not that of a workload whose blocks are in shared_buffers",
        reference: STATISTICS,
    },
    Rule {
        id: "pool-missed-by-updates",
        group: Group::Database,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(&["database.update*"]).needs(&[
            Need::Says(condition::FROM.any(), &["pool"]),
            Need::AtLeast(Metric(metric::SERVER_READ_TIME_PER_OP), LEAST_READ_NS),
        ])),
        when: When::Ratio {
            of: Metric(metric::BLOCK_READS_PER_OP),
            to: MetricOr(metric::BLOCKS_PER_OP, 1.0),
            over: Over::Median,
            test: Test::Above(0.01),
        },
        figures: &[Metric(metric::SERVER_READ_TIME_PER_OP)],
        summary: "Blocks that updates should find in shared_buffers were read into it",
        advice: "Use a smaller --working-set or a larger pool, or read from the drive with --from drive",
        reason: "As for cached lookups. The server also counts a block that it adds to a table as read, as updates of hot rows need them, so the reads must have taken time: 100 ns per update, which is one read of 10 µs in a hundred. Without track_io_timing this is unknown",
        reference: STATISTICS,
    },
    Rule {
        id: "private-tables-shared",
        group: Group::Database,
        severity: Severity::Note,
        about: About::Measurement(Select::ids(&["database.*"])),
        when: When::Says { key: condition::PRIVATE_TABLES_SHARED.any(), any_of: &["true"] },
        figures: &[Metric(metric::SESSIONS)],
        summary: "More sessions than tables: several sessions shared a table",
        advice: "Compare with a run that starts with the same --sessions",
        reason: "A test with twice the sessions uses the existing tables: sessions may wait for each other's rows, which they do not in the run it is compared with",
        reference: "tables of the run, counted",
    },
    Rule {
        id: "uncached-lookups-hit",
        group: Group::Database,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(&["database.lookup_uncached*"])),
        when: When::Ratio {
            of: Metric(metric::BLOCK_READS_PER_OP),
            to: MetricOr(metric::BLOCKS_PER_OP, 1.0),
            over: Over::Median,
            test: Test::Below(0.5),
        },
        figures: &[Metric(metric::BLOCK_HITS_PER_OP)],
        summary: "More than half of the uncached lookups found their row in shared_buffers",
        advice: "Make the table larger, or shared_buffers smaller",
        reason: "The rate is true and its reads are counted, but the workload is not the one that its name says",
        reference: STATISTICS,
    },
    Rule {
        id: "page-cache-answered",
        group: Group::Database,
        severity: Severity::Invalid,
        about: About::Measurement(Select::ids(workload::BY_BLOCKS).needs(&[
            Need::Says(condition::UNCACHED_BY.any(), &["eviction", "debug_io_direct"]),
            Need::PathNot(PathFact::Volatile),
        ])),
        when: When::Ratio {
            of: Metric(metric::DEVICE_READ_BYTES),
            to: Metric(metric::SERVER_READ_BYTES),
            over: Over::Worst,
            test: Test::Below(0.9),
        },
        figures: &[],
        summary: "The page cache answered reads that the drives should answer",
        advice: "Use a server with debug_io_direct, or a table larger than memory",
        reason: "This workload shows the drives; with reads from memory its verdict would name the wrong resource",
        reference: "server's bytes against the drives' counters",
    },
    Rule {
        id: "fewer-flushes-than-commits-need",
        group: Group::Database,
        severity: Severity::Invalid,
        about: About::Measurement(
            Select::ids(workload::DURABLE)
                .except(&["*.test.sync_off", "*.test.fsync_off"])
                .needs(&[Need::SaysNot(WAL_SYNC_METHOD.any(), &["open_datasync", "open_sync"])]),
        ),
        when: When::Ratio {
            of: Product(&[Metric(metric::FLUSHES_PER_OP), Metric(metric::SESSIONS)]),
            to: MetricOr(metric::COMMITS_PER_OP, 1.0),
            over: Over::Median,
            test: Test::Below(0.5),
        },
        figures: &[Metric(metric::FLUSHES_PER_OP), Metric(metric::SESSIONS)],
        summary: "Fewer flushes than durable commits need: these commits were not durable",
        advice: "Check fsync, synchronous_commit and commit_delay on the server",
        reason: "One flush serves at most one waiting commit per session, so each session's commits need at least one flush each; half of that allows for late counters. O_DSYNC writes are not counted as flushes",
        reference: "group commit: one flush serves at most one commit of each session",
    },
    Rule {
        id: "server-limits-hidden",
        group: Group::Database,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(&["database.*"])),
        when: When::Says { key: condition::SERVER_LIMITS.any(), any_of: &["hidden"] },
        figures: &[],
        summary: "The server's control groups cannot be read from here: its limits are unknown",
        advice: "Run narrows on the node, or as root in a container that can read the server's process",
        reason: "A used-up CPU quota shows in no run queue: sessions then look idle, and the verdict \"clients are the bottleneck\" would be wrong. The limits of narrows' own group say nothing about the server's",
        reference: "cgroup_namespaces(7); Linux Documentation/admin-guide/cgroup-v2.rst",
    },
    Rule {
        id: "fsync-off",
        group: Group::Durability,
        severity: Severity::Invalid,
        about: About::Measurement(
            Select::ids(workload::DURABLE).except(&["*.test.sync_off", "*.test.fsync_off"]),
        ),
        when: When::Says {
            key: condition::FSYNC.inside(condition::SERVER_SETTINGS).any(),
            any_of: &["off"],
        },
        figures: &[],
        summary: "fsync is off on the server: its commits are not durable",
        advice: "Turn fsync on; with it off, a power failure can destroy the database",
        reason: "The workload stands for durable commits, and here almost no flush is in it",
        reference: "PostgreSQL documentation, Write Ahead Log settings, fsync",
    },
    Rule {
        id: "full-page-writes-off",
        group: Group::Durability,
        severity: Severity::Note,
        about: About::Measurement(Select::ids(&["database.update*"])),
        when: When::Says {
            key: condition::FULL_PAGE_WRITES.inside(condition::SERVER_SETTINGS).any(),
            any_of: &["off"],
        },
        figures: &[],
        summary: "full_page_writes is off on the server: it writes less WAL than a safe one",
        advice: "Compare only with servers that have it off too; make sure that the storage writes pages whole",
        reason: "Some file systems write pages whole, and then it is safe; the figure is that of such a server",
        reference: "PostgreSQL documentation, Write Ahead Log settings, full_page_writes",
    },
    Rule {
        id: "more-flushes-than-commits",
        group: Group::Database,
        severity: Severity::Note,
        about: About::Measurement(Select::ids(&["database.update*"])),
        when: When::Ratio {
            of: Metric(metric::FLUSHES_PER_OP),
            to: MetricOr(metric::COMMITS_PER_OP, 1.0),
            over: Over::Median,
            test: Test::Above(1.2),
        },
        figures: &[Metric(metric::WAL_BYTES_PER_OP)],
        summary: "WAL was flushed more often than transactions committed",
        advice: "Look for a small wal_buffers, a checkpoint in the window, or other sessions that commit",
        reason: "The additional flushes are real work of the server and are part of the figure",
        reference: STATISTICS,
    },
    Rule {
        id: "few-checkpoints",
        group: Group::Database,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(UPDATE).needs(&[Need::Quick(false)])),
        when: FEW_CHECKPOINTS,
        figures: &[Metric(metric::WINDOW)],
        summary: "Fewer than two checkpoints fell into the update windows",
        advice: "Measure longer, or with a smaller max_wal_size",
        reason: "After a checkpoint the first change of each page writes the whole page to WAL; a window shorter than the cycle shows only a part of it",
        reference: "PostgreSQL documentation, WAL Configuration",
    },
    Rule {
        id: "few-checkpoints-quick",
        group: Group::Database,
        severity: Severity::Note,
        about: About::Measurement(Select::ids(UPDATE).needs(&[Need::Quick(true)])),
        when: FEW_CHECKPOINTS,
        figures: &[Metric(metric::WINDOW)],
        summary: "Fewer than two checkpoints fell into the update windows",
        advice: "Run without --quick for a figure that covers the checkpoint cycle",
        reason: "A quick run has no time for two cycles and says so; no grade above LIKELY rests on it",
        reference: "PostgreSQL documentation, WAL Configuration",
    },
    Rule {
        id: "checkpoint-in-window",
        group: Group::Database,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(&["database.update.wal_*"])),
        when: When::Any(&[
            When::Value { of: Metric(metric::CHECKPOINTS), over: Over::Worst, test: NONE },
            When::Value { of: Metric(metric::CHECKPOINT_PAGES), over: Over::Worst, test: NONE },
            When::Value { of: Metric(metric::CHECKPOINTING), over: Over::Worst, test: NONE },
        ]),
        figures: &[Metric(metric::WINDOW), Metric(metric::WAL_BYTES_PER_OP)],
        summary: "A checkpoint fell into a window in which WAL locations are compared",
        advice: "Run again; if it repeats, use a shorter --window or fewer --sessions, so that less WAL is written per window",
        reason: "A checkpoint's writes share the drive with WAL, and full-page images follow it, on one location and not on the others: the difference is then not that of the location alone. A rate with it is true for its window",
        reference: "PostgreSQL documentation, WAL Configuration",
    },
    Rule {
        id: "plan-changed",
        group: Group::Database,
        severity: Severity::Invalid,
        about: About::Measurement(Select::ids(&["database.*"])),
        when: When::Says { key: condition::PLAN_AFTER.any(), any_of: &["other"] },
        figures: &[],
        summary: "The plan of a statement changed between load and end of the test",
        advice: "Compare plan_after_text in the run file; stop what runs ANALYZE on the table meanwhile",
        reason: "Which operations used which plan is unknown, so the figure belongs to neither",
        reference: "PostgreSQL documentation, EXPLAIN",
    },
    Rule {
        id: "answered-from-index",
        group: Group::Database,
        severity: Severity::Note,
        about: About::Measurement(Select::ids(&["database.scan*"])),
        when: When::Says { key: condition::ANSWERED_FROM.any(), any_of: &["index"] },
        figures: &[Metric(metric::SERVER_READ_BYTES)],
        summary: "The count used an index-only scan, so the table was not read",
        advice: "Use --answer sum to read every row",
        reason: "The time is true for the query, and says nothing about reading the table",
        reference: "PostgreSQL documentation, Index-Only Scans",
    },
    Rule {
        id: "few-wait-samples",
        group: Group::Database,
        severity: Severity::Note,
        about: About::Measurement(
            Select::ids(&["database.*"]).except(&["*.open", "*.test.*", OBSERVED]),
        ),
        when: When::Value {
            of: Total(metric::WAIT_SAMPLES),
            over: Over::Median,
            test: Test::Below(200.0),
        },
        figures: &[],
        summary: "Few wait samples: the parts of the response time are rough",
        advice: "Measure longer, or with more sessions",
        reason: "With 200 samples a share of one half is known to ± 7 points. The rate does not depend on it, and the sum is tested separately",
        reference: "binomial proportion, normal approximation",
    },
    Rule {
        id: "bundled-server",
        group: Group::Database,
        severity: Severity::Note,
        about: About::Run(Select::layers(&[Layer::Database])),
        when: When::Says { key: condition::ORIGIN.any(), any_of: &["bundle"] },
        figures: &[],
        summary: "The server is the downloaded bundle, compiled differently from a distribution's package",
        advice: "Compare only with runs of the same bundle, or install PostgreSQL and run again",
        reason: "Compiler options, libraries and I/O methods differ, and so does its CPU time per operation; the measurement is as true as with any server",
        reference: "PostgreSQL documentation, pg_config",
    },
    Rule {
        id: "server-data-in-memory",
        group: Group::Path,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(&["database.lookup_uncached*"])),
        when: When::Path { role: Role::Data, fact: PathFact::InMemory },
        figures: &[],
        summary: "Reads that should reach a drive come from this machine's memory",
        advice: "Set --data to a folder on a drive",
        reason: "The rate is that of memory copies, under a name that promises a drive",
        reference: "tmpfs(5)",
    },
];

/// What a lookup of one row touches in cache lines of 64 bytes: two of the page, two of its leaf in the index, one each of the buffer's
/// descriptor, its lock and its entry in the hash table, and one for what a row crosses.
const TOUCHED_BYTES: f64 = 512.0;

/// Time of reading in an update from which on it may show, ns: a hundredth of a read that takes 10 µs.
const LEAST_READ_NS: f64 = 100.0;

/// Fires on any at all.
const NONE: Test = Test::Above(0.0);

const FEW_CHECKPOINTS: When =
    When::Value { of: Total(metric::CHECKPOINTS), over: Over::Median, test: Test::Below(2.0) };
