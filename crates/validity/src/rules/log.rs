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
        summary: "Commits wait twice as long as their flushes explain: processors or wake-ups hold them up",
        advice: "Look at run queues and the cost of waking sessions; a faster log device won't help here",
        reason: "From flush times and arrivals alone the mean wait follows; what comes on top is spent outside of the \
                 device. The figure is true, so this explains it and takes nothing from it",
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
        summary: "Fewer than half as many commits share a flush as could",
        advice: "Look whether sessions come back late: busy processors, or a log writer that is woken for each of them",
        reason: "Who queues while a flush runs goes with the next one, so that the number follows from the rate and the \
                 flush time",
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
        advice: "Give the sessions more CPUs, or use fewer of them; the log device is not what they wait for",
        reason: "Log file sync far above log file parallel write is time in run queues: storage can't shorten it",
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
        summary: "The device has a volatile cache, no way to write past it, and no flush of durable writes was counted",
        advice: "Look for a mount without barriers (nobarrier), a mapper that drops flushes, or a host that keeps them",
        reason: "A write that was neither flushed nor forced may be lost with the power; whether it is, only a cut shows",
        reference: "Linux Documentation/block/writeback_cache_control.rst",
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
        summary: "The device can't keep up with so many logs: their writes queue up",
        advice: "Put fewer logs on it, or give some of them a device of their own",
        reason: "The search for how many it holds tries numbers that are too many, and says so here",
        reference: "methods: log, several logs on one device",
    },
];
