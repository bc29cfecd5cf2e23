//! What was asked against what device and kernel saw, and what the file consisted of.

use narrows_model::{Layer, Severity, condition, metric};

use super::SECONDS_PER_NS;
use crate::Quantity::{AtLeast, Constant, Metric, MetricOr, PerSecond, Product};
use crate::{About, Group, Need, Over, PathFact, Quantity, Rule, Select, Test, When};

/// Whatever has the figures: reads, writes and mixes by any name.
const BLOCK: &[Layer] = &[Layer::Block];
/// Windows of a rate that is more than was kept. Their queue is as long as it may be at one end or at both: what was requested within them was
/// read behind them, or what was requested before. They say that the rate is too high, and no figure rests on them.
pub(super) const QUEUE_GROWS: &[&str] = &["*.beyond.*"];
const DURABLE: &[Layer] = &[Layer::Block, Layer::Log];
const FLUSHING: &[&str] =
    &["log.append.fdatasync.idle", "log.after.*.lone", "log.ladder.write.fdatasync.*.alone"];
/// There is a drive, and its counters know of what was sent: the drive's own commands pass most kernels' counters by.
const COUNTED: &[Need] =
    &[Need::PathNot(PathFact::Volatile), Need::SaysNot(condition::METHOD.any(), &["passthrough"])];
/// Flushes of a window, from their rate.
const SYNCS: Quantity =
    Product(&[Metric(metric::SYNC_THROUGHPUT), Metric(metric::WINDOW), Constant(SECONDS_PER_NS)]);
/// Read by us: what was requested, or what the kernel read for that with its read-ahead, where it accounts for it.
const OURS: Quantity =
    AtLeast(&Metric(metric::ISSUED_READ_BYTES), &MetricOr(metric::PROCESS_READ_BYTES, 0.0));
const COUNTERS: &str = "Linux Documentation/block/stat.rst; device counters against issued bytes";

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "device-saw-less",
        group: Group::Device,
        severity: Severity::Invalid,
        about: About::Measurement(Select::layers(BLOCK).except(QUEUE_GROWS).needs(COUNTED)),
        when: When::Ratio {
            of: Metric(metric::DEVICE_READ_BYTES),
            to: Metric(metric::ISSUED_READ_BYTES),
            over: Over::Worst,
            test: Test::Below(0.95),
        },
        figures: &[Metric(metric::RESIDENT_BEFORE)],
        summary: "The drives read fewer bytes than were requested: memory answered",
        advice: "Look for a cache between file and drive, or a file with holes; use a larger file or direct I/O",
        reason: "The figure is printed as the drive's and is partly memory's. Five percent covers the edges of a window; where the queue grows they are more, and such windows only say that a rate is too high",
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
        summary: "The drives received fewer bytes than were written",
        advice: "Look for a file system or mapper that delays or compresses writes",
        reason: "A direct or flushed write that has not reached the drive is neither durable nor the drive's figure",
        reference: COUNTERS,
    },
    Rule {
        id: "others-read-the-drives",
        group: Group::Device,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(BLOCK).except(QUEUE_GROWS)),
        when: When::Any(&[
            When::Ratio {
                of: Metric(metric::DEVICE_READ_BYTES),
                to: OURS,
                over: Over::Third,
                test: Test::Above(1.25),
            },
            // Direct reads have no read-ahead, so that less than that is others'.
            When::Where(
                Need::Says(condition::DIRECT.any(), &["true"]),
                &When::Where(
                    Need::PathNot(PathFact::Redundant),
                    &When::Ratio {
                        of: Metric(metric::DEVICE_READ_BYTES),
                        to: Metric(metric::ISSUED_READ_BYTES),
                        over: Over::Third,
                        test: Test::Above(1.1),
                    },
                ),
            ),
        ]),
        figures: &[PerSecond(metric::DEVICE_READ_BYTES)],
        summary: "The drives read much more than was requested: other programs read, or read-ahead",
        advice: "Stop other users of the drives and measure again",
        reason: "The operations took place, but beside other load. What the kernel read for this process is ours, read-ahead included, where it accounts for that. More than a third of the repeats count, because a disturbance in fewer does not change the median",
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
            over: Over::Third,
            test: Test::Above(1.25),
        },
        figures: &[PerSecond(metric::DEVICE_WRITE_BYTES)],
        summary: "The drives wrote much more than was written: other programs write",
        advice: "Stop other users of the drives and measure again",
        reason: "As for reads. Mirrors, parity and mappers write more by design, and WAL appends carry the file system's journal, so neither is judged",
        reference: COUNTERS,
    },
    Rule {
        id: "flush-not-seen",
        group: Group::Device,
        severity: Severity::Invalid,
        about: About::Measurement(Select::ids(FLUSHING).needs(&[Need::Path(PathFact::WriteBack)])),
        when: When::Any(&[
            When::Ratio {
                of: Metric(metric::DEVICE_FLUSHES),
                to: Metric(metric::OPERATIONS),
                over: Over::Worst,
                test: Test::Below(0.95),
            },
            // Of several drives each, because their sum hides one that gets none.
            When::Ratio {
                of: Metric(metric::DEVICE_FLUSHES_LEAST),
                to: Metric(metric::OPERATIONS),
                over: Over::Worst,
                test: Test::Below(0.95),
            },
        ]),
        figures: &[],
        summary: "The drives received fewer flushes than the file",
        advice: "Look for a mount with nobarrier, or a mapper that drops flushes",
        reason: "The drives have a volatile write cache, so an append without a flush is not durable, and its time is not that of a durable append",
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
        summary: "The drives received almost no flush although the file was flushed again and again",
        advice: "Look for a mount with nobarrier, or a mapper that drops flushes",
        reason: "The drives have a volatile write cache, so what was synced is not durable. One flush in twenty, because several threads may share one, and a flush with nothing to write needs none",
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
        summary: "The kernel merged adjacent requests: the drive saw fewer, larger I/Os",
        advice: "Use bytes per second from this test; for IOPS use random offsets",
        reason: "Bytes and time are right, and a server's adjacent requests are merged the same way; only the number of operations is not the drive's",
        reference: "Linux Documentation/admin-guide/iostats.rst, fields 2 and 6",
    },
];
