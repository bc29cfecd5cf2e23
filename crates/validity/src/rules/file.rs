//! What was measured on: the file, its contents, and whether it is what its name says.

use narrows_model::{Layer, Severity, condition, metric};

use crate::Quantity::{DriveBytes, Metric, Number};
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
        summary: "A plain file below /dev was measured: it lies in memory",
        advice: "Check the device's name, and remove the file; somebody wrote to a name that had no device",
        reason: "A device's name promises a device. What answered is the file system that holds the names",
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
        advice: "Something else holds the file open or mapped; stop it, or use a folder of our own",
        reason: "Every resident page is a read the drive doesn't see, and random reads find it in no time",
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
        advice: "Look for thin provisioning, a lost fill, or a drive that drops data",
        reason: "Blocks that were never written, or trimmed, are answered without touching the medium. Random data \
                 has no block of zeros, so one is enough",
        reference: "SNIA SSS PTS 2.0.2: purge and precondition with random data",
    },
    Rule {
        id: "blocks-of-nothing",
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
        summary: "More than one block in twenty was zeros: never written, or trimmed, as far as can be told",
        advice: "Write the device or the file through with random data (narrows block steady does), or measure a part that \
                 holds data",
        reason: "Most drives and arrays answer such blocks from their tables, without touching the medium. Who wrote the rest \
                 isn't known, and databases keep some zeros, so a few are left alone: they move the figure by as much",
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
        id: "data-can-be-saved",
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
        summary: "The data could be compressed or deduplicated: a storage that does so moved less than was asked",
        advice: "Leave the data random, or give the database's own shares and compare only with the same",
        reason: "Which drives, arrays and file systems save data can't be seen from here. The operations took place, and \
                 a database's own data can be saved too, so the figure may be the one that is wanted",
        reference: "SNIA SSS PTS 2.0.2: random data is mandatory",
    },
    Rule {
        id: "burst-write",
        group: Group::File,
        severity: Severity::Note,
        about: About::Measurement(Select::layers(BLOCK)),
        when: When::Says { key: condition::WRITE_STATE.any(), any_of: &["burst"] },
        figures: &[Number(condition::WRITTEN_BYTES), DriveBytes],
        summary: "A burst figure: too little was written to reach the drive's steady state",
        advice: "Take it as what the drive gives for minutes, not for hours",
        reason: "The figure is true for its length. Reaching steady state needs writes of twice the capacity, which \
                 nobody should do to a drive unasked",
        reference: "SNIA SSS PTS 2.0.2, workload-independent preconditioning",
    },
];
