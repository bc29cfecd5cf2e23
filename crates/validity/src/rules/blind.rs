//! Classes of cross-checks that could not be made. Their silence must not read as a pass.

use narrows_model::{Layer, Severity, Workload, metric, workload};

use crate::{About, Group, PathFact, Rule, Select, When};

const NOT_A_PASS: &str =
    "No figure is shown to be wrong, but none was checked, and the reader has to know";
const UNKNOWN: &str = "introduction, rule 7: unknown is not zero";

const fn blind(id: &'static str, when: When, summary: &'static str, advice: &'static str) -> Rule {
    Rule {
        id,
        group: Group::Blind,
        severity: Severity::Note,
        about: About::Host,
        when,
        figures: &[],
        summary,
        advice,
        reason: NOT_A_PASS,
        reference: UNKNOWN,
    }
}

const OBSERVED: &str = Workload::Observed.measurement_id();

pub(super) const RULES: &[Rule] = &[
    blind(
        "counters-off",
        When::AnyPath(PathFact::CountersOff),
        "The drive's counters are off, so nothing could be checked against them",
        "Write 1 to /sys/block/DEVICE/queue/iostats if you may",
    ),
    blind(
        "device-reads-unchecked",
        When::Blind {
            of: Select::layers(&[Layer::Block]),
            have: &[metric::ISSUED_READ_BYTES],
            lack: &[metric::DEVICE_READ_BYTES],
        },
        "Reads could not be checked against a drive's counters",
        "To have reads checked, use a folder on a local block device",
    ),
    blind(
        "device-writes-unchecked",
        When::Blind {
            of: Select::layers(&[Layer::Block, Layer::Log]),
            have: &[metric::ISSUED_WRITE_BYTES],
            lack: &[metric::DEVICE_WRITE_BYTES],
        },
        "Writes could not be checked against a drive's counters",
        "To have writes checked, use a folder on a local block device",
    ),
    blind(
        "depth-unchecked",
        When::Blind {
            // Waits that a server counted have no queue beside them.
            of: Select::layers(&[Layer::Block]).except(&["block.import.awr.*"]),
            have: &[metric::THROUGHPUT],
            lack: &[metric::IN_FLIGHT],
        },
        "Queue depth could not be checked by Little's law",
        "Latencies are missing; see the other findings",
    ),
    blind(
        "server-uncounted",
        When::Blind {
            of: Select::ids(workload::ONE_TRANSACTION),
            have: &[metric::OPERATIONS],
            lack: &[metric::SERVER_TRANSACTIONS],
        },
        "The client's count could not be checked against the server's",
        "Let the role read pg_stat_database",
    ),
    blind(
        "other-load-unseen",
        When::Blind {
            // Of a server that is only looked at the machine may be another, and that of a report is.
            of: Select::ALL.except(&[
                "log.live",
                OBSERVED,
                "memory.placement.*",
                "memory.baseline.*",
                "block.import.awr.*",
                "log.import.awr.*",
            ]),
            have: &[],
            lack: &[metric::OTHER_CPUS, metric::STEAL],
        },
        "Other programs' CPU time could not be read",
        "Make /proc/stat readable",
    ),
];
