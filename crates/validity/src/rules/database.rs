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
        id: "server-counted-otherwise",
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
        advice: "Look for others using the database, or transactions that were rolled back",
        reason: "Every figure per operation divides the server's counters by the client's count. All repeats together, \
                 because a server brings its counters up to date with some delay",
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
        summary: "Cached lookups missed the buffer pool",
        advice: "Warm up longer, or make the table smaller than shared_buffers",
        reason: "One miss in a hundred costs as much as many hits on a slow drive; the rate is true but not that of \
                 a cached workload",
        reference: STATISTICS,
    },
    Rule {
        id: "cached-rows-in-processor-caches",
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
        summary: "What the cached lookups touched may lie in the processors' caches",
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
        summary: "Blocks that were to come from the buffer pool were read into it",
        advice: "Take a smaller --working-set or a larger pool, or ask for them --from drive",
        reason: "As for cached lookups: one miss in a hundred costs as much as many hits; the rate is true but not that \
                 of a workload whose blocks are in the pool",
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
        summary: "Blocks that updates were to find in the buffer pool were read into it",
        advice: "Take a smaller --working-set or a larger pool, or ask for them --from drive",
        reason: "As for cached lookups. The server counts a block that it adds to a table as read too, as updates of hot \
                 rows need them, so time has to have gone by reading: 100 ns an update, which is one read of 10 µs in a \
                 hundred. Without track_io_timing nobody knows",
        reference: STATISTICS,
    },
    Rule {
        id: "private-tables-shared",
        group: Group::Database,
        severity: Severity::Note,
        about: About::Measurement(Select::ids(&["database.*"])),
        when: When::Says { key: condition::PRIVATE_TABLES_SHARED.any(), any_of: &["true"] },
        figures: &[Metric(metric::SESSIONS)],
        summary: "There were more sessions than tables of their own, so several shared one",
        advice: "Compare with a run that has so many --sessions from the start",
        reason: "A test by twice the sessions runs on the tables that are there: sessions may wait for each other's rows \
                 in it, which they don't in what it is compared with",
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
        summary: "More than half of the uncached lookups found their row in the buffer pool",
        advice: "Make the table larger, or shared_buffers smaller",
        reason: "The rate is true, and its reads are counted; but it is not what the name says",
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
        summary: "The page cache answered reads that the drives were to answer",
        advice: "Use a server with debug_io_direct, or a table larger than memory",
        reason: "The workload is there to show the drives; with reads from memory its verdict would name the wrong \
                 resource",
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
        summary: "Fewer flushes than durable commits need: these were not durable",
        advice: "See fsync, synchronous_commit and commit_delay of the server",
        reason: "A flush serves at most one waiting commit per session, so each session's commits need at least one \
                 flush each; half of that allows for late counters. O_DSYNC writes are not counted as flushes",
        reference: "group commit: one flush, at most one commit of each session",
    },
    Rule {
        id: "server-limits-hidden",
        group: Group::Database,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(&["database.*"])),
        when: When::Says { key: condition::SERVER_LIMITS.any(), any_of: &["hidden"] },
        figures: &[],
        summary: "The server is in control groups that can't be seen from here: its limits are unknown",
        advice: "Run narrows on the node, or as root in a container that may look at the server's process",
        reason: "A CPU quota that is used up shows in no run queue: sessions then look idle, and the answer \"waits for its \
                 clients\" would be wrong. Limits of our own group say nothing about the server's",
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
        summary: "The server runs with fsync off: its commits are not durable",
        advice: "Turn fsync on; off loses the database at a power failure",
        reason: "The workload promises durable commits, and there is no flush in it to speak of",
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
        summary: "The server runs with full_page_writes off: its log is smaller than a safe one's",
        advice: "Compare only with servers that have it off too; prove that pages are written whole",
        reason: "Some file systems write pages whole, and then it is right; the figure stands for such a server",
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
        summary: "The log was flushed more often than transactions committed",
        advice: "Look for a small wal_buffers, a checkpoint in the window, or other sessions that commit",
        reason: "The additional flushes are real work of the server and are in the figure",
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
        reason: "Just after a checkpoint every first change of a page writes the whole page; a window that doesn't \
                 cover the cycle shows one of its halves",
        reference: "PostgreSQL documentation, WAL Configuration",
    },
    Rule {
        id: "few-checkpoints-sketch",
        group: Group::Database,
        severity: Severity::Note,
        about: About::Measurement(Select::ids(UPDATE).needs(&[Need::Quick(true)])),
        when: FEW_CHECKPOINTS,
        figures: &[Metric(metric::WINDOW)],
        summary: "Fewer than two checkpoints fell into the update windows",
        advice: "Run without --quick for a figure that covers the checkpoint cycle",
        reason: "A sketch has no time for two cycles and says that it is one; no grade above LIKELY rests on it",
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
        summary: "A checkpoint fell into a window in which places for the log are compared",
        advice: "Run again; if it stays, take a shorter --window or fewer --sessions, so that less log is written in one",
        reason: "Its writes share the drive with the log and whole pages are logged after it, on one place and not on the \
                 others: what differs then is not the place alone. A rate with it is true for its window",
        reference: "PostgreSQL documentation, WAL Configuration",
    },
    Rule {
        id: "plan-changed",
        group: Group::Database,
        severity: Severity::Invalid,
        about: About::Measurement(Select::ids(&["database.*"])),
        when: When::Says { key: condition::PLAN_AFTER.any(), any_of: &["other"] },
        figures: &[],
        summary: "The server planned a statement otherwise after the load than before it",
        advice: "Look at plan_after_text in the run; switch off what analyses the table meanwhile",
        reason: "Nobody knows in which operations the plan was which, so the figure is that of no access",
        reference: "PostgreSQL documentation, EXPLAIN",
    },
    Rule {
        id: "answered-from-index",
        group: Group::Database,
        severity: Severity::Note,
        about: About::Measurement(Select::ids(&["database.scan*"])),
        when: When::Says { key: condition::ANSWERED_FROM.any(), any_of: &["index"] },
        figures: &[Metric(metric::SERVER_READ_BYTES)],
        summary: "The count was answered from the index alone, so the table was not read",
        advice: "Ask for --answer sum to have every row touched",
        reason: "The time is true for the question, and says nothing about reading the table",
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
        summary: "Few wait samples: the parts of the sum are rough",
        advice: "Measure longer, or with more sessions",
        reason: "With 200 samples a share of one half is known to ± 7 points; the rate doesn't depend on it, and the \
                 sum is tested by itself",
        reference: "binomial proportion, normal approximation",
    },
    Rule {
        id: "bundled-server",
        group: Group::Database,
        severity: Severity::Note,
        about: About::Run(Select::layers(&[Layer::Database])),
        when: When::Says { key: condition::ORIGIN.any(), any_of: &["bundle"] },
        figures: &[],
        summary: "The server is the downloaded bundle, built otherwise than a distribution's package",
        advice: "Compare only with runs of the same bundle, or install PostgreSQL and run again",
        reason: "Compiler options, libraries and I/O methods differ, so its CPU per operation is its own; the \
                 measurement is as true as with any server",
        reference: "PostgreSQL documentation, pg_config",
    },
    Rule {
        id: "server-data-in-memory",
        group: Group::Path,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(&["database.lookup_uncached*"])),
        when: When::Path { role: Role::Data, fact: PathFact::Volatile },
        figures: &[],
        summary: "Reads that should reach a drive come from a file system in memory",
        advice: "Give a folder on a drive with --data",
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
