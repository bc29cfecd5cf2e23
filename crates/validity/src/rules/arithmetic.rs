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
        summary: "Rate times latency gives more requests in flight than there were",
        advice: "Discard it; latency or rate was not measured over the same operations",
        reason: "A closed loop cannot have more in flight than it submitted; one of the two figures is wrong, and \
                 nothing tells which",
        reference: "Little 1961, L = λW",
    },
    Rule {
        id: "depth-not-reached",
        group: Group::Arithmetic,
        severity: Severity::Invalid,
        about: About::Measurement(Select::layers(BY_BLOCKS).needs(&[
            Need::SaysNot(condition::LOOP.any(), &["open"]),
            Need::Says(condition::METHOD.any(), &["io_uring", "passthrough", "aio"]),
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
        summary: "Fewer requests were in flight than asked",
        advice: "Look for a submission that blocks: queue limits (nr_requests), buffered I/O, a busy generator",
        reason: "The figure belongs to another depth than the one it is printed for. At depth 1 the generator's own \
                 time between two requests counts, so the rule starts at 2",
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
        summary: "Bytes moved are not operations times their size",
        advice: "Discard it; operations were lost, short or counted twice",
        reason: "The two are counted apart; when they differ, either rate or bandwidth is wrong",
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
        summary: "The rate is not operations over the window",
        advice: "Discard it; threads did not share one window, or operations outside of it were counted",
        reason: "A rate over another time than the one the counters were read around cannot be compared with them",
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
        advice: "Read the kernel's or the server's log for the time of the run, and measure again",
        reason: "A failed operation takes another time than one that succeeds, and how many were tried again is not \
                 known; fast failures raise the rate",
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
        summary: "Operations moved fewer bytes than asked",
        advice: "Look for a file shorter than planned, or a full file system",
        reason: "The measured size is not the one that is printed",
        reference: "read(2), write(2): fewer bytes are no error",
    },
    Rule {
        id: "nothing-done",
        group: Group::Arithmetic,
        severity: Severity::Invalid,
        about: About::Measurement(Select::layers(STORAGE)),
        when: When::Value {
            of: Metric(metric::OPERATIONS),
            over: Over::Worst,
            test: Test::Below(1.0),
        },
        figures: &[Metric(metric::WINDOW)],
        summary: "A window in which nothing was completed",
        advice: "Check sizes and times for their units, and whether the device answers at all",
        reason: "Zero operations have no latency and no rate; a zero would be printed as if it had been measured",
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
        summary: "A window of less than 20 ms",
        advice: "Check the unit of the length; let it write or read more",
        reason: "Processor time and steal are counted in steps of 10 ms, the drive's busy time in milliseconds: what \
                 happened in so short a time was hardly looked at",
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
        reason: "Counts that small scatter by more than a fifth, and a percentile is a matter of a single operation",
        reference: "Poisson count: standard deviation √n",
    },
];
