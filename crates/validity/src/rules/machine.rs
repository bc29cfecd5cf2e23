//! Clock and memory: whether time can be read cheaply and forward, and pages are what was asked for.

use narrows_model::{Layer, Severity, condition, metric};

use crate::Quantity::{Metric, Number, Of};
use crate::{About, Group, Need, Over, Rule, Select, Test, When};

/// Walks of dependent loads over memory.
const WALKS: &[&str] = &["memory.latency.*", "memory.matrix.latency.*"];
/// Those whose pages all fit the TLB, at half of the footprint as at the whole.
const ON_LARGE_PAGES: &[&str] = &["memory.latency.*2m", "memory.latency.*1g"];
/// What is meant to be memory; who asks for the latency of a few MiB asks for a cache's.
const BEYOND_CACHES: &[Need] = &[Need::AtLeast(Number(condition::FOOTPRINT_BYTES), 536_870_912.0)];
/// What no machine's memory is faster than, ns.
const FASTEST_NS: f64 = 35.0;

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "clock-backwards",
        group: Group::Machine,
        severity: Severity::Invalid,
        about: About::Measurement(Select::layers(&[Layer::Clock])),
        when: When::Value { of: Metric(metric::ERRORS), over: Over::Worst, test: Test::Above(0.0) },
        figures: &[Metric(metric::OPERATIONS)],
        summary: "The clock went backwards between two readings",
        advice: "Read the kernel log about the clock source; do not measure with this clock",
        reason: "The difference of two readings of such a clock is not a duration",
        reference: "clock_gettime(2), CLOCK_MONOTONIC; the kernel's TSC warp test",
    },
    Rule {
        id: "clock-source-changed",
        group: Group::Machine,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(&[Layer::Clock])),
        when: When::Present(condition::CLOCK_SOURCE_AFTER.any()),
        figures: &[],
        summary: "The kernel changed its clock source during the test",
        advice: "Read the kernel log: the kernel found the clock unstable",
        reason: "The repeats used two clocks; each figure may be true for one of them",
        reference: "Linux kernel/time/clocksource.c, the clock-source watchdog",
    },
    Rule {
        id: "clock-is-a-system-call",
        group: Group::Machine,
        severity: Severity::Note,
        about: About::Measurement(Select::ids(&["clock.vdso"])),
        when: When::Any(&[
            When::Value { of: Metric(metric::COST), over: Over::Median, test: Test::Above(200.0) },
            When::Ratio {
                of: Metric(metric::COST),
                to: Of("clock.syscall", metric::COST),
                over: Over::Median,
                test: Test::Above(0.5),
            },
        ]),
        figures: &[],
        summary: "The clock source cannot be read from user space: every time stamp is a system call",
        advice: "See /sys/devices/system/clocksource; a database with track_io_timing pays for each reading",
        reason: "The machine is as it is, and every figure includes it",
        reference: "vdso(7); PostgreSQL documentation, pg_test_timing",
    },
    Rule {
        id: "huge-pages-not-obtained",
        group: Group::Machine,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(&["memory.latency.*2m"])),
        when: When::Value {
            of: Number(condition::PAGE_BYTES),
            over: Over::Median,
            test: Test::Below(2_097_152.0),
        },
        figures: &[],
        summary: "2 MiB pages were requested and not obtained",
        advice: "Set transparent_hugepage to madvise or always, or reserve huge pages",
        reason: "The latency is true for the pages that were used, and contains the address translation that huge pages avoid",
        reference: "Linux Documentation/admin-guide/mm/transhuge.rst; introduction, rule 8",
    },
    Rule {
        id: "node-not-obtained",
        group: Group::Machine,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(&[Layer::Memory])),
        when: When::Value {
            of: Number(condition::NODE_SHARE),
            over: Over::Median,
            test: Test::Below(0.95),
        },
        figures: &[Number(condition::NODE)],
        summary: "Part of the memory was on another node than requested",
        advice: "Look for a full node, the memory list of a cpuset, or automatic NUMA balancing",
        reason: "The figure mixes local and remote memory in a known ratio; it is neither of the two",
        reference: "move_pages(2); introduction, rule 8",
    },
    Rule {
        id: "moved-off-cpu",
        group: Group::Machine,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(&[Layer::Memory])),
        when: When::Value {
            of: Number(condition::SAMPLES_ON_ANOTHER_CPU),
            over: Over::Median,
            test: Test::Above(0.0),
        },
        figures: &[],
        summary: "Some samples were taken on another CPU than the pinned one",
        advice: "Look for a cpuset that changed, or a CPU that went offline",
        reason: "Which node those samples used is unknown; the median hides them where they are few",
        reference: "getcpu(2); introduction, rule 8",
    },
    Rule {
        id: "faster-than-memory",
        group: Group::Machine,
        severity: Severity::Invalid,
        about: About::Measurement(Select::ids(WALKS).needs(BEYOND_CACHES)),
        when: When::Value {
            of: Metric(metric::COST),
            over: Over::Worst,
            test: Test::Below(FASTEST_NS),
        },
        figures: &[Number(condition::FOOTPRINT_BYTES), Number(condition::LLC_BYTES)],
        summary: "A load took less time than memory can take: caches answered",
        advice: "Look for a cache that the hypervisor does not show (narrows platform), and measure over more memory",
        reason: "Opening a DRAM row and reading from it takes 25 to 30 ns by the DDR4 and DDR5 standards (tRCD + tCL), and the way through the caches and the memory controller takes longer than the last-level cache alone, 10 ns and more: no machine's memory answers a dependent load in 35 ns, and most last-level caches do",
        reference: "JEDEC JESD79-4, JESD79-5: tRCD, CL; methods: memory",
    },
    Rule {
        id: "latency-grows-with-footprint",
        group: Group::Machine,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(ON_LARGE_PAGES)),
        when: When::Value {
            of: Number(condition::HALF_OVER_WHOLE),
            over: Over::Median,
            test: Test::Below(0.75),
        },
        figures: &[
            Metric(metric::COST),
            Number(condition::HALF_FOOTPRINT_COST_NS),
            Number(condition::FOOTPRINT_BYTES),
            Number(condition::LLC_BYTES),
        ],
        summary: "Over half of the footprint a load was much faster: caches answer a part of the loads",
        advice: "Look for a cache that the hypervisor does not show, or that keeps lines against a stream of others; free memory, so that more can be measured",
        reason: "Caches that hold one line in three of the footprint hold two in three of its half. Where they take no part both take the same time: 2 MiB pages of both fit the TLB. Up to one line in four, as at four times the caches, the ratio stays above 0.75",
        reference: "methods: memory",
    },
    Rule {
        id: "memory-cache-answers",
        group: Group::Machine,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(&[Layer::Memory])),
        when: When::Ratio {
            of: Number(condition::FOOTPRINT_BYTES),
            to: Number(condition::MEMORY_CACHE_BYTES),
            over: Over::Median,
            test: Test::Below(4.0),
        },
        figures: &[],
        summary: "A memory-side cache holds the working set, or a large part of it",
        advice: "Read the figure as that cache's; a database larger than it will see the memory behind it",
        reason: "The firmware says that fast memory is a cache of this node's memory (HBM in cache mode, persistent memory in memory mode). What was measured is a footprint that fits it at least in part",
        reference: "Linux Documentation/admin-guide/mm/numaperf.rst, memory-side cache",
    },
    Rule {
        id: "threads-unequal",
        group: Group::Machine,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(&["memory.bandwidth.*", "memory.matrix.read.*"])),
        when: When::Value {
            of: Number(condition::SLOWEST_OVER_FASTEST_THREAD),
            over: Over::Median,
            test: Test::Below(0.5),
        },
        figures: &[Number(condition::THREADS)],
        summary: "One thread moved less than half of what another did",
        advice: "Look for other load on its CPU, or for memory on another node",
        reason: "All threads ran in one window on memory of their own: one that is so far behind shared its CPU or has another path to memory, and the sum is the bandwidth neither of all CPUs nor of fewer",
        reference: "methods: memory",
    },
    Rule {
        id: "nodes-unlike-their-distance",
        group: Group::Machine,
        severity: Severity::Suspect,
        about: About::Measurement(Select::ids(&["memory.matrix.*"])),
        when: When::Present(condition::OVER_ITS_DISTANCE.any()),
        figures: &[Number(condition::OVER_ITS_DISTANCE), Number(condition::DISTANCE)],
        summary: "This pair of nodes differs from others of its distance, or by direction, in two tests",
        advice: "Look for a missing or slow module or link, or for load on one of the two nodes",
        reason: "Pairs with the same distance in the firmware have the same path. One that differs by more than 10 % in latency or 15 % in bandwidth, twice and on fresh memory, has another path or other load",
        reference: "methods: memory",
    },
    Rule {
        id: "footprint-in-cache",
        group: Group::Machine,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(&[Layer::Memory])),
        when: When::Value {
            of: Number(condition::FOOTPRINT_OVER_LLC),
            over: Over::Median,
            test: Test::Below(4.0),
        },
        figures: &[Number(condition::FOOTPRINT_BYTES), Number(condition::LLC_BYTES)],
        summary: "The working set is less than four times the caches",
        advice: "Free memory, or raise the control group's limit",
        reason: "The last-level caches that the CPUs of the test reach, and their second-level caches, hold more than a quarter of the lines: at random more than every fourth load may be answered by one",
        reference: "methods: memory",
    },
];
