//! What was asked against what device and kernel saw, and what the file consisted of.

use narrows_model::{Layer, Severity, condition, metric};

use super::SECONDS_PER_NS;
use crate::Quantity::{Constant, Metric, Product};
use crate::{About, Group, Need, Over, PathFact, Quantity, Rule, Select, Test, When};

/// Whatever has the figures: reads, writes and mixes by any name.
const BLOCK: &[Layer] = &[Layer::Block];
const DURABLE: &[Layer] = &[Layer::Block, Layer::Log];
const FLUSHING: &[&str] =
    &["log.append.fdatasync.idle", "log.after.*.lone", "log.ladder.write.fdatasync.*.alone"];
/// There is a drive, and its counters know of what was sent: the drive's own commands pass most kernels' counters by.
const COUNTED: &[Need] =
    &[Need::PathNot(PathFact::Volatile), Need::SaysNot(condition::METHOD.any(), &["passthrough"])];
/// Flushes of a window, from their rate.
const SYNCS: Quantity =
    Product(&[Metric(metric::SYNC_THROUGHPUT), Metric(metric::WINDOW), Constant(SECONDS_PER_NS)]);
const COUNTERS: &str = "Linux Documentation/block/stat.rst; device counters against issued bytes";

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "device-saw-less",
        group: Group::Device,
        severity: Severity::Invalid,
        about: About::Measurement(Select::layers(BLOCK).needs(COUNTED)),
        when: When::Ratio {
            of: Metric(metric::DEVICE_READ_BYTES),
            to: Metric(metric::ISSUED_READ_BYTES),
            over: Over::Worst,
            test: Test::Below(0.95),
        },
        figures: &[Metric(metric::RESIDENT_BEFORE)],
        summary: "The drives read fewer bytes than were asked for: memory answered",
        advice: "Look for a cache between file and drive, or a file with holes; use a larger file or direct I/O",
        reason: "What is printed as the drive's figure is partly memory's. Five per cent covers a window's edges",
        reference: COUNTERS,
    },
    Rule {
        id: "device-saw-fewer-writes",
        group: Group::Device,
        severity: Severity::Invalid,
        about: About::Measurement(Select::layers(DURABLE).needs(COUNTED)),
        when: When::Ratio {
            of: Metric(metric::DEVICE_WRITE_BYTES),
            to: Metric(metric::ISSUED_WRITE_BYTES),
            over: Over::Worst,
            test: Test::Below(0.95),
        },
        figures: &[],
        summary: "The drives were sent fewer bytes than were written",
        advice: "Look for a file system or mapper that holds writes back or compresses them",
        reason: "A direct or flushed write that has not reached the drive is neither durable nor the drive's figure",
        reference: COUNTERS,
    },
    Rule {
        id: "others-read-the-drives",
        group: Group::Device,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(BLOCK)),
        when: When::Ratio {
            of: Metric(metric::DEVICE_READ_BYTES),
            to: Metric(metric::ISSUED_READ_BYTES),
            over: Over::Median,
            test: Test::Above(1.25),
        },
        figures: &[],
        summary: "The drives read much more than was asked for: others use them, or read-ahead",
        advice: "Stop what else uses the drives and measure again",
        reason: "The operations took place, but beside a load that is not part of the measurement. The median, \
                 because one visit in one repeat doesn't move the figure",
        reference: COUNTERS,
    },
    Rule {
        id: "others-write-the-drives",
        group: Group::Device,
        severity: Severity::Suspect,
        about: About::Measurement(
            Select::layers(BLOCK).needs(&[Need::PathNot(PathFact::Redundant)]),
        ),
        when: When::Ratio {
            of: Metric(metric::DEVICE_WRITE_BYTES),
            to: Metric(metric::ISSUED_WRITE_BYTES),
            over: Over::Median,
            test: Test::Above(1.25),
        },
        figures: &[],
        summary: "The drives wrote much more than was written: others use them",
        advice: "Stop what else uses the drives and measure again",
        reason: "As for reads. Behind mirrors, parity and mappers more is written by design, and log appends carry \
                 their journal, so neither is judged",
        reference: COUNTERS,
    },
    Rule {
        id: "flush-not-seen",
        group: Group::Device,
        severity: Severity::Invalid,
        about: About::Measurement(Select::ids(FLUSHING).needs(&[Need::Path(PathFact::WriteBack)])),
        when: When::Ratio {
            of: Metric(metric::DEVICE_FLUSHES),
            to: Metric(metric::OPERATIONS),
            over: Over::Worst,
            test: Test::Below(0.95),
        },
        figures: &[],
        summary: "The drives were not asked to flush as often as the file was",
        advice: "Look for a mount without barriers, or a mapper that drops flushes",
        reason: "The drives announce a cache that loses power, so an append without a flush is not durable, and its \
                 time is not that of a durable append",
        reference: "Linux Documentation/block/writeback_cache_control.rst",
    },
    Rule {
        id: "syncs-not-seen",
        group: Group::Device,
        severity: Severity::Invalid,
        about: About::Measurement(Select::layers(BLOCK).needs(&[
            Need::Path(PathFact::WriteBack),
            Need::SaysNot(condition::METHOD.any(), &["passthrough"]),
            Need::AtLeast(SYNCS, 10.0),
        ])),
        when: When::Ratio {
            of: Metric(metric::DEVICE_FLUSHES),
            to: SYNCS,
            over: Over::Worst,
            test: Test::Below(0.05),
        },
        figures: &[Metric(metric::SYNC_LATENCY_P50)],
        summary: "The drives were hardly ever asked to flush although the file was, again and again",
        advice: "Look for a mount without barriers, or a mapper that drops flushes",
        reason: "The drives announce a cache that loses power, so what was synced is not durable. One in twenty, because \
                 several threads may share a flush, and one that finds nothing written needs none",
        reference: "Linux Documentation/block/writeback_cache_control.rst",
    },
    Rule {
        id: "requests-merged",
        group: Group::Device,
        severity: Severity::Note,
        about: About::Measurement(Select::layers(BLOCK)),
        when: When::Ratio {
            of: Metric(metric::DEVICE_MERGES),
            to: Metric(metric::OPERATIONS),
            over: Over::Median,
            test: Test::Above(0.1),
        },
        figures: &[Metric(metric::DEVICE_READS), Metric(metric::DEVICE_WRITES)],
        summary: "The kernel joined operations before the drive saw them: it did fewer and larger ones",
        advice: "Take bytes per second from here; for operations per second use random places",
        reason: "The bytes are right and so is the time, and a server's neighbouring requests are joined the same way; only \
                 the count is not the drive's",
        reference: "Linux Documentation/admin-guide/iostats.rst, fields 2 and 6",
    },
];
