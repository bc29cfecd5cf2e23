//! What the path under a role is, where that bears on what the numbers mean.

use narrows_model::{Layer, Role, Severity};

use crate::{About, Group, PathFact, Rule, Select, When};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "block-in-memory",
        group: Group::Path,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(&[Layer::Block])),
        when: When::Path { role: Role::Data, fact: PathFact::Volatile },
        figures: &[],
        summary: "The data folder is on a file system in memory: no drive was measured",
        advice: "Set --data to a folder on a drive",
        reason: "The operations took place in memory, under a name that promises a drive",
        reference: "tmpfs(5)",
    },
    Rule {
        id: "network-path",
        group: Group::Path,
        severity: Severity::Note,
        about: About::Host,
        when: When::AnyPath(PathFact::Network),
        figures: &[],
        summary: "Data or WAL is on a network file system: file server and network are part of every figure",
        advice: "Compare with a local folder to see the network's share",
        reason: "A database may well be there; only device counters are out of reach",
        reference: "statfs(2)",
    },
    Rule {
        id: "overlay-path",
        group: Group::Path,
        severity: Severity::Note,
        about: About::Host,
        when: When::AnyPath(PathFact::Overlay),
        figures: &[],
        summary: "Data or WAL is on a container's overlay file system",
        advice: "Mount a volume for data and WAL, as a database in a container should have",
        reason: "New files are in the upper layer and behave like it; copying up happens only to files that were there before",
        reference: "Linux Documentation/filesystems/overlayfs.rst",
    },
    Rule {
        id: "far-from-drive",
        group: Group::Path,
        severity: Severity::Note,
        about: About::Run(Select::layers(&[Layer::Block, Layer::Log])),
        when: When::FarFromDrive,
        figures: &[],
        summary: "The load ran on another NUMA node than the drive's",
        advice: "To see the drive, run on its node: numactl --cpunodebind, or the service's AllowedCPUs",
        reason: "Each operation crossed the link between the nodes. A server bound to that node uses the same path, so the figure is true for that path",
        reference: "Linux Documentation/ABI/testing/sysfs-bus-pci, numa_node",
    },
    Rule {
        id: "database-beside",
        group: Group::Path,
        severity: Severity::Note,
        about: About::Host,
        when: When::DatabaseBeside,
        figures: &[],
        summary: "Another database uses drives that were measured",
        advice: "Observe it (narrows observe), or measure while it is down",
        reason: "Whether it did anything during the windows is judged by the rules on other load and other reads",
        reference: "introduction, rule 10",
    },
];
