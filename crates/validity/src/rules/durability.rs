//! Whether a durable write was durable.

use narrows_model::{Layer, Role, Severity, metric};

use crate::Quantity::Metric;
use crate::{About, Group, Over, PathFact, Rule, Select, Test, When};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "not-durable",
        group: Group::Durability,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(&["log.*", "database.update*"])),
        when: When::Path { role: Role::Wal, fact: PathFact::Volatile },
        figures: &[],
        summary: "The log is on a file system in memory: nothing was made durable",
        advice: "Give a folder on a drive with --wal",
        reason: "The rate is what CPUs and memory give without a drive, worth knowing as such, and not what its \
                 name promises",
        reference: "tmpfs(5)",
    },
    Rule {
        id: "flush-switched-off",
        group: Group::Durability,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(&["log.*", "database.update*"])),
        when: When::Path { role: Role::Wal, fact: PathFact::FlushSwitchedOff },
        figures: &[],
        summary: "The kernel sends a device no flushes although the cache beneath says that it is volatile",
        advice: "Unless the cache is protected against loss of power: echo \"write back\" > \
                 /sys/block/DEVICE/queue/write_cache, and measure again",
        reason: "The setting begins as what the drive said; somebody or something changed it. What is acknowledged then is in \
                 a cache that loses power, and its time is not that of a durable write. Not invalid, because a drive \
                 with capacitors may call its cache volatile and keep it",
        reference: "Linux Documentation/block/writeback_cache_control.rst; Documentation/ABI/stable/sysfs-block, write_cache",
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
        summary: "A flush takes less time than most drives need to acknowledge one: it may do nothing",
        advice: "Find out whether the drive's cache survives a power failure, or the host's hypervisor keeps writes",
        reason: "Drives without a volatile cache, with protected ones, and persistent memory do this honestly: speed \
                 alone convicts nobody",
        reference: "Linux Documentation/block/writeback_cache_control.rst",
    },
    Rule {
        id: "flush-implausibly-fast",
        group: Group::Durability,
        severity: Severity::Note,
        about: About::Measurement(Select::ids(&[
            "log.append.fdatasync.idle",
            "log.append.dsync.idle",
        ])),
        when: When::Value {
            of: Metric(metric::LATENCY_P50),
            over: Over::Median,
            test: Test::Below(10_000.0),
        },
        figures: &[Metric(metric::DEVICE_FLUSHES)],
        summary: "A durable append takes less time than most drives need to acknowledge a write",
        advice: "Find out whether the drive's cache survives a power failure, or the host's hypervisor keeps writes",
        reason: "Drives with protected caches and persistent memory do this honestly: speed alone convicts nobody",
        reference: "Linux Documentation/block/writeback_cache_control.rst",
    },
];
