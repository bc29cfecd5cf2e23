//! What was measured on: the file, its contents, and whether it is what its name says.

use narrows_model::{Layer, Severity, condition, metric};

use crate::Quantity::{DriveBytes, Metric, Number, Of};
use crate::{About, Group, Need, Over, Rule, Select, Test, When};

const BLOCK: &[Layer] = &[Layer::Block];
const THROUGH_THE_CACHE: &[Need] = &[Need::SaysEither(&[
    (condition::METHOD.any(), &["buffered"]),
    (condition::DIRECT.any(), &["false"]),
])];

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "plain-file-in-dev",
        group: Group::File,
        severity: Severity::Invalid,
        about: About::Measurement(Select::layers(BLOCK)),
        when: When::Says { key: condition::TARGET_KIND.any(), any_of: &["file in /dev"] },
        figures: &[],
        summary: "A regular file in /dev was measured: it is in memory",
        advice: "Check the device's name, and remove the file: something wrote to a device name that did not exist",
        reason: "A name in /dev promises a device. What answered is the file system that holds the names",
        reference: "Linux Documentation/filesystems: devtmpfs",
    },
    Rule {
        id: "resident-before",
        group: Group::File,
        severity: Severity::Invalid,
        about: About::Measurement(Select::layers(BLOCK).needs(THROUGH_THE_CACHE)),
        when: When::Value {
            of: Metric(metric::RESIDENT_BEFORE),
            over: Over::Worst,
            test: Test::Above(0.01),
        },
        figures: &[],
        summary: "Part of the file was in the page cache before the window",
        advice: "Another process has the file open or mapped; stop it, or use a folder of your own",
        reason: "The drive never sees the read of a cached page, and random reads find those pages in no time",
        reference: "mincore(2) after sync and posix_fadvise(POSIX_FADV_DONTNEED)",
    },
    Rule {
        id: "zero-blocks",
        group: Group::File,
        severity: Severity::Invalid,
        about: About::Measurement(
            Select::layers(&[Layer::Block, Layer::Log])
                .needs(&[Need::SaysNot(condition::CONTENTS.any(), &["of others"])]),
        ),
        when: When::Value {
            of: Metric(metric::ZERO_BLOCKS),
            over: Over::Worst,
            test: Test::Above(0.0),
        },
        figures: &[],
        summary: "The file has blocks of zeros although random data was written",
        advice: "Look for thin provisioning, an incomplete fill, or a drive that drops data",
        reason: "Blocks that were never written, or trimmed, are answered without reading the medium. Random data has no block of zeros, so one is enough",
        reference: "SNIA SSS PTS 2.0.2: purge and precondition with random data",
    },
    Rule {
        id: "blocks-never-written",
        group: Group::File,
        severity: Severity::Invalid,
        about: About::Measurement(
            Select::layers(BLOCK).needs(&[Need::Says(condition::CONTENTS.any(), &["of others"])]),
        ),
        when: When::Value {
            of: Metric(metric::ZERO_BLOCKS),
            over: Over::Worst,
            test: Test::Above(0.05),
        },
        figures: &[],
        summary: "More than 5 % of the blocks read were zeros: never written, or trimmed",
        advice: "Fill the device or file with random data first (narrows block steady does), or measure a part that holds data",
        reason: "Most drives and arrays answer such blocks from their tables, without reading the medium. Databases keep some blocks of zeros, so a few are allowed: they change the figure by as much",
        reference: "SNIA SSS PTS 2.0.2: purge and precondition with random data",
    },
    Rule {
        id: "fabric-blocks-never-written",
        group: Group::File,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(&["fabric.split.*"])),
        when: When::Value {
            of: Metric(metric::ZERO_BLOCKS),
            over: Over::Worst,
            test: Test::Above(0.05),
        },
        figures: &[],
        summary: "More than 5 % of the blocks read over the fabric were zeros: never written, or trimmed",
        advice: "Fill the namespace with random data first, or name one that may be overwritten: narrows then fills it",
        reason: "Most storage answers such blocks without reading the medium, so that its part of the latency is no drive's; what the fabric adds is right",
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
        summary: "The file has holes or unwritten extents",
        advice: "Write the file; fallocate is not enough",
        reason: "The file system answers reads of such extents with zeros, even direct ones, and writes to them cost \
                 a conversion",
        reference: "Linux Documentation/filesystems/fiemap.rst, FIEMAP_EXTENT_UNWRITTEN",
    },
    Rule {
        id: "data-compressible",
        group: Group::File,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(&[Layer::Block, Layer::Log])),
        when: When::Any(&[
            When::Value {
                of: Number(condition::COMPRESS_PERCENT),
                over: Over::Median,
                test: Test::Above(10.0),
            },
            When::Value {
                of: Number(condition::DEDUPE_PERCENT),
                over: Over::Median,
                test: Test::Above(10.0),
            },
        ]),
        figures: &[],
        summary: "The data is compressible or has duplicates: storage that compresses moved fewer bytes",
        advice: "Keep random data, or set your database's own ratio and compare only with the same",
        reason: "Which drives, arrays and file systems compress or deduplicate cannot be seen from here. The operations took place, and a database's own data compresses too, so the figure may be the wanted one",
        reference: "SNIA SSS PTS 2.0.2: random data is mandatory",
    },
    Rule {
        id: "burst-write",
        group: Group::File,
        severity: Severity::Note,
        about: About::Measurement(Select::layers(BLOCK)),
        when: When::Says { key: condition::WRITE_STATE.any(), any_of: &["burst"] },
        figures: &[Number(condition::WRITTEN_BYTES), DriveBytes],
        summary: "Burst rate: the drive was not written long enough for steady state",
        advice: "Expect this rate for minutes, not for hours",
        reason: "The figure is true for its duration. Steady state needs writes of twice the capacity, which nobody should do to a drive unasked",
        reference: "SNIA SSS PTS 2.0.2, workload-independent preconditioning",
    },
    Rule {
        id: "writes-outrun-reads",
        group: Group::File,
        severity: Severity::Note,
        about: About::Measurement(Select::ids(&["block.write.sequential.1m.knee"])),
        when: When::Ratio {
            of: Metric(metric::BANDWIDTH),
            to: Of("block.read.sequential.1m.knee", metric::BANDWIDTH),
            over: Over::Median,
            test: Test::Above(1.2),
        },
        figures: &[Number(condition::WRITTEN_BYTES)],
        summary: "Sequential writes were faster than reads: a cache (drive, controller or host) may absorb them",
        advice: "Once such a cache is full, writes may be much slower: narrows block steady shows the rate that lasts",
        reason: "Flash and disks rarely write faster than they read. A write that is faster mostly ended in the memory of the drive, of a RAID controller, or of a virtual machine's host. Whether that memory survives a power cut is a question of its own",
        reference: "SNIA SSS PTS 2.0.2, workload-dependent preconditioning",
    },
];
