//! The commit log: whether what sessions wait for is its device.

use narrows_model::{Layer, Severity, condition, metric};

use crate::Quantity::{Metric, Number};
use crate::{About, Group, Over, Rule, Select, Test, When};

const LAW: &str = "methods: log; residual life of a renewal process (Cox 1962)";

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "commit-wait-above-law",
        group: Group::Log,
        severity: Severity::Note,
        about: About::Measurement(Select::layers(&[Layer::Log])),
        when: When::Ratio {
            of: Metric(metric::LATENCY_MEAN),
            to: Metric(metric::MODEL_LATENCY_MEAN),
            over: Over::Median,
            test: Test::Above(2.0),
        },
        figures: &[
            Metric(metric::PARALLEL_WRITE_MEAN),
            Metric(metric::QUEUED_MEAN),
            Metric(metric::WAKE_UP_SHARE),
        ],
        summary: "Commits wait twice as long as their flushes explain: CPUs or wake-ups delay them",
        advice: "Check the run queue and the cost of waking sessions; a faster WAL device will not help here",
        reason: "Flush times and arrivals alone give the mean wait; the rest is spent outside the device. The figure is true; this explains it and does not reduce it",
        reference: LAW,
    },
    Rule {
        id: "fewer-commits-per-flush",
        group: Group::Log,
        severity: Severity::Note,
        about: About::Measurement(Select::layers(&[Layer::Log])),
        when: When::Ratio {
            of: Metric(metric::COMMITS_PER_FLUSH),
            to: Metric(metric::MODEL_COMMITS_PER_FLUSH),
            over: Over::Median,
            test: Test::Below(0.5),
        },
        figures: &[Metric(metric::PARALLEL_WRITE_MEAN), Metric(metric::THROUGHPUT)],
        summary: "Half as many commits share a flush as could, or fewer",
        advice: "Check whether sessions return late: busy CPUs, or a WAL writer that is woken for each of them",
        reason: "Sessions that queue during a flush share the next one, so the number follows from the rate and the flush time",
        reference: LAW,
    },
    Rule {
        id: "wake-up-dominates",
        group: Group::Log,
        severity: Severity::Note,
        about: About::Measurement(Select::layers(&[Layer::Log])),
        when: When::Value {
            of: Metric(metric::WAKE_UP_SHARE),
            over: Over::Median,
            test: Test::Above(0.5),
        },
        figures: &[Metric(metric::LOG_FILE_SYNC_MEAN), Metric(metric::PARALLEL_WRITE_MEAN)],
        summary: "More than half of a commit's wait passes after its flush has returned",
        advice: "Give the sessions more CPUs, or use fewer sessions; they do not wait for the WAL device",
        reason: "Log file sync far above log file parallel write is time in run queues: storage cannot shorten it",
        reference: "methods: log; log file sync against log file parallel write",
    },
    Rule {
        id: "no-flush-counted",
        group: Group::Log,
        severity: Severity::Note,
        about: About::Measurement(Select::ids(&["log.ladder.write.*.alone"])),
        when: When::Says { key: condition::DURABLE_BY.any(), any_of: &["no flush was counted"] },
        figures: &[
            Number(condition::DEVICE_FLUSHES_PER_OP),
            Number(condition::DEVICE_WRITES_PER_OP),
        ],
        summary: "The device has a volatile cache and no FUA, and no flush was counted for durable writes",
        advice: "Look for a mount with nobarrier, a mapper that drops flushes, or a host that holds them back",
        reason: "A write that was neither flushed nor sent with FUA may be lost when the power fails; only a power-cut test can tell",
        reference: "Linux Documentation/block/writeback_cache_control.rst",
    },
    Rule {
        id: "tier-on-same-drives",
        group: Group::Log,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(&["log.ladder.write.*.tier.*"])),
        when: When::Present(condition::SAME_DRIVES.any()),
        figures: &[Metric(metric::TIER_SPEEDUP_P50)],
        summary: "The folder with the tier is on the same drives as the WAL's own folder",
        advice: "Name a folder with --tier that is on storage with a log tier in front; `lsblk` and `df DIR` show what a folder is on",
        reason: "A tier is another device to this machine: a namespace of a target, or a mapped device with a faster drive. Two file systems of one drive differ by their place on it and by chance",
        reference: "methods: log, the ladder",
    },
    Rule {
        id: "streams-fall-behind",
        group: Group::Log,
        severity: Severity::Note,
        about: About::Measurement(Select::ids(&["log.streams.*"])),
        when: When::Shortfall {
            done: Metric(metric::THROUGHPUT),
            due: Metric(metric::OFFERED),
            window: Metric(metric::WINDOW),
            share: 0.02,
        },
        figures: &[Metric(metric::PARALLEL_WRITE_MEAN), Metric(metric::INTERFERENCE)],
        summary: "The device is too slow for this many WAL streams: their writes queue",
        advice: "Put fewer WAL streams on it, or give some of them their own device",
        reason: "The search for the highest number also tries numbers that are too high, and this marks them",
        reference: "methods: log, several WAL streams on one device",
    },
];
