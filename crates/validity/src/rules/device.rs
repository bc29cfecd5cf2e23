//! What was asked against what device and kernel saw, and what the file consisted of.

use narrows_model::{Layer, Severity, condition, metric};

use crate::Quantity::{DriveBytes, Metric, Number};
use crate::{About, Group, Need, Over, PathFact, Rule, Select, Test, When};

const READS: &[&str] = &["block.read.*"];
const WRITES: &[&str] = &["block.write.*"];
const DURABLE: &[&str] = &["block.write.*", "log.*"];
const COUNTERS: &str = "Linux Documentation/block/stat.rst; device counters against issued bytes";

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "device-saw-less",
        group: Group::Device,
        severity: Severity::Invalid,
        about: About::Measurement(Select::ids(READS).needs(&[Need::PathNot(PathFact::Volatile)])),
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
        about: About::Measurement(Select::ids(DURABLE).needs(&[Need::PathNot(PathFact::Volatile)])),
        when: When::Ratio {
            of: Metric(metric::DEVICE_WRITE_BYTES),
            to: Metric(metric::ISSUED_WRITE_BYTES),
            over: Over::Worst,
            test: Test::Below(0.95),
        },
        figures: &[],
        summary: "The drives were sent fewer bytes than were written durably",
        advice: "Look for a file system or mapper that holds writes back or compresses them",
        reason: "A direct or flushed write that has not reached the drive is neither durable nor the drive's figure",
        reference: COUNTERS,
    },
    Rule {
        id: "others-read-the-drives",
        group: Group::Device,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(READS)),
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
        about: About::Measurement(Select::ids(WRITES).needs(&[Need::PathNot(PathFact::Redundant)])),
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
        about: About::Measurement(
            Select::ids(&["log.append.fdatasync.idle"]).needs(&[Need::Path(PathFact::WriteBack)]),
        ),
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
        id: "resident-before",
        group: Group::File,
        severity: Severity::Invalid,
        about: About::Measurement(
            Select::ids(READS).needs(&[Need::Says(condition::METHOD, &["buffered"])]),
        ),
        when: When::Value {
            of: Metric(metric::RESIDENT_BEFORE),
            over: Over::Worst,
            test: Test::Above(0.01),
        },
        figures: &[],
        summary: "Part of the file was in the page cache before the window",
        advice: "Something else holds the file open or mapped; stop it, or use a folder of our own",
        reason: "Every resident page is a read the drive doesn't see, and random reads find it in no time",
        reference: "mincore(2) after sync and posix_fadvise(POSIX_FADV_DONTNEED)",
    },
    Rule {
        id: "zero-blocks",
        group: Group::File,
        severity: Severity::Invalid,
        about: About::Measurement(Select::layers(&[Layer::Block, Layer::Log])),
        when: When::Value {
            of: Metric(metric::ZERO_BLOCKS),
            over: Over::Worst,
            test: Test::Above(0.0),
        },
        figures: &[],
        summary: "The file has blocks of zeros although random data was written",
        advice: "Look for thin provisioning, a lost fill, or a drive that drops data",
        reason: "Blocks that were never written, or trimmed, are answered without touching the medium. Random data \
                 has no block of zeros, so one is enough",
        reference: "SNIA SSS PTS 2.0.2: purge and precondition with random data",
    },
    Rule {
        id: "unwritten-extents",
        group: Group::File,
        severity: Severity::Invalid,
        about: About::Measurement(Select::layers(&[Layer::Block, Layer::Log])),
        when: When::Value {
            of: Metric(metric::UNWRITTEN),
            over: Over::Worst,
            test: Test::Above(0.001),
        },
        figures: &[],
        summary: "The file has holes or extents that were never written",
        advice: "Fill the file; fallocate is not enough",
        reason: "The file system answers reads of such extents with zeros, even direct ones, and writes to them cost \
                 a conversion",
        reference: "Linux Documentation/filesystems/fiemap.rst, FIEMAP_EXTENT_UNWRITTEN",
    },
    Rule {
        id: "burst-write",
        group: Group::File,
        severity: Severity::Note,
        about: About::Measurement(Select::ids(WRITES)),
        when: When::Says { key: condition::WRITE_STATE, any_of: &["burst"] },
        figures: &[Number("written_bytes"), DriveBytes],
        summary: "A burst figure: too little was written to reach the drive's steady state",
        advice: "Take it as what the drive gives for minutes, not for hours",
        reason: "The figure is true for its length. Reaching steady state needs writes of twice the capacity, which \
                 nobody should do to a drive unasked",
        reference: "SNIA SSS PTS 2.0.2, workload-independent preconditioning",
    },
];
