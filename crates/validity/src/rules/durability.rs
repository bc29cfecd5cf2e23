//! Whether a durable write was durable.

use narrows_model::{Layer, Role, RuleId, Severity, Unit, condition, metric};

use super::SECONDS_PER_NS;
use crate::Quantity::{Constant, Metric, Of, Product, Seen, Total};
use crate::{About, Group, Need, Over, PathFact, Quantity, Rule, Select, Test, When};

/// Workloads that commit durably.
const COMMITTING: &[&str] = &["database.update*", "database.commit*", "database.orders*"];
/// One session's durable commits on a server, one after the other, nothing beside them.
const LADDER_COMMITS: &[&str] = &["log.ladder.commit.alone"];
const OBSERVED: &[&str] = &["database.observed"];
const FLUSHABLE: Need = Need::PathUnder(Role::Wal, PathFact::WriteBack);
const ON_A_DRIVE: Need = Need::PathUnder(Role::Wal, PathFact::Counted);
/// In the windows, as the drives' counts are.
const FLUSHES_OF_SERVER: Quantity =
    Product(&[Metric(metric::FLUSHES_PER_OP), Metric(metric::OPERATIONS)]);
const LOG_OF_SERVER: Quantity =
    Product(&[Metric(metric::WAL_BYTES_PER_OP), Metric(metric::OPERATIONS)]);
const OBSERVED_FLUSHES: Quantity = Seen("WAL flushes", Some(Unit::Count), |o| o.counted.flushes);
const OBSERVED_LOG: Quantity = Seen("WAL written", Some(Unit::Bytes), |o| o.counted.log_bytes);
const LIVE: &[&str] = &["log.live"];
/// Flushes that a block workload asked for, from their rate.
const SYNCS: Quantity =
    Product(&[Metric(metric::SYNC_THROUGHPUT), Metric(metric::WINDOW), Constant(SECONDS_PER_NS)]);
/// By windows, from their rate.
const LIVE_FLUSHES: Quantity =
    Product(&[Metric(metric::FLUSH_RATE), Metric(metric::WINDOW), Constant(SECONDS_PER_NS)]);
