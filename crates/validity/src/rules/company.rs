//! Whoever else used the drives, and what is found on all that ran together.

use narrows_model::{Layer, Severity, condition, metric};

use super::device::QUEUE_GROWS;
use crate::Quantity::{Constant, Metric, MetricOr, PerSecond};
use crate::{About, Group, Need, Over, PathFact, Rule, Select, Test, When};

/// Without reads, or writes, of ours.
const READS_ALONE: Need = Need::Less(MetricOr(metric::ISSUED_WRITE_BYTES, 0.0), Constant(1.0));
const WRITES_ALONE: Need = Need::Less(MetricOr(metric::ISSUED_READ_BYTES, 0.0), Constant(1.0));
const COUNTERS: &str = "Linux Documentation/block/stat.rst; device counters against issued bytes";

/// More than a tenth, in bytes or in requests.
const WRITES_BESIDE_READS: When = When::Any(&[
    When::Ratio {
        of: Metric(metric::DEVICE_WRITE_BYTES),
        to: Metric(metric::DEVICE_READ_BYTES),
        over: Over::Third,
        test: Test::Above(0.1),
    },
    When::Ratio {
        of: Metric(metric::DEVICE_WRITES),
        to: Metric(metric::DEVICE_READS),
        over: Over::Third,
        test: Test::Above(0.1),
    },
]);
const READS_BESIDE_WRITES: When = When::Any(&[
    When::Ratio {
        of: Metric(metric::DEVICE_READ_BYTES),
        to: Metric(metric::DEVICE_WRITE_BYTES),
        over: Over::Third,
        test: Test::Above(0.1),
    },
    When::Ratio {
        of: Metric(metric::DEVICE_READS),
        to: Metric(metric::DEVICE_WRITES),
        over: Over::Third,
        test: Test::Above(0.1),
    },
]);

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "others-write-beside-reads",
        group: Group::Device,
        severity: Severity::Suspect,
        about: About::Measurement(
            Select::layers(&[Layer::Block])
                .needs(&[READS_ALONE, Need::AtLeast(Metric(metric::ISSUED_READ_BYTES), 1.0)]),
        ),
        when: WRITES_BESIDE_READS,
        figures: &[PerSecond(metric::DEVICE_WRITE_BYTES), Metric(metric::OPERATIONS)],
        summary: "Other programs wrote to the drives while only reads were measured",
        advice: "Find the writer (iotop, pidstat -d), stop it and measure again; or read the figure as that of a drive in use",
        reason: "Writes of others take the drive's time whatever CPU time they need. A tenth, because a write costs a drive about as much as a read or more, and what a quiet system writes to its logs is far less",
        reference: COUNTERS,
    },
    Rule {
        id: "others-read-beside-writes",
        group: Group::Device,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(&[Layer::Block]).needs(&[
            WRITES_ALONE,
            Need::AtLeast(Metric(metric::ISSUED_WRITE_BYTES), 1.0),
            Need::PathNot(PathFact::Redundant),
        ])),
        when: READS_BESIDE_WRITES,
        figures: &[PerSecond(metric::DEVICE_READ_BYTES), Metric(metric::OPERATIONS)],
        summary: "Other programs read from the drives while only writes were measured",
        advice: "Find the reader (iotop, pidstat -d), stop it and measure again; writes of less than a block of the file system read it first",
        reason: "As for writes beside reads. Parity and mappers read for a write by design, so these are not judged",
        reference: COUNTERS,
    },
    Rule {
        id: "memory-answered",
        group: Group::Device,
        severity: Severity::Invalid,
        about: About::Measurement(Select::layers(&[Layer::Block]).except(QUEUE_GROWS).needs(&[
            // A file system with a drive beneath it; others don't account what they read to a process.
            Need::Path(PathFact::Counted),
            Need::SaysNot(condition::METHOD.any(), &["passthrough", "nvme-tcp", "null", "nop"]),
            // At the window's ends what is under way is counted on one side alone.
            Need::AtLeast(Metric(metric::OPERATIONS), 1000.0),
        ])),
        when: When::Ratio {
            of: Metric(metric::PROCESS_READ_BYTES),
            to: Metric(metric::ISSUED_READ_BYTES),
            over: Over::Worst,
            test: Test::Below(0.9),
        },
        figures: &[Metric(metric::DEVICE_READ_BYTES), Metric(metric::RESIDENT_BEFORE)],
        summary: "The kernel read fewer bytes from storage for this process than it requested: memory answered",
        advice: "Use direct I/O, or a file larger than memory",
        reason: "The drives' counters are of everybody: reads of others can stand for reads that the page cache answered. What the kernel accounts to this process is its own",
        reference: "proc_pid_io(5), read_bytes",
    },
    Rule {
        id: "part-of-invalid",
        group: Group::Device,
        severity: Severity::Invalid,
        about: About::Measurement(Select::ALL),
        when: When::PartOf(Severity::Invalid),
        figures: &[],
        summary: "All that ran together is invalid, and this is a part of it",
        advice: "See the finding on the whole; measure this part alone",
        reason: "The drives' counters know only all of it together. Which part was not measured, nobody knows, so none stands",
        reference: "Linux Documentation/block/stat.rst: counters of a device, not of who uses it",
    },
    Rule {
        id: "part-of-suspect",
        group: Group::Device,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ALL),
        when: When::PartOf(Severity::Suspect),
        figures: &[],
        summary: "What the drives saw of all that ran together is suspect, and this is a part of it",
        advice: "See the finding on the whole; measure this part alone",
        reason: "As for parts of what is invalid; only for what can't be told part by part: who else used the drives, which blocks were read",
        reference: "Linux Documentation/block/stat.rst: counters of a device, not of who uses it",
    },
];
