//! Which blocks were read and written, and how often. What is read again may come from a cache that the device's counters don't
//! show, so these rules look at what was sent, not at what came back.

use narrows_model::{Layer, Severity, condition, metric};

use crate::Quantity::{Constant, MemoryBytes, Metric, Number};
use crate::{About, Group, Need, Over, Rule, Select, Test, When};

const BLOCK: &[Layer] = &[Layer::Block];
/// Every drive has so much memory of its own, bytes.
const SMALL_BYTES: f64 = 33_554_432.0;
const OWN_ACCOUNT: &str = "the generator's own account of where it sent its operations";

/// Distinct bytes over bytes read, below that share.
const fn read_again(share: f64) -> When {
    When::Ratio {
        of: Metric(metric::UNIQUE_BYTES),
        to: Metric(metric::ISSUED_READ_BYTES),
        over: Over::Worst,
        test: Test::Below(share),
    }
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "streams-overlap",
        group: Group::Order,
        severity: Severity::Suspect,
        about: About::Measurement(
            Select::layers(BLOCK).needs(&[Need::Says(condition::PLACE.any(), &["same_offsets"])]),
        ),
        when: read_again(0.95),
        figures: &[
            Number(condition::THREADS),
            Metric(metric::DEVICE_READ_BYTES),
            Metric(metric::RESIDENT_BEFORE),
        ],
        summary: "Sequential streams read the same blocks: one may have cached them for the others",
        advice: "Give each stream its own part of the file (fio: offset_increment), or one file each",
        reason: "The second reader may find the block in a cache of the drive or array, which no counter here shows. The operations took place; where the drive saw less than was read, another rule makes the figure invalid",
        reference: OWN_ACCOUNT,
    },
    Rule {
        id: "working-set-in-memory",
        group: Group::Order,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(BLOCK).needs(&[
            Need::SaysEither(&[
                (condition::METHOD.any(), &["buffered"]),
                (condition::DIRECT.any(), &["false"]),
            ]),
            Need::SaysNot(condition::PLACE.any(), &["same_offsets"]),
            Need::Less(Number(condition::FILE_BYTES), MemoryBytes),
        ])),
        when: read_again(0.95),
        figures: &[Number(condition::FILE_BYTES), MemoryBytes, Metric(metric::DEVICE_READ_BYTES)],
        summary: "Blocks were read again through the page cache, from a file that fits into memory",
        advice: "Use a file larger than memory, or read each block once",
        reason: "The second read of a block may come from memory. Where the drives' counters show it, the figure is invalid",
        reference: "Oracle, CALIBRATE_IO: data larger than every cache on the way",
    },
    Rule {
        id: "blocks-read-again",
        group: Group::Order,
        severity: Severity::Note,
        about: About::Measurement(Select::layers(BLOCK).needs(&[
            Need::SaysNot(condition::METHOD.any(), &["buffered"]),
            Need::SaysNot(condition::DIRECT.any(), &["false"]),
            Need::SaysNot(condition::PLACE.any(), &["same_offsets"]),
        ])),
        when: read_again(0.5),
        figures: &[Number(condition::FILE_BYTES)],
        summary: "Each block was read at least twice: a cache in drive, array or hypervisor may have answered",
        advice: "Use a larger file, and see whether the rate falls",
        reason: "Direct I/O sends every read to the device, and most devices cache little; counters do not show those that cache much",
        reference: OWN_ACCOUNT,
    },
    Rule {
        id: "few-blocks-read-again",
        group: Group::Order,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(BLOCK).except(&["block.tier.*"]).needs(&[
            Need::SaysNot(condition::METHOD.any(), &["buffered"]),
            Need::SaysNot(condition::DIRECT.any(), &["false"]),
            Need::Less(Metric(metric::UNIQUE_BYTES), Constant(SMALL_BYTES)),
        ])),
        when: read_again(0.1),
        figures: &[Number(condition::FILE_BYTES)],
        summary: "A few MiB were read again and again: every drive has so much memory of its own",
        advice: "Use a file of 1 GiB or more",
        reason: "The figure is that of the drive's memory, or of one chip of it, and not that of its medium. 32 MiB, which drives of all kinds have; ten times, because what is read less often is mostly read for the first time. A proof of a cache (`block.tier`) asks for just that",
        reference: "SNIA SSS PTS 2.0.2: ActiveRange",
    },
    Rule {
        id: "sequence-repeated",
        group: Group::Order,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(BLOCK)),
        when: When::Value {
            of: Metric(metric::SEQUENCE_REPEATED),
            over: Over::Worst,
            test: Test::Above(0.0),
        },
        figures: &[Number(condition::SEED), Number(condition::FILE_BYTES)],
        summary: "A window read the same blocks in the same order as an earlier one",
        advice: "Use another seed for each window, or continue where the last one ended",
        reason: "The second window asks first for what the first one left in a cache. The figure may still be the drive's",
        reference: "fio, randrepeat: the order is the same in every run unless it is switched off",
    },
];
