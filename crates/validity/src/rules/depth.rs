//! The depth that the drives had, by their own account. Rate times latency, counted by whoever submits, gives the depth asked for
//! whatever becomes of the requests; the kernel's time in queue is of the requests that a drive was given.

use narrows_model::{Layer, Severity, condition, metric};

use crate::Quantity::{Constant, Metric, MetricOr, Number, Product};
use crate::{About, Group, Need, Over, PathFact, Quantity, Rule, Select, Test, When};

const DONE: Quantity = Metric(metric::OPERATIONS);
/// So many operations that those at the window's two ends are few.
const SETTLED: Quantity = Product(&[Metric(metric::DEPTH), Constant(20.0)]);
/// A limit that was reached holds requests back above the drive, and has a finding of its own.
const LIMIT: Quantity = MetricOr(metric::IO_LIMIT_SHARE, 0.0);
/// Adjacent requests that were merged are fewer for the drive.
const MERGED: Quantity = MetricOr(metric::DEVICE_MERGES, 0.0);
const TENTH: Quantity = Product(&[Metric(metric::OPERATIONS), Constant(0.1)]);
/// Ways that pass the drives' counters by, or don't lead to a drive.
const ELSEWHERE: &[&str] = &["passthrough", "buffered", "nvme-tcp", "null", "nop"];
/// Pauses, syncs, shares of a group and checks of what was read empty the queue on purpose; of fewer than four requests the time between two of them is a large part.
const KEPT_FULL: &[Need] = &[
    Need::Says(condition::LOOP.any(), &["closed"]),
    Need::Says(condition::DIRECT.any(), &["true"]),
    Need::SaysNot(condition::METHOD.any(), ELSEWHERE),
    Need::Without(condition::THINK_AFTER.any()),
    Need::Without(condition::SYNC_AFTER.any()),
    Need::Without(condition::FLOW.any()),
    Need::Without(condition::VERIFY.any()),
    Need::AtLeast(Metric(metric::DEPTH), 4.0),
    Need::Less(SETTLED, DONE),
    Need::Less(LIMIT, Constant(0.9)),
];
const AT_THE_DRIVE: &[Need] = &[
    Need::Says(condition::LOOP.any(), &["closed"]),
    Need::Says(condition::DIRECT.any(), &["true"]),
    Need::SaysNot(condition::METHOD.any(), ELSEWHERE),
    Need::Without(condition::THINK_AFTER.any()),
    Need::Without(condition::SYNC_AFTER.any()),
    Need::Without(condition::FLOW.any()),
    Need::Without(condition::VERIFY.any()),
    Need::AtLeast(Metric(metric::DEPTH), 4.0),
    Need::Less(SETTLED, DONE),
    Need::Less(LIMIT, Constant(0.9)),
    Need::Less(MERGED, TENTH),
    // Mappers work on a request before and after the drive has it.
    Need::PathNot(PathFact::Redundant),
    Need::PathNot(PathFact::Volatile),
    Need::Less(Metric(metric::GENERATOR_BUSY), Constant(0.9)),
    // Where CPUs are short the generator and the kernel's threads hold requests back, and other rules say so.
    Need::Less(MetricOr(metric::GENERATOR_WAIT, 0.0), Constant(0.05)),
    Need::Less(MetricOr(metric::CPU_PRESSURE, 0.0), Constant(0.5)),
    Need::Less(MetricOr(metric::STOOD_STILL, 0.0), Constant(0.03)),
];
const COUNTED: &str =
    "Linux Documentation/block/stat.rst, read ticks and write ticks; iostat(1), aqu-sz";

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "requests-above-the-drive",
        group: Group::Device,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(&[Layer::Block]).needs(AT_THE_DRIVE)),
        when: When::Ratio {
            of: Metric(metric::DEVICE_IN_FLIGHT),
            to: Metric(metric::DEPTH),
            over: Over::Third,
            test: Test::Below(0.6),
        },
        figures: &[Metric(metric::DEVICE_TAGS), Number(condition::KERNEL_WORKERS)],
        summary: "The drives had fewer requests than the queue depth: the others waited above them",
        advice: "Read rate and latency as those of the drives' own depth, which is named; look at nr_requests, kernel workers, I/O limits of groups above this one, locks of the file system",
        reason: "Rate and latency are what was seen here, but as figures of the drive they belong to the lower depth. Six tenths, because interrupts and wake-ups take a part of a fast drive's latency, and less than that part is no other depth",
        reference: COUNTED,
    },
    Rule {
        id: "depth-above-tags",
        group: Group::Device,
        severity: Severity::Note,
        about: About::Measurement(Select::layers(&[Layer::Block]).needs(KEPT_FULL)),
        when: When::Ratio {
            of: Metric(metric::DEPTH),
            to: Metric(metric::DEVICE_TAGS),
            over: Over::Median,
            test: Test::Above(1.0),
        },
        figures: &[Metric(metric::DEVICE_IN_FLIGHT)],
        summary: "Queue depth is above what the drives' hardware queues hold: the rest waited in the host",
        advice: "For the drive's latency use a queue depth up to that number (/sys/block/DEVICE/mq/*/nr_tags)",
        reason: "A server that asks for as much waits in the same place, so rate and latency are true for it; the drives had no more than their queues hold",
        reference: "Linux Documentation/block/blk-mq.rst, tags",
    },
    Rule {
        id: "kernel-workers",
        group: Group::Device,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(&[Layer::Block]).needs(KEPT_FULL)),
        when: When::Where(
            Need::Less(
                MetricOr(metric::DEVICE_IN_FLIGHT, 0.0),
                Product(&[Metric(metric::DEPTH), Constant(0.75)]),
            ),
            &When::Where(
                Need::Less(Number(condition::KERNEL_WORKERS), Metric(metric::DEPTH)),
                &When::Present(condition::KERNEL_WORKERS.any()),
            ),
        ),
        figures: &[Metric(metric::DEPTH), Metric(metric::DEVICE_IN_FLIGHT)],
        summary: "The kernel handed requests to its worker threads: the drives had no more than these",
        advice: "Read rate and latency as those of a queue depth of that many workers; a device or file system that takes requests without blocking shows more",
        reason: "io_uring starts what would block in threads of its own, whose number is bounded. Suspect, because without the drives' count of requests nothing tells how many went that way",
        reference: "io_uring_register(2), IORING_REGISTER_IOWQ_MAX_WORKERS",
    },
];
