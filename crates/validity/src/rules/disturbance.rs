//! Whatever else used the machine. A database's figure stays true when others take its processors, and its verdict
//! says so; a capacity measured in such company is not the capacity.

use narrows_model::{Layer, Severity, metric};

use super::SECONDS_PER_NS;
use crate::Quantity::{Constant, Metric, OnlineCpus, Product};
use crate::{About, Group, Over, Rule, Select, Test, When};

const CAPACITIES: &[Layer] =
    &[Layer::Clock, Layer::Memory, Layer::Block, Layer::Log, Layer::Fabric];
/// Pages in a window that others may have moved: some hundred take about a millisecond.
const MOVED_PAGES: f64 = 100.0;
const STORAGE: &[Layer] = &[Layer::Block, Layer::Log];

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "steal",
        group: Group::Disturbance,
        severity: Severity::Note,
        about: About::Run(Select::ALL),
        when: When::Value {
            of: Metric(metric::STEAL),
            over: Over::Median,
            test: Test::Between(0.01, 0.05),
        },
        figures: &[],
        summary: "The hypervisor gave some CPU time to others",
        advice: "Expect tails to be longer than on a machine of one's own",
        reason: "A few per cent are lost in the spread of the repeats, but show in tails",
        reference: "proc(5), /proc/stat, steal",
    },
    Rule {
        id: "steal-heavy",
        group: Group::Disturbance,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(CAPACITIES)),
        when: When::Value {
            of: Metric(metric::STEAL),
            over: Over::Median,
            test: Test::Above(0.05),
        },
        figures: &[],
        summary: "The hypervisor gave CPU time to others during the measurement",
        advice: "Measure again when the host is quieter, or on a machine without shared CPUs",
        reason: "Above five per cent the loss is as large as the agreement a sum must show",
        reference: "proc(5), /proc/stat, steal",
    },
    Rule {
        id: "other-load",
        group: Group::Disturbance,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(CAPACITIES)),
        when: When::Ratio {
            of: Metric(metric::OTHER_CPUS),
            to: OnlineCpus,
            over: Over::Median,
            test: Test::Above(0.05),
        },
        figures: &[],
        summary: "Other programs used the CPUs during the measurement",
        advice: "Stop them, or measure again when the machine is quiet",
        reason: "What others take is missing from the capacity, and how much of it can't be told from outside",
        reference: "proc(5), /proc/stat less our own CPU time",
    },
    Rule {
        id: "server-cpus-taken",
        group: Group::Disturbance,
        severity: Severity::Note,
        about: About::Measurement(Select::layers(&[Layer::Database])),
        when: When::Any(&[
            When::Ratio {
                of: Metric(metric::SERVER_CPUS_TAKEN),
                to: Metric(metric::SERVER_CPUS),
                over: Over::Median,
                test: Test::Above(0.05),
            },
            When::Value { of: Metric(metric::STEAL), over: Over::Median, test: Test::Above(0.05) },
        ]),
        figures: &[Metric(metric::OTHER_CPUS)],
        summary: "Others, or the hypervisor, used the server's CPUs",
        advice: "Compare this figure only with one obtained in the same company",
        reason: "The server did give this rate, and the verdict takes what was left to it as its capacity; a note, \
                 because the reason for a low figure is not a fault of the measurement",
        reference: "proc(5), /proc/stat per CPU",
    },
    Rule {
        id: "cpu-pressure",
        group: Group::Disturbance,
        severity: Severity::Note,
        about: About::Measurement(Select::ids(&[
            "clock.*",
            "memory.latency.*",
            "block.*.d1",
            "log.append.*.idle",
            "log.after.*.lone",
        ])),
        when: When::Value {
            of: Metric(metric::CPU_PRESSURE),
            over: Over::Median,
            test: Test::Above(0.10),
        },
        figures: &[],
        summary: "Some task waited for a CPU although the measurement needs only one",
        advice: "Look for other load, or a quota on our control group",
        reason: "It says that somebody waited, not that the measurement did; other rules weigh the load itself",
        reference: "Linux Documentation/accounting/psi.rst",
    },
    Rule {
        id: "sentinel-drift",
        group: Group::Disturbance,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ALL),
        when: When::Value {
            of: Metric(metric::SENTINEL_DRIFT),
            over: Over::Median,
            test: Test::Outside(-0.10, 0.10),
        },
        figures: &[],
        summary: "The same piece of work took another time after the measurement than before",
        advice: "Look for frequency changes, heat, or a neighbour; measure again",
        reason: "The CPU that was measured is not the one that was there before; CPU per operation, and what \
                 rests on it, moves by as much",
        reference: "introduction, rule 9",
    },
    Rule {
        id: "throttled",
        group: Group::Disturbance,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(CAPACITIES)),
        when: When::Ratio {
            of: Metric(metric::THROTTLED),
            to: Product(&[Metric(metric::WINDOW), Constant(SECONDS_PER_NS)]),
            over: Over::Median,
            test: Test::Above(0.5),
        },
        figures: &[],
        summary: "A CPU quota stopped the measurement again and again",
        advice: "Raise the control group's quota, or run outside of it",
        reason: "The figure is the quota's. Half a stop a second is one of twenty of the usual 100 ms periods: below \
                 that the loss is inside the spread",
        reference: "Linux Documentation/scheduler/sched-bwc.rst, nr_throttled",
    },
    Rule {
        id: "swapping",
        group: Group::Disturbance,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(&[Layer::Memory])),
        when: When::Value {
            of: Metric(metric::SWAPPED_PAGES),
            over: Over::Worst,
            test: Test::Above(MOVED_PAGES),
        },
        figures: &[],
        summary: "Pages went to swap or came from it during the measurement",
        advice: "Free memory; look for who takes it (`free`, the control group's memory.max)",
        reason: "A page in swap is a read from a drive: where it was ours the figure is not memory's, and whose it was the \
                 kernel doesn't count",
        reference: "Linux Documentation/filesystems/proc.rst, vmstat: pswpin, pswpout",
    },
    Rule {
        id: "pages-balanced",
        group: Group::Disturbance,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(&[Layer::Memory])),
        when: When::Value {
            of: Metric(metric::BALANCED_PAGES),
            over: Over::Worst,
            test: Test::Above(MOVED_PAGES),
        },
        figures: &[],
        summary: "Automatic NUMA balancing moved pages between nodes during the measurement",
        advice: "Look for who is moved (/proc/PID/numa_maps); kernel.numa_balancing switches it off",
        reason: "A page that is moved is unmapped, copied and waited for, and lies elsewhere afterwards; whose pages they were \
                 the kernel doesn't count, and those of a measurement are bound",
        reference: "Linux Documentation/admin-guide/sysctl/kernel.rst, numa_balancing",
    },
    Rule {
        id: "server-throttled",
        group: Group::Disturbance,
        severity: Severity::Note,
        about: About::Measurement(Select::layers(&[Layer::Database])),
        when: When::Value {
            of: Metric(metric::THROTTLED),
            over: Over::Median,
            test: Test::Above(0.0),
        },
        figures: &[Metric(metric::WINDOW)],
        summary: "A CPU quota stopped the server during the window",
        advice: "Raise the quota if the verdict names it",
        reason: "A quota is a configured limit that the server has in production too; the figure is true under it",
        reference: "Linux Documentation/scheduler/sched-bwc.rst, nr_throttled",
    },
    Rule {
        id: "processors-hot",
        group: Group::Disturbance,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(CAPACITIES)),
        when: When::Value {
            of: Metric(metric::HEAT_STOPS),
            over: Over::Median,
            test: Test::Above(0.0),
        },
        figures: &[],
        summary: "A processor slowed itself down during the measurement because it was hot",
        advice: "Look at fans, air and the power limit; let it cool, and measure again",
        reason: "The capacity is that of a hot processor, and falls further or recovers with the next minutes. The median, \
                 because one stop in one repeat doesn't move the figure",
        reference: "Linux Documentation/ABI/testing/sysfs-devices-system-cpu, thermal_throttle",
    },
    Rule {
        id: "drive-hot",
        group: Group::Disturbance,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(STORAGE)),
        when: When::Value {
            of: Metric(metric::DRIVE_HEAT),
            over: Over::Worst,
            test: Test::Above(1.0),
        },
        figures: &[],
        summary: "A drive was hotter than the limit from which on it warns: drives slow themselves down there",
        advice: "Look at the air that reaches it; let it cool, and measure again",
        reason: "Whether it was slowed down the drive doesn't say to everybody, so the figure may be true; it is not that of \
                 a drive in order",
        reference: "NVM Express Base Specification, WCTEMP; Linux Documentation/hwmon/drivetemp.rst",
    },
    Rule {
        id: "io-limit-changed",
        group: Group::Disturbance,
        severity: Severity::Invalid,
        about: About::Measurement(Select::layers(STORAGE)),
        when: When::Value {
            of: Metric(metric::IO_LIMIT_CHANGED),
            over: Over::Worst,
            test: Test::Above(0.0),
        },
        figures: &[Metric(metric::IO_LIMIT_SHARE)],
        summary: "The control group's I/O limits were changed during the window",
        advice: "Find out who sets them (a container runtime, a cloud agent), and measure again",
        reason: "Two limits, one figure: it belongs to neither, and no reader can take it apart",
        reference: "Linux Documentation/admin-guide/cgroup-v2.rst, io.max; cgroup-v1/blkio-controller.rst",
    },
    Rule {
        id: "io-limit-reached",
        group: Group::Disturbance,
        severity: Severity::Note,
        about: About::Measurement(Select::layers(STORAGE)),
        when: When::Value {
            of: Metric(metric::IO_LIMIT_SHARE),
            over: Over::Median,
            test: Test::Above(0.9),
        },
        figures: &[Metric(metric::THROUGHPUT)],
        summary: "The control group's I/O limit was reached: the figure is the limit's, not the drive's",
        advice: "Raise the limit, or run outside of the group, to see the drive",
        reason: "A limit is configured, and a server in the same group has it in production too: the figure is true of \
                 that path, and the ceiling stands beside it",
        reference: "Linux Documentation/admin-guide/cgroup-v2.rst, io.max; cgroup-v1/blkio-controller.rst",
    },
];
