//! Whatever else used the machine. A database's figure stays true when others take its processors, and its verdict
//! says so; a capacity measured in such company is not the capacity.

use narrows_model::{Layer, Severity, metric};

use super::SECONDS_PER_NS;
use crate::Quantity::{AtMost, Constant, Metric, MetricOr, OnlineCpus, Product};
use crate::{About, Group, Need, Over, Quantity, Rule, Select, Test, When};

const CAPACITIES: &[Layer] =
    &[Layer::Clock, Layer::Memory, Layer::Block, Layer::Log, Layer::Fabric];
/// Pages in a window that others may have moved: some hundred take about a millisecond.
const MOVED_PAGES: f64 = 100.0;
const STORAGE: &[Layer] = &[Layer::Block, Layer::Log];

const OTHERS_SHARE: When = When::Ratio {
    of: Metric(metric::OTHER_CPUS),
    to: OnlineCpus,
    over: Over::Third,
    test: Test::Above(0.05),
};

/// What other programs had of a wait: no more than they ran. The rest was for threads of the kernel, which complete our requests.
const WAITED_FOR_OTHERS: Quantity =
    AtMost(&Metric(metric::GENERATOR_WAIT), &MetricOr(metric::OTHER_CPUS, f64::INFINITY));

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
        summary: "Steal: the hypervisor gave some CPU time to other guests",
        advice: "Expect longer tail latencies than on a dedicated machine",
        reason: "A few percent are lost in the spread of the repeats, but show in tail latencies",
        reference: "proc(5), /proc/stat, steal",
    },
    Rule {
        id: "steal-heavy",
        group: Group::Disturbance,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(CAPACITIES)),
        when: When::Any(&[
            When::Value { of: Metric(metric::STEAL), over: Over::Third, test: Test::Above(0.05) },
            // Of 64 CPUs one that lost half of its time is less than one per cent of all.
            When::Value {
                of: Metric(metric::GENERATOR_STEAL),
                over: Over::Third,
                test: Test::Above(0.1),
            },
        ]),
        figures: &[],
        summary: "Steal: the hypervisor gave CPU time to other guests during the test",
        advice: "Measure again when the host is less busy, or on dedicated CPUs",
        reason: "Above five percent the loss is as large as the agreement that a sum must show. Of the one CPU that the load generator used a tenth, because it is counted in steps of 10 ms",
        reference: "proc(5), /proc/stat, steal",
    },
    Rule {
        id: "other-load",
        group: Group::Disturbance,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(CAPACITIES)),
        when: When::Any(&[
            When::Value { of: WAITED_FOR_OTHERS, over: Over::Third, test: Test::Above(0.05) },
            When::Where(Need::Lacks(metric::GENERATOR_WAIT), &OTHERS_SHARE),
            // Threads of the kernel that complete our requests wait as well.
            When::Where(Need::AtLeast(Metric(metric::CPU_PRESSURE), 0.25), &OTHERS_SHARE),
        ]),
        figures: &[Metric(metric::OTHER_CPUS), Metric(metric::KERNEL_CPUS)],
        summary: "Other programs used the CPUs during the test",
        advice: "Stop them, or measure again when the machine is idle",
        reason: "Where it is known how long the load generator's threads waited for a CPU, that counts, on 2 CPUs as on 128, and their share of the CPUs only where somebody waited for one. Of such a wait others had no more than they ran: the rest was for threads of the kernel, which complete our requests. Where no wait is known, their CPU time is missing from the capacity, and how much capacity it cost is unknown",
        reference: "Linux Documentation/scheduler/sched-stats.rst, run delay; proc(5), /proc/stat less narrows' own",
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
        summary: "Other programs or steal used the server's CPUs",
        advice: "Compare this figure only with one taken beside the same load",
        reason: "The server did reach this rate, and the verdict counts the CPU time that was left to it as its capacity; a note, because a low figure then is no fault of the test",
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
        summary: "Something waited for a CPU during a test that needs only one",
        advice: "Look for other load, or for a CPU quota of narrows' control group",
        reason: "It says that some task waited, not that the test did; other rules judge the load itself",
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
        summary: "The same calculation took another time after the test than before",
        advice: "Look for frequency changes, heat or other guests; measure again",
        reason: "The CPU changed speed during the test; CPU time per operation, and all that rests on it, is off by as much",
        reference: "introduction, rule 9",
    },
    Rule {
        id: "stood-still",
        group: Group::Disturbance,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(STORAGE)),
        when: When::StoodStill { share: 0.03 },
        figures: &[
            Metric(metric::GENERATOR_WAIT),
            Metric(metric::STEAL),
            Metric(metric::THROTTLED),
        ],
        summary: "The whole program stood still for a part of the test, or the machine did",
        advice: "Look for what stops it (SIGSTOP, a freezer, a CPU quota, a paused or migrated guest), and measure again",
        reason: "Meanwhile nothing was submitted, so the figure is too low by that part at least. A thread that only sleeps and looks did not run either, which a drive that stands still does not cause. Why it stood still is told where a counter shows it: SIGCONT ends a stop by a signal, cgroup.stat.local counts a freezer's time (Linux 6.18), cpu.stat a quota's, and of a paused guest whose clock went on a CPU's counters account for less time than passed. A freezer of version 1 counts nothing",
        reference: "signal(7), SIGSTOP; Linux Documentation/admin-guide/cgroup-v2.rst, cgroup.freeze, cgroup.stat.local; proc(5), /proc/stat",
    },
    Rule {
        id: "stopped-by-signal",
        group: Group::Disturbance,
        severity: Severity::Suspect,
        // Where it is known for how long the program stood still, that decides.
        about: About::Measurement(
            Select::layers(CAPACITIES).needs(&[Need::Lacks(metric::STOOD_STILL)]),
        ),
        when: When::Any(&[
            When::Value {
                of: Metric(metric::CONTINUED),
                over: Over::Third,
                test: Test::Above(0.0),
            },
            When::Value { of: Metric(metric::FROZEN), over: Over::Third, test: Test::Above(0.03) },
        ]),
        figures: &[],
        summary: "The program was stopped during the test, by a signal or with its control group",
        advice: "Look for what stops it (SIGSTOP, Ctrl-Z, a debugger, cgroup.freeze), and measure again",
        reason: "For how long is unknown here of a signal, because nothing counts that. Whatever was under way then took as much longer, so that rates are too low and the slowest operations are the stop",
        reference: "signal(7), SIGCONT; Linux Documentation/admin-guide/cgroup-v2.rst, cgroup.stat.local",
    },
    Rule {
        id: "throttled",
        group: Group::Disturbance,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(CAPACITIES)),
        when: When::Any(&[
            When::Ratio {
                of: Metric(metric::THROTTLED),
                to: Product(&[Metric(metric::WINDOW), Constant(SECONDS_PER_NS)]),
                over: Over::Median,
                test: Test::Above(0.5),
            },
            When::Value {
                of: Metric(metric::THROTTLED_CPUS),
                over: Over::Worst,
                test: Test::Above(0.02),
            },
        ]),
        figures: &[Metric(metric::THROTTLED_CPUS)],
        summary: "A CPU quota throttled the test",
        advice: "Raise the control group's quota, or run outside it",
        reason: "The figure is the quota's. 0.5 throttled periods per second are one in twenty of the usual 100 ms periods; in windows shorter than a second the time counts, in the worst repeat: 0.02 CPUs are 2 % of the one CPU that a latency needs",
        reference: "Linux Documentation/scheduler/sched-bwc.rst, nr_throttled",
    },
    Rule {
        id: "stopped-by-quota",
        group: Group::Disturbance,
        severity: Severity::Invalid,
        about: About::Measurement(Select::layers(&[Layer::Clock, Layer::Memory])),
        when: When::Value {
            of: Metric(metric::THROTTLED_CPUS),
            over: Over::Worst,
            test: Test::Above(0.1),
        },
        figures: &[Metric(metric::THROTTLED), Metric(metric::WINDOW)],
        summary: "A CPU quota kept the test's threads off their CPUs for a part of the window",
        advice: "Raise the control group's quota above the CPUs that are tested, or run outside it",
        reason: "What memory and clock give in a window is divided by the window's whole time. The quota stops threads for up to 100 ms at a time, which may be none of a window or all of it: such a figure is neither the memory's nor the quota's",
        reference: "Linux Documentation/scheduler/sched-bwc.rst, throttled_usec",
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
        summary: "The machine swapped during the test",
        advice: "Free memory; look for what uses it (`free`, memory.max of the control group)",
        reason: "A swapped-out page is a read from a drive: where it was the test's, the figure is not memory's. The kernel does not count whose pages they were",
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
        summary: "Automatic NUMA balancing moved pages between nodes during the test",
        advice: "Look for the process whose pages moved (/proc/PID/numa_maps); kernel.numa_balancing = 0 turns it off",
        reason: "A page that is moved is unmapped, copied and waited for, and lies on another node afterwards. The kernel does not count whose pages they were; those of a test are bound",
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
        summary: "A CPU quota throttled the server during the window",
        advice: "Raise the quota if the verdict names it",
        reason: "A quota is a configured limit that the server also has in production; the figure is true under it",
        reference: "Linux Documentation/scheduler/sched-bwc.rst, nr_throttled",
    },
    Rule {
        id: "cpus-hot",
        group: Group::Disturbance,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(CAPACITIES)),
        when: When::Value {
            of: Metric(metric::HEAT_STOPS),
            over: Over::Median,
            test: Test::Above(0.0),
        },
        figures: &[],
        summary: "A CPU throttled itself during the test because it was hot",
        advice: "Check fans, airflow and the power limit; let it cool, and measure again",
        reason: "The capacity is that of a hot CPU and changes within minutes. The median counts, because one stop in one repeat does not change the figure",
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
        summary: "A drive was above its warning temperature, where drives throttle",
        advice: "Check the drive's airflow; let it cool, and measure again",
        reason: "Whether the drive throttled cannot be read everywhere, so the figure may be true; it is not that of a drive in good condition",
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
        summary: "The control group's I/O limits changed during the window",
        advice: "Find what sets them (a container runtime, a cloud agent), and measure again",
        reason: "One figure under two limits belongs to neither of them",
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
        summary: "The control group's I/O limit was reached: the figure is the limit, not the drive",
        advice: "To see the drive, raise the limit or run outside the group",
        reason: "The limit is configured, and a server in the same group has it in production too: the figure is true for that path, and the limit is printed with it",
        reference: "Linux Documentation/admin-guide/cgroup-v2.rst, io.max; cgroup-v1/blkio-controller.rst",
    },
];
