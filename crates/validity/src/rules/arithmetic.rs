//! What must add up in every repeat. No setting and no hardware can excuse these.

use narrows_model::{Layer, Severity, condition, metric};

use super::SECONDS_PER_NS;
use crate::Quantity::{Constant, Metric, Number, Product};
use crate::{About, Group, Need, Over, Quantity, Rule, Select, Test, When};

const CLOSED: &[Need] = &[Need::SaysNot(condition::LOOP, &["open"])];
const BY_BLOCKS: &[Layer] = &[Layer::Block];

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
            Need::SaysNot(condition::LOOP, &["open"]),
            Need::Says(condition::METHOD, &["io_uring"]),
            Need::AtLeast(Metric(metric::DEPTH), 2.0),
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
        about: About::Measurement(Select::layers(BY_BLOCKS)),
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
];
