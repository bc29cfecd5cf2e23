//! What must add up in every repeat. No setting and no hardware can excuse these.

use narrows_model::{Layer, Severity, condition, metric};

use super::SECONDS_PER_NS;
use crate::Quantity::{Constant, Metric, Number, Product};
use crate::{About, Group, Need, Over, Quantity, Rule, Select, Test, When};

const CLOSED: &[Need] =
    &[Need::SaysNot(condition::LOOP.any(), &["open"]), Need::Less(SETTLED, DONE)];
const BY_BLOCKS: &[Layer] = &[Layer::Block];
const STORAGE: &[Layer] = &[Layer::Block, Layer::Log];

const DONE: Quantity = Metric(metric::OPERATIONS);
/// So many operations that those at the window's two ends, at most as many as are in flight, move a mean latency by a
/// few per cent only.
const SETTLED: Quantity = Product(&[Metric(metric::DEPTH), Constant(20.0)]);
const MOVED: Quantity = Product(&[Metric(metric::OPERATIONS), Number(condition::BLOCK_BYTES)]);

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "little-law-broken",
        group: Group::Arithmetic,
        severity: Severity::Invalid,
        about: About::Measurement(Select::ALL.needs(CLOSED)),
        when: When::Ratio {
            of: Metric(metric::IN_FLIGHT),
            to: Metric(metric::DEPTH),
            over: Over::Worst,
            test: Test::Above(1.1),
        },
        figures: &[Metric(metric::THROUGHPUT), Metric(metric::LATENCY_MEAN)],
        summary: "Rate times latency gives more I/Os in flight than were submitted",
        advice: "Discard the figure; rate or latency was not measured over the same operations",
        reason: "A closed loop cannot have more in flight than it submitted. One of the two figures is wrong; which one is unknown",
        reference: "Little 1961, L = λW",
    },
    Rule {
        id: "depth-not-reached",
        group: Group::Arithmetic,
        severity: Severity::Invalid,
        about: About::Measurement(Select::layers(BY_BLOCKS).needs(&[
            Need::SaysNot(condition::LOOP.any(), &["open"]),
            Need::Says(condition::METHOD.any(), &["io_uring", "passthrough", "aio"]),
            // Pauses, syncs, shares of a group and checks of blocks empty the queue, and are meant to.
            Need::Without(condition::THINK_AFTER.any()),
            Need::Without(condition::SYNC_AFTER.any()),
            Need::Without(condition::FLOW.any()),
            Need::Without(condition::VERIFY.any()),
            Need::AtLeast(Metric(metric::DEPTH), 2.0),
            Need::Less(SETTLED, DONE),
        ])),
        when: When::Ratio {
            of: Metric(metric::IN_FLIGHT),
            to: Metric(metric::DEPTH),
            over: Over::Worst,
            test: Test::Below(0.9),
        },
        figures: &[Metric(metric::THROUGHPUT), Metric(metric::LATENCY_MEAN)],
        summary: "Queue depth was below the requested one",
        advice: "Look for what blocks submission: nr_requests, buffered I/O, a busy load generator",
        reason: "The figure belongs to a lower queue depth than the one printed. At QD1 the generator's own time between two requests counts, so the rule starts at QD2",
        reference: "Little 1961, L = λW; requested is not obtained (introduction, rule 8)",
    },
    Rule {
        id: "bytes-not-operations-times-size",
        group: Group::Arithmetic,
        severity: Severity::Invalid,
        // Of a mix neither reads nor writes alone are all operations.
        about: About::Measurement(
            Select::layers(BY_BLOCKS)
                .needs(&[Need::SaysNot(condition::DIRECTION.any(), &["mixed"])]),
        ),
        when: When::Any(&[
            When::Ratio {
                of: Metric(metric::BANDWIDTH),
                to: Product(&[Metric(metric::THROUGHPUT), Number(condition::BLOCK_BYTES)]),
                over: Over::Worst,
                test: Test::Outside(0.99, 1.01),
            },
            When::Ratio {
                of: Metric(metric::ISSUED_READ_BYTES),
                to: MOVED,
                over: Over::Worst,
                test: Test::Outside(0.99, 1.01),
            },
            When::Ratio {
                of: Metric(metric::ISSUED_WRITE_BYTES),
                to: MOVED,
                over: Over::Worst,
                test: Test::Outside(0.99, 1.01),
            },
        ]),
        figures: &[],
        summary: "Bytes moved are not operations times block size",
        advice: "Discard the figure; operations were lost, short or counted twice",
        reason: "Operations and bytes are counted separately; where they differ, either the rate or the bandwidth is wrong",
        reference: "arithmetic",
    },
    Rule {
        id: "rate-not-operations-over-window",
        group: Group::Arithmetic,
        severity: Severity::Invalid,
        about: About::Measurement(Select::ALL),
        when: When::Ratio {
            of: Metric(metric::OPERATIONS),
            to: Product(&[
                Metric(metric::THROUGHPUT),
                Metric(metric::WINDOW),
                Constant(SECONDS_PER_NS),
            ]),
            over: Over::Worst,
            test: Test::Outside(0.99, 1.01),
        },
        figures: &[],
        summary: "The rate is not operations divided by the window",
        advice: "Discard the figure; threads did not share one window, or operations outside it were counted",
        reason: "A rate over another time than the one over which the counters were read cannot be compared with them",
        reference: "arithmetic; one window for all threads (introduction, rule 1)",
    },
    Rule {
        id: "operations-failed",
        group: Group::Arithmetic,
        severity: Severity::Invalid,
        about: About::Measurement(Select::ALL.except(&["clock.*"])),
        when: When::Value { of: Metric(metric::ERRORS), over: Over::Worst, test: Test::Above(0.0) },
        figures: &[Metric(metric::OPERATIONS)],
        summary: "Operations failed",
        advice: "Read the kernel log or the server log for the time of the run, and measure again",
        reason: "A failed operation takes another time than one that succeeds, and the number of retries is unknown; fast failures raise the rate",
        reference: "introduction, rule 6",
    },
    Rule {
        id: "short-io",
        group: Group::Arithmetic,
        severity: Severity::Invalid,
        about: About::Measurement(Select::ALL),
        when: When::Value {
            of: Metric(metric::SHORT_IOS),
            over: Over::Worst,
            test: Test::Above(0.0),
        },
        figures: &[Metric(metric::OPERATIONS)],
        summary: "Operations moved fewer bytes than requested",
        advice: "Look for a file shorter than planned, or a full file system",
        reason: "The block size measured is not the one printed",
        reference: "read(2), write(2): fewer bytes are no error",
    },
    Rule {
        id: "no-operations",
        group: Group::Arithmetic,
        severity: Severity::Invalid,
        about: About::Measurement(Select::layers(STORAGE)),
        when: When::Value {
            of: Metric(metric::OPERATIONS),
            over: Over::Worst,
            test: Test::Below(1.0),
        },
        figures: &[Metric(metric::WINDOW)],
        summary: "A window in which no operation completed",
        advice: "Check sizes and times for their units, and whether the device answers at all",
        reason: "Without operations there is no latency and no rate; a zero would look like a measured one",
        reference: "introduction, rule 7: unknown is not zero",
    },
    Rule {
        id: "nothing-moved",
        group: Group::Arithmetic,
        severity: Severity::Invalid,
        about: About::Measurement(Select::layers(&[Layer::Memory])),
        when: When::Any(&[
            When::Value {
                of: Metric(metric::BANDWIDTH),
                over: Over::Worst,
                test: Test::Below(1.0),
            },
            When::Value {
                of: Metric(metric::THROUGHPUT),
                over: Over::Worst,
                test: Test::Below(0.001),
            },
        ]),
        figures: &[Metric(metric::THROTTLED_CPUS), Metric(metric::STEAL)],
        summary: "A window in which nothing was read, written or looked up",
        advice: "Look for what kept the threads off their CPUs: a CPU quota, a stopped process, a hypervisor",
        reason: "Memory that answers gives something in any window: the threads did not run, and a zero would look like a measured one",
        reference: "introduction, rule 7: unknown is not zero",
    },
    Rule {
        id: "window-too-short",
        group: Group::Arithmetic,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(STORAGE)),
        when: When::Value {
            of: Metric(metric::WINDOW),
            over: Over::Worst,
            test: Test::Below(20e6),
        },
        figures: &[Metric(metric::OPERATIONS)],
        summary: "The window was shorter than 20 ms",
        advice: "Check the unit of the duration; let it write or read more",
        reason: "CPU time and steal are counted in steps of 10 ms, the drive's busy time in steps of 1 ms: a window this short cannot be checked",
        reference: "proc(5), USER_HZ",
    },
    Rule {
        id: "window-hardly-checked",
        group: Group::Arithmetic,
        severity: Severity::Suspect,
        // Searches have short windows on purpose, and many of them.
        about: About::Measurement(Select::ids(&["block.job.*", "block.together.*"])),
        when: When::Value {
            of: Metric(metric::WINDOW),
            over: Over::Worst,
            test: Test::Below(100e6),
        },
        figures: &[Metric(metric::OPERATIONS)],
        summary: "The only window was shorter than 100 ms",
        advice: "Give the job a longer runtime, or more to do",
        reason: "One step of the kernel's counts of CPU time is a tenth of such a window, and one stall of a drive is more than that; nothing is repeated",
        reference: "proc(5), USER_HZ",
    },
    Rule {
        id: "few-operations",
        group: Group::Arithmetic,
        severity: Severity::Suspect,
        about: About::Measurement(Select::layers(STORAGE)),
        when: When::Value {
            of: Metric(metric::OPERATIONS),
            over: Over::Total,
            test: Test::Below(20.0),
        },
        figures: &[Metric(metric::WINDOW)],
        summary: "Fewer than twenty operations in all windows together",
        advice: "Measure longer",
        reason: "Counts this small vary by more than a fifth, and one operation decides a percentile",
        reference: "Poisson count: standard deviation √n",
    },
];