/// So many that a counter's edge and what a drive merges don't decide.
const ENOUGH_FLUSHES: f64 = 100.0;
const ENOUGH_BYTES: f64 = 1e6;
const BARRIERS: &str = "Linux Documentation/block/writeback_cache_control.rst";

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "not-durable",
        group: Group::Durability,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(&["log.*", "database.update*"])),
        when: When::Path { role: Role::Wal, fact: PathFact::InMemory },
        figures: &[],
        summary: "WAL is in this machine's memory: nothing was made durable",
        advice: "Set --wal to a folder on a drive",
        reason: "The rate is that of CPUs and memory without a drive, worth knowing as such, and not what its name promises",
        reference: "tmpfs(5)",
    },
    Rule {
        id: "flush-switched-off",
        group: Group::Durability,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(&["log.*", "database.update*"])),
        when: When::Path { role: Role::Wal, fact: PathFact::FlushSwitchedOff },
        figures: &[],
        summary: "The kernel sends this device no flushes although its write cache is volatile",
        advice: "Unless the cache has power-loss protection: echo \"write back\" > /sys/block/DEVICE/queue/write_cache, and measure again",
        reason: "The setting starts as what the drive reported; it was changed since. Acknowledged writes are then in a volatile cache, and their time is not that of a durable write. Not invalid, because a drive with power-loss protection may report its cache as volatile and keep it",
        reference: "Linux Documentation/block/writeback_cache_control.rst; Documentation/ABI/stable/sysfs-block, write_cache",
    },
    Rule {
        id: "sync-switched-off",
        group: Group::Durability,
        severity: Severity::Suspect,
        about: About::Measurement(
            Select::layers(&[Layer::Block]).needs(&[Need::AtLeast(SYNCS, 1.0)]),
        ),
        when: When::Path { role: Role::Data, fact: PathFact::FlushSwitchedOff },
        figures: &[Metric(metric::SYNC_LATENCY_P50)],
        summary: "The file was flushed, but the kernel sends this device no flushes: its write cache is volatile",
        advice: "Unless the cache has power-loss protection: echo \"write back\" > /sys/block/DEVICE/queue/write_cache, and measure again",
        reason: "As for WAL: a flush that reaches no drive makes nothing durable, and its time is not that of a flush",
        reference: "Linux Documentation/block/writeback_cache_control.rst; Documentation/ABI/stable/sysfs-block, write_cache",
    },
    Rule {
        id: RuleId::COMMITS_NOT_FLUSHED.as_str(),
        group: Group::Durability,
        severity: Severity::Invalid,
        about: About::Measurement(
            Select::ids(COMMITTING)
                .except(&["*.test.sync_off", "*.test.fsync_off"])
                .needs(&[FLUSHABLE, Need::AtLeast(FLUSHES_OF_SERVER, ENOUGH_FLUSHES)]),
        ),
        when: When::Ratio {
            of: Metric(metric::DEVICE_FLUSHES),
            to: FLUSHES_OF_SERVER,
            over: Over::Total,
            test: Test::Below(0.05),
        },
        figures: &[Metric(metric::SERVER_FLUSH_TIME), Metric(metric::DEVICE_WRITES)],
        summary: "WAL flushes that the server counted did not reach its drives: commits were not durable",
        advice: "Look for a library that disables fsync (LD_PRELOAD, eatmydata), a mount with nobarrier, or a mapper that drops flushes",
        reason: "The drives have a volatile write cache, so each WAL flush must become a flush of the drive. One in twenty, because several may share one, and a flush with nothing to write needs none",
        reference: BARRIERS,
    },
    Rule {
        id: "ladder-commits-not-flushed",
        group: Group::Durability,
        severity: Severity::Invalid,
        about: About::Measurement(
            Select::ids(LADDER_COMMITS)
                .needs(&[FLUSHABLE, Need::AtLeast(Metric(metric::OPERATIONS), 100.0)]),
        ),
        when: When::Ratio {
            of: Metric(metric::DEVICE_FLUSHES),
            to: Metric(metric::OPERATIONS),
            over: Over::Total,
            test: Test::Below(0.5),
        },
        figures: &[Metric(metric::LATENCY_P50)],
        summary: "The server's commits did not reach its drives as flushes: they were not durable",
        advice: "Look for a library that disables fsync (LD_PRELOAD, eatmydata), a mount with nobarrier, or a mapper that drops flushes",
        reason: "One session commits, one commit after the other, so none can share a flush with another; the drives have a volatile write cache, so each commit must become a flush of the drive. Half, because a background flush may take a commit's record with it",
        reference: BARRIERS,
    },
    Rule {
        id: "commit-faster-than-its-flush",
        group: Group::Durability,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(LADDER_COMMITS)),
        when: When::Ratio {
            of: Metric(metric::LATENCY_P50),
            to: Of("log.ladder.write.fdatasync.overwrite.8k.alone", metric::LATENCY_P50),
            over: Over::Median,
            test: Test::Below(0.7),
        },
        figures: &[Of("log.ladder.flush.alone", metric::LATENCY_P50)],
        summary: "The server commits faster than the durable write that is part of a commit",
        advice: "Check whether the server's fdatasync does anything (LD_PRELOAD, eatmydata), and that its WAL is in the folder that was measured",
        reason: "A commit is a write to the WAL, its flush, and a round trip, so it takes longer than the write and flush alone. The drive idles between commits and not between writes, which may make a flush shorter, but hardly by a third. Not invalid, because a server may flush in another way (wal_sync_method)",
        reference: "methods: log, the ladder",
    },
    Rule {
        id: RuleId::COMMITS_NOT_WRITTEN.as_str(),
        group: Group::Durability,
        severity: Severity::Invalid,
        about: About::Measurement(
            Select::ids(COMMITTING)
                .except(&["*.test.sync_off", "*.test.fsync_off"])
                .needs(&[ON_A_DRIVE, Need::AtLeast(LOG_OF_SERVER, ENOUGH_BYTES)]),
        ),
        when: When::Ratio {
            of: Metric(metric::DEVICE_WRITE_BYTES),
            to: LOG_OF_SERVER,
            over: Over::Total,
            test: Test::Below(0.1),
        },
        figures: &[Metric(metric::WAL_BYTES_PER_OP), Metric(metric::FLUSHES_PER_OP)],
        summary: "The WAL that commits waited for did not reach the drives",
        advice: "Look for a library that disables fsync (LD_PRELOAD, eatmydata), or whether WAL is elsewhere (--wal)",
        reason: "A durable commit has its WAL on the drive before it returns. One in ten, because a file system may compress it",
        reference: "Linux Documentation/block/stat.rst; PostgreSQL documentation, Reliability and the Write-Ahead Log",
    },
    Rule {
        id: RuleId::OBSERVED_NOT_FLUSHED.as_str(),
        group: Group::Observed,
        severity: Severity::Suspect,
        about: About::Measurement(
            Select::ids(OBSERVED)
                .needs(&[FLUSHABLE, Need::AtLeast(OBSERVED_FLUSHES, ENOUGH_FLUSHES)]),
        ),
        when: When::Ratio {
            of: Total(metric::DEVICE_FLUSHES),
            to: OBSERVED_FLUSHES,
            over: Over::Median,
            test: Test::Below(0.05),
        },
        figures: &[Metric(metric::DEVICE_WRITES)],
        summary: "WAL flushes that the server counted did not reach its drives: commits were not durable",
        advice: "Look for a library that disables fsync (LD_PRELOAD, eatmydata), a mount with nobarrier, or a mapper that drops flushes",
        reason: "The drives have a volatile write cache, so each WAL flush must become a flush of the drive. The rates are true, and no verdict on them holds for a server with durable commits",
        reference: BARRIERS,
    },
    Rule {
        id: RuleId::OBSERVED_NOT_WRITTEN.as_str(),
        group: Group::Observed,
        severity: Severity::Suspect,
        about: About::Measurement(
            Select::ids(OBSERVED).needs(&[ON_A_DRIVE, Need::AtLeast(OBSERVED_LOG, ENOUGH_BYTES)]),
        ),
        when: When::Ratio {
            of: Total(metric::DEVICE_WRITE_BYTES),
            to: OBSERVED_LOG,
            over: Over::Median,
            test: Test::Below(0.1),
        },
        figures: &[Metric(metric::DEVICE_WRITES)],
        summary: "The WAL that commits waited for did not reach the server's drives",
        advice: "Look for a library that disables fsync (LD_PRELOAD, eatmydata), and check where pg_wal is",
        reason: "A durable commit has its WAL on the drive before it returns. One in ten, because a file system may compress it",
        reference: "Linux Documentation/block/stat.rst; PostgreSQL documentation, Reliability and the Write-Ahead Log",
    },
    Rule {
        id: RuleId::LIVE_NOT_FLUSHED.as_str(),
        group: Group::Log,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(LIVE).needs(&[
            FLUSHABLE,
            Need::SaysNot(condition::WAL_SYNC_METHOD.any(), &["open_datasync", "open_sync"]),
            Need::AtLeast(LIVE_FLUSHES, ENOUGH_FLUSHES),
        ])),
        when: When::Ratio {
            of: Total(metric::DEVICE_FLUSHES),
            to: LIVE_FLUSHES,
            over: Over::Total,
            test: Test::Below(0.05),
        },
        figures: &[Metric(metric::SERVER_FLUSH_TIME), Metric(metric::DEVICE_WRITES)],
        summary: "WAL flushes that the server counted did not reach its drives: commits were not durable",
        advice: "Look for a library that disables fsync (LD_PRELOAD, eatmydata), a mount with nobarrier, or a mapper that drops flushes",
        reason: "The drives have a volatile write cache, so each WAL flush must become a flush of the drive. The time of a flush is then not that of a durable one",
        reference: BARRIERS,
    },
    Rule {
        id: "live-io-limit-reached",
        group: Group::Log,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(LIVE)),
        when: When::Value {
            of: Metric(metric::IO_LIMIT_SHARE),
            over: Over::Median,
            test: Test::Above(0.8),
        },
        figures: &[Metric(metric::DEVICE_WRITES), Metric(metric::SERVER_FLUSH_TIME)],
        summary: "The server's control group reached its I/O limit: flush time is the limit's, not the drive's",
        advice: "Raise the limit (io.max, blkio.throttle) before buying a faster drive, and observe again",
        reason: "A group that has used up its limit waits for the next period, however fast the drive is",
        reference: "Linux Documentation/admin-guide/cgroup-v2.rst, io.max; cgroup-v1/blkio-controller.rst",
    },
    Rule {
        id: "sync-implausibly-fast",
        group: Group::Durability,
        severity: Severity::Note,
        about: About::Measurement(Select::layers(&[Layer::Block])),
        when: When::Value {
            of: Metric(metric::SYNC_LATENCY_P50),
            over: Over::Median,
            test: Test::Below(10_000.0),
        },
        figures: &[Metric(metric::SYNC_THROUGHPUT), Metric(metric::DEVICE_FLUSHES)],
        summary: "A flush returns faster than most drives can acknowledge one: it may do nothing",
        advice: "Find out whether the drive's cache has power-loss protection, or whether the hypervisor's host holds writes back",
        reason: "Drives without a volatile cache, drives with power-loss protection and persistent memory are this fast rightly: speed alone proves nothing",
        reference: "Linux Documentation/block/writeback_cache_control.rst",
    },
    Rule {
        id: "flush-implausibly-fast",
        group: Group::Durability,
        severity: Severity::Note,
        about: About::Measurement(Select::ids(&[
            "log.append.fdatasync.idle",
            "log.append.dsync.idle",
            "log.after.*.lone",
        ])),
        when: When::Value {
            of: Metric(metric::LATENCY_P50),
            over: Over::Median,
            test: Test::Below(10_000.0),
        },
        figures: &[Metric(metric::DEVICE_FLUSHES)],
        summary: "A durable append returns faster than most drives can acknowledge a write",
        advice: "Find out whether the drive's cache has power-loss protection, or whether the hypervisor's host holds writes back",
        reason: "Drives with power-loss protection and persistent memory are this fast rightly: speed alone proves nothing",
        reference: "Linux Documentation/block/writeback_cache_control.rst",
    },
];
