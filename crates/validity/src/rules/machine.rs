//! Clock and memory: whether time can be read cheaply and forward, and pages are what was asked for.

use narrows_model::{Layer, Severity, condition, metric};

use crate::Quantity::{Metric, Number, Of};
use crate::{About, Group, Over, Rule, Select, Test, When};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "clock-backwards",
        group: Group::Machine,
        severity: Severity::Invalid,
        about: About::Measurement(Select::layers(&[Layer::Clock])),
        when: When::Value { of: Metric(metric::ERRORS), over: Over::Worst, test: Test::Above(0.0) },
        figures: &[Metric(metric::OPERATIONS)],
        summary: "Time went back between two readings",
        advice: "Read the kernel's log about the clock source; don't use this clock for measuring",
        reason: "A difference of two readings of such a clock is not a duration",
        reference: "clock_gettime(2), CLOCK_MONOTONIC; the kernel's TSC warp test",
    },
    Rule {
        id: "clock-source-changed",
        group: Group::Machine,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(&[Layer::Clock])),
        when: When::Present("clock_source_after"),
        figures: &[],
        summary: "The kernel changed its clock source during the measurement",
        advice: "Read the kernel's log: it found the clock unstable",
        reason: "The repeats are of two clocks; each figure may be true for one of them",
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
        summary: "The clock source can't be read from user space: every time stamp is a system call",
        advice: "See /sys/devices/system/clocksource; a database that times its reads pays for each",
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
        summary: "2 MiB pages were asked for and not obtained",
        advice: "Allow transparent huge pages for madvise, or reserve a pool",
        reason: "The latency is true for the pages that were there, and contains the address translation that large \
                 pages were to avoid",
        reference: "Linux Documentation/admin-guide/mm/transhuge.rst; introduction, rule 8",
    },
    Rule {
        id: "node-not-obtained",
        group: Group::Machine,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(&[Layer::Memory])),
        when: When::Value { of: Number("node_share"), over: Over::Median, test: Test::Below(0.95) },
        figures: &[Number(condition::NODE)],
        summary: "Part of the memory was on another node than asked",
        advice: "Look for a full node, a cpuset's memory list, or automatic balancing",
        reason: "The figure mixes near and far memory in a known share; it is neither of the two",
        reference: "move_pages(2); introduction, rule 8",
    },
    Rule {
        id: "moved-off-processor",
        group: Group::Machine,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(&[Layer::Memory])),
        when: When::Value {
            of: Number("samples_on_another_cpu"),
            over: Over::Median,
            test: Test::Above(0.0),
        },
        figures: &[],
        summary: "Some samples were taken on another CPU than the one pinned to",
        advice: "Look for a cpuset that changed, or a CPU taken offline",
        reason: "Which node those samples saw is not known; the median hides them where they are few",
        reference: "getcpu(2); introduction, rule 8",
    },
    Rule {
        id: "footprint-in-cache",
        group: Group::Machine,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(&[Layer::Memory])),
        when: When::Value {
            of: Number("footprint_over_llc"),
            over: Over::Median,
            test: Test::Below(2.0),
        },
        figures: &[Number("footprint_bytes"), Number("llc_bytes")],
        summary: "The memory walked over is less than twice the last-level caches",
        advice: "Free memory, or raise the control group's limit",
        reason: "At random every second load or more may find its line in a cache, so the figure is not memory's; four                  times the caches are wanted",
        reference: "methods: memory",
    },
];
